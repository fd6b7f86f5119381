/* The transparent style: every sphere covers what is behind it by the same part, its colour lit by
   the key light and the sky. "Over" is associative, so spheres are laid front to back with the part
   that still shines through; the picture is that of blending back to front, and a tile can stop
   when nothing shines through any more. */
#include "core/simd.h"
#include "render/splats/splats_lanes.h"

enum { BLOCK = 8, BLOCKS = SL_TILE / BLOCK, REFRESH = 24 /* spheres laid between two looks */ };
#define NOTHING (1.0f / 512) /* of what is behind: below a step of 8 bits */

typedef struct Open {
    bool block[BLOCKS][BLOCKS], any;
} Open;

/* Which 8 × 8 blocks still let something through. */
static void look_for_open(const float *through, Open *open)
{
    open->any = false;
    for (int by = 0; by < BLOCKS; by++)
        for (int bx = 0; bx < BLOCKS; bx++) {
            F8 most = f8(0);
            for (int y = 0; y < BLOCK; y++)
                most = f8_max(most, f8_load(through + (by * BLOCK + y) * SL_TILE_STRIDE +
                                            bx * BLOCK));
            open->block[by][bx] = f8_horizontal_max(most) > NOTHING;
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

static inline F8x3 shade(const SlLook *look, const Sphere *sphere, F8x3 n)
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
            F8x3 color = shade(&frame->look, sphere, n);
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
    look_for_open(blend + 3 * SL_TILE_SIZE, &open);
    int laid = 0;
    for (size_t k = frame->bins.start[tile]; k < frame->bins.start[tile + 1] && open.any; k++) {
        uint32_t self = frame->bins.item[k];
        SlRect r = within_tile(frame->rect[self], left, top);
        if (hidden(&open, r))
            continue;
        Sphere sphere = {frame->record + 4 * (size_t)self, unpack_color(u8(frame->color[self])),
                         frame->shadow.size > 0 ? frame->particle_lit[self] : 1.0f};
        blend_sphere(frame, &sphere, slopes, r, z, blend);
        if (++laid == REFRESH) {
            look_for_open(blend + 3 * SL_TILE_SIZE, &open);
            laid = 0;
        }
    }
}

SL_KERNEL_TABLE(SlBlendKernels, sl_blend_kernels) = {blend_plane};
