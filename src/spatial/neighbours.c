/* Allocation and build of SELL-8 (sliced ELLPACK) lists; the search is in neighbour_kernels.c. */
#include "spatial/neighbours.h"

#include <math.h>
#include <string.h>

#include "spatial/neighbour_kernels.h"

/* Initial rows per block: a fluid at rest with support 2 d needs 33 on average. */
enum { FIRST_ROWS = 44 };
/* Minimum spare rows of a segment in a layout from counts: blocks write eight rows at a time. */
enum { MIN_SPARE = 8 };

uint64_t sl_neighbours_bytes(uint64_t particle_count)
{
    uint64_t blocks = (particle_count + 7) / 8;
    uint64_t segments = (blocks + SL_SEGMENT_BLOCKS - 1) / SL_SEGMENT_BLOCKS;
    return segments * SL_SEGMENT_BLOCKS * FIRST_ROWS * 32 + blocks * 12;
}

SlStatus sl_neighbours_create(SlContext *context, size_t capacity, SlNeighbourList *list,
                              SlError *error)
{
    memset(list, 0, sizeof *list);
    list->context = context;
    list->block_capacity = capacity / 8;
    list->segments = sl_chunk_count(list->block_capacity, SL_SEGMENT_BLOCKS);
    list->sentinel = (uint32_t)capacity;
    list->crowded = SIZE_MAX;
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

SlStatus sl_neighbours_fit(SlNeighbourList *list, size_t capacity, SlError *error)
{
    if (list->block_capacity == capacity / 8)
        return SL_OK;
    SlContext *context = list->context;
    sl_neighbours_destroy(list);
    return sl_neighbours_create(context, capacity, list, error);
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

/* Initial row ranges of FIRST_ROWS per block, for a list that has none. */
static bool guess_rows(SlNeighbourList *list)
{
    uint64_t range = (uint64_t)SL_SEGMENT_BLOCKS * FIRST_ROWS;
    for (size_t s = 0; s <= list->segments; s++)
        list->first_row[s] = s * range;
    return take_rows(list, list->segments * range);
}

/* Row ranges from the rows each segment needs plus equal spare rows. More rows are allocated
   only if less than an eighth would be spare. */
static bool lay_out_rows(SlNeighbourList *list, const SlSegment *segments, size_t count)
{
    uint64_t needed = 0;
    for (size_t s = 0; s < count; s++)
        needed += segments[s].rows_needed;
    uint64_t minimum = needed + needed / 8 + MIN_SPARE * list->segments;
    if (minimum > list->row_capacity &&
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

/* Copies the points to separate x, y, z arrays on the arena, padded by 16; false when there is no
   memory. */
static bool split(SlContext *context, SlArena *arena, SlPoints points, Channels *to)
{
    size_t room = points.capacity + 16;
    *to = (Channels){SL_PUSH(arena, float, room), SL_PUSH(arena, float, room),
                     SL_PUSH(arena, float, room)};
    if (to->x == NULL || to->y == NULL || to->z == NULL)
        return false;
    Split s = {SL_KERNELS(context->isa, sl_neighbour_kernels), points.records, *to};
    sl_parallel_for(context->pool, sl_point_blocks(points), 1024, split_chunk, &s);
    for (size_t k = points.capacity; k < room; k++)
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

/* Fills the list's segments. If one needs more rows than its range, all ranges are laid out from
   the counts and filled again. */
static SlStatus build(SlNeighbourList *list, const SlSegment *model, SlArena *arena,
                      SlError *error)
{
    SlContext *context = list->context;
    size_t blocks = (model->count + 7) / 8, segments = sl_chunk_count(blocks, SL_SEGMENT_BLOCKS);
    Build b = {SL_KERNELS(context->isa, sl_neighbour_kernels), list,
               SL_PUSH(arena, SlSegment, segments)};
    if (b.segments == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for the neighbour search");
    for (size_t s = 0; s < segments; s++)
        b.segments[s] = *model;
    for (;;) {
        sl_parallel_for(context->pool, blocks, SL_SEGMENT_BLOCKS, build_chunk, &b);
        bool fits = true;
        for (size_t s = 0; s < segments; s++) {
            fits = fits && b.segments[s].rows_needed <= b.segments[s].row_limit;
            if (b.segments[s].crowded < list->crowded)
                list->crowded = b.segments[s].crowded;
        }
        if (list->crowded != SIZE_MAX)
            return sl_error_set(error, SL_ERROR_NUMBERS,
                                "more than %d neighbours within %g m of one particle",
                                SL_MAX_NEIGHBOURS, sqrt((double)model->radius_squared));
        if (fits)
            return SL_OK;
        if (!lay_out_rows(list, b.segments, segments))
            return sl_error_set(error, SL_ERROR_MEMORY, "no memory for longer neighbour lists");
    }
}

/* Searches `candidates` (sorted by `grid`) around each of `points`; the same set unless `between`. */
static SlStatus search(SlNeighbourList *list, const SlSegment *model, SlPoints points,
                       SlPoints candidates, SlArena *arena, SlError *error)
{
    Channels own, other;
    SlSegment m = *model;
    SlArenaMark mark = sl_arena_mark(arena);
    list->crowded = SIZE_MAX;
    bool room = split(list->context, arena, points, &own);
    other = own;
    if (room && m.between)
        room = split(list->context, arena, candidates, &other);
    /* Every particle of a fluid has neighbours; pairs between two sets may be few. */
    if (room && list->row_capacity == 0 && list->segments > 0)
        room = m.between ? lay_out_rows(list, NULL, 0) : guess_rows(list);
    if (!room) {
        sl_arena_release(arena, mark);
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for the neighbour search");
    }
    m.x = other.x;
    m.y = other.y;
    m.z = other.z;
    m.at_x = own.x;
    m.at_y = own.y;
    m.at_z = own.z;
    m.count = points.count;
    m.sentinel = list->sentinel = (uint32_t)candidates.capacity;
    m.row_begin = list->row_begin;
    m.row_count = list->row_count;
    SlStatus status = build(list, &m, arena, error);
    sl_arena_release(arena, mark);
    return status;
}

SlStatus sl_neighbours_build(SlNeighbourList *list, const SlCellGrid *grid, SlPoints points,
                             float radius, SlArena *arena, SlError *error)
{
    SlSegment model = {.grid = grid, .radius_squared = radius * radius};
    return search(list, &model, points, points, arena, error);
}

SlStatus sl_neighbours_between(SlNeighbourList *list, SlPoints points, const SlCellGrid *grid,
                               SlPoints others, float radius, SlArena *arena, SlError *error)
{
    SlSegment model = {.grid = grid, .radius_squared = radius * radius, .between = true};
    return search(list, &model, points, others, arena, error);
}
