/* The hot loops of the neighbour search, one table per instruction-set path. */
#ifndef SPATIAL_NEIGHBOUR_KERNELS_H
#define SPATIAL_NEIGHBOUR_KERNELS_H

#include "core/machine.h"
#include "spatial/neighbours.h"

/* Input and result of the search for one segment of blocks. */
typedef struct SlSegment {
    const SlCellGrid *grid;
    const float *x, *y, *z; /* candidates by channel in the grid's order, readable 8 past the end */
    const float *at_x, *at_y, *at_z; /* the points to list for: the same, or another set's */
    bool between;           /* another set's: no point is its own candidate */
    size_t count;           /* points to list for */
    float radius_squared;
    uint32_t sentinel;
    size_t block_begin, block_end;
    uint64_t first_row, row_limit; /* its rows are [first_row, first_row + row_limit) */
    uint64_t *row_begin;
    uint32_t *row_count;
    uint32_t (*rows)[8];
    /* out */
    uint64_t rows_needed; /* above row_limit: nothing beyond it was written */
    size_t crowded;       /* place of a point with too many neighbours, or SIZE_MAX */
} SlSegment;

/* The lowest and highest cells along each axis. */
typedef struct SlCellExtent {
    int32_t low[3], high[3];
} SlCellExtent;

typedef struct SlNeighbourKernels {
    /* Cell numbers of the records of blocks [begin, end); also their high halves unless `high` is
       NULL. */
    void (*keys)(const SlCellGrid *grid, const float *records, uint32_t *keys, uint32_t *high,
                 size_t begin, size_t end);
    /* Bounds of the cells of the records of blocks [begin, end), padding after `count` excluded. */
    void (*extent)(const SlCellGrid *grid, const float *records, size_t count, size_t begin,
                   size_t end, SlCellExtent *extent);
    /* Splits float4 records of blocks [begin, end) into channels. */
    void (*split)(const float *records, float *x, float *y, float *z, size_t begin, size_t end);
    void (*build)(SlSegment *segment);
} SlNeighbourKernels;

SL_DECLARE_KERNELS(SlNeighbourKernels, sl_neighbour_kernels);

#endif
