/* bench apbf: Table 1 of document 002 again. Position based fluids at the lowest and the highest
   number of iterations and both models of level of detail go on from one developed state, a frame
   each in turn, so that whatever else the machine does meets all of them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/bench.h"
#include "core/error.h"
#include "particles/system.h"

typedef struct PaperScene {
    const char *name, *file;
    uint32_t least, most;
    int paper_ms[4]; /* GTX 680: lowest, highest, dtc, dtvs */
} PaperScene;

static const PaperScene scenes[] = {
    {"dam", "dam_216k.json", 3, 6, {20, 39, 24, 23}},
    {"double", "double_dam_673k.json", 5, 10, {194, 410, 241, 232}},
    {"multi", "multi_dam_225k.json", 4, 8, {28, 54, 38, 34}},
};

enum { LEAST, MOST, DTC, DTVS, RUNS };
static const char *const run_names[RUNS] = {"pbf_least", "pbf_most", "dtc", "dtvs"};

enum { MOST_FRAMES = 500 };

/* One way to run the scene. All have the field of levels, so that all take the same state; equal
   levels are position based fluids bit for bit. */
typedef struct Run {
    SlWorld *world;
    double loop[MOST_FRAMES], whole[MOST_FRAMES], density[MOST_FRAMES]; /* ms, ms, mean */
    double levels; /* mean over frames of the mean level */
    size_t frames;
    /* of the frame under way */
    double frame_loop, frame_whole, frame_levels;
    uint32_t steps;
} Run;

static bool on_step(void *user, SlSystemId system, const SlStepStats *stats)
{
    (void)system;
    Run *run = user;
    run->frame_loop += stats->stage_ms[SL_STAGE_SOLVE];
    for (int k = 0; k < SL_STAGE_COUNT; k++)
        run->frame_whole += stats->stage_ms[k];
    run->frame_levels += stats->mean_iterations;
    run->steps++;
    return true;
}

static SlStatus open_run(SlContext *context, const PaperScene *scene, int kind, Run *run,
                         SlError *error)
{
    char path[900], least[16], most[16];
    app_beside_program(path, sizeof path, "../scenes/papers/apbf");
    snprintf(path + strlen(path), sizeof path - strlen(path), "/%s", scene->file);
    snprintf(most, sizeof most, "%u", kind == LEAST ? scene->least : scene->most);
    snprintf(least, sizeof least, "%u", kind == MOST ? scene->most : scene->least);
    SlSceneOverride sets[3] = {
        {"systems[0].parameters.lod", kind == DTVS ? "\"dtvs\"" : "\"dtc\""},
        {"systems[0].parameters.iterations", most},
        {"systems[0].parameters.lod_least", least}};
    SlSceneOptions options = sl_default_scene_options();
    options.overrides = sets;
    options.override_count = 3;
    SlScene *read;
    SlStatus status = sl_scene_read(context, path, &options, &read, error);
    if (status != SL_OK)
        return status;
    SlWorldDef def = sl_default_world_def();
    def.context = context;
    def.on_step = on_step;
    def.on_step_user = run;
    status = sl_scene_build(read, &def, &run->world, error);
    sl_scene_destroy(read);
    return status == SL_OK ? sl_world_start(run->world, error) : status;
}

static double mean_density(SlWorld *world)
{
    SlFieldView density = sl_system_field(world, 0, "density");
    const float *values = density.data;
    double sum = 0;
    for (size_t i = 0; i < density.count; i++)
        sum += (double)values[i];
    return sum / (double)density.count;
}

static SlStatus advance(Run *run, SlError *error)
{
    run->frame_loop = run->frame_whole = run->frame_levels = 0;
    run->steps = 0;
    SlStatus status = sl_world_advance_frame(run->world, error);
    if (status != SL_OK)
        return status;
    run->loop[run->frames] = run->frame_loop;
    run->whole[run->frames] = run->frame_whole;
    run->density[run->frames] = mean_density(run->world);
    run->levels += run->frame_levels / run->steps;
    run->frames++;
    return SL_OK;
}

static double percent_gain(const double *slow, const double *fast, size_t count)
{
    double ratios[MOST_FRAMES];
    for (size_t k = 0; k < count; k++)
        ratios[k] = slow[k] / fast[k];
    return 100 * (bench_median(ratios, count) - 1);
}

static void report(Bench *bench, const PaperScene *scene, Run *runs)
{
    size_t n = runs[MOST].frames;
    for (int k = 0; k < RUNS; k++) {
        Run *run = &runs[k];
        double whole[MOST_FRAMES], loop[MOST_FRAMES], off = 0;
        memcpy(whole, run->whole, n * sizeof *whole);
        memcpy(loop, run->loop, n * sizeof *loop);
        double whole_ms = bench_median(whole, n), loop_ms = bench_median(loop, n);
        double level = run->levels / (double)n;
        bench_report(bench, whole_ms, "ms", "%s.%s.frame_ms", scene->name, run_names[k]);
        bench_report(bench, scene->paper_ms[k], "ms", "%s.%s.paper_gtx680_ms", scene->name, run_names[k]);
        bench_report(bench, whole_ms - loop_ms, "ms", "%s.%s.fixed_ms", scene->name, run_names[k]);
        bench_report(bench, loop_ms / level, "ms", "%s.%s.per_iteration_ms", scene->name, run_names[k]);
        bench_report(bench, level, "", "%s.%s.mean_level", scene->name, run_names[k]);
        if (k < DTC)
            continue;
        for (size_t f = 0; f < n; f++)
            off = fmax(off, fabs(run->density[f] / runs[MOST].density[f] - 1));
        bench_report(bench, percent_gain(runs[MOST].loop, run->loop, n), "%",
                     "%s.%s.loop_gain_percent", scene->name, run_names[k]);
        bench_report(bench, percent_gain(runs[MOST].whole, run->whole, n), "%",
                     "%s.%s.whole_gain_percent", scene->name, run_names[k]);
        bench_report(bench, 100 * off, "%", "%s.%s.density_off_percent", scene->name, run_names[k]);
    }
}

static SlStatus measure(Bench *bench, SlContext *context, const PaperScene *scene, Run *runs,
                        SlError *error)
{
    uint32_t developed = bench->quick ? 20 : 60, frames = bench->quick ? 10 : 100;
    memset(runs, 0, RUNS * sizeof *runs);
    SlStatus status = SL_OK;
    for (int k = 0; status == SL_OK && k < RUNS; k++)
        status = open_run(context, scene, k, &runs[k], error);
    for (uint32_t f = 0; status == SL_OK && f < developed; f++)
        status = sl_world_advance_frame(runs[MOST].world, error);
    const SlStateView *state;
    if (status == SL_OK)
        status = sl_world_state(runs[MOST].world, &state, error);
    for (int k = 0; status == SL_OK && k < RUNS; k++)
        if (k != MOST)
            status = sl_world_restore(runs[k].world, state, error);
    for (uint32_t f = 0; status == SL_OK && f < frames; f++)
        for (int k = 0; status == SL_OK && k < RUNS; k++)
            status = advance(&runs[k], error);
    if (status == SL_OK)
        report(bench, scene, runs);
    for (int k = 0; k < RUNS; k++)
        sl_world_destroy(runs[k].world);
    return status;
}

static SlStatus run_bench(Bench *bench, SlError *error)
{
    SlContextDef def = sl_default_context_def();
    def.threads = bench->threads;
    SlContext *context;
    SlStatus status = sl_context_create(&def, &context, error);
    if (status != SL_OK)
        return status;
    Run *runs = calloc(RUNS, sizeof *runs);
    if (runs == NULL)
        status = sl_error_set(error, SL_ERROR_MEMORY, "no memory for samples");
    size_t count = bench->quick ? 1 : sizeof scenes / sizeof *scenes;
    for (size_t k = 0; status == SL_OK && k < count; k++)
        status = measure(bench, context, &scenes[k], runs, error);
    free(runs);
    sl_context_destroy(context);
    return status;
}

const BenchKind bench_apbf = {"apbf", "level of detail against position based fluids, scenes of "
                              "document 002", run_bench};
