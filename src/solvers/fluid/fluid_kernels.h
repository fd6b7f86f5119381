/* The loops every water solver uses, one table per instruction-set path. */
#ifndef SOLVERS_FLUID_FLUID_KERNELS_H
#define SOLVERS_FLUID_FLUID_KERNELS_H

#include "solvers/fluid/pass.h"

/* Does the neighbour list of an earlier step still serve? */
typedef struct SlListReusePass {
    const SlFluidPass *fluid;
    float *reference;     /* positions the list was built from */
    float extrapolation;  /* s: from the end of this step to the middle of what a new list serves */
    float stale_distance; /* m: half a skin */
    SlVec3 drift;         /* m: the mean displacement since the list was built */
    double *partials;     /* [chunk][SL_LIST_REUSE_PARTIALS] */
} SlListReusePass;

enum { SL_LIST_REUSE_PARTIALS = 3 };

/* The velocity update. */
typedef struct SlVelocityPass {
    const SlFluidPass *fluid;
    float *new_velocity; /* goes with fluid->particles.predicted */
    float xsph;          /* c of XSPH viscosity */
    /* c is multiplied by 1 + calming / (1 + |v_ij|² inverse_calm_speed2); 0: it is not. */
    float calming, inverse_calm_speed2;
    /* Particle shifting: beta × the time × spacing, and the farthest, m; 0: none. */
    float shifting, max_shifting;
    float runaway_speed; /* m/s: a faster particle has diverged */
    double *partials;    /* [chunk][SL_FLUID_PARTIALS] */
} SlVelocityPass;

/* Lanes of a chunk's statistics. */
enum {
    SL_FLUID_KINETIC,   /* sum of v²/2 */
    SL_FLUID_POTENTIAL, /* sum of -g·x */
    SL_FLUID_COMPRESSION,
    SL_FLUID_MAX_COMPRESSION,
    SL_FLUID_MAX_SPEED2,
    SL_FLUID_DIVERGED, /* particles with a speed that is not finite or above runaway_speed */
    SL_FLUID_PARTIALS
};

/* The equations of the initial pressure (initial_pressure.c). */
typedef struct SlPressurePass {
    const SlFluidPass *fluid;
    const float *values;   /* x, y, z and p of each particle */
    const uint8_t *inside; /* p is unknown there; 0 elsewhere */
    float gravity[3];      /* m/s²; all 0: the matrix alone */
    float *result;
} SlPressurePass;

typedef struct SlFluidKernels {
    /* data: SlFluidPass */
    SlLoop stabilise;                /* position out of solids, before predict */
    SlLoop predict;                  /* velocity += dt g; predicted = x + dt v, with contacts */
    SlLoop density[SL_KERNEL_COUNT]; /* density at predicted */
    /* data: SlListReusePass */
    SlLoop extrapolate; /* reference = predicted + extrapolation × velocity */
    SlLoop drift;       /* partials: the sum of displacements since the list was built */
    SlLoop count_stale; /* partials: particles displaced by more than stale_distance from drift */
    /* data: SlVelocityPass */
    SlLoop velocity; /* new_velocity = (predicted - x) / dt */
    /* Positions and velocities at the end of a step, and its statistics: new_velocity smoothed by
       XSPH, with densities; or (predicted - x) / dt with the densities of an earlier step. */
    SlLoop advance_xsph[SL_KERNEL_COUNT];
    SlLoop advance;
    /* data: SlPressurePass */
    SlLoop pressure[SL_KERNEL_COUNT]; /* sum_j a_ij (g·(x_i - x_j) - p_i + p_j) */
} SlFluidKernels;

SL_DECLARE_KERNELS(SlFluidKernels, sl_fluid_kernels);

#endif
