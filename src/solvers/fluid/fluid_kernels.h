/* The loops every water solver shares, one table per instruction-set path. */
#ifndef SOLVERS_FLUID_FLUID_KERNELS_H
#define SOLVERS_FLUID_FLUID_KERNELS_H

#include "solvers/fluid/pass.h"

typedef struct SlFluidKernels {
    SlFluidLoop stabilise; /* position out of solids, before predict */
    SlFluidLoop predict;   /* velocity += dt g; predicted = x + dt v */
    SlFluidLoop extrapolate;   /* reference = predicted + ahead × velocity */
    /* into partials of that chunk: the sum of moves since the list was made, and the number of
       particles whose move is farther than `stale_distance` from the mean, `drift` */
    SlFluidSum drift, max_stale_fraction;
    /* velocity and position of a step that is followed by nothing else; partials, density as it was
     */
    SlFluidSum settle;
    SlFluidLoop velocity;                 /* new_velocity = (predicted - x) / dt */
    SlFluidLoop density[SL_KERNEL_COUNT]; /* density at predicted */
    /* position, velocity with viscosity, density, partials of that chunk */
    SlFluidSum finish[SL_KERNEL_COUNT];
} SlFluidKernels;

SL_DECLARE_KERNELS(SlFluidKernels, sl_fluid_kernels);

#endif
