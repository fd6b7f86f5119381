/* The field on the blocks near the surface: each block adds the kernels that reach its nodes. A node
   belongs to one block, so it has one value whichever cell reads it, and the mesh closes across
   blocks. */
#include <string.h>

#include "filters/surface/surface.h"

typedef struct Field {
    const SurfaceLattice *lattice;
    const SurfacePoints *points;
    SurfaceBlocks *blocks;
    const uint32_t *block_of_field;
    float reach; /* m: of the widest kernel */
} Field;

/* First and last of the block's eight nodes along an axis within the extent; false: none. */
static bool node_range(float center, float extent, float first_node, float inverse_cell, int *from,
                       int *to)
{
    float low = (center - extent - first_node) * inverse_cell;
    float high = (center + extent - first_node) * inverse_cell;
    if (!(high >= 0 && low <= SURFACE_BLOCK - 1))
        return false;
    *from = low > 0 ? (int)low + ((float)(int)low < low) : 0; /* rounded up */
    *to = high < SURFACE_BLOCK - 1 ? (int)high : SURFACE_BLOCK - 1;
    return *from <= *to;
}

/* All eight nodes of a row at once: those out of reach get 0. */
static void add_kernel(const Field *p, const SurfaceKernel *kernel, const float first[3],
                       float *values)
{
    const SurfaceLattice *lattice = p->lattice;
    int x0, x1, y0, y1, z0, z1;
    if (!node_range(kernel->center[0], kernel->extent[0], first[0], lattice->inverse_cell[0], &x0,
                    &x1) ||
        !node_range(kernel->center[1], kernel->extent[1], first[1], lattice->inverse_cell[1], &y0,
                    &y1) ||
        !node_range(kernel->center[2], kernel->extent[2], first[2], lattice->inverse_cell[2], &z0,
                    &z1))
        return;
    const float *a = kernel->a;
    float dx[SURFACE_BLOCK], square[SURFACE_BLOCK];
    for (int x = 0; x < SURFACE_BLOCK; x++) {
        dx[x] = first[0] + (float)x * lattice->cell[0] - kernel->center[0];
        square[x] = a[0] * dx[x] * dx[x];
    }
    for (int z = z0; z <= z1; z++) {
        float w = first[2] + (float)z * lattice->cell[2] - kernel->center[2];
        for (int y = y0; y <= y1; y++) {
            float v = first[1] + (float)y * lattice->cell[1] - kernel->center[1];
            float constant = 1 - (a[1] * v * v + a[2] * w * w + 2 * a[5] * v * w);
            float linear = 2 * (a[3] * v + a[4] * w);
            float *row = values + SURFACE_BLOCK * (y + SURFACE_BLOCK * z);
            for (int x = 0; x < SURFACE_BLOCK; x++) {
                float t = constant - linear * dx[x] - square[x];
                t = t > 0 ? t : 0;
                row[x] += kernel->amplitude * t * t * t;
            }
        }
    }
}

static void field_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Field *p = argument;
    for (size_t f = begin; f < end; f++) {
        SlBlockCoord block = p->blocks->set.keys[p->block_of_field[f]];
        const int32_t *at = &block.x;
        float *values = p->blocks->fields + f * SURFACE_BLOCK_NODES;
        float first[3], low[3], high[3];
        memset(values, 0, SURFACE_BLOCK_NODES * sizeof *values);
        for (int k = 0; k < 3; k++) {
            first[k] = surface_node(p->lattice, k, at[k] * SURFACE_BLOCK);
            low[k] = first[k] - p->reach;
            high[k] = first[k] + (SURFACE_BLOCK - 1) * p->lattice->cell[k] + p->reach;
        }
        SurfaceRuns runs = surface_runs(&p->points->grid, low, high);
        for (uint32_t j, last; surface_next_run(&runs, &j, &last);)
            for (; j < last; j++)
                if (p->points->kernels[j].amplitude > 0)
                    add_kernel(p, &p->points->kernels[j], first, values);
    }
}

bool surface_field_compute(SlContext *context, const SurfaceLattice *lattice,
                           const SurfaceSettings *settings, const SurfacePoints *points,
                           SurfaceBlocks *blocks)
{
    uint32_t *block_of_field = SL_PUSH(&context->arena, uint32_t, blocks->field_count);
    if (block_of_field == NULL)
        return false;
    for (uint32_t b = 0; b < blocks->set.count; b++)
        if (blocks->field_of[b] < SURFACE_AIR)
            block_of_field[blocks->field_of[b]] = b;
    Field p = {.lattice = lattice, .points = points, .blocks = blocks,
               .block_of_field = block_of_field,
               .reach = settings->support * settings->spacing};
    sl_parallel_for(context->pool, blocks->field_count, 1, field_chunk, &p);
    return true;
}
