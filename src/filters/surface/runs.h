/* A walk over the points of a box of cells, or of those cells that a ball touches, row by row, in the
   order of the sorted points. */
#ifndef FILTERS_SURFACE_RUNS_H
#define FILTERS_SURFACE_RUNS_H

#include <math.h>

#include "core/error.h"
#include "spatial/grid.h"

typedef struct SurfaceRuns {
    const SlCellGrid *grid;
    int32_t from[3], to[3], y, z; /* cells, relative to the grid's first; the next row */
    float center[3], radius2;     /* of the ball, in cells and cells²; 0: a box */
} SurfaceRuns;

/* The box of cells between two corners, at most SL_STRETCH_CELLS + 1 long. */
static inline SurfaceRuns surface_runs(const SlCellGrid *grid, const float low[3],
                                       const float high[3])
{
    SurfaceRuns runs = {.grid = grid};
    sl_grid_cell(grid, low, runs.from);
    sl_grid_cell(grid, high, runs.to);
    for (int k = 0; k < 3; k++) {
        int32_t size = (int32_t)grid->size[k];
        runs.from[k] -= grid->low[k];
        runs.to[k] -= grid->low[k];
        runs.from[k] = runs.from[k] > 0 ? runs.from[k] : 0;
        runs.to[k] = runs.to[k] < size - 1 ? runs.to[k] : size - 1;
    }
    runs.y = runs.from[1];
    runs.z = runs.from[2];
    if (runs.from[0] > runs.to[0] || runs.from[1] > runs.to[1])
        runs.z = runs.to[2] + 1;
    return runs;
}

static inline SurfaceRuns surface_runs_around(const SlCellGrid *grid, const float x[3],
                                              float radius)
{
    float low[3], high[3];
    for (int k = 0; k < 3; k++) {
        low[k] = x[k] - radius;
        high[k] = x[k] + radius;
    }
    SurfaceRuns runs = surface_runs(grid, low, high);
    float cells = radius * grid->inverse_cell;
    runs.radius2 = cells * cells * 1.0001f; /* for rounding */
    for (int k = 0; k < 3; k++)
        runs.center[k] = (x[k] - (&grid->origin.x)[k]) * grid->inverse_cell - (float)grid->low[k];
    return runs;
}

/* How far a coordinate is from [cell, cell + 1]. */
static inline float surface_past_cell(float at, int32_t cell)
{
    float below = (float)cell - at, above = at - (float)(cell + 1);
    float past = below > above ? below : above;
    return past > 0 ? past : 0;
}

/* The next run that is not empty; false: there is none. */
static inline bool surface_next_run(SurfaceRuns *runs, uint32_t *begin, uint32_t *end)
{
    const SlCellGrid *grid = runs->grid;
    while (runs->z <= runs->to[2]) {
        int32_t y = runs->y, z = runs->z, from = runs->from[0], to = runs->to[0];
        if (++runs->y > runs->to[1]) {
            runs->y = runs->from[1];
            runs->z++;
        }
        if (runs->radius2 > 0) {
            float v = surface_past_cell(runs->center[1], y);
            float w = surface_past_cell(runs->center[2], z);
            float left = runs->radius2 - v * v - w * w;
            if (left <= 0)
                continue;
            /* Casts round towards 0: below that they are clamped anyway. */
            float half = sqrtf(left);
            int32_t first = (int32_t)(runs->center[0] - half);
            int32_t last = (int32_t)(runs->center[0] + half);
            from = from > first ? from : first;
            to = to < last ? to : last;
            if (from > to)
                continue;
        }
        uint64_t row = ((uint64_t)z * grid->size[1] + (uint32_t)y) * grid->size[0];
        sl_grid_run(grid, row + (uint32_t)from, row + (uint32_t)to, begin, end);
        if (*begin < *end)
            return true;
    }
    return false;
}

#endif
