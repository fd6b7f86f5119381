/* Density of boundary particles [Akinci 2012] at eight particles, friction and the reaction on
   bodies. Only for *_kernels.c. Symbols: b boundary particle, V its volume over the fluid's. */
#ifndef SOLVERS_FLUID_BOUNDARY_LANES_H
#define SOLVERS_FLUID_BOUNDARY_LANES_H

#include "solvers/fluid/wall_lanes.h"

/* The rows of boundary particles listed for the block, and their number. */
SL_INLINE uint32_t boundary_rows(const SlFluidPass *s, size_t b, const uint32_t (**row)[8])
{
    *row = NULL;
    if (s->solids.boundary == NULL)
        return 0;
    *row = (const uint32_t(*)[8])s->solids.boundary_list->rows + s->solids.boundary_list->row_begin[b];
    return s->solids.boundary_list->row_count[b];
}

/* rho_b = sum_b V W, and its gradient: it enters grad_i only, for boundary particles are fixed. */
SL_INLINE WallDensity boundary_density(SlKernelKind kind, const SlFluidPass *s, size_t b, F8x4 xi)
{
    WallDensity sum = {f8(0), {f8(0), f8(0), f8(0)}};
    const uint32_t(*row)[8] = NULL;
    for (uint32_t k = boundary_rows(s, b, &row); k > 0; k--, row++) {
        F8x4 xb = f8x4_gather(s->solids.boundary, *row);
        F8x3 u = {xi.x - xb.x, xi.y - xb.y, xi.z - xb.z};
        ShapePair w = shape_both(kind, f8x3_dot(u, u), f8(s->kernel.inverse_support));
        F8 slope = xb.w * w.slope;
        sum.density = f8_fma(xb.w, w.value, sum.density);
        sum.gradient.x = f8_fma(slope, u.x, sum.gradient.x);
        sum.gradient.y = f8_fma(slope, u.y, sum.gradient.y);
        sum.gradient.z = f8_fma(slope, u.z, sum.gradient.z);
    }
    F8 scale = f8(s->kernel.slope_scale);
    sum.density = sum.density * f8(s->kernel.value_scale);
    sum.gradient = (F8x3){sum.gradient.x * scale, sum.gradient.y * scale, sum.gradient.z * scale};
    return sum;
}

/* Friction against boundary particles: by Coulomb's law limited by how far they pushed. Their velocity and friction are means, weighted by V W. */
SL_INLINE F8x3 boundary_rub(SlKernelKind kind, const SlFluidPass *s, size_t b, F8x4 xi, F8x3 pushed,
                            F8x3 p, F8x3 x)
{
    F8 weights = f8(0), friction = f8(0);
    F8x3 velocity = {f8(0), f8(0), f8(0)};
    const uint32_t(*row)[8] = NULL;
    for (uint32_t k = boundary_rows(s, b, &row); k > 0; k--, row++) {
        F8x4 xb = f8x4_gather(s->solids.boundary, *row), vb = f8x4_gather(s->solids.boundary_motion, *row);
        F8x3 u = {xi.x - xb.x, xi.y - xb.y, xi.z - xb.z};
        F8 w = xb.w * shape_value(kind, f8x3_dot(u, u), f8(s->kernel.inverse_support));
        weights += w;
        velocity.x = f8_fma(w, vb.x, velocity.x);
        velocity.y = f8_fma(w, vb.y, velocity.y);
        velocity.z = f8_fma(w, vb.z, velocity.z);
        friction = f8_fma(w, vb.w, friction);
    }
    F8 depth = f8_sqrt(f8x3_dot(pushed, pushed)), inverse = inverse_or_zero(depth);
    F8 mean = inverse_or_zero(weights), way = mean * f8(s->dt);
    F8x3 normal = {pushed.x * inverse, pushed.y * inverse, pushed.z * inverse};
    F8x3 from = {f8_fma(velocity.x, way, x.x), f8_fma(velocity.y, way, x.y),
                 f8_fma(velocity.z, way, x.z)};
    return rub(p, from, normal, depth, friction * mean);
}

/* What boundary particles did to eight particles. */
typedef struct BoundaryPush {
    F8 push;     /* the gradient of their density was multiplied with this */
    F8x3 rubbed; /* displacement by friction */
    F8 density;  /* rho_b, by which friction is divided among them */
} BoundaryPush;

/* Adds the reaction on bodies to the sums: pair by pair `push` times the pair's part of the
   gradient, and a fraction of `rubbed` by V W. */
SL_INLINE void boundary_reaction(SlKernelKind kind, const SlFluidPass *s, const Tally *tally,
                                 size_t b, F8x4 xi, BoundaryPush done)
{
    F8x3 rubbed = done.rubbed;
    F8 fraction = inverse_or_zero(done.density) * f8(s->kernel.value_scale);
    F8 scale = done.push * f8(s->kernel.slope_scale);
    const uint32_t(*row)[8] = NULL;
    for (uint32_t k = boundary_rows(s, b, &row); k > 0; k--, row++) {
        F8x4 xb = f8x4_gather(s->solids.boundary, *row);
        F8x3 u = {xi.x - xb.x, xi.y - xb.y, xi.z - xb.z};
        ShapePair w = shape_both(kind, f8x3_dot(u, u), f8(s->kernel.inverse_support));
        F8 along = scale * xb.w * w.slope, held = fraction * xb.w * w.value;
        F8x3 moved = {f8_fma(along, u.x, held * rubbed.x), f8_fma(along, u.y, held * rubbed.y),
                      f8_fma(along, u.z, held * rubbed.z)};
        U8 body;
        for (int lane = 0; lane < 8; lane++)
            body[lane] = s->solids.boundary_body[(*row)[lane]];
        /* Mostly one body; padding has volume 0 and is skipped. */
        for (uint32_t left = i8_bits(xb.w > f8(0)); left != 0;) {
            uint32_t one = body[__builtin_ctz(left)];
            I8 its = (I8)(body == u8(one)) & (xb.w > f8(0));
            left &= ~i8_bits(its);
            if (one == 0 && !s->solids.contacts.tally_domain)
                continue;
            tally_push(tally, &s->solids.contacts, one,
                       (F8x3){f8_keep(its, moved.x), f8_keep(its, moved.y), f8_keep(its, moved.z)},
                       (F8x3){f8_keep(its, xb.x), f8_keep(its, xb.y), f8_keep(its, xb.z)});
        }
    }
}

#endif
