/* How much light reaches a point, once per pixel, at its first sample; shading spreads it to the other
   samples. Sky light by scalable ambient obscurance [McGuire 2012]: taps in the depth picture within a
   disc, rotated in a 4 × 4 pattern and then averaged over that pattern. Key light by the shadow map
   with a smooth 4 × 4 texel filter. */
#include "core/simd.h"
#include "render/splats/splats_lanes.h"

static F8 row_of(const float row[4], F8x3 p)
{
    return f8x3_dot(p, (F8x3){f8(row[0]), f8(row[1]), f8(row[2])}) + f8(row[3]);
}

/* floor for |a| < 2^31 */
static inline F8 floor_f8(F8 a)
{
    F8 integer = f8_from_i8(i8_from_f8(a));
    return f8_select(integer > a, integer - f8(1), integer);
}

/* Lit part of the 3 × 3 texels around (x, y), and the mean depth of what covers the rest. */
static F8 shadow_filter(const SlShadow *shadow, F8 x, F8 y, F8 depth, F8 *cover)
{
    F8 low = f8(-(float)SL_MARGIN + 1), high = f8((float)shadow->size + SL_MARGIN - 5);
    x = f8_min(f8_max(x - f8(2), low), high);
    y = f8_min(f8_max(y - f8(2), low), high);
    F8 x0 = floor_f8(x), y0 = floor_f8(y), fx = x - x0, fy = y - y0;
    F8 weight_x[4] = {f8(1) - fx, f8(1), f8(1), fx}, weight_y[4] = {f8(1) - fy, f8(1), f8(1), fy};
    I8 at = (i8_from_f8(y0) + SL_MARGIN) * (int32_t)shadow->stride + i8_from_f8(x0) + SL_MARGIN;
    F8 lit = f8(0), covered = f8(0), distance = f8(0);
    for (int j = 0; j < 4; j++)
        for (int i = 0; i < 4; i++) {
            F8 d = depth - gather_f8(shadow->depth + (size_t)j * shadow->stride + i, at);
            F8 w = weight_x[i] * weight_y[j];
            I8 free = d < f8(0);
            lit = lit + f8_keep(free, w);
            covered = covered + f8_keep(~free, w);
            distance = distance + f8_keep(~free, w * d);
        }
    *cover = distance / f8_max(covered, f8(1e-6f));
    return lit * f8(1.0f / 9);
}

/* What is left of the key light after `depth` metres of water. */
static inline F8 through_water(const SlLook *look, F8 depth)
{
    F8 root = f8(1) / (f8(1) + depth * f8(1 / look->translucency));
    return root * root;
}

static F8 key_light(const SlSplatFrame *frame, F8x3 p, F8x3 n, U8 particle)
{
    const SlShadow *shadow = &frame->shadow;
    if (shadow->size == 0)
        return f8(1);
    /* Looked up a little off the surface, more so where light grazes: no stripes of own shadow. */
    F8 facing = clamp01(f8x3_dot(n, spread(frame->look.to_light)));
    p = along(p, (f8(3.2f) - f8(1.8f) * facing) * f8(shadow->texel), n);
    F8 x = row_of(shadow->view_row[0], p), y = row_of(shadow->view_row[1], p);
    F8 size = f8((float)shadow->size + 2), cover;
    if (i8_bits((x > f8(-2)) & (x < size) & (y > f8(-2)) & (y < size)) == 0)
        return f8(1);
    F8 depth = row_of(shadow->view_row[2], p) - f8(shadow->texel);
    F8 lit = shadow_filter(shadow, x, y, depth, &cover);
    F8 through = f8_keep((I8)particle, through_water(&frame->look, cover));
    return lit + (f8(1) - lit) * through;
}

static F8 sky_light(const SlSplatFrame *frame, F8x3 p, F8x3 n, F8 px, F8 py, int rotation)
{
    const SlLook *look = &frame->look;
    const SlCameraFrame *c = &frame->camera;
    float radius = look->occlusion_radius, rr = radius * radius;
    F8 reach = f8_min(f8(radius * c->focal) / p.z, f8(SL_TAP_REACH * (float)frame->height));
    F8 inverse_focal = f8(1 / c->focal), bias = f8(0.12f * look->particle_radius);
    F8 right = f8((float)frame->width - 1), bottom = f8((float)frame->height - 1), sum = f8(0);
    F8 ox = f8(frame->offset_x[0]) - f8(c->center_x), oy = f8(frame->offset_y[0] - c->center_y);
    for (int k = 0; k < SL_TAPS; k++) {
        int tap = (rotation * SL_TAPS + k) * 8;
        F8 x = f8_fma(f8_load(frame->tap_x + tap), reach, px);
        F8 y = f8_fma(f8_load(frame->tap_y + tap), reach, py);
        I8 ix = i8_from_f8(f8_min(f8_max(x + f8(0.5f), f8(0)), right));
        I8 iy = i8_from_f8(f8_min(f8_max(y + f8(0.5f), f8(0)), bottom));
        I8 at = (iy + SL_MARGIN) * (int32_t)frame->stride + ix + SL_MARGIN;
        F8 z = gather_f8(frame->depth, at);
        F8x3 v = {(f8_from_i8(ix) + ox) * inverse_focal * z - p.x,
                  -(f8_from_i8(iy) + oy) * inverse_focal * z - p.y, z - p.z};
        F8 vv = f8x3_dot(v, v), near = f8_max(f8(1) - vv * f8(1 / rr), f8(0));
        F8 height = f8_max(f8x3_dot(v, n) - bias, f8(0));
        sum = sum + near * near * near * height / (vv + f8(0.01f * rr));
    }
    F8 covered = sum * f8(look->occlusion * radius * (2.6f / SL_TAPS));
    F8 open = f8(1) / (f8(1) + f8(1.2f) * covered); /* never black: light that was reflected more than once */
    return f8_select(reach > f8(1), open, f8(1));
}

static void gather_light(const SlSplatFrame *frame, size_t tile, bool with_sky)
{
    Slopes slopes = tile_slopes(frame, tile, 0);
    size_t plane = sl_tile_plane(frame, tile, 0);
    size_t origin = sl_tile_origin(tile, frame->tiles_x, frame->stride);
    float left = (float)(tile % frame->tiles_x * SL_TILE);
    size_t tile_row = tile / frame->tiles_x;
    float top = (float)(tile_row * SL_TILE);
    for (int y = 0; y < SL_TILE; y++)
        for (int x = 0; x < SL_TILE; x += 8) {
            size_t in = plane + (size_t)(y * SL_TILE_STRIDE + x);
            size_t out = origin + (size_t)y * frame->stride + (size_t)x;
            U8 packed = u8_load(frame->normal + in), material = packed >> 30;
            F8 sky = f8(1), key = f8(1);
            I8 something = (I8)(material != u8(SL_PIXEL_NONE));
            if (i8_bits(something) != 0) {
                F8 z = f8_select(something, f8_load(frame->z + in), f8(1));
                F8x3 n = unpack_normal(packed);
                F8x3 p = {slopes_a(slopes, x) * z, f8(slopes_b(slopes, y)) * z, z};
                key = key_light(frame, p, n, (U8)(material == u8(SL_PIXEL_PARTICLE)));
                if (with_sky)
                    sky = sky_light(frame, p, n, f8(left + (float)x) + lane_numbers(),
                                    f8(top + (float)y), y & 3);
            }
            f8_store(frame->raw + out, sky);
            f8_store(frame->lit + out, key);
        }
}

/* The mean over the 4 × 4 pattern, of pixels at a similar depth. */
static void blur(const SlSplatFrame *frame, size_t tile)
{
    size_t origin = sl_tile_origin(tile, frame->tiles_x, frame->stride);
    for (int y = 0; y < SL_TILE; y++)
        for (int x = 0; x < SL_TILE; x += 8) {
            size_t at = origin + (size_t)y * frame->stride + (size_t)x;
            F8 z = f8_load(frame->depth + at), sum = f8(0), weight = f8(0);
            F8 sharp = f8(1) / (f8(2 * frame->look.particle_radius) + f8(0.01f) * z);
            for (int j = -2; j < 2; j++)
                for (int i = -2; i < 2; i++) {
                    const size_t other = (size_t)((ptrdiff_t)at + j * (ptrdiff_t)frame->stride + i);
                    F8 apart = f8_abs(f8_load(frame->depth + other) - z) * sharp;
                    F8 w = f8_max(f8(1.001f) - apart, f8(0));
                    sum = f8_fma(w, f8_load(frame->raw + other), sum);
                    weight = weight + w;
                }
            f8_store(frame->occlusion + at, sum / f8_max(weight, f8(1e-6f)));
        }
}

/* The key light at particles' centres, for the transparent style. */
static void particle_light(const SlSplatFrame *frame, size_t begin, size_t end)
{
    const SlShadow *shadow = &frame->shadow;
    for (size_t i = begin; i < end; i += 8) {
        F8x4 c = f8x4_load(frame->light_record + 4 * i);
        F8 fine = f8((float)shadow->size + 64), cover;
        I8 valid = (f8_abs(c.x) < fine) & (f8_abs(c.y) < fine);
        F8 lit = shadow_filter(shadow, f8_keep(valid, c.x), f8_keep(valid, c.y),
                               f8_keep(valid, c.z - c.w) - f8(2 * shadow->texel), &cover);
        lit = lit + (f8(1) - lit) * through_water(&frame->look, cover);
        f8_store(frame->particle_lit + i, f8_select(valid, lit, f8(1)));
    }
}

SL_KERNEL_TABLE(SlLightKernels, sl_light_kernels) = {gather_light, blur, particle_light};
