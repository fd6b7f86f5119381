/* Position based fluids: the solver's descriptor, and its step cut open for benchmarks and twins. */
#ifndef FLUID_PBF_H
#define FLUID_PBF_H

#include "fluid/solids.h"
#include "particles/system.h"

extern const SlSolver sl_pbf_solver;

/* What the solver keeps between steps besides the fields. */
typedef struct SlPbfState {
    SlCellGrid grid;
    SlNeighbourList list;
    SlSolids solids;
    bool warned_cfl;
} SlPbfState;

/* Constants and arrays of a step of dt; arrays come from the context's arena, which is reset. */
SlStatus sl_pbf_begin(SlSystem *system, double dt, SlPbfPass *pass, SlError *error);
/* One loop of the step over all blocks. */
void sl_pbf_run(const SlSystem *system, const SlPbfPass *pass, SlPbfLoop loop);
/* Sorts by pass->predicted and lists the neighbours; pass's arrays follow the new order. */
SlStatus sl_pbf_sort(SlSystem *system, SlPbfPass *pass, SlError *error);
SlStatus sl_pbf_list(SlSystem *system, SlPbfPass *pass, SlError *error);
/* The kernel the parameters choose. */
SlKernelKind sl_pbf_kernel(const SlSystem *system);
/* The displacement loop of an iteration, counted from 0: s_corr, which only keeps particles from
   clumping, acts in the first. */
SlPbfLoop sl_pbf_displace(const SlSystem *system, const SlPbfPass *pass, uint32_t iteration);

#endif
