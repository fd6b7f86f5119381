/* Stable sort of items by a small integer key, in parallel. The order is unique, so it does not
   depend on threads or chunk sizes. */
#ifndef CORE_SORT_H
#define CORE_SORT_H

#include "core/memory.h"
#include "core/parallel.h"

/* order[k] is the item at place k, sorted_keys[k] its key; keys are below key_limit.
   Takes scratch from the arena; false when there is no memory. */
bool sl_sort_by_key(SlPool *pool, SlArena *arena, const uint32_t *keys, size_t count,
                    uint64_t key_limit, uint32_t *order, uint32_t *sorted_keys);

/* start[k] = first place whose key is >= k, for k = 0 … key_limit (start[key_limit] = count). */
void sl_key_starts(SlPool *pool, const uint32_t *sorted_keys, size_t count, uint64_t key_limit,
                   uint32_t *start);

/* The first place whose key is not below `key`; count: there is none. */
static inline size_t sl_lower_bound(const uint32_t *sorted_keys, size_t count, uint32_t key)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (sorted_keys[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

#endif
