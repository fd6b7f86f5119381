/* Force and torque of snow on bodies: what collisions took from it, on nodes and on particles. */
#ifndef SOLVERS_SNOW_BODY_FORCES_H
#define SOLVERS_SNOW_BODY_FORCES_H

#include "solvers/snow/snow_kernels.h"

/* Whose forces a system's stats tell; all at 0. */
void sl_snow_forces_clear(SlSystem *system);
/* Scratch for the sums of a step, if somebody asks for them; false: no memory. */
bool sl_snow_forces_begin(SlSystem *system, SlSnowPass *pass);
/* Adds what bodies got in this pass, as a mean over `whole` seconds. */
void sl_snow_forces_end(SlSystem *system, const SlSnowPass *pass, double whole);

#endif
