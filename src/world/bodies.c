/* Colliders that move: before each sub-step they go to where they are at its end. */
#include "world/world.h"

#include <stdio.h>

#include "geometry/shape.h"
#include "math/vec3.h"

void sl_world_move_bodies(SlWorld *world, double time, double dt)
{
    if (world->mesh_count > 0)
        sl_world_move_meshes(world, time, dt);
    if (!world->moves)
        return;
    for (uint32_t k = 0; k < world->shape_count; k++) {
        world->motions[k] = (SlBodyMotion){{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
        if (world->paths[k] == NULL)
            continue;
        SlPose from = sl_motion_pose(world->paths[k], time);
        SlPose to = sl_motion_pose(world->paths[k], time + dt);
        SlBodyMotion *motion = &world->motions[k];
        sl_pose_rates(&from, &to, dt, &motion->velocity, &motion->spin);
        motion->pivot = sl_add(from.pivot, from.position);
        world->shapes[k] = sl_pose_shape(&to, &world->rest_shapes[k]);
        world->bounds[k] = sl_shape_bounds(&world->shapes[k]);
    }
}

/* Where the name of a collider is kept. */
static char *name_of(SlWorld *world, SlColliderId id)
{
    bool is_mesh = id >= SL_FIRST_MESH_ID;
    SL_ASSERT(is_mesh ? id - SL_FIRST_MESH_ID < world->mesh_count : id < world->shape_count);
    return is_mesh ? world->meshes[id - SL_FIRST_MESH_ID]->name : world->shape_names[id];
}

void sl_collider_set_name(SlWorld *world, SlColliderId id, const char *name)
{
    snprintf(name_of(world, id), SL_BODY_NAME, "%s", name);
}

void sl_world_name_forces(SlWorld *world, SlWorldSystem *system)
{
    size_t count = 0;
    system->forces[count++].name = "domain";
    for (uint32_t k = 0; k < world->shape_count; k++) {
        if (world->shape_names[k][0] == '\0')
            snprintf(world->shape_names[k], SL_BODY_NAME, "shape%u", k + 1);
        system->forces[count++].name = world->shape_names[k];
    }
    for (uint32_t k = 0; k < world->mesh_count; k++) {
        if (world->meshes[k]->name[0] == '\0')
            snprintf(world->meshes[k]->name, SL_BODY_NAME, "mesh%u", k + 1);
        system->forces[count++].name = world->meshes[k]->name;
    }
    system->base.forces = system->forces;
    system->base.force_count = count;
}

SlStatus sl_collider_set_motion(SlWorld *world, SlColliderId id, const SlMotionDef *def,
                                SlError *error)
{
    if (world->started)
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "the world has started; its set-up is fixed");
    bool is_mesh = id >= SL_FIRST_MESH_ID;
    SL_ASSERT(is_mesh ? id - SL_FIRST_MESH_ID < world->mesh_count : id < world->shape_count);
    SlMotion *motion;
    SlStatus status = sl_motion_create(world->context, def, &motion, error);
    if (status != SL_OK)
        return status;
    if (is_mesh) {
        sl_motion_destroy(world->meshes[id - SL_FIRST_MESH_ID]->path);
        world->meshes[id - SL_FIRST_MESH_ID]->path = motion;
        sl_world_move_meshes(world, 0, 0);
        return SL_OK;
    }
    sl_motion_destroy(world->paths[id]);
    world->paths[id] = motion;
    world->moves = world->shape_moves[id] = true;
    SlPose start = sl_motion_pose(motion, 0);
    world->shapes[id] = sl_pose_shape(&start, &world->rest_shapes[id]);
    sl_world_tell_surroundings(world);
    return SL_OK;
}
