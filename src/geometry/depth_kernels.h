/* The projection of spheres into a depth image, one table per instruction-set path. */
#ifndef GEOMETRY_DEPTH_KERNELS_H
#define GEOMETRY_DEPTH_KERNELS_H

#include "core/isa.h"
#include "geometry/depth.h"

/* What eight consecutive spheres reach: pixels, and how near they come. near > far: none is seen.
 */
typedef struct SlSpotBounds {
    float x0, x1, y0, y1; /* pixels */
    float near, far;      /* m along the view */
} SlSpotBounds;

typedef struct SlDepthKernels {
    /* Blocks [begin, end) of eight records, of which `count` are spheres: spots and bounds. */
    void (*project)(const SlCameraFrame *frame, const float *records, size_t count, float radius,
                    size_t begin, size_t end, SlSpot *spots, SlSpotBounds *bounds);
} SlDepthKernels;

SL_DECLARE_KERNELS(SlDepthKernels, sl_depth_kernels);

#endif
