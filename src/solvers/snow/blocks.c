#include "solvers/snow/blocks.h"

#include <string.h>

#include "core/sort.h"
#include "solvers/snow/snow_kernels.h"

enum { CHUNK = 8192 };

typedef struct Keys {
    SlSnowPlaces places;
    const SlSnowKernels *kernels;
    SlBlockExtent *extents; /* per chunk */
} Keys;

static void find_extent(void *argument, size_t begin, size_t end, size_t chunk)
{
    const Keys *k = argument;
    k->extents[chunk] = k->kernels->extent(&k->places, begin, end);
}

static void find_keys(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Keys *k = argument;
    k->kernels->keys(&k->places, begin, end);
}

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

/* Room for so many blocks; all contents go. */
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
    /* Eight in a cell fill a block with 512; the surface and room to spread are as many again. */
    uint64_t capacity = 512 + count / 256;
    uint64_t each = SL_SNOW_BLOCK_FLOATS * sizeof(float) *
                        (uint64_t)__builtin_popcount(layers) +
                    sizeof(SlBlockCoord) + 10 * sizeof(uint32_t) + 3 * sizeof(uint32_t);
    return capacity * each + count * (3 * sizeof(uint32_t) + sizeof(uint64_t));
}

/* The number of the block there, a new one if there was none; SL_NO_BLOCK when full. */
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
        SlBlockCoord there = b->coords[found];
        if (there.x == c.x && there.y == c.y && there.z == c.z)
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

/* Stretches of equal keys become occupied blocks with their tiles; false when there is no room. */
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
            reach[r] = touch(b, (SlBlockCoord){own.x + (r >> 2), own.y + (r >> 1 & 1),
                                               own.z + (r & 1)});
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

static void clear_nodes(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const SlSnowBlocks *b = argument;
    size_t floats = (end - begin) * SL_SNOW_BLOCK_FLOATS;
    for (int k = SL_NODES; k <= SL_CHANGE; k++)
        if (b->layer[k] != NULL)
            memset(b->layer[k] + begin * SL_SNOW_BLOCK_FLOATS, 0, floats * sizeof(float));
}

/* The box of occupied blocks; an error where their numbers do not fit. */
static SlStatus find_box(Keys *k, SlPool *pool, size_t count, SlError *error)
{
    SlBlockExtent *box = &k->places.box;
    sl_parallel_for(pool, count, CHUNK, find_extent, k);
    *box = k->extents[0];
    for (size_t c = 1; c < sl_chunk_count(count, CHUNK); c++)
        for (int axis = 0; axis < 3; axis++) {
            if (k->extents[c].low[axis] < box->low[axis])
                box->low[axis] = k->extents[c].low[axis];
            if (k->extents[c].high[axis] > box->high[axis])
                box->high[axis] = k->extents[c].high[axis];
        }
    double blocks = (double)width(box, 0) * (double)width(box, 1) * (double)width(box, 2);
    if (blocks >= 0x1p32)
        return sl_error_set(error, SL_ERROR_NUMBERS,
                            "snow: sort: particles spread over a box of %.3g blocks of 4 cells, "
                            "at most 2^32 are allowed; give the domain a \"limit\"",
                            blocks);
    return SL_OK;
}

SlStatus sl_snow_blocks_sort(SlSnowBlocks *blocks, SlParticles *particles,
                             const SlSnowLattice *lattice, bool reorder, SlError *error)
{
    SlContext *context = blocks->context;
    SlArena *arena = &context->arena;
    size_t count = particles->count;
    Keys k = {.places = {.position = sl_f32x4(particles, SL_F_POSITION),
                         .fraction = sl_f32x4(particles, SL_F_FRACTION),
                         .lattice = *lattice,
                         .keys = SL_PUSH(arena, uint32_t, count)},
              .kernels = SL_KERNELS(context->isa, sl_snow_kernels),
              .extents = SL_PUSH(arena, SlBlockExtent, sl_chunk_count(count, CHUNK) + 1)};
    uint32_t *order = SL_PUSH(arena, uint32_t, count), *sorted = SL_PUSH(arena, uint32_t, count);
    if (k.extents == NULL || k.places.keys == NULL || order == NULL || sorted == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "snow: no memory to sort particles");
    blocks->touched = blocks->occupied = 0;
    blocks->order = NULL;
    memset(blocks->colour_start, 0, sizeof blocks->colour_start);
    if (count == 0)
        return SL_OK;
    SlStatus status = find_box(&k, context->pool, count, error);
    if (status != SL_OK)
        return status;
    sl_parallel_for(context->pool, count, CHUNK, find_keys, &k);
    const SlBlockExtent *box = &k.places.box;
    uint64_t limit = width(box, 0) * width(box, 1) * width(box, 2);
    /* At first two passes' worth of keys: the box grows as snow spreads, and the scratch of a later
       step shall be there from the start. */
    if (blocks->capacity == 0 && limit < 1u << 22)
        limit = 1u << 22;
    if (!sl_sort_by_key(context->pool, arena, k.places.keys, count, limit, order, sorted))
        return sl_error_set(error, SL_ERROR_MEMORY, "snow: no memory to sort particles");
    if (reorder)
        sl_particles_reorder(particles, order);
    blocks->order = reorder ? NULL : order;
    while (blocks->capacity == 0 || !list_occupied(blocks, box, sorted, count)) {
        uint32_t wanted = blocks->capacity > 0 ? 2 * blocks->capacity
                                               : (uint32_t)(512 + count / 256);
        if (!grow(blocks, wanted))
            return sl_error_set(error, SL_ERROR_MEMORY, "snow: no memory for %u blocks of the grid",
                                wanted);
    }
    list_colours(blocks);
    sl_parallel_for(context->pool, blocks->touched, 16, clear_nodes, blocks);
    return SL_OK;
}
