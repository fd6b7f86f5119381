/* The hot loops of position based fluids, one table per instruction-set path. */
#ifndef SOLVERS_PBF_PBF_KERNELS_H
#define SOLVERS_PBF_PBF_KERNELS_H

#include "solvers/fluid/pass.h"

typedef struct SlPbfKernels {
    SlFluidLoop lambda[SL_KERNEL_COUNT];           /* predicted -> projected */
    SlFluidLoop displace[SL_KERNEL_COUNT];         /* projected -> predicted, contacts included */
    SlFluidLoop displace_tensile[SL_KERNEL_COUNT]; /* the same with s_corr */
    /* the same for particles whose level is at least pass->iteration; of others in these blocks
       lambda carries the place over, and displace leaves them where they are */
    SlFluidLoop lambda_active[SL_KERNEL_COUNT], displace_active[SL_KERNEL_COUNT];
    SlFluidLoop retire; /* blocks whose last particles have just finished */
    /* the same on groups gathered from all over, pass->own; retired are those of the pass */
    SlFluidLoop lambda_gathered[SL_KERNEL_COUNT], displace_gathered[SL_KERNEL_COUNT];
    SlFluidLoop retire_gathered;
    SlFluidLoop halo; /* level -> halo */
} SlPbfKernels;

SL_DECLARE_KERNELS(SlPbfKernels, sl_pbf_kernels);

#endif
