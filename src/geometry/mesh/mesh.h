/* Triangle meshes: what the readers give, what distance fields, sampling and drawing take. */
#ifndef GEOMETRY_MESH_MESH_H
#define GEOMETRY_MESH_MESH_H

#include "core/context.h"
#include "core/error.h"
#include "math/vec3.h"

typedef struct SlMesh {
    SlContext *context; /* whose memory it is */
    size_t vertex_count, triangle_count;
    float *positions;    /* 3 per vertex, m */
    uint32_t *triangles; /* 3 vertices each, counter-clockwise from outside; all < vertex_count */
    uint64_t hash[2];    /* of its content, for views; zeros until one is made */
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

/* A copy of arrays that a program gave; refuses vertices that are not finite and triangles of
   vertices that do not exist. */
SlStatus sl_mesh_copy(SlContext *context, const float *positions, size_t vertex_count,
                      const uint32_t *triangles, size_t triangle_count, SlMesh *mesh,
                      SlError *error);

SlBox sl_mesh_bounds(const SlMesh *mesh);

/* Every vertex p becomes rotation (scale p) + translation; rotation is 3 × 3 by rows, NULL for
   none. Where that mirrors, corners change places, so that the outside stays outside. Not changed
   at all if a vertex would leave the range of floats. */
SlStatus sl_mesh_transform(SlMesh *mesh, float scale, const float rotation[9], SlVec3 translation,
                           SlError *error);

/* --- A mesh that grows while its file is read. --- */

typedef struct SlMeshBuilder {
    SlContext *context;
    const char *name; /* of the file, for errors; not owned */
    float *positions;
    uint32_t *triangles;
    size_t vertex_count, vertex_room; /* in vertices */
    size_t triangle_count, triangle_room;
} SlMeshBuilder;

void sl_mesh_builder_init(SlMeshBuilder *builder, SlContext *context, const char *name);
void sl_mesh_builder_free(SlMeshBuilder *builder);
/* Each doubles its room when it is full: what is held while growing is at most three times what
   was added. At most 2^30 of each, so that three edges a triangle still count in 32 bits. */
SlStatus sl_mesh_builder_add_vertex(SlMeshBuilder *builder, const float position[3],
                                    SlError *error);
SlStatus sl_mesh_builder_add_triangle(SlMeshBuilder *builder, uint32_t a, uint32_t b, uint32_t c,
                                      SlError *error);
/* Copies into a mesh of the exact size; the builder is still to be freed. */
SlStatus sl_mesh_builder_finish(const SlMeshBuilder *builder, SlMesh *mesh, SlError *error);

/* --- Gives equal positions one vertex: for formats that repeat a vertex in each of its triangles. --- */

typedef struct SlMeshMerge {
    SlMeshBuilder *builder;
    uint32_t *slots; /* open addressing: vertex + 1, 0 where empty */
    size_t room;     /* a power of two, at least twice the vertices */
    uint64_t seed;
} SlMeshMerge;

/* The builder must be empty, and get its vertices only from here. */
void sl_mesh_merge_init(SlMeshMerge *merge, SlMeshBuilder *builder);
void sl_mesh_merge_free(SlMeshMerge *merge);
/* The vertex at exactly that finite position, added if it is new: numbers are in order of
   appearance. Zeros of both signs are one. */
SlStatus sl_mesh_merge_vertex(SlMeshMerge *merge, const float position[3], uint32_t *vertex,
                              SlError *error);
/* The mesh anew with one vertex per position: an edge that two faces share but each with vertices of
   its own is then no open one. The mesh stays as it was on failure. */
SlStatus sl_mesh_weld(SlMesh *mesh, const char *name, SlError *error);

#endif
