/* A box of half sizes `half` along `side`, `axis` and side × axis. Scenes give it by two corners. */
#include <math.h>
#include <string.h>

#include "geometry/shapes/parts.h"

/* The corners, until from_keys. */
static const SlShapeKey keys[] = {
    SL_SHAPE_KEY("min", POINT, center),
    SL_SHAPE_KEY("max", POINT, half),
};

static const char *from_keys(SlShape *shape)
{
    SlVec3 min = shape->center, max = shape->half;
    if (!(min.x < max.x && min.y < max.y && min.z < max.z))
        return "min must be below max on each axis";
    shape->half = sl_scale(sl_sub(max, min), 0.5f);
    shape->center = sl_add(min, shape->half);
    return NULL;
}

static const char *prepare(SlShape *shape)
{
    SlVec3 half = shape->half;
    return half.x > 0 && half.y > 0 && half.z > 0 && sl_finite(half)
               ? NULL
               : "a box needs half sizes above 0";
}

static float local_distance(SlVec3 q, SlVec3 half, SlVec3 *n)
{
    SlVec3 over = {fabsf(q.x) - half.x, fabsf(q.y) - half.y, fabsf(q.z) - half.z};
    SlVec3 side = {copysignf(1, q.x), copysignf(1, q.y), copysignf(1, q.z)};
    SlVec3 out = {fmaxf(over.x, 0), fmaxf(over.y, 0), fmaxf(over.z, 0)};
    float outside = sl_length(out);
    if (outside > 0) {
        *n = sl_vec3(side.x * out.x / outside, side.y * out.y / outside, side.z * out.z / outside);
        return outside;
    }
    if (over.x >= over.y && over.x >= over.z) {
        *n = sl_vec3(side.x, 0, 0);
        return over.x;
    }
    if (over.y >= over.z) {
        *n = sl_vec3(0, side.y, 0);
        return over.y;
    }
    *n = sl_vec3(0, 0, side.z);
    return over.z;
}

static float distance(const SlShape *shape, SlVec3 point, float reach, SlVec3 *normal)
{
    (void)reach;
    SlVec3 q = sl_sub(point, shape->center), local;
    SlVec3 x = shape->side, y = shape->axis, z = sl_cross(x, y);
    float found = local_distance(sl_vec3(sl_dot(q, x), sl_dot(q, y), sl_dot(q, z)), shape->half,
                                 &local);
    *normal = sl_add(sl_scale(x, local.x), sl_add(sl_scale(y, local.y), sl_scale(z, local.z)));
    return found;
}

static SlBox bounds(const SlShape *shape)
{
    SlVec3 h = shape->half, s = shape->side, a = shape->axis, d = sl_cross(s, a);
    SlVec3 reach = {fabsf(s.x) * h.x + fabsf(a.x) * h.y + fabsf(d.x) * h.z,
                    fabsf(s.y) * h.x + fabsf(a.y) * h.y + fabsf(d.y) * h.z,
                    fabsf(s.z) * h.x + fabsf(a.z) * h.y + fabsf(d.z) * h.z};
    return (SlBox){sl_sub(shape->center, reach), sl_add(shape->center, reach)};
}

static double volume(const SlShape *shape)
{
    return 8 * (double)shape->half.x * (double)shape->half.y * (double)shape->half.z;
}

static double area(const SlShape *shape, SlBox domain)
{
    (void)domain;
    SlVec3 a = shape->half;
    return 8 * (double)(a.x * a.y + a.y * a.z + a.z * a.x);
}

static void ball(const SlShape *shape, SlVec3 *center, float *radius)
{
    *center = shape->center;
    *radius = sl_length(shape->half);
}

static SlStatus mesh(SlContext *context, const SlShape *shape, float edge, SlBox clip, SlMesh *mesh,
                     SlError *error)
{
    static const uint32_t faces[36] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                       2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};
    (void)edge, (void)clip;
    SlVec3 h = shape->half;
    SlStatus status = sl_mesh_create(context, 8, 12, mesh, error);
    if (status != SL_OK)
        return status;
    for (size_t v = 0; v < 8; v++)
        sl_put_vertex(mesh, v, (double)(v & 1 ? h.x : -h.x), (double)(v & 2 ? h.y : -h.y),
                      (double)(v & 4 ? h.z : -h.z));
    memcpy(mesh->triangles, faces, sizeof faces);
    return SL_OK;
}

const SlShapeType sl_shape_box = {
    .kind = SL_SHAPE_BOX,
    .name = "box",
    .article = "a box",
    SL_SHAPE_KEYS(keys),
    .from_keys = from_keys,
    .prepare = prepare,
    .distance = distance,
    .bounds = bounds,
    .volume = volume,
    .area = area,
    .ball = ball,
    .mesh = mesh,
};
