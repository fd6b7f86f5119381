/* Caustics: the sun's light that the water's surface refracts onto the ground. The surface as the sun
   sees it is the liquids' shadow map, made coarser and smoothed. Each of its pixels sends its light by
   Snell's law to the ground, where it is added up as a soft disc: a flat surface gives an even floor, a
   curved one bright lines. Light that was absorbed on the way is missing. */
#include <string.h>

#include "core/context.h"
#include "render/water/water.h"

enum { ROWS = 8, SMOOTHING_PARTICLES = 8, SMOOTHING_MESH = 3 };
#define PI 3.14159265f
#define DISC 2.1f /* radius of a photon's disc in pixels of the ground's map */

static size_t sun_at(const SlWaterFrame *f, size_t x, size_t y)
{
    return (y + SL_MARGIN) * f->cover.stride + x + SL_MARGIN;
}

/* --- The surface seen from the sun. --- */

/* Means of the texels that show water; those far behind the nearest belong to something else. */
static void coarsen_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const SlWaterFrame *f = argument;
    const SlShadow *shadow = &f->liquid->shadow;
    for (size_t y = begin; y < end; y++)
        for (size_t x = 0; x < f->cover.width; x++) {
            float nearest = SL_DEPTH_NONE, sum = 0, count = 0;
            for (size_t k = 0; k < 2; k++)
                for (size_t pass = 0, j = 0; pass < 4; pass++) {
                    j = (SL_WATER_COARSE * y + pass / 2 + SL_MARGIN) * shadow->stride +
                        SL_WATER_COARSE * x + pass % 2 + SL_MARGIN;
                    float z = shadow->depth[j];
                    if (k == 0)
                        nearest = z < nearest ? z : nearest;
                    else if (z < nearest + f->spacing && z < SL_DEPTH_NONE) {
                        sum += z;
                        count++;
                    }
                }
            f->sun_depth[sun_at(f, x, y)] = count > 0 ? sum / count : SL_DEPTH_NONE;
        }
}

typedef struct Blur {
    const SlWaterFrame *frame;
    const float *in;
    float *out;
    ptrdiff_t step;
} Blur;

/* 1 4 6 4 1 over neighbours of the same surface. */
static void blur_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Blur *blur = argument;
    const SlWaterFrame *f = blur->frame;
    static const float weight[5] = {1, 4, 6, 4, 1};
    const float range = 1.5f * f->spacing;
    for (size_t y = begin; y < end; y++)
        for (size_t x = 0; x < f->cover.width; x++) {
            const float *at = blur->in + sun_at(f, x, y);
            float sum = 0, total = 0;
            if (*at < SL_DEPTH_NONE)
                for (int k = -2; k <= 2; k++) {
                    float z = at[k * blur->step], w = fabsf(z - *at) < range ? weight[k + 2] : 0;
                    sum += w * (w > 0 ? z : 0);
                    total += w;
                }
            blur->out[sun_at(f, x, y)] = total > 0 ? sum / total : SL_DEPTH_NONE;
        }
}

/* --- Photons. --- */

/* Half the difference of the neighbours, of one where the other is not the same surface. */
static float slope_of(const float *at, ptrdiff_t step, float range)
{
    float low = *at - at[-step], high = at[step] - *at;
    bool use_low = fabsf(low) < range, use_high = fabsf(high) < range;
    return use_low && use_high ? 0.5f * (low + high) : use_low ? low : use_high ? high : 0;
}

static void photon_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    SlWaterFrame *f = argument;
    const SlShadow *shadow = &f->back->shadow;
    const float texel = SL_WATER_COARSE * shadow->texel, eta = 1 / f->look.index;
    const SlVec3 sun = sl_scale(shadow->rays.direction, -1); /* unit, to the sun */
    const SlVec3 u = sl_scale(shadow->rays.origin_x, 1 / shadow->texel);
    const SlVec3 v = sl_scale(shadow->rays.origin_y, 1 / shadow->texel);
    const float flux = texel * texel * f->map_scale * f->map_scale; /* in pixels of the map */
    const float height = 3 * flux / (PI * DISC * DISC * fmaxf(sun.y, 0.05f));
    const float absorbed = 0.3f * f->look.absorption.x + 0.4f * f->look.absorption.y +
                           0.3f * f->look.absorption.z;
    for (size_t y = begin; y < end; y++)
        for (size_t x = 0; x < f->cover.width; x++) {
            const float *at = f->sun_depth + sun_at(f, x, y);
            size_t k = y * f->cover.width + x;
            f->caustic.rect[k] = (SlRect){0, 0, -1, -1};
            if (!(*at < SL_DEPTH_NONE))
                continue;
            /* Depth d over (u, v) along -sun: the normal is sun + d_u u + d_v v. */
            float d_u = slope_of(at, 1, f->spacing) / texel;
            float d_v = slope_of(at, (ptrdiff_t)f->cover.stride, f->spacing) / texel;
            SlVec3 n = sl_unit(sl_add(sun, sl_add(sl_scale(u, d_u), sl_scale(v, d_v))));
            SlVec3 p = sl_add(sl_add(shadow->rays.origin, sl_scale(sun, -*at)),
                              sl_add(sl_scale(u, ((float)x + 0.5f) * texel),
                                     sl_scale(v, ((float)y + 0.5f) * texel)));
            float cosine = fminf(fmaxf(sl_dot(n, sun), 0.05f), 1);
            float inner = sqrtf(1 - eta * eta * (1 - cosine * cosine));
            SlVec3 t = sl_add(sl_scale(sun, -eta), sl_scale(n, eta * cosine - inner));
            float drop = p.y - f->look.ground_y, way = t.y < -0.05f ? drop / -t.y : -1;
            if (!(drop > 0.25f * f->spacing && way > 0))
                continue;
            float rest = 1 - cosine, fresnel = 0.02f + 0.98f * rest * rest * rest * rest * rest;
            sl_water_set_disc(&f->caustic, k, (p.x + way * t.x - f->map_x) * f->map_scale,
                              (p.z + way * t.z - f->map_z) * f->map_scale, DISC,
                              height * (1 - fresnel) * expf(-absorbed * way));
        }
}

SlStatus sl_water_caustics(SlContext *context, SlArena *arena, SlWaterFrame *frame, SlError *error)
{
    size_t height = frame->cover.height, count = (size_t)frame->cover.width * height;
    if (!sl_water_push_discs(arena, &frame->caustic, count, false))
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for %zu photons", count);
    sl_parallel_for(context->pool, height, ROWS, coarsen_chunk, frame);
    int rounds = frame->meshed ? SMOOTHING_MESH : SMOOTHING_PARTICLES;
    for (int k = 0; k < rounds; k++) {
        Blur along_x = {frame, frame->sun_depth, frame->sun_scratch, 1};
        Blur along_y = {frame, frame->sun_scratch, frame->sun_depth, (ptrdiff_t)frame->cover.stride};
        sl_parallel_for(context->pool, height, ROWS, blur_chunk, &along_x);
        sl_parallel_for(context->pool, height, ROWS, blur_chunk, &along_y);
    }
    sl_parallel_for(context->pool, height, ROWS, photon_chunk, frame);
    if (!sl_water_bin_discs(context->pool, arena, &frame->caustic))
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for %zu photons", count);
    return SL_OK;
}
