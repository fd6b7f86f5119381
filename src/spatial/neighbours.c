#include "spatial/neighbours.h"

#include <math.h>
#include <string.h>

#include "spatial/neighbour_kernels.h"

/* Rows per block to start with: a settled fluid with support 2 d needs 33 on average. */
enum { FIRST_ROWS = 44 };
/* A segment's least spare rows after a count: its blocks write rows in eights. */
enum { MIN_SPARE = 8 };

uint64_t sl_neighbours_bytes(uint64_t particle_count)
{
    uint64_t blocks = (particle_count + 7) / 8;
    uint64_t segments = (blocks + SL_SEGMENT_BLOCKS - 1) / SL_SEGMENT_BLOCKS;
    return segments * SL_SEGMENT_BLOCKS * FIRST_ROWS * 32 + blocks * 12;
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
    SlMemory *memory = &context->memory;
    list->row_begin = sl_alloc_zero(memory, list->block_capacity, sizeof(uint64_t));
    list->row_count = sl_alloc_zero(memory, list->block_capacity, sizeof(uint32_t));
    list->first_row = sl_alloc_zero(memory, list->segments + 1, sizeof(uint64_t));
    if (list->row_begin == NULL || list->row_count == NULL || list->first_row == NULL) {
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
    sl_free(memory, list->first_row, (list->segments + 1) * sizeof(uint64_t));
    sl_free(memory, list->rows, list->row_capacity * sizeof *list->rows);
    memset(list, 0, sizeof *list);
}

static bool take_rows(SlNeighbourList *list, uint64_t rows)
{
    SlMemory *memory = &list->context->memory;
    sl_free(memory, list->rows, list->row_capacity * sizeof *list->rows);
    list->rows = sl_alloc(memory, rows * sizeof *list->rows);
    list->row_capacity = list->rows != NULL ? rows : 0;
    return list->rows != NULL;
}

/* Stretches as long as the first guess, for a list that has none. */
static bool guess_rows(SlNeighbourList *list)
{
    uint64_t stretch = (uint64_t)SL_SEGMENT_BLOCKS * FIRST_ROWS;
    for (size_t s = 0; s <= list->segments; s++)
        list->first_row[s] = s * stretch;
    return take_rows(list, list->segments * stretch);
}

/* Stretches as long as the segments need and as much to spare for each. More rows are taken only
   where less than an eighth would be to spare. */
static bool lay_out_rows(SlNeighbourList *list, const SlSegment *segments, size_t count)
{
    uint64_t needed = 0;
    for (size_t s = 0; s < count; s++)
        needed += segments[s].rows_needed;
    uint64_t least = needed + needed / 8 + MIN_SPARE * list->segments;
    if (least > list->row_capacity &&
        !take_rows(list, needed + needed / 4 + MIN_SPARE * list->segments))
        return false;
    uint64_t spare = (list->row_capacity - needed) / list->segments;
    for (size_t s = 0; s < list->segments; s++)
        list->first_row[s + 1] =
            list->first_row[s] + spare + (s < count ? segments[s].rows_needed : 0);
    return true;
}

typedef struct Channels {
    float *x, *y, *z;
} Channels;

typedef struct Split {
    const SlNeighbourKernels *kernels;
    const float *records;
    Channels to;
} Split;

static void split_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Split *s = argument;
    s->kernels->split(s->records, s->to.x, s->to.y, s->to.z, begin, end);
}

/* The records of a set by channel, on the arena; false when that has no memory. */
static bool split(SlContext *context, const SlParticles *particles, const float *records,
                  Channels *to)
{
    SlArena *arena = &context->arena;
    size_t room = particles->capacity + 16;
    *to = (Channels){SL_PUSH(arena, float, room), SL_PUSH(arena, float, room),
                     SL_PUSH(arena, float, room)};
    if (to->x == NULL || to->y == NULL || to->z == NULL)
        return false;
    Split s = {SL_KERNELS(context->isa, sl_neighbour_kernels), records, *to};
    sl_parallel_for(context->pool, sl_particle_blocks(particles), 1024, split_chunk, &s);
    for (size_t k = particles->capacity; k < room; k++)
        to->x[k] = to->y[k] = to->z[k] = SL_FAR;
    return true;
}

typedef struct Build {
    const SlNeighbourKernels *kernels;
    SlNeighbourList *list;
    SlSegment *segments;
} Build;

static void build_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    Build *b = argument;
    SlSegment *segment = &b->segments[chunk];
    segment->block_begin = begin;
    segment->block_end = end;
    segment->first_row = b->list->first_row[chunk];
    segment->row_limit = b->list->first_row[chunk + 1] - segment->first_row;
    segment->rows = b->list->rows;
    b->kernels->build(segment);
}

/* Fills the list's segments. Where one has more rows than its stretch all are laid out anew, as now
   counted, and filled again. */
static SlStatus build(SlNeighbourList *list, const SlSegment *model, size_t *worst, SlError *error)
{
    SlContext *context = list->context;
    size_t blocks = (model->count + 7) / 8, segments = sl_chunk_count(blocks, SL_SEGMENT_BLOCKS);
    Build b = {SL_KERNELS(context->isa, sl_neighbour_kernels), list,
               SL_PUSH(&context->arena, SlSegment, segments)};
    *worst = SIZE_MAX;
    if (b.segments == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for the neighbour search");
    for (size_t s = 0; s < segments; s++)
        b.segments[s] = *model;
    for (;;) {
        sl_parallel_for(context->pool, blocks, SL_SEGMENT_BLOCKS, build_chunk, &b);
        bool fits = true;
        for (size_t s = 0; s < segments; s++) {
            fits = fits && b.segments[s].rows_needed <= b.segments[s].row_limit;
            if (b.segments[s].crowded < *worst)
                *worst = b.segments[s].crowded;
        }
        if (*worst != SIZE_MAX)
            return sl_error_set(error, SL_ERROR_NUMBERS,
                                "more than %d neighbours within %g m of one particle",
                                SL_MAX_NEIGHBOURS, sqrt((double)model->radius_squared));
        if (fits)
            return SL_OK;
        if (!lay_out_rows(list, b.segments, segments))
            return sl_error_set(error, SL_ERROR_MEMORY, "no memory for longer neighbour lists");
    }
}

SlStatus sl_neighbours_build(SlNeighbourList *list, const SlCellGrid *grid,
                             const SlParticles *particles, const float *records, float radius,
                             size_t *worst, SlError *error)
{
    Channels own;
    SlArena *arena = &list->context->arena;
    SlArenaMark mark = sl_arena_mark(arena);
    *worst = SIZE_MAX;
    if (!split(list->context, particles, records, &own) ||
        (list->row_capacity == 0 && list->segments > 0 && !guess_rows(list)))
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for the neighbour search");
    SlSegment model = {.grid = grid,
                       .x = own.x,
                       .y = own.y,
                       .z = own.z,
                       .at_x = own.x,
                       .at_y = own.y,
                       .at_z = own.z,
                       .count = particles->count,
                       .radius_squared = radius * radius,
                       .sentinel = list->sentinel,
                       .row_begin = list->row_begin,
                       .row_count = list->row_count};
    SlStatus status = build(list, &model, worst, error);
    sl_arena_release(arena, mark);
    return status;
}

SlStatus sl_neighbours_between(SlNeighbourList *list, const SlParticles *particles,
                               const float *records, const SlCellGrid *grid,
                               const SlParticles *others, const float *other_records, float radius,
                               size_t *worst, SlError *error)
{
    Channels own, other;
    SlArena *arena = &list->context->arena;
    SlArenaMark mark = sl_arena_mark(arena);
    *worst = SIZE_MAX;
    if (!split(list->context, particles, records, &own) ||
        !split(list->context, others, other_records, &other) ||
        (list->row_capacity == 0 && list->segments > 0 && !lay_out_rows(list, NULL, 0)))
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for the neighbour search");
    list->sentinel = (uint32_t)others->capacity;
    SlSegment model = {.grid = grid,
                       .x = other.x,
                       .y = other.y,
                       .z = other.z,
                       .at_x = own.x,
                       .at_y = own.y,
                       .at_z = own.z,
                       .between = true,
                       .count = particles->count,
                       .radius_squared = radius * radius,
                       .sentinel = list->sentinel,
                       .row_begin = list->row_begin,
                       .row_count = list->row_count};
    SlStatus status = build(list, &model, worst, error);
    sl_arena_release(arena, mark);
    return status;
}
