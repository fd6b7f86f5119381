/* Distances of particles to surfaces, at the nodes of their kernels; only for *_kernels.c of snow.

   Each particle that touches a surface, or may touch it in this step, writes its distance to the
   nodes of its kernel, where the minimum stays (SL_NEAREST). Blocks run colour by colour with the
   transfer of their particles, so no node has two writers at a time, and a minimum has no order.

   Distances to walls are taken for eight particles at once. A query of any other surface is
   expensive: one at the middle of each kernel's cube, the cube of one cell whose particles have the
   same base node, spares the particles that cannot be near. */
#ifndef SOLVERS_SNOW_NEAREST_LANES_H
#define SOLVERS_SNOW_NEAREST_LANES_H

#include "math/vec3.h"
#include "solvers/snow/group_lanes.h"

_Static_assert((int)SL_SNOW_SLOTS * SL_SNOW_BLOCK_NODES <= SL_SNOW_BLOCK_FLOATS, "distances fit into a block");

/* One occupied block and one surface. */
typedef struct Notes {
    const SlSnowPass *pass;
    uint32_t block, surface;
    SlBlockCoord coord;
    float reach;  /* m: particles this far from the surface may touch it */
    float *to[8]; /* of the tile's blocks: the surface's distances; NULL: not near */
    bool open;    /* some block of the tile is near */
    bool any;     /* `nodes` has been set */
    bool asked[SL_SNOW_BLOCK_NODES]; /* of kernels' cubes, by base node */
    float cube[SL_SNOW_BLOCK_NODES]; /* m: distance of the cube's middle */
    /* Minimum at the tile's nodes, a row of 8 along z; padded, as 8 floats are written from any node. */
    _Alignas(32) float nodes[TILE_EDGE * TILE_EDGE * TILE_EDGE + 8];
} Notes;

static void notes_begin(Notes *n, uint32_t surface)
{
    const SlSnowBlocks *blocks = n->pass->blocks;
    n->surface = surface;
    n->open = n->any = false;
    memset(n->asked, 0, sizeof n->asked);
    for (int r = 0; r < 8; r++) {
        uint32_t at = blocks->reach[n->block][r];
        const SlSnowSlots *slots = &n->pass->slots[at];
        n->to[r] = NULL;
        for (uint32_t k = 0; k < slots->count && k < SL_SNOW_SLOTS; k++)
            if (slots->surfaces[k] == surface)
                n->to[r] = sl_snow_nearest(blocks, at, k);
        n->open |= n->to[r] != NULL;
    }
}

/* Adds the minima to the blocks of the tile. */
static void notes_end(const Notes *n)
{
    for (int r = 0; n->any && r < 8; r++) {
        if (n->to[r] == NULL)
            continue;
        const float *corner = n->nodes + (r >> 2) * SL_SNOW_EDGE * TILE_EDGE * TILE_EDGE +
                              (r >> 1 & 1) * SL_SNOW_EDGE * TILE_EDGE + (r & 1) * SL_SNOW_EDGE;
        for (int row = 0; row < SL_SNOW_EDGE * SL_SNOW_EDGE; row++) {
            const float *from = corner + (row >> 2) * TILE_EDGE * TILE_EDGE + (row & 3) * TILE_EDGE;
            float *to = n->to[r] + SL_SNOW_EDGE * row;
            for (int k = 0; k < SL_SNOW_EDGE; k++)
                to[k] = from[k] < to[k] ? from[k] : to[k];
        }
    }
}

/* A distance to the nodes of the kernel that begins at a node of the tile. */
SL_INLINE void note_distance(Notes *n, const int32_t base[3], float distance)
{
    int nodes = n->pass->lattice.cubic ? 4 : 3;
    if (!n->any)
        for (size_t k = 0; k < sizeof n->nodes / sizeof n->nodes[0]; k++)
            n->nodes[k] = INFINITY;
    n->any = true;
    F8 values = f8_select(first_lanes((size_t)nodes), f8(distance), f8(INFINITY));
    for (int a = 0; a < nodes; a++)
        for (int b = 0; b < nodes; b++) {
            float *row = n->nodes + ((base[0] + a) * TILE_EDGE + base[1] + b) * TILE_EDGE + base[2];
            f8_store(row, f8_min(values, f8_load(row)));
        }
}

/* Base nodes of a group in the tile, [axis][particle]. */
SL_INLINE void bases_in_tile(const Notes *n, Group g, F8x4 x, int32_t base[3][8])
{
    const SlSnowLattice *lattice = &n->pass->lattice;
    F8x4 f = get_records(n->pass->fields.fraction, g);
    const F8 *at = &x.x, *in = &f.x;
    const int32_t first[3] = {4 * n->coord.x, 4 * n->coord.y, 4 * n->coord.z};
    for (int axis = 0; axis < 3; axis++) {
        I8 node = base_of(lattice, at[axis], in[axis], lattice->cubic) - first[axis];
        memcpy(base[axis], &node, sizeof node);
    }
}

/* Can no particle at x, in the cube of a base node, be within reach? Distances change no faster than
   positions; some slack is for fields, which are interpolated. */
static bool cube_is_far(Notes *n, const int32_t base[3], SlVec3 x)
{
    float h = n->pass->lattice.cell, half = n->pass->lattice.cubic ? 1.5f : 1.0f;
    SlVec3 middle = {h * ((float)(4 * n->coord.x + base[0]) + half),
                     h * ((float)(4 * n->coord.y + base[1]) + half),
                     h * ((float)(4 * n->coord.z + base[2]) + half)};
    int cube = (base[0] * SL_SNOW_EDGE + base[1]) * SL_SNOW_EDGE + base[2];
    float slack = n->reach + fmaxf(0.1f * h, n->pass->contacts.field_error);
    if (!n->asked[cube]) {
        n->asked[cube] = true;
        n->cube[cube] = sl_snow_distance(&n->pass->contacts, n->surface, middle, slack + 0.87f * h);
    }
    return n->cube[cube] - sl_length(sl_sub(x, middle)) > slack;
}

/* Distances of a group to a wall; returns the lanes within reach. */
SL_INLINE uint32_t wall_distances(const Notes *n, F8x4 x, float distance[8])
{
    uint32_t axis = n->surface >> 1;
    F8 at = (&x.x)[axis], wall = f8(sl_snow_wall(&n->pass->contacts, n->surface));
    F8 away = (n->surface & 1) != 0 ? wall - at : at - wall;
    f8_store(distance, away);
    return i8_bits(away <= f8(n->reach));
}

/* The same for any other surface; distances of lanes that are far are not set. */
SL_INLINE uint32_t body_distances(Notes *n, size_t count, F8x4 x, int32_t base[3][8],
                                  float distance[8])
{
    uint32_t within = 0;
    for (size_t j = 0; j < count; j++) {
        const int32_t own[3] = {base[0][j], base[1][j], base[2][j]};
        SlVec3 at = {x.x[j], x.y[j], x.z[j]};
        if (cube_is_far(n, own, at))
            continue;
        distance[j] = sl_snow_distance(&n->pass->contacts, n->surface, at, n->reach);
        within |= (uint32_t)(distance[j] <= n->reach) << j;
    }
    return within;
}

/* All particles of the block; adds the lanes within reach to `close`, a byte per group. */
static void note_surface(Notes *n, uint8_t *close)
{
    const SlSnowBlocks *blocks = n->pass->blocks;
    size_t begin = blocks->start[n->block], end = blocks->start[n->block + 1];
    bool wall = n->surface < SL_SNOW_WALLS;
    for (size_t i = begin; i < end; i += 8) {
        Group g = group_at(blocks->order, i, end);
        F8x4 x = get_records(n->pass->fields.position, g);
        int32_t base[3][8];
        float distance[8];
        uint32_t within = wall ? wall_distances(n, x, distance) : 0;
        if (wall && within == 0)
            continue;
        bases_in_tile(n, g, x, base);
        if (!wall)
            within = body_distances(n, g.count, x, base, distance);
        within &= 0xffu >> (8 - g.count);
        close[(i - begin) / 8] |= (uint8_t)within;
        for (; n->open && within != 0; within &= within - 1) {
            int j = __builtin_ctz(within);
            const int32_t own[3] = {base[0][j], base[1][j], base[2][j]};
            note_distance(n, own, distance[j]);
        }
    }
}

/* Distances of an occupied block's particles: to SL_NEAREST and pass->close. */
static void note_block(const SlSnowPass *p, uint32_t block)
{
    const SlSnowBlocks *blocks = p->blocks;
    if (p->close == NULL)
        return;
    float h = p->lattice.cell, reach = p->contacts.touch + p->contacts.margin;
    SlBlockCoord c = sl_snow_block_of(blocks, block);
    uint8_t *close = p->close + sl_snow_first_group(blocks, block);
    memset(close, 0, (blocks->start[block + 1] - blocks->start[block] + 7) / 8);
    SlVec3 middle = {h * ((float)(4 * c.x) + 2.75f), h * ((float)(4 * c.y) + 2.75f),
                     h * ((float)(4 * c.z) + 2.75f)};
    SlSnowNear near;
    sl_snow_find_near(&p->contacts, middle, 2.5f * h + reach, &near);
    Notes notes; /* large: only what a surface needs is set */
    notes.pass = p;
    notes.block = block;
    notes.coord = c;
    notes.reach = reach;
    for (uint32_t k = 0; k < near.count; k++) {
        notes_begin(&notes, near.surfaces[k]);
        note_surface(&notes, close);
        notes_end(&notes);
    }
}

#endif
