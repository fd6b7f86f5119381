/* Contacts for eight particles at once; only for *_kernels.c. The plain twin of the distances is
   geometry/shape.c. */
#ifndef SOLVERS_FLUID_CONTACT_LANES_H
#define SOLVERS_FLUID_CONTACT_LANES_H

#include "core/simd.h"
#include "solvers/fluid/contact.h"

SL_INLINE F8x3 f8x3_splat(SlVec3 a)
{
    return (F8x3){f8(a.x), f8(a.y), f8(a.z)};
}

SL_INLINE F8 contact_fraction(U8 id)
{
    U8 h = id * 0x9E3779B1u;
    h ^= h >> 15;
    h *= 0x85EBCA77u;
    h ^= h >> 13;
    return f8_from_i8((I8)(h >> 8)) * f8(0x1p-24f);
}

/* Displacements given to particles, added up by body: what the bodies feel is the opposite. */
typedef struct Tally {
    double *sums; /* [body][SL_FORCE_LANES]; NULL: nobody asks */
    I8 owned;     /* lanes that are particles */
    F8 mass;      /* of each, over that of the system's own fluid */
} Tally;

/* `moved` lanes were pushed by the body, at `at`. */
SL_INLINE void tally_push(const Tally *tally, const SlContacts *c, size_t body, F8x3 moved, F8x3 at)
{
    F8x3 m = {f8_keep(tally->owned, tally->mass * moved.x),
              f8_keep(tally->owned, tally->mass * moved.y),
              f8_keep(tally->owned, tally->mass * moved.z)};
    SlVec3 center = c->centers[body];
    /* A lane that was not moved may be far away: 0 × far is still 0. Padding may be no number. */
    F8x3 arm = {f8_keep(tally->owned, at.x - f8(center.x)),
                f8_keep(tally->owned, at.y - f8(center.y)),
                f8_keep(tally->owned, at.z - f8(center.z))};
    double *sums = tally->sums + SL_FORCE_LANES * body;
    sums[0] += (double)f8_sum(m.x);
    sums[1] += (double)f8_sum(m.y);
    sums[2] += (double)f8_sum(m.z);
    sums[3] += (double)f8_sum(arm.y * m.z - arm.z * m.y);
    sums[4] += (double)f8_sum(arm.z * m.x - arm.x * m.z);
    sums[5] += (double)f8_sum(arm.x * m.y - arm.y * m.x);
}

SL_INLINE void tally_change(const Tally *tally, const SlContacts *c, size_t body, F8x3 before,
                            F8x3 after)
{
    F8x3 moved = {after.x - before.x, after.y - before.y, after.z - before.z};
    if (i8_bits((moved.x != f8(0)) | (moved.y != f8(0)) | (moved.z != f8(0))) != 0)
        tally_push(tally, c, body, moved, after);
}

typedef struct Surface {
    F8 distance;
    F8x3 normal;
} Surface;

/* 1 / a, or 0 where a is 0. */
SL_INLINE F8 inverse_or_zero(F8 a)
{
    I8 some = a > f8(0);
    return f8_keep(some, f8(1) / f8_select(some, a, f8(1)));
}

SL_INLINE Surface sphere_surface(const SlShape *s, F8x3 q)
{
    F8 length = f8_sqrt(f8x3_dot(q, q)), inverse = inverse_or_zero(length);
    I8 centre = length <= f8(0);
    return (Surface){length - f8(s->radius),
                     {q.x * inverse, f8_select(centre, f8(1), q.y * inverse), q.z * inverse}};
}

SL_INLINE F8 sign_of(F8 a)
{
    return (F8)(((I8)a & (int32_t)0x80000000) | (I8)f8(1));
}

SL_INLINE Surface box_surface(const SlShape *s, F8x3 away)
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
    return (Surface){f8_select(is_out, outside, depth),
                     {f8_fma(n.x, side.x, f8_fma(n.y, up.x, n.z * deep.x)),
                      f8_fma(n.x, side.y, f8_fma(n.y, up.y, n.z * deep.y)),
                      f8_fma(n.x, side.z, f8_fma(n.y, up.z, n.z * deep.z))}};
}

/* Cylinder and cone: see frustum_distance in geometry/shape.c. */
SL_INLINE Surface frustum_surface(const SlShape *s, F8x3 q)
{
    float r0 = s->radius, r1 = s->kind == SL_SHAPE_CONE ? 0 : s->radius, height = s->height;
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
    return (Surface){
        sign * distance,
        {radial.x * out + axis.x * nh, radial.y * out + axis.y * nh, radial.z * out + axis.z * nh}};
}

SL_INLINE Surface shape_surface(const SlShape *s, F8x3 p)
{
    F8x3 q = {p.x - f8(s->center.x), p.y - f8(s->center.y), p.z - f8(s->center.z)};
    switch (s->kind) {
    case SL_SHAPE_SPHERE: return sphere_surface(s, q);
    case SL_SHAPE_BOX: return box_surface(s, q);
    case SL_SHAPE_CYLINDER:
    case SL_SHAPE_CONE: return frustum_surface(s, q);
    default: return (Surface){f8x3_dot(q, f8x3_splat(s->axis)), f8x3_splat(s->axis)};
    }
}

/* Position p after friction: of its way from x along the surface, at most friction × depth is
   taken back. depth is 0 where there is no contact. */
SL_INLINE F8x3 rub(F8x3 p, F8x3 x, F8x3 normal, F8 depth, F8 friction)
{
    F8x3 way = {p.x - x.x, p.y - x.y, p.z - x.z};
    F8 along = f8x3_dot(way, normal);
    F8x3 slide = {way.x - along * normal.x, way.y - along * normal.y, way.z - along * normal.z};
    F8 length = f8_sqrt(f8x3_dot(slide, slide));
    F8 back = f8_min(friction * depth * inverse_or_zero(length), f8(1));
    return (F8x3){p.x - back * slide.x, p.y - back * slide.y, p.z - back * slide.z};
}

/* Lanes whose surface may be nearer than `reach`; outside of a hollow body all is solid. */
SL_INLINE I8 field_near(const SlFieldBody *body, F8x3 local, float reach)
{
    SlBox box = body->bounds;
    I8 near = (local.x > f8(box.min.x - reach)) & (local.x < f8(box.max.x + reach)) &
              (local.y > f8(box.min.y - reach)) & (local.y < f8(box.max.y + reach)) &
              (local.z > f8(box.min.z - reach)) & (local.z < f8(box.max.z + reach));
    /* Padding lanes are far beyond any world. */
    return body->hollow ? f8_abs(local.x) < f8(1e8f) : near;
}

SL_INLINE F8x3 field_local(const SlFieldBody *body, F8x3 p)
{
    F8x3 q = {p.x - f8(body->origin.x), p.y - f8(body->origin.y), p.z - f8(body->origin.z)};
    return (F8x3){f8x3_dot(q, f8x3_splat(body->sides[0])), f8x3_dot(q, f8x3_splat(body->sides[1])),
                  f8x3_dot(q, f8x3_splat(body->sides[2]))};
}

/* The field's surface for the lanes set in bits, exact within `reach`; the others are far away.
   *drift: the velocity of a deforming surface beside the body's motion. One lane at a time: few
   particles are near a mesh, and the field's walk does not suit lanes. */
SL_INLINE Surface field_surface(const SlFieldBody *body, F8x3 local, uint32_t bits, float reach,
                                F8x3 *drift)
{
    *drift = (F8x3){f8(0), f8(0), f8(0)};
    Surface s = {f8(1e8f), {f8(0), f8(1), f8(0)}};
    for (; bits != 0; bits &= bits - 1) {
        int k = __builtin_ctz(bits);
        SlVec3 g, v = {0, 0, 0}, at = {local.x[k], local.y[k], local.z[k]};
        s.distance[k] = body->deform != NULL ? sl_deform_distance(body->deform, at, reach, &g, &v)
                                             : sl_sdf_distance_within(body->field, at, reach, &g);
        float length = sqrtf(g.x * g.x + g.y * g.y + g.z * g.z);
        float scale = length > 0 ? 1 / length : 0;
        const SlVec3 *a = body->sides;
        s.normal.x[k] = scale * (g.x * a[0].x + g.y * a[1].x + g.z * a[2].x);
        s.normal.y[k] = scale * (g.x * a[0].y + g.y * a[1].y + g.z * a[2].y);
        s.normal.z[k] = scale * (g.x * a[0].z + g.y * a[1].z + g.z * a[2].z);
        drift->x[k] = v.x * a[0].x + v.y * a[1].x + v.z * a[2].x;
        drift->y[k] = v.x * a[0].y + v.y * a[1].y + v.z * a[2].y;
        drift->z[k] = v.x * a[0].z + v.y * a[1].z + v.z * a[2].z;
    }
    return s;
}

/* Where a particle at x would be if it went with the body: friction slows against that. */
SL_INLINE F8x3 carried(const SlBodyMotion *m, float dt, F8x3 x)
{
    F8x3 v = f8x3_splat(m->velocity), w = f8x3_splat(m->spin), c = f8x3_splat(m->pivot);
    F8x3 r = {x.x - c.x, x.y - c.y, x.z - c.z};
    return (F8x3){f8_fma(f8(dt), v.x + (w.y * r.z - w.z * r.y), x.x),
                  f8_fma(f8(dt), v.y + (w.z * r.x - w.x * r.z), x.y),
                  f8_fma(f8(dt), v.z + (w.x * r.y - w.y * r.x), x.z)};
}

/* Keeps p away from the surface; friction against it, which moves with `motion` (NULL: rests). */
SL_INLINE F8x3 push_out(Surface surface, F8 keep, F8x3 p, F8x3 x, float friction,
                        const SlBodyMotion *motion, float dt)
{
    F8 depth = f8_max(keep - surface.distance, f8(0));
    if (i8_bits(depth > f8(0)) == 0)
        return p;
    p.x = f8_fma(depth, surface.normal.x, p.x);
    p.y = f8_fma(depth, surface.normal.y, p.y);
    p.z = f8_fma(depth, surface.normal.z, p.z);
    if (friction <= 0)
        return p;
    return rub(p, motion != NULL ? carried(motion, dt, x) : x, surface.normal, depth, f8(friction));
}

SL_INLINE F8x3 meet_field(const SlContacts *c, const SlFieldBody *body, F8 keep, F8x3 p, F8x3 x)
{
    F8x3 local = field_local(body, p);
    float reach = c->distance + c->jitter;
    uint32_t bits = i8_bits(field_near(body, local, reach));
    if (bits == 0)
        return p;
    F8x3 drift;
    Surface surface = field_surface(body, local, bits, reach, &drift);
    F8 dt = f8(c->dt);
    x = (F8x3){f8_fma(dt, drift.x, x.x), f8_fma(dt, drift.y, x.y), f8_fma(dt, drift.z, x.z)};
    return push_out(surface, keep, p, x, body->friction, &body->motion, c->dt);
}

SL_INLINE F8x3 meet_shape(const SlContacts *c, size_t k, F8 keep, F8x3 p, F8x3 x)
{
    const SlShape *shape = &c->around.shapes[k];
    const SlBodyMotion *motion = c->around.motions != NULL ? &c->around.motions[k] : NULL;
    return push_out(shape_surface(shape, p), keep, p, x, shape->friction, motion, c->dt);
}

/* One pair of walls: clamp p between them, then friction. */
#define SL_MEET_WALLS_(axis, n0, n1, n2)                                                           \
    do {                                                                                           \
        F8 low = f8(box.min.axis) + keep, high = f8(box.max.axis) - keep;                          \
        F8 inside = f8_min(f8_max(p.axis, low), high);                                             \
        F8 depth = f8_abs(inside - p.axis);                                                        \
        p.axis = inside;                                                                           \
        if (c->around.domain_friction > 0)                                                         \
            p = rub(p, x, (F8x3){f8(n0), f8(n1), f8(n2)}, depth, f8(c->around.domain_friction));   \
    } while (0)

/* True if some lane of p lies within `reach` of the box. */
SL_INLINE bool box_near(SlBox box, F8x3 p, float reach)
{
    I8 near = (p.x > f8(box.min.x - reach)) & (p.x < f8(box.max.x + reach)) &
              (p.y > f8(box.min.y - reach)) & (p.y < f8(box.max.y + reach)) &
              (p.z > f8(box.min.z - reach)) & (p.z < f8(box.max.z + reach));
    return i8_bits(near) != 0;
}

/* Where particles at p that came from x may be. Solids first; the walls have the last word. */
SL_INLINE F8x3 meet_surfaces(const SlContacts *c, const Tally *tally, U8 id, F8x3 p, F8x3 x)
{
    SlBox box = c->around.domain;
    float most = c->distance + c->jitter;
    I8 near_wall = (p.x < f8(box.min.x + most)) | (p.x > f8(box.max.x - most)) |
                   (p.y < f8(box.min.y + most)) | (p.y > f8(box.max.y - most)) |
                   (p.z < f8(box.min.z + most)) | (p.z > f8(box.max.z - most));
    bool walls = i8_bits(near_wall) != 0;
    size_t shapes = c->around.shape_count, fields = c->around.field_count;
    if (!walls && shapes + fields == 0)
        return p;
    F8 keep = f8(c->distance) + f8(c->jitter) * contact_fraction(id);
    for (size_t k = 0; k < shapes; k++)
        if (box_near(c->around.bounds[k], p, most)) {
            F8x3 before = p;
            p = meet_shape(c, k, keep, p, x);
            if (tally->sums != NULL)
                tally_change(tally, c, 1 + k, before, p);
        }
    for (size_t k = 0; k < fields; k++) {
        F8x3 before = p;
        p = meet_field(c, &c->around.fields[k], keep, p, x);
        if (tally->sums != NULL)
            tally_change(tally, c, 1 + shapes + k, before, p);
    }
    F8x3 before = p;
    SL_MEET_WALLS_(x, 1, 0, 0);
    SL_MEET_WALLS_(y, 0, 1, 0);
    SL_MEET_WALLS_(z, 0, 0, 1);
    if (tally->sums != NULL && c->tally_domain)
        tally_change(tally, c, 0, before, p);
    return p;
}

/* Where particles at x would be if nothing was inside a solid at the beginning of the step: bodies
   are known where they will be at its end, so x goes along with them for the question. */
SL_INLINE F8x3 leave_solids(const SlContacts *c, U8 id, F8x3 x)
{
    SlBox box = c->around.domain;
    float most = c->distance + c->jitter;
    size_t shapes = c->around.shape_count;
    F8 keep = f8(c->distance) + f8(c->jitter) * contact_fraction(id);
    for (size_t k = 0; k < shapes; k++) {
        const SlBodyMotion *motion = c->around.motions != NULL ? &c->around.motions[k] : NULL;
        F8x3 at = motion != NULL ? carried(motion, c->dt, x) : x;
        if (!box_near(c->around.bounds[k], at, most))
            continue;
        Surface surface = shape_surface(&c->around.shapes[k], at);
        x = f8x3_fma(f8_max(keep - surface.distance, f8(0)), surface.normal, x);
    }
    for (size_t k = 0; k < c->around.field_count; k++) {
        const SlFieldBody *body = &c->around.fields[k];
        F8x3 local = field_local(body, carried(&body->motion, c->dt, x));
        uint32_t bits = i8_bits(field_near(body, local, most));
        if (bits == 0)
            continue;
        F8x3 drift; /* a surface that came nearer during the step was farther away before it */
        Surface surface = field_surface(body, local, bits, 1e8f, &drift);
        F8 before = f8_fma(f8(c->dt), f8x3_dot(drift, surface.normal), surface.distance);
        x = f8x3_fma(f8_max(keep - before, f8(0)), surface.normal, x);
    }
    x.x = f8_min(f8_max(x.x, f8(box.min.x) + keep), f8(box.max.x) - keep);
    x.y = f8_min(f8_max(x.y, f8(box.min.y) + keep), f8(box.max.y) - keep);
    x.z = f8_min(f8_max(x.z, f8(box.min.z) + keep), f8(box.max.z) - keep);
    return x;
}

#endif
