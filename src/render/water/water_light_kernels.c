/* Light: the sun through the water onto the background, and the picture itself.

   A ray that meets the water is split by Fresnel's law (Schlick). The reflected part takes the sky. The
   refracted part follows Snell's law for a length L: to the ground, to the solid behind, or to where
   the water ends; where that point appears in the background, the background's light is taken,
   absorbed by exp(-k L) per channel, and the light that the water itself scatters is added. */
#include "core/simd.h"
#include "render/splats/splats_lanes.h"
#include "render/stage/sky_lanes.h"
#include "render/water/water.h"

/* --- Looking up planes between pixels. --- */

typedef struct Lookup {
    I8 at; /* of the upper left of four pixels */
    F8 fx, fy;
} Lookup;

/* Pixel centres are at +0.5. */
SL_INLINE Lookup lookup(F8 x, F8 y, uint32_t width, uint32_t height, uint32_t stride,
                        uint32_t margin)
{
    x = f8_min(f8_max(x - f8(0.5f), f8(0)), f8((float)width - 1.001f));
    y = f8_min(f8_max(y - f8(0.5f), f8(0)), f8((float)height - 1.001f));
    x = f8_max(x, f8(0)); /* a picture of one pixel */
    y = f8_max(y, f8(0));
    I8 ix = i8_from_f8(x), iy = i8_from_f8(y);
    return (Lookup){(iy + (int32_t)margin) * (int32_t)stride + ix + (int32_t)margin,
                    x - f8_from_i8(ix), y - f8_from_i8(iy)};
}

SL_INLINE F8 bilinear(const float *plane, Lookup l, I8 right, I8 down)
{
    F8 a = gather_f8(plane, l.at), b = gather_f8(plane, l.at + right);
    F8 c = gather_f8(plane, l.at + down), d = gather_f8(plane, l.at + down + right);
    F8 upper = f8_fma(l.fx, b - a, a), lower = f8_fma(l.fx, d - c, c);
    return f8_fma(l.fy, lower - upper, upper);
}

SL_INLINE I8 i8_all(int32_t a)
{
    return (I8){a, a, a, a, a, a, a, a};
}

/* --- The sun through water. --- */

static F8 row_of(const float row[4], F8x3 p)
{
    return f8x3_dot(p, (F8x3){f8(row[0]), f8(row[1]), f8(row[2])}) + f8(row[3]);
}

/* Metres of water between view-space points and the sun. */
SL_INLINE F8 water_above(const SlWaterFrame *frame, F8x3 p, F8 *edge)
{
    const SlShadow *shadow = &frame->back->shadow;
    const SlDiscs *cover = &frame->cover;
    F8 coarse = f8(1.0f / SL_WATER_COARSE);
    F8 x = row_of(shadow->view_row[0], p) * coarse, y = row_of(shadow->view_row[1], p) * coarse;
    F8 depth = row_of(shadow->view_row[2], p);
    Lookup l = lookup(x, y, cover->width, cover->height, cover->stride, SL_MARGIN);
    I8 right = i8_all(1), down = i8_all((int32_t)cover->stride);
    F8 thick = bilinear(cover->plane[0], l, right, down);
    F8 middle = bilinear(cover->plane[1], l, right, down) / f8_max(thick, f8(1e-12f));
    *edge = smooth(thick * f8(1 / frame->spacing));
    return thick * smooth((depth - middle) / f8_max(thick, f8(frame->spacing)) + f8(0.5f));
}

/* Sunlight on the ground: what passes beside the water, and what its surface sends there. */
SL_INLINE F8 on_ground(const SlWaterFrame *frame, F8x3 p, F8 free)
{
    const SlCameraFrame *c = &frame->back->camera;
    const SlDiscs *map = &frame->caustic;
    F8 x = (f8x3_dot(p, spread(frame->look.sky.east)) + f8(c->eye.x - frame->map_x)) * f8(frame->map_scale);
    F8 y = (f8x3_dot(p, spread(frame->look.sky.north)) + f8(c->eye.z - frame->map_z)) * f8(frame->map_scale);
    Lookup l = lookup(x, y, map->width, map->height, map->stride, SL_MARGIN);
    F8 light = bilinear(map->plane[0], l, i8_all(1), i8_all((int32_t)map->stride));
    I8 within = (x > f8(0)) & (y > f8(0)) & (x < f8((float)map->width)) & (y < f8((float)map->height));
        light = f8_keep(within, f8_min(light, f8(3.5f)));
    /* A little comes from everywhere in the water; both together are brighter than the sun only where
       light is gathered. */
    F8 both = f8_max(f8_min(free + light, f8(1)), light);
    return f8(0.1f) + f8(0.9f) * both;
}

/* The fraction of the key light that arrives at view-space points. */
SL_INLINE F8 through(const SlWaterFrame *frame, F8x3 p)
{
    F8 edge, thick = water_above(frame, p, &edge);
    const SlVec3 *k = &frame->look.absorption;
    F8 mean = f8(0.3f * k->x + 0.4f * k->y + 0.3f * k->z);
    /* Drops and thin sheets let most of the light through nearby. */
    F8 free = f8(1) - f8(0.8f) * edge * (f8(1) - exp_minus(thick * f8(0.9f / frame->spacing)));
    F8 height = f8x3_dot(p, spread(frame->look.sky.up)) + f8(frame->look.eye_y - frame->look.ground_y);
    I8 ground = f8_abs(height) < f8(0.2f * frame->spacing);
    F8 below = free + (f8(1) - free) * f8(0.85f) * exp_minus(mean * thick);
    return f8_select(ground, on_ground(frame, p, free), below);
}

static void shadow_row(const SlWaterFrame *frame, float *lit, size_t y)
{
    const SlSplatFrame *back = frame->back;
    const SlCameraFrame *c = &back->camera;
    F8 b = f8((c->center_y - (float)y - 0.5f) / c->focal);
    for (size_t x = 0; x < frame->width; x += 8) {
        size_t at = (y + SL_MARGIN) * back->stride + x + SL_MARGIN;
        F8 z = f8_load(back->depth + at);
        I8 something = z < f8(0.5f * SL_DEPTH_NONE);
        if (i8_bits(something) == 0)
            continue;
        z = f8_select(something, z, f8(1));
        F8 a = (f8((float)x + 0.5f - c->center_x) + lane_numbers()) * f8(1 / c->focal);
        F8 left = through(frame, (F8x3){a * z, b * z, z});
        F8 old = f8_load(lit + at);
        f8_store(lit + at, f8_select(something, old * left, old));
    }
}

/* --- The picture. --- */

/* Eight pixels of a row. */
typedef struct Pixels {
    F8x3 ray;   /* (a, b, 1) */
    F8 z;       /* of the water; where there is none, of nothing near */
    F8 leave;   /* depth at which the straight ray leaves it */
    F8x3 back;  /* what is behind it in these pixels */
    F8 back_z;
    const float *light; /* and everywhere */
    I8 liquid;
} Pixels;

static F8x3 back_light(const SlWaterFrame *frame, const float *light, F8 x, F8 y)
{
    Lookup l = lookup(x, y, frame->width, frame->height, frame->width, 0);
    I8 right = i8_all(frame->width > 1 ? 3 : 0);
    I8 down = i8_all(frame->height > 1 ? 3 * (int32_t)frame->width : 0);
    l.at = l.at * 3;
    return (F8x3){bilinear(light, l, right, down), bilinear(light + 1, l, right, down),
                  bilinear(light + 2, l, right, down)};
}

static F8 back_depth(const SlWaterFrame *frame, F8 x, F8 y)
{
    F8 ix = f8_min(f8_max(x, f8(0)), f8((float)frame->width - 1));
    F8 iy = f8_min(f8_max(y, f8(0)), f8((float)frame->height - 1));
    I8 at = (i8_from_f8(iy) + SL_MARGIN) * (int32_t)frame->back->stride + i8_from_f8(ix) + SL_MARGIN;
    return gather_f8(frame->back->depth, at);
}

static void project(const SlWaterFrame *frame, F8x3 p, F8 *x, F8 *y)
{
    const SlCameraFrame *c = &frame->back->camera;
    F8 scale = f8(c->focal) / f8_max(p.z, f8(SL_NEAR));
    *x = f8_fma(p.x, scale, f8(c->center_x));
    *y = f8_fma(-p.y, scale, f8(c->center_y));
}

/* Light of whitewater that fills the pixel: white, lit by sun and sky. */
static F8x3 foam_light(const SlWaterFrame *frame, F8x3 n)
{
    const SlWaterLook *look = &frame->look;
    F8 facing = f8_fma(f8x3_dot(n, spread(look->sky.to_sun)), f8(0.4f), f8(0.6f));
    F8 up = f8_fma(f8x3_dot(n, spread(look->sky.up)), f8(0.3f), f8(0.7f));
    F8x3 light = scaled(spread(look->ambient), up * f8(0.95f));
    return along(light, f8_max(facing, f8(0)) * f8(0.7f), spread(look->key));
}

/* --- Rays in a tank. Water that stands against walls is a block: a ray that reaches a wall from within
   mostly meets it beyond the critical angle and is reflected to the ground. --- */

/* A ray in world axes from the corner of the tank: x, height above the ground, z. */
typedef struct TankRay {
    F8 at[3], way[3];
} TankRay;

static TankRay tank_ray(const SlWaterFrame *frame, F8x3 p, F8x3 t)
{
    const SlWaterLook *look = &frame->look;
    const SlCameraFrame *c = &frame->back->camera;
    F8x3 axis[3] = {spread(look->sky.east), spread(look->sky.up), spread(look->sky.north)};
    const float shift[3] = {c->eye.x, look->eye_y - look->ground_y, c->eye.z};
    TankRay ray;
    for (int k = 0; k < 3; k++) {
        ray.at[k] = f8x3_dot(p, axis[k]) + f8(shift[k]);
        ray.way[k] = f8x3_dot(t, axis[k]);
    }
    return ray;
}

/* Distance to the wall of an axis (0: x, 2: z). */
SL_INLINE F8 to_wall(const SlWaterFrame *frame, const TankRay *ray, int axis)
{
    F8 way = ray->way[axis];
    F8 wall = f8_select(way > f8(0), f8(frame->wall_high[axis]), f8(frame->wall_low[axis]));
    F8 distance = (wall - ray->at[axis]) / f8_select(f8_abs(way) > f8(1e-6f), way, f8(1e-6f));
    return f8_select(distance > f8(0), distance, f8(1e6f));
}

SL_INLINE F8 to_floor(const TankRay *ray)
{
    return f8_select(ray->way[1] < f8(-1e-3f),
                     f8_max(ray->at[1], f8(0)) / f8_max(-ray->way[1], f8(1e-3f)), f8(1e6f));
}

SL_INLINE F8 first_exit(const SlWaterFrame *frame, const TankRay *ray)
{
    return f8_min(f8_min(to_wall(frame, ray, 0), to_wall(frame, ray, 2)), to_floor(ray));
}

/* Follows the ray to the ground or out of a wall; *p becomes the end (view space). Returns its length. */
static F8 follow(const SlWaterFrame *frame, TankRay ray, F8x3 *p)
{
    enum { REFLECTIONS = 2 };
    const SlCameraFrame *c = &frame->back->camera;
    float square = 1 - 1 / (frame->look.index * frame->look.index); /* of the critical cosine */
    F8 length = f8(0);
    I8 moving = f8(0) < f8(1);
    for (int k = 0; k <= REFLECTIONS; k++) {
        F8 x = to_wall(frame, &ray, 0), z = to_wall(frame, &ray, 2), ground = to_floor(&ray);
        F8 wall = f8_min(x, z), step = f8_min(f8_min(wall, ground), f8(1e5f));
        step = f8_keep(moving, step);
        for (int a = 0; a < 3; a++)
            ray.at[a] = f8_fma(step, ray.way[a], ray.at[a]);
        length = length + step;
        F8 across = f8_select(x < z, ray.way[0], ray.way[2]);
        moving &= (wall < ground) & (across * across < f8(square));
        ray.way[0] = f8_select(moving & (x < z), -ray.way[0], ray.way[0]);
        ray.way[2] = f8_select(moving & ~(x < z), -ray.way[2], ray.way[2]);
    }
    F8x3 q = {ray.at[0] - f8(c->eye.x), ray.at[1] - f8(frame->look.eye_y - frame->look.ground_y),
              ray.at[2] - f8(c->eye.z)};
    *p = (F8x3){f8x3_dot(q, spread(c->right)), f8x3_dot(q, spread(c->up)),
                f8x3_dot(q, spread(c->forward))};
    return length;
}

/* Whether the straight ray leaves the water only at a wall or at the ground, `end` away. */
static I8 in_block(const SlWaterFrame *frame, F8x3 p, F8x3 v, F8 end)
{
    TankRay ray = tank_ray(frame, p, v);
    F8 exit = first_exit(frame, &ray);
    return (exit < f8(1e5f)) & (f8_abs(end - exit) < f8(1.5f * frame->spacing));
}

SL_INLINE F8x3 by_liquid(const float table[3][SL_WATER_LIQUIDS], I8 liquid)
{
    return (F8x3){gather_f8(table[0], liquid), gather_f8(table[1], liquid),
                  gather_f8(table[2], liquid)};
}

/* Light on what stands in the water has come through it. The shadow took the mean of the colours from the
   sun; colours that are absorbed more than that lose the rest here, and none gains. What a surface in the
   water sends back leaves it with 1/n² of its radiance, as the rest is reflected inwards, half of which
   the surface sends back again: the edge of a pool is seen. What lies behind the water is lit as before. */
static F8x3 under_water(const SlWaterFrame *frame, F8x3 color, F8x3 end)
{
    const SlVec3 *k = &frame->look.absorption;
    float mean = 0.3f * k->x + 0.4f * k->y + 0.3f * k->z;
    F8 x, y, edge, above = water_above(frame, end, &edge);
    above = f8_min(above, f8(0.8f / fmaxf(mean, 1e-6f)));
    project(frame, end, &x, &y);
    F8 height = f8x3_dot(end, spread(frame->look.sky.up)) + f8(frame->look.eye_y - frame->look.ground_y);
    I8 on_solid = (f8_abs(back_depth(frame, x, y) - end.z) < f8(1.5f * frame->spacing)) |
                  (f8_abs(height) < f8(frame->spacing));
    above = f8_keep(on_solid, above);
    float index = frame->look.index, albedo = 0.3f, inwards = 0.5f;
    float leaves = 1 / (index * index * (1 - albedo * inwards));
    F8 seen = f8_select(on_solid, f8(fminf(leaves, 1)), f8(1));
    return (F8x3){seen * color.x * exp_minus(f8(fmaxf(k->x - mean, 0)) * above),
                  seen * color.y * exp_minus(f8(fmaxf(k->y - mean, 0)) * above),
                  seen * color.z * exp_minus(f8(fmaxf(k->z - mean, 0)) * above)};
}

SL_INLINE F8x3 select3(I8 mask, F8x3 a, F8x3 b)
{
    return (F8x3){f8_select(mask, a.x, b.x), f8_select(mask, a.y, b.y), f8_select(mask, a.z, b.z)};
}

static F8x3 refracted(const SlWaterFrame *frame, const Pixels *px, F8x3 v, F8x3 n, F8 cosine,
                      F8 thick)
{
    const SlWaterLook *look = &frame->look;
    F8 eta = f8(1 / look->index);
    F8 inner = f8_sqrt(f8_max(f8(1) - eta * eta * (f8(1) - cosine * cosine), f8(0)));
    F8x3 t = along(scaled(v, eta), eta * cosine - inner, n);
    F8x3 p = scaled(px->ray, px->z);
    F8 stretch = f8_sqrt(f8x3_dot(px->ray, px->ray));
    /* How far: the ground, the solid behind, the water's end. */
    F8 sink = f8x3_dot(t, spread(look->sky.up)), height = f8x3_dot(p, spread(look->sky.up)) +
                                                         f8(look->eye_y - look->ground_y);
    F8 to_ground = f8_select(sink < f8(-1e-3f), f8_max(height, f8(0)) / f8_max(-sink, f8(1e-3f)),
                             f8(1e6f));
    F8 length = f8_min(thick, to_ground), x, y;
    F8 to_back = f8_max(px->back_z - px->z, f8(0)) * stretch;
    length = f8_min(length, to_back);
    F8 end = f8_max(px->leave - px->z, f8(0)) * stretch;
    length = f8_min(length, end);
    project(frame, along(p, length, t), &x, &y);
    /* What is seen there ends the ray, unless it stands before the water: then the straight ray. */
    F8 z = back_depth(frame, x, y), own_x, own_y;
    I8 behind_it = z > px->z;
    length = f8_select(behind_it, f8_min(length, (z - px->z) * stretch), length);
    project(frame, along(p, length, t), &x, &y);
    project(frame, p, &own_x, &own_y);
    x = f8_select(behind_it, x, own_x);
    y = f8_select(behind_it, y, own_y);
    /* In a block of water the ray may be reflected by walls. Only where the water's end is known
       exactly: the thickness from particles is not even enough. */
    I8 block = in_block(frame, p, v, f8_min(end, to_back)) & (px->leave < f8(0.5f * SL_DEPTH_NONE));
    /* Beside a drop the ray may leave something else than what it entered. */
    block &= end < f8(1.5f) * thick + f8(2 * frame->spacing);
    I8 unseen = (I8)u8(0);
    F8x3 end_point = along(p, length, t);
    if (frame->walled && i8_bits(block) != 0) {
        F8x3 q;
        TankRay ray = tank_ray(frame, p, t);
        F8 once = first_exit(frame, &ray), long_way = follow(frame, ray, &q), block_x, block_y;
        project(frame, q, &block_x, &block_y);
        block &= q.z > f8(SL_NEAR);
        end_point = select3(block, q, end_point);
        x = f8_select(block, block_x, x);
        y = f8_select(block, block_y, y);
        length = f8_select(block, long_way, length);
        F8 seen = back_depth(frame, x, y);
        I8 hidden = block & (seen < q.z - f8(2 * frame->spacing));
        unseen = hidden | (block & ((x < f8(0)) | (y < f8(0)) | (x > f8((float)frame->width)) |
                                    (y > f8((float)frame->height))));
        /* A solid in the way is what is seen where the ray, before any wall, is at its depth. */
        F8 to_solid = f8_max(seen - px->z, f8(0)) * stretch;
        F8x3 s = along(p, to_solid, t);
        project(frame, s, &block_x, &block_y);
        I8 hit = hidden & (to_solid < once) & (seen > px->z) &
                 (f8_abs(back_depth(frame, block_x, block_y) - s.z) < f8(3 * frame->spacing));
        unseen &= ~hit;
        length = f8_select(hit, to_solid, length);
        end_point = select3(hit, s, end_point);
        x = f8_select(hit, block_x, x);
        y = f8_select(hit, block_y, y);
    }
    /* A solid before the water is not seen through it. */
    I8 before = (back_depth(frame, x, y) < px->z - f8(0.5f * frame->spacing)) & ~block;
    F8x3 behind = back_light(frame, px->light, x, y);
    behind = select3(before, px->back, behind);
    /* The ground where a solid or the picture's edge hides it. */
    behind = select3(unseen, spread(look->floor), behind);
    const SlWaterTints *tints = &look->tints;
    if (frame->cover.plane[0] != NULL)
        behind = under_water(frame, behind, end_point);
    F8x3 k = by_liquid(tints->absorption, px->liquid);
    F8x3 left = {exp_minus(k.x * length), exp_minus(k.y * length), exp_minus(k.z * length)};
    F8 scattered = f8(1) - exp_minus(gather_f8(tints->scatter_rate, px->liquid) * length);
    F8x3 own = scaled(by_liquid(tints->scatter, px->liquid), scattered);
    return (F8x3){f8_fma(behind.x, left.x, own.x), f8_fma(behind.y, left.y, own.y),
                  f8_fma(behind.z, left.z, own.z)};
}

static F8x3 reflected(const SlWaterFrame *frame, F8x3 v, F8x3 n, F8 cosine)
{
    const SlWaterLook *look = &frame->look;
    F8x3 r = along(v, f8(2) * cosine, n);
    F8 up = f8x3_dot(r, spread(look->sky.up));
    F8x3 light = sky_light_of(&look->sky, r);
    /* Low rays meet other waves and the ground. */
    light = mix(spread(look->sky.below), light, smooth((up + f8(0.04f)) * f8(1 / 0.2f)));
    F8 away = f8(1) - f8x3_dot(r, spread(look->sky.to_sun));
    /* The sun, widened to a degree: on smooth water a wider one is a white patch. */
    F8 glint = exp_minus(f8_max(away, f8(0)) * f8(1 / 0.0002f));
    return along(light, f8(40) * glint, spread(look->key));
}

static F8x3 water_light(const SlWaterFrame *frame, const Pixels *px, F8x3 n, F8 thick)
{
    F8x3 v = scaled(px->ray, f8(1) / f8_sqrt(f8x3_dot(px->ray, px->ray)));
    F8 cosine = f8_min(f8_max(-f8x3_dot(v, n), f8(0.02f)), f8(1));
    F8 rest = f8(1) - cosine, square = rest * rest;
    float base = (frame->look.index - 1) / (frame->look.index + 1);
    F8 fresnel = f8_fma(square * square * rest, f8(1 - base * base), f8(base * base));
    return mix(refracted(frame, px, v, n, cosine, thick), reflected(frame, v, n, cosine), fresnel);
}

/* A plane whose pixels are `coarse` of the picture wide. */
static F8 coarse_plane(const SlDiscs *discs, int coarse, F8 x, F8 y)
{
    F8 scale = f8(1.0f / (float)coarse);
    Lookup l = lookup(x * scale, y * scale, discs->width, discs->height, discs->stride, SL_MARGIN);
    return bilinear(discs->plane[0], l, i8_all(1), i8_all((int32_t)discs->stride));
}

/* Whitewater behind the surface, over the background: what it scatters passes the water before it. */
static F8x3 with_deep(const SlWaterFrame *frame, F8x3 color, size_t at, F8x3 n)
{
    F8 dense = f8_load(frame->deep.plane[0] + at);
    F8 below = f8_load(frame->deep.plane[1] + at) / f8_max(dense, f8(1e-9f));
    F8 opaque = f8(1) - exp_minus(dense);
    F8x3 k = spread(frame->look.absorption), white = foam_light(frame, n);
    below = f8(1.8f) * below; /* light comes down as far as it comes back */
    F8x3 seen = {white.x * exp_minus(k.x * below), white.y * exp_minus(k.y * below),
                 white.z * exp_minus(k.z * below)};
    return mix(color, scaled(seen, f8(0.7f)), opaque * exp_minus(below * f8(0.7f) * k.x) * f8(0.8f));
}

static void store_light(float *light, F8x3 color, size_t count)
{
    float r[8], g[8], b[8];
    f8_store(r, color.x);
    f8_store(g, color.y);
    f8_store(b, color.z);
    for (size_t k = 0; k < count; k++) {
        light[3 * k] = r[k];
        light[3 * k + 1] = g[k];
        light[3 * k + 2] = b[k];
    }
}

static F8x3 load_light(const float *light, size_t count)
{
    float r[8] = {0}, g[8] = {0}, b[8] = {0};
    for (size_t k = 0; k < count; k++) {
        r[k] = light[3 * k];
        g[k] = light[3 * k + 1];
        b[k] = light[3 * k + 2];
    }
    return (F8x3){f8_load(r), f8_load(g), f8_load(b)};
}

/* Foam is uneven: brighter where it gets thinner towards the sun, darker behind thicker foam; a little by
   the grain, more by the cloud that it is part of. */
static F8 foam_relief(const SlWaterFrame *frame, size_t at, F8 cloud)
{
    const SlVec3 *sun = &frame->look.sky.to_sun; /* view space: x right, y up */
    float length = sqrtf(sun->x * sun->x + sun->y * sun->y), scale = length > 0.1f ? 2.6f / length : 0;
    ptrdiff_t x = (ptrdiff_t)lrintf(sun->x * scale), y = (ptrdiff_t)lrintf(-sun->y * scale);
    const float *dense = frame->foam.plane[0] + at;
    F8 here = f8_load(dense), there = f8_load(dense + y * (ptrdiff_t)frame->foam.stride + x);
    return f8(0.9f) + f8(0.14f) * (here - there) / (here + there + f8(0.8f)) + f8(0.22f) * cloud;
}

/* How much thinner mist gets towards the sun: -1 to 1. */
static F8 mist_slope(const SlWaterFrame *frame, F8 here, const F8 place[2])
{
    const SlVec3 *sun = &frame->look.sky.to_sun; /* view space: x right, y up */
    F8 there = coarse_plane(&frame->mist, SL_WATER_MIST, place[0] + f8(16 * sun->x),
                            place[1] - f8(16 * sun->y));
    return (here - there) / (here + there + f8(0.3f));
}

/* Mist: brighter towards the sun, and only where spray is dense, so that single drops have none. */
static F8x3 with_mist(const SlWaterFrame *frame, F8x3 color, F8 here, F8 slope)
{
    if (i8_bits(here > f8(0.01f)) == 0)
        return color;
    F8 relief = f8(0.82f) + f8(0.35f) * slope;
    F8x3 white = scaled(foam_light(frame, spread(frame->look.sky.up)), relief);
    F8 dense = here * here / (here + f8(0.25f));
    return mix(color, white, f8(0.62f) * (f8(1) - exp_minus(dense)));
}

/* A layer over what is behind it, eight pixels from x on. */
static F8x3 layer_light(const SlWaterFrame *frame, const SlWaterLayer *layer, Pixels *px, size_t at,
                        const F8 place[2], F8 before, F8x3 *normal)
{
    F8 covered = f8_load(layer->coverage + at);
    I8 wet = covered > f8(0);
    if (i8_bits(wet) == 0)
        return px->back;
    px->z = f8_select(wet, f8_load(layer->depth + at), f8(1));
    px->leave = f8_load(layer->leave + at);
    px->liquid = layer->liquid != NULL ? i8_from_f8(f8_load(layer->liquid + at)) : i8_all(0);
    F8x3 m = {f8_load(layer->normal[0] + at), f8_load(layer->normal[1] + at),
              f8_load(layer->normal[2] + at)};
    F8x3 n = *normal;
    *normal = n = (F8x3){f8_select(wet, m.x, n.x), f8_select(wet, m.y, n.y), f8_select(wet, m.z, n.z)};
    F8 thick = f8_max(coarse_plane(&frame->thickness, SL_WATER_COARSE, place[0], place[1]) - before, f8(0));
    return mix(px->back, water_light(frame, px, n, thick), f8_keep(wet, covered));
}

static Pixels pixels_at(const SlWaterFrame *frame, const float *light, size_t x, size_t y, size_t count)
{
    const SlCameraFrame *c = &frame->back->camera;
    F8 a = (f8((float)x + 0.5f - c->center_x) + lane_numbers()) * f8(1 / c->focal);
    size_t back_at = (y + SL_MARGIN) * frame->back->stride + x + SL_MARGIN;
    return (Pixels){.ray = {a, f8((c->center_y - (float)y - 0.5f) / c->focal), f8(1)},
                    .back = load_light(light + 3 * (y * frame->width + x), count),
                    .back_z = f8_load(frame->back->depth + back_at),
                    .light = light};
}

static void shade_far(const SlWaterFrame *frame, size_t y)
{
    for (size_t x = 0; x < frame->width; x += 8) {
        size_t count = frame->width - x < 8 ? frame->width - x : 8, at = sl_water_at(frame, x, y);
        F8 place[2] = {f8((float)x + 0.5f) + lane_numbers(), f8((float)y + 0.5f)};
        Pixels px = pixels_at(frame, frame->back->light, x, y, count);
        F8x3 n = spread(frame->look.sky.up);
        F8 first = f8_load(frame->near.leave + at) - f8_load(frame->near.depth + at);
        first = first * f8_sqrt(f8x3_dot(px.ray, px.ray));
        F8x3 color = layer_light(frame, &frame->far, &px, at, place, first, &n);
        store_light(frame->behind + 3 * (y * frame->width + x), color, count);
    }
}

static void shade_near(const SlWaterFrame *frame, size_t y)
{
    const float *light = frame->meshed ? frame->behind : frame->back->light;
    for (size_t x = 0; x < frame->width; x += 8) {
        size_t count = frame->width - x < 8 ? frame->width - x : 8, at = sl_water_at(frame, x, y);
        size_t disc_at = (y + SL_MARGIN) * frame->foam.stride + x + SL_MARGIN;
        F8 place[2] = {f8((float)x + 0.5f) + lane_numbers(), f8((float)y + 0.5f)};
        Pixels px = pixels_at(frame, light, x, y, count);
        F8x3 n = spread(frame->look.sky.up);
        F8x3 color = layer_light(frame, &frame->near, &px, at, place, f8(0), &n);
        if (frame->foam.count > 0) {
            color = with_deep(frame, color, disc_at, n);
            F8 opaque = f8(0.96f) * (f8(1) - exp_minus(f8_load(frame->foam.plane[0] + disc_at)));
            F8 mist = coarse_plane(&frame->mist, SL_WATER_MIST, place[0], place[1]);
            F8 slope = mist_slope(frame, mist, place);
            color = mix(color, scaled(foam_light(frame, n), foam_relief(frame, disc_at, slope)), opaque);
            color = with_mist(frame, color, mist, slope);
        }
        store_light(frame->light + 3 * (y * frame->width + x), color, count);
    }
}

SL_KERNEL_TABLE(SlWaterLightKernels, sl_water_light_kernels) = {shadow_row, shade_far, shade_near};
