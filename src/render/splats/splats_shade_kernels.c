/* Light of every sample, their mean, and the pixel: key light with shadow, sky and bounced light with
   occlusion, a highlight, a rim that reflects the sky, the ground that fades into the background; then
   tone curve and sRGB.

   In the transparent style every sphere covers the same fraction of the light behind it. "Over" is
   associative, so spheres are blended front to back with the fraction that is still let through; the
   result is that of blending back to front, and a tile can stop when nothing is let through. */
#include "core/simd.h"
#include "render/splats/splats_lanes.h"
#include "render/stage/sky_lanes.h"

/* --- Surfaces. --- */

static inline F8x3 background(const SlSplatFrame *frame, float y)
{
    F8 t = smooth(f8(y / (float)frame->height));
    return mix(spread(frame->look.top), spread(frame->look.bottom), t);
}

/* Light at the pixel's first sample, for another sample of it: from this pixel and its four
   neighbours, weighted by how near its depth is. */
static void spread_light(const SlSplatFrame *frame, size_t at, F8 z, F8 *sky, F8 *key)
{
    const ptrdiff_t stride = (ptrdiff_t)frame->stride, step[5] = {0, -1, 1, -stride, stride};
    F8 sharp = f8(1) / (f8(0.5f * frame->look.particle_radius) + f8(0.002f) * z);
    F8 own = f8_abs(f8_load(frame->depth + at) - z) * sharp;
    if (i8_bits(own < f8(0.4f)) == 0xff) { /* the common case */
        *sky = f8_load(frame->occlusion + at);
        *key = f8_load(frame->lit + at);
        return;
    }
    F8 weight = f8(0), sum_sky = f8(0), sum_key = f8(0);
    for (int k = 0; k < 5; k++) {
        size_t other = (size_t)((ptrdiff_t)at + step[k]);
        F8 apart = f8_abs(f8_load(frame->depth + other) - z) * sharp;
        F8 w = f8(k == 0 ? 2 : 1) / (f8(1) + apart * apart * apart * apart);
        sum_sky = f8_fma(w, f8_load(frame->occlusion + other), sum_sky);
        sum_key = f8_fma(w, f8_load(frame->lit + other), sum_key);
        weight = weight + w;
    }
    /* No neighbour at its depth (a single drop): not occluded. */
    F8 rest = f8_max(f8(1e-3f) - weight, f8(0));
    weight = weight + rest;
    *sky = (sum_sky + rest) / weight;
    *key = (sum_key + rest) / weight;
}

/* Pale squares, and how much of the ground is left at that distance from the scene. */
static F8x3 ground_albedo(const SlSplatFrame *frame, F8x3 p, F8x3 albedo, F8 *left)
{
    const SlLook *look = &frame->look;
    const SlCameraFrame *c = &frame->camera;
    F8 x = f8(c->eye.x) + p.x * f8(c->right.x) + p.y * f8(c->up.x) + p.z * f8(c->forward.x);
    F8 z = f8(c->eye.z) + p.x * f8(c->right.z) + p.y * f8(c->up.z) + p.z * f8(c->forward.z);
    F8 dx = x - f8(look->center.x), dz = z - f8(look->center.z);
    F8 away = f8_sqrt(dx * dx + dz * dz) * f8(1 / look->fade);
    *left = f8(1) - smooth((away - f8(0.12f)) * f8(1 / 0.88f));
    F8 u = dx * f8(1 / look->checker) + f8(4096), v = dz * f8(1 / look->checker) + f8(4096);
    I8 odd = (i8_from_f8(f8_max(u, f8(0))) + i8_from_f8(f8_max(v, f8(0)))) & 1;
    /* Squares of a few pixels would shimmer: they fade first. */
    F8 contrast = f8(0.09f) * (f8(1) - smooth(away * f8(2.2f)));
    return scaled(albedo, f8_select(odd != 0, f8(1) - contrast, f8(1)));
}

/* Tiles with joints; each tile has its own shade. Joints narrower than a pixel fade by how much of it
   they cover. */
static F8x3 tile_albedo(const SlSplatFrame *frame, F8x3 p, F8x3 albedo, F8 *left)
{
    const SlLook *look = &frame->look;
    F8x3 up = spread(look->up), east = spread(look->dome.east), north = spread(look->dome.north);
    const SlCameraFrame *c = &frame->camera;
    F8 x = f8x3_dot(p, east) + f8(c->eye.x - look->center.x);
    F8 z = f8x3_dot(p, north) + f8(c->eye.z - look->center.z);
    F8 distance = f8_sqrt(f8x3_dot(p, p)), steep = f8_abs(f8x3_dot(p, up)) / distance;
    F8 away = f8_sqrt(x * x + z * z) * f8(1 / look->fade);
    *left = f8(1) - smooth((away - f8(0.2f)) * f8(1.25f));
    F8 scale = f8(1 / look->checker), footprint = distance * scale * f8(1 / c->focal);
    F8 wide = footprint / f8_max(steep, f8(0.02f)); /* away from the eye; across it is `footprint` */
    wide = f8(0.5f) * (wide + footprint);
    F8 u = f8_fma(x, scale, f8(4096.5f)), v = f8_fma(z, scale, f8(4096.5f));
    u = f8_min(f8_max(u, f8(0)), f8(8192));
    v = f8_min(f8_max(v, f8(0)), f8(8192));
    I8 iu = i8_from_f8(u), iv = i8_from_f8(v);
    F8 fu = u - f8_from_i8(iu), fv = v - f8_from_i8(iv);
    F8 near = f8_min(f8_min(fu, f8(1) - fu), f8_min(fv, f8(1) - fv));
    F8 half = f8(0.011f), joint = clamp01((half - near) / f8_max(wide, f8(1e-4f)) + f8(0.5f));
    joint = joint * f8_min(f8(1), f8(0.022f) / f8_max(wide, f8(1e-4f)));
    U8 h = (U8)iu * u8(0x9e3779b1u) ^ (U8)iv * u8(0x85ebca77u);
    h = (h ^ h >> 15) * u8(0x2c1b3c6du);
    F8 shade = f8_from_i8((I8)(h >> 8 & u8(1023))) * f8(1 / 1023.0f) - f8(0.5f);
    shade = shade * f8_min(f8(1), f8(0.25f) / f8_max(wide, f8(1e-4f)));
    return scaled(albedo, (f8(1) + f8(0.16f) * shade) * (f8(1) - f8(0.62f) * joint));
}

static F8x3 surface(const SlSplatFrame *frame, F8x3 p, F8x3 n, F8x3 albedo, I8 particle, F8 sky,
                    F8 key)
{
    const SlLook *look = &frame->look;
    F8x3 to_light = spread(look->to_light);
    F8 inverse = f8(-1) / f8_sqrt(f8x3_dot(p, p));
    F8x3 eye = scaled(p, inverse), half = along(to_light, f8(1), eye);
    F8 facing = f8x3_dot(n, to_light), soft = f8_keep(particle, f8(0.15f));
    F8 diffuse = f8_max((facing + soft) / (f8(1) + soft), f8(0)) * key;
    F8 up = f8_fma(f8x3_dot(n, spread(look->up)), f8(0.5f), f8(0.5f));
    F8x3 light = scaled(mix(spread(look->bounce), spread(look->sky), up), sky);
    light = along(light, diffuse, spread(look->key));
    F8 shine = f8_max(f8x3_dot(n, half), f8(0)) / f8_sqrt(f8x3_dot(half, half));
    for (int k = 0; k < 5; k++) /* power 32 */
        shine = shine * shine;
    F8 rim = f8(1) - clamp01(f8x3_dot(n, eye));
    rim = rim * rim * rim * f8_keep(particle, f8(0.35f)) * sky;
    shine = shine * key * f8_select(particle, f8(0.16f), f8(0.08f));
    F8x3 color = {albedo.x * light.x, albedo.y * light.y, albedo.z * light.z};
    color = along(color, shine, spread(look->key));
    return along(color, rim * up, spread(look->sky));
}

/* Light of eight samples. */
static F8x3 sample_light(const SlSplatFrame *frame, size_t in, size_t row_at, uint32_t sample, F8 a,
                         float b, F8x3 behind)
{
    U8 packed = u8_load(frame->normal + in), material = packed >> 30;
    I8 something = (I8)(material != u8(SL_PIXEL_NONE));
    if (i8_bits(something) == 0)
        return behind;
    F8 z = f8_select(something, f8_load(frame->z + in), f8(1)), sky, key;
    F8x3 p = {a * z, f8(b) * z, z}, albedo = unpack_color(u8_load(frame->id + in));
    if (sample == 0) {
        sky = f8_load(frame->occlusion + row_at);
        key = f8_load(frame->lit + row_at);
    } else {
        spread_light(frame, row_at, z, &sky, &key);
    }
    F8 left = f8(1);
    I8 ground = (I8)(material == u8(SL_PIXEL_GROUND));
    if (i8_bits(ground) != 0) {
        F8 ground_left;
        F8x3 squares = frame->look.outdoor ? tile_albedo(frame, p, albedo, &ground_left)
                                           : ground_albedo(frame, p, albedo, &ground_left);
        left = f8_select(ground, ground_left, left);
        albedo = (F8x3){f8_select(ground, squares.x, albedo.x),
                        f8_select(ground, squares.y, albedo.y),
                        f8_select(ground, squares.z, albedo.z)};
    }
    F8x3 color = surface(frame, p, unpack_normal(packed), albedo,
                         (I8)(material == u8(SL_PIXEL_PARTICLE)), sky, key);
    return mix(behind, color, f8_keep(something, left));
}

static void shade_plane(const SlSplatFrame *frame, size_t tile, uint32_t sample, const float *blend,
                        float *sum)
{
    Slopes slopes = tile_slopes(frame, tile, sample);
    size_t plane = sl_tile_plane(frame, tile, sample);
    size_t origin = sl_tile_origin(tile, frame->tiles_x, frame->stride);
    size_t tile_row = tile / frame->tiles_x;
    float top = (float)(tile_row * SL_TILE) + frame->offset_y[sample];
    for (int y = 0; y < SL_TILE; y++) {
        F8x3 behind = background(frame, top + (float)y);
        for (int x = 0; x < SL_TILE; x += 8) {
            size_t at = (size_t)y * SL_TILE_STRIDE + (size_t)x;
            if (frame->look.outdoor) {
                F8 a = slopes_a(slopes, x);
                behind = sky_light_of(&frame->look.dome, (F8x3){a, f8(slopes_b(slopes, y)), f8(1)});
            }
            F8x3 c = sample_light(frame, plane + at, origin + (size_t)y * frame->stride + (size_t)x,
                                  sample, slopes_a(slopes, x), slopes_b(slopes, y), behind);
            if (blend != NULL) {
                F8 through = f8_load(blend + at + 3 * SL_TILE_SIZE);
                F8x3 front = {f8_load(blend + at), f8_load(blend + at + SL_TILE_SIZE),
                              f8_load(blend + at + 2 * SL_TILE_SIZE)};
                c = along(front, through, c);
            }
            f8_store(sum + at, f8_load(sum + at) + c.x);
            f8_store(sum + at + SL_TILE_SIZE, f8_load(sum + at + SL_TILE_SIZE) + c.y);
            f8_store(sum + at + 2 * SL_TILE_SIZE, f8_load(sum + at + 2 * SL_TILE_SIZE) + c.z);
        }
    }
}

/* Linear light of a row of pixels for the target: three floats each. */
static void store_color(float *out, F8 light[3], uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < 3; k++)
            out[3 * i + k] = light[k][i];
}

/* The mean light of a tile's samples as 8-bit sRGB, and as floats where the job asks for them. */
static void store_pixels(const SlSplatFrame *frame, size_t tile, const float *sum)
{
    uint32_t left = (uint32_t)(tile % frame->tiles_x) * SL_TILE;
    uint32_t top = (uint32_t)(tile / frame->tiles_x) * SL_TILE;
    uint32_t right = left + SL_TILE < frame->width ? left + SL_TILE : frame->width;
    uint32_t bottom = top + SL_TILE < frame->height ? top + SL_TILE : frame->height;
    F8 mean = f8(1 / (float)frame->samples), last = f8(SL_TONE_SIZE - 1);
    for (uint32_t y = top; y < bottom; y++)
        for (uint32_t x = left; x < right; x += 8) {
            size_t at = (size_t)y * frame->width + x;
            uint32_t count = x + 8 < right ? 8 : right - x;
            int32_t index[3][8];
            F8 light[3];
            for (int k = 0; k < 3; k++) {
                light[k] = f8_load(sum + k * SL_TILE_SIZE +
                                   (int)((y - top) * SL_TILE_STRIDE + x - left)) * mean;
                F8 root = f8_sqrt(f8_max(light[k], f8(0)));
                I8 entry = i8_from_f8(f8_min(root * f8((SL_TONE_SIZE - 1) / SL_TONE_ROOT), last));
                memcpy(index[k], &entry, sizeof entry);
            }
            if (frame->light != NULL)
                store_color(frame->light + 3 * at, light, count);
            for (uint32_t i = 0; i < count; i++) {
                uint8_t *pixel = frame->pixels + 3 * (at + i);
                float noise = sl_dither(x + i, y);
                for (int k = 0; k < 3; k++)
                    pixel[k] = (uint8_t)(frame->tone[index[k][i]] + noise);
            }
        }
}

/* --- The transparent style. --- */

enum { BLOCK = 8, BLOCKS = SL_TILE / BLOCK, REFRESH = 24 /* spheres blended between two updates of Open */ };
#define NOTHING (1.0f / 512) /* of what is behind: below a step of 8 bits */

typedef struct Open {
    bool block[BLOCKS][BLOCKS], any;
} Open;

/* Which 8 × 8 blocks still let light through. */
static void find_open(const float *through, Open *open)
{
    open->any = false;
    for (int by = 0; by < BLOCKS; by++)
        for (int bx = 0; bx < BLOCKS; bx++) {
            F8 max_through = f8(0);
            for (int y = 0; y < BLOCK; y++)
                max_through =
                    f8_max(max_through,
                           f8_load(through + (by * BLOCK + y) * SL_TILE_STRIDE + bx * BLOCK));
            open->block[by][bx] = f8_horizontal_max(max_through) > NOTHING;
            open->any |= open->block[by][bx];
        }
}

static bool hidden(const Open *open, SlRect r)
{
    for (int by = r.y0 / BLOCK; by <= r.y1 / BLOCK; by++)
        for (int bx = r.x0 / BLOCK; bx <= r.x1 / BLOCK; bx++)
            if (open->block[by][bx])
                return false;
    return true;
}

typedef struct Sphere {
    const float *record;
    F8x3 albedo;
    float lit;
} Sphere;

static inline F8x3 sphere_light(const SlLook *look, const Sphere *sphere, F8x3 n)
{
    F8 facing = f8x3_dot(n, spread(look->to_light));
    F8 diffuse = f8_max((facing + f8(0.3f)) * f8(1 / 1.3f), f8(0)) * f8(sphere->lit);
    F8 up = f8_fma(f8x3_dot(n, spread(look->up)), f8(0.5f), f8(0.5f));
    F8x3 light = along(scaled(spread(look->bounce), f8(1) - up), up, spread(look->sky));
    light = along(light, diffuse, spread(look->key));
    F8 shine = f8_max(f8x3_dot(n, spread(look->half)), f8(0));
    for (int k = 0; k < 5; k++) /* power 32 */
        shine = shine * shine;
    shine = shine * f8(0.25f * sphere->lit);
    F8x3 color = {light.x * sphere->albedo.x, light.y * sphere->albedo.y,
                  light.z * sphere->albedo.z};
    return along(color, shine, spread(look->key));
}

static void blend_sphere(const SlSplatFrame *frame, const Sphere *sphere, Slopes slopes, SlRect r,
                         const float *z, float *blend)
{
    const float *c = sphere->record;
    F8 opacity = f8(frame->look.opacity), inverse = f8(1 / c[3]);
    for (int y = r.y0; y <= r.y1; y++) {
        float b = slopes_b(slopes, y);
        SphereRow row = sphere_row(c, b);
        for (int x = r.x0; x <= r.x1; x += 8) {
            F8 inside, a = slopes_a(slopes, x), hit = sphere_hit(&row, a, &inside);
            int at = y * SL_TILE_STRIDE + x;
            I8 mask = (inside > f8(0)) & (hit < f8_load(z + at));
            if (i8_bits(mask) == 0)
                continue;
            F8x3 n = scaled((F8x3){f8_fma(a, hit, f8(-c[0])), f8_fma(f8(b), hit, f8(-c[1])),
                                   hit - f8(c[2])},
                            inverse);
            F8x3 color = sphere_light(&frame->look, sphere, n);
            float *red = blend + at, *through = red + 3 * SL_TILE_SIZE;
            F8 open = f8_load(through), part = f8_keep(mask, open * opacity);
            f8_store(red, f8_fma(part, color.x, f8_load(red)));
            f8_store(red + SL_TILE_SIZE, f8_fma(part, color.y, f8_load(red + SL_TILE_SIZE)));
            f8_store(red + 2 * SL_TILE_SIZE,
                     f8_fma(part, color.z, f8_load(red + 2 * SL_TILE_SIZE)));
            f8_store(through, open - part);
            I8 crossed = (open >= f8(0.5f)) & (open - part < f8(0.5f));
            float *half = red + 4 * SL_TILE_SIZE;
            f8_store(half, f8_select(crossed, hit, f8_load(half)));
        }
    }
}

static void blend_plane(const SlSplatFrame *frame, size_t tile, uint32_t sample, float *blend)
{
    Slopes slopes = tile_slopes(frame, tile, sample);
    const float *z = frame->z + sl_tile_plane(frame, tile, sample);
    int left = (int)(tile % frame->tiles_x) * SL_TILE, top = (int)(tile / frame->tiles_x) * SL_TILE;
    for (int k = 0; k < 4 * SL_TILE_SIZE; k++)
        blend[k] = k < 3 * SL_TILE_SIZE ? 0.0f : 1.0f;
    memcpy(blend + 4 * SL_TILE_SIZE, z, SL_TILE_SIZE * sizeof *z);
    Open open;
    find_open(blend + 3 * SL_TILE_SIZE, &open);
    int blended = 0;
    for (size_t k = frame->bins.start[tile]; k < frame->bins.start[tile + 1] && open.any; k++) {
        uint32_t self = frame->bins.item[k];
        SlRect r = within_tile(frame->rect[self], left, top);
        if (hidden(&open, r))
            continue;
        Sphere sphere = {frame->record + 4 * (size_t)self, unpack_color(u8(frame->color[self])),
                         frame->shadow.size > 0 ? frame->particle_lit[self] : 1.0f};
        blend_sphere(frame, &sphere, slopes, r, z, blend);
        if (++blended == REFRESH) {
            find_open(blend + 3 * SL_TILE_SIZE, &open);
            blended = 0;
        }
    }
}

SL_KERNEL_TABLE(SlShadeKernels, sl_shade_kernels) = {blend_plane, shade_plane, store_pixels};
