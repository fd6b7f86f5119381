/* Solid surfaces as particles [Akinci 2012]: one layer of samples, each with the volume
   V_b = 1 / sum_k W_bk that compensates for how densely its neighbourhood is sampled. A fluid
   particle then interacts with a surface of any form as with other fluid particles.

   Samples lie at a depth ("inset") inside the solid such that fluid at half a spacing from the
   surface has the density it would have inside the fluid: every kind of boundary then begins at the
   same surface, and a block that fits one fits all. That is so with the cubic spline; with Wendland's
   kernel and a support of two spacings samples are 3.4 % too light (docs/notes/water-defaults.md).

   Everything here follows from the set of bodies, where they started and where they are: it is not
   state. Volumes a body has by itself are measured with all bodies where they started, so that they
   do not depend on when the samples were made. */
#ifndef BODIES_BOUNDARY_H
#define BODIES_BOUNDARY_H

#include "bodies/body.h"
#include "math/kernel.h"
#include "particles/particles.h"
#include "spatial/neighbours.h"

typedef struct SlBoundarySettings {
    SlKernelKind kernel;
    double spacing; /* m, of the fluid */
    double support; /* m */
    double radius;  /* m: minimum distance between samples */
    double inset;   /* m */
    uint64_t seed;
    SlGridKind grid;
} SlBoundarySettings;

typedef struct SlBoundary {
    SlContext *context;
    SlBoundarySettings settings;
    SlParticles set; /* ID, POSITION; the position's fourth lane is V_b over the fluid's volume */
    SlCellGrid grid;
    SlNeighbourList own; /* between samples, for volumes; exists while bodies move */
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

/* Samples the bodies whose mark is set; of fields, only those that have a mesh. */
SlStatus sl_boundary_create(SlContext *context, const SlBodies *bodies, const uint8_t *marks,
                            const SlBoundarySettings *settings, SlBoundary *boundary,
                            SlError *error);
void sl_boundary_destroy(SlBoundary *boundary);
/* About how many samples the marked bodies would have. */
double sl_boundary_estimate(const SlBodies *bodies, const uint8_t *marks,
                            const SlBoundarySettings *settings);
uint64_t sl_boundary_bytes(double samples);

/* Moves the samples to where the bodies are; does nothing while no body moves. Scratch is pushed
   on the arena. */
SlStatus sl_boundary_place(SlBoundary *boundary, const SlBodies *bodies, SlArena *arena,
                           SlError *error);

/* The depth that settings need: where a plane of samples takes the place of the fluid's lattice
   beyond it, for a particle half a spacing from the surface. In spacings; support likewise. */
double sl_boundary_inset(SlKernelKind kernel, double support);
/* Integral of W r dr over the plane at distance s, for support 1: its density but for a factor. */
double sl_plane_integral(SlKernelKind kind, double s);

#endif
