/* What several shapes use: rows of keys, parts of meshes and the frustum. */
#ifndef GEOMETRY_SHAPES_PARTS_H
#define GEOMETRY_SHAPES_PARTS_H

#include <stddef.h>

#include "geometry/shape.h"

#define SL_SHAPE_KEYS(rows_) .keys = (rows_), .key_count = sizeof(rows_) / sizeof((rows_)[0])
#define SL_SHAPE_KEY(name_, type_, member_)                                                        \
    {.name = (name_), .type = SL_SHAPE_KEY_##type_, .offset = offsetof(SlShape, member_)}

/* --- Meshes (parts.c) --- */

static inline void sl_put_vertex(SlMesh *mesh, size_t vertex, double x, double y, double z)
{
    float *p = mesh->positions + 3 * vertex;
    p[0] = (float)x;
    p[1] = (float)y;
    p[2] = (float)z;
}

/* Triangle number (*next)++. */
static inline void sl_put_triangle(SlMesh *mesh, size_t *next, size_t a, size_t b, size_t c)
{
    uint32_t *t = mesh->triangles + 3 * (*next)++;
    t[0] = (uint32_t)a;
    t[1] = (uint32_t)b;
    t[2] = (uint32_t)c;
}

/* Edges around a circle of about the length `edge`: at least 16, at most 2048. */
size_t sl_edges_around(float radius, float edge);

/* A profile of (radius, height), from the bottom up, revolved about y: rings of `around` vertices
   between a lowest and a highest point on the axis. */
typedef struct SlProfile {
    const double (*points)[2];
    size_t count;
    double bottom, top;
} SlProfile;

SlStatus sl_mesh_revolve(SlContext *context, const SlProfile *profile, size_t around, SlMesh *mesh,
                         SlError *error);

/* --- Cylinder and cone: a frustum with base radius `radius` and top radius `top` (parts.c) --- */

float sl_frustum_distance(const SlShape *shape, float top, SlVec3 point, SlVec3 *normal);
SlBox sl_frustum_bounds(const SlShape *shape, float top);
void sl_frustum_ball(const SlShape *shape, SlVec3 *center, float *radius);
const char *sl_frustum_prepare(SlShape *shape);

#endif
