/* Counter-based random numbers: Philox4x32-10 [Salmon 2011]. The same (seed, counter) gives
   the same numbers on any thread in any order, so nothing has to be carried over. */
#ifndef CORE_RANDOM_H
#define CORE_RANDOM_H

#include <stdint.h>

typedef struct SlRandom4 {
    uint32_t value[4];
} SlRandom4;

static inline SlRandom4 sl_random(uint64_t seed, uint64_t counter, uint64_t stream)
{
    uint32_t c[4] = {(uint32_t)counter, (uint32_t)(counter >> 32), (uint32_t)stream,
                     (uint32_t)(stream >> 32)};
    uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);
    for (int round = 0; round < 10; round++) {
        uint64_t p0 = (uint64_t)0xD2511F53u * c[0];
        uint64_t p1 = (uint64_t)0xCD9E8D57u * c[2];
        uint32_t next0 = (uint32_t)(p1 >> 32) ^ c[1] ^ k0;
        uint32_t next2 = (uint32_t)(p0 >> 32) ^ c[3] ^ k1;
        c[1] = (uint32_t)p1;
        c[3] = (uint32_t)p0;
        c[0] = next0;
        c[2] = next2;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    return (SlRandom4){{c[0], c[1], c[2], c[3]}};
}

/* In [0, 1), 24 bits. */
static inline float sl_random_unit(uint32_t value)
{
    return (float)(value >> 8) * 0x1p-24f;
}

#endif
