/* The hot loops of position based fluids, one table per instruction-set path. */
#ifndef SOLVERS_PBF_PBF_KERNELS_H
#define SOLVERS_PBF_PBF_KERNELS_H

#include "solvers/pbf/multiplier_kernels.h"

/* The density constraint and its Jacobi displacement. */
typedef struct SlPbfConstraint {
    float min_constraint; /* 0: unilateral; far below: equality */
    float epsilon;        /* 1/m², added to the sum of squared gradients */
    float relaxation;     /* omega of Jacobi */
    float averaging;      /* omega of averaging over the number of constraints; 0: none */
    float max_move;       /* m per iteration */
    float tensile; /* m²: s_corr = -tensile × (shape value)^4 [Macklin 2013 eq. 13]; 0: none */
} SlPbfConstraint;

/* Chebyshev's method on the iterations [Wang 2015]. */
typedef struct SlPbfAcceleration {
    float omega;     /* of this iteration; 1: plain */
    float *previous; /* x of the iteration before the last; NULL: no acceleration */
} SlPbfAcceleration;

/* Level of detail (pbf/lod/); level NULL: all particles get all iterations. */
typedef struct SlPbfLevels {
    const uint32_t *level;    /* iterations each particle gets */
    uint32_t *halo;           /* the highest level among a particle and its neighbours; NULL: unused */
    uint32_t iteration;       /* counted from 1; particles of a lower level are finished */
    uint32_t stabilise_level; /* pre-stabilisation is for particles up to this level */
    bool stale;               /* finished particles keep their last lambda; else it is 0 */
    /* Groups of eight gathered from any place (lod/active.h): their particles. fluid.list,
       fluid.solids.boundary_list and fluid.particles.count are then those of the groups. NULL: a
       block is eight consecutive particles. */
    const uint32_t *own;
} SlPbfLevels;

typedef struct SlPbfPass {
    SlFluidPass fluid;
    float *projected; /* x*, y*, z*, lambda: written by lambda, read by displace */
    SlPbfConstraint constraint;
    SlPbfAcceleration acceleration;
    SlPbfLevels levels;
    SlMultiplierPass multipliers; /* accumulated: these arrays instead of lambda and acceleration */
} SlPbfPass;

/* data of all loops: SlPbfPass */
typedef struct SlPbfKernels {
    SlLoop stabilise;                         /* of particles up to levels.stabilise_level */
    SlLoop lambda[SL_KERNEL_COUNT];           /* predicted -> projected */
    SlLoop displace[SL_KERNEL_COUNT];         /* projected -> predicted, contacts included */
    SlLoop displace_tensile[SL_KERNEL_COUNT]; /* the same with s_corr */
    /* Masked: for the particles of a block whose level is at least levels.iteration; lambda copies
       the positions of the others, and displace leaves them in place. */
    SlLoop lambda_masked[SL_KERNEL_COUNT], displace_masked[SL_KERNEL_COUNT];
    SlLoop retire; /* blocks whose last particles have just finished */
    /* Gathered: for the groups of levels.own; retire is for all particles of the groups. */
    SlLoop lambda_gathered[SL_KERNEL_COUNT], displace_gathered[SL_KERNEL_COUNT];
    SlLoop retire_gathered;
    SlLoop halo; /* level -> halo */
} SlPbfKernels;

SL_DECLARE_KERNELS(SlPbfKernels, sl_pbf_kernels);

#endif
