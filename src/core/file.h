/* Whole files: read at once, written under a temporary name, synced and renamed. The system calls
   go through a small layer, so that tests can make any of them fail. */
#ifndef CORE_FILE_H
#define CORE_FILE_H

#include <sys/types.h>

#include "core/memory.h"
#include "sleet/platform.h"

typedef struct SlFileLayer {
    ssize_t (*write)(void *user, int descriptor, const void *data, size_t bytes);
    int (*sync)(void *user, int descriptor);
    int (*rename)(void *user, const char *from, const char *to);
    void *user;
} SlFileLayer;

SlFileLayer sl_file_layer_real(void);

/* A file being written. Parts are appended; commit gives it its name, abandon removes it. */
typedef struct SlFileWriter {
    const SlFileLayer *layer;
    int descriptor;
    uint64_t bytes;
    char path[1024], temporary[1024];
} SlFileWriter;

SlStatus sl_file_begin(const SlFileLayer *layer, const char *path, SlFileWriter *writer,
                       SlError *error);
/* On failure the temporary file is gone and the writer closed. */
SlStatus sl_file_append(SlFileWriter *writer, const void *data, size_t bytes, SlError *error);
SlStatus sl_file_commit(SlFileWriter *writer, SlError *error);
void sl_file_abandon(SlFileWriter *writer);

/* begin + append + commit. */
SlStatus sl_file_write(const SlFileLayer *layer, const char *path, const void *data, size_t bytes,
                       SlError *error);
/* *data has *bytes bytes and a 0 after them; sl_free(memory, *data, *bytes + 1).
   A file above max_bytes, a folder or a device is refused. */
SlStatus sl_file_read(SlMemory *memory, const char *path, uint64_t max_bytes, char **data,
                      size_t *bytes, SlError *error);

/* --- Files written by a thread of their own, so that the simulation continues while the disk is slow.
   The queue is one file deep: files appear in the order in which they were given, and one buffer is
   all its memory. --- */

typedef struct SlFileQueue SlFileQueue;

/* `layer` must outlive the queue. */
SlStatus sl_file_queue_create(SlMemory *memory, const SlFileLayer *layer, SlFileQueue **queue,
                              SlError *error);
/* Waits for the last file; its failure is lost unless sl_file_queue_wait was called. */
void sl_file_queue_destroy(SlFileQueue *queue);

/* Waits for the last file and returns a buffer for the next. NULL: no memory, or the last file
   failed; the message says which. */
char *sl_file_queue_buffer(SlFileQueue *queue, size_t bytes, SlError *error);
/* Begins to write the first `bytes` of the buffer: temporary name, sync, rename. */
void sl_file_queue_write(SlFileQueue *queue, const char *path, size_t bytes);
/* Waits and returns the status of the last file, once. */
SlStatus sl_file_queue_wait(SlFileQueue *queue, SlError *error);

#endif
