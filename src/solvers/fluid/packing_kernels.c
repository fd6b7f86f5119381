/* Relaxing a packing, for eight particles at a time: Jacobi iterations on the density constraint
   [Macklin 2013 eq. 1 to 12], here an equality, under a uniform pressure, which evens out the
   spacing: where its forces balance the packing stays as it is under any pressure of water. */
#include "solvers/fluid/packing_kernels.h"

#include "solvers/fluid/pass_lanes.h"

/* The region's surface, the box and the solids. */
SL_INLINE WallDensity surfaces_at(SlKernelKind kind, const SlPackingPass *s, size_t b, F8x4 xi)
{
    WallDensity wall = {f8(0), {f8(0), f8(0), f8(0)}};
    if (walls_near(&s->fluid, xi))
        wall = wall_density(kind, &s->fluid, xi);
    if (s->container != NULL) {
        F8x4 c = f8x4_load(s->container + 32 * b);
        add_surface(kind, &s->fluid, c.w, xyz(c), &wall);
    }
    return wall;
}

/* Lanes that are particles and no ghosts. */
SL_INLINE I8 counted_lanes(const SlPackingPass *s, size_t b)
{
    I8 owned = owned_lanes(&s->fluid.particles, b);
    return owned & (u8_load(s->fluid.particles.id + 8 * b) < s->first_ghost);
}

/* sum_j r_ij·grad W_ij without slope_scale. */
SL_INLINE F8 gradient_along(SlKernelKind kind, const SlFluidPass *s, size_t b, F8x4 xi)
{
    F8 sum = f8(0), inverse_support = f8(s->kernel.inverse_support);
    const uint32_t(*row)[8] = rows_of(s->list, b);
    for (uint32_t k = s->list->row_count[b]; k > 0; k--, row++) {
        F8x4 xj = f8x4_gather(s->particles.predicted, *row);
        F8x3 u = {xi.x - xj.x, xi.y - xj.y, xi.z - xj.z};
        F8 r2 = f8x3_dot(u, u), slope = shape_slope(kind, r2, inverse_support);
        sum += f8_keep(slope != f8(0), slope * r2);
    }
    return sum;
}

SL_INLINE void lambda_loop(SlKernelKind kind, const SlPackingPass *s, size_t begin, size_t end,
                           size_t chunk)
{
    const SlFluidPass *fluid = &s->fluid;
    F8 slope_scale = f8(fluid->kernel.slope_scale), limit = f8(s->max_constraint);
    F8 sum = f8(0), max = f8(0);
    for (size_t b = begin; b < end; b++) {
        F8x4 xi = f8x4_load(fluid->particles.predicted + 32 * b);
        I8 counted = counted_lanes(s, b);
        if (i8_bits(counted) == 0) { /* ghosts: their multipliers are copied */
            f8x4_store(s->projected + 32 * b, xi);
            continue;
        }
        DensitySums sums = density_sums(kind, fluid, b, xi);
        WallDensity surfaces = surfaces_at(kind, s, b, xi);
        add_solid(surfaces, &sums.error, &sums.gradient);
        F8 squares = f8_fma(sums.squares, slope_scale * slope_scale,
                            f8x3_dot(sums.gradient, sums.gradient));
        F8 error = sums.error - f8(s->excess), limited = f8_max(f8_min(error, limit), f8(0) - limit);
        F8 correction = limited / (squares + f8(s->epsilon));
        F8 own = f8_load(s->multiplier + 8 * b);
        f8_store(s->multiplier + 8 * b, f8_fma(f8(s->gain), correction, own));
        F8 total = s->corrects_only ? f8(0) : f8(s->pressure) + own;
        f8x4_store(s->projected + 32 * b, (F8x4){xi.x, xi.y, xi.z, f8(0) - total - correction});
        sum += f8_keep(counted, sums.error);
        max = f8_max(max, f8_keep(counted, f8_abs(error)));
    }
    double *partials = s->partials + chunk * SL_PACKING_PARTIALS;
    partials[SL_PACKING_SUM] = (double)f8_sum(sum);
    partials[SL_PACKING_MAX] = (double)f8_horizontal_max(max);
}

SL_INLINE void measure_loop(SlKernelKind kind, const SlPackingPass *s, size_t begin, size_t end,
                            size_t chunk)
{
    const SlFluidPass *fluid = &s->fluid;
    F8 inner = f8(0), along = f8(0);
    for (size_t b = begin; b < end; b++) {
        F8x4 xi = f8x4_load(fluid->particles.predicted + 32 * b);
        I8 in = counted_lanes(s, b) & (surfaces_at(kind, s, b, xi).density == f8(0));
        inner += f8_keep(in, f8(1));
        along -= f8_keep(in, gradient_along(kind, fluid, b, xi) * f8(fluid->kernel.slope_scale));
    }
    double *partials = s->partials + chunk * SL_PACKING_PARTIALS;
    partials[SL_PACKING_INNER] = (double)f8_sum(inner);
    partials[SL_PACKING_GRADIENT] = (double)f8_sum(along);
}

/* Under the pressure of the depth that a particle will have: the whole factor f down to mirror_depth,
   less and less of it below. */
SL_INLINE F8 wall_factor(const SlPackingPass *s, F8x4 xi)
{
    F8x3 up = f8x3_splat(s->up);
    F8 depth = f8_max(f8(s->top) - f8x3_dot(up, xyz(xi)), f8(s->mirror_depth));
    return f8_fma(f8(s->fluid.solids.wall_push - 1), f8(s->mirror_depth) / depth, f8(1));
}

SL_INLINE void displace_loop(SlKernelKind kind, const SlPackingPass *s, size_t begin, size_t end)
{
    const SlFluidPass *fluid = &s->fluid;
    F8 scale = f8(s->relaxation * fluid->kernel.slope_scale);
    Tally none = {NULL, {0}, f8(1)};
    for (size_t b = begin; b < end; b++) {
        if (i8_bits(counted_lanes(s, b)) == 0)
            continue;
        F8x4 xi = f8x4_load(s->projected + 32 * b); /* xi.w: minus the multiplier */
        F8x3 move = pair_pushes(kind, false, fluid, s->projected, 0, b, xi);
        move = (F8x3){move.x * scale, move.y * scale, move.z * scale};
        F8 push = xi.w * wall_factor(s, xi);
        WallDensity surfaces = surfaces_at(kind, s, b, xi);
        move = f8x3_fma(push * f8(s->relaxation), surfaces.gradient, move);
        F8 momentum = f8(s->momentum);
        if (!s->has_flat_walls) /* near edges and in thin parts it would not decay */
            momentum = f8_keep(surfaces.density == f8(0), momentum);
        F8x4 before = f8x4_load(s->before + 32 * b);
        F8x3 way = {xi.x - before.x, xi.y - before.y, xi.z - before.z};
        move = f8x3_fma(momentum, way, move);
        f8x4_store(s->before + 32 * b, (F8x4){xi.x, xi.y, xi.z, f8(1)});
        F8x3 p = {xi.x + move.x, xi.y + move.y, xi.z + move.z};
        if (s->container != NULL) { /* back to where contacts keep particles */
            F8x4 c = f8x4_load(s->container + 32 * b);
            F8 depth = f8(fluid->solids.contacts.distance) - c.w - f8x3_dot(move, xyz(c));
            p = f8x3_fma(f8_max(depth, f8(0)), xyz(c), p);
            /* the surface is asked for anew with each list; in between it counts as flat */
            F8x3 moved = {p.x - xi.x, p.y - xi.y, p.z - xi.z};
            f8x4_store(s->container + 32 * b, (F8x4){c.x, c.y, c.z, c.w + f8x3_dot(moved, xyz(c))});
        }
        if (s->first_ghost == UINT32_MAX)
            p = meet_surfaces(&fluid->solids.contacts, &none, u8_load(fluid->particles.id + 8 * b),
                              p, xyz(xi));
        f8x4_store(fluid->particles.predicted + 32 * b, (F8x4){p.x, p.y, p.z, f8(1)});
    }
}

#define LOOPS_(kind, NAME)                                                                         \
    static void lambda_##kind(const void *data, size_t begin, size_t end, size_t chunk)            \
    {                                                                                              \
        lambda_loop(NAME, data, begin, end, chunk);                                                \
    }                                                                                              \
    static void displace_##kind(const void *data, size_t begin, size_t end, size_t chunk)          \
    {                                                                                              \
        (void)chunk;                                                                               \
        displace_loop(NAME, data, begin, end);                                                     \
    }                                                                                              \
    static void measure_##kind(const void *data, size_t begin, size_t end, size_t chunk)           \
    {                                                                                              \
        measure_loop(NAME, data, begin, end, chunk);                                               \
    }
LOOPS_(cubic, SL_KERNEL_CUBIC)
LOOPS_(wendland, SL_KERNEL_WENDLAND)
LOOPS_(poly6, SL_KERNEL_POLY6)

SL_KERNEL_TABLE(SlPackingKernels, sl_packing_kernels) = {
    .lambda = {lambda_cubic, lambda_wendland, lambda_poly6},
    .displace = {displace_cubic, displace_wendland, displace_poly6},
    .measure = {measure_cubic, measure_wendland, measure_poly6},
};
