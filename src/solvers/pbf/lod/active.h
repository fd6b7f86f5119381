/* The active sets of document 002, eq. 9 to 11, once everybody has had the least level.

   Gathered, the usual way: active particles are put in order of falling level, so that every set
   A_l is the beginning of the next larger one; their lists are copied into groups of eight of their
   own, and an iteration runs over full groups. Masked: a block of eight neighbours in the sorted
   order takes part while its highest level is at least l, and finished lanes are masked. Both give
   the same bits. What a camera sees first is scattered over blocks, so that masked blocks ran three
   times as many lanes as were active. */
#ifndef SOLVERS_PBF_LOD_ACTIVE_H
#define SOLVERS_PBF_LOD_ACTIVE_H

#include "solvers/pbf/lod/lod.h"
#include "solvers/fluid/pass.h"

typedef struct SlActive {
    uint32_t least, most; /* up to iteration `least` everybody is active */
    /* masked, per block: the highest level in it, and the highest around it */
    const uint32_t *highest, *refreshed;
    /* gathered: the particles of levels above the least, highest first; how many are in A_l at
       counts[l - least]; their lists */
    const uint32_t *own;
    const size_t *counts;
    SlNeighbourList list, boundary_list;
} SlActive;

/* Levels of this interval, and the sets. Without level of detail everybody gets everything. */
SlStatus sl_active_assign(SlSystem *system, const SlLodSettings *settings, SlFluidPass *pass,
                          SlActive *active, SlError *error);
/* Iteration pass->iteration, above the least: lambda and displacements of A_l. */
void sl_active_iterate(const SlSystem *system, SlFluidPass *pass, const SlActive *active);

#endif
