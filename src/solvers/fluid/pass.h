/* What a step of any water solver works on: constants and arrays, and the kind of loop that runs
   over them. All loops go over blocks of eight particles; a block writes only its own eight. */
#ifndef SOLVERS_FLUID_PASS_H
#define SOLVERS_FLUID_PASS_H

#include "core/machine.h"
#include "core/parallel.h"
#include "solvers/fluid/contact.h"
#include "math/kernel.h"
#include "spatial/neighbours.h"

/* Constants and arrays of a step. Densities are in units of the rest density, masses cancel. */
typedef struct SlFluidPass {
    const SlNeighbourList *list;
    SlContacts contacts;
    size_t count;
    float dt;
    /* kernel, scaled so that the cubic lattice of the spacing has density 1 */
    float inverse_support, value_scale, slope_scale;
    /* (own share - 1) / value_scale: density sums begin here, so that they end near 0 and what
       matters, density - 1, keeps its digits */
    float self_density_offset;
    float wall_scale;        /* of analytic walls (wall_lanes.h); 0: none has density */
    const uint8_t *analytic; /* per body: is it an analytic wall? */
    bool analytic_fields;    /* is any distance field? */
    size_t body_count;
    /* boundary particles in sorted order (particles/boundary.h); NULL: none */
    const float *boundary, *boundary_motion; /* place and volume; velocity and friction */
    const uint32_t *boundary_body;
    const SlNeighbourList *boundary_list;
    bool boundary_rubs; /* some body has friction */
    /* constraint */
    float min_constraint; /* 0: unilateral; far below: equality */
    float epsilon;          /* 1/m², added to the sum of squared gradients */
    float omega;            /* of Chebyshev's method, this iteration */
    float
        averaging; /* omega of successive over-relaxation over the number of constraints; 0: none */
    float relaxation; /* omega */
    float max_move;  /* m per iteration */
    float tensile; /* m²: s_corr = -tensile × shape_value^4 (Macklin & Müller eq. 13); 0: none */
    float viscosity;     /* XSPH c */
    float runaway_speed; /* m/s */
    float ahead;         /* s: from the end of this step to the middle of what a list serves */
    float stale_distance;         /* m: half a skin; who moves farther than that from the mean max_stale_fraction */
    SlVec3 drift;        /* m: the mean move since the list was made */
    /* level of detail (fluid/lod.h); arrays NULL without */
    const uint32_t *level; /* iterations each particle gets */
    uint32_t *halo;        /* the highest level around it, its own included; NULL: not asked for */
    uint32_t iteration;    /* counted from 1: eq. 9's l, particles of lower level are finished */
    bool stale;            /* finished particles keep their last lambda; else it is 0 */
    uint32_t stabilise_level; /* pre-stabilisation is for particles up to this level */
    /* several fluids: which one each particle is, and by fluid the system's density over its own
       and its dynamic viscosity over the system's density, m²/s; NULL: there is only one */
    const uint32_t *fluid;
    const float *inverse_mass_ratio, *viscosities;
    /* groups of eight gathered from all over (fluid/active.h): their particles, and `list`,
       `boundary_list` and `count` are theirs; NULL: a block is eight particles side by side */
    const uint32_t *own;
    /* arrays in sorted order */
    const uint32_t *id;
    float *position, *velocity; /* the fields: x^n until `finish` */
    float *reference;           /* where the list was made; NULL: none is kept */
    float *previous;            /* x of the iteration before the last; NULL: no acceleration */
    float *predicted;           /* x*, y*, z*, inverse mass: the system\'s density over its own */
    float *projected;           /* x*, y*, z*, lambda: what lambda writes and displace reads */
    float *new_velocity;        /* scratch, before viscosity */
    float *density;
    double *partials; /* [chunk][SL_FLUID_PARTIALS] of `finish` */
    double *forces;   /* [chunk][body][SL_FORCE_LANES]: displacements given; NULL: nobody asks */
} SlFluidPass;

/* Lanes of a chunk's partials. */
enum {
    SL_FLUID_KINETIC,   /* sum of v²/2 */
    SL_FLUID_POTENTIAL, /* sum of -g·x */
    SL_FLUID_COMPRESSION,
    SL_FLUID_MAX_COMPRESSION,
    SL_FLUID_MAX_SPEED2,
    SL_FLUID_BAD, /* particles with a speed that is not finite or runs away */
    SL_FLUID_PARTIALS
};

/* Blocks [begin, end): one chunk of SL_FLUID_CHUNK_BLOCKS, or a part of it. */
enum { SL_FLUID_CHUNK_BLOCKS = SL_REDUCE_CHUNK / 8 };
typedef void (*SlFluidLoop)(const SlFluidPass *pass, size_t begin, size_t end);
/* The same for a whole chunk, with partials of its own. */
typedef void (*SlFluidSum)(const SlFluidPass *pass, size_t begin, size_t end, size_t chunk);

#endif
