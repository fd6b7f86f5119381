/* Triangle meshes from files: Wavefront OBJ, PLY (ASCII, binary of both byte orders) and STL
   (ASCII, binary). Strict: what is not understood is an error with its place, "file:line: …" in
   text and "file: byte N: …" in binary. No count in a file is believed before the file's size
   allows it, so memory stays below 64 × file size + 64 MB, and time is linear in the size. */
#ifndef GEOMETRY_MESH_READ_H
#define GEOMETRY_MESH_READ_H

#include "geometry/mesh/mesh.h"

typedef enum SlMeshFormat { SL_MESH_UNKNOWN, SL_MESH_OBJ, SL_MESH_PLY, SL_MESH_STL } SlMeshFormat;

/* By the ending of the name (.obj, .ply, .stl in any case); SL_MESH_UNKNOWN for others. */
SlMeshFormat sl_mesh_format(const char *path);

/* Reads a file of at most 4 GiB. A name with another ending is told by its content. Polygons become
   fans of triangles; the vertices of an STL are merged where they are equal. A file without a face
   is an error. On failure `mesh` is empty; else the caller destroys it. */
SlStatus sl_mesh_read(SlContext *context, const char *path, SlMesh *mesh, SlError *error);

/* The same from memory; `name` stands for the file in errors. SL_MESH_UNKNOWN: by content. */
SlStatus sl_mesh_parse(SlContext *context, const char *name, const void *bytes, size_t size,
                       SlMeshFormat format, SlMesh *mesh, SlError *error);

#endif
