#include "core/hash.h"

/* The state of a streamed hash on the stack. */
#define XXH_STATIC_LINKING_ONLY
#include <xxhash.h>

uint64_t sl_hash(const void *data, size_t bytes, uint64_t seed)
{
    return XXH3_64bits_withSeed(data, bytes, seed);
}

void sl_hash128(const SlBytes *parts, size_t count, uint64_t hash[2])
{
    XXH3_state_t state;
    XXH3_INITSTATE(&state);
    XXH3_128bits_reset(&state);
    for (size_t k = 0; k < count; k++)
        if (parts[k].bytes > 0)
            XXH3_128bits_update(&state, parts[k].data, parts[k].bytes);
    XXH128_hash_t sum = XXH3_128bits_digest(&state);
    hash[0] = sum.low64;
    hash[1] = sum.high64;
}
