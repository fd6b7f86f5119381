/* What analytic walls add to the density of eight particles: each surface counts as a half space
   full of fluid, at the particle's distance s from it. Without it particles at a wall lack half of
   their neighbours and crowd there. Only for *_kernels.c.

   For a kernel W of support 1 the half space beyond distance s holds F(s), and F' = -A(s), with
   A the integral of W over the plane at s; all three kernels integrate to polynomials. Several
   surfaces combine as 1 - (1 - F1)(1 - F2)…, which does not count their overlap twice.

   At half a spacing the slope of F is below that of the plane of particles the wall replaces, so a
   particle that moves towards the wall gets a lower density and sticks. The steep profile
   F* = F0 (F / F0)^1.5, F0 = F(half a spacing), has the same density there and 1.5 times the slope.

   A round surface leaves its tangent plane by H r^2 / 2 (mean over directions), H its mean curvature, so
   to first order it counts as a plane that is farther by H m, m = half the mean of r^2 weighted with W
   over the plane at half a spacing. Without this a sphere is too large for the water by about m / R. */
#ifndef SOLVERS_FLUID_WALL_LANES_H
#define SOLVERS_FLUID_WALL_LANES_H

#include "solvers/fluid/contact_lanes.h"
#include "solvers/fluid/pass.h"
#include "math/kernel_lanes.h"

typedef struct HalfSpace {
    F8 filled, plane; /* F and A, times 2 pi × the kernel's value scale: in wall_scale */
} HalfSpace;

SL_INLINE HalfSpace half_space(SlKernelKind kind, F8 q)
{
    F8 t = f8_max(f8(1) - f8_max(q, f8(0)), f8(0));
    F8 t2 = t * t, t4 = t2 * t2;
    if (kind == SL_KERNEL_WENDLAND)
        return (HalfSpace){t4 * t2 *
                               f8_fma(t, f8_fma(t, f8(1.0f / 14), f8(-1.5f / 7)), f8(1.0f / 6)),
                           t4 * t * f8_fma(t, f8_fma(t, f8(4.0f / 7), f8(-1.5f)), f8(1))};
    if (kind == SL_KERNEL_POLY6) {
        F8 z = f8(1) - t, z2 = z * z, u = f8(1) - z2, u2 = u * u;
        F8 upto =
            f8_fma(z2,
                   f8_fma(z2, f8_fma(z2, f8_fma(z2, f8(1.0f / 9), f8(-4.0f / 7)), f8(6.0f / 5)),
                          f8(-4.0f / 3)),
                   f8(1)) *
            z;
        return (HalfSpace){f8_max(f8(128.0f / 315) - upto, f8(0)) * f8(0.125f),
                           u2 * u2 * f8(0.125f)};
    }
    F8 h = f8_max(t - f8(0.5f), f8(0)), h2 = h * h, h4 = h2 * h2;
    F8 near_filled = h4 * h * f8_fma(h, f8(-4.0f / 30), f8(0.1f));
    F8 near_plane = h4 * f8_fma(h, f8(-0.8f), f8(0.5f));
    return (HalfSpace){f8_fma(t4 * t, f8_fma(t, f8(-1.0f / 30), f8(0.05f)), f8(0) - near_filled),
                       f8_fma(t4, f8_fma(t, f8(-0.2f), f8(0.25f)), f8(0) - near_plane)};
}

/* Density that solids add, and its gradient. */
typedef struct WallDensity {
    F8 density;
    F8x3 gradient; /* 1/m */
} WallDensity;

/* One surface by itself: F, and dF/ds in 1/m. */
typedef struct WallPart {
    F8 filled, slope;
} WallPart;

SL_INLINE WallPart wall_part(SlKernelKind kind, const SlFluidPass *pass, F8 s)
{
    HalfSpace part = half_space(kind, s * f8(pass->kernel.inverse_support));
    WallPart wall = {part.filled * f8(pass->solids.wall_scale),
                     f8(0) - part.plane * f8(pass->solids.wall_scale * pass->kernel.inverse_support)};
    if (pass->solids.steep) {
        /* The bound keeps the density below 1 for particles that are nearly in the wall. */
        F8 root = f8_sqrt(f8_min(wall.filled * f8(1 / pass->solids.wall_density), f8(2.2f)));
        wall.slope = wall.slope * root * f8(1.5f);
        wall.filled = f8_min(wall.filled * root, f8(0.95f));
    }
    return wall;
}

/* Folds one surface at distance s with unit normal n into the wall's density. */
SL_INLINE void add_surface(SlKernelKind kind, const SlFluidPass *pass, F8 s, F8x3 n, WallDensity *w)
{
    WallPart part = wall_part(kind, pass, s);
    F8 left = f8(1) - part.filled, own = (f8(1) - w->density) * part.slope;
    w->gradient.x = f8_fma(own, n.x, w->gradient.x * left);
    w->gradient.y = f8_fma(own, n.y, w->gradient.y * left);
    w->gradient.z = f8_fma(own, n.z, w->gradient.z * left);
    w->density = f8_fma(left, w->density, part.filled);
}

/* True if some lane of p may lie within the support of an analytic surface. */
SL_INLINE bool walls_near(const SlFluidPass *pass, F8x4 p)
{
    if (pass->solids.wall_scale == 0)
        return false;
    const SlSurroundings *around = &pass->solids.contacts.around;
    SlBox box = around->domain;
    float reach = 1 / pass->kernel.inverse_support;
    I8 near_wall = (p.x < f8(box.min.x + reach)) | (p.x > f8(box.max.x - reach)) |
                   (p.y < f8(box.min.y + reach)) | (p.y > f8(box.max.y - reach)) |
                   (p.z < f8(box.min.z + reach)) | (p.z > f8(box.max.z - reach));
    if ((pass->solids.analytic[0] && i8_bits(near_wall) != 0) || pass->solids.analytic_fields)
        return true;
    for (size_t k = 1; k < around->bodies->count; k++)
        if (pass->solids.analytic[k] && around->bodies->body[k].kind == SL_BODY_SHAPE &&
            box_near(around->bodies->body[k].bounds, (F8x3){p.x, p.y, p.z}, reach))
            return true;
    return false;
}

SL_INLINE void add_domain(SlKernelKind kind, const SlFluidPass *pass, F8x3 p, WallDensity *w)
{
    F8 one = f8(1), none = f8(0), back = f8(-1);
    SlBox box = pass->solids.contacts.around.domain;
    add_surface(kind, pass, p.x - f8(box.min.x), (F8x3){one, none, none}, w);
    add_surface(kind, pass, f8(box.max.x) - p.x, (F8x3){back, none, none}, w);
    add_surface(kind, pass, p.y - f8(box.min.y), (F8x3){none, one, none}, w);
    add_surface(kind, pass, f8(box.max.y) - p.y, (F8x3){none, back, none}, w);
    add_surface(kind, pass, p.z - f8(box.min.z), (F8x3){none, none, one}, w);
    add_surface(kind, pass, f8(box.max.z) - p.z, (F8x3){none, none, back}, w);
}

/* The surface of a body that is an analytic wall, as a plane at a distance corrected for its curvature;
   false if no lane of p is within the support. */
SL_INLINE bool wall_surface(const SlFluidPass *pass, size_t body, F8x3 p, Surface8 *surface)
{
    float reach = 1.0001f / pass->kernel.inverse_support;
    if (!pass->solids.analytic[body] ||
        !body_surface(&pass->solids.contacts.around.bodies->body[body], p, reach, reach, surface))
        return false;
    F8 farther = surface->curvature * f8(pass->solids.round_moment);
    surface->distance = surface->distance + f8_min(farther, f8(pass->solids.max_round));
    return i8_bits(surface->distance * f8(pass->kernel.inverse_support) < f8(1)) != 0;
}

SL_INLINE WallDensity wall_density(SlKernelKind kind, const SlFluidPass *pass, F8x4 at)
{
    F8x3 p = {at.x, at.y, at.z};
    WallDensity w = {f8(0), {f8(0), f8(0), f8(0)}};
    Surface8 surface;
    if (pass->solids.analytic[0])
        add_domain(kind, pass, p, &w);
    for (size_t body = 1; body < pass->solids.body_count; body++)
        if (wall_surface(pass, body, p, &surface))
            add_surface(kind, pass, surface.distance, surface.normal, &w);
    return w;
}

/* Adds the reaction on analytic walls to the sums: a surface's own part of the gradient is F_k' n_k
   times what the others leave free, (1 - density) / (1 - F_k). `push` is the factor that the
   gradient was multiplied with. */
SL_INLINE void wall_reaction(SlKernelKind kind, const SlFluidPass *pass, const Tally *tally,
                             F8x4 at, F8 density, F8 push)
{
    F8x3 p = {at.x, at.y, at.z};
    F8 free = (f8(1) - density) * push;
    Surface8 surface;
    for (size_t body = 1; body < pass->solids.body_count; body++) {
        if (!wall_surface(pass, body, p, &surface))
            continue;
        WallPart part = wall_part(kind, pass, surface.distance);
        F8 own = free * part.slope / (f8(1) - part.filled);
        tally_push(tally, &pass->solids.contacts, body,
                   (F8x3){own * surface.normal.x, own * surface.normal.y, own * surface.normal.z},
                   p);
    }
    if (!pass->solids.contacts.tally_domain || !pass->solids.analytic[0])
        return;
    WallDensity w = {f8(0), {f8(0), f8(0), f8(0)}};
    add_domain(kind, pass, p, &w);
    F8 own = free / (f8(1) - w.density);
    tally_push(tally, &pass->solids.contacts, 0,
               (F8x3){own * w.gradient.x, own * w.gradient.y, own * w.gradient.z}, p);
}

/* Friction of analytic walls by what they pushed: `push` times each surface's own part of the
   gradient. Returns where particles that came from x and are at `at` end up. */
SL_INLINE F8x3 wall_rub(SlKernelKind kind, const SlFluidPass *pass, const Tally *tally, F8x4 at,
                        F8 push, F8x3 x)
{
    const SlContacts *c = &pass->solids.contacts;
    const SlBodies *bodies = c->around.bodies;
    F8x3 p = {at.x, at.y, at.z}, start = p;
    F8 free = (f8(1) - wall_density(kind, pass, at).density) * push;
    for (size_t k = 1; k < pass->solids.body_count; k++) {
        const SlBody *body = &bodies->body[k];
        Surface8 surface;
        if (body->friction <= 0 || !wall_surface(pass, k, start, &surface))
            continue;
        WallPart part = wall_part(kind, pass, surface.distance);
        F8 depth = f8_abs(free * part.slope / (f8(1) - part.filled));
        F8x3 from = x, before = p;
        if (body->deform != NULL)
            from = f8x3_fma(f8(c->dt), surface.drift, from);
        if (body->moves)
            from = carried(&body->motion, c->dt, from);
        p = rub(p, from, surface.normal, depth, f8(body->friction));
        if (tally->sums != NULL)
            tally_change(tally, c, k, before, p);
    }
    float friction = bodies->body[0].friction;
    if (friction <= 0 || !pass->solids.analytic[0])
        return p;
    SlBox box = c->around.domain;
    F8x3 before = p;
    F8 distance[6] = {start.x - f8(box.min.x), f8(box.max.x) - start.x, start.y - f8(box.min.y),
                      f8(box.max.y) - start.y, start.z - f8(box.min.z), f8(box.max.z) - start.z};
    for (int wall = 0; wall < 6; wall++) {
        WallPart part = wall_part(kind, pass, distance[wall]);
        F8 depth = f8_abs(free * part.slope / (f8(1) - part.filled)), one = f8(1), none = f8(0);
        F8x3 normal = {wall < 2 ? one : none, wall / 2 == 1 ? one : none, wall >= 4 ? one : none};
        p = rub(p, x, normal, depth, f8(friction));
    }
    if (tally->sums != NULL && c->tally_domain)
        tally_change(tally, c, 0, before, p);
    return p;
}

#endif
