/* Analytic solids, eight rays at a time: nearest hit and normal. Directions are not of unit length;
   the ray's parameter t is what the picture stores as depth. */
#include "core/simd.h"
#include "render/splats/splats_lanes.h"

typedef struct Ray8 {
    F8x3 o, d;
} Ray8;

static inline F8x3 minus(F8x3 a, F8x3 b)
{
    return (F8x3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline Ray8 rays_at(const SlRays *r, F8 x, float y)
{
    Ray8 ray;
    ray.o = along(along(spread(r->origin), x, spread(r->origin_x)), f8(y), spread(r->origin_y));
    ray.d = along(along(spread(r->direction), x, spread(r->direction_x)), f8(y),
                  spread(r->direction_y));
    return ray;
}

/* The nearer of t and a candidate that must lie in front. */
static inline F8 nearer(F8 t, F8 candidate, I8 valid)
{
    valid &= (candidate > f8(SL_NEAR)) & (candidate < t);
    return f8_select(valid, candidate, t);
}

/* Seen from above only. */
static F8 hit_plane(const SlSolid *solid, const Ray8 *ray)
{
    F8x3 n = spread(solid->shape.axis);
    F8 slope = f8x3_dot(ray->d, n);
    F8 t = f8x3_dot(minus(spread(solid->shape.center), ray->o), n) / slope;
    I8 valid = slope < f8(0);
    if (!solid->ground) {
        F8x3 p = along(ray->o, t, ray->d), low = spread(solid->clip.min);
        F8x3 high = spread(solid->clip.max);
        valid &= (p.x > low.x) & (p.x < high.x) & (p.y > low.y) & (p.y < high.y) & (p.z > low.z) &
                 (p.z < high.z);
    }
    return nearer(f8(SL_DEPTH_NONE), t, valid);
}

static F8 hit_sphere(const SlSolid *solid, const Ray8 *ray)
{
    F8x3 q = minus(ray->o, spread(solid->shape.center));
    F8 a = f8x3_dot(ray->d, ray->d), b = f8x3_dot(q, ray->d);
    F8 c = f8x3_dot(q, q) - f8(solid->shape.radius * solid->shape.radius);
    F8 inside = b * b - a * c;
    F8 t = (-b - f8_sqrt(f8_max(inside, f8(0)))) / a;
    return nearer(f8(SL_DEPTH_NONE), t, inside > f8(0));
}

static inline void slab(F8 o, F8 d, float half, F8 *enter, F8 *leave)
{
    F8 inverse = f8(1) / d;
    F8 a = (f8(-half) - o) * inverse, b = (f8(half) - o) * inverse;
    *enter = f8_max(f8_min(a, b), *enter);
    *leave = f8_min(f8_max(a, b), *leave);
}

/* A vector in the box's own directions. */
static inline F8x3 in_box(const SlShape *shape, F8x3 v)
{
    return (F8x3){f8x3_dot(v, spread(shape->side)), f8x3_dot(v, spread(shape->axis)),
                  f8x3_dot(v, spread(sl_cross(shape->side, shape->axis)))};
}

static F8 hit_box(const SlSolid *solid, const Ray8 *ray)
{
    F8x3 q = in_box(&solid->shape, minus(ray->o, spread(solid->shape.center)));
    F8x3 d = in_box(&solid->shape, ray->d);
    F8 enter = f8(-SL_DEPTH_NONE), leave = f8(SL_DEPTH_NONE);
    slab(q.x, d.x, solid->shape.half.x, &enter, &leave);
    slab(q.y, d.y, solid->shape.half.y, &enter, &leave);
    slab(q.z, d.z, solid->shape.half.z, &enter, &leave);
    return nearer(f8(SL_DEPTH_NONE), enter, enter < leave);
}

/* Cylinder and cone: base radius r0 and top radius r1; at height h the radius is r0 + k h. */
SL_INLINE F8 hit_frustum(const SlShape *shape, const Ray8 *ray, float r1)
{
    float r0 = shape->radius;
    F8 k = f8((r1 - r0) / shape->height), height = f8(shape->height);
    F8x3 axis = spread(shape->axis), q = minus(ray->o, spread(shape->center));
    F8 h0 = f8x3_dot(q, axis), hd = f8x3_dot(ray->d, axis);
    F8x3 qr = along(q, -h0, axis), dr = along(ray->d, -hd, axis);
    F8 radius = f8(r0) + k * h0, kd = k * hd;
    /* |qr + t dr|² = (radius + t kd)² */
    F8 a = f8x3_dot(dr, dr) - kd * kd, b = f8x3_dot(qr, dr) - kd * radius;
    F8 c = f8x3_dot(qr, qr) - radius * radius;
    F8 inside = b * b - a * c, root = f8_sqrt(f8_max(inside, f8(0)));
    F8 best = f8(SL_DEPTH_NONE);
    for (int side = 0; side < 2; side++) {
        F8 t = (side == 0 ? -b - root : root - b) / a, h = f8_fma(t, hd, h0);
        best = nearer(best, t, (inside > f8(0)) & (h >= f8(0)) & (h <= height));
    }
    for (int cap = 0; cap < 2; cap++) {
        F8 t = ((cap == 0 ? f8(0) : height) - h0) / hd, r = f8(cap == 0 ? r0 : r1);
        F8x3 p = along(qr, t, dr);
        best = nearer(best, t, f8x3_dot(p, p) < r * r);
    }
    return best;
}

static F8x3 box_normal(const SlShape *shape, F8x3 away)
{
    F8x3 q = in_box(shape, away);
    SlVec3 half = shape->half;
    F8 x = f8_abs(q.x) - f8(half.x), y = f8_abs(q.y) - f8(half.y), z = f8_abs(q.z) - f8(half.z);
    I8 is_x = (x >= y) & (x >= z), is_y = ~is_x & (y >= z), is_z = ~is_x & ~is_y;
    F8x3 n = {f8_keep(is_x, f8_select(q.x > f8(0), f8(1), f8(-1))),
              f8_keep(is_y, f8_select(q.y > f8(0), f8(1), f8(-1))),
              f8_keep(is_z, f8_select(q.z > f8(0), f8(1), f8(-1)))};
    return along(along(scaled(spread(shape->side), n.x), n.y, spread(shape->axis)), n.z,
                 spread(sl_cross(shape->side, shape->axis)));
}

SL_INLINE F8x3 frustum_normal(const SlShape *shape, F8x3 q, float r1)
{
    float r0 = shape->radius;
    float k = (r1 - r0) / shape->height, cosine = 1 / sqrtf(1 + k * k);
    F8x3 axis = spread(shape->axis);
    F8 h = f8x3_dot(q, axis);
    F8x3 radial = along(q, -h, axis);
    F8 p = f8_sqrt(f8x3_dot(radial, radial)), out = f8(cosine) / f8_max(p, f8(1e-12f));
    /* A cap where its plane is nearer than the side. */
    F8 side = f8_abs(p - f8(r0) - f8(k) * h) * f8(cosine);
    F8 to_base = f8_abs(h), to_top = f8_abs(h - f8(shape->height));
    I8 base = (to_base < side) & (to_base < to_top), top = (to_top < side) & ~base;
    F8 s = f8_select(base | top, f8(0), out);
    F8 up = f8_select(base, f8(-1), f8_select(top, f8(1), f8(-k * cosine)));
    return along(scaled(radial, s), up, axis);
}

static F8 hit_cylinder(const SlSolid *solid, const Ray8 *ray)
{
    return hit_frustum(&solid->shape, ray, solid->shape.radius);
}

static F8x3 cylinder_normal(const SlShape *shape, F8x3 q)
{
    return frustum_normal(shape, q, shape->radius);
}

static F8 hit_cone(const SlSolid *solid, const Ray8 *ray)
{
    return hit_frustum(&solid->shape, ray, 0);
}

static F8x3 cone_normal(const SlShape *shape, F8x3 q)
{
    return frustum_normal(shape, q, 0);
}

static F8x3 plane_normal(const SlShape *shape, F8x3 q)
{
    (void)q;
    return spread(shape->axis);
}

static F8x3 sphere_normal(const SlShape *shape, F8x3 q)
{
    return scaled(q, f8(1 / shape->radius));
}

/* The loops over a tile, compiled once per shape with its functions inlined. */

SL_INLINE void draw_tile(const SlSolid *solid, const SlRays *rays, const SlTileView *tile,
                         uint32_t id_value, F8 (*hit)(const SlSolid *solid, const Ray8 *ray))
{
    for (int row = 0; row < SL_TILE; row++)
        for (int col = 0; col < SL_TILE; col += 8) {
            Ray8 ray = rays_at(rays, f8(tile->x + (float)col) + lane_numbers(),
                               tile->y + (float)row);
            int at = row * SL_TILE_STRIDE + col;
            F8 old = f8_load(tile->z + at), t = hit(solid, &ray);
            I8 mask = t < old;
            f8_store(tile->z + at, f8_select(mask, t, old));
            if (tile->id != NULL)
                u8_store(tile->id + at,
                         u8_select((U8)mask, u8(id_value), u8_load(tile->id + at)));
        }
}

/* `normal_of`: at a point q from the shape's centre. */
SL_INLINE void normals_of_tile(const SlSolid *solid, const SlSplatFrame *frame,
                               const SlTileView *tile, uint32_t id_value,
                               F8x3 (*normal_of)(const SlShape *shape, F8x3 q))
{
    const SlCameraFrame *camera = &frame->camera;
    F8x3 right = spread(camera->right), up = spread(camera->up), forward = spread(camera->forward);
    uint32_t kind = solid->ground ? SL_PIXEL_GROUND : SL_PIXEL_SOLID;
    for (int row = 0; row < SL_TILE; row++)
        for (int col = 0; col < SL_TILE; col += 8) {
            int at = row * SL_TILE_STRIDE + col;
            I8 mask = (I8)(u8_load(tile->id + at) == u8(id_value));
            if (i8_bits(mask) == 0)
                continue;
            Ray8 ray = rays_at(&frame->rays, f8(tile->x + (float)col) + lane_numbers(),
                               tile->y + (float)row);
            F8x3 q = minus(along(ray.o, f8_load(tile->z + at), ray.d), spread(solid->shape.center));
            F8x3 n = normal_of(&solid->shape, q);
            F8x3 v = {f8x3_dot(n, right), f8x3_dot(n, up), f8x3_dot(n, forward)};
            u8_store(tile->normal + at,
                     u8_select((U8)mask, pack_normal(v, kind), u8_load(tile->normal + at)));
        }
}

#define SHAPE_LOOPS(name, hit, normal_of)                                                          \
    static void draw_##name(const SlSolid *solid, const SlRays *rays, const SlTileView *tile,      \
                            uint32_t id_value)                                                     \
    {                                                                                              \
        draw_tile(solid, rays, tile, id_value, hit);                                               \
    }                                                                                              \
    static void normals_##name(const SlSolid *solid, const SlSplatFrame *frame,                    \
                               const SlTileView *tile, uint32_t id_value)                          \
    {                                                                                              \
        normals_of_tile(solid, frame, tile, id_value, normal_of);                                  \
    }

SHAPE_LOOPS(plane, hit_plane, plane_normal)
SHAPE_LOOPS(sphere, hit_sphere, sphere_normal)
SHAPE_LOOPS(box, hit_box, box_normal)
SHAPE_LOOPS(cylinder, hit_cylinder, cylinder_normal)
SHAPE_LOOPS(cone, hit_cone, cone_normal)

/* The shapes that are drawn by rays, by kind; others are drawn by their triangles (solids.c). */
static const struct {
    void (*draw)(const SlSolid *solid, const SlRays *rays, const SlTileView *tile,
                 uint32_t id_value);
    void (*normals)(const SlSolid *solid, const SlSplatFrame *frame, const SlTileView *tile,
                    uint32_t id_value);
} shapes[] = {
    [SL_SHAPE_PLANE] = {draw_plane, normals_plane},
    [SL_SHAPE_SPHERE] = {draw_sphere, normals_sphere},
    [SL_SHAPE_BOX] = {draw_box, normals_box},
    [SL_SHAPE_CYLINDER] = {draw_cylinder, normals_cylinder},
    [SL_SHAPE_CONE] = {draw_cone, normals_cone},
};

static bool has_rays(uint32_t kind)
{
    return kind < sizeof shapes / sizeof shapes[0] && shapes[kind].draw != NULL;
}

static void draw_solid(const SlSolid *solid, const SlRays *rays, const SlTileView *tile,
                       uint32_t id_value)
{
    shapes[solid->shape.kind].draw(solid, rays, tile, id_value);
}

static void solid_normals(const SlSolid *solid, const SlSplatFrame *frame, const SlTileView *tile,
                          uint32_t id_value)
{
    shapes[solid->shape.kind].normals(solid, frame, tile, id_value);
}

SL_KERNEL_TABLE(SlSolidKernels, sl_solid_kernels) = {has_rays, draw_solid, solid_normals};
