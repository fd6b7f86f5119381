/* The loops of projective fluids that belong to no constraint, one table per instruction-set path,
   and the data of all loops. */
#ifndef SOLVERS_PROJECTIVE_PROJECTIVE_KERNELS_H
#define SOLVERS_PROJECTIVE_PROJECTIVE_KERNELS_H

#include "math/linear/anderson.h"
#include "solvers/fluid/pass.h"
#include "solvers/projective/constraints/constraint.h"

/* The density constraint, which every projective fluid has (constraints/density_kernels.c). */
typedef struct SlDensityPass {
    float kappa;
    float min_constraint;       /* 0: unilateral; far below: equality */
    float epsilon;              /* 1/m², added to the sum of squared gradients */
    float count_fraction;       /* lambda is multiplied by this × the number of its particles */
    uint32_t projections;       /* Newton steps of a local projection, at most */
    float projection_tolerance; /* density error that ends a projection */
    float *counts;              /* 1 + n_i: constraints that contain the particle */
    float *solid_gradient;      /* the solids' part of grad_i C_i, in blocks near solids */
    float *push;                /* differences: lambda_i grad_i C_i; NULL otherwise */
    /* Memory of pressure (docs/projective-memory.md). */
    float *pressure;               /* M: the field PRESSURE, m²/s²; NULL: nothing is remembered */
    float *total, *previous_total; /* L that acted up to this iteration and the one before, m² */
    float memory;                  /* fraction of a step's pressure that is remembered */
    float mid;                     /* theta: gradients at x + theta (x^n - x) */
} SlDensityPass;

/* Anderson acceleration of the loop. */
typedef struct SlAndersonPass {
    const SlAnderson *anderson;
    float relaxation; /* of G(x) - x */
    float *last_step; /* G(x) - x one iteration ago */
    float *step_changes[SL_ANDERSON_MAX], *position_changes[SL_ANDERSON_MAX];
} SlAndersonPass;

/* Constants and arrays of a step. Records are float4, in sorted order. */
struct SlProjectivePass {
    SlFluidPass fluid;
    double dt; /* s; fluid.dt is rounded */
    SlDensityPass density;
    SlAndersonPass history;
    void *constraint_data[SL_CONSTRAINT_COUNT]; /* of SlConstraint.prepare */
    float max_move;                             /* m per iteration */
    float relaxation, omega;                    /* gamma and omega of [Wang 2015] */
    float stop_move;       /* m: a particle that moves farther in an iteration counts as moving */
    float common_divisor;  /* divides every right side of a sweep; 0: each row's own diagonal */
    float *projected;      /* x, y, z and lambda: the iterate, and its density projection */
    float *shift;          /* x(k) - s */
    float *previous_shift; /* x(k-1) - s */
    float *residual;       /* right side - A x(k), and A's diagonal; then G(x) - x. NULL: fused */
    double *partials;      /* [chunk][SL_PROJECTIVE_PARTIALS] */
};

/* Lanes of a chunk's partials. */
enum {
    SL_PROJECTIVE_COMPRESSION, /* of x(k): sum and maximum of max(0, density - 1) */
    SL_PROJECTIVE_MAX_COMPRESSION,
    SL_PROJECTIVE_MAX_MOVE2, /* |x(k+1) - x(k)|² */
    SL_PROJECTIVE_MOVING,    /* particles for which it is above stop_move² */
    SL_PROJECTIVE_STEP2,     /* |gamma (G(x) - x)|²: sum and maximum */
    SL_PROJECTIVE_MAX_STEP2,
    SL_PROJECTIVE_PRODUCTS,
    SL_PROJECTIVE_ALONG = SL_PROJECTIVE_PRODUCTS + SL_ANDERSON_MAX,
    SL_PROJECTIVE_PARTIALS = SL_PROJECTIVE_ALONG + SL_ANDERSON_MAX
};

/* data: SlProjectivePass. */
typedef struct SlProjectiveKernels {
    SlLoop initialise; /* counts, from the list; the first shift */
    SlLoop inertia;    /* residual = s - x, diagonal 1 */
    SlLoop divide;     /* residual /= diagonal: one sweep of Jacobi's method */
    /* Anderson: the last changes and their products; then residual -= a combination of changes */
    SlLoop record_changes, combine_changes;
    SlLoop move; /* projected + residual -> predicted, eq. 8; movement */
    /* after the last local step: friction of boundary particles */
    SlLoop boundary_friction[SL_KERNEL_COUNT];
} SlProjectiveKernels;

SL_DECLARE_KERNELS(SlProjectiveKernels, sl_projective_kernels);

#endif
