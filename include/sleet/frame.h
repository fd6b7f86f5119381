/* Sleet: frames on disk. One compressed and checksummed file per frame; docs/frame-file.md describes
   the bytes. */
#ifndef SLEET_FRAME_H
#define SLEET_FRAME_H

#include "sleet/view.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A frame read back; owns what its view points to. */
typedef struct SlFrame SlFrame;

/* Writes under a temporary name, syncs, renames: a file under its final name is whole. */
SL_API SlStatus sl_frame_write(SlContext *context, const char *path, const SlFrameView *view,
                               SlError *error);
/* Reads and checks everything; trusts nothing in the file. */
SL_API SlStatus sl_frame_read(SlContext *context, const char *path, SlFrame **frame,
                              SlError *error);
SL_API const SlFrameView *sl_frame_view(const SlFrame *frame);
SL_API void sl_frame_destroy(SlFrame *frame);

#ifdef __cplusplus
}
#endif
#endif
