#include "geometry/depth_kernels.h"

#include "core/simd.h"

static const uint32_t lanes_in_order[8] = {0, 1, 2, 3, 4, 5, 6, 7};

SL_INLINE float least_of(I8 mask, F8 a)
{
    return -f8_most(f8_select(mask, f8(0) - a, f8(-1e30f)));
}

SL_INLINE float most_of(I8 mask, F8 a)
{
    return f8_most(f8_select(mask, a, f8(-1e30f)));
}

static void project(const SlCameraFrame *frame, const float *records, size_t count, float radius,
                    size_t begin, size_t end, SlSpot *spots, SlSpotBounds *bounds)
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
        bounds[b] =
            (SlSpotBounds){least_of(seen, x - r), most_of(seen, x + r),       least_of(seen, y - r),
                           most_of(seen, y + r),  least_of(seen, z) - radius, most_of(seen, z)};
    }
}

SL_KERNEL_TABLE(SlDepthKernels, sl_depth_kernels) = {.project = project};
