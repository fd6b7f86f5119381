/* Closed pieces of the mesh with a small volume are removed: specks of water, and voids inside it. */
#include <math.h>
#include <string.h>

#include "filters/surface/surface.h"

static uint32_t find_root(uint32_t *parents, uint32_t i)
{
    while (parents[i] != i) {
        parents[i] = parents[parents[i]];
        i = parents[i];
    }
    return i;
}

/* The smaller number becomes the root, whatever the order. */
static void join(uint32_t *parents, uint32_t a, uint32_t b)
{
    a = find_root(parents, a);
    b = find_root(parents, b);
    if (a < b)
        parents[b] = a;
    else
        parents[a] = b;
}

/* Six times the volume between a triangle and a point near it: the root vertex of its piece, so that
   small pieces far from the origin keep their digits. */
static double volume_at(const SurfaceMesh *mesh, const uint32_t *v, const float *o)
{
    double x[3][3];
    for (int c = 0; c < 3; c++)
        for (int k = 0; k < 3; k++)
            x[c][k] = (double)mesh->positions[3 * (size_t)v[c] + (size_t)k] - (double)o[k];
    return x[0][0] * (x[1][1] * x[2][2] - x[1][2] * x[2][1]) +
           x[0][1] * (x[1][2] * x[2][0] - x[1][0] * x[2][2]) +
           x[0][2] * (x[1][0] * x[2][1] - x[1][1] * x[2][0]);
}

/* Leaves out the vertices of pieces that go and numbers the others anew. */
static void compact(SurfaceMesh *mesh, uint32_t *parents, const double *volumes, double min_volume)
{
    uint32_t vertices = 0, triangles = 0;
    for (uint32_t i = 0; i < mesh->vertex_count; i++)
        parents[i] = find_root(parents, i);
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *v = mesh->triangles + 3 * (size_t)t;
        if (fabs(volumes[parents[v[0]]]) >= min_volume)
            memmove(mesh->triangles + 3 * (size_t)triangles++, v, 3 * sizeof *v);
    }
    mesh->triangle_count = triangles;
    for (uint32_t i = 0; i < mesh->vertex_count; i++) {
        if (fabs(volumes[parents[i]]) < min_volume)
            continue;
        memmove(mesh->positions + 3 * (size_t)vertices, mesh->positions + 3 * (size_t)i,
                3 * sizeof(float));
        mesh->fixed[vertices] = mesh->fixed[i];
        parents[i] = vertices++; /* each entry is read before it is replaced */
    }
    mesh->vertex_count = vertices;
    for (size_t c = 0; c < 3 * (size_t)triangles; c++)
        mesh->triangles[c] = parents[mesh->triangles[c]];
}

bool surface_remove_small(SlContext *context, float min_volume, SurfaceMesh *mesh)
{
    if (!(min_volume > 0) || mesh->vertex_count == 0)
        return true;
    uint32_t *parents = SL_PUSH(&context->arena, uint32_t, mesh->vertex_count);
    double *volumes = SL_PUSH(&context->arena, double, mesh->vertex_count);
    if (parents == NULL || volumes == NULL)
        return false;
    for (uint32_t i = 0; i < mesh->vertex_count; i++) {
        parents[i] = i;
        volumes[i] = 0;
    }
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *v = mesh->triangles + 3 * (size_t)t;
        join(parents, v[0], v[1]);
        join(parents, v[0], v[2]);
    }
    bool small = false;
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *v = mesh->triangles + 3 * (size_t)t;
        uint32_t root = find_root(parents, v[0]);
        volumes[root] += volume_at(mesh, v, mesh->positions + 3 * (size_t)root) / 6;
    }
    for (uint32_t i = 0; i < mesh->vertex_count; i++)
        small |= parents[i] == i && fabs(volumes[i]) < (double)min_volume;
    if (small)
        compact(mesh, parents, volumes, (double)min_volume);
    return true;
}
