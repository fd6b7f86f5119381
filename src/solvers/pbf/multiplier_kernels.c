/* The hot loops of position based fluids with accumulated multipliers, for eight particles at a
   time. The equations are those of docs/pbf-formulation.md; symbols: i self, j neighbour, L total multiplier,
   x^n position at the beginning of the step, x* the iterate, s = x* - (x^n + dt v) the shift. */
#include "solvers/pbf/multiplier_kernels.h"

#include "solvers/fluid/pass_lanes.h"

/* y = x* + theta (x^n - x*): where the gradients of displacements are taken. theta is 1/2 for what
   gravity and smooth flow do, the symplectic choice, and rises to 1 where the acceleration a is
   several g; beyond, where particles collide, it falls back to 1/2, because gradients at x^n would
   then push along directions that are long gone, and add energy. |s| = a dt². */
SL_INLINE F8x4 mid_position(const SlMultiplierPass *m, size_t b, F8x4 x, F8x3 shift, F8 w)
{
    F8x4 before = f8x4_load(m->fluid->particles.position + 32 * b);
    F8 length = f8_sqrt(f8x3_dot(shift, shift));
    F8 excess = f8_min(f8_max(f8_fma(length, f8(0.25f * m->inverse_fall), f8(-0.5f)), f8(0)), f8(1));
    F8 smooth = f8_min(f8_max(f8_fma(length, f8(-2 / m->impact), f8(2)), f8(0)), f8(1));
    F8 theta = f8_fma(f8(0.5f), excess * smooth, f8(0.5f));
    return (F8x4){f8_fma(theta, before.x - x.x, x.x), f8_fma(theta, before.y - x.y, x.y),
                  f8_fma(theta, before.z - x.z, x.z), w};
}

/* s, with x^n + dt v. */
SL_INLINE F8x3 inertial(const SlFluidPass *s, size_t b)
{
    F8x4 x = f8x4_load(s->particles.position + 32 * b);
    F8x4 v = f8x4_load(s->particles.velocity + 32 * b);
    return f8x3_fma(f8(s->dt), xyz(v), xyz(x));
}

/* The pressure of the last steps acts at once: L = dt² M. */
static void begin_step(const void *data, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const SlMultiplierPass *m = data;
    const SlFluidParticles *p = &m->fluid->particles;
    for (size_t b = begin; b < end; b++) {
        F8x4 x = f8x4_load(p->predicted + 32 * b);
        F8x3 free = inertial(m->fluid, b);
        F8x3 shift = {x.x - free.x, x.y - free.y, x.z - free.z};
        F8 total = f8_keep(owned_lanes(p, b),
                           f8_load(m->pressure + 8 * b) * f8(m->fluid->dt * m->fluid->dt));
        f8_store(m->total + 8 * b, total);
        f8_store(m->previous + 8 * b, total);
        f8x4_store(p->shift + 32 * b, (F8x4){shift.x, shift.y, shift.z, f8(0)});
        f8x4_store(m->projected + 32 * b, mid_position(m, b, x, shift, f8(0) - total));
    }
}

/* --- Multipliers --- */

typedef struct ChebyshevStep {
    F8 alpha, beta;
    I8 active;
} ChebyshevStep;

/* A particle of a lower level has its own, shorter, sequence of Chebyshev steps. */
SL_INLINE ChebyshevStep chebyshev_step(const SlMultiplierPass *m, size_t b)
{
    I8 owned = owned_lanes(&m->fluid->particles, b);
    const SlMultiplierLevels *l = &m->levels;
    if (l->level == NULL)
        return (ChebyshevStep){f8(m->alpha), f8(m->beta), owned};
    uint32_t level[8];
    u8_store(level, u8_load(l->level + 8 * b) & (U8)owned);
    return (ChebyshevStep){f8_gather(l->alpha, level), f8_gather(l->beta, level),
                           owned & ((I8)u8_load(level) >= (int32_t)l->iteration)};
}

/* z = C / (sum_k |grad_k C|² + epsilon), C signed;
   L' = max(0, L + alpha z + beta (L - L_before)). Returns minus the change of L. */
SL_INLINE F8 new_total(const SlMultiplierPass *m, size_t b, F8 error, F8 squares)
{
    F8 limit = f8(m->max_constraint), within = f8(m->tolerance);
    error -= f8_max(f8_min(error, within), f8(0) - within);
    F8 z = f8_max(f8_min(error, limit), f8(0) - limit) / squares;
    ChebyshevStep step = chebyshev_step(m, b);
    F8 total = f8_load(m->total + 8 * b), previous = f8_load(m->previous + 8 * b);
    F8 next = f8_fma(step.beta, total - previous, f8_fma(step.alpha, z, total));
    next = f8_select(step.active, f8_max(next, f8(0)), total);
    f8_store(m->previous + 8 * b, total);
    f8_store(m->total + 8 * b, next);
    return total - next;
}

SL_INLINE void update_loop(SlKernelKind kind, const SlMultiplierPass *m, size_t begin, size_t end)
{
    const SlFluidPass *s = m->fluid;
    F8 slope_scale = f8(s->kernel.slope_scale);
    for (size_t b = begin; b < end; b++) {
        /* density and its gradients at x* */
        F8x4 xi = f8x4_load(s->particles.predicted + 32 * b);
        DensitySums sums = density_sums(kind, s, b, xi);
        F8 error = sums.error;
        F8x3 gradient = sums.gradient;
        if (walls_near(s, xi))
            add_solid(wall_density(kind, s, xi), &error, &gradient);
        if (s->solids.boundary != NULL)
            add_solid(boundary_density(kind, s, b, xi), &error, &gradient);
        F8 squares = f8_fma(sums.squares, slope_scale * slope_scale,
                            xi.w * f8x3_dot(gradient, gradient));
        F8 change = new_total(m, b, error, squares + xi.w * f8(m->epsilon));
        F8x3 shift = xyz(f8x4_load(s->particles.shift + 32 * b));
        f8x4_store(m->projected + 32 * b, mid_position(m, b, xi, shift, change));
    }
}

/* --- Displacements --- */

/* sum_j (-dL_i - dL_j - k (w - w_end)_+) grad W at y, without slope_scale. The last term keeps pairs
   apart that would clump; it is 0 for pairs farther than three quarters of a spacing, so water at
   rest does not feel it. */
SL_INLINE F8x3 pushes_with_repulsion(SlKernelKind kind, const SlMultiplierPass *m, size_t b, F8x4 yi)
{
    const SlNeighbourList *list = m->fluid->list;
    F8 inverse_support = f8(m->fluid->kernel.inverse_support);
    F8x3 sum = {f8(0), f8(0), f8(0)};
    const uint32_t(*row)[8] = rows_of(list, b);
    for (uint32_t k = list->row_count[b]; k > 0; k--, row++) {
        F8x4 yj = f8x4_gather(m->projected, *row);
        F8x3 u = {yi.x - yj.x, yi.y - yj.y, yi.z - yj.z};
        ShapePair w = shape_both(kind, f8x3_dot(u, u), inverse_support);
        F8 near = f8_max(w.value - f8(m->repulsion_value), f8(0));
        sum = f8x3_fma(f8_fma(f8(-m->repulsion), near, yi.w + yj.w) * w.slope, u, sum);
    }
    return sum;
}

/* P, with which a wall pushes when the multiplier is L (equation 10). */
SL_INLINE F8 wall_push(const SlSolidsPass *solids, F8 total)
{
    return f8_fma(f8(solids->wall_push - 1), f8_min(total, f8(solids->push_limit)), total);
}

/* dx_i = -sum_j (dL_i + dL_j) grad W(y_i - y_j) - dP_i grad F(y_i), then contacts. */
SL_INLINE void displace_loop(SlKernelKind kind, bool repulsion, const SlMultiplierPass *m,
                             size_t begin, size_t end)
{
    const SlFluidPass *s = m->fluid;
    const SlSolidsPass *solids = &s->solids;
    for (size_t b = begin; b < end; b++) {
        /* neighbours */
        F8x4 yi = f8x4_load(m->projected + 32 * b);
        F8x3 move = repulsion ? pushes_with_repulsion(kind, m, b, yi)
                              : pair_pushes(kind, false, s, m->projected, 0, b, yi);
        F8 inverse_mass = f8x4_load(s->particles.predicted + 32 * b).w;
        F8 scale = f8(s->kernel.slope_scale) * inverse_mass;
        move = (F8x3){move.x * scale, move.y * scale, move.z * scale};
        /* solids, which do not yield: only L_i acts */
        F8 after = f8_load(m->total + 8 * b), before = after + yi.w;
        F8 push = inverse_mass * (wall_push(solids, before) - wall_push(solids, after));
        F8 sample_push = yi.w * inverse_mass * f8(solids->sample_push);
        Tally tally = tally_of(s, b, inverse_mass);
        if (walls_near(s, yi)) {
            WallDensity wall = wall_density(kind, s, yi);
            move = f8x3_fma(push, wall.gradient, move);
            if (tally.sums != NULL)
                wall_reaction(kind, s, &tally, yi, wall.density, push);
        }
        if (solids->boundary != NULL && solids->boundary_list->row_count[b] > 0) {
            WallDensity samples = boundary_density(kind, s, b, yi);
            move = f8x3_fma(sample_push, samples.gradient, move);
            F8x3 none = {f8(0), f8(0), f8(0)};
            if (tally.sums != NULL)
                boundary_reaction(kind, s, &tally, b, yi,
                                  (BoundaryPush){sample_push, none, samples.density});
        }
        /* x* = x^n + dt v + s, and contacts */
        F8x3 shift = xyz(f8x4_load(s->particles.shift + 32 * b)), free = inertial(s, b);
        shift = (F8x3){shift.x + move.x, shift.y + move.y, shift.z + move.z};
        F8x3 p = {free.x + shift.x, free.y + shift.y, free.z + shift.z};
        F8x3 kept = meet_surfaces(&solids->contacts, &tally, u8_load(s->particles.id + 8 * b), p,
                                  xyz(f8x4_load(s->particles.position + 32 * b)));
        shift = (F8x3){shift.x + (kept.x - p.x), shift.y + (kept.y - p.y), shift.z + (kept.z - p.z)};
        f8x4_store(s->particles.shift + 32 * b, (F8x4){shift.x, shift.y, shift.z, f8(0)});
        f8x4_store(s->particles.predicted + 32 * b, (F8x4){kept.x, kept.y, kept.z, inverse_mass});
    }
}

/* --- After the iterations --- */

/* Coulomb friction: of the displacement along a surface at most friction × what it pushed is taken
   back. The total multiplier is what pushed; in each iteration it would act as often. */
SL_INLINE void friction_loop(SlKernelKind kind, const SlMultiplierPass *m, size_t begin, size_t end)
{
    const SlFluidPass *s = m->fluid;
    const SlSolidsPass *solids = &s->solids;
    for (size_t b = begin; b < end; b++) {
        F8x4 xi = f8x4_load(s->particles.predicted + 32 * b);
        F8 total = f8_load(m->total + 8 * b);
        F8x3 before = xyz(f8x4_load(s->particles.position + 32 * b)), p = xyz(xi);
        Tally tally = tally_of(s, b, xi.w);
        if (solids->walls_rub && walls_near(s, xi))
            p = wall_rub(kind, s, &tally, xi, (f8(0) - wall_push(solids, total)) * xi.w, before);
        if (solids->boundary_rubs && solids->boundary_list->row_count[b] > 0) {
            WallDensity samples = boundary_density(kind, s, b, xi);
            F8 by = (f8(0) - total) * f8(solids->sample_push) * xi.w;
            F8x3 pushed = {by * samples.gradient.x, by * samples.gradient.y, by * samples.gradient.z};
            F8x3 free = p;
            p = boundary_rub(kind, s, b, xi, pushed, p, before);
            F8x3 rubbed = {p.x - free.x, p.y - free.y, p.z - free.z};
            if (tally.sums != NULL)
                boundary_reaction(kind, s, &tally, b, xi,
                                  (BoundaryPush){f8(0), rubbed, samples.density});
        }
        F8x4 shift = f8x4_load(s->particles.shift + 32 * b);
        f8x4_store(s->particles.shift + 32 * b,
                   (F8x4){shift.x + (p.x - xi.x), shift.y + (p.y - xi.y), shift.z + (p.z - xi.z),
                          f8(0)});
        f8x4_store(s->particles.predicted + 32 * b, (F8x4){p.x, p.y, p.z, xi.w});
    }
}

/* M += kappa (L / dt² - M). */
static void remember(const void *data, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const SlMultiplierPass *m = data;
    F8 rate = f8(1 / (m->fluid->dt * m->fluid->dt));
    for (size_t b = begin; b < end; b++) {
        F8 old = f8_load(m->pressure + 8 * b), found = f8_load(m->total + 8 * b) * rate;
        f8_store(m->pressure + 8 * b, f8_fma(f8(m->memory), found - old, old));
    }
}

#define LOOP_(name, kind, body)                                                                    \
    static void name##_##kind(const void *data, size_t begin, size_t end, size_t chunk)            \
    {                                                                                              \
        (void)chunk;                                                                               \
        body;                                                                                      \
    }
#define LOOPS_(kind, NAME)                                                                         \
    LOOP_(update, kind, update_loop(NAME, data, begin, end))                                       \
    LOOP_(displace, kind, displace_loop(NAME, false, data, begin, end))                            \
    LOOP_(displace_repulsion, kind, displace_loop(NAME, true, data, begin, end))                   \
    LOOP_(friction, kind, friction_loop(NAME, data, begin, end))
LOOPS_(cubic, SL_KERNEL_CUBIC)
LOOPS_(wendland, SL_KERNEL_WENDLAND)
LOOPS_(poly6, SL_KERNEL_POLY6)

#define KINDS_(name)                                                                               \
    {                                                                                              \
        name##_cubic, name##_wendland, name##_poly6                                                \
    }
SL_KERNEL_TABLE(SlMultiplierKernels, sl_multiplier_kernels) = {
    .begin = begin_step,
    .update = KINDS_(update),
    .displace = KINDS_(displace),
    .displace_repulsion = KINDS_(displace_repulsion),
    .friction = KINDS_(friction),
    .remember = remember,
};
