/* Smoothing of the vertices and of their normals.

   Each iteration moves a vertex towards the mean of its neighbours, by a weight from the particles around
   it [Löschner 2023]: 1 where a vertex has water behind it, 0.1 at drops and less than 1 at sheets, which
   plain Laplacian smoothing would shrink until they vanish. Vertices in a wall stay in it.

   Enough iterations S to make still water smooth also erase ripples and pull curved surfaces inwards: a
   ball of ten spacings by a quarter of a spacing in 30. The two differ in size. What the smoothing took
   along the normal, t = n · (x − S x), is a few hundredths of a spacing from the grain of the particles, and
   more from a wave that is to be seen. So t is smoothed a little (L) and given back where it is large,

       x' = S x + g L t n,   g = smoothstep(e), e² = L t²,

   as a Wiener filter does. Where g is 1, waves pass by s + l (1 − s) with s, l the responses of S and L:
   long ones unchanged. Where it is 0, the surface moved by less than `grain_high` spacings. What moved
   along the surface is not given back: it makes triangles more even. */
#include <math.h>
#include <string.h>

#include "filters/surface/surface_kernels.h"

enum { VERTEX_CHUNK = 1024 };
static const float mean_radius = 1.25f; /* spacings: of the means at vertices */
static const float drop_weight = 0.1f; /* rounds the few triangles of a drop */
/* Fullness of the neighbourhood at which smoothing begins and is complete: a chain of particles has
   about 0.1, a sheet of one layer 0.35, a flat surface 0.6. */
static const float fullness_low = 0.1f, fullness_high = 0.6f;
/* Spacings: displacements below the first are grain, above the second waves. */
static const float grain_low = 0.1f, grain_high = 0.25f;
enum { NORMAL_ITERATIONS = 8 };
/* Below this mean fullness a vertex belongs to a single particle: two of them, a spacing apart, have
   0.03 each. */
static const float lone_fullness = 0.02f, lone_weight = 0; /* it becomes a sphere anyway */

typedef struct Smooth {
    const SurfaceKernels *kernels;
    const SurfaceLattice *lattice;
    const SurfaceSolids *solids;
    const SurfacePoints *points;
    const SurfaceMesh *mesh;
    const SurfaceAround *around;
    float spacing, radius;  /* m; radius: of the means at vertices */
    float drop_radius;      /* m */
    float *weights;         /* per vertex */
    uint32_t *moving;       /* vertices that are smoothed */
    size_t moving_count;
    float (*arrays[3])[4];  /* scratch; the first has the positions before */
    float (*contact)[3];    /* per vertex with SURFACE_CONTACT: the collider's normal */
    float gap;              /* m: between a water line and the end of the mesh behind it */
    const float (*from)[4]; /* per vertex */
    float (*to)[4];
    const float (*from2)[2];
    float (*to2)[2];
} Smooth;

/* --- weights --- */

/* Means of the particles around a vertex: velocity, and fullness. Images are left out; where no
   particle is near, as in the middle of a wide bridge, both are 0. */
static void mean_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Smooth *p = argument;
    for (size_t i = begin; i < end; i++) {
        float sums[8], *velocity = p->mesh->velocities + 3 * i;
        p->kernels->means(p->points, p->mesh->positions + 3 * i, p->radius, sums);
        float scale = sums[0] > 0 ? 1 / sums[0] : 0;
        for (int k = 0; k < 3; k++)
            velocity[k] = sums[2 + k] * scale;
        float fullness = sums[1] * scale;
        float t = (fullness - fullness_low) / (fullness_high - fullness_low);
        t = t < 0 ? 0 : t > 1 ? 1 : t;
        p->weights[i] = drop_weight + (1 - drop_weight) * t * t * t * (t * (6 * t - 15) + 10);
        if (fullness < lone_fullness)
            p->weights[i] = lone_weight;
    }
}

/* --- water lines at colliders --- */

/* Puts a vertex of the water line on the surface at which the mesh ends in the collider. */
static void put_on_solid(const Smooth *p, size_t i)
{
    float *x = p->mesh->positions + 3 * i, reach = 3 * p->spacing;
    float s = surface_solids_distance(p->solids, x, reach, p->contact[i]);
    if (!(s < reach))
        return;
    for (int k = 0; k < 3; k++)
        if ((p->mesh->fixed[i] >> k & 1) == 0)
            x[k] -= (s + p->solids->sink - p->gap) * p->contact[i][k];
}

static void find_contact_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Smooth *p = argument;
    for (size_t i = begin; i < end; i++) {
        if ((p->mesh->fixed[i] & SURFACE_IN_WALL) != 0)
            continue;
        bool at_solid = false;
        for (uint32_t h = p->around->first[i]; !at_solid && h < p->around->first[i + 1]; h++) {
            const uint32_t *v = p->mesh->triangles + p->around->half_edges[h] / 3 * 3;
            for (int k = 0; k < 3; k++)
                at_solid |= (p->mesh->fixed[v[k]] & SURFACE_IN_SOLID) != 0;
        }
        if (!at_solid)
            continue;
        put_on_solid(p, i);
        p->mesh->fixed[i] |= SURFACE_CONTACT;
    }
}

static void keep_contact_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Smooth *p = argument;
    for (size_t i = begin; i < end; i++)
        if ((p->mesh->fixed[i] & SURFACE_CONTACT) != 0)
            put_on_solid(p, i);
}

/* Of a vertex at a collider only what moves along its surface is kept. */
static void along_solid(const Smooth *p, size_t i, float move[3])
{
    if ((p->mesh->fixed[i] & SURFACE_CONTACT) == 0)
        return;
    const float *n = p->contact[i];
    float across = n[0] * move[0] + n[1] * move[1] + n[2] * move[2];
    for (int k = 0; k < 3; k++)
        move[k] -= across * n[k];
}

/* All but the vertices on a wall's face away from the water line: these are in place. */
static size_t find_moving(const Smooth *p, uint32_t *moving)
{
    const uint8_t *fixed = p->mesh->fixed;
    const SurfaceAround *around = p->around;
    size_t count = 0;
    for (uint32_t i = 0; i < p->mesh->vertex_count; i++) {
        bool moves = (fixed[i] & SURFACE_IN_WALL) == 0;
        for (uint32_t k = 0; !moves && k < around->followed[i]; k++)
            moves = (fixed[around->neighbours[around->first[i] + k]] & SURFACE_IN_WALL) == 0;
        if (moves && p->weights[i] > 0 && around->followed[i] > 0)
            moving[count++] = i;
    }
    return count;
}

/* --- iterations --- */

/* x + w (mean of the neighbours − x). */
static void smooth_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Smooth *p = argument;
    for (size_t m = begin; m < end; m++) {
        uint32_t i = p->moving[m], count = p->around->followed[i];
        const uint32_t *neighbours = p->around->neighbours + p->around->first[i];
        float sum[4] = {0};
        for (uint32_t k = 0; k < count; k++)
            for (int c = 0; c < 4; c++)
                sum[c] += p->from[neighbours[k]][c];
        float inverse = 1 / (float)count, weight = p->weights[i];
        for (int c = 0; c < 4; c++)
            sum[c] = weight * (sum[c] * inverse - p->from[i][c]);
        along_solid(p, i, sum);
        for (int c = 0; c < 4; c++)
            p->to[i][c] = p->from[i][c] + ((p->mesh->fixed[i] & SURFACE_FIXED) >> c & 1 ? 0 : sum[c]);
    }
}

/* The same for the displacements and their squares. */
static void smooth_taken_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Smooth *p = argument;
    for (size_t m = begin; m < end; m++) {
        uint32_t i = p->moving[m], count = p->around->followed[i];
        const uint32_t *neighbours = p->around->neighbours + p->around->first[i];
        float sum[2] = {0};
        for (uint32_t k = 0; k < count; k++)
            for (int c = 0; c < 2; c++)
                sum[c] += p->from2[neighbours[k]][c];
        float inverse = 1 / (float)count, weight = p->weights[i];
        for (int c = 0; c < 2; c++)
            p->to2[i][c] = p->from2[i][c] + weight * (sum[c] * inverse - p->from2[i][c]);
    }
}

/* t and t² of the file's head; the normals are those of the smooth positions. */
static void taken_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Smooth *p = argument;
    for (size_t i = begin; i < end; i++) {
        const float *n = p->mesh->normals + 3 * i, *x = p->mesh->positions + 3 * i;
        float t = 0;
        for (int k = 0; k < 3; k++)
            t += n[k] * (p->arrays[0][i][k] - x[k]);
        p->to2[i][0] = t;
        p->to2[i][1] = t * t;
    }
}

static void give_back_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Smooth *p = argument;
    for (size_t m = begin; m < end; m++) {
        uint32_t i = p->moving[m];
        const float *n = p->mesh->normals + 3 * (size_t)i, *taken = p->from2[i];
        float e = sqrtf(taken[1]) / p->spacing;
        float g = (e - grain_low) / (grain_high - grain_low);
        g = g < 0 ? 0 : g > 1 ? 1 : g * g * (3 - 2 * g);
        float move[3] = {g * taken[0] * n[0], g * taken[0] * n[1], g * taken[0] * n[2]};
        along_solid(p, i, move);
        for (int k = 0; k < 3; k++)
            if ((p->mesh->fixed[i] >> k & 1) == 0)
                p->mesh->positions[3 * (size_t)i + (size_t)k] += move[k];
    }
}

/* A drop of one particle becomes a sphere around it: marching cubes cut off a quarter of its volume. */
static void round_drops_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Smooth *p = argument;
    for (size_t i = begin; i < end; i++) {
        if (p->weights[i] > lone_weight || p->mesh->fixed[i] != 0)
            continue;
        float sums[8], *x = p->mesh->positions + 3 * i, from[3], length2 = 0;
        p->kernels->means(p->points, x, p->radius, sums);
        float scale = sums[0] > 0 ? 1 / sums[0] : 0, lone = 1 - sums[1] * scale / lone_fullness;
        for (int k = 0; k < 3; k++) {
            from[k] = -sums[5 + k] * scale; /* of the particle, to the vertex */
            length2 += from[k] * from[k];
        }
        if (!(lone > 0) || !(length2 > 0))
            continue;
        float move = lone * (p->drop_radius / sqrtf(length2) - 1);
        bool inside = true; /* a drop beside a wall keeps the shape that the wall cut */
        for (int k = 0; k < 3; k++) {
            float to = x[k] + move * from[k];
            inside = inside && to > p->lattice->end[0][k] + p->gap && to < p->lattice->end[1][k] - p->gap;
        }
        for (int k = 0; inside && k < 3; k++)
            x[k] += move * from[k];
    }
}

/* What was given back or put on a collider may be behind a wall by a little. */
static void clamp_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Smooth *p = argument;
    for (size_t i = begin; i < end; i++)
        for (size_t k = 0; k < 3; k++) {
            float *x = p->mesh->positions + 3 * i + k;
            float low = p->lattice->end[0][k] + p->gap, high = p->lattice->end[1][k] - p->gap;
            if ((p->mesh->fixed[i] >> k & 1) == 0)
                *x = *x < low ? low : *x > high ? high : *x;
        }
}

static void set_positions(const SurfaceMesh *mesh, const float (*from)[4])
{
    for (size_t i = 0; i < mesh->vertex_count; i++)
        memcpy(mesh->positions + 3 * i, from[i], 3 * sizeof(float));
}

static void smooth_positions(SlContext *context, uint32_t iterations, Smooth *p)
{
    size_t n = p->mesh->vertex_count;
    float(**arrays)[4] = p->arrays;
    for (size_t i = 0; i < n; i++) {
        memcpy(arrays[0][i], p->mesh->positions + 3 * i, 3 * sizeof(float));
        arrays[0][i][3] = 0;
    }
    for (int k = 1; k < 3; k++) /* also for what does not move */
        memcpy(arrays[k], arrays[0], n * sizeof *arrays[0]);
    int now = 1;
    for (uint32_t k = 0; k < iterations; k++) {
        p->from = (const float(*)[4])arrays[now];
        p->to = arrays[3 - now];
        sl_parallel_for(context->pool, p->moving_count, VERTEX_CHUNK, smooth_chunk, p);
        now = 3 - now;
    }
    set_positions(p->mesh, (const float(*)[4])arrays[now]);
    surface_normals(context, p->mesh, p->around);

    float(*taken)[2] = (float(*)[2])arrays[1], (*other)[2] = (float(*)[2])arrays[2];
    p->to2 = taken;
    sl_parallel_for(context->pool, n, VERTEX_CHUNK, taken_chunk, p);
    memcpy(other, taken, n * sizeof *other);
    for (uint32_t k = 0; k < (iterations + 2) / 3; k++) {
        p->from2 = (const float(*)[2])taken;
        p->to2 = other;
        sl_parallel_for(context->pool, p->moving_count, VERTEX_CHUNK, smooth_taken_chunk, p);
        other = taken;
        taken = p->to2;
    }
    p->from2 = (const float(*)[2])taken;
    sl_parallel_for(context->pool, p->moving_count, VERTEX_CHUNK, give_back_chunk, p);
}

/* --- normals --- */

/* The mean of a vertex's normal and its neighbours', by the same weights, on the free surface. */
static void smooth_normals_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Smooth *p = argument;
    for (size_t m = begin; m < end; m++) {
        uint32_t i = p->moving[m], count = p->around->followed[i];
        const uint32_t *neighbours = p->around->neighbours + p->around->first[i];
        if ((p->mesh->fixed[i] & SURFACE_IN_WALL) != 0)
            continue;
        float sum[3] = {0, 0, 0}, inverse = 1 / (float)count, weight = p->weights[i], length2 = 0;
        for (uint32_t k = 0; k < count; k++)
            for (int c = 0; c < 3; c++)
                sum[c] += p->from[neighbours[k]][c];
        for (int c = 0; c < 3; c++) {
            sum[c] = p->from[i][c] + weight * (sum[c] * inverse - p->from[i][c]);
            length2 += sum[c] * sum[c];
        }
        bool any = length2 > 1e-4f; /* opposite normals cancel */
        inverse = any ? 1 / sqrtf(length2) : 1;
        for (int c = 0; c < 3; c++)
            p->to[i][c] = any ? sum[c] * inverse : p->from[i][c];
    }
}

static void smooth_normals(SlContext *context, Smooth *p)
{
    size_t n = p->mesh->vertex_count;
    float(*now)[4] = p->arrays[0], (*next)[4] = p->arrays[1];
    for (size_t i = 0; i < n; i++)
        memcpy(now[i], p->mesh->normals + 3 * i, 3 * sizeof(float));
    memcpy(next, now, n * sizeof *next); /* also of what is not smoothed */
    for (int k = 0; k < NORMAL_ITERATIONS; k++) {
        p->from = (const float(*)[4])now;
        p->to = next;
        sl_parallel_for(context->pool, p->moving_count, VERTEX_CHUNK, smooth_normals_chunk, p);
        next = now;
        now = p->to;
    }
    for (size_t i = 0; i < n; i++)
        memcpy(p->mesh->normals + 3 * i, now[i], 3 * sizeof(float));
}

bool surface_smooth(SlContext *context, const SurfaceLattice *lattice,
                    const SurfaceSettings *settings, const SurfaceSolids *solids,
                    const SurfacePoints *points, SurfaceMesh *mesh)
{
    SurfaceAround around;
    SlArena *scratch = &context->arena;
    size_t n = mesh->vertex_count;
    float d = settings->spacing;
    Smooth p = {.kernels = SL_KERNELS(context->isa, surface_kernels), .lattice = lattice,
                .solids = solids,
                .points = points, .gap = SURFACE_WALL_GAP * settings->cube * d,
                .mesh = mesh, .around = &around, .spacing = d, .radius = mean_radius * d,
                .drop_radius = settings->drop_radius * d, .weights = SL_PUSH(scratch, float, n),
                .moving = SL_PUSH(scratch, uint32_t, n)};
    bool room = p.weights != NULL && p.moving != NULL;
    for (int k = 0; k < 3; k++) {
        p.arrays[k] = (float(*)[4])sl_arena_push_array(scratch, n, sizeof *p.arrays[k]);
        room = room && p.arrays[k] != NULL;
    }
    if (solids->count > 0) {
        p.contact = (float(*)[3])sl_arena_push_array(scratch, n, sizeof *p.contact);
        room = room && p.contact != NULL;
    }
    if (!room || !surface_around_find(context, mesh, &around))
        return false;
    if (solids->count > 0)
        sl_parallel_for(context->pool, n, VERTEX_CHUNK, find_contact_chunk, &p);
    sl_parallel_for(context->pool, n, VERTEX_CHUNK / 8, mean_chunk, &p);
    p.moving_count = find_moving(&p, p.moving);
    if (settings->iterations > 0)
        smooth_positions(context, settings->iterations, &p);
    sl_parallel_for(context->pool, n, VERTEX_CHUNK, round_drops_chunk, &p);
    if (solids->count > 0)
        sl_parallel_for(context->pool, n, VERTEX_CHUNK, keep_contact_chunk, &p);
    sl_parallel_for(context->pool, n, VERTEX_CHUNK, clamp_chunk, &p);
    surface_join_rims(context, mesh, &around);
    surface_normals(context, mesh, &around);
    if (settings->iterations > 0)
        smooth_normals(context, &p);
    return true;
}
