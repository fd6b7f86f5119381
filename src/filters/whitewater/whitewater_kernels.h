/* The hot loops of whitewater: sums over the water around a point, one table per instruction-set path. */
#ifndef FILTERS_WHITEWATER_WHITEWATER_KERNELS_H
#define FILTERS_WHITEWATER_WHITEWATER_KERNELS_H

#include "core/machine.h"
#include "filters/whitewater/whitewater.h"

typedef struct WhitewaterKernels {
    /* For places [begin, end) whose energy is above 0: `air` = Σ (1 − r²/R²)³, its own included. */
    void (*fullness)(const WhitewaterEmission *emission, size_t begin, size_t end);
    /* For those whose air is above 0: `trapped` [Ihmsen 2012 eq. 2] as a mean, and `normal` as
       Σ w (xᵢ − xⱼ) / (R Σ w), away from the water, with w = 1 − r/R. Elsewhere both are 0. */
    void (*potentials)(const WhitewaterEmission *emission, size_t begin, size_t end);
    /* Curvature at a place [Ihmsen 2012 eq. 4 to 6]: Σ w (1 − n̂ᵢ · n̂ⱼ) over neighbours behind it. */
    float (*curvature)(const WhitewaterEmission *emission, size_t place);
    /* Sums at a point: volume within the radius, weights (1 − r²/R²)³, weighted velocity. */
    void (*probe)(const WaterCloud *cloud, const float x[3], float sums[5]);
} WhitewaterKernels;

SL_DECLARE_KERNELS(WhitewaterKernels, whitewater_kernels);

#endif
