/* Force and torque of snow on bodies: the momentum that collisions of nodes and of particles remove
   from the snow. */
#ifndef SOLVERS_SNOW_BODY_FORCES_H
#define SOLVERS_SNOW_BODY_FORCES_H

#include "solvers/snow/snow_kernels.h"

/* Selects the bodies in the statistics by the parameter "forces"; zeroes their sums. */
void sl_snow_forces_clear(SlSystem *system);
/* Scratch for the sums of a step, where there are such bodies; false: no memory. */
bool sl_snow_forces_begin(SlSystem *system, SlSnowPass *pass);
/* Adds the impulses of this pass, as mean forces over dt seconds. */
void sl_snow_forces_end(SlSystem *system, const SlSnowPass *pass, double dt);

#endif
