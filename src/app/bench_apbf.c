/* bench apbf: Table 1 of document 002 again. Position based fluids at the lowest and the highest
   number of iterations and both models of level of detail go on from one developed state, a frame
   each in turn, so that whatever else the machine does meets all of them. */
#include "app/bench_apbf.h"

#include <string.h>

#include "core/error.h"
#include "core/file.h"

const char *const apbf_kind_names[APBF_KINDS] = {"pbf_least", "pbf_most", "dtc", "dtvs",
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
                              "document 002",
                              run_bench, true, true};
