/* Snow by the material point method: its state, and the stages of a step for tests and benches. */
#ifndef SOLVERS_SNOW_SNOW_H
#define SOLVERS_SNOW_SNOW_H

#include "solvers/snow/snow_kernels.h"

typedef struct SlSnowState {
    SlSnowBlocks blocks;
    double max_speed;       /* m/s: of any particle after the last step */
    double max_sound_speed; /* m/s: in any particle after the last step */
    double drift; /* cells: upper bound of a particle's displacement since fields were reordered */
    uint32_t step_halvings;    /* of the time step, after solves that did not converge */
    uint32_t converged_streak; /* consecutive solves that converged */
    bool warned_flow;          /* of too large a step; decides nothing */
} SlSnowState;

extern const SlSolver sl_snow_solver;

/* Constants and fields of a step of dt seconds; new particles get their initial values. */
SlStatus sl_snow_begin(SlSystem *system, double dt, SlSnowPass *pass, SlError *error);
/* Lists particles by block; zeroes the nodes. */
SlStatus sl_snow_sort(SlSystem *system, SlSnowPass *pass, SlError *error);
/* [Stomakhin 2013, section 4.1] steps 1 and 3: mass, momentum and forces of stress to the nodes; and which
   surfaces are near, which sl_snow_update_nodes and sl_snow_grid_to_particles need. */
void sl_snow_particles_to_grid(const SlSystem *system, const SlSnowPass *pass);
/* Step 2: volumes of new particles. */
void sl_snow_measure_volumes(const SlSystem *system, const SlSnowPass *pass);
/* Steps 4 and 5 are sl_snow_update_nodes (nodes.h), step 6 is sl_snow_solve (implicit.h). */
/* Steps 7 to 10: deformation, velocities, collisions and positions of particles. */
void sl_snow_grid_to_particles(const SlSystem *system, const SlSnowPass *pass);

#endif
