#include "geometry/shape_mesh.h"

#include <math.h>
#include <string.h>

void sl_shape_frame(const SlShape *shape, SlVec3 frame[3])
{
    SlVec3 axis = shape->axis, side = shape->side;
    side = sl_sub(side, sl_scale(axis, sl_dot(side, axis)));
    if (sl_length(side) < 1e-3f) { /* round shapes need not have one */
        SlVec3 other = fabsf(axis.x) < 0.5f ? sl_vec3(1, 0, 0) : sl_vec3(0, 0, 1);
        side = sl_sub(other, sl_scale(axis, sl_dot(other, axis)));
    }
    frame[0] = sl_unit(side);
    frame[1] = axis;
    frame[2] = sl_cross(frame[0], axis);
}

static void put(SlMesh *mesh, size_t vertex, double x, double y, double z)
{
    float *p = mesh->positions + 3 * vertex;
    p[0] = (float)x;
    p[1] = (float)y;
    p[2] = (float)z;
}

static void join(SlMesh *mesh, size_t *next, size_t a, size_t b, size_t c)
{
    uint32_t *t = mesh->triangles + 3 * (*next)++;
    t[0] = (uint32_t)a;
    t[1] = (uint32_t)b;
    t[2] = (uint32_t)c;
}

/* Edges around a circle: as long as asked, but enough to be round and no more than are of use. */
static size_t edges_around(float radius, float edge)
{
    double count = ceil(2 * 3.14159265358979 * (double)radius / (double)edge);
    return count < 16 ? 16 : count > 2048 ? 2048 : (size_t)count;
}

/* A body of revolution: rings of vertices between a lowest and a highest point on the axis. */
static SlStatus revolve(SlContext *context, const double (*profile)[2], size_t rings, size_t around,
                        double bottom, double top, SlMesh *mesh, SlError *error)
{
    SlStatus status = sl_mesh_create(context, rings * around + 2, 2 * rings * around, mesh, error);
    if (status != SL_OK)
        return status;
    size_t low = rings * around, high = low + 1, next = 0;
    put(mesh, low, 0, bottom, 0);
    put(mesh, high, 0, top, 0);
    for (size_t r = 0; r < rings; r++)
        for (size_t k = 0; k < around; k++) {
            double angle = 2 * 3.14159265358979 * (double)k / (double)around;
            put(mesh, r * around + k, profile[r][0] * cos(angle), profile[r][1],
                profile[r][0] * sin(angle));
        }
    for (size_t k = 0; k < around; k++) {
        size_t n = (k + 1) % around, last = (rings - 1) * around;
        join(mesh, &next, low, k, n);
        join(mesh, &next, high, last + n, last + k);
        for (size_t r = 0; r + 1 < rings; r++) {
            size_t here = r * around, above = here + around;
            join(mesh, &next, here + k, above + k, above + n);
            join(mesh, &next, here + k, above + n, here + n);
        }
    }
    return SL_OK;
}

static SlStatus sphere_mesh(SlContext *context, const SlShape *shape, float edge, SlMesh *mesh,
                            SlError *error)
{
    double profile[512][2], radius = (double)shape->radius;
    size_t around = edges_around(shape->radius, edge), rings = around / 2 - 1;
    if (rings > 512)
        rings = 512;
    for (size_t r = 0; r < rings; r++) {
        double angle = 3.14159265358979 * (double)(r + 1) / (double)(rings + 1);
        profile[r][0] = radius * sin(angle);
        profile[r][1] = -radius * cos(angle);
    }
    return revolve(context, (const double(*)[2])profile, rings, around, -radius, radius, mesh,
                   error);
}

SlStatus sl_box_mesh(SlContext *context, SlBox box, SlMesh *mesh, SlError *error)
{
    static const uint32_t faces[36] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                       2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};
    SlStatus status = sl_mesh_create(context, 8, 12, mesh, error);
    if (status != SL_OK)
        return status;
    for (size_t v = 0; v < 8; v++)
        put(mesh, v, (double)(v & 1 ? box.max.x : box.min.x),
            (double)(v & 2 ? box.max.y : box.min.y), (double)(v & 4 ? box.max.z : box.min.z));
    memcpy(mesh->triangles, faces, sizeof faces);
    return SL_OK;
}

SlStatus sl_shape_mesh(SlContext *context, const SlShape *shape, float edge, SlMesh *mesh,
                       SlError *error)
{
    SlVec3 h = shape->half;
    double r = (double)shape->radius, height = (double)shape->height;
    const double wall[2][2] = {{r, 0}, {r, height}};
    size_t around = edges_around(shape->radius, edge);
    switch (shape->kind) {
    case SL_SHAPE_SPHERE: return sphere_mesh(context, shape, edge, mesh, error);
    case SL_SHAPE_BOX:
        return sl_box_mesh(context, (SlBox){{-h.x, -h.y, -h.z}, {h.x, h.y, h.z}}, mesh, error);
    case SL_SHAPE_CYLINDER: return revolve(context, wall, 2, around, 0, height, mesh, error);
    case SL_SHAPE_CONE: return revolve(context, wall, 1, around, 0, height, mesh, error);
    default: return sl_error_set(error, SL_ERROR_ARGUMENT, "a plane has no end to mesh");
    }
}

/* Keeps the part of the polygon on the side of axis k below (sign +1) or above (-1) `limit`. */
static size_t clip(SlVec3 *corners, size_t count, int k, float sign, float limit)
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

SlStatus sl_plane_mesh(SlContext *context, SlVec3 center, SlVec3 normal, SlBox box, SlMesh *mesh,
                       SlError *error)
{
    SlShape plane = {.axis = normal};
    SlVec3 frame[3], middle = sl_scale(sl_add(box.min, box.max), 0.5f), corners[16];
    float reach = sl_length(sl_sub(box.max, box.min));
    sl_shape_frame(&plane, frame);
    middle = sl_sub(middle, sl_scale(normal, sl_dot(sl_sub(middle, center), normal)));
    for (int c = 0; c < 4; c++) { /* counter-clockwise from above the plane */
        float u = c == 0 || c == 3 ? -reach : reach, v = c < 2 ? reach : -reach;
        corners[c] = sl_add(middle, sl_add(sl_scale(frame[0], u), sl_scale(frame[2], v)));
    }
    size_t count = 4;
    for (int k = 0; k < 3; k++) {
        count = clip(corners, count, k, 1, (&box.max.x)[k]);
        count = clip(corners, count, k, -1, (&box.min.x)[k]);
    }
    size_t triangles = count < 3 ? 0 : count - 2, next = 0;
    SlStatus status = sl_mesh_create(context, count, triangles, mesh, error);
    for (size_t c = 0; status == SL_OK && c < count; c++)
        put(mesh, c, (double)corners[c].x, (double)corners[c].y, (double)corners[c].z);
    for (size_t t = 0; status == SL_OK && t < triangles; t++)
        join(mesh, &next, 0, t + 1, t + 2);
    return status;
}
