#include "core/file_queue.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>

#include "core/error.h"

struct SlFileQueue {
    SlMemory *memory;
    const SlFileLayer *layer;
    pthread_t thread;
    bool thread_runs;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    /* guarded by the mutex */
    bool busy, quit;
    SlError result; /* of the last file, until it is asked for */
    /* the thread's while busy, else the caller's */
    char path[1024];
    char *buffer;
    size_t room, bytes;
};

static void *write_files(void *argument)
{
    SlFileQueue *queue = argument;
    pthread_mutex_lock(&queue->mutex);
    for (;;) {
        while (!queue->busy && !queue->quit)
            pthread_cond_wait(&queue->changed, &queue->mutex);
        if (!queue->busy)
            break;
        pthread_mutex_unlock(&queue->mutex);
        SlError result = {SL_OK, ""};
        result.status =
            sl_file_write(queue->layer, queue->path, queue->buffer, queue->bytes, &result);
        pthread_mutex_lock(&queue->mutex);
        queue->result = result;
        queue->busy = false;
        pthread_cond_broadcast(&queue->changed);
    }
    pthread_mutex_unlock(&queue->mutex);
    return NULL;
}

SlStatus sl_file_queue_create(SlMemory *memory, const SlFileLayer *layer, SlFileQueue **out,
                              SlError *error)
{
    *out = NULL;
    SlFileQueue *queue = sl_alloc_zero(memory, 1, sizeof *queue);
    if (queue == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory to write files");
    queue->memory = memory;
    queue->layer = layer;
    pthread_mutex_init(&queue->mutex, NULL);
    pthread_cond_init(&queue->changed, NULL);
    /* Signals are for the program's own threads. */
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    queue->thread_runs = pthread_create(&queue->thread, NULL, write_files, queue) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!queue->thread_runs) {
        sl_file_queue_destroy(queue);
        return sl_error_set(error, SL_ERROR_MEMORY, "no thread can be made to write files");
    }
    *out = queue;
    return SL_OK;
}

static void wait_until_idle(SlFileQueue *queue)
{
    pthread_mutex_lock(&queue->mutex);
    while (queue->busy)
        pthread_cond_wait(&queue->changed, &queue->mutex);
    pthread_mutex_unlock(&queue->mutex);
}

SlStatus sl_file_queue_wait(SlFileQueue *queue, SlError *error)
{
    wait_until_idle(queue);
    SlError result = queue->result;
    queue->result = (SlError){SL_OK, ""};
    return result.status == SL_OK ? SL_OK
                                  : sl_error_set(error, result.status, "%s", result.text);
}

char *sl_file_queue_buffer(SlFileQueue *queue, size_t bytes, SlError *error)
{
    if (sl_file_queue_wait(queue, error) != SL_OK)
        return NULL;
    if (bytes > queue->room) {
        sl_free(queue->memory, queue->buffer, queue->room);
        queue->room = bytes + bytes / 16;
        queue->buffer = sl_alloc(queue->memory, queue->room);
        if (queue->buffer == NULL) {
            queue->room = 0;
            sl_error_set(error, SL_ERROR_MEMORY, "no memory for a file of %zu bytes", bytes);
        }
    }
    return queue->buffer;
}

void sl_file_queue_write(SlFileQueue *queue, const char *path, size_t bytes)
{
    wait_until_idle(queue);
    SL_ASSERT(bytes <= queue->room);
    snprintf(queue->path, sizeof queue->path, "%s", path);
    queue->bytes = bytes;
    pthread_mutex_lock(&queue->mutex);
    queue->busy = true;
    pthread_cond_broadcast(&queue->changed);
    pthread_mutex_unlock(&queue->mutex);
}

void sl_file_queue_destroy(SlFileQueue *queue)
{
    if (queue == NULL)
        return;
    if (queue->thread_runs) {
        wait_until_idle(queue);
        pthread_mutex_lock(&queue->mutex);
        queue->quit = true;
        pthread_cond_broadcast(&queue->changed);
        pthread_mutex_unlock(&queue->mutex);
        pthread_join(queue->thread, NULL);
    }
    pthread_mutex_destroy(&queue->mutex);
    pthread_cond_destroy(&queue->changed);
    sl_free(queue->memory, queue->buffer, queue->room);
    sl_free(queue->memory, queue, sizeof *queue);
}
