/* The packing that water begins with. A cubic lattice has density 1 too, but a flow that strains it
   keeps it a lattice, whose density rises: water swells by up to a third. A disordered packing does
   not. Each region of the start is relaxed by itself, inside its own surface, until the density of
   all particles is 1, so that the first step has nothing to correct. */
#ifndef SOLVERS_FLUID_PACKING_H
#define SOLVERS_FLUID_PACKING_H

#include "solvers/fluid/fluid.h"

/* SlSolver.packs: by the parameter `packing`. */
bool sl_fluid_packs(const SlSystem *system);
/* Relaxes the positions of all regions of the system; the particles are in the order of their ids. */
SlStatus sl_packing_relax(SlSystem *system, SlError *error);

#endif
