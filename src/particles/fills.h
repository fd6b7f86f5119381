/* Fills: regions of meshes and shapes filled with particles at the start, and the particles' own
   values. The places themselves are found by geometry/sampling/fill.c. */
#ifndef PARTICLES_FILLS_H
#define PARTICLES_FILLS_H

#include "geometry/mesh/mesh.h"
#include "geometry/sampling/fill.h"
#include "geometry/sampling/pack.h"
#include "particles/particles.h"
#include "sleet/fill.h"

enum { SL_MAX_FILLS = 64 };

/* A fill and the region that it fills. */
typedef struct SlFillBody {
    SlFillDef def; /* paths, arrays and shapes belong to the caller and are cleared */
    char cache_folder[512];
    uint32_t system, number; /* of its system, and its own number there */
    SlBlend blend;  /* of shapes */
    SlMesh mesh;    /* as placed; empty: shapes */
    SlSdf field;    /* of the mesh, from the start on */
    bool has_field;
    SlBox bounds;
    double volume;  /* m³; approximate where shapes overlap or a mesh is open, until counted */
    bool exact;     /* that volume is exact */
    SlFill fill;    /* during the start, unless the system packs … */
    SlPack pack;    /* … a lattice fill */
    SlVec3 lattice; /* a corner of the lattice that the pack's inner places are on */
    uint64_t count; /* places, once counted */
    bool counted;
} SlFillBody;

/* What a fill needs to know of its system. */
typedef struct SlFillSystem {
    const char *name; /* for messages */
    double spacing;   /* m */
    bool packs;       /* its solver relaxes lattice fills: they get the places of their volume */
    const SlVec3 *lattice; /* a corner of the lattice of its first block; NULL: no block */
} SlFillSystem;

/* The world at the start, as fills see it. */
typedef struct SlFillSite {
    SlContext *context;
    uint64_t seed;
    /* Distance of the point to walls, solids and blocks, exact where below `reach`. Called from all
       threads. */
    float (*clearance)(const void *user, SlVec3 point, float reach);
    const void *user;
    const SlFillSystem *systems;
    SlFillBody *const *fills; /* of all systems in their order; earlier ones have precedence */
    size_t fill_count;
} SlFillSite;

/* Checks the definition and reads what is to be filled. */
SlStatus sl_fill_body_create(SlContext *context, const SlFillDef *def, SlFillBody **body,
                             SlError *error);
void sl_fill_body_destroy(SlContext *context, SlFillBody *body);
/* Number of particles in that system: by volume until the start has counted them. */
double sl_fill_body_particles(const SlFillBody *body, double spacing, bool packs);
/* What it fills: valid once it is counted, while the body exists. */
SlRegion sl_fill_body_region(const SlFillBody *body);
/* Whether its particles have the field VARIATION. */
bool sl_fill_body_varies(const SlFillBody *body);

/* Builds the distance fields of meshes and counts the places of all fills. */
SlStatus sl_fills_count(const SlFillSite *site, SlError *error);
/* Writes the particles of one system's fills from place *next on; ids are places. */
void sl_fills_place(const SlFillSite *site, uint32_t system, SlParticles *particles, size_t *next);

#endif
