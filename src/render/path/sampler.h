/* Random numbers of a path: a stream for each pixel and sample, so that a picture depends neither on
   the number of threads nor on the order of the pixels. PCG32 [O'Neill 2014], seeded by a hash of
   pixel, sample and seed. */
#ifndef RENDER_PATH_SAMPLER_H
#define RENDER_PATH_SAMPLER_H

#include <stdint.h>

typedef struct SlPathSampler {
    uint64_t state, increment;
} SlPathSampler;

/* The finaliser of splitmix64: every bit of the input changes half of the output's. */
static inline uint64_t sl_path_mix(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static inline uint32_t sl_path_bits(SlPathSampler *s)
{
    uint64_t old = s->state;
    s->state = old * 6364136223846793005u + s->increment;
    uint32_t shifted = (uint32_t)((old >> 18 ^ old) >> 27), turn = (uint32_t)(old >> 59);
    return shifted >> turn | shifted << (-turn & 31);
}

static inline SlPathSampler sl_path_sampler(uint64_t pixel, uint32_t sample, uint32_t seed)
{
    uint64_t key = sl_path_mix(pixel + 0x9e3779b97f4a7c15u * ((uint64_t)seed + 1));
    SlPathSampler s = {.increment = sl_path_mix(key + sample) | 1};
    s.state = sl_path_mix(key ^ (uint64_t)sample << 32) + s.increment;
    sl_path_bits(&s);
    return s;
}

/* Uniform in [0, 1). */
static inline float sl_path_uniform(SlPathSampler *s)
{
    return (float)(sl_path_bits(s) >> 8) * (1.0f / 16777216.0f);
}

#endif
