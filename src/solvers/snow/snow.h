/* Snow by the material point method: what the step and its tests and benchmarks share. */
#ifndef SOLVERS_SNOW_SNOW_H
#define SOLVERS_SNOW_SNOW_H

#include "solvers/snow/snow_kernels.h"

typedef struct SlSnowState {
    SlSnowBlocks blocks;
    double fastest;  /* m/s: of any particle after the last step */
    double stiffest; /* m/s: fastest sound in any particle after the last step */
    double drift;    /* cells: the farthest a particle may be from where fields were put in order */
    uint32_t halvings; /* of the step, for solves that did not end */
    uint32_t ended;    /* solves in a row that did */
    bool warned;     /* of too large a step; decides nothing */
} SlSnowState;

extern const SlSolver sl_snow_solver;

/* The stages of a step, apart, for tests and benchmarks: constants and fields; the sort; steps 1
   and 3 of document 001 §4.1; step 2; (4 and 5 are sl_snow_update_nodes;) steps 7 to 10. */
SlStatus sl_snow_begin(SlSystem *system, double dt, SlSnowPass *pass, SlError *error);
SlStatus sl_snow_sort(SlSystem *system, SlSnowPass *pass, SlError *error);
void sl_snow_to_grid(const SlSystem *system, const SlSnowPass *pass);
void sl_snow_measure_volumes(const SlSystem *system, const SlSnowPass *pass);
void sl_snow_to_particles(const SlSystem *system, const SlSnowPass *pass);

#endif
