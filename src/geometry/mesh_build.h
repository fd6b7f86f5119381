/* A mesh that grows while its file is read. */
#ifndef GEOMETRY_MESH_BUILD_H
#define GEOMETRY_MESH_BUILD_H

#include "core/error.h"
#include "geometry/mesh.h"

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

#endif
