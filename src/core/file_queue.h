/* One whole file written behind the caller's back: a simulation goes on while the disk is slow.
   The queue is one file deep, so files appear in the order in which they were given, and the one
   buffer is all the memory it takes. */
#ifndef CORE_FILE_QUEUE_H
#define CORE_FILE_QUEUE_H

#include "core/file.h"

typedef struct SlFileQueue SlFileQueue;

/* `layer` must outlive the queue. */
SlStatus sl_file_queue_create(SlMemory *memory, const SlFileLayer *layer, SlFileQueue **queue,
                              SlError *error);
/* Waits for the last file; its failure is lost unless sl_file_queue_wait was called. */
void sl_file_queue_destroy(SlFileQueue *queue);

/* Waits for the last file and gives room for the next. NULL: no memory, or the last file failed;
   the sentence says which. */
char *sl_file_queue_buffer(SlFileQueue *queue, size_t bytes, SlError *error);
/* Begins to write the first `bytes` of the buffer: temporary name, sync, rename. */
void sl_file_queue_write(SlFileQueue *queue, const char *path, size_t bytes);
/* Returns how the last file went, once. */
SlStatus sl_file_queue_wait(SlFileQueue *queue, SlError *error);

#endif
