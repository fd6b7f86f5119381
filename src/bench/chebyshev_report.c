/* bench chebyshev beyond [Sommer]: position based fluids in its table, small steps against
   iterations, memory. */
#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "bench/chebyshev.h"
#include "core/context.h"
#include "core/error.h"
#include "core/timer.h"
#include "math/linear/linear.h"
#include "solvers/fluid/fluid.h"
#include "solvers/projective/projective.h"
#include "world/world.h"

/* --- Position based fluids --- */

static SlStatus try_pbf(Trial *pbf, const Trial *from, const Solver *solver, uint32_t iterations,
                        uint32_t steps, SlError *error)
{
    trial_copy(pbf, from);
    trial_set(pbf, solver->values);
    trial_set(pbf, (TrialValue[]){{"max_iterations", iterations}, {NULL, 0}});
    trial_reset(pbf);
    return trial_steps(pbf, CHEBYSHEV_STEP, steps, error);
}

static bool keeps(const Trial *pbf, const Rule *rule)
{
    return !pbf->result.failed && pbf->result.compression <= rule->mean;
}

SlStatus chebyshev_pbf(Trial *pbf, const Trial *from, const Solver *solver, const Rule *rule,
                       uint32_t steps, SlError *error)
{
    /* It has no stop of its own: doubled until it is enough, then halved into the gap. */
    uint32_t few = 1, enough = 2;
    SlStatus status = try_pbf(pbf, from, solver, enough, steps, error);
    while (status == SL_OK && !keeps(pbf, rule) && enough < CHEBYSHEV_MAX_ITERATIONS) {
        few = enough;
        enough = 2 * few < CHEBYSHEV_MAX_ITERATIONS ? 2 * few : CHEBYSHEV_MAX_ITERATIONS;
        status = try_pbf(pbf, from, solver, enough, steps, error);
    }
    if (!keeps(pbf, rule)) /* the limit, as for the others */
        return status;
    bool last_is_enough = true;
    while (status == SL_OK && enough - few > 1) {
        uint32_t middle = (few + enough) / 2;
        status = try_pbf(pbf, from, solver, middle, steps, error);
        last_is_enough = keeps(pbf, rule);
        *(last_is_enough ? &enough : &few) = middle;
    }
    return status == SL_OK && !last_is_enough ? try_pbf(pbf, from, solver, enough, steps, error)
                                              : status;
}

/* --- Small steps --- */

/* Ways to spend iterations; the first of each solver is plain. */
typedef struct Way {
    const char *name;
    bool pbf;
    TrialValue values[TRIAL_MAX_VALUES];
} Way;

static const Way ways[] = {
    {"plain", false, {{"acceleration", SL_ACCELERATION_NONE}, {"stop_move", 0}}},
    {"chebyshev",
     false,
     {{"acceleration", SL_ACCELERATION_CHEBYSHEV}, {"rho", 0.999}, {"stop_move", 0}}},
    {"pbf", true, {{"acceleration", 0}, {"relaxation", 0.7}}},
    {"pbf_chebyshev",
     true,
     {{"acceleration", 1}, {"relaxation", 0.7}, {"rho", 0.99}, {"delay", 1}}},
};
enum { WAYS = sizeof ways / sizeof ways[0] };

/* The same 20 ms by fewer and longer steps or by more and shorter ones, as many iterations in all.
 */
SlStatus chebyshev_small_steps(Bench *bench, const PaperScene *scene, Trial *projective, Trial *pbf,
                               const Trial *from, SlError *error)
{
    enum { IN_ALL = 48, LENGTHS = 4 };
    SlStatus status = SL_OK;
    Cell cells[WAYS][LENGTHS];
    memset(cells, 0, sizeof cells);
    for (int w = 0; w < WAYS; w++)
        for (uint32_t k = 0; status == SL_OK && k < LENGTHS; k++) {
            Trial *trial = ways[w].pbf ? pbf : projective;
            uint32_t steps = 2u << k, iterations = IN_ALL / steps;
            trial_copy(trial, from);
            if (!ways[w].pbf)
                trial_set(trial, chebyshev_defaults);
            trial_set(trial, ways[w].values);
            trial_set(trial, (TrialValue[]){{"max_iterations", iterations}, {NULL, 0}});
            trial_reset(trial);
            status = trial_steps(trial, 4 * CHEBYSHEV_STEP / steps, 2 * steps, error);
            chebyshev_add(&cells[w][k], trial);
        }
    for (int w = 0; status == SL_OK && w < WAYS; w++)
        for (uint32_t k = 0; k < LENGTHS; k++) {
            const Cell *c = &cells[w][k];
            char name[64];
            snprintf(name, sizeof name, "%s.substeps.%s.%ux%u", scene->name, ways[w].name, 2u << k,
                     IN_ALL / (2u << k));
            double n = c->steps > 0 ? c->steps : 1;
            bench_report(bench, c->ms / n, "ms", "%s.ms_per_step", name);
            bench_report(bench, c->ms / 2, "ms", "%s.ms", name); /* for 20 ms; 40 were taken */
            bench_report(bench, c->iterations / n, "", "%s.iterations", name);
            bench_report(bench, 100 * c->compression / n, "%", "%s.compression_percent", name);
            /* Chebyshev's method at the length of the table is the reference. */
            bench_report(bench, chebyshev_has_artefacts(c, &cells[1][1]), "", "%s.artefacts", name);
        }
    return status;
}

/* --- Memory --- */

SlStatus chebyshev_memory(Bench *bench, const PaperScene *scene, SlError *error)
{
    static const Solver kinds[] = {
        {"chebyshev", {{"acceleration", SL_ACCELERATION_CHEBYSHEV}}, false},
        {"anderson", {{"acceleration", SL_ACCELERATION_ANDERSON}}, false},
        {"ldlt",
         {{"acceleration", SL_ACCELERATION_NONE}, {"global_solver", SL_LINEAR_LDLT}, {"global_iterations", 0}},
         false},
    };
    static const char *const more[] = {NULL, "anderson_history", "ldlt_factor"};
    double first = 0;
    SlStatus status = SL_OK;
    for (size_t k = 0; status == SL_OK && k < sizeof kinds / sizeof kinds[0]; k++) {
        SlContextDef def = sl_default_context_def();
        def.threads = bench->threads;
        SlContext *context;
        Trial trial = {0};
        status = sl_context_create(&def, &context, error);
        if (status != SL_OK)
            return status;
        status = chebyshev_open(context, scene, "projective", &trial, error);
        if (status == SL_OK) {
            trial_set(&trial, chebyshev_defaults);
            trial_set(&trial, kinds[k].values);
            status = trial_steps(&trial, CHEBYSHEV_STEP, 3, error);
        }
        if (status == SL_OK) {
            const SlSystem *system = &trial.world->systems[0]->base;
            double n = (double)system->particles.count,
                   held = (double)sl_context_bytes_held(context);
            double samples =
                (double)((const SlFluidState *)system->state)->solids.boundary.set.count;
            if (k == 0) {
                first = held;
                bench_report(bench, samples / n, "", "%s.memory.boundary_particles_per_particle",
                             scene->name);
                bench_report(bench, held / n, "B", "%s.memory.bytes_per_fluid_particle",
                             scene->name);
                bench_report(bench, held / (n + samples), "B", "%s.memory.bytes_per_particle",
                             scene->name);
            } else
                bench_report(bench, (held - first) / n, "B",
                             "%s.memory.%s_bytes_per_fluid_particle", scene->name, more[k]);
        }
        trial_close(&trial);
        sl_context_destroy(context);
    }
    return status;
}

/* --- Figures of bench chebyshev: convergence within a step, and Figure 4 of [Sommer], as CSV for
   tools/plot_chebyshev.py. Rows are flushed as they come, so that a run cut short leaves what it
   had. --- */

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
SlStatus chebyshev_curves(Trial *trial, const Trial *from, SlError *error)
{
    FILE *file = open_csv("curves.csv", "solver,iteration,move_d,mean_compression,ms");
    if (file == NULL)
        return sl_error_set(error, SL_ERROR_IO,
                            "out/bench-chebyshev/curves.csv: cannot be written: %s",
                            strerror(errno));
    SlSystem *system = &trial->world->systems[0]->base;
    double d = (double)system->solver->spacing(system);
    SlStatus status = SL_OK;
    for (size_t s = 0; status == SL_OK && s < chebyshev_solver_count; s++) {
        SlProjectiveRun run;
        if (chebyshev_solvers[s].pbf)
            continue;
        trial_copy(trial, from);
        trial_set(trial, chebyshev_defaults);
        trial_set(trial, chebyshev_solvers[s].values);
        trial_set(trial, (TrialValue[]){{"restart_fraction", 0}, {NULL, 0}}); /* on past the end */
        status = sl_projective_begin(system, CHEBYSHEV_STEP, &run, error);
        if (status != SL_OK)
            break;
        sl_fluid_predict(system, &run.pass.fluid);
        status = sl_fluid_sort(system, &run.pass.fluid, SL_LIST_FROM_PREDICTED, error);
        if (status == SL_OK)
            status = sl_fluid_list(system, &run.pass.fluid, SL_LIST_FROM_PREDICTED, error);
        double began = sl_seconds();
        if (status == SL_OK)
            status = sl_projective_prepare(system, &run, error);
        for (int k = 0; status == SL_OK && k < 60; k++) {
            sl_projective_local(system, &run);
            status = sl_projective_global(system, &run, error);
            fprintf(file, "%s,%d,%.6g,%.6g,%.4f\n", chebyshev_solvers[s].name, k, run.max_move / d,
                    run.mean_compression, 1e3 * (sl_seconds() - began));
            fflush(file);
        }
    }
    return fclose(file) == 0 ? status
                             : sl_error_set(error, SL_ERROR_IO, "out/bench-chebyshev: not written");
}

/* Figure 4: the mean step over the first 80, for each rho, without a safeguard. A run whose numbers
   go wrong, or that no longer holds the water's volume, diverged. */
SlStatus chebyshev_figure_4(Bench *bench, SlContext *context, const PaperScene *scene,
                            SlError *error)
{
    static const double rho[] = {0.80, 0.85, 0.90,  0.925, 0.94,  0.95, 0.96,
                                 0.97, 0.98, 0.985, 0.99,  0.995, 0.999};
    static const char *const starts[2] = {"wang", "printed"};
    enum { VALUES = sizeof rho / sizeof rho[0] };
    uint32_t steps = bench->quick ? 8 : 80;
    FILE *file = open_csv("figure4.csv", "omega_start,rho,ms,iterations,mean_compression,diverged");
    if (file == NULL)
        return sl_error_set(error, SL_ERROR_IO,
                            "out/bench-chebyshev/figure4.csv: cannot be written: %s",
                            strerror(errno));
    Trial trial, fresh;
    SlStatus status = chebyshev_open(context, scene, "projective", &fresh, error);
    if (status == SL_OK)
        status = chebyshev_open(context, scene, "projective", &trial, error);
    for (int start = 0; status == SL_OK && start < 2; start++) {
        double iterations[VALUES], fewest = INFINITY;
        size_t used = 0, lowest = 0;
        for (size_t k = 0; status == SL_OK && k < VALUES; k += bench->quick ? 4 : 1) {
            trial_copy(&trial, &fresh);
            trial_set(&trial, chebyshev_defaults);
            trial_set(&trial, (TrialValue[]){CHEBYSHEV_AS_WANG,
                                             {"rho", rho[k]},
                                             {"safeguard", 0},
                                             {"omega_start", start},
                                             {NULL, 0}});
            trial_reset(&trial);
            status = trial_steps(&trial, CHEBYSHEV_STEP, steps, error);
            const TrialResult *r = &trial.result;
            iterations[used] = r->failed ? 1e3 : r->iterations;
            if (iterations[used] < fewest) {
                fewest = iterations[used];
                lowest = used;
            }
            used++;
            bool diverged = r->failed || !(r->compression < 0.01);
            fprintf(file, "%s,%g,%.4f,%.3f,%.6g,%d\n", starts[start], rho[k], r->ms, r->iterations,
                    r->compression, diverged);
            fflush(file);
            bench_report(bench, r->iterations, "", "figure4.%s.rho_%g.iterations", starts[start],
                         rho[k]);
            bench_report(bench, diverged, "", "figure4.%s.rho_%g.diverged", starts[start], rho[k]);
        }
        if (status != SL_OK)
            break;
        /* One minimum: nowhere does it turn back by more than a thirtieth. */
        uint32_t turns = 0;
        for (size_t k = 1; k < used; k++)
            turns += k <= lowest ? iterations[k] > 1.033 * iterations[k - 1]
                                 : iterations[k] < iterations[k - 1] / 1.033;
        bench_report(bench, turns, "", "figure4.%s.turns", starts[start]);
        bench_report(bench, iterations[0] / fewest, "", "figure4.%s.falls", starts[start]);
        bench_report(bench, iterations[used - 1] / fewest, "", "figure4.%s.rises", starts[start]);
    }
    trial_close(&fresh);
    trial_close(&trial);
    return fclose(file) == 0 ? status
                             : sl_error_set(error, SL_ERROR_IO, "out/bench-chebyshev: not written");
}
