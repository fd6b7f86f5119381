/* Neighbour lists of plain arrays of points, in SELL-8 form: eight consecutive points are a block;
   row k of the block holds the k-th neighbour of each, padded with the sentinel. A pass then reads
   one neighbour of eight points per row, without horizontal sums or mispredicted loop ends.

   A list is a pure function of the points it was built from. */
#ifndef SPATIAL_NEIGHBOURS_H
#define SPATIAL_NEIGHBOURS_H

#include "spatial/grid.h"

/* More neighbours than this within the radius means that the simulation diverged (30 is usual). */
enum { SL_MAX_NEIGHBOURS = 1024 };
/* Blocks that one task fills, into a range of rows of its own. */
enum { SL_SEGMENT_BLOCKS = 256 };

typedef struct SlNeighbourList {
    SlContext *context;
    size_t block_capacity;
    uint64_t *row_begin;   /* per block: index of its first row */
    uint32_t *row_count;   /* per block */
    uint32_t (*rows)[8];   /* all rows */
    uint64_t *first_row;   /* [segments + 1]: where a segment's range of rows begins */
    uint64_t row_capacity; /* rows allocated; 0 before the first build */
    size_t segments;
    uint32_t sentinel; /* index that pads rows: the capacity of the listed points */
    size_t crowded;    /* set by a build: a point with too many neighbours, or SIZE_MAX */
} SlNeighbourList;

/* For sets of points of that capacity (a multiple of 8). Rows are allocated by the first build. */
SlStatus sl_neighbours_create(SlContext *context, size_t capacity, SlNeighbourList *list,
                              SlError *error);
/* Changes the capacity; contents are lost. Does nothing where the capacity is the same. */
SlStatus sl_neighbours_fit(SlNeighbourList *list, size_t capacity, SlError *error);
void sl_neighbours_destroy(SlNeighbourList *list);
/* Estimate of the bytes that the list of a fluid of so many particles holds. */
uint64_t sl_neighbours_bytes(uint64_t particle_count);

/* Lists all pairs of points closer than the radius, self excluded. The points are in the order of
   the grid's last sort. Grows the rows if needed; scratch comes from the arena and is released.
   SL_ERROR_NUMBERS: a point has too many neighbours, its place is in list->crowded. */
SlStatus sl_neighbours_build(SlNeighbourList *list, const SlCellGrid *grid, SlPoints points,
                             float radius, SlArena *arena, SlError *error);

/* The same between two sets: for each of `points` all of `others` (sorted by `grid`) closer than
   the radius. The list's sentinel becomes that of the others. */
SlStatus sl_neighbours_between(SlNeighbourList *list, SlPoints points, const SlCellGrid *grid,
                               SlPoints others, float radius, SlArena *arena, SlError *error);

#endif
