/* The one parallel primitive: a loop over chunks, on a thread pool or on the program's scheduler.
   Which thread runs a chunk is not fixed; what a chunk writes is.

   All loops have one shape: a struct with the loop's arrays and constants, a static function
   NAME_chunk(argument, begin, end, chunk) that casts `argument` to it and calls the kernel, and one
   call of sl_parallel_for. Every memory location has one writer; a sum over items writes one partial
   per chunk (partials[chunk]), folded below in the order of chunks. */
#ifndef CORE_PARALLEL_H
#define CORE_PARALLEL_H

#include <stddef.h>

#include "core/memory.h"

typedef struct SlPool SlPool;

/* Processes items [begin, end), chunk number `chunk`. Must not allocate; scratch is indexed by chunk. */
typedef void (*SlChunkFunction)(void *argument, size_t begin, size_t end, size_t chunk);

SlStatus sl_pool_create(SlMemory *memory, uint32_t threads, const SlTaskScheduler *tasks,
                        SlPool **pool, SlError *error);
void sl_pool_destroy(SlPool *pool);
uint32_t sl_pool_workers(const SlPool *pool);

/* Runs `function` over [0, count) in chunks of chunk_size items (the last may be shorter) and
   returns when all are done. Must not be called from inside a chunk. */
void sl_parallel_for(SlPool *pool, size_t count, size_t chunk_size, SlChunkFunction function,
                     void *argument);

static inline size_t sl_chunk_count(size_t count, size_t chunk_size)
{
    return (count + chunk_size - 1) / chunk_size;
}

/* --- Sums and maxima in an order that does not depend on threads: a loop writes one partial per
   fixed-size chunk, then one thread folds the partials from first to last. --- */

/* Items per chunk of every reduced particle loop: fixed, so that partials never change. */
enum { SL_REDUCE_CHUNK = 512 };

/* partials[chunk * stride + lane]; the sum over chunks of one lane. */
static inline double sl_fold_sum(const double *partials, size_t chunks, size_t stride, size_t lane)
{
    double sum = 0;
    for (size_t c = 0; c < chunks; c++)
        sum += partials[c * stride + lane];
    return sum;
}

/* At least one chunk. */
static inline double sl_fold_max(const double *partials, size_t chunks, size_t stride, size_t lane)
{
    double max = partials[lane];
    for (size_t c = 1; c < chunks; c++)
        if (partials[c * stride + lane] > max)
            max = partials[c * stride + lane];
    return max;
}

#endif
