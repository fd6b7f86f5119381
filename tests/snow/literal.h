/* [Stomakhin 2013] to the letter, steps 1 to 10 of its section 4.1, in double precision and without
   anything of the solver: F_E and F_P as matrices, alpha = 0.95 in every step, positions moved by
   v_p, volumes and J_P without limits, collisions where a node or a particle is inside a body. Two
   things are not in print: gravity is added to eq. 10, and nodes in contact keep their velocity in the
   solve, all of it where they stick and its normal component where they slide. */
#ifndef TESTS_SNOW_LITERAL_H
#define TESTS_SNOW_LITERAL_H

#include "snow/snow_reference.h" /* 3 x 3 matrices, and the material of sections 5 to 7 */

typedef struct LiteralParticle {
    double x[3], v[3], mass, volume;
    M3 FE, FP;
} LiteralParticle;

/* Vectors over the nodes, 3 numbers each. */
typedef struct Literal {
    double h, dt, gravity, alpha, friction, floor;
    double beta; /* eq. 9; 0: explicit */
    ReferenceMaterial material;
    LiteralParticle *particles;
    size_t count;
    int edge, first; /* nodes along an axis, number of the first */
    double *mass, *old, *v, *r, *p, *ar, *ap;
    int *free; /* per node: components that the solve may change, a bit each */
} Literal;

static inline size_t literal_nodes(const Literal *l)
{
    return (size_t)l->edge * (size_t)l->edge * (size_t)l->edge;
}

static inline void literal_open(Literal *l)
{
    double **vectors[] = {&l->mass, &l->old, &l->v, &l->r, &l->p, &l->ar, &l->ap};
    for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; k++)
        *vectors[k] = calloc(3 * literal_nodes(l), sizeof(double));
    l->free = calloc(literal_nodes(l), sizeof *l->free);
    for (size_t i = 0; i < l->count; i++) {
        l->particles[i].FE = l->particles[i].FP = m3_identity();
        l->particles[i].volume = 0;
    }
}

static inline void literal_close(Literal *l)
{
    double *vectors[] = {l->mass, l->old, l->v, l->r, l->p, l->ar, l->ap};
    for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; k++)
        free(vectors[k]);
    free(l->free);
    free(l->particles);
}

/* Section 4: N(x) and dN/dx. */
static inline double literal_spline(double x)
{
    double a = fabs(x);
    if (a < 1)
        return a * a * a / 2 - x * x + 2.0 / 3;
    return a < 2 ? -a * a * a / 6 + x * x - 2 * a + 4.0 / 3 : 0;
}

static inline double literal_spline_slope(double x)
{
    double a = fabs(x), sign = x < 0 ? -1 : 1;
    if (a < 1)
        return sign * (1.5 * a * a) - 2 * x;
    return a < 2 ? sign * (-0.5 * a * a - 2) + 2 * x : 0;
}

/* The 64 nodes around a particle: index, w and grad w. */
typedef struct LiteralWeights {
    size_t at[64];
    double w[64], g[64][3];
} LiteralWeights;

static inline LiteralWeights literal_weights(const Literal *l, const double x[3])
{
    LiteralWeights out;
    double n[3][4], slope[3][4];
    int from[3];
    for (int a = 0; a < 3; a++) {
        from[a] = (int)floor(x[a] / l->h) - 1;
        for (int k = 0; k < 4; k++) {
            double u = x[a] / l->h - (from[a] + k);
            n[a][k] = literal_spline(u);
            slope[a][k] = literal_spline_slope(u) / l->h;
        }
        from[a] -= l->first;
        if (from[a] < 0 || from[a] + 4 > l->edge)
            abort();
    }
    for (int k = 0; k < 64; k++) {
        int i = k / 16, j = k / 4 % 4, m = k % 4;
        out.at[k] = (size_t)(((from[0] + i) * l->edge + from[1] + j) * l->edge + from[2] + m);
        out.w[k] = n[0][i] * n[1][j] * n[2][m];
        out.g[k][0] = slope[0][i] * n[1][j] * n[2][m];
        out.g[k][1] = n[0][i] * slope[1][j] * n[2][m];
        out.g[k][2] = n[0][i] * n[1][j] * slope[2][m];
    }
    return out;
}

/* Section 8: v after a collision with the floor; the components that stay free, a bit each. */
static inline int literal_collide(const Literal *l, double v[3])
{
    if (v[1] >= 0)
        return 7;
    double slip = sqrt(v[0] * v[0] + v[2] * v[2]), limit = -l->friction * v[1];
    v[1] = 0;
    if (slip <= limit) {
        v[0] = v[2] = 0;
        return l->friction > 0 ? 0 : 5;
    }
    v[0] += limit * -v[0] / slip;
    v[2] += limit * -v[2] / slip;
    return 5;
}

/* Steps 1 and 2. */
static inline void literal_rasterise(Literal *l)
{
    memset(l->mass, 0, literal_nodes(l) * sizeof(double));
    memset(l->old, 0, 3 * literal_nodes(l) * sizeof(double));
    for (size_t i = 0; i < l->count; i++) {
        const LiteralParticle *p = &l->particles[i];
        LiteralWeights w = literal_weights(l, p->x);
        for (int k = 0; k < 64; k++) {
            l->mass[w.at[k]] += p->mass * w.w[k];
            for (int a = 0; a < 3; a++)
                l->old[3 * w.at[k] + (size_t)a] += p->v[a] * p->mass * w.w[k];
        }
    }
    for (size_t n = 0; n < literal_nodes(l); n++)
        for (size_t a = 0; a < 3; a++)
            l->old[3 * n + a] = l->mass[n] > 0 ? l->old[3 * n + a] / l->mass[n] : 0;
    for (size_t i = 0; i < l->count; i++) {
        LiteralParticle *p = &l->particles[i];
        if (p->volume > 0)
            continue;
        LiteralWeights w = literal_weights(l, p->x);
        double density = 0;
        for (int k = 0; k < 64; k++)
            density += l->mass[w.at[k]] * w.w[k] / (l->h * l->h * l->h);
        p->volume = p->mass / density;
    }
}

/* Steps 3 to 5: eq. 6, eq. 10 and grid-based collisions; v* in l->v. */
static inline void literal_grid_velocities(Literal *l)
{
    memset(l->v, 0, 3 * literal_nodes(l) * sizeof(double));
    for (size_t i = 0; i < l->count; i++) {
        const LiteralParticle *p = &l->particles[i];
        M3 stress = m3_mul(reference_stress(&l->material, p->FE, m3_det(p->FP)),
                           m3_transpose(p->FE));
        LiteralWeights w = literal_weights(l, p->x);
        for (int k = 0; k < 64; k++)
            for (int a = 0; a < 3; a++)
                for (int b = 0; b < 3; b++)
                    l->v[3 * w.at[k] + (size_t)a] -= p->volume * stress.m[a][b] * w.g[k][b];
    }
    for (size_t n = 0; n < literal_nodes(l); n++) {
        l->free[n] = l->mass[n] > 0 ? 7 : 0;
        if (l->mass[n] <= 0)
            continue;
        for (size_t a = 0; a < 3; a++)
            l->v[3 * n + a] = l->old[3 * n + a] + l->dt * l->v[3 * n + a] / l->mass[n] +
                              (a == 1 ? l->dt * l->gravity : 0);
        int row = l->first + (int)(n / (size_t)l->edge % (size_t)l->edge);
        if (row * l->h <= l->floor)
            l->free[n] = literal_collide(l, &l->v[3 * n]);
    }
}

/* to = beta dt² M^-1 H from (eq. 7 to 9), 0 where nodes are not free. */
static inline void literal_hessian(Literal *l, const double *from, double *to)
{
    memset(to, 0, 3 * literal_nodes(l) * sizeof(double));
    for (size_t i = 0; i < l->count; i++) {
        const LiteralParticle *p = &l->particles[i];
        LiteralWeights w = literal_weights(l, p->x);
        M3 dF = {{{0}}};
        for (int k = 0; k < 64; k++)
            for (int a = 0; a < 3; a++)
                for (int b = 0; b < 3; b++)
                    dF.m[a][b] += from[3 * w.at[k] + (size_t)a] * w.g[k][b];
        M3 A = reference_hessian(&l->material, p->FE, m3_det(p->FP), m3_mul(dF, p->FE));
        A = m3_mul(A, m3_transpose(p->FE));
        for (int k = 0; k < 64; k++)
            for (int a = 0; a < 3; a++)
                for (int b = 0; b < 3; b++)
                    to[3 * w.at[k] + (size_t)a] += p->volume * A.m[a][b] * w.g[k][b];
    }
    for (size_t n = 0; n < literal_nodes(l); n++)
        for (size_t a = 0; a < 3; a++)
            to[3 * n + a] = (l->free[n] >> a & 1) != 0
                                ? to[3 * n + a] * l->beta * l->dt * l->dt / l->mass[n]
                                : 0;
}

static inline double literal_dot(const Literal *l, const double *a, const double *b)
{
    double sum = 0;
    for (size_t n = 0; n < literal_nodes(l); n++)
        for (size_t k = 0; k < 3; k++)
            sum += l->mass[n] * a[3 * n + k] * b[3 * n + k];
    return sum;
}

/* Step 6, to 1e-9 of the first residual. */
static inline void literal_solve(Literal *l)
{
    size_t size = 3 * literal_nodes(l);
    literal_hessian(l, l->v, l->r);
    for (size_t k = 0; k < size; k++) {
        l->r[k] = -l->r[k];
        l->p[k] = l->r[k];
    }
    double first = literal_dot(l, l->r, l->r), rho = 0;
    for (int n = 0; n < 1000 && literal_dot(l, l->r, l->r) > 1e-18 * first; n++) {
        literal_hessian(l, l->r, l->ar);
        double before = rho;
        for (size_t k = 0; k < size; k++)
            l->ar[k] += l->r[k];
        rho = literal_dot(l, l->r, l->ar);
        double ratio = n == 0 ? 0 : rho / before;
        for (size_t k = 0; k < size; k++) {
            l->p[k] = l->r[k] + ratio * (n == 0 ? 0 : l->p[k]);
            l->ap[k] = l->ar[k] + ratio * (n == 0 ? 0 : l->ap[k]);
        }
        double step = rho / literal_dot(l, l->ap, l->ap);
        for (size_t k = 0; k < size; k++) {
            l->v[k] += step * l->p[k];
            l->r[k] -= step * l->ap[k];
        }
    }
}

/* Steps 7 to 10. */
static inline void literal_particles(Literal *l)
{
    for (size_t i = 0; i < l->count; i++) {
        LiteralParticle *p = &l->particles[i];
        LiteralWeights w = literal_weights(l, p->x);
        double pic[3] = {0}, flip[3] = {p->v[0], p->v[1], p->v[2]};
        M3 gradient = {{{0}}};
        for (int k = 0; k < 64; k++)
            for (int a = 0; a < 3; a++) {
                double v = l->v[3 * w.at[k] + (size_t)a];
                pic[a] += v * w.w[k];
                flip[a] += (v - l->old[3 * w.at[k] + (size_t)a]) * w.w[k];
                for (int b = 0; b < 3; b++)
                    gradient.m[a][b] += v * w.g[k][b];
            }
        p->FE = m3_mul(m3_sum(m3_identity(), l->dt, gradient), p->FE); /* eq. 11 */
        reference_yield(&l->material, &p->FE, &p->FP);                 /* eq. 12 */
        for (int a = 0; a < 3; a++)
            p->v[a] = (1 - l->alpha) * pic[a] + l->alpha * flip[a];
        if (p->x[1] <= l->floor)
            literal_collide(l, p->v);
        for (int a = 0; a < 3; a++)
            p->x[a] += l->dt * p->v[a];
    }
}

static inline void literal_step(Literal *l)
{
    literal_rasterise(l);       /* 1, 2 */
    literal_grid_velocities(l); /* 3, 4, 5 */
    if (l->beta > 0)
        literal_solve(l); /* 6 */
    literal_particles(l); /* 7, 8, 9, 10 */
}

#endif
