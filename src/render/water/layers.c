/* The two layers of a picture as frame views of their own: liquids, and everything else. */
#include <string.h>

#include "core/context.h"
#include "frame/view.h"
#include "render/water/water.h"

bool sl_water_is_whitewater(const SlSystemView *system)
{
    return system->solver != NULL && strcmp(system->solver, "whitewater") == 0;
}

bool sl_water_is_liquid(const SlSystemView *system)
{
    return system->material.kind == SL_MATERIAL_WATER && !sl_water_is_whitewater(system);
}

bool sl_water_is_near(const SlFrameView *liquid, SlVec3 point)
{
    bool near = false;
    for (size_t s = 0; s < liquid->system_count; s++) {
        const SlSystemView *system = &liquid->systems[s];
        SlFieldView position = sl_view_field(system, "position");
        bool placed = position.data != NULL && position.type == SL_FIELD_F32X3;
        float reach = 2 * system->spacing;
        for (size_t i = 0; placed && !near && i < position.count; i++) {
            SlVec3 x;
            memcpy(&x, (const char *)position.data + i * position.stride, sizeof x);
            x = sl_sub(x, point);
            near = sl_dot(x, x) < reach * reach;
        }
    }
    return near;
}

/* A surface as a collider in world space, which the splat renderer draws as triangles. */
static SlColliderView surface_collider(const SlSurfaceView *surface)
{
    return (SlColliderView){.name = surface->system,
                            .kind = SL_COLLIDER_MESH,
                            .mesh = {.positions = surface->positions,
                                     .vertex_count = surface->vertex_count,
                                     .triangles = surface->triangles,
                                     .triangle_count = surface->triangle_count},
                            .pose = {{0, 0, 0}, {0, 0, 0, 1}},
                            .material = surface->material};
}

/* The mean of the liquids' absorption and index, weighted by particles. */
static void mean_material(const SlFrameView *liquid, SlMaterial *mean)
{
    double sum[4] = {0, 0, 0, 0}, count = 0;
    *mean = sl_default_material(SL_MATERIAL_WATER);
    for (size_t k = 0; k < liquid->system_count; k++) {
        const SlSystemView *system = &liquid->systems[k];
        double weight = (double)system->particle_count + 1;
        for (int c = 0; c < 3; c++)
            sum[c] += weight * (double)fmaxf(system->material.absorption[c], 0);
        sum[3] += weight * (double)system->material.index_of_refraction;
        count += weight;
    }
    for (int c = 0; c < 3; c++)
        mean->absorption[c] = count > 0 ? (float)(sum[c] / count) : 0;
    if (count > 0 && sum[3] >= count)
        mean->index_of_refraction = (float)(sum[3] / count);
}

SlStatus sl_water_split(SlArena *arena, const SlFrameView *view, bool use_surface,
                        SlWaterViews *views, SlError *error)
{
    SlSystemView *liquids = SL_PUSH(arena, SlSystemView, view->system_count + 1);
    SlSystemView *others = SL_PUSH(arena, SlSystemView, view->system_count + 1);
    SlColliderView *meshes = SL_PUSH(arena, SlColliderView, view->system_count + 1);
    if (liquids == NULL || others == NULL || meshes == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for the systems of a frame");
    *views = (SlWaterViews){.liquid = *view, .back = *view, .meshed = true};
    size_t liquid_count = 0, other_count = 0, mesh_count = 0;
    for (size_t k = 0; k < view->system_count; k++) {
        const SlSystemView *system = &view->systems[k];
        if (sl_water_is_whitewater(system))
            continue;
        if (!sl_water_is_liquid(system)) {
            others[other_count++] = *system;
            continue;
        }
        const SlSurfaceView *surface = use_surface ? sl_view_surface(view, system->name) : NULL;
        liquids[liquid_count++] = *system;
        if (surface != NULL)
            meshes[mesh_count++] = surface_collider(surface);
        else
            views->meshed = false;
    }
    views->back.systems = others;
    views->back.system_count = other_count;
    views->liquid.systems = liquids;
    views->liquid.system_count = liquid_count;
    mean_material(&views->liquid, &views->material);
    views->meshed = views->meshed && liquid_count > 0;
    views->liquid.colliders = meshes;
    views->liquid.collider_count = views->meshed ? mesh_count : 0;
    return SL_OK;
}
