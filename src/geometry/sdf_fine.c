/* Fine blocks: what a cell gets whose mesh is too fine for it. A fine block is a block like the
   others, 4 x 4 x 4 cells on 5 x 5 x 5 nodes, in the place of one cell. */
#include "geometry/sdf_build.h"

#include <string.h>

typedef struct Filling {
    const SlSdfBuild *build;
    const SlD3 *corners;
    float *values;
    SlVec3 *normals;
    double cell;
} Filling;

/* The nodes of fine blocks, to and fro, so that each is a neighbour of the last. */
static void fill_blocks(void *argument, size_t begin, size_t end, size_t chunk)
{
    const Filling *f = argument;
    const int last = SL_BLOCK_NODES - 1;
    (void)chunk;
    for (size_t block = begin; block < end; block++) {
        SlSdfWalk walk = {0};
        SlD3 low = f->corners[block];
        for (int k = 0; k < SL_BLOCK_NODE_COUNT; k++) {
            int z = k / (SL_BLOCK_NODES * SL_BLOCK_NODES), j = k / SL_BLOCK_NODES % SL_BLOCK_NODES,
                i = k % SL_BLOCK_NODES;
            int y = (z & 1) != 0 ? last - j : j, x = ((j + z) & 1) != 0 ? last - i : i;
            SlD3 p = {low.x + f->cell * x, low.y + f->cell * y, low.z + f->cell * z};
            SlD3 normal = sl_sdf_walk_to(f->build, &walk, p);
            size_t at = block * SL_BLOCK_STRIDE + sl_block_node(x, y, z);
            f->values[at] = (float)(walk.sign * walk.distance);
            f->normals[at] = sl_d3_float(normal);
        }
    }
}

/* Numbers the fine blocks in the order of their cells, and says where they begin. */
static void place_blocks(const SlSdfLayer *layer, SlD3 *corners)
{
    uint32_t next = 0;
    for (size_t k = 0; k < layer->block_count * SL_BLOCK_CELL_COUNT; k++) {
        if (layer->codes[k] != SL_SDF_FINE)
            continue;
        SlD3 low = layer->corners[k / SL_BLOCK_CELL_COUNT];
        double h = layer->cell;
        size_t x = k % SL_BLOCK_CELLS, y = k / SL_BLOCK_CELLS % SL_BLOCK_CELLS,
               z = k / (SL_BLOCK_CELLS * SL_BLOCK_CELLS) % SL_BLOCK_CELLS;
        *corners++ = sl_d3(low.x + h * (double)x, low.y + h * (double)y, low.z + h * (double)z);
        layer->codes[k] = SL_SDF_FINE | next++;
    }
}

static size_t count_wanted(const SlSdfLayer *layer)
{
    size_t count = 0;
    for (size_t k = 0; k < layer->block_count * SL_BLOCK_CELL_COUNT; k++)
        count += layer->codes[k] == SL_SDF_FINE;
    return count;
}

/* Room for fine blocks in the field's arrays: both or neither, for destroy frees by one count. */
static bool grow_field(SlSdf *sdf, size_t count)
{
    SlMemory *memory = &sdf->context->memory;
    size_t blocks = sdf->grid.count, old_bytes = sl_sdf_code_bytes(sdf);
    const size_t code_bytes = SL_BLOCK_CELL_COUNT * sizeof(uint32_t);
    if ((blocks + count) * SL_BLOCK_CELL_COUNT >= SL_SDF_TREE)
        return false;
    sdf->fine_values = sl_alloc_zero(memory, count, SL_BLOCK_STRIDE * sizeof(float));
    uint32_t *codes = sl_alloc_zero(memory, blocks + count, code_bytes);
    if (sdf->fine_values == NULL || codes == NULL) {
        sl_free(memory, sdf->fine_values, count * SL_BLOCK_STRIDE * sizeof(float));
        sl_free(memory, codes, (blocks + count) * code_bytes);
        sdf->fine_values = NULL;
        return false;
    }
    memcpy(codes, sdf->codes, old_bytes);
    sl_free(memory, sdf->codes, old_bytes);
    sdf->codes = codes;
    sdf->fine_count = (uint32_t)count;
    return true;
}

bool sl_sdf_refine(SlSdfBuild *b, SlSdfLayer *layer, SlSdfLayer *finer)
{
    SlSdf *sdf = b->sdf;
    SlMemory *memory = &b->context->memory;
    size_t count = count_wanted(layer);
    *finer = (SlSdfLayer){.fine = true,
                          .cell = layer->cell / SL_BLOCK_CELLS,
                          .block_count = count};
    if (count == 0)
        return true;
    SlD3 *corners = sl_alloc(memory, count * sizeof *corners);
    SlVec3 *normals = sl_alloc(memory, count * SL_BLOCK_STRIDE * sizeof *normals);
    finer->corners = corners;
    finer->normals = normals;
    if (corners == NULL || normals == NULL || !grow_field(sdf, count))
        return false;
    layer->codes = sdf->codes; /* they moved */
    finer->values = sdf->fine_values;
    finer->codes = sdf->codes + (size_t)sdf->grid.count * SL_BLOCK_CELL_COUNT;
    place_blocks(layer, corners);
    Filling filling = {b, corners, sdf->fine_values, normals, finer->cell};
    sl_parallel_for(b->context->pool, count, 8, fill_blocks, &filling);
    return true;
}

void sl_sdf_layer_free(SlSdfBuild *b, SlSdfLayer *layer)
{
    SlMemory *memory = &b->context->memory;
    sl_free(memory, layer->corners, layer->block_count * sizeof(SlD3));
    sl_free(memory, layer->normals,
            layer->block_count * SL_BLOCK_STRIDE * sizeof(SlVec3));
}
