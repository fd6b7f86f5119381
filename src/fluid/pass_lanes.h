/* What the loops of several water solvers have in common. Only for *_kernels.c. */
#ifndef FLUID_PASS_LANES_H
#define FLUID_PASS_LANES_H

#include "fluid/boundary_lanes.h"
#include "math/kernel_lanes.h"

enum { FETCH_ROWS = 96 };

SL_INLINE F8x3 xyz(F8x4 a)
{
    return (F8x3){a.x, a.y, a.z};
}

/* The list is the one stream too large for the caches: 135 bytes per particle and pass. A line
   holds two rows; asked for a few blocks ahead, it is there when its turn comes. */
SL_INLINE void fetch_ahead(const uint32_t (*row)[8])
{
    __builtin_prefetch(row + FETCH_ROWS, 0, 3);
}

static const uint32_t lanes_in_order[8] = {0, 1, 2, 3, 4, 5, 6, 7};

/* Lanes of block b that are particles. */
SL_INLINE I8 owned_lanes(const SlFluidPass *s, size_t b)
{
    return (I8)(u8_load(lanes_in_order) + (uint32_t)(8 * b)) < (int32_t)s->count;
}

/* `lightness`: inverse masses. */
SL_INLINE Tally tally_of(const SlFluidPass *s, size_t b, F8 lightness)
{
    size_t chunk = b / SL_FLUID_CHUNK_BLOCKS * s->body_count * SL_FORCE_LANES;
    return (Tally){s->forces != NULL ? s->forces + chunk : NULL, owned_lanes(s, b),
                   s->fluid != NULL ? f8(1) / lightness : f8(1)};
}

SL_INLINE void add_solid(WallDensity solid, F8 *error, F8x3 *gradient)
{
    *error += solid.density;
    gradient->x += solid.gradient.x;
    gradient->y += solid.gradient.y;
    gradient->z += solid.gradient.z;
}

#endif
