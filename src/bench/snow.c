/* bench snow: a moving block of snow, at rest in itself or with every particle deformed.

   It moves at 5 m/s, so that particles leave their blocks and fields fall out of order as they do
   between two reorderings of a scene; at this speed and step the solver reorders every 20th step. */
#include <math.h>
#include <string.h>

#include "bench/bench.h"
#include "core/timer.h"
#include "solvers/snow/nodes.h"
#include "solvers/snow/implicit.h"
#include "solvers/snow/snow.h"
#include "world/world.h"

enum { MAX_REPEATS = 41 };

enum { SORT, TO_GRID, GRID, TO_PARTICLES, FRAMES, HESSIAN, REORDER, ALL, STAGES };
static const char *const stage_names[STAGES] = {
    "sort", "to_grid", "grid", "to_particles", "principal_frames", "hessian", "reorder", "step"};

static const double step_time = 1e-4;
static const float speed = 2.9f; /* m/s along each axis */
static const double steps_per_reorder = 20;

/* side³ particles, eight in a cell, far above the ground. */
static SlStatus snow_block(uint32_t threads, uint32_t side, const char *transfer,
                           const char *integration, SlWorld **world, SlError *error)
{
    SlWorldDef def = sl_default_world_def();
    def.domain = (SlBox){{0, 0, 0}, {20, 20, 20}};
    SlSystemDef system = sl_default_system_def("snow");
    SlSystemId id;
    float size = (float)side * 0.02f;
    SlBlock block = {.min = {5, 10, 5}, .max = {5 + size, 10 + size, 5 + size}};
    SlStatus status = bench_own_context(&def, threads, error);
    if (status == SL_OK)
        status = sl_world_create(&def, world, error);
    if (status == SL_OK)
        status = sl_world_add_system(*world, &system, &id, error);
    if (status == SL_OK)
        status = sl_system_set_text(*world, id, "transfer", transfer, error);
    if (status == SL_OK)
        status = sl_system_set_text(*world, id, "integration", integration, error);
    if (status == SL_OK)
        status = sl_system_set_number(*world, id, "time_step", step_time, error);
    if (status == SL_OK)
        status = sl_system_add_block(*world, id, &block, error);
    if (status == SL_OK) /* volumes are measured in the first step */
        status = sl_world_step(*world, step_time, error);
    return status;
}

/* F = I with up to 0.01 in each entry, by the particle's number; all else as at the start. */
static void deform(SlSystem *system, bool deformed)
{
    SlParticles *particles = &system->particles;
    const uint32_t *id = particles->data[SL_F_ID];
    float *stretch = sl_f32x4(particles, SL_F_STRETCH), *shear = sl_f32x4(particles, SL_F_SHEAR);
    float *plastic = particles->data[SL_F_PLASTIC];
    for (size_t i = 0; i < particles->count; i++) {
        float F[9];
        uint32_t hash = id[i];
        for (int k = 0; k < 9; k++) {
            hash = hash * 1664525u + 1013904223u;
            float r = (float)(hash >> 8) * 0x1p-23f - 1;
            F[k] = (k % 4 == 0 ? 1 : 0) + (deformed ? 0.01f * r : 0);
        }
        for (size_t a = 0; a < 3; a++) {
            size_t b = (a + 1) % 3, c = (a + 2) % 3;
            stretch[4 * i + a] = F[3 * a] * F[3 * a] + F[3 * a + 1] * F[3 * a + 1] +
                                 F[3 * a + 2] * F[3 * a + 2] - 1;
            shear[4 * i + a] = F[3 * b] * F[3 * c] + F[3 * b + 1] * F[3 * c + 1] +
                               F[3 * b + 2] * F[3 * c + 2];
        }
        plastic[i] = 1;
        for (int a = 0; a < 3; a++) {
            sl_f32x4(particles, SL_F_VELOCITY)[4 * i + (size_t)a] = speed;
            memset(sl_f32x4(particles, (SlFieldId)(SL_F_SLOPE_X + a)) + 4 * i, 0,
                   3 * sizeof(float));
        }
    }
}

/* One explicit step by stages, ms each: stress goes with momentum as in an explicit world; then what an iteration of the solve would add. */
static SlStatus time_step(SlSystem *system, double ms[STAGES], SlError *error)
{
    SlSnowPass pass;
    double mark = sl_seconds();
    memset(ms, 0, STAGES * sizeof *ms);
    SlStatus status = sl_snow_begin(system, step_time, &pass, error);
    if (status == SL_OK)
        status = sl_snow_sort(system, &pass, error);
    if (status != SL_OK)
        return status;
    pass.separate_impulse = pass.lattice.cubic;
    sl_lap(&mark, &ms[SORT]);
    sl_snow_particles_to_grid(system, &pass);
    sl_lap(&mark, &ms[TO_GRID]);
    sl_snow_update_nodes(&pass);
    sl_lap(&mark, &ms[GRID]);
    sl_snow_grid_to_particles(system, &pass);
    sl_lap(&mark, &ms[TO_PARTICLES]);
    sl_snow_principal_frames(&pass);
    sl_lap(&mark, &ms[FRAMES]);
    sl_snow_apply_hessian(&pass, SL_NODES, SL_A_RESIDUAL);
    sl_lap(&mark, &ms[HESSIAN]);
    return SL_OK;
}

/* The sort of a step that puts the fields in order too, less one that does not, ms. */
static SlStatus time_reorder(SlSystem *system, double *ms, SlError *error)
{
    double all[2] = {INFINITY, INFINITY};
    SlStatus status = SL_OK;
    for (int k = 0; k < 6 && status == SL_OK; k++) {
        SlSnowPass pass;
        status = sl_snow_begin(system, step_time, &pass, error);
        ((SlSnowState *)system->state)->drift = k % 2 == 0 ? INFINITY : 0;
        double mark = sl_seconds(), one = 0;
        if (status == SL_OK)
            status = sl_snow_sort(system, &pass, error);
        sl_lap(&mark, &one);
        all[k % 2] = fmin(all[k % 2], one);
    }
    *ms = fmax(all[0] - all[1], 0);
    return status;
}

static void head(void)
{
    printf("  ns per particle       ");
    for (int s = 0; s < STAGES; s++)
        printf(" %16s", stage_names[s]);
    printf("\n");
}

typedef struct Case {
    const char *transfer;
    uint32_t side;
    const char *size;
    uint32_t threads;
    bool deformed;
} Case;

/* A line of the table. */
static SlStatus measure(Bench *bench, const Case *c, double ns[STAGES], SlError *error)
{
    SlWorld *world = NULL;
    /* Semi-implicit, so that there are layers for the Hessian; stages are called one by one. */
    SlStatus status = snow_block(c->threads, c->side, c->transfer, "implicit", &world, error);
    double ms[STAGES][MAX_REPEATS];
    size_t rounds = bench->quick ? 5 : 21;
    const char *how = c->deformed ? "deformed" : "fall";
    for (size_t k = 0; status == SL_OK && k < rounds; k++) {
        double one[STAGES];
        SlSystem *system = &world->systems[0]->base;
        deform(system, c->deformed);
        status = time_step(system, one, error);
        for (int s = 0; s < STAGES; s++)
            ms[s][k] = one[s];
    }
    double reorder = 0;
    if (status == SL_OK)
        status = time_reorder(&world->systems[0]->base, &reorder, error);
    if (status == SL_OK) {
        double per_particle = 1e6 / (double)world->systems[0]->base.particles.count;
        printf("  %-4s %-4s %u %-8s ", c->transfer, c->size, c->threads, how);
        for (int s = 0; s < REORDER; s++)
            ns[s] = per_particle * bench_low(ms[s], rounds);
        ns[REORDER] = per_particle * reorder;
        ns[ALL] = ns[SORT] + ns[TO_GRID] + ns[GRID] + ns[TO_PARTICLES] +
                  ns[REORDER] / steps_per_reorder;
        for (int s = 0; s < STAGES; s++) {
            bench_keep(bench, ns[s], "ns", "%s.%s.%s.%u_threads.%s_ns", c->transfer, c->size, how,
                       c->threads, stage_names[s]);
            printf(" %16.2f", ns[s]);
        }
        printf("\n");
        fflush(stdout);
    }
    sl_world_destroy(world);
    return status;
}

enum { SIZES = 3, MAX_THREADS = 2 };
static const struct {
    uint32_t side;
    const char *name;
} sizes[SIZES] = {{46, "100k"}, {67, "300k"}, {100, "1m"}};

/* Of one transfer: [size][threads - 1][deformed]. */
typedef double Table[SIZES][MAX_THREADS][2][STAGES];

/* The cost of plasticity: the time of grid to particles in a deformed state minus that in free fall. */
static void report_transfer(Bench *bench, const char *transfer, const Table ns, int last)
{
    const double(*two)[STAGES] = ns[last][1], (*one)[STAGES] = ns[last][0];
    const char *size = sizes[last].name;
    bench_report(bench, 1e3 / two[1][ALL], "million particle steps per second",
                 "%s.%s.million_steps_per_s", transfer, size);
    bench_report(bench, fmax(two[1][TO_PARTICLES] - two[0][TO_PARTICLES], 1e-6), "ns",
                 "%s.%s.plasticity_ns", transfer, size);
    bench_report(bench, one[1][ALL] / two[1][ALL], "", "%s.two_threads_gain", transfer);
    bench_report(bench, two[1][HESSIAN] / two[1][ALL], "of a step", "%s.%s.hessian_share", transfer,
                 size);
    if (last == SIZES - 1)
        bench_report(bench, 100 * fmax(two[1][ALL] / ns[last - 1][1][1][ALL] - 1, 1e-6), "%",
                     "%s.growth_300k_to_1m_percent", transfer);
}

/* Memory of an explicit world without its blocks. */
static SlStatus measure_memory(Bench *bench, SlError *error)
{
    SlWorld *world = NULL;
    uint32_t side = bench->quick ? sizes[0].side : sizes[2].side;
    SlStatus status = snow_block(2, side, "mls", "explicit", &world, error);
    if (status == SL_OK) {
        const SlSystem *system = &world->systems[0]->base;
        const SlSnowBlocks *blocks = &((const SlSnowState *)system->state)->blocks;
        double held = (double)sl_context_bytes_held(sl_world_context(world));
        held -= (double)blocks->capacity * SL_SNOW_BLOCK_FLOATS * sizeof(float);
        bench_report(bench, held / (double)system->particles.count, "B",
                     "explicit.bytes_per_particle");
    }
    sl_world_destroy(world);
    return status;
}

static SlStatus run(Bench *bench, SlError *error)
{
    static const char *const transfers[] = {"mls", "flip"};
    SlStatus status = SL_OK;
    int last = bench->quick ? 0 : SIZES - 1;
    for (int t = 0; t < 2; t++) {
        Table ns;
        head();
        for (int s = 0; s <= last; s++)
            for (uint32_t threads = 1; threads <= MAX_THREADS; threads++)
                for (int deformed = 0; status == SL_OK && deformed < 2; deformed++) {
                    Case c = {transfers[t], sizes[s].side, sizes[s].name, threads, deformed == 1};
                    status = measure(bench, &c, ns[s][threads - 1][deformed], error);
                }
        if (status != SL_OK)
            return status;
        report_transfer(bench, transfers[t], (const double(*)[MAX_THREADS][2][STAGES])ns, last);
    }
    status = measure_memory(bench, error);
    return status == SL_OK ? bench_snow_runs(bench, error) : status;
}

const BenchKind bench_snow = {
    "snow", "stages of a step of snow by either transfer, and seconds per frame of complete runs", run};

/* --- The part of bench snow that makes complete runs: a ball hits the floor at 5 m/s, one frame of a film,
   explicit and semi-implicit, as the scenes of [Stomakhin 2013, Table 3]. --- */

static const double frame = 1.0 / 24; /* s, as in [Stomakhin 2013] */

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
    SlStatus status = bench_own_context(&def, 2, error);
    if (status == SL_OK)
        status = sl_world_create(&def, world, error);
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
