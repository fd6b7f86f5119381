/* Projective fluids: the solver's descriptor, and its step cut open for tests and benchmarks. */
#ifndef SOLVERS_PROJECTIVE_PROJECTIVE_H
#define SOLVERS_PROJECTIVE_PROJECTIVE_H

#include "solvers/fluid/fluid.h"
#include "solvers/projective/projective_kernels.h"
#include "math/linear/linear.h"

extern const SlSolver sl_projective_solver;

/* What it keeps between steps. */
typedef struct SlProjectiveState {
    SlFluidState fluid;
    SlRhoSearch search; /* of the automatic rho */
    double fastest;     /* m/s, after the last step */
    uint32_t placed;    /* ids below this were there at the start */
} SlProjectiveState;

/* Order of the choices "none|chebyshev|anderson". */
typedef enum SlAccelerate {
    SL_ACCELERATE_NONE,
    SL_ACCELERATE_CHEBYSHEV,
    SL_ACCELERATE_ANDERSON
} SlAccelerate;

/* A kind of constraint as the loop over local and global steps sees it: what it weighs, its local
   projection, and what its rows of C and D add to the global system. */
typedef struct SlConstraint {
    const char *name, *summary, *citation;
    /* w dt² / m; 0: the parameters ask for none. */
    double (*kappa)(const SlSystem *system, double dt);
    /* Line 4 of algorithm 1; NULL: its projection never changes. */
    SlLoop (*project)(const SlProjectiveKernels *kernels, SlKernelKind kind);
    /* Adds w C'(D p - C x) to the residual and C'C's diagonal to its fourth lane. */
    SlLoop (*pull)(const SlProjectiveKernels *kernels, SlKernelKind kind);
    bool diagonal; /* C'C has nothing but its diagonal */
} SlConstraint;

enum { SL_CONSTRAINT_COUNT = 3 };
extern const SlConstraint *const sl_constraints[SL_CONSTRAINT_COUNT];

/* The loop over local and global steps, for whoever runs it by hand. */
typedef struct SlProjectiveRun {
    SlProjectivePass pass;
    SlLinearJob job;
    double *right, *solution; /* of the linear system, [n][3]; NULL in one loop */
    double *diagonal;
    SlChebyshev chebyshev;
    SlAnderson anderson;
    uint32_t iterations, inner; /* done; of the linear solver, in all */
    /* shifts that bodies have given so far, before, and in this iteration, [body][SL_FORCE_LANES];
       NULL: nobody asks, or it cannot be told */
    double *given, *given_before, *giving;
    double move, norm, mean, most; /* of the last iteration: m, m, and compression before it */
    bool restarts;                    /* is momentum given up near the end? */
    double moving, few; /* particles that moved farther than stop_move; so few that it is calm */
    double step;        /* longest of the last iteration before it was accelerated, m */
} SlProjectiveRun;

/* Constants and arrays of a step. */
SlStatus sl_projective_begin(SlSystem *system, double dt, SlProjectiveRun *run, SlError *error);
/* After sort and list: counts, the matrix, its factor. */
SlStatus sl_projective_prepare(SlSystem *system, SlProjectiveRun *run, SlError *error);
/* Lines 3 to 5, and lines 6 and 7 of algorithm 1. */
void sl_projective_local(const SlSystem *system, SlProjectiveRun *run);
SlStatus sl_projective_global(SlSystem *system, SlProjectiveRun *run, SlError *error);
/* After the loop: friction of boundary particles. */
void sl_projective_settle(const SlSystem *system, SlProjectiveRun *run);
/* Can it be told what bodies feel? Only where one sweep divides all by the same. */
bool sl_projective_has_body_forces(const SlSystem *system);
/* What bodies feel (projective_forces.c): arrays, false if there is no memory; before the first
   iteration; after each; after the last. */
bool sl_projective_forces_begin(SlSystem *system, SlProjectiveRun *run);
void sl_projective_forces_start(SlProjectiveRun *run);
void sl_projective_forces_add(SlProjectiveRun *run);
void sl_projective_forces_end(SlProjectiveRun *run);

/* What a step pushes on the arena beyond every fluid's; a factor of the matrix is not known before.
 */
uint64_t sl_projective_bytes(const SlSystem *system, uint64_t count);

#endif
