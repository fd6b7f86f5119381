/* The one parallel primitive: a loop over chunks, on a small pool that waits passively or on the
   program's own scheduler. Which thread runs which chunk is not fixed; what a chunk writes is. */
#ifndef CORE_PARALLEL_H
#define CORE_PARALLEL_H

#include "core/memory.h"

typedef struct SlPool SlPool;

/* Covers items [begin, end), chunk number `chunk`. Must not allocate; scratch goes by chunk. */
typedef void (*SlChunkFunction)(void *argument, size_t begin, size_t end, size_t chunk);

SlStatus sl_pool_create(SlMemory *memory, uint32_t threads, const SlTaskScheduler *tasks,
                        SlPool **pool, SlError *error);
void sl_pool_destroy(SlPool *pool);
uint32_t sl_pool_workers(const SlPool *pool);

/* Runs `function` over [0, count) in chunks of chunk_size items (the last may be shorter) and
   returns when all are done. Not from inside a chunk. */
void sl_parallel_for(SlPool *pool, size_t count, size_t chunk_size, SlChunkFunction function,
                     void *argument);

static inline size_t sl_chunk_count(size_t count, size_t chunk_size)
{
    return (count + chunk_size - 1) / chunk_size;
}

#endif
