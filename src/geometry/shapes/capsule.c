/* A capsule: all points within `radius` of the segment from `center` to center + height axis. */
#include <math.h>

#include "geometry/shapes/parts.h"

static const double pi = 3.14159265358979323846;

static const SlShapeKey keys[] = {
    SL_SHAPE_KEY("center", POINT, center),
    SL_SHAPE_KEY("radius", LENGTH, radius),
    SL_SHAPE_KEY("height", LENGTH, height),
    SL_SHAPE_KEY("axis", AXIS, axis),
};

static float distance(const SlShape *shape, SlVec3 point, float reach, SlVec3 *normal)
{
    (void)reach;
    SlVec3 q = sl_sub(point, shape->center);
    float h = fminf(fmaxf(sl_dot(q, shape->axis), 0), shape->height);
    q = sl_sub(q, sl_scale(shape->axis, h));
    float length = sl_length(q);
    /* On the segment every direction across it is as near. */
    *normal = length > 0 ? sl_scale(q, 1 / length) : shape->side;
    return length - shape->radius;
}

static SlBox bounds(const SlShape *shape)
{
    SlVec3 a = shape->center, b = sl_add(a, sl_scale(shape->axis, shape->height));
    float r = shape->radius;
    return (SlBox){{fminf(a.x, b.x) - r, fminf(a.y, b.y) - r, fminf(a.z, b.z) - r},
                   {fmaxf(a.x, b.x) + r, fmaxf(a.y, b.y) + r, fmaxf(a.z, b.z) + r}};
}

static double volume(const SlShape *shape)
{
    double r = (double)shape->radius;
    return pi * r * r * ((double)shape->height + 4.0 / 3 * r);
}

static double area(const SlShape *shape, SlBox domain)
{
    (void)domain;
    double r = (double)shape->radius;
    return 2 * pi * r * ((double)shape->height + 2 * r);
}

static void ball(const SlShape *shape, SlVec3 *center, float *radius)
{
    *center = sl_add(shape->center, sl_scale(shape->axis, 0.5f * shape->height));
    *radius = shape->radius + 0.5f * shape->height;
}

/* Two half spheres; between their equators the profile is straight. */
static SlStatus mesh(SlContext *context, const SlShape *shape, float edge, SlBox clip, SlMesh *mesh,
                     SlError *error)
{
    enum { MAX_RINGS = 256 }; /* of one half */
    (void)clip;
    double points[2 * MAX_RINGS][2], r = (double)shape->radius, h = (double)shape->height;
    size_t around = sl_edges_around(shape->radius, edge), rings = around / 4;
    rings = rings > MAX_RINGS ? MAX_RINGS : rings;
    for (size_t k = 0; k < rings; k++) {
        double angle = 0.5 * pi * (double)(k + 1) / (double)rings;
        points[k][0] = points[2 * rings - 1 - k][0] = r * sin(angle);
        points[k][1] = -r * cos(angle);
        points[2 * rings - 1 - k][1] = h + r * cos(angle);
    }
    SlProfile profile = {(const double(*)[2])points, 2 * rings, -r, h + r};
    return sl_mesh_revolve(context, &profile, around, mesh, error);
}

const SlShapeType sl_shape_capsule = {
    .kind = SL_SHAPE_CAPSULE,
    .name = "capsule",
    .article = "a capsule",
    SL_SHAPE_KEYS(keys),
    .as_mesh = true,
    .prepare = sl_frustum_prepare,
    .distance = distance,
    .bounds = bounds,
    .volume = volume,
    .area = area,
    .ball = ball,
    .mesh = mesh,
};
