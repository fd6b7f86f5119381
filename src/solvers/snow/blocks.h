/* The sparse grid of snow: blocks of 4 x 4 x 4 nodes that exist only where particles reach.

   A particle reaches 3 (quadratic) or 4 (cubic) nodes along each axis, from its base node on. It
   belongs to the block of its base node, so it reaches at most into the next block along each axis:
   the 8 nodes of two blocks are a tile. Blocks whose coordinates have the same parities reach
   disjoint tiles; eight colours of them take turns, and no node has two writers at a time. */
#ifndef SOLVERS_SNOW_BLOCKS_H
#define SOLVERS_SNOW_BLOCKS_H

#include "spatial/block_grid.h"
#include "solvers/solver.h"

enum {
    SL_SNOW_EDGE = 4,                          /* nodes along a block's edge */
    SL_SNOW_BLOCK_NODES = 64,                  /* node (x, y, z) at (x * 4 + y) * 4 + z */
    SL_SNOW_BLOCK_FLOATS = 4 * SL_SNOW_BLOCK_NODES,
    SL_SNOW_COLOURS = 8
};

/* What nodes hold, an array of float4 records each; which of them exist is the solver's choice. */
typedef enum SlSnowLayer {
    SL_NODES,       /* momentum and mass, later velocity and mass */
    SL_CHANGE,      /* FLIP and semi-implicit: impulse of stress; FLIP: later v' - a v */
    SL_HELD,        /* semi-implicit: normal and code (grid.h) of collided nodes */
    SL_RESIDUAL,    /* … and the vectors of conjugate residuals */
    SL_DIRECTION,
    SL_A_RESIDUAL,
    SL_A_DIRECTION,
    SL_KEPT_NODES,  /* … and what particles gave, should the step be made again */
    SL_KEPT_CHANGE,
    SL_LAYER_COUNT
} SlSnowLayer;

typedef struct SlSnowBlocks {
    SlContext *context;
    uint32_t touched;      /* blocks with nodes */
    uint32_t occupied;     /* blocks with particles */
    uint32_t capacity;     /* of either */
    SlBlockCoord *coords;  /* [touched] */
    float *layer[SL_LAYER_COUNT]; /* SL_SNOW_BLOCK_FLOATS per touched block, or NULL */
    uint32_t layers;       /* bit per layer that exists */
    uint32_t *table;       /* touched block at a hash's place, or SL_NO_BLOCK */
    uint32_t table_size;
    uint32_t *start;       /* [occupied + 1]: first place in the order */
    const uint32_t *order; /* particles by block, on the arena; NULL: the fields lie in order */
    uint32_t (*reach)[8];  /* [occupied]: touched blocks of the tile, own block first, z fastest */
    uint32_t *by_colour;   /* occupied blocks, colour by colour */
    uint32_t colour_start[SL_SNOW_COLOURS + 1];
} SlSnowBlocks;

/* How particles find their base node. */
typedef struct SlSnowLattice {
    float cell, inverse_cell; /* m, 1/m */
    bool cubic;
} SlSnowLattice;

/* The cell a position is in. FRACTION is relative to exactly this. */
static inline int32_t sl_snow_cell(float position, float inverse_cell)
{
    float scaled = position * inverse_cell;
    int32_t whole = (int32_t)scaled;
    return whole - ((float)whole > scaled);
}

/* A box of blocks. */
typedef struct SlBlockExtent {
    int32_t low[3], high[3];
} SlBlockExtent;

static inline SlBlockCoord sl_snow_block_of(const SlSnowBlocks *blocks, uint32_t occupied)
{
    return blocks->coords[blocks->reach[occupied][0]];
}

/* layers: a bit for each that shall exist. */
void sl_snow_blocks_create(SlContext *context, uint32_t layers, SlSnowBlocks *blocks);
void sl_snow_blocks_destroy(SlSnowBlocks *blocks);
/* About what they take for so many particles, scratch of the sort included. */
uint64_t sl_snow_blocks_bytes(uint32_t layers, uint64_t count);

/* Lists particles by block, in place order within a block, and blocks. With `reorder` the fields are
   put into that order too. Nodes and changes are 0 after it.
   Takes scratch from the arena; may allocate when more blocks are touched than ever before. */
SlStatus sl_snow_blocks_sort(SlSnowBlocks *blocks, SlParticles *particles,
                             const SlSnowLattice *lattice, bool reorder, SlError *error);

#endif
