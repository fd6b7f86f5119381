/* Few spheres of a body of water are visible, so each pixel first gets an upper bound on its depth,
   and only spheres nearer than the bounds around them are drawn. Bounds are kept on a pyramid of
   tiles: a sphere that certainly covers the whole tile of its centre bounds that tile by the depth
   of its centre. Slices of the spheres are drawn into images of their own; a pixel then takes the
   nearest, of equals the first, so the result depends on neither threads nor slices. */
#include "spatial/depth.h"

#include <math.h>

#include "spatial/depth_kernels.h"

enum { BAND_ROWS = 16, SLICES_A_WORKER = 2, MAX_SLICES = 64 };

typedef struct Slice {
    SlDepthPyramid bounds; /* of its spheres; level 0 is then its image */
    uint32_t *seen;
} Slice;

typedef struct Draw {
    SlDepthImage *image;
    float *depth; /* the image's pixels */
    uint32_t *seen;
    const SlDepthKernels *kernels;
    SlSpheres spheres;
    Slice slices[MAX_SLICES];
    size_t slice_count;
    SlDepthPyramid around; /* per tile: the farthest bound in it and its eight neighbours */
    uint32_t *candidates;  /* a slice's from its first sphere's place on */
} Draw;

/* --- Bounds --- */

static void bound_slice(void *argument, size_t begin, size_t end, size_t slice)
{
    Draw *d = argument;
    const SlDepthPyramid *bounds = &d->slices[slice].bounds;
    for (size_t level = 0; level < SL_DEPTH_LEVELS; level++)
        for (size_t t = 0; t < bounds->along[level] * bounds->down[level]; t++)
            bounds->tiles[level][t] = SL_DEPTH_EMPTY;
    d->kernels->project(&d->image->frame, d->spheres.records, d->spheres.count,
                        d->spheres.radius, begin, end, d->image->spots);
    d->kernels->bound(d->image, begin, end, bounds);
}

/* The minimum bound over all slices and over the larger tile that contains the tile. */
static void gather_bounds(const Draw *d, size_t level, size_t first_row, size_t end_row)
{
    const SlDepthPyramid *bounds = &d->slices[0].bounds;
    size_t along = bounds->along[level];
    float *bound = bounds->tiles[level];
    for (size_t k = 1; k < d->slice_count; k++) {
        const float *other = d->slices[k].bounds.tiles[level];
        for (size_t t = first_row * along; t < end_row * along; t++)
            bound[t] = other[t] < bound[t] ? other[t] : bound[t];
    }
    if (level + 1 == SL_DEPTH_LEVELS)
        return;
    for (size_t y = first_row; y < end_row; y++) {
        const float *larger = bounds->tiles[level + 1] + y / 2 * bounds->along[level + 1];
        float *row = bound + y * along;
        for (size_t x = 0; x < along; x++)
            row[x] = larger[x / 2] < row[x] ? larger[x / 2] : row[x];
    }
}

static void gather_band(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    gather_bounds(argument, 0, begin, end);
}

/* The farthest bound in each tile of a level, from those of the level below. */
static void widen(const Draw *d, size_t level)
{
    const SlDepthPyramid *bounds = &d->slices[0].bounds;
    size_t small = bounds->along[level - 1], large = bounds->along[level];
    const float *from = bounds->tiles[level - 1];
    float *to = bounds->tiles[level];
    for (size_t t = 0; t < large * bounds->down[level]; t++)
        to[t] = 0;
    for (size_t y = 0; y < bounds->down[level - 1]; y++)
        for (size_t x = 0; x < small; x++) {
            float *into = &to[y / 2 * large + x / 2], bound = from[y * small + x];
            *into = bound > *into ? bound : *into;
        }
}

static inline float farther(float a, float b)
{
    return a > b ? a : b;
}

/* The farthest bound of a tile and its neighbours, a row of tiles at a time. */
static void look_around(const Draw *d, size_t level, size_t first_row, size_t end_row)
{
    const SlDepthPyramid *bounds = &d->slices[0].bounds;
    size_t n = bounds->along[level];
    const float *bound = bounds->tiles[level];
    for (size_t y = first_row; y < end_row; y++) {
        const float *up = bound + (y > 0 ? y - 1 : 0) * n, *here = bound + y * n,
                    *down = bound + (y + 1 < bounds->down[level] ? y + 1 : y) * n;
        float *out = d->around.tiles[level] + y * n;
        for (size_t x = 0; x < n; x++)
            out[x] = farther(up[x], farther(here[x], down[x]));
        float before = out[0];
        for (size_t x = 0; x < n; x++) {
            float now = out[x], after = x + 1 < n ? out[x + 1] : now;
            out[x] = farther(before, farther(now, after));
            before = now;
        }
    }
}

static void around_band(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    look_around(argument, 0, begin, end);
}

static void make_bounds(SlPool *pool, Draw *d)
{
    const size_t *down = d->slices[0].bounds.down;
    for (size_t level = SL_DEPTH_LEVELS - 1; level > 0; level--)
        gather_bounds(d, level, 0, down[level]);
    sl_parallel_for(pool, down[0], BAND_ROWS, gather_band, d);
    sl_parallel_for(pool, down[0], BAND_ROWS, around_band, d);
    for (size_t level = 1; level < SL_DEPTH_LEVELS; level++) {
        widen(d, level);
        look_around(d, level, 0, down[level]);
    }
}

/* --- Drawing --- */

static void draw_spot(const Draw *d, const SlSpot *s, uint32_t i, float *image_depth,
                      uint32_t *image_seen)
{
    int32_t width = (int32_t)d->image->width, height = (int32_t)d->image->height;
    /* Pixel centres within the radius, possibly one beyond: `rest` decides. */
    float left = s->x - s->radius, top = s->y - s->radius;
    int32_t x0 = left > 0 ? (int32_t)left : 0, y0 = top > 0 ? (int32_t)top : 0;
    int32_t x1 = (int32_t)(s->x + s->radius), y1 = (int32_t)(s->y + s->radius);
    x1 = x1 < width - 1 ? x1 : width - 1;
    y1 = y1 < height - 1 ? y1 : height - 1;
    float inverse = 1 / s->radius;
    for (int32_t y = y0; y <= y1; y++) {
        float *depth_row = image_depth + (size_t)y * (size_t)width;
        uint32_t *seen_row = image_seen + (size_t)y * (size_t)width;
        float v = ((float)y + 0.5f - s->y) * inverse;
        for (int32_t x = x0; x <= x1; x++) {
            float u = ((float)x + 0.5f - s->x) * inverse, rest = 1 - u * u - v * v;
            if (rest < 0 || s->depth - d->spheres.radius > depth_row[x])
                continue;
            float depth = s->depth - d->spheres.radius * sqrtf(rest);
            if (depth < depth_row[x] || (depth == depth_row[x] && i < seen_row[x])) {
                depth_row[x] = depth;
                seen_row[x] = i;
            }
        }
    }
}

static void draw_slice(void *argument, size_t begin, size_t end, size_t slice)
{
    const Draw *d = argument;
    const SlDepthImage *image = d->image;
    const float *bound = d->slices[0].bounds.tiles[0];
    float *depth = slice == 0 ? d->depth : d->slices[slice].bounds.tiles[0];
    uint32_t *seen = slice == 0 ? d->seen : d->slices[slice].seen;
    for (size_t p = 0; p < (size_t)image->width * image->height; p++) {
        depth[p] = bound[p];
        seen[p] = SL_DEPTH_NONE;
    }
    uint32_t *spheres = d->candidates + 8 * begin;
    size_t count = d->kernels->candidates(image, begin, end, d->spheres.radius, &d->around, spheres);
    for (size_t k = 0; k < count; k++)
        draw_spot(d, &image->spots[spheres[k]], spheres[k], depth, seen);
}

static void nearest_band(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Draw *d = argument;
    size_t width = d->image->width;
    for (size_t k = 1; k < d->slice_count; k++)
        for (size_t p = begin * width; p < end * width; p++) {
            float depth = d->slices[k].bounds.tiles[0][p];
            uint32_t seen = d->slices[k].seen[p];
            /* An earlier slice has the earlier spheres; but it may only hold the bound there. */
            if (depth < d->depth[p] || (depth == d->depth[p] && seen < d->seen[p])) {
                d->depth[p] = depth;
                d->seen[p] = seen;
            }
        }
}

/* --- Memory and calls --- */

static bool make_pyramid(SlArena *arena, const SlDepthImage *image, SlDepthPyramid *pyramid)
{
    bool room = true;
    for (size_t level = 0; level < SL_DEPTH_LEVELS; level++) {
        size_t side = (size_t)1 << level;
        pyramid->along[level] = (image->width + side - 1) / side;
        pyramid->down[level] = (image->height + side - 1) / side;
        pyramid->tiles[level] = SL_PUSH(arena, float, pyramid->along[level] * pyramid->down[level]);
        room = room && pyramid->tiles[level] != NULL;
    }
    return room;
}

static bool make_room(SlArena *arena, Draw *d)
{
    SlDepthImage *image = d->image;
    size_t pixels = (size_t)image->width * image->height, places = (d->spheres.count + 7) / 8 * 8;
    image->depth = d->depth = SL_PUSH(arena, float, pixels);
    image->seen = d->seen = SL_PUSH(arena, uint32_t, pixels);
    image->spots = SL_PUSH(arena, SlSpot, places);
    d->candidates = SL_PUSH(arena, uint32_t, places);
    bool room = image->depth != NULL && image->seen != NULL && image->spots != NULL &&
                d->candidates != NULL && make_pyramid(arena, image, &d->around);
    for (size_t k = 0; room && k < d->slice_count; k++) {
        d->slices[k].seen = k > 0 ? SL_PUSH(arena, uint32_t, pixels) : d->seen;
        room = d->slices[k].seen != NULL && make_pyramid(arena, image, &d->slices[k].bounds);
    }
    return room;
}

bool sl_depth_draw(SlContext *context, SlArena *arena, const SlCamera *camera,
                   const SlSpheres *spheres, uint32_t width, uint32_t height, SlDepthImage *image)
{
    SlPool *pool = context->pool;
    size_t blocks = (spheres->count + 7) / 8,
           wanted = SLICES_A_WORKER * (size_t)sl_pool_workers(pool);
    wanted = wanted < MAX_SLICES ? wanted : MAX_SLICES;
    size_t slice_blocks = blocks > wanted ? (blocks + wanted - 1) / wanted : 1;
    *image = (SlDepthImage){
        .frame = sl_camera_frame(camera, width, height), .width = width, .height = height};
    Draw d = {.image = image,
              .kernels = SL_KERNELS(context->isa, sl_depth_kernels),
              .spheres = *spheres,
              .slice_count = blocks > 0 ? sl_chunk_count(blocks, slice_blocks) : 0};
    if (!make_room(arena, &d))
        return false;
    if (blocks == 0) {
        for (size_t p = 0; p < (size_t)width * height; p++) {
            d.depth[p] = SL_DEPTH_EMPTY;
            d.seen[p] = SL_DEPTH_NONE;
        }
        return true;
    }
    sl_parallel_for(pool, blocks, slice_blocks, bound_slice, &d);
    make_bounds(pool, &d);
    sl_parallel_for(pool, blocks, slice_blocks, draw_slice, &d);
    sl_parallel_for(pool, height, BAND_ROWS, nearest_band, &d);
    return true;
}

static void project_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Draw *d = argument;
    d->kernels->project(&d->image->frame, d->spheres.records, d->spheres.count,
                        d->spheres.radius, begin, end, d->image->spots);
}

bool sl_depth_from_view(SlContext *context, SlArena *arena, const SlDepthView *view,
                        const SlSpheres *spheres, SlDepthImage *image)
{
    size_t blocks = (spheres->count + 7) / 8;
    *image = (SlDepthImage){.frame = sl_camera_frame(&view->camera, view->width, view->height),
                            .width = view->width,
                            .height = view->height,
                            .depth = view->depth,
                            .spots = SL_PUSH(arena, SlSpot, 8 * blocks)};
    if (image->spots == NULL)
        return false;
    Draw d = {.image = image,
              .kernels = SL_KERNELS(context->isa, sl_depth_kernels),
              .spheres = *spheres};
    sl_parallel_for(context->pool, blocks, 1024, project_chunk, &d);
    return true;
}

void sl_depth_behind(const SlContext *context, const SlDepthImage *image, size_t begin, size_t end,
                     float *distance)
{
    SL_KERNELS(context->isa, sl_depth_kernels)->behind(image, begin / 8, (end + 7) / 8, distance);
}
