/* Solid surfaces as particles (Akinci et al. 2012): one layer of samples, each with the volume
   V_b = 1 / sum_k W_bk that makes up for how densely its surroundings are sampled. A fluid particle
   then meets a wall of any form as it meets its own kind.

   Samples lie a little inside of the solid ("inset"), so deep that fluid at half a spacing from the
   surface has the density it would have inside the fluid: every kind of boundary then begins at the
   same surface, and a block that fits one fits all.

   Everything here is a function of the scene, the seed and the time: not state. */
#ifndef BODIES_BOUNDARY_H
#define BODIES_BOUNDARY_H

#include "math/kernel.h"
#include "spatial/neighbours.h"
#include "solvers/solver.h"

/* Bodies are counted: the domain, then the shapes, then the fields. */
static inline size_t sl_body_count(const SlSurroundings *around)
{
    return 1 + around->shape_count + around->field_count;
}

typedef struct SlBoundarySettings {
    SlKernelKind kernel;
    double spacing; /* m, of the fluid */
    double support; /* m */
    double radius;  /* m: least distance between samples */
    double inset;   /* m */
    uint64_t seed;
} SlBoundarySettings;

typedef struct SlBoundary {
    SlContext *context;
    SlBoundarySettings settings;
    SlParticles set; /* ID, POSITION; the position's fourth lane is V_b over the fluid's volume */
    SlCellGrid grid;
    SlNeighbourList own; /* between samples, for volumes; there while bodies move */
    /* by id: in the body's frame, with the volume the body has by itself */
    float *rest;
    uint32_t *rest_body;
    /* in sorted order */
    float *motion;  /* velocity of the surface, friction */
    uint32_t *body;
    size_t body_count;
    bool *moves;       /* per body */
    SlVec3 *middle;    /* per body: of its samples, in its frame */
    float *reach;      /* per body: farthest sample from there; 0: none */
    bool some_move, placed;
    bool rubs; /* some sampled body has friction */
} SlBoundary;

/* Samples the bodies whose mark is set. `around` must have the meshes of its fields. */
SlStatus sl_boundary_create(SlContext *context, const SlSurroundings *around, const uint8_t *marks,
                            const SlBoundarySettings *settings, SlBoundary *boundary,
                            SlError *error);
void sl_boundary_destroy(SlBoundary *boundary);
/* About so many samples the marked bodies would have. */
double sl_boundary_estimate(const SlSurroundings *around, const uint8_t *marks,
                            const SlBoundarySettings *settings);
uint64_t sl_boundary_bytes(double samples);

/* Moves the samples to where the bodies are; does nothing while nothing moves. Scratch is pushed on
   the arena. */
SlStatus sl_boundary_place(SlBoundary *boundary, const SlSurroundings *around, SlArena *arena,
                           SlError *error);

/* The depth that settings need: where a plane of samples takes the place of the fluid's lattice
   beyond it, for a particle half a spacing from the surface. In spacings; support likewise. */
double sl_boundary_inset(SlKernelKind kernel, double support);

#endif
