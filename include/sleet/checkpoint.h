/* Sleet: checkpoints, from which a world continues with the same bits, and a writer that writes frames
   and checkpoints while the simulation runs. docs/frame-file.md describes the bytes. */
#ifndef SLEET_CHECKPOINT_H
#define SLEET_CHECKPOINT_H

#include "sleet/state.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Writes what sl_world_state gives: under a temporary name, synced, renamed. */
SL_API SlStatus sl_checkpoint_write(SlContext *context, const char *path, const SlStateView *state,
                                    SlError *error);

/* A checkpoint read back; owns what its state points to. */
typedef struct SlCheckpoint SlCheckpoint;
/* Reads and checks every byte. The values are checked by sl_world_restore. */
SL_API SlStatus sl_checkpoint_read(SlContext *context, const char *path,
                                   SlCheckpoint **checkpoint, SlError *error);
SL_API const SlStateView *sl_checkpoint_state(const SlCheckpoint *checkpoint);
SL_API void sl_checkpoint_destroy(SlCheckpoint *checkpoint);

/* Writes frames, with the meshes that are not in their folder yet, and checkpoints in the order given.
   A call encodes and returns while the file is being written; a file that failed is reported by the next
   call. Not for two threads at once; several writers may use one context in turn. */
typedef struct SlWriter SlWriter;
typedef struct SlWriterDef {
    uint32_t cookie, size; /* set by sl_default_writer_def */
    /* Frames store vectors (positions, velocities) with 16 bits over the bounds of 32,768 particles
       each; default false: all bits. Checkpoints and meshes are always stored with all bits. */
    bool quantise;
} SlWriterDef;

SL_API SlWriterDef sl_default_writer_def(void);
/* The context must outlive the writer. */
SL_API SlStatus sl_writer_create(SlContext *context, const SlWriterDef *def, SlWriter **writer,
                                 SlError *error);
SL_API SlStatus sl_writer_frame(SlWriter *writer, const char *path, const SlFrameView *view,
                                SlError *error);
SL_API SlStatus sl_writer_checkpoint(SlWriter *writer, const char *path, const SlStateView *state,
                                     SlError *error);
/* Returns when everything given is on disk, with the failure of the last file. */
SL_API SlStatus sl_writer_wait(SlWriter *writer, SlError *error);
/* Bytes of all files encoded so far. */
SL_API uint64_t sl_writer_bytes(const SlWriter *writer);
SL_API void sl_writer_destroy(SlWriter *writer);

#ifdef __cplusplus
}
#endif
#endif
