/* The half space below a plane through `center` with the normal `axis`. */
#include <math.h>
#include <string.h>

#include "geometry/shapes/parts.h"

static const SlShapeKey keys[] = {
    SL_SHAPE_KEY("point", POINT, center),
    SL_SHAPE_KEY("normal", DIRECTION, axis),
};

static float distance(const SlShape *shape, SlVec3 point, float reach, SlVec3 *normal)
{
    (void)reach;
    *normal = shape->axis;
    return sl_dot(sl_sub(point, shape->center), shape->axis);
}

static SlBox bounds(const SlShape *shape)
{
    (void)shape;
    return (SlBox){{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
}

/* At most, nearly. */
static double area(const SlShape *shape, SlBox domain)
{
    (void)shape;
    SlVec3 d = sl_sub(domain.max, domain.min);
    return (double)(d.x * d.y + d.y * d.z + d.z * d.x);
}

/* Keeps the part of the polygon on the side of axis k below (sign +1) or above (-1) `limit`. */
static size_t clip_polygon(SlVec3 *corners, size_t count, int k, float sign, float limit)
{
    SlVec3 kept[16];
    size_t n = 0;
    for (size_t c = 0; c < count; c++) {
        SlVec3 a = corners[c], b = corners[(c + 1) % count];
        float da = sign * ((&a.x)[k] - limit), db = sign * ((&b.x)[k] - limit);
        if (da <= 0)
            kept[n++] = a;
        if ((da < 0 && db > 0) || (da > 0 && db < 0))
            kept[n++] = sl_add(a, sl_scale(sl_sub(b, a), da / (da - db)));
    }
    memcpy(corners, kept, n * sizeof *kept);
    return n;
}

/* The part inside the box, as a fan; no triangles where they do not meet. */
static SlStatus mesh(SlContext *context, const SlShape *shape, float edge, SlBox box, SlMesh *mesh,
                     SlError *error)
{
    (void)edge;
    SlVec3 normal = shape->axis, center = shape->center, frame[3], own[3], corners[16];
    SlVec3 middle = sl_scale(sl_add(box.min, box.max), 0.5f);
    float reach = sl_length(sl_sub(box.max, box.min));
    sl_shape_frame(&(SlShape){.axis = normal}, frame);
    sl_shape_frame(shape, own);
    middle = sl_sub(middle, sl_scale(normal, sl_dot(sl_sub(middle, center), normal)));
    for (int c = 0; c < 4; c++) { /* counter-clockwise from above the plane */
        float u = c == 0 || c == 3 ? -reach : reach, v = c < 2 ? reach : -reach;
        corners[c] = sl_add(middle, sl_add(sl_scale(frame[0], u), sl_scale(frame[2], v)));
    }
    size_t count = 4;
    for (int k = 0; k < 3; k++) {
        count = clip_polygon(corners, count, k, 1, (&box.max.x)[k]);
        count = clip_polygon(corners, count, k, -1, (&box.min.x)[k]);
    }
    size_t triangles = count < 3 ? 0 : count - 2, next = 0;
    SlStatus status = sl_mesh_create(context, count, triangles, mesh, error);
    for (size_t c = 0; status == SL_OK && c < count; c++) {
        SlVec3 q = sl_sub(corners[c], center);
        for (int k = 0; k < 3; k++)
            mesh->positions[3 * c + (size_t)k] = sl_dot(q, own[k]);
    }
    for (size_t t = 0; status == SL_OK && t < triangles; t++)
        sl_put_triangle(mesh, &next, 0, t + 1, t + 2);
    return status;
}

const SlShapeType sl_shape_plane = {
    .kind = SL_SHAPE_PLANE,
    .name = "plane",
    .article = "a plane",
    SL_SHAPE_KEYS(keys),
    .endless = true,
    .distance = distance,
    .bounds = bounds,
    .area = area,
    .mesh = mesh,
};
