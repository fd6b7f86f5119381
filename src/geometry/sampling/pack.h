/* As many places in a region as its free volume holds: where a lattice alone would leave out what is
   less than half a spacing below the surface. The places are approximate; a solver relaxes them. */
#ifndef GEOMETRY_SAMPLING_PACK_H
#define GEOMETRY_SAMPLING_PACK_H

#include "geometry/sampling/fill.h"

typedef struct SlPackPlan {
    SlRegion region;
    double volume;  /* m³ of the region; 0: not known, it is measured */
    SlVec3 origin;  /* of the lattice; only where it lies between two cells matters */
    double spacing; /* m: of the lattice */
    /* Distance to the nearest obstacle, negative inside one, exact where below `reach`. Called from
       all threads. NULL: no obstacles. */
    float (*clearance)(const void *user, SlVec3 place, float reach);
    const void *user;
} SlPackPlan;

typedef struct SlPack {
    SlContext *context;
    SlPackPlan plan;
    int64_t low[3], size[3]; /* cells over the region's bounds */
    size_t rows;             /* of cells along x */
    uint16_t *weights;       /* per cell: its free volume in units of the full one's */
    uint64_t *before;        /* per row, and one more: weight of the rows before */
    uint64_t *region;        /* per row: weight without obstacles */
    double volume;           /* m³ of the region */
    double free_volume;      /* m³ of that without obstacles */
    uint64_t count;          /* places: the free volume in cubes of the spacing, rounded */
} SlPack;

/* Measures the free volume and counts the places; what the plan points at must outlive the pack. */
SlStatus sl_pack_create(SlContext *context, const SlPackPlan *plan, SlPack *pack, SlError *error);
void sl_pack_destroy(SlPack *pack);
/* Whether obstacles take no part of the region. */
bool sl_pack_is_free(const SlPack *pack);
/* Writes the places as float4 records (3 lanes), rows along x in order: the same for any number of
   threads. */
void sl_pack_place(const SlPack *pack, float *records);

/* The same for a box without obstacles: all places are half a cell inside it. A box of whole
   spacings gets the lattice. The count is a double, for it may be huge. */
double sl_pack_box_count(SlBox box, double spacing);
void sl_pack_box(SlPool *pool, SlBox box, double spacing, float *records);

#endif
