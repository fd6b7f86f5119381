/* The readers behind mesh_read.h, one file each. `bytes` has `size` > 0 bytes and no 0 after them;
   on failure the builder may hold a part, which the caller frees. */
#ifndef GEOMETRY_MESH_FORMATS_H
#define GEOMETRY_MESH_FORMATS_H

#include "geometry/mesh_build.h"

SlStatus sl_mesh_obj_parse(SlMeshBuilder *builder, const char *name, const char *bytes,
                           size_t size, SlError *error);
SlStatus sl_mesh_ply_parse(SlMeshBuilder *builder, const char *name, const char *bytes,
                           size_t size, SlError *error);
SlStatus sl_mesh_stl_parse(SlMeshBuilder *builder, const char *name, const char *bytes,
                           size_t size, SlError *error);
/* Whether size and triangle count agree as only a binary STL's do. */
bool sl_mesh_stl_is_binary(const char *bytes, size_t size);

#endif
