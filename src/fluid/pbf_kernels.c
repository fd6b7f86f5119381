/* Position based fluids for eight particles at a time (document 002 §3; Macklin & Müller 2013).
   Symbols: i self, j neighbour, u = x_i - x_j; W and its gradient as in math/kernel_lanes.h.

   Per row of eight pairs the lambda pass does about 35 flops on 16 gathered bytes per pair, so it
   is bound by the divider (square root, and 1/q for the cubic spline) and by the shuffles of the
   gather, not by memory: a 216k scene's records sit in the second-level cache as it walks. */
#include "fluid/pbf_kernels.h"

#include "fluid/boundary_lanes.h"
#include "math/kernel_lanes.h"

enum { FETCH_ROWS = 96 };

SL_INLINE F8x3 xyz(F8x4 a)
{
    return (F8x3){a.x, a.y, a.z};
}

/* The list is the one stream too large for the caches: 135 bytes per particle and pass. A line
   holds two rows; asked for a few blocks ahead, it is there when its turn comes. */
SL_INLINE void fetch_ahead(const uint32_t (*row)[8])
{
    __builtin_prefetch(row + FETCH_ROWS, 0, 3);
}

static const uint32_t lanes_in_order[8] = {0, 1, 2, 3, 4, 5, 6, 7};

/* Lanes of block b that are particles. */
SL_INLINE I8 owned_lanes(const SlPbfPass *s, size_t b)
{
    return (I8)(u8_load(lanes_in_order) + (uint32_t)(8 * b)) < (int32_t)s->count;
}

SL_INLINE Tally tally_of(const SlPbfPass *s, size_t b)
{
    size_t chunk = b / SL_PBF_CHUNK_BLOCKS * s->body_count * SL_FORCE_LANES;
    return (Tally){s->forces != NULL ? s->forces + chunk : NULL, owned_lanes(s, b)};
}

static void predict(const SlPbfPass *s, size_t begin, size_t end)
{
    F8 dt = f8(s->dt);
    F8x3 push = f8x3_splat(s->contacts.around.gravity);
    push = (F8x3){push.x * dt, push.y * dt, push.z * dt};
    for (size_t b = begin; b < end; b++) {
        F8x4 x = f8x4_load(s->position + 32 * b), v = f8x4_load(s->velocity + 32 * b);
        v.x += push.x;
        v.y += push.y;
        v.z += push.z;
        f8x4_store(s->velocity + 32 * b, v);
        F8x3 p = {f8_fma(dt, v.x, x.x), f8_fma(dt, v.y, x.y), f8_fma(dt, v.z, x.z)};
        Tally tally = tally_of(s, b);
        p = meet_surfaces(&s->contacts, &tally, u8_load(s->id + 8 * b), p, xyz(x));
        f8x4_store(s->predicted + 32 * b, (F8x4){p.x, p.y, p.z, f8(0)});
    }
}

SL_INLINE void add_solid(WallDensity solid, F8 *error, F8x3 *gradient)
{
    *error += solid.density;
    gradient->x += solid.gradient.x;
    gradient->y += solid.gradient.y;
    gradient->z += solid.gradient.z;
}

/* Eq. 9: particles of block b that are active in this iteration. */
SL_INLINE I8 active_lanes(const SlPbfPass *s, size_t b)
{
    return (I8)u8_load(s->level + 8 * b) >= (int32_t)s->iteration;
}

/* Those, and with a halo also finished ones that an active one has as neighbour. */
SL_INLINE I8 refreshed_lanes(const SlPbfPass *s, size_t b)
{
    return (I8)u8_load((s->halo != NULL ? s->halo : s->level) + 8 * b) >= (int32_t)s->iteration;
}

/* The lambda of finished particles: eq. 7 as printed would take their last one, and it pushes again
   in every iteration though its cause is gone. */
SL_INLINE F8 finished_lambda(const SlPbfPass *s, size_t b)
{
    return s->stale ? f8x4_load(s->projected + 32 * b).w : f8(0);
}

static void retire(const SlPbfPass *s, size_t begin, size_t end)
{
    for (size_t b = begin; b < end; b++) {
        F8x4 x = f8x4_load(s->predicted + 32 * b);
        f8x4_store(s->projected + 32 * b, (F8x4){x.x, x.y, x.z, finished_lambda(s, b)});
    }
}

static void halo(const SlPbfPass *s, size_t begin, size_t end)
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

static void stabilise(const SlPbfPass *s, size_t begin, size_t end)
{
    for (size_t b = begin; b < end; b++) {
        F8x4 x = f8x4_load(s->position + 32 * b);
        F8x3 out = leave_solids(&s->contacts, u8_load(s->id + 8 * b), xyz(x));
        I8 its = owned_lanes(s, b);
        if (s->level != NULL)
            its &= (I8)u8_load(s->level + 8 * b) <= (int32_t)s->stabilise_level;
        f8x4_store(s->position + 32 * b,
                   (F8x4){f8_select(its, out.x, x.x), f8_select(its, out.y, x.y),
                          f8_select(its, out.z, x.z), x.w});
    }
}

/* Eq. 4 to 6: C_i = rho_i / rho_0 - 1, lambda_i = -C_i / (sum_k |grad_k C_i|² + epsilon). */
SL_INLINE void lambda_loop(SlKernelKind kind, bool adaptive, const SlPbfPass *s, size_t begin,
                           size_t end)
{
    const SlNeighbourList *list = s->list;
    F8 inverse_support = f8(s->inverse_support), slope_scale = f8(s->slope_scale);
    for (size_t b = begin; b < end; b++) {
        F8x4 xi = f8x4_load(s->predicted + 32 * b);
        F8 shapes = f8(s->lack), squares = f8(0);
        F8x3 gradient = {f8(0), f8(0), f8(0)};
        const uint32_t(*row)[8] = (const uint32_t(*)[8])list->rows + list->row_begin[b];
        F8 odd_shapes = f8(0); /* two sums: half the roundings, half the wait for each add */
        for (uint32_t k = list->row_count[b]; k > 0; k -= 2, row += 2) {
            fetch_ahead(row);
            for (int half = 0; half < 2; half++) {
                F8x4 xj = f8x4_gather(s->predicted, row[half]);
                F8x3 u = {xi.x - xj.x, xi.y - xj.y, xi.z - xj.z};
                F8 r2 = f8x3_dot(u, u);
                ShapePair w = shape_both(kind, r2, inverse_support);
                if (half == 0)
                    shapes += w.value;
                else
                    odd_shapes += w.value;
                squares = f8_fma(w.slope * w.slope, r2, squares);
                gradient.x = f8_fma(w.slope, u.x, gradient.x);
                gradient.y = f8_fma(w.slope, u.y, gradient.y);
                gradient.z = f8_fma(w.slope, u.z, gradient.z);
            }
        }
        shapes += odd_shapes;
        F8 error = shapes * f8(s->value_scale);
        gradient = (F8x3){gradient.x * slope_scale, gradient.y * slope_scale,
                          gradient.z * slope_scale};
        if (walls_near(s, xi))
            add_solid(wall_density(kind, s, xi), &error, &gradient);
        if (s->boundary != NULL)
            add_solid(boundary_density(kind, s, b, xi), &error, &gradient);
        F8 constraint = f8_max(error, f8(s->least_constraint));
        squares = f8_fma(squares, slope_scale * slope_scale, f8x3_dot(gradient, gradient));
        F8 lambda = f8(0) - constraint / (squares + f8(s->epsilon));
        if (adaptive)
            lambda = f8_select(refreshed_lanes(s, b), lambda, finished_lambda(s, b));
        f8x4_store(s->projected + 32 * b, (F8x4){xi.x, xi.y, xi.z, lambda});
    }
}

/* Eq. 7: dx_i = sum_j (lambda_i + lambda_j + s_corr) grad W; relaxed, capped, then contacts. */
SL_INLINE void displace_loop(SlKernelKind kind, bool tensile, bool adaptive, const SlPbfPass *s,
                             size_t begin, size_t end)
{
    const SlNeighbourList *list = s->list;
    F8 inverse_support = f8(s->inverse_support);
    F8 scale = f8(s->relaxation * s->slope_scale), s_corr = f8(-s->tensile);
    for (size_t b = begin; b < end; b++) {
        F8x4 xi = f8x4_load(s->projected + 32 * b);
        F8x3 move = {f8(0), f8(0), f8(0)};
        const uint32_t(*row)[8] = (const uint32_t(*)[8])list->rows + list->row_begin[b];
        for (uint32_t k = list->row_count[b]; k > 0; k -= 2, row += 2) {
            fetch_ahead(row);
            for (int half = 0; half < 2; half++) {
                F8x4 xj = f8x4_gather(s->projected, row[half]);
                F8x3 u = {xi.x - xj.x, xi.y - xj.y, xi.z - xj.z};
                ShapePair w = shape_both(kind, f8x3_dot(u, u), inverse_support);
                F8 both = xi.w + xj.w;
                if (tensile) {
                    /* Exactly 0 for far pairs, where the fourth power would be a denormal number
                       and cost 100 cycles; 1e-4 is (W / W(0))² at 0.9 of the support. */
                    F8 value2 = f8_max(f8_fma(w.value, w.value, f8(-1e-4f)), f8(0));
                    both = f8_fma(value2 * s_corr, value2, both);
                }
                F8 push = both * w.slope;
                move.x = f8_fma(push, u.x, move.x);
                move.y = f8_fma(push, u.y, move.y);
                move.z = f8_fma(push, u.z, move.z);
            }
        }
        move = (F8x3){move.x * scale, move.y * scale, move.z * scale};
        /* Solids do not yield: only lambda_i acts. */
        F8 push = xi.w * f8(s->relaxation);
        WallDensity wall = {0}, samples = {0};
        bool near = walls_near(s, xi), sampled = s->boundary != NULL && s->boundary_list->row_count[b] > 0;
        if (near) {
            wall = wall_density(kind, s, xi);
            move = f8x3_fma(push, wall.gradient, move);
        }
        if (sampled) {
            samples = boundary_density(kind, s, b, xi);
            move = f8x3_fma(push, samples.gradient, move);
        }
        F8 length = f8_sqrt(f8x3_dot(move, move)), most = f8(s->most_move);
        F8 cap = most / f8_max(length, most);
        F8x3 p = f8x3_fma(cap, move, xyz(xi));
        F8x3 before = xyz(f8x4_load(s->position + 32 * b)), rubbed = {f8(0), f8(0), f8(0)};
        Tally tally = tally_of(s, b);
        if (adaptive)
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
        p = meet_surfaces(&s->contacts, &tally, u8_load(s->id + 8 * b), p, before);
        if (adaptive) {
            I8 active = active_lanes(s, b);
            p = (F8x3){f8_select(active, p.x, xi.x), f8_select(active, p.y, xi.y),
                       f8_select(active, p.z, xi.z)};
        }
        f8x4_store(s->predicted + 32 * b, (F8x4){p.x, p.y, p.z, f8(0)});
    }
}

/* v = (x* - x) / dt, written as the velocity before plus what constraints and contacts changed:
   x* is rounded to float, and 50 m from the origin (x* - x) / dt would fall 0.2 % too fast. */
static void velocity(const SlPbfPass *s, size_t begin, size_t end)
{
    F8 dt = f8(s->dt), rate = f8(1 / s->dt);
    for (size_t b = begin; b < end; b++) {
        F8x4 x = f8x4_load(s->position + 32 * b), p = f8x4_load(s->predicted + 32 * b);
        F8x4 v = f8x4_load(s->velocity + 32 * b);
        v.x = f8_fma(p.x - f8_fma(dt, v.x, x.x), rate, v.x);
        v.y = f8_fma(p.y - f8_fma(dt, v.y, x.y), rate, v.y);
        v.z = f8_fma(p.z - f8_fma(dt, v.z, x.z), rate, v.z);
        f8x4_store(s->new_velocity + 32 * b, (F8x4){v.x, v.y, v.z, f8(0)});
    }
}

/* Density from the sum over neighbours, solids included. */
SL_INLINE F8 density_at(SlKernelKind kind, const SlPbfPass *s, size_t b, F8x4 xi, F8 shapes)
{
    F8 density = f8_fma(shapes, f8(s->value_scale), f8(1));
    if (walls_near(s, xi))
        density += wall_density(kind, s, xi).density;
    if (s->boundary != NULL)
        density += boundary_density(kind, s, b, xi).density;
    return density;
}

SL_INLINE void density_loop(SlKernelKind kind, const SlPbfPass *s, size_t begin, size_t end)
{
    const SlNeighbourList *list = s->list;
    for (size_t b = begin; b < end; b++) {
        F8x4 xi = f8x4_load(s->predicted + 32 * b);
        F8 shapes = f8(s->lack);
        const uint32_t(*row)[8] = (const uint32_t(*)[8])list->rows + list->row_begin[b];
        for (uint32_t k = list->row_count[b]; k > 0; k--, row++) {
            F8x4 xj = f8x4_gather(s->predicted, *row);
            F8x3 u = {xi.x - xj.x, xi.y - xj.y, xi.z - xj.z};
            shapes += shape_value(kind, f8x3_dot(u, u), f8(s->inverse_support));
        }
        f8_store(s->density + 8 * b, density_at(kind, s, b, xi, shapes));
    }
}

/* XSPH: v_i += c sum_j (v_j - v_i) V W_ij, with the density of the result on the way. */
SL_INLINE F8x3 smooth_velocity(SlKernelKind kind, const SlPbfPass *s, size_t b, F8x4 xi, F8x4 vi,
                               F8 *density)
{
    const SlNeighbourList *list = s->list;
    F8 shapes = f8(s->lack);
    F8x3 drift = {f8(0), f8(0), f8(0)};
    const uint32_t(*row)[8] = (const uint32_t(*)[8])list->rows + list->row_begin[b];
    for (uint32_t k = list->row_count[b]; k > 0; k--, row++) {
        F8x4 xj = f8x4_gather(s->predicted, *row);
        F8x3 u = {xi.x - xj.x, xi.y - xj.y, xi.z - xj.z};
        F8 w = shape_value(kind, f8x3_dot(u, u), f8(s->inverse_support));
        F8x4 vj = f8x4_gather(s->new_velocity, *row);
        shapes += w;
        drift.x = f8_fma(w, vj.x - vi.x, drift.x);
        drift.y = f8_fma(w, vj.y - vi.y, drift.y);
        drift.z = f8_fma(w, vj.z - vi.z, drift.z);
    }
    *density = density_at(kind, s, b, xi, shapes);
    F8 c = f8(s->viscosity * s->value_scale);
    return (F8x3){f8_fma(c, drift.x, vi.x), f8_fma(c, drift.y, vi.y), f8_fma(c, drift.z, vi.z)};
}

SL_INLINE void finish_loop(SlKernelKind kind, const SlPbfPass *s, size_t begin, size_t end,
                           size_t chunk)
{
    F8 kinetic = f8(0), potential = f8(0), compression = f8(0), densest = f8(0), fastest = f8(0);
    F8x3 gravity = f8x3_splat(s->contacts.around.gravity);
    F8 runaway2 = f8(s->runaway_speed * s->runaway_speed);
    uint32_t bad = 0;
    if (s->viscosity == 0)
        density_loop(kind, s, begin, end);
    for (size_t b = begin; b < end; b++) {
        F8x4 x = f8x4_load(s->predicted + 32 * b), v = f8x4_load(s->new_velocity + 32 * b);
        F8x3 after = xyz(v);
        F8 density;
        if (s->viscosity == 0)
            density = f8_load(s->density + 8 * b);
        else
            after = smooth_velocity(kind, s, b, x, v, &density);
        f8_store(s->density + 8 * b, density);
        f8x4_store(s->velocity + 32 * b, (F8x4){after.x, after.y, after.z, f8(0)});
        f8x4_store(s->position + 32 * b, x);

        I8 owned = owned_lanes(s, b);
        F8 speed2 = f8x3_dot(after, after), over = f8_max(density - f8(1), f8(0));
        bad += (uint32_t)__builtin_popcount(i8_bits(~(speed2 <= runaway2) & owned));
        kinetic += f8_keep(owned, speed2);
        potential += f8_keep(owned, f8x3_dot(gravity, xyz(x)));
        compression += f8_keep(owned, over);
        densest = f8_max(densest, f8_keep(owned, over));
        fastest = f8_max(fastest, f8_keep(owned, speed2));
    }
    double *partials = s->partials + chunk * SL_PBF_PARTIALS;
    partials[SL_PBF_KINETIC] = 0.5 * (double)f8_sum(kinetic);
    partials[SL_PBF_POTENTIAL] = -(double)f8_sum(potential);
    partials[SL_PBF_COMPRESSION] = (double)f8_sum(compression);
    partials[SL_PBF_MOST_COMPRESSION] = (double)f8_most(densest);
    partials[SL_PBF_MOST_SPEED2] = (double)f8_most(fastest);
    partials[SL_PBF_BAD] = bad;
}

#define LOOPS_(kind, NAME)                                                                         \
    static void lambda_##kind(const SlPbfPass *s, size_t begin, size_t end)                        \
    {                                                                                              \
        lambda_loop(NAME, false, s, begin, end);                                                   \
    }                                                                                              \
    static void lambda_active_##kind(const SlPbfPass *s, size_t begin, size_t end)                 \
    {                                                                                              \
        lambda_loop(NAME, true, s, begin, end);                                                    \
    }                                                                                              \
    static void displace_active_##kind(const SlPbfPass *s, size_t begin, size_t end)               \
    {                                                                                              \
        displace_loop(NAME, false, true, s, begin, end);                                           \
    }                                                                                              \
    static void displace_##kind(const SlPbfPass *s, size_t begin, size_t end)                      \
    {                                                                                              \
        displace_loop(NAME, false, false, s, begin, end);                                          \
    }                                                                                              \
    static void displace_tensile_##kind(const SlPbfPass *s, size_t begin, size_t end)              \
    {                                                                                              \
        displace_loop(NAME, true, false, s, begin, end);                                           \
    }                                                                                              \
    static void density_##kind(const SlPbfPass *s, size_t begin, size_t end)                       \
    {                                                                                              \
        density_loop(NAME, s, begin, end);                                                         \
    }                                                                                              \
    static void finish_##kind(const SlPbfPass *s, size_t begin, size_t end, size_t chunk)          \
    {                                                                                              \
        finish_loop(NAME, s, begin, end, chunk);                                                   \
    }
LOOPS_(cubic, SL_KERNEL_CUBIC)
LOOPS_(wendland, SL_KERNEL_WENDLAND)
LOOPS_(poly6, SL_KERNEL_POLY6)

SL_KERNEL_TABLE(SlPbfKernels, sl_pbf_kernels) = {
    .predict = predict,
    .lambda = {lambda_cubic, lambda_wendland, lambda_poly6},
    .displace = {displace_cubic, displace_wendland, displace_poly6},
    .displace_tensile = {displace_tensile_cubic, displace_tensile_wendland,
                         displace_tensile_poly6},
    .lambda_active = {lambda_active_cubic, lambda_active_wendland, lambda_active_poly6},
    .displace_active = {displace_active_cubic, displace_active_wendland, displace_active_poly6},
    .retire = retire,
    .halo = halo,
    .stabilise = stabilise,
    .velocity = velocity,
    .density = {density_cubic, density_wendland, density_poly6},
    .finish = {finish_cubic, finish_wendland, finish_poly6},
};
