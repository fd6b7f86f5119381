/* The allocator of a context: counted, 64-byte aligned, sizes known on release. */
#ifndef CORE_MEMORY_H
#define CORE_MEMORY_H

#include <stdatomic.h>

#include "sleet/base.h"

enum { SL_ALIGNMENT = 64 };

typedef struct SlMemory {
    SlAllocator hooks;
    _Atomic uint64_t allocations;
    _Atomic uint64_t bytes_held;
} SlMemory;

void sl_memory_init(SlMemory *memory, const SlAllocator *hooks);
/* NULL when there is no room, or for 0 bytes. Contents are undefined. */
void *sl_alloc(SlMemory *memory, size_t bytes);
/* count × size with the product checked; zeroed. */
void *sl_alloc_zero(SlMemory *memory, size_t count, size_t size);
void sl_free(SlMemory *memory, void *block, size_t bytes);
/* Grows an array, keeping `used` bytes; NULL leaves the old one as it was. */
void *sl_regrow(SlMemory *memory, void *block, size_t old_bytes, size_t new_bytes, size_t used);

#endif
