/* The filter's loop: every pixel of a tile as the weighted mean of those within SL_DENOISE_SEARCH.

   For an offset q = p + o the distance of two pixels is [Rousselle 2013 eq. 3]

     d² = (|u_p - u_q|² - (v_p + min(v_p, v_q))) / (e + k² (v_p + v_q))

   of light, averaged over patches of 5 × 5, and of the albedo and the normal of the two pixels; v is the
   variance that is noise. The weight is exp(-max(0, d²)) of the largest of the three. Features are not
   averaged over patches: that left noise along edges. Distances of all pixels of a tile are made for
   one offset after the other, so that patches are sums over columns and rows. */
#include "core/simd.h"
#include "render/denoise/filter.h"

enum {
    TILE = SL_DENOISE_TILE, SIDE = SL_DENOISE_SIDE, REACH = SL_DENOISE_REACH,
    PATCH = SL_DENOISE_PATCH, INNER = SL_DENOISE_BORDER, OUTER = SL_DENOISE_BORDER - SL_DENOISE_PATCH
};

static const float color_scale = 0.45f, feature_scale = 0.6f; /* k */
static const float albedo_step = 0.0004f, normal_step = 0.01f; /* e: squares of what is one surface */

SL_INLINE F8 difference(const float (*plane)[SL_DENOISE_PIXELS], size_t p, size_t q)
{
    F8 x = f8_load(plane[0] + p) - f8_load(plane[0] + q);
    F8 y = f8_load(plane[1] + p) - f8_load(plane[1] + q);
    F8 z = f8_load(plane[2] + p) - f8_load(plane[2] + q);
    return f8_fma(x, x, f8_fma(y, y, z * z));
}

/* d² of three channels whose noise has one variance. */
SL_INLINE F8 relative(F8 squared, const float *noise, size_t p, size_t q, float scale, float step)
{
    F8 a = f8_load(noise + p), b = f8_load(noise + q);
    F8 above = f8_fma(f8(-3), a + f8_min(a, b), squared);
    return above / f8_fma(f8(3 * scale * scale), a + b, f8(step));
}

/* Distances of the tile's pixels, with PATCH more on each side, from those at an offset. */
static void compare_pixels(SlDenoiseTile *tile, ptrdiff_t offset)
{
    for (size_t y = 0; y < TILE + 2 * PATCH; y++)
        for (size_t x = 0; x < REACH; x += 8) {
            size_t p = (OUTER + y) * SIDE + OUTER + x, q = (size_t)((ptrdiff_t)p + offset);
            F8 color = relative(difference(tile->color, p, q), tile->color_noise, p, q,
                                color_scale, 1e-12f);
            F8 albedo = relative(difference(tile->albedo, p, q), tile->albedo_noise, p, q,
                                 feature_scale, albedo_step);
            F8 normal = relative(difference(tile->normal, p, q), tile->normal_noise, p, q,
                                 feature_scale, normal_step);
            f8_store(tile->distance[0] + y * REACH + x, color);
            f8_store(tile->distance[1] + y * REACH + x, f8_max(albedo, normal));
        }
}

static void sum_columns(SlDenoiseTile *tile)
{
    for (size_t y = 0; y < TILE; y++)
        for (size_t x = 0; x < REACH; x += 8) {
            const float *color = tile->distance[0] + y * REACH + x;
            F8 sum = f8_load(color);
            for (size_t k = 1; k <= 2 * PATCH; k++)
                sum = sum + f8_load(color + k * REACH);
            f8_store(tile->column + y * REACH + x, sum);
        }
}

/* (1 - x/8)^8, cut at 0: exp(-x) within 0.04, and without a call. */
SL_INLINE F8 weight_of(F8 distance)
{
    F8 t = f8_max(f8(1) - f8_max(distance, f8(0)) * f8(0.125f), f8(0));
    t = t * t;
    t = t * t;
    return t * t;
}

static void add_weighted(SlDenoiseTile *tile, ptrdiff_t offset)
{
    const float patch = 1.0f / ((2 * PATCH + 1) * (2 * PATCH + 1));
    for (size_t y = 0; y < TILE; y++)
        for (size_t x = 0; x < TILE; x += 8) {
            const float *color = tile->column + y * REACH + x;
            const float *feature = tile->distance[1] + (y + PATCH) * REACH + x + PATCH;
            F8 a = f8_load(color);
            for (size_t k = 1; k <= 2 * PATCH; k++)
                a = a + f8_load(color + k);
            F8 w = weight_of(f8_max(a * f8(patch), f8_load(feature)));
            size_t q = (size_t)((ptrdiff_t)((INNER + y) * SIDE + INNER + x) + offset);
            size_t at = y * TILE + x;
            for (size_t k = 0; k < 3; k++)
                f8_store(tile->sum[k] + at,
                         f8_fma(w, f8_load(tile->color[k] + q), f8_load(tile->sum[k] + at)));
            f8_store(tile->sum[3] + at, f8_load(tile->sum[3] + at) + w);
        }
}

static void average(SlDenoiseTile *tile)
{
    memset(tile->sum, 0, sizeof tile->sum);
    for (int dy = -SL_DENOISE_SEARCH; dy <= SL_DENOISE_SEARCH; dy++)
        for (int dx = -SL_DENOISE_SEARCH; dx <= SL_DENOISE_SEARCH; dx++) {
            ptrdiff_t offset = (ptrdiff_t)dy * SIDE + dx;
            compare_pixels(tile, offset);
            sum_columns(tile);
            add_weighted(tile, offset);
        }
}

SL_KERNEL_TABLE(SlDenoiseKernels, sl_denoise_kernels) = {average};
