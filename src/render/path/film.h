/* What a picture accumulates: sums of the samples of every pixel of the region that is drawn, and their
   means, denoised, as the planes of a target. */
#ifndef RENDER_PATH_FILM_H
#define RENDER_PATH_FILM_H

#include "render/denoise/denoise.h"
#include "render/path/integrate.h"
#include "sleet/render.h"

typedef struct SlFilm {
    SlContext *context;
    SlArena arena;
    uint32_t width, height; /* of the region */
    uint32_t samples;       /* of every pixel so far */
    float *color;             /* 3 */
    float *squares;           /* 1: of the luminance */
    float *albedo, *normal;   /* 3; NULL: not wanted */
    float *depth, *velocity;  /* 1, 3: of the first sample; NULL: not wanted */
} SlFilm;

void sl_film_init(SlFilm *film, SlContext *context);
void sl_film_free(SlFilm *film);
/* Zeroed planes of that size: those that the job names, and what the denoiser asks for. */
SlStatus sl_film_begin(SlFilm *film, const SlPixelRegion *region, const SlRenderJob *job, bool denoised,
                       SlError *error);
/* A sample of pixel k; depth: along the view direction. */
void sl_film_add(SlFilm *film, size_t k, const SlPathResult *sample, float depth);
/* Relative standard error of the mean luminance of a pixel, as if samples were independent: they are
   spread evenly, so it is an upper estimate. */
double sl_film_noise(const SlFilm *film);
/* Fills the planes of the target. `used` (SL_DENOISE_TEXT bytes): the denoiser. */
SlStatus sl_film_resolve(SlFilm *film, const SlDenoiseSettings *settings, SlTarget *target, char *used,
                         SlError *error);

#endif
