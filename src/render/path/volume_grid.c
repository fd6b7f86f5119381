/* Packs densities into the sparse grid of a volume (volume_grid.h). */
#include "render/path/volume_grid.h"

#include <string.h>

typedef struct Packing {
    SlVolume *volume;
    const SlVoxelValues *values;
    SlBlockGrid all;    /* finds a super-voxel of `values` by its coordinates */
    const uint32_t *kept; /* super-voxel of the volume → of `values` */
    float *maximum;     /* of all super-voxels of `values` */
} Packing;

/* Number of the table's place for c: where it is, or the free place where it belongs. */
static uint32_t place_in(const uint32_t *table, uint32_t size, const SlBlockCoord *coords,
                         SlBlockCoord c)
{
    uint32_t at = sl_block_hash(c) & (size - 1);
    for (; table[at] != SL_NO_BLOCK; at = (at + 1) & (size - 1)) {
        SlBlockCoord found = coords[table[at]];
        if (found.x == c.x && found.y == c.y && found.z == c.z)
            break;
    }
    return at;
}

static uint32_t table_size_for(uint32_t count)
{
    uint32_t size = 16;
    while (size / 2 <= count)
        size *= 2;
    return size;
}

static bool make_table(SlContext *context, const SlVoxelValues *values, SlBlockGrid *all)
{
    *all = (SlBlockGrid){.count = values->count, .coords = (SlBlockCoord *)values->coords,
                         .table_size = table_size_for(values->count)};
    all->table = SL_PUSH(&context->arena, uint32_t, all->table_size);
    if (all->table == NULL)
        return false;
    memset(all->table, 0xff, all->table_size * sizeof *all->table);
    for (uint32_t k = 0; k < all->count; k++)
        all->table[place_in(all->table, all->table_size, all->coords, all->coords[k])] = k;
    return true;
}

/* The 9³ nodes of super-voxel v: its own, and the faces, edges and corner of those above it. Returns
   their maximum. */
static float collect_nodes(const Packing *p, uint32_t v, float nodes[SL_VOXEL_STRIDE])
{
    SlBlockCoord c = p->values->coords[v];
    uint32_t from[8];
    for (int k = 0; k < 8; k++)
        from[k] = k == 0 ? v
                         : sl_block_grid_find(&p->all, (SlBlockCoord){c.x + (k & 1), c.y + (k >> 1 & 1),
                                                                      c.z + (k >> 2)});
    float maximum = 0;
    int n = 0;
    for (int z = 0; z < SL_VOXEL_NODES; z++)
        for (int y = 0; y < SL_VOXEL_NODES; y++)
            for (int x = 0; x < SL_VOXEL_NODES; x++, n++) {
                uint32_t voxel = from[(x >> 3) + 2 * (y >> 3) + 4 * (z >> 3)];
                int at = (x & 7) + 8 * ((y & 7) + 8 * (z & 7));
                nodes[n] = voxel == SL_NO_BLOCK ? 0 : p->values->own[voxel * (size_t)SL_VOXEL_OWN +
                                                                     (size_t)at];
                maximum = fmaxf(maximum, nodes[n]);
            }
    return maximum;
}

static void maximum_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    Packing *p = argument;
    float nodes[SL_VOXEL_STRIDE];
    for (size_t v = begin; v < end; v++)
        p->maximum[v] = collect_nodes(p, (uint32_t)v, nodes);
}

/* The bounds of the blocks of a super-voxel with these nodes. */
static void bound_blocks(const uint16_t *nodes, uint8_t *blocks)
{
    enum { SIDE = SL_VOXEL_CELLS / SL_VOXEL_BLOCKS, FULL = (int)SL_VOXEL_UNIT };
    for (int b = 0; b < SL_BLOCK_TABLE; b++) {
        const uint16_t *first = nodes + SIDE * ((b & 3) + SL_VOXEL_NODES * ((b >> 2 & 3) + SL_VOXEL_NODES * (b >> 4)));
        int low = FULL, high = 0;
        for (int z = 0; z <= SIDE; z++)
            for (int y = 0; y <= SIDE; y++)
                for (int x = 0; x <= SIDE; x++) {
                    int value = first[x + SL_VOXEL_NODES * (y + SL_VOXEL_NODES * z)];
                    low = value < low ? value : low;
                    high = value > high ? value : high;
                }
        blocks[b] = low == FULL ? SL_BLOCK_FULL : (uint8_t)((high + SL_BLOCK_UNIT - 1) / SL_BLOCK_UNIT);
    }
}

static void pack_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    Packing *p = argument;
    float nodes[SL_VOXEL_STRIDE];
    for (size_t v = begin; v < end; v++) {
        float maximum = collect_nodes(p, p->kept[v], nodes), scale = SL_VOXEL_UNIT / maximum;
        uint16_t *out = p->volume->nodes + v * SL_VOXEL_STRIDE;
        memset(out, 0, SL_VOXEL_STRIDE * sizeof *out);
        for (int n = 0; n < SL_VOXEL_NODES * SL_VOXEL_NODES * SL_VOXEL_NODES; n++)
            out[n] = (uint16_t)fminf(nodes[n] * scale + 0.5f, SL_VOXEL_UNIT);
        p->volume->maximum[v] = maximum;
        bound_blocks(out, p->volume->blocks + v * SL_BLOCK_TABLE);
        if (p->volume->velocity != NULL)
            memcpy(p->volume->velocity + v * 3 * SL_VOXEL_BINS,
                   p->values->velocity + (size_t)p->kept[v] * 3 * SL_VOXEL_BINS,
                   3 * SL_VOXEL_BINS * sizeof(float));
    }
}

static SlBlockCoord region_of(SlBlockCoord voxel)
{
    return (SlBlockCoord){voxel.x >> 3, voxel.y >> 3, voxel.z >> 3};
}

/* Regions in the order of their first super-voxel, with their tables. */
static bool make_regions(Packing *p)
{
    SlVolume *volume = p->volume;
    SlMemory *memory = &volume->context->memory;
    uint32_t size = table_size_for(volume->voxel_count);
    uint32_t *table = SL_PUSH(&volume->context->arena, uint32_t, size);
    SlBlockCoord *regions = SL_PUSH(&volume->context->arena, SlBlockCoord, volume->voxel_count);
    if (table == NULL || regions == NULL)
        return false;
    memset(table, 0xff, size * sizeof *table);
    for (uint32_t v = 0; v < volume->voxel_count; v++) {
        SlBlockCoord c = region_of(p->values->coords[p->kept[v]]);
        uint32_t at = place_in(table, size, regions, c);
        if (table[at] == SL_NO_BLOCK) {
            regions[volume->region_count] = c;
            table[at] = volume->region_count++;
        }
    }
    volume->table_size = table_size_for(volume->region_count);
    volume->regions = sl_alloc(memory, volume->region_count * sizeof *regions);
    volume->table = sl_alloc(memory, volume->table_size * sizeof *table);
    volume->voxels = sl_alloc(memory, (size_t)volume->region_count * SL_REGION_TABLE * sizeof *table);
    if (volume->regions == NULL || volume->table == NULL || volume->voxels == NULL)
        return false;
    memcpy(volume->regions, regions, volume->region_count * sizeof *regions);
    memset(volume->table, 0xff, volume->table_size * sizeof *table);
    memset(volume->voxels, 0xff, (size_t)volume->region_count * SL_REGION_TABLE * sizeof *table);
    for (uint32_t k = 0; k < volume->region_count; k++)
        volume->table[place_in(volume->table, volume->table_size, volume->regions, regions[k])] = k;
    for (uint32_t v = 0; v < volume->voxel_count; v++) {
        SlBlockCoord c = p->values->coords[p->kept[v]];
        const int32_t voxel[3] = {c.x, c.y, c.z};
        uint32_t region = sl_volume_region(volume, region_of(c));
        volume->voxels[region * (size_t)SL_REGION_TABLE + sl_region_place(voxel)] = v;
    }
    return true;
}

/* Bounds of what was kept, in super-voxels. */
static void find_bounds(const Packing *p)
{
    SlVolume *volume = p->volume;
    int32_t low[3] = {INT32_MAX, INT32_MAX, INT32_MAX}, high[3] = {INT32_MIN, INT32_MIN, INT32_MIN};
    for (uint32_t v = 0; v < volume->voxel_count; v++) {
        SlBlockCoord c = p->values->coords[p->kept[v]];
        const int32_t at[3] = {c.x, c.y, c.z};
        for (int a = 0; a < 3; a++) {
            low[a] = at[a] < low[a] ? at[a] : low[a];
            high[a] = at[a] > high[a] ? at[a] : high[a];
        }
        volume->global_maximum = fmaxf(volume->global_maximum, p->maximum[p->kept[v]]);
    }
    if (volume->voxel_count == 0)
        return;
    float side = volume->voxel;
    volume->bounds.min = sl_add(volume->origin, sl_vec3((float)low[0] * side, (float)low[1] * side,
                                                        (float)low[2] * side));
    volume->bounds.max = sl_add(volume->origin, sl_vec3((float)(high[0] + 1) * side,
                                                        (float)(high[1] + 1) * side,
                                                        (float)(high[2] + 1) * side));
}

SlStatus sl_volume_pack(SlVolume *volume, const SlVoxelValues *values, SlError *error)
{
    enum { CHUNK = 64 };
    SlContext *context = volume->context;
    Packing p = {.volume = volume, .values = values};
    p.maximum = SL_PUSH(&context->arena, float, values->count);
    uint32_t *kept = SL_PUSH(&context->arena, uint32_t, values->count);
    if (p.maximum == NULL || kept == NULL || !make_table(context, values, &p.all))
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for the snow volume's table");
    sl_parallel_for(context->pool, values->count, CHUNK, maximum_chunk, &p);
    for (uint32_t v = 0; v < values->count; v++)
        if (p.maximum[v] > 0)
            kept[volume->voxel_count++] = v;
    p.kept = kept;
    if (volume->voxel_count > 0) {
        volume->nodes = sl_alloc(&context->memory,
                                 (size_t)volume->voxel_count * SL_VOXEL_STRIDE * sizeof(uint16_t));
        volume->maximum = sl_alloc(&context->memory, volume->voxel_count * sizeof(float));
        volume->blocks = sl_alloc(&context->memory, (size_t)volume->voxel_count * SL_BLOCK_TABLE);
        if (values->velocity != NULL)
            volume->velocity = sl_alloc(&context->memory,
                                        (size_t)volume->voxel_count * 3 * SL_VOXEL_BINS * sizeof(float));
        if (volume->nodes == NULL || volume->maximum == NULL || volume->blocks == NULL ||
            (values->velocity != NULL && volume->velocity == NULL) || !make_regions(&p))
            return sl_error_set(error, SL_ERROR_MEMORY,
                                "no memory for a snow volume of %u super-voxels; set a larger "
                                "snow_cell", volume->voxel_count);
    }
    sl_parallel_for(context->pool, volume->voxel_count, CHUNK, pack_chunk, &p);
    find_bounds(&p);
    return SL_OK;
}
