/* What particles do to each other's velocity after the solve, besides XSPH: surface tension,
   vorticity confinement and viscosity, each only if its parameter asks for it. */
#ifndef FLUID_MOTION_H
#define FLUID_MOTION_H

#include "fluid/fluid.h"
#include "fluid/motion_kernels.h"

/* Changes pass->new_velocity, which goes with pass->predicted. Takes scratch from the arena. */
SlStatus sl_motion_apply(SlSystem *system, SlFluidPass *pass, SlError *error);
/* Scratch it takes, for so many particles. */
uint64_t sl_motion_bytes(const SlSystem *system, uint64_t count);

#endif
