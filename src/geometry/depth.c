/* Blocks of eight spheres are projected once and put in order from near to far. Each strip of rows
   then draws those that reach into it, and passes over blocks that lie behind all there is in the
   tiles they would touch: inside a body of water that is most of them. Strips are fixed and a pixel
   takes the nearest, of equals the first, so nothing depends on threads or on the order. */
#include "geometry/depth.h"

#include <math.h>

#include "core/sort.h"
#include "geometry/depth_kernels.h"

enum { CHUNK_BLOCKS = 256, STRIP_ROWS = 8, TILE = 8, SPOTS_A_MEASURE = 8, DEPTH_KEYS = 2048 };

typedef struct Draw {
    SlDepthImage *image;
    const SlDepthKernels *kernels;
    const float *records;
    size_t count, blocks;
    float radius;
    SlSpotBounds *bounds;
    float (*ranges)[2]; /* per chunk: nearest and farthest block */
    float near, per_key;
    uint32_t *keys;
    const uint32_t *order; /* blocks, near to far */
    SlSpotBounds *ordered; /* their bounds side by side: every strip goes through all */
    float *farthest;       /* per tile: the farthest pixel in it, or farther */
    uint32_t *drawn;       /* per tile: spots drawn in it */
    size_t tiles_along;
} Draw;

static void project_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    const Draw *d = argument;
    d->kernels->project(&d->image->frame, d->records, d->count, d->radius, begin, end,
                        d->image->spots, d->bounds);
    float near = SL_DEPTH_EMPTY, far = 0;
    for (size_t b = begin; b < end; b++)
        if (d->bounds[b].near <= d->bounds[b].far) {
            near = fminf(near, d->bounds[b].near);
            far = fmaxf(far, d->bounds[b].near);
        }
    d->ranges[chunk][0] = near;
    d->ranges[chunk][1] = far;
}

static void keys_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Draw *d = argument;
    for (size_t b = begin; b < end; b++)
        d->keys[b] = d->bounds[b].near <= d->bounds[b].far
                         ? (uint32_t)((d->bounds[b].near - d->near) * d->per_key)
                         : DEPTH_KEYS - 1;
}

/* The tiles that something touches within rows [y0, y1). */
typedef struct Tiles {
    size_t x0, x1, y0, y1; /* inclusive */
} Tiles;

static Tiles tiles_of(const Draw *d, float x0, float x1, float y0, float y1, float top,
                      float bottom)
{
    float right = (float)(d->image->width - 1);
    return (Tiles){(size_t)fmaxf(x0, 0) / TILE, (size_t)fminf(x1, right) / TILE,
                   (size_t)fmaxf(y0, top) / TILE, (size_t)fminf(y1, bottom - 1) / TILE};
}

static bool hidden(const Draw *d, const Tiles *t, float near)
{
    for (size_t y = t->y0; y <= t->y1; y++)
        for (size_t x = t->x0; x <= t->x1; x++)
            if (near <= d->farthest[y * d->tiles_along + x])
                return false;
    return true;
}

static void measure_tile(const Draw *d, size_t tx, size_t ty)
{
    const SlDepthImage *image = d->image;
    size_t right = (tx + 1) * TILE < image->width ? (tx + 1) * TILE : image->width;
    size_t bottom = (ty + 1) * TILE < image->height ? (ty + 1) * TILE : image->height;
    float most = 0;
    for (size_t y = ty * TILE; y < bottom; y++)
        for (size_t x = tx * TILE; x < right; x++) {
            float depth = image->depth[y * image->width + x];
            most = depth > most ? depth : most;
        }
    d->farthest[ty * d->tiles_along + tx] = most;
}

/* A tile is measured again after every few spots in it. */
static void note_drawn(const Draw *d, const Tiles *t)
{
    for (size_t y = t->y0; y <= t->y1; y++)
        for (size_t x = t->x0; x <= t->x1; x++)
            if (++d->drawn[y * d->tiles_along + x] % SPOTS_A_MEASURE == 0)
                measure_tile(d, x, y);
}

static void order_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Draw *d = argument;
    for (size_t k = begin; k < end; k++)
        d->ordered[k] = d->bounds[d->order[k]];
}

static void draw_spot(const Draw *d, const SlSpot *s, uint32_t i, int32_t y0, int32_t y1)
{
    SlDepthImage *image = d->image;
    int32_t x0 = (int32_t)ceilf(s->x - s->radius - 0.5f);
    int32_t x1 = (int32_t)floorf(s->x + s->radius - 0.5f);
    int32_t top = (int32_t)ceilf(s->y - s->radius - 0.5f);
    int32_t bottom = (int32_t)floorf(s->y + s->radius - 0.5f);
    x0 = x0 > 0 ? x0 : 0;
    x1 = x1 < (int32_t)image->width - 1 ? x1 : (int32_t)image->width - 1;
    y0 = top > y0 ? top : y0;
    y1 = bottom < y1 - 1 ? bottom : y1 - 1;
    float inverse = 1 / s->radius;
    for (int32_t y = y0; y <= y1; y++)
        for (int32_t x = x0; x <= x1; x++) {
            float u = ((float)x + 0.5f - s->x) * inverse, v = ((float)y + 0.5f - s->y) * inverse;
            float rest = 1 - u * u - v * v;
            size_t pixel = (size_t)y * image->width + (size_t)x;
            if (rest < 0 || s->depth - d->radius > image->depth[pixel])
                continue;
            float depth = s->depth - d->radius * sqrtf(rest);
            if (depth < image->depth[pixel] ||
                (depth == image->depth[pixel] && i < image->seen[pixel])) {
                image->depth[pixel] = depth;
                image->seen[pixel] = i;
            }
        }
}

static void strip_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Draw *d = argument;
    SlDepthImage *image = d->image;
    for (size_t k = begin * image->width; k < end * image->width; k++) {
        image->depth[k] = SL_DEPTH_EMPTY;
        image->seen[k] = SL_DEPTH_NOBODY;
    }
    for (size_t t = begin / TILE * d->tiles_along; t < (end + TILE - 1) / TILE * d->tiles_along;
         t++) {
        d->farthest[t] = SL_DEPTH_EMPTY;
        d->drawn[t] = 0;
    }
    float first = (float)begin, last = (float)end, right = (float)image->width;
    for (size_t k = 0; k < d->blocks; k++) {
        const SlSpotBounds *at = &d->ordered[k];
        if (!(at->near <= at->far) || at->y1 < first || at->y0 >= last || at->x1 < 0 ||
            at->x0 >= right)
            continue;
        Tiles tiles = tiles_of(d, at->x0, at->x1, at->y0, at->y1, first, last);
        if (hidden(d, &tiles, at->near))
            continue;
        size_t b = d->order[k];
        for (size_t i = 8 * b; i < 8 * b + 8; i++) {
            const SlSpot *s = &image->spots[i];
            float r = s->radius;
            if (r <= 0 || s->y + r < first || s->y - r >= last || s->x + r < 0 || s->x - r >= right)
                continue;
            tiles = tiles_of(d, s->x - r, s->x + r, s->y - r, s->y + r, first, last);
            if (hidden(d, &tiles, s->depth - d->radius))
                continue;
            draw_spot(d, s, (uint32_t)i, (int32_t)begin, (int32_t)end);
            note_drawn(d, &tiles);
        }
    }
}

void sl_depth_draw(SlContext *context, const SlCamera *camera, uint32_t width, uint32_t height,
                   const float *records, size_t count, float radius, SlDepthImage *image)
{
    SlArena *arena = &context->arena;
    size_t blocks = (count + 7) / 8, chunks = sl_chunk_count(blocks, CHUNK_BLOCKS);
    size_t tiles_along = (width + TILE - 1) / TILE, tiles_down = (height + TILE - 1) / TILE;
    *image = (SlDepthImage){.frame = sl_camera_frame(camera, width, height),
                            .width = width,
                            .height = height,
                            .depth = SL_PUSH(arena, float, (size_t)width *height),
                            .seen = SL_PUSH(arena, uint32_t, (size_t)width * height),
                            .spots = SL_PUSH(arena, SlSpot, 8 * blocks)};
    uint32_t *order = SL_PUSH(arena, uint32_t, blocks), *sorted = SL_PUSH(arena, uint32_t, blocks);
    Draw d = {.image = image,
              .kernels = SL_KERNELS(context->isa, sl_depth_kernels),
              .records = records,
              .count = count,
              .blocks = blocks,
              .radius = radius,
              .bounds = SL_PUSH(arena, SlSpotBounds, blocks),
              .ranges = (float(*)[2])sl_arena_push_array(arena, chunks, 2 * sizeof(float)),
              .keys = SL_PUSH(arena, uint32_t, blocks),
              .order = order,
              .ordered = SL_PUSH(arena, SlSpotBounds, blocks),
              .farthest = SL_PUSH(arena, float, tiles_along *tiles_down),
              .drawn = SL_PUSH(arena, uint32_t, tiles_along * tiles_down),
              .tiles_along = tiles_along};
    bool room = image->depth != NULL && image->seen != NULL && image->spots != NULL &&
                order != NULL && sorted != NULL && d.bounds != NULL && d.ordered != NULL && d.ranges != NULL &&
                d.keys != NULL && d.farthest != NULL && d.drawn != NULL;
    if (room) {
        sl_parallel_for(context->pool, blocks, CHUNK_BLOCKS, project_chunk, &d);
        float far = 0;
        d.near = SL_DEPTH_EMPTY;
        for (size_t c = 0; c < chunks; c++) {
            d.near = fminf(d.near, d.ranges[c][0]);
            far = fmaxf(far, d.ranges[c][1]);
        }
        d.per_key = far > d.near ? (DEPTH_KEYS - 1) / (far - d.near) : 0;
        sl_parallel_for(context->pool, blocks, CHUNK_BLOCKS, keys_chunk, &d);
        room = sl_sort_by_key(context->pool, arena, d.keys, blocks, DEPTH_KEYS, order, sorted);
    }
    if (!room) {
        image->depth = NULL;
        return;
    }
    sl_parallel_for(context->pool, blocks, CHUNK_BLOCKS, order_chunk, &d);
    sl_parallel_for(context->pool, height, STRIP_ROWS, strip_chunk, &d);
}
