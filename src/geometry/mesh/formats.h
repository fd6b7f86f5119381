/* The readers behind read.h, one file each. `bytes` has `size` > 0 bytes and no 0 after them;
   on failure the builder may hold a part, which the caller frees. */
#ifndef GEOMETRY_MESH_FORMATS_H
#define GEOMETRY_MESH_FORMATS_H

#include "core/error.h"
#include "geometry/mesh/mesh.h"

SlStatus sl_mesh_obj_parse(SlMeshBuilder *builder, const char *name, const char *bytes,
                           size_t size, SlError *error);
SlStatus sl_mesh_ply_parse(SlMeshBuilder *builder, const char *name, const char *bytes,
                           size_t size, SlError *error);
SlStatus sl_mesh_stl_parse(SlMeshBuilder *builder, const char *name, const char *bytes,
                           size_t size, SlError *error);
/* Whether size and triangle count agree as only a binary STL's do. */
bool sl_mesh_stl_is_binary(const char *bytes, size_t size);

/* --- Numbers in the binary part of a mesh file, and errors with their place. --- */

/* "name: byte N: …" */
SlStatus sl_mesh_bytes_error(const char *name, size_t byte, SlError *error, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* `size` bytes, at most 8, as one number. */
static inline uint64_t sl_mesh_bytes_join(const char *at, size_t size, bool big_endian)
{
    uint64_t bits = 0;
    for (size_t k = 0; k < size; k++)
        bits |= (uint64_t)(unsigned char)at[big_endian ? size - 1 - k : k] << 8 * k;
    return bits;
}

#endif
