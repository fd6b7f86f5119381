/* The public calls on colliders: handles and the world's rules; bodies/colliders.c does the work. */
#include "world/world.h"

/* Bodies came or went: forces are reported one per body. */
static void refresh(SlWorld *world)
{
    for (uint32_t k = 0; k < world->system_count; k++)
        sl_world_name_body_forces(world, world->systems[k]);
}

void sl_world_name_body_forces(SlWorld *world, SlWorldSystem *system)
{
    const SlBodies *bodies = &world->colliders.bodies;
    for (size_t k = 0; k < bodies->count; k++) {
        bool is_collider = k > 0 && bodies->body[k].kind != SL_BODY_NONE;
        system->forces[k].name = bodies->body[k].name;
        system->forces[k].collider =
            is_collider ? sl_collider_id(world, (uint32_t)k - 1) : (SlColliderId){0, 0, 0};
    }
    system->base.forces = system->forces;
    system->base.force_count = bodies->count;
}

/* The slot may have been another collider's. */
static void clear_load(SlWorld *world, uint32_t slot)
{
    for (uint32_t k = 0; k < world->system_count; k++)
        for (int axis = 0; axis < 3; axis++) {
            world->systems[k]->load.impulse[slot + 1][axis] = 0;
            world->systems[k]->load.angular[slot + 1][axis] = 0;
        }
}

void sl_world_add_load(SlWorldSystem *system, double dt)
{
    SlLoad *load = &system->load;
    load->seconds += dt;
    if (system->base.stats.body_count == 0)
        return;
    for (size_t body = 1; body < system->base.force_count; body++)
        for (int k = 0; k < 3; k++) {
            load->impulse[body][k] += dt * system->forces[body].force[k];
            load->angular[body][k] += dt * system->forces[body].torque[k];
        }
}

/* After one was added to a slot: its handle, and the systems' surroundings. */
static SlStatus added(SlWorld *world, SlStatus status, uint32_t slot, SlColliderId *id)
{
    if (status != SL_OK)
        return status;
    if (id != NULL)
        *id = sl_collider_id(world, slot);
    refresh(world);
    clear_load(world, slot);
    return SL_OK;
}

static SlStatus add_collider(SlWorld *world, const SlShape *shape, SlColliderId *id,
                             SlError *error)
{
    uint32_t slot = 0;
    SlStatus status = sl_colliders_add_shape(&world->colliders, shape, &slot, error);
    return added(world, status, slot, id);
}

static SlStatus add_mesh_collider(SlWorld *world, const SlMeshColliderDef *def, SlColliderId *id,
                                  SlError *error)
{
    uint32_t slot = 0;
    SlStatus status = sl_colliders_add_mesh(&world->colliders, def, &slot, error);
    return added(world, status, slot, id);
}

static SlStatus remove_collider(SlWorld *world, SlColliderId id, SlError *error)
{
    uint32_t slot;
    SlStatus status = sl_world_resolve_collider(world, id, &slot, error);
    if (status != SL_OK)
        return status;
    sl_colliders_remove(&world->colliders, slot);
    refresh(world);
    return SL_OK;
}

static SlStatus set_name(SlWorld *world, SlColliderId id, const char *name, SlError *error)
{
    uint32_t slot;
    SlStatus status = sl_world_resolve_collider(world, id, &slot, error);
    if (status == SL_OK)
        sl_colliders_set_name(&world->colliders, slot, name);
    return status;
}

static SlStatus set_motion(SlWorld *world, SlColliderId id, const SlMotionDef *def,
                                SlError *error)
{
    uint32_t slot;
    SlStatus status = sl_world_resolve_collider(world, id, &slot, error);
    return status == SL_OK
               ? sl_colliders_set_motion(&world->colliders, slot, def, world->time, error)
               : status;
}

static SlStatus set_target(SlWorld *world, SlColliderId id, SlPose pose, SlError *error)
{
    uint32_t slot;
    SlStatus status = sl_world_resolve_collider(world, id, &slot, error);
    return status == SL_OK ? sl_colliders_set_pose(&world->colliders, slot, &pose, world->time,
                                                   false, error)
                           : status;
}

static SlStatus set_pose(SlWorld *world, SlColliderId id, SlPose pose, SlError *error)
{
    uint32_t slot;
    SlStatus status = sl_world_resolve_collider(world, id, &slot, error);
    return status == SL_OK ? sl_colliders_set_pose(&world->colliders, slot, &pose, world->time,
                                                   true, error)
                           : status;
}

/* --- The public calls: each keeps its error in the world --- */

SlStatus sl_world_add_collider(SlWorld *world, const SlShape *shape, SlColliderId *id,
                               SlError *error)
{
    if (id != NULL)
        *id = (SlColliderId){0, 0, 0};
    SL_SETUP_CALL(world, error, add_collider(world, shape, id, &found));
}

SlStatus sl_world_add_mesh_collider(SlWorld *world, const SlMeshColliderDef *def, SlColliderId *id,
                                    SlError *error)
{
    if (id != NULL)
        *id = (SlColliderId){0, 0, 0};
    SL_SETUP_CALL(world, error, add_mesh_collider(world, def, id, &found));
}

SlStatus sl_world_remove_collider(SlWorld *world, SlColliderId id, SlError *error)
{
    SL_SETUP_CALL(world, error, remove_collider(world, id, &found));
}

SlStatus sl_collider_set_name(SlWorld *world, SlColliderId id, const char *name, SlError *error)
{
    SL_SETUP_CALL(world, error, set_name(world, id, name, &found));
}

SlStatus sl_collider_set_motion(SlWorld *world, SlColliderId id, const SlMotionDef *def,
                                SlError *error)
{
    SL_SETUP_CALL(world, error, set_motion(world, id, def, &found));
}

SlStatus sl_collider_set_target(SlWorld *world, SlColliderId id, SlPose pose, SlError *error)
{
    SL_SETUP_CALL(world, error, set_target(world, id, pose, &found));
}

SlStatus sl_collider_set_pose(SlWorld *world, SlColliderId id, SlPose pose, SlError *error)
{
    SL_SETUP_CALL(world, error, set_pose(world, id, pose, &found));
}

SlStatus sl_collider_pose(const SlWorld *world, SlColliderId id, SlPose *pose, SlError *error)
{
    uint32_t slot;
    SlStatus status = sl_world_resolve_collider(world, id, &slot, error);
    if (status == SL_OK)
        *pose = sl_colliders_pose(&world->colliders, slot);
    return status;
}

SlStatus sl_collider_force(const SlWorld *world, SlColliderId id, double force[3],
                           double torque[3], SlError *error)
{
    uint32_t slot;
    SlStatus status = sl_world_resolve_collider(world, id, &slot, error);
    if (status != SL_OK)
        return status;
    for (int k = 0; k < 3; k++) {
        double sums[2] = {0, 0};
        for (uint32_t s = 0; s < world->system_count; s++) {
            const SlLoad *load = &world->systems[s]->load;
            double seconds = load->seconds > 0 ? load->seconds : 1;
            sums[0] += load->impulse[slot + 1][k] / seconds;
            sums[1] += load->angular[slot + 1][k] / seconds;
        }
        if (force != NULL)
            force[k] = sums[0];
        if (torque != NULL)
            torque[k] = sums[1];
    }
    return SL_OK;
}
