/* The nearest particle of each node to each surface: decides where nodes collide (contact.h). */
#ifndef SOLVERS_SNOW_NEAREST_H
#define SOLVERS_SNOW_NEAREST_H

#include "solvers/snow/snow_kernels.h"

/* Finds the surfaces near every touched block (pass->slots) and, in the lanes of SL_NEAREST, the
   distance of the nearest particle that a node can see to each of them; INFINITY: none within
   touch + margin. The same bits for any number of threads: a minimum has no order. */
void sl_snow_find_nearest(const SlSnowPass *pass);

/* All surfaces near a touched block; the first SL_SNOW_SLOTS are those of its slots. */
void sl_snow_block_surfaces(const SlSnowPass *pass, size_t block, SlSnowNear *near);

#endif
