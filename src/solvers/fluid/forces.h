/* What particles do to each other's velocity after the solve, besides XSPH: surface tension,
   vorticity confinement and viscosity, each only if its parameter asks for it. */
#ifndef SOLVERS_FLUID_FORCES_H
#define SOLVERS_FLUID_FORCES_H

#include "solvers/fluid/fluid.h"
#include "solvers/fluid/forces_kernels.h"

/* Changes pass->new_velocity, which goes with pass->predicted. Takes scratch from the arena. */
SlStatus sl_motion_apply(SlSystem *system, SlFluidPass *pass, SlError *error);
/* Scratch it takes, for so many particles. */
uint64_t sl_motion_bytes(const SlSystem *system, uint64_t count);

#endif
