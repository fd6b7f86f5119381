#include "particles/neighbours.h"

#include <string.h>

#include "particles/neighbour_kernels.h"

/* Rows per block to start with: a settled fluid with support 2 d needs 33 on average. */
enum { FIRST_ROWS = 44 };

uint64_t sl_neighbours_bytes(uint64_t particle_count)
{
    uint64_t blocks = (particle_count + 7) / 8;
    uint64_t segments = (blocks + SL_SEGMENT_BLOCKS - 1) / SL_SEGMENT_BLOCKS;
    return segments * SL_SEGMENT_BLOCKS * FIRST_ROWS * 32 + blocks * 12;
}

static bool grow_rows(SlNeighbourList *list, size_t segment_rows)
{
    SlMemory *memory = &list->context->memory;
    sl_free(memory, list->rows, list->segments * list->segment_rows * sizeof *list->rows);
    list->segment_rows = segment_rows;
    list->rows = sl_alloc(memory, list->segments * segment_rows * sizeof *list->rows);
    return list->rows != NULL || list->segments == 0;
}

SlStatus sl_neighbours_create(SlContext *context, const SlParticles *particles,
                              SlNeighbourList *list, SlError *error)
{
    memset(list, 0, sizeof *list);
    list->context = context;
    list->block_capacity = particles->capacity / 8;
    list->segments = sl_chunk_count(list->block_capacity, SL_SEGMENT_BLOCKS);
    list->sentinel = (uint32_t)particles->capacity;
    if (list->block_capacity == 0)
        return SL_OK;
    list->row_begin = sl_alloc_zero(&context->memory, list->block_capacity, sizeof(uint64_t));
    list->row_count = sl_alloc_zero(&context->memory, list->block_capacity, sizeof(uint32_t));
    if (list->row_begin == NULL || list->row_count == NULL ||
        !grow_rows(list, (size_t)SL_SEGMENT_BLOCKS * FIRST_ROWS)) {
        sl_neighbours_destroy(list);
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for the neighbour lists");
    }
    return SL_OK;
}

SlStatus sl_neighbours_fit(SlNeighbourList *list, const SlParticles *particles, SlError *error)
{
    if (list->block_capacity == particles->capacity / 8)
        return SL_OK;
    SlContext *context = list->context;
    sl_neighbours_destroy(list);
    return sl_neighbours_create(context, particles, list, error);
}

void sl_neighbours_destroy(SlNeighbourList *list)
{
    if (list->context == NULL)
        return;
    SlMemory *memory = &list->context->memory;
    sl_free(memory, list->row_begin, list->block_capacity * sizeof(uint64_t));
    sl_free(memory, list->row_count, list->block_capacity * sizeof(uint32_t));
    if (list->rows != NULL)
        sl_free(memory, list->rows, list->segments * list->segment_rows * sizeof *list->rows);
    memset(list, 0, sizeof *list);
}

typedef struct Build {
    const SlNeighbourKernels *kernels;
    SlNeighbourList *list;
    const float *records;
    float *x, *y, *z;
    SlSegment *segments;
} Build;

static void split_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Build *b = argument;
    b->kernels->split(b->records, b->x, b->y, b->z, begin, end);
}

static void build_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    Build *b = argument;
    SlSegment *segment = &b->segments[chunk];
    segment->block_begin = begin;
    segment->block_end = end;
    segment->first_row = chunk * b->list->segment_rows;
    segment->row_limit = b->list->segment_rows;
    segment->rows = b->list->rows;
    b->kernels->build(segment);
}

SlStatus sl_neighbours_build(SlNeighbourList *list, const SlCellGrid *grid,
                             const SlParticles *particles, const float *records, float radius,
                             size_t *worst, SlError *error)
{
    SlContext *context = list->context;
    SlArena *arena = &context->arena;
    size_t room = particles->capacity + 16, blocks = sl_particle_blocks(particles);
    size_t segments = sl_chunk_count(blocks, SL_SEGMENT_BLOCKS);
    Build b = {SL_KERNELS(context->isa, sl_neighbour_kernels),
               list,
               records,
               SL_PUSH(arena, float, room),
               SL_PUSH(arena, float, room),
               SL_PUSH(arena, float, room),
               SL_PUSH(arena, SlSegment, segments)};
    *worst = SIZE_MAX;
    if (b.x == NULL || b.y == NULL || b.z == NULL || b.segments == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for the neighbour search");
    sl_parallel_for(context->pool, blocks, 1024, split_chunk, &b);
    for (size_t k = particles->capacity; k < room; k++)
        b.x[k] = b.y[k] = b.z[k] = SL_FAR;
    for (size_t s = 0; s < segments; s++)
        b.segments[s] = (SlSegment){.grid = grid,
                                    .x = b.x,
                                    .y = b.y,
                                    .z = b.z,
                                    .count = particles->count,
                                    .radius_squared = radius * radius,
                                    .sentinel = list->sentinel,
                                    .row_begin = list->row_begin,
                                    .row_count = list->row_count};
    for (;;) {
        sl_parallel_for(context->pool, blocks, SL_SEGMENT_BLOCKS, build_chunk, &b);
        uint64_t needed = 0;
        for (size_t s = 0; s < segments; s++) {
            if (b.segments[s].rows_needed > needed)
                needed = b.segments[s].rows_needed;
            if (b.segments[s].crowded < *worst)
                *worst = b.segments[s].crowded;
        }
        if (*worst != SIZE_MAX)
            return sl_error_set(error, SL_ERROR_NUMBERS,
                                "more than %d neighbours within %g m of one particle",
                                SL_MOST_NEIGHBOURS, (double)radius);
        if (needed <= list->segment_rows)
            return SL_OK;
        if (!grow_rows(list, (size_t)(needed + needed / 4)))
            return sl_error_set(error, SL_ERROR_MEMORY, "no memory for longer neighbour lists");
    }
}
