/* The search of `sleet tune` for rho of Chebyshev's method [Wang 2015], as [Sommer §3] does it. One step
   without acceleration gives a first value, the ratio by which its errors fall; short runs from the
   same state with values around it give the best. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/bench.h"
#include "bench/trial.h"
#include "core/context.h"
#include "core/error.h"
#include "solvers/projective/projective.h"
#include "world/world.h"

enum { RATIO_ITERATIONS = 40, MAX_VALUES = 32 };

typedef struct Tried {
    double rho, iterations, ms, compression;
    bool failed;
} Tried;

/* e(K) / e(K-1), the mean of the last iterations, since one alone is uneven; without acceleration. */
static SlStatus first_rho(Trial *trial, double dt, double *rho, SlError *error)
{
    SlSystem *system = &trial->world->systems[0]->base;
    SlProjectiveRun run;
    double norm[RATIO_ITERATIONS];
    trial_set(trial, (TrialValue[]){{"acceleration", SL_ACCELERATION_NONE}, {NULL, 0}});
    SlStatus status = sl_projective_begin(system, dt, &run, error);
    if (status != SL_OK)
        return status;
    sl_fluid_predict(system, &run.pass.fluid);
    status = sl_fluid_sort(system, &run.pass.fluid, SL_LIST_FROM_PREDICTED, error);
    if (status == SL_OK)
        status = sl_fluid_list(system, &run.pass.fluid, SL_LIST_FROM_PREDICTED, error);
    if (status == SL_OK)
        status = sl_projective_prepare(system, &run, error);
    for (int k = 0; status == SL_OK && k < RATIO_ITERATIONS; k++) {
        sl_projective_local(system, &run);
        status = sl_projective_global(system, &run, error);
        norm[k] = run.step_norm;
    }
    if (status != SL_OK)
        return status;
    double fell = norm[RATIO_ITERATIONS - 1] / norm[RATIO_ITERATIONS - 9];
    *rho = fell > 0 && fell < 1 ? fmin(fmax(pow(fell, 1.0 / 8), 0.5), 0.9995) : 0.95;
    return SL_OK;
}

static SlStatus try_rho(Trial *trial, const Trial *from, double rho, double dt, uint32_t steps, Tried *tried,
                        SlError *error)
{
    trial_copy(trial, from);
    trial_set(trial, (TrialValue[]){{"acceleration", SL_ACCELERATION_CHEBYSHEV}, {"rho", rho}, {NULL, 0}});
    trial_reset(trial);
    SlStatus status = trial_steps(trial, dt, steps, error);
    const TrialResult *r = &trial->result;
    *tried = (Tried){rho, r->failed ? INFINITY : r->iterations, r->ms, r->compression, r->failed};
    if (status == SL_OK && r->failed)
        printf("  %8.5f   diverged\n", rho);
    else if (status == SL_OK)
        printf("  %8.5f %11.2f %10.2f %14.4f\n", rho, r->iterations, r->ms, 100 * r->compression);
    fflush(stdout);
    return status;
}

/* Walks from the first value in steps of sqrt(2) of 1 - rho, up and then down, until it gets worse. */
static SlStatus refine(Trial *trial, const Trial *from, double first, double dt, uint32_t steps, Tried *best,
                       SlError *error)
{
    SlStatus status = try_rho(trial, from, first, dt, steps, best, error);
    bool gained = false;
    for (int way = 0; status == SL_OK && way < 2; way++) {
        double gap = 1 - first;
        if (way == 1 && gained)
            break; /* the other side is worse than where it began */
        for (int k = 0; status == SL_OK && k < MAX_VALUES; k++) {
            Tried next;
            gap *= way == 0 ? 0.70710678118654752 : 1.4142135623730951;
            if (gap > 0.9 || gap < 2e-5)
                break;
            status = try_rho(trial, from, 1 - gap, dt, steps, &next, error);
            if (status != SL_OK || !(next.iterations < best->iterations))
                break;
            *best = next;
            gained = true;
        }
    }
    return status;
}

SlStatus bench_tune(SlContext *context, const char *path, const BenchTuneDef *def, double *found,
                    SlError *error)
{
    uint32_t before = def->before, steps = def->steps;
    Trial from = {0}, trial = {0};
    Tried best = {0};
    double first = 0;
    SlStatus status = trial_open(context, path, def->sets, def->set_count, &from, error);
    if (status == SL_OK && from.world->system_count > 0 &&
        strcmp(from.world->systems[0]->base.solver->table.name, "projective") != 0)
        status = sl_error_set(error, SL_ERROR_ARGUMENT, "%.300s: the first system is solved by %s; only "
                              "\"projective\" has a rho to tune", path,
                              from.world->systems[0]->base.solver->table.name);
    if (status == SL_OK)
        status = trial_open(context, path, def->sets, def->set_count, &trial, error);
    if (status == SL_OK) {
        SlSystem *system = &from.world->systems[0]->base;
        double dt = from.world->def.frame_time / system->solver->steps(system);
        status = trial_steps(&from, dt, before, error);
        if (status == SL_OK && from.result.failed)
            status = sl_error_set(error, SL_ERROR_NUMBERS, "%.300s: diverged before the search", path);
        trial_copy(&trial, &from);
        if (status == SL_OK)
            status = first_rho(&trial, dt, &first, error);
        if (status == SL_OK) {
            printf("%s: after %u steps of %g s; errors of plain iterations fall by %.5f\n", path,
                   before, dt, first);
            printf("       rho  iterations    ms/step  compression %%\n");
            status = refine(&trial, &from, first, dt, steps, &best, error);
        }
    }
    *found = best.rho;
    trial_close(&from);
    trial_close(&trial);
    return status;
}
