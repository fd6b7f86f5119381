#include "spatial/depth_kernels.h"

#include "core/simd.h"

static const uint32_t lanes_in_order[8] = {0, 1, 2, 3, 4, 5, 6, 7};

static void project(const SlCameraFrame *frame, const float *records, size_t count, float radius,
                    size_t begin, size_t end, SlSpot *spots)
{
    F8x3 axis[3] = {{f8(frame->right.x), f8(frame->right.y), f8(frame->right.z)},
                    {f8(frame->up.x), f8(frame->up.y), f8(frame->up.z)},
                    {f8(frame->forward.x), f8(frame->forward.y), f8(frame->forward.z)}};
    for (size_t b = begin; b < end; b++) {
        F8x4 p = f8x4_load(records + 32 * b);
        F8x3 from = {p.x - f8(frame->eye.x), p.y - f8(frame->eye.y), p.z - f8(frame->eye.z)};
        F8 z = f8x3_dot(from, axis[2]);
        /* A camera inside a sphere does not see it. */
        I8 seen =
            (z > f8(radius)) & ((I8)(u8_load(lanes_in_order) + (uint32_t)(8 * b)) < (int32_t)count);
        F8 scale = f8(frame->focal) / f8_select(seen, z, f8(1));
        F8 x = f8_fma(scale, f8x3_dot(from, axis[0]), f8(frame->center_x));
        F8 y = f8(frame->center_y) - scale * f8x3_dot(from, axis[1]);
        /* At least half a pixel's diagonal: a far sphere still covers the pixel it is in. */
        F8 r = f8_keep(seen, f8_max(scale * f8(radius), f8(0.71f)));
        f8x4_store((float *)&spots[8 * b], (F8x4){x, y, r, z});
    }
}

/* Lanes whose middle lies in the picture. */
SL_INLINE I8 within(const SlDepthImage *image, const F8x4 *spot)
{
    return (spot->z > f8(0)) & (spot->x >= f8(0)) & (spot->y >= f8(0)) &
           (spot->x < f8((float)image->width)) & (spot->y < f8((float)image->height));
}

/* The tiles of a level that points of the picture lie in. */
SL_INLINE U8 tiles_at(const SlDepthPyramid *pyramid, size_t level, F8 x, F8 y)
{
    return ((U8)i8_from_f8(y) >> (uint32_t)level) * (uint32_t)pyramid->along[level] +
           ((U8)i8_from_f8(x) >> (uint32_t)level);
}

static void bound(const SlDepthImage *image, size_t begin, size_t end, const SlDepthPyramid *bounds)
{
    for (size_t b = begin; b < end; b++) {
        F8x4 spot = f8x4_load((const float *)&image->spots[8 * b]); /* x, y, radius, depth */
        I8 inside = within(image, &spot);
        uint32_t lanes = i8_bits(inside);
        if (lanes == 0)
            continue;
        float smallest = -f8_horizontal_max(f8_select(inside, f8(0) - spot.z, f8(-1e30f)));
        /* From one corner of a tile to the farthest pixel's middle: sqrt 2 (side - 1/2). */
        size_t level = 0;
        while (level + 1 < SL_DEPTH_LEVELS && smallest > 1.42f * ((float)(2u << level) - 0.5f))
            level++;
        uint32_t tile[8];
        u8_store(tile, tiles_at(bounds, level, f8_keep(inside, spot.x), f8_keep(inside, spot.y)));
        float *tiles = bounds->tiles[level];
        for (uint32_t k = 0; k < 8; k++)
            if ((lanes >> k & 1) != 0 && spot.w[k] < tiles[tile[k]])
                tiles[tile[k]] = spot.w[k];
    }
}

static size_t candidates(const SlDepthImage *image, size_t begin, size_t end, float radius,
                         const SlDepthPyramid *around, uint32_t *spheres)
{
    F8 width = f8((float)image->width), height = f8((float)image->height);
    size_t count = 0;
    for (size_t b = begin; b < end; b++) {
        F8x4 spot = f8x4_load((const float *)&image->spots[8 * b]);
        F8 r = spot.z;
        I8 seen = (r > f8(0)) & (spot.x + r >= f8(0)) & (spot.x - r < width) &
                  (spot.y + r >= f8(0)) & (spot.y - r < height);
        /* The level on which no sphere extends beyond the neighbours of the tile that its centre is
           in or nearest to. */
        float largest = f8_horizontal_max(f8_keep(seen, r));
        size_t level = 0;
        while (level < SL_DEPTH_LEVELS && largest >= (float)(1u << level) + 0.4f)
            level++;
        if (level < SL_DEPTH_LEVELS) {
            uint32_t tile[8];
            F8 x = f8_max(f8_min(f8_keep(seen, spot.x), width - f8(1)), f8(0));
            F8 y = f8_max(f8_min(f8_keep(seen, spot.y), height - f8(1)), f8(0));
            u8_store(tile, tiles_at(around, level, x, y));
            seen &= spot.w - f8(radius) <= f8_gather(around->tiles[level], tile);
        }
        for (uint32_t lanes = i8_bits(seen); lanes != 0; lanes &= lanes - 1)
            spheres[count++] = (uint32_t)(8 * b) + (uint32_t)__builtin_ctz(lanes);
    }
    return count;
}

static void behind(const SlDepthImage *image, size_t begin, size_t end, float *distance)
{
    for (size_t b = begin; b < end; b++) {
        F8x4 spot = f8x4_load((const float *)&image->spots[8 * b]);
        I8 inside = within(image, &spot);
        uint32_t pixel[8];
        u8_store(pixel, (U8)i8_from_f8(f8_keep(inside, spot.y)) * image->width +
                            (U8)i8_from_f8(f8_keep(inside, spot.x)));
        F8 depth = f8_gather(image->depth, pixel);
        f8_store(distance + 8 * b, f8_select(inside, spot.w - depth, f8(INFINITY)));
    }
}

SL_KERNEL_TABLE(SlDepthKernels, sl_depth_kernels) = {
    .project = project, .bound = bound, .candidates = candidates, .behind = behind};
