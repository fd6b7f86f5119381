/* bench apbf: Table 1 of [Köster 2016] measured again. Position based fluids at the lowest and the highest
   number of iterations and both models of level of detail continue from one developed state, a frame
   each in rotation, so that whatever else the machine does meets all of them. */
#include "bench/apbf.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/error.h"
#include "core/file.h"
#include "core/timer.h"
#include "solvers/fluid/fluid.h"
#include "world/world.h"

const char *const apbf_kind_names[APBF_KINDS] = {"pbf_min", "pbf_max", "dtc", "dtvs",
                                                 "realtime"};

static const ApbfScene scenes[] = {
    {"dam", "dam_216k.json", "dam_216k_realtime.json", 3, 6, {20, 39, 24, 23}, {25, 46, 30, 29}},
    {"double", "double_dam_673k.json", NULL, 5, 10, {194, 410, 241, 232}, {238, 476, 290, 281}},
    {"multi", "multi_dam_225k.json", NULL, 4, 8, {28, 54, 38, 34}, {35, 67, 48, 46}},
};
const ApbfScene *const apbf_dam = &scenes[0];
enum { SCENES = sizeof scenes / sizeof *scenes, DAM = 0, DOUBLE = 1 };

/* The paper's measurement is 1000 steps; half a minute of frames is enough to know the gain. */
enum { QUICK_FRAMES = 10, FRAMES = 100, PAPER_FRAMES = 500 };
enum { QUICK_DEVELOP = 20, DEVELOP = 60 };

static SlStatus run_scene(Bench *bench, SlContext *context, const ApbfScene *scene,
                          double *iteration_ns, SlError *error)
{
    ApbfMeasure measure = {.scene = scene,
                           .context = context,
                           .frames = bench->quick   ? QUICK_FRAMES
                                     : bench->paper ? PAPER_FRAMES
                                                    : FRAMES,
                           .executions = bench->executions,
                           .threads = bench->threads};
    SlStatus status = apbf_measure(&measure, bench->quick ? QUICK_DEVELOP : DEVELOP, error);
    if (status == SL_OK) {
        apbf_report(bench, &measure);
        *iteration_ns = apbf_iteration_ns(&measure);
    }
    if (status == SL_OK && bench->folder != NULL)
        status = apbf_write_csv(&measure, bench->folder, error);
    apbf_free(&measure);
    return status;
}

static SlStatus check_scene(const char *name, SlError *error)
{
    const char *names[SCENES];
    for (int k = 0; k < SCENES; k++) {
        names[k] = scenes[k].name;
        if (name == NULL || strcmp(name, names[k]) == 0)
            return SL_OK;
    }
    const char *near = sl_nearest_name(name, names, SCENES);
    return sl_error_set(error, SL_ERROR_ARGUMENT,
                        "bench apbf has no scene \"%.40s\"; there are dam, double and multi%s%s%s",
                        name, near != NULL ? " (did you mean \"" : "", near != NULL ? near : "",
                        near != NULL ? "\"?)" : "");
}

static SlStatus run_bench(Bench *bench, SlError *error)
{
    SlStatus status = check_scene(bench->scene, error);
    if (status == SL_OK && bench->folder != NULL)
        status = sl_folder_make(bench->folder, error);
    SlContextDef def = sl_default_context_def();
    def.threads = bench->threads;
    SlContext *context;
    if (status == SL_OK)
        status = sl_context_create(&def, &context, error);
    if (status != SL_OK)
        return status;
    double iteration_ns[SCENES] = {0};
    for (int k = 0; status == SL_OK && k < SCENES; k++) {
        bool wanted = bench->scene != NULL ? strcmp(bench->scene, scenes[k].name) == 0
                                           : k == DAM || !bench->quick;
        if (wanted)
            status = run_scene(bench, context, &scenes[k], &iteration_ns[k], error);
    }
    if (status == SL_OK && iteration_ns[DAM] > 0 && iteration_ns[DOUBLE] > 0)
        bench_report(bench, 100 * (iteration_ns[DOUBLE] / iteration_ns[DAM] - 1), "%",
                     "growth_216k_to_673k_percent");
    sl_context_destroy(context);
    return status;
}

const BenchKind bench_apbf = {"apbf",
                              "level of detail against position based fluids, scenes of "
                              "[Köster 2016]",
                              run_bench, true, true};

/* --- The runs of bench apbf: one developed state, and from it every variant, a frame each in
   rotation. --- */

/* Every so many frames first hits are counted; every so many the compression is measured. */
enum { LOOK_EVERY = 20, LOOK_AT = 4, PROBE_EVERY = 5 };

static bool on_step(void *user, SlSystemId system, const SlStepStats *stats)
{
    (void)system;
    ApbfRun *run = user;
    double potential = stats->total_energy - stats->kinetic_energy;
    if (run->steps++ == 0)
        run->first_potential = potential;
    run->now.loop_ms += stats->stage_ms[SL_STAGE_SOLVE];
    run->now.level += stats->mean_iterations;
    run->now.energy = stats->total_energy;
    run->energy_rise = fmax(run->energy_rise, stats->total_energy - run->energy_min);
    run->energy_min = fmin(run->energy_min, stats->total_energy);
    run->potential_min = fmin(run->potential_min, potential);
    run->frame_steps++;
    return true;
}

static void scene_path(const char *file, char *path, size_t size)
{
    sl_program_file("../scenes/papers/apbf", path, size);
    snprintf(path + strlen(path), size - strlen(path), "/%s", file);
}

void apbf_setting_add(ApbfSetting *setting, const char *path, const char *value)
{
    setting->sets[setting->count++] = (SlSceneOverride){path, value};
}

void apbf_setting_of(const ApbfScene *scene, ApbfKind kind, ApbfSetting *s)
{
    memset(s, 0, sizeof *s);
    s->file = kind == APBF_REALTIME ? scene->realtime : scene->file;
    if (kind == APBF_REALTIME) /* the preset is its own scene */
        return;
    snprintf(s->max, sizeof s->max, "%u", kind == APBF_MIN ? scene->min_iterations : scene->max_iterations);
    snprintf(s->min, sizeof s->min, "%u", kind == APBF_MAX ? scene->max_iterations : scene->min_iterations);
    apbf_setting_add(s, "systems[0].parameters.lod", kind == APBF_DTVS ? "\"dtvs\"" : "\"dtc\"");
    apbf_setting_add(s, "systems[0].parameters.iterations", s->max);
    apbf_setting_add(s, "systems[0].parameters.lod_min", s->min);
}

SlStatus apbf_open(const ApbfMeasure *m, const ApbfSetting *setting, SlWorldDef *def,
                   SlWorld **world, SlError *error)
{
    char path[900];
    scene_path(setting->file, path, sizeof path);
    SlSceneOptions options = sl_default_scene_options();
    options.overrides = setting->sets;
    options.override_count = setting->count;
    SlScene *read;
    SlStatus status = sl_scene_read(m->context, path, &options, &read, error);
    if (status != SL_OK)
        return status;
    def->context = m->context;
    status = sl_scene_build(read, def, world, error);
    sl_scene_destroy(read);
    return status == SL_OK ? sl_world_start(*world, error) : status;
}

static SlStatus open_run(const ApbfMeasure *m, const ApbfSetting *setting, ApbfRun *run,
                         SlError *error)
{
    SlWorldDef def = sl_default_world_def();
    def.on_step = on_step;
    def.on_step_user = run;
    run->energy_min = run->potential_min = INFINITY;
    return apbf_open(m, setting, &def, &run->world, error);
}

SlStatus apbf_develop(ApbfMeasure *m, uint32_t frames, SlError *error)
{
    ApbfSetting setting;
    apbf_setting_of(m->scene, APBF_MAX, &setting);
    SlStatus status = open_run(m, &setting, &m->developed, error);
    for (uint32_t f = 0; status == SL_OK && f < frames; f++)
        status = sl_world_advance_frame(m->developed.world, error);
    if (status == SL_OK) {
        const SlSystem *system = &m->developed.world->systems[0]->base;
        m->particles = system->particles.count;
        m->steps = sl_fluid_steps(system);
    }
    return status;
}

SlStatus apbf_run_begin(ApbfMeasure *m, const ApbfSetting *setting, ApbfRun *run, SlError *error)
{
    const SlStateView *state;
    SlStatus status = open_run(m, setting, run, error);
    if (status == SL_OK)
        status = sl_world_state(m->developed.world, &state, error);
    if (status == SL_OK)
        status = sl_world_restore(run->world, state, error);
    run->energy_min = m->developed.now.energy; /* watched from there on */
    return status;
}

static void sample_density(SlWorld *world, ApbfSample *sample)
{
    enum { BINS = 4096 };
    const double widest = 2;
    size_t bin[BINS] = {0}, below = 0;
    SlFieldView density = sl_system_field(world, sl_world_system(world, 0), "density_ratio");
    const float *values = density.data;
    double sum = 0;
    for (size_t i = 0; i < density.count; i++) {
        double value = (double)values[i];
        sum += value;
        bin[(size_t)fmin(fmax(value * (BINS / widest), 0), BINS - 1)]++;
    }
    int k = 0;
    while (k < BINS - 1 && (below += bin[k]) < density.count * 99 / 100)
        k++;
    sample->density = sum / (double)density.count;
    sample->density_p99 = (k + 1) * (widest / BINS);
}

SlStatus apbf_run_frame(ApbfRun *run, SlError *error)
{
    run->now = (ApbfSample){.compression = -1};
    run->frame_steps = 0;
    double mark = sl_seconds();
    SlStatus status = sl_world_advance_frame(run->world, error);
    sl_lap(&mark, &run->now.whole_ms);
    if (status != SL_OK)
        return status;
    run->now.level /= run->frame_steps;
    sample_density(run->world, &run->now);
    run->sample[run->count++] = run->now;
    return SL_OK;
}

static SlStatus advance(ApbfMeasure *m, ApbfKind kind, size_t frame, SlError *error)
{
    ApbfRun *run = &m->run[kind];
    bool look = kind == APBF_DTVS && frame % LOOK_EVERY == LOOK_AT;
    SlStatus status = look ? apbf_probe_look(m, run, error) : SL_OK;
    if (status == SL_OK)
        status = apbf_run_frame(run, error);
    if (status == SL_OK && look)
        apbf_probe_count(m, run);
    if (status == SL_OK && m->run[APBF_REALTIME].world != NULL &&
        (kind == APBF_MAX || kind == APBF_REALTIME) && frame % PROBE_EVERY == PROBE_EVERY - 1)
        status = apbf_probe_compression(m, run, &run->sample[run->count - 1].compression, error);
    if (status == SL_OK && m->passes != NULL && kind == APBF_MAX)
        status = bench_pass_ns(m->passes, &run->sample[run->count - 1].pass_ns, error);
    return status;
}

static bool has_kind(const ApbfMeasure *m, ApbfKind kind)
{
    char path[900];
    if (kind != APBF_REALTIME)
        return true;
    if (m->scene->realtime == NULL)
        return false;
    scene_path(m->scene->realtime, path, sizeof path);
    return access(path, R_OK) == 0;
}

static SlStatus execute(ApbfMeasure *m, SlError *error)
{
    SlStatus status = SL_OK;
    ApbfSetting setting;
    for (int k = 0; status == SL_OK && k < APBF_KINDS; k++) {
        sl_world_destroy(m->run[k].world); /* of the execution before */
        m->run[k].world = NULL;
        apbf_setting_of(m->scene, (ApbfKind)k, &setting);
        if (has_kind(m, (ApbfKind)k))
            status = apbf_run_begin(m, &setting, &m->run[k], error);
    }
    for (size_t f = 0; status == SL_OK && f < m->frames; f++)
        for (int k = 0; status == SL_OK && k < APBF_KINDS; k++)
            if (m->run[k].world != NULL)
                status = advance(m, (ApbfKind)k, f, error);
    return status;
}

SlStatus apbf_measure(ApbfMeasure *m, uint32_t frames, SlError *error)
{
    for (int k = 0; k < APBF_KINDS; k++) {
        m->run[k].sample = calloc(m->frames * m->executions, sizeof *m->run[k].sample);
        if (m->run[k].sample == NULL)
            return sl_error_set(error, SL_ERROR_MEMORY, "no memory for samples");
    }
    SlStatus status = apbf_develop(m, frames, error);
    if (status == SL_OK)
        status = apbf_probe_open(m, error);
    if (status == SL_OK && m->scene->realtime != NULL)
        status = bench_dam(m->threads, 60, "cubic", 60, &m->passes, error);
    for (size_t e = 0; status == SL_OK && e < m->executions; e++)
        status = execute(m, error);
    ApbfSetting setting;
    for (int k = 0; status == SL_OK && k < APBF_PAPER_KINDS; k++) {
        apbf_setting_of(m->scene, (ApbfKind)k, &setting);
        status = apbf_probe_drift(m, &setting, (uint32_t)m->frames / 10, &m->run[k].drift, error);
    }
    return status;
}

void apbf_free(ApbfMeasure *m)
{
    for (int k = 0; k < APBF_KINDS; k++) {
        sl_world_destroy(m->run[k].world);
        free(m->run[k].sample);
    }
    sl_world_destroy(m->developed.world);
    sl_world_destroy(m->probe);
    sl_world_destroy(m->passes);
    free(m->seen);
}
