/* Position based fluids for eight particles at a time (document 002 §3; Macklin & Müller 2013).
   Symbols: i self, j neighbour, u = x_i - x_j; W and its gradient as in math/kernel_lanes.h.

   Per row of eight pairs the lambda pass does about 35 flops on 16 gathered bytes per pair, so it
   is bound by the divider (square root, and 1/q for the cubic spline) and by the shuffles of the
   gather, not by memory: a 216k scene's records sit in the second-level cache as it walks. */
#include "solvers/pbf/pbf_kernels.h"

#include "solvers/fluid/pass_lanes.h"

/* Eq. 9: particles of block b that are active in this iteration. */
SL_INLINE I8 active_lanes(const SlFluidPass *s, size_t b)
{
    return (I8)u8_load(s->level + 8 * b) >= (int32_t)s->iteration;
}

/* Those, and with a halo also finished ones that an active one has as neighbour. */
SL_INLINE I8 refreshed_lanes(const SlFluidPass *s, size_t b)
{
    return (I8)u8_load((s->halo != NULL ? s->halo : s->level) + 8 * b) >= (int32_t)s->iteration;
}

/* The lambda of finished particles: eq. 7 as printed would take their last one, and it pushes again
   in every iteration though its cause is gone. */
SL_INLINE F8 finished_lambda(const SlFluidPass *s, size_t b)
{
    return s->stale ? f8x4_load(s->projected + 32 * b).w : f8(0);
}

static void retire(const SlFluidPass *s, size_t begin, size_t end)
{
    for (size_t b = begin; b < end; b++) {
        F8x4 x = f8x4_load(s->predicted + 32 * b);
        f8x4_store(s->projected + 32 * b, (F8x4){x.x, x.y, x.z, finished_lambda(s, b)});
    }
}

/* How a loop finds its eight particles: all of a block, those of a block that are active, or eight
   that are active wherever they are. */
typedef enum Way { WHOLE, MASKED, GATHERED } Way;

SL_INLINE F8x4 load_own(Way way, const SlFluidPass *s, const float *records, size_t b)
{
    return way == GATHERED ? f8x4_gather(records, s->own + 8 * b) : f8x4_load(records + 32 * b);
}

SL_INLINE void store_own(Way way, const SlFluidPass *s, float *records, size_t b, F8x4 a)
{
    if (way != GATHERED) {
        f8x4_store(records + 32 * b, a);
        return;
    }
    float lanes[32];
    f8x4_store(lanes, a);
    size_t count = s->count - 8 * b < 8 ? s->count - 8 * b : 8;
    for (size_t k = 0; k < count; k++)
        __builtin_memcpy(records + 4 * (size_t)s->own[8 * b + k], lanes + 4 * k, 16);
}

static void retire_gathered(const SlFluidPass *s, size_t begin, size_t end)
{
    for (size_t b = begin; b < end; b++) {
        F8x4 x = load_own(GATHERED, s, s->predicted, b);
        store_own(GATHERED, s, s->projected, b, (F8x4){x.x, x.y, x.z, f8(0)});
    }
}

static void halo(const SlFluidPass *s, size_t begin, size_t end)
{
    for (size_t b = begin; b < end; b++) {
        I8 most = (I8)u8_load(s->level + 8 * b);
        const uint32_t(*row)[8] = (const uint32_t(*)[8])s->list->rows + s->list->row_begin[b];
        for (uint32_t k = s->list->row_count[b]; k > 0; k--, row++) {
            I8 level = (I8)u8_gather(s->level, *row);
            I8 higher = level > most;
            most = (higher & level) | (~higher & most);
        }
        u8_store(s->halo + 8 * b, (U8)most);
    }
}

/* Eq. 4 to 6: C_i = rho_i / rho_0 - 1, lambda_i = -C_i / (sum_k |grad_k C_i|² + epsilon). */
SL_INLINE void lambda_loop(SlKernelKind kind, Way way, const SlFluidPass *s, size_t begin,
                           size_t end)
{
    F8 slope_scale = f8(s->slope_scale);
    for (size_t b = begin; b < end; b++) {
        F8x4 xi = load_own(way, s, s->predicted, b);
        DensitySums sums = density_sums(kind, s, b, xi);
        F8 error = sums.error, squares = sums.squares;
        F8x3 gradient = sums.gradient;
        if (walls_near(s, xi))
            add_solid(wall_density(kind, s, xi), &error, &gradient);
        if (s->boundary != NULL)
            add_solid(boundary_density(kind, s, b, xi), &error, &gradient);
        F8 constraint = f8_max(error, f8(s->min_constraint));
        squares = f8_fma(squares, slope_scale * slope_scale, xi.w * f8x3_dot(gradient, gradient));
        F8 lambda = f8(0) - constraint / (squares + xi.w * f8(s->epsilon));
        if (way == MASKED)
            lambda = f8_select(refreshed_lanes(s, b), lambda, finished_lambda(s, b));
        store_own(way, s, s->projected, b, (F8x4){xi.x, xi.y, xi.z, lambda});
    }
}

/* Constraints that act on each of a block: its own and its neighbours', where they are violated. */
SL_INLINE F8 constraints_on(const SlFluidPass *s, size_t b, F8 own)
{
    F8 count = f8_keep(own != f8(0), f8(1));
    const uint32_t(*row)[8] = (const uint32_t(*)[8])s->list->rows + s->list->row_begin[b];
    for (uint32_t k = s->list->row_count[b]; k > 0; k--, row++) {
        F8 lambda = f8x4_gather(s->projected, *row).w;
        count += f8_keep((lambda != f8(0)) & (lambda < f8(1e8f)), f8(1));
    }
    return f8_max(count, f8(1));
}

/* dx_i of eq. 7, relaxed, capped, accelerated, then contacts.
   Acceleration (Wang 2015): x^{k+1} = omega (x - x^{k-1}) + x^{k-1}. */
SL_INLINE void displace_loop(SlKernelKind kind, bool tensile, Way way, const SlFluidPass *s,
                             size_t begin, size_t end)
{
    F8 scale = f8(s->relaxation * s->slope_scale);
    for (size_t b = begin; b < end; b++) {
        F8x4 xi = load_own(way, s, s->projected, b);
        F8x3 move = pair_pushes(kind, tensile, s, b, xi);
        F8 inverse_mass_ratio = load_own(way, s, s->predicted, b).w;
        F8 relaxed = inverse_mass_ratio;
        if (s->averaging > 0)
            relaxed *= f8(s->averaging / s->relaxation) / constraints_on(s, b, xi.w);
        move = (F8x3){move.x * scale * relaxed, move.y * scale * relaxed, move.z * scale * relaxed};
        /* Solids do not yield: only lambda_i acts. */
        F8 push = xi.w * f8(s->relaxation) * relaxed;
        WallDensity wall = {0}, samples = {0};
        bool near = walls_near(s, xi),
             sampled = s->boundary != NULL && s->boundary_list->row_count[b] > 0;
        if (near) {
            wall = wall_density(kind, s, xi);
            move = f8x3_fma(push, wall.gradient, move);
        }
        if (sampled) {
            samples = boundary_density(kind, s, b, xi);
            move = f8x3_fma(push, samples.gradient, move);
        }
        F8 length = f8_sqrt(f8x3_dot(move, move)), most = f8(s->max_move);
        F8 cap = most / f8_max(length, most);
        F8x3 p = f8x3_fma(cap, move, xyz(xi));
        if (s->previous != NULL) {
            if (s->omega != 1) {
                F8x3 last = xyz(load_own(way, s, s->previous, b));
                p = (F8x3){f8_fma(f8(s->omega), p.x - last.x, last.x),
                           f8_fma(f8(s->omega), p.y - last.y, last.y),
                           f8_fma(f8(s->omega), p.z - last.z, last.z)};
            }
            store_own(way, s, s->previous, b, xi);
        }
        F8x3 before = xyz(load_own(way, s, s->position, b)), rubbed = {f8(0), f8(0), f8(0)};
        Tally tally = tally_of(s, b, inverse_mass_ratio);
        if (way == MASKED)
            tally.owned &= active_lanes(s, b);
        push *= cap;
        if (sampled && s->boundary_rubs) {
            F8x3 pushed = {push * samples.gradient.x, push * samples.gradient.y,
                           push * samples.gradient.z};
            F8x3 free = p;
            p = boundary_rub(kind, s, b, xi, pushed, p, before);
            rubbed = (F8x3){p.x - free.x, p.y - free.y, p.z - free.z};
        }
        if (sampled && tally.sums != NULL)
            boundary_reaction(kind, s, &tally, b, xi, push, rubbed, samples.density);
        if (near && tally.sums != NULL)
            wall_reaction(kind, s, &tally, xi, wall.density, push);
        U8 id = way == GATHERED ? u8_gather(s->id, s->own + 8 * b) : u8_load(s->id + 8 * b);
        p = meet_surfaces(&s->contacts, &tally, id, p, before);
        if (way == MASKED) {
            I8 active = active_lanes(s, b);
            p = (F8x3){f8_select(active, p.x, xi.x), f8_select(active, p.y, xi.y),
                       f8_select(active, p.z, xi.z)};
        }
        store_own(way, s, s->predicted, b, (F8x4){p.x, p.y, p.z, inverse_mass_ratio});
    }
}

#define LOOP_(name, kind, body)                                                                    \
    static void name##_##kind(const SlFluidPass *s, size_t begin, size_t end)                      \
    {                                                                                              \
        body;                                                                                      \
    }
#define LOOPS_(kind, NAME)                                                                         \
    LOOP_(lambda, kind, lambda_loop(NAME, WHOLE, s, begin, end))                                   \
    LOOP_(lambda_active, kind, lambda_loop(NAME, MASKED, s, begin, end))                           \
    LOOP_(lambda_gathered, kind, lambda_loop(NAME, GATHERED, s, begin, end))                       \
    LOOP_(displace, kind, displace_loop(NAME, false, WHOLE, s, begin, end))                        \
    LOOP_(displace_tensile, kind, displace_loop(NAME, true, WHOLE, s, begin, end))                 \
    LOOP_(displace_active, kind, displace_loop(NAME, false, MASKED, s, begin, end))                \
    LOOP_(displace_gathered, kind, displace_loop(NAME, false, GATHERED, s, begin, end))
LOOPS_(cubic, SL_KERNEL_CUBIC)
LOOPS_(wendland, SL_KERNEL_WENDLAND)
LOOPS_(poly6, SL_KERNEL_POLY6)

#define KINDS_(name)                                                                               \
    {                                                                                              \
        name##_cubic, name##_wendland, name##_poly6                                                \
    }
SL_KERNEL_TABLE(SlPbfKernels, sl_pbf_kernels) = {
    .lambda = KINDS_(lambda),
    .displace = KINDS_(displace),
    .displace_tensile = KINDS_(displace_tensile),
    .lambda_active = KINDS_(lambda_active),
    .displace_active = KINDS_(displace_active),
    .retire = retire,
    .lambda_gathered = KINDS_(lambda_gathered),
    .displace_gathered = KINDS_(displace_gathered),
    .retire_gathered = retire_gathered,
    .halo = halo,
};
