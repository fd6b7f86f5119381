/* Position based fluids: the solver's descriptor, and its step cut open for benchmarks and twins.
 */
#ifndef SOLVERS_PBF_PBF_H
#define SOLVERS_PBF_PBF_H

#include "solvers/fluid/fluid.h"
#include "solvers/fluid/fluid_kernels.h"
#include "solvers/pbf/pbf_kernels.h"

extern const SlSolver sl_pbf_solver;

/* As sl_fluid_begin, with the constraint's constants. */
SlStatus sl_pbf_begin(SlSystem *system, double dt, SlFluidPass *pass, SlError *error);
/* The displacement loop of an iteration, counted from 0: s_corr, which only keeps particles from
   clumping, acts in the first. */
SlFluidLoop sl_pbf_displace(const SlSystem *system, const SlFluidPass *pass, uint32_t iteration);

#endif
