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

/* Light from a direction (of any length): above the horizon a gradient that is steepest near it, thin
   clouds, and a glow around the sun; below it what the ground reflects. */
SL_INLINE F8x3 sky_light_of(const SlSky *sky, F8x3 d)
{
    F8 inverse = f8(1) / f8_sqrt(f8x3_dot(d, d));
    F8 up = f8x3_dot(d, spread(sky->up)) * inverse;
    F8 sun = clamp01(f8x3_dot(d, spread(sky->to_sun)) * inverse);
    F8 t = f8_sqrt(f8_max(up, f8(0)));
    F8x3 light = mix(spread(sky->horizon), spread(sky->zenith), clamp01(t));
    F8 glow = sun * sun;
    glow = glow * glow;
    glow = glow * glow;
    F8 close = glow * glow * glow * glow;
    light = along(light, f8(0.10f) * glow + f8(0.25f) * close * close, spread(sky->sun));
    return mix(light, spread(sky->horizon), f8_keep(up < f8(0), f8(1)));
}

#endif
