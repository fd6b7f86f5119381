/* Forces between particles after the solve, besides XSPH: surface tension, vorticity confinement
   and implicit viscosity. Each changes the velocities of the step's end, and does nothing unless
   its parameter asks for it. */
#ifndef SOLVERS_FLUID_FORCES_H
#define SOLVERS_FLUID_FORCES_H

#include "solvers/fluid/fluid.h"
#include "solvers/fluid/forces_kernels.h"

/* What the three act on: velocities->new_velocity at the predicted positions, for `duration` s. */
SlForcePass sl_force_pass(const SlSystem *system, const SlVelocityPass *velocities,
                          double duration);

/* Scratch comes from the system's arena. */
SlStatus sl_tension_apply(SlSystem *system, const SlForcePass *force, SlError *error);
SlStatus sl_vorticity_apply(SlSystem *system, const SlForcePass *force, SlError *error);
SlStatus sl_viscosity_apply(SlSystem *system, const SlForcePass *force, SlError *error);

/* Scratch of all three, for so many particles. */
uint64_t sl_forces_bytes(const SlSystem *system, uint64_t count);

#endif
