/* The phase function of Henyey and Greenstein [Henyey 1941], and directions around an axis:

     p(c) = (1 - g²) / (4 π (1 + g² - 2 g c)^(3/2)),

   c the cosine between the direction before and after scattering, g its mean. */
#ifndef RENDER_PATH_PHASE_H
#define RENDER_PATH_PHASE_H

#include "math/vec3.h"
#include "render/path/sampler.h"

#define SL_PHASE_PI 3.14159265358979f

/* 1/sr; integrates to 1 over all directions, and is the probability density of sl_phase_sample. */
static inline float sl_phase_value(float g, float cosine)
{
    float q = fmaxf(1 + g * g - 2 * g * cosine, 1e-7f);
    return (1 - g * g) / (4 * SL_PHASE_PI * q * sqrtf(q));
}

/* A cosine with that density; u uniform in [0, 1). */
static inline float sl_phase_cosine(float g, float u)
{
    if (fabsf(g) < 1e-3f) /* the first two terms of the series in g: no cancellation */
        return fminf(fmaxf(2 * u - 1 + 6 * g * u * (1 - u), -1), 1);
    float q = (1 - g * g) / (1 - g + 2 * g * u);
    return fminf(fmaxf((1 + g * g - q * q) / (2 * g), -1), 1);
}

/* Cosine and sine of 2 π turn, turn in [0, 1]: Taylor series within an eighth of a turn, 1e-7 off at most. */
static inline void sl_turn(float turn, float *cosine, float *sine)
{
    int quarter = (int)(4 * turn + 0.5f);
    float x = (4 * turn - (float)quarter) * (0.5f * SL_PHASE_PI), q = x * x;
    float s = x * (1 + q * (-1.0f / 6 + q * (1.0f / 120 + q * (-1.0f / 5040 + q * (1.0f / 362880)))));
    float c = 1 + q * (-0.5f + q * (1.0f / 24 + q * (-1.0f / 720 + q * (1.0f / 40320))));
    float u = quarter & 1 ? s : c, v = quarter & 1 ? c : s;
    *cosine = (quarter + 1) & 2 ? -u : u;
    *sine = quarter & 2 ? -v : v;
}

/* The direction at angle acos(cosine) from the unit vector `axis`, at azimuth 2 π turn. The two
   vectors across the axis are those of [Duff 2017]: no branch, no normalisation. */
static inline SlVec3 sl_direction_around(SlVec3 axis, float cosine, float turn)
{
    float sine = sqrtf(fmaxf(1 - cosine * cosine, 0)), u, v;
    sl_turn(turn, &u, &v);
    u *= sine;
    v *= sine;
    float sign = copysignf(1, axis.z), a = -1 / (sign + axis.z), b = axis.x * axis.y * a;
    SlVec3 s = {1 + sign * axis.x * axis.x * a, sign * b, -sign * axis.x};
    SlVec3 t = {b, sign + axis.y * axis.y * a, -axis.y};
    return (SlVec3){u * s.x + v * t.x + cosine * axis.x, u * s.y + v * t.y + cosine * axis.y,
                    u * s.z + v * t.z + cosine * axis.z};
}

/* A direction after scattering; its density is sl_phase_value of the cosine between the two. */
static inline SlVec3 sl_phase_sample(float g, SlVec3 direction, SlPathSampler *sampler)
{
    float u = sl_path_even(sampler), turn = sl_path_even(sampler);
    if (g == 0) { /* the same in all directions: no need of the old one */
        float x, y, z = 1 - 2 * u, sine = sqrtf(4 * u * (1 - u));
        sl_turn(turn, &x, &y);
        return (SlVec3){sine * x, sine * y, z};
    }
    return sl_unit(sl_direction_around(direction, sl_phase_cosine(g, u), turn));
}

#endif
