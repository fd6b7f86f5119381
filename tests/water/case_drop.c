/* A drop that oscillates and turns in a central force field, against the exact motion of an
   incompressible ellipsoid with a free surface (Dirichlet). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "water/cases.h"

/* x(t) = A(t) X with A'' = -w² A + lambda A^-T and det A = 1. From (ln det A)'' = 0:
   lambda tr((A^T A)^-1) = tr((A' A^-1)²) + 3 w². The pressure is lambda rho (R² - |X|²) / 2. */
typedef struct Motion {
    double a[9], v[9];
} Motion;

static void invert(const double m[9], double out[9])
{
    double c0 = m[4] * m[8] - m[5] * m[7], c1 = m[5] * m[6] - m[3] * m[8];
    double c2 = m[3] * m[7] - m[4] * m[6];
    double det = m[0] * c0 + m[1] * c1 + m[2] * c2;
    double adjugate[9] = {c0, m[2] * m[7] - m[1] * m[8], m[1] * m[5] - m[2] * m[4],
                          c1, m[0] * m[8] - m[2] * m[6], m[2] * m[3] - m[0] * m[5],
                          c2, m[1] * m[6] - m[0] * m[7], m[0] * m[4] - m[1] * m[3]};
    for (int k = 0; k < 9; k++)
        out[k] = adjugate[k] / det;
}

static double lambda_of(const Motion *m, const double inverse[9], double omega)
{
    double g[9] = {0}, trace = 0, inverse_square = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++)
                g[3 * i + j] += m->v[3 * i + k] * inverse[3 * k + j];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            trace += g[3 * i + j] * g[3 * j + i];
            inverse_square += inverse[3 * i + j] * inverse[3 * i + j];
        }
    return (trace + 3 * omega * omega) / inverse_square;
}

static Motion rate_of(const Motion *m, double omega)
{
    double inverse[9];
    invert(m->a, inverse);
    double lambda = lambda_of(m, inverse, omega);
    Motion r;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            r.a[3 * i + j] = m->v[3 * i + j];
            r.v[3 * i + j] = -omega * omega * m->a[3 * i + j] + lambda * inverse[3 * j + i];
        }
    return r;
}

static Motion moved(const Motion *m, const Motion *r, double h)
{
    Motion out;
    for (int k = 0; k < 9; k++) {
        out.a[k] = m->a[k] + h * r->a[k];
        out.v[k] = m->v[k] + h * r->v[k];
    }
    return out;
}

/* Runge-Kutta steps of at most 1 ms. */
static void advance_motion(Motion *m, double omega, double time)
{
    int steps = (int)(time / 1e-3) + 1;
    double h = time / steps;
    for (int s = 0; s < steps; s++) {
        Motion k1 = rate_of(m, omega), m2 = moved(m, &k1, h / 2);
        Motion k2 = rate_of(&m2, omega), m3 = moved(m, &k2, h / 2);
        Motion k3 = rate_of(&m3, omega), m4 = moved(m, &k3, h), k4 = rate_of(&m4, omega);
        for (int k = 0; k < 9; k++) {
            m->a[k] += h / 6 * (k1.a[k] + 2 * k2.a[k] + 2 * k3.a[k] + k4.a[k]);
            m->v[k] += h / 6 * (k1.v[k] + 2 * k2.v[k] + 2 * k3.v[k] + k4.v[k]);
        }
    }
}

typedef struct Drop {
    Motion exact;
    double omega, radius, time;
    double moments[3]; /* m²: mean squares of x, y, z at the start */
    double max_error, sum_error;
    double first_energy, max_energy;
    double largest, smallest, exact_largest, exact_smallest; /* axis along x */
    int frames;
} Drop;

static void moments_of(const WaterParticles *p, double out[3])
{
    double center[3] = {0, 0, 0};
    memset(out, 0, 3 * sizeof(double));
    for (size_t i = 0; i < p->count; i++)
        for (int k = 0; k < 3; k++)
            center[k] += p->x[i][k] / (double)p->count;
    for (size_t i = 0; i < p->count; i++)
        for (int k = 0; k < 3; k++)
            out[k] += pow(p->x[i][k] - center[k], 2) / (double)p->count;
}

static double energy_of(const WaterParticles *p, double omega)
{
    double energy = water_kinetic(p);
    for (size_t i = 0; i < p->count; i++)
        for (int k = 0; k < 3; k++)
            energy += 0.5 * p->mass[i] * omega * omega * p->x[i][k] * p->x[i][k];
    return energy;
}

static void drop_frame(WaterRun *run)
{
    Drop *drop = run->user;
    double time = sl_world_time(run->world), moments[3], error = 0;
    advance_motion(&drop->exact, drop->omega, time - drop->time);
    drop->time = time;
    WaterParticles p = water_particles(run);
    moments_of(&p, moments);
    drop->max_energy = fmax(drop->max_energy, energy_of(&p, drop->omega));
    water_particles_free(&p);
    for (int k = 0; k < 3; k++) {
        const double *row = &drop->exact.a[3 * k];
        double exact = sqrt(row[0] * row[0] + row[1] * row[1] + row[2] * row[2]);
        double seen = sqrt(moments[k] / drop->moments[k]);
        error = fmax(error, fabs(seen - exact));
        if (k == 0) {
            drop->largest = fmax(drop->largest, seen);
            drop->smallest = fmin(drop->smallest, seen);
            drop->exact_largest = fmax(drop->exact_largest, exact);
            drop->exact_smallest = fmin(drop->exact_smallest, exact);
        }
    }
    drop->max_error = fmax(drop->max_error, error);
    drop->sum_error += error;
    drop->frames++;
}

static void central_force(void *user, const SlForceBatch *batch)
{
    float square = (float)pow(*(const double *)user, 2);
    for (size_t i = 0; i < batch->count; i++)
        for (int k = 0; k < 3; k++)
            batch->accelerations[4 * i + (size_t)k] -= square * batch->positions[4 * i + (size_t)k];
}

static bool drop_open(WaterRun *run, Drop *drop)
{
    float limit = INFINITY;
    SlBox open = {{-limit, -limit, -limit}, {limit, limit, limit}};
    if (!water_open(run, open, (SlVec3){0, 0, 0}))
        return false;
    SlShape shape = sl_default_shape(SL_SHAPE_SPHERE);
    shape.radius = (float)drop->radius;
    SlFillDef fill = sl_default_fill_def();
    fill.shapes = &shape;
    fill.shape_count = 1;
    SlForceFieldDef force = sl_default_force_field_def("function");
    force.function = central_force;
    force.user = &drop->omega;
    SlError *error = &run->result->error;
    return water_check(run, sl_system_add_fill(run->world, run->system, &fill, error)) &&
           water_check(run, sl_world_add_force_field(run->world, &force, NULL, error)) &&
           water_start(run);
}

/* Writes the velocities A'(0) x. */
static bool drop_push(WaterRun *run, Drop *drop)
{
    WaterParticles p = water_particles(run);
    float *v = calloc(3 * p.count + 3, sizeof(float));
    if (v == NULL)
        abort();
    for (size_t i = 0; i < p.count; i++)
        for (size_t k = 0; k < 3; k++)
            for (size_t j = 0; j < 3; j++)
                v[3 * i + k] += (float)(drop->exact.v[3 * k + j] * p.x[i][j]);
    moments_of(&p, drop->moments);
    bool good = water_check(run, sl_system_write_field(run->world, run->system, "velocity", 0, p.count,
                                                       v, &run->result->error));
    free(v);
    water_particles_free(&p);
    p = water_particles(run);
    drop->first_energy = drop->max_energy = energy_of(&p, drop->omega);
    water_particles_free(&p);
    return good;
}

/* The field is g at the radius: w² R = g. The rate of strain and the spin are in units of w. */
void water_case_drop(WaterRun *run)
{
    run->d = water_option(run, "d", 0.05);
    Drop drop = {.radius = water_option(run, "radius", 10) * run->d, .smallest = 1e30,
                 .exact_smallest = 1e30};
    drop.omega = sqrt(WATER_G / drop.radius);
    double strain = water_option(run, "strain", 0.5) * drop.omega;
    double spin = water_option(run, "spin", 0) * drop.omega;
    drop.exact = (Motion){.a = {1, 0, 0, 0, 1, 0, 0, 0, 1},
                          .v = {strain, spin, 0, -spin, -strain / 2, 0, 0, 0, -strain / 2}};
    if (!drop_open(run, &drop) || !drop_push(run, &drop))
        return;
    run->user = &drop;
    run->on_frame = drop_frame;
    water_advance(run, water_option(run, "time", 3));
    water_note(run, drop.max_error, "max_error");
    water_note(run, drop.frames > 0 ? drop.sum_error / drop.frames : NAN, "mean_error");
    water_note(run, drop.largest, "largest");
    water_note(run, drop.exact_largest, "exact_largest");
    water_note(run, drop.smallest, "smallest");
    water_note(run, drop.exact_smallest, "exact_smallest");
    water_note(run, drop.max_energy / drop.first_energy - 1, "gain");
    WaterParticles p = water_particles(run);
    water_note(run, energy_of(&p, drop.omega) / drop.first_energy, "energy");
    water_particles_free(&p);
}
