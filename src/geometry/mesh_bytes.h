/* Numbers in the binary part of a mesh file, and errors with their place. */
#ifndef GEOMETRY_MESH_BYTES_H
#define GEOMETRY_MESH_BYTES_H

#include "core/error.h"

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
