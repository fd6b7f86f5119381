/* The part of bench snow that makes whole runs: a ball hits the floor at 5 m/s, one frame of a film,
   explicit and semi-implicit, as Table 3 of document 001 has its scenes. */
#include <math.h>

#include "app/bench.h"
#include "core/timer.h"
#include "world/world.h"

static const double frame = 1.0 / 24; /* s, the paper's */

typedef struct Way {
    const char *name, *transfer, *integration;
} Way;

static const Way ways[] = {{"mls_explicit", "mls", "explicit"},
                           {"mls_implicit", "mls", "implicit"},
                           {"flip_explicit", "flip", "explicit"},
                           {"flip_implicit", "flip", "implicit"}};

typedef struct Steps {
    uint64_t steps, iterations;
} Steps;

static bool count_step(void *user, SlSystemId system, const SlStepStats *stats)
{
    (void)system;
    Steps *counted = user;
    counted->steps++;
    counted->iterations += stats->iterations;
    return true;
}

/* A ball of 20 cm of about so many particles, a millimetre above the floor. */
static SlStatus make_ball(const Way *way, double particles, Steps *steps, SlWorld **world,
                          SlError *error)
{
    SlWorldDef def = sl_default_world_def();
    def.threads = 2;
    def.domain = (SlBox){{-2, 0, -2}, {2, 4, 2}};
    def.domain_friction = 0.5f;
    def.on_step = count_step;
    def.on_step_user = steps;
    SlSystemDef system = sl_default_system_def("snow");
    SlSystemId id;
    SlShape ball = sl_default_shape(SL_SHAPE_SPHERE);
    ball.center = (SlVec3){0, 0.201f, 0};
    ball.radius = 0.2f;
    SlFillDef fill = sl_default_fill_def();
    fill.mode = SL_FILL_RANDOM;
    fill.shapes = &ball;
    fill.shape_count = 1;
    fill.velocity = (SlVec3){0, -5, 0};
    double volume = 4.0 / 3 * acos(-1) * 0.2 * 0.2 * 0.2;
    SlStatus status = sl_world_create(&def, world, error);
    if (status == SL_OK)
        status = sl_world_add_system(*world, &system, &id, error);
    if (status == SL_OK)
        status = sl_system_set_number(*world, id, "spacing", cbrt(volume / particles), error);
    if (status == SL_OK)
        status = sl_system_set_text(*world, id, "transfer", way->transfer, error);
    if (status == SL_OK)
        status = sl_system_set_text(*world, id, "integration", way->integration, error);
    if (status == SL_OK)
        status = sl_system_add_fill(*world, id, &fill, error);
    return status == SL_OK ? sl_world_start(*world, error) : status;
}

static SlStatus run_ball(Bench *bench, const Way *way, const char *size, double particles,
                         SlError *error)
{
    SlWorld *world = NULL;
    Steps counted = {0, 0};
    SlStatus status = make_ball(way, particles, &counted, &world, error);
    double began = sl_seconds(), length = bench->quick ? frame / 8 : frame;
    if (status == SL_OK)
        status = sl_world_step(world, length, error);
    if (status == SL_OK) {
        double per_second = (sl_seconds() - began) / length;
        double iterations = (double)counted.iterations / (double)counted.steps;
        printf("  %-4s %-14s %10zu %10.0f %10.1f %10.0f %10.1f\n", size, way->name,
               world->systems[0]->base.particles.count, (double)counted.steps * frame / length,
               iterations, per_second, per_second * frame);
        fflush(stdout);
        bench_keep(bench, per_second, "s per simulated s", "ball.%s.%s.s_per_s", size, way->name);
        bench_keep(bench, per_second * frame, "s per frame", "ball.%s.%s.s_per_frame", size,
                   way->name);
        if (iterations > 0)
            bench_keep(bench, iterations, "per solve", "ball.%s.%s.mean_iterations", size,
                       way->name);
    }
    sl_world_destroy(world);
    return status;
}

SlStatus bench_snow_runs(Bench *bench, SlError *error)
{
    SlStatus status = SL_OK;
    printf("  a ball hits the floor: 1/24 s, 2 threads; the paper's Table 3 has 180 s per frame and "
           "more\n  %-4s %-14s %10s %10s %10s %10s %10s\n",
           "", "", "particles", "steps", "iterations", "s per s", "s/frame");
    for (int s = 0; s < (bench->quick ? 1 : 2); s++)
        for (size_t w = 0; status == SL_OK && w < sizeof ways / sizeof ways[0]; w++)
            status = run_ball(bench, &ways[w], s == 0 ? "30k" : "300k", s == 0 ? 3e4 : 3e5, error);
    return status;
}
