#include "particles/grid.h"

#include <math.h>
#include <string.h>

#include "core/sort.h"
#include "particles/neighbour_kernels.h"

/* A bounded grid beyond this takes more memory (64 MiB) than most of the particles in it. */
static const uint64_t most_bounded_cells = (uint64_t)1 << 24;
/* Cells along a side are counted in floats: exactly, with a few bits for the place in a cell. */
static const double most_along = 1 << 21;

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
           (kind == SL_GRID_AUTO && (cells == 0 || cells > most_bounded_cells));
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
    if (along <= most_along)
        return SL_OK;
    return sl_error_set(error, SL_ERROR_MEMORY,
                        "the domain is %.4g cells of %g m long in %c, at most %g can be told apart; "
                        "make it smaller or the spacing larger",
                        along, cell, "xyz"[k], most_along);
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
