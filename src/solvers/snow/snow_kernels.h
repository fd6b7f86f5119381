/* The hot loops of snow, one table per instruction-set path, and the data they work on. Kernels
   have the shape of solvers/loop.h; an item is a block of the sparse grid or, for the sort, a
   particle. */
#ifndef SOLVERS_SNOW_SNOW_KERNELS_H
#define SOLVERS_SNOW_SNOW_KERNELS_H

#include "core/machine.h"
#include "solvers/loop.h"
#include "solvers/snow/blocks.h"
#include "solvers/snow/contact.h"

/* Lanes of a block's statistics. */
enum {
    SL_SNOW_KINETIC,   /* sum of mass v²/2 */
    SL_SNOW_POTENTIAL, /* sum of -mass g·x */
    SL_SNOW_COMPRESSION,
    SL_SNOW_MAX_COMPRESSION,
    SL_SNOW_MAX_SPEED2,
    SL_SNOW_MAX_SOUND2, /* of the speed of sound, hardening included */
    SL_SNOW_MAX_FLOW,   /* largest relative change of J_P in the step */
    SL_SNOW_DIVERGED,   /* particles with a speed or a J_P out of bounds */
    SL_SNOW_PARTIALS
};

/* Particles per chunk of loops over particles. */
enum { SL_SNOW_CHUNK = 8192 };
/* Blocks per chunk of the loops that sum forces: each chunk has sums of its own. */
enum { SL_SNOW_NODE_CHUNK = 8, SL_SNOW_PARTICLE_CHUNK = 4 };
/* Blocks per chunk of the other loops over occupied blocks. */
enum { SL_SNOW_BLOCK_CHUNK = 2 };

/* The material of [Stomakhin 2013, section 5]; vary_* say by which fraction the field "variation"
   changes a value. */
typedef struct SlSnowMaterial {
    float mass;                                   /* kg, of a particle without variation */
    float rest_density;                           /* kg/m³ */
    float mu, lambda;                             /* Pa: Lamé's parameters before hardening */
    float hardening;                              /* xi */
    float critical_compression, critical_stretch; /* theta_c, theta_s */
    float max_plastic_volume;                     /* of J_P */
    float max_volume;    /* of V0, relative to the volume at rest density */
    float viscosity;     /* Pa s: of slow deformation that does not tear */
    float relaxation;    /* fraction of the deformation rate taken from affine velocities in a step */
    float damping_rate;  /* 1/s: deformation at which half of the damping is left */
    bool isochoric;      /* plastic flow keeps the volume: J_P stays */
    float vary_stiffness, vary_hardening, vary_yield, vary_stretch, vary_density, vary_poisson;
    float stiffness, poisson; /* E0 (Pa), nu: where they vary apart */
} SlSnowMaterial;

/* What attributes of a program vary per particle, independently of each other. */
typedef enum SlSnowVaried {
    SL_SNOW_VARIED_STIFFNESS,
    SL_SNOW_VARIED_HARDENING,
    SL_SNOW_VARIED_YIELD,
    SL_SNOW_VARIED_STRETCH,
    SL_SNOW_VARIED_DENSITY,
    SL_SNOW_VARIED_POISSON,
    SL_SNOW_VARIED_COUNT
} SlSnowVaried;

/* The particles' fields; their order is that of the last reordering (SlSnowBlocks.order). */
typedef struct SlSnowFields {
    float *position, *velocity;
    float *fraction;        /* position within the cell, in cells */
    float *stretch, *shear; /* e = F_E F_E^T - I: diagonal; yz, zx, xy */
    float *slope[3];        /* columns of the velocity gradient, APIC's matrix C */
    float *plastic;         /* J_P */
    float *volume;          /* V0, m³; 0: not measured yet */
    float *density;
    const float *variation; /* NULL: none */
    const float *vary[SL_SNOW_VARIED_COUNT]; /* attributes "vary_stiffness", …; NULL: none */
} SlSnowFields;

/* Surfaces near a touched block, in the order of SL_NEAREST. */
typedef struct SlSnowSlots {
    uint16_t count; /* may exceed SL_SNOW_SLOTS */
    uint16_t surfaces[SL_SNOW_SLOTS];
} SlSnowSlots;

/* Constants and arrays of a step. */
typedef struct SlSnowPass {
    const SlSnowBlocks *blocks;
    SlSnowLattice lattice;
    SlSnowContacts contacts;
    SlSnowMaterial material;
    SlSnowFields fields;
    SlVec3 gravity;
    float dt;
    float flip_fraction;    /* of FLIP in the velocity update, scaled to this dt; 0 with APIC */
    float affine;           /* m²: h²/4 with APIC, h²/3 with affine FLIP, 0 with the printed one */
    bool advect_by_particle; /* FLIP: positions move by v_p, else by the velocity of the grid */
    float runaway_speed;    /* m/s: a faster particle has diverged */
    float implicit;         /* s²: beta dt² */
    float impulse_fraction; /* of the impulse of stress: 1, or less where a step was shortened */
    bool separate_impulse;  /* impulse of stress in SL_IMPULSE, not added to the momentum */
    uint8_t *has_new;       /* per chunk of SL_SNOW_CHUNK particles: some have no volume yet */
    double *partials;       /* [occupied block][SL_SNOW_PARTIALS] */
    double *solve_partials; /* [touched block][2], semi-implicit only */
    SlSnowSlots *slots;     /* [touched block] */
    /* A byte per group of eight particles of a block (sl_snow_first_group): a bit for each that may
       touch a surface in this step, because it is within touch + margin. NULL: not known. */
    uint8_t *close;
    /* Impulses on bodies, [chunk][body][SL_SNOW_FORCE_LANES], of loops over nodes and over
       particles; NULL: not summed. */
    double *node_forces, *particle_forces;
    size_t body_count;
} SlSnowPass;

/* A chunk's sums of impulses on bodies, or NULL. */
static inline double *sl_snow_sums(const SlSnowPass *pass, double *forces, size_t chunk)
{
    return forces != NULL ? forces + chunk * pass->body_count * SL_SNOW_FORCE_LANES : NULL;
}

/* Data of the loops over occupied blocks. */
typedef struct SlSnowBlockLoop {
    const SlSnowPass *pass;
    const uint32_t *blocks; /* the blocks to cover, e.g. of one colour; NULL: all, in order */
    SlSnowLayer from, to;   /* of apply_hessian */
} SlSnowBlockLoop;

/* Runs a loop over the occupied blocks, colour by colour: no node has two writers at a time. */
void sl_snow_for_colours(SlSnowBlockLoop *data, SlLoop loop);

/* data: SlSnowBlockLoop. */
typedef struct SlSnowTransfer {
    /* [Stomakhin 2013] steps 1 and 3, and the distances of particles to surfaces (nearest_lanes.h) */
    SlLoop particles_to_grid;
    SlLoop measure_volumes;   /* step 2, of new particles */
    SlLoop grid_to_particles; /* steps 7 to 10 */
} SlSnowTransfer;

enum { SL_SNOW_MLS, SL_SNOW_FLIP, SL_SNOW_TRANSFERS };

/* Data of the loops that assign particles to blocks. */
typedef struct SlSnowKeys {
    SlSnowLattice lattice;
    const float *position, *fraction;
    SlBlockExtent *extents; /* out of `extent`: per chunk */
    SlBlockExtent box;      /* in, for keys: of all occupied blocks */
    uint32_t *keys;         /* out: numbers of blocks within the box, x fastest */
} SlSnowKeys;

typedef struct SlSnowKernels {
    /* data: SlSnowKeys, over particles */
    SlLoop extent, keys;
    SlSnowTransfer transfer[SL_SNOW_TRANSFERS];
} SlSnowKernels;

SL_DECLARE_KERNELS(SlSnowKernels, sl_snow_kernels);

/* Step 6 (implicit_kernels.c); data: SlSnowBlockLoop. */
typedef struct SlSnowImplicitKernels {
    /* Principal axes and stretches - 1 into the slopes, which are free between the transfers. */
    SlLoop principal_frames;
    /* Eq. 7, after principal_frames: to += beta dt² H from, in mass times velocity. */
    SlLoop apply_hessian[SL_SNOW_TRANSFERS];
} SlSnowImplicitKernels;

SL_DECLARE_KERNELS(SlSnowImplicitKernels, sl_snow_implicit_kernels);

#endif
