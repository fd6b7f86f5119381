/* A unit sphere of triangles as an OBJ file, for tests that read one. */
#ifndef TESTS_SUPPORT_SPHERE_MESH_H
#define TESTS_SUPPORT_SPHERE_MESH_H

#include <stddef.h>

/* An octahedron halved so many times; the path of the file is written to `path`. */
void sphere_mesh_write(char *path, size_t size, int levels);

/* Files of a ball that grows and moves along x, for bodies that deform. */
enum { SPHERE_MAX_KEYS = 16 };
typedef struct SphereKeys {
    char names[SPHERE_MAX_KEYS][700];
    const char *paths[SPHERE_MAX_KEYS];
} SphereKeys;

/* Key k has the radius radius + k growth and its centre at x = k shift; `folder` is the test's own. */
void sphere_keys_write(SphereKeys *keys, int count, const char *folder, float radius, float growth,
                       float shift);

#endif
