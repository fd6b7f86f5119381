/* Questions to frame views and state views. */
#include "frame/view.h"

#include <string.h>

#include "core/hash.h"

SlFieldView sl_view_field(const SlSystemView *system, const char *name)
{
    for (size_t k = 0; k < system->field_count; k++)
        if (strcmp(system->fields[k].name, name) == 0)
            return system->fields[k];
    return (SlFieldView){.name = name, .unit = "", .meaning = ""};
}

const SlSystemView *sl_view_system(const SlFrameView *view, const char *name)
{
    for (size_t k = 0; k < view->system_count; k++)
        if (strcmp(view->systems[k].name, name) == 0)
            return &view->systems[k];
    return NULL;
}

const SlColliderView *sl_view_collider(const SlFrameView *view, const char *name)
{
    for (size_t k = 0; k < view->collider_count; k++)
        if (strcmp(view->colliders[k].name, name) == 0)
            return &view->colliders[k];
    return NULL;
}

const SlCamera *sl_view_camera(const SlFrameView *view, const char *name)
{
    for (size_t k = 0; k < view->camera_count; k++)
        if (strcmp(view->cameras[k].name, name) == 0)
            return &view->cameras[k];
    return NULL;
}

const SlSurfaceView *sl_view_surface(const SlFrameView *view, const char *system)
{
    for (size_t k = 0; k < view->surface_count; k++)
        if (strcmp(view->surfaces[k].system, system) == 0)
            return &view->surfaces[k];
    return NULL;
}

static float uniform_or_field(const SlSystemView *system, float uniform, const char *name,
                              size_t particle)
{
    if (uniform > 0)
        return uniform;
    SlFieldView field = sl_view_field(system, name);
    if (field.data == NULL || field.type != SL_FIELD_F32 || particle >= field.count)
        return 0;
    float value;
    memcpy(&value, (const char *)field.data + particle * field.stride, sizeof value);
    return value;
}

float sl_view_mass(const SlSystemView *system, size_t particle)
{
    return uniform_or_field(system, system->mass, "mass", particle);
}

float sl_view_volume(const SlSystemView *system, size_t particle)
{
    float volume = uniform_or_field(system, system->volume, "volume", particle);
    return volume > 0 ? volume : system->spacing * system->spacing * system->spacing;
}

const float *sl_view_vertices(const SlColliderView *collider)
{
    if (collider->kind != SL_COLLIDER_MESH)
        return NULL;
    return collider->vertices != NULL ? collider->vertices : collider->mesh.positions;
}

void sl_view_axes(const SlColliderView *collider, SlVec3 axes[3])
{
    SlQuat q = collider->pose.rotation;
    axes[0] = (SlVec3){1 - 2 * (q.y * q.y + q.z * q.z), 2 * (q.x * q.y + q.z * q.w),
                       2 * (q.x * q.z - q.y * q.w)};
    axes[1] = (SlVec3){2 * (q.x * q.y - q.z * q.w), 1 - 2 * (q.x * q.x + q.z * q.z),
                       2 * (q.y * q.z + q.x * q.w)};
    axes[2] = (SlVec3){2 * (q.x * q.z + q.y * q.w), 2 * (q.y * q.z - q.x * q.w),
                       1 - 2 * (q.x * q.x + q.y * q.y)};
}

uint32_t sl_field_lanes(SlFieldType type)
{
    return type == SL_FIELD_F32X3 ? 3 : 1;
}

void sl_mesh_hash(const SlMeshView *mesh, uint64_t hash[2])
{
    const uint64_t counts[2] = {mesh->vertex_count, mesh->triangle_count};
    const SlBytes parts[] = {{counts, sizeof counts},
                             {mesh->positions, mesh->vertex_count * 3 * sizeof(float)},
                             {mesh->triangles, mesh->triangle_count * 3 * sizeof(uint32_t)}};
    sl_hash128(parts, sizeof parts / sizeof parts[0], hash);
    if (hash[0] == 0 && hash[1] == 0)
        hash[0] = 1;
}

const SlStateItem *sl_state_find(const SlStateView *state, uint32_t system, const char *name)
{
    for (size_t k = 0; k < state->item_count; k++)
        if (state->items[k].system == system && strcmp(state->items[k].name, name) == 0)
            return &state->items[k];
    return NULL;
}
