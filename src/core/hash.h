/* 64-bit hashes (XXH3): of state, of file chunks. */
#ifndef CORE_HASH_H
#define CORE_HASH_H

#include <stddef.h>
#include <stdint.h>

uint64_t sl_hash(const void *data, size_t bytes, uint64_t seed);

#endif
