/* Sleet: frames on disk. One compressed and checksummed file per frame; the meshes of colliders are in
   the folder "meshes" beside it, once each, named by the hash of their content. docs/frame-file.md
   describes the bytes. */
#ifndef SLEET_FRAME_H
#define SLEET_FRAME_H

#include "sleet/view.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A frame read back; owns what its view points to. */
typedef struct SlFrame SlFrame;

/* Writes the meshes that are not in the folder yet, then the frame: under a temporary name, synced,
   renamed, so that a file under its final name is complete. For many frames use an SlWriter
   (sleet/checkpoint.h). */
SL_API SlStatus sl_frame_write(SlContext *context, const char *path, const SlFrameView *view,
                               SlError *error);
/* Reads a frame with its meshes and checks everything; trusts nothing in the files. SL_ERROR_PARSE: a
   damaged file or one of an older version. SL_ERROR_UNSUPPORTED: it holds a kind of shape or material
   that this version does not know. SL_ERROR_IO: a file is missing; for a mesh the message names its
   hash and folder. */
SL_API SlStatus sl_frame_read(SlContext *context, const char *path, SlFrame **frame,
                              SlError *error);
SL_API const SlFrameView *sl_frame_view(const SlFrame *frame);
/* NULL is allowed. */
SL_API void sl_frame_destroy(SlFrame *frame);

/* Reads many frames; a mesh that several of them have is in memory once. */
typedef struct SlFrameReader SlFrameReader;
typedef struct SlFrameReaderDef {
    uint32_t cookie, size; /* set by sl_default_frame_reader_def */
    /* Default false. True: meshes are not read; colliders have their hash and pose, but no positions
       and triangles. */
    bool without_meshes;
    /* Where mesh files are; copied. Default NULL: the folder "meshes" beside each frame. */
    const char *mesh_folder;
} SlFrameReaderDef;

SL_API SlFrameReaderDef sl_default_frame_reader_def(void);
/* The context must outlive the reader and its frames. */
SL_API SlStatus sl_frame_reader_create(SlContext *context, const SlFrameReaderDef *def,
                                       SlFrameReader **reader, SlError *error);
/* As sl_frame_read. The frame may outlive the reader. */
SL_API SlStatus sl_frame_reader_read(SlFrameReader *reader, const char *path, SlFrame **frame,
                                     SlError *error);
/* NULL is allowed. */
SL_API void sl_frame_reader_destroy(SlFrameReader *reader);

#ifdef __cplusplus
}
#endif
#endif
