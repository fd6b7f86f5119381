/* Contacts for eight particles at once; only for *_kernels.c. */
#ifndef SOLVERS_FLUID_CONTACT_LANES_H
#define SOLVERS_FLUID_CONTACT_LANES_H

#include "bodies/body_lanes.h"
#include "core/simd.h"
#include "solvers/fluid/contact.h"

SL_INLINE F8 contact_fraction(U8 id)
{
    U8 h = id * 0x9E3779B1u;
    h ^= h >> 15;
    h *= 0x85EBCA77u;
    h ^= h >> 13;
    return f8_from_i8((I8)(h >> 8)) * f8(0x1p-24f);
}

/* Displacements given to particles, summed by body; the reaction on the body is the opposite. */
typedef struct Tally {
    double *sums; /* [body][SL_FORCE_LANES]; NULL: not wanted */
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

/* Keeps p away from the body's surface; friction acts against how the surface moves. */
SL_INLINE F8x3 push_out(const SlContacts *c, const SlBody *body, const Surface8 *surface, F8 keep,
                        F8x3 p, F8x3 x)
{
    F8 depth = f8_max(keep - surface->distance, f8(0));
    if (i8_bits(depth > f8(0)) == 0)
        return p;
    p = f8x3_fma(depth, surface->normal, p);
    if (body->friction <= 0)
        return p;
    if (body->deform != NULL)
        x = f8x3_fma(f8(c->dt), surface->drift, x);
    if (body->moves)
        x = carried(&body->motion, c->dt, x);
    return rub(p, x, surface->normal, depth, f8(body->friction));
}

/* One pair of walls: clamp p between them, then friction. */
#define SL_MEET_WALLS_(axis, n0, n1, n2)                                                           \
    do {                                                                                           \
        F8 low = f8(box.min.axis) + keep, high = f8(box.max.axis) - keep;                          \
        F8 inside = f8_min(f8_max(p.axis, low), high);                                             \
        F8 depth = f8_abs(inside - p.axis);                                                        \
        p.axis = inside;                                                                           \
        if (friction > 0)                                                                          \
            p = rub(p, x, (F8x3){f8(n0), f8(n1), f8(n2)}, depth, f8(friction));                    \
    } while (0)

/* Where particles at p that came from x may be. Solids first; the walls of the domain last. */
SL_INLINE F8x3 meet_surfaces(const SlContacts *c, const Tally *tally, U8 id, F8x3 p, F8x3 x)
{
    SlBox box = c->around.domain;
    float most = c->distance + c->jitter;
    I8 near_wall = (p.x < f8(box.min.x + most)) | (p.x > f8(box.max.x - most)) |
                   (p.y < f8(box.min.y + most)) | (p.y > f8(box.max.y - most)) |
                   (p.z < f8(box.min.z + most)) | (p.z > f8(box.max.z - most));
    bool walls = i8_bits(near_wall) != 0;
    const SlBodies *bodies = c->around.bodies;
    if (!walls && bodies->count == 1)
        return p;
    F8 keep = f8(c->distance) + f8(c->jitter) * contact_fraction(id);
    for (size_t k = 1; k < bodies->count; k++) {
        Surface8 surface;
        if (!body_surface(&bodies->body[k], p, most, most, &surface))
            continue;
        F8x3 before = p;
        p = push_out(c, &bodies->body[k], &surface, keep, p, x);
        if (tally->sums != NULL)
            tally_change(tally, c, k, before, p);
    }
    float friction = bodies->body[0].friction;
    F8x3 before = p;
    SL_MEET_WALLS_(x, 1, 0, 0);
    SL_MEET_WALLS_(y, 0, 1, 0);
    SL_MEET_WALLS_(z, 0, 0, 1);
    if (tally->sums != NULL && c->tally_domain)
        tally_change(tally, c, 0, before, p);
    return p;
}

/* Where particles at x would be if nothing was inside a solid at the beginning of the step: bodies
   are known where they will be at its end, so x is moved with them before the query. */
SL_INLINE F8x3 leave_solids(const SlContacts *c, U8 id, F8x3 x)
{
    SlBox box = c->around.domain;
    float most = c->distance + c->jitter;
    const SlBodies *bodies = c->around.bodies;
    F8 keep = f8(c->distance) + f8(c->jitter) * contact_fraction(id);
    for (size_t k = 1; k < bodies->count; k++) {
        const SlBody *body = &bodies->body[k];
        Surface8 surface;
        F8x3 at = body->moves ? carried(&body->motion, c->dt, x) : x;
        if (!body_surface(body, at, most, 1e8f, &surface))
            continue;
        F8 distance = surface.distance; /* a surface that came nearer was farther away before */
        if (body->deform != NULL)
            distance = f8_fma(f8(c->dt), f8x3_dot(surface.drift, surface.normal), distance);
        x = f8x3_fma(f8_max(keep - distance, f8(0)), surface.normal, x);
    }
    x.x = f8_min(f8_max(x.x, f8(box.min.x) + keep), f8(box.max.x) - keep);
    x.y = f8_min(f8_max(x.y, f8(box.min.y) + keep), f8(box.max.y) - keep);
    x.z = f8_min(f8_max(x.z, f8(box.min.z) + keep), f8(box.max.z) - keep);
    return x;
}

#endif
