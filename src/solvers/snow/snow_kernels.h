/* The hot loops of snow, one table per instruction-set path. Each covers the particles of one
   block. */
#ifndef SOLVERS_SNOW_SNOW_KERNELS_H
#define SOLVERS_SNOW_SNOW_KERNELS_H

#include "core/machine.h"
#include "solvers/snow/blocks.h"
#include "solvers/snow/contact.h"

/* Lanes of a block's partials. */
enum {
    SL_SNOW_KINETIC,   /* sum of mass v²/2 */
    SL_SNOW_POTENTIAL, /* sum of -mass g·x */
    SL_SNOW_COMPRESSION,
    SL_SNOW_MAX_COMPRESSION,
    SL_SNOW_MAX_SPEED2,
    SL_SNOW_MAX_SOUND2, /* of the speed of sound, hardening included */
    SL_SNOW_MAX_FLOW,   /* largest relative change of J_P in the step */
    SL_SNOW_BAD,         /* particles whose numbers went wrong */
    SL_SNOW_PARTIALS
};

enum { SL_SNOW_CHUNK = 8192 };
/* Blocks per chunk of the loops that sum forces: a chunk has sums of its own. */
enum { SL_SNOW_NODE_CHUNK = 8, SL_SNOW_PARTICLE_CHUNK = 4 };

/* Constants and arrays of a step. */
typedef struct SlSnowPass {
    const SlSnowBlocks *blocks;
    SlSnowLattice lattice;
    SlSnowContacts contacts;
    SlVec3 gravity;
    float dt;
    float mass;          /* kg, of a particle without variation */
    float rest_density;  /* kg/m³ */
    float keep;          /* share of its velocity a particle keeps (FLIP), scaled to this step */
    float affine;        /* m²: h²/4 with APIC, 0 with FLIP */
    float runaway_speed; /* m/s */
    float implicit;      /* s²: beta dt² */
    float impulse_fraction; /* of stress's impulse that counts: 1, or less where a step is shortened */
    bool split;          /* impulse of stress beside momentum, in SL_CHANGE */
    /* material, and by how much variation changes it */
    float mu, lambda, hardening, critical_compression, critical_stretch;
    float torn_limit; /* of J_P */
    float vary_stiffness, vary_hardening, vary_yield, vary_stretch, vary_density;
    /* fields, sorted */
    float *position, *velocity, *fraction, *stretch, *shear, *slope[3];
    float *plastic, *volume, *density;
    const float *variation; /* NULL: none */
    uint8_t *fresh;         /* per chunk of SL_SNOW_CHUNK particles: some are new */
    double *partials;       /* [occupied block][SL_SNOW_PARTIALS] */
    double *solve_partials; /* [touched block][2], semi-implicit only */
    /* [chunk][body][SL_SNOW_FORCE_LANES] of the loops over nodes and particles; NULL: nobody asks */
    double *node_forces, *particle_forces;
    size_t body_count;
} SlSnowPass;

/* Where a chunk adds what bodies get. */
static inline double *sl_snow_sums(const SlSnowPass *pass, double *forces, size_t chunk)
{
    return forces != NULL ? forces + chunk * pass->body_count * SL_SNOW_FORCE_LANES : NULL;
}

typedef void (*SlSnowLoop)(const SlSnowPass *pass, uint32_t block);
/* Adds beta dt² H u, in mass times velocity, to a layer of zeros. */
typedef void (*SlSnowHessian)(const SlSnowPass *pass, uint32_t block, SlSnowLayer u,
                              SlSnowLayer sum);

typedef struct SlSnowTransfer {
    SlSnowLoop to_grid;      /* §4.1 steps 1 and 3 */
    SlSnowLoop volumes;      /* step 2, where particles are new */
    SlSnowLoop to_particles; /* steps 7 to 10 */
    SlSnowHessian hessian;   /* equation (7), after principal_frames */
} SlSnowTransfer;

enum { SL_SNOW_MLS, SL_SNOW_FLIP, SL_SNOW_TRANSFERS };

/* Where the particles of a stretch are, for the sort. */
typedef struct SlSnowPlaces {
    SlSnowLattice lattice;
    const float *position, *fraction;
    SlBlockExtent box;     /* in, for keys: of all occupied blocks */
    uint32_t *keys;        /* out: numbers of blocks within the box, x fastest */
} SlSnowPlaces;

typedef struct SlSnowKernels {
    SlBlockExtent (*extent)(const SlSnowPlaces *places, size_t begin, size_t end);
    void (*keys)(const SlSnowPlaces *places, size_t begin, size_t end);
    /* Principal axes and stretches - 1 into the slopes, which are free between the transfers. */
    SlSnowLoop principal_frames;
    SlSnowTransfer transfer[SL_SNOW_TRANSFERS];
} SlSnowKernels;

SL_DECLARE_KERNELS(SlSnowKernels, sl_snow_kernels);

#endif
