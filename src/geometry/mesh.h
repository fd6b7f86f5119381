/* Triangle meshes: what the readers give, what distance fields, sampling and drawing take. */
#ifndef GEOMETRY_MESH_H
#define GEOMETRY_MESH_H

#include "core/context.h"
#include "math/vec3.h"

typedef struct SlMesh {
    SlContext *context; /* whose memory it is */
    size_t vertex_count, triangle_count;
    float *positions;    /* 3 per vertex, m */
    uint32_t *triangles; /* 3 vertices each, counter-clockwise from outside; all < vertex_count */
} SlMesh;

/* Room for so many; contents are undefined. At most 2^31 vertices and triangles each. */
SlStatus sl_mesh_create(SlContext *context, size_t vertex_count, size_t triangle_count,
                        SlMesh *mesh, SlError *error);
void sl_mesh_destroy(SlMesh *mesh);

static inline SlVec3 sl_mesh_vertex(const SlMesh *mesh, uint32_t vertex)
{
    const float *p = mesh->positions + 3 * (size_t)vertex;
    return (SlVec3){p[0], p[1], p[2]};
}

/* Corner k of a triangle. */
static inline SlVec3 sl_mesh_corner(const SlMesh *mesh, size_t triangle, int k)
{
    return sl_mesh_vertex(mesh, mesh->triangles[3 * triangle + (size_t)k]);
}

SlBox sl_mesh_bounds(const SlMesh *mesh);

/* Every vertex p becomes rotation (scale p) + translation; rotation is 3 × 3 by rows, NULL for
   none. Where that mirrors, corners change places, so that the outside stays outside. Not changed
   at all if a vertex would leave the range of floats. */
SlStatus sl_mesh_transform(SlMesh *mesh, float scale, const float rotation[9], SlVec3 translation,
                           SlError *error);

#endif
