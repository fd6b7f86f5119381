/* Cell grids over plain arrays of points. Cells are as wide as the search radius and numbered with
   x fastest, so the three adjacent cells of a row are one contiguous run of sorted points. There
   are two ways to find a run:

   bounded   a box of cells with an array of first places: one load
   compact   only stretches of 16 cells that hold a point, found through a hash table (the spatial
             hashing of [Sommer]): memory follows the points, so a side may be open

   Both number cells by the same coordinates in the same order, so the sorted order and everything
   derived from it are the same bits with either; the choice affects memory and speed only.

   A point outside the box is assigned to the nearest cell; pairs within the radius stay in adjacent
   cells. */
#ifndef SPATIAL_GRID_H
#define SPATIAL_GRID_H

#include "core/context.h"
#include "sleet/grid.h"

/* The coordinates of padding: far enough that no kernel reaches it, near enough that its square is
   finite. */
#define SL_FAR 1e9f

/* A set of points as plain float4 records; the fourth lane is not read. The records after the last
   point, up to a multiple of 8, are padding at SL_FAR; so is record [capacity], the sentinel that
   the padding of neighbour lists refers to. */
typedef struct SlPoints {
    const float *records;
    size_t count;
    size_t capacity; /* multiple of 8, at least count */
} SlPoints;

/* Number of blocks of 8 points, padding included. */
static inline size_t sl_point_blocks(SlPoints points)
{
    return (points.count + 7) / 8;
}

/* Along an open side cells are distinguished up to this many from the origin. Spacings are shorter
   than cells, so a limit of as many spacings is within the grid. */
enum { SL_GRID_REACH = 1 << 18 };

enum { SL_STRETCH_CELLS = 16 };
/* Consecutive cells of a row along x that hold at least one point between them. */
typedef struct SlCellStretch {
    uint64_t number; /* of its first cell, divided by SL_STRETCH_CELLS */
    uint32_t start[SL_STRETCH_CELLS + 1]; /* places in sorted order */
} SlCellStretch;

typedef struct SlCellGrid {
    SlContext *context;
    SlVec3 origin;
    float inverse_cell;
    float min_cell[3], max_cell[3]; /* cell coordinates are clamped to these */
    /* The box of numbered cells: all of them, or, if compact, the bounds of the occupied ones. */
    int32_t low[3];
    uint32_t size[3];
    bool compact;
    /* bounded */
    uint32_t cell_count;
    uint32_t *start; /* [cell_count + 1]: places in sorted order */
    /* compact */
    SlCellStretch *stretches; /* by number */
    uint32_t stretch_count, stretch_capacity;
    uint32_t *table; /* [1 << table_bits]: a stretch's index + 1, or 0; at most half full */
    uint32_t table_bits;
} SlCellGrid;

/* Number of cells for that box and cell width; 0 for 2^32 or more. */
uint64_t sl_grid_cells(SlBox box, double cell);
/* Bytes that the grid holds for `count` points plus the scratch of a sort. The points of a compact
   grid may spread out and then need more. */
uint64_t sl_grid_bytes(SlBox box, double cell, SlGridKind kind, uint64_t count);
/* The box may have infinite sides. SL_ERROR_MEMORY for more cells than can be distinguished. */
SlStatus sl_grid_create(SlContext *context, SlBox box, float cell, SlGridKind kind,
                        SlCellGrid *grid, SlError *error);
void sl_grid_destroy(SlCellGrid *grid);

/* Computes the stable order of the points by cell number: point order[k] belongs at place k. The
   caller permutes its arrays by it; the grid then finds runs of places. `order` has room for
   points.count; scratch comes from the arena and is released. False when there is no memory. */
bool sl_grid_sort(SlCellGrid *grid, SlPoints points, SlArena *arena, uint32_t *order);

/* First slot of a stretch number in the hash table (linear probing). */
static inline uint32_t sl_stretch_slot(const SlCellGrid *grid, uint64_t number)
{
    return (uint32_t)(number * 0x9E3779B97F4A7C15u >> (64 - grid->table_bits));
}

/* NULL for a stretch without points. */
static inline const SlCellStretch *sl_stretch_find(const SlCellGrid *grid, uint64_t number)
{
    uint32_t mask = (1u << grid->table_bits) - 1;
    for (uint32_t slot = sl_stretch_slot(grid, number);; slot = (slot + 1) & mask) {
        uint32_t entry = grid->table[slot];
        if (entry == 0)
            return NULL;
        if (grid->stretches[entry - 1].number == number)
            return &grid->stretches[entry - 1];
    }
}

/* The cell of a point, as the sort assigns it. */
static inline void sl_grid_cell(const SlCellGrid *grid, const float *point, int32_t cell[3])
{
    const float *origin = &grid->origin.x;
    for (int k = 0; k < 3; k++) {
        float along = (point[k] - origin[k]) * grid->inverse_cell;
        along = along > grid->min_cell[k] ? along : grid->min_cell[k];
        along = along < grid->max_cell[k] ? along : grid->max_cell[k];
        cell[k] = (int32_t)along - ((float)(int32_t)along > along);
    }
}

/* Places [*begin, *end) of the points in cells first … last, which are in one row along x. */
static inline void sl_grid_run(const SlCellGrid *grid, uint64_t first, uint64_t last,
                               uint32_t *begin, uint32_t *end)
{
    if (!grid->compact) {
        *begin = grid->start[first];
        *end = grid->start[last + 1];
        return;
    }
    uint64_t a = first / SL_STRETCH_CELLS, b = last / SL_STRETCH_CELLS;
    const SlCellStretch *low = sl_stretch_find(grid, a), *high = a == b ? low : sl_stretch_find(grid, b);
    *begin = *end = 0;
    if (low == NULL && high == NULL)
        return;
    *begin = low != NULL ? low->start[first % SL_STRETCH_CELLS] : high->start[0];
    *end = high != NULL ? high->start[last % SL_STRETCH_CELLS + 1] : low->start[SL_STRETCH_CELLS];
}

#endif
