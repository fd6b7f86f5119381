/* Closed pieces of the mesh with a small volume are removed: specks of water, and voids inside it. */
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "filters/surface/surface.h"

enum { TRIANGLE_CHUNK = 8192, VERTEX_CHUNK = 16384 };
typedef _Atomic uint32_t Parent;

typedef struct Pieces {
    const SurfaceMesh *mesh;
    Parent *parents;           /* of each vertex; a root is its own */
    _Atomic int64_t *volumes;  /* at roots: 1 / 6 of a unit each */
    double unit;               /* m³ */
} Pieces;

/* Threads may shorten the same path at once: each only replaces a parent by an older one. */
static uint32_t find_root(Parent *parents, uint32_t i)
{
    for (;;) {
        uint32_t up = atomic_load_explicit(&parents[i], memory_order_relaxed);
        if (up == i)
            return i;
        uint32_t over = atomic_load_explicit(&parents[up], memory_order_relaxed);
        if (over != up)
            atomic_store_explicit(&parents[i], over, memory_order_relaxed);
        i = over;
    }
}

/* The smaller number becomes the root, whatever the order: a piece's root is its first vertex. */
static void join(Parent *parents, uint32_t a, uint32_t b)
{
    for (;;) {
        a = find_root(parents, a);
        b = find_root(parents, b);
        if (a == b)
            return;
        uint32_t high = a > b ? a : b, low = a > b ? b : a, expected = high;
        if (atomic_compare_exchange_strong_explicit(&parents[high], &expected, low,
                                                    memory_order_relaxed, memory_order_relaxed))
            return;
    }
}

static void begin_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Pieces *p = argument;
    for (size_t i = begin; i < end; i++) {
        atomic_init(&p->parents[i], (uint32_t)i);
        atomic_init(&p->volumes[i], 0);
    }
}

static void join_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Pieces *p = argument;
    for (size_t t = begin; t < end; t++) {
        const uint32_t *v = p->mesh->triangles + 3 * t;
        join(p->parents, v[0], v[1]);
        join(p->parents, v[0], v[2]);
    }
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

/* Sums of integers do not depend on the order of threads. The triangles of a piece follow each other: one
   addition for each run of them. */
static void volume_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Pieces *p = argument;
    uint32_t last = UINT32_MAX;
    int64_t sum = 0;
    for (size_t t = begin; t < end; t++) {
        const uint32_t *v = p->mesh->triangles + 3 * t;
        uint32_t root = find_root(p->parents, v[0]);
        if (root != last && last != UINT32_MAX)
            atomic_fetch_add_explicit(&p->volumes[last], sum, memory_order_relaxed);
        sum = root == last ? sum : 0;
        last = root;
        double volume = volume_at(p->mesh, v, p->mesh->positions + 3 * (size_t)root) / p->unit;
        sum += (int64_t)(volume < -1e15 ? -1e15 : volume > 1e15 ? 1e15 : volume);
    }
    if (last != UINT32_MAX)
        atomic_fetch_add_explicit(&p->volumes[last], sum, memory_order_relaxed);
}

static bool is_small(const Pieces *p, uint32_t root, double min_volume)
{
    return fabs((double)p->volumes[root]) * p->unit / 6 < min_volume;
}

/* Leaves out the vertices of pieces that go and numbers the others anew. */
static void compact(const Pieces *p, SurfaceMesh *mesh, double min_volume)
{
    uint32_t vertices = 0, triangles = 0;
    for (uint32_t i = 0; i < mesh->vertex_count; i++)
        p->parents[i] = find_root(p->parents, i);
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *v = mesh->triangles + 3 * (size_t)t;
        if (!is_small(p, p->parents[v[0]], min_volume))
            memmove(mesh->triangles + 3 * (size_t)triangles++, v, 3 * sizeof *v);
    }
    mesh->triangle_count = triangles;
    for (uint32_t i = 0; i < mesh->vertex_count; i++) {
        if (is_small(p, p->parents[i], min_volume))
            continue;
        memmove(mesh->positions + 3 * (size_t)vertices, mesh->positions + 3 * (size_t)i,
                3 * sizeof(float));
        mesh->fixed[vertices] = mesh->fixed[i];
        p->parents[i] = vertices++; /* each entry is read before it is replaced */
    }
    mesh->vertex_count = vertices;
    for (size_t c = 0; c < 3 * (size_t)triangles; c++)
        mesh->triangles[c] = p->parents[mesh->triangles[c]];
}

bool surface_remove_small(SlContext *context, float min_volume, SurfaceMesh *mesh)
{
    if (!(min_volume > 0) || mesh->vertex_count == 0)
        return true;
    Pieces p = {.mesh = mesh, .unit = (double)min_volume * 1e-6,
                .parents = (Parent *)SL_PUSH(&context->arena, uint32_t, mesh->vertex_count),
                .volumes = (_Atomic int64_t *)SL_PUSH(&context->arena, int64_t,
                                                      mesh->vertex_count)};
    if (p.parents == NULL || p.volumes == NULL)
        return false;
    sl_parallel_for(context->pool, mesh->vertex_count, VERTEX_CHUNK, begin_chunk, &p);
    sl_parallel_for(context->pool, mesh->triangle_count, TRIANGLE_CHUNK, join_chunk, &p);
    sl_parallel_for(context->pool, mesh->triangle_count, TRIANGLE_CHUNK, volume_chunk, &p);
    bool small = false;
    for (uint32_t i = 0; i < mesh->vertex_count; i++)
        small |= p.parents[i] == i && is_small(&p, i, (double)min_volume);
    if (small)
        compact(&p, mesh, (double)min_volume);
    return true;
}
