/* Connected components of a set of points: two points closer than a radius are linked. */
#ifndef SPATIAL_COMPONENTS_H
#define SPATIAL_COMPONENTS_H

#include "spatial/grid.h"

/* root[i] becomes the smallest index in the component of point i, so the result depends only on the
   points. Scratch comes from the arena and is released. */
SlStatus sl_components_find(SlContext *context, SlArena *arena, SlPoints points, float radius,
                            uint32_t *root, SlError *error);

#endif
