/* The sky of an outdoor stage, eight directions at once, and pieces of arithmetic that shading kernels
   share. Only for *_kernels.c, after core/simd.h and render/splats/splats_lanes.h. */
#ifndef RENDER_STAGE_SKY_LANES_H
#define RENDER_STAGE_SKY_LANES_H

#include "render/stage/stage.h"

SL_INLINE F8x3 mix(F8x3 a, F8x3 b, F8 t)
{
    return along(scaled(a, f8(1) - t), t, b);
}

SL_INLINE F8 smooth(F8 t)
{
    t = clamp01(t);
    return t * t * (f8(3) - f8(2) * t);
}

/* exp(-x) for x >= 0: 2^-k by the exponent's bits, the rest by its series; below 1e-5 relative. */
SL_INLINE F8 exp_minus(F8 x)
{
    F8 y = f8_min(f8_max(x, f8(0)), f8(80)) * f8(1.44269504f);
    I8 k = i8_from_f8(y);
    F8 f = (y - f8_from_i8(k)) * f8(-0.69314718f);
    F8 p = f8_fma(f, f8(1.0f / 120), f8(1.0f / 24));
    p = f8_fma(f, p, f8(1.0f / 6));
    p = f8_fma(f, p, f8(0.5f));
    p = f8_fma(f, p, f8(1));
    p = f8_fma(f, p, f8(1));
    return p * (F8)((127 - k) << 23);
}

/* A number of [0, 1) that belongs to a point of a square grid. */
SL_INLINE F8 grid_noise(I8 x, I8 y)
{
    U8 h = (U8)x * u8(0x9e3779b1u) ^ (U8)y * u8(0x85ebca77u);
    h = (h ^ h >> 15) * u8(0x2c1b3c6du);
    h = h ^ h >> 13;
    return f8_from_i8((I8)(h >> 8 & u8(0xffff))) * f8(1 / 65536.0f);
}

/* Smooth noise of [0, 1) over a plane; |x|, |y| below 2000. */
SL_INLINE F8 plane_noise(F8 x, F8 y)
{
    x = x + f8(2048);
    y = y + f8(2048);
    I8 ix = i8_from_f8(x), iy = i8_from_f8(y);
    F8 fx = smooth(x - f8_from_i8(ix)), fy = smooth(y - f8_from_i8(iy));
    F8 a = grid_noise(ix, iy), b = grid_noise(ix + 1, iy);
    F8 c = grid_noise(ix, iy + 1), d = grid_noise(ix + 1, iy + 1);
    F8 upper = f8_fma(fx, b - a, a), lower = f8_fma(fx, d - c, c);
    return f8_fma(fy, lower - upper, upper);
}

/* How much of a thin cloud layer is seen in a direction of the sky with the height `up` above the
   horizon. */
SL_INLINE F8 clouds_in(const SlSky *sky, F8x3 d, F8 inverse, F8 up)
{
    F8 scale = inverse / (f8_max(up, f8(0)) + f8(0.14f));
    F8 x = f8x3_dot(d, spread(sky->east)) * scale, y = f8x3_dot(d, spread(sky->north)) * scale;
    F8 sum = f8(0.55f) * plane_noise(x * f8(0.7f), y * f8(1.3f)) +
             f8(0.30f) * plane_noise(x * f8(1.9f), y * f8(3.1f)) +
             f8(0.15f) * plane_noise(x * f8(4.7f), y * f8(6.9f));
    return smooth((sum - f8(0.42f)) * f8(3.2f)) * smooth(up * f8(7));
}

/* Light from a direction (of any length): above the horizon a gradient that is steepest near it, thin
   clouds, and a glow around the sun; below it what the ground reflects. */
SL_INLINE F8x3 sky_light_of(const SlSky *sky, F8x3 d)
{
    F8 inverse = f8(1) / f8_sqrt(f8x3_dot(d, d));
    F8 up = f8x3_dot(d, spread(sky->up)) * inverse;
    F8 sun = clamp01(f8x3_dot(d, spread(sky->to_sun)) * inverse);
    F8 t = f8_sqrt(f8_max(up, f8(0)));
    F8x3 light = mix(spread(sky->horizon), spread(sky->zenith), clamp01(t));
    light = mix(light, scaled(spread(sky->horizon), f8(1.08f)), f8(0.6f) * clouds_in(sky, d, inverse, up));
    F8 glow = sun * sun;
    glow = glow * glow;
    glow = glow * glow;
    F8 close = glow * glow * glow * glow;
    light = along(light, f8(0.10f) * glow + f8(0.25f) * close * close, spread(sky->sun));
    return mix(light, spread(sky->horizon), f8_keep(up < f8(0), f8(1)));
}

#endif
