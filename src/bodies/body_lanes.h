/* The surface of a body for eight points at once; only for *_kernels.c. The scalar form is
   sl_body_query (bodies/body.h). */
#ifndef BODIES_BODY_LANES_H
#define BODIES_BODY_LANES_H

#include "bodies/body.h"
#include "geometry/shape_lanes.h"

/* True if some lane of p lies within `reach` of the box. */
SL_INLINE bool box_near(SlBox box, F8x3 p, float reach)
{
    I8 near = (p.x > f8(box.min.x - reach)) & (p.x < f8(box.max.x + reach)) &
              (p.y > f8(box.min.y - reach)) & (p.y < f8(box.max.y + reach)) &
              (p.z > f8(box.min.z - reach)) & (p.z < f8(box.max.z + reach));
    return i8_bits(near) != 0;
}

/* Lanes whose surface may be nearer than `reach`; outside of a hollow body all is solid. */
SL_INLINE I8 field_near(const SlBody *body, F8x3 local, float reach)
{
    SlBox box = body->bounds;
    I8 near = (local.x > f8(box.min.x - reach)) & (local.x < f8(box.max.x + reach)) &
              (local.y > f8(box.min.y - reach)) & (local.y < f8(box.max.y + reach)) &
              (local.z > f8(box.min.z - reach)) & (local.z < f8(box.max.z + reach));
    /* Padding lanes are far beyond any world. */
    return body->hollow ? f8_abs(local.x) < f8(1e8f) : near;
}

SL_INLINE F8x3 field_local(const SlBody *body, F8x3 p)
{
    SlVec3 origin = body->frame.origin;
    const SlVec3 *sides = body->frame.sides;
    F8x3 q = {p.x - f8(origin.x), p.y - f8(origin.y), p.z - f8(origin.z)};
    return (F8x3){f8x3_dot(q, f8x3_splat(sides[0])), f8x3_dot(q, f8x3_splat(sides[1])),
                  f8x3_dot(q, f8x3_splat(sides[2]))};
}

/* The field's surface for the lanes set in bits, exact within `reach`; the others are far away. One
   lane at a time: few particles are near a mesh, and walking a sparse field does not suit lanes. */
SL_INLINE Surface8 field_surface(const SlBody *body, F8x3 local, uint32_t bits, float reach)
{
    Surface8 s = {.distance = f8(1e8f), .normal = {f8(0), f8(1), f8(0)}};
    for (; bits != 0; bits &= bits - 1) {
        int k = __builtin_ctz(bits);
        SlVec3 g, v = {0, 0, 0}, at = {local.x[k], local.y[k], local.z[k]};
        s.distance[k] = body->deform != NULL ? sl_deform_distance(body->deform, at, reach, &g, &v)
                                             : sl_sdf_distance_within(body->field, at, reach, &g);
        float length = sqrtf(g.x * g.x + g.y * g.y + g.z * g.z);
        float scale = length > 0 ? 1 / length : 0;
        const SlVec3 *a = body->frame.sides;
        s.normal.x[k] = scale * (g.x * a[0].x + g.y * a[1].x + g.z * a[2].x);
        s.normal.y[k] = scale * (g.x * a[0].y + g.y * a[1].y + g.z * a[2].y);
        s.normal.z[k] = scale * (g.x * a[0].z + g.y * a[1].z + g.z * a[2].z);
        s.drift.x[k] = v.x * a[0].x + v.y * a[1].x + v.z * a[2].x;
        s.drift.y[k] = v.x * a[0].y + v.y * a[1].y + v.z * a[2].y;
        s.drift.z[k] = v.x * a[0].z + v.y * a[1].z + v.z * a[2].z;
    }
    return s;
}

/* The surface of a body other than the domain, seen from eight points in world space. False: no lane
   is within `near` of its bounds. Distances are exact up to `near`, those of a field up to `reach`. */
SL_INLINE bool body_surface(const SlBody *body, F8x3 p, float near, float reach, Surface8 *surface)
{
    if (body->kind != SL_BODY_FIELD) { /* the bounds of an unused slot are empty */
        if (!box_near(body->bounds, p, near))
            return false;
        *surface = shape_surface(&body->shape, p, near);
        return true;
    }
    F8x3 local = field_local(body, p);
    uint32_t bits = i8_bits(field_near(body, local, near));
    if (bits == 0)
        return false;
    *surface = field_surface(body, local, bits, reach);
    return true;
}

/* Where points at x would be after dt if they moved with the body. */
SL_INLINE F8x3 carried(const SlBodyMotion *m, float dt, F8x3 x)
{
    F8x3 v = f8x3_splat(m->velocity), w = f8x3_splat(m->spin), c = f8x3_splat(m->pivot);
    F8x3 r = {x.x - c.x, x.y - c.y, x.z - c.z};
    return (F8x3){f8_fma(f8(dt), v.x + (w.y * r.z - w.z * r.y), x.x),
                  f8_fma(f8(dt), v.y + (w.z * r.x - w.x * r.z), x.y),
                  f8_fma(f8(dt), v.z + (w.x * r.y - w.y * r.x), x.z)};
}

#endif
