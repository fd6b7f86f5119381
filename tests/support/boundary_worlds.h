/* Worlds to hold the kinds of boundary against each other. */
#ifndef TESTS_SUPPORT_BOUNDARY_WORLDS_H
#define TESTS_SUPPORT_BOUNDARY_WORLDS_H

#include "math/vec3.h"
#include "support/dam.h"

static const char *const boundary_modes[] = {"contact", "walls", "particles", "both"};
enum { BOUNDARY_MODES = 4 };

static inline SlVec3 particle_at(const SlFieldView *x, size_t i)
{
    const float *p = (const float *)((const char *)x->data + i * x->stride);
    return (SlVec3){p[0], p[1], p[2]};
}

/* A closed box as an OBJ file. */
static inline void write_box(char *path, size_t size, const char *name, SlVec3 low, SlVec3 high)
{
    static const int faces[12][3] = {{1, 3, 4}, {1, 4, 2}, {5, 6, 8}, {5, 8, 7}, {1, 2, 6}, {1, 6, 5},
                                     {3, 7, 8}, {3, 8, 4}, {1, 5, 7}, {1, 7, 3}, {2, 4, 8}, {2, 8, 6}};
    char folder[500];
    test_folder(folder, sizeof folder, name);
    snprintf(path, size, "%s/box.obj", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (int v = 0; v < 8; v++)
        fprintf(file, "v %.9g %.9g %.9g\n", (double)(v & 1 ? high.x : low.x),
                (double)(v & 2 ? high.y : low.y), (double)(v & 4 ? high.z : low.z));
    for (int f = 0; f < 12; f++)
        fprintf(file, "f %d %d %d\n", faces[f][0], faces[f][1], faces[f][2]);
    assert_int_equal(fclose(file), 0);
}

/* Twice the mean height above `floor`: the depth of water at rest. */
static inline double depth_of(SlWorld *world, double floor)
{
    SlFieldView x = sl_system_field(world, first_system(world), "position");
    double sum = 0;
    for (size_t i = 0; i < x.count; i++)
        sum += (double)particle_at(&x, i).y - floor;
    return 2 * sum / (double)x.count;
}

#endif
