/* Reference implementation of [Stomakhin 2013], formula by formula, in double precision: F_E and F_P
   are stored, stresses come from a singular value decomposition, the grid is dense. It follows the
   solver's default formulation where that differs from print: gravity in eq. 10, FLIP's fraction per
   0.5 ms, positions advanced by the PIC velocity, V0 up to twice the volume at rest density, J_P up to
   20, affine velocities, viscous damping, and contacts by the nearest particle. The printed method is
   literal.h. */
#ifndef TESTS_SNOW_SNOW_REFERENCE_H
#define TESTS_SNOW_SNOW_REFERENCE_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef struct M3 {
    double m[3][3];
} M3;

static inline M3 m3_identity(void)
{
    return (M3){{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
}

static inline M3 m3_mul(M3 a, M3 b)
{
    M3 c = {{{0}}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++)
                c.m[i][j] += a.m[i][k] * b.m[k][j];
    return c;
}

static inline M3 m3_transpose(M3 a)
{
    M3 c;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            c.m[i][j] = a.m[j][i];
    return c;
}

static inline M3 m3_sum(M3 a, double s, M3 b) /* a + s b */
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            a.m[i][j] += s * b.m[i][j];
    return a;
}

/* det(a) a^-T. */
static inline M3 m3_cofactors(M3 a)
{
    M3 c;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            c.m[i][j] = a.m[i1][j1] * a.m[i2][j2] - a.m[i1][j2] * a.m[i2][j1];
        }
    return c;
}

static inline double m3_det(M3 a)
{
    M3 c = m3_cofactors(a);
    return a.m[0][0] * c.m[0][0] + a.m[0][1] * c.m[0][1] + a.m[0][2] * c.m[0][2];
}

static inline M3 m3_inverse(M3 a)
{
    return m3_sum((M3){{{0}}}, 1 / m3_det(a), m3_transpose(m3_cofactors(a)));
}

static inline M3 m3_diagonal(const double d[3])
{
    return (M3){{{d[0], 0, 0}, {0, d[1], 0}, {0, 0, d[2]}}};
}

/* F = U diag(s) V^T for a regular F: V and s² by Jacobi on F^T F. */
static inline void m3_svd(M3 F, M3 *U, double s[3], M3 *V)
{
    M3 A = m3_mul(m3_transpose(F), F);
    *V = m3_identity();
    for (int sweep = 0; sweep < 12; sweep++)
        for (int p = 0; p < 2; p++)
            for (int q = p + 1; q < 3; q++) {
                if (A.m[p][q] == 0)
                    continue;
                double theta = (A.m[q][q] - A.m[p][p]) / (2 * A.m[p][q]);
                double t = copysign(1, theta) / (fabs(theta) + sqrt(theta * theta + 1));
                double c = 1 / sqrt(t * t + 1);
                M3 R = m3_identity();
                R.m[p][p] = R.m[q][q] = c;
                R.m[p][q] = t * c;
                R.m[q][p] = -t * c;
                A = m3_mul(m3_transpose(R), m3_mul(A, R));
                *V = m3_mul(*V, R);
            }
    M3 FV = m3_mul(F, *V);
    for (int k = 0; k < 3; k++) {
        s[k] = sqrt(A.m[k][k]);
        for (int i = 0; i < 3; i++)
            U->m[i][k] = FV.m[i][k] / s[k];
    }
}

typedef struct ReferenceMaterial {
    double mu, lambda, hardening, critical_compression, critical_stretch;
} ReferenceMaterial;

/* [Stomakhin 2013, Table 2]. */
static inline ReferenceMaterial reference_default_material(void)
{
    return (ReferenceMaterial){1.4e5 / 2.4, 1.4e5 * 0.2 / (1.2 * 0.6), 10, 0.025, 0.0075};
}

/* Eq. 1. */
static inline double reference_energy(const ReferenceMaterial *a, M3 FE, double JP)
{
    M3 U, V;
    double s[3], hard = exp(a->hardening * (1 - JP)), sum = 0, J = m3_det(FE);
    m3_svd(FE, &U, s, &V);
    for (int k = 0; k < 3; k++)
        sum += (s[k] - 1) * (s[k] - 1);
    return hard * (a->mu * sum + 0.5 * a->lambda * (J - 1) * (J - 1));
}

/* dPsi/dF_E = 2 mu (F_E - R_E) + lambda (J_E - 1) J_E F_E^-T. */
static inline M3 reference_stress(const ReferenceMaterial *a, M3 FE, double JP)
{
    M3 U, V;
    double s[3], hard = exp(a->hardening * (1 - JP)), J = m3_det(FE);
    m3_svd(FE, &U, s, &V);
    M3 R = m3_mul(U, m3_transpose(V));
    M3 P = m3_sum((M3){{{0}}}, 2 * a->mu * hard, m3_sum(FE, -1, R));
    return m3_sum(P, a->lambda * hard * (J - 1), m3_cofactors(FE));
}

/* A = d²Psi/dF² : dF, with dR from its 3 x 3 system (section 6.1). */
static inline M3 reference_hessian(const ReferenceMaterial *a, M3 F, double JP, M3 dF)
{
    M3 U, V, zero = {{{0}}};
    double s[3], hard = exp(a->hardening * (1 - JP)), J = m3_det(F);
    m3_svd(F, &U, s, &V);
    M3 R = m3_mul(U, m3_transpose(V)), S = m3_mul(m3_transpose(R), F);
    M3 right = m3_mul(m3_transpose(R), dF);
    right = m3_sum(right, -1, m3_transpose(right));
    M3 K = {{{S.m[0][0] + S.m[1][1], S.m[1][2], -S.m[0][2]},
             {S.m[1][2], S.m[0][0] + S.m[2][2], S.m[0][1]},
             {-S.m[0][2], S.m[0][1], S.m[1][1] + S.m[2][2]}}};
    M3 inverse = m3_inverse(K);
    double t[3];
    for (int k = 0; k < 3; k++)
        t[k] = inverse.m[k][0] * right.m[0][1] + inverse.m[k][1] * right.m[0][2] +
               inverse.m[k][2] * right.m[1][2];
    M3 dR = m3_mul(R, (M3){{{0, t[0], t[1]}, {-t[0], 0, t[2]}, {-t[1], -t[2], 0}}});
    M3 cofactors = m3_cofactors(F), dC = zero;
    double along = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            along += cofactors.m[i][j] * dF.m[i][j];
            dC.m[i][j] = dF.m[i1][j1] * F.m[i2][j2] + F.m[i1][j1] * dF.m[i2][j2] -
                         dF.m[i1][j2] * F.m[i2][j1] - F.m[i1][j2] * dF.m[i2][j1];
        }
    M3 A = m3_sum(zero, 2 * a->mu * hard, m3_sum(dF, -1, dR));
    A = m3_sum(A, a->lambda * hard * along, cofactors);
    return m3_sum(A, a->lambda * hard * (J - 1), dC);
}

/* Section 7, eq. 12. */
static inline void reference_yield(const ReferenceMaterial *a, M3 *FE, M3 *FP)
{
    M3 F = m3_mul(*FE, *FP), U, V;
    double s[3], inverse[3];
    m3_svd(*FE, &U, s, &V);
    for (int k = 0; k < 3; k++) {
        s[k] = fmin(fmax(s[k], 1 - a->critical_compression), 1 + a->critical_stretch);
        inverse[k] = 1 / s[k];
    }
    *FE = m3_mul(U, m3_mul(m3_diagonal(s), m3_transpose(V)));
    *FP = m3_mul(V, m3_mul(m3_diagonal(inverse), m3_mul(m3_transpose(U), F)));
}

typedef struct ReferenceParticle {
    double x[3], v[3], mass, volume;
    M3 FE, FP, C;
} ReferenceParticle;

typedef struct ReferenceNode {
    double mass, v[3], old[3], force[3], nearest;
    int contact; /* with the floor: 0 none, 1 constrains y, 2 constrains all */
    double r[3], p[3], ar[3], ap[3];
} ReferenceNode;

typedef struct Reference {
    bool flip; /* else MLS */
    double h, dt, gravity, flip_fraction, density, friction, floor;
    ReferenceMaterial material;
    ReferenceParticle *particles;
    size_t count;
    double beta, tolerance; /* semi-implicit where beta > 0 */
    double touch;           /* distance of contacts by particles; 0: nodes inside the floor collide */
    double damping, damping_rate; /* m²/s, 1/s */
    bool constant;                /* FLIP without affine velocities */
    int iterations;         /* of the last step */
    int size, first; /* nodes along an axis, and the number of the first */
    ReferenceNode *nodes;
    bool has_volumes;
} Reference;

static inline ReferenceNode *reference_node(const Reference *l, const int at[3])
{
    int n = l->size, x = at[0] - l->first, y = at[1] - l->first, z = at[2] - l->first;
    if (x < 0 || y < 0 || z < 0 || x >= n || y >= n || z >= n)
        abort();
    return &l->nodes[(x * n + y) * n + z];
}

/* §4: N(x) and its slope; the quadratic B-spline for MLS. */
static inline double reference_spline(bool cubic, double x, double *slope)
{
    double a = fabs(x), sign = x < 0 ? -1 : 1;
    if (cubic) {
        *slope = sign * (a < 1 ? 1.5 * a * a - 2 * a : a < 2 ? -0.5 * (2 - a) * (2 - a) : 0);
        return a < 1   ? 0.5 * a * a * a - a * a + 2.0 / 3
               : a < 2 ? -a * a * a / 6 + a * a - 2 * a + 4.0 / 3
                       : 0;
    }
    *slope = 0;
    return a < 0.5 ? 0.75 - a * a : a < 1.5 ? 0.5 * (1.5 - a) * (1.5 - a) : 0;
}

/* A node that a particle reaches: weight, its slope, and x_i - x_p. */
typedef struct ReferenceReach {
    ReferenceNode *node;
    double w, g[3], d[3];
} ReferenceReach;

static inline int reference_reach(const Reference *l, const ReferenceParticle *p, ReferenceReach out[64])
{
    int count = 0, from[3];
    for (int k = 0; k < 3; k++)
        from[k] = (int)floor(p->x[k] / l->h) - 1;
    for (int n = 0; n < 64; n++) {
        int at[3] = {from[0] + (n >> 4), from[1] + (n >> 2 & 3), from[2] + (n & 3)};
        double w[3], slope[3];
        ReferenceReach *r = &out[count];
        for (int k = 0; k < 3; k++) {
            r->d[k] = at[k] * l->h - p->x[k];
            w[k] = reference_spline(l->flip, -r->d[k] / l->h, &slope[k]);
        }
        r->w = w[0] * w[1] * w[2];
        for (int k = 0; k < 3; k++)
            r->g[k] = l->flip ? slope[k] / l->h * w[(k + 1) % 3] * w[(k + 2) % 3]
                              : r->w * r->d[k] * 4 / (l->h * l->h);
        r->node = reference_node(l, at);
        count += r->w != 0;
    }
    return count;
}

/* Section 8 against a floor at rest that may be approached at `approach` m/s; what it constrains. */
static inline int reference_collide(const Reference *l, double approach, double v[3])
{
    if (v[1] >= -approach)
        return 0;
    double slip = hypot(v[0], v[2]), limit = -l->friction * (v[1] + approach);
    double left = slip <= limit ? 0 : 1 - limit / slip;
    v[0] *= left;
    v[2] *= left;
    v[1] = -approach;
    return left == 0 && l->friction > 0 ? 2 : 1;
}

/* tau + 2 eta D, eta falling with |D|, where the material is not torn; what of eta is not stable is
   taken from the affine velocity. */
static inline M3 reference_viscous(const Reference *l, ReferenceParticle *p, M3 tau)
{
    M3 D = m3_sum(m3_sum((M3){{{0}}}, 0.5, p->C), 0.5, m3_transpose(p->C));
    double size = 0, stable = fmin(l->damping, 0.04 * l->h * l->h / l->dt);
    for (int k = 0; k < 9; k++)
        size += D.m[k / 3][k % 3] * D.m[k / 3][k % 3];
    if (l->damping <= 0 || m3_det(p->FP) >= 1.02)
        return tau;
    double slow = 1 / (1 + sqrt(size) / l->damping_rate);
    p->C = m3_sum(p->C, -slow * fmin(4 * (l->damping - stable) * l->dt / (l->h * l->h), 1), D);
    return m3_sum(tau, 2 * stable * l->density * slow, D);
}

/* Steps 1 and 3 of §4.1. */
static inline void reference_to_grid(Reference *l)
{
    memset(l->nodes, 0, (size_t)(l->size * l->size * l->size) * sizeof *l->nodes);
    for (size_t i = 0; i < l->count; i++) {
        ReferenceParticle *p = &l->particles[i];
        M3 tau = m3_mul(reference_stress(&l->material, p->FE, m3_det(p->FP)), m3_transpose(p->FE));
        tau = reference_viscous(l, p, tau);
        bool affine = !l->flip || !l->constant;
        ReferenceReach reach[64];
        int count = reference_reach(l, p, reach);
        for (ReferenceReach *r = reach; r < reach + count; r++) {
            double height = p->x[1] - l->floor;
            r->node->nearest =
                r->node->mass > 0 ? fmin(r->node->nearest, height) : height;
            r->node->mass += p->mass * r->w;
            for (int a = 0; a < 3; a++) {
                double v = p->v[a], f = 0;
                for (int b = 0; b < 3; b++) {
                    v += affine ? p->C.m[a][b] * r->d[b] : 0;
                    f -= p->volume * tau.m[a][b] * r->g[b];
                }
                r->node->old[a] += p->mass * r->w * v;
                r->node->force[a] += f;
            }
        }
    }
}

/* Step 2. */
static inline void reference_volumes(Reference *l)
{
    for (size_t i = 0; i < l->count; i++) {
        ReferenceParticle *p = &l->particles[i];
        double sum = 0;
        ReferenceReach reach[64];
        int count = reference_reach(l, p, reach);
        for (const ReferenceReach *r = reach; r < reach + count; r++)
            sum += r->node->mass * r->w;
        p->volume = fmin(p->mass * l->h * l->h * l->h / sum, 2 * p->mass / l->density);
    }
    l->has_volumes = true;
}

/* Steps 4 and 5. */
static inline void reference_update_nodes(Reference *l)
{
    int n = l->size;
    for (int k = 0; k < n * n * n; k++) {
        ReferenceNode *node = &l->nodes[k];
        if (node->mass <= 0)
            continue;
        for (int a = 0; a < 3; a++) {
            node->old[a] /= node->mass;
            node->v[a] = node->old[a] + l->dt * node->force[a] / node->mass;
        }
        node->v[1] += l->dt * l->gravity;
        double height = (l->first + k / n % n) * l->h - l->floor;
        if (l->touch > 0 ? height <= 1.01 * l->h : height <= 0)
            node->contact = reference_collide(
                l, l->touch > 0 ? fmax(node->nearest - l->touch, 0) / l->dt : 0, node->v);
    }
}

/* out = P M^-1 beta dt² H u, at offsets within the nodes. */
static inline void reference_pull(Reference *l, size_t u, size_t out)
{
    int total = l->size * l->size * l->size;
#define AT_(node, offset) ((double *)(void *)((char *)(node) + (offset)))
    for (int k = 0; k < total; k++)
        memset(AT_(&l->nodes[k], out), 0, 3 * sizeof(double));
    for (size_t i = 0; i < l->count; i++) {
        ReferenceParticle *p = &l->particles[i];
        ReferenceReach reach[64];
        int count = reference_reach(l, p, reach);
        M3 grad = {{{0}}};
        for (const ReferenceReach *r = reach; r < reach + count; r++)
            for (int a = 0; a < 3; a++)
                for (int b = 0; b < 3; b++)
                    grad.m[a][b] += AT_(r->node, u)[a] * r->g[b];
        M3 A = reference_hessian(&l->material, p->FE, m3_det(p->FP), m3_mul(grad, p->FE));
        M3 Q = m3_mul(A, m3_transpose(p->FE));
        for (const ReferenceReach *r = reach; r < reach + count; r++)
            for (int a = 0; a < 3; a++)
                for (int b = 0; b < 3; b++)
                    AT_(r->node, out)[a] += p->volume * Q.m[a][b] * r->g[b];
    }
    for (int k = 0; k < total; k++) {
        ReferenceNode *node = &l->nodes[k];
        double *to = AT_(node, out);
        for (int a = 0; a < 3; a++) {
            bool fixed = node->contact == 2 || (node->contact == 1 && a == 1) || node->mass <= 0;
            to[a] = fixed ? 0 : to[a] * l->beta * l->dt * l->dt / node->mass;
        }
    }
#undef AT_
}

static inline double reference_dot(const Reference *l, size_t a, size_t b)
{
    double sum = 0;
    for (int k = 0; k < l->size * l->size * l->size; k++) {
        const ReferenceNode *node = &l->nodes[k];
        const double *x = (const double *)(const void *)((const char *)node + a);
        const double *y = (const double *)(const void *)((const char *)node + b);
        sum += node->mass * (x[0] * y[0] + x[1] * y[1] + x[2] * y[2]);
    }
    return sum;
}

/* Step 6: equation (9) by conjugate residuals in the inner product of masses. */
static inline int reference_solve(Reference *l)
{
    size_t v = offsetof(ReferenceNode, v), r = offsetof(ReferenceNode, r);
    size_t ar = offsetof(ReferenceNode, ar), ap = offsetof(ReferenceNode, ap);
    int total = l->size * l->size * l->size, iterations = 0;
    reference_pull(l, v, r);
    for (int k = 0; k < total; k++)
        for (int a = 0; a < 3; a++)
            l->nodes[k].p[a] = l->nodes[k].r[a] = -l->nodes[k].r[a];
    double first = reference_dot(l, r, r), norm = first, rho = 0;
    double target = fmax(l->tolerance * l->tolerance * first, 1e-14 * reference_dot(l, v, v));
    while (norm > target && iterations < 500) {
        reference_pull(l, r, ar);
        for (int k = 0; k < total; k++)
            for (int a = 0; a < 3; a++)
                l->nodes[k].ar[a] += l->nodes[k].r[a];
        double old = rho;
        rho = reference_dot(l, r, ar);
        double beta = iterations == 0 ? 0 : rho / old;
        for (int k = 0; k < total; k++)
            for (int a = 0; a < 3; a++) {
                ReferenceNode *n = &l->nodes[k];
                n->p[a] = n->r[a] + beta * n->p[a];
                n->ap[a] = n->ar[a] + (iterations == 0 ? 0 : beta * n->ap[a]);
            }
        double alpha = rho / reference_dot(l, ap, ap);
        for (int k = 0; k < total; k++)
            for (int a = 0; a < 3; a++) {
                l->nodes[k].v[a] += alpha * l->nodes[k].p[a];
                l->nodes[k].r[a] -= alpha * l->nodes[k].ap[a];
            }
        norm = reference_dot(l, r, r);
        iterations++;
    }
    return iterations;
}

/* Steps 7 to 10. */
static inline void reference_to_particles(Reference *l)
{
    double fraction = pow(l->flip_fraction, l->dt / 5e-4);
    for (size_t i = 0; i < l->count; i++) {
        ReferenceParticle *p = &l->particles[i];
        double pic[3] = {0}, flip[3] = {p->v[0], p->v[1], p->v[2]};
        M3 grad = {{{0}}};
        ReferenceReach reach[64];
        int count = reference_reach(l, p, reach);
        for (const ReferenceReach *r = reach; r < reach + count; r++)
            for (int a = 0; a < 3; a++) {
                pic[a] += r->w * r->node->v[a];
                flip[a] += r->w * (r->node->v[a] - r->node->old[a]);
                for (int b = 0; b < 3; b++)
                    grad.m[a][b] += r->node->v[a] * r->g[b];
            }
        p->C = grad;
        p->FE = m3_mul(m3_sum(m3_identity(), l->dt, grad), p->FE);
        reference_yield(&l->material, &p->FE, &p->FP);
        double JP = m3_det(p->FP);
        if (JP > 20)
            p->FP = m3_sum((M3){{{0}}}, cbrt(20 / JP), p->FP);
        for (int a = 0; a < 3; a++)
            p->v[a] = l->flip ? (1 - fraction) * pic[a] + fraction * flip[a] : pic[a];
        double begin = p->x[1] - l->floor, end = begin + l->dt * pic[1];
        if (end <= 0) {
            reference_collide(l, 0, p->v);
            reference_collide(l, 0, pic);
            double left = p->x[1] + l->dt * pic[1] - l->floor;
            p->x[1] -= fmin(left, 0);
        } else if (end < fmin(begin, l->touch)) {
            p->x[1] += fmin(begin, l->touch) - end;
        }
        for (int a = 0; a < 3; a++)
            p->x[a] += l->dt * pic[a];
    }
}

static inline void reference_step(Reference *l)
{
    reference_to_grid(l);
    if (!l->has_volumes)
        reference_volumes(l);
    reference_update_nodes(l);
    l->iterations = l->beta > 0 ? reference_solve(l) : 0;
    reference_to_particles(l);
}

#endif
