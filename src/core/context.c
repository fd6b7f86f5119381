#include "core/cookies.h"
#include "core/context.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/machine.h"

enum { MAX_THREADS = 256 };

SlContextDef sl_default_context_def(void)
{
    return (SlContextDef){SL_DEF_HEAD(CONTEXT, SlContextDef)};
}

SlStatus sl_context_create(const SlContextDef *def, SlContext **out, SlError *error)
{
    *out = NULL;
    if (!SL_DEF_VALID(def, CONTEXT))
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "context definition not made by sl_default_context_def");
    if (def->threads > MAX_THREADS)
        return sl_error_set(error, SL_ERROR_ARGUMENT, "threads: %u asked for, at most %d are allowed",
                            def->threads, MAX_THREADS);
    SlIsa isa;
    SlStatus status = sl_isa_choose(def->isa, &isa, error);
    if (status != SL_OK)
        return status;

    SlMemory memory;
    sl_memory_init(&memory, &def->allocator);
    SlContext *context = sl_alloc(&memory, sizeof *context);
    if (context == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for a context");
    memset(context, 0, sizeof *context);
    context->memory = memory;
    context->isa = isa;
    context->hooks = def->hooks;
    context->file_layer = sl_file_layer_real();
    sl_arena_init(&context->arena, &context->memory);

    uint32_t threads = def->threads != 0 ? def->threads : sl_machine_processors();
    if (threads > MAX_THREADS)
        threads = MAX_THREADS;
    status = sl_pool_create(&context->memory, threads, &def->tasks, &context->pool, error);
    if (status != SL_OK) {
        sl_context_destroy(context);
        return status;
    }
    *out = context;
    return SL_OK;
}

void sl_context_destroy(SlContext *context)
{
    if (context == NULL)
        return;
    sl_pool_destroy(context->pool);
    sl_arena_free(&context->arena);
    SlMemory memory = context->memory;
    sl_free(&memory, context, sizeof *context);
}

uint32_t sl_context_threads(const SlContext *context)
{
    return sl_pool_workers(context->pool);
}

const char *sl_context_isa_name(const SlContext *context)
{
    return sl_isa_name(context->isa);
}

uint64_t sl_context_allocation_count(const SlContext *context)
{
    return atomic_load(&context->memory.allocations);
}

uint64_t sl_context_bytes_held(const SlContext *context)
{
    return atomic_load(&context->memory.bytes_held);
}

void sl_log(const SlContext *context, SlLogLevel level, const char *format, ...)
{
    if (context->hooks.log == NULL)
        return;
    char text[600];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    context->hooks.log(context->hooks.user, level, text);
}

bool sl_progress(const SlContext *context, double fraction, const char *what)
{
    if (context->hooks.progress == NULL)
        return true;
    return context->hooks.progress(context->hooks.user, fraction, what);
}

SlStatus sl_report_progress(const SlContext *context, double fraction, const char *what,
                            SlError *error)
{
    if (sl_progress(context, fraction, what))
        return SL_OK;
    return sl_error_set(error, SL_ERROR_CANCELLED, "%s: stopped at %.0f %%", what, 100 * fraction);
}

/* A part of a loop: items and chunks are counted from the whole's beginning. */
typedef struct Part {
    const SlLongLoop *loop;
    size_t first; /* chunk */
} Part;

static void run_part(void *argument, size_t begin, size_t end, size_t chunk)
{
    const Part *part = argument;
    size_t first = part->first * part->loop->chunk_size;
    part->loop->function(part->loop->argument, first + begin, first + end, part->first + chunk);
}

SlStatus sl_run_long_loop(const SlContext *context, const SlLongLoop *loop, SlError *error)
{
    enum { PARTS = 64 };
    size_t chunks = sl_chunk_count(loop->count, loop->chunk_size);
    size_t each = context->hooks.progress != NULL ? (chunks + PARTS - 1) / PARTS : chunks;
    SlStatus status = sl_report_progress(context, 0, loop->what, error);
    for (size_t first = 0; status == SL_OK && first < chunks; first += each) {
        size_t begin = first * loop->chunk_size, items = each * loop->chunk_size;
        size_t left = loop->count - begin;
        Part part = {loop, first};
        sl_parallel_for(context->pool, items < left ? items : left, loop->chunk_size, run_part,
                        &part);
        double done = first + each < chunks ? (double)(first + each) / (double)chunks : 1;
        status = sl_report_progress(context, done, loop->what, error);
    }
    return status;
}
