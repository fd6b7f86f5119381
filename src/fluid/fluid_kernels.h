/* The loops every water solver shares, one table per instruction-set path. */
#ifndef FLUID_FLUID_KERNELS_H
#define FLUID_FLUID_KERNELS_H

#include "fluid/pass.h"

typedef struct SlFluidKernels {
    SlFluidLoop stabilise;                /* position out of solids, before predict */
    SlFluidLoop predict;                  /* velocity += dt g; predicted = x + dt v */
    SlFluidLoop velocity;                 /* new_velocity = (predicted - x) / dt */
    SlFluidLoop density[SL_KERNEL_COUNT]; /* density at predicted */
    /* position, velocity with viscosity, density, partials of that chunk */
    void (*finish[SL_KERNEL_COUNT])(const SlFluidPass *pass, size_t begin, size_t end,
                                    size_t chunk);
} SlFluidKernels;

SL_DECLARE_KERNELS(SlFluidKernels, sl_fluid_kernels);

#endif
