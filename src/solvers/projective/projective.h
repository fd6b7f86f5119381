/* Projective fluids: the solver's descriptor, its state, and the stages of its loop for tests and
   benchmarks. */
#ifndef SOLVERS_PROJECTIVE_PROJECTIVE_H
#define SOLVERS_PROJECTIVE_PROJECTIVE_H

#include "math/linear/linear.h"
#include "solvers/fluid/fluid.h"
#include "solvers/projective/parameters.h"
#include "solvers/projective/projective_kernels.h"

extern const SlSolver sl_projective_solver;

/* State kept between steps. */
typedef struct SlProjectiveState {
    SlFluidState fluid;
    SlRhoSearch search;     /* of the automatic rho */
    uint32_t initial_count; /* particles with lower ids were placed at the start */
    /* Of constraints, set by SlConstraint.start from the initial particles; not saved. */
    void *constraint_data[SL_CONSTRAINT_COUNT];
} SlProjectiveState;

/* How the global step of [Sommer, algorithm 1] is made. A sweep is one iteration of Jacobi's
   method, which solves a diagonal system exactly. */
typedef enum SlGlobalStep {
    SL_GLOBAL_FUSED_SWEEP,  /* one constraint only: right side, division and movement in one loop */
    SL_GLOBAL_SWEEP,        /* a loop for each of these, and for each constraint */
    SL_GLOBAL_LINEAR_SOLVER /* a linear solver on vectors of double */
} SlGlobalStep;

/* All choices about the loop of a step, made once from the parameters. */
typedef struct SlProjectiveMethod {
    SlGlobalStep global;
    SlDivisor divisor; /* of a sweep */
    SlAcceleration acceleration;
    const SlLinearSolver *solver; /* of SL_GLOBAL_LINEAR_SOLVER */
    uint32_t constraints;         /* a bit per constraint in use */
    bool body_forces;             /* forces on bodies can be summed (body_forces.c) */
    bool has_pressure;            /* the particles have a pressure */
    bool memory;                  /* and it is remembered */
} SlProjectiveMethod;

SlProjectiveMethod sl_projective_method(const SlSystem *system);

/* Shifts that bodies gave to particles, [body][SL_FORCE_LANES] each; NULL: not summed. */
typedef struct SlBodyShifts {
    double *total, *previous; /* after this and after the last iteration */
    double *iteration;        /* in this iteration */
} SlBodyShifts;

/* The loop over local and global steps. */
typedef struct SlProjectiveRun {
    SlProjectiveMethod method;
    SlProjectivePass pass;
    /* SL_GLOBAL_LINEAR_SOLVER: right side and solution [n][3], diagonal [n] */
    SlLinearJob job;
    SlSparse matrix;
    double *right_side, *solution, *diagonal;
    SlChebyshev chebyshev;
    SlAnderson anderson;
    SlBodyShifts bodies;
    uint32_t iterations, linear_iterations; /* so far */
    /* Of the last iteration: */
    double mean_compression, max_compression; /* before it */
    double max_move, step_norm, max_step;     /* m: movement; steps before acceleration */
    double moving_count;                      /* particles that moved farther than stop_move */
    /* Chebyshev's method restarts near the end of a step: when so few particles move. */
    bool restarts_near_end;
    double restart_count;
} SlProjectiveRun;

/* --- The stages, in their order (iterate.c) --- */
/* The method, constants and arrays of a step of dt seconds. Resets the system's arena. */
SlStatus sl_projective_begin(SlSystem *system, double dt, SlProjectiveRun *run, SlError *error);
/* After sort and neighbour list: data of the constraints, the matrix and its factor. */
SlStatus sl_projective_prepare(SlSystem *system, SlProjectiveRun *run, SlError *error);
/* Local projections: lines 3 to 5 of algorithm 1. */
void sl_projective_local(const SlSystem *system, SlProjectiveRun *run);
/* Global step with its acceleration: lines 6 and 7. */
SlStatus sl_projective_global(SlSystem *system, SlProjectiveRun *run, SlError *error);
/* After the loop: friction of boundary particles. */
void sl_projective_friction(const SlSystem *system, SlProjectiveRun *run);

/* After that: the pressure that the next step begins with. */
void sl_projective_remember(const SlSystem *system, SlProjectiveRun *run);

/* residual = right side - A x at the iterate that was projected, and A's diagonal. */
void sl_projective_residual(const SlSystem *system, SlProjectiveRun *run);

/* --- The linear system (global_system.c) --- */
bool sl_global_system_push(SlSystem *system, SlProjectiveRun *run);
SlStatus sl_global_system_prepare(SlSystem *system, SlProjectiveRun *run, SlError *error);
/* Solves for the step: residual -> G(x) - x. */
SlStatus sl_global_system_solve(SlSystem *system, SlProjectiveRun *run, SlError *error);
uint64_t sl_global_system_bytes(const SlSystem *system, uint64_t count);

/* --- Forces on bodies (body_forces.c) --- */
/* Arrays; false: no memory. */
bool sl_body_shifts_begin(SlSystem *system, SlProjectiveRun *run);
/* After the prediction, after each iteration, after the last. */
void sl_body_shifts_start(SlProjectiveRun *run);
void sl_body_shifts_add(SlProjectiveRun *run);
void sl_body_shifts_end(SlProjectiveRun *run);

/* Bytes that a step pushes on the arena beyond those of every fluid, without a factor. */
uint64_t sl_projective_bytes(const SlSystem *system, uint64_t count);

#endif
