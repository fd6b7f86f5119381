/* The loops of surface tension, vorticity confinement and implicit viscosity, one table per
   instruction-set path. All arrays are float4 in sorted order. */
#ifndef SOLVERS_FLUID_FORCES_KERNELS_H
#define SOLVERS_FLUID_FORCES_KERNELS_H

#include "solvers/fluid/pass.h"

/* A force between particles acts on the velocities of the step's end. */
typedef struct SlForcePass {
    const SlFluidPass *fluid; /* positions: fluid->particles.predicted */
    float *velocity;          /* changed */
    float duration;           /* s: how long the force acts */
    float support;            /* m */
} SlForcePass;

typedef struct SlTensionPass {
    SlForcePass force;
    float volume;              /* m³ of a particle */
    float cohesion, curvature; /* m/s² */
    float *normals;            /* x, y, z, density */
} SlTensionPass;

typedef struct SlVorticityPass {
    SlForcePass force;
    float vorticity; /* 1/s */
    float *curls;    /* x, y, z, length */
} SlVorticityPass;

/* Conjugate gradients for the velocity u of (M + duration K) u = M v; u is force.velocity. */
typedef struct SlViscosityPass {
    SlForcePass force;
    float viscosity;          /* m²/s, of the system's own fluid */
    const float *viscosities; /* dynamic viscosity over the system's density, m²/s, by fluid */
    float *residual;          /* r; fourth lane: the diagonal */
    float *direction; /* p; fourth lane: dynamic viscosity over the system's density, m²/s */
    float *product;   /* A p */
    float alpha, beta;
    double *partials; /* [chunk][SL_VISCOSITY_PARTIALS] */
} SlViscosityPass;

enum { SL_VISCOSITY_FIRST, SL_VISCOSITY_SECOND, SL_VISCOSITY_PARTIALS };

typedef struct SlForceKernels {
    /* data: SlTensionPass */
    SlLoop tension_normals[SL_KERNEL_COUNT];
    SlLoop tension_apply; /* velocity += duration (cohesion + curvature) */
    /* data: SlVorticityPass */
    SlLoop vorticity_curls[SL_KERNEL_COUNT];
    SlLoop vorticity_confine[SL_KERNEL_COUNT]; /* velocity += duration vorticity N × curl */
    /* data: SlViscosityPass */
    SlLoop viscosity_values; /* direction = velocity, with viscosities */
    SlLoop viscosity_residual[SL_KERNEL_COUNT]; /* r = -duration K v, and the diagonal */
    SlLoop viscosity_start;                     /* p = r / diagonal; partials r·r, r·p */
    SlLoop viscosity_product[SL_KERNEL_COUNT];  /* A p; partial p·Ap */
    SlLoop viscosity_advance;   /* u += alpha p, r -= alpha Ap; partials r·r, r·z */
    SlLoop viscosity_direction; /* p = z + beta p */
} SlForceKernels;

SL_DECLARE_KERNELS(SlForceKernels, sl_force_kernels);

#endif
