/* The active sets of document 002, eq. 9 to 11, as runs of blocks: a block takes part in iteration
   l while its highest level is at least l, and lanes that are finished are masked there. */
#ifndef FLUID_ACTIVE_H
#define FLUID_ACTIVE_H

#include "fluid/lod.h"
#include "fluid/pass.h"

typedef struct SlActive {
    uint32_t least; /* up to this iteration everybody is active */
    /* per block: the highest level in it, and the highest around it; NULL without levels */
    const uint32_t *highest, *refreshed;
} SlActive;

/* Levels of this interval, and by block. Without level of detail everybody gets everything. */
SlStatus sl_active_assign(SlSystem *system, const SlLodSettings *settings, SlFluidPass *pass,
                          SlActive *active, SlError *error);

/* A loop over the blocks whose `highest` is at least pass->iteration, in ascending order; those
   that have just gone are retired (NULL: need not be). */
void sl_active_run(const SlSystem *system, const SlFluidPass *pass, SlFluidLoop loop,
                   SlFluidLoop retire, const uint32_t *highest);

#endif
