/* The active sets of level of detail [Köster 2016 eq. 9 to 11]: A_l holds the particles that take
   part in iteration l, those whose level is at least l. Up to the lowest level all do.

   Gathered, the default: active particles are put in order of falling level, so that each set A_l is
   a prefix of the next larger one; their lists are copied into groups of eight of their own, and an
   iteration runs over full groups. Masked: a block of eight consecutive particles takes part while
   its highest level is at least l, and finished lanes are masked. Both give the same bits. Particles
   seen by a camera are scattered over blocks, so that masked blocks ran three times as many lanes as
   were active. */
#ifndef SOLVERS_PBF_LOD_ACTIVE_H
#define SOLVERS_PBF_LOD_ACTIVE_H

#include "solvers/pbf/lod/lod.h"
#include "solvers/pbf/pbf_kernels.h"

typedef struct SlActiveSets {
    uint32_t min_level, max_level; /* up to iteration min_level all particles are active */
    /* masked, per block: the highest level in it, and the highest among its particles' neighbours */
    const uint32_t *highest, *refreshed;
    /* gathered: the particles above min_level, highest level first; the size of A_l at
       counts[l - min_level]; their lists */
    const uint32_t *own;
    const size_t *counts;
    SlNeighbourList list, boundary_list;
} SlActiveSets;

/* Gathered sets are kept between steps: they serve as long as the neighbour list and the levels they
   were made from. */
typedef struct SlActiveState {
    SlArena arena;
    SlActiveSets sets;
    uint64_t list; /* SlFluidState.list_count they were made at; 0: none are made */
    uint32_t min_level, max_level; /* range of the levels; 0: not known, after a restore */
} SlActiveState;

void sl_active_init(SlActiveState *state, SlMemory *memory);
void sl_active_destroy(SlActiveState *state);

/* Levels of this interval, and the sets. Without level of detail all particles get max_level. */
SlStatus sl_levels_update(SlSystem *system, const SlLodSettings *settings, SlPbfPass *pass,
                          SlActiveSets *sets, SlError *error);
/* Iteration pass->levels.iteration, above min_level: lambda and displacements of A_l. */
void sl_active_iterate(const SlSystem *system, const SlPbfPass *pass, const SlActiveSets *sets);

#endif
