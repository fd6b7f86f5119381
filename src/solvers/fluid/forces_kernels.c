/* Surface tension by cohesion and curvature [Akinci 2013], vorticity confinement [Macklin 2013 eq.
   15 and 16] and implicit viscosity [Weiler 2018], for eight particles at a time. Symbols: i self, j
   neighbour, u = x_i - x_j, V the volume of a particle; slope × u is V grad W. */
#include "solvers/fluid/forces_kernels.h"

#include "solvers/fluid/pass_lanes.h"

SL_INLINE F8x3 minus(F8x4 a, F8x4 b)
{
    return (F8x3){a.x - b.x, a.y - b.y, a.z - b.z};
}

SL_INLINE F8x3 cross(F8x3 a, F8x3 b)
{
    return (F8x3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

SL_INLINE void add_to_velocity(const SlForcePass *f, size_t b, F8 by, F8x3 a)
{
    F8x4 v = f8x4_load(f->velocity + 32 * b);
    f8x4_store(f->velocity + 32 * b,
               (F8x4){f8_fma(by, a.x, v.x), f8_fma(by, a.y, v.y), f8_fma(by, a.z, v.z), f8(0)});
}

/* --- Surface tension --- */

/* n_i = h sum_j V/rho_j grad W: long at the surface, zero inside. The densities of neighbours
   differ from 1 by less than the error of this estimate. */
SL_INLINE void normals_loop(SlKernelKind kind, const SlTensionPass *t, size_t begin, size_t end)
{
    const SlFluidPass *s = t->force.fluid;
    const float *predicted = s->particles.predicted;
    F8 scale = f8(t->force.support * s->kernel.slope_scale);
    F8 inverse_support = f8(s->kernel.inverse_support);
    for (size_t b = begin; b < end; b++) {
        F8x4 xi = f8x4_load(predicted + 32 * b);
        F8x3 n = {f8(0), f8(0), f8(0)};
        F8 shapes = f8(s->kernel.self_density_offset);
        const uint32_t(*row)[8] = rows_of(s->list, b);
        for (uint32_t k = s->list->row_count[b]; k > 0; k--, row++) {
            F8x3 u = minus(xi, f8x4_gather(predicted, *row));
            ShapePair w = shape_both(kind, f8x3_dot(u, u), inverse_support);
            shapes += w.value;
            n = f8x3_fma(w.slope, u, n);
        }
        F8 density = f8_fma(shapes, f8(s->kernel.value_scale), f8(1));
        f8x4_store(t->normals + 32 * b, (F8x4){n.x * scale, n.y * scale, n.z * scale, density});
    }
}

/* a_i = -sum_j K_ij (cohesion V C(r) u/r + curvature (n_i - n_j)), K_ij = 2 / (rho_i + rho_j);
   C(r) = 32/(pi h^9) { (h-r)³r³ | 2 (h-r)³r³ - h^6/64 for r <= h/2 } [Akinci 2013 eq. 1 to 5]. */
static void tension_apply(const void *data, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const SlTensionPass *t = data;
    const SlFluidPass *s = t->force.fluid;
    const float *predicted = s->particles.predicted;
    F8 h = f8(t->force.support), inverse = f8(s->kernel.inverse_support);
    /* C in terms of q = r/h: 32/(pi h³) × shape(q) */
    float h3 = t->force.support * t->force.support * t->force.support;
    F8 pull = f8(t->cohesion * t->volume * 32 / (3.14159265f * h3)), curve = f8(t->curvature);
    for (size_t b = begin; b < end; b++) {
        F8x4 xi = f8x4_load(predicted + 32 * b), ni = f8x4_load(t->normals + 32 * b);
        F8x3 a = {f8(0), f8(0), f8(0)};
        const uint32_t(*row)[8] = rows_of(s->list, b);
        for (uint32_t k = s->list->row_count[b]; k > 0; k--, row++) {
            F8x4 nj = f8x4_gather(t->normals, *row);
            F8x3 u = minus(xi, f8x4_gather(predicted, *row)), dn = minus(ni, nj);
            F8 r = f8_sqrt(f8x3_dot(u, u)), q = f8_min(r * inverse, f8(1));
            I8 near = q < f8(1);
            F8 bump = (f8(1) - q) * q;
            bump = bump * bump * bump;
            F8 shape = f8_select(q > f8(0.5f), bump, f8_fma(f8(2), bump, f8(-1.0f / 64)));
            F8 both = f8_keep(near, f8(2) / (ni.w + nj.w));
            F8 along = both * pull * shape / f8_max(r, f8(1e-6f) * h);
            both *= curve;
            a = (F8x3){a.x - f8_fma(along, u.x, both * dn.x), a.y - f8_fma(along, u.y, both * dn.y),
                       a.z - f8_fma(along, u.z, both * dn.z)};
        }
        add_to_velocity(&t->force, b, f8(t->force.duration), a);
    }
}

/* --- Vorticity confinement --- */

/* curl_i = sum_j V (v_j - v_i) × grad_j W, and grad_j W = -grad_i W [Macklin 2013 eq. 15]. */
SL_INLINE void curls_loop(SlKernelKind kind, const SlVorticityPass *v, size_t begin, size_t end)
{
    const SlFluidPass *s = v->force.fluid;
    const float *predicted = s->particles.predicted, *velocity = v->force.velocity;
    F8 scale = f8(-s->kernel.slope_scale), inverse_support = f8(s->kernel.inverse_support);
    for (size_t b = begin; b < end; b++) {
        F8x4 xi = f8x4_load(predicted + 32 * b), vi = f8x4_load(velocity + 32 * b);
        F8x3 curl = {f8(0), f8(0), f8(0)};
        const uint32_t(*row)[8] = rows_of(s->list, b);
        for (uint32_t k = s->list->row_count[b]; k > 0; k--, row++) {
            F8x3 u = minus(xi, f8x4_gather(predicted, *row));
            F8x3 dv = minus(f8x4_gather(velocity, *row), vi);
            F8 slope = shape_both(kind, f8x3_dot(u, u), inverse_support).slope;
            curl = f8x3_fma(slope, cross(dv, u), curl);
        }
        curl = (F8x3){curl.x * scale, curl.y * scale, curl.z * scale};
        f8x4_store(v->curls + 32 * b,
                   (F8x4){curl.x, curl.y, curl.z, f8_sqrt(f8x3_dot(curl, curl))});
    }
}

/* eta = grad |curl|, N = eta / |eta|, a = vorticity N × curl [Macklin 2013 eq. 16]. */
SL_INLINE void confine_loop(SlKernelKind kind, const SlVorticityPass *v, size_t begin, size_t end)
{
    const SlFluidPass *s = v->force.fluid;
    const float *predicted = s->particles.predicted, *curls = v->curls;
    F8 scale = f8(s->kernel.slope_scale), inverse_support = f8(s->kernel.inverse_support);
    for (size_t b = begin; b < end; b++) {
        F8x4 xi = f8x4_load(predicted + 32 * b), ci = f8x4_load(curls + 32 * b);
        F8x3 eta = {f8(0), f8(0), f8(0)};
        const uint32_t(*row)[8] = rows_of(s->list, b);
        for (uint32_t k = s->list->row_count[b]; k > 0; k--, row++) {
            F8x3 u = minus(xi, f8x4_gather(predicted, *row));
            F8 slope = shape_both(kind, f8x3_dot(u, u), inverse_support).slope;
            eta = f8x3_fma(slope * (f8x4_gather(curls, *row).w - ci.w), u, eta);
        }
        eta = (F8x3){eta.x * scale, eta.y * scale, eta.z * scale};
        F8 length = f8_sqrt(f8x3_dot(eta, eta));
        F8 inverse = f8(v->force.duration * v->vorticity) / f8_max(length, f8(1e-6f));
        add_to_velocity(&v->force, b, inverse, cross(eta, xyz(ci)));
    }
}

/* --- Implicit viscosity --- */

/* Mass over that of the system's own fluid. */
SL_INLINE F8 mass_of(F8x4 record)
{
    return f8(1) / record.w;
}

static void viscosity_values(const void *data, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const SlViscosityPass *m = data;
    const SlFluidParticles *particles = &m->force.fluid->particles;
    for (size_t b = begin; b < end; b++) {
        F8x4 v = f8x4_load(m->force.velocity + 32 * b);
        v.w = particles->fluid != NULL ? by_fluid(particles, b, m->viscosities)
                                       : f8(m->viscosity);
        f8x4_store(m->direction + 32 * b, v);
    }
}

/* duration (K p)_i = sum_j c_ij (p_i - p_j)·u u, c_ij = 10 mu_ij V |grad W| / r / (r² + h²/100)
   [Weiler 2018 eq. 8]: along the line between two particles, so that rotation is not damped. */
typedef struct Friction {
    F8x3 sum;
    F8 diagonal; /* a third of the trace */
} Friction;

SL_INLINE Friction friction(SlKernelKind kind, const SlViscosityPass *m, size_t b, F8x4 xi, F8x4 pi)
{
    const SlFluidPass *s = m->force.fluid;
    const float *predicted = s->particles.predicted, *direction = m->direction;
    Friction f = {{f8(0), f8(0), f8(0)}, f8(0)};
    F8 softening = f8(0.01f * m->force.support * m->force.support);
    F8 scale = f8(-5 * s->kernel.slope_scale * m->force.duration);
    F8 inverse_support = f8(s->kernel.inverse_support);
    const uint32_t(*row)[8] = rows_of(s->list, b);
    for (uint32_t k = s->list->row_count[b]; k > 0; k--, row++) {
        F8x4 pj = f8x4_gather(direction, *row);
        F8x3 u = minus(xi, f8x4_gather(predicted, *row)), dp = minus(pi, pj);
        F8 r2 = f8x3_dot(u, u);
        F8 slope = shape_both(kind, r2, inverse_support).slope;
        F8 c = scale * (pi.w + pj.w) * slope / (r2 + softening);
        f.sum = f8x3_fma(c * f8x3_dot(dp, u), u, f.sum);
        f.diagonal = f8_fma(c, r2, f.diagonal);
    }
    f.diagonal *= f8(1.0f / 3);
    return f;
}

SL_INLINE void residual_loop(SlKernelKind kind, const SlViscosityPass *m, size_t begin, size_t end)
{
    const float *predicted = m->force.fluid->particles.predicted;
    for (size_t b = begin; b < end; b++) {
        F8x4 xi = f8x4_load(predicted + 32 * b), vi = f8x4_load(m->direction + 32 * b);
        Friction f = friction(kind, m, b, xi, vi);
        f8x4_store(m->residual + 32 * b, (F8x4){f8(0) - f.sum.x, f8(0) - f.sum.y, f8(0) - f.sum.z,
                                                mass_of(xi) + f.diagonal});
    }
}

SL_INLINE void store_pair(const SlViscosityPass *m, size_t chunk, F8 first, F8 second)
{
    double *partials = m->partials + chunk * SL_VISCOSITY_PARTIALS;
    partials[SL_VISCOSITY_FIRST] = (double)f8_sum(first);
    partials[SL_VISCOSITY_SECOND] = (double)f8_sum(second);
}

static void viscosity_start(const void *data, size_t begin, size_t end, size_t chunk)
{
    const SlViscosityPass *m = data;
    F8 rr = f8(0), rz = f8(0);
    for (size_t b = begin; b < end; b++) {
        F8x4 r = f8x4_load(m->residual + 32 * b), p = f8x4_load(m->direction + 32 * b);
        I8 owned = owned_lanes(&m->force.fluid->particles, b);
        F8 inverse = f8(1) / r.w;
        f8x4_store(m->direction + 32 * b, (F8x4){r.x * inverse, r.y * inverse, r.z * inverse, p.w});
        F8 square = f8_keep(owned, f8x3_dot(xyz(r), xyz(r)));
        rr += square;
        rz = f8_fma(square, f8_keep(owned, inverse), rz);
    }
    store_pair(m, chunk, rr, rz);
}

SL_INLINE void product_loop(SlKernelKind kind, const SlViscosityPass *m, size_t begin, size_t end,
                            size_t chunk)
{
    const SlFluidParticles *particles = &m->force.fluid->particles;
    F8 pq = f8(0);
    for (size_t b = begin; b < end; b++) {
        F8x4 xi = f8x4_load(particles->predicted + 32 * b);
        F8x4 pi = f8x4_load(m->direction + 32 * b);
        F8x3 q = f8x3_fma(mass_of(xi), xyz(pi), friction(kind, m, b, xi, pi).sum);
        f8x4_store(m->product + 32 * b, (F8x4){q.x, q.y, q.z, f8(0)});
        pq += f8_keep(owned_lanes(particles, b), f8x3_dot(xyz(pi), q));
    }
    store_pair(m, chunk, pq, f8(0));
}

static void viscosity_advance(const void *data, size_t begin, size_t end, size_t chunk)
{
    const SlViscosityPass *m = data;
    F8 rr = f8(0), rz = f8(0), alpha = f8(m->alpha), back = f8(-m->alpha);
    for (size_t b = begin; b < end; b++) {
        F8x4 r = f8x4_load(m->residual + 32 * b), q = f8x4_load(m->product + 32 * b);
        add_to_velocity(&m->force, b, alpha, xyz(f8x4_load(m->direction + 32 * b)));
        F8x3 left = f8x3_fma(back, xyz(q), xyz(r));
        f8x4_store(m->residual + 32 * b, (F8x4){left.x, left.y, left.z, r.w});
        I8 owned = owned_lanes(&m->force.fluid->particles, b);
        F8 square = f8_keep(owned, f8x3_dot(left, left));
        rr += square;
        rz += f8_keep(owned, square / r.w);
    }
    store_pair(m, chunk, rr, rz);
}

static void viscosity_direction(const void *data, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const SlViscosityPass *m = data;
    F8 beta = f8(m->beta);
    for (size_t b = begin; b < end; b++) {
        F8x4 r = f8x4_load(m->residual + 32 * b), p = f8x4_load(m->direction + 32 * b);
        F8 inverse = f8(1) / r.w;
        f8x4_store(m->direction + 32 * b,
                   (F8x4){f8_fma(beta, p.x, r.x * inverse), f8_fma(beta, p.y, r.y * inverse),
                          f8_fma(beta, p.z, r.z * inverse), p.w});
    }
}

#define LOOP_(name, kind, NAME)                                                                    \
    static void name##_##kind(const void *data, size_t begin, size_t end, size_t chunk)            \
    {                                                                                              \
        (void)chunk;                                                                               \
        name##_loop(NAME, data, begin, end);                                                       \
    }
#define LOOPS_(kind, NAME)                                                                         \
    LOOP_(normals, kind, NAME)                                                                     \
    LOOP_(curls, kind, NAME)                                                                       \
    LOOP_(confine, kind, NAME)                                                                     \
    LOOP_(residual, kind, NAME)                                                                    \
    static void product_##kind(const void *data, size_t begin, size_t end, size_t chunk)           \
    {                                                                                              \
        product_loop(NAME, data, begin, end, chunk);                                               \
    }
LOOPS_(cubic, SL_KERNEL_CUBIC)
LOOPS_(wendland, SL_KERNEL_WENDLAND)
LOOPS_(poly6, SL_KERNEL_POLY6)

#define KINDS_(name)                                                                               \
    {                                                                                              \
        name##_cubic, name##_wendland, name##_poly6                                                \
    }
SL_KERNEL_TABLE(SlForceKernels, sl_force_kernels) = {
    .tension_normals = KINDS_(normals),
    .tension_apply = tension_apply,
    .vorticity_curls = KINDS_(curls),
    .vorticity_confine = KINDS_(confine),
    .viscosity_values = viscosity_values,
    .viscosity_residual = KINDS_(residual),
    .viscosity_start = viscosity_start,
    .viscosity_product = KINDS_(product),
    .viscosity_advance = viscosity_advance,
    .viscosity_direction = viscosity_direction,
};
