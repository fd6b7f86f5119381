/* Hashes (XXH3): 64 bits of state and of file chunks, 128 bits where content is found by its hash. */
#ifndef CORE_HASH_H
#define CORE_HASH_H

#include <stddef.h>
#include <stdint.h>

uint64_t sl_hash(const void *data, size_t bytes, uint64_t seed);

typedef struct SlBytes {
    const void *data; /* may be NULL for 0 bytes */
    size_t bytes;
} SlBytes;

/* 128 bits, low half first, of the parts one after the other. */
void sl_hash128(const SlBytes *parts, size_t count, uint64_t hash[2]);

#endif
