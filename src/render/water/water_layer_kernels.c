/* The water's depth in each pixel, its smoothing, and normals; and discs that are added up in planes.

   Smoothing is the narrow-range filter [Truong 2018]: a separable Gaussian over depths, of which a
   sample much nearer than the pixel (by more than delta) does not count, nor does its mirror image, and
   one much farther counts as mu behind the pixel. The range grows outwards with the samples that are
   within it, so that a slope stays one surface. */
#include "core/simd.h"
#include "render/splats/splats_lanes.h"
#include "render/stage/sky_lanes.h"
#include "render/water/water.h"

/* --- Depth, coverage and the meshes' normals from the two splat frames. --- */

/* Depth of the wall that a point at depth z is near, along its ray (a, b, 1). */
static F8 snap(const SlWaterFrame *frame, F8 a, F8 b, F8 z)
{
    F8 near = f8(0.9f * frame->spacing);
    for (uint32_t k = 0; k < frame->wall_count; k++) {
        F8 slope = f8x3_dot((F8x3){a, b, f8(1)}, spread(frame->wall[k].normal));
        F8 outside = f8_fma(slope, z, f8(-frame->wall[k].offset));
        F8 on_wall = f8(frame->wall[k].offset) / f8_min(slope, f8(-1e-6f));
        /* Seen from outside, the ray goes in: slope < 0. */
        I8 snapped = (f8_abs(outside) < near) & (slope < f8(-0.02f)) & (on_wall > f8(0));
        z = f8_select(snapped, on_wall, z);
    }
    return z;
}

/* Which liquid the nearest of the samples shows. */
static F8 nearest_liquid(const SlWaterFrame *frame, size_t tile, size_t in)
{
    const SlSplatFrame *liquid = frame->liquid;
    F8 nearest = f8(SL_DEPTH_NONE), which = f8(0);
    for (uint32_t s = 0; s < liquid->samples; s++) {
        size_t plane = sl_tile_plane(liquid, tile, s) + in;
        F8 z = f8_load(liquid->z + plane);
        which = f8_select(z < nearest, f8_from_i8((I8)u8_load(liquid->id + plane)), which);
        nearest = f8_min(nearest, z);
    }
    return f8_min(f8_max(which, f8(0)), f8(SL_WATER_LIQUIDS - 1));
}

static void layer(const SlWaterFrame *frame, const SlWaterLayer *out_layer, size_t tile)
{
    const SlSplatFrame *back = frame->back, *liquid = frame->liquid;
    uint32_t samples = liquid->samples;
    size_t left = tile % liquid->tiles_x * SL_TILE, top = tile / liquid->tiles_x * SL_TILE;
    Slopes slopes = tile_slopes(liquid, tile, 0);
    F8 range = f8(frame->filter_range);
    bool known = frame->meshed && out_layer == &frame->near;
    for (int y = 0; y < SL_TILE; y++)
        for (int x = 0; x < SL_TILE; x += 8) {
            F8 nearest = f8(SL_DEPTH_NONE), covered = f8(0), sum = f8(0), count = f8(0);
            F8x3 normal = {f8(0), f8(0), f8(0)};
            size_t in = (size_t)y * SL_TILE_STRIDE + (size_t)x;
            for (uint32_t s = 0; s < samples; s++) {
                F8 z = f8_load(liquid->z + sl_tile_plane(liquid, tile, s) + in);
                I8 seen = z < f8_load(back->z + sl_tile_plane(back, tile, s) + in);
                nearest = f8_select(seen & (z < nearest), z, nearest);
                covered = covered + f8_keep(seen, f8(1));
            }
            for (uint32_t s = 0; s < samples && i8_bits(covered > f8(0)) != 0; s++) {
                size_t plane = sl_tile_plane(liquid, tile, s) + in;
                F8 z = f8_load(liquid->z + plane);
                I8 same = (z <= nearest + range) &
                          (z < f8_load(back->z + sl_tile_plane(back, tile, s) + in));
                F8x3 n = unpack_normal(u8_load(liquid->normal + plane));
                sum = sum + f8_keep(same, z);
                count = count + f8_keep(same, f8(1));
                normal = along(normal, f8_keep(same, f8(1)), n);
            }
            size_t out = sl_water_at(frame, left + (size_t)x, top + (size_t)y);
            F8 mean = sum / f8_max(count, f8(1));
            if (!frame->meshed)
                mean = snap(frame, slopes_a(slopes, x), f8(slopes_b(slopes, y)), mean);
            f8_store(out_layer->depth + out, f8_select(count > f8(0), mean, f8(SL_DEPTH_NONE)));
            f8_store(out_layer->leave + out,
                     known ? f8_load(frame->leave + tile * SL_TILE_SIZE + in) : f8(SL_DEPTH_NONE));
            if (out_layer->liquid != NULL)
                f8_store(out_layer->liquid + out, nearest_liquid(frame, tile, in));
            f8_store(out_layer->coverage + out, covered * f8(1.0f / (float)samples));
            f8_store(out_layer->normal[0] + out, normal.x);
            f8_store(out_layer->normal[1] + out, normal.y);
            f8_store(out_layer->normal[2] + out, normal.z);
        }
}

/* --- The filter. --- */

/* delta, at least what a level surface changes by over a few pixels when it is seen at a low angle. */
SL_INLINE F8 range_at(const SlWaterFrame *frame, F8 z)
{
    return f8_max(f8(frame->filter_range), z * f8(8 / frame->back->camera.focal));
}

/* One side of the kernel: the range that still counts. */
typedef struct Side {
    F8 low, high;
} Side;

SL_INLINE F8 side_value(Side *side, F8 z, F8 behind, F8 range, I8 *near)
{
    I8 far = z > side->high;
    *near |= z < side->low;
    I8 within = ~far & ~*near;
    side->low = f8_select(within, f8_min(side->low, z - range), side->low);
    side->high = f8_select(within, f8_max(side->high, z + range), side->high);
    return f8_select(far, behind, z);
}

SL_INLINE F8 filter_pixels(const SlWaterFrame *frame, const float *at, ptrdiff_t step)
{
    F8 z0 = f8_load(at);
    I8 water = z0 < f8(0.5f * SL_DEPTH_NONE);
    if (i8_bits(water) == 0)
        return z0;
    F8 sigma = f8(frame->filter_sigma * frame->back->camera.focal) / f8_select(water, z0, f8(1));
    sigma = f8_min(sigma, f8(0.5f * SL_WATER_REACH));
    F8 reach = f8_keep(water, f8(2) * sigma);
    int last = (int)f8_horizontal_max(reach);
    /* exp(-k² / 2 sigma²) from k to k + 1: a factor that itself shrinks by a constant one. */
    F8 ratio = exp_minus(f8(1) / f8_max(sigma * sigma, f8(0.04f)));
    F8 factor = exp_minus(f8(0.5f) / f8_max(sigma * sigma, f8(0.04f))), weight = f8(1);
    F8 range = range_at(frame, z0), behind = z0 + f8(frame->filter_clamp);
    Side minus = {z0 - range, z0 + range}, plus = minus;
    F8 sum = z0, total = f8(1);
    for (int k = 1; k <= last; k++) {
        weight = weight * factor;
        factor = factor * ratio;
        I8 near = (I8){0, 0, 0, 0, 0, 0, 0, 0};
        F8 a = side_value(&minus, f8_load(at - k * step), behind, range, &near);
        F8 b = side_value(&plus, f8_load(at + k * step), behind, range, &near);
        F8 w = f8_keep(~near & (f8((float)k) <= reach), weight);
        sum = f8_fma(w, a + b, sum);
        total = f8_fma(w, f8(2), total);
    }
    return f8_select(water, sum / total, z0);
}

static void filter_x(const SlWaterFrame *frame, const float *in, float *out, size_t y)
{
    for (size_t x = 0; x < frame->width; x += 8) {
        size_t at = sl_water_at(frame, x, y);
        f8_store(out + at, filter_pixels(frame, in + at, 1));
    }
}

static void filter_y(const SlWaterFrame *frame, const float *in, float *out, size_t y)
{
    for (size_t x = 0; x < frame->width; x += 8) {
        size_t at = sl_water_at(frame, x, y);
        f8_store(out + at, filter_pixels(frame, in + at, (ptrdiff_t)frame->stride));
    }
}

/* --- Normals of the smoothed depth. --- */

/* Slope from both neighbours; across an edge from the nearer one. */
SL_INLINE F8 slope_of(F8 before, F8 z, F8 after, F8 range)
{
    F8 low = z - before, high = after - z;
    F8 near = f8_select(f8_abs(low) < f8_abs(high), low, high);
    I8 smooth_both = (f8_abs(low) < range) & (f8_abs(high) < range);
    near = f8_select(smooth_both, f8(0.5f) * (low + high), near);
    return f8_keep(f8_abs(near) < range, near);
}

/* z(x, y) over pixels: n = (z_x, -z_y, -a z_x + b z_y - z / f), from the cross product of the surface's
   derivatives. */
static void normals(const SlWaterFrame *frame, const SlWaterLayer *of, size_t y)
{
    const SlCameraFrame *c = &frame->back->camera;
    F8 b = f8((c->center_y - (float)y - 0.5f) / c->focal);
    for (size_t x = 0; x < frame->width; x += 8) {
        size_t at = sl_water_at(frame, x, y);
        F8x3 n = {f8_load(of->normal[0] + at), f8_load(of->normal[1] + at),
                  f8_load(of->normal[2] + at)};
        if (!frame->meshed) {
            const float *z = of->depth + at;
            F8 z0 = f8_load(z), a = (f8((float)x + 0.5f - c->center_x) + lane_numbers()) *
                                    f8(1 / c->focal);
            F8 range = f8(0.5f) * range_at(frame, z0);
            F8 z_x = slope_of(f8_load(z - 1), z0, f8_load(z + 1), range);
            F8 z_y = slope_of(f8_load(z - frame->stride), z0, f8_load(z + frame->stride), range);
            n = (F8x3){z_x, -z_y, b * z_y - a * z_x - z0 * f8(1 / c->focal)};
        }
        F8 length = f8_sqrt(f8x3_dot(n, n));
        n = scaled(n, f8(1) / f8_max(length, f8(1e-20f)));
        f8_store(of->normal[0] + at, n.x);
        f8_store(of->normal[1] + at, n.y);
        f8_store(of->normal[2] + at, n.z);
    }
}

/* --- Discs. --- */

static void add_discs(const SlDiscs *discs, size_t tile)
{
    float sum[2][SL_TILE_SIZE];
    memset(sum, 0, sizeof sum);
    int left = (int)(tile % discs->tiles_x) * SL_TILE, top = (int)(tile / discs->tiles_x) * SL_TILE;
    for (size_t k = discs->bins.start[tile]; k < discs->bins.start[tile + 1]; k++) {
        uint32_t self = discs->bins.item[k];
        const float *disc = discs->record + 4 * (size_t)self;
        SlRect r = within_tile(discs->rect[self], left, top);
        F8 first = f8((float)left + 0.5f - disc[0]) + lane_numbers(), inverse = f8(disc[2]);
        float way[2] = {0, 0}, inverse_way = 0;
        if (discs->streak != NULL) {
            memcpy(way, discs->streak + 2 * (size_t)self, sizeof way);
            float square = way[0] * way[0] + way[1] * way[1];
            inverse_way = square > 0.01f ? 1 / square : 0;
        }
        F8 height = f8(disc[3]), value = f8(discs->value != NULL ? discs->value[self] : 0);
        for (int y = r.y0; y <= r.y1; y++) {
            float dy = (float)(top + y) + 0.5f - disc[1];
            for (int x = r.x0; x <= r.x1; x += 8) {
                F8 dx = first + f8((float)x), dy8 = f8(dy), peak = height;
                if (inverse_way > 0) { /* the nearest point of its path, which fades to both ends */
                    F8 t = f8_fma(dx, f8(way[0]), f8(dy * way[1])) * f8(inverse_way);
                    t = f8_min(f8_max(t, f8(-1)), f8(1));
                    dx = dx - t * f8(way[0]);
                    dy8 = dy8 - t * f8(way[1]);
                    peak = height * f8_fnma(t * t, f8(1.3f), f8(1.4f));
                }
                F8 rest = f8_max(f8(1) - f8_fma(dx, dx, dy8 * dy8) * inverse, f8(0));
                F8 add = peak * rest * rest;
                float *at = sum[0] + y * SL_TILE_STRIDE + x;
                f8_store(at, f8_load(at) + add);
                if (discs->value != NULL)
                    f8_store(at + SL_TILE_SIZE, f8_fma(add, value, f8_load(at + SL_TILE_SIZE)));
            }
        }
    }
    size_t origin = sl_tile_origin(tile, discs->tiles_x, discs->stride);
    for (size_t n = 0; n < (discs->value != NULL ? 2 : 1); n++)
        for (size_t row = 0; row < SL_TILE; row++)
            memcpy(discs->plane[n] + origin + row * discs->stride, sum[n] + row * SL_TILE_STRIDE,
                   SL_TILE * sizeof(float));
}

SL_KERNEL_TABLE(SlWaterLayerKernels, sl_water_layer_kernels) = {layer, filter_x, filter_y, normals,
                                                                add_discs};
