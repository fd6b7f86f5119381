/* The loops every water solver uses, for eight particles at a time: prediction, reuse of neighbour
   lists, density, velocity update with XSPH viscosity, statistics. Symbols: i self, j neighbour,
   u = x_i - x_j. */
#include "solvers/fluid/fluid_kernels.h"

#include "solvers/fluid/pass_lanes.h"

/* --- Prediction --- */

static void stabilise(const void *data, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const SlFluidPass *s = data;
    for (size_t b = begin; b < end; b++)
        stabilise_block(s, b, owned_lanes(&s->particles, b));
}

/* v += dt g, x* = x + dt v, contacts. */
static void predict(const void *data, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const SlFluidPass *s = data;
    const SlFluidParticles *particles = &s->particles;
    F8 dt = f8(s->dt);
    F8x3 push = f8x3_splat(s->solids.contacts.around.gravity);
    push = (F8x3){push.x * dt, push.y * dt, push.z * dt};
    for (size_t b = begin; b < end; b++) {
        F8x4 x = f8x4_load(particles->position + 32 * b);
        F8x4 v = f8x4_load(particles->velocity + 32 * b);
        v.x += push.x;
        v.y += push.y;
        v.z += push.z;
        f8x4_store(particles->velocity + 32 * b, v);
        F8x3 p = {f8_fma(dt, v.x, x.x), f8_fma(dt, v.y, x.y), f8_fma(dt, v.z, x.z)};
        F8 inverse_mass = inverse_mass_ratio_of(particles, b);
        Tally tally = tally_of(s, b, inverse_mass);
        p = meet_surfaces(&s->solids.contacts, &tally, u8_load(particles->id + 8 * b), p, xyz(x));
        f8x4_store(particles->predicted + 32 * b, (F8x4){p.x, p.y, p.z, inverse_mass});
    }
}

/* --- Reuse of a neighbour list --- */

static void extrapolate(const void *data, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const SlListReusePass *r = data;
    const SlFluidParticles *p = &r->fluid->particles;
    F8 time = f8(r->extrapolation);
    for (size_t b = begin; b < end; b++) {
        F8x4 x = f8x4_load(p->predicted + 32 * b), v = f8x4_load(p->velocity + 32 * b);
        f8x4_store(r->reference + 32 * b, (F8x4){f8_fma(time, v.x, x.x), f8_fma(time, v.y, x.y),
                                                 f8_fma(time, v.z, x.z), f8(0)});
    }
}

/* Displacements of block b from the positions the list was built from; 0 for padding. */
SL_INLINE F8x3 displacement(const SlListReusePass *r, size_t b)
{
    const SlFluidParticles *p = &r->fluid->particles;
    F8x4 x = f8x4_load(p->predicted + 32 * b), from = f8x4_load(r->reference + 32 * b);
    I8 owned = owned_lanes(p, b);
    return (F8x3){f8_keep(owned, x.x - from.x), f8_keep(owned, x.y - from.y),
                  f8_keep(owned, x.z - from.z)};
}

static void drift(const void *data, size_t begin, size_t end, size_t chunk)
{
    const SlListReusePass *r = data;
    F8x3 sum = {f8(0), f8(0), f8(0)};
    for (size_t b = begin; b < end; b++) {
        F8x3 move = displacement(r, b);
        sum = (F8x3){sum.x + move.x, sum.y + move.y, sum.z + move.z};
    }
    double *partials = r->partials + chunk * SL_LIST_REUSE_PARTIALS;
    partials[0] = (double)f8_sum(sum.x);
    partials[1] = (double)f8_sum(sum.y);
    partials[2] = (double)f8_sum(sum.z);
}

/* The mean displacement brings no pair nearer. Two particles displaced by less than half a skin
   against it are nearer by less than a skin: the list has them if they are within the support. */
static void count_stale(const void *data, size_t begin, size_t end, size_t chunk)
{
    const SlListReusePass *r = data;
    F8 max2 = f8(r->stale_distance * r->stale_distance);
    F8x3 mean = f8x3_splat(r->drift);
    uint32_t count = 0;
    for (size_t b = begin; b < end; b++) {
        F8x3 move = displacement(r, b);
        F8x3 off = {move.x - mean.x, move.y - mean.y, move.z - mean.z};
        I8 far = ~(f8x3_dot(off, off) <= max2) & owned_lanes(&r->fluid->particles, b);
        count += (uint32_t)__builtin_popcount(i8_bits(far));
    }
    r->partials[chunk * SL_LIST_REUSE_PARTIALS] = count;
}

/* --- Density --- */

/* Density from the sum over neighbours, solids included. */
SL_INLINE F8 density_at(SlKernelKind kind, const SlFluidPass *s, size_t b, F8x4 xi, F8 shapes)
{
    F8 density = f8_fma(shapes, f8(s->kernel.value_scale), f8(1));
    if (walls_near(s, xi))
        density += wall_density(kind, s, xi).density;
    if (s->solids.boundary != NULL)
        density += boundary_density(kind, s, b, xi).density;
    return density;
}

SL_INLINE void density_loop(SlKernelKind kind, const SlFluidPass *s, size_t begin, size_t end)
{
    const float *predicted = s->particles.predicted;
    F8 inverse_support = f8(s->kernel.inverse_support);
    for (size_t b = begin; b < end; b++) {
        F8x4 xi = f8x4_load(predicted + 32 * b);
        F8 shapes = f8(s->kernel.self_density_offset);
        const uint32_t(*row)[8] = rows_of(s->list, b);
        for (uint32_t k = s->list->row_count[b]; k > 0; k--, row++) {
            F8x4 xj = f8x4_gather(predicted, *row);
            F8x3 u = {xi.x - xj.x, xi.y - xj.y, xi.z - xj.z};
            shapes += shape_value(kind, f8x3_dot(u, u), inverse_support);
        }
        f8_store(s->particles.density + 8 * b, density_at(kind, s, b, xi, shapes));
    }
}

/* --- Velocity update --- */

/* v = (x* - x) / dt, written as the velocity before plus what constraints and contacts changed:
   x* is rounded to float, and 50 m from the origin (x* - x) / dt would fall 0.2 % too fast. */
SL_INLINE F8x3 velocity_of(const SlFluidPass *s, size_t b, F8x4 p)
{
    F8 dt = f8(s->dt), rate = f8(1 / s->dt);
    F8x4 x = f8x4_load(s->particles.position + 32 * b);
    F8x4 v = f8x4_load(s->particles.velocity + 32 * b);
    if (s->particles.shift != NULL) {
        F8x4 shift = f8x4_load(s->particles.shift + 32 * b);
        return (F8x3){f8_fma(shift.x, rate, v.x), f8_fma(shift.y, rate, v.y),
                      f8_fma(shift.z, rate, v.z)};
    }
    return (F8x3){f8_fma(p.x - f8_fma(dt, v.x, x.x), rate, v.x),
                  f8_fma(p.y - f8_fma(dt, v.y, x.y), rate, v.y),
                  f8_fma(p.z - f8_fma(dt, v.z, x.z), rate, v.z)};
}

static void velocity(const void *data, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const SlVelocityPass *u = data;
    const SlFluidPass *s = u->fluid;
    for (size_t b = begin; b < end; b++) {
        F8x3 v = velocity_of(s, b, f8x4_load(s->particles.predicted + 32 * b));
        f8x4_store(u->new_velocity + 32 * b, (F8x4){v.x, v.y, v.z, f8(0)});
    }
}

/* The end of a step at eight particles. */
typedef struct StepEnd {
    F8x3 velocity, position;
    F8 density;
} StepEnd;

/* Shifting of positions [Xu 2009; Lind 2012] towards even spacing, without a change of velocity:
   dx_i = -beta dt d S_i grad rho_i, S_i² = sum_j |v_j - v_i|² V W_ij. A strain sorts particles into
   rows, whose density by the kernel is that of water though the rows are too far apart. Water at rest
   and rigid motion without strain are left alone, and so is the surface, where grad rho is its
   normal: particles below 0.95 of the rest density are not shifted. */
SL_INLINE F8x3 even_spacing(SlKernelKind kind, const SlVelocityPass *u, F8x4 xi, StepEnd end,
                            F8x3 gradient, F8 strain2)
{
    const SlFluidPass *s = u->fluid;
    if (walls_near(s, xi)) {
        F8x3 wall = wall_density(kind, s, xi).gradient;
        gradient = (F8x3){gradient.x + wall.x, gradient.y + wall.y, gradient.z + wall.z};
    }
    F8 inner = f8_min(f8_max((end.density - f8(0.95f)) * f8(20), f8(0)), f8(1));
    F8 by = f8(-u->shifting) * f8_sqrt(strain2) * inner;
    F8 length = f8_abs(by) * f8_sqrt(f8x3_dot(gradient, gradient)), most = f8(u->max_shifting);
    by *= most / f8_max(length, most);
    return f8x3_fma(by, gradient, xyz(xi));
}

/* XSPH [Schechter 2012; Macklin 2013 eq. 17]: v_i += c sum_j (v_j - v_i) V W_ij 2 m_j / (m_i + m_j);
   the factor of the masses conserves momentum between fluids. Slow pairs have a greater c, so that water
   comes to rest, while splashes do not notice (docs/pbf-formulation.md, equation 8). The same loop
   sums the density, and what shifting needs. */
SL_INLINE StepEnd smooth_velocity(SlKernelKind kind, bool shifted, const SlVelocityPass *u, size_t b,
                                  F8x4 xi, F8x4 vi)
{
    const SlFluidPass *s = u->fluid;
    const float *predicted = s->particles.predicted, *velocities = u->new_velocity;
    bool several = s->particles.fluid != NULL;
    F8 inverse_support = f8(s->kernel.inverse_support), strain2 = f8(0);
    F8 shapes = f8(s->kernel.self_density_offset);
    F8x3 drift = {f8(0), f8(0), f8(0)}, gradient = {f8(0), f8(0), f8(0)};
    const uint32_t(*row)[8] = rows_of(s->list, b);
    for (uint32_t k = s->list->row_count[b]; k > 0; k--, row++) {
        F8x4 xj = f8x4_gather(predicted, *row);
        F8x3 d = {xi.x - xj.x, xi.y - xj.y, xi.z - xj.z};
        ShapePair shape = shape_both(kind, f8x3_dot(d, d), inverse_support);
        F8 w = shape.value;
        F8x4 vj = f8x4_gather(velocities, *row);
        F8x3 dv = {vj.x - vi.x, vj.y - vi.y, vj.z - vi.z};
        shapes += w;
        if (shifted) {
            strain2 = f8_fma(w, f8x3_dot(dv, dv), strain2);
            gradient = f8x3_fma(shape.slope, d, gradient);
        }
        if (several)
            w *= f8(2) * xi.w / (xi.w + xj.w); /* inverse masses */
        if (u->calming != 0)
            w *= f8(1) + f8(u->calming) / f8_fma(f8x3_dot(dv, dv), f8(u->inverse_calm_speed2), f8(1));
        drift = f8x3_fma(w, dv, drift);
    }
    F8 c = f8(u->xsph * s->kernel.value_scale);
    StepEnd end = {f8x3_fma(c, drift, xyz(vi)), xyz(xi), density_at(kind, s, b, xi, shapes)};
    if (shifted) {
        F8 scale = f8(s->kernel.slope_scale);
        gradient = (F8x3){gradient.x * scale, gradient.y * scale, gradient.z * scale};
        strain2 *= f8(s->kernel.value_scale);
        end.position = even_spacing(kind, u, xi, end, gradient, strain2);
    }
    return end;
}

/* --- Statistics --- */

typedef struct Sums {
    F8 kinetic, potential, compression, max_compression, max_speed2;
    uint32_t diverged;
} Sums;

SL_INLINE void add_block(const SlVelocityPass *u, size_t b, F8x4 x, F8x3 v, F8 density, Sums *sums)
{
    const SlFluidPass *s = u->fluid;
    I8 owned = owned_lanes(&s->particles, b);
    F8 speed2 = f8x3_dot(v, v), over = f8_max(density - f8(1), f8(0));
    F8 kinetic = speed2, potential = f8x3_dot(f8x3_splat(s->solids.contacts.around.gravity), xyz(x));
    if (s->particles.fluid != NULL) {
        kinetic = kinetic / x.w;
        potential = potential / x.w;
    }
    F8 runaway2 = f8(u->runaway_speed * u->runaway_speed);
    sums->diverged += (uint32_t)__builtin_popcount(i8_bits(~(speed2 <= runaway2) & owned));
    sums->kinetic += f8_keep(owned, kinetic);
    sums->potential += f8_keep(owned, potential);
    sums->compression += f8_keep(owned, over);
    sums->max_compression = f8_max(sums->max_compression, f8_keep(owned, over));
    sums->max_speed2 = f8_max(sums->max_speed2, f8_keep(owned, speed2));
}

SL_INLINE void store_sums(const SlVelocityPass *u, size_t chunk, const Sums *sums)
{
    double *partials = u->partials + chunk * SL_FLUID_PARTIALS;
    partials[SL_FLUID_KINETIC] = 0.5 * (double)f8_sum(sums->kinetic);
    partials[SL_FLUID_POTENTIAL] = -(double)f8_sum(sums->potential);
    partials[SL_FLUID_COMPRESSION] = (double)f8_sum(sums->compression);
    partials[SL_FLUID_MAX_COMPRESSION] = (double)f8_horizontal_max(sums->max_compression);
    partials[SL_FLUID_MAX_SPEED2] = (double)f8_horizontal_max(sums->max_speed2);
    partials[SL_FLUID_DIVERGED] = sums->diverged;
}

static void advance(const void *data, size_t begin, size_t end, size_t chunk)
{
    const SlVelocityPass *u = data;
    const SlFluidPass *s = u->fluid;
    Sums sums = {0};
    for (size_t b = begin; b < end; b++) {
        F8x4 x = f8x4_load(s->particles.predicted + 32 * b);
        F8x3 v = velocity_of(s, b, x);
        f8x4_store(s->particles.velocity + 32 * b, (F8x4){v.x, v.y, v.z, f8(0)});
        f8x4_store(s->particles.position + 32 * b, x);
        add_block(u, b, x, v, f8_load(s->particles.density + 8 * b), &sums);
    }
    store_sums(u, chunk, &sums);
}

SL_INLINE void advance_xsph_loop(SlKernelKind kind, const SlVelocityPass *u, size_t begin,
                                 size_t end, size_t chunk)
{
    const SlFluidPass *s = u->fluid;
    Sums sums = {0};
    bool smooth = u->xsph != 0 || u->shifting != 0;
    if (!smooth)
        density_loop(kind, s, begin, end);
    for (size_t b = begin; b < end; b++) {
        F8x4 x = f8x4_load(s->particles.predicted + 32 * b);
        F8x4 v = f8x4_load(u->new_velocity + 32 * b);
        StepEnd at = {xyz(v), xyz(x), f8(0)};
        if (!smooth)
            at.density = f8_load(s->particles.density + 8 * b);
        else if (u->shifting != 0)
            at = smooth_velocity(kind, true, u, b, x, v);
        else
            at = smooth_velocity(kind, false, u, b, x, v);
        x = (F8x4){at.position.x, at.position.y, at.position.z, x.w};
        f8_store(s->particles.density + 8 * b, at.density);
        f8x4_store(s->particles.velocity + 32 * b,
                   (F8x4){at.velocity.x, at.velocity.y, at.velocity.z, f8(0)});
        f8x4_store(s->particles.position + 32 * b, x);
        add_block(u, b, x, at.velocity, at.density, &sums);
    }
    store_sums(u, chunk, &sums);
}

/* --- The initial pressure --- */

/* a_ij = -(dW/dr) / r, which is 0 beyond the support. */
SL_INLINE void pressure_loop(SlKernelKind kind, const SlPressurePass *p, size_t begin, size_t end)
{
    const SlNeighbourList *list = p->fluid->list;
    F8 inverse_support = f8(p->fluid->kernel.inverse_support);
    F8x3 g = {f8(p->gravity[0]), f8(p->gravity[1]), f8(p->gravity[2])};
    for (size_t b = begin; b < end; b++) {
        F8x4 xi = f8x4_load(p->values + 32 * b);
        F8 sum = f8(0);
        const uint32_t(*row)[8] = rows_of(list, b);
        for (uint32_t k = list->row_count[b]; k > 0; k--, row++) {
            F8x4 xj = f8x4_gather(p->values, *row);
            F8x3 u = {xi.x - xj.x, xi.y - xj.y, xi.z - xj.z};
            F8 weight = shape_slope(kind, f8x3_dot(u, u), inverse_support);
            sum = f8_fma(weight, f8x3_dot(g, u) - xi.w + xj.w, sum);
        }
        for (size_t k = 0; k < 8; k++)
            p->result[8 * b + k] = p->inside[8 * b + k] != 0 ? sum[k] : 0;
    }
}

#define LOOPS_(kind, NAME)                                                                         \
    static void density_##kind(const void *data, size_t begin, size_t end, size_t chunk)           \
    {                                                                                              \
        (void)chunk;                                                                               \
        density_loop(NAME, data, begin, end);                                                      \
    }                                                                                              \
    static void advance_xsph_##kind(const void *data, size_t begin, size_t end, size_t chunk)      \
    {                                                                                              \
        advance_xsph_loop(NAME, data, begin, end, chunk);                                          \
    }                                                                                              \
    static void pressure_##kind(const void *data, size_t begin, size_t end, size_t chunk)          \
    {                                                                                              \
        (void)chunk;                                                                               \
        pressure_loop(NAME, data, begin, end);                                                     \
    }
LOOPS_(cubic, SL_KERNEL_CUBIC)
LOOPS_(wendland, SL_KERNEL_WENDLAND)
LOOPS_(poly6, SL_KERNEL_POLY6)

SL_KERNEL_TABLE(SlFluidKernels, sl_fluid_kernels) = {
    .stabilise = stabilise,
    .predict = predict,
    .density = {density_cubic, density_wendland, density_poly6},
    .extrapolate = extrapolate,
    .drift = drift,
    .count_stale = count_stale,
    .velocity = velocity,
    .advance_xsph = {advance_xsph_cubic, advance_xsph_wendland, advance_xsph_poly6},
    .advance = advance,
    .pressure = {pressure_cubic, pressure_wendland, pressure_poly6},
};
