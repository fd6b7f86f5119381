/* A pool of threads - 1 workers; the caller is the last. Workers sleep on a condition variable:
   a loop takes about 10 us to wake them, against stages of milliseconds, and a library must not
   burn a core of its host while idle. Chunks are handed out by one atomic counter. */
#include "core/parallel.h"

#include <pthread.h>
#include <string.h>

#include "core/error.h"

typedef struct Loop {
    SlChunkFunction function;
    void *argument;
    size_t count, chunk_size, chunks;
    _Atomic size_t next;
} Loop;

struct SlPool {
    SlMemory *memory;
    SlTaskScheduler tasks;
    uint32_t workers;  /* threads that run chunks, the caller included */
    uint32_t started;  /* threads of our own that exist */
    pthread_t *threads;
    pthread_mutex_t mutex;
    pthread_cond_t work, done;
    Loop *loop;          /* the loop under way; guarded by mutex */
    uint64_t generation; /* counts loops, so that a worker joins each once */
    uint32_t busy;       /* workers still inside the loop */
    bool quit;
};

static void run_chunks(Loop *loop)
{
    for (;;) {
        size_t chunk = atomic_fetch_add_explicit(&loop->next, 1, memory_order_relaxed);
        if (chunk >= loop->chunks)
            return;
        size_t begin = chunk * loop->chunk_size;
        size_t end = begin + loop->chunk_size;
        loop->function(loop->argument, begin, end < loop->count ? end : loop->count, chunk);
    }
}

static void *worker_main(void *argument)
{
    SlPool *pool = argument;
    uint64_t seen = 0;
    pthread_mutex_lock(&pool->mutex);
    for (;;) {
        while (!pool->quit && pool->generation == seen)
            pthread_cond_wait(&pool->work, &pool->mutex);
        if (pool->quit)
            break;
        seen = pool->generation;
        Loop *loop = pool->loop;
        pthread_mutex_unlock(&pool->mutex);
        run_chunks(loop);
        pthread_mutex_lock(&pool->mutex);
        if (--pool->busy == 0)
            pthread_cond_signal(&pool->done);
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
    if (tasks != NULL && tasks->run != NULL) {
        pool->tasks = *tasks;
        pool->workers = tasks->workers > 0 ? tasks->workers : 1;
        *out = pool;
        return SL_OK;
    }
    pool->workers = threads > 0 ? threads : 1;
    if (pool->workers > 1) {
        pool->threads = sl_alloc_zero(memory, pool->workers - 1, sizeof *pool->threads);
        if (pool->threads == NULL) {
            sl_pool_destroy(pool);
            return sl_error_set(error, SL_ERROR_MEMORY, "no memory for %u threads", threads);
        }
        for (; pool->started < pool->workers - 1; pool->started++) {
            if (pthread_create(&pool->threads[pool->started], NULL, worker_main, pool) != 0) {
                uint32_t got = pool->started + 1;
                sl_pool_destroy(pool);
                return sl_error_set(error, SL_ERROR_MEMORY,
                                    "the system gave %u of %u threads", got, threads);
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
    (void)index; /* which worker it is does not matter: chunks come from the counter */
    run_chunks(argument);
}

void sl_parallel_for(SlPool *pool, size_t count, size_t chunk_size, SlChunkFunction function,
                     void *argument)
{
    Loop loop = {function, argument, count, chunk_size, sl_chunk_count(count, chunk_size), 0};
    if (loop.chunks == 0)
        return;
    if (pool->workers == 1 || loop.chunks == 1) {
        run_chunks(&loop);
        return;
    }
    if (pool->tasks.run != NULL) {
        uint32_t tasks = loop.chunks < pool->workers ? (uint32_t)loop.chunks : pool->workers;
        pool->tasks.run(pool->tasks.user, scheduler_task, &loop, tasks);
        return;
    }
    pthread_mutex_lock(&pool->mutex);
    pool->loop = &loop;
    pool->busy = pool->started;
    pool->generation++;
    pthread_cond_broadcast(&pool->work);
    pthread_mutex_unlock(&pool->mutex);

    run_chunks(&loop);

    pthread_mutex_lock(&pool->mutex);
    while (pool->busy > 0)
        pthread_cond_wait(&pool->done, &pool->mutex);
    pool->loop = NULL;
    pthread_mutex_unlock(&pool->mutex);
}
