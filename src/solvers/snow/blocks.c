/* The sparse grid: assignment of particles to blocks by a radix sort, and the storage of blocks. */
#include "solvers/snow/blocks.h"

#include <string.h>

#include "core/sort.h"
#include "solvers/snow/snow_kernels.h"

enum { CLEAR_CHUNK = 16 }; /* blocks */

static uint64_t width(const SlBlockExtent *e, int axis)
{
    return (uint64_t)((int64_t)e->high[axis] - e->low[axis] + 1);
}

static void free_arrays(SlSnowBlocks *b)
{
    SlMemory *memory = &b->context->memory;
    size_t n = b->capacity, node_bytes = n * SL_SNOW_BLOCK_FLOATS * sizeof(float);
    sl_free(memory, b->coords, n * sizeof *b->coords);
    for (int k = 0; k < SL_LAYER_COUNT; k++)
        sl_free(memory, b->layer[k], node_bytes);
    sl_free(memory, b->table, b->table_size * sizeof *b->table);
    sl_free(memory, b->start, (n + 1) * sizeof *b->start);
    sl_free(memory, b->reach, n * sizeof *b->reach);
    sl_free(memory, b->by_colour, n * sizeof *b->by_colour);
}

void sl_snow_blocks_create(SlContext *context, uint32_t layers, SlSnowBlocks *blocks)
{
    *blocks = (SlSnowBlocks){.context = context, .layers = layers};
}

void sl_snow_blocks_destroy(SlSnowBlocks *blocks)
{
    if (blocks->context != NULL)
        free_arrays(blocks);
    *blocks = (SlSnowBlocks){0};
}

static uint32_t table_for(uint32_t capacity)
{
    uint32_t size = 64;
    while (size < 2 * capacity)
        size *= 2;
    return size;
}

/* Storage for so many blocks; the contents are lost. */
static bool grow(SlSnowBlocks *b, uint32_t capacity)
{
    SlMemory *memory = &b->context->memory;
    size_t n = capacity, node_bytes = n * SL_SNOW_BLOCK_FLOATS * sizeof(float);
    free_arrays(b);
    *b = (SlSnowBlocks){.context = b->context,
                        .layers = b->layers,
                        .order = b->order,
                        .capacity = capacity,
                        .table_size = table_for(capacity)};
    b->coords = sl_alloc(memory, n * sizeof *b->coords);
    bool ok = true;
    for (int k = 0; k < SL_LAYER_COUNT; k++)
        if ((b->layers >> k & 1) != 0) {
            b->layer[k] = sl_alloc(memory, node_bytes);
            ok = ok && b->layer[k] != NULL;
        }
    b->table = sl_alloc(memory, b->table_size * sizeof *b->table);
    b->start = sl_alloc(memory, (n + 1) * sizeof *b->start);
    b->reach = sl_alloc(memory, n * sizeof *b->reach);
    b->by_colour = sl_alloc(memory, n * sizeof *b->by_colour);
    return ok && b->coords != NULL && b->table != NULL && b->start != NULL && b->reach != NULL &&
           b->by_colour != NULL;
}

uint64_t sl_snow_blocks_bytes(uint32_t layers, uint64_t count)
{
    /* Eight particles per cell are 512 in a full block; twice that for surface and spread. */
    uint64_t capacity = 512 + count / 256;
    uint64_t each = SL_SNOW_BLOCK_FLOATS * sizeof(float) * (uint64_t)__builtin_popcount(layers) +
                    sizeof(SlBlockCoord) + 10 * sizeof(uint32_t) + 3 * sizeof(uint32_t);
    return capacity * each + count * (3 * sizeof(uint32_t) + sizeof(uint64_t)) + count / 8;
}

/* The index of the block at c, which is added if it is missing; SL_NO_BLOCK: no storage left. */
static uint32_t touch(SlSnowBlocks *b, SlBlockCoord c)
{
    uint32_t mask = b->table_size - 1;
    for (uint32_t at = sl_block_hash(c) & mask;; at = (at + 1) & mask) {
        uint32_t found = b->table[at];
        if (found == SL_NO_BLOCK) {
            if (b->touched == b->capacity)
                return SL_NO_BLOCK;
            b->table[at] = b->touched;
            b->coords[b->touched] = c;
            return b->touched++;
        }
        SlBlockCoord other = b->coords[found];
        if (other.x == c.x && other.y == c.y && other.z == c.z)
            return found;
    }
}

static SlBlockCoord coord_of(const SlBlockExtent *box, uint32_t key)
{
    uint32_t along_x = (uint32_t)width(box, 0), along_y = (uint32_t)width(box, 1);
    uint32_t row = key / along_x;
    return (SlBlockCoord){box->low[0] + (int32_t)(key % along_x),
                          box->low[1] + (int32_t)(row % along_y),
                          box->low[2] + (int32_t)(row / along_y)};
}

/* Runs of equal keys become occupied blocks with their tiles; false: no storage left. */
static bool list_occupied(SlSnowBlocks *b, const SlBlockExtent *box, const uint32_t *sorted,
                          size_t count)
{
    b->touched = b->occupied = 0;
    memset(b->table, 0xff, b->table_size * sizeof *b->table);
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && sorted[i] == sorted[i - 1])
            continue;
        if (b->occupied == b->capacity)
            return false;
        SlBlockCoord own = coord_of(box, sorted[i]);
        uint32_t *reach = b->reach[b->occupied];
        for (int r = 0; r < 8; r++) {
            reach[r] =
                touch(b, (SlBlockCoord){own.x + (r >> 2), own.y + (r >> 1 & 1), own.z + (r & 1)});
            if (reach[r] == SL_NO_BLOCK)
                return false;
        }
        b->start[b->occupied++] = (uint32_t)i;
    }
    b->start[b->occupied] = (uint32_t)count;
    return true;
}

static uint32_t colour_of(SlBlockCoord c)
{
    return ((uint32_t)c.x & 1) | ((uint32_t)c.y & 1) << 1 | ((uint32_t)c.z & 1) << 2;
}

static void list_colours(SlSnowBlocks *b)
{
    uint32_t next = 0;
    for (uint32_t colour = 0; colour < SL_SNOW_COLOURS; colour++) {
        b->colour_start[colour] = next;
        for (uint32_t o = 0; o < b->occupied; o++)
            if (colour_of(sl_snow_block_of(b, o)) == colour)
                b->by_colour[next++] = o;
    }
    b->colour_start[SL_SNOW_COLOURS] = next;
}

static void clear_nodes(const void *data, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const SlSnowBlocks *b = data;
    size_t floats = (end - begin) * SL_SNOW_BLOCK_FLOATS;
    for (int k = SL_NODES; k <= SL_IMPULSE; k++)
        if (b->layer[k] != NULL)
            memset(b->layer[k] + begin * SL_SNOW_BLOCK_FLOATS, 0, floats * sizeof(float));
}

/* The bounding box of the occupied blocks; an error where block numbers do not fit 32 bits. */
static SlStatus find_box(SlSnowKeys *d, SlContext *context, size_t count, SlError *error)
{
    const SlSnowKernels *kernels = SL_KERNELS(context->isa, sl_snow_kernels);
    SlBlockExtent *box = &d->box;
    sl_loop_run(context->pool, count, SL_SNOW_CHUNK, kernels->extent, d);
    *box = d->extents[0];
    for (size_t c = 1; c < sl_chunk_count(count, SL_SNOW_CHUNK); c++)
        for (int axis = 0; axis < 3; axis++) {
            if (d->extents[c].low[axis] < box->low[axis])
                box->low[axis] = d->extents[c].low[axis];
            if (d->extents[c].high[axis] > box->high[axis])
                box->high[axis] = d->extents[c].high[axis];
        }
    double blocks = (double)width(box, 0) * (double)width(box, 1) * (double)width(box, 2);
    if (blocks >= 0x1p32)
        return sl_error_set(
            error, SL_ERROR_NUMBERS,
            "snow: sort: particles are spread over a box of %.3g blocks of 4 cells; "
            "at most 2^32 are allowed: give the domain a \"limit\"",
            blocks);
    return SL_OK;
}

/* Lists blocks and their particles from sorted keys; grows the storage where it is too small. */
static SlStatus list_blocks(SlSnowBlocks *blocks, const SlBlockExtent *box, const uint32_t *sorted,
                            size_t count, SlError *error)
{
    while (blocks->capacity == 0 || !list_occupied(blocks, box, sorted, count)) {
        uint32_t wanted =
            blocks->capacity > 0 ? 2 * blocks->capacity : (uint32_t)(512 + count / 256);
        if (!grow(blocks, wanted))
            return sl_error_set(error, SL_ERROR_MEMORY, "snow: no memory for %u blocks of the grid",
                                wanted);
    }
    list_colours(blocks);
    sl_loop_run(blocks->context->pool, blocks->touched, CLEAR_CHUNK, clear_nodes, blocks);
    return SL_OK;
}

SlStatus sl_snow_blocks_sort(SlSnowBlocks *blocks, SlArena *arena, SlParticles *particles,
                             const SlSnowLattice *lattice, bool reorder, SlError *error)
{
    SlContext *context = blocks->context;
    size_t count = particles->count;
    SlSnowKeys d = {.position = sl_f32x4(particles, SL_F_POSITION),
                    .fraction = sl_f32x4(particles, SL_F_FRACTION),
                    .lattice = *lattice,
                    .keys = SL_PUSH(arena, uint32_t, count),
                    .extents =
                        SL_PUSH(arena, SlBlockExtent, sl_chunk_count(count, SL_SNOW_CHUNK) + 1)};
    uint32_t *order = SL_PUSH(arena, uint32_t, count), *sorted = SL_PUSH(arena, uint32_t, count);
    if (d.extents == NULL || d.keys == NULL || order == NULL || sorted == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "snow: no memory to sort particles");
    blocks->touched = blocks->occupied = 0;
    blocks->order = NULL;
    memset(blocks->colour_start, 0, sizeof blocks->colour_start);
    if (count == 0)
        return SL_OK;
    SlStatus status = find_box(&d, context, count, error);
    if (status != SL_OK)
        return status;
    sl_loop_run(context->pool, count, SL_SNOW_CHUNK,
                SL_KERNELS(context->isa, sl_snow_kernels)->keys, &d);
    uint64_t limit = width(&d.box, 0) * width(&d.box, 1) * width(&d.box, 2);
    /* The first sort takes scratch for at least two passes of the radix sort: the box grows as snow
       spreads, and later steps must not allocate. */
    if (blocks->capacity == 0 && limit < 1u << 22)
        limit = 1u << 22;
    if (!sl_sort_by_key(context->pool, arena, d.keys, count, limit, order, sorted))
        return sl_error_set(error, SL_ERROR_MEMORY, "snow: no memory to sort particles");
    if (reorder)
        sl_particles_reorder(particles, order);
    blocks->order = reorder ? NULL : order;
    return list_blocks(blocks, &d.box, sorted, count, error);
}

void sl_snow_for_colours(SlSnowBlockLoop *data, SlLoop loop)
{
    const SlSnowBlocks *blocks = data->pass->blocks;
    for (int colour = 0; colour < SL_SNOW_COLOURS; colour++) {
        uint32_t first = blocks->colour_start[colour];
        uint32_t count = blocks->colour_start[colour + 1] - first;
        if (count == 0) /* without any block by_colour is NULL */
            continue;
        data->blocks = blocks->by_colour + first;
        sl_loop_run(blocks->context->pool, count, SL_SNOW_BLOCK_CHUNK, loop, data);
    }
}
