/* The hot loops of the water surface, one table per instruction-set path. */
#ifndef FILTERS_SURFACE_SURFACE_KERNELS_H
#define FILTERS_SURFACE_SURFACE_KERNELS_H

#include "core/machine.h"
#include "filters/surface/surface.h"

typedef struct SurfaceKernels {
    /* Weighted sums over the points within the radius, those at x included, with weights
       1 − (|u|/r)³, u = point − x: 1, u, v, w, uu, vv, ww, uv, uw, vw. */
    void (*moments)(const SurfacePoints *points, const float x[3], float radius, float sums[10]);
    /* Weighted sums over the particles (no images) within the radius, with weights (1 − |u|²/r²)³:
       1, fullness, velocity, u. */
    void (*means)(const SurfacePoints *points, const float x[3], float radius, float sums[8]);
    /* Adds a kernel to the nodes of a block, the first of which is at `first`. */
    void (*add)(const SurfaceLattice *lattice, const SurfaceKernel *kernel, const float first[3],
                float *values);
} SurfaceKernels;

SL_DECLARE_KERNELS(SurfaceKernels, surface_kernels);

#endif
