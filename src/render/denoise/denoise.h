/* Denoising of a picture by what its first surfaces look like: Intel Open Image Denoise where its
   library is on the machine, or a filter of our own (filter.c). Works on plain planes of floats, rows
   from the top, no padding, so that any renderer can call it from its `resolve`. */
#ifndef RENDER_DENOISE_DENOISE_H
#define RENDER_DENOISE_DENOISE_H

#include "core/context.h"

/* The choices of a renderer's parameter `denoise`, in the order of SlDenoiseMethod. */
#define SL_DENOISE_NAMES "auto|oidn|filter|none"
typedef enum SlDenoiseMethod {
    SL_DENOISE_AUTO,   /* Open Image Denoise where it is found, else the filter */
    SL_DENOISE_OIDN,   /* an error where it is not found */
    SL_DENOISE_FILTER,
    SL_DENOISE_NONE,
    SL_DENOISE_METHOD_COUNT
} SlDenoiseMethod;

typedef struct SlDenoiseSettings {
    SlDenoiseMethod method;
    const char *path; /* of libOpenImageDenoise.so or its folder; NULL or "": the environment's
                         SLEET_OIDN, then the usual places (oidn.c lists them) */
} SlDenoiseSettings;

typedef struct SlDenoiseJob {
    uint32_t width, height;
    const float *color;    /* 3 floats per pixel: linear light, any range (HDR) */
    const float *albedo;   /* 3: reflectance in [0, 1], averaged over the samples; NULL: none */
    const float *normal;   /* 3: world space, averaged over the samples; NULL: none */
    const float *variance; /* 1: variance of the mean of the luminance 0.2126 R + 0.7152 G + 0.0722 B of
                              `color` (of the samples, over their number); NULL: estimated from the
                              picture. Only the filter reads it */
    float *output;         /* 3; may be `color` itself */
    char *used;            /* SL_DENOISE_TEXT bytes: what was used, e.g. "Open Image Denoise 2.3.0" or
                              "own filter"; "none". NULL: not wanted */
} SlDenoiseJob;
enum { SL_DENOISE_TEXT = 64 };

/* Denoises on the context's threads; the result does not depend on their number. With
   SL_DENOISE_NONE the output is a copy. Values that are not finite count as 0. */
SlStatus sl_denoise(SlContext *context, const SlDenoiseJob *job, const SlDenoiseSettings *settings,
                    SlError *error);
/* Whether the settings can be met on this machine, to be asked before hours of sampling:
   SL_ERROR_UNSUPPORTED where method OIDN finds no library. */
SlStatus sl_denoise_check(const SlDenoiseSettings *settings, SlError *error);

#endif
