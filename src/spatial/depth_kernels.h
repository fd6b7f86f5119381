/* The projection of spheres into a depth image, one table per instruction-set path. */
#ifndef SPATIAL_DEPTH_KERNELS_H
#define SPATIAL_DEPTH_KERNELS_H

#include "core/machine.h"
#include "spatial/depth.h"

/* Tiles of level k are 2^k pixels wide. */
enum { SL_DEPTH_LEVELS = 6 };
typedef struct SlDepthPyramid {
    size_t along[SL_DEPTH_LEVELS], down[SL_DEPTH_LEVELS]; /* tiles */
    float *tiles[SL_DEPTH_LEVELS];                        /* m along the view */
} SlDepthPyramid;

/* All take blocks [begin, end) of eight spheres. */
typedef struct SlDepthKernels {
    /* The spots of records, of which `count` are spheres. */
    void (*project)(const SlCameraFrame *frame, const float *records, size_t count, float radius,
                    size_t begin, size_t end, SlSpot *spots);
    /* Lowers the bound of each tile that is covered by a sphere with its centre in the tile to the
       depth of that centre. */
    void (*bound)(const SlDepthImage *image, size_t begin, size_t end,
                  const SlDepthPyramid *bounds);
    /* Lists the spheres that are nearer than the bounds around them and returns their number; there
       must be room for all. `around` has the farthest bound of each tile and its neighbours. */
    size_t (*candidates)(const SlDepthImage *image, size_t begin, size_t end, float radius,
                         const SlDepthPyramid *around, uint32_t *spheres);
    /* How far centres lie behind what is seen in their pixel; infinity outside the image. */
    void (*behind)(const SlDepthImage *image, size_t begin, size_t end, float *distance);
} SlDepthKernels;

SL_DECLARE_KERNELS(SlDepthKernels, sl_depth_kernels);

#endif
