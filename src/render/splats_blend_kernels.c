/* The transparent style: every sphere covers what is behind it by the same part, its colour lit by
   the key light and the sky. "Over" is associative, so spheres are laid front to back with the part
   that still shines through; the picture is that of blending back to front, and a tile can stop
   when nothing shines through any more. */
#include "core/simd.h"
#include "render/splats_lanes.h"

enum { LOOK_EVERY = 64 };

static float most_through(const float *through)
{
    F8 most = f8(0);
    for (int y = 0; y < SL_TILE; y++)
        for (int x = 0; x < SL_TILE; x += 8)
            most = f8_max(most, f8_load(through + y * SL_TILE_STRIDE + x));
    return f8_most(most);
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
    /* A small highlight towards the light: the half vector of a far eye is close to it. */
    F8 shine = f8_max(f8x3_dot(n, spread(sl_unit(sl_add(look->to_light, sl_vec3(0, 0, -1))))),
                      f8(0));
    shine = shine * shine;
    shine = shine * shine;
    shine = shine * shine;
    shine = shine * shine;
    shine = shine * shine * f8(0.25f * sphere->lit);
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
    size_t begin = frame->bins.start[tile], end = frame->bins.start[tile + 1];
    for (size_t k = begin; k < end; k++) {
        if ((k - begin) % LOOK_EVERY == LOOK_EVERY - 1 &&
            most_through(blend + 3 * SL_TILE_SIZE) < 1.0f / 1024)
            break;
        uint32_t self = frame->bins.item[k];
        Sphere sphere = {frame->record + 4 * (size_t)self, unpack_color(u8(frame->color[self])),
                         frame->shadow.size > 0 ? frame->particle_lit[self] : 1.0f};
        blend_sphere(frame, &sphere, slopes, within_tile(frame->rect[self], left, top), z, blend);
    }
}

SL_KERNEL_TABLE(SlBlendKernels, sl_blend_kernels) = {blend_plane};
