/* Bodies of water without gravity: at rest, moving, spinning, and stretched by a flow. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "water/cases.h"

typedef enum Mode { REST, TRANSLATE, SPIN, STRAIN } Mode;

typedef struct Free {
    Mode mode;
    bool ball;
    double half; /* m: half the side of the block, or the radius */
    double speed, spin, strain;
    bool *inner; /* by id: 3 d and more below the surface at the start */
    size_t inner_size;
    double momentum[3], scale; /* at the start; kg m/s of all particles at sqrt(g d) */
    double drift;
    double noise; /* J: largest kinetic energy in the body's own frame */
    double first_square; /* m²: mean square of x at the start */
} Free;

/* The exact motion of a ball in a straining flow, a Dirichlet ellipsoid: axes p and p^(-1/2), and
   x = A X with A'' = lambda A^-T, where det A = 1 gives lambda = tr((A' A^-1)²) / tr((A A^T)^-1).
   Returns p after `time` for p' = rate at the start. */
static double stretched(double rate, double time)
{
    enum { STEPS = 2000 };
    double p = 1, v = rate, h = time / STEPS;
    for (int k = 0; k < STEPS; k++) {
        double a[4], ps = p, vs = v, vk[4];
        for (int s = 0; s < 4; s++) {
            double lambda = 1.5 * vs * vs / (ps * ps) / (1 / (ps * ps) + 2 * ps);
            a[s] = lambda / ps;
            vk[s] = vs;
            double f = s < 2 ? h / 2 : h;
            ps = p + f * vk[s];
            vs = v + f * a[s];
        }
        p += h / 6 * (vk[0] + 2 * vk[1] + 2 * vk[2] + vk[3]);
        v += h / 6 * (a[0] + 2 * a[1] + 2 * a[2] + a[3]);
    }
    return p;
}

static double rate_for(double stretch, double time)
{
    double low = 0, high = 4 / time;
    for (int k = 0; k < 60; k++) {
        double middle = (low + high) / 2;
        if (stretched(middle, time) < stretch)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

static void velocity_at(const Free *body, const double x[3], float v[3])
{
    v[0] = v[1] = v[2] = 0;
    if (body->mode == TRANSLATE) {
        v[0] = (float)body->speed;
    } else if (body->mode == SPIN) {
        v[0] = (float)(body->spin * x[2]);
        v[2] = (float)(-body->spin * x[0]);
    } else if (body->mode == STRAIN) {
        v[0] = (float)(body->strain * x[0]);
        v[1] = (float)(-body->strain / 2 * x[1]);
        v[2] = (float)(-body->strain / 2 * x[2]);
    }
}

static void momentum_of(const WaterParticles *p, double momentum[3])
{
    memset(momentum, 0, 3 * sizeof(double));
    for (size_t i = 0; i < p->count; i++)
        for (int k = 0; k < 3; k++)
            momentum[k] += p->mass[i] * p->v[i][k];
}

/* Solves the 4 x 4 normal equations of v = b + A x for one component of v, by elimination. */
static void solve4(double m[4][5], double out[4])
{
    for (int c = 0; c < 4; c++) {
        int best = c;
        for (int r = c + 1; r < 4; r++)
            if (fabs(m[r][c]) > fabs(m[best][c]))
                best = r;
        for (int k = 0; k < 5; k++) {
            double keep = m[c][k];
            m[c][k] = m[best][k];
            m[best][k] = keep;
        }
        for (int r = 0; r < 4; r++) {
            double f = r != c && m[c][c] != 0 ? m[r][c] / m[c][c] : 0;
            for (int k = 0; k < 5 && r != c; k++)
                m[r][k] -= f * m[c][k];
        }
    }
    for (int c = 0; c < 4; c++)
        out[c] = m[c][c] != 0 ? m[c][4] / m[c][c] : 0;
}

/* Kinetic energy of what remains of the velocities beside the mean, or, where `linear`, beside the
   linear field that fits them best: a spinning or stretched ball has exactly such a field. */
static double noise_energy(const WaterParticles *p, bool linear)
{
    double center[3] = {0, 0, 0}, energy = 0;
    for (size_t i = 0; i < p->count; i++)
        for (int k = 0; k < 3; k++)
            center[k] += p->x[i][k] / (double)p->count;
    for (int c = 0; c < 3; c++) {
        double m[4][5] = {{0}}, fit[4] = {0};
        for (size_t i = 0; i < p->count; i++) {
            double row[5] = {1, p->x[i][0] - center[0], p->x[i][1] - center[1],
                             p->x[i][2] - center[2], p->v[i][c]};
            for (int a = 0; a < 4; a++)
                for (int b = 0; b < 5; b++)
                    m[a][b] += row[a] * row[b];
        }
        if (linear)
            solve4(m, fit);
        else
            fit[0] = m[0][4] / m[0][0];
        for (size_t i = 0; i < p->count; i++) {
            double u = p->v[i][c] - fit[0];
            for (int k = 0; k < 3; k++)
                u -= fit[k + 1] * (p->x[i][k] - center[k]);
            energy += 0.5 * p->mass[i] * u * u;
        }
    }
    return energy;
}

static void free_frame(WaterRun *run)
{
    Free *body = run->user;
    WaterParticles p = water_particles(run);
    double momentum[3];
    momentum_of(&p, momentum);
    double d2 = 0;
    for (int k = 0; k < 3; k++)
        d2 += pow(momentum[k] - body->momentum[k], 2);
    body->drift = fmax(body->drift, sqrt(d2) / body->scale);
    body->noise = fmax(body->noise, noise_energy(&p, body->mode >= SPIN));
    water_particles_free(&p);
}

typedef struct Volumes {
    double density, voronoi, grid; /* of the inner particles (two), of all */
} Volumes;

/* A number in [0, 1) from three indices, the same in every run. */
static double noise_at(uint32_t a, uint32_t b, uint32_t c)
{
    uint64_t h = (a * 0x9E3779B97F4A7C15u) ^ (b * 0xC2B2AE3D27D4EB4Fu) ^ (c * 0x165667B19E3779F9u);
    h = (h ^ h >> 31) * 0xD6E8FEB86659FD93u;
    h = (h ^ h >> 29) * 0xD6E8FEB86659FD93u;
    return (double)(h >> 11) * 0x1p-53;
}

/* The Voronoi volume of the inner particles, in cells of d/8: one point at random in each cell (on a
   regular grid the faces of a lattice's Voronoi cells would coincide with points), counted where the
   nearest particle is an inner one. Its deviation is 0.04 % for 216 particles. */
static double voronoi_volume(const Free *body, const WaterParticles *p, const WaterGrid *grid,
                             const double low[3], const double high[3])
{
    double h = grid->cell / 8, sum = 0;
    uint32_t n[3];
    for (int k = 0; k < 3; k++)
        n[k] = (uint32_t)((high[k] - low[k]) / h) + 1;
    for (uint32_t i = 0; i < n[0]; i++)
        for (uint32_t j = 0; j < n[1]; j++)
            for (uint32_t k = 0; k < n[2]; k++) {
                double at[3] = {low[0] + h * (i + noise_at(i, j, k)),
                                low[1] + h * (j + noise_at(i, j, k + 1000003)),
                                low[2] + h * (k + noise_at(i, j, k + 2000003))};
                uint32_t nearest = water_grid_nearest(grid, at, 1.5 * grid->cell);
                sum += nearest != UINT32_MAX && p->id[nearest] < body->inner_size &&
                       body->inner[p->id[nearest]];
            }
    return sum;
}

/* Three measures of volume: the sum of 1/density over the inner particles, which does not see gaps
   between clusters; their Voronoi volume, which does; cells of d/2 within 0.9 d of any particle,
   which grows with the surface too. */
static Volumes volumes_of(WaterRun *run, const Free *body)
{
    WaterParticles p = water_particles(run);
    double d = run->d, low[3] = {1e30, 1e30, 1e30}, high[3] = {-1e30, -1e30, -1e30};
    double ilow[3] = {1e30, 1e30, 1e30}, ihigh[3] = {-1e30, -1e30, -1e30};
    Volumes v = {0, 0, 0};
    for (size_t i = 0; i < p.count; i++) {
        bool inner = p.id[i] < body->inner_size && body->inner[p.id[i]];
        v.density += inner ? 1 / p.density[i] : 0;
        for (int k = 0; k < 3; k++) {
            low[k] = fmin(low[k], p.x[i][k] - d);
            high[k] = fmax(high[k], p.x[i][k] + d);
            ilow[k] = inner ? fmin(ilow[k], p.x[i][k] - d) : ilow[k];
            ihigh[k] = inner ? fmax(ihigh[k], p.x[i][k] + d) : ihigh[k];
        }
    }
    WaterGrid grid = water_grid_make((const double(*)[3])p.x, p.count, d);
    for (double x = low[0]; x < high[0]; x += d / 2)
        for (double y = low[1]; y < high[1]; y += d / 2)
            for (double z = low[2]; z < high[2]; z += d / 2)
                v.grid += (double)water_grid_count(&grid, (double[3]){x, y, z}, 0.9 * d, 1);
    v.voronoi = voronoi_volume(body, &p, &grid, ilow, ihigh);
    water_grid_free(&grid);
    water_particles_free(&p);
    return v;
}

static double mean_square(const WaterParticles *p)
{
    double center = 0, square = 0;
    for (size_t i = 0; i < p->count; i++)
        center += p->x[i][0] / (double)p->count;
    for (size_t i = 0; i < p->count; i++)
        square += pow(p->x[i][0] - center, 2) / (double)p->count;
    return square;
}

static bool free_make(WaterRun *run, Free *body)
{
    float limit = INFINITY, h = (float)body->half;
    SlBox open = {{-limit, -limit, -limit}, {limit, limit, limit}};
    if (!water_open(run, open, (SlVec3){0, 0, 0}))
        return false;
    if (body->ball) {
        SlShape shape = sl_default_shape(SL_SHAPE_SPHERE);
        shape.radius = h;
        SlFillDef fill = sl_default_fill_def();
        fill.shapes = &shape;
        fill.shape_count = 1;
        water_check(run, sl_system_add_fill(run->world, run->system, &fill, &run->result->error));
    } else {
        water_block(run, (SlVec3){-h, -h, -h}, (SlVec3){h, h, h}, (SlVec3){0, 0, 0});
    }
    return water_start(run);
}

static bool free_set_motion(WaterRun *run, Free *body)
{
    WaterParticles p = water_particles(run);
    float *v = calloc(3 * p.count + 3, sizeof(float));
    body->inner_size = p.count;
    body->inner = calloc(p.count + 1, sizeof(bool));
    if (v == NULL || body->inner == NULL)
        abort();
    for (size_t i = 0; i < p.count; i++) {
        const double *x = p.x[i];
        velocity_at(body, x, &v[3 * i]);
        double depth = body->half - (body->ball ? sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2])
                                                : fmax(fabs(x[0]), fmax(fabs(x[1]), fabs(x[2]))));
        if (p.id[i] < p.count)
            body->inner[p.id[i]] = depth >= 3 * run->d;
        for (int k = 0; k < 3; k++)
            body->momentum[k] += p.mass[i] * (double)v[3 * i + (size_t)k];
    }
    body->first_square = mean_square(&p);
    body->scale = p.total_mass * sqrt(WATER_G * run->d);
    bool good = water_check(run, sl_system_write_field(run->world, run->system, "velocity", 0, p.count,
                                                       v, &run->result->error));
    free(v);
    water_particles_free(&p);
    return good;
}

static void note_shape(WaterRun *run, const Free *body)
{
    WaterParticles p = water_particles(run);
    double volume = pow(body->half, 3) * (body->ball ? 4.18879020478639 : 8);
    water_note(run, sqrt(mean_square(&p) / body->first_square), "stretch");
    water_note(run, p.total_mass / (1000 * volume) - 1, "fill");
    water_note(run, body->noise / (p.total_mass * WATER_G * run->d), "noise");
    water_note(run, water_kinetic(&p) / (p.total_mass * WATER_G * run->d), "kinetic");
    water_particles_free(&p);
}

void water_case_free(WaterRun *run)
{
    static const char *const modes[] = {"rest", "translate", "spin", "strain"};
    const char *mode = water_option_text(run, "mode", "rest");
    double time = water_option(run, "time", 2);
    Free body = {.ball = strcmp(water_option_text(run, "shape", "block"), "ball") == 0,
                 .speed = water_option(run, "speed", 3), .spin = water_option(run, "spin", 0.04)};
    body.half = run->d * (body.ball ? water_option(run, "radius", 8) : water_option(run, "size", 12) / 2);
    body.strain = rate_for(water_option(run, "stretch", 2), time);
    for (int k = 0; k < 4; k++)
        if (strcmp(mode, modes[k]) == 0)
            body.mode = (Mode)k;
    if (!free_make(run, &body) || !free_set_motion(run, &body)) {
        free(body.inner);
        return;
    }
    Volumes before = volumes_of(run, &body);
    run->user = &body;
    run->on_frame = free_frame;
    if (water_advance(run, time)) {
        Volumes after = volumes_of(run, &body);
        water_note(run, after.voronoi / before.voronoi - 1, "volume");
        water_note(run, after.density / before.density - 1, "volume_density");
        water_note(run, after.grid / before.grid - 1, "volume_grid");
        water_note(run, body.drift, "drift");
    }
    note_shape(run, &body);
    free(body.inner);
}
