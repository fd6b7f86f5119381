/* Linear systems A x = b with a symmetric A, and the list of what solves them. A solver is one const
   SlLinearSolver in a file of its kind and one line in the list (linear.c).

   Vectors are double, [rows][columns]: several right-hand sides are solved as one system with one
   step length. Sums are partials per chunk of rows, folded in order (core/reduce.h), so results do
   not depend on threads. */
#ifndef MATH_LINEAR_LINEAR_H
#define MATH_LINEAR_LINEAR_H

#include "core/memory.h"
#include "core/error.h"
#include "core/parallel.h"
#include "math/linear/chebyshev.h"
#include "math/linear/sparse.h"

typedef struct SlLinearSystem SlLinearSystem;
struct SlLinearSystem {
    size_t rows;
    uint32_t columns; /* 1 to SL_LINEAR_COLUMNS */
    /* Rows [begin, end) of y = A x; x is whole. Called for several stretches at once. */
    void (*apply)(const SlLinearSystem *system, const double *x, double *y, size_t begin, size_t end);
    const void *user;       /* of apply */
    const double *diagonal; /* rows; NULL: not known */
    const SlSparse *matrix; /* all of A; NULL: only its product is known */
};
enum { SL_LINEAR_COLUMNS = 3 };

typedef struct SlLinearSettings {
    double tolerance; /* of |b - A x| over |b|; 0: exactly `max_iterations`, whatever is left */
    uint32_t max_iterations;
    bool preconditioner; /* conjugate gradients: by the diagonal */
    double relaxation; /* on every sweep of Jacobi, Chebyshev and Anderson: (0, 1] */
    SlChebyshev chebyshev; /* rho 0: estimated from the sweeps of the delay */
    uint32_t history;  /* Anderson: 1 to SL_ANDERSON_MAX changes */
} SlLinearSettings;
SlLinearSettings sl_default_linear_settings(void);

/* One system and its solver's scratch. */
typedef struct SlLinearJob {
    SlPool *pool;
    SlArena *arena; /* scratch is pushed by prepare and stays until the arena is reset */
    SlLinearSystem system;
    SlLinearSettings settings;
    void *scratch;          /* the solver's */
    double *partials;       /* [chunks of rows][SL_LINEAR_LANES] */
    uint64_t factor_bytes;  /* out: what a factor of A takes, 0 for those without */
} SlLinearJob;

typedef struct SlLinearOutcome {
    uint32_t iterations;
    double residual; /* |b - A x| over |b|, as the solver knows it */
} SlLinearOutcome;

typedef struct SlLinearSolver {
    const char *name, *summary, *citation;
    bool needs_diagonal, needs_matrix;
    /* Takes scratch for the job's system, orders and factors it. Once for many right-hand sides. */
    SlStatus (*prepare)(SlLinearJob *job, SlError *error);
    /* x holds a guess and then the solution. SL_ERROR_NUMBERS: A is not positive definite, the
       iteration diverges, or a tolerance was asked for and not reached. x is finite or as it was. */
    SlStatus (*solve)(SlLinearJob *job, const double *b, double *x, SlLinearOutcome *outcome,
                      SlError *error);
    /* Bytes that prepare will push for so many rows and columns, a factor not counted. */
    uint64_t (*bytes)(const SlLinearSettings *settings, uint64_t rows, uint32_t columns);
} SlLinearSolver;

extern const SlLinearSolver sl_linear_jacobi, sl_linear_chebyshev, sl_linear_gradient,
    sl_linear_residual, sl_linear_ldlt, sl_linear_anderson;

/* Order of the choices "jacobi|chebyshev|cg|cr|ldlt|anderson". */
typedef enum SlLinearKind {
    SL_LINEAR_JACOBI,
    SL_LINEAR_CHEBYSHEV,
    SL_LINEAR_CG,
    SL_LINEAR_CR,
    SL_LINEAR_LDLT,
    SL_LINEAR_ANDERSON,
    SL_LINEAR_COUNT
} SlLinearKind;
extern const SlLinearSolver *const sl_linear_solvers[SL_LINEAR_COUNT];

/* Checks that the system offers what the solver needs, and prepares. */
SlStatus sl_linear_prepare(const SlLinearSolver *solver, SlLinearJob *job, SlError *error);
/* solver->solve with sizes of 0 seen to. */
SlStatus sl_linear_solve(const SlLinearSolver *solver, SlLinearJob *job, const double *b, double *x,
                         SlLinearOutcome *outcome, SlError *error);
/* A system given by all of its matrix. `diagonal` is filled, rows values. */
SlLinearSystem sl_linear_from_sparse(const SlSparse *matrix, uint32_t columns, double *diagonal);

/* --- For solvers --- */

enum { SL_LINEAR_LANES = 2 * 20 + 2 };

/* Runs over all rows in chunks of SL_REDUCE_CHUNK. */
void sl_linear_run(const SlLinearJob *job, SlChunkFunction function, void *argument);
/* A lane of the partials the last run wrote. */
double sl_linear_sum(const SlLinearJob *job, size_t lane);
static inline double *sl_linear_partials(const SlLinearJob *job, size_t chunk)
{
    return job->partials + chunk * SL_LINEAR_LANES;
}
/* Vectors of the job's size on its arena; false: no memory. */
bool sl_linear_push(SlLinearJob *job, double **vectors[], size_t count);
uint64_t sl_linear_vector_bytes(uint64_t rows, uint32_t columns, uint64_t vectors);
SlStatus sl_linear_no_memory(const char *name, const SlLinearJob *job, SlError *error);
/* The answer when the limit of iterations is reached: fine if no tolerance was asked for. */
SlStatus sl_linear_limit(const char *name, const SlLinearJob *job, const SlLinearOutcome *outcome,
                         SlError *error);

#endif
