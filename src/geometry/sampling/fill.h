/* Places inside a region: a lattice's, or random ones cell by cell. */
#ifndef GEOMETRY_SAMPLING_FILL_H
#define GEOMETRY_SAMPLING_FILL_H

#include "geometry/blend.h"
#include "geometry/sdf/sdf.h"

/* Both NULL: the box of the bounds. */
typedef struct SlRegion {
    const SlBlend *blend;
    const SlSdf *field;
    SlBox bounds;
} SlRegion;

/* Negative inside. */
float sl_region_distance(const SlRegion *region, SlVec3 point);

typedef struct SlFillPlan {
    SlRegion region;
    SlVec3 origin; /* of the cells; only where it lies between two cells matters */
    double cell;   /* m: a lattice's spacing, or the width of cells with random places */
    float depth;   /* m: how far inside the surface a place must be */
    uint32_t per_cell; /* random places in a cell, [1, 64]; 0: the one in its middle */
    uint64_t seed, stream; /* of random places */
    /* False where something else is. Called from all threads. */
    bool (*is_free)(const void *user, SlVec3 place);
    const void *user;
} SlFillPlan;

typedef struct SlFill {
    SlContext *context;
    SlFillPlan plan;
    int64_t low[3], size[3]; /* cells over the region's bounds */
    size_t chunks;
    uint64_t *before; /* per chunk of rows: places in those before */
    uint64_t *taken;  /* per chunk: places that were inside and not free */
    uint64_t count, taken_count;
} SlFill;

/* Counts the places; what the plan points at must outlive the fill. */
SlStatus sl_fill_create(SlContext *context, const SlFillPlan *plan, SlFill *fill, SlError *error);
void sl_fill_destroy(SlFill *fill);
/* Writes them as float4 records (3 lanes), x fastest: the same for any number of threads. */
void sl_fill_place(const SlFill *fill, float *records);

#endif
