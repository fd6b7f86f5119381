/* What neighbours do to each other's velocity after the solve, one table per instruction-set path.
 */
#ifndef SOLVERS_FLUID_FORCES_KERNELS_H
#define SOLVERS_FLUID_FORCES_KERNELS_H

#include "solvers/fluid/pass.h"

/* All arrays are float4 in sorted order; those not in use are NULL. */
typedef struct SlMotionPass {
    const SlFluidPass *fluid;  /* positions: fluid->predicted; velocities: fluid->new_velocity */
    float support;             /* m */
    float volume;              /* m³ of a particle */
    float cohesion, curvature; /* m/s² */
    float vorticity;           /* 1/s */
    float viscosity;           /* m²/s, of the system's own fluid */
    float *normals;            /* x, y, z, density */
    float *curls;              /* x, y, z, length */
    /* conjugate gradients for the velocity u of (M + dt K) u = M v: x is fluid->new_velocity */
    float *residual;  /* r; fourth lane: the diagonal */
    float *direction; /* p; fourth lane: dynamic viscosity over the system's density, m²/s */
    float *product;   /* A p */
    float alpha, beta;
    double *partials; /* [chunk][SL_MOTION_PARTIALS] */
} SlMotionPass;

enum { SL_MOTION_FIRST, SL_MOTION_SECOND, SL_MOTION_PARTIALS };

typedef void (*SlMotionLoop)(const SlMotionPass *pass, size_t begin, size_t end, size_t chunk);

typedef struct SlMotionKernels {
    SlMotionLoop normals[SL_KERNEL_COUNT];
    SlMotionLoop tension; /* velocity += dt (cohesion + curvature) */
    SlMotionLoop curls[SL_KERNEL_COUNT];
    SlMotionLoop confine[SL_KERNEL_COUNT]; /* velocity += dt vorticity N × curl */
    /* conjugate gradients: r = -dt K v and the diagonal; p = r / diagonal, partials r·r and r·p */
    SlMotionLoop viscous_viscosities; /* direction = velocity, with viscosities */
    SlMotionLoop viscous_start[SL_KERNEL_COUNT];
    SlMotionLoop viscous_first;
    SlMotionLoop viscous_apply[SL_KERNEL_COUNT]; /* product; partial p·Ap */
    SlMotionLoop viscous_advance; /* u += alpha p, r -= alpha Ap; partials r·r, r·z */
    SlMotionLoop viscous_turn;    /* p = z + beta p */
} SlMotionKernels;

SL_DECLARE_KERNELS(SlMotionKernels, sl_motion_kernels);

#endif
