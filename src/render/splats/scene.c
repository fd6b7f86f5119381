#include "render/splats/scene.h"

#include <string.h>

#include "geometry/shape.h"

static bool is_box(const SlBox *box)
{
    SlVec3 size = sl_sub(box->max, box->min);
    return sl_finite(box->min) && sl_finite(box->max) && size.x > 0 && size.y > 0 && size.z > 0;
}

static void grow(SlBox *box, SlVec3 p)
{
    box->min = sl_vec3(fminf(box->min.x, p.x), fminf(box->min.y, p.y), fminf(box->min.z, p.z));
    box->max = sl_vec3(fmaxf(box->max.x, p.x), fmaxf(box->max.y, p.y), fmaxf(box->max.z, p.z));
}

static void grow_by_meshes(SlBox *box, const SlFrameView *view)
{
    for (size_t m = 0; m < view->collider_count; m++) {
        const SlColliderView *collider = &view->colliders[m];
        const float *vertices = sl_view_vertices(collider);
        SlVec3 axes[3];
        sl_view_axes(collider, axes);
        for (size_t i = 0; vertices != NULL && i < collider->mesh.vertex_count; i++) {
            const float *v = vertices + 3 * i;
            SlVec3 p = sl_add(sl_add(collider->pose.position, sl_scale(axes[0], v[0])),
                              sl_add(sl_scale(axes[1], v[1]), sl_scale(axes[2], v[2])));
            if (sl_finite(p))
                grow(box, p);
        }
    }
}

/* An open world has no box of its own, and one that followed its particles would make shadows and
   squares swim: open sides lie on multiples of a power of two. Closed sides are the domain's. */
static SlBox steady(SlBox box, const SlBox *domain)
{
    SlVec3 size = sl_sub(box.max, box.min);
    float step = exp2f(ceilf(log2f(fmaxf(size.x, fmaxf(size.y, size.z)) / 4)));
    float *low = &box.min.x, *high = &box.max.x;
    const float *wall_low = &domain->min.x, *wall_high = &domain->max.x;
    for (int k = 0; k < 3; k++) {
        if (!(wall_low[k] < wall_high[k])) /* no domain */
            continue;
        low[k] = isfinite(wall_low[k]) ? wall_low[k] : floorf(low[k] / step) * step;
        high[k] = isfinite(wall_high[k]) ? wall_high[k] : ceilf(high[k] / step) * step;
    }
    return is_box(&box) ? box : (SlBox){{-1, -1, -1}, {1, 1, 1}};
}

typedef struct Crowd { /* sums over particles */
    double count, sum[3], squares[3];
} Crowd;

/* True within four deviations of the mean: a few far drops do not stretch the scene. */
static bool in_crowd(const Crowd *crowd, SlVec3 p)
{
    const float *x = &p.x;
    for (int k = 0; k < 3; k++) {
        double mean = crowd->sum[k] / crowd->count, off = (double)x[k] - mean;
        if (off * off > 16 * (crowd->squares[k] / crowd->count - mean * mean) + 1e-12)
            return false;
    }
    return true;
}

/* Every particle of the view: into the sums, or into the box if it is one of the crowd. */
static void grow_by_particles(SlBox *box, Crowd *crowd, const SlFrameView *view)
{
    for (size_t s = 0; s < view->system_count; s++) {
        SlFieldView field = sl_view_field(&view->systems[s], "position");
        for (size_t i = 0; field.data != NULL && field.type == SL_FIELD_F32X3 && i < field.count;
             i++) {
            SlVec3 p;
            memcpy(&p, (const char *)field.data + i * field.stride, sizeof p);
            if (!sl_finite(p))
                continue;
            if (box == NULL) {
                const float *x = &p.x;
                crowd->count++;
                for (int k = 0; k < 3; k++) {
                    crowd->sum[k] += (double)x[k];
                    crowd->squares[k] += (double)x[k] * (double)x[k];
                }
            } else if (in_crowd(crowd, p)) {
                grow(box, p);
            }
        }
    }
}

bool sl_scene_is_open(const SlFrameView *view)
{
    return !sl_finite(view->domain.min) || !sl_finite(view->domain.max);
}

bool sl_scene_floor(const SlFrameView *view, float *height)
{
    bool found = false;
    for (size_t k = 0; k < view->collider_count; k++) {
        const SlShape *shape = &view->colliders[k].shape;
        if (view->colliders[k].kind != SL_COLLIDER_SHAPE || !sl_scene_is_floor(view, shape) ||
            (found && shape->center.y <= *height))
            continue;
        *height = shape->center.y;
        found = true;
    }
    return found;
}

bool sl_scene_is_floor(const SlFrameView *view, const SlShape *shape)
{
    return isinf(view->domain.min.y) && shape->kind == SL_SHAPE_PLANE &&
           shape->axis.y > 0.9999f * sl_length(shape->axis);
}

SlBox sl_scene_box(const SlFrameView *view)
{
    if (is_box(&view->domain))
        return view->domain;
    SlBox box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    Crowd crowd = {.count = 0};
    grow_by_particles(NULL, &crowd, view);
    grow_by_particles(&box, &crowd, view);
    grow_by_meshes(&box, view);
    if (!is_box(&box)) { /* nothing, or all in one plane */
        SlVec3 half = {0.5f, 0.5f, 0.5f};
        SlVec3 middle = box.min.x <= box.max.x ? box.min : sl_vec3(0, 0.5f, 0);
        grow(&box, sl_sub(middle, half));
        grow(&box, sl_add(middle, half));
    }
    return sl_scene_is_open(view) ? steady(box, &view->domain) : box;
}

SlCamera sl_view_framing(const SlFrameView *view, uint32_t width, uint32_t height)
{
    SlBox scene = sl_scene_box(view);
    return sl_camera_around(&scene, (float)width, (float)height);
}

SlBox sl_scene_reach(const SlFrameView *view, const SlBox *scene)
{
    SlBox reach = *scene;
    SlVec3 size = sl_sub(scene->max, scene->min);
    SlVec3 low = sl_sub(scene->min, size), high = sl_add(scene->max, size);
    grow_by_meshes(&reach, view);
    reach.min = sl_vec3(fmaxf(reach.min.x, low.x), fmaxf(reach.min.y, low.y),
                        fmaxf(reach.min.z, low.z));
    reach.max = sl_vec3(fminf(reach.max.x, high.x), fminf(reach.max.y, high.y),
                        fminf(reach.max.z, high.z));
    return reach;
}

static float in_steps(float beyond, float size)
{
    float step = size / 8;
    return beyond > 0 ? ceilf(beyond / step - 1e-3f) * step : 0;
}

SlBox sl_scene_shadow_box(const SlBox *scene, const SlBox *reach)
{
    SlVec3 size = sl_sub(scene->max, scene->min);
    SlVec3 low = sl_sub(scene->min, reach->min), high = sl_sub(reach->max, scene->max);
    return (SlBox){sl_sub(scene->min, sl_vec3(in_steps(low.x, size.x), in_steps(low.y, size.y),
                                              in_steps(low.z, size.z))),
                   sl_add(scene->max, sl_vec3(in_steps(high.x, size.x), in_steps(high.y, size.y),
                                              in_steps(high.z, size.z)))};
}

float sl_scene_spacing(const SlFrameView *view, const SlBox *scene)
{
    float most = 0;
    for (size_t s = 0; s < view->system_count; s++)
        if (view->systems[s].particle_count > 0 && view->systems[s].spacing > most)
            most = view->systems[s].spacing;
    return most > 0 && isfinite(most) ? most : sl_length(sl_sub(scene->max, scene->min)) / 60;
}

float sl_scene_checker(const SlBox *scene)
{
    float wanted = sl_length(sl_sub(scene->max, scene->min)) / 12;
    float ten = powf(10, floorf(log10f(wanted)));
    float ratio = wanted / ten;
    return ten * (ratio < 1.5f ? 1 : ratio < 3.5f ? 2 : ratio < 7.5f ? 5 : 10);
}

uint32_t sl_scene_solids(const SlFrameView *view, const SlBox *scene, const float *floor,
                         SlSolid *solids)
{
    uint32_t count = 0;
    SlVec3 size = sl_sub(scene->max, scene->min);
    for (size_t k = 0; k < view->collider_count; k++) {
        SlSolid *solid = &solids[count];
        const SlColliderView *collider = &view->colliders[k];
        if (collider->kind != SL_COLLIDER_SHAPE ||
            sl_scene_is_floor(view, &collider->shape)) /* drawn as the ground */
            continue;
        *solid = (SlSolid){.shape = collider->shape, .clip = *scene};
        const char *reason;
        count += sl_shape_prepare(&solid->shape, &reason);
    }
    if (floor != NULL) {
        /* A little below the floor, which a plane collider may draw. */
        SlSolid *solid = &solids[count++];
        *solid = (SlSolid){.shape = sl_default_shape(SL_SHAPE_PLANE), .ground = true};
        solid->shape.center = sl_vec3(scene->min.x, *floor - 1e-3f * size.y, scene->min.z);
    }
    return count;
}

static void sphere_around(const SlShape *shape, SlVec3 *center, float *radius)
{
    *center = shape->center;
    *radius = shape->radius;
    if (shape->kind == SL_SHAPE_BOX) {
        *radius = sl_length(shape->half);
    } else if (shape->kind != SL_SHAPE_SPHERE) {
        *center = sl_add(shape->center, sl_scale(shape->axis, 0.5f * shape->height));
        *radius = hypotf(shape->radius, 0.5f * shape->height);
    }
    *radius *= 1.001f;
}

/* Pixels from low to high, cut to a picture of `size`; an interval beside it becomes empty. */
static void set_span(float low, float high, uint32_t size, int16_t *first, int16_t *last)
{
    float most = (float)size - 1;
    *first = (int16_t)fminf(fmaxf(low, 0), most + 1);
    *last = (int16_t)fmaxf(fminf(high, most), -1);
}

/* Pixels between the tangents to a circle around (a, z), in front of the eye. */
static void set_tangent_span(float a, float z, float r, float focal, float center, uint32_t size,
                             int16_t *first, int16_t *last)
{
    float d = (z - r) * (z + r), root = r * sqrtf(fmaxf(a * a + d, 0));
    set_span(center + focal * (a * z - root) / d, center + focal * (a * z + root) / d, size, first,
             last);
}

void sl_scene_bound_solid(const SlSplatFrame *frame, SlSolid *solid)
{
    const SlCameraFrame *c = &frame->camera;
    const SlShadow *shadow = &frame->shadow;
    solid->rect = (SlRect){0, 0, (int16_t)(frame->width - 1), (int16_t)(frame->height - 1)};
    solid->light_rect = (SlRect){0, 0, -1, -1};
    if (solid->shape.kind == SL_SHAPE_PLANE) /* seen everywhere, casts nothing */
        return;
    SlVec3 center;
    float r;
    sphere_around(&solid->shape, &center, &r);
    SlVec3 v = sl_camera_to_view(c, center);
    if (v.z > 1.001f * r) {
        set_tangent_span(v.x, v.z, r, c->focal, c->center_x, frame->width, &solid->rect.x0,
                         &solid->rect.x1);
        set_tangent_span(-v.y, v.z, r, c->focal, c->center_y, frame->height, &solid->rect.y0,
                         &solid->rect.y1);
    } else if (v.z < -r) {
        solid->rect = (SlRect){0, 0, -1, -1};
    }
    if (shadow->size > 0) {
        float at[2], reach = r / shadow->texel + 1;
        for (int k = 0; k < 2; k++) {
            const float *row = shadow->world_row[k];
            at[k] = row[0] * center.x + row[1] * center.y + row[2] * center.z + row[3];
        }
        SlRect *light = &solid->light_rect;
        set_span(at[0] - reach, at[0] + reach, shadow->size, &light->x0, &light->x1);
        set_span(at[1] - reach, at[1] + reach, shadow->size, &light->y0, &light->y1);
    }
}

SlRays sl_scene_camera_rays(const SlCameraFrame *c)
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

void sl_scene_aim_shadow(const SlBox *scene, SlVec3 to_light, const SlCameraFrame *camera,
                         SlShadow *shadow)
{
    if (shadow->size == 0)
        return;
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
        SlVec3 turned = {sl_dot(axis, camera->right), sl_dot(axis, camera->up),
                         sl_dot(axis, camera->forward)};
        set_row(shadow->view_row[k], turned, scales[k], scales[k] * sl_dot(axis, eye));
    }
}
