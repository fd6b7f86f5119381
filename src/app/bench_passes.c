/* bench passes: sort, list build, lambda (density) pass and displacement pass of position based
   fluids, in ns per particle, by kernel and size, threads and plain twin beside. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/bench.h"
#include "app/plain.h"
#include "core/peak.h"
#include "core/timer.h"
#include "fluid/pbf.h"
#include "world/world.h"

enum { MOST_REPEATS = 41 };

SlStatus bench_dam(uint32_t threads, uint32_t side, const char *kernel, uint32_t steps,
                   SlWorld **world, SlError *error)
{
    SlWorldDef def = sl_default_world_def();
    float width = 0.1f * (float)side;
    def.threads = threads;
    def.domain = (SlBox){{0, 0, 0}, {3 * width, 2 * width, width}};
    SlStatus status = sl_world_create(&def, world, error);
    SlSystemDef system = sl_default_system_def("pbf");
    SlSystemId id;
    SlBlockDef block = {.max = {width, width, width}};
    if (status == SL_OK)
        status = sl_world_add_system(*world, &system, &id, error);
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
    double sort[MOST_REPEATS], list[MOST_REPEATS], lambda[MOST_REPEATS], displace[MOST_REPEATS];
    size_t count;
} Samples;

typedef struct Passes {
    double sort, list, lambda, displace; /* ns per particle, first quartiles */
} Passes;

static SlStatus sample(Samples *s, SlError *error)
{
    SlSystem *system = s->system;
    const SlPbfKernels *kernels = SL_KERNELS(system->context->isa, sl_pbf_kernels);
    SlKernelKind kind = sl_pbf_kernel(system);
    double scale = 1e6 / (double)system->particles.count; /* ms to ns per particle */
    SlPbfPass pass;
    SlStatus status = sl_pbf_begin(system, 1.0 / 120, &pass, error);
    if (status != SL_OK)
        return status;
    sl_pbf_run(system, &pass, kernels->predict);
    double ms[4] = {0}, mark = sl_seconds();
    status = sl_pbf_sort(system, &pass, error);
    sl_lap(&mark, &ms[0]);
    if (status == SL_OK)
        status = sl_pbf_list(system, &pass, error);
    sl_lap(&mark, &ms[1]);
    if (status != SL_OK)
        return status;
    /* A real step's work: the passes move the particles; velocities then follow as in a step. */
    enum { ITERATIONS = 3 };
    for (int k = 0; k < ITERATIONS; k++) {
        sl_pbf_run(system, &pass, kernels->lambda[kind]);
        sl_lap(&mark, &ms[2]);
        sl_pbf_run(system, &pass, sl_pbf_displace(system, &pass, (uint32_t)k));
        sl_lap(&mark, &ms[3]);
    }
    sl_pbf_run(system, &pass, kernels->velocity);
    memcpy(pass.velocity, pass.new_velocity, 16 * pass.count);
    memcpy(pass.position, pass.predicted, 16 * pass.count);
    s->sort[s->count] = ms[0] * scale;
    s->list[s->count] = ms[1] * scale;
    s->lambda[s->count] = ms[2] * scale / ITERATIONS;
    s->displace[s->count] = ms[3] * scale / ITERATIONS;
    s->count++;
    return SL_OK;
}

static Passes quartiles(Samples *s)
{
    return (Passes){bench_quartile(s->sort, s->count), bench_quartile(s->list, s->count),
                    bench_quartile(s->lambda, s->count), bench_quartile(s->displace, s->count)};
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

/* The same state through the plain twin, one thread. */
static SlStatus twin(Bench *bench, const Samples *s, Passes fast, SlError *error)
{
    Plain plain;
    const SlParticles *particles = &s->system->particles;
    double n = (double)particles->count, ms[4] = {0};
    if (!plain_create(&plain, sl_f32x4(particles, SL_F_POSITION), particles->count,
                      SL_KERNEL_CUBIC, 0.1, 0.2))
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for the plain twin");
    double mark = sl_seconds();
    bool ok = plain_bin(&plain);
    sl_lap(&mark, &ms[0]);
    if (ok) {
        volatile uint64_t pairs = plain_count_pairs(&plain);
        (void)pairs;
        sl_lap(&mark, &ms[1]);
        plain_lambda(&plain, 0.2, false);
        sl_lap(&mark, &ms[2]);
        plain_displace(&plain);
        sl_lap(&mark, &ms[3]);
    }
    plain_destroy(&plain);
    if (!ok)
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for the plain twin");
    const char *names[4] = {"sort", "list", "density", "dx"};
    double fast_ns[4] = {fast.sort, fast.list, fast.lambda, fast.displace};
    for (int k = 0; k < 4; k++) {
        bench_report(bench, 1e6 * ms[k] / n, "ns", "plain.216k.%s_ns", names[k]);
        bench_report(bench, 1e6 * ms[k] / n / fast_ns[k], "times", "plain.216k.%s_gain", names[k]);
    }
    return SL_OK;
}

/* One kernel: 2 threads at 216k; for the cubic spline also 1 thread and 1M, alternating. */
static SlStatus measure_kernel(Bench *bench, const char *kernel, bool all, SlError *error)
{
    uint32_t steps = bench->quick ? 12 : 60, rounds = bench->quick ? 13 : MOST_REPEATS;
    enum { TWO, ONE, MILLION, WORLDS };
    Samples *s = calloc(WORLDS, sizeof *s);
    if (s == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for samples");
    SlStatus status = open_samples(&s[TWO], bench->threads, 60, kernel, steps, error);
    if (status == SL_OK && all)
        status = open_samples(&s[ONE], 1, 60, kernel, steps, error);
    if (status == SL_OK && all && !bench->quick)
        status = open_samples(&s[MILLION], bench->threads, 100, kernel, steps, error);
    double speedups[MOST_REPEATS], growths[MOST_REPEATS], fma[MOST_REPEATS];
    for (uint32_t k = 0; status == SL_OK && k < rounds; k++) {
        for (int w = 0; status == SL_OK && w < WORLDS; w++)
            if (s[w].world != NULL)
                status = sample(&s[w], error);
        if (status != SL_OK || !all)
            continue;
        /* Ratios within one round, so that what else the machine does cancels. */
        double two = s[TWO].lambda[k] + s[TWO].displace[k];
        speedups[k] = (s[ONE].lambda[k] + s[ONE].displace[k]) / two;
        fma[k] = k % 4 != 0 ? fma[k - 1] : sl_peak_gflops(s[TWO].system->context) / sl_peak_gflops(s[ONE].system->context);
        if (s[MILLION].world != NULL)
            growths[k] = 100 * ((s[MILLION].sort[k] + s[MILLION].list[k] + s[MILLION].lambda[k] +
                                 s[MILLION].displace[k]) /
                                    (s[TWO].sort[k] + s[TWO].list[k] + two) -
                                1);
    }
    if (status == SL_OK) {
        Passes at_216k = quartiles(&s[TWO]);
        report(bench, kernel, "216k", at_216k);
        if (all)
            report(bench, kernel, "216k.1thread", quartiles(&s[ONE]));
        if (s[MILLION].world != NULL) {
            report(bench, kernel, "1m", quartiles(&s[MILLION]));
            bench_report(bench, bench_median(growths, rounds), "%", "growth_216k_to_1m_percent");
        }
        if (all) {
            /* The bar: 1.8, or 0.92 of what the multiply-add loop gains on this machine. */
            double gain = bench_median(speedups, rounds), loop = bench_median(fma, rounds);
            bench_report(bench, gain, "times", "two_threads_gain");
            bench_report(bench, loop, "times", "two_threads_fma_gain");
            bench_report(bench, fmax(gain, gain * 1.8 / (0.92 * loop)), "times",
                         "two_threads_gain_or_fma_share");
            status = twin(bench, &s[TWO], at_216k, error);
        }
    }
    for (int w = 0; w < WORLDS; w++)
        sl_world_destroy(s[w].world);
    free(s);
    return status;
}

static SlStatus run(Bench *bench, SlError *error)
{
    SlStatus status = measure_kernel(bench, "cubic", true, error);
    if (status == SL_OK)
        status = measure_kernel(bench, "wendland", false, error);
    if (status == SL_OK && !bench->quick)
        status = measure_kernel(bench, "poly6", false, error);
    return status;
}

const BenchKind bench_passes = {
    "passes", "sort, neighbour list, density and displacement passes of pbf, ns per particle", run};
