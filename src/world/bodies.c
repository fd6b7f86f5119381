/* Colliders that move: before each sub-step they go to where they are at its end. */
#include "world/world.h"

#include <math.h>
#include <stdio.h>

#include "core/hash.h"
#include "geometry/shape.h"
#include "math/vec3.h"

bool sl_mover_pose(const SlWorld *world, const SlMover *mover, double time, SlBodyPose *pose)
{
    *pose = (SlBodyPose){.rotation = {0, 0, 0, 1}};
    if (mover->target->set) {
        double share = world->interval.dt > 0 ? (time - world->time) / world->interval.dt : 0;
        /* A hair: the last sub-step ends at the target itself. */
        share = share > 1 - 1e-9 ? 1 : fmax(share, 0);
        *pose = sl_pose_between(&mover->target->from, &mover->target->to, share);
        return true;
    }
    if (mover->path != NULL)
        *pose = sl_motion_pose(mover->path, time);
    return mover->path != NULL;
}

void sl_world_move_bodies(SlWorld *world, double time, double dt)
{
    if (world->mesh_count > 0)
        sl_world_move_meshes(world, time, dt);
    if (!world->moves)
        return;
    for (uint32_t k = 0; k < world->shape_count; k++) {
        SlBodyPose from, to;
        SlBodyMotion *motion = &world->motions[k];
        *motion = (SlBodyMotion){{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
        if (!sl_mover_pose(world, &world->movers[k], time, &from))
            continue;
        sl_mover_pose(world, &world->movers[k], time + dt, &to);
        sl_pose_rates(&from, &to, dt, &motion->velocity, &motion->spin);
        motion->pivot = sl_add(from.pivot, from.position);
        world->shapes[k] = sl_pose_shape(&to, &world->rest_shapes[k]);
        world->bounds[k] = sl_shape_bounds(&world->shapes[k]);
    }
}

static SlStatus set_name(SlWorld *world, SlColliderId id, const char *name, SlError *error)
{
    uint32_t index;
    SlStatus status = sl_world_resolve_collider(world, id, &index, error);
    if (status == SL_OK)
        snprintf(index >= SL_FIRST_MESH_ID ? world->meshes[index - SL_FIRST_MESH_ID]->name
                                           : world->shape_names[index],
                 SL_BODY_NAME, "%s", name);
    return status;
}

SlStatus sl_collider_set_name(SlWorld *world, SlColliderId id, const char *name, SlError *error)
{
    SL_SETUP_CALL(world, error, set_name(world, id, name, &found));
}

void sl_world_name_body_forces(SlWorld *world, SlWorldSystem *system)
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

/* The mover of a collider of either kind. */
static SlMover *mover_of(SlWorld *world, uint32_t index)
{
    return index < world->shape_count ? &world->movers[index]
                                      : &world->meshes[index - SL_FIRST_MESH_ID]->mover;
}

/* Shapes that move at all have a row of motions, from the first that does. */
static void note_moving(SlWorld *world, uint32_t id)
{
    if (id >= world->shape_count)
        return;
    world->shape_moves[id] = true;
    if (world->moves)
        return;
    world->moves = true;
    sl_world_update_surroundings(world);
}

void sl_world_note_targets(SlWorld *world)
{
    for (uint32_t k = 0; k < world->shape_count; k++)
        if (world->targets[k].set != 0)
            note_moving(world, k);
}

static bool pose_valid(const SlBodyPose *pose)
{
    const double *q = pose->rotation;
    double length = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    return sl_finite(pose->position) && sl_finite(pose->pivot) && fabs(length - 1) < 1e-6;
}

bool sl_target_valid(const SlTarget *target)
{
    return target->set == 0 ||
           (target->set == 1 && pose_valid(&target->from) && pose_valid(&target->to));
}

static SlStatus set_motion(SlWorld *world, SlColliderId handle, const SlMotionDef *def,
                                SlError *error)
{
    if (world->started)
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "the world has started; its set-up is fixed");
    uint32_t id;
    SlStatus status = sl_world_resolve_collider(world, handle, &id, error);
    if (status != SL_OK)
        return status;
    SlMover *mover = mover_of(world, id);
    SlMotion *motion;
    status = sl_motion_create(world->context, def, &motion, error);
    if (status != SL_OK)
        return status;
    sl_motion_destroy(mover->path);
    mover->path = motion;
    if (id < world->shape_count) {
        SlBodyPose start = sl_motion_pose(motion, 0);
        world->shapes[id] = sl_pose_shape(&start, &world->rest_shapes[id]);
        world->moves = world->shape_moves[id] = true;
        sl_world_update_surroundings(world);
    } else {
        sl_world_move_meshes(world, 0, 0);
    }
    return SL_OK;
}

SlStatus sl_collider_set_motion(SlWorld *world, SlColliderId id, const SlMotionDef *def,
                                SlError *error)
{
    SL_SETUP_CALL(world, error, set_motion(world, id, def, &found));
}

static SlStatus set_target(SlWorld *world, SlColliderId handle, SlColliderPose pose,
                                SlError *error)
{
    uint32_t id;
    SlStatus status = sl_world_resolve_collider(world, handle, &id, error);
    if (status != SL_OK)
        return status;
    SlMover *mover = mover_of(world, id);
    if (!sl_finite(pose.position) || !sl_finite(pose.rotation) || !sl_finite(pose.pivot))
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "a target's position, rotation and pivot must be finite");
    SlBodyPose now, to = sl_pose_from(&pose);
    if (mover->target->set)
        now = mover->target->from;
    else
        sl_mover_pose(world, mover, world->time, &now);
    /* Both about the new pivot, so that the way between them is that of one point. */
    mover->target->from = sl_pose_between(&now, &to, 0);
    mover->target->to = to;
    mover->target->set = true;
    note_moving(world, id);
    return SL_OK;
}

SlStatus sl_collider_set_target(SlWorld *world, SlColliderId id, SlColliderPose pose,
                                SlError *error)
{
    SL_SETUP_CALL(world, error, set_target(world, id, pose, &found));
}

void sl_world_reach_targets(SlWorld *world)
{
    for (uint32_t k = 0; k < world->shape_count; k++)
        world->movers[k].target->from = world->movers[k].target->to;
    for (uint32_t k = 0; k < world->mesh_count; k++)
        world->meshes[k]->mover.target->from = world->meshes[k]->mover.target->to;
}

static uint64_t hash_pose(const SlBodyPose *pose, uint64_t hash)
{
    hash = sl_hash(&pose->position, sizeof pose->position, hash);
    hash = sl_hash(&pose->pivot, sizeof pose->pivot, hash);
    return sl_hash(pose->rotation, sizeof pose->rotation, hash);
}

static uint64_t hash_mover(const SlMover *mover, uint32_t id, uint64_t hash)
{
    if (!mover->target->set)
        return hash;
    hash = sl_hash(&id, sizeof id, hash);
    return hash_pose(&mover->target->to, hash_pose(&mover->target->from, hash));
}

uint64_t sl_world_hash_targets(const SlWorld *world, uint64_t hash)
{
    for (uint32_t k = 0; k < world->shape_count; k++)
        hash = hash_mover(&world->movers[k], k, hash);
    for (uint32_t k = 0; k < world->mesh_count; k++)
        hash = hash_mover(&world->meshes[k]->mover, SL_FIRST_MESH_ID + k, hash);
    return hash;
}
