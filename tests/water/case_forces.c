/* Buoyancy of fixed bodies under water. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "water/cases.h"

typedef struct Buoyancy {
    double weight, floor_weight, from; /* N, of the displaced water; N, of all; s */
    WaterMean force, side, floor, speed2;
    double mass;
} Buoyancy;

static void buoyancy_step(WaterRun *run, const SlStepStats *stats)
{
    Buoyancy *b = run->user;
    if (stats->time < b->from)
        return;
    water_mean_add(&b->force, stats->dt, water_force(stats, "body", 1) / b->weight);
    water_mean_add(&b->side, stats->dt,
                   hypot(water_force(stats, "body", 0), water_force(stats, "body", 2)) / b->weight);
    water_mean_add(&b->floor, stats->dt, -water_force(stats, "domain", 1));
    water_mean_add(&b->speed2, stats->dt, 2 * stats->kinetic_energy / b->mass);
}

/* A fill, not a block: it leaves out the places that the body takes. */
static bool open_tank(WaterRun *run, double base, double depth)
{
    float side = (float)(base * run->d), height = (float)(depth * run->d);
    SlBox domain = {{0, 0, 0}, {side, 2 * height, side}};
    SlShape box = sl_default_shape(SL_SHAPE_BOX);
    box.center = (SlVec3){side / 2, height / 2, side / 2};
    box.half = box.center;
    SlFillDef fill = sl_default_fill_def();
    fill.shapes = &box;
    fill.shape_count = 1;
    return water_open(run, domain, (SlVec3){0, -9.81f, 0}) &&
           water_check(run, sl_system_add_fill(run->world, run->system, &fill, &run->result->error));
}

static void run_buoyancy(WaterRun *run, Buoyancy *b, SlColliderId id)
{
    double time = water_option(run, "time", 4);
    if (!water_check(run, sl_collider_set_name(run->world, id, "body", &run->result->error)) ||
        !water_start(run))
        return;
    WaterParticles p = water_particles(run);
    b->mass = p.total_mass;
    water_particles_free(&p);
    b->from = time / 2;
    run->on_step = buoyancy_step;
    run->user = b;
    if (!water_advance(run, time))
        return;
    /* The floor carries the water and the reaction of the body. */
    double carried = b->mass * WATER_G + b->weight * water_mean_of(&b->force);
    water_note(run, water_mean_of(&b->force), "force");
    water_note(run, water_mean_deviation(&b->force) / water_mean_of(&b->force), "scatter");
    water_note(run, water_mean_of(&b->side), "side");
    water_note(run, water_mean_of(&b->floor) / carried, "floor");
    water_note(run, water_mean_deviation(&b->floor) / carried, "floor_scatter");
    water_note(run, sqrt(water_mean_of(&b->speed2) / (WATER_G * run->d)), "rms");
}

void water_case_sphere(WaterRun *run)
{
    double radius = water_option(run, "radius", 4) * run->d;
    double base = water_option(run, "base", 20), depth = water_option(run, "depth", 24);
    Buoyancy b = {.weight = 1000 * WATER_G * 4.18879020478639 * pow(radius, 3)};
    if (!open_tank(run, base, depth))
        return;
    SlShape shape = sl_default_shape(SL_SHAPE_SPHERE);
    shape.radius = (float)radius;
    shape.center = (SlVec3){(float)(base / 2 * run->d), (float)(depth / 2 * run->d),
                            (float)(base / 2 * run->d)};
    SlColliderId id;
    if (water_check(run, sl_world_add_collider(run->world, &shape, &id, &run->result->error)))
        run_buoyancy(run, &b, id);
}

void water_case_mesh(WaterRun *run)
{
    const char *folder = getenv("SLEET_SOURCE"), *name = water_option_text(run, "mesh", NULL);
    char path[1024];
    if (name == NULL)
        name = "assets/squirrel.obj";
    snprintf(path, sizeof path, "%s%s%s", name[0] != '/' && folder != NULL ? folder : "",
             name[0] != '/' && folder != NULL ? "/" : "", name);
    double base = water_option(run, "base", 28), depth = water_option(run, "depth", 30);
    SlMeshReport report;
    SlError *error = &run->result->error;
    if (!open_tank(run, base, depth) ||
        !water_check(run, sl_mesh_file_report(run->context, path, &report, error)))
        return;
    SlVec3 low = report.bounds.min, high = report.bounds.max;
    double extent = fmax((double)(high.x - low.x), fmax((double)(high.y - low.y),
                                                        (double)(high.z - low.z)));
    double scale = water_option(run, "size", 16) * run->d / extent;
    SlMeshColliderDef def = sl_default_mesh_collider_def();
    def.path = path;
    def.scale = (float)scale;
    def.position = (SlVec3){(float)(base / 2 * run->d - scale * (double)(low.x + high.x) / 2),
                            (float)(depth / 2 * run->d - scale * (double)(low.y + high.y) / 2),
                            (float)(base / 2 * run->d - scale * (double)(low.z + high.z) / 2)};
    Buoyancy b = {.weight = 1000 * WATER_G * fabs(report.volume) * pow(scale, 3)};
    SlColliderId id;
    if (water_check(run, sl_world_add_mesh_collider(run->world, &def, &id, error)))
        run_buoyancy(run, &b, id);
}
