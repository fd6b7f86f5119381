/* A sparse grid of blocks of 4 x 4 x 4 cells, found by a hash of their coordinates. Blocks are
   sorted by z, y, x in whatever order they were given, so that loops and sums have one order.

   A block stores the 5 x 5 x 5 nodes of its cells: nodes on a face shared by two blocks are stored
   in both, so that interpolation looks up one block and never its neighbours. Code that writes
   nodes writes the copies too. */
#ifndef SPATIAL_BLOCK_GRID_H
#define SPATIAL_BLOCK_GRID_H

#include "core/context.h"

enum {
    SL_BLOCK_CELLS = 4,                     /* along an edge */
    SL_BLOCK_NODES = SL_BLOCK_CELLS + 1,    /* along an edge */
    SL_BLOCK_CELL_COUNT = 64,
    SL_BLOCK_NODE_COUNT = 125,
    SL_BLOCK_STRIDE = 128,                  /* values from one block to the next */
    SL_BLOCK_LIMIT = 1 << 20                /* coordinates are in [-limit, limit) */
};

#define SL_NO_BLOCK UINT32_MAX

typedef struct SlBlockCoord {
    int32_t x, y, z;
} SlBlockCoord;

typedef struct SlBlockGrid {
    SlContext *context;
    uint32_t count;        /* of blocks */
    SlBlockCoord *coords;  /* [count], ascending by z, then y, then x */
    uint32_t table_size;   /* a power of two, above twice the count */
    uint32_t *table;       /* block at a hash's place, or SL_NO_BLOCK */
    float *values;         /* SL_BLOCK_STRIDE per block; node (x, y, z) at x + 5 (y + 5 z) */
} SlBlockGrid;

/* coords: in any order, no two the same. Values start at 0. */
SlStatus sl_block_grid_create(SlContext *context, const SlBlockCoord *coords, uint32_t count,
                              SlBlockGrid *grid, SlError *error);
void sl_block_grid_destroy(SlBlockGrid *grid);
/* Bytes of a grid of `count` blocks. */
size_t sl_block_grid_bytes(uint32_t count);

static inline uint32_t sl_block_hash(SlBlockCoord c)
{
    uint32_t h = (uint32_t)c.x * 0x9E3779B1u ^ (uint32_t)c.y * 0x85EBCA77u ^
                 (uint32_t)c.z * 0xC2B2AE3Du;
    h ^= h >> 15;
    h *= 0x2C1B3C6Du;
    return h ^ h >> 13;
}

/* The block's number, or SL_NO_BLOCK. */
static inline uint32_t sl_block_grid_find(const SlBlockGrid *grid, SlBlockCoord c)
{
    uint32_t mask = grid->table_size - 1;
    for (uint32_t at = sl_block_hash(c) & mask;; at = (at + 1) & mask) {
        uint32_t block = grid->table[at];
        if (block == SL_NO_BLOCK)
            return block;
        SlBlockCoord found = grid->coords[block];
        if (found.x == c.x && found.y == c.y && found.z == c.z)
            return block;
    }
}

static inline uint32_t sl_block_node(int x, int y, int z)
{
    return (uint32_t)(x + SL_BLOCK_NODES * (y + SL_BLOCK_NODES * z));
}

#endif
