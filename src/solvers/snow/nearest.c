/* The nearest particle of each node to each surface.

   Each particle near a surface writes its distance to the nodes of its kernel, where the minimum
   stays. Blocks run colour by colour, as in the transfers, so no node has two writers at a time.
   Only particles that touch a surface, or may touch it in this step, are written. */
#include "solvers/snow/nearest.h"

#include <math.h>
#include <string.h>

#include "math/vec3.h"

/* --- The surfaces near a block of nodes --- */

static void find_surfaces(const SlSnowPass *p, size_t block, SlSnowNear *near)
{
    float h = p->lattice.cell;
    SlBlockCoord c = p->blocks->coords[block];
    SlVec3 middle = {h * ((float)(4 * c.x) + 1.5f), h * ((float)(4 * c.y) + 1.5f),
                     h * ((float)(4 * c.z) + 1.5f)};
    sl_snow_find_near(&p->contacts, middle, 1.6f * h + p->contacts.node_reach, near);
}

void sl_snow_block_surfaces(const SlSnowPass *p, size_t block, SlSnowNear *near)
{
    const SlSnowSlots *slots = &p->slots[block];
    if (slots->count > SL_SNOW_SLOTS) {
        find_surfaces(p, block, near);
        return;
    }
    near->count = slots->count;
    memcpy(near->surfaces, slots->surfaces, sizeof slots->surfaces);
}

static void slots_loop(const void *data, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const SlSnowPass *p = data;
    float *nearest = p->blocks->layer[SL_NEAREST];
    for (size_t block = begin; block < end; block++) {
        SlSnowNear near;
        find_surfaces(p, block, &near);
        SlSnowSlots *slots = &p->slots[block];
        memset(slots, 0, sizeof *slots);
        slots->count = (uint16_t)near.count;
        for (uint32_t k = 0; k < near.count && k < SL_SNOW_SLOTS; k++)
            slots->surfaces[k] = near.surfaces[k];
        for (size_t k = 0; nearest != NULL && near.count > 0 && k < SL_SNOW_BLOCK_FLOATS; k++)
            nearest[block * SL_SNOW_BLOCK_FLOATS + k] = INFINITY;
    }
}

/* --- Distances of particles --- */

/* The nodes of one occupied block's tile, for one surface. */
typedef struct Tile {
    float *lanes[8]; /* of the tile's blocks: node 0 of the surface's lane; NULL: not near */
    int32_t first[3]; /* node */
    int nodes;        /* of a kernel, along an axis */
} Tile;

/* False: no block of the tile is near the surface. */
static bool open_tile(const SlSnowPass *p, uint32_t block, uint32_t surface, Tile *tile)
{
    const SlSnowBlocks *blocks = p->blocks;
    bool any = false;
    for (int r = 0; r < 8; r++) {
        uint32_t at = blocks->reach[block][r];
        const SlSnowSlots *slots = &p->slots[at];
        tile->lanes[r] = NULL;
        for (uint32_t k = 0; k < slots->count && k < SL_SNOW_SLOTS; k++)
            if (slots->surfaces[k] == surface) {
                tile->lanes[r] =
                    blocks->layer[SL_NEAREST] + (size_t)at * SL_SNOW_BLOCK_FLOATS + k;
                any = true;
            }
    }
    SlBlockCoord c = sl_snow_block_of(blocks, block);
    tile->first[0] = 4 * c.x;
    tile->first[1] = 4 * c.y;
    tile->first[2] = 4 * c.z;
    tile->nodes = p->lattice.cubic ? 4 : 3;
    return any;
}

/* The kernel's first node along each axis, relative to the tile: as base_of (transfer_lanes.h). */
static void base_in_tile(const SlSnowPass *p, const Tile *tile, size_t i, int base[3])
{
    const float *x = p->fields.position + 4 * i, *f = p->fields.fraction + 4 * i;
    for (int axis = 0; axis < 3; axis++) {
        int32_t cell = sl_snow_cell(x[axis], p->lattice.inverse_cell);
        bool before = p->lattice.cubic || f[axis] < 0.5f;
        base[axis] = cell - (before ? 1 : 0) - tile->first[axis];
    }
}

static void note_distance(const Tile *tile, const int base[3], float distance)
{
    for (int a = base[0]; a < base[0] + tile->nodes; a++)
        for (int b = base[1]; b < base[1] + tile->nodes; b++)
            for (int c = base[2]; c < base[2] + tile->nodes; c++) {
                float *lane = tile->lanes[(a >> 2) * 4 + (b >> 2) * 2 + (c >> 2)];
                if (lane == NULL)
                    continue;
                float *to = lane + 4 * ((a & 3) * 16 + (b & 3) * 4 + (c & 3));
                *to = distance < *to ? distance : *to;
            }
}

static void note_block(const SlSnowPass *p, uint32_t block)
{
    const SlSnowBlocks *blocks = p->blocks;
    const SlSnowContacts *c = &p->contacts;
    bool any = false;
    for (int r = 0; r < 8; r++)
        any |= p->slots[blocks->reach[block][r]].count > 0;
    if (!any)
        return;
    float h = p->lattice.cell, reach = c->touch + c->margin;
    SlBlockCoord coord = sl_snow_block_of(blocks, block);
    SlVec3 middle = {h * ((float)(4 * coord.x) + 2.75f), h * ((float)(4 * coord.y) + 2.75f),
                     h * ((float)(4 * coord.z) + 2.75f)};
    SlSnowNear near;
    sl_snow_find_near(c, middle, 2.5f * h + reach, &near);
    for (uint32_t k = 0; k < near.count; k++) {
        Tile tile;
        if (!open_tile(p, block, near.surfaces[k], &tile))
            continue;
        for (size_t entry = blocks->start[block]; entry < blocks->start[block + 1]; entry++) {
            size_t i = blocks->order != NULL ? blocks->order[entry] : entry;
            const float *x = p->fields.position + 4 * i;
            float distance =
                sl_snow_distance(c, near.surfaces[k], sl_vec3(x[0], x[1], x[2]), reach);
            if (!(distance <= reach))
                continue;
            int base[3];
            base_in_tile(p, &tile, i, base);
            note_distance(&tile, base, distance);
        }
    }
}

static void note_loop(const void *data, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const SlSnowBlockLoop *d = data;
    for (size_t k = begin; k < end; k++)
        note_block(d->pass, d->blocks[k]);
}

void sl_snow_find_nearest(const SlSnowPass *pass)
{
    const SlSnowBlocks *blocks = pass->blocks;
    sl_loop_run(blocks->context->pool, blocks->touched, SL_SNOW_NODE_CHUNK, slots_loop, pass);
    if (pass->contacts.printed)
        return;
    SlSnowBlockLoop loop = {.pass = pass};
    sl_snow_for_colours(&loop, note_loop);
}
