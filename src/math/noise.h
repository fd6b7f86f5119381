/* Smooth noise in space: random values at the points of a lattice, interpolated by the quintic
   t³(6t² - 15t + 10), so that slope and curvature are continuous. A pure function of seed and
   point. */
#ifndef MATH_NOISE_H
#define MATH_NOISE_H

#include <math.h>

#include "core/random.h"

/* The value at a lattice point, in [-1, 1). */
static inline double sl_noise_corner(uint64_t seed, uint64_t stream, int64_t x, int64_t y,
                                     int64_t z)
{
    uint64_t counter = ((uint64_t)x & 0xffffffff) | (uint64_t)y << 32;
    SlRandom4 r = sl_random(seed, counter, ((uint64_t)z & 0xffffffff) | stream << 32);
    return 2 * (double)sl_random_unit(r.value[0]) - 1;
}

static inline double sl_noise_ease(double t)
{
    return t * t * t * (t * (6 * t - 15) + 10);
}

/* In [-1, 1], features of size 1. */
static inline double sl_noise(uint64_t seed, uint64_t stream, double x, double y, double z)
{
    double fx = floor(x), fy = floor(y), fz = floor(z);
    double u = sl_noise_ease(x - fx), v = sl_noise_ease(y - fy), w = sl_noise_ease(z - fz);
    double sum = 0;
    for (int k = 0; k < 8; k++) {
        int i = k & 1, j = k >> 1 & 1, l = k >> 2;
        double weight = (i ? u : 1 - u) * (j ? v : 1 - v) * (l ? w : 1 - w);
        sum += weight * sl_noise_corner(seed, stream, (int64_t)fx + i, (int64_t)fy + j,
                                        (int64_t)fz + l);
    }
    return sum;
}

/* Octaves of it, each half as large and half as strong; in [-1, 1]. */
static inline double sl_noise_octaves(uint64_t seed, uint32_t octaves, double x, double y, double z)
{
    double sum = 0, total = 0, strength = 1, scale = 1;
    for (uint32_t k = 0; k < octaves; k++) {
        sum += strength * sl_noise(seed, k, x * scale, y * scale, z * scale);
        total += strength;
        strength *= 0.5;
        scale *= 2;
    }
    return total > 0 ? sum / total : 0;
}

#endif
