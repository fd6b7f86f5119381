/* Position based fluids: the solver's descriptor, its state, and parts of its step for benchmarks and
   for tests against the reference implementation. */
#ifndef SOLVERS_PBF_PBF_H
#define SOLVERS_PBF_PBF_H

#include "solvers/fluid/fluid.h"
#include "solvers/pbf/lod/active.h"
#include "solvers/pbf/pbf_kernels.h"

extern const SlSolver sl_pbf_solver;

typedef struct SlPbfState {
    SlFluidState fluid;
    SlActiveState active;
} SlPbfState;

/* Constants and arrays of a step of dt s; resets the system's arena. */
SlStatus sl_pbf_prepare(SlSystem *system, double dt, SlPbfPass *pass, SlError *error);
/* An iteration over all particles, counted from 1: lambda, then displacement. s_corr acts in the
   first only: it is there to keep particles from clumping. */
void sl_pbf_lambda(const SlSystem *system, const SlPbfPass *pass);
void sl_pbf_displace(const SlSystem *system, const SlPbfPass *pass, uint32_t iteration);

#endif
