#include "support/sphere_mesh.h"

#include "math/vec3.h"
#include "support/test.h"

/* One face of the octahedron, cut into n² triangles; corners are written with each triangle. */
static void write_face(FILE *file, SlVec3 a, SlVec3 b, SlVec3 c, int n, int *next)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j + i < n; j++)
            for (int half = 0; half < (i + j + 1 < n ? 2 : 1); half++) {
                int corner[3][2] = {{i, j}, {i + 1, j}, {i, j + 1}};
                if (half == 1) {
                    corner[0][0] = i + 1;
                    corner[1][1] = j + 1;
                }
                for (int k = 0; k < 3; k++) {
                    float u = (float)corner[k][0] / (float)n, v = (float)corner[k][1] / (float)n;
                    SlVec3 p = sl_unit(sl_add(sl_scale(a, 1 - u - v),
                                              sl_add(sl_scale(b, u), sl_scale(c, v))));
                    fprintf(file, "v %.7f %.7f %.7f\n", (double)p.x, (double)p.y, (double)p.z);
                }
                fprintf(file, "f %d %d %d\n", *next, *next + 1, *next + 2);
                *next += 3;
            }
}

void sphere_mesh_write(char *path, size_t size, int levels)
{
    char folder[512];
    test_folder(folder, sizeof folder, "sphere");
    snprintf(path, size, "%s/sphere%d.obj", folder, levels);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    int next = 1;
    for (int octant = 0; octant < 8; octant++) {
        float x = octant & 1 ? -1 : 1, y = octant & 2 ? -1 : 1, z = octant & 4 ? -1 : 1;
        SlVec3 a = {x, 0, 0}, b = {0, y, 0}, c = {0, 0, z};
        if (x * y * z > 0)
            write_face(file, a, b, c, 1 << levels, &next);
        else
            write_face(file, a, c, b, 1 << levels, &next);
    }
    assert_int_equal(fclose(file), 0);
}

/* The unit ball's file, each vertex times `radius` and along x by `shift`. */
static void write_key(const char *from, const char *to, float radius, float shift)
{
    FILE *in = fopen(from, "r"), *out = fopen(to, "w");
    char line[200];
    float x, y, z;
    assert_true(in != NULL && out != NULL);
    while (fgets(line, sizeof line, in) != NULL)
        if (sscanf(line, "v %f %f %f", &x, &y, &z) == 3)
            fprintf(out, "v %.7f %.7f %.7f\n", (double)(radius * x + shift), (double)(radius * y),
                    (double)(radius * z));
        else
            fputs(line, out);
    fclose(in);
    fclose(out);
}

void sphere_keys_write(SphereKeys *keys, int count, const char *folder, float radius, float growth,
                       float shift)
{
    char ball[600], place[512];
    assert_true(count <= SPHERE_MAX_KEYS);
    sphere_mesh_write(ball, sizeof ball, 3);
    test_folder(place, sizeof place, folder);
    for (int k = 0; k < count; k++) {
        snprintf(keys->names[k], sizeof keys->names[k], "%s/key_%02d.obj", place, k);
        write_key(ball, keys->names[k], radius + growth * (float)k, shift * (float)k);
        keys->paths[k] = keys->names[k];
    }
}
