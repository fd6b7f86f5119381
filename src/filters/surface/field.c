/* The field on the blocks near the surface: each block adds the kernels that reach its nodes. A node
   belongs to one block, so it has one value whichever cell reads it, and the mesh closes across
   blocks. */
#include <string.h>

#include "filters/surface/runs.h"
#include "filters/surface/surface_kernels.h"

typedef struct Field {
    const SurfaceKernels *kernels;
    const SurfaceLattice *lattice;
    const SurfacePoints *points;
    const SurfaceSolids *solids;
    SurfaceBlocks *blocks;
    const uint32_t *block_of_field;
    float reach; /* m: of the widest kernel */
    float iso;
} Field;

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
                    p->kernels->add(p->lattice, &p->points->kernels[j], first, values);
        if (p->blocks->cut_bits != NULL) {
            SurfaceCut cut = {values, p->blocks->cut_bits + f * SURFACE_CUT_WORDS};
            memset(cut.bits, 0, SURFACE_CUT_WORDS * sizeof *cut.bits);
            surface_solids_cut(p->solids, p->lattice, p->iso, first, &cut);
        }
    }
}

bool surface_field_compute(SlContext *context, const SurfaceLattice *lattice,
                           const SurfaceSettings *settings, const SurfaceSolids *solids,
                           const SurfacePoints *points, SurfaceBlocks *blocks)
{
    uint32_t *block_of_field = SL_PUSH(&context->arena, uint32_t, blocks->field_count);
    if (block_of_field == NULL)
        return false;
    for (uint32_t b = 0; b < blocks->set.count; b++)
        if (blocks->field_of[b] < SURFACE_AIR)
            block_of_field[blocks->field_of[b]] = b;
    Field p = {.kernels = SL_KERNELS(context->isa, surface_kernels), .lattice = lattice,
               .points = points, .solids = solids, .blocks = blocks,
               .block_of_field = block_of_field, .iso = settings->iso,
               .reach = settings->support * settings->spacing};
    sl_parallel_for(context->pool, blocks->field_count, 1, field_chunk, &p);
    return true;
}
