/* The bounds of what is drawn, from a frame view: they must not move with single particles, or shadows,
   ground and cameras would move from frame to frame of a video. */
#include <math.h>
#include <string.h>

#include "frame/view.h"
#include "geometry/shape.h"
#include "render/stage/stage.h"

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

static void grow_by_mesh(SlBox *box, const SlColliderView *collider)
{
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

static void grow_by_meshes(SlBox *box, const SlFrameView *view)
{
    for (size_t m = 0; m < view->collider_count; m++)
        grow_by_mesh(box, &view->colliders[m]);
}

/* Open sides are put on multiples of a power of two, so that they stay while particles move a little.
   Closed sides are the domain's. */
static SlBox round_open_sides(SlBox box, const SlBox *domain)
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

typedef struct Moments { /* sums over particles */
    double count, sum[3], squares[3];
} Moments;

/* True within four standard deviations of the mean: a few far drops do not stretch the scene. */
static bool near_mean(const Moments *moments, SlVec3 p)
{
    const float *x = &p.x;
    for (int k = 0; k < 3; k++) {
        double mean = moments->sum[k] / moments->count, off = (double)x[k] - mean;
        if (off * off > 16 * (moments->squares[k] / moments->count - mean * mean) + 1e-12)
            return false;
    }
    return true;
}

/* Adds every particle to the moments (box NULL), or every particle near their mean to the box. */
static void grow_by_particles(SlBox *box, Moments *moments, const SlFrameView *view)
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
                moments->count++;
                for (int k = 0; k < 3; k++) {
                    moments->sum[k] += (double)x[k];
                    moments->squares[k] += (double)x[k] * (double)x[k];
                }
            } else if (near_mean(moments, p)) {
                grow(box, p);
            }
        }
    }
}

bool sl_stage_is_open(const SlFrameView *view)
{
    return !sl_finite(view->domain.min) || !sl_finite(view->domain.max);
}

bool sl_stage_floor(const SlFrameView *view, float *height)
{
    bool found = false;
    for (size_t k = 0; k < view->collider_count; k++) {
        const SlShape *shape = &view->colliders[k].shape;
        if (view->colliders[k].kind != SL_COLLIDER_SHAPE || !sl_stage_is_floor(view, shape) ||
            (found && shape->center.y <= *height))
            continue;
        *height = shape->center.y;
        found = true;
    }
    return found;
}

bool sl_stage_is_floor(const SlFrameView *view, const SlShape *shape)
{
    return isinf(view->domain.min.y) && shape->kind == SL_SHAPE_PLANE &&
           shape->axis.y > 0.9999f * sl_length(shape->axis);
}

SlBox sl_stage_box(const SlFrameView *view)
{
    if (is_box(&view->domain))
        return view->domain;
    SlBox box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    Moments moments = {.count = 0};
    grow_by_particles(NULL, &moments, view);
    grow_by_particles(&box, &moments, view);
    grow_by_meshes(&box, view);
    if (!is_box(&box)) { /* empty, or all in one plane */
        SlVec3 half = {0.5f, 0.5f, 0.5f};
        SlVec3 middle = box.min.x <= box.max.x ? box.min : sl_vec3(0, 0.5f, 0);
        grow(&box, sl_sub(middle, half));
        grow(&box, sl_add(middle, half));
    }
    return sl_stage_is_open(view) ? round_open_sides(box, &view->domain) : box;
}

SlBox sl_stage_reach(const SlFrameView *view, const SlBox *scene)
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

/* A length rounded up to eighths of a size. */
static float in_steps(float beyond, float size)
{
    float step = size / 8;
    return beyond > 0 ? ceilf(beyond / step - 1e-3f) * step : 0;
}

SlBox sl_stage_shadow_box(const SlBox *scene, const SlBox *reach)
{
    SlVec3 size = sl_sub(scene->max, scene->min);
    SlVec3 low = sl_sub(scene->min, reach->min), high = sl_sub(reach->max, scene->max);
    return (SlBox){sl_sub(scene->min, sl_vec3(in_steps(low.x, size.x), in_steps(low.y, size.y),
                                              in_steps(low.z, size.z))),
                   sl_add(scene->max, sl_vec3(in_steps(high.x, size.x), in_steps(high.y, size.y),
                                              in_steps(high.z, size.z)))};
}

float sl_stage_spacing(const SlFrameView *view, const SlBox *scene)
{
    float largest = 0;
    for (size_t s = 0; s < view->system_count; s++)
        if (view->systems[s].particle_count > 0 && view->systems[s].spacing > largest)
            largest = view->systems[s].spacing;
    return largest > 0 && isfinite(largest) ? largest : sl_length(sl_sub(scene->max, scene->min)) / 60;
}

bool sl_stage_tank(const SlFrameView *view, float near, SlBox *tank)
{
    SlVec3 a = view->domain.min, b = view->domain.max;
    if (view->surface_count == 0 || !(sl_finite(a) && isfinite(b.x) && isfinite(b.z)))
        return false;
    for (size_t k = 0; k < view->collider_count; k++) {
        const SlColliderView *collider = &view->colliders[k];
        SlBox box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
        if (collider->kind == SL_COLLIDER_SHAPE)
            box = sl_shape_bounds(&collider->shape);
        else
            grow_by_mesh(&box, collider);
        bool empty = !(box.min.x <= box.max.x);
        if (!empty && (box.min.x < a.x + near || box.max.x > b.x - near || box.min.z < a.z + near ||
                       box.max.z > b.z - near))
            return false;
    }
    *tank = view->domain;
    if (!isfinite(b.y))
        tank->max.y = a.y + 0.6f * fminf(b.x - a.x, b.z - a.z);
    return true;
}
