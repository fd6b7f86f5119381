/* Linear systems A x = b with a symmetric positive definite A, and the list of their solvers. A
   linear solver is one file that ends in a const SlLinearSolver, and one line of
   SL_LINEAR_SOLVERS below; parameter tables, enum and list follow from that line.

   Vectors are double, [rows][columns]: several right-hand sides are solved as one system with one
   step length. Sums are partials per chunk of rows, folded in order (core/parallel.h), so results
   do not depend on the number of threads. */
#ifndef MATH_LINEAR_LINEAR_H
#define MATH_LINEAR_LINEAR_H

#include "core/error.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "math/linear/chebyshev.h"

/* The list of linear solvers: X(CONSTANT, name). Its order is that of the parameter's choices. */
#define SL_LINEAR_SOLVERS(X)                                                                       \
    X(JACOBI, jacobi)                                                                              \
    X(CHEBYSHEV, chebyshev)                                                                        \
    X(CG, cg)                                                                                      \
    X(CR, cr)                                                                                      \
    X(LDLT, ldlt)                                                                                  \
    X(ANDERSON, anderson)

typedef enum SlLinearKind {
#define SL_LINEAR_CONSTANT_(constant, name) SL_LINEAR_##constant,
    SL_LINEAR_SOLVERS(SL_LINEAR_CONSTANT_)
#undef SL_LINEAR_CONSTANT_
        SL_LINEAR_COUNT
} SlLinearKind;

/* "jacobi|chebyshev|…", the choices of a parameter row. */
#define SL_LINEAR_CHOICE_(constant, name) "|" #name
#define SL_LINEAR_CHOICES (&(SL_LINEAR_SOLVERS(SL_LINEAR_CHOICE_) "")[1])

/* A symmetric sparse matrix in compressed rows. Both triangles are stored, so that a row is all
   that a product needs. */
typedef struct SlSparse {
    size_t rows;
    const uint32_t *row_begin; /* rows + 1; entries of row i are [row_begin[i], row_begin[i + 1]) */
    const uint32_t *column;    /* in any order within a row, none twice, the diagonal included */
    const double *value;
} SlSparse;

/* Rows [begin, end) of A x, for vectors [rows][columns]. */
void sl_sparse_apply(const SlSparse *matrix, uint32_t columns, const double *x, double *y,
                     size_t begin, size_t end);
/* The entry (i, j), 0 where none is stored. */
double sl_sparse_at(const SlSparse *matrix, size_t i, size_t j);

typedef struct SlLinearSystem SlLinearSystem;
struct SlLinearSystem {
    size_t rows;
    uint32_t columns; /* 1 to SL_LINEAR_COLUMNS */
    /* Rows [begin, end) of y = A x, given all of x. Called for several ranges at once. */
    void (*apply)(const SlLinearSystem *system, const double *x, double *y, size_t begin,
                  size_t end);
    const void *user;       /* of apply */
    const double *diagonal; /* rows; NULL: not known */
    const SlSparse *matrix; /* all of A; NULL: only its product is known */
};
enum { SL_LINEAR_COLUMNS = 3 };

typedef struct SlLinearSettings {
    double tolerance; /* of |b - A x| / |b|; 0: exactly max_iterations, whatever the residual */
    uint32_t max_iterations;
    bool preconditioner;   /* conjugate gradients: by the diagonal */
    double relaxation;     /* of every sweep of Jacobi, Chebyshev and Anderson, (0, 1] */
    SlChebyshev chebyshev; /* rho 0: estimated from the sweeps of the delay */
    uint32_t history;      /* Anderson: 1 to SL_ANDERSON_MAX earlier iterations */
} SlLinearSettings;
SlLinearSettings sl_default_linear_settings(void);

/* One system and its solver's scratch. */
typedef struct SlLinearJob {
    SlPool *pool;
    SlArena *arena; /* prepare pushes the scratch; it is valid until the arena is reset */
    SlLinearSystem system;
    SlLinearSettings settings;
    void *scratch;         /* the solver's */
    double *partials;      /* [chunks of rows][SL_LINEAR_LANES] */
    uint64_t factor_bytes; /* out: size of a factor of A; 0: the solver makes none */
} SlLinearJob;

typedef struct SlLinearOutcome {
    uint32_t iterations;
    double residual; /* |b - A x| / |b| as the solver knows it */
} SlLinearOutcome;

typedef struct SlLinearSolver {
    const char *name, *summary, *citation;
    bool needs_diagonal, needs_matrix;
    /* Pushes the scratch for the job's system, orders and factors it. Once for many right-hand
       sides. */
    SlStatus (*prepare)(SlLinearJob *job, SlError *error);
    /* x: in the first guess, out the solution. SL_ERROR_NUMBERS: A is not positive definite, the
       iteration diverges, or it did not converge to the tolerance. x is finite in any case. */
    SlStatus (*solve)(SlLinearJob *job, const double *b, double *x, SlLinearOutcome *outcome,
                      SlError *error);
    /* Bytes that prepare pushes for so many rows and columns, without a factor. */
    uint64_t (*bytes)(const SlLinearSettings *settings, uint64_t rows, uint32_t columns);
} SlLinearSolver;

#define SL_LINEAR_DECLARE_(constant, name) extern const SlLinearSolver sl_linear_##name;
SL_LINEAR_SOLVERS(SL_LINEAR_DECLARE_)
#undef SL_LINEAR_DECLARE_
extern const SlLinearSolver *const sl_linear_solvers[SL_LINEAR_COUNT];

/* Checks that the system has what the solver needs, then solver->prepare. */
SlStatus sl_linear_prepare(const SlLinearSolver *solver, SlLinearJob *job, SlError *error);
/* solver->solve; a system without rows is solved. */
SlStatus sl_linear_solve(const SlLinearSolver *solver, SlLinearJob *job, const double *b, double *x,
                         SlLinearOutcome *outcome, SlError *error);
/* A system given by all of its matrix. `diagonal` is filled, rows values. */
SlLinearSystem sl_linear_from_sparse(const SlSparse *matrix, uint32_t columns, double *diagonal);

/* --- For solvers --- */

enum { SL_LINEAR_LANES = 2 * 20 + 2 };

/* Runs over all rows in chunks of SL_REDUCE_CHUNK. */
void sl_linear_run(const SlLinearJob *job, SlChunkFunction function, void *argument);
/* One lane of the partials that the last run wrote, summed. */
double sl_linear_sum(const SlLinearJob *job, size_t lane);
static inline double *sl_linear_partials(const SlLinearJob *job, size_t chunk)
{
    return job->partials + chunk * SL_LINEAR_LANES;
}
/* Vectors of the job's size on its arena; false: no memory. */
bool sl_linear_push(SlLinearJob *job, double **vectors[], size_t count);
uint64_t sl_linear_vector_bytes(uint64_t rows, uint32_t columns, uint64_t vectors);
SlStatus sl_linear_no_memory(const char *name, const SlLinearJob *job, SlError *error);
/* The status when max_iterations is reached: SL_OK where no tolerance was set, otherwise the solver
   did not converge. */
SlStatus sl_linear_at_limit(const char *name, const SlLinearJob *job,
                            const SlLinearOutcome *outcome, SlError *error);

#endif
