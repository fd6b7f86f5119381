/* Sleet: pictures from frame views. */
#ifndef SLEET_RENDER_H
#define SLEET_RENDER_H

#include "sleet/params.h"
#include "sleet/view.h"

#ifdef __cplusplus
extern "C" {
#endif

/* 8 bits per channel, sRGB, rows from the top, no padding: pixel (x, y) at 3 (y width + x). */
typedef struct SlImage {
    uint32_t width, height;
    uint8_t *pixels;
} SlImage;

typedef struct SlRenderer SlRenderer;

/* `values` are of the renderer's table (see sl_renderer_tables), one per row, checked. */
SL_API SlStatus sl_renderer_create(SlContext *context, const char *name,
                                   const SlParamValue *values, SlRenderer **renderer,
                                   SlError *error);
SL_API void sl_renderer_destroy(SlRenderer *renderer);
/* Draws into the renderer's own image, valid until the next call. */
SL_API SlStatus sl_renderer_draw(SlRenderer *renderer, const SlFrameView *view,
                                 const SlCamera *camera, const SlImage **image, SlError *error);
/* Milliseconds of the last draw. */
SL_API double sl_renderer_last_ms(const SlRenderer *renderer);

SL_API const SlTable *const *sl_renderer_tables(size_t *count);

/* Writes under a temporary name and renames. SL_ERROR_UNSUPPORTED where libpng was absent. */
SL_API SlStatus sl_image_write_png(SlContext *context, const SlImage *image, const char *path,
                                   SlError *error);

/* Frames piped to ffmpeg as H.264 MP4; the file gets its final name in sl_video_close. */
typedef struct SlVideo SlVideo;
/* SL_ERROR_UNSUPPORTED where ffmpeg is missing. */
SL_API SlStatus sl_video_open(SlContext *context, const char *path, uint32_t width,
                              uint32_t height, double frames_per_second, SlVideo **video,
                              SlError *error);
SL_API SlStatus sl_video_add(SlVideo *video, const SlImage *image, SlError *error);
/* Ends the file. Destroys `video` in any case; `keep` false removes what was written. */
SL_API SlStatus sl_video_close(SlVideo *video, bool keep, SlError *error);

#ifdef __cplusplus
}
#endif
#endif
