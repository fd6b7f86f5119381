/* Cells as wide as the search radius, numbered with x fastest: the three cells of a row of
   neighbours are one run of sorted particles. There are two ways to find a run:

   bounded   a box of cells, each with its first place in an array: one load
   compact   only stretches of 16 cells that hold a particle, found through a hash table (document
             000's spatial hashing): memory follows the particles, so a side may be open

   Both number cells by the same coordinates in the same order, so particles, lists and all that
   follows are the same bits with either; which one is a matter of memory and speed alone.

   A particle outside the box counts as in the nearest cell; pairs within the radius stay in
   adjacent cells. */
#ifndef SPATIAL_GRID_H
#define SPATIAL_GRID_H

#include "particles/particles.h"
#include "sleet/grid.h"

/* Along an open side cells are told apart up to so many from the origin; spacings are shorter than
   cells, so particles within as many spacings are all in cells of their own. */
enum { SL_GRID_REACH = 1 << 18 };

enum { SL_STRETCH_CELLS = 16 };
/* Cells in a row of x that hold a particle between them. */
typedef struct SlCellStretch {
    uint64_t number; /* of its first cell, over SL_STRETCH_CELLS */
    uint32_t start[SL_STRETCH_CELLS + 1]; /* places in sorted order */
} SlCellStretch;

typedef struct SlCellGrid {
    SlContext *context;
    SlVec3 origin;
    float inverse_cell;
    float least[3], most[3]; /* cells along each axis, a particle's is cut to these */
    /* The box of cells that have numbers: all of them, or around the occupied ones if compact. */
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

/* Cells for that box and width; 0 if there would be 2^32 or more. */
uint64_t sl_grid_cells(SlBox box, double cell);
/* Memory that the grid will hold for so many particles, and what a sort takes from the arena;
   a compact one's particles may spread and then need more. */
uint64_t sl_grid_bytes(SlBox box, double cell, SlGridKind kind, uint64_t count);
/* The box may have infinite sides. SL_ERROR_MEMORY for more cells than can be told apart. */
SlStatus sl_grid_create(SlContext *context, SlBox box, float cell, SlGridKind kind,
                        SlCellGrid *grid, SlError *error);
void sl_grid_destroy(SlCellGrid *grid);

/* Sorts the particle set by the cells of `records` (float4, one per particle; a SORT field), and
   sets where cells begin. False when there is no memory. */
bool sl_grid_sort(SlCellGrid *grid, SlParticles *particles, const float *records);
/* The same for a compact grid; called by sl_grid_sort. */
bool sl_grid_sort_compact(SlCellGrid *grid, SlParticles *particles, const float *records);

/* A number's place in the table of stretches; the next ones are tried in rotation. */
static inline uint32_t sl_stretch_slot(const SlCellGrid *grid, uint64_t number)
{
    return (uint32_t)(number * 0x9E3779B97F4A7C15u >> (64 - grid->table_bits));
}

/* NULL where no particle is. */
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

/* Places [*begin, *end) of the particles in cells first … last, numbers of one row of x. */
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
