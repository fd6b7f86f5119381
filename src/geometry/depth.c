/* Spheres are projected once, then each strip of rows draws those that reach into it, in their
   order. Strips are fixed, so nothing depends on threads; a sphere's chunk keeps the rows it spans,
   so that a strip passes over chunks that do not reach it. */
#include "geometry/depth.h"

#include <math.h>

enum { CHUNK = 1024, STRIP_ROWS = 8 };

/* A sphere in the image: centre and radius in pixels, depth of its centre; none if radius is 0. */
typedef struct Spot {
    float x, y, radius, depth;
} Spot;

typedef struct Draw {
    SlDepthImage *image;
    const float *records;
    size_t count, chunks;
    float sphere;
    Spot *spots;
    float (*rows)[2]; /* per chunk: first and last row it reaches */
} Draw;

static void project_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    const Draw *d = argument;
    const SlCameraFrame *frame = &d->image->frame;
    float low = 1e30f, high = -1e30f;
    for (size_t i = begin; i < end; i++) {
        const float *p = d->records + 4 * i;
        SlVec3 v = sl_camera_to_view(frame, (SlVec3){p[0], p[1], p[2]});
        Spot spot = {0, 0, 0, v.z};
        if (v.z > d->sphere) { /* a camera inside a sphere does not see it */
            float scale = frame->focal / v.z;
            spot.x = frame->center_x + scale * v.x;
            spot.y = frame->center_y - scale * v.y;
            /* At least half a pixel's diagonal: a far sphere still covers the pixel it is in. */
            spot.radius = fmaxf(scale * d->sphere, 0.71f);
            low = fminf(low, spot.y - spot.radius);
            high = fmaxf(high, spot.y + spot.radius);
        }
        d->spots[i] = spot;
    }
    d->rows[chunk][0] = low;
    d->rows[chunk][1] = high;
}

static void draw_spot(const Draw *d, const Spot *s, uint32_t i, int32_t y0, int32_t y1)
{
    SlDepthImage *image = d->image;
    int32_t x0 = (int32_t)ceilf(s->x - s->radius - 0.5f), x1 = (int32_t)floorf(s->x + s->radius - 0.5f);
    int32_t top = (int32_t)ceilf(s->y - s->radius - 0.5f), bottom = (int32_t)floorf(s->y + s->radius - 0.5f);
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
            float depth = rest >= 0 ? s->depth - d->sphere * sqrtf(rest) : SL_DEPTH_EMPTY;
            if (depth < image->depth[pixel]) {
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
    float first = (float)begin, last = (float)end;
    for (size_t c = 0; c < d->chunks; c++) {
        if (d->rows[c][1] < first || d->rows[c][0] > last)
            continue;
        size_t stop = (c + 1) * CHUNK < d->count ? (c + 1) * CHUNK : d->count;
        for (size_t i = c * CHUNK; i < stop; i++) {
            const Spot *s = &d->spots[i];
            if (s->radius > 0 && s->y + s->radius >= first && s->y - s->radius <= last)
                draw_spot(d, s, (uint32_t)i, (int32_t)begin, (int32_t)end);
        }
    }
}

void sl_depth_draw(SlPool *pool, SlArena *arena, const SlCamera *camera, uint32_t width,
                   uint32_t height, const float *records, size_t count, float radius,
                   SlDepthImage *image)
{
    size_t chunks = sl_chunk_count(count, CHUNK);
    *image = (SlDepthImage){.frame = sl_camera_frame(camera, width, height),
                            .width = width,
                            .height = height,
                            .depth = SL_PUSH(arena, float, (size_t)width * height),
                            .seen = SL_PUSH(arena, uint32_t, (size_t)width * height)};
    Draw d = {image,  records, count,
              chunks, radius,  SL_PUSH(arena, Spot, count),
              (float(*)[2])sl_arena_push_array(arena, chunks, 2 * sizeof(float))};
    if (image->depth == NULL || image->seen == NULL || d.spots == NULL || d.rows == NULL) {
        image->depth = NULL;
        return;
    }
    sl_parallel_for(pool, count, CHUNK, project_chunk, &d);
    sl_parallel_for(pool, height, STRIP_ROWS, strip_chunk, &d);
}
