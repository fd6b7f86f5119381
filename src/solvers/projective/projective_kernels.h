/* The hot loops of projective fluids, one table per instruction-set path. */
#ifndef SOLVERS_PROJECTIVE_PROJECTIVE_KERNELS_H
#define SOLVERS_PROJECTIVE_PROJECTIVE_KERNELS_H

#include "solvers/fluid/pass.h"
#include "math/linear/anderson.h"

/* A step's constants and arrays beyond those of every fluid. All equations are divided by mass over
   dt², so that the inertia of a particle is 1 and a constraint weighs kappa = w dt² / m. */
typedef struct SlProjectivePass {
    SlFluidPass fluid;
    float *projected;     /* x*, y*, z*, lambda: what the local step writes and the global one reads */
    float min_constraint; /* 0: unilateral; far below: equality */
    float epsilon;        /* 1/m², added to the sum of squared gradients */
    float max_move;       /* m per iteration */
    float kappa;       /* of a density constraint */
    float hold;        /* of an attachment; 0: none */
    bool differences;  /* rows of C and D are differences to the constraint's own particle */
    float count_share; /* of the number of its particles that a constraint's shifts are multiplied
                          by */
    uint32_t projections;  /* most steps of a local projection */
    float projected_error; /* and the error of the density that ends it sooner */
    float gamma, omega;    /* under-relaxation; over-relaxation of Chebyshev's method */
    float still_move;      /* one that moves farther in an iteration is not at rest; m */
    float common_diagonal; /* divides every right side in a sweep; 0: each particle's own */
    uint32_t placed;       /* ids below this may be attached */
    /* arrays in sorted order */
    float *counts;       /* 1 + n_i: constraints a particle is in */
    const float *anchor; /* where attachments hold; far away: nowhere. NULL: no attachments */
    float *shift;        /* x(k) - s */
    float *previous;     /* the shift before */
    float *solid;        /* the solids' part of grad_i C_i, where block_meets_solids */
    float *residual;  /* right side less A x(k), and A's diagonal; then the step; NULL: one loop */
    float *push;      /* lambda_i grad_i C_i; NULL unless there are differences */
    float *last_step; /* Anderson: G(x) - x one iteration ago, and changes of it and of x */
    float *step_changes[SL_ANDERSON_MAX], *place_changes[SL_ANDERSON_MAX];
    const SlAnderson *anderson;
    float mixing;     /* under-relaxation of what it accelerates */
    double *partials; /* [chunk][SL_PROJECTIVE_PARTIALS] */
} SlProjectivePass;

/* Lanes of a chunk's partials. */
enum {
    SL_PROJECTIVE_COMPRESSION, /* of x(k): sum and most of max(0, density - 1) */
    SL_PROJECTIVE_MAX_COMPRESSION,
    SL_PROJECTIVE_MAX_MOVE2, /* |x(k+1) - x(k)|² */
    SL_PROJECTIVE_MOVING,     /* particles for which it is above still_move² */
    SL_PROJECTIVE_STEP2,      /* |gamma (G(x) - x)|²: sum and most */
    SL_PROJECTIVE_MAX_STEP2,
    SL_PROJECTIVE_PRODUCTS,
    SL_PROJECTIVE_ALONG = SL_PROJECTIVE_PRODUCTS + SL_ANDERSON_MAX,
    SL_PROJECTIVE_PARTIALS = SL_PROJECTIVE_ALONG + SL_ANDERSON_MAX
};

/* data of all loops: SlProjectivePass */
typedef struct SlProjectiveKernels {
    SlLoop count; /* counts, from the list; the first shift */
    /* local step: predicted -> projected with lambda, push; compression */
    SlLoop project[SL_KERNEL_COUNT];
    /* global step in one loop, where the matrix is diagonal: projected -> predicted; movement */
    SlLoop solve[SL_KERNEL_COUNT];
    /* the same cut open: the residual of inertia, what constraints add to it and to the diagonal */
    SlLoop inertia;
    SlLoop pull_density[SL_KERNEL_COUNT], pull_differences[SL_KERNEL_COUNT];
    SlLoop pull_attachments;
    SlLoop divide; /* residual = residual / diagonal: one sweep of Jacobi */
    SlLoop look;   /* Anderson: the last changes and their products */
    SlLoop mix;    /* Anderson: residual less a combination of changes */
    SlLoop move;   /* projected + residual -> predicted; movement */
    /* after the last local step: friction of boundary particles */
    SlLoop settle[SL_KERNEL_COUNT];
} SlProjectiveKernels;

SL_DECLARE_KERNELS(SlProjectiveKernels, sl_projective_kernels);

#endif
