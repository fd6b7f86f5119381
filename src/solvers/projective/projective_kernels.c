/* Projective fluids for eight particles at a time (document 000 §2; Weiler et al. 2016). Symbols: i
   self, j neighbour, u = x_i - x_j; C_i the density's error, g its gradients, x the iterate, s
   where inertia alone would go.

   With C and D selectors (the paper's reading, FACTS §0) constraint c holds p_k = x_k + lambda_c
   g_k for each of its particles, and eq. 3 less A x(k) is

     (1 + kappa (1 + n_i)) (x~_i - x_i) = s_i - x_i + kappa sum_c lambda_c grad_i C_c

   so that no copy p_k is ever stored: lambda is. Constraint-count relaxation multiplies lambda_c by
   a share of 1 + n_c, the number of its particles. With several fluids distances are weighed by
   mass, so that p_k = x_k + lambda_c g_k / m_k with m_k over the mass of the system's own fluid:
   the diagonal stays as it is, and what a constraint gives still sums to nothing.

   What is iterated is the shift x - s, not x: rounded positions would lose momentum, since an
   iteration's steps are a thousandth of a spacing and less, many metres from the origin. */
#include "solvers/projective/projective_kernels.h"

#include "solvers/fluid/pass_lanes.h"

SL_INLINE F8x3 scaled(F8 a, F8x3 v)
{
    return (F8x3){a * v.x, a * v.y, a * v.z};
}

SL_INLINE F8x3 minus(F8x3 a, F8x3 b)
{
    return (F8x3){a.x - b.x, a.y - b.y, a.z - b.z};
}

SL_INLINE F8x3 plus(F8x3 a, F8x3 b)
{
    return (F8x3){a.x + b.x, a.y + b.y, a.z + b.z};
}

/* s: where inertia and gravity alone would take it. */
SL_INLINE F8x3 inertial_place(const SlFluidPass *s, size_t b)
{
    F8x4 x = f8x4_load(s->particles.position + 32 * b), v = f8x4_load(s->particles.velocity + 32 * b);
    return f8x3_fma(f8(s->dt), xyz(v), xyz(x));
}

/* Also the first shift: what contacts did to the prediction. */
static void count(const void *data, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const SlProjectivePass *p = data;
    const SlNeighbourList *list = p->fluid.list;
    for (size_t b = begin; b < end; b++) {
        I8 found = {0};
        const uint32_t(*row)[8] = (const uint32_t(*)[8])list->rows + list->row_begin[b];
        for (uint32_t k = list->row_count[b]; k > 0; k--, row++)
            found -= (I8)(u8_load(*row) != u8(list->sentinel));
        f8_store(p->counts + 8 * b, f8_from_i8(found) + f8(1));
        F8x3 shift =
            minus(xyz(f8x4_load(p->fluid.particles.predicted + 32 * b)), inertial_place(&p->fluid, b));
        f8x4_store(p->shift + 32 * b, (F8x4){shift.x, shift.y, shift.z, f8(0)});
    }
}

/* May solids add to the density of some particle of the block? */
SL_INLINE bool block_meets_solids(const SlFluidPass *s, size_t b, F8x4 xi)
{
    return walls_near(s, xi) || (s->solids.boundary != NULL && s->solids.boundary_list->row_count[b] > 0);
}

/* --- Local step --- */

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
    if (block_meets_solids(s, b, xi)) {
        F8x3 solid = {f8(0), f8(0), f8(0)};
        if (walls_near(s, xi))
            add_solid(wall_density(kind, s, xi), &d.error, &solid);
        add_solid(boundary_density(kind, s, b, xi), &d.error, &solid);
        f8x4_store(p->solid + 32 * b, (F8x4){solid.x, solid.y, solid.z, f8(0)});
        d.gradient = f8x3_fma(f8(1), solid, d.gradient);
    }
    d.squares =
        f8_fma(sums.squares, slope_scale * slope_scale, xi.w * f8x3_dot(d.gradient, d.gradient));
    return d;
}

/* C_i and its derivative by lambda where every particle of the constraint has gone
   lambda g_k / m_k on from x, so that pair (i, j) is u (1 + lambda slope / m_j) + lambda own apart
   with own = g_i / m_i. */
SL_INLINE void density_along(SlKernelKind kind, const SlFluidPass *s, size_t b, F8x4 xi, F8 lambda,
                             F8x3 own, F8 *error, F8 *derivative)
{
    const SlNeighbourList *list = s->list;
    F8 inverse_support = f8(s->kernel.inverse_support), slope_scale = f8(s->kernel.slope_scale);
    F8 shapes = f8(s->kernel.self_density_offset), along = f8(0);
    F8x3 shift = scaled(lambda, own);
    const uint32_t(*row)[8] = (const uint32_t(*)[8])list->rows + list->row_begin[b];
    for (uint32_t k = list->row_count[b]; k > 0; k--, row++) {
        F8x4 xj = f8x4_gather(s->particles.predicted, *row);
        F8x3 u = {xi.x - xj.x, xi.y - xj.y, xi.z - xj.z};
        F8 slope = shape_slope(kind, f8x3_dot(u, u), inverse_support) * slope_scale * xj.w;
        F8x3 apart = f8x3_fma(f8_fma(lambda, slope, f8(1)), u, shift),
             way = f8x3_fma(slope, u, own);
        ShapePair w = shape_both(kind, f8x3_dot(apart, apart), inverse_support);
        shapes += w.value;
        along = f8_fma(w.slope, f8x3_dot(apart, way), along);
    }
    *error = shapes * f8(s->kernel.value_scale);
    *derivative = along * slope_scale;
    F8x4 moved = {xi.x + shift.x, xi.y + shift.y, xi.z + shift.z, xi.w};
    F8 solid = f8(0);
    F8x3 pushed = {f8(0), f8(0), f8(0)};
    if (walls_near(s, moved))
        add_solid(wall_density(kind, s, moved), &solid, &pushed);
    if (s->solids.boundary != NULL)
        add_solid(boundary_density(kind, s, b, moved), &solid, &pushed);
    *error += solid;
    *derivative += f8x3_dot(pushed, own);
}

/* ProjectConstraint of algorithm 1, line 4. One step is the first-order lambda; more go on along
   the same gradients until C vanishes there. */
SL_INLINE void project_loop(SlKernelKind kind, const SlProjectivePass *p, size_t begin, size_t end,
                            size_t chunk)
{
    const SlFluidPass *s = &p->fluid;
    F8 compression = f8(0), densest = f8(0);
    for (size_t b = begin; b < end; b++) {
        F8x4 xi = f8x4_load(s->particles.predicted + 32 * b);
        xi.w = inverse_mass_ratio_of(&s->particles, b); /* that of padding, too */
        Density d = density_of(kind, p, b, xi);
        F8 constraint = f8_max(d.error, f8(p->min_constraint));
        F8 epsilon = xi.w * f8(p->epsilon), lambda = f8(0) - constraint / (d.squares + epsilon);
        I8 open = constraint != f8(0);
        for (uint32_t k = 1; k < p->projections && i8_bits(open) != 0; k++) {
            F8 error, derivative;
            density_along(kind, s, b, xi, lambda, scaled(xi.w, d.gradient), &error, &derivative);
            open &= (f8_abs(error) > f8(p->projected_error)) & (derivative > epsilon);
            lambda -= f8_keep(open, error / f8_max(derivative, epsilon));
        }
        /* Constraint-count relaxation. By the constraint's own count, not by that of each particle
           it shifts: then what i gets from j is what j gets from i, and momentum stays. */
        lambda *= f8_max(f8_load(p->counts + 8 * b) * f8(p->count_share), f8(1));
        f8x4_store(p->projected + 32 * b, (F8x4){xi.x, xi.y, xi.z, lambda});
        if (p->push != NULL) {
            F8x3 push = scaled(lambda, d.gradient);
            f8x4_store(p->push + 32 * b, (F8x4){push.x, push.y, push.z, f8(0)});
        }
        F8 over = f8_keep(owned_lanes(&s->particles, b), f8_max(d.error, f8(0)));
        compression += over;
        densest = f8_max(densest, over);
    }
    double *partials = p->partials + chunk * SL_PROJECTIVE_PARTIALS;
    partials[SL_PROJECTIVE_COMPRESSION] = (double)f8_sum(compression);
    partials[SL_PROJECTIVE_MAX_COMPRESSION] = (double)f8_horizontal_max(densest);
}

/* --- Global step --- */

/* sum_c lambda_c grad_i C_c / m_i. */
SL_INLINE F8x3 density_pull(SlKernelKind kind, const SlProjectivePass *p, size_t b, F8x4 xi)
{
    const SlFluidPass *s = &p->fluid;
    F8x3 pull = scaled(f8(s->kernel.slope_scale), pair_pushes(kind, false, s, p->projected, 0, b, xi));
    if (block_meets_solids(s, b, xi)) /* which do not yield: only lambda_i acts */
        pull = f8x3_fma(xi.w, xyz(f8x4_load(p->solid + 32 * b)), pull);
    return scaled(inverse_mass_ratio_of(&s->particles, b), pull);
}

/* s - x. */
SL_INLINE F8x3 inertia_pull(const SlProjectivePass *p, size_t b)
{
    F8x4 shift = f8x4_load(p->shift + 32 * b);
    return (F8x3){f8(0) - shift.x, f8(0) - shift.y, f8(0) - shift.z};
}

typedef struct Movement {
    F8 most, moving, steps, max_time_step;
} Movement;

/* Eq. 8 with Wang's under-relaxation, then contacts. `step` is G(x) - x. */
SL_INLINE void move_block(const SlProjectivePass *p, size_t b, F8x3 step, Movement *movement)
{
    const SlFluidPass *s = &p->fluid;
    step = scaled(f8(p->gamma), step);
    F8 length2 = f8x3_dot(step, step), length = f8_sqrt(length2), most = f8(p->max_move);
    F8x4 before = f8x4_load(p->shift + 32 * b);
    F8x3 shift = f8x3_fma(most / f8_max(length, most), step, xyz(before));
    if (p->omega != 1) {
        F8x3 back = xyz(f8x4_load(p->previous + 32 * b));
        shift = f8x3_fma(f8(p->omega), minus(shift, back), back);
    }
    F8 inverse_mass_ratio = inverse_mass_ratio_of(&s->particles, b);
    Tally tally = tally_of(s, b, inverse_mass_ratio);
    F8x3 free = plus(inertial_place(s, b), shift);
    F8x3 at = meet_surfaces(&s->solids.contacts, &tally, u8_load(s->particles.id + 8 * b), free,
                            xyz(f8x4_load(s->particles.position + 32 * b)));
    shift = plus(shift, minus(at, free)); /* nothing where there was no contact */
    f8x4_store(p->previous + 32 * b, before);
    f8x4_store(p->shift + 32 * b, (F8x4){shift.x, shift.y, shift.z, f8(0)});
    f8x4_store(s->particles.predicted + 32 * b, (F8x4){at.x, at.y, at.z, inverse_mass_ratio});
    F8x3 moved = minus(shift, xyz(before));
    F8 moved2 = f8_keep(tally.owned, f8x3_dot(moved, moved));
    length2 = f8_keep(tally.owned, length2);
    movement->most = f8_max(movement->most, moved2);
    movement->moving += f8_keep(moved2 > f8(p->still_move * p->still_move), f8(1));
    movement->steps += length2;
    movement->max_time_step = f8_max(movement->max_time_step, length2);
}

SL_INLINE void put_movement(const SlProjectivePass *p, size_t chunk, const Movement *movement)
{
    double *partials = p->partials + chunk * SL_PROJECTIVE_PARTIALS;
    partials[SL_PROJECTIVE_MAX_MOVE2] = (double)f8_horizontal_max(movement->most);
    partials[SL_PROJECTIVE_STEP2] = (double)f8_sum(movement->steps);
    partials[SL_PROJECTIVE_MOVING] = (double)f8_sum(movement->moving);
    partials[SL_PROJECTIVE_MAX_STEP2] = (double)f8_horizontal_max(movement->max_time_step);
}

/* What a particle's right side is divided by: its own diagonal solves its row; one for all of them
   lets the steps of an iteration sum to nothing, as the pushes do, before the loop has converged.
 */
SL_INLINE F8 divisor(const SlProjectivePass *p, F8 diagonal)
{
    return p->common_diagonal > 0 ? f8(p->common_diagonal) : diagonal;
}

/* Tells the solids what they gave to this iteration's steps (projective_forces.c). */
SL_INLINE void react(SlKernelKind kind, const SlProjectivePass *p, size_t b, F8x4 xi)
{
    const SlFluidPass *s = &p->fluid;
    F8 inverse_mass_ratio = inverse_mass_ratio_of(&s->particles, b);
    Tally tally = tally_of(s, b, inverse_mass_ratio);
    F8 push = f8(p->omega * p->gamma * p->kappa / p->common_diagonal) * xi.w * inverse_mass_ratio;
    F8x3 still = {f8(0), f8(0), f8(0)};
    if (s->solids.boundary != NULL)
        boundary_reaction(kind, s, &tally, b, xi, push, still, f8(0));
    if (walls_near(s, xi))
        wall_reaction(kind, s, &tally, xi, wall_density(kind, s, xi).density, push);
}

SL_INLINE void solve_loop(SlKernelKind kind, const SlProjectivePass *p, size_t begin, size_t end,
                          size_t chunk)
{
    Movement movement = {f8(0), f8(0), f8(0), f8(0)};
    for (size_t b = begin; b < end; b++) {
        F8x4 xi = f8x4_load(p->projected + 32 * b);
        F8x3 right = f8x3_fma(f8(p->kappa), density_pull(kind, p, b, xi), inertia_pull(p, b));
        F8 diagonal = f8_fma(f8(p->kappa), f8_load(p->counts + 8 * b), f8(1));
        if (p->fluid.solids.forces != NULL)
            react(kind, p, b, xi);
        move_block(p, b, scaled(f8(1) / divisor(p, diagonal), right), &movement);
    }
    put_movement(p, chunk, &movement);
}

/* --- The global step cut open --- */

static void inertia(const void *data, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const SlProjectivePass *p = data;
    for (size_t b = begin; b < end; b++) {
        F8x3 right = inertia_pull(p, b);
        f8x4_store(p->residual + 32 * b, (F8x4){right.x, right.y, right.z, f8(1)});
    }
}

SL_INLINE void pull_loop(SlKernelKind kind, const SlProjectivePass *p, size_t begin, size_t end)
{
    for (size_t b = begin; b < end; b++) {
        F8x4 r = f8x4_load(p->residual + 32 * b), xi = f8x4_load(p->projected + 32 * b);
        F8 counts = f8_load(p->counts + 8 * b);
        F8x3 right = f8x3_fma(f8(p->kappa), density_pull(kind, p, b, xi), xyz(r));
        f8x4_store(p->residual + 32 * b,
                   (F8x4){right.x, right.y, right.z, f8_fma(f8(p->kappa), counts, r.w)});
    }
}

/* Rows x_j - x_i and p_j - p_i. With q_k the shifts lambda_c g_k, particle i gets
   sum_j (q_i - q_j) of its own constraint and sum_j (q_i - q_j) of each neighbour's. Since the
   shifts of a constraint sum to the solids' part, the first is (1 + n_i) q_i - lambda_i solid. */
SL_INLINE void differences_loop(SlKernelKind kind, const SlProjectivePass *p, size_t begin,
                                size_t end)
{
    const SlFluidPass *s = &p->fluid;
    const SlNeighbourList *list = s->list;
    F8 inverse_support = f8(s->kernel.inverse_support), scale = f8(s->kernel.slope_scale);
    for (size_t b = begin; b < end; b++) {
        F8x4 r = f8x4_load(p->residual + 32 * b), xi = f8x4_load(p->projected + 32 * b);
        F8 counts = f8_load(p->counts + 8 * b);
        F8x3 others = {f8(0), f8(0), f8(0)}, solid = {f8(0), f8(0), f8(0)};
        const uint32_t(*row)[8] = (const uint32_t(*)[8])list->rows + list->row_begin[b];
        for (uint32_t k = list->row_count[b]; k > 0; k--, row++) {
            F8x4 xj = f8x4_gather(p->projected, *row), qj = f8x4_gather(p->push, *row);
            F8x3 u = {xi.x - xj.x, xi.y - xj.y, xi.z - xj.z};
            F8 slope = shape_slope(kind, f8x3_dot(u, u), inverse_support) * scale;
            /* grad_i C_j = V grad W(x_i - x_j); the sentinel's push is 0 */
            others = f8x3_fma(xj.w * slope, u, others);
            others = minus(others, xyz(qj));
        }
        if (block_meets_solids(s, b, xi))
            solid = xyz(f8x4_load(p->solid + 32 * b));
        F8x3 own = f8x3_fma(counts, xyz(f8x4_load(p->push + 32 * b)), scaled(f8(0) - xi.w, solid));
        F8x3 right = {own.x + others.x, own.y + others.y, own.z + others.z};
        right = f8x3_fma(f8(p->kappa), right, xyz(r));
        f8x4_store(p->residual + 32 * b, (F8x4){right.x, right.y, right.z,
                                                f8_fma(f8(2 * p->kappa), counts - f8(1), r.w)});
    }
}

/* C and D pick one particle; its projection is the anchor, whatever x is. */
static void pull_attachments(const void *data, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const SlProjectivePass *p = data;
    for (size_t b = begin; b < end; b++) {
        F8x4 r = f8x4_load(p->residual + 32 * b), xi = f8x4_load(p->projected + 32 * b);
        F8x4 anchor = f8x4_load(p->anchor + 32 * b);
        I8 held = (anchor.x < f8(0.5f * SL_FAR)) &
                  ((I8)u8_load(p->fluid.particles.id + 8 * b) < (int32_t)p->placed);
        F8 weight = f8_keep(held, f8(p->hold) * inverse_mass_ratio_of(&p->fluid.particles, b));
        F8x3 right =
            f8x3_fma(weight, (F8x3){anchor.x - xi.x, anchor.y - xi.y, anchor.z - xi.z}, xyz(r));
        f8x4_store(p->residual + 32 * b, (F8x4){right.x, right.y, right.z, r.w + weight});
    }
}

static void divide(const void *data, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const SlProjectivePass *p = data;
    for (size_t b = begin; b < end; b++) {
        F8x4 r = f8x4_load(p->residual + 32 * b);
        F8x3 step = scaled(f8(1) / divisor(p, r.w), xyz(r));
        f8x4_store(p->residual + 32 * b, (F8x4){step.x, step.y, step.z, f8(0)});
    }
}

static void move(const void *data, size_t begin, size_t end, size_t chunk)
{
    const SlProjectivePass *p = data;
    Movement movement = {f8(0), f8(0), f8(0), f8(0)};
    for (size_t b = begin; b < end; b++)
        move_block(p, b, xyz(f8x4_load(p->residual + 32 * b)), &movement);
    put_movement(p, chunk, &movement);
}

/* Friction of boundary particles. At the end of the loop m (x - s) / dt² is what constraints push
   with, so by Coulomb's law the push of the last lambda limits it: in each iteration it would act
   as often. */
SL_INLINE void settle_loop(SlKernelKind kind, const SlProjectivePass *p, size_t begin, size_t end)
{
    const SlFluidPass *s = &p->fluid;
    for (size_t b = begin; b < end; b++) {
        if (s->solids.boundary_list->row_count[b] == 0)
            continue;
        F8x4 xi = f8x4_load(p->projected + 32 * b);
        WallDensity samples = boundary_density(kind, s, b, xi);
        F8 inverse_mass_ratio = inverse_mass_ratio_of(&s->particles, b);
        F8x3 pushed = scaled(f8(p->kappa) * xi.w * inverse_mass_ratio, samples.gradient);
        F8x3 after =
            boundary_rub(kind, s, b, xi, pushed, xyz(xi), xyz(f8x4_load(s->particles.position + 32 * b)));
        Tally tally = tally_of(s, b, inverse_mass_ratio);
        if (tally.sums != NULL)
            boundary_reaction(kind, s, &tally, b, xi, f8(0), minus(after, xyz(xi)),
                              samples.density);
        f8x4_store(s->particles.predicted + 32 * b, (F8x4){after.x, after.y, after.z, inverse_mass_ratio});
    }
}

/* --- Anderson acceleration (math/anderson.h) --- */

/* The product of two arrays of records over a block's own particles. */
SL_INLINE F8 product(const SlProjectivePass *p, size_t b, const float *one, const float *two)
{
    return f8_keep(owned_lanes(&p->fluid.particles, b),
                   f8x3_dot(xyz(f8x4_load(one + 32 * b)), xyz(f8x4_load(two + 32 * b))));
}

/* G(x) - x, and how it and x have changed; products with every change that is kept. */
static void look(const void *data, size_t begin, size_t end, size_t chunk)
{
    const SlProjectivePass *p = data;
    uint32_t newest = p->anderson->newest, used = p->anderson->used;
    float *step_change = p->step_changes[newest], *place_change = p->place_changes[newest];
    double *partials = p->partials + chunk * SL_PROJECTIVE_PARTIALS;
    for (size_t k = 32 * begin; k < 32 * end; k += 8) {
        F8 step = f8_load(p->residual + k) * f8(p->mixing);
        f8_store(p->residual + k, step);
        f8_store(step_change + k, step - f8_load(p->last_step + k));
        f8_store(place_change + k, f8_load(p->shift + k) - f8_load(p->previous + k));
        f8_store(p->last_step + k, step);
    }
    for (uint32_t k = 0; k < used; k++) {
        F8 products = f8(0), along = f8(0);
        for (size_t b = begin; b < end; b++) {
            products += product(p, b, step_change, p->step_changes[k]);
            along += product(p, b, p->residual, p->step_changes[k]);
        }
        partials[SL_PROJECTIVE_PRODUCTS + k] = (double)f8_sum(products);
        partials[SL_PROJECTIVE_ALONG + k] = (double)f8_sum(along);
    }
}

static void mix(const void *data, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const SlProjectivePass *p = data;
    const SlAnderson *a = p->anderson;
    for (size_t k = 32 * begin; k < 32 * end; k += 8) {
        F8 step = f8_load(p->residual + k);
        for (uint32_t c = 0; c < a->used; c++)
            step =
                f8_fnma(f8((float)a->theta[c]),
                        f8_load(p->place_changes[c] + k) + f8_load(p->step_changes[c] + k), step);
        f8_store(p->residual + k, step);
    }
}

#define LOOPS_(kind, NAME)                                                                         \
    static void project_##kind(const void *data, size_t begin, size_t end, size_t chunk)           \
    {                                                                                              \
        project_loop(NAME, data, begin, end, chunk);                                               \
    }                                                                                              \
    static void solve_##kind(const void *data, size_t begin, size_t end, size_t chunk)             \
    {                                                                                              \
        solve_loop(NAME, data, begin, end, chunk);                                                 \
    }                                                                                              \
    static void pull_##kind(const void *data, size_t begin, size_t end, size_t chunk)              \
    {                                                                                              \
        (void)chunk;                                                                               \
        pull_loop(NAME, data, begin, end);                                                         \
    }                                                                                              \
    static void differences_##kind(const void *data, size_t begin, size_t end, size_t chunk)       \
    {                                                                                              \
        (void)chunk;                                                                               \
        differences_loop(NAME, data, begin, end);                                                  \
    }                                                                                              \
    static void settle_##kind(const void *data, size_t begin, size_t end, size_t chunk)            \
    {                                                                                              \
        (void)chunk;                                                                               \
        settle_loop(NAME, data, begin, end);                                                       \
    }
LOOPS_(cubic, SL_KERNEL_CUBIC)
LOOPS_(wendland, SL_KERNEL_WENDLAND)
LOOPS_(poly6, SL_KERNEL_POLY6)

SL_KERNEL_TABLE(SlProjectiveKernels, sl_projective_kernels) = {
    .count = count,
    .project = {project_cubic, project_wendland, project_poly6},
    .solve = {solve_cubic, solve_wendland, solve_poly6},
    .inertia = inertia,
    .pull_density = {pull_cubic, pull_wendland, pull_poly6},
    .pull_differences = {differences_cubic, differences_wendland, differences_poly6},
    .pull_attachments = pull_attachments,
    .divide = divide,
    .look = look,
    .mix = mix,
    .move = move,
    .settle = {settle_cubic, settle_wendland, settle_poly6},
};
