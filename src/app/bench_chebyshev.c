/* bench chebyshev: Table 1 and Figure 4 of document 000 again, and what its future work asks. All
   solvers go on from the same developed states, a few steps each. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "app/bench.h"
#include "app/trial.h"
#include "core/error.h"
#include "core/timer.h"
#include "fluid/projective.h"
#include "math/linear.h"
#include "world/world.h"

static const double step_time = 5e-3;

enum { PAPER_SOLVERS = 6 };

typedef struct PaperScene {
    const char *name, *file;
    int paper_ms[PAPER_SOLVERS]; /* i7-4980HQ, in the order of the first solvers below */
    uint32_t states, apart, steps; /* developed states, steps between them, steps from each */
    uint32_t search_steps;         /* to compare values of rho over */
} PaperScene;

static const PaperScene scenes[] = {
    {"30k", "dam_30k.json", {73, 94, 88, 89, 101, 89}, 3, 40, 3, 24},
    {"88k", "dam_88k.json", {277, 616, 306, 276, 381, 295}, 2, 60, 3, 24},
    {"128k", "double_dam_128k.json", {484, 889, 486, 476, 555, 459}, 2, 60, 2, 16},
    {"298k", "squirrel_298k.json", {883, 2558, 1057, 1163, 1225, 995}, 2, 60, 1, 16},
};
enum { SCENES = sizeof scenes / sizeof scenes[0] };

/* Under-relaxation is a part of Chebyshev's method (Wang 2015); the paper's other solvers have none. One
   more row has it, since a threshold of movement flatters whoever moves less. */
typedef struct Solver {
    const char *name;
    TrialValue values[TRIAL_MOST_VALUES];
} Solver;

#define PLAIN {"accelerate", SL_ACCELERATE_NONE}, {"under_relaxation", 1}
static const Solver solvers[] = {
    {"cg_1", {PLAIN, {"global", SL_LINEAR_CG}, {"global_iterations", 1}}},
    {"cg", {PLAIN, {"global", SL_LINEAR_CG}, {"global_iterations", 0}}},
    {"ldlt", {PLAIN, {"global", SL_LINEAR_LDLT}, {"global_iterations", 0}}},
    {"jacobi_1", {PLAIN, {"global", SL_LINEAR_JACOBI}, {"global_iterations", 1}}},
    {"jacobi", {PLAIN, {"global", SL_LINEAR_JACOBI}, {"global_iterations", 0}}},
    {"chebyshev", {{"accelerate", SL_ACCELERATE_CHEBYSHEV}}},
    {"cg_diagonal", {PLAIN, {"global", SL_LINEAR_CG}, {"global_iterations", 0}, {"precondition", 1}}},
    {"jacobi_relaxed", {{"accelerate", SL_ACCELERATE_NONE}}},
    {"anderson", {{"accelerate", SL_ACCELERATE_ANDERSON}}},
};
enum { SOLVERS = sizeof solvers / sizeof solvers[0], CG = 1, JACOBI_1 = 3, CHEBYSHEV = 5 };

/* What ends a step. */
typedef struct Rule {
    const char *name;
    double move, mean;
} Rule;
static const Rule rules[] = {{"move", 1e-3, 0}, {"mean_0.1", 0, 1e-3}, {"mean_0.02", 0, 2e-4}};
enum { RULES = sizeof rules / sizeof rules[0] };

/* What every trial begins from. */
static const TrialValue defaults[] = {{"accelerate", SL_ACCELERATE_CHEBYSHEV},
                                      {"under_relaxation", 0.7},
                                      {"global", SL_LINEAR_JACOBI},
                                      {"global_iterations", 1},
                                      {"precondition", 0},
                                      {"rho", 0},
                                      {"safeguard", 1},
                                      {"omega_start", 0},
                                      {"stop_move", 1e-3},
                                      {"stop_mean", 0},
                                      {"iterations", 100},
                                      {NULL, 0}};

static void set_rule(Trial *trial, const Rule *rule)
{
    trial_set(trial, (TrialValue[]){{"stop_move", rule->move}, {"stop_mean", rule->mean}, {NULL, 0}});
}

/* The automatic rho learns under a rule for a while before it is measured. */
static SlStatus learn_rho(Trial *trial, const Trial *from, const Rule *rule, uint32_t steps,
                          SlRhoSearch *search, SlError *error)
{
    trial_copy(trial, from);
    trial_set(trial, defaults);
    set_rule(trial, rule);
    SlStatus status = trial_steps(trial, step_time, steps, error);
    *search = ((SlProjectiveState *)trial->world->systems[0]->base.state)->search;
    return status;
}

typedef struct Cell {
    double ms, iterations, compression, top_speed, energy_rise, released;
    uint64_t outside, unfinished;
    uint32_t steps;
    bool failed;
} Cell;

static void add_to_cell(Cell *cell, const Trial *trial)
{
    const TrialResult *r = &trial->result;
    cell->ms += r->ms * r->steps;
    cell->iterations += r->iterations * r->steps;
    cell->compression += r->compression * r->steps;
    cell->top_speed = fmax(cell->top_speed, r->top_speed);
    cell->energy_rise += r->energy_rise;
    cell->released += fmax(r->potential_first - r->potential_last, 0);
    cell->outside += trial_outside(trial);
    cell->unfinished += r->stops[SL_STOP_LIMIT];
    cell->steps += r->steps;
    cell->failed = cell->failed || r->failed;
}

/* Speeds far beyond those of the best solved run, energy out of nothing, particles out of the box. */
static bool has_artefacts(const Cell *cell, const Cell *reference)
{
    return cell->failed || cell->outside > 0 || cell->top_speed > 1.25 * reference->top_speed ||
           cell->energy_rise > fmax(0.02 * cell->released, 2 * reference->energy_rise);
}

static SlStatus scene_path(const PaperScene *scene, char *path, size_t size)
{
    app_beside_program(path, size, "../scenes/papers/chebyshev");
    snprintf(path + strlen(path), size - strlen(path), "/%s", scene->file);
    return SL_OK;
}

static SlStatus open_scene(SlContext *context, const PaperScene *scene, Trial *trial, SlError *error)
{
    char path[900];
    scene_path(scene, path, sizeof path);
    SlSceneOverride free_energy = {"energy_limit", "0"}; /* a trial jumps from state to state */
    SlStatus status = trial_open(context, path, &free_energy, 1, trial, error);
    if (status == SL_OK)
        trial_set(trial, defaults);
    return status;
}

static void report_table(Bench *bench, const PaperScene *scene, Cell (*cells)[RULES], size_t rule_count)
{
    const char *n = scene->name;
    for (size_t r = 0; r < rule_count; r++) {
        const char *rule = rules[r].name;
        const Cell *best = &cells[CHEBYSHEV][r];
        double fastest = INFINITY;
        for (int s = 0; s < SOLVERS; s++) {
            const Cell *c = &cells[s][r];
            double steps = c->steps > 0 ? c->steps : 1;
            bool spoilt = has_artefacts(c, best);
            bench_report(bench, c->ms / steps, "ms", "%s.%s.%s.ms", n, rule, solvers[s].name);
            bench_report(bench, c->iterations / steps, "", "%s.%s.%s.iterations", n, rule, solvers[s].name);
            bench_report(bench, 100 * c->compression / steps, "%", "%s.%s.%s.compression_percent", n, rule,
                         solvers[s].name);
            bench_report(bench, c->ms / steps / (1e3 * step_time), "s/s", "%s.%s.%s.per_second", n, rule,
                         solvers[s].name);
            bench_report(bench, spoilt, "", "%s.%s.%s.artefacts", n, rule, solvers[s].name);
            if (s < PAPER_SOLVERS && s != CHEBYSHEV && !spoilt)
                fastest = fmin(fastest, c->ms / steps);
            if (r == 0 && s < PAPER_SOLVERS)
                bench_report(bench, scene->paper_ms[s], "ms", "%s.%s.paper_ms", n, solvers[s].name);
        }
        double ms = best->ms / best->steps;
        bench_report(bench, 100 * (1 - ms / (cells[CG][r].ms / cells[CG][r].steps)), "%",
                     "%s.%s.less_than_cg_percent", n, rule);
        bench_report(bench, cells[JACOBI_1][r].ms / cells[JACOBI_1][r].steps / ms, "", "%s.%s.jacobi_over_chebyshev",
                     n, rule);
        bench_report(bench, cells[CG][r].ms / cells[CG][r].steps / ms, "", "%s.%s.cg_over_chebyshev", n, rule);
        bench_report(bench, fastest / ms, "", "%s.%s.next_fastest_over_chebyshev", n, rule);
        if (r == 1) {
            const int *p = scene->paper_ms; /* printed bold: the best without artefacts */
            int paper = p[2] < p[3] ? p[2] : p[3];
            paper = p[5] < paper ? p[5] : paper;
            bench_report(bench, ms / paper, "", "%s.share_of_paper", n);
        }
    }
}

/* Iterations with the automatic rho over those with the best of some fixed ones. */
static SlStatus search_rho(Bench *bench, const PaperScene *scene, Trial *trial, const Trial *from,
                           uint32_t steps, SlError *error)
{
    static const double values[] = {0, 0.95, 0.965, 0.975, 0.982, 0.9875, 0.991, 0.9937};
    double automatic = 0, best = INFINITY;
    SlStatus status = SL_OK;
    for (size_t k = 0; status == SL_OK && k < (bench->quick ? 4 : sizeof values / sizeof values[0]); k++) {
        trial_copy(trial, from);
        trial_set(trial, defaults);
        trial_set(trial, (TrialValue[]){{"rho", values[k]}, {NULL, 0}});
        trial_reset(trial);
        status = trial_steps(trial, step_time, steps, error);
        double iterations = trial->result.failed ? INFINITY : trial->result.iterations;
        if (k == 0)
            automatic = iterations;
        else
            best = fmin(best, iterations);
        bench_report(bench, iterations, "", "%s.rho_%g.iterations", scene->name, values[k]);
    }
    bench_report(bench, automatic / best, "", "%s.automatic_over_best", scene->name);
    return status;
}

/* --- Files for plots --- */

static FILE *open_csv(const char *name, const char *head)
{
    char path[256];
    snprintf(path, sizeof path, "out/bench-chebyshev/%s", name);
    if ((mkdir("out", 0777) != 0 && errno != EEXIST) ||
        (mkdir("out/bench-chebyshev", 0777) != 0 && errno != EEXIST))
        return NULL;
    FILE *file = fopen(path, "w");
    if (file != NULL)
        fprintf(file, "%s\n", head);
    return file;
}

/* Movement and compression in each iteration of one step, solver by solver. */
static SlStatus write_curves(Trial *trial, const Trial *from, SlError *error)
{
    FILE *file = open_csv("curves.csv", "solver,iteration,move_d,mean_compression,ms");
    if (file == NULL)
        return sl_error_set(error, SL_ERROR_IO, "out/bench-chebyshev/curves.csv: cannot be written: %s",
                            strerror(errno));
    SlSystem *system = &trial->world->systems[0]->base;
    double d = (double)system->solver->spacing(system);
    SlStatus status = SL_OK;
    for (int s = 0; status == SL_OK && s < SOLVERS; s++) {
        SlProjectiveRun run;
        trial_copy(trial, from);
        trial_set(trial, defaults);
        trial_set(trial, solvers[s].values);
        status = sl_projective_begin(system, step_time, &run, error);
        if (status != SL_OK)
            break;
        sl_fluid_predict(system, &run.pass.fluid);
        status = sl_fluid_sort(system, &run.pass.fluid, error);
        if (status == SL_OK)
            status = sl_fluid_list(system, &run.pass.fluid, error);
        double began = sl_seconds();
        if (status == SL_OK)
            status = sl_projective_prepare(system, &run, error);
        for (int k = 0; status == SL_OK && k < 60; k++) {
            sl_projective_local(system, &run);
            status = sl_projective_global(system, &run, error);
            fprintf(file, "%s,%d,%.6g,%.6g,%.4f\n", solvers[s].name, k, run.move / d, run.mean,
                    1e3 * (sl_seconds() - began));
        }
    }
    return fclose(file) == 0 ? status : sl_error_set(error, SL_ERROR_IO, "out/bench-chebyshev: not written");
}

/* Figure 4: the mean step over the first 80, for each rho, without a safeguard. */
static SlStatus figure_4(Bench *bench, SlContext *context, SlError *error)
{
    static const double rho[] = {0.80, 0.85, 0.90, 0.925, 0.94, 0.95, 0.96,
                                 0.97, 0.98, 0.985, 0.99, 0.995, 0.999};
    static const char *const starts[2] = {"wang", "printed"};
    enum { VALUES = sizeof rho / sizeof rho[0] };
    const PaperScene *scene = &scenes[bench->quick ? 0 : 1];
    uint32_t steps = bench->quick ? 8 : 80;
    FILE *file = open_csv("figure4.csv", "omega_start,rho,ms,iterations,mean_compression");
    if (file == NULL)
        return sl_error_set(error, SL_ERROR_IO, "out/bench-chebyshev/figure4.csv: cannot be written: %s",
                            strerror(errno));
    Trial trial, fresh;
    SlStatus status = open_scene(context, scene, &fresh, error);
    if (status == SL_OK)
        status = open_scene(context, scene, &trial, error);
    for (int start = 0; status == SL_OK && start < 2; start++) {
        double iterations[VALUES], least = INFINITY;
        size_t used = 0, lowest = 0;
        for (size_t k = 0; status == SL_OK && k < VALUES; k += bench->quick ? 4 : 1) {
            trial_copy(&trial, &fresh);
            trial_set(&trial, defaults);
            trial_set(&trial, (TrialValue[]){{"rho", rho[k]}, {"safeguard", 0}, {"omega_start", start}, {NULL, 0}});
            trial_reset(&trial);
            status = trial_steps(&trial, step_time, steps, error);
            const TrialResult *r = &trial.result;
            iterations[used] = r->failed ? 1e3 : r->iterations;
            if (iterations[used] < least) {
                least = iterations[used];
                lowest = used;
            }
            used++;
            fprintf(file, "%s,%g,%.4f,%.3f,%.6g\n", starts[start], rho[k], r->ms, r->iterations, r->compression);
            bench_report(bench, r->iterations, "", "figure4.%s.rho_%g.iterations", starts[start], rho[k]);
        }
        if (status != SL_OK)
            break;
        /* One minimum: nowhere does it turn back by more than a thirtieth. */
        uint32_t turns = 0;
        for (size_t k = 1; k < used; k++)
            turns += k <= lowest ? iterations[k] > 1.033 * iterations[k - 1]
                                 : iterations[k] < iterations[k - 1] / 1.033;
        bench_report(bench, turns, "", "figure4.%s.turns", starts[start]);
        bench_report(bench, iterations[0] / least, "", "figure4.%s.falls", starts[start]);
        bench_report(bench, iterations[used - 1] / least, "", "figure4.%s.rises", starts[start]);
    }
    trial_close(&fresh);
    trial_close(&trial);
    return fclose(file) == 0 ? status : sl_error_set(error, SL_ERROR_IO, "out/bench-chebyshev: not written");
}

/* The same 20 ms by fewer and longer steps or by more and shorter ones, as many iterations in all. */
static SlStatus small_steps(Bench *bench, const PaperScene *scene, Trial *trial, const Trial *from,
                            SlError *error)
{
    enum { IN_ALL = 48 };
    SlStatus status = SL_OK;
    for (int accelerate = 0; accelerate < 2; accelerate++)
        for (uint32_t steps = 2; status == SL_OK && steps <= 16; steps *= 2) {
            trial_copy(trial, from);
            trial_set(trial, defaults);
            trial_set(trial, (TrialValue[]){{"stop_move", 0}, {"iterations", IN_ALL / steps}, {"accelerate", accelerate}, {"rho", 0.98}, {NULL, 0}});
            trial_reset(trial);
            status = trial_steps(trial, 4 * step_time / steps, 2 * steps, error);
            const char *how = accelerate ? "chebyshev" : "plain";
            bench_report(bench, trial->result.ms * steps, "ms", "%s.substeps.%s.%ux%u.ms", scene->name, how,
                         steps, IN_ALL / steps);
            bench_report(bench, 100 * trial->result.compression, "%", "%s.substeps.%s.%ux%u.compression_percent",
                         scene->name, how, steps, IN_ALL / steps);
        }
    return status;
}

static SlStatus measure(Bench *bench, SlContext *context, const PaperScene *scene, SlError *error)
{
    uint32_t states = bench->quick ? 1 : scene->states, steps = bench->quick ? 2 : scene->steps;
    uint32_t apart = bench->quick ? 20 : scene->apart;
    size_t rule_count = scene->steps == 1 ? 2 : RULES; /* the largest has no time for all */
    Cell cells[SOLVERS][RULES];
    memset(cells, 0, sizeof cells);
    Trial from, trial;
    SlStatus status = open_scene(context, scene, &from, error);
    if (status == SL_OK)
        status = open_scene(context, scene, &trial, error);
    for (uint32_t state = 0; status == SL_OK && state < states; state++) {
        trial_reset(&from);
        status = trial_steps(&from, step_time, apart, error);
        if (status == SL_OK && from.result.failed)
            status = sl_error_set(error, SL_ERROR_NUMBERS, "%s went wrong before anything was measured", scene->file);
        for (size_t r = 0; status == SL_OK && r < rule_count; r++) {
            SlRhoSearch search;
            status = learn_rho(&trial, &from, &rules[r], bench->quick ? 8 : 24, &search, error);
            for (int s = 0; status == SL_OK && s < SOLVERS; s++) {
                trial_copy(&trial, &from);
                ((SlProjectiveState *)trial.world->systems[0]->base.state)->search = search;
                trial_set(&trial, defaults);
                set_rule(&trial, &rules[r]);
                trial_set(&trial, solvers[s].values);
                trial_reset(&trial);
                status = trial_steps(&trial, step_time, steps, error);
                add_to_cell(&cells[s][r], &trial);
            }
        }
        if (status == SL_OK && state == 0 && scene == &scenes[bench->quick ? 0 : 1]) {
            status = write_curves(&trial, &from, error);
            if (status == SL_OK)
                status = small_steps(bench, scene, &trial, &from, error);
        }
        if (status == SL_OK && state == 0)
            status = search_rho(bench, scene, &trial, &from, bench->quick ? 8 : scene->search_steps, error);
    }
    if (status == SL_OK)
        report_table(bench, scene, cells, rule_count);
    trial_close(&from);
    trial_close(&trial);
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
    for (int k = 0; status == SL_OK && k < (bench->quick ? 1 : SCENES); k++)
        if (bench->scene == NULL || strcmp(bench->scene, scenes[k].name) == 0)
            status = measure(bench, context, &scenes[k], error);
    if (status == SL_OK && (bench->scene == NULL || strcmp(bench->scene, "figure4") == 0))
        status = figure_4(bench, context, error);
    sl_context_destroy(context);
    if (status == SL_OK)
        printf("  figure 4 and convergence curves: out/bench-chebyshev/*.csv\n");
    return status;
}

const BenchKind bench_chebyshev = {"chebyshev", "projective fluids: global solvers and Chebyshev's method, scenes of "
                                   "document 000", run_bench, true, false};
