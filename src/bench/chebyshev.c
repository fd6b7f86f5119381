/* bench chebyshev: Table 1 and Figure 4 of [Sommer] again, and what its future work asks. All
   solvers continue from the same developed states, a few steps each. */
#include <math.h>
#include <string.h>

#include "bench/chebyshev.h"
#include "core/context.h"
#include "core/error.h"
#include "solvers/projective/projective.h"
#include "math/linear/linear.h"
#include "world/world.h"

static const PaperScene scenes[] = {
    {"30k", "dam_30k.json", {73, 94, 88, 89, 101, 89}, 3, 40, 3, 24},
    {"88k", "dam_88k.json", {277, 616, 306, 276, 381, 295}, 2, 60, 3, 24},
    {"128k", "double_dam_128k.json", {484, 889, 486, 476, 555, 459}, 2, 60, 2, 16},
    {"298k", "squirrel_298k.json", {883, 2558, 1057, 1163, 1225, 995}, 2, 60, 1, 16},
};
enum { SCENES = sizeof scenes / sizeof scenes[0] };

/* Under-relaxation is a part of Chebyshev's method (Wang 2015); the paper's other solvers have
   none. One more row has it, since a threshold of movement flatters whoever moves less. A common
   divisor helps only Chebyshev's method: Anderson took a quarter more iterations with it.
   Position based fluids have no such threshold: their rows are at equal compression only. */
#define PLAIN                                                                                      \
    {"acceleration", SL_ACCELERATION_NONE}, {"relaxation", 1},                                   \
    {                                                                                              \
        "divisor", SL_DIVISOR_OWN                                                                  \
    }
const Solver chebyshev_solvers[] = {
    {"cg_1", {PLAIN, {"global_solver", SL_LINEAR_CG}, {"global_iterations", 1}}},
    {"cg", {PLAIN, {"global_solver", SL_LINEAR_CG}, {"global_iterations", 0}}},
    {"ldlt", {PLAIN, {"global_solver", SL_LINEAR_LDLT}, {"global_iterations", 0}}},
    {"jacobi_1", {PLAIN, {"global_solver", SL_LINEAR_JACOBI}, {"global_iterations", 1}}},
    {"jacobi", {PLAIN, {"global_solver", SL_LINEAR_JACOBI}, {"global_iterations", 0}}},
    {"chebyshev", {{"acceleration", SL_ACCELERATION_CHEBYSHEV}}},
    {"cg_diagonal",
     {PLAIN, {"global_solver", SL_LINEAR_CG}, {"global_iterations", 0}, {"preconditioner", 1}}},
    {"jacobi_relaxed", {{"acceleration", SL_ACCELERATION_NONE}, {"divisor", SL_DIVISOR_OWN}}},
    {"anderson", {{"acceleration", SL_ACCELERATION_ANDERSON}, {"divisor", SL_DIVISOR_OWN}}},
    {"chebyshev_wang", {CHEBYSHEV_AS_WANG, {"rho", 0.9875}}},
    {"pbf", {{"acceleration", 0}, {"relaxation", 0.7}}, true},
    {"pbf_chebyshev",
     {{"acceleration", 1}, {"relaxation", 0.7}, {"rho", 0.99}, {"delay", 1}},
     true},
};
enum {
    SOLVERS = sizeof chebyshev_solvers / sizeof chebyshev_solvers[0],
    CG = 1,
    JACOBI_1 = 3,
    CHEBYSHEV = 5
};
const size_t chebyshev_solver_count = SOLVERS;

static const Rule rules[] = {{"move", 1e-3, 0}, {"mean_0.1", 0, 1e-3}, {"mean_0.02", 0, 2e-4}};
enum { RULES = sizeof rules / sizeof rules[0] };

/* What every trial begins from. */
const TrialValue chebyshev_defaults[] = {{"acceleration", SL_ACCELERATION_CHEBYSHEV},
                                         {"relaxation", 0.7},
                                         {"global_solver", SL_LINEAR_JACOBI},
                                         {"global_iterations", 1},
                                         {"preconditioner", 0},
                                         {"divisor", SL_DIVISOR_COMMON},
                                         {"rho", 0},
                                         {"safeguard", 1},
                                         {"omega_start", SL_OMEGA_PRINTED},
                                         {"delay", 0},
                                         {"restart_fraction", 0.002},
                                         {"stop_move", 1e-3},
                                         {"stop_mean", 0},
                                         {"max_iterations", CHEBYSHEV_MAX_ITERATIONS},
                                         {NULL, 0}};

static void set_rule(Trial *trial, const Rule *rule)
{
    trial_set(trial,
              (TrialValue[]){{"stop_move", rule->move}, {"stop_mean", rule->mean}, {NULL, 0}});
}

/* The automatic rho learns under a rule for a while before it is measured. */
static SlStatus learn_rho(Trial *trial, const Trial *from, const Rule *rule, uint32_t steps,
                          SlRhoSearch *search, SlError *error)
{
    trial_copy(trial, from);
    trial_set(trial, chebyshev_defaults);
    set_rule(trial, rule);
    SlStatus status = trial_steps(trial, CHEBYSHEV_STEP, steps, error);
    *search = ((SlProjectiveState *)trial->world->systems[0]->base.state)->search;
    return status;
}

void chebyshev_add(Cell *cell, const Trial *trial)
{
    const TrialResult *r = &trial->result;
    cell->ms += r->ms * r->steps;
    cell->iterations += r->iterations * r->steps;
    cell->compression += r->compression * r->steps;
    cell->top_speed = fmax(cell->top_speed, r->top_speed);
    cell->energy_rise += r->energy_rise;
    cell->released += fmax(r->potential_first - r->potential_last, 0);
    cell->outside += trial_outside(trial);
    cell->steps += r->steps;
    cell->failed = cell->failed || r->failed;
}

bool chebyshev_has_artefacts(const Cell *cell, const Cell *reference)
{
    return cell->failed || cell->outside > 0 || cell->top_speed > 1.25 * reference->top_speed ||
           cell->energy_rise > fmax(0.02 * cell->released, 2 * reference->energy_rise);
}

SlStatus chebyshev_open(SlContext *context, const PaperScene *scene, const char *solver,
                        Trial *trial, SlError *error)
{
    char path[900], quoted[32];
    sl_program_file("../scenes/papers/chebyshev", path, sizeof path);
    snprintf(path + strlen(path), sizeof path - strlen(path), "/%s", scene->file);
    snprintf(quoted, sizeof quoted, "\"%s\"", solver);
    SlSceneOverride sets[] = {{"energy_limit", "0"}, /* a trial jumps from state to state */
                              {"systems[0].solver", quoted}};
    return trial_open(context, path, sets, 2, trial, error);
}

static void report_table(Bench *bench, const PaperScene *scene, Cell (*cells)[RULES])
{
    const char *n = scene->name;
    for (size_t r = 0; r < RULES; r++) {
        const char *rule = rules[r].name;
        const Cell *best = &cells[CHEBYSHEV][r];
        double fastest = INFINITY;
        for (int s = 0; s < SOLVERS; s++) {
            const Cell *c = &cells[s][r];
            if (c->steps == 0 && !c->failed)
                continue; /* a row this rule does not have */
            double steps = c->steps > 0 ? c->steps : 1;
            bool spoilt = chebyshev_has_artefacts(c, best);
            bench_report(bench, c->ms / steps, "ms", "%s.%s.%s.ms", n, rule,
                         chebyshev_solvers[s].name);
            bench_report(bench, c->iterations / steps, "", "%s.%s.%s.iterations", n, rule,
                         chebyshev_solvers[s].name);
            bench_report(bench, 100 * c->compression / steps, "%", "%s.%s.%s.compression_percent",
                         n, rule, chebyshev_solvers[s].name);
            bench_report(bench, c->ms / steps / (1e3 * CHEBYSHEV_STEP), "s/s",
                         "%s.%s.%s.per_second", n, rule, chebyshev_solvers[s].name);
            bench_report(bench, spoilt, "", "%s.%s.%s.artefacts", n, rule,
                         chebyshev_solvers[s].name);
            if (s < PAPER_SOLVERS && s != CHEBYSHEV && !spoilt)
                fastest = fmin(fastest, c->ms / steps);
            if (r == 0 && s < PAPER_SOLVERS)
                bench_report(bench, scene->paper_ms[s], "ms", "%s.%s.paper_ms", n,
                             chebyshev_solvers[s].name);
        }
        double ms = best->ms / best->steps;
        bench_report(bench, 100 * (1 - ms / (cells[CG][r].ms / cells[CG][r].steps)), "%",
                     "%s.%s.less_than_cg_percent", n, rule);
        bench_report(bench, cells[JACOBI_1][r].ms / cells[JACOBI_1][r].steps / ms, "",
                     "%s.%s.jacobi_over_chebyshev", n, rule);
        bench_report(bench, cells[CG][r].ms / cells[CG][r].steps / ms, "",
                     "%s.%s.cg_over_chebyshev", n, rule);
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
    static const double values[] = {0,      0.95,   0.965,  0.975, 0.982,  0.9875, 0.991,
                                    0.9937, 0.9956, 0.9978, 0.999, 0.9995, 0.9998};
    double automatic = 0, best = INFINITY;
    SlStatus status = SL_OK;
    for (size_t k = 0; status == SL_OK && k < (bench->quick ? 4 : sizeof values / sizeof values[0]);
         k++) {
        trial_copy(trial, from);
        trial_set(trial, chebyshev_defaults);
        trial_set(trial, (TrialValue[]){{"rho", values[k]}, {NULL, 0}});
        trial_reset(trial);
        status = trial_steps(trial, CHEBYSHEV_STEP, steps, error);
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

/* What all solvers of a row begin from. */
typedef struct Row {
    Trial *projective, *pbf; /* to run in */
    const Trial *from;
    const Rule *rule;
    SlRhoSearch search;
    uint32_t steps;
} Row;

/* One solver of a row, for one state and rule, into its cell. */
static SlStatus measure_solver(const Row *row, const Solver *solver, Cell *cell, SlError *error)
{
    SlStatus status = SL_OK;
    Trial *projective = row->projective;
    if (solver->pbf && row->rule->mean == 0)
        return SL_OK;
    if (solver->pbf)
        status = chebyshev_pbf(row->pbf, row->from, solver, row->rule, row->steps, error);
    else {
        trial_copy(projective, row->from);
        ((SlProjectiveState *)projective->world->systems[0]->base.state)->search = row->search;
        trial_set(projective, chebyshev_defaults);
        set_rule(projective, row->rule);
        trial_set(projective, solver->values);
        trial_reset(projective);
        status = trial_steps(projective, CHEBYSHEV_STEP, row->steps, error);
    }
    chebyshev_add(cell, solver->pbf ? row->pbf : projective);
    return status;
}

static SlStatus measure(Bench *bench, SlContext *context, const PaperScene *scene, SlError *error)
{
    uint32_t states = bench->quick ? 1 : scene->states, steps = bench->quick ? 2 : scene->steps;
    uint32_t apart = bench->quick ? 20 : scene->apart;
    bool figures = scene == &scenes[bench->quick ? 0 : 1];
    Cell cells[SOLVERS][RULES];
    memset(cells, 0, sizeof cells);
    Trial from = {0}, trial = {0}, pbf = {0};
    SlStatus status = chebyshev_open(context, scene, "projective", &from, error);
    if (status == SL_OK)
        status = chebyshev_open(context, scene, "projective", &trial, error);
    if (status == SL_OK)
        status = chebyshev_open(context, scene, "pbf", &pbf, error);
    if (status == SL_OK)
        trial_set(&from, chebyshev_defaults);
    for (uint32_t state = 0; status == SL_OK && state < states; state++) {
        trial_reset(&from);
        status = trial_steps(&from, CHEBYSHEV_STEP, apart, error);
        if (status == SL_OK && from.result.failed)
            status = sl_error_set(error, SL_ERROR_NUMBERS,
                                  "%s diverged before anything was measured", scene->file);
        for (size_t r = 0; status == SL_OK && r < RULES; r++) {
            Row row = {&trial, &pbf, &from, &rules[r], {0}, steps};
            status = learn_rho(&trial, &from, &rules[r], bench->quick ? 8 : 24, &row.search, error);
            for (int s = 0; status == SL_OK && s < SOLVERS; s++)
                status = measure_solver(&row, &chebyshev_solvers[s], &cells[s][r], error);
        }
        if (status == SL_OK && state == 0 && figures) {
            status = chebyshev_curves(&trial, &from, error);
            if (status == SL_OK)
                status = chebyshev_small_steps(bench, scene, &trial, &pbf, &from, error);
        }
        if (status == SL_OK && state == 0)
            status = search_rho(bench, scene, &trial, &from, bench->quick ? 8 : scene->search_steps,
                                error);
    }
    if (status == SL_OK)
        report_table(bench, scene, cells);
    trial_close(&from);
    trial_close(&trial);
    trial_close(&pbf);
    return status == SL_OK && figures ? chebyshev_memory(bench, scene, error) : status;
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
        status = chebyshev_figure_4(bench, context, &scenes[bench->quick ? 0 : 1], error);
    sl_context_destroy(context);
    if (status == SL_OK)
        printf("  figure 4 and convergence curves: out/bench-chebyshev/*.csv\n");
    return status;
}

const BenchKind bench_chebyshev = {
    "chebyshev",
    "projective fluids: global solvers and Chebyshev's method, scenes of "
    "[Sommer]",
    run_bench, true, false};
