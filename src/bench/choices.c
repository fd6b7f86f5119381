/* bench choices: what each choice of level of detail does to gain, density, energy and momentum. The
   dam break of [Köster 2016] continues from one developed state with each of them, a frame each in
   rotation. It has no limits: the defaults were chosen by it (docs/notes/level-of-detail.md). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/apbf.h"
#include "core/error.h"

#define SET(name) "systems[0].parameters." name
#define TWO_CAMERAS                                                                                \
    {"cameras", "[{\"name\": \"front\", \"eye\": [17, 9, 19], \"target\": [6.8, 2.4, 3], "         \
                "\"fov\": 44, \"weight\": 1}, {\"name\": \"back\", \"eye\": [-6, 9, -12], "        \
                "\"target\": [6.8, 2.4, 3], \"fov\": 44, \"weight\": 0.5}]"}

typedef struct Choice {
    const char *name;
    ApbfKind kind;
    SlSceneOverride sets[2]; /* beside the kind's own; path NULL: none */
} Choice;

/* The spacing d is 0.1 m. */
static const Choice choices[] = {
    {"pbf_max", APBF_MAX, {{0}}},
    {"pbf_min", APBF_MIN, {{0}}},
    {"dtc", APBF_DTC, {{0}}},
    {"dtc.range_all", APBF_DTC, {{SET("lod_near"), "10"}, {SET("lod_far"), "30"}}},
    {"dtc.finished_halo", APBF_DTC, {{SET("lod_finished"), "\"halo\""}}},
    {"dtc.finished_stale", APBF_DTC, {{SET("lod_finished"), "\"stale\""}}},
    {"dtvs", APBF_DTVS, {{0}}},
    {"dtvs.range_1d_3d", APBF_DTVS, {{SET("lod_near"), "0.1"}, {SET("lod_far"), "0.3"}}},
    {"dtvs.range_2d_8d", APBF_DTVS, {{SET("lod_near"), "0.2"}, {SET("lod_far"), "0.8"}}},
    {"dtvs.range_3d_10d", APBF_DTVS, {{SET("lod_near"), "0.3"}, {SET("lod_far"), "1"}}},
    {"dtvs.range_0_30d", APBF_DTVS, {{SET("lod_near"), "0.001"}, {SET("lod_far"), "3"}}},
    {"dtvs.map_smoothstep", APBF_DTVS, {{SET("lod_map"), "\"smoothstep\""}}},
    {"dtvs.map_power_2", APBF_DTVS, {{SET("lod_map"), "\"power\""}}},
    {"dtvs.map_power_half", APBF_DTVS, {{SET("lod_map"), "\"power\""}, {SET("lod_power"), "0.5"}}},
    {"dtvs.finished_halo", APBF_DTVS, {{SET("lod_finished"), "\"halo\""}}},
    {"dtvs.finished_stale", APBF_DTVS, {{SET("lod_finished"), "\"stale\""}}},
    {"dtvs.two_max", APBF_DTVS, {TWO_CAMERAS}},
    {"dtvs.two_mean", APBF_DTVS, {TWO_CAMERAS, {SET("lod_blend"), "\"mean\""}}},
    {"dtvs.two_weighted", APBF_DTVS, {TWO_CAMERAS, {SET("lod_blend"), "\"weighted\""}}},
};
enum { CHOICES = sizeof choices / sizeof *choices, DEVELOP = 60, FRAMES = 30, QUICK_FRAMES = 5 };

static void setting_of(const Choice *choice, ApbfSetting *setting)
{
    apbf_setting_of(apbf_dam, choice->kind, setting);
    for (int k = 0; k < 2 && choice->sets[k].path != NULL; k++)
        apbf_setting_add(setting, choice->sets[k].path, choice->sets[k].value);
}

static void report(Bench *bench, const char *name, const ApbfRun *full, const ApbfRun *run)
{
    double off = 0, level = 0;
    for (size_t f = 0; f < run->count; f++) {
        off = fmax(off, fabs(run->sample[f].density / full->sample[f].density - 1));
        level += run->sample[f].level / (double)run->count;
    }
    bench_report(bench, level, "", "%s.mean_level", name);
    bench_report(bench, 100 * (apbf_median(full, run, apbf_loop_ms) - 1), "%",
                 "%s.loop_gain_percent", name);
    bench_report(bench, 100 * (apbf_median(full, run, apbf_whole_ms) - 1), "%",
                 "%s.whole_gain_percent", name);
    bench_report(bench, 100 * off, "%", "%s.density_off_percent", name);
    bench_report(bench, 1e-3 * run->energy_rise, "kJ", "%s.energy_rise_kJ", name);
    bench_report(bench, 100 * run->drift, "%", "%s.momentum_drift_percent", name);
}

static SlStatus measure_all(ApbfMeasure *m, ApbfRun *runs, SlError *error)
{
    ApbfSetting setting;
    SlStatus status = apbf_develop(m, DEVELOP, error);
    for (int k = 0; status == SL_OK && k < CHOICES; k++) {
        runs[k].sample = calloc(m->frames, sizeof *runs[k].sample);
        if (runs[k].sample == NULL)
            return sl_error_set(error, SL_ERROR_MEMORY, "no memory for samples");
        setting_of(&choices[k], &setting);
        status = apbf_run_begin(m, &setting, &runs[k], error);
    }
    for (size_t f = 0; f < m->frames; f++)
        for (int k = 0; status == SL_OK && k < CHOICES; k++)
            status = apbf_run_frame(&runs[k], error);
    for (int k = 0; status == SL_OK && k < CHOICES; k++) {
        setting_of(&choices[k], &setting);
        status = apbf_probe_drift(m, &setting, (uint32_t)m->frames / 4, &runs[k].drift, error);
    }
    return status;
}

static SlStatus run_bench(Bench *bench, SlError *error)
{
    SlContextDef def = sl_default_context_def();
    def.threads = bench->threads;
    ApbfMeasure measure = {.scene = apbf_dam, .frames = bench->quick ? QUICK_FRAMES : FRAMES};
    ApbfRun *runs = calloc(CHOICES, sizeof *runs);
    if (runs == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for runs");
    SlStatus status = sl_context_create(&def, &measure.context, error);
    if (status == SL_OK)
        status = measure_all(&measure, runs, error);
    for (int k = 0; status == SL_OK && k < CHOICES; k++)
        report(bench, choices[k].name, &runs[0], &runs[k]);
    for (int k = 0; k < CHOICES; k++) {
        sl_world_destroy(runs[k].world);
        free(runs[k].sample);
    }
    apbf_free(&measure);
    sl_context_destroy(measure.context);
    free(runs);
    return status;
}

const BenchKind bench_choices = {"choices",
                                 "what each choice of level of detail does, dam break of "
                                 "002",
                                 run_bench, false};
