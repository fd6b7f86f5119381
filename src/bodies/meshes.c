/* Colliders made of triangles: read when added, converted into distance fields at the start. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bodies/colliders.h"
#include "core/cookies.h"
#include "geometry/mesh/read.h"

enum { MAX_KEYS = 10000 };

SlMeshColliderDef sl_default_mesh_collider_def(void)
{
    return (SlMeshColliderDef){SL_DEF_HEAD(MESH_COLLIDER, SlMeshColliderDef), .scale = 1, .rate = 25};
}

static const char *wrong_with(const SlMeshColliderDef *def)
{
    if (!SL_DEF_VALID(def, MESH_COLLIDER))
        return "mesh definition not made by sl_default_mesh_collider_def";
    bool one = def->path != NULL && def->path[0] != '\0', many = def->path_count > 0,
         arrays = def->vertices != NULL || def->triangles != NULL;
    if (one + many + arrays != 1)
        return one + many + arrays > 0
                   ? "a mesh has one file, several keys or arrays, only one of them"
                   : "a mesh needs a file or arrays of vertices and triangles";
    if (arrays && (def->vertices == NULL || def->triangles == NULL || def->triangle_count == 0))
        return "a mesh from memory needs vertices and at least one triangle";
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

/* The mesh of a file, or of the definition's arrays without a path, where it is when added. */
static SlStatus read_placed(SlContext *context, const SlMeshColliderDef *def, const char *path,
                            SlMesh *mesh, SlError *error)
{
    float rows[9];
    double rotation[4];
    sl_quat_from_vector(def->rotation, rotation);
    sl_quat_rows(rotation, rows);
    SlStatus status = path != NULL
                          ? sl_mesh_read(context, path, mesh, error)
                          : sl_mesh_copy(context, def->vertices, def->vertex_count, def->triangles,
                                         def->triangle_count, mesh, error);
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
    if (status == SL_OK)
        (*deform)->printed = def->printed_blend;
    sl_free(&context->memory, meshes, def->path_count * sizeof *meshes);
    return status;
}

SlStatus sl_collider_take_mesh(SlContext *context, SlCollider *collider,
                               const SlMeshColliderDef *def, SlError *error)
{
    const char *wrong = wrong_with(def);
    if (wrong != NULL)
        return sl_error_set(error, SL_ERROR_ARGUMENT, "%s", wrong);
    collider->def = *def;
    if (def->cache_folder != NULL) {
        snprintf(collider->cache_folder, sizeof collider->cache_folder, "%s", def->cache_folder);
        collider->def.cache_folder = collider->cache_folder;
    }
    SlStatus status = def->path_count > 0
                          ? read_keys(context, def, &collider->deform, error)
                          : read_placed(context, def, def->path, &collider->mesh, error);
    collider->def.path = NULL; /* the caller's, and read */
    collider->def.paths = NULL;
    collider->def.vertices = NULL;
    collider->def.triangles = NULL;
    if (status == SL_OK && collider->deform == NULL)
        collider->mesh_bounds = sl_mesh_bounds(&collider->mesh);
    return status;
}

void sl_collider_free_mesh(SlCollider *collider)
{
    sl_deform_destroy(collider->deform);
    sl_sdf_destroy(&collider->field);
    sl_mesh_destroy(&collider->mesh);
}

static SlSdfSettings settings_of(const SlCollider *collider, double spacing)
{
    const SlMeshColliderDef *def = &collider->def;
    double cell = def->cell > 0 ? def->cell : spacing > 0 ? spacing : 0.1;
    SlSdfSettings settings = sl_default_sdf_settings(cell);
    settings.hollow = def->hollow;
    return settings;
}

uint64_t sl_collider_field_bytes(const SlCollider *collider, double spacing)
{
    SlSdfSettings settings = settings_of(collider, spacing);
    if (collider->deform == NULL)
        return sl_sdf_guess_bytes(&collider->mesh, &settings);
    uint64_t bytes = 0;
    settings = sl_deform_settings(collider->deform, &settings);
    for (size_t key = 0; key < collider->deform->key_count; key++)
        bytes += sl_sdf_guess_bytes(&collider->deform->keys[key].mesh, &settings);
    return bytes;
}

SlStatus sl_collider_build_field(SlContext *context, SlCollider *collider, double spacing,
                                 SlError *error)
{
    SlSdfSettings settings = settings_of(collider, spacing);
    const char *cache = collider->def.cache_folder;
    SlStatus status = collider->deform != NULL
                          ? sl_deform_build(collider->deform, &settings, cache, error)
                          : sl_sdf_load_or_build(context, &collider->mesh, &settings, cache,
                                                 &collider->field, error);
    collider->has_field = status == SL_OK;
    return status;
}

void sl_collider_take_form(SlCollider *collider, double time, SlBody *body)
{
    if (collider->deform == NULL) {
        body->field = collider->has_field ? &collider->field : NULL;
        body->bounds = collider->mesh_bounds;
        return;
    }
    if (collider->has_field)
        sl_deform_seek(collider->deform, time);
    body->deform = collider->has_field ? collider->deform : NULL;
    body->bounds = sl_deform_bounds(collider->deform);
}
