/* Random numbers of a path: a stream for each pixel and sample, so that a picture depends neither on
   the number of threads nor on the order of the pixels.

     sl_path_uniform  PCG32 [O'Neill 2014], seeded by a hash of pixel, sample and seed
     sl_path_even     the first dimensions of a path: pairs of Sobol's first two dimensions, of which any
                      2^k samples fill the square evenly; each pair has its own order of the samples and
                      its own Owen scrambling, both by hashing [Burley 2020]. Later dimensions: uniform */
#ifndef RENDER_PATH_SAMPLER_H
#define RENDER_PATH_SAMPLER_H

#include <stdbool.h>
#include <stdint.h>

enum {
    SL_EVEN_PIXEL = 0,    /* 2 dimensions */
    SL_EVEN_TIME = 2,     /* 1 */
    SL_EVEN_LENS = 4,     /* 2 */
    SL_EVEN_VERTICES = 6, /* from here on those of the vertices of a path: */
    SL_EVEN_SUN = 0, SL_EVEN_SKY = 2, SL_EVEN_LAMP = 4, SL_EVEN_DIRECTION = 6, SL_EVEN_CHOICE = 8,
    SL_EVEN_PER_VERTEX = 10,
    SL_EVEN_DEPTH = 6,    /* vertices of a path that have some */
    SL_EVEN_COUNT = SL_EVEN_VERTICES + 2 * SL_EVEN_DEPTH * SL_EVEN_PER_VERTEX /* of a path that was split */
};

typedef struct SlPathSampler {
    uint64_t state, increment;
    uint32_t order;     /* bits of the sample's number, the lowest first */
    uint32_t scramble;  /* of the pixel */
    uint32_t dimension; /* that sl_path_even gives next; SL_EVEN_COUNT: no more */
    bool spread;        /* has even dimensions */
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

/* One without even dimensions. */
static inline SlPathSampler sl_path_sampler(uint64_t pixel, uint32_t sample, uint32_t seed)
{
    uint64_t key = sl_path_mix(pixel + 0x9e3779b97f4a7c15u * ((uint64_t)seed + 1));
    SlPathSampler s = {.increment = sl_path_mix(key + sample) | 1, .dimension = SL_EVEN_COUNT};
    s.state = sl_path_mix(key ^ (uint64_t)sample << 32) + s.increment;
    sl_path_bits(&s);
    return s;
}

/* Uniform in [0, 1). */
static inline float sl_path_uniform(SlPathSampler *s)
{
    return (float)(sl_path_bits(s) >> 8) * (1.0f / 16777216.0f);
}

/* --- Even dimensions. --- */

static inline uint32_t sl_path_reverse(uint32_t x)
{
    x = x >> 16 | x << 16;
    x = (x & 0xff00ff00u) >> 8 | (x & 0x00ff00ffu) << 8;
    x = (x & 0xf0f0f0f0u) >> 4 | (x & 0x0f0f0f0fu) << 4;
    x = (x & 0xccccccccu) >> 2 | (x & 0x33333333u) << 2;
    return (x & 0xaaaaaaaau) >> 1 | (x & 0x55555555u) << 1;
}

/* A permutation in which a bit changes by the bits below it only [Burley 2020, after Laine and Karras
   2011]: of a number with its highest bit lowest it is an Owen scrambling. */
static inline uint32_t sl_path_scramble(uint32_t x, uint32_t seed)
{
    x += seed;
    x ^= x * 0x6c50b47cu;
    x ^= x * 0xb82f1e52u;
    x ^= x * 0xc7afe638u;
    return x ^ x * 0x8d22f6e6u;
}

/* Sobol's second dimension, lowest bit first: the binomial coefficients modulo 2 times the bits of n. */
static inline uint32_t sl_path_pascal(uint32_t n)
{
    n ^= (n & 0xaaaaaaaau) >> 1;
    n ^= (n & 0xccccccccu) >> 2;
    n ^= (n & 0xf0f0f0f0u) >> 4;
    n ^= (n & 0xff00ff00u) >> 8;
    return n ^ n >> 16;
}

static inline SlPathSampler sl_path_sampler_even(uint64_t pixel, uint32_t sample, uint32_t seed)
{
    SlPathSampler s = sl_path_sampler(pixel, sample, seed);
    s.order = sl_path_reverse(sample);
    s.scramble = (uint32_t)(sl_path_mix(pixel + 0xd1b54a32d192ed03u * ((uint64_t)seed + 1)) >> 32);
    s.dimension = 0;
    s.spread = true;
    return s;
}

/* In [0, 1): the next even dimension. */
static inline float sl_path_even(SlPathSampler *s)
{
    uint32_t dimension = s->dimension;
    if (dimension >= SL_EVEN_COUNT)
        return sl_path_uniform(s);
    s->dimension++;
    uint64_t key = sl_path_mix((uint64_t)s->scramble << 32 | dimension >> 1);
    uint32_t n = sl_path_reverse(sl_path_scramble(s->order, (uint32_t)key));
    uint32_t seed = (uint32_t)(key >> 32);
    if (dimension & 1) {
        n = sl_path_pascal(n);
        seed = (uint32_t)(sl_path_mix(key) >> 32);
    }
    return (float)(sl_path_reverse(sl_path_scramble(n, seed)) >> 8) * (1.0f / 16777216.0f);
}

#endif
