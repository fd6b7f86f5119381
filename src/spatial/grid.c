#include "spatial/grid.h"

#include <math.h>
#include <string.h>

#include "core/sort.h"
#include "spatial/neighbour_kernels.h"

/* A bounded grid beyond this takes more memory (64 MiB) than most of the particles in it. */
static const uint64_t max_bounded_cells = (uint64_t)1 << 24;
/* Cells along a side are counted in floats: exactly, with a few bits for the place in a cell. */
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
    /* A stretch and its two slots for five particles: a sheet of fluid two spacings thick. */
    return sort + count * (8 + (sizeof(SlCellStretch) + 16) / 5);
}

/* Where cells are counted from along an axis, and the first and last that count. An open side has
   its origin at 0 and cells up to the reach. */
static SlStatus set_axis(SlCellGrid *grid, int k, SlBox box, double cell, SlError *error)
{
    float low = (&box.min.x)[k], high = (&box.max.x)[k];
    double along = isinf(low) || isinf(high) ? SL_GRID_REACH : cells_along(low, high, cell);
    (&grid->origin.x)[k] = isinf(low) ? 0 : low;
    grid->least[k] = isinf(low) ? -(float)SL_GRID_REACH : 0;
    grid->most[k] = (float)(along - 1);
    if (along <= max_along)
        return SL_OK;
    return sl_error_set(error, SL_ERROR_MEMORY,
                        "the domain is %.4g cells of %g m long in %c, at most %g can be told apart; "
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
                            "bounded grid; take the compact one",
                            (double)cell);
    for (int k = 0; k < 3; k++)
        grid->size[k] = (uint32_t)grid->most[k] + 1;
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

typedef struct Keys {
    const SlCellGrid *grid;
    const SlNeighbourKernels *kernels;
    const float *records;
    uint32_t *keys;
} Keys;

static void keys_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Keys *k = argument;
    k->kernels->keys(k->grid, k->records, k->keys, NULL, begin, end);
}

static bool sort_bounded(SlCellGrid *grid, SlParticles *particles, const float *records)
{
    SlContext *context = grid->context;
    size_t n = particles->count;
    uint32_t *keys = SL_PUSH(&context->arena, uint32_t, particles->capacity);
    uint32_t *sorted = SL_PUSH(&context->arena, uint32_t, n);
    uint32_t *order = SL_PUSH(&context->arena, uint32_t, n);
    if (keys == NULL || sorted == NULL || order == NULL)
        return false;
    Keys k = {grid, SL_KERNELS(context->isa, sl_neighbour_kernels), records, keys};
    sl_parallel_for(context->pool, sl_particle_blocks(particles), 1024, keys_chunk, &k);
    if (!sl_sort_by_key(context->pool, &context->arena, keys, n, grid->cell_count, order, sorted))
        return false;
    sl_key_starts(context->pool, sorted, n, grid->cell_count, grid->start);
    sl_particles_reorder(particles, order);
    return true;
}

bool sl_grid_sort(SlCellGrid *grid, SlParticles *particles, const float *records)
{
    SlArena *arena = &grid->context->arena;
    SlArenaMark mark = sl_arena_mark(arena);
    bool sorted = grid->compact ? sl_grid_sort_compact(grid, particles, records)
                                : sort_bounded(grid, particles, records);
    sl_arena_release(arena, mark);
    return sorted;
}

/* --- The sort of a compact grid. The occupied cells' own box gives every cell a number as in a bounded
   grid; the particles are sorted by it, and the stretches that hold one are listed.

   Numbers in that box are mostly short: water spread over 20 m in cells of 4 cm needs 27 bits, as
   many as a bounded grid would. A stale_distance particle far away makes them longer than 32 bits; then two
   stable sorts by halves do it. Rejected: hashing particles first and sorting only cells; it needs
   a table that all threads write. --- */

enum { CHUNK_BLOCKS = 1024, CHUNK_PLACES = 8192 };

typedef struct Sort {
    const SlNeighbourKernels *kernels;
    SlCellGrid *grid;
    const float *records;
    size_t count;
    SlCellExtent *extents; /* per chunk */
    uint32_t *keys, *high_keys; /* low and high halves of cell numbers; high ones NULL if all 0 */
    /* in sorted order */
    uint32_t *order, *low, *high;
    uint32_t *new_stretches; /* per chunk: how many begin there, then how many before it */
} Sort;

static void extent_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    const Sort *s = argument;
    s->kernels->extent(s->grid, s->records, s->count, begin, end, &s->extents[chunk]);
}

/* The box of occupied cells, whole stretches wide; returns how many cells it has. */
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

static void compact_keys_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Sort *s = argument;
    s->kernels->keys(s->grid, s->records, s->keys, s->high_keys, begin, end);
}

/* The high halves brought into the order that the sort by low halves gave. */
static void follow_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Sort *s = argument;
    for (size_t i = begin; i < end; i++)
        s->keys[i] = s->high_keys[s->order[i]];
}

/* Sorts by low halves and then, stably, by high ones. */
static bool sort_wide(Sort *s, SlContext *context, uint64_t cells)
{
    size_t n = s->count;
    SlArena *arena = &context->arena;
    uint32_t *second = SL_PUSH(arena, uint32_t, n), *order = SL_PUSH(arena, uint32_t, n);
    uint32_t *low = SL_PUSH(arena, uint32_t, n);
    s->high = SL_PUSH(arena, uint32_t, n);
    if (second == NULL || order == NULL || low == NULL || s->high == NULL ||
        !sl_sort_by_key(context->pool, arena, s->keys, n, (uint64_t)1 << 32, s->order, s->low))
        return false;
    sl_parallel_for(context->pool, n, CHUNK_PLACES, follow_chunk, s);
    if (!sl_sort_by_key(context->pool, arena, s->keys, n, (cells >> 32) + 1, second, s->high))
        return false;
    for (size_t i = 0; i < n; i++) {
        order[i] = s->order[second[i]];
        low[i] = s->low[second[i]];
    }
    s->order = order;
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

/* Place i opens the cells after its predecessor's up to its own, within the stretches they are in:
   every entry has one writer. */
static void open_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    const Sort *s = argument;
    SlCellStretch *stretch = s->grid->stretches + s->new_stretches[chunk];
    stretch -= stretch > s->grid->stretches ? 1 : 0; /* the one under way */
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
    if (end == s->count)
        for (uint64_t c = number_at(s, end - 1) % SL_STRETCH_CELLS + 1; c <= SL_STRETCH_CELLS; c++)
            stretch->start[c] = (uint32_t)end;
}

/* Room for so many stretches, and half as many again when it grows; contents are lost. */
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

static bool list_stretches(Sort *s, SlContext *context)
{
    SlCellGrid *grid = s->grid;
    size_t chunks = sl_chunk_count(s->count, CHUNK_PLACES);
    s->new_stretches = SL_PUSH(&context->arena, uint32_t, chunks);
    if (s->new_stretches == NULL)
        return false;
    sl_parallel_for(context->pool, s->count, CHUNK_PLACES, count_chunk, s);
    uint32_t total = 0;
    for (size_t c = 0; c < chunks; c++) {
        uint32_t here = s->new_stretches[c];
        s->new_stretches[c] = total;
        total += here;
    }
    grid->stretch_count = total;
    if (!fit_stretches(grid, total))
        return false;
    sl_parallel_for(context->pool, s->count, CHUNK_PLACES, open_chunk, s);
    fill_table(grid);
    return true;
}

bool sl_grid_sort_compact(SlCellGrid *grid, SlParticles *particles, const float *records)
{
    SlContext *context = grid->context;
    SlArena *arena = &context->arena;
    size_t n = particles->count, blocks = sl_particle_blocks(particles);
    size_t chunks = sl_chunk_count(blocks, CHUNK_BLOCKS);
    Sort s = {.kernels = SL_KERNELS(context->isa, sl_neighbour_kernels),
              .grid = grid,
              .records = records,
              .count = n,
              .extents = SL_PUSH(arena, SlCellExtent, chunks),
              .keys = SL_PUSH(arena, uint32_t, particles->capacity),
              .order = SL_PUSH(arena, uint32_t, n),
              .low = SL_PUSH(arena, uint32_t, n)};
    if (s.extents == NULL || s.keys == NULL || s.order == NULL || s.low == NULL)
        return false;
    if (n == 0) {
        grid->stretch_count = 0;
        return true;
    }
    sl_parallel_for(context->pool, blocks, CHUNK_BLOCKS, extent_chunk, &s);
    uint64_t cells = set_box(grid, s.extents, chunks);
    bool wide = cells >> 32 != 0;
    if (wide && (s.high_keys = SL_PUSH(arena, uint32_t, particles->capacity)) == NULL)
        return false;
    sl_parallel_for(context->pool, blocks, CHUNK_BLOCKS, compact_keys_chunk, &s);
    bool sorted = wide ? sort_wide(&s, context, cells)
                       : sl_sort_by_key(context->pool, arena, s.keys, n, cells, s.order, s.low);
    if (!sorted || !list_stretches(&s, context))
        return false;
    sl_particles_reorder(particles, s.order);
    return true;
}
