/* The node update between the two transfers. */
#ifndef SOLVERS_SNOW_NODES_H
#define SOLVERS_SNOW_NODES_H

#include "solvers/snow/snow_kernels.h"

/* The fourth lane of SL_CONTACT: how a node is in contact, and with which body. */
static inline float sl_snow_contact_code(const SlSnowContact *contact)
{
    return (float)((uint32_t)contact->kind + 4 * contact->body);
}

static inline SlSnowContactKind sl_snow_contact_kind(float code)
{
    return (SlSnowContactKind)((uint32_t)code & 3);
}

static inline uint32_t sl_snow_contact_body(float code)
{
    return (uint32_t)code >> 2;
}

/* m */
SlVec3 sl_snow_node_position(const SlSnowPass *pass, SlBlockCoord block, int node);
/* Is the node too light to have a velocity? */
bool sl_snow_is_light(const SlSnowPass *pass, const float *node);

/* Finds the surfaces near every touched block (pass->slots), with no particle near any of them yet
   (SL_NEAREST). The transfer to the grid then writes distances of particles (nearest_lanes.h). */
void sl_snow_find_surfaces(const SlSnowPass *pass);

/* [Stomakhin 2013] step 4, momenta become velocities v* after gravity and stress, and step 5,
   grid-based body collisions, after sl_snow_particles_to_grid. Afterwards SL_NODES is velocity and mass; with FLIP SL_IMPULSE is
   v' - a v. */
void sl_snow_update_nodes(const SlSnowPass *pass);

/* Semi-implicit: saves the nodes before step 4, and restores them to repeat it. */
void sl_snow_save_nodes(const SlSnowPass *pass);
void sl_snow_restore_nodes(const SlSnowPass *pass);

#endif
