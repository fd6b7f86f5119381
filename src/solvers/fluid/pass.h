/* Data of the water solvers' kernels. A kernel gets the struct of its family: SlFluidPass for
   prediction and density, and structs that refer to it for reuse of neighbour lists, velocities and
   forces (fluid_kernels.h, forces_kernels.h). A solver's own struct begins with an SlFluidPass.

   All loops go over blocks of eight particles; a block writes only its own eight. Densities are in
   units of the rest density, masses in units of the mass of the system's own fluid. */
#ifndef SOLVERS_FLUID_PASS_H
#define SOLVERS_FLUID_PASS_H

#include "core/machine.h"
#include "math/kernel.h"
#include "solvers/fluid/contact.h"
#include "solvers/loop.h"
#include "spatial/neighbours.h"

/* The smoothing kernel, scaled so that the cubic lattice of the spacing has density 1. */
typedef struct SlKernelConstants {
    float inverse_support;          /* 1/m */
    float value_scale, slope_scale; /* of math/kernel_lanes.h's shapes */
    /* (own contribution - 1) / value_scale: density sums begin here, so that they end near 0 and
       density - 1, the constraint, keeps its digits */
    float self_density_offset;
} SlKernelConstants;

/* Particles in sorted order. */
typedef struct SlFluidParticles {
    size_t count;
    const uint32_t *id;
    float *position, *velocity; /* the fields; x^n and v until the velocity update */
    float *predicted;           /* x*, y*, z*, inverse mass ratio */
    float *density;
    /* Several fluids: the fluid of each particle, and by fluid the density of the system's own
       fluid over its density. NULL: there is one fluid. */
    const uint32_t *fluid;
    const float *inverse_mass_ratio;
    /* What constraints and contacts moved, x* - (x + dt v), in 4-lane records; NULL: it is computed
       from x*. Far from the origin x* is rounded more coarsely than an iteration's displacements. */
    float *shift;
} SlFluidParticles;

/* Solids as the particles of a step meet them: contacts, density of walls and of boundary
   particles, and the sums of what they do to bodies. */
typedef struct SlSolidsPass {
    SlContacts contacts;
    float wall_scale;        /* of analytic walls (wall_lanes.h); 0: none has density */
    float wall_density;      /* F0: what a wall adds at half a spacing */
    float round_moment;      /* m^2: times the mean curvature, how much farther a round surface counts */
    float max_round;         /* m: at most so much */
    bool steep;              /* the profile of walls is F0 (F / F0)^1.5 instead of F */
    /* f of analytic walls and of boundary particles, and the multiplier, m², up to which that of walls
       acts: a total L pushes by L + (f - 1) min(L, push_limit) (docs/pbf-formulation.md, equation 10). */
    float wall_push, sample_push, push_limit;
    const uint8_t *analytic; /* per body: is it an analytic wall? */
    bool analytic_fields;    /* is any distance field one? */
    size_t body_count;
    /* Boundary particles in sorted order (bodies/boundary.h); NULL: none. */
    const float *boundary, *boundary_motion; /* position and volume; velocity and friction */
    const uint32_t *boundary_body;
    const SlNeighbourList *boundary_list;
    bool boundary_rubs; /* some sampled body has friction */
    bool walls_rub;     /* some analytic wall has friction */
    double *forces; /* [chunk][body][SL_FORCE_LANES]: displacements given; NULL: not summed */
} SlSolidsPass;

/* What prediction and every density loop read. */
typedef struct SlFluidPass {
    float dt; /* s */
    SlKernelConstants kernel;
    SlFluidParticles particles;
    const SlNeighbourList *list;
    SlSolidsPass solids;
} SlFluidPass;

#endif
