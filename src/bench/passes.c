/* bench passes: sort, list build, lambda (density) pass and displacement pass of position based
   fluids, in ns per particle, by kernel and size, threads and the reference implementation beside. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "bench/peak.h"
#include "bench/reference.h"
#include "core/timer.h"
#include "solvers/pbf/pbf.h"
#include "world/world.h"

enum { MAX_REPEATS = 61 };

SlStatus bench_dam(uint32_t threads, uint32_t side, const char *kernel, uint32_t steps,
                   SlWorld **world, SlError *error)
{
    SlWorldDef def = sl_default_world_def();
    float width = 0.1f * (float)side;
    def.domain = (SlBox){{0, 0, 0}, {3 * width, 2 * width, width}};
    SlStatus status = bench_own_context(&def, threads, error);
    if (status == SL_OK)
        status = sl_world_create(&def, world, error);
    SlSystemDef system = sl_default_system_def("pbf");
    SlSystemId id;
    SlBlock block = {.max = {width, width, width}};
    if (status == SL_OK)
        status = sl_world_add_system(*world, &system, &id, error);
    if (status == SL_OK)
        status = sl_system_set_text(*world, id, "preset", "macklin2013", error); /* its own passes */
    if (status == SL_OK)
        status = sl_system_set_text(*world, id, "kernel", kernel, error);
    if (status == SL_OK)
        status = sl_system_add_block(*world, id, &block, error);
    for (uint32_t k = 0; status == SL_OK && k < steps; k += 2)
        status = sl_world_advance_frame(*world, error);
    return status;
}

/* Times of the passes on one world, one sample per round; rounds alternate between worlds. */
typedef struct Samples {
    SlWorld *world;
    SlSystem *system;
    double sort[MAX_REPEATS], list[MAX_REPEATS], lambda[MAX_REPEATS], displace[MAX_REPEATS];
    size_t count;
} Samples;

typedef struct Passes {
    double sort, list, lambda, displace; /* ns per particle, first tenths */
} Passes;

static SlStatus sample(Samples *s, SlError *error)
{
    SlSystem *system = s->system;
    double scale = 1e6 / (double)system->particles.count; /* ms to ns per particle */
    SlPbfPass pass;
    SlStatus status = sl_pbf_prepare(system, 1.0 / 120, &pass, error);
    if (status != SL_OK)
        return status;
    sl_fluid_predict(system, &pass.fluid);
    for (size_t i = 0; i < pass.fluid.particles.count; i++) /* takes back what gravity added */
        pass.fluid.particles.velocity[4 * i + 1] -= pass.fluid.dt * system->surroundings.gravity.y;
    double ms[4] = {0}, mark = sl_seconds();
    status = sl_fluid_sort(system, &pass.fluid, SL_LIST_FROM_PREDICTED, error);
    sl_lap(&mark, &ms[0]);
    if (status == SL_OK)
        status = sl_fluid_list(system, &pass.fluid, SL_LIST_FROM_PREDICTED, error);
    sl_lap(&mark, &ms[1]);
    if (status != SL_OK)
        return status;
    /* The first iterations of a step. It is not finished, so that every round sees one state. */
    enum { ITERATIONS = 3 };
    for (int k = 0; k < ITERATIONS; k++) {
        sl_pbf_lambda(system, &pass);
        sl_lap(&mark, &ms[2]);
        sl_pbf_displace(system, &pass, (uint32_t)k + 1);
        sl_lap(&mark, &ms[3]);
    }
    s->sort[s->count] = ms[0] * scale;
    s->list[s->count] = ms[1] * scale;
    s->lambda[s->count] = ms[2] * scale / ITERATIONS;
    s->displace[s->count] = ms[3] * scale / ITERATIONS;
    s->count++;
    return SL_OK;
}

SlStatus bench_pass_ns(SlWorld *world, double *ns, SlError *error)
{
    Samples s = {.world = world, .system = &world->systems[0]->base};
    SlStatus status = sample(&s, error);
    *ns = s.lambda[0] + s.displace[0];
    return status;
}

static Passes lows(Samples *s)
{
    return (Passes){bench_low(s->sort, s->count), bench_low(s->list, s->count),
                    bench_low(s->lambda, s->count), bench_low(s->displace, s->count)};
}

static SlStatus open_samples(Samples *s, uint32_t threads, uint32_t side, const char *kernel,
                             uint32_t steps, SlError *error)
{
    memset(s, 0, sizeof *s);
    SlStatus status = bench_dam(threads, side, kernel, steps, &s->world, error);
    if (status == SL_OK)
        s->system = &s->world->systems[0]->base;
    return status;
}

static void report(Bench *bench, const char *kernel, const char *size, Passes p)
{
    bench_report(bench, p.sort, "ns", "%s.%s.sort_ns", kernel, size);
    bench_report(bench, p.list, "ns", "%s.%s.list_ns", kernel, size);
    bench_report(bench, p.lambda, "ns", "%s.%s.density_ns", kernel, size);
    bench_report(bench, p.displace, "ns", "%s.%s.dx_ns", kernel, size);
    bench_report(bench, p.lambda + p.displace, "ns", "%s.%s.density_plus_dx_ns", kernel, size);
}

/* The same state through the reference implementation, one thread. */
static SlStatus compare_reference(Bench *bench, const Samples *s, Passes fast, SlError *error)
{
    Reference reference;
    const SlParticles *particles = &s->system->particles;
    double n = (double)particles->count, ms[4] = {0};
    if (!reference_create(&reference, sl_f32x4(particles, SL_F_POSITION), particles->count,
                      SL_KERNEL_CUBIC, 0.1, 0.2))
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for the reference implementation");
    double mark = sl_seconds();
    bool ok = reference_bin(&reference);
    sl_lap(&mark, &ms[0]);
    if (ok) {
        volatile uint64_t pairs = reference_count_pairs(&reference);
        (void)pairs;
        sl_lap(&mark, &ms[1]);
        reference_lambda(&reference, 0.2, false);
        sl_lap(&mark, &ms[2]);
        reference_displace(&reference);
        sl_lap(&mark, &ms[3]);
    }
    reference_destroy(&reference);
    if (!ok)
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for the reference implementation");
    const char *names[4] = {"sort", "list", "density", "dx"};
    double fast_ns[4] = {fast.sort, fast.list, fast.lambda, fast.displace};
    for (int k = 0; k < 4; k++) {
        bench_report(bench, 1e6 * ms[k] / n, "ns", "reference.216k.%s_ns", names[k]);
        bench_report(bench, 1e6 * ms[k] / n / fast_ns[k], "times", "reference.216k.%s_gain", names[k]);
    }
    return SL_OK;
}

/* All worlds are alive at once and take turns, so that a stretch of time in which the machine is busy
   with others' work meets all of them. */
enum { TWO, ONE, MILLION, WENDLAND, POLY6, WORLDS };

static SlStatus open_all(const Bench *bench, Samples *s, SlError *error)
{
    uint32_t steps = bench->quick ? 12 : 60;
    SlStatus status = open_samples(&s[TWO], bench->threads, 60, "cubic", steps, error);
    if (status == SL_OK)
        status = open_samples(&s[ONE], 1, 60, "cubic", steps, error);
    if (status == SL_OK)
        status = open_samples(&s[WENDLAND], bench->threads, 60, "wendland", steps, error);
    if (status == SL_OK && !bench->quick)
        status = open_samples(&s[POLY6], bench->threads, 60, "poly6", steps, error);
    if (status == SL_OK && !bench->quick)
        status = open_samples(&s[MILLION], bench->threads, 100, "cubic", steps, error);
    return status;
}

/* Median over the rounds of what one world took over what the other took, side by side in time:
   of a ratio both ends can be late. */
static double ratio(const Samples *over, const Samples *under, bool passes_only)
{
    double ratios[MAX_REPEATS];
    for (size_t k = 0; k < under->count; k++) {
        double rest = passes_only ? 0 : 1;
        double a = over->lambda[k] + over->displace[k] + rest * (over->sort[k] + over->list[k]);
        double b = under->lambda[k] + under->displace[k] + rest * (under->sort[k] + under->list[k]);
        ratios[k] = a / b;
    }
    return bench_median(ratios, under->count);
}

static SlStatus report_all(Bench *bench, Samples *s, SlError *error)
{
    double fma = sl_peak_gflops(s[TWO].system->context) / sl_peak_gflops(s[ONE].system->context);
    double gain = ratio(&s[ONE], &s[TWO], true);
    if (s[MILLION].world != NULL)
        bench_report(bench, 100 * (ratio(&s[MILLION], &s[TWO], false) - 1), "%",
                     "growth_216k_to_1m_percent");
    /* The limit: 1.8, or 0.92 of what the multiply-add loop gains on this machine. */
    bench_report(bench, gain, "times", "two_threads_gain");
    bench_report(bench, fma, "times", "two_threads_fma_gain");
    bench_report(bench, fmax(gain, gain * 1.8 / (0.92 * fma)), "times",
                 "two_threads_gain_or_fma_share");
    Passes two = lows(&s[TWO]); /* sorts: ratios come before */
    report(bench, "cubic", "216k", two);
    report(bench, "cubic", "216k.1thread", lows(&s[ONE]));
    report(bench, "wendland", "216k", lows(&s[WENDLAND]));
    if (s[POLY6].world != NULL)
        report(bench, "poly6", "216k", lows(&s[POLY6]));
    if (s[MILLION].world != NULL)
        report(bench, "cubic", "1m", lows(&s[MILLION]));
    return compare_reference(bench, &s[TWO], two, error);
}

static SlStatus run(Bench *bench, SlError *error)
{
    uint32_t rounds = bench->quick ? 13 : MAX_REPEATS;
    Samples *s = calloc(WORLDS, sizeof *s);
    if (s == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for samples");
    SlStatus status = open_all(bench, s, error);
    for (uint32_t k = 0; status == SL_OK && k < rounds; k++)
        for (int w = 0; status == SL_OK && w < WORLDS; w++)
            if (s[w].world != NULL)
                status = sample(&s[w], error);
    if (status == SL_OK)
        status = report_all(bench, s, error);
    for (int w = 0; w < WORLDS; w++)
        sl_world_destroy(s[w].world);
    free(s);
    return status;
}

const BenchKind bench_passes = {
    "passes", "sort, neighbour list, density and displacement passes of pbf, ns per particle", run};

/* --- bench render: a 720p frame of a 216,000-particle dam break by the splat renderer. --- */

enum { MAX_DRAWS = 41 };

static SlStatus measure(Bench *bench, SlWorld *world, const char *style, SlError *error)
{
    size_t tables;
    const SlTable *table = sl_renderer_tables(&tables)[0];
    SlParamValue values[64];
    if (table->row_count > 64)
        return SL_ERROR_ARGUMENT;
    for (size_t k = 0; k < table->row_count; k++)
        values[k] = table->rows[k].value;
    const SlParamRow *row = sl_table_find(table, "blend");
    SlStatus status = sl_param_set_text(row, style, &values[row - table->rows], error);
    SlRenderer *renderer = NULL;
    if (status == SL_OK)
        status = sl_renderer_create(sl_world_context(world), "splats", values, &renderer, error);
    SlCamera camera = sl_default_camera();
    camera.eye = (SlVec3){26, 10, 22};
    camera.target = (SlVec3){7.5f, 2.5f, 3};
    double ms[MAX_DRAWS];
    size_t rounds = bench->quick ? 7 : 25;
    for (size_t k = 0; status == SL_OK && k < rounds; k++) {
        const SlImage *image;
        status = sl_renderer_draw(renderer, sl_world_view(world), &camera, &image, error);
        ms[k] = sl_renderer_last_ms(renderer);
    }
    if (status == SL_OK)
        bench_report(bench, bench_low(ms, rounds), "ms", "splats_216k.%s_ms", style);
    sl_renderer_destroy(renderer);
    return status;
}

static SlStatus run_render(Bench *bench, SlError *error)
{
    SlWorld *world = NULL;
    SlStatus status = bench_dam(bench->threads, 60, "cubic", bench->quick ? 24 : 80, &world, error);
    if (status == SL_OK)
        status = measure(bench, world, "opaque", error);
    if (status == SL_OK)
        status = measure(bench, world, "transparent", error);
    sl_world_destroy(world);
    return status;
}

const BenchKind bench_render = {"render", "a 1280 x 720 frame of 216,000 splats, shadows included",
                                run_render};
