/* The loops that relax a packing, one table per instruction-set path. */
#ifndef SOLVERS_FLUID_PACKING_KERNELS_H
#define SOLVERS_FLUID_PACKING_KERNELS_H

#include "solvers/fluid/pass.h"

typedef struct SlPackingPass {
    SlFluidPass fluid; /* predicted: the positions; domain: the box that contains them */
    float *projected;  /* x, y, z, lambda */
    float *container;  /* normal into the region and distance from its surface; NULL: the box only */
    float epsilon, relaxation;
    float max_constraint; /* of |C| in one iteration */
    float pressure;       /* P: a multiplier that all particles have, m² */
    double *partials; /* [chunk][SL_PACKING_PARTIALS] */
} SlPackingPass;

enum { SL_PACKING_SUM, SL_PACKING_MAX, SL_PACKING_PARTIALS }; /* of |C| */

typedef struct SlPackingKernels {
    SlLoop lambda[SL_KERNEL_COUNT];   /* predicted -> projected */
    SlLoop displace[SL_KERNEL_COUNT]; /* projected -> predicted */
} SlPackingKernels;

SL_DECLARE_KERNELS(SlPackingKernels, sl_packing_kernels);

#endif
