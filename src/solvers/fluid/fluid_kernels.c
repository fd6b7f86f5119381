/* The loops every water solver shares, for eight particles at a time: prediction, contacts before
   the step, velocities and what is measured after it. Symbols: i self, j neighbour, u = x_i - x_j.
 */
#include "solvers/fluid/fluid_kernels.h"

#include "solvers/fluid/pass_lanes.h"

static void stabilise(const SlFluidPass *s, size_t begin, size_t end)
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

static void predict(const SlFluidPass *s, size_t begin, size_t end)
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
        Tally tally = tally_of(s, b, inverse_mass_ratio_of(s, b));
        p = meet_surfaces(&s->contacts, &tally, u8_load(s->id + 8 * b), p, xyz(x));
        f8x4_store(s->predicted + 32 * b, (F8x4){p.x, p.y, p.z, inverse_mass_ratio_of(s, b)});
    }
}

static void extrapolate(const SlFluidPass *s, size_t begin, size_t end)
{
    F8 ahead = f8(s->ahead);
    for (size_t b = begin; b < end; b++) {
        F8x4 x = f8x4_load(s->predicted + 32 * b), v = f8x4_load(s->velocity + 32 * b);
        f8x4_store(s->reference + 32 * b, (F8x4){f8_fma(ahead, v.x, x.x), f8_fma(ahead, v.y, x.y),
                                                 f8_fma(ahead, v.z, x.z), f8(0)});
    }
}

/* How far the particles of block b are from where the list was made; 0 for padding. */
SL_INLINE F8x3 moved(const SlFluidPass *s, size_t b)
{
    F8x4 x = f8x4_load(s->predicted + 32 * b), from = f8x4_load(s->reference + 32 * b);
    I8 owned = owned_lanes(s, b);
    return (F8x3){f8_keep(owned, x.x - from.x), f8_keep(owned, x.y - from.y),
                  f8_keep(owned, x.z - from.z)};
}

static void drift(const SlFluidPass *s, size_t begin, size_t end, size_t chunk)
{
    F8x3 sum = {f8(0), f8(0), f8(0)};
    for (size_t b = begin; b < end; b++) {
        F8x3 move = moved(s, b);
        sum = (F8x3){sum.x + move.x, sum.y + move.y, sum.z + move.z};
    }
    double *partials = s->partials + chunk * SL_FLUID_PARTIALS;
    partials[0] = (double)f8_sum(sum.x);
    partials[1] = (double)f8_sum(sum.y);
    partials[2] = (double)f8_sum(sum.z);
}

/* What all do together brings nobody nearer. Two that each moved less than half a skin against that
   are not nearer by more than a skin: the list has them if they are within the support now. */
static void max_stale_fraction(const SlFluidPass *s, size_t begin, size_t end, size_t chunk)
{
    F8 most2 = f8(s->stale_distance * s->stale_distance);
    F8x3 mean = f8x3_splat(s->drift);
    uint32_t count = 0;
    for (size_t b = begin; b < end; b++) {
        F8x3 move = moved(s, b);
        F8x3 off = {move.x - mean.x, move.y - mean.y, move.z - mean.z};
        I8 far = ~(f8x3_dot(off, off) <= most2) & owned_lanes(s, b);
        count += (uint32_t)__builtin_popcount(i8_bits(far));
    }
    s->partials[chunk * SL_FLUID_PARTIALS] = count;
}

/* v = (x* - x) / dt, written as the velocity before plus what constraints and contacts changed:
   x* is rounded to float, and 50 m from the origin (x* - x) / dt would fall 0.2 % too fast. */
SL_INLINE F8x3 velocity_of(const SlFluidPass *s, size_t b, F8x4 p)
{
    F8 dt = f8(s->dt), rate = f8(1 / s->dt);
    F8x4 x = f8x4_load(s->position + 32 * b), v = f8x4_load(s->velocity + 32 * b);
    return (F8x3){f8_fma(p.x - f8_fma(dt, v.x, x.x), rate, v.x),
                  f8_fma(p.y - f8_fma(dt, v.y, x.y), rate, v.y),
                  f8_fma(p.z - f8_fma(dt, v.z, x.z), rate, v.z)};
}

static void velocity(const SlFluidPass *s, size_t begin, size_t end)
{
    for (size_t b = begin; b < end; b++) {
        F8x3 v = velocity_of(s, b, f8x4_load(s->predicted + 32 * b));
        f8x4_store(s->new_velocity + 32 * b, (F8x4){v.x, v.y, v.z, f8(0)});
    }
}

/* Density from the sum over neighbours, solids included. */
SL_INLINE F8 density_at(SlKernelKind kind, const SlFluidPass *s, size_t b, F8x4 xi, F8 shapes)
{
    F8 density = f8_fma(shapes, f8(s->value_scale), f8(1));
    if (walls_near(s, xi))
        density += wall_density(kind, s, xi).density;
    if (s->boundary != NULL)
        density += boundary_density(kind, s, b, xi).density;
    return density;
}

SL_INLINE void density_loop(SlKernelKind kind, const SlFluidPass *s, size_t begin, size_t end)
{
    const SlNeighbourList *list = s->list;
    for (size_t b = begin; b < end; b++) {
        F8x4 xi = f8x4_load(s->predicted + 32 * b);
        F8 shapes = f8(s->self_density_offset);
        const uint32_t(*row)[8] = (const uint32_t(*)[8])list->rows + list->row_begin[b];
        for (uint32_t k = list->row_count[b]; k > 0; k--, row++) {
            F8x4 xj = f8x4_gather(s->predicted, *row);
            F8x3 u = {xi.x - xj.x, xi.y - xj.y, xi.z - xj.z};
            shapes += shape_value(kind, f8x3_dot(u, u), f8(s->inverse_support));
        }
        f8_store(s->density + 8 * b, density_at(kind, s, b, xi, shapes));
    }
}

/* XSPH: v_i += c sum_j (v_j - v_i) V W_ij 2 m_j / (m_i + m_j), so that pairs of different fluids
   keep momentum too; with the density of the result on the way. */
SL_INLINE F8x3 smooth_velocity(SlKernelKind kind, const SlFluidPass *s, size_t b, F8x4 xi, F8x4 vi,
                               F8 *density)
{
    const SlNeighbourList *list = s->list;
    F8 shapes = f8(s->self_density_offset);
    F8x3 drift = {f8(0), f8(0), f8(0)};
    const uint32_t(*row)[8] = (const uint32_t(*)[8])list->rows + list->row_begin[b];
    for (uint32_t k = list->row_count[b]; k > 0; k--, row++) {
        F8x4 xj = f8x4_gather(s->predicted, *row);
        F8x3 u = {xi.x - xj.x, xi.y - xj.y, xi.z - xj.z};
        F8 w = shape_value(kind, f8x3_dot(u, u), f8(s->inverse_support));
        F8x4 vj = f8x4_gather(s->new_velocity, *row);
        shapes += w;
        if (s->fluid != NULL)
            w *= f8(2) * xi.w / (xi.w + xj.w); /* inverse masses */
        drift.x = f8_fma(w, vj.x - vi.x, drift.x);
        drift.y = f8_fma(w, vj.y - vi.y, drift.y);
        drift.z = f8_fma(w, vj.z - vi.z, drift.z);
    }
    *density = density_at(kind, s, b, xi, shapes);
    F8 c = f8(s->viscosity * s->value_scale);
    return (F8x3){f8_fma(c, drift.x, vi.x), f8_fma(c, drift.y, vi.y), f8_fma(c, drift.z, vi.z)};
}

/* What a chunk adds to the statistics. */
typedef struct Sums {
    F8 kinetic, potential, compression, densest, fastest;
    uint32_t bad;
} Sums;

SL_INLINE void add_block(const SlFluidPass *s, size_t b, F8x4 x, F8x3 v, F8 density, Sums *sums)
{
    I8 owned = owned_lanes(s, b);
    F8 speed2 = f8x3_dot(v, v), over = f8_max(density - f8(1), f8(0));
    F8 kinetic = speed2, potential = f8x3_dot(f8x3_splat(s->contacts.around.gravity), xyz(x));
    if (s->fluid != NULL) {
        kinetic = kinetic / x.w;
        potential = potential / x.w;
    }
    F8 runaway2 = f8(s->runaway_speed * s->runaway_speed);
    sums->bad += (uint32_t)__builtin_popcount(i8_bits(~(speed2 <= runaway2) & owned));
    sums->kinetic += f8_keep(owned, kinetic);
    sums->potential += f8_keep(owned, potential);
    sums->compression += f8_keep(owned, over);
    sums->densest = f8_max(sums->densest, f8_keep(owned, over));
    sums->fastest = f8_max(sums->fastest, f8_keep(owned, speed2));
}

SL_INLINE void store_sums(const SlFluidPass *s, size_t chunk, const Sums *sums)
{
    double *partials = s->partials + chunk * SL_FLUID_PARTIALS;
    partials[SL_FLUID_KINETIC] = 0.5 * (double)f8_sum(sums->kinetic);
    partials[SL_FLUID_POTENTIAL] = -(double)f8_sum(sums->potential);
    partials[SL_FLUID_COMPRESSION] = (double)f8_sum(sums->compression);
    partials[SL_FLUID_MAX_COMPRESSION] = (double)f8_horizontal_max(sums->densest);
    partials[SL_FLUID_MAX_SPEED2] = (double)f8_horizontal_max(sums->fastest);
    partials[SL_FLUID_BAD] = sums->bad;
}

static void settle(const SlFluidPass *s, size_t begin, size_t end, size_t chunk)
{
    Sums sums = {0};
    for (size_t b = begin; b < end; b++) {
        F8x4 x = f8x4_load(s->predicted + 32 * b);
        F8x3 v = velocity_of(s, b, x);
        f8x4_store(s->velocity + 32 * b, (F8x4){v.x, v.y, v.z, f8(0)});
        f8x4_store(s->position + 32 * b, x);
        add_block(s, b, x, v, f8_load(s->density + 8 * b), &sums);
    }
    store_sums(s, chunk, &sums);
}

SL_INLINE void finish_loop(SlKernelKind kind, const SlFluidPass *s, size_t begin, size_t end,
                           size_t chunk)
{
    Sums sums = {0};
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
        add_block(s, b, x, after, density, &sums);
    }
    store_sums(s, chunk, &sums);
}

#define LOOPS_(kind, NAME)                                                                         \
    static void density_##kind(const SlFluidPass *s, size_t begin, size_t end)                     \
    {                                                                                              \
        density_loop(NAME, s, begin, end);                                                         \
    }                                                                                              \
    static void finish_##kind(const SlFluidPass *s, size_t begin, size_t end, size_t chunk)        \
    {                                                                                              \
        finish_loop(NAME, s, begin, end, chunk);                                                   \
    }
LOOPS_(cubic, SL_KERNEL_CUBIC)
LOOPS_(wendland, SL_KERNEL_WENDLAND)
LOOPS_(poly6, SL_KERNEL_POLY6)

SL_KERNEL_TABLE(SlFluidKernels, sl_fluid_kernels) = {
    .stabilise = stabilise,
    .predict = predict,
    .extrapolate = extrapolate,
    .drift = drift,
    .max_stale_fraction = max_stale_fraction,
    .settle = settle,
    .velocity = velocity,
    .density = {density_cubic, density_wendland, density_poly6},
    .finish = {finish_cubic, finish_wendland, finish_poly6},
};
