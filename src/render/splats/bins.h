/* Which splats touch which tile of a picture, in a given order; and the stable sort that gives the
   order. Both are counting sorts over fixed chunks: the same for any number of threads. */
#ifndef RENDER_SPLATS_BINS_H
#define RENDER_SPLATS_BINS_H

#include "core/memory.h"
#include "core/parallel.h"

/* Pixels a splat touches, inclusive; none where x1 < x0. */
typedef struct SlRect {
    int16_t x0, y0, x1, y1;
} SlRect;

/* Items of tile t: item[start[t]] … item[start[t + 1] - 1]. */
typedef struct SlBins {
    size_t *start;
    uint32_t *item;
} SlBins;

/* The order of `count` keys of 24 bits, smallest first, equal ones as they were; `keys` is used up.
   NULL when memory is out. */
uint32_t *sl_sort_keys(SlPool *pool, SlArena *arena, uint32_t *keys, size_t count);

/* Rectangles rect[order[0]], rect[order[1]], …; order NULL: rect[0], rect[1], … */
typedef struct SlRects {
    const SlRect *rect;
    const uint32_t *order;
    size_t count;
} SlRects;

/* A picture of x × y tiles of 2^shift pixels a side. */
typedef struct SlTiles {
    uint32_t x, y, shift;
} SlTiles;

/* Sorts rectangles into the tiles they touch. False when memory is out. */
bool sl_bins_build(SlPool *pool, SlArena *arena, const SlRects *rects, SlTiles tiles,
                   SlBins *bins);

#endif
