/* The context: memory, threads, scratch arena, instruction-set path and hooks of a computation.
   Every module gets it as an argument; there are no globals. */
#ifndef CORE_CONTEXT_H
#define CORE_CONTEXT_H

#include "core/memory.h"
#include "core/error.h"
#include "core/file.h"
#include "core/parallel.h"

struct SlContext {
    SlMemory memory;
    SlArena arena; /* scratch of one step or one draw */
    SlPool *pool;
    SlIsa isa; /* BASE or AVX2, never AUTO */
    SlHooks hooks;
    SlFileLayer file_layer; /* real files, or a failing layer in tests */
};

void sl_log(const SlContext *context, SlLogLevel level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Reports how far an operation is: `what` names it. False: the user asked to stop. */
bool sl_progress(const SlContext *context, double fraction, const char *what);
/* The same as a status: SL_ERROR_CANCELLED with a message where the user asked to stop. */
SlStatus sl_report_progress(const SlContext *context, double fraction, const char *what,
                            SlError *error);

/* A parallel loop that takes long: sl_parallel_for in parts, with a report after each. */
typedef struct SlLongLoop {
    size_t count, chunk_size;
    SlChunkFunction function;
    void *argument;
    const char *what; /* in reports */
} SlLongLoop;
/* SL_ERROR_CANCELLED: some chunks were not run. */
SlStatus sl_run_long_loop(const SlContext *context, const SlLongLoop *loop, SlError *error);

#endif
