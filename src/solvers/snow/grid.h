/* What happens on the nodes between the two transfers. */
#ifndef SOLVERS_SNOW_GRID_H
#define SOLVERS_SNOW_GRID_H

#include "solvers/snow/snow_kernels.h"

/* What collisions left of a node, as the fourth lane of SL_HELD: who holds it, and how. */
static inline float sl_snow_hold_code(const SlSnowHold *hold)
{
    return (float)((uint32_t)hold->held + 4 * hold->body);
}

static inline SlSnowHeld sl_snow_held_of(float code)
{
    return (SlSnowHeld)((uint32_t)code & 3);
}

static inline uint32_t sl_snow_holder_of(float code)
{
    return (uint32_t)code >> 2;
}

/* m */
SlVec3 sl_snow_node_place(const SlSnowPass *pass, SlBlockCoord block, int node);
/* Whether a node is too light to have a velocity. */
bool sl_snow_is_light(const SlSnowPass *pass, const float *node);

/* Steps 4 and 5 of document 001 §4.1: momenta become velocities, gravity and stress act, bodies
   collide. Afterwards `nodes` holds velocity and mass; with FLIP the change is v' - a v. */
void sl_snow_update_nodes(const SlSnowPass *pass);

/* Semi-implicit: keeps what particles gave to the nodes, and puts it back for another try. */
void sl_snow_keep_nodes(const SlSnowPass *pass);
void sl_snow_restore_nodes(const SlSnowPass *pass);

#endif
