/* A small depth image of spheres, for level of detail: what a camera sees first. Plain arrays in,
   depth and the number of the sphere seen out. Scene geometry does not hide anything (document 002
   §5: only the fluid itself decides what of it is visible). */
#ifndef GEOMETRY_DEPTH_H
#define GEOMETRY_DEPTH_H

#include "core/arena.h"
#include "core/parallel.h"
#include "geometry/camera.h"

#define SL_DEPTH_EMPTY 3e38f
enum { SL_DEPTH_NOBODY = 0xffffffffu };

typedef struct SlDepthImage {
    SlCameraFrame frame;
    uint32_t width, height;
    float *depth;   /* m along the view direction; SL_DEPTH_EMPTY: nothing there */
    uint32_t *seen; /* which sphere is there, or SL_DEPTH_NOBODY */
} SlDepthImage;

/* Draws `count` spheres (float4 records, the fourth lane unread) of one radius into an image on the
   arena; NULL arrays when that has no memory. The same bits for any number of threads: the nearest
   wins, and of equals the first. */
void sl_depth_draw(SlPool *pool, SlArena *arena, const SlCamera *camera, uint32_t width,
                   uint32_t height, const float *records, size_t count, float radius,
                   SlDepthImage *image);

/* Where a point lies in the image; false if outside or not in front of the camera. */
static inline bool sl_depth_pixel(const SlDepthImage *image, SlVec3 view, size_t *pixel)
{
    if (!(view.z > 1e-6f))
        return false;
    float x = image->frame.center_x + image->frame.focal * view.x / view.z;
    float y = image->frame.center_y - image->frame.focal * view.y / view.z;
    if (!(x >= 0 && y >= 0 && x < (float)image->width && y < (float)image->height))
        return false;
    *pixel = (size_t)y * image->width + (size_t)x;
    return true;
}

#endif
