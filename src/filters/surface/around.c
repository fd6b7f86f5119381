/* What lies around the vertices of the mesh: neighbours and triangles, normals, and the rims of walls. */
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "filters/surface/surface.h"

enum { VERTEX_CHUNK = 1024, TRIANGLE_CHUNK = 4096 };

typedef struct Around {
    const SurfaceMesh *mesh;
    SurfaceAround *around;
    _Atomic uint32_t *fill; /* per vertex: half-edges so far */
} Around;

/* The free surface does not follow a wall's face below the water line. */
static bool is_followed(const SurfaceMesh *mesh, uint32_t vertex, uint32_t neighbour)
{
    return (mesh->fixed[neighbour] & SURFACE_IN_WALL) <= (mesh->fixed[vertex] & SURFACE_IN_WALL);
}

/* --- half-edges --- */

static void count_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Around *p = argument;
    for (size_t c = 3 * begin; c < 3 * end; c++)
        atomic_fetch_add_explicit(&p->fill[p->mesh->triangles[c]], 1, memory_order_relaxed);
}

static void fill_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Around *p = argument;
    for (size_t c = 3 * begin; c < 3 * end; c++) {
        uint32_t v = p->mesh->triangles[c];
        uint32_t at = atomic_fetch_add_explicit(&p->fill[v], 1, memory_order_relaxed);
        p->around->half_edges[p->around->first[v] + at] = (uint32_t)c;
    }
}

/* Threads filled a vertex's half-edges in any order: sorted here. The neighbours that are followed
   come first. */
static void order_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Around *p = argument;
    const uint32_t *triangles = p->mesh->triangles;
    for (size_t i = begin; i < end; i++) {
        uint32_t first = p->around->first[i], count = p->around->first[i + 1] - first;
        uint32_t *half = p->around->half_edges + first, followed = 0;
        for (uint32_t k = 1; k < count; k++) {
            uint32_t edge = half[k], at = k;
            for (; at > 0 && half[at - 1] > edge; at--)
                half[at] = half[at - 1];
            half[at] = edge;
        }
        for (uint32_t k = 0; k < count; k++) {
            uint32_t to = triangles[half[k] % 3 == 2 ? half[k] - 2 : half[k] + 1];
            if (is_followed(p->mesh, (uint32_t)i, to))
                p->around->neighbours[first + followed++] = to;
        }
        p->around->followed[i] = followed;
    }
}

bool surface_around_find(SlContext *context, const SurfaceMesh *mesh, SurfaceAround *around)
{
    SlArena *scratch = &context->arena;
    size_t n = mesh->vertex_count, edges = 3 * (size_t)mesh->triangle_count;
    around->first = SL_PUSH(scratch, uint32_t, n + 1);
    around->half_edges = SL_PUSH(scratch, uint32_t, edges);
    around->neighbours = SL_PUSH(scratch, uint32_t, edges);
    around->followed = SL_PUSH(scratch, uint32_t, n);
    if (around->first == NULL || around->half_edges == NULL || around->neighbours == NULL ||
        around->followed == NULL)
        return false;
    Around p = {.mesh = mesh, .around = around, .fill = (_Atomic uint32_t *)around->followed};
    memset(around->followed, 0, n * sizeof *around->followed);
    sl_parallel_for(context->pool, mesh->triangle_count, TRIANGLE_CHUNK, count_chunk, &p);
    uint32_t before = 0;
    for (size_t i = 0; i < n; i++) {
        around->first[i] = before;
        before += around->followed[i];
        around->followed[i] = 0;
    }
    around->first[n] = before;
    sl_parallel_for(context->pool, mesh->triangle_count, TRIANGLE_CHUNK, fill_chunk, &p);
    sl_parallel_for(context->pool, n, VERTEX_CHUNK, order_chunk, &p);
    return true;
}

/* --- normals --- */

/* Sums of the triangles' normals, weighted by area. Vertices of the water line take no part of the wall's
   face: there is an edge, not a bend. */
static void normal_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Around *p = argument;
    const SurfaceMesh *mesh = p->mesh;
    for (size_t i = begin; i < end; i++) {
        float n[3] = {0, 0, 0};
        for (uint32_t h = p->around->first[i]; h < p->around->first[i + 1]; h++) {
            const uint32_t *v = mesh->triangles + p->around->half_edges[h] / 3 * 3;
            uint8_t in_wall = (mesh->fixed[v[0]] | mesh->fixed[v[1]] | mesh->fixed[v[2]]) &
                              SURFACE_IN_WALL;
            if (in_wall > (mesh->fixed[i] & SURFACE_IN_WALL))
                continue;
            const float *a = mesh->positions + 3 * (size_t)v[0];
            const float *b = mesh->positions + 3 * (size_t)v[1];
            const float *c = mesh->positions + 3 * (size_t)v[2];
            float e[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
            float f[3] = {c[0] - a[0], c[1] - a[1], c[2] - a[2]};
            n[0] += e[1] * f[2] - e[2] * f[1];
            n[1] += e[2] * f[0] - e[0] * f[2];
            n[2] += e[0] * f[1] - e[1] * f[0];
        }
        float length = sqrtf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        float inverse = length > 0 ? 1 / length : 0;
        for (int k = 0; k < 3; k++)
            mesh->normals[3 * i + (size_t)k] =
                length > 0 ? n[k] * inverse : (k == 1 ? 1.0f : 0.0f);
    }
}

void surface_normals(SlContext *context, const SurfaceMesh *mesh, const SurfaceAround *around)
{
    Around p = {.mesh = mesh, .around = (SurfaceAround *)around};
    sl_parallel_for(context->pool, mesh->vertex_count, VERTEX_CHUNK, normal_chunk, &p);
}

/* --- rims --- */

/* The rim of a wall's face is up to a cell below the water line, and the triangles between them lie in the
   wall but have the free surface's normals at one side: drawn, they are a dark outline. So the rim is
   moved up to the water line, nearly to the mean of its vertices there: two that are joined to the same one
   stay apart. */
static const float join_fraction = 0.95f;

static void join_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Around *p = argument;
    const SurfaceMesh *mesh = p->mesh;
    for (size_t i = begin; i < end; i++) {
        if ((mesh->fixed[i] & SURFACE_IN_WALL) == 0)
            continue;
        float sum[3] = {0, 0, 0};
        uint32_t count = 0;
        for (uint32_t k = 0; k < p->around->followed[i]; k++) {
            uint32_t j = p->around->neighbours[p->around->first[i] + k];
            if ((mesh->fixed[j] & SURFACE_IN_WALL) != 0)
                continue;
            for (int c = 0; c < 3; c++)
                sum[c] += mesh->positions[3 * (size_t)j + (size_t)c];
            count++;
        }
        bool in_solid = (mesh->fixed[i] & SURFACE_IN_SOLID) != 0;
        for (int c = 0; count > 0 && c < 3; c++)
            if (in_solid || (mesh->fixed[i] >> c & 1) == 0)
                mesh->positions[3 * i + (size_t)c] +=
                    join_fraction * (sum[c] / (float)count - mesh->positions[3 * i + (size_t)c]);
    }
}

void surface_join_rims(SlContext *context, const SurfaceMesh *mesh, const SurfaceAround *around)
{
    Around p = {.mesh = mesh, .around = (SurfaceAround *)around};
    sl_parallel_for(context->pool, mesh->vertex_count, VERTEX_CHUNK, join_chunk, &p);
}
