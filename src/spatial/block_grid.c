#include "spatial/block_grid.h"

#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b)
{
    const SlBlockCoord *p = a, *q = b;
    if (p->z != q->z)
        return p->z < q->z ? -1 : 1;
    if (p->y != q->y)
        return p->y < q->y ? -1 : 1;
    return p->x < q->x ? -1 : p->x > q->x;
}

static uint32_t table_size_for(uint32_t count)
{
    uint32_t size = 16;
    while (size / 2 <= count)
        size *= 2;
    return size;
}

static bool in_range(SlBlockCoord c)
{
    return c.x >= -SL_BLOCK_LIMIT && c.x < SL_BLOCK_LIMIT && c.y >= -SL_BLOCK_LIMIT &&
           c.y < SL_BLOCK_LIMIT && c.z >= -SL_BLOCK_LIMIT && c.z < SL_BLOCK_LIMIT;
}

static void fill_table(SlBlockGrid *grid)
{
    memset(grid->table, 0xff, grid->table_size * sizeof *grid->table);
    uint32_t mask = grid->table_size - 1;
    for (uint32_t block = 0; block < grid->count; block++) {
        uint32_t at = sl_block_hash(grid->coords[block]) & mask;
        while (grid->table[at] != SL_NO_BLOCK)
            at = (at + 1) & mask;
        grid->table[at] = block;
    }
}

size_t sl_block_grid_bytes(uint32_t count)
{
    return (size_t)count * (SL_BLOCK_STRIDE * sizeof(float) + sizeof(SlBlockCoord)) +
           (size_t)table_size_for(count) * sizeof(uint32_t);
}

SlStatus sl_block_grid_create(SlContext *context, const SlBlockCoord *coords, uint32_t count,
                              SlBlockGrid *grid, SlError *error)
{
    memset(grid, 0, sizeof *grid);
    if (count > (1u << 29))
        return sl_error_set(error, SL_ERROR_MEMORY, "a grid of %u blocks is too large", count);
    grid->context = context;
    grid->count = count;
    grid->table_size = table_size_for(count);
    SlMemory *memory = &context->memory;
    grid->coords = sl_alloc(memory, count * sizeof *coords);
    grid->table = sl_alloc(memory, grid->table_size * sizeof *grid->table);
    grid->values = sl_alloc_zero(memory, (size_t)count * SL_BLOCK_STRIDE, sizeof(float));
    if (grid->table == NULL || (count > 0 && (grid->coords == NULL || grid->values == NULL))) {
        sl_block_grid_destroy(grid);
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for a grid of %u blocks", count);
    }
    if (count > 0) {
        memcpy(grid->coords, coords, count * sizeof *coords);
        qsort(grid->coords, count, sizeof *coords, compare);
    }
    for (uint32_t k = 0; k < count; k++) {
        bool twice = k > 0 && compare(&grid->coords[k - 1], &grid->coords[k]) == 0;
        if (twice || !in_range(grid->coords[k])) {
            SlBlockCoord c = grid->coords[k];
            sl_block_grid_destroy(grid);
            return sl_error_set(error, SL_ERROR_ARGUMENT, "block (%d, %d, %d) %s", c.x, c.y, c.z,
                                twice ? "is there twice" : "is out of range");
        }
    }
    fill_table(grid);
    return SL_OK;
}

void sl_block_grid_destroy(SlBlockGrid *grid)
{
    if (grid->context == NULL)
        return;
    SlMemory *memory = &grid->context->memory;
    sl_free(memory, grid->coords, grid->count * sizeof *grid->coords);
    sl_free(memory, grid->table, grid->table_size * sizeof *grid->table);
    sl_free(memory, grid->values, (size_t)grid->count * SL_BLOCK_STRIDE * sizeof(float));
    memset(grid, 0, sizeof *grid);
}
