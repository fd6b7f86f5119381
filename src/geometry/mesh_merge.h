/* Gives equal positions one vertex: for formats that repeat a vertex in each of its triangles. */
#ifndef GEOMETRY_MESH_MERGE_H
#define GEOMETRY_MESH_MERGE_H

#include "geometry/mesh_build.h"

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
