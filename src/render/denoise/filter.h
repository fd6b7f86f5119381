/* The filter of our own: non-local means [Buades 2005] guided by albedo and normal as in
   [Rousselle 2013], with the variance of the samples deciding what is noise.

     noise     variances of color, albedo and normal, smoothed over 5 × 5 pixels     filter.c
     gather    a tile with its border: color over albedo, fireflies clamped          filter.c
     average   every pixel from those around it whose patches look alike             denoise_kernels.c
     spread    the tile times its albedo                                             filter.c */
#ifndef RENDER_DENOISE_FILTER_H
#define RENDER_DENOISE_FILTER_H

#include "core/machine.h"
#include "render/denoise/denoise.h"

enum {
    SL_DENOISE_TILE = 64,   /* pixels a side */
    SL_DENOISE_SEARCH = 9,  /* pixels around one that are compared with it */
    SL_DENOISE_PATCH = 2,   /* pixels around both whose light is compared */
    SL_DENOISE_BORDER = SL_DENOISE_SEARCH + SL_DENOISE_PATCH,
    SL_DENOISE_SIDE = SL_DENOISE_TILE + 2 * SL_DENOISE_BORDER,
    SL_DENOISE_PIXELS = SL_DENOISE_SIDE * SL_DENOISE_SIDE + 16, /* whole vectors may be read past it */
    SL_DENOISE_REACH = SL_DENOISE_TILE + 8 /* side of the tile with patches, in whole vectors */
};

/* A tile with its border, a plane per channel: rows of SL_DENOISE_SIDE. */
typedef struct SlDenoiseTile {
    float color[3][SL_DENOISE_PIXELS], albedo[3][SL_DENOISE_PIXELS], normal[3][SL_DENOISE_PIXELS];
    float color_noise[SL_DENOISE_PIXELS], albedo_noise[SL_DENOISE_PIXELS];
    float normal_noise[SL_DENOISE_PIXELS];
    float distance[2][SL_DENOISE_REACH * SL_DENOISE_REACH]; /* of color and of features */
    float column[SL_DENOISE_TILE * SL_DENOISE_REACH];       /* sums of the first over columns */
    float sum[4][SL_DENOISE_TILE * SL_DENOISE_TILE];        /* weighted color, and weights */
} SlDenoiseTile;

typedef struct SlDenoiseKernels {
    void (*average)(SlDenoiseTile *tile); /* color, albedo, normal, noise -> sum */
} SlDenoiseKernels;
SL_DECLARE_KERNELS(SlDenoiseKernels, sl_denoise_kernels);

/* All planes of the job are finite; its output is not its color. */
SlStatus sl_denoise_filter(SlContext *context, const SlDenoiseJob *job, SlError *error);

#endif
