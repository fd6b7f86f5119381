/* The water's particles, of all systems of water together, sorted into cells as wide as a neighbourhood. */
#include <math.h>
#include <string.h>

#include "filters/whitewater/whitewater.h"

enum { CLOUD_CHUNK = 4096 };

/* Bounds and the largest speed of a chunk. */
typedef struct Extent {
    float low[3], high[3], speed2;
} Extent;

typedef struct Collect {
    WaterCloud *cloud;
    const WaterSource *source;
    float (*records)[4];
    Extent *extents;
} Collect;

static void collect_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    const Collect *p = argument;
    const WaterSource *source = p->source;
    Extent extent = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}, 0};
    for (size_t i = begin; i < end; i++) {
        float *x = p->records[source->first + i], v[3];
        memcpy(x, (const char *)source->position.data + i * source->position.stride, 12);
        memcpy(v, (const char *)source->velocity.data + i * source->velocity.stride, 12);
        x[3] = 0;
        float speed2 = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
        if (!isfinite(x[0] + x[1] + x[2]) || !isfinite(speed2)) {
            x[0] = x[1] = x[2] = SL_FAR; /* neither a neighbour nor a source */
            continue;
        }
        extent.speed2 = speed2 > extent.speed2 ? speed2 : extent.speed2;
        for (int k = 0; k < 3; k++) {
            extent.low[k] = x[k] < extent.low[k] ? x[k] : extent.low[k];
            extent.high[k] = x[k] > extent.high[k] ? x[k] : extent.high[k];
        }
    }
    p->extents[chunk] = extent;
}

static void join_extents(WaterCloud *cloud, const Extent *extents, size_t count, float *speed2)
{
    for (size_t c = 0; c < count; c++) {
        *speed2 = extents[c].speed2 > *speed2 ? extents[c].speed2 : *speed2;
        for (int k = 0; k < 3; k++) {
            float low = extents[c].low[k], high = extents[c].high[k];
            cloud->low[k] = low < cloud->low[k] ? low : cloud->low[k];
            cloud->high[k] = high > cloud->high[k] ? high : cloud->high[k];
        }
    }
}

const WaterSource *water_cloud_source(const WaterCloud *cloud, size_t place)
{
    size_t s = cloud->source_count - 1;
    while (cloud->order[place] < cloud->sources[s].first)
        s--;
    return &cloud->sources[s];
}

static void permute_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Collect *p = argument;
    WaterCloud *cloud = p->cloud;
    float inverse = 1 / (cloud->spacing * cloud->spacing * cloud->spacing);
    for (size_t k = begin; k < end; k++) {
        const WaterSource *source = water_cloud_source(cloud, k);
        size_t i = cloud->order[k] - source->first;
        const float *x = p->records[cloud->order[k]];
        float v[3] = {0, 0, 0};
        bool here = x[0] != SL_FAR;
        if (here)
            memcpy(v, (const char *)source->velocity.data + i * source->velocity.stride, sizeof v);
        for (int c = 0; c < 3; c++) {
            cloud->x[c][k] = x[c];
            cloud->v[c][k] = v[c];
        }
        cloud->id[k] = (uint32_t)i;
        if (source->id.data != NULL)
            memcpy(&cloud->id[k], (const char *)source->id.data + i * source->id.stride, 4);
        cloud->volume[k] = here ? sl_view_volume(source->system, i) * inverse : 0;
    }
}

/* A grid over the bounds, cut to what it can number: a point outside is in the nearest cell. */
static SlStatus create_grid(SlContext *context, WaterCloud *cloud)
{
    float longest = 0x1p20f * cloud->radius;
    SlBox box = {{0, 0, 0}, {0, 0, 0}};
    for (int k = 0; k < 3 && cloud->low[0] <= cloud->high[0]; k++) {
        float low = cloud->low[k], high = cloud->high[k];
        (&box.min.x)[k] = low;
        (&box.max.x)[k] = high - low < longest ? high : low + longest;
    }
    return sl_grid_create(context, box, cloud->radius, SL_GRID_AUTO, &cloud->grid, NULL);
}

static bool push_arrays(SlArena *arena, WaterCloud *cloud, Collect *p, SlPoints *points)
{
    size_t n = cloud->count, capacity = (n + 7) / 8 * 8;
    p->records = (float(*)[4])sl_arena_push_array(arena, capacity + 1, sizeof *p->records);
    p->extents = SL_PUSH(arena, Extent, sl_chunk_count(n, CLOUD_CHUNK) + 1);
    cloud->order = SL_PUSH(arena, uint32_t, n + 1);
    cloud->id = SL_PUSH(arena, uint32_t, n + 1);
    cloud->volume = SL_PUSH(arena, float, n + 8);
    bool pushed = p->records != NULL && p->extents != NULL && cloud->order != NULL &&
                  cloud->id != NULL && cloud->volume != NULL;
    for (int k = 0; k < 3; k++) {
        cloud->x[k] = SL_PUSH(arena, float, n + 8);
        cloud->v[k] = SL_PUSH(arena, float, n + 8);
        pushed = pushed && cloud->x[k] != NULL && cloud->v[k] != NULL;
    }
    if (!pushed)
        return false;
    for (size_t k = n; k <= capacity; k++)
        for (int c = 0; c < 4; c++)
            p->records[k][c] = SL_FAR;
    for (size_t k = n; k < n + 8; k++) {
        cloud->volume[k] = 0;
        for (int c = 0; c < 3; c++) {
            cloud->x[c][k] = SL_FAR;
            cloud->v[c][k] = 0;
        }
    }
    *points = (SlPoints){p->records[0], n, capacity};
    return true;
}

SlStatus water_cloud_create(SlContext *context, const WaterSource *sources, size_t source_count,
                            WaterCloud *cloud)
{
    memset(cloud, 0, sizeof *cloud);
    cloud->sources = sources;
    cloud->source_count = source_count;
    for (size_t s = 0; s < source_count; s++) {
        float spacing = sources[s].system->spacing;
        cloud->spacing = spacing > cloud->spacing ? spacing : cloud->spacing;
        cloud->count = sources[s].first + sources[s].system->particle_count;
    }
    if (!(cloud->spacing > 0))
        cloud->spacing = 1;
    cloud->radius = 2 * cloud->spacing;
    for (int k = 0; k < 3; k++) {
        cloud->low[k] = INFINITY;
        cloud->high[k] = -INFINITY;
    }
    Collect p = {.cloud = cloud};
    SlPoints points;
    if (cloud->count >= UINT32_MAX - 16 || !push_arrays(&context->arena, cloud, &p, &points))
        return SL_ERROR_MEMORY;
    float speed2 = 0;
    for (size_t s = 0; s < source_count; s++) {
        size_t n = sources[s].system->particle_count;
        p.source = &sources[s];
        sl_parallel_for(context->pool, n, CLOUD_CHUNK, collect_chunk, &p);
        join_extents(cloud, p.extents, sl_chunk_count(n, CLOUD_CHUNK), &speed2);
    }
    cloud->max_speed = sqrtf(speed2);
    if (create_grid(context, cloud) != SL_OK ||
        (cloud->count > 0 && !sl_grid_sort(&cloud->grid, points, &context->arena, cloud->order)))
        return SL_ERROR_MEMORY;
    sl_parallel_for(context->pool, cloud->count, CLOUD_CHUNK, permute_chunk, &p);
    return SL_OK;
}

void water_cloud_destroy(WaterCloud *cloud)
{
    sl_grid_destroy(&cloud->grid);
}
