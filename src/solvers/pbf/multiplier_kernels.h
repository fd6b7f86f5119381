/* The hot loops of position based fluids with accumulated multipliers (multipliers.h), one table per
   instruction-set path. */
#ifndef SOLVERS_PBF_MULTIPLIER_KERNELS_H
#define SOLVERS_PBF_MULTIPLIER_KERNELS_H

#include "solvers/fluid/pass.h"

/* Level of detail: a particle's multiplier changes in its first `level` iterations only. */
typedef struct SlMultiplierLevels {
    const uint32_t *level; /* NULL: all particles get all iterations */
    uint32_t iteration;    /* counted from 1 */
    /* By level: alpha and beta of this iteration. */
    const float *alpha, *beta;
} SlMultiplierLevels;

typedef struct SlMultiplierPass {
    const SlFluidPass *fluid; /* particles.shift is used */
    float *projected;  /* y, z of the mid position, and minus the change of L */
    float *total, *previous; /* L after the last iteration and the one before, m² */
    float *pressure;         /* M: the field PRESSURE, m²/s² */
    float epsilon;           /* 1/m², added to the sum of squared gradients */
    float max_constraint;    /* of |C| in one iteration */
    float tolerance;         /* |C| that is left as it is */
    float alpha, beta;       /* of this iteration's Chebyshev step */
    float inverse_fall;      /* 1 / (g dt²), 1/m */
    float impact;            /* m: a displacement in one step that only an impact causes */
    float repulsion, repulsion_value; /* strength, m², and the kernel's shape where it ends */
    float memory;            /* kappa: fraction of the new pressure that is remembered */
    SlMultiplierLevels levels;
} SlMultiplierPass;

/* data: SlMultiplierPass */
typedef struct SlMultiplierKernels {
    SlLoop begin;                     /* L = dt² M; shift; projected */
    SlLoop update[SL_KERNEL_COUNT];   /* L of an iteration; predicted -> projected */
    SlLoop displace[SL_KERNEL_COUNT]; /* projected -> shift and predicted, contacts included */
    SlLoop displace_repulsion[SL_KERNEL_COUNT]; /* the same with the repulsion of near pairs */
    SlLoop friction[SL_KERNEL_COUNT]; /* of walls and boundary particles, after the iterations */
    SlLoop remember;                  /* M of L */
} SlMultiplierKernels;

SL_DECLARE_KERNELS(SlMultiplierKernels, sl_multiplier_kernels);

#endif
