/* Sums of impulses on bodies: a partial per chunk of blocks, folded in order. */
#include "solvers/snow/body_forces.h"

#include <string.h>

#include "core/parallel.h"
#include "solvers/snow/parameters.h"

void sl_snow_forces_clear(SlSystem *system)
{
    SlSnowForces which = (SlSnowForces)sl_param(system, SL_SNOW_PARAM_FORCES);
    size_t first = which == SL_SNOW_FORCES_ALL ? 0 : 1;
    for (size_t body = 0; body < system->force_count; body++) {
        SlBodyForce *force = &system->forces[body];
        force->center = system->surroundings.bodies->body[body].center;
        memset(force->force, 0, sizeof force->force);
        memset(force->torque, 0, sizeof force->torque);
    }
    system->stats.bodies = system->forces + first;
    system->stats.body_count = which != SL_SNOW_FORCES_NONE ? system->force_count - first : 0;
}

bool sl_snow_forces_begin(SlSystem *system, SlSnowPass *pass)
{
    SlArena *arena = &system->arena;
    if (system->stats.body_count == 0)
        return true;
    size_t lanes = system->force_count * SL_SNOW_FORCE_LANES, room = pass->blocks->capacity;
    size_t over_nodes = lanes * sl_chunk_count(room, SL_SNOW_NODE_CHUNK);
    size_t over_particles = lanes * sl_chunk_count(room, SL_SNOW_PARTICLE_CHUNK);
    SlVec3 *centers = SL_PUSH(arena, SlVec3, system->force_count);
    pass->node_forces = SL_PUSH(arena, double, over_nodes);
    pass->particle_forces = SL_PUSH(arena, double, over_particles);
    if (centers == NULL || pass->node_forces == NULL || pass->particle_forces == NULL)
        return false;
    memset(pass->particle_forces, 0, over_particles * sizeof(double));
    for (size_t body = 0; body < system->force_count; body++)
        centers[body] = system->forces[body].center;
    pass->contacts.centers = centers;
    pass->body_count = system->force_count;
    return true;
}

void sl_snow_forces_end(SlSystem *system, const SlSnowPass *pass, double dt)
{
    const SlSnowBlocks *blocks = pass->blocks;
    size_t stride = pass->body_count * SL_SNOW_FORCE_LANES;
    size_t nodes = sl_chunk_count(blocks->touched, SL_SNOW_NODE_CHUNK);
    size_t particles = sl_chunk_count(blocks->occupied, SL_SNOW_PARTICLE_CHUNK);
    for (size_t body = 0; pass->node_forces != NULL && body < system->force_count; body++)
        for (size_t k = 0; k < SL_SNOW_FORCE_LANES; k++) {
            size_t lane = SL_SNOW_FORCE_LANES * body + k;
            SlBodyForce *force = &system->forces[body];
            double *sum = k < 3 ? &force->force[k] : &force->torque[k - 3];
            *sum += (sl_fold_sum(pass->node_forces, nodes, stride, lane) +
                     sl_fold_sum(pass->particle_forces, particles, stride, lane)) /
                    dt;
        }
}
