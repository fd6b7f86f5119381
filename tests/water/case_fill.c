/* How much water a filled mesh holds, and how much an emitter gives. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "water/cases.h"

/* The mesh is scaled so that its longest side is `size` d, and filled in a world without walls. */
void water_case_fill(WaterRun *run)
{
    const char *folder = getenv("SLEET_SOURCE"), *name = water_option_text(run, "mesh", NULL);
    char path[1024];
    if (name == NULL)
        name = "assets/squirrel.obj";
    snprintf(path, sizeof path, "%s%s%s", name[0] != '/' && folder != NULL ? folder : "",
             name[0] != '/' && folder != NULL ? "/" : "", name);
    float limit = INFINITY;
    SlBox open = {{-limit, -limit, -limit}, {limit, limit, limit}};
    SlMeshReport report;
    SlError *error = &run->result->error;
    if (!water_open(run, open, (SlVec3){0, 0, 0}) ||
        !water_check(run, sl_mesh_file_report(run->context, path, &report, error)))
        return;
    SlVec3 low = report.bounds.min, high = report.bounds.max;
    double extent = fmax((double)(high.x - low.x), fmax((double)(high.y - low.y),
                                                        (double)(high.z - low.z)));
    double scale = water_option(run, "size", 30) * run->d / extent;
    SlFillDef def = sl_default_fill_def();
    def.path = path;
    def.scale = (float)scale;
    if (!water_check(run, sl_system_add_fill(run->world, run->system, &def, error)) ||
        !water_start(run))
        return;
    WaterParticles p = water_particles(run);
    double volume = fabs(report.volume) * pow(scale, 3), inner = 0;
    for (size_t i = 0; i < p.count; i++)
        inner = fmax(inner, p.density[i]);
    water_note(run, p.total_mass / (1000 * volume) - 1, "volume");
    water_note(run, (double)p.count * pow(run->d, 3) / volume - 1, "volume_by_count");
    water_note(run, (double)p.count, "count");
    water_note(run, inner, "max_density");
    water_note(run, report.closed, "closed");
    water_particles_free(&p);
}

/* Mass from a disk without walls and gravity, over area × speed × time × density. */
void water_case_emit(WaterRun *run)
{
    run->d = water_option(run, "d", 0.05);
    double radius = water_option(run, "radius", 6) * run->d, speed = water_option(run, "speed", 4);
    float limit = INFINITY;
    SlBox open = {{-limit, -limit, -limit}, {limit, limit, limit}};
    SlEmitterDef def = sl_default_emitter_def(SL_EMITTER_DISK);
    def.direction = (SlVec3){1, 0, 0};
    def.radius = (float)radius;
    def.speed = (float)speed;
    if (!water_open(run, open, (SlVec3){0, 0, 0}) ||
        !water_check(run, sl_system_add_emitter(run->world, run->system, &def, NULL,
                                                &run->result->error)) ||
        !water_start(run) || !water_advance(run, water_option(run, "time", 1)))
        return;
    WaterParticles p = water_particles(run);
    double asked = 1000 * 3.14159265358979 * radius * radius * speed * sl_world_time(run->world);
    water_note(run, p.total_mass / asked, "emitted");
    water_note(run, p.total_mass, "mass");
    water_particles_free(&p);
}
