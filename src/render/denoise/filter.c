/* The filter around its kernel: what is noise, and tiles with their borders (filter.h). */
#include "render/denoise/filter.h"

#include <math.h>
#include <string.h>

enum { TILE = SL_DENOISE_TILE, SIDE = SL_DENOISE_SIDE, BORDER = SL_DENOISE_BORDER };

typedef struct Filter {
    const SlDenoiseJob *job;
    float *light;          /* color over albedo, 3 floats per pixel */
    float *variance;       /* of it, from the samples; NULL: not known */
    float *raw, *noise[3]; /* variances per channel: before smoothing; of light, albedo, normal */
    const float *source; /* of a pass */
    float *target;
    SlDenoiseTile *tiles; /* one per slot */
    size_t tiles_x, tile_count, slots;
    const SlDenoiseKernels *kernels;
} Filter;

static size_t clamp_to(ptrdiff_t at, uint32_t count)
{
    return at < 0 ? 0 : at < (ptrdiff_t)count ? (size_t)at : count - 1;
}

static size_t pixel_at(const SlDenoiseJob *job, ptrdiff_t x, ptrdiff_t y)
{
    return clamp_to(y, job->height) * job->width + clamp_to(x, job->width);
}

static float luminance(const float *c)
{
    return 0.2126f * c[0] + 0.7152f * c[1] + 0.0722f * c[2];
}

/* --- Light without textures. --- */

/* What light is divided by, so that textures are not smoothed. */
static void divisor_of(const SlDenoiseJob *job, size_t pixel, float divisor[3])
{
    const float darkest = 0.02f;
    const float *a = job->albedo != NULL ? job->albedo + 3 * pixel : NULL;
    bool empty = a == NULL || (a[0] <= 0 && a[1] <= 0 && a[2] <= 0); /* sky, glass */
    for (int k = 0; k < 3; k++)
        divisor[k] = empty ? 1 : a[k] > darkest ? a[k] : darkest;
}

static void divide_rows(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Filter *f = argument;
    const SlDenoiseJob *job = f->job;
    for (size_t pixel = begin * job->width; pixel < end * job->width; pixel++) {
        float divisor[3];
        divisor_of(job, pixel, divisor);
        for (size_t k = 0; k < 3; k++)
            f->light[3 * pixel + k] = job->color[3 * pixel + k] / divisor[k];
        if (f->variance == NULL)
            continue;
        float one = job->variance[pixel], dividing = luminance(divisor);
        one = one > 0 ? (one < 1e24f ? one : 1e24f) : 0; /* NaN becomes 0 */
        f->variance[pixel] = one / (dividing * dividing);
    }
}

/* --- What is noise. --- */

/* Variance of one pixel as its squared difference from the mean of its four neighbours, whose variance
   is a quarter of its own: 4/5, mean of the three channels. */
static void raw_noise_rows(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Filter *f = argument;
    const SlDenoiseJob *job = f->job;
    for (size_t y = begin; y < end; y++)
        for (size_t x = 0; x < job->width; x++) {
            ptrdiff_t px = (ptrdiff_t)x, py = (ptrdiff_t)y;
            const float *l = f->source + 3 * pixel_at(job, px - 1, py);
            const float *r = f->source + 3 * pixel_at(job, px + 1, py);
            const float *u = f->source + 3 * pixel_at(job, px, py - 1);
            const float *d = f->source + 3 * pixel_at(job, px, py + 1);
            const float *c = f->source + 3 * (y * job->width + x);
            float sum = 0;
            for (int k = 0; k < 3; k++) {
                float e = c[k] - 0.25f * (l[k] + r[k] + u[k] + d[k]);
                sum += e * e;
            }
            f->raw[y * job->width + x] = sum * (0.8f / 3);
        }
}

static void smooth_noise_rows(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Filter *f = argument;
    for (size_t y = begin; y < end; y++)
        for (size_t x = 0; x < f->job->width; x++) {
            float sum = 0;
            for (ptrdiff_t v = -2; v <= 2; v++)
                for (ptrdiff_t u = -2; u <= 2; u++)
                    sum += f->source[pixel_at(f->job, (ptrdiff_t)x + u, (ptrdiff_t)y + v)];
            f->target[y * f->job->width + x] = sum / 25;
        }
}

/* The noise of a plane: `variance` where it is known, else from the plane itself. */
static void find_noise(SlContext *context, Filter *f, const float *plane, const float *variance,
                       float *noise)
{
    if (variance == NULL) {
        f->source = plane;
        sl_parallel_for(context->pool, f->job->height, 8, raw_noise_rows, f);
    }
    f->source = variance != NULL ? variance : f->raw;
    f->target = noise;
    sl_parallel_for(context->pool, f->job->height, 8, smooth_noise_rows, f);
}

/* --- Tiles. --- */

/* A factor below 1 for a pixel that outshines all its neighbours but one, where its own variance
   explains it: a rare bright sample, not a glint that all samples see. */
static float firefly_factor(const Filter *f, size_t x, size_t y)
{
    const float margin = 1.5f;
    const SlDenoiseJob *job = f->job;
    size_t self = y * job->width + x;
    float own = luminance(f->light + 3 * self), first = 0, second = 0;
    if (f->variance == NULL || job->width < 3 || job->height < 3) /* too few to compare with */
        return 1;
    for (ptrdiff_t v = -1; v <= 1; v++)
        for (ptrdiff_t u = -1; u <= 1; u++) {
            size_t at = pixel_at(job, (ptrdiff_t)x + u, (ptrdiff_t)y + v);
            float light = at != self ? luminance(f->light + 3 * at) : 0;
            second = light > first ? first : light > second ? light : second;
            first = light > first ? light : first;
        }
    float over = own - margin * second;
    return over > 0 && over * over < 16 * f->variance[self] ? margin * second / own : 1;
}

static void gather_pixel(const Filter *f, SlDenoiseTile *tile, size_t at, size_t x, size_t y)
{
    const SlDenoiseJob *job = f->job;
    size_t pixel = y * job->width + x;
    float factor = firefly_factor(f, x, y), light = luminance(f->light + 3 * pixel);
    for (size_t k = 0; k < 3; k++) {
        tile->color[k][at] = factor * f->light[3 * pixel + k];
        tile->albedo[k][at] = job->albedo != NULL ? job->albedo[3 * pixel + k] : 0;
        tile->normal[k][at] = job->normal != NULL ? job->normal[3 * pixel + k] : 0;
    }
    /* A hundredth of the light is never a difference. */
    tile->color_noise[at] = f->noise[0][pixel] + 1e-4f * light * light + 1e-10f;
    tile->albedo_noise[at] = job->albedo != NULL ? f->noise[1][pixel] : 0;
    tile->normal_noise[at] = job->normal != NULL ? f->noise[2][pixel] : 0;
}

static void filter_tile(const Filter *f, SlDenoiseTile *tile, size_t number)
{
    const SlDenoiseJob *job = f->job;
    size_t left = number % f->tiles_x * TILE, top = number / f->tiles_x * TILE;
    for (size_t y = 0; y < SIDE; y++)
        for (size_t x = 0; x < SIDE; x++)
            gather_pixel(f, tile, y * SIDE + x,
                         clamp_to((ptrdiff_t)(left + x) - BORDER, job->width),
                         clamp_to((ptrdiff_t)(top + y) - BORDER, job->height));
    f->kernels->average(tile);
    for (size_t y = 0; y < TILE && top + y < job->height; y++)
        for (size_t x = 0; x < TILE && left + x < job->width; x++) {
            size_t pixel = (top + y) * job->width + left + x, at = y * TILE + x;
            float divisor[3];
            divisor_of(job, pixel, divisor);
            for (size_t k = 0; k < 3; k++)
                job->output[3 * pixel + k] = divisor[k] * tile->sum[k][at] / tile->sum[3][at];
        }
}

/* A slot does every slots-th tile in its own memory; which tiles those are does not matter. */
static void filter_slots(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Filter *f = argument;
    for (size_t slot = begin; slot < end; slot++)
        for (size_t number = slot; number < f->tile_count; number += f->slots)
            filter_tile(f, &f->tiles[slot], number);
}

SlStatus sl_denoise_filter(SlContext *context, const SlDenoiseJob *job, SlError *error)
{
    enum { MAX_SLOTS = 64 };
    Filter f = {.job = job, .kernels = SL_KERNELS(context->isa, sl_denoise_kernels)};
    size_t pixels = (size_t)job->width * job->height;
    f.tiles_x = (job->width + TILE - 1) / TILE;
    f.tile_count = f.tiles_x * ((job->height + TILE - 1) / TILE);
    f.slots = f.tile_count < MAX_SLOTS ? f.tile_count : MAX_SLOTS;
    SlArena *arena = &context->arena;
    SlArenaMark mark = sl_arena_mark(arena);
    f.light = SL_PUSH(arena, float, 3 * pixels);
    f.variance = job->variance != NULL ? SL_PUSH(arena, float, pixels) : NULL;
    f.raw = SL_PUSH(arena, float, pixels);
    for (int k = 0; k < 3; k++)
        f.noise[k] = SL_PUSH(arena, float, pixels);
    f.tiles = SL_PUSH(arena, SlDenoiseTile, f.slots);
    SlStatus status = SL_OK;
    if (f.light == NULL || (f.variance == NULL && job->variance != NULL) || f.raw == NULL || f.noise[0] == NULL || f.noise[1] == NULL || f.noise[2] == NULL ||
        f.tiles == NULL)
        status = sl_error_set(error, SL_ERROR_MEMORY, "no memory to denoise a picture of %u × %u "
                              "pixels", job->width, job->height);
    if (status == SL_OK) {
        memset(f.tiles, 0, f.slots * sizeof *f.tiles); /* also what lies past the last row */
        sl_parallel_for(context->pool, job->height, 8, divide_rows, &f);
        find_noise(context, &f, f.light, f.variance, f.noise[0]);
        if (job->albedo != NULL)
            find_noise(context, &f, job->albedo, NULL, f.noise[1]);
        if (job->normal != NULL)
            find_noise(context, &f, job->normal, NULL, f.noise[2]);
        sl_parallel_for(context->pool, f.slots, 1, filter_slots, &f);
    }
    sl_arena_release(arena, mark);
    return status;
}
