/* Hot loops of the water surface: eight points, or the eight nodes of a row, at once. */
#include "filters/surface/surface_kernels.h"

#include <string.h>

#include "core/simd.h"
#include "filters/surface/runs.h"

/* Lanes of the run that ends at `end`, for eight points from j. */
SL_INLINE I8 lanes_before(uint32_t j, uint32_t end)
{
    const I8 lane = {0, 1, 2, 3, 4, 5, 6, 7};
    return lane < (I8)u8(end - j);
}

/* Eight points from j: u, v, w from x to them, and which of them are in the run. */
typedef struct Eight {
    F8x4 point;
    F8 u, v, w, r2;
    I8 valid;
    uint32_t j;
} Eight;

typedef void (*AddEight)(const SurfacePoints *points, const Eight *at, float radius, F8 *sum);

/* Adds all points of the cells around x, eight at once; compiled once for each `add`. */
SL_INLINE void gather(const SurfacePoints *points, const float x[3], float radius, AddEight add_eight,
                      int count, float *sums)
{
    F8 x0 = f8(x[0]), x1 = f8(x[1]), x2 = f8(x[2]), sum[10];
    for (int k = 0; k < count; k++)
        sum[k] = f8(0);
    SurfaceRuns runs = surface_runs_around(&points->grid, x, radius);
    for (uint32_t j, end; surface_next_run(&runs, &j, &end);)
        for (; j < end; j += 8) {
            Eight at = {.point = f8x4_load(points->sorted[j]), .valid = lanes_before(j, end), .j = j};
            at.u = at.point.x - x0;
            at.v = at.point.y - x1;
            at.w = at.point.z - x2;
            at.r2 = f8_fma(at.u, at.u, f8_fma(at.v, at.v, at.w * at.w));
            add_eight(points, &at, radius, sum);
        }
    for (int k = 0; k < count; k++)
        sums[k] = f8_sum(sum[k]);
}

SL_INLINE void add_moments(const SurfacePoints *points, const Eight *at, float radius, F8 *sum)
{
    (void)points;
    F8 u = at->u, v = at->v, w = at->w, q = f8_sqrt(at->r2) * f8(1 / radius);
    I8 near = (at->r2 < f8(radius * radius)) & at->valid;
    F8 weight = f8_keep(near, f8_fnma(q * q, q, f8(1))); /* 1 − q³ */
    F8 wu = weight * u, wv = weight * v, ww = weight * w;
    sum[0] += weight;
    sum[1] += wu;
    sum[2] += wv;
    sum[3] += ww;
    sum[4] = f8_fma(wu, u, sum[4]);
    sum[5] = f8_fma(wv, v, sum[5]);
    sum[6] = f8_fma(ww, w, sum[6]);
    sum[7] = f8_fma(wu, v, sum[7]);
    sum[8] = f8_fma(wu, w, sum[8]);
    sum[9] = f8_fma(wv, w, sum[9]);
}

static void moments(const SurfacePoints *points, const float x[3], float radius, float sums[10])
{
    gather(points, x, radius, add_moments, 10, sums);
}

SL_INLINE void add_means(const SurfacePoints *points, const Eight *at, float radius, F8 *sum)
{
    F8 t = f8_fnma(at->r2, f8(1 / (radius * radius)), f8(1)), fullness = at->point.w;
    I8 near = (t > f8(0)) & (fullness >= f8(0)) & at->valid;
    if (i8_bits(near) == 0)
        return;
    F8x4 velocity = f8x4_load(points->velocities[at->j]);
    F8 weight = f8_keep(near, t * t * t); /* (1 − r²/R²)³ */
    sum[0] += weight;
    sum[1] = f8_fma(weight, fullness, sum[1]);
    sum[2] = f8_fma(weight, velocity.x, sum[2]);
    sum[3] = f8_fma(weight, velocity.y, sum[3]);
    sum[4] = f8_fma(weight, velocity.z, sum[4]);
    sum[5] = f8_fma(weight, at->u, sum[5]);
    sum[6] = f8_fma(weight, at->v, sum[6]);
    sum[7] = f8_fma(weight, at->w, sum[7]);
}

static void means(const SurfacePoints *points, const float x[3], float radius, float sums[8])
{
    gather(points, x, radius, add_means, 8, sums);
}

/* First and last of a block's nodes along an axis within the extent; false: none. */
SL_INLINE bool node_range(float center, float extent, float first, float inverse_cell, int *from,
                          int *to)
{
    float low = (center - extent - first) * inverse_cell;
    float high = (center + extent - first) * inverse_cell;
    if (!(high >= 0 && low <= SURFACE_BLOCK - 1))
        return false;
    *from = low > 0 ? (int)low + ((float)(int)low < low) : 0; /* rounded up */
    *to = high < SURFACE_BLOCK - 1 ? (int)high : SURFACE_BLOCK - 1;
    return *from <= *to;
}

/* All nodes of a row at once: those out of reach get 0. With q² as a polynomial in dx, a row is
   1 − q² = c − l dx − a dx². */
static void add(const SurfaceLattice *lattice, const SurfaceKernel *kernel, const float first[3],
                float *values)
{
    const float *a = kernel->a, *center = kernel->center, *extent = kernel->extent;
    const float *inverse = lattice->inverse_cell, *cell = lattice->cell;
    int x0, x1, y0, y1, z0, z1;
    if (!node_range(center[0], extent[0], first[0], inverse[0], &x0, &x1) ||
        !node_range(center[1], extent[1], first[1], inverse[1], &y0, &y1) ||
        !node_range(center[2], extent[2], first[2], inverse[2], &z0, &z1))
        return;
    const F8 index = {0, 1, 2, 3, 4, 5, 6, 7};
    F8 dx = f8_fma(index, f8(cell[0]), f8(first[0] - center[0]));
    F8 square = f8(a[0]) * dx * dx, amplitude = f8(kernel->amplitude);
    for (int z = z0; z <= z1; z++) {
        float w = first[2] + (float)z * cell[2] - center[2];
        for (int y = y0; y <= y1; y++) {
            float v = first[1] + (float)y * cell[1] - center[1];
            float constant = 1 - (a[1] * v * v + a[2] * w * w + 2 * a[5] * v * w);
            float linear = 2 * (a[3] * v + a[4] * w);
            F8 t = f8_max(f8_fnma(f8(linear), dx, f8(constant) - square), f8(0));
            float *row = values + SURFACE_BLOCK * (y + SURFACE_BLOCK * z);
            f8_store(row, f8_fma(amplitude * t, t * t, f8_load(row)));
        }
    }
}

SL_KERNEL_TABLE(SurfaceKernels, surface_kernels) = {.moments = moments, .means = means, .add = add};
