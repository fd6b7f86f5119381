/* A ball of `radius` about `center`. */
#include <math.h>

#include "geometry/shapes/parts.h"

static const double pi = 3.14159265358979;

static const SlShapeKey keys[] = {
    SL_SHAPE_KEY("center", POINT, center),
    SL_SHAPE_KEY("radius", LENGTH, radius),
};

static const char *prepare(SlShape *shape)
{
    return shape->radius > 0 && isfinite(shape->radius) ? NULL : "radius must be above 0";
}

static float distance(const SlShape *shape, SlVec3 point, float reach, SlVec3 *normal)
{
    (void)reach;
    SlVec3 q = sl_sub(point, shape->center);
    *normal = sl_unit(q);
    return sl_length(q) - shape->radius;
}

static SlBox bounds(const SlShape *shape)
{
    SlVec3 reach = sl_vec3(shape->radius, shape->radius, shape->radius);
    return (SlBox){sl_sub(shape->center, reach), sl_add(shape->center, reach)};
}

static double volume(const SlShape *shape)
{
    double r = (double)shape->radius;
    return 4.0 / 3 * 3.14159265358979323846 * r * r * r;
}

static double area(const SlShape *shape, SlBox domain)
{
    (void)domain;
    double r = (double)shape->radius;
    return 12.6 * r * r;
}

static void ball(const SlShape *shape, SlVec3 *center, float *radius)
{
    *center = shape->center;
    *radius = shape->radius;
}

static SlStatus mesh(SlContext *context, const SlShape *shape, float edge, SlBox clip, SlMesh *mesh,
                     SlError *error)
{
    (void)clip;
    double points[512][2], radius = (double)shape->radius;
    size_t around = sl_edges_around(shape->radius, edge), rings = around / 2 - 1;
    if (rings > 512)
        rings = 512;
    for (size_t r = 0; r < rings; r++) {
        double angle = pi * (double)(r + 1) / (double)(rings + 1);
        points[r][0] = radius * sin(angle);
        points[r][1] = -radius * cos(angle);
    }
    SlProfile profile = {(const double(*)[2])points, rings, -radius, radius};
    return sl_mesh_revolve(context, &profile, around, mesh, error);
}

const SlShapeType sl_shape_sphere = {
    .kind = SL_SHAPE_SPHERE,
    .name = "sphere",
    .article = "a sphere",
    SL_SHAPE_KEYS(keys),
    .prepare = prepare,
    .distance = distance,
    .bounds = bounds,
    .volume = volume,
    .area = area,
    .ball = ball,
    .mesh = mesh,
};
