/* The one shape of a parallel kernel and the functions that run one. `data` is the struct of the
   kernel's family; the header of each kernel table names it. */
#ifndef SOLVERS_LOOP_H
#define SOLVERS_LOOP_H

#include "solvers/solver.h"

/* Covers items [begin, end), which lie in chunk number `chunk`. Writes only its own items and the
   chunk's own partial sums. */
typedef void (*SlLoop)(const void *data, size_t begin, size_t end, size_t chunk);

/* Blocks of eight particles per chunk of a particle loop: a chunk is one of core's reductions. */
enum { SL_CHUNK_BLOCKS = SL_REDUCE_CHUNK / 8 };

typedef struct SlLoopRun {
    SlLoop loop;
    const void *data;
} SlLoopRun;

static inline void sl_loop_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    const SlLoopRun *run = argument;
    run->loop(run->data, begin, end, chunk);
}

/* Runs the loop over items [0, count) in chunks of chunk_size. */
static inline void sl_loop_run(SlPool *pool, size_t count, size_t chunk_size, SlLoop loop,
                               const void *data)
{
    SlLoopRun run = {loop, data};
    sl_parallel_for(pool, count, chunk_size, sl_loop_chunk, &run);
}

/* Runs the loop over the system's blocks of eight particles. */
static inline void sl_particle_loop(const SlSystem *system, SlLoop loop, const void *data)
{
    sl_loop_run(system->context->pool, sl_particle_blocks(&system->particles), SL_CHUNK_BLOCKS,
                loop, data);
}

#endif
