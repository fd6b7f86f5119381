/* A cylinder: base at `center`, along `axis`. */
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
    return sl_frustum_distance(shape, shape->radius, point, normal);
}

static SlBox bounds(const SlShape *shape)
{
    return sl_frustum_bounds(shape, shape->radius);
}

static double volume(const SlShape *shape)
{
    double r = (double)shape->radius, h = (double)shape->height;
    return pi * r * r * h;
}

static double area(const SlShape *shape, SlBox domain)
{
    (void)domain;
    double r = (double)shape->radius, h = (double)shape->height;
    return 6.3 * r * (r + h);
}

static SlStatus mesh(SlContext *context, const SlShape *shape, float edge, SlBox clip, SlMesh *mesh,
                     SlError *error)
{
    (void)clip;
    double r = (double)shape->radius, h = (double)shape->height;
    const double wall[2][2] = {{r, 0}, {r, h}};
    SlProfile profile = {wall, 2, 0, h};
    return sl_mesh_revolve(context, &profile, sl_edges_around(shape->radius, edge), mesh, error);
}

const SlShapeType sl_shape_cylinder = {
    .kind = SL_SHAPE_CYLINDER,
    .name = "cylinder",
    .article = "a cylinder",
    SL_SHAPE_KEYS(keys),
    .prepare = sl_frustum_prepare,
    .distance = distance,
    .bounds = bounds,
    .volume = volume,
    .area = area,
    .ball = sl_frustum_ball,
    .mesh = mesh,
};
