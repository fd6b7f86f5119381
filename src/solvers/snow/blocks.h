/* The sparse grid of snow: blocks of 4 x 4 x 4 nodes, stored only where particles need them.

   A particle has weights on 3 (quadratic) or 4 (cubic) nodes along each axis, from its base node
   on. It belongs to the block of its base node, so its nodes lie in that block and the next one
   along each axis: the 8 x 8 x 8 nodes of a tile. The tiles of blocks whose coordinates have the
   same parities are disjoint; the eight colours run one after another, so that no node has two
   writers at a time. */
#ifndef SOLVERS_SNOW_BLOCKS_H
#define SOLVERS_SNOW_BLOCKS_H

#include "solvers/solver.h"
#include "spatial/block_grid.h"

enum {
    SL_SNOW_EDGE = 4,         /* nodes along a block's edge */
    SL_SNOW_BLOCK_NODES = 64, /* node (x, y, z) at (x * 4 + y) * 4 + z */
    SL_SNOW_BLOCK_FLOATS = 4 * SL_SNOW_BLOCK_NODES,
    SL_SNOW_COLOURS = 8
};

/* Arrays of float4 records, one record per node. The solver chooses which of them it needs. */
typedef enum SlSnowLayer {
    SL_NODES,    /* momentum and mass; from step 4 on velocity and mass */
    SL_IMPULSE,  /* FLIP and semi-implicit: impulse of stress; with FLIP from step 4 on v' - a v */
    SL_NEAREST,  /* distances from the nearest particle to surfaces: see sl_snow_nearest */
    SL_CONTACT,  /* semi-implicit: normal and code (nodes.h) of nodes in contact */
    SL_RESIDUAL, /* semi-implicit: the vectors of conjugate residuals */
    SL_DIRECTION,
    SL_A_RESIDUAL,
    SL_A_DIRECTION,
    SL_SAVED_NODES, /* semi-implicit: SL_NODES and SL_IMPULSE before step 4, to repeat the step */
    SL_SAVED_IMPULSE,
    SL_LAYER_COUNT
} SlSnowLayer;

typedef struct SlSnowBlocks {
    SlContext *context;
    uint32_t touched;             /* blocks with nodes */
    uint32_t occupied;            /* blocks with particles */
    uint32_t capacity;            /* of either */
    SlBlockCoord *coords;         /* [touched] */
    float *layer[SL_LAYER_COUNT]; /* SL_SNOW_BLOCK_FLOATS per touched block, or NULL */
    uint32_t layers;              /* a bit per layer that exists */
    uint32_t *table;              /* hash table of touched blocks; SL_NO_BLOCK: a free slot */
    uint32_t table_size;
    uint32_t *start; /* [occupied + 1]: first entry in the order */
    const uint32_t *order; /* particles by block, on the arena; NULL: the fields are in order */
    uint32_t (*reach)[8]; /* [occupied]: touched blocks of the tile, own block first, z fastest */
    uint32_t *by_colour;  /* occupied blocks, colour by colour */
    uint32_t colour_start[SL_SNOW_COLOURS + 1];
} SlSnowBlocks;

/* How particles find their base node. */
typedef struct SlSnowLattice {
    float cell, inverse_cell; /* m, 1/m */
    bool cubic;
} SlSnowLattice;

/* The cell that contains a position. The field "fraction" is relative to exactly this cell. */
static inline int32_t sl_snow_cell(float position, float inverse_cell)
{
    float scaled = position * inverse_cell;
    int32_t truncated = (int32_t)scaled;
    return truncated - ((float)truncated > scaled);
}

/* A box of blocks. */
typedef struct SlBlockExtent {
    int32_t low[3], high[3];
} SlBlockExtent;

static inline SlBlockCoord sl_snow_block_of(const SlSnowBlocks *blocks, uint32_t occupied)
{
    return blocks->coords[blocks->reach[occupied][0]];
}

/* Distances (m) of the nearest particle of each node of a touched block to surface k of the block's
   slots (SlSnowSlots): SL_SNOW_BLOCK_NODES in a row. INFINITY: none may touch it in this step. */
static inline float *sl_snow_nearest(const SlSnowBlocks *blocks, size_t touched, size_t k)
{
    return blocks->layer[SL_NEAREST] + touched * SL_SNOW_BLOCK_FLOATS + k * SL_SNOW_BLOCK_NODES;
}

/* The number of an occupied block's first group of eight particles, and an upper bound of all such
   numbers: blocks begin with a new group. */
static inline size_t sl_snow_first_group(const SlSnowBlocks *blocks, uint32_t occupied)
{
    return blocks->start[occupied] / 8 + (size_t)occupied;
}

static inline size_t sl_snow_max_groups(const SlSnowBlocks *blocks, size_t particles)
{
    return particles / 8 + (size_t)blocks->capacity + 1;
}

/* layers: a bit for each that is needed. */
void sl_snow_blocks_create(SlContext *context, uint32_t layers, SlSnowBlocks *blocks);
void sl_snow_blocks_destroy(SlSnowBlocks *blocks);
/* Estimated size for so many particles, scratch of the sort included. */
uint64_t sl_snow_blocks_bytes(uint32_t layers, uint64_t count);

/* Lists particles by block, within a block in the order of the fields, and the blocks. With
   `reorder` the fields are put into that order too. Nodes and impulses are 0 afterwards. Scratch
   comes from the arena; memory is allocated when more blocks are touched than ever before. */
SlStatus sl_snow_blocks_sort(SlSnowBlocks *blocks, SlArena *arena, SlParticles *particles,
                             const SlSnowLattice *lattice, bool reorder, SlError *error);

#endif
