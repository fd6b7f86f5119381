/* A pool of threads - 1 workers; the calling thread is the last. Workers sleep on a condition
   variable: a library must not occupy a core of its host while idle. But a step is a sequence of
   loops, some shorter than waking a thread takes, so a thread spins for some tens of microseconds
   before it sleeps, where there is a processor for every thread. Each worker begins with a range of
   chunks of its own, the same in every loop, so that what it wrote in one pass is still in its cache
   in the next; a worker that is done takes chunks from the ranges of others. */
#include "core/parallel.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "core/error.h"

enum { SPINS = 2000 };

/* The chunks of one worker: [next, end) are not done yet. On a cache line of its own. */
typedef struct ChunkRange {
    _Alignas(SL_ALIGNMENT) _Atomic size_t next;
    size_t end;
} ChunkRange;

typedef struct Loop {
    SlChunkFunction function;
    void *argument;
    size_t count, chunk_size;
    ChunkRange *ranges;
    uint32_t workers;
} Loop;

struct SlPool {
    SlMemory *memory;
    SlTaskScheduler tasks;
    uint32_t workers; /* threads that run chunks, the caller included */
    uint32_t started; /* threads created by the pool */
    pthread_t *threads;
    ChunkRange *ranges; /* one per worker */
    uint32_t joined;    /* workers that have a number; guarded by mutex */
    pthread_mutex_t mutex;
    pthread_cond_t work, done;
    Loop *loop; /* the current loop; guarded by mutex */
    _Atomic uint64_t
        generation;        /* counts loops, so that a worker joins each once; written under mutex */
    _Atomic uint32_t busy; /* workers still inside the loop; written under mutex */
    uint32_t spins;        /* polls before sleeping; 0: none */
    bool quit;
};

static void run_range(const Loop *loop, ChunkRange *range)
{
    for (;;) {
        size_t chunk = atomic_fetch_add_explicit(&range->next, 1, memory_order_relaxed);
        if (chunk >= range->end)
            return;
        size_t begin = chunk * loop->chunk_size;
        size_t end = begin + loop->chunk_size;
        loop->function(loop->argument, begin, end < loop->count ? end : loop->count, chunk);
    }
}

/* Its own range first, then what is left of the others. */
static void run_chunks(const Loop *loop, uint32_t worker)
{
    for (uint32_t k = 0; k < loop->workers; k++)
        run_range(loop, &loop->ranges[(worker + k) % loop->workers]);
}

/* About 100 cycles on some processors, 10 on others; a hint only. */
static void pause_briefly(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

static void spin_for_work(SlPool *pool, uint64_t seen)
{
    for (uint32_t k = 0;
         k < pool->spins && atomic_load_explicit(&pool->generation, memory_order_relaxed) == seen;
         k++)
        pause_briefly();
}

static void spin_for_end(SlPool *pool)
{
    for (uint32_t k = 0;
         k < pool->spins && atomic_load_explicit(&pool->busy, memory_order_relaxed) > 0; k++)
        pause_briefly();
}

static void *worker_main(void *argument)
{
    SlPool *pool = argument;
    uint64_t seen = 0;
    pthread_mutex_lock(&pool->mutex);
    uint32_t worker = ++pool->joined; /* 0 is the caller */
    for (;;) {
        while (!pool->quit && pool->generation == seen)
            pthread_cond_wait(&pool->work, &pool->mutex);
        if (pool->quit)
            break;
        seen = pool->generation;
        Loop *loop = pool->loop;
        pthread_mutex_unlock(&pool->mutex);
        run_chunks(loop, worker);
        pthread_mutex_lock(&pool->mutex);
        if (--pool->busy == 0)
            pthread_cond_signal(&pool->done);
        pthread_mutex_unlock(&pool->mutex);
        spin_for_work(pool, seen);
        pthread_mutex_lock(&pool->mutex);
    }
    pthread_mutex_unlock(&pool->mutex);
    return NULL;
}

SlStatus sl_pool_create(SlMemory *memory, uint32_t threads, const SlTaskScheduler *tasks,
                        SlPool **out, SlError *error)
{
    *out = NULL;
    SlPool *pool = sl_alloc_zero(memory, 1, sizeof *pool);
    if (pool == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for a thread pool");
    pool->memory = memory;
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->work, NULL);
    pthread_cond_init(&pool->done, NULL);
    bool own = tasks == NULL || tasks->run == NULL;
    if (!own)
        pool->tasks = *tasks;
    pool->workers = own ? threads : tasks->workers;
    if (pool->workers == 0)
        pool->workers = 1;
    pool->ranges = sl_alloc_zero(memory, pool->workers, sizeof *pool->ranges);
    if (pool->ranges == NULL) {
        uint32_t workers = pool->workers;
        sl_pool_destroy(pool);
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for %u threads", workers);
    }
    if (!own) {
        *out = pool;
        return SL_OK;
    }
    if (pool->workers > 1) {
        long processors = sysconf(_SC_NPROCESSORS_ONLN);
        pool->spins = processors > 0 && pool->workers <= (unsigned long)processors ? SPINS : 0;
        pool->threads = sl_alloc_zero(memory, pool->workers - 1, sizeof *pool->threads);
        if (pool->threads == NULL) {
            sl_pool_destroy(pool);
            return sl_error_set(error, SL_ERROR_MEMORY, "no memory for %u threads", threads);
        }
        for (; pool->started < pool->workers - 1; pool->started++) {
            if (pthread_create(&pool->threads[pool->started], NULL, worker_main, pool) != 0) {
                uint32_t got = pool->started + 1;
                sl_pool_destroy(pool);
                return sl_error_set(error, SL_ERROR_MEMORY, "the system gave %u of %u threads", got,
                                    threads);
            }
        }
    }
    *out = pool;
    return SL_OK;
}

void sl_pool_destroy(SlPool *pool)
{
    if (pool == NULL)
        return;
    pthread_mutex_lock(&pool->mutex);
    pool->quit = true;
    pthread_cond_broadcast(&pool->work);
    pthread_mutex_unlock(&pool->mutex);
    for (uint32_t k = 0; k < pool->started; k++)
        pthread_join(pool->threads[k], NULL);
    pthread_mutex_destroy(&pool->mutex);
    pthread_cond_destroy(&pool->work);
    pthread_cond_destroy(&pool->done);
    sl_free(pool->memory, pool->ranges, pool->workers * sizeof *pool->ranges);
    if (pool->threads != NULL)
        sl_free(pool->memory, pool->threads, (pool->workers - 1) * sizeof *pool->threads);
    sl_free(pool->memory, pool, sizeof *pool);
}

uint32_t sl_pool_workers(const SlPool *pool)
{
    return pool->workers;
}

static void scheduler_task(void *argument, uint32_t index)
{
    run_chunks(argument, index);
}

void sl_parallel_for(SlPool *pool, size_t count, size_t chunk_size, SlChunkFunction function,
                     void *argument)
{
    size_t chunks = sl_chunk_count(count, chunk_size);
    if (chunks == 0)
        return;
    uint32_t workers = chunks < pool->workers ? (uint32_t)chunks : pool->workers;
    Loop loop = {function, argument, count, chunk_size, pool->ranges, workers};
    for (uint32_t k = 0; k < workers; k++) {
        atomic_store_explicit(&pool->ranges[k].next, chunks * k / workers, memory_order_relaxed);
        pool->ranges[k].end = chunks * (k + 1) / workers;
    }
    if (workers == 1) {
        run_chunks(&loop, 0);
        return;
    }
    if (pool->tasks.run != NULL) {
        pool->tasks.run(pool->tasks.user, scheduler_task, &loop, workers);
        return;
    }
    pthread_mutex_lock(&pool->mutex);
    pool->loop = &loop;
    pool->busy = pool->started;
    pool->generation++;
    pthread_cond_broadcast(&pool->work);
    pthread_mutex_unlock(&pool->mutex);

    run_chunks(&loop, 0);

    spin_for_end(pool);
    pthread_mutex_lock(&pool->mutex);
    while (pool->busy > 0)
        pthread_cond_wait(&pool->done, &pool->mutex);
    pool->loop = NULL;
    pthread_mutex_unlock(&pool->mutex);
}
