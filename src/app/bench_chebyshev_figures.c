/* Figures of bench chebyshev: convergence within a step, and Figure 4 of document 000, as CSV for
   tools/plot_chebyshev.py. Rows are flushed as they come, so that a run cut short leaves what it
   had. */
#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "app/bench_chebyshev.h"
#include "core/error.h"
#include "core/timer.h"
#include "fluid/projective.h"
#include "world/world.h"

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
        trial_set(trial, (TrialValue[]){{"calm_share", 0}, {NULL, 0}}); /* on past the end */
        status = sl_projective_begin(system, CHEBYSHEV_STEP, &run, error);
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
            fprintf(file, "%s,%d,%.6g,%.6g,%.4f\n", chebyshev_solvers[s].name, k, run.move / d,
                    run.mean, 1e3 * (sl_seconds() - began));
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
        double iterations[VALUES], least = INFINITY;
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
            if (iterations[used] < least) {
                least = iterations[used];
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
        bench_report(bench, iterations[0] / least, "", "figure4.%s.falls", starts[start]);
        bench_report(bench, iterations[used - 1] / least, "", "figure4.%s.rises", starts[start]);
    }
    trial_close(&fresh);
    trial_close(&trial);
    return fclose(file) == 0 ? status
                             : sl_error_set(error, SL_ERROR_IO, "out/bench-chebyshev: not written");
}
