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

/* A point of its own in each cell of the lattice, and how firm the chunk around it is, [0, 1). */
typedef struct SlNoiseSeed {
    double at[3], firm;
} SlNoiseSeed;

static inline SlNoiseSeed sl_noise_seed(uint64_t seed, int64_t x, int64_t y, int64_t z)
{
    enum { STREAM = 64 }; /* none of the octaves' */
    uint64_t counter = ((uint64_t)x & 0xffffffff) | (uint64_t)y << 32;
    SlRandom4 r = sl_random(seed, counter, ((uint64_t)z & 0xffffffff) | (uint64_t)STREAM << 32);
    return (SlNoiseSeed){{(double)x + (double)sl_random_unit(r.value[0]),
                          (double)y + (double)sl_random_unit(r.value[1]),
                          (double)z + (double)sl_random_unit(r.value[2])},
                         (double)sl_random_unit(r.value[3])};
}

static inline double sl_noise_distance2(const SlNoiseSeed *s, const double p[3])
{
    double x = s->at[0] - p[0], y = s->at[1] - p[1], z = s->at[2] - p[2];
    return x * x + y * y + z * z;
}

/* Chunks of size 1 with seams between them: Voronoi's cells of a point at random in each cell of the
   lattice [Worley 1996]. -1 in the middle of a seam, rising over half its width to what a chunk has
   inside, [0.7, 1]. */
static inline double sl_noise_chunks(uint64_t seed, double width, double x, double y, double z)
{
    enum { CELLS = 125 };
    double p[3] = {x, y, z}, nearest = INFINITY, seam = INFINITY;
    int64_t c[3] = {(int64_t)floor(x), (int64_t)floor(y), (int64_t)floor(z)};
    SlNoiseSeed seeds[CELLS], own = {{0, 0, 0}, 0};
    for (int k = 0; k < CELLS; k++) {
        seeds[k] = sl_noise_seed(seed, c[0] + k % 5 - 2, c[1] + k / 5 % 5 - 2, c[2] + k / 25 - 2);
        double d2 = sl_noise_distance2(&seeds[k], p);
        if (d2 < nearest) {
            nearest = d2;
            own = seeds[k];
        }
    }
    for (int k = 0; k < CELLS; k++) { /* the way to the plane between two points */
        double apart = sqrt(sl_noise_distance2(&seeds[k], own.at));
        if (apart > 0)
            seam = fmin(seam, (sl_noise_distance2(&seeds[k], p) - nearest) / (2 * apart));
    }
    double rise = fmin(2 * seam / width, 1);
    return -1 + rise * (1.7 + 0.3 * own.firm);
}

#endif
