/* The density constraint [Sommer eq. 4; Weiler 2016] for eight particles at a time. Symbols:
   C_i = density / rest density - 1, g_k = grad_k C_i.

   With C and D selectors, as in [Sommer], constraint c has projections p_k = x_k + lambda_c g_k of
   its particles, and eq. 3 minus A x(k) is

     (1 + kappa (1 + n_i)) (x~_i - x_i) = s_i - x_i + kappa sum_c lambda_c grad_i C_c

   so that no projection p_k is stored, only lambda. Constraint-count relaxation multiplies lambda_c
   by a fraction of 1 + n_c, the number of its particles. With several fluids distances are weighted
   by mass, p_k = x_k + lambda_c g_k / m_k with m_k in units of the own fluid's: the diagonal stays
   as it is, and the momentum that a constraint adds sums to zero.

   density_differences takes differences to the constraint's own particle in C and D instead
   [Bouaziz 2014, section 4]: a common translation of its particles then costs nothing, and the
   matrix is no longer diagonal. */
#include <math.h>

#include "solvers/projective/parameters.h"
#include "solvers/projective/projective_lanes.h"

/* --- Parameters --- */

/* w = stiffness × spacing: resistance to pressure then depends neither on resolution nor step. */
static double kappa_of(const SlSystem *system, double dt)
{
    double d = sl_param(system, SL_FLUID_PARAM_SPACING);
    return sl_param(system, SL_PROJECTIVE_PARAM_STIFFNESS) /
           sl_param(system, SL_FLUID_PARAM_REST_DENSITY) * dt * dt / (d * d);
}

static double selector_kappa(const SlSystem *system, double dt)
{
    bool used = sl_param(system, SL_PROJECTIVE_PARAM_ROWS) == SL_ROWS_SELECTOR;
    return used ? kappa_of(system, dt) : 0;
}

static double differences_kappa(const SlSystem *system, double dt)
{
    bool used = sl_param(system, SL_PROJECTIVE_PARAM_ROWS) == SL_ROWS_DIFFERENCES;
    return used ? kappa_of(system, dt) : 0;
}

/* That of a particle whose kernel's ball is full at rest density. */
static double common_diagonal(const SlSystem *system, double kappa)
{
    return 1 + kappa * 4 / 3 * 3.14159265358979 * pow(sl_param(system, SL_FLUID_PARAM_SUPPORT), 3);
}

/* --- Local step --- */

/* May solids add to the density of some particle of the block? */
SL_INLINE bool is_near_solids(const SlFluidPass *s, size_t b, F8x4 xi)
{
    return walls_near(s, xi) ||
           (s->solids.boundary != NULL && s->solids.boundary_list->row_count[b] > 0);
}

typedef struct Density {
    F8 error, squares; /* C_i; sum of |grad_k C_i|² / m_k */
    F8x3 gradient;     /* grad_i C_i */
} Density;

SL_INLINE Density density_of(SlKernelKind kind, const SlProjectivePass *p, size_t b, F8x4 xi)
{
    const SlFluidPass *s = &p->fluid;
    F8 slope_scale = f8(s->kernel.slope_scale);
    DensitySums sums = density_sums(kind, s, b, xi);
    Density d = {.error = sums.error, .gradient = sums.gradient};
    if (is_near_solids(s, b, xi)) { /* with memory solid_gradient is overwritten, at y */
        F8x3 solid = {f8(0), f8(0), f8(0)};
        if (walls_near(s, xi))
            add_solid(wall_density(kind, s, xi), &d.error, &solid);
        add_solid(boundary_density(kind, s, b, xi), &d.error, &solid);
        f8x4_store(p->density.solid_gradient + 32 * b, (F8x4){solid.x, solid.y, solid.z, f8(0)});
        d.gradient = f8x3_fma(f8(1), solid, d.gradient);
    }
    d.squares =
        f8_fma(sums.squares, slope_scale * slope_scale, xi.w * f8x3_dot(d.gradient, d.gradient));
    return d;
}

/* --- Memory of pressure (docs/projective-memory.md) --- */

/* y = x + theta (x^n - x): where the gradients of displacements are taken. */
SL_INLINE F8x4 push_position(const SlProjectivePass *p, size_t b, F8x4 x, F8 w)
{
    F8x4 before = f8x4_load(p->fluid.particles.position + 32 * b);
    F8 theta = f8(p->density.mid);
    return (F8x4){f8_fma(theta, before.x - x.x, x.x), f8_fma(theta, before.y - x.y, x.y),
                  f8_fma(theta, before.z - x.z, x.z), w};
}

/* P / L of walls [docs/pbf-formulation.md eq. 10], by the remembered pressure: it is the same in all
   iterations of a step. */
SL_INLINE F8 wall_factor(const SlProjectivePass *p, size_t b)
{
    const SlSolidsPass *solids = &p->fluid.solids;
    if (p->density.pressure == NULL)
        return f8(1);
    F8 held = f8_load(p->density.pressure + 8 * b) * f8(p->fluid.dt * p->fluid.dt);
    F8 part = f8_min(f8(solids->push_limit) / f8_max(held, f8(1e-30f)), f8(1));
    return f8_fma(f8(solids->wall_push - 1), part, f8(1));
}

/* solid_gradient at y, times the factors of solids. */
SL_INLINE void store_solid_gradient(SlKernelKind kind, const SlProjectivePass *p, size_t b, F8x4 y)
{
    const SlFluidPass *s = &p->fluid;
    if (!is_near_solids(s, b, y))
        return;
    F8x3 solid = {f8(0), f8(0), f8(0)};
    if (walls_near(s, y))
        solid = scaled(wall_factor(p, b), wall_density(kind, s, y).gradient);
    if (s->solids.boundary != NULL)
        solid = f8x3_fma(f8(s->solids.sample_push), boundary_density(kind, s, b, y).gradient, solid);
    f8x4_store(p->density.solid_gradient + 32 * b, (F8x4){solid.x, solid.y, solid.z, f8(0)});
}

/* The pressure of the last steps: L = dt² M, lambda = -L / kappa. */
SL_INLINE void recall_loop(SlKernelKind kind, const SlProjectivePass *p, size_t begin, size_t end)
{
    const SlDensityPass *c = &p->density;
    F8 dt2 = f8(p->fluid.dt * p->fluid.dt), per_kappa = f8(-1 / c->kappa);
    for (size_t b = begin; b < end; b++) {
        F8x4 x = f8x4_load(p->fluid.particles.predicted + 32 * b);
        F8 total = f8_keep(owned_lanes(&p->fluid.particles, b), f8_load(c->pressure + 8 * b) * dt2);
        f8_store(c->total + 8 * b, total);
        f8_store(c->previous_total + 8 * b, total);
        F8x4 y = push_position(p, b, x, total * per_kappa);
        store_solid_gradient(kind, p, b, y);
        f8x4_store(p->projected + 32 * b, y);
    }
}

/* M += memory (L / dt² - M), M >= 0. */
static void remember(const void *data, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const SlProjectivePass *p = data;
    const SlDensityPass *c = &p->density;
    F8 rate = f8(1 / (p->fluid.dt * p->fluid.dt));
    for (size_t b = begin; b < end; b++) {
        F8 old = f8_load(c->pressure + 8 * b), found = f8_load(c->total + 8 * b) * rate;
        f8_store(c->pressure + 8 * b, f8_max(f8_fma(f8(c->memory), found - old, old), f8(0)));
    }
}

/* The multiplier that has acted after this iteration: with one divisor for all particles the shifts are
   -sum_j (L_i + L_j) grad W of an L that follows their own recursion (body_forces.c). */
SL_INLINE void accumulate(const SlProjectivePass *p, size_t b, F8 lambda)
{
    const SlDensityPass *c = &p->density;
    F8 part = f8(p->relaxation / p->common_divisor), now = f8_load(c->total + 8 * b);
    F8 next = f8_fma(part, f8(-c->kappa) * lambda - now, now);
    if (p->omega != 1) {
        F8 back = f8_load(c->previous_total + 8 * b);
        next = f8_fma(f8(p->omega), next - back, back);
    }
    f8_store(c->previous_total + 8 * b, now);
    f8_store(c->total + 8 * b, next);
}

/* A block's particles moved by lambda g_k / m_k, and their density error there. */
typedef struct LineSearch {
    F8 lambda;
    F8x3 own; /* g_i / m_i */
    F8 error, derivative;
} LineSearch;

/* C_i and its derivative by lambda, where all particles of the constraint have moved: the distance
   vector of (i, j) is u (1 + lambda slope / m_j) + lambda own. */
SL_INLINE void density_along(SlKernelKind kind, const SlFluidPass *s, size_t b, F8x4 xi,
                             LineSearch *line)
{
    const SlNeighbourList *list = s->list;
    F8 inverse_support = f8(s->kernel.inverse_support), slope_scale = f8(s->kernel.slope_scale);
    F8 shapes = f8(s->kernel.self_density_offset), along = f8(0), lambda = line->lambda;
    F8x3 own = line->own, shift = scaled(lambda, own);
    const uint32_t(*row)[8] = rows_of(list, b);
    for (uint32_t k = list->row_count[b]; k > 0; k--, row++) {
        F8x4 xj = f8x4_gather(s->particles.predicted, *row);
        F8x3 u = {xi.x - xj.x, xi.y - xj.y, xi.z - xj.z};
        F8 slope = shape_slope(kind, f8x3_dot(u, u), inverse_support) * slope_scale * xj.w;
        F8x3 apart = f8x3_fma(f8_fma(lambda, slope, f8(1)), u, shift),
             direction = f8x3_fma(slope, u, own);
        ShapePair w = shape_both(kind, f8x3_dot(apart, apart), inverse_support);
        shapes += w.value;
        along = f8_fma(w.slope, f8x3_dot(apart, direction), along);
    }
    line->error = shapes * f8(s->kernel.value_scale);
    line->derivative = along * slope_scale;
    F8x4 moved = {xi.x + shift.x, xi.y + shift.y, xi.z + shift.z, xi.w};
    F8 solid = f8(0);
    F8x3 pushed = {f8(0), f8(0), f8(0)};
    if (walls_near(s, moved))
        add_solid(wall_density(kind, s, moved), &solid, &pushed);
    if (s->solids.boundary != NULL)
        add_solid(boundary_density(kind, s, b, moved), &solid, &pushed);
    line->error += solid;
    line->derivative += f8x3_dot(pushed, own);
}

/* ProjectConstraint of [Sommer, algorithm 1]. One Newton step is the first-order lambda; further
   ones follow the same gradients until C vanishes. */
SL_INLINE void project_loop(SlKernelKind kind, const SlProjectivePass *p, size_t begin, size_t end,
                            size_t chunk)
{
    const SlFluidPass *s = &p->fluid;
    const SlDensityPass *c = &p->density;
    F8 compression = f8(0), max_compression = f8(0);
    for (size_t b = begin; b < end; b++) {
        F8x4 xi = f8x4_load(s->particles.predicted + 32 * b);
        xi.w = inverse_mass_ratio_of(&s->particles, b); /* that of padding, too */
        Density d = density_of(kind, p, b, xi);
        F8 constraint = f8_max(d.error, f8(c->min_constraint));
        F8 epsilon = xi.w * f8(c->epsilon), lambda = f8(0) - constraint / (d.squares + epsilon);
        I8 open = constraint != f8(0);
        for (uint32_t k = 1; k < c->projections && i8_bits(open) != 0; k++) {
            LineSearch line = {.lambda = lambda, .own = scaled(xi.w, d.gradient)};
            density_along(kind, s, b, xi, &line);
            open &=
                (f8_abs(line.error) > f8(c->projection_tolerance)) & (line.derivative > epsilon);
            lambda -= f8_keep(open, line.error / f8_max(line.derivative, epsilon));
        }
        /* Constraint-count relaxation, by the count of the constraint, not of each particle that it
           moves: the push of i on j is then that of j on i, and momentum is conserved. */
        lambda *= f8_max(f8_load(c->counts + 8 * b) * f8(c->count_fraction), f8(1));
        if (c->pressure != NULL) {
            F8 held = f8_load(c->pressure + 8 * b) * f8(s->dt * s->dt / c->kappa);
            lambda = f8_keep(owned_lanes(&s->particles, b), f8_min(lambda - held, f8(0)));
            F8x4 y = push_position(p, b, xi, lambda);
            store_solid_gradient(kind, p, b, y);
            f8x4_store(p->projected + 32 * b, y);
        } else
            f8x4_store(p->projected + 32 * b, (F8x4){xi.x, xi.y, xi.z, lambda});
        if (c->push != NULL) {
            F8x3 push = scaled(lambda, d.gradient);
            f8x4_store(c->push + 32 * b, (F8x4){push.x, push.y, push.z, f8(0)});
        }
        F8 over = f8_keep(owned_lanes(&s->particles, b), f8_max(d.error, f8(0)));
        compression += over;
        max_compression = f8_max(max_compression, over);
    }
    double *partials = p->partials + chunk * SL_PROJECTIVE_PARTIALS;
    partials[SL_PROJECTIVE_COMPRESSION] = (double)f8_sum(compression);
    partials[SL_PROJECTIVE_MAX_COMPRESSION] = (double)f8_horizontal_max(max_compression);
}

/* --- Global step with selectors --- */

/* sum_c lambda_c grad_i C_c / m_i. */
SL_INLINE F8x3 density_pull(SlKernelKind kind, const SlProjectivePass *p, size_t b, F8x4 xi)
{
    const SlFluidPass *s = &p->fluid;
    F8x3 pull =
        scaled(f8(s->kernel.slope_scale), pair_pushes(kind, false, s, p->projected, 0, b, xi));
    if (is_near_solids(s, b, xi)) /* solids have no constraint of their own: only lambda_i acts */
        pull = f8x3_fma(xi.w, xyz(f8x4_load(p->density.solid_gradient + 32 * b)), pull);
    return scaled(inverse_mass_ratio_of(&s->particles, b), pull);
}

SL_INLINE void right_side_loop(SlKernelKind kind, const SlProjectivePass *p, size_t begin,
                               size_t end)
{
    F8 kappa = f8(p->density.kappa);
    for (size_t b = begin; b < end; b++) {
        F8x4 r = f8x4_load(p->residual + 32 * b), xi = f8x4_load(p->projected + 32 * b);
        F8 counts = f8_load(p->density.counts + 8 * b);
        F8x3 right = f8x3_fma(kappa, density_pull(kind, p, b, xi), xyz(r));
        f8x4_store(p->residual + 32 * b,
                   (F8x4){right.x, right.y, right.z, f8_fma(kappa, counts, r.w)});
    }
}

/* Adds the impulses of this iteration, `factor` times lambda, to the sums of bodies (body_forces.c). */
SL_INLINE void react(SlKernelKind kind, const SlProjectivePass *p, size_t b, F8x4 xi, float factor)
{
    const SlFluidPass *s = &p->fluid;
    F8 inverse_mass_ratio = inverse_mass_ratio_of(&s->particles, b);
    Tally tally = tally_of(s, b, inverse_mass_ratio);
    F8 push = f8(factor) * xi.w * inverse_mass_ratio;
    F8x3 none = {f8(0), f8(0), f8(0)};
    if (s->solids.boundary != NULL)
        boundary_reaction(kind, s, &tally, b, xi,
                          (BoundaryPush){push * f8(s->solids.sample_push), none, f8(0)});
    if (walls_near(s, xi))
        wall_reaction(kind, s, &tally, xi, wall_density(kind, s, xi).density,
                      push * wall_factor(p, b));
}

/* The first shift: that by the remembered pressure, then contacts. */
SL_INLINE void displace_loop(SlKernelKind kind, const SlProjectivePass *p, size_t begin, size_t end)
{
    const SlFluidPass *s = &p->fluid;
    for (size_t b = begin; b < end; b++) {
        F8x4 xi = f8x4_load(p->projected + 32 * b), before = f8x4_load(p->shift + 32 * b);
        F8x3 shift = f8x3_fma(f8(p->density.kappa), density_pull(kind, p, b, xi), xyz(before));
        if (s->solids.forces != NULL)
            react(kind, p, b, xi, p->density.kappa);
        F8 inverse_mass_ratio = inverse_mass_ratio_of(&s->particles, b);
        Tally tally = tally_of(s, b, inverse_mass_ratio);
        F8x3 free = plus(inertial_position(s, b), shift);
        F8x3 at = meet_surfaces(&s->solids.contacts, &tally, u8_load(s->particles.id + 8 * b), free,
                                xyz(f8x4_load(s->particles.position + 32 * b)));
        shift = plus(shift, minus(at, free));
        f8x4_store(p->shift + 32 * b, (F8x4){shift.x, shift.y, shift.z, f8(0)});
        f8x4_store(s->particles.predicted + 32 * b, (F8x4){at.x, at.y, at.z, inverse_mass_ratio});
    }
}

/* Right side, division and movement in one loop. */
SL_INLINE void fused_loop(SlKernelKind kind, const SlProjectivePass *p, size_t begin, size_t end,
                          size_t chunk)
{
    Movement movement = {f8(0), f8(0), f8(0), f8(0)};
    F8 kappa = f8(p->density.kappa);
    for (size_t b = begin; b < end; b++) {
        F8x4 xi = f8x4_load(p->projected + 32 * b);
        F8x3 right = f8x3_fma(kappa, density_pull(kind, p, b, xi), inertia_residual(p, b));
        F8 diagonal = f8_fma(kappa, f8_load(p->density.counts + 8 * b), f8(1));
        if (p->fluid.solids.forces != NULL)
            react(kind, p, b, xi, p->omega * p->relaxation * p->density.kappa / p->common_divisor);
        if (p->density.pressure != NULL)
            accumulate(p, b, xi.w);
        move_block(p, b, scaled(f8(1) / divisor(p, diagonal), right), &movement);
    }
    put_movement(p, chunk, &movement);
}

/* --- Global step with differences --- */

/* Rows x_j - x_i and p_j - p_i. With q_k the shifts lambda_c g_k, particle i gets sum_j (q_i - q_j)
   of its own constraint and sum_j (q_i - q_j) of each neighbour's. Since the shifts of a constraint
   sum to the solids' part, the first is (1 + n_i) q_i - lambda_i solid. */
SL_INLINE void differences_loop(SlKernelKind kind, const SlProjectivePass *p, size_t begin,
                                size_t end)
{
    const SlFluidPass *s = &p->fluid;
    const SlDensityPass *c = &p->density;
    const SlNeighbourList *list = s->list;
    F8 inverse_support = f8(s->kernel.inverse_support), scale = f8(s->kernel.slope_scale);
    for (size_t b = begin; b < end; b++) {
        F8x4 r = f8x4_load(p->residual + 32 * b), xi = f8x4_load(p->projected + 32 * b);
        F8 counts = f8_load(c->counts + 8 * b);
        F8x3 others = {f8(0), f8(0), f8(0)}, solid = {f8(0), f8(0), f8(0)};
        const uint32_t(*row)[8] = rows_of(list, b);
        for (uint32_t k = list->row_count[b]; k > 0; k--, row++) {
            F8x4 xj = f8x4_gather(p->projected, *row), qj = f8x4_gather(c->push, *row);
            F8x3 u = {xi.x - xj.x, xi.y - xj.y, xi.z - xj.z};
            F8 slope = shape_slope(kind, f8x3_dot(u, u), inverse_support) * scale;
            /* grad_i C_j = V grad W(x_i - x_j); the sentinel's push is 0 */
            others = f8x3_fma(xj.w * slope, u, others);
            others = minus(others, xyz(qj));
        }
        if (is_near_solids(s, b, xi))
            solid = xyz(f8x4_load(c->solid_gradient + 32 * b));
        F8x3 own = f8x3_fma(counts, xyz(f8x4_load(c->push + 32 * b)), scaled(f8(0) - xi.w, solid));
        F8x3 right = {own.x + others.x, own.y + others.y, own.z + others.z};
        right = f8x3_fma(f8(c->kappa), right, xyz(r));
        f8x4_store(p->residual + 32 * b, (F8x4){right.x, right.y, right.z,
                                                f8_fma(f8(2 * c->kappa), counts - f8(1), r.w)});
    }
}

/* Visits the neighbours j of particle i, in the order of the list. */
#define FOR_NEIGHBOURS_(list, i, j)                                                                \
    for (uint32_t k_ = 0, j; k_ < (list)->row_count[(i) / 8]; k_++)                                \
        if ((j = rows_of(list, (i) / 8)[k_][(i) % 8]) != (list)->sentinel)

/* The matrix without its diagonal is -2 kappa for neighbours. */
static void differences_apply(const SlProjectivePass *p, const double *x, double *y, size_t begin,
                              size_t end)
{
    const SlNeighbourList *list = p->fluid.list;
    for (size_t i = begin; i < end; i++) {
        double sum[3] = {0, 0, 0};
        FOR_NEIGHBOURS_(list, i, j)
        for (size_t a = 0; a < 3; a++)
            sum[a] += x[3 * (size_t)j + a];
        for (size_t a = 0; a < 3; a++)
            y[3 * i + a] -= 2 * (double)p->density.kappa * sum[a];
    }
}

static size_t differences_row(const SlProjectivePass *p, size_t i, uint32_t *column, double *value)
{
    size_t count = 0;
    if (column == NULL)
        return (size_t)p->density.counts[i] - 1;
    FOR_NEIGHBOURS_(p->fluid.list, i, j)
    {
        column[count] = j;
        value[count++] = -2 * (double)p->density.kappa;
    }
    return count;
}

/* --- Energies, of particles without solids, in double from the equations --- */

/* u = x_i - x_j and its length, at x or, where that is NULL, at the iterate that was projected. */
static double pair_distance(const SlProjectivePass *p, const double *x, size_t i, size_t j,
                            double u[3])
{
    double r2 = 0;
    for (size_t a = 0; a < 3; a++) {
        u[a] = x != NULL ? x[3 * i + a] - x[3 * j + a]
                         : (double)p->projected[4 * i + a] - (double)p->projected[4 * j + a];
        r2 += u[a] * u[a];
    }
    return sqrt(r2);
}

/* The factor of kernel values: a particle's volume over the density of the lattice. */
static double volume_of(SlKernelKind kind, const SlFluidPass *s)
{
    return (double)s->kernel.value_scale /
           sl_kernel_value_scale(kind, 1 / (double)s->kernel.inverse_support);
}

static double density_error(SlKernelKind kind, const SlProjectivePass *p, const double *x, size_t i)
{
    double support = 1 / (double)p->fluid.kernel.inverse_support, u[3];
    double sum = sl_kernel_value(kind, 0, support);
    FOR_NEIGHBOURS_(p->fluid.list, i, j)
    {
        double r = pair_distance(p, x, i, j, u);
        sum += r < support ? sl_kernel_value(kind, r, support) : 0;
    }
    return volume_of(kind, &p->fluid) * sum - 1;
}

/* kappa/2 C² / (sum of |g_k|² / m_k + epsilon), summed; the denominator is fixed by lambda. */
static double selector_energy(const SlSystem *system, const SlProjectivePass *p, const double *x)
{
    SlKernelKind kind = sl_fluid_kernel(system);
    double sum = 0;
    for (size_t i = 0; i < p->fluid.particles.count; i++) {
        double lambda = (double)p->projected[4 * i + 3];
        if (lambda == 0)
            continue;
        double error = density_error(kind, p, x, i), projected = density_error(kind, p, NULL, i);
        sum += -lambda / projected * error * error / 2;
    }
    return (double)p->density.kappa * sum;
}

/* kappa/2 |(x_j - x_i) - (p_j - p_i)|², summed over i and its neighbours, with p_k = x_k + q_k. */
static double differences_energy(const SlSystem *system, const SlProjectivePass *p, const double *x)
{
    SlKernelKind kind = sl_fluid_kernel(system);
    double support = 1 / (double)p->fluid.kernel.inverse_support, sum = 0;
    double volume = volume_of(kind, &p->fluid);
    for (size_t i = 0; i < p->fluid.particles.count; i++)
        FOR_NEIGHBOURS_(p->fluid.list, i, j)
        {
            double u[3], before[3];
            pair_distance(p, x, i, j, u);
            double r = pair_distance(p, NULL, i, j, before);
            double slope = r < support ? volume * sl_kernel_slope(kind, r, support) : 0;
            for (size_t a = 0; a < 3; a++) {
                double qj = -(double)p->projected[4 * i + 3] * slope * before[a];
                double qi = (double)p->density.push[4 * i + a];
                double apart = before[a] - u[a] - (qj - qi);
                sum += apart * apart / 2;
            }
        }
    return (double)p->density.kappa * sum;
}

/* --- The descriptors --- */

#define LOOPS_(kind, NAME)                                                                         \
    static void project_##kind(const void *data, size_t begin, size_t end, size_t chunk)           \
    {                                                                                              \
        project_loop(NAME, data, begin, end, chunk);                                               \
    }                                                                                              \
    static void right_side_##kind(const void *data, size_t begin, size_t end, size_t chunk)        \
    {                                                                                              \
        (void)chunk;                                                                               \
        right_side_loop(NAME, data, begin, end);                                                   \
    }                                                                                              \
    static void fused_##kind(const void *data, size_t begin, size_t end, size_t chunk)             \
    {                                                                                              \
        fused_loop(NAME, data, begin, end, chunk);                                                 \
    }                                                                                              \
    static void recall_##kind(const void *data, size_t begin, size_t end, size_t chunk)            \
    {                                                                                              \
        (void)chunk;                                                                               \
        recall_loop(NAME, data, begin, end);                                                       \
    }                                                                                              \
    static void displace_##kind(const void *data, size_t begin, size_t end, size_t chunk)          \
    {                                                                                              \
        (void)chunk;                                                                               \
        displace_loop(NAME, data, begin, end);                                                     \
    }                                                                                              \
    static void differences_##kind(const void *data, size_t begin, size_t end, size_t chunk)       \
    {                                                                                              \
        (void)chunk;                                                                               \
        differences_loop(NAME, data, begin, end);                                                  \
    }
LOOPS_(cubic, SL_KERNEL_CUBIC)
LOOPS_(wendland, SL_KERNEL_WENDLAND)
LOOPS_(poly6, SL_KERNEL_POLY6)

SL_KERNEL_TABLE(SlConstraint, sl_constraint_density) = {
    .name = "density",
    .summary =
        "the density at a particle is at most the rest density; C and D select its particles",
    .citation = "[Sommer eq. 4]; [Weiler 2016]",
    .example = {{"rows", 0, "selector"}},
    .conserves_momentum = true,
    .kappa = selector_kappa,
    .common_diagonal = common_diagonal,
    .recall = {recall_cubic, recall_wendland, recall_poly6},
    .displace = {displace_cubic, displace_wendland, displace_poly6},
    .remember = remember,
    .project = {project_cubic, project_wendland, project_poly6},
    .right_side = {right_side_cubic, right_side_wendland, right_side_poly6},
    .fused = {fused_cubic, fused_wendland, fused_poly6},
    .energy = selector_energy,
};

SL_KERNEL_TABLE(SlConstraint, sl_constraint_density_differences) = {
    .name = "density_differences",
    .summary =
        "the same; C and D take differences to the constraint's own particle, so that a common "
        "translation costs nothing",
    .citation = "[Bouaziz 2014, section 4]",
    .example = {{"rows", 0, "differences"}},
    .conserves_momentum = true,
    .kappa = differences_kappa,
    .project = {project_cubic, project_wendland, project_poly6},
    .right_side = {differences_cubic, differences_wendland, differences_poly6},
    .apply = differences_apply,
    .row = differences_row,
    .energy = differences_energy,
};
