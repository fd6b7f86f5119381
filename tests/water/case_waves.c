/* Standing waves, the collapse of a long dam on a dry bed, and the outflow through a slot, against their
   analytic solutions. */
#include <math.h>
#include <stdlib.h>

#include "water/cases.h"

static const double pi = 3.14159265358979;

/* --- sloshing: w² = g k tanh(k h) ----------------------------------------------------------- */

enum { SLOSH_MAX = 4000 };

typedef struct Slosh {
    double length, depth, k, omega;
    double time[SLOSH_MAX], shift[SLOSH_MAX]; /* of the centre of mass along x, by frame */
    int count;
} Slosh;

static void slosh_frame(WaterRun *run)
{
    Slosh *s = run->user;
    WaterParticles p = water_particles(run);
    double shift = -s->length / 2;
    for (size_t i = 0; i < p.count; i++)
        shift += p.mass[i] * p.x[i][0] / p.total_mass;
    water_particles_free(&p);
    if (s->count == SLOSH_MAX)
        return;
    s->time[s->count] = sl_world_time(run->world);
    s->shift[s->count++] = shift;
}

/* Sum of squares that remains of the shifts beside the best a sin(wt) e^-ct + b cos(wt) e^-ct + e. */
static double residual(const Slosh *s, double omega, double decay)
{
    double m[3][4] = {{0}}, total = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < s->count; i++) {
            double fade = exp(-decay * s->time[i]);
            double row[4] = {fade * sin(omega * s->time[i]), fade * cos(omega * s->time[i]), 1,
                             s->shift[i]};
            if (pass == 1) {
                double rest = row[3] - row[0] * m[0][3] - row[1] * m[1][3] - row[2] * m[2][3];
                total += rest * rest;
                continue;
            }
            for (int a = 0; a < 3; a++)
                for (int b = 0; b < 4; b++)
                    m[a][b] += row[a] * row[b];
            if (i < s->count - 1)
                continue;
            /* Gauss and Jordan; the matrix is positive definite. */
            for (int c = 0; c < 3; c++)
                for (int r = 0; r < 3; r++) {
                    double f = r == c ? 0 : m[r][c] / m[c][c];
                    for (int b = 0; b < 4; b++)
                        m[r][b] -= f * m[c][b];
                }
            for (int c = 0; c < 3; c++)
                m[c][3] /= m[c][c];
        }
    return total;
}

/* The pair of frequency and decay that fits best: a grid about the expected frequency that shrinks. */
static void fit_wave(const Slosh *s, double *omega, double *decay)
{
    double w = s->omega, c = 0.1 * s->omega, dw = 0.3 * s->omega, dc = 0.1 * s->omega;
    for (int level = 0; level < 24; level++) {
        double best = 1e300, best_w = w, best_c = c;
        for (int i = -5; i <= 5; i++)
            for (int j = -5; j <= 5; j++) {
                double r = residual(s, w + dw * i / 5, fmax(c + dc * j / 5, -0.05 * s->omega));
                if (r < best) {
                    best = r;
                    best_w = w + dw * i / 5;
                    best_c = fmax(c + dc * j / 5, -0.05 * s->omega);
                }
            }
        w = best_w;
        c = best_c;
        dw *= 0.6;
        dc *= 0.6;
    }
    *omega = w;
    *decay = c;
}

/* Velocities of the linear wave as its flat surface passes through rest:
   u = -U sin(kx) cosh(ky) / sinh(kh), w = U cos(kx) sinh(ky) / sinh(kh), U = amplitude × omega. */
static bool slosh_push(WaterRun *run, const Slosh *s, double amplitude)
{
    WaterParticles p = water_particles(run);
    float *v = calloc(3 * p.count + 3, sizeof(float));
    if (v == NULL)
        abort();
    double speed = amplitude * s->omega / sinh(s->k * s->depth);
    for (size_t i = 0; i < p.count; i++) {
        double x = s->k * p.x[i][0], y = s->k * p.x[i][1];
        v[3 * i] = (float)(-speed * sin(x) * cosh(y));
        v[3 * i + 1] = (float)(speed * cos(x) * sinh(y));
    }
    bool good = water_check(run, sl_system_write_field(run->world, run->system, "velocity", 0, p.count,
                                                       v, &run->result->error));
    free(v);
    water_particles_free(&p);
    return good;
}

void water_case_slosh(WaterRun *run)
{
    run->d = water_option(run, "d", 0.05);
    double length = water_option(run, "length", 40) * run->d;
    double depth = water_option(run, "depth", 20) * run->d;
    float wide = (float)(water_option(run, "wide", 6) * run->d);
    static Slosh s;
    s = (Slosh){.length = length, .depth = depth, .k = pi / length};
    s.omega = sqrt(WATER_G * s.k * tanh(s.k * depth));
    double period = 2 * pi / s.omega;
    SlBox domain = {{0, 0, 0}, {(float)length, (float)(2 * depth), wide}};
    if (!water_open(run, domain, (SlVec3){0, -9.81f, 0}) ||
        !water_block(run, (SlVec3){0, 0, 0}, (SlVec3){(float)length, (float)depth, wide},
                     (SlVec3){0, 0, 0}) ||
        !water_start(run) || !slosh_push(run, &s, water_option(run, "amplitude", 1.2) * run->d))
        return;
    run->user = &s;
    run->on_frame = slosh_frame;
    water_advance(run, water_option(run, "periods", 5) * period);
    double omega, decay;
    fit_wave(&s, &omega, &decay);
    double squares = 0;
    for (int i = 0; i < s.count; i++)
        squares += s.shift[i] * s.shift[i];
    water_note(run, s.omega / sqrt(omega * omega + decay * decay) - 1, "period_error");
    water_note(run, period, "period");
    water_note(run, exp(-decay * period), "kept_per_period");
    water_note(run, sqrt(residual(&s, omega, decay) / squares), "fit_error");
}

/* --- a long dam on a dry bed (Ritter's solution) --------------------------------------------- */

/* Depth after time t at x from the dam: h0 for x < -c t, (2 c - x/t)² / (9 g) up to x = 2 c t. */
static double ritter_depth(double h0, double x, double t)
{
    double c = sqrt(WATER_G * h0), q = 2 * c - x / t;
    return x < -c * t ? h0 : q > 0 ? q * q / (9 * WATER_G) : 0;
}

/* Depth by the mass in strips of a quarter of the initial depth. */
static void note_profile(WaterRun *run, double h0, double dam, double wide)
{
    enum { MAX = 400 };
    double mass[MAX] = {0}, strip = h0 / 4, t = sl_world_time(run->world), squares = 0, largest = 0;
    double c = sqrt(WATER_G * h0);
    int count = 0;
    WaterParticles p = water_particles(run);
    for (size_t i = 0; i < p.count; i++) {
        int k = (int)(p.x[i][0] / strip);
        if (k >= 0 && k < MAX)
            mass[k] += p.mass[i];
    }
    water_particles_free(&p);
    double at_dam = 0, around = 0;
    for (int k = 0; k < MAX; k++) {
        double x = (k + 0.5) * strip - dam, depth = mass[k] / (1000 * strip * wide);
        if (fabs(x) < h0) {
            at_dam += depth;
            around++;
        }
        /* Not the tip, where the depth is below a tenth of h0 and shallow water is no model. */
        if (x < -c * t - h0 || ritter_depth(h0, x, t) < 0.1 * h0)
            continue;
        double error = depth - ritter_depth(h0, x, t);
        squares += error * error;
        largest = fmax(largest, fabs(error));
        count++;
    }
    water_note(run, sqrt(squares / count) / h0, "profile_rms");
    water_note(run, largest / h0, "profile_max");
    water_note(run, around > 0 ? at_dam / around / h0 : 0, "depth_at_dam");
}

/* x where the mass beyond it would fill 1 % of h0² a unit of width. */
static double thin_front(WaterRun *run)
{
    WaterParticles p = water_particles(run);
    WaterGrid grid = water_grid_make((const double(*)[3])p.x, p.count, 2 * run->d);
    double front = 0;
    for (size_t i = 0; i < p.count; i++)
        if (p.x[i][0] + run->d / 2 > front && water_grid_count(&grid, p.x[i], 2 * run->d, 9) >= 9)
            front = p.x[i][0] + run->d / 2;
    water_grid_free(&grid);
    water_particles_free(&p);
    return front;
}

void water_case_ritter(WaterRun *run)
{
    run->d = water_option(run, "d", 0.05);
    double h0 = water_option(run, "depth", 20) * run->d, c = sqrt(WATER_G * h0);
    double wide = water_option(run, "wide", 6) * run->d, time = water_option(run, "time", 4) * h0 / c;
    double dam = (time * c / h0 + 2) * h0, end = dam + 2.2 * c * time + h0;
    SlBox domain = {{0, 0, 0}, {(float)end, (float)(2 * h0), (float)wide}};
    if (!water_open(run, domain, (SlVec3){0, -9.81f, 0}) ||
        !water_block(run, (SlVec3){0, 0, 0}, (SlVec3){(float)dam, (float)h0, (float)wide},
                     (SlVec3){0, 0, 0}) ||
        !water_start(run) || !water_advance(run, time / 2))
        return;
    double half = thin_front(run), start = sl_world_time(run->world);
    if (!water_advance(run, time))
        return;
    water_note(run, (thin_front(run) - half) / (sl_world_time(run->world) - start) / (2 * c),
               "front_speed");
    note_profile(run, h0, dam, wide);
}

/* --- outflow through a slot in the bottom (Torricelli) -------------------------------------- */

typedef struct Outflow {
    double plate, depth_from; /* m: underside of the bottom */
    double from;
    WaterMean ratio;
} Outflow;

static void outflow_frame(WaterRun *run)
{
    Outflow *o = run->user;
    if (sl_world_time(run->world) < o->from)
        return;
    WaterParticles p = water_particles(run);
    double mass = 0, moment = 0, d = run->d;
    /* Level from the mass above the bottom: twice the height of its centre. */
    for (size_t i = 0; i < p.count; i++)
        if (p.x[i][1] > o->depth_from) {
            mass += p.mass[i];
            moment += p.mass[i] * (p.x[i][1] - o->depth_from);
        }
    double level = o->depth_from + 2 * moment / fmax(mass, 1e-30);
    for (size_t i = 0; i < p.count; i++)
        if (p.x[i][1] < o->plate - 6 * d && p.x[i][1] > o->plate - 12 * d)
            water_mean_add(&o->ratio, 1,
                           -p.v[i][1] / sqrt(2 * WATER_G * fmax(level - p.x[i][1], d)));
    water_particles_free(&p);
}

void water_case_outflow(WaterRun *run)
{
    run->d = water_option(run, "d", 0.05);
    double d = run->d, base = water_option(run, "base", 40), depth = water_option(run, "depth", 40);
    double slot = water_option(run, "slot", 6), thick = 4, below = 30;
    float wide = (float)(water_option(run, "wide", 6) * d), side = (float)(base * d);
    float bottom = (float)((below + thick) * d), half = (float)((base - slot) / 4 * d);
    SlBox domain = {{0, 0, 0}, {side, bottom + (float)(1.3 * depth * d), wide}};
    Outflow o = {.plate = below * d, .depth_from = (double)bottom, .from = water_option(run, "from", 0.4)};
    if (!water_open(run, domain, (SlVec3){0, -9.81f, 0}) ||
        !water_block(run, (SlVec3){0, bottom, 0}, (SlVec3){side, bottom + (float)(depth * d), wide},
                     (SlVec3){0, 0, 0}))
        return;
    SlError *error = &run->result->error;
    for (int k = 0; k < 2; k++) {
        SlShape box = sl_default_shape(SL_SHAPE_BOX);
        box.half = (SlVec3){half, (float)(thick * d / 2), wide};
        box.center = (SlVec3){k == 0 ? half : side - half, bottom - box.half.y, wide / 2};
        water_check(run, sl_world_add_collider(run->world, &box, NULL, error));
    }
    SlShape drain = sl_default_shape(SL_SHAPE_BOX);
    drain.center = (SlVec3){side / 2, 0, wide / 2};
    drain.half = (SlVec3){side, (float)(8 * d), wide};
    if (!water_check(run, sl_system_add_drain(run->world, run->system, &drain, error)) ||
        !water_start(run))
        return;
    run->user = &o;
    run->on_frame = outflow_frame;
    size_t before = sl_system_particle_count(run->world, run->system);
    if (!water_advance(run, water_option(run, "time", 1.2)))
        return;
    water_note(run, water_mean_of(&o.ratio), "speed");
    water_note(run, water_mean_deviation(&o.ratio), "speed_deviation");
    water_note(run, 1 - (double)sl_system_particle_count(run->world, run->system) / (double)before,
               "drained");
}
