/* Sorting points into cells. A bounded grid sorts by cell number and stores where each cell begins.

   A compact grid numbers the cells of the bounding box of the occupied ones in the same order, sorts
   by that number and lists the stretches that hold a point. Numbers in that box are mostly short:
   water spread over 20 m in cells of 4 cm needs 27 bits. A point far away makes them longer than 32
   bits; then two stable sorts by halves are made. Rejected: hashing points first and sorting only
   cells; it needs a table that all threads write. */
#include "spatial/grid.h"

#include <math.h>
#include <string.h>

#include "core/sort.h"
#include "spatial/neighbour_kernels.h"

/* A bounded grid beyond this takes 64 MiB, more than the points of most scenes. */
static const uint64_t max_bounded_cells = (uint64_t)1 << 24;
/* Cell coordinates are floats: exact up to this, with a few bits for the position in the cell. */
static const double max_along = 1 << 21;

static double cells_along(double low, double high, double cell)
{
    double cells = floor((high - low) / cell) + 1;
    return cells < 1 ? 1 : cells;
}

uint64_t sl_grid_cells(SlBox box, double cell)
{
    double cells = cells_along(box.min.x, box.max.x, cell) *
                   cells_along(box.min.y, box.max.y, cell) *
                   cells_along(box.min.z, box.max.z, cell);
    return cells < 4294967295.0 ? (uint64_t)cells : 0;
}

static bool is_compact(SlBox box, double cell, SlGridKind kind)
{
    uint64_t cells = sl_grid_cells(box, cell);
    return kind == SL_GRID_COMPACT ||
           (kind == SL_GRID_AUTO && (cells == 0 || cells > max_bounded_cells));
}

uint64_t sl_grid_bytes(SlBox box, double cell, SlGridKind kind, uint64_t count)
{
    /* Keys, order, sorted keys, one array of pairs. */
    uint64_t sort = count * (3 * 4 + 8);
    if (!is_compact(box, cell, kind)) {
        uint64_t cells = sl_grid_cells(box, cell);
        return sort + (cells == 0 ? (uint64_t)1 << 34 : 4 * cells);
    }
    /* A stretch and its two slots per five points: a sheet of fluid two spacings thick. */
    return sort + count * (8 + (sizeof(SlCellStretch) + 16) / 5);
}

/* The origin of cell coordinates along an axis and the first and last cell. An open side has its
   origin at 0 and cells up to SL_GRID_REACH. */
static SlStatus set_axis(SlCellGrid *grid, int k, SlBox box, double cell, SlError *error)
{
    float low = (&box.min.x)[k], high = (&box.max.x)[k];
    double along = isinf(low) || isinf(high) ? SL_GRID_REACH : cells_along(low, high, cell);
    (&grid->origin.x)[k] = isinf(low) ? 0 : low;
    grid->min_cell[k] = isinf(low) ? -(float)SL_GRID_REACH : 0;
    grid->max_cell[k] = (float)(along - 1);
    if (along <= max_along)
        return SL_OK;
    return sl_error_set(error, SL_ERROR_MEMORY,
                        "the domain is %.4g cells of %g m long in %c, at most %g are possible; "
                        "make it smaller or the spacing larger",
                        along, cell, "xyz"[k], max_along);
}

SlStatus sl_grid_create(SlContext *context, SlBox box, float cell, SlGridKind kind,
                        SlCellGrid *grid, SlError *error)
{
    memset(grid, 0, sizeof *grid);
    grid->inverse_cell = 1.0f / cell;
    grid->compact = is_compact(box, (double)cell, kind);
    for (int k = 0; k < 3; k++) {
        SlStatus status = set_axis(grid, k, box, (double)cell, error);
        if (status != SL_OK)
            return status;
    }
    if (grid->compact) {
        grid->context = context;
        return SL_OK;
    }
    uint64_t cells = sl_grid_cells(box, (double)cell);
    if (cells == 0)
        return sl_error_set(error, SL_ERROR_MEMORY,
                            "the domain is open or has 2^32 or more cells of %g m: too many for a "
                            "bounded grid; use the compact one",
                            (double)cell);
    for (int k = 0; k < 3; k++)
        grid->size[k] = (uint32_t)grid->max_cell[k] + 1;
    grid->cell_count = (uint32_t)cells;
    grid->start = sl_alloc_zero(&context->memory, (size_t)cells + 1, sizeof *grid->start);
    if (grid->start == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for %llu cells",
                            (unsigned long long)cells);
    grid->context = context;
    return SL_OK;
}

void sl_grid_destroy(SlCellGrid *grid)
{
    if (grid->context != NULL) {
        SlMemory *memory = &grid->context->memory;
        sl_free(memory, grid->start, ((size_t)grid->cell_count + 1) * sizeof *grid->start);
        sl_free(memory, grid->stretches, grid->stretch_capacity * sizeof *grid->stretches);
        sl_free(memory, grid->table, sizeof *grid->table << grid->table_bits);
    }
    memset(grid, 0, sizeof *grid);
}

/* --- Bounded --- */

enum { CHUNK_BLOCKS = 1024, CHUNK_PLACES = 8192 };

typedef struct Sort {
    SlContext *context;
    SlArena *arena;
    const SlNeighbourKernels *kernels;
    SlCellGrid *grid;
    SlPoints points;
    uint32_t *keys, *high_keys; /* low and high halves of cell numbers; high ones NULL if all 0 */
    /* in sorted order */
    uint32_t *order, *low, *high; /* low: the sorted keys */
    /* compact */
    SlCellExtent *extents;   /* per chunk */
    uint32_t *new_stretches; /* per chunk: how many begin in it, then how many before it */
} Sort;

static void keys_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Sort *s = argument;
    s->kernels->keys(s->grid, s->points.records, s->keys, s->high_keys, begin, end);
}

static bool sort_bounded(Sort *s)
{
    SlPool *pool = s->context->pool;
    size_t n = s->points.count;
    SlCellGrid *grid = s->grid;
    sl_parallel_for(pool, sl_point_blocks(s->points), CHUNK_BLOCKS, keys_chunk, s);
    if (!sl_sort_by_key(pool, s->arena, s->keys, n, grid->cell_count, s->order, s->low))
        return false;
    sl_key_starts(pool, s->low, n, grid->cell_count, grid->start);
    return true;
}

/* --- Compact --- */

static void extent_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    const Sort *s = argument;
    s->kernels->extent(s->grid, s->points.records, s->points.count, begin, end,
                       &s->extents[chunk]);
}

/* Sets the box of occupied cells, a multiple of a stretch wide; returns its number of cells. */
static uint64_t set_box(SlCellGrid *grid, const SlCellExtent *extents, size_t chunks)
{
    uint64_t cells = 1;
    for (int k = 0; k < 3; k++) {
        int32_t low = 0, high = 0;
        for (size_t c = 0; c < chunks; c++) {
            low = c == 0 || extents[c].low[k] < low ? extents[c].low[k] : low;
            high = c == 0 || extents[c].high[k] > high ? extents[c].high[k] : high;
        }
        uint32_t size = (uint32_t)(high - low) + 1;
        if (k == 0)
            size = (size + SL_STRETCH_CELLS - 1) / SL_STRETCH_CELLS * SL_STRETCH_CELLS;
        grid->low[k] = low;
        grid->size[k] = size;
        cells *= size;
    }
    return cells;
}

/* Permutes the high halves by the sort of the low halves. */
static void follow_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Sort *s = argument;
    for (size_t i = begin; i < end; i++)
        s->keys[i] = s->high_keys[s->order[i]];
}

/* Sorts by low halves and then, stably, by high ones. */
static bool sort_wide(Sort *s, uint64_t cells)
{
    size_t n = s->points.count;
    SlArena *arena = s->arena;
    SlPool *pool = s->context->pool;
    uint32_t *second = SL_PUSH(arena, uint32_t, n), *first = SL_PUSH(arena, uint32_t, n);
    uint32_t *low = SL_PUSH(arena, uint32_t, n);
    s->high = SL_PUSH(arena, uint32_t, n);
    if (second == NULL || first == NULL || low == NULL || s->high == NULL ||
        !sl_sort_by_key(pool, arena, s->keys, n, (uint64_t)1 << 32, s->order, s->low))
        return false;
    sl_parallel_for(pool, n, CHUNK_PLACES, follow_chunk, s);
    if (!sl_sort_by_key(pool, arena, s->keys, n, (cells >> 32) + 1, second, s->high))
        return false;
    memcpy(first, s->order, n * sizeof *first);
    for (size_t i = 0; i < n; i++) {
        s->order[i] = first[second[i]];
        low[i] = s->low[second[i]];
    }
    s->low = low;
    return true;
}

static inline uint64_t number_at(const Sort *s, size_t i)
{
    return (s->high != NULL ? (uint64_t)s->high[i] << 32 : 0) | s->low[i];
}

static inline bool begins_stretch(const Sort *s, size_t i)
{
    return i == 0 ||
           number_at(s, i) / SL_STRETCH_CELLS != number_at(s, i - 1) / SL_STRETCH_CELLS;
}

static void count_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    const Sort *s = argument;
    uint32_t count = 0;
    for (size_t i = begin; i < end; i++)
        count += begins_stretch(s, i);
    s->new_stretches[chunk] = count;
}

/* Place i writes the starts of the cells after its predecessor's up to its own, within their
   stretches: every entry has one writer. */
static void open_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    const Sort *s = argument;
    SlCellStretch *stretch = s->grid->stretches + s->new_stretches[chunk];
    stretch -= stretch > s->grid->stretches ? 1 : 0; /* the one that began in an earlier chunk */
    for (size_t i = begin; i < end; i++) {
        uint64_t number = number_at(s, i);
        uint32_t from = 0, own = (uint32_t)(number % SL_STRETCH_CELLS);
        if (i > 0) {
            uint32_t last = (uint32_t)(number_at(s, i - 1) % SL_STRETCH_CELLS);
            bool fresh = begins_stretch(s, i);
            for (uint32_t c = last + 1; fresh && c <= SL_STRETCH_CELLS; c++)
                stretch->start[c] = (uint32_t)i;
            from = fresh ? 0 : last + 1;
            stretch += fresh;
        }
        if (from == 0)
            stretch->number = number / SL_STRETCH_CELLS;
        for (uint32_t c = from; c <= own; c++)
            stretch->start[c] = (uint32_t)i;
    }
    if (end == s->points.count)
        for (uint64_t c = number_at(s, end - 1) % SL_STRETCH_CELLS + 1; c <= SL_STRETCH_CELLS; c++)
            stretch->start[c] = (uint32_t)end;
}

/* Capacity for `count` stretches, half as many again when it grows; contents are lost. */
static bool fit_stretches(SlCellGrid *grid, uint32_t count)
{
    SlMemory *memory = &grid->context->memory;
    if (count <= grid->stretch_capacity)
        return true;
    sl_free(memory, grid->stretches, grid->stretch_capacity * sizeof *grid->stretches);
    sl_free(memory, grid->table, sizeof *grid->table << grid->table_bits);
    grid->stretch_capacity = count + count / 2 + 64;
    grid->table_bits = 1;
    while ((uint64_t)1 << grid->table_bits < 2 * (uint64_t)grid->stretch_capacity)
        grid->table_bits++;
    grid->stretches = sl_alloc(memory, grid->stretch_capacity * sizeof *grid->stretches);
    grid->table = sl_alloc(memory, sizeof *grid->table << grid->table_bits);
    return grid->stretches != NULL && grid->table != NULL;
}

static void fill_table(SlCellGrid *grid)
{
    uint32_t mask = (1u << grid->table_bits) - 1;
    memset(grid->table, 0, sizeof *grid->table << grid->table_bits);
    for (uint32_t k = 0; k < grid->stretch_count; k++) {
        uint32_t slot = sl_stretch_slot(grid, grid->stretches[k].number);
        while (grid->table[slot] != 0)
            slot = (slot + 1) & mask;
        grid->table[slot] = k + 1;
    }
}

static bool list_stretches(Sort *s)
{
    SlCellGrid *grid = s->grid;
    SlPool *pool = s->context->pool;
    size_t n = s->points.count, chunks = sl_chunk_count(n, CHUNK_PLACES);
    s->new_stretches = SL_PUSH(s->arena, uint32_t, chunks);
    if (s->new_stretches == NULL)
        return false;
    sl_parallel_for(pool, n, CHUNK_PLACES, count_chunk, s);
    uint32_t total = 0;
    for (size_t c = 0; c < chunks; c++) {
        uint32_t here = s->new_stretches[c];
        s->new_stretches[c] = total;
        total += here;
    }
    grid->stretch_count = total;
    if (!fit_stretches(grid, total))
        return false;
    sl_parallel_for(pool, n, CHUNK_PLACES, open_chunk, s);
    fill_table(grid);
    return true;
}

static bool sort_compact(Sort *s)
{
    SlCellGrid *grid = s->grid;
    SlPool *pool = s->context->pool;
    size_t n = s->points.count, blocks = sl_point_blocks(s->points);
    size_t chunks = sl_chunk_count(blocks, CHUNK_BLOCKS);
    if (n == 0) {
        grid->stretch_count = 0;
        memset(grid->size, 0, sizeof grid->size); /* no runs */
        return true;
    }
    s->extents = SL_PUSH(s->arena, SlCellExtent, chunks);
    if (s->extents == NULL)
        return false;
    sl_parallel_for(pool, blocks, CHUNK_BLOCKS, extent_chunk, s);
    uint64_t cells = set_box(grid, s->extents, chunks);
    bool wide = cells >> 32 != 0;
    if (wide && (s->high_keys = SL_PUSH(s->arena, uint32_t, 8 * blocks)) == NULL)
        return false;
    sl_parallel_for(pool, blocks, CHUNK_BLOCKS, keys_chunk, s);
    bool sorted = wide ? sort_wide(s, cells)
                       : sl_sort_by_key(pool, s->arena, s->keys, n, cells, s->order, s->low);
    return sorted && list_stretches(s);
}

bool sl_grid_sort(SlCellGrid *grid, SlPoints points, SlArena *arena, uint32_t *order)
{
    SlContext *context = grid->context;
    SlArenaMark mark = sl_arena_mark(arena);
    Sort s = {.context = context,
              .arena = arena,
              .kernels = SL_KERNELS(context->isa, sl_neighbour_kernels),
              .grid = grid,
              .points = points,
              .keys = SL_PUSH(arena, uint32_t, 8 * sl_point_blocks(points)),
              .low = SL_PUSH(arena, uint32_t, points.count),
              .order = order};
    bool sorted = s.keys != NULL && s.low != NULL &&
                  (grid->compact ? sort_compact(&s) : sort_bounded(&s));
    sl_arena_release(arena, mark);
    return sorted;
}
