/* A small depth image of spheres, for level of detail: what a camera sees first. Plain arrays in,
   depth and the number of the sphere seen out. Scene geometry does not hide anything (document 002
   §5: only the fluid itself decides what of it is visible). */
#ifndef SPATIAL_DEPTH_H
#define SPATIAL_DEPTH_H

#include "core/context.h"
#include "math/camera.h"

#define SL_DEPTH_EMPTY 3e38f
enum { SL_DEPTH_NOBODY = 0xffffffffu };

/* A sphere in the image; none if radius is 0. */
typedef struct SlSpot {
    float x, y, radius; /* pixels */
    float depth;        /* m along the view, of the centre */
} SlSpot;

typedef struct SlDepthImage {
    SlCameraFrame frame;
    uint32_t width, height;
    float *depth;   /* m along the view direction; SL_DEPTH_EMPTY: nothing there */
    uint32_t *seen; /* which sphere is there, or SL_DEPTH_NOBODY */
    SlSpot *spots;  /* one per sphere */
} SlDepthImage;

/* Draws `count` spheres of one radius into an image on the context's arena; `depth` is NULL when
   that has no memory. Records are float4, padded to a multiple of eight; the fourth lane is not
   read. The same bits for any number of threads: the nearest wins, and of equals the first. */
void sl_depth_draw(SlContext *context, const SlCamera *camera, uint32_t width, uint32_t height,
                   const float *records, size_t count, float radius, SlDepthImage *image);

/* How far the middles of spheres [begin, end) lie behind what is seen in their pixel, m along the
   view; infinity for those outside the image. `begin` is a multiple of eight, and `distance` has
   room up to the next multiple after `end`. */
void sl_depth_behind(const SlContext *context, const SlDepthImage *image, size_t begin, size_t end,
                     float *distance);

#endif
