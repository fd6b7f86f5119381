/* Neighbour lists in SELL-8 form: eight consecutive particles share a block; row k of the block
   holds the k-th neighbour of each, padded with the sentinel. A pass then reads eight neighbours
   of eight particles per row, with no horizontal sums and no mispredicted ends.

   A list is a pure function of the positions it was built from. */
#ifndef SPATIAL_NEIGHBOURS_H
#define SPATIAL_NEIGHBOURS_H

#include "spatial/grid.h"

/* More neighbours than this within the radius means the numbers went wrong (30 is usual). */
enum { SL_MAX_NEIGHBOURS = 1024 };
/* Blocks that one task fills, into a stretch of rows of its own. */
enum { SL_SEGMENT_BLOCKS = 256 };

typedef struct SlNeighbourList {
    SlContext *context;
    size_t block_capacity;
    uint64_t *row_begin;   /* per block: index of its first row */
    uint32_t *row_count;   /* per block */
    uint32_t (*rows)[8];   /* all rows */
    uint64_t *first_row;   /* [segments + 1]: where a segment's stretch of rows begins */
    uint64_t row_capacity; /* rows there are; 0 before the first build */
    size_t segments;
    uint32_t sentinel;
} SlNeighbourList;

SlStatus sl_neighbours_create(SlContext *context, const SlParticles *particles,
                              SlNeighbourList *list, SlError *error);
/* Follows the particle set's capacity; nothing to do where that has not changed. */
SlStatus sl_neighbours_fit(SlNeighbourList *list, const SlParticles *particles, SlError *error);
void sl_neighbours_destroy(SlNeighbourList *list);
uint64_t sl_neighbours_bytes(uint64_t particle_count);

/* Lists all pairs of `records` (float4, in the order of the grid's last sort) closer than radius,
   self excluded. Grows the rows if needed. A particle with too many neighbours is an error with
   its place in *worst. */
SlStatus sl_neighbours_build(SlNeighbourList *list, const SlCellGrid *grid,
                             const SlParticles *particles, const float *records, float radius,
                             size_t *worst, SlError *error);

/* The same between two sets: for each of `particles` all of `others` (sorted by `grid`) closer than
   radius. The list's sentinel becomes that of the others. */
SlStatus sl_neighbours_between(SlNeighbourList *list, const SlParticles *particles,
                               const float *records, const SlCellGrid *grid,
                               const SlParticles *others, const float *other_records, float radius,
                               size_t *worst, SlError *error);

#endif
