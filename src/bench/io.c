/* bench store: what writing and reading frames costs, beside a running 216,000-particle dam break
   and for a million particles. */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "bench/bench.h"
#include "core/error.h"
#include "core/timer.h"

enum { MAX_ROUNDS = 64 };

typedef struct Place {
    char folder[64], path[128];
} Place;

static SlStatus make_place(Place *place, SlError *error)
{
    const char *base = getenv("TMPDIR");
    snprintf(place->folder, sizeof place->folder, "%.40s/sleet-bench-XXXXXX",
             base != NULL ? base : "/tmp");
    if (mkdtemp(place->folder) == NULL)
        return sl_error_set(error, SL_ERROR_IO, "%s: cannot be made", place->folder);
    snprintf(place->path, sizeof place->path, "%s/a.slf", place->folder);
    return SL_OK;
}

static void remove_place(const Place *place)
{
    unlink(place->path);
    rmdir(place->folder);
}

/* Processor seconds of all threads so far. */
static double core_seconds(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

/* The view with id, position and velocity alone: what the limits on bytes count. */
static SlFrameView three_fields(const SlFrameView *view, SlSystemView *system, SlFieldView *fields)
{
    static const char *const names[] = {"id", "position", "velocity"};
    *system = view->systems[0];
    for (size_t k = 0; k < 3; k++)
        fields[k] = sl_view_field(&view->systems[0], names[k]);
    system->fields = fields;
    system->field_count = 3;
    SlFrameView three = *view;
    three.systems = system;
    return three;
}

/* Bytes of the three fields, and core time of a whole frame, all fields. */
static SlStatus measure_write(Bench *bench, SlWorld *world, const Place *place, bool quantise,
                              SlError *error)
{
    const char *kind = quantise ? "quantised" : "lossless";
    SlWriterDef def = sl_default_writer_def();
    def.quantise = quantise;
    SlWriter *writer;
    SlStatus status = sl_writer_create(sl_world_context(world), &def, &writer, error);
    if (status != SL_OK)
        return status;
    SlSystemView system;
    SlFieldView fields[3];
    const SlFrameView *view = sl_world_view(world);
    SlFrameView three = three_fields(view, &system, fields);
    double particles = (double)view->systems[0].particle_count, core[MAX_ROUNDS];
    status = sl_writer_frame(writer, place->path, &three, error);
    uint64_t bytes = sl_writer_bytes(writer);
    if (status == SL_OK)
        status = sl_writer_wait(writer, error);
    size_t rounds = bench->quick ? 7 : 25;
    for (size_t k = 0; status == SL_OK && k < rounds; k++) {
        double before = core_seconds();
        status = sl_writer_frame(writer, place->path, view, error);
        if (status == SL_OK)
            status = sl_writer_wait(writer, error);
        core[k] = 1e9 * (core_seconds() - before) / particles;
    }
    if (status == SL_OK) {
        bench_report(bench, (double)bytes / particles, "bytes", "%s.bytes_per_particle", kind);
        bench_report(bench, bench_low(core, rounds), "ns", "%s.write_core_ns", kind);
    }
    sl_writer_destroy(writer);
    return status;
}

/* Time that the simulation waits for its frames, as a fraction of all. */
static SlStatus measure_share(Bench *bench, SlWorld *world, const Place *place, SlError *error)
{
    SlWriterDef def = sl_default_writer_def();
    SlWriter *writer;
    SlStatus status = sl_writer_create(sl_world_context(world), &def, &writer, error);
    if (status != SL_OK)
        return status;
    double fraction[MAX_ROUNDS], waited[MAX_ROUNDS];
    size_t rounds = bench->quick ? 8 : 30;
    for (size_t k = 0; status == SL_OK && k < rounds; k++) {
        double began = sl_seconds();
        status = sl_world_advance_frame(world, error);
        double stepped = sl_seconds();
        if (status == SL_OK)
            status = sl_writer_frame(writer, place->path, sl_world_view(world), error);
        double written = sl_seconds();
        fraction[k] = 100 * (written - stepped) / (written - began);
        waited[k] = 1e3 * (written - stepped);
    }
    if (status == SL_OK)
        status = sl_writer_wait(writer, error);
    if (status == SL_OK) {
        double sum = 0;
        for (size_t k = 0; k < rounds; k++)
            sum += fraction[k];
        bench_report(bench, sum / (double)rounds, "%", "dam_216k.write_share_percent");
        bench_report(bench, bench_low(waited, rounds), "ms", "dam_216k.write_ms");
    }
    sl_writer_destroy(writer);
    return status;
}

/* A checkpoint every 5 minutes: its whole time, disk included, over 300 s. */
static SlStatus measure_checkpoint(Bench *bench, SlWorld *world, const Place *place,
                                   SlError *error)
{
    const SlStateView *state;
    SlStatus status = sl_world_state(world, &state, error);
    double ms[5];
    for (size_t k = 0; status == SL_OK && k < 5; k++) {
        double began = sl_seconds();
        status = sl_checkpoint_write(sl_world_context(world), place->path, state, error);
        ms[k] = 1e3 * (sl_seconds() - began);
    }
    if (status == SL_OK) {
        double low = bench_low(ms, 5);
        bench_report(bench, low, "ms", "dam_216k.checkpoint_ms");
        bench_report(bench, 100 * low / 300e3, "%", "dam_216k.checkpoint_share_percent");
    }
    return status;
}

static SlStatus measure_read(Bench *bench, SlWorld *world, const Place *place, SlError *error)
{
    SlContext *context = sl_world_context(world);
    SlStatus status = sl_frame_write(context, place->path, sl_world_view(world), error);
    double ms[MAX_ROUNDS];
    size_t rounds = bench->quick ? 5 : 15;
    for (size_t k = 0; status == SL_OK && k < rounds; k++) {
        SlFrame *frame;
        double began = sl_seconds();
        status = sl_frame_read(context, place->path, &frame, error);
        ms[k] = 1e3 * (sl_seconds() - began);
        sl_frame_destroy(frame);
    }
    if (status == SL_OK)
        bench_report(bench, bench_low(ms, rounds), "ms", "read_1m_ms");
    return status;
}

static SlStatus run(Bench *bench, SlError *error)
{
    Place place = {"", ""};
    SlStatus status = make_place(&place, error);
    if (status != SL_OK)
        return status;
    SlWorld *world = NULL;
    status = bench_dam(bench->threads, 60, "cubic", bench->quick ? 24 : 80, &world, error);
    if (status == SL_OK)
        status = measure_write(bench, world, &place, false, error);
    if (status == SL_OK)
        status = measure_write(bench, world, &place, true, error);
    if (status == SL_OK)
        status = measure_checkpoint(bench, world, &place, error);
    if (status == SL_OK)
        status = measure_share(bench, world, &place, error);
    sl_world_destroy(world);
    world = NULL;
    if (status == SL_OK)
        status = bench_dam(bench->threads, 100, "cubic", bench->quick ? 2 : 8, &world, error);
    if (status == SL_OK)
        status = measure_read(bench, world, &place, error);
    sl_world_destroy(world);
    remove_place(&place);
    return status;
}

const BenchKind bench_store = {"store", "writing and reading frames and checkpoints", run};
