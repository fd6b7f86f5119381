#include "core/file.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.h"

static ssize_t real_write(void *user, int descriptor, const void *data, size_t bytes)
{
    (void)user;
    return write(descriptor, data, bytes);
}

static int real_sync(void *user, int descriptor)
{
    (void)user;
    return fsync(descriptor);
}

static int real_rename(void *user, const char *from, const char *to)
{
    (void)user;
    return rename(from, to);
}

SlFileLayer sl_file_layer_real(void)
{
    return (SlFileLayer){real_write, real_sync, real_rename, NULL};
}

static SlStatus io_error(SlError *error, const char *path, const char *what)
{
    return sl_error_set(error, SL_ERROR_IO, "%.300s: %s: %s", path, what, strerror(errno));
}

SlStatus sl_file_begin(const SlFileLayer *layer, const char *path, SlFileWriter *writer,
                       SlError *error)
{
    memset(writer, 0, sizeof *writer);
    writer->layer = layer;
    writer->descriptor = -1;
    /* Process id and number distinguish writers of one path; the file of a killed process is skipped. */
    for (int number = 0; number < 1000; number++) {
        int length = snprintf(writer->temporary, sizeof writer->temporary, "%s.%ld-%d.part", path,
                              (long)getpid(), number);
        if (length < 0 || (size_t)length >= sizeof writer->temporary)
            return sl_error_set(error, SL_ERROR_ARGUMENT, "%.200s…: path too long", path);
        writer->descriptor =
            open(writer->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
        if (writer->descriptor >= 0 || errno != EEXIST)
            break;
    }
    memcpy(writer->path, path, strlen(path) + 1);
    if (writer->descriptor < 0)
        return io_error(error, path, "cannot be written");
    return SL_OK;
}

SlStatus sl_file_append(SlFileWriter *writer, const void *data, size_t bytes, SlError *error)
{
    const char *at = data;
    while (bytes > 0) {
        size_t part = bytes < ((size_t)1 << 30) ? bytes : (size_t)1 << 30;
        ssize_t done = writer->layer->write(writer->layer->user, writer->descriptor, at, part);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0) {
            if (done == 0)
                errno = ENOSPC;
            SlStatus status = io_error(error, writer->path, "cannot be written");
            sl_file_abandon(writer);
            return status;
        }
        at += done;
        bytes -= (size_t)done;
        writer->bytes += (uint64_t)done;
    }
    return SL_OK;
}

/* Syncs the folder, so that the new name survives a power cut; failure is not fatal there. */
static void sync_folder_of(const char *path)
{
    char folder[1024];
    snprintf(folder, sizeof folder, "%s", path);
    char *slash = strrchr(folder, '/');
    if (slash == NULL)
        snprintf(folder, sizeof folder, ".");
    else if (slash == folder)
        folder[1] = '\0';
    else
        *slash = '\0';
    int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor >= 0) {
        (void)fsync(descriptor);
        close(descriptor);
    }
}

SlStatus sl_file_commit(SlFileWriter *writer, SlError *error)
{
    if (writer->layer->sync(writer->layer->user, writer->descriptor) != 0) {
        SlStatus status = io_error(error, writer->path, "cannot be synced to disk");
        sl_file_abandon(writer);
        return status;
    }
    int closed = close(writer->descriptor);
    writer->descriptor = -1;
    if (closed != 0 ||
        writer->layer->rename(writer->layer->user, writer->temporary, writer->path) != 0) {
        SlStatus status = io_error(error, writer->path, "cannot get its name");
        sl_file_abandon(writer);
        return status;
    }
    sync_folder_of(writer->path);
    return SL_OK;
}

void sl_file_abandon(SlFileWriter *writer)
{
    if (writer->descriptor >= 0)
        close(writer->descriptor);
    writer->descriptor = -1;
    unlink(writer->temporary);
}

SlStatus sl_file_write(const SlFileLayer *layer, const char *path, const void *data, size_t bytes,
                       SlError *error)
{
    SlFileWriter writer;
    SlStatus status = sl_file_begin(layer, path, &writer, error);
    if (status == SL_OK)
        status = sl_file_append(&writer, data, bytes, error);
    if (status == SL_OK)
        status = sl_file_commit(&writer, error);
    return status;
}

SlStatus sl_file_read(SlMemory *memory, const char *path, uint64_t max_bytes, char **data,
                      size_t *bytes, SlError *error)
{
    *data = NULL;
    *bytes = 0;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0)
        return io_error(error, path, "cannot be read");
    SlStatus status = SL_OK;
    struct stat info;
    size_t size = 0;
    if (fstat(descriptor, &info) != 0)
        status = io_error(error, path, "cannot be read");
    else if (S_ISDIR(info.st_mode))
        status = sl_error_set(error, SL_ERROR_IO, "%.300s: is a folder, not a file", path);
    else if (!S_ISREG(info.st_mode))
        status = sl_error_set(error, SL_ERROR_IO, "%.300s: is not an ordinary file", path);
    else if ((uint64_t)info.st_size > max_bytes)
        status = sl_error_set(error, SL_ERROR_IO, "%.300s: has %lld bytes, at most %llu are read",
                              path, (long long)info.st_size, (unsigned long long)max_bytes);
    else
        size = (size_t)info.st_size;

    char *text = NULL;
    if (status == SL_OK) {
        text = sl_alloc(memory, size + 1);
        if (text == NULL)
            status = sl_error_set(error, SL_ERROR_MEMORY, "%.300s: no memory for its %zu bytes",
                                  path, size);
    }
    size_t got = 0;
    while (status == SL_OK && got < size) {
        ssize_t part = read(descriptor, text + got, size - got);
        if (part < 0 && errno == EINTR)
            continue;
        if (part < 0)
            status = io_error(error, path, "cannot be read");
        else if (part == 0)
            status = sl_error_set(error, SL_ERROR_IO, "%.300s: became shorter while being read",
                                  path);
        else
            got += (size_t)part;
    }
    close(descriptor);
    if (status != SL_OK) {
        sl_free(memory, text, size + 1);
        return status;
    }
    text[size] = '\0';
    *data = text;
    *bytes = size;
    return SL_OK;
}

SlStatus sl_folder_make(const char *path, SlError *error)
{
    char part[1024];
    size_t length = strlen(path);
    if (length == 0 || length >= sizeof part)
        return sl_error_set(error, SL_ERROR_ARGUMENT, "\"%.200s\" cannot be a folder's name", path);
    for (size_t k = 1; k <= length; k++) {
        if (path[k] != '/' && path[k] != '\0')
            continue;
        memcpy(part, path, k);
        part[k] = '\0';
        if (mkdir(part, 0755) != 0 && errno != EEXIST)
            return io_error(error, path, "cannot be made");
    }
    struct stat info;
    if (stat(path, &info) != 0)
        return io_error(error, path, "cannot be made");
    if (!S_ISDIR(info.st_mode))
        return sl_error_set(error, SL_ERROR_IO, "%.300s: is a file, not a folder", path);
    if (access(path, W_OK) != 0)
        return io_error(error, path, "cannot be written to");
    return SL_OK;
}

void sl_program_file(const char *relative, char *path, size_t size)
{
    char program[1024];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(program, '/');
    if (slash != NULL)
        *slash = '\0';
    snprintf(path, size, "%s/%s", program, relative);
}

bool sl_folder_exists(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0 && S_ISDIR(facts.st_mode);
}

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
