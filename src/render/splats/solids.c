/* Analytic solids as they are drawn: which of them, where they may be seen; the rays of the camera and
   of the light. */
#include "render/splats/solids.h"

#include <string.h>

#include "core/context.h"
#include "frame/view.h"
#include "geometry/shape.h"
#include "math/quat.h"

static bool needs_mesh(const SlColliderView *collider, const SlSolidKernels *kernels)
{
    return collider->kind == SL_COLLIDER_SHAPE && !kernels->has_rays(collider->shape.kind) &&
           sl_shape_type(collider->shape.kind) != NULL;
}

/* Replaces the shape of a collider by its triangles; round parts have twenty edges or more. An invalid
   shape stays, and is not drawn. */
static SlStatus mesh_shape(SlContext *context, SlColliderView *collider, SlMesh *mesh, SlError *error)
{
    SlShape shape = collider->shape;
    const SlShapeType *type = sl_shape_type(shape.kind);
    const char *reason;
    if (!sl_shape_prepare(&shape, &reason) || type->endless)
        return SL_OK;
    SlVec3 center, axes[3];
    float radius;
    type->ball(&shape, &center, &radius);
    SlStatus status = sl_shape_mesh(context, &shape, 0.1f * radius, type->bounds(&shape), mesh, error);
    if (status != SL_OK)
        return status;
    double q[4];
    sl_shape_frame(&shape, axes);
    sl_quat_from_axes(axes[0], axes[1], axes[2], q);
    collider->kind = SL_COLLIDER_MESH;
    collider->mesh = (SlMeshView){.positions = mesh->positions,
                                  .vertex_count = mesh->vertex_count,
                                  .triangles = mesh->triangles,
                                  .triangle_count = mesh->triangle_count};
    collider->pose = (SlPose){shape.center, {(float)q[0], (float)q[1], (float)q[2], (float)q[3]}};
    return SL_OK;
}

SlStatus sl_meshed_view_make(SlContext *context, SlArena *arena, const SlFrameView *view,
                             const SlSolidKernels *kernels, SlMeshedView *meshed, SlError *error)
{
    *meshed = (SlMeshedView){.view = *view};
    size_t count = 0;
    for (size_t k = 0; k < view->collider_count; k++)
        count += needs_mesh(&view->colliders[k], kernels);
    if (count == 0)
        return SL_OK;
    SlColliderView *colliders = SL_PUSH(arena, SlColliderView, view->collider_count);
    meshed->meshes = SL_PUSH(arena, SlMesh, count);
    if (colliders == NULL || meshed->meshes == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory to draw %zu shapes", count);
    memset(meshed->meshes, 0, count * sizeof *meshed->meshes);
    memcpy(colliders, view->colliders, view->collider_count * sizeof *colliders);
    meshed->view.colliders = colliders;
    meshed->mesh_count = count;
    SlStatus status = SL_OK;
    count = 0;
    for (size_t k = 0; k < view->collider_count && status == SL_OK; k++)
        if (needs_mesh(&colliders[k], kernels))
            status = mesh_shape(context, &colliders[k], &meshed->meshes[count++], error);
    return status;
}

void sl_meshed_view_free(SlMeshedView *meshed)
{
    for (size_t k = 0; k < meshed->mesh_count; k++)
        if (meshed->meshes[k].context != NULL)
            sl_mesh_destroy(&meshed->meshes[k]);
    meshed->mesh_count = 0;
}

uint32_t sl_splats_solids(const SlFrameView *view, const SlRenderStage *stage,
                          const SlSolidKernels *kernels, SlSolid *solids)
{
    uint32_t count = 0;
    for (size_t k = 0; k < view->collider_count; k++) {
        SlSolid *solid = &solids[count];
        const SlColliderView *collider = &view->colliders[k];
        if (collider->kind != SL_COLLIDER_SHAPE || !kernels->has_rays(collider->shape.kind) ||
            sl_stage_is_floor(view, &collider->shape)) /* drawn as the ground */
            continue;
        *solid = (SlSolid){.shape = collider->shape, .clip = stage->scene};
        solid->color =
            sl_stage_color(&collider->material, SL_MATERIAL_SOLID, stage->solid_color);
        const char *reason;
        count += sl_shape_prepare(&solid->shape, &reason);
    }
    if (stage->ground.visible) {
        /* A little lower, because a plane collider may be drawn at the same height. */
        const SlBox *scene = &stage->scene;
        float y = stage->ground.height - 1e-3f * (scene->max.y - scene->min.y);
        SlSolid *solid = &solids[count++];
        *solid = (SlSolid){.shape = sl_default_shape(SL_SHAPE_PLANE),
                           .color = stage->ground.color,
                           .ground = true};
        solid->shape.center = sl_vec3(scene->min.x, y, scene->min.z);
    }
    return count;
}

/* Pixels from low to high, clamped to a picture of `size`; empty where that is beside it. */
typedef struct Span {
    int16_t first, last;
} Span;

static Span span_of(float low, float high, uint32_t size)
{
    float last = (float)size - 1;
    return (Span){(int16_t)fminf(fmaxf(low, 0), last + 1), (int16_t)fmaxf(fminf(high, last), -1)};
}

static SlRect rect_of(Span x, Span y)
{
    return (SlRect){x.first, y.first, x.last, y.last};
}

/* Pixels between the tangents to a circle of radius r around (a, z), z > r, in front of the eye. */
static Span tangent_span(const float circle[3], float focal, float center, uint32_t size)
{
    float a = circle[0], z = circle[1], r = circle[2];
    float d = (z - r) * (z + r), root = r * sqrtf(fmaxf(a * a + d, 0));
    return span_of(center + focal * (a * z - root) / d, center + focal * (a * z + root) / d, size);
}

void sl_splats_bound_solid(const SlSplatFrame *frame, SlSolid *solid)
{
    const SlCameraFrame *c = &frame->camera;
    const SlShadow *shadow = &frame->shadow;
    solid->rect = (SlRect){0, 0, (int16_t)(frame->width - 1), (int16_t)(frame->height - 1)};
    solid->light_rect = (SlRect){0, 0, -1, -1};
    const SlShapeType *type = sl_shape_type(solid->shape.kind);
    if (type->endless) /* visible everywhere, casts no shadow */
        return;
    SlVec3 center;
    float r;
    type->ball(&solid->shape, &center, &r);
    r *= 1.001f;
    SlVec3 v = sl_camera_to_view(c, center);
    if (v.z > 1.001f * r) {
        const float across[3] = {v.x, v.z, r}, down[3] = {-v.y, v.z, r};
        solid->rect = rect_of(tangent_span(across, c->focal, c->center_x, frame->width),
                              tangent_span(down, c->focal, c->center_y, frame->height));
    } else if (v.z < -r) {
        solid->rect = (SlRect){0, 0, -1, -1};
    }
    if (shadow->size > 0) {
        float at[2], reach = r / shadow->texel + 1;
        for (int k = 0; k < 2; k++) {
            const float *row = shadow->world_row[k];
            at[k] = row[0] * center.x + row[1] * center.y + row[2] * center.z + row[3];
        }
        solid->light_rect = rect_of(span_of(at[0] - reach, at[0] + reach, shadow->size),
                                    span_of(at[1] - reach, at[1] + reach, shadow->size));
    }
}

SlRays sl_splats_camera_rays(const SlCameraFrame *c)
{
    float step = 1 / c->focal;
    SlRays rays = {.origin = c->eye,
                   .direction_x = sl_scale(c->right, step),
                   .direction_y = sl_scale(c->up, -step)};
    rays.direction = sl_add(c->forward, sl_add(sl_scale(rays.direction_x, -c->center_x),
                                               sl_scale(rays.direction_y, -c->center_y)));
    return rays;
}

static void set_row(float row[4], SlVec3 axis, float scale, float shift)
{
    row[0] = axis.x * scale;
    row[1] = axis.y * scale;
    row[2] = axis.z * scale;
    row[3] = shift;
}

void sl_splats_aim_shadow(const SlRenderStage *stage, const SlCameraFrame *camera, SlShadow *shadow)
{
    if (shadow->size == 0)
        return;
    const SlBox *scene = &stage->shadow;
    SlVec3 to_light = stage->to_light;
    /* A square around the box's bounding circle as the light sees it, a little wider. */
    SlVec3 side = fabsf(to_light.y) < 0.9f ? sl_vec3(0, 1, 0) : sl_vec3(1, 0, 0);
    SlVec3 u = sl_unit(sl_cross(side, to_light)), v = sl_cross(to_light, u);
    SlVec3 middle = sl_scale(sl_add(scene->min, scene->max), 0.5f);
    SlVec3 half = sl_scale(sl_sub(scene->max, scene->min), 0.5f);
    float reach_u = fabsf(u.x) * half.x + fabsf(u.y) * half.y + fabsf(u.z) * half.z;
    float reach_v = fabsf(v.x) * half.x + fabsf(v.y) * half.y + fabsf(v.z) * half.z;
    float reach = 1.02f * fmaxf(reach_u, reach_v), back = 4 * sl_length(half);
    float size = (float)shadow->size, scale = size / (2 * reach);
    shadow->texel = 1 / scale;
    SlVec3 corner = sl_add(sl_sub(middle, sl_add(sl_scale(u, reach), sl_scale(v, reach))),
                           sl_scale(to_light, back));
    shadow->rays = (SlRays){.origin = corner,
                            .origin_x = sl_scale(u, shadow->texel),
                            .origin_y = sl_scale(v, shadow->texel),
                            .direction = sl_scale(to_light, -1)};
    SlVec3 axes[3] = {u, v, to_light};
    float scales[3] = {scale, scale, -1};
    for (int k = 0; k < 3; k++) {
        SlVec3 axis = axes[k], eye = sl_sub(camera->eye, corner);
        set_row(shadow->world_row[k], axis, scales[k], -scales[k] * sl_dot(axis, corner));
        SlVec3 rotated = {sl_dot(axis, camera->right), sl_dot(axis, camera->up),
                         sl_dot(axis, camera->forward)};
        set_row(shadow->view_row[k], rotated, scales[k], scales[k] * sl_dot(axis, eye));
    }
}
