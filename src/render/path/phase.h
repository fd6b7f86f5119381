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

/* The direction at angle acos(cosine) from the unit vector `axis`, at azimuth 2 π turn. The two
   vectors across the axis are those of [Duff 2017]: no branch, no normalisation. */
static inline SlVec3 sl_direction_around(SlVec3 axis, float cosine, float turn)
{
    float sine = sqrtf(fmaxf(1 - cosine * cosine, 0)), angle = 2 * SL_PHASE_PI * turn;
    float u = sine * cosf(angle), v = sine * sinf(angle);
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
    return sl_unit(sl_direction_around(direction, sl_phase_cosine(g, u), turn));
}

#endif
