/* Bodies as a fluid solver sees them: which are analytic walls and which are boundary particles,
   where these are in this step, and the forces on bodies. */
#ifndef SOLVERS_FLUID_SOLIDS_H
#define SOLVERS_FLUID_SOLIDS_H

#include "solvers/fluid/pass.h"
#include "bodies/boundary.h"

/* Order of the choices "contact|walls|particles|both". */
typedef enum SlBoundaryKind {
    SL_BY_CONTACT,
    SL_BY_WALLS,
    SL_BY_PARTICLES,
    SL_BY_BOTH
} SlBoundaryKind;
/* Order of the choices "none|bodies|all". */
typedef enum SlForces { SL_FORCES_NONE, SL_FORCES_BODIES, SL_FORCES_ALL } SlForces;

typedef struct SlSolidSettings {
    SlBoundaryKind kind;
    SlForces forces;
    SlBoundarySettings samples;
} SlSolidSettings;

typedef struct SlSolids {
    SlSolidSettings settings;
    SlBoundary boundary;
    SlNeighbourList list; /* boundary particles around each fluid particle */
    uint8_t *analytic;    /* per body: is it an analytic wall? */
    SlVec3 *centers;      /* per body: what torques are about */
    size_t body_count;
    uint64_t revision; /* of the bodies that this was made from */
} SlSolids;

SlStatus sl_solids_create(SlSystem *system, const SlSolidSettings *settings, SlSolids *solids,
                          SlError *error);
void sl_solids_destroy(SlSolids *solids);
/* What they would hold, for so many particles. */
uint64_t sl_solids_bytes(const SlSystem *system, const SlSolidSettings *settings, uint64_t count);

/* At the head of a step: moves boundary particles to where the bodies are, clears the sums of forces
   and fills in the pass. Made anew after bodies were added or removed. */
SlStatus sl_solids_place(SlSolids *solids, SlSystem *system, SlFluidPass *pass, SlError *error);
/* Lists the boundary particles around each of the system's, which are at `records`. */
SlStatus sl_solids_list(SlSolids *solids, SlSystem *system, const float *records, SlError *error);
/* At the end: the forces of the step into the system and its stats. */
void sl_solids_sum_forces(const SlSolids *solids, SlSystem *system, const SlFluidPass *pass,
                          double mass, double dt);

#endif
