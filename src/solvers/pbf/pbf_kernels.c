/* Position based fluids for eight particles at a time [Macklin 2013; Köster 2016 section 3].
   Symbols: i self, j neighbour, u = x_i - x_j; W and its gradient as in math/kernel_lanes.h.

   Per row of eight pairs the lambda pass does about 35 flops on 16 gathered bytes per pair, so it
   is bound by the divider (square root, and 1/q for the cubic spline) and by the shuffles of the
   gather, not by memory: the records of a scene of 216,000 particles stay in the second-level
   cache. */
#include "solvers/pbf/pbf_kernels.h"

#include "solvers/fluid/pass_lanes.h"

/* --- Which particles a loop covers --- */

/* How a loop finds its eight particles: all of a block, the active ones of a block, or eight active
   ones gathered from any place. */
typedef enum LaneMode { ALL, MASKED, GATHERED } LaneMode;

SL_INLINE F8x4 load_own(LaneMode mode, const SlPbfPass *s, const float *records, size_t b)
{
    return mode == GATHERED ? f8x4_gather(records, s->levels.own + 8 * b)
                            : f8x4_load(records + 32 * b);
}

SL_INLINE void store_own(LaneMode mode, const SlPbfPass *s, float *records, size_t b, F8x4 a)
{
    if (mode != GATHERED) {
        f8x4_store(records + 32 * b, a);
        return;
    }
    float lanes[32];
    f8x4_store(lanes, a);
    size_t left = s->fluid.particles.count - 8 * b, count = left < 8 ? left : 8;
    for (size_t k = 0; k < count; k++)
        __builtin_memcpy(records + 4 * (size_t)s->levels.own[8 * b + k], lanes + 4 * k, 16);
}

SL_INLINE U8 load_ids(LaneMode mode, const SlPbfPass *s, size_t b)
{
    const uint32_t *id = s->fluid.particles.id;
    return mode == GATHERED ? u8_gather(id, s->levels.own + 8 * b) : u8_load(id + 8 * b);
}

/* Particles of block b that are active in this iteration [Köster 2016 eq. 9]. */
SL_INLINE I8 active_lanes(const SlPbfLevels *l, size_t b)
{
    return (I8)u8_load(l->level + 8 * b) >= (int32_t)l->iteration;
}

/* Active particles, and with a halo also finished ones that have an active neighbour. */
SL_INLINE I8 refreshed_lanes(const SlPbfLevels *l, size_t b)
{
    return (I8)u8_load((l->halo != NULL ? l->halo : l->level) + 8 * b) >= (int32_t)l->iteration;
}

/* The lambda of finished particles. The displacement as printed [Köster 2016 eq. 7] would use their
   last one, which pushes again in every iteration though its cause is gone. */
SL_INLINE F8 finished_lambda(const SlPbfPass *s, size_t b)
{
    return s->levels.stale ? f8x4_load(s->projected + 32 * b).w : f8(0);
}

static void retire(const void *data, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const SlPbfPass *s = data;
    for (size_t b = begin; b < end; b++) {
        F8x4 x = f8x4_load(s->fluid.particles.predicted + 32 * b);
        f8x4_store(s->projected + 32 * b, (F8x4){x.x, x.y, x.z, finished_lambda(s, b)});
    }
}

static void retire_gathered(const void *data, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const SlPbfPass *s = data;
    for (size_t b = begin; b < end; b++) {
        F8x4 x = load_own(GATHERED, s, s->fluid.particles.predicted, b);
        store_own(GATHERED, s, s->projected, b, (F8x4){x.x, x.y, x.z, f8(0)});
    }
}

static void halo(const void *data, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const SlPbfPass *s = data;
    const SlNeighbourList *list = s->fluid.list;
    for (size_t b = begin; b < end; b++) {
        I8 highest = (I8)u8_load(s->levels.level + 8 * b);
        const uint32_t(*row)[8] = rows_of(list, b);
        for (uint32_t k = list->row_count[b]; k > 0; k--, row++) {
            I8 level = (I8)u8_gather(s->levels.level, *row);
            I8 higher = level > highest;
            highest = (higher & level) | (~higher & highest);
        }
        u8_store(s->levels.halo + 8 * b, (U8)highest);
    }
}

static void stabilise(const void *data, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const SlPbfPass *s = data;
    for (size_t b = begin; b < end; b++) {
        I8 lanes = owned_lanes(&s->fluid.particles, b);
        if (s->levels.level != NULL)
            lanes &=
                (I8)u8_load(s->levels.level + 8 * b) <= (int32_t)s->levels.stabilise_level;
        stabilise_block(&s->fluid, b, lanes);
    }
}

/* --- Lambda --- */

/* C_i = rho_i / rho_0 - 1, lambda_i = -C_i / (sum_k |grad_k C_i|² + epsilon)
   [Macklin 2013 eq. 1, 8 and 11; Köster 2016 eq. 4 to 6]. */
SL_INLINE void lambda_loop(SlKernelKind kind, LaneMode mode, const SlPbfPass *s, size_t begin,
                           size_t end)
{
    const SlFluidPass *fluid = &s->fluid;
    F8 slope_scale = f8(fluid->kernel.slope_scale);
    for (size_t b = begin; b < end; b++) {
        F8x4 xi = load_own(mode, s, fluid->particles.predicted, b);
        DensitySums sums = density_sums(kind, fluid, b, xi);
        F8 error = sums.error, squares = sums.squares;
        F8x3 gradient = sums.gradient;
        if (walls_near(fluid, xi))
            add_solid(wall_density(kind, fluid, xi), &error, &gradient);
        if (fluid->solids.boundary != NULL)
            add_solid(boundary_density(kind, fluid, b, xi), &error, &gradient);
        F8 constraint = f8_max(error, f8(s->constraint.min_constraint));
        squares = f8_fma(squares, slope_scale * slope_scale, xi.w * f8x3_dot(gradient, gradient));
        F8 lambda = f8(0) - constraint / (squares + xi.w * f8(s->constraint.epsilon));
        if (mode == MASKED)
            lambda = f8_select(refreshed_lanes(&s->levels, b), lambda, finished_lambda(s, b));
        store_own(mode, s, s->projected, b, (F8x4){xi.x, xi.y, xi.z, lambda});
    }
}

/* --- Displacement --- */

/* Number of violated constraints that act on each particle: its own and its neighbours'. */
SL_INLINE F8 constraints_on(const SlPbfPass *s, size_t b, F8 own)
{
    const SlNeighbourList *list = s->fluid.list;
    F8 count = f8_keep(own != f8(0), f8(1));
    const uint32_t(*row)[8] = rows_of(list, b);
    for (uint32_t k = list->row_count[b]; k > 0; k--, row++) {
        F8 lambda = f8x4_gather(s->projected, *row).w;
        count += f8_keep((lambda != f8(0)) & (lambda < f8(1e8f)), f8(1));
    }
    return f8_max(count, f8(1));
}

/* x^{k+1} = omega (x - x^{k-1}) + x^{k-1} [Wang 2015 eq. 9]; keeps x^k for the next iteration. */
SL_INLINE F8x3 accelerate(LaneMode mode, const SlPbfPass *s, size_t b, F8x4 xi, F8x3 p)
{
    const SlPbfAcceleration *a = &s->acceleration;
    if (a->previous == NULL)
        return p;
    if (a->omega != 1) {
        F8x3 last = xyz(load_own(mode, s, a->previous, b));
        p = (F8x3){f8_fma(f8(a->omega), p.x - last.x, last.x),
                   f8_fma(f8(a->omega), p.y - last.y, last.y),
                   f8_fma(f8(a->omega), p.z - last.z, last.z)};
    }
    store_own(mode, s, a->previous, b, xi);
    return p;
}

/* dx_i [Macklin 2013 eq. 14; Köster 2016 eq. 7], relaxed, limited, accelerated; then friction of
   boundary particles, and contacts. */
SL_INLINE void displace_loop(SlKernelKind kind, bool tensile, LaneMode mode, const SlPbfPass *s,
                             size_t begin, size_t end)
{
    const SlFluidPass *fluid = &s->fluid;
    const SlSolidsPass *solids = &fluid->solids;
    const SlPbfConstraint *c = &s->constraint;
    F8 scale = f8(c->relaxation * fluid->kernel.slope_scale);
    for (size_t b = begin; b < end; b++) {
        /* neighbours */
        F8x4 xi = load_own(mode, s, s->projected, b);
        F8x3 move = pair_pushes(kind, tensile, fluid, s->projected, c->tensile, b, xi);
        F8 inverse_mass_ratio = load_own(mode, s, fluid->particles.predicted, b).w;
        F8 relaxed = inverse_mass_ratio;
        if (c->averaging > 0)
            relaxed *= f8(c->averaging / c->relaxation) / constraints_on(s, b, xi.w);
        move = (F8x3){move.x * scale * relaxed, move.y * scale * relaxed, move.z * scale * relaxed};
        /* solids, which do not yield: only lambda_i acts */
        F8 push = xi.w * f8(c->relaxation) * relaxed;
        WallDensity wall = {0}, samples = {0};
        bool near = walls_near(fluid, xi),
             sampled = solids->boundary != NULL && solids->boundary_list->row_count[b] > 0;
        if (near) {
            wall = wall_density(kind, fluid, xi);
            move = f8x3_fma(push, wall.gradient, move);
        }
        if (sampled) {
            samples = boundary_density(kind, fluid, b, xi);
            move = f8x3_fma(push, samples.gradient, move);
        }
        /* limit and acceleration */
        F8 length = f8_sqrt(f8x3_dot(move, move)), longest = f8(c->max_move);
        F8 cap = longest / f8_max(length, longest);
        F8x3 p = accelerate(mode, s, b, xi, f8x3_fma(cap, move, xyz(xi)));
        /* friction, and forces on bodies */
        F8x3 before = xyz(load_own(mode, s, fluid->particles.position, b));
        F8x3 rubbed = {f8(0), f8(0), f8(0)};
        Tally tally = tally_of(fluid, b, inverse_mass_ratio);
        if (mode == MASKED)
            tally.owned &= active_lanes(&s->levels, b);
        push *= cap;
        if (sampled && solids->boundary_rubs) {
            F8x3 pushed = {push * samples.gradient.x, push * samples.gradient.y,
                           push * samples.gradient.z};
            F8x3 free = p;
            p = boundary_rub(kind, fluid, b, xi, pushed, p, before);
            rubbed = (F8x3){p.x - free.x, p.y - free.y, p.z - free.z};
        }
        if (sampled && tally.sums != NULL)
            boundary_reaction(kind, fluid, &tally, b, xi,
                              (BoundaryPush){push, rubbed, samples.density});
        if (near && tally.sums != NULL)
            wall_reaction(kind, fluid, &tally, xi, wall.density, push);
        /* contacts */
        p = meet_surfaces(&solids->contacts, &tally, load_ids(mode, s, b), p, before);
        if (mode == MASKED) {
            I8 active = active_lanes(&s->levels, b);
            p = (F8x3){f8_select(active, p.x, xi.x), f8_select(active, p.y, xi.y),
                       f8_select(active, p.z, xi.z)};
        }
        store_own(mode, s, fluid->particles.predicted, b,
                  (F8x4){p.x, p.y, p.z, inverse_mass_ratio});
    }
}

#define LOOP_(name, kind, body)                                                                    \
    static void name##_##kind(const void *data, size_t begin, size_t end, size_t chunk)            \
    {                                                                                              \
        (void)chunk;                                                                               \
        body;                                                                                      \
    }
#define LOOPS_(kind, NAME)                                                                         \
    LOOP_(lambda, kind, lambda_loop(NAME, ALL, data, begin, end))                                  \
    LOOP_(lambda_masked, kind, lambda_loop(NAME, MASKED, data, begin, end))                        \
    LOOP_(lambda_gathered, kind, lambda_loop(NAME, GATHERED, data, begin, end))                    \
    LOOP_(displace, kind, displace_loop(NAME, false, ALL, data, begin, end))                       \
    LOOP_(displace_tensile, kind, displace_loop(NAME, true, ALL, data, begin, end))                \
    LOOP_(displace_masked, kind, displace_loop(NAME, false, MASKED, data, begin, end))             \
    LOOP_(displace_gathered, kind, displace_loop(NAME, false, GATHERED, data, begin, end))
LOOPS_(cubic, SL_KERNEL_CUBIC)
LOOPS_(wendland, SL_KERNEL_WENDLAND)
LOOPS_(poly6, SL_KERNEL_POLY6)

#define KINDS_(name)                                                                               \
    {                                                                                              \
        name##_cubic, name##_wendland, name##_poly6                                                \
    }
SL_KERNEL_TABLE(SlPbfKernels, sl_pbf_kernels) = {
    .stabilise = stabilise,
    .lambda = KINDS_(lambda),
    .displace = KINDS_(displace),
    .displace_tensile = KINDS_(displace_tensile),
    .lambda_masked = KINDS_(lambda_masked),
    .displace_masked = KINDS_(displace_masked),
    .retire = retire,
    .lambda_gathered = KINDS_(lambda_gathered),
    .displace_gathered = KINDS_(displace_gathered),
    .retire_gathered = retire_gathered,
    .halo = halo,
};
