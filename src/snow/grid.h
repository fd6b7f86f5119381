/* What happens on the nodes between the two transfers. */
#ifndef SNOW_GRID_H
#define SNOW_GRID_H

#include "snow/snow_kernels.h"

/* Steps 4 and 5 of document 001 §4.1: momenta become velocities, gravity and stress act, bodies
   collide. Afterwards `nodes` holds velocity and mass; with FLIP `second` holds v' - a v. */
void sl_snow_update_nodes(const SlSnowPass *pass);

#endif
