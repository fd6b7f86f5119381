/* Distances and normals of analytic shapes for eight points at once; only for *_kernels.c. Each must
   agree with its shape's scalar form. */
#ifndef GEOMETRY_SHAPE_LANES_H
#define GEOMETRY_SHAPE_LANES_H

#include "core/simd.h"
#include "geometry/shape.h"

SL_INLINE F8x3 f8x3_splat(SlVec3 a)
{
    return (F8x3){f8(a.x), f8(a.y), f8(a.z)};
}

/* A surface seen from eight points. */
typedef struct Surface8 {
    F8 distance;
    F8x3 normal; /* unit, outward */
    F8x3 drift;  /* m/s, of a deforming surface beside the body's rigid motion; 0 for shapes */
    F8 curvature; /* 1/m, mean curvature of round parts, above 0 where convex; 0 where not known */
} Surface8;

/* 1 / a, or 0 where a is 0. */
SL_INLINE F8 inverse_or_zero(F8 a)
{
    I8 some = a > f8(0);
    return f8_keep(some, f8(1) / f8_select(some, a, f8(1)));
}

SL_INLINE Surface8 sphere_surface(const SlShape *s, F8x3 q)
{
    F8 length = f8_sqrt(f8x3_dot(q, q)), inverse = inverse_or_zero(length);
    I8 centre = length <= f8(0);
    return (Surface8){.distance = length - f8(s->radius),
                      .normal = {q.x * inverse, f8_select(centre, f8(1), q.y * inverse), q.z * inverse},
                      .curvature = f8(s->radius > 0 ? 1 / s->radius : 0)};
}

SL_INLINE F8 sign_of(F8 a)
{
    return (F8)(((I8)a & (int32_t)0x80000000) | (I8)f8(1));
}

SL_INLINE Surface8 box_surface(const SlShape *s, F8x3 away)
{
    SlVec3 third = {s->side.y * s->axis.z - s->side.z * s->axis.y,
                    s->side.z * s->axis.x - s->side.x * s->axis.z,
                    s->side.x * s->axis.y - s->side.y * s->axis.x};
    F8x3 side = f8x3_splat(s->side), up = f8x3_splat(s->axis), deep = f8x3_splat(third);
    F8x3 q = {f8x3_dot(away, side), f8x3_dot(away, up), f8x3_dot(away, deep)};
    F8x3 over = {f8_abs(q.x) - f8(s->half.x), f8_abs(q.y) - f8(s->half.y),
                 f8_abs(q.z) - f8(s->half.z)};
    F8x3 out = {f8_max(over.x, f8(0)), f8_max(over.y, f8(0)), f8_max(over.z, f8(0))};
    F8 outside = f8_sqrt(f8x3_dot(out, out)), inverse = inverse_or_zero(outside);
    /* Inside: the face with the least depth. */
    I8 by_x = (over.x >= over.y) & (over.x >= over.z);
    I8 by_y = ~by_x & (over.y >= over.z), by_z = ~by_x & ~by_y;
    I8 is_out = outside > f8(0);
    F8 one = f8(1);
    F8 depth = f8_max(over.x, f8_max(over.y, over.z));
    F8x3 n = {sign_of(q.x) * f8_select(is_out, out.x * inverse, f8_keep(by_x, one)),
              sign_of(q.y) * f8_select(is_out, out.y * inverse, f8_keep(by_y, one)),
              sign_of(q.z) * f8_select(is_out, out.z * inverse, f8_keep(by_z, one))};
    return (Surface8){.distance = f8_select(is_out, outside, depth),
                      .normal = {f8_fma(n.x, side.x, f8_fma(n.y, up.x, n.z * deep.x)),
                                 f8_fma(n.x, side.y, f8_fma(n.y, up.y, n.z * deep.y)),
                                 f8_fma(n.x, side.z, f8_fma(n.y, up.z, n.z * deep.z))}};
}

/* Cylinder and cone: the formulas of half_plane_distance in geometry/shapes/parts.c. */
SL_INLINE Surface8 frustum_surface(const SlShape *s, float r1, F8x3 q)
{
    float r0 = s->radius, height = s->height;
    F8x3 axis = f8x3_splat(s->axis);
    F8 h = f8x3_dot(q, axis);
    F8x3 radial = {q.x - axis.x * h, q.y - axis.y * h, q.z - axis.z * h};
    F8 p = f8_sqrt(f8x3_dot(radial, radial)), inverse_p = inverse_or_zero(p);

    I8 low = h < f8(0.5f * height);
    F8 ap = p - f8_min(p, f8_select(low, f8(r0), f8(r1)));
    F8 ah = h - f8_select(low, f8(0), f8(height));
    float ep = r1 - r0, eh = height, inverse_e2 = 1 / (ep * ep + eh * eh);
    F8 t = ((p - f8(r0)) * f8(ep) + h * f8(eh)) * f8(inverse_e2);
    t = f8_min(f8_max(t, f8(0)), f8(1));
    F8 bp = p - (f8(r0) + t * f8(ep)), bh = h - t * f8(eh);
    I8 inside = ((p - f8(r0)) * f8(eh) - h * f8(ep) < f8(0)) & (h > f8(0)) & (h < f8(height));
    F8 a2 = ap * ap + ah * ah, b2 = bp * bp + bh * bh;
    I8 cap = a2 < b2;
    F8 sign = f8_select(inside, f8(-1), f8(1));
    F8 distance = f8_sqrt(f8_min(a2, b2)), scale = sign * inverse_or_zero(distance);
    I8 on = distance <= f8(1e-12f);
    float inverse_e = sqrtf(inverse_e2);
    F8 np = f8_select(on, f8(eh * inverse_e), scale * f8_select(cap, ap, bp));
    F8 nh = f8_select(on, f8(-ep * inverse_e), scale * f8_select(cap, ah, bh));
    F8 out = np * inverse_p;
    /* Of the mantle: cos(slope) / 2r, as in a cut across the axis. */
    F8 round = f8_keep(~cap, f8(0.5f * eh * inverse_e) * inverse_or_zero(f8(r0) + t * f8(ep)));
    return (Surface8){
        .distance = sign * distance,
        .normal = {radial.x * out + axis.x * nh, radial.y * out + axis.y * nh,
                   radial.z * out + axis.z * nh},
        .curvature = round};
}

SL_INLINE Surface8 cylinder_surface(const SlShape *s, F8x3 q)
{
    return frustum_surface(s, s->radius, q);
}

SL_INLINE Surface8 cone_surface(const SlShape *s, F8x3 q)
{
    return frustum_surface(s, 0, q);
}

SL_INLINE Surface8 plane_surface(const SlShape *s, F8x3 q)
{
    F8x3 axis = f8x3_splat(s->axis);
    return (Surface8){.distance = f8x3_dot(q, axis), .normal = axis};
}

/* One lane at a time, by the scalar distance: for shapes that are not in the table below. */
static Surface8 scalar_surface(const SlShape *s, F8x3 p, float reach)
{
    const SlShapeType *type = sl_shape_type(s->kind);
    Surface8 found = {.distance = f8(0)};
    for (int k = 0; k < 8; k++) {
        SlVec3 n;
        found.distance[k] = type->distance(s, (SlVec3){p.x[k], p.y[k], p.z[k]}, reach, &n);
        found.normal.x[k] = n.x;
        found.normal.y[k] = n.y;
        found.normal.z[k] = n.z;
    }
    return found;
}

/* Shapes with an 8-wide distance; q is the point relative to the shape's centre. */
typedef Surface8 (*ShapeSurface8)(const SlShape *shape, F8x3 q);
static const ShapeSurface8 shape_surfaces[] = {
    [SL_SHAPE_PLANE] = plane_surface,       [SL_SHAPE_SPHERE] = sphere_surface,
    [SL_SHAPE_BOX] = box_surface,           [SL_SHAPE_CYLINDER] = cylinder_surface,
    [SL_SHAPE_CONE] = cone_surface,
};

/* Exact where the distance is at most `reach`. */
SL_INLINE Surface8 shape_surface(const SlShape *s, F8x3 p, float reach)
{
    if (s->kind >= sizeof shape_surfaces / sizeof shape_surfaces[0])
        return scalar_surface(s, p, reach);
    F8x3 q = {p.x - f8(s->center.x), p.y - f8(s->center.y), p.z - f8(s->center.z)};
    return shape_surfaces[s->kind](s, q);
}

#endif
