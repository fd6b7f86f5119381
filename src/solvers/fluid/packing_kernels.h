/* The loops that relax a packing, one table per instruction-set path. */
#ifndef SOLVERS_FLUID_PACKING_KERNELS_H
#define SOLVERS_FLUID_PACKING_KERNELS_H

#include "solvers/fluid/pass.h"

typedef struct SlPackingPass {
    SlFluidPass fluid; /* predicted: the positions; domain: the box that contains them */
    float *projected;  /* x, y, z, lambda */
    float *container;  /* normal into the region and distance from its surface; NULL: the box only */
    float *before;     /* positions before the last displacement */
    float epsilon, relaxation;
    float momentum; /* fraction of the last displacement that is added to the next */
    bool has_flat_walls; /* there are no other surfaces than the box */
    float max_constraint; /* of |C| in one iteration */
    float pressure;       /* P: a multiplier that all particles have, m² */
    float *multiplier;    /* what each has besides, accumulated */
    float gain;           /* fraction of a correction that is accumulated */
    bool corrects_only;   /* neither P nor the multipliers push, only corrections of the density */
    float excess;         /* the density error that all particles are to have */
    uint32_t first_ghost; /* ids from here on are images in a periodic tile; UINT32_MAX: no tile */
    SlVec3 up;            /* against gravity */
    float top;            /* of the region, along it, m */
    float mirror_depth;   /* down to which walls push with all of their factor, m */
    double *partials; /* [chunk][SL_PACKING_PARTIALS] */
} SlPackingPass;

/* Sum of C, maximum of |C - excess|; of the particles away from surfaces their number and the sum of
   -r·grad W over their neighbours. */
enum {
    SL_PACKING_SUM,
    SL_PACKING_MAX,
    SL_PACKING_INNER,
    SL_PACKING_GRADIENT,
    SL_PACKING_PARTIALS
};

typedef struct SlPackingKernels {
    SlLoop lambda[SL_KERNEL_COUNT];   /* predicted -> projected */
    SlLoop displace[SL_KERNEL_COUNT]; /* projected -> predicted, before */
    SlLoop measure[SL_KERNEL_COUNT];  /* predicted -> partials INNER and GRADIENT */
} SlPackingKernels;

SL_DECLARE_KERNELS(SlPackingKernels, sl_packing_kernels);

#endif
