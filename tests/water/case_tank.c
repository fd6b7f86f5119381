/* Tanks at rest: level, force on the floor, speed, and the kick of the first step. */
#include <math.h>
#include <stdlib.h>

#include "water/cases.h"

typedef struct Tank {
    double base, depth; /* spacings */
    double mass;
    double from; /* s: means are taken from here on */
    double first_kinetic;
    WaterMean force, speed2, compression;
} Tank;

static void tank_step(WaterRun *run, const SlStepStats *stats)
{
    Tank *tank = run->user;
    if (run->steps == 1)
        tank->first_kinetic = stats->kinetic_energy;
    if (stats->time < tank->from)
        return;
    water_mean_add(&tank->force, stats->dt, -water_force(stats, "domain", 1));
    water_mean_add(&tank->speed2, stats->dt, 2 * stats->kinetic_energy / tank->mass);
    water_mean_add(&tank->compression, stats->dt, stats->mean_compression);
}

static bool tank_open(WaterRun *run, const Tank *tank)
{
    float side = (float)(tank->base * run->d), height = (float)(tank->depth * run->d);
    SlBox domain = {{0, 0, 0}, {side, 2 * height + (float)(20 * run->d), side}};
    return water_open(run, domain, (SlVec3){0, -9.81f, 0}) &&
           water_block(run, (SlVec3){0, 0, 0}, (SlVec3){side, height, side}, (SlVec3){0, 0, 0});
}

/* Height at which the density is half of that at rest, the mean over the points that are 2 d and
   more from the walls. The density is that of a cubic spline of support 2 d. */
static double surface_height(WaterRun *run, const Tank *tank)
{
    enum { HEIGHTS = 121 };
    double d = run->d, bottom = (tank->depth - 6) * d, step = 0.1 * d, sum = 0;
    int side = (int)(2 * (tank->base - 4)), found = 0;
    if (bottom < d)
        bottom = d;
    float *points = calloc(3 * HEIGHTS, sizeof(float)), density[HEIGHTS];
    if (points == NULL)
        abort();
    for (int column = 0; column < side * side; column++) {
        for (int k = 0; k < HEIGHTS; k++) {
            points[3 * k] = (float)((2.25 + 0.5 * (column % side)) * d);
            points[3 * k + 1] = (float)(bottom + k * step);
            points[3 * k + 2] = (float)((2.25 + 0.5 * (column / side)) * d);
        }
        if (sl_system_query(run->world, run->system, points, HEIGHTS, density, NULL, NULL) != SL_OK)
            break;
        int k = HEIGHTS - 1;
        while (k > 0 && density[k] < 500)
            k--;
        if (k == HEIGHTS - 1)
            continue;
        double over = (double)density[k] - 500, drop = (double)(density[k] - density[k + 1]);
        sum += bottom + (k + over / drop) * step;
        found++;
    }
    free(points);
    return found > 0 ? sum / found : 0;
}

/* Mean of the highest particle in each column of width d, plus d/2. */
static double top_height(const WaterParticles *p, const Tank *tank, double d)
{
    int side = (int)tank->base;
    double *top = calloc((size_t)(side * side), sizeof(double)), sum = 0;
    if (top == NULL)
        abort();
    for (size_t i = 0; i < p->count; i++) {
        int a = (int)(p->x[i][0] / d), b = (int)(p->x[i][2] / d);
        if (a >= 0 && a < side && b >= 0 && b < side)
            top[a * side + b] = fmax(top[a * side + b], p->x[i][1] + d / 2);
    }
    for (int k = 0; k < side * side; k++)
        sum += top[k];
    free(top);
    return sum / (side * side);
}

static void note_levels(WaterRun *run, const Tank *tank)
{
    WaterParticles p = water_particles(run);
    double h = tank->depth * run->d, y = 0;
    double lowest = 1e30, density = 0;
    size_t low_count = 0;
    for (size_t i = 0; i < p.count; i++) {
        y += p.mass[i] * p.x[i][1] / p.total_mass;
        lowest = fmin(lowest, p.x[i][1]);
        if (p.x[i][1] < 0.05 * h + run->d) {
            density += p.density[i];
            low_count++;
        }
    }
    /* The mass fixes the height of the water: a start with fewer particles is not a lower level. */
    double h0 = p.total_mass / (1000 * pow(tank->base * run->d, 2));
    water_note(run, 2 * y / h0 - 1, "level");
    water_note(run, surface_height(run, tank) / h0 - 1, "surface");
    water_note(run, top_height(&p, tank, run->d) / h0 - 1, "top");
    water_note(run, h0 / h - 1, "mass_error");
    water_note(run, lowest / run->d, "lowest");
    water_note(run, low_count > 0 ? density / (double)low_count : 0, "floor_density");
    water_particles_free(&p);
}

void water_case_tank(WaterRun *run)
{
    double time = water_option(run, "time", 10);
    Tank tank = {.base = water_option(run, "base", 12), .depth = water_option(run, "depth", 40),
                 .from = fmax(time - 2, time / 2)};
    if (!tank_open(run, &tank) || !water_start(run))
        return;
    WaterParticles p = water_particles(run);
    tank.mass = p.total_mass;
    water_particles_free(&p);
    run->on_step = tank_step;
    run->user = &tank;
    double weight = tank.mass * WATER_G, root = sqrt(WATER_G * run->d);
    bool good = water_advance(run, time);
    note_levels(run, &tank);
    if (good) {
        water_note(run, water_mean_of(&tank.force) / weight, "force");
        water_note(run, water_mean_deviation(&tank.force) / water_mean_of(&tank.force), "scatter");
        water_note(run, sqrt(water_mean_of(&tank.speed2)) / root, "rms");
        water_note(run, water_mean_of(&tank.compression), "compression");
    }
    water_note(run, tank.first_kinetic / (weight * run->d), "first_kick");
}

/* One frame cut into 2 to 64 steps: kinetic energy after the first of them, in m g d a particle. */
void water_case_first(WaterRun *run)
{
    Tank tank = {.base = water_option(run, "base", 12), .depth = water_option(run, "depth", 20)};
    for (int steps = 2; steps <= 64 && run->status == SL_OK; steps *= 2) {
        char text[16] = {(char)('0' + steps / 10), (char)('0' + steps % 10), 0};
        if (!tank_open(run, &tank))
            return;
        if (water_has_parameter(run, "step_control"))
            water_set(run, "step_control", "fixed");
        if (!water_set(run, "steps", text) || !water_start(run))
            return;
        WaterParticles p = water_particles(run);
        double scale = p.total_mass * WATER_G * run->d;
        water_particles_free(&p);
        tank.first_kinetic = NAN;
        tank.from = 1e30;
        run->on_step = tank_step;
        run->user = &tank;
        water_advance(run, 1 / run->fps);
        water_note(run, tank.first_kinetic / scale, "steps%d", steps);
        run->frames = 0; /* no summary */
        water_close(run);
    }
}
