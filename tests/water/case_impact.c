/* Impacts of whole blocks: energy never exceeds that of the start; impulses on a wall. */
#include <math.h>
#include <string.h>

#include "water/cases.h"

typedef struct Impact {
    double first, max; /* J */
    double impulse, window_impulse; /* N s along x on the wall */
    double from;
    const char *wall;
    double peak; /* N */
} Impact;

static void impact_step(WaterRun *run, const SlStepStats *stats)
{
    Impact *impact = run->user;
    impact->max = fmax(impact->max, stats->total_energy);
    double force = impact->wall != NULL ? water_force(stats, impact->wall, 0) : 0;
    impact->impulse += force * stats->dt;
    impact->peak = fmax(impact->peak, force);
    if (stats->time > impact->from)
        impact->window_impulse += force * stats->dt;
}

static void run_impact(WaterRun *run, Impact *impact, double g, double time)
{
    WaterParticles p = water_particles(run);
    impact->first = water_kinetic(&p) + water_potential(&p, g);
    double mgd = p.total_mass * WATER_G * run->d;
    water_particles_free(&p);
    impact->max = impact->first;
    run->on_step = impact_step;
    run->user = impact;
    water_advance(run, time);
    water_note(run, impact->max / impact->first - 1, "gain");
    water_note(run, (impact->max - impact->first) / mgd, "gain_mgd");
    p = water_particles(run);
    water_note(run, (water_kinetic(&p) + water_potential(&p, g)) / impact->first, "energy_end");
    water_particles_free(&p);
}

void water_case_fall(WaterRun *run)
{
    run->d = water_option(run, "d", 0.05);
    float side = (float)(water_option(run, "size", 20) * run->d);
    float height = (float)water_option(run, "height", 1.5), wide = 12 * side;
    SlBox domain = {{0, 0, 0}, {wide, 4 * side + 2 * height, wide}};
    float low = (wide - side) / 2, high = low + side;
    Impact impact = {0};
    if (water_open(run, domain, (SlVec3){0, -9.81f, 0}) &&
        water_block(run, (SlVec3){low, height, low}, (SlVec3){high, height + side, high},
                    (SlVec3){0, 0, 0}) &&
        water_start(run))
        run_impact(run, &impact, (double)9.81f, water_option(run, "time", 1.5));
}

void water_case_collide(WaterRun *run)
{
    run->d = water_option(run, "d", 0.05);
    float side = (float)(water_option(run, "size", 14) * run->d), gap = (float)(2 * run->d);
    float speed = (float)water_option(run, "speed", 10) / 2, half = side / 2, limit = INFINITY;
    SlBox open = {{-limit, -limit, -limit}, {limit, limit, limit}};
    Impact impact = {0};
    if (water_open(run, open, (SlVec3){0, 0, 0}) &&
        water_block(run, (SlVec3){-gap - side, -half, -half}, (SlVec3){-gap, half, half},
                    (SlVec3){speed, 0, 0}) &&
        water_block(run, (SlVec3){gap, -half, -half}, (SlVec3){gap + side, half, half},
                    (SlVec3){-speed, 0, 0}) &&
        water_start(run))
        run_impact(run, &impact, 0, water_option(run, "time", 1.5));
}

/* A world that is open but for a wall at x = 0, or for a plane there. */
static bool open_wall(WaterRun *run, Impact *impact)
{
    float limit = INFINITY;
    bool plane = strcmp(water_option_text(run, "wall", "domain"), "plane") == 0;
    SlBox domain = {{-limit, -limit, -limit}, {plane ? limit : 0, limit, limit}};
    impact->wall = "domain";
    if (!water_open(run, domain, (SlVec3){0, 0, 0}))
        return false;
    if (plane) {
        SlShape shape = sl_default_shape(SL_SHAPE_PLANE);
        shape.axis = (SlVec3){-1, 0, 0};
        SlColliderId id;
        impact->wall = "wall";
        if (water_check(run, sl_world_add_collider(run->world, &shape, &id, &run->result->error)))
            water_check(run, sl_collider_set_name(run->world, id, "wall", &run->result->error));
    }
    return run->status == SL_OK;
}

static double momentum_x(WaterRun *run, double *mass)
{
    WaterParticles p = water_particles(run);
    double sum = 0;
    for (size_t i = 0; i < p.count; i++)
        sum += p.mass[i] * p.v[i][0];
    *mass = p.total_mass;
    water_particles_free(&p);
    return sum;
}

/* Impulse of the force reported over the momentum that arrived (impulse) and over the momentum that
   the particles lost (balance); both are 1 where water neither bounces nor sticks. */
void water_case_oblique(WaterRun *run)
{
    run->d = water_option(run, "d", 0.05);
    double speed = water_option(run, "speed", 4), angle = water_option(run, "angle", 45) / 57.29578;
    float side = (float)(water_option(run, "size", 12) * run->d), gap = (float)(2 * run->d);
    SlVec3 velocity = {(float)(speed * cos(angle)), (float)(speed * sin(angle)), 0};
    Impact impact = {.from = 1e30};
    if (!open_wall(run, &impact) ||
        !water_block(run, (SlVec3){-gap - side, 0, 0}, (SlVec3){-gap, side, side}, velocity) ||
        !water_start(run))
        return;
    double mass, given = momentum_x(run, &mass);
    run_impact(run, &impact, 0, water_option(run, "time", 1));
    double left = momentum_x(run, &mass);
    water_note(run, impact.impulse / given, "impulse");
    water_note(run, impact.impulse / (given - left), "balance");
    water_note(run, impact.peak / (mass / (double)side * speed * speed), "peak");
}

typedef struct JetState {
    double mass, momentum;
} JetState;

static JetState jet_state(WaterRun *run)
{
    JetState s;
    s.momentum = momentum_x(run, &s.mass);
    return s;
}

/* Force of a steady jet over its momentum flux, from half of the time on. The emitter is 2.5 jet
   diameters away: nearer, the pressure at the wall reaches it, and it gives more than the jet's flux. */
void water_case_jet(WaterRun *run)
{
    run->d = water_option(run, "d", 0.05);
    double speed = water_option(run, "speed", 4), time = water_option(run, "time", 1);
    double radius = water_option(run, "radius", 6) * run->d;
    Impact impact = {.from = 1e30};
    if (!open_wall(run, &impact))
        return;
    SlEmitterDef def = sl_default_emitter_def(SL_EMITTER_DISK);
    def.center = (SlVec3){(float)(-water_option(run, "distance", 30) * run->d), 0, 0};
    def.direction = (SlVec3){1, 0, 0};
    def.radius = (float)radius;
    def.speed = (float)speed;
    if (!water_check(run, sl_system_add_emitter(run->world, run->system, &def, NULL,
                                                &run->result->error)) ||
        !water_start(run))
        return;
    run->on_step = impact_step;
    run->user = &impact;
    if (!water_advance(run, time / 2))
        return;
    JetState middle = jet_state(run);
    impact.from = sl_world_time(run->world) + 1e-9;
    double start = sl_world_time(run->world);
    if (!water_advance(run, time))
        return;
    JetState end = jet_state(run);
    double emitted = end.mass - middle.mass, arrived = emitted * speed;
    double flux = 1000 * 3.14159265358979 * radius * radius * speed;
    double span = sl_world_time(run->world) - start;
    water_note(run, impact.window_impulse / arrived, "impulse");
    water_note(run, impact.window_impulse / (arrived - (end.momentum - middle.momentum)), "balance");
    water_note(run, impact.window_impulse / (flux * speed * span), "force");
    water_note(run, emitted / (flux * span), "emitted");
    water_note(run, impact.peak / (flux * speed), "peak");
}
