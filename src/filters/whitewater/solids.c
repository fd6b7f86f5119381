/* Walls of the domain and colliders as whitewater meets them: what they keep out, and how much of a
   neighbourhood they take. The latter of shapes only: triangle meshes have no distance that a frame holds, and
   one would be made anew for each frame. */
#include <math.h>

#include "filters/whitewater/whitewater.h"
#include "geometry/shape.h"

/* Part of the velocity towards a solid that a particle has afterwards, away from it. */
static const float restitution = 0.1f;
/* Points along a path that are held against colliders. */
enum { PATH_POINTS = 4 };

bool water_solids_create(SlContext *context, const SlFrameView *frame, float spacing,
                         WaterSolids *solids)
{
    const SlColliderView **colliders =
        SL_PUSH(&context->arena, const SlColliderView *, frame->collider_count);
    SlBox *bounds = SL_PUSH(&context->arena, SlBox, frame->collider_count);
    if (colliders == NULL || bounds == NULL)
        return false;
    *solids = (WaterSolids){.domain = frame->domain, .colliders = colliders, .bounds = bounds};
    for (size_t k = 0; k < frame->collider_count; k++) {
        const SlColliderView *collider = &frame->colliders[k];
        const SlShapeType *type = sl_shape_type(collider->shape.kind);
        if (collider->kind != SL_COLLIDER_SHAPE || type == NULL || type->arrays)
            continue;
        bounds[solids->count] = sl_shape_bounds(&collider->shape);
        colliders[solids->count++] = collider;
    }
    return water_meshes_create(context, frame, spacing, &solids->meshes);
}

/* Whether a box comes within `reach` of another. */
static bool boxes_near(const SlBox *box, const float low[3], const float high[3], float reach)
{
    const float *min = &box->min.x, *max = &box->max.x;
    for (int k = 0; k < 3; k++)
        if (low[k] - reach > max[k] || high[k] + reach < min[k])
            return false;
    return true;
}

static float shape_distance(const SlColliderView *collider, const float x[3], SlVec3 *normal)
{
    return sl_shape_distance(&collider->shape, (SlVec3){x[0], x[1], x[2]}, normal);
}

/* The part of the weights (1 − r²/R²)³ on the centre's side of a plane at a distance t R:
   ½ + 315/256 ∫₀ᵗ (1 − u²)⁴ du. */
static float open_part(float distance, float radius)
{
    float t = distance / radius, tt = t * t;
    if (t >= 1)
        return 1;
    float sum = t * (1 + tt * (-4 / 3.0f + tt * (6 / 5.0f + tt * (-4 / 7.0f + tt / 9))));
    return t > 0 ? 0.5f + 315 / 256.0f * sum : 0.5f;
}

float water_solids_open(const WaterSolids *solids, const float x[3], float radius)
{
    const float *min = &solids->domain.min.x, *max = &solids->domain.max.x;
    float open = 1;
    for (int k = 0; k < 3; k++)
        open *= open_part(x[k] - min[k], radius) * open_part(max[k] - x[k], radius);
    for (size_t c = 0; c < solids->count; c++)
        if (boxes_near(&solids->bounds[c], x, x, radius))
            open *= open_part(shape_distance(solids->colliders[c], x, NULL), radius);
    return open;
}

static void bounce(float v[3], const float normal[3])
{
    float along = v[0] * normal[0] + v[1] * normal[1] + v[2] * normal[2];
    for (int k = 0; along < 0 && k < 3; k++)
        v[k] -= (1 + restitution) * along * normal[k];
}

static bool collide_shape(const SlColliderView *collider, const float from[3], float to[3],
                          float v[3], float margin)
{
    for (int step = 1; step <= PATH_POINTS; step++) {
        float t = (float)step / PATH_POINTS, x[3];
        for (int k = 0; k < 3; k++)
            x[k] = from[k] + t * (to[k] - from[k]);
        SlVec3 normal;
        float distance = shape_distance(collider, x, &normal);
        if (distance >= margin)
            continue;
        const float n[3] = {normal.x, normal.y, normal.z};
        for (int k = 0; k < 3; k++)
            to[k] = x[k] + (margin - distance) * n[k];
        bounce(v, n);
        return true;
    }
    return false;
}

bool water_solids_collide(const WaterSolids *solids, const float from[3], float to[3], float v[3],
                          float margin)
{
    const float *min = &solids->domain.min.x, *max = &solids->domain.max.x;
    bool touched = false;
    float low[3], high[3];
    for (int k = 0; k < 3; k++) {
        low[k] = from[k] < to[k] ? from[k] : to[k];
        high[k] = from[k] > to[k] ? from[k] : to[k];
    }
    for (size_t c = 0; c < solids->count; c++)
        if (boxes_near(&solids->bounds[c], low, high, margin))
            touched |= collide_shape(solids->colliders[c], from, to, v, margin);
    float normal[3];
    if (water_meshes_collide(&solids->meshes, from, to, margin, normal)) {
        bounce(v, normal);
        touched = true;
    }
    /* Walls last: whatever colliders do, particles stay in the domain. */
    for (int k = 0; k < 3; k++) {
        float side = to[k] < min[k] + margin ? 1 : to[k] > max[k] - margin ? -1 : 0;
        if (side == 0)
            continue;
        to[k] = side > 0 ? min[k] + margin : max[k] - margin;
        if (v[k] * side < 0)
            v[k] *= -restitution;
        touched = true;
    }
    return touched;
}

static void clip(float normal[3], const float outward[3])
{
    float into = normal[0] * outward[0] + normal[1] * outward[1] + normal[2] * outward[2];
    for (int k = 0; into < 0 && k < 3; k++)
        normal[k] -= into * outward[k];
}

void water_solids_clip_normal(const WaterSolids *solids, const float x[3], float radius,
                              float normal[3])
{
    const float *min = &solids->domain.min.x, *max = &solids->domain.max.x;
    for (int k = 0; k < 3; k++) {
        if (x[k] - min[k] < radius && normal[k] < 0)
            normal[k] = 0;
        if (max[k] - x[k] < radius && normal[k] > 0)
            normal[k] = 0;
    }
    for (size_t c = 0; c < solids->count; c++) {
        SlVec3 n;
        if (!boxes_near(&solids->bounds[c], x, x, radius) ||
            shape_distance(solids->colliders[c], x, &n) >= radius)
            continue;
        const float outward[3] = {n.x, n.y, n.z};
        clip(normal, outward);
    }
}
