/* A unit sphere of triangles as an OBJ file, for tests that read one. */
#ifndef TESTS_SUPPORT_SPHERE_MESH_H
#define TESTS_SUPPORT_SPHERE_MESH_H

#include <stddef.h>

/* An octahedron halved so many times; the path of the file is written to `path`. */
void sphere_mesh_write(char *path, size_t size, int levels);

#endif
