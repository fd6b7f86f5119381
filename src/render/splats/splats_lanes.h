/* Eight-wide pieces that several splat kernels share. Only for *_kernels.c, after core/simd.h. */
#ifndef RENDER_SPLATS_SPLATS_LANES_H
#define RENDER_SPLATS_SPLATS_LANES_H

#include "render/splats/splats.h"

SL_INLINE F8 lane_numbers(void)
{
    return (F8){0, 1, 2, 3, 4, 5, 6, 7};
}

SL_INLINE F8x3 spread(SlVec3 v)
{
    return (F8x3){f8(v.x), f8(v.y), f8(v.z)};
}

SL_INLINE F8x3 scaled(F8x3 a, F8 s)
{
    return (F8x3){a.x * s, a.y * s, a.z * s};
}

/* a + s b */
SL_INLINE F8x3 along(F8x3 a, F8 s, F8x3 b)
{
    return (F8x3){f8_fma(s, b.x, a.x), f8_fma(s, b.y, a.y), f8_fma(s, b.z, a.z)};
}

SL_INLINE U8 u8_select(U8 mask, U8 yes, U8 no)
{
    return (yes & mask) | (no & ~mask);
}

SL_INLINE F8 gather_f8(const float *base, I8 index)
{
#ifdef __AVX2__
    return (F8)_mm256_i32gather_ps(base, (__m256i)index, 4);
#else
    F8 a;
    for (int k = 0; k < 8; k++)
        a[k] = base[index[k]];
    return a;
#endif
}

SL_INLINE U8 gather_u8(const uint32_t *base, U8 index)
{
    return (U8)gather_f8((const float *)(const void *)base, (I8)index);
}

SL_INLINE F8 clamp01(F8 a)
{
    return f8_min(f8_max(a, f8(0)), f8(1));
}

/* Ten bits a component, the material above them. */
SL_INLINE U8 pack_component(F8 n)
{
    return (U8)i8_from_f8(f8_fma(f8_min(f8_max(n, f8(-1)), f8(1)), f8(511.5f), f8(512)));
}

SL_INLINE U8 pack_normal(F8x3 n, uint32_t material)
{
    return pack_component(n.x) | pack_component(n.y) << 10 | pack_component(n.z) << 20 |
           u8(material << 30);
}

SL_INLINE F8 unpack_component(U8 bits)
{
    return (f8_from_i8((I8)(bits & u8(1023))) - f8(511.5f)) * f8(1 / 511.5f);
}

SL_INLINE F8x3 unpack_normal(U8 packed)
{
    return (F8x3){unpack_component(packed), unpack_component(packed >> 10),
                  unpack_component(packed >> 20)};
}

SL_INLINE F8x3 unpack_color(U8 packed)
{
    F8 scale = f8(1 / 255.0f);
    F8 r = f8_from_i8((I8)(packed & u8(255))) * scale;
    F8 g = f8_from_i8((I8)(packed >> 8 & u8(255))) * scale;
    F8 b = f8_from_i8((I8)(packed >> 16 & u8(255))) * scale;
    return (F8x3){r * r, g * g, b * b};
}

/* Slopes of the rays of one sample of a tile: a grows with x, b falls with y. */
typedef struct Slopes {
    float a, b, step;
} Slopes;

SL_INLINE Slopes tile_slopes(const SlSplatFrame *frame, size_t tile, uint32_t sample)
{
    float x = (float)(tile % frame->tiles_x * SL_TILE) + frame->offset_x[sample];
    size_t tile_row = tile / frame->tiles_x;
    float y = (float)(tile_row * SL_TILE) + frame->offset_y[sample];
    float step = 1 / frame->camera.focal;
    return (Slopes){(x - frame->camera.center_x) * step, (frame->camera.center_y - y) * step, step};
}

SL_INLINE F8 slopes_a(Slopes slopes, int x)
{
    return f8_fma(f8((float)x) + lane_numbers(), f8(slopes.step), f8(slopes.a));
}

SL_INLINE float slopes_b(Slopes slopes, int y)
{
    return slopes.b - (float)y * slopes.step;
}

/* The part of a splat's rectangle that lies in a tile, from the tile's corner. */
SL_INLINE SlRect within_tile(SlRect r, int left, int top)
{
    int x0 = r.x0 - left, y0 = r.y0 - top, x1 = r.x1 - left, y1 = r.y1 - top;
    return (SlRect){(int16_t)(x0 > 0 ? x0 : 0), (int16_t)(y0 > 0 ? y0 : 0),
                    (int16_t)(x1 < SL_TILE - 1 ? x1 : SL_TILE - 1),
                    (int16_t)(y1 < SL_TILE - 1 ? y1 : SL_TILE - 1)};
}

/* A ray is t (a, b, 1) in view space; t is the depth. With the sphere's centre C,
   q = (C.z a - C.x, C.z b - C.y, 0) is how far the ray passes the centre in the plane z = C.z, and
   the hit is at depth C.z + s with  s² D + 2 s e + q² - r² = 0,  D = a² + b² + 1,
   e = a q.x + b q.y. Written with q the numbers stay as small as the sphere: no cancellation. */
typedef struct SphereRow {
    F8 cx, cz, d_rest, e_rest, c_rest; /* what a row of pixels has in common */
} SphereRow;

SL_INLINE SphereRow sphere_row(const float *c, float b)
{
    float q = c[2] * b - c[1];
    return (SphereRow){f8(c[0]), f8(c[2]), f8(1 + b * b), f8(b * q), f8(q * q - c[3] * c[3])};
}

/* The depth of the near side; *inside is above 0 where the ray meets the sphere. */
SL_INLINE F8 sphere_hit(const SphereRow *row, F8 a, F8 *inside)
{
    F8 q = f8_fma(row->cz, a, -row->cx), d = f8_fma(a, a, row->d_rest);
    F8 e = f8_fma(a, q, row->e_rest);
    *inside = e * e - d * f8_fma(q, q, row->c_rest);
    return row->cz - (e + f8_sqrt(f8_max(*inside, f8(0)))) / d;
}

#endif
