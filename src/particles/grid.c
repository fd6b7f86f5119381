#include "particles/grid.h"

#include <math.h>
#include <string.h>

#include "core/sort.h"
#include "particles/neighbour_kernels.h"

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

SlStatus sl_grid_create(SlContext *context, SlBox box, float cell, SlCellGrid *grid, SlError *error)
{
    memset(grid, 0, sizeof *grid);
    uint64_t cells = sl_grid_cells(box, cell);
    if (cells == 0)
        return sl_error_set(error, SL_ERROR_MEMORY,
                            "the domain has 2^32 or more cells of %g m; make it smaller or the "
                            "spacing larger",
                            (double)cell);
    grid->context = context;
    grid->origin = box.min;
    grid->inverse_cell = 1.0f / cell;
    grid->size[0] = (uint32_t)cells_along(box.min.x, box.max.x, cell);
    grid->size[1] = (uint32_t)cells_along(box.min.y, box.max.y, cell);
    grid->size[2] = (uint32_t)cells_along(box.min.z, box.max.z, cell);
    grid->cell_count = (uint32_t)cells;
    grid->start = sl_alloc_zero(&context->memory, (size_t)cells + 1, sizeof *grid->start);
    if (grid->start == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for %llu cells",
                            (unsigned long long)cells);
    return SL_OK;
}

void sl_grid_destroy(SlCellGrid *grid)
{
    if (grid->context != NULL)
        sl_free(&grid->context->memory, grid->start,
                ((size_t)grid->cell_count + 1) * sizeof *grid->start);
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
    k->kernels->keys(k->grid, k->records, k->keys, begin, end);
}

bool sl_grid_sort(SlCellGrid *grid, SlParticles *particles, const float *records)
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
