/* The particles near the surface, their images behind walls, and their kernels.

   Kernels follow the shape of each particle's neighbourhood as in [Yu 2013]: C is the weighted covariance
   of the neighbours within r, with weights 1 − (|x|/r)³, and the kernel becomes an ellipsoid, flat where
   the water is flat. Yu and Turk decompose C into eigenvalues and limit their ratio; here
   B = R² ((1 − ε) C / σ + ε I), with σ the covariance deep inside and ε = 1 / anisotropy², is a matrix of
   the same axes whose ratio of half-axes has the same limit, without a decomposition. The kernel is
   (1 − xᵀ B⁻¹ x)³, normalised to the particle's volume, and reaches √B_kk along axis k.

   Centres are not moved: their smoothing pulls the surface inwards by up to half a spacing, and the
   smoothing of the mesh does the same work. A particle with few neighbours has a small sphere, so that
   drops stay and stay round.

   Images have the mirrored kernels of their particles: the field is symmetric about each wall, and water
   leaves no film of air there. */
#include <math.h>
#include <string.h>

#include "filters/surface/surface_kernels.h"

enum { COLLECT_CHUNK = SURFACE_PARTICLE_CHUNK, COPY_CHUNK = 4096, KERNEL_CHUNK = 128 };
#define NO_SOURCE UINT32_MAX

/* A point before the sort. */
typedef struct Origin {
    uint32_t particle;
    uint32_t source; /* of an image: its particle's place here; NO_SOURCE: that is far away */
    uint32_t solid;  /* place of the solid's image it comes from; UINT32_MAX: none */
    uint8_t flips, level;
} Origin;

typedef struct Collect {
    const SurfaceLattice *lattice;
    const SurfaceSettings *settings;
    const SurfaceSolids *solids;
    const SurfaceBlocks *blocks;
    const SlSystemView *system;
    SlFieldView position, velocity;
    float depth;
    size_t *chunk_first; /* points of the chunks before; first as counts */
    float (*records)[4];
    Origin *origins; /* NULL: count only */
    const uint32_t *order;
    uint32_t *place_of; /* inverse of `order` */
    SurfacePoints *points;
    const SurfaceKernels *kernels;
} Collect;

static bool is_image(const Origin *origin)
{
    return origin->flips != 0 || origin->solid != UINT32_MAX;
}

static uint8_t level_at(const SurfaceBlocks *blocks, const float x[3])
{
    uint32_t cell = surface_set_find(&blocks->cells, surface_coarse_cell(blocks, x));
    return cell == SL_NO_BLOCK ? SURFACE_FAR : blocks->levels[cell];
}

/* Counts the points of particles [begin, end), or writes them from the chunk's first place. */
static void collect_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    Collect *p = argument;
    size_t at = p->origins != NULL ? p->chunk_first[chunk] : 0;
    size_t next = p->solids->images != NULL ? p->solids->chunk_first[chunk] : 0;
    for (size_t i = begin; i < end; i++) {
        float x[3];
        memcpy(x, (const char *)p->position.data + i * p->position.stride, sizeof x);
        SurfaceImages images;
        surface_images(p->lattice, p->solids, (uint32_t)i, x, p->depth, &next, &images);
        uint32_t source = NO_SOURCE;
        for (int k = 0; k < images.count; k++) {
            uint8_t level = level_at(p->blocks, images.x[k]);
            if (level == SURFACE_FAR)
                continue;
            if (p->origins != NULL) {
                memcpy(p->records[at], images.x[k], sizeof x);
                p->origins[at] = (Origin){(uint32_t)i, source, images.solid[k], images.flips[k],
                                          level};
            }
            source = k == 0 ? (uint32_t)at : source;
            at++;
        }
    }
    if (p->origins == NULL)
        p->chunk_first[chunk] = at;
}

static void copy_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Collect *p = argument;
    for (size_t k = begin; k < end; k++) {
        const Origin *origin = &p->origins[p->order[k]];
        p->place_of[p->order[k]] = (uint32_t)k;
        memcpy(p->points->sorted[k], p->records[p->order[k]], 3 * sizeof(float));
        p->points->sorted[k][3] = is_image(origin) ? -1 : 1;
        memset(p->points->velocities[k], 0, sizeof p->points->velocities[k]);
        if (p->velocity.data != NULL)
            memcpy(p->points->velocities[k],
                   (const char *)p->velocity.data + origin->particle * p->velocity.stride,
                   3 * sizeof(float));
    }
}

/* --- kernels --- */

/* B of the file's head; xx, yy, zz, xy, xz, yz. */
static void shape_kernel(const SurfaceSettings *settings, const float sums[10], float fullness,
                         float b[6])
{
    float d = settings->spacing, radius = settings->vicinity * d, reach = settings->support * d;
    float inside = 0.15f * radius * radius; /* covariance of a full ball with these weights */
    float least = 1 / (settings->anisotropy * settings->anisotropy);
    float inverse = 1 / sums[0], mean[3];
    for (int k = 0; k < 3; k++)
        mean[k] = sums[1 + k] * inverse;
    static const uint8_t first[6] = {0, 1, 2, 0, 0, 1}, second[6] = {0, 1, 2, 1, 2, 2};
    for (int k = 0; k < 6; k++) {
        float covariance = sums[4 + k] * inverse - mean[first[k]] * mean[second[k]];
        b[k] = reach * reach * ((1 - least) * covariance / inside + (k < 3 ? least : 0));
    }
    /* No kernel reaches beyond the support. */
    float longest = fmaxf(b[0], fmaxf(b[1], b[2]));
    float scale = longest > reach * reach ? reach * reach / longest : 1;
    /* From few neighbours no shape can be told. */
    float t = (fullness - 0.12f) / 0.18f;
    t = t < 0 ? 0 : t > 1 ? 1 : t * t * (3 - 2 * t);
    float drop = settings->drop_support * d;
    for (int k = 0; k < 6; k++)
        b[k] = t * scale * b[k] + (k < 3 ? (1 - t) * drop * drop : 0);
}

/* A = B⁻¹ by cofactors; the amplitude makes the kernel's integral the volume. */
static void set_kernel(const float b[6], float volume, SurfaceKernel *kernel)
{
    float xx = b[1] * b[2] - b[5] * b[5], xy = b[4] * b[5] - b[3] * b[2];
    float xz = b[3] * b[5] - b[4] * b[1];
    float determinant = b[0] * xx + b[3] * xy + b[4] * xz, inverse = 1 / determinant;
    const float a[6] = {xx,
                        b[0] * b[2] - b[4] * b[4],
                        b[0] * b[1] - b[3] * b[3],
                        xy,
                        xz,
                        b[3] * b[4] - b[0] * b[5]};
    for (int k = 0; k < 6; k++)
        kernel->a[k] = a[k] * inverse;
    for (int k = 0; k < 3; k++)
        kernel->extent[k] = sqrtf(b[k]);
    kernel->amplitude = volume * 1.56668f / sqrtf(determinant); /* 315 / (64 π) */
}

static void kernel_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Collect *p = argument;
    const SurfaceSettings *settings = p->settings;
    float ratio = settings->vicinity;
    float full = 2.0944f * ratio * ratio * ratio - 1; /* 4 π / 6: the weights' integral */
    for (size_t k = begin; k < end; k++) {
        const Origin *origin = &p->origins[p->order[k]];
        SurfaceKernel *kernel = &p->points->kernels[k];
        memset(kernel, 0, sizeof *kernel);
        if (is_image(origin) || origin->level < SURFACE_REACHING)
            continue;
        float sums[10], reach = settings->support * settings->spacing;
        float b[6] = {reach * reach, reach * reach, reach * reach, 0, 0, 0};
        float *x = p->points->sorted[k];
        memcpy(kernel->center, x, sizeof kernel->center);
        kernel->fullness = 1;
        if (origin->level == SURFACE_REACHING) {
            p->kernels->moments(p->points, x, settings->vicinity * settings->spacing, sums);
            kernel->fullness = (sums[0] - 1) / full;
            shape_kernel(settings, sums, kernel->fullness, b);
        }
        /* With its volume as integral a drop's field is above 0.5 within 0.55 d only. */
        float few = 1 - kernel->fullness / 0.3f;
        float boost = few > 0 ? 1 + 0.34f * few : 1;
        set_kernel(b, boost * sl_view_volume(p->system, origin->particle), kernel);
    }
}

/* A' = H A H with H = I − 2 n nᵀ, the mirror at a plane. The bounding box has half-edges √B_kk, B = A'⁻¹. */
static void mirror_kernel(const float n[3], SurfaceKernel *kernel)
{
    const float *a = kernel->a;
    const float an[3] = {a[0] * n[0] + a[3] * n[1] + a[4] * n[2],
                         a[3] * n[0] + a[1] * n[1] + a[5] * n[2],
                         a[4] * n[0] + a[5] * n[1] + a[2] * n[2]};
    float nan = n[0] * an[0] + n[1] * an[1] + n[2] * an[2], m[6];
    static const uint8_t first[6] = {0, 1, 2, 0, 0, 1}, second[6] = {0, 1, 2, 1, 2, 2};
    for (int e = 0; e < 6; e++) {
        uint8_t i = first[e], j = second[e];
        m[e] = a[e] - 2 * (an[i] * n[j] + n[i] * an[j]) + 4 * nan * n[i] * n[j];
    }
    memcpy(kernel->a, m, sizeof m);
    const float minor[3] = {m[1] * m[2] - m[5] * m[5], m[0] * m[2] - m[4] * m[4],
                            m[0] * m[1] - m[3] * m[3]};
    float determinant = m[0] * minor[0] + m[3] * (m[4] * m[5] - m[3] * m[2]) +
                        m[4] * (m[3] * m[5] - m[4] * m[1]);
    for (int k = 0; k < 3; k++)
        kernel->extent[k] = sqrtf(fmaxf(minor[k] / determinant, 0));
}

/* After all kernels of particles: those of images, and the fullness beside the positions. */
static void image_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Collect *p = argument;
    static const uint8_t pair[3] = {3, 5, 6}; /* axes of xy, xz, yz as bits */
    for (size_t k = begin; k < end; k++) {
        const Origin *origin = &p->origins[p->order[k]];
        SurfaceKernel *kernel = &p->points->kernels[k];
        float *x = p->points->sorted[k];
        if (!is_image(origin)) {
            x[3] = origin->level >= SURFACE_REACHING ? kernel->fullness : 1;
            continue;
        }
        if (origin->level < SURFACE_REACHING || origin->source == NO_SOURCE)
            continue;
        *kernel = p->points->kernels[p->place_of[origin->source]];
        if (origin->solid != UINT32_MAX && kernel->amplitude > 0)
            mirror_kernel(p->solids->images[origin->solid].normal, kernel);
        memcpy(kernel->center, x, sizeof kernel->center);
        for (int e = 0; e < 3; e++) {
            uint8_t flipped = origin->flips & pair[e];
            if (flipped != 0 && flipped != pair[e])
                kernel->a[3 + e] = -kernel->a[3 + e];
        }
    }
}

/* --- all of it --- */

/* Sizes by a first pass, then the records with their padding. */
static bool gather_points(SlContext *context, SlArena *arena, Collect *p, SlPoints *points)
{
    size_t particles = p->position.count, chunks = sl_chunk_count(particles, COLLECT_CHUNK);
    p->chunk_first = SL_PUSH(arena, size_t, chunks);
    if (p->chunk_first == NULL)
        return false;
    sl_parallel_for(context->pool, particles, COLLECT_CHUNK, collect_chunk, p);
    size_t count = 0;
    for (size_t c = 0; c < chunks; c++) {
        size_t own = p->chunk_first[c];
        p->chunk_first[c] = count;
        count += own;
    }
    if (count >= UINT32_MAX - 16)
        return false;
    size_t capacity = (count + 7) / 8 * 8;
    p->records = (float(*)[4])sl_arena_push_array(arena, capacity + 1, sizeof *p->records);
    p->origins = SL_PUSH(arena, Origin, count + 1);
    if (p->records == NULL || p->origins == NULL)
        return false;
    sl_parallel_for(context->pool, particles, COLLECT_CHUNK, collect_chunk, p);
    for (size_t k = count; k <= capacity; k++)
        for (int c = 0; c < 4; c++)
            p->records[k][c] = SL_FAR;
    *points = (SlPoints){p->records[0], count, capacity};
    return true;
}

/* Bounds let the grid use an array of cells, which is faster to look up, where that is small enough. */
static SlBox bounds_of(SlPoints points)
{
    float low[3] = {0, 0, 0}, high[3] = {1, 1, 1};
    for (int k = 0; points.count > 0 && k < 3; k++)
        low[k] = high[k] = points.records[k];
    for (size_t i = 0; i < points.count; i++)
        for (int k = 0; k < 3; k++) {
            float x = points.records[4 * i + (size_t)k];
            low[k] = x < low[k] ? x : low[k];
            high[k] = x > high[k] ? x : high[k];
        }
    return (SlBox){{low[0], low[1], low[2]}, {high[0], high[1], high[2]}};
}

SlStatus surface_points_collect(SlContext *context, const SurfaceLattice *lattice,
                                const SurfaceSettings *settings, const SurfaceSolids *solids,
                                const SlSystemView *system, const SurfaceBlocks *blocks,
                                SurfacePoints *points)
{
    float longest = settings->support > settings->vicinity ? settings->support : settings->vicinity;
    Collect p = {.lattice = lattice, .settings = settings, .solids = solids, .blocks = blocks,
                 .system = system,
                 .position = sl_view_field(system, "position"),
                 .velocity = sl_view_field(system, "velocity"),
                 .depth = longest * settings->spacing, .points = points,
                 .kernels = SL_KERNELS(context->isa, surface_kernels)};
    if (p.velocity.type != SL_FIELD_F32X3)
        p.velocity.data = NULL;
    SlArena *arena = &context->arena;
    SlPoints unsorted;
    memset(points, 0, sizeof *points);
    if (!gather_points(context, arena, &p, &unsorted) ||
        sl_grid_create(context, bounds_of(unsorted), settings->vicinity * settings->spacing / 2,
                       SL_GRID_AUTO, &points->grid, NULL) != SL_OK)
        return SL_ERROR_MEMORY;
    size_t n = points->count = unsorted.count;
    uint32_t *order = SL_PUSH(arena, uint32_t, n);
    p.order = order;
    p.place_of = SL_PUSH(arena, uint32_t, n);
    /* Eight records are read at once: as many lie behind the last. */
    points->sorted = (float(*)[4])sl_arena_push_array(arena, n + 8, sizeof *points->sorted);
    points->velocities = (float(*)[4])sl_arena_push_array(arena, n + 8, sizeof *points->velocities);
    points->kernels = SL_PUSH(arena, SurfaceKernel, n);
    if (order == NULL || p.place_of == NULL || points->sorted == NULL ||
        points->velocities == NULL || points->kernels == NULL)
        return SL_ERROR_MEMORY;
    memset(points->sorted + n, 0, 8 * sizeof *points->sorted);
    memset(points->velocities + n, 0, 8 * sizeof *points->velocities);
    if (n > 0 && !sl_grid_sort(&points->grid, unsorted, arena, order))
        return SL_ERROR_MEMORY;
    sl_parallel_for(context->pool, n, COPY_CHUNK, copy_chunk, &p);
    sl_parallel_for(context->pool, n, KERNEL_CHUNK, kernel_chunk, &p);
    sl_parallel_for(context->pool, n, COPY_CHUNK, image_chunk, &p);
    return SL_OK;
}
