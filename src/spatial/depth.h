/* Depth images of spheres on plain arrays, for level of detail: what a camera sees first. The image
   is either drawn from the spheres (then scene geometry hides nothing, as in [Köster 2016]) or
   handed in by the host's renderer. */
#ifndef SPATIAL_DEPTH_H
#define SPATIAL_DEPTH_H

#include "core/context.h"
#include "math/camera.h"

#define SL_DEPTH_EMPTY 3e38f
enum { SL_DEPTH_NONE = 0xffffffffu };

/* Spheres of one radius. Records are float4, padded to a multiple of eight; the fourth lane is not
   read. */
typedef struct SlSpheres {
    const float *records;
    size_t count;
    float radius; /* m */
} SlSpheres;

/* A sphere projected into the image; outside the view if radius is 0. */
typedef struct SlSpot {
    float x, y, radius; /* pixels */
    float depth;        /* m along the view, of the centre */
} SlSpot;

typedef struct SlDepthImage {
    SlCameraFrame frame;
    uint32_t width, height;
    const float *depth; /* per pixel: m along the view direction; SL_DEPTH_EMPTY (drawn) or infinity
                           (handed in): nothing there */
    const uint32_t *seen; /* per pixel: the sphere seen, or SL_DEPTH_NONE; NULL: handed in, unknown */
    SlSpot *spots;        /* one per sphere */
} SlDepthImage;

/* Draws spheres into an image on the arena; false when that has no memory. The same bits for any
   number of threads: the nearest sphere wins, of equals the first. */
bool sl_depth_draw(SlContext *context, SlArena *arena, const SlCamera *camera,
                   const SlSpheres *spheres, uint32_t width, uint32_t height, SlDepthImage *image);

/* The same with the pixels of the host's renderer, which must stay valid while the image is used:
   only the spheres' spots are computed. */
bool sl_depth_from_view(SlContext *context, SlArena *arena, const SlDepthView *view,
                        const SlSpheres *spheres, SlDepthImage *image);

/* How far the centres of spheres [begin, end) lie behind what is seen in their pixel, m along the
   view; infinity for those outside the image. `begin` is a multiple of eight, and `distance` has
   room up to the next multiple after `end`. */
void sl_depth_behind(const SlContext *context, const SlDepthImage *image, size_t begin, size_t end,
                     float *distance);

#endif
