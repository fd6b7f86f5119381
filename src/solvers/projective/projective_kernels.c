/* The loops of projective fluids that belong to no constraint: inertia, one sweep of Jacobi's
   method, movement, friction of boundary particles, Anderson acceleration [Sommer, section 2;
   Weiler 2016]. */
#include "solvers/projective/projective_lanes.h"

/* Neighbour counts, and the first shift: what contacts did to the prediction. */
static void initialise(const void *data, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const SlProjectivePass *p = data;
    const SlNeighbourList *list = p->fluid.list;
    for (size_t b = begin; b < end; b++) {
        I8 found = {0};
        const uint32_t(*row)[8] = rows_of(list, b);
        for (uint32_t k = list->row_count[b]; k > 0; k--, row++)
            found -= (I8)(u8_load(*row) != u8(list->sentinel));
        f8_store(p->density.counts + 8 * b, f8_from_i8(found) + f8(1));
        F8x3 shift = minus(xyz(f8x4_load(p->fluid.particles.predicted + 32 * b)),
                           inertial_position(&p->fluid, b));
        f8x4_store(p->shift + 32 * b, (F8x4){shift.x, shift.y, shift.z, f8(0)});
    }
}

/* --- The global step in separate loops --- */

static void inertia(const void *data, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const SlProjectivePass *p = data;
    for (size_t b = begin; b < end; b++) {
        F8x3 right = inertia_residual(p, b);
        f8x4_store(p->residual + 32 * b, (F8x4){right.x, right.y, right.z, f8(1)});
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

/* --- After the loop --- */

/* Friction of boundary particles. At the end of the loop m (x - s) / dt² is the force of the
   constraints, so by Coulomb's law the push of the last lambda limits friction; in each iteration
   it would act as often. */
SL_INLINE void friction_loop(SlKernelKind kind, const SlProjectivePass *p, size_t begin, size_t end)
{
    const SlFluidPass *s = &p->fluid;
    for (size_t b = begin; b < end; b++) {
        if (s->solids.boundary_list->row_count[b] == 0)
            continue;
        F8x4 xi = f8x4_load(s->particles.predicted + 32 * b);
        xi.w = f8x4_load(p->projected + 32 * b).w * f8(s->solids.sample_push);
        if (p->density.pressure != NULL)
            xi.w = f8_load(p->density.total + 8 * b) * f8(-s->solids.sample_push / p->density.kappa);
        WallDensity samples = boundary_density(kind, s, b, xi);
        F8 inverse_mass_ratio = inverse_mass_ratio_of(&s->particles, b);
        F8x3 pushed = scaled(f8(p->density.kappa) * xi.w * inverse_mass_ratio, samples.gradient);
        F8x3 after = boundary_rub(kind, s, b, xi, pushed, xyz(xi),
                                  xyz(f8x4_load(s->particles.position + 32 * b)));
        Tally tally = tally_of(s, b, inverse_mass_ratio);
        if (tally.sums != NULL)
            boundary_reaction(kind, s, &tally, b, xi,
                              (BoundaryPush){f8(0), minus(after, xyz(xi)), samples.density});
        f8x4_store(s->particles.predicted + 32 * b,
                   (F8x4){after.x, after.y, after.z, inverse_mass_ratio});
    }
}

#define FRICTION_(kind, NAME)                                                                      \
    static void friction_##kind(const void *data, size_t begin, size_t end, size_t chunk)          \
    {                                                                                              \
        (void)chunk;                                                                               \
        friction_loop(NAME, data, begin, end);                                                     \
    }
FRICTION_(cubic, SL_KERNEL_CUBIC)
FRICTION_(wendland, SL_KERNEL_WENDLAND)
FRICTION_(poly6, SL_KERNEL_POLY6)

/* --- Anderson acceleration (math/linear/anderson.h) --- */

/* The inner product of two arrays of records over a block's own particles. */
SL_INLINE F8 product(const SlProjectivePass *p, size_t b, const float *one, const float *two)
{
    return f8_keep(owned_lanes(&p->fluid.particles, b),
                   f8x3_dot(xyz(f8x4_load(one + 32 * b)), xyz(f8x4_load(two + 32 * b))));
}

/* The change of G(x) - x and of x into the newest slot; products with all slots in use. */
static void record_changes(const void *data, size_t begin, size_t end, size_t chunk)
{
    const SlProjectivePass *p = data;
    const SlAndersonPass *h = &p->history;
    uint32_t newest = h->anderson->newest, used = h->anderson->used;
    float *step_change = h->step_changes[newest], *position_change = h->position_changes[newest];
    double *partials = p->partials + chunk * SL_PROJECTIVE_PARTIALS;
    for (size_t k = 32 * begin; k < 32 * end; k += 8) {
        F8 step = f8_load(p->residual + k) * f8(h->relaxation);
        f8_store(p->residual + k, step);
        f8_store(step_change + k, step - f8_load(h->last_step + k));
        f8_store(position_change + k, f8_load(p->shift + k) - f8_load(p->previous_shift + k));
        f8_store(h->last_step + k, step);
    }
    for (uint32_t k = 0; k < used; k++) {
        F8 products = f8(0), along = f8(0);
        for (size_t b = begin; b < end; b++) {
            products += product(p, b, step_change, h->step_changes[k]);
            along += product(p, b, p->residual, h->step_changes[k]);
        }
        partials[SL_PROJECTIVE_PRODUCTS + k] = (double)f8_sum(products);
        partials[SL_PROJECTIVE_ALONG + k] = (double)f8_sum(along);
    }
}

static void combine_changes(const void *data, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const SlProjectivePass *p = data;
    const SlAndersonPass *h = &p->history;
    for (size_t k = 32 * begin; k < 32 * end; k += 8) {
        F8 step = f8_load(p->residual + k);
        for (uint32_t c = 0; c < h->anderson->used; c++)
            step = f8_fnma(f8((float)h->anderson->theta[c]),
                           f8_load(h->position_changes[c] + k) + f8_load(h->step_changes[c] + k),
                           step);
        f8_store(p->residual + k, step);
    }
}

SL_KERNEL_TABLE(SlProjectiveKernels, sl_projective_kernels) = {
    .initialise = initialise,
    .inertia = inertia,
    .divide = divide,
    .record_changes = record_changes,
    .combine_changes = combine_changes,
    .move = move,
    .boundary_friction = {friction_cubic, friction_wendland, friction_poly6},
};
