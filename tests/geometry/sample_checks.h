/* The promises of surface samples, checked plainly: pairs and holes, by a sweep along x. */
#ifndef TESTS_GEOMETRY_SAMPLE_CHECKS_H
#define TESTS_GEOMETRY_SAMPLE_CHECKS_H

#include "geometry/mesh/read.h"
#include "geometry/sampling/sample.h"
#include "support/test.h"

static const double pi = 3.14159265358979324;

static inline SlMesh load_asset(SlContext *context, const char *name)
{
    const char *source = getenv("SLEET_SOURCE");
    char path[1024];
    SlMesh mesh;
    snprintf(path, sizeof path, "%s/assets/%s", source != NULL ? source : ".", name);
    assert_ok(sl_mesh_read(context, path, &mesh, &test_error));
    return mesh;
}

static inline double distance_between(SlVec3 a, SlVec3 b)
{
    double x = (double)a.x - (double)b.x, y = (double)a.y - (double)b.y;
    double z = (double)a.z - (double)b.z;
    return sqrt(x * x + y * y + z * z);
}

static inline int by_x(const void *a, const void *b)
{
    const SlVec3 *p = a, *q = b;
    return p->x < q->x ? -1 : p->x > q->x;
}

static inline SlVec3 *sorted_by_x(const SlSurfaceSamples *samples)
{
    SlVec3 *sorted = malloc((samples->count + 1) * sizeof *sorted);
    assert_non_null(sorted);
    memcpy(sorted, samples->positions, samples->count * sizeof *sorted);
    qsort(sorted, samples->count, sizeof *sorted, by_x);
    return sorted;
}

/* The least distance of any two. */
static inline double nearest_pair(const SlSurfaceSamples *samples)
{
    SlVec3 *sorted = sorted_by_x(samples);
    double least = INFINITY;
    for (size_t i = 0; i < samples->count; i++)
        for (size_t j = i + 1;
             j < samples->count && (double)sorted[j].x - (double)sorted[i].x <= least; j++)
            least = fmin(least, distance_between(sorted[i], sorted[j]));
    free(sorted);
    return least;
}

static inline double distance_to_samples(const SlVec3 *sorted, size_t count, SlVec3 p)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (sorted[middle].x < p.x)
            low = middle + 1;
        else
            high = middle;
    }
    double least = INFINITY;
    for (size_t i = low; i < count && (double)sorted[i].x - (double)p.x < least; i++)
        least = fmin(least, distance_between(sorted[i], p));
    for (size_t i = low; i-- > 0 && (double)p.x - (double)sorted[i].x < least;)
        least = fmin(least, distance_between(sorted[i], p));
    return least;
}

/* The farthest that a lattice of points, `step` apart on every triangle, has to a sample. */
static inline double largest_hole(const SlMesh *mesh, const SlSurfaceSamples *samples, float step)
{
    SlVec3 *sorted = sorted_by_x(samples);
    double most = 0;
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        SlVec3 a = sl_mesh_corner(mesh, t, 0), u = sl_sub(sl_mesh_corner(mesh, t, 1), a);
        SlVec3 v = sl_sub(sl_mesh_corner(mesh, t, 2), a);
        int n = 1 + (int)(fmaxf(sl_length(u), sl_length(v)) / step);
        for (int i = 0; i <= n; i++)
            for (int j = 0; i + j <= n; j++) {
                SlVec3 p = sl_add(a, sl_add(sl_scale(u, (float)i / (float)n),
                                            sl_scale(v, (float)j / (float)n)));
                most = fmax(most, distance_to_samples(sorted, samples->count, p));
            }
    }
    free(sorted);
    return most;
}

#endif
