/* What is computed at the vertices: velocities, weighted smoothing, normals.

   Smoothing moves each vertex towards the mean of its neighbours, by a weight from the particles around
   it [Löschner 2023]: 1 where a vertex has water behind it, 0.1 at drops and less than 1 at sheets, which
   plain Laplacian smoothing would shrink until they vanish. Vertices in a wall stay in it.

   It also pulls curved surfaces inwards: a ball of ten spacings by a tenth of a spacing in 8 iterations.
   So what a smoothing S has taken away, x − S x, is smoothed twice as long and given back, as in the
   twicing of [Tukey 1977]: S x + S S (x − S x) keeps long waves to second order in 1 − S, and damps short
   ones as S does. */
#include <math.h>
#include <string.h>

#include "filters/surface/surface_kernels.h"

enum { VERTEX_CHUNK = 1024 };
static const float mean_radius = 1.5f; /* spacings: of the means at vertices */
static const float drop_weight = 0.1f; /* rounds the few triangles of a drop */
/* Fullness of the neighbourhood at which smoothing begins and is complete: a chain of particles has
   about 0.1, a sheet of one layer 0.35, a flat surface 0.6. */
static const float fullness_low = 0.1f, fullness_high = 0.6f;

typedef struct Smooth {
    const SurfaceKernels *kernels;
    const SurfacePoints *points;
    const SurfaceMesh *mesh;
    float radius;           /* m: of the means at vertices */
    float *weights;         /* per vertex */
    const uint32_t *first;  /* [vertices + 1]: where a vertex's neighbours begin */
    const uint32_t *around; /* its neighbours */
    const uint32_t *moving; /* vertices that are smoothed */
    size_t moving_count;
    const float (*from)[4]; /* per vertex */
    float (*to)[4];
} Smooth;

/* Means of the particles around a vertex: velocity, and fullness. Images are left out; where no
   particle is near, as in the middle of a wide bridge, both are 0. */
static void mean_at(const Smooth *p, const float x[3], float velocity[3], float *fullness)
{
    float sums[5];
    p->kernels->means(p->points, x, p->radius, sums);
    float scale = sums[0] > 0 ? 1 / sums[0] : 0;
    *fullness = sums[1] * scale;
    for (int k = 0; k < 3; k++)
        velocity[k] = sums[2 + k] * scale;
}

static void mean_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Smooth *p = argument;
    for (size_t i = begin; i < end; i++) {
        float fullness;
        mean_at(p, p->mesh->positions + 3 * i, p->mesh->velocities + 3 * i, &fullness);
        float t = (fullness - fullness_low) / (fullness_high - fullness_low);
        t = t < 0 ? 0 : t > 1 ? 1 : t;
        p->weights[i] = drop_weight + (1 - drop_weight) * t * t * t * (t * (6 * t - 15) + 10);
    }
}

/* The free surface does not follow a wall's face below the water line. */
static bool is_followed(const SurfaceMesh *mesh, uint32_t vertex, uint32_t neighbour)
{
    return (mesh->fixed[neighbour] & SURFACE_IN_WALL) <= (mesh->fixed[vertex] & SURFACE_IN_WALL);
}

/* In a closed manifold mesh the half-edges that begin at a vertex lead to each of its neighbours once.
   Filled from `first` shifted by one, which the filling moves into place. */
static void find_neighbours(const SurfaceMesh *mesh, uint32_t *first, uint32_t *around)
{
    size_t n = mesh->vertex_count;
    memset(first, 0, (n + 2) * sizeof *first);
    for (int pass = 0; pass < 2; pass++) {
        for (size_t t = 0; t < mesh->triangle_count; t++) {
            const uint32_t *v = mesh->triangles + 3 * t;
            for (int k = 0; k < 3; k++) {
                uint32_t from = v[k], to = v[k == 2 ? 0 : k + 1];
                if (!is_followed(mesh, from, to))
                    continue;
                if (pass == 0)
                    first[from + 2]++;
                else
                    around[first[from + 1]++] = to;
            }
        }
        for (size_t i = 2; pass == 0 && i < n + 2; i++)
            first[i] += first[i - 1];
    }
}

/* All but the vertices on a wall's face away from the water line: these are in place. */
static size_t find_moving(const Smooth *p, uint32_t *moving)
{
    const uint8_t *fixed = p->mesh->fixed;
    size_t count = 0;
    for (uint32_t i = 0; i < p->mesh->vertex_count; i++) {
        bool moves = (fixed[i] & SURFACE_IN_WALL) == 0;
        for (uint32_t k = p->first[i]; !moves && k < p->first[i + 1]; k++)
            moves = (fixed[p->around[k]] & SURFACE_IN_WALL) == 0;
        if (moves && p->weights[i] > 0 && p->first[i + 1] > p->first[i])
            moving[count++] = i;
    }
    return count;
}

static void smooth_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Smooth *p = argument;
    for (size_t m = begin; m < end; m++) {
        uint32_t i = p->moving[m];
        float sum[4] = {0};
        for (uint32_t k = p->first[i]; k < p->first[i + 1]; k++)
            for (int c = 0; c < 4; c++)
                sum[c] += p->from[p->around[k]][c];
        float inverse = 1 / (float)(p->first[i + 1] - p->first[i]), weight = p->weights[i];
        for (int c = 0; c < 4; c++) {
            float x = p->from[i][c];
            float to = x + weight * (sum[c] * inverse - x);
            p->to[i][c] = (p->mesh->fixed[i] >> c & 1) != 0 ? x : to;
        }
    }
}

/* Smooths `values` in place; `other` is as large. */
static void run_iterations(SlContext *context, Smooth *p, uint32_t iterations, float (*values)[4],
                           float (*other)[4])
{
    float(*from)[4] = values, (*to)[4] = other;
    memcpy(other, values, p->mesh->vertex_count * sizeof *other); /* what does not move */
    for (uint32_t k = 0; k < iterations; k++) {
        p->from = (const float(*)[4])from;
        p->to = to;
        sl_parallel_for(context->pool, p->moving_count, VERTEX_CHUNK, smooth_chunk, p);
        float(*last)[4] = from;
        from = to;
        to = last;
    }
    if (from != values)
        memcpy(values, from, p->mesh->vertex_count * sizeof *values);
}

/* S x + S S (x − S x), see the head. */
static bool smooth_positions(SlContext *context, uint32_t iterations, Smooth *p)
{
    SlArena *scratch = &context->arena;
    size_t n = p->mesh->vertex_count;
    float *positions = p->mesh->positions;
    uint32_t *moving = SL_PUSH(scratch, uint32_t, n);
    float(*smooth)[4] = (float(*)[4])sl_arena_push_array(scratch, n, sizeof *smooth);
    float(*taken)[4] = (float(*)[4])sl_arena_push_array(scratch, n, sizeof *taken);
    float(*other)[4] = (float(*)[4])sl_arena_push_array(scratch, n, sizeof *other);
    if (moving == NULL || smooth == NULL || taken == NULL || other == NULL)
        return false;
    p->moving_count = find_moving(p, moving);
    p->moving = moving;
    for (size_t i = 0; i < n; i++) {
        memcpy(smooth[i], positions + 3 * i, 3 * sizeof(float));
        smooth[i][3] = 0;
    }
    run_iterations(context, p, iterations, smooth, other);
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < 3; k++)
            taken[i][k] = positions[3 * i + k] - smooth[i][k];
        taken[i][3] = 0;
    }
    run_iterations(context, p, 2 * iterations, taken, other);
    for (size_t m = 0; m < p->moving_count; m++)
        for (size_t i = moving[m], k = 0; k < 3; k++)
            positions[3 * i + k] = smooth[i][k] + taken[i][k];
    return true;
}

/* Sums of the triangles' normals, weighted by area. Vertices of the water line take no part of the wall's
   face: there is an edge, not a bend. */
static void normal_sums(const SurfaceMesh *mesh)
{
    memset(mesh->normals, 0, 3 * (size_t)mesh->vertex_count * sizeof(float));
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *v = mesh->triangles + 3 * t;
        const float *a = mesh->positions + 3 * (size_t)v[0], *b = mesh->positions + 3 * (size_t)v[1];
        const float *c = mesh->positions + 3 * (size_t)v[2];
        float e[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
        float f[3] = {c[0] - a[0], c[1] - a[1], c[2] - a[2]};
        const float n[3] = {e[1] * f[2] - e[2] * f[1], e[2] * f[0] - e[0] * f[2],
                            e[0] * f[1] - e[1] * f[0]};
        uint8_t in_wall = (mesh->fixed[v[0]] | mesh->fixed[v[1]] | mesh->fixed[v[2]]) &
                          SURFACE_IN_WALL;
        for (int k = 0; k < 3; k++)
            for (int j = 0; in_wall <= (mesh->fixed[v[k]] & SURFACE_IN_WALL) && j < 3; j++)
                mesh->normals[3 * (size_t)v[k] + (size_t)j] += n[j];
    }
}

static void unit_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Smooth *p = argument;
    for (size_t i = begin; i < end; i++) {
        float *n = p->mesh->normals + 3 * i;
        float length = sqrtf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        float inverse = length > 0 ? 1 / length : 0;
        for (int k = 0; k < 3; k++)
            n[k] = length > 0 ? n[k] * inverse : (k == 1 ? 1.0f : 0.0f);
    }
}

bool surface_smooth(SlContext *context, const SurfaceSettings *settings,
                    const SurfacePoints *points, SurfaceMesh *mesh)
{
    SlArena *scratch = &context->arena;
    size_t n = mesh->vertex_count;
    uint32_t *first = SL_PUSH(scratch, uint32_t, n + 2);
    uint32_t *around = SL_PUSH(scratch, uint32_t, 3 * (size_t)mesh->triangle_count);
    float *weights = SL_PUSH(scratch, float, n);
    if (first == NULL || around == NULL || weights == NULL)
        return false;
    Smooth p = {.kernels = SL_KERNELS(context->isa, surface_kernels), .points = points,
                .mesh = mesh, .radius = mean_radius * settings->spacing, .weights = weights,
                .first = first, .around = around};
    sl_parallel_for(context->pool, n, VERTEX_CHUNK / 8, mean_chunk, &p);
    if (settings->iterations > 0 && n > 0) {
        find_neighbours(mesh, first, around);
        if (!smooth_positions(context, settings->iterations, &p))
            return false;
    }
    normal_sums(mesh);
    sl_parallel_for(context->pool, n, VERTEX_CHUNK, unit_chunk, &p);
    return true;
}
