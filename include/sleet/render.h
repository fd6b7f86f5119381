/* Sleet: pictures of frame views: images, targets of float planes, renderers, video. */
#ifndef SLEET_RENDER_H
#define SLEET_RENDER_H

#include "sleet/params.h"
#include "sleet/view.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- Images. --- */

/* 8 bits per channel, sRGB, rows from the top, no padding: pixel (x, y) is at 3 (y width + x). */
typedef struct SlImage {
    uint32_t width, height;
    uint8_t *pixels;
} SlImage;

/* A black image in memory of the context, to be released by sl_image_destroy with the same context.
   Sides from 1 to 32768. After a failure there is nothing to release. */
SL_API SlStatus sl_image_create(SlContext *context, uint32_t width, uint32_t height, SlImage *image,
                                SlError *error);
/* Also of a zeroed image. */
SL_API void sl_image_destroy(SlContext *context, SlImage *image);

/* Any PNG file as 8-bit sRGB, transparent parts over black; as from sl_image_create.
   SL_ERROR_UNSUPPORTED where the library was built without libpng. */
SL_API SlStatus sl_image_read_png(SlContext *context, const char *path, SlImage *image,
                                  SlError *error);
/* Writes under a temporary name and renames. SL_ERROR_UNSUPPORTED without libpng. */
SL_API SlStatus sl_image_write_png(SlContext *context, const SlImage *image, const char *path,
                                   SlError *error);

typedef struct SlImageDistance {
    double psnr;             /* dB, over all channels; infinite for equal images */
    double ssim;             /* -1 to 1, of luma; 1 for equal images */
    uint32_t max_difference; /* of any channel, 0 to 255 */
} SlImageDistance;

/* Images of different sizes, or with a side below SL_SSIM_WINDOW pixels: SL_ERROR_ARGUMENT. */
enum { SL_SSIM_WINDOW = 11 };
SL_API SlStatus sl_image_compare(SlContext *context, const SlImage *a, const SlImage *b,
                                 SlImageDistance *distance, SlError *error);
/* |a - b| times gain, clamped to 255, into `out`; all three of one size. */
SL_API void sl_image_difference(const SlImage *a, const SlImage *b, uint32_t gain, SlImage *out);

/* Linear light, Rec. 709 primaries, 3 floats per pixel, rows from the top, no padding. */
typedef struct SlFloatImage {
    uint32_t width, height;
    float *pixels;
} SlFloatImage;

/* An EXR (channels R, G, B, or Y for all three; scanlines or tiles, the first part) or a PNG file (sRGB
   made linear), told apart by its first bytes; to be released by sl_float_image_destroy with the same
   context. Values of EXR files are limited to 0 … 65504, those that are not numbers become 0.
   SL_ERROR_UNSUPPORTED where the library was built without OpenEXR or libpng. */
SL_API SlStatus sl_float_image_read(SlContext *context, const char *path, SlFloatImage *image,
                                    SlError *error);
/* Also of a zeroed image. */
SL_API void sl_float_image_destroy(SlContext *context, SlFloatImage *image);

/* --- Targets: named planes of floats that a renderer fills. --- */

typedef struct SlPlaneInfo {
    const char *name;
    uint32_t channels; /* floats per pixel */
    const char *unit, *meaning;
} SlPlaneInfo;

/* All planes there are:

     color     3            linear light, Rec. 709 primaries, before tone mapping
     depth     1   m        along the view direction, not along the ray; infinite where nothing is
     normal    3            unit, world space, towards the camera; zero where nothing is
     albedo    3            diffuse reflectance, linear; zero where nothing is
     velocity  3   m/s      world space; zero where nothing is

   Each renderer fills some of them (sl_renderer_fills). */
SL_API const SlPlaneInfo *sl_plane_infos(size_t *count);

typedef struct SlTarget SlTarget;

/* A target with the named planes, zeroed. Sides from 1 to 32768; an unknown or repeated name is
   SL_ERROR_ARGUMENT. Release it with sl_target_destroy, before the context. */
SL_API SlStatus sl_target_create(SlContext *context, uint32_t width, uint32_t height,
                                 const char *const *planes, size_t plane_count, SlTarget **target,
                                 SlError *error);
SL_API void sl_target_destroy(SlTarget *target);
SL_API uint32_t sl_target_width(const SlTarget *target);
SL_API uint32_t sl_target_height(const SlTarget *target);
/* Rows from the top, no padding: channel c of pixel (x, y) is at channels (y width + x) + c. The
   memory is the target's. NULL: the target has no such plane. */
SL_API float *sl_target_plane(const SlTarget *target, const char *name);
/* Numbers in EXR files: 16 bits, but for depth and velocity, or 32 bits for all. */
typedef enum SlExrType { SL_EXR_HALF, SL_EXR_FLOAT } SlExrType;
/* All planes as layers of an EXR file: scanlines, zip compression. Channels: R, G, B (color), Z (depth),
   normal.X, .Y, .Z, albedo.R, .G, .B, velocity.X, .Y, .Z. Writes under a temporary name and renames.
   SL_ERROR_UNSUPPORTED where the library was built without OpenEXR. */
SL_API SlStatus sl_target_write_exr(const SlTarget *target, const char *path, SlExrType type,
                                    SlError *error);

/* How linear light becomes display light in [0, 1], per channel. */
typedef enum SlTone {
    SL_TONE_FILMIC, /* the curve of film: toe, middle grey 0.18 kept, long shoulder up to about 10 */
    SL_TONE_SOFT,   /* light as it is up to 0.6, then a soft shoulder */
    SL_TONE_LINEAR  /* light as it is, cut at 1 */
} SlTone;
/* The plane "color" as 8-bit sRGB: soft tone curve, ordered dither of half a step. `image`
   has the target's size. SL_ERROR_ARGUMENT without that plane or with another size. */
SL_API SlStatus sl_target_image(const SlTarget *target, SlImage *image, SlError *error);
/* The same with another tone curve. */
SL_API SlStatus sl_target_image_with(const SlTarget *target, SlTone tone, SlImage *image,
                                     SlError *error);

/* --- Renderers. --- */

/* A camera that has the complete scene in a picture of that size: the domain, or the particles and
   meshes in it where the domain is open. */
SL_API SlCamera sl_view_framing(const SlFrameView *view, uint32_t width, uint32_t height);

typedef struct SlRenderer SlRenderer;

/* The parameter tables of all renderers; a renderer's name is its table's. */
SL_API const SlTable *const *sl_renderer_tables(size_t *count);
/* `values`: one per row of that renderer's table; NULL: the defaults. Release it with
   sl_renderer_destroy, before the context. */
SL_API SlStatus sl_renderer_create(SlContext *context, const char *name,
                                   const SlParamValue *values, SlRenderer **renderer,
                                   SlError *error);
SL_API void sl_renderer_destroy(SlRenderer *renderer);
/* Size of its pictures: its parameters width and height. */
SL_API uint32_t sl_renderer_width(const SlRenderer *renderer);
SL_API uint32_t sl_renderer_height(const SlRenderer *renderer);
/* Whether it can fill the plane of that name. */
SL_API bool sl_renderer_fills(const SlRenderer *renderer, const char *plane);

/* Draws into the renderer's own image, valid until its next call: begin, all passes, image. `camera`
   NULL: as in SlRenderJob. */
SL_API SlStatus sl_renderer_draw(SlRenderer *renderer, const SlFrameView *view,
                                 const SlCamera *camera, const SlImage **image, SlError *error);
/* Milliseconds spent on the last picture, from begin on. */
SL_API double sl_renderer_last_ms(const SlRenderer *renderer);

/* A rectangle of pixels; y from the top. */
typedef struct SlPixelRegion {
    uint32_t x, y, width, height;
} SlPixelRegion;

/* One picture. Everything it points to must stay valid until the picture was resolved. */
typedef struct SlRenderJob {
    uint32_t cookie, size;     /* set by sl_default_render_job */
    const SlFrameView *view;   /* the frame; required */
    const SlFrameView *next;   /* the frame after it: where solids go while the shutter is open, and
                                  their velocity. Only its time and colliders are read; of rigid
                                  meshes the pose, so that it may have been read without meshes.
                                  Particles and surfaces move by their velocities. `splats` and
                                  `water` ignore it. Default NULL */
    const SlFrameView *previous; /* the frame before it, used where `next` is NULL; NULL too
                                  (default): solids are at rest */
    const SlCamera *camera;    /* NULL (default): the view's first, or else that of
                                  sl_view_framing */
    double shutter_open;       /* s, relative to the frame's time; finite; default 0 */
    double shutter_close;      /* s, at least shutter_open; default 0: no motion blur. `splats` draws
                                  without motion blur in any case */
    const char *const *planes; /* planes that sl_render_resolve will be asked for; default none */
    size_t plane_count;
    SlPixelRegion region;      /* the part of the picture that is drawn: targets and the image have its
                                  size, and before denoising the same bits as that part of all. It
                                  must lie within the picture. Default all zero: all of it. `path`
                                  takes no time for the rest */
} SlRenderJob;

SL_API SlRenderJob sl_default_render_job(const SlFrameView *view);

/* Starts a picture. What was begun before is dropped. */
SL_API SlStatus sl_render_begin(SlRenderer *renderer, const SlRenderJob *job, SlError *error);
/* One pass (of `splats`: shadows, visibility, light, shading) or one sample of every pixel.
   *remaining (may be NULL) becomes the number of passes left; 0: done, and further calls do nothing.
   Reports to the context's progress hook after each pass. If the hook returns false the picture is
   dropped with SL_ERROR_CANCELLED; the renderer can begin another. A renderer with the parameters
   `noise` and `time_limit` is done as soon as one of them is met. */
SL_API SlStatus sl_render_accumulate(SlRenderer *renderer, uint32_t *remaining, SlError *error);
/* Fills all planes of the target from what was accumulated. The target must have the renderer's size,
   or that of the job's region, and only planes that the job named. A progressive renderer can be resolved after every pass, others
   when no pass remains. May be called repeatedly. */
SL_API SlStatus sl_render_resolve(SlRenderer *renderer, SlTarget *target, SlError *error);
/* The picture as 8-bit sRGB with what is drawn over it (edges of the domain): the renderer's own
   image, valid until its next call. When, as in sl_render_resolve. */
SL_API SlStatus sl_render_image(SlRenderer *renderer, const SlImage **image, SlError *error);
/* Estimated standard error of the plane "color" relative to its mean, for renderers that sample; 0
   where pictures have no noise, NaN before there is an estimate. */
SL_API double sl_render_noise(const SlRenderer *renderer);

/* What the picture was made with. */
typedef struct SlRenderReport {
    uint32_t samples;     /* of every pixel so far; 0: the renderer does not sample */
    double noise;         /* as sl_render_noise gives it */
    double seconds;       /* since sl_render_begin */
    char intersector[32]; /* what finds where rays meet meshes, e.g. "Embree 3.13"; "" without rays */
    char denoiser[64];    /* used by the last resolve, e.g. "own filter"; "" if there was none */
} SlRenderReport;
SL_API void sl_render_report(const SlRenderer *renderer, SlRenderReport *report);

/* --- Video. --- */

/* Frames piped to ffmpeg, as VP9 where the path ends in ".webm" and as H.264 in MP4 otherwise; the file
   gets its final name in sl_video_close. */
typedef struct SlVideo SlVideo;
/* Sides from 1 to 16384 pixels, 0.01 to 1000 frames per second. SL_ERROR_UNSUPPORTED where ffmpeg is
   not installed. */
SL_API SlStatus sl_video_open(SlContext *context, const char *path, uint32_t width,
                              uint32_t height, double frames_per_second, SlVideo **video,
                              SlError *error);
SL_API SlStatus sl_video_add(SlVideo *video, const SlImage *image, SlError *error);
/* Completes the file. Releases `video` in any case; `keep` false removes what was written. */
SL_API SlStatus sl_video_close(SlVideo *video, bool keep, SlError *error);

#ifdef __cplusplus
}
#endif
#endif
