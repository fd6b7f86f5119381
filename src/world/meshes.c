/* Colliders made of triangles: read when added, turned into distance fields at the start. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "geometry/mesh/read.h"
#include "core/cookies.h"
#include "world/world.h"

enum { MAX_KEYS = 10000 };

SlMeshColliderDef sl_default_mesh_collider_def(void)
{
    return (SlMeshColliderDef){SL_DEF_HEAD(MESH_COLLIDER, SlMeshColliderDef), .scale = 1, .rate = 25};
}

static const char *wrong_with(const SlMeshColliderDef *def)
{
    if (!SL_DEF_VALID(def, MESH_COLLIDER))
        return "mesh definition not made by sl_default_mesh_collider_def";
    bool one = def->path != NULL && def->path[0] != '\0', many = def->path_count > 0;
    if (one == many)
        return one ? "a mesh has one file or several keys, not both" : "a mesh needs a file";
    if (def->path_count > MAX_KEYS)
        return "a deforming mesh has at most 10000 keys";
    if (!(def->rate > 0 && def->rate <= 1e6))
        return "a deforming mesh's rate may be from above 0 to 1e6 keys per second";
    if (!(fabsf(def->scale) >= 1e-9f && fabsf(def->scale) <= 1e9f))
        return "a mesh's scale may be from 1e-9 to 1e9";
    if (!sl_finite(def->rotation) || !sl_finite(def->position))
        return "a mesh's rotation and position must be finite";
    if (!(def->cell >= 0 && def->cell <= 1e6))
        return "the cell of a mesh's field may not be negative";
    if (!(def->friction >= 0 && def->friction <= 10))
        return "friction may be from 0 to 10";
    return NULL;
}

void sl_rotation_rows(SlVec3 rotation, float rows[9])
{
    SlMotionDef def = sl_default_motion_def();
    def.spin = rotation;
    SlMotion motion = {.def = def};
    SlBodyPose pose = sl_motion_pose(&motion, 1);
    SlVec3 x = sl_pose_direction(&pose, sl_vec3(1, 0, 0));
    SlVec3 y = sl_pose_direction(&pose, sl_vec3(0, 1, 0));
    SlVec3 z = sl_pose_direction(&pose, sl_vec3(0, 0, 1));
    float columns[9] = {x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z};
    memcpy(rows, columns, sizeof columns);
}

static SlStatus read_placed(SlContext *context, const SlMeshColliderDef *def, const char *path,
                            SlMesh *mesh, SlError *error)
{
    float rows[9];
    sl_rotation_rows(def->rotation, rows);
    SlStatus status = sl_mesh_read(context, path, mesh, error);
    if (status == SL_OK)
        status = sl_mesh_transform(mesh, def->scale, rows, def->position, error);
    if (status != SL_OK)
        sl_mesh_destroy(mesh);
    return status;
}

static SlStatus read_keys(SlContext *context, const SlMeshColliderDef *def, SlDeform **deform,
                          SlError *error)
{
    SlMesh *meshes = sl_alloc_zero(&context->memory, def->path_count, sizeof *meshes);
    if (meshes == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for %zu keys", def->path_count);
    SlStatus status = SL_OK;
    size_t count = 0;
    while (status == SL_OK && count < def->path_count) {
        status = read_placed(context, def, def->paths[count], &meshes[count], error);
        count += status == SL_OK;
    }
    if (status == SL_OK)
        status = sl_deform_create(context, meshes, count, def->rate, def->loop, deform, error);
    else
        while (count-- > 0)
            sl_mesh_destroy(&meshes[count]);
    sl_free(&context->memory, meshes, def->path_count * sizeof *meshes);
    return status;
}

static SlStatus add_mesh_collider(SlWorld *world, const SlMeshColliderDef *def, SlColliderId *id,
                                  SlError *error)
{
    const char *wrong = world->started ? "the world has started; its set-up is fixed"
                                       : wrong_with(def);
    if (wrong == NULL && world->mesh_count == SL_MAX_MESHES)
        wrong = "a world holds at most 64 mesh colliders";
    if (wrong != NULL)
        return sl_error_set(error, SL_ERROR_ARGUMENT, "%s", wrong);
    SlMemory *memory = &world->context->memory;
    SlMeshBody *body = sl_alloc_zero(memory, 1, sizeof *body);
    if (body == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for a mesh collider");
    body->def = *def;
    body->material = sl_default_material(SL_MATERIAL_SOLID);
    if (def->cache_folder != NULL) {
        snprintf(body->cache_folder, sizeof body->cache_folder, "%s", def->cache_folder);
        body->def.cache_folder = body->cache_folder;
    }
    SlStatus status = def->path_count > 0
                          ? read_keys(world->context, def, &body->deform, error)
                          : read_placed(world->context, def, def->path, &body->mesh, error);
    if (status != SL_OK) {
        sl_free(memory, body, sizeof *body);
        return status;
    }
    body->def.path = NULL; /* the caller's, and read */
    body->def.paths = NULL;
    if (body->deform == NULL)
        body->bounds = sl_mesh_bounds(&body->mesh);
    body->mover.target = &world->targets[SL_MAX_SHAPES + world->mesh_count];
    body->generation = 1;
    world->meshes[world->mesh_count++] = body;
    if (id != NULL)
        *id = sl_collider_id(world, SL_FIRST_MESH_ID + world->mesh_count - 1);
    sl_world_move_meshes(world, 0, 0);
    return SL_OK;
}

SlStatus sl_world_add_mesh_collider(SlWorld *world, const SlMeshColliderDef *def, SlColliderId *id,
                                    SlError *error)
{
    if (id != NULL)
        *id = (SlColliderId){0, 0, 0};
    SL_SETUP_CALL(world, error, add_mesh_collider(world, def, id, &found));
}

void sl_mesh_body_destroy(SlContext *context, SlMeshBody *body)
{
    sl_motion_destroy(body->mover.path);
    sl_deform_destroy(body->deform);
    sl_sdf_destroy(&body->field);
    sl_mesh_destroy(&body->mesh);
    sl_free(&context->memory, body, sizeof *body);
}

static SlSdfSettings settings_of(const SlWorld *world, const SlMeshBody *body)
{
    double finest = 0;
    for (uint32_t k = 0; k < world->system_count; k++) {
        const SlSystem *base = &world->systems[k]->base;
        double spacing = (double)base->solver->spacing(base);
        finest = finest == 0 || spacing < finest ? spacing : finest;
    }
    double cell = body->def.cell > 0 ? body->def.cell : finest > 0 ? finest : 0.1;
    SlSdfSettings settings = sl_default_sdf_settings(cell);
    settings.hollow = body->def.hollow;
    return settings;
}

uint64_t sl_world_mesh_bytes(const SlWorld *world)
{
    uint64_t bytes = 0;
    for (uint32_t k = 0; k < world->mesh_count; k++) {
        const SlMeshBody *body = world->meshes[k];
        SlSdfSettings settings = settings_of(world, body);
        if (body->deform == NULL) {
            bytes += sl_sdf_guess_bytes(&body->mesh, &settings);
            continue;
        }
        settings = sl_deform_settings(body->deform, &settings);
        for (size_t key = 0; key < body->deform->key_count; key++)
            bytes += sl_sdf_guess_bytes(&body->deform->keys[key].mesh, &settings);
    }
    return bytes;
}

SlStatus sl_world_start_meshes(SlWorld *world, SlError *error)
{
    for (uint32_t k = 0; k < world->mesh_count; k++) {
        SlMeshBody *body = world->meshes[k];
        if (body->has_field) /* of a start that was stopped */
            continue;
        SlSdfSettings settings = settings_of(world, body);
        const char *cache = body->def.cache_folder;
        SlStatus status =
            body->deform != NULL
                ? sl_deform_build(body->deform, &settings, cache, error)
                : sl_sdf_load_or_build(world->context, &body->mesh, &settings, cache, &body->field,
                                       error);
        if (status != SL_OK)
            return status;
        body->has_field = true;
    }
    sl_world_move_meshes(world, 0, 0);
    return SL_OK;
}

/* The pose as an origin and three directions. */
static void place(const SlBodyPose *pose, SlFieldBody *body)
{
    body->origin = sl_pose_point(pose, sl_vec3(0, 0, 0));
    body->sides[0] = sl_pose_direction(pose, sl_vec3(1, 0, 0));
    body->sides[1] = sl_pose_direction(pose, sl_vec3(0, 1, 0));
    body->sides[2] = sl_pose_direction(pose, sl_vec3(0, 0, 1));
}

/* The form at a time that collides. */
static void take_form(SlMeshBody *mesh, double time, SlFieldBody *body)
{
    body->field = mesh->has_field ? &mesh->field : NULL;
    body->bounds = mesh->bounds;
    if (mesh->deform != NULL) {
        if (mesh->has_field)
            sl_deform_seek(mesh->deform, time);
        body->deform = mesh->has_field ? mesh->deform : NULL;
        body->bounds = sl_deform_bounds(mesh->deform);
    }
}

void sl_world_move_meshes(SlWorld *world, double time, double dt)
{
    for (uint32_t k = 0; k < world->mesh_count; k++) {
        SlMeshBody *mesh = world->meshes[k];
        SlFieldBody *body = &world->fields[k];
        SlBodyPose from, to;
        sl_mover_pose(world, &mesh->mover, time, &from);
        sl_mover_pose(world, &mesh->mover, time + dt, &to);
        body->hollow = mesh->def.hollow;
        body->friction = mesh->def.friction;
        body->sticky = mesh->def.sticky;
        body->mesh = mesh->deform == NULL ? &mesh->mesh : NULL;
        body->moves = mesh->mover.path != NULL || mesh->mover.target->set;
        body->motion = (SlBodyMotion){{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
        if (dt > 0)
            sl_pose_rates(&from, &to, dt, &body->motion.velocity, &body->motion.spin);
        body->motion.pivot = sl_add(from.pivot, from.position);
        take_form(mesh, time + dt, body);
        place(&to, body);
    }
}
