/* The end of a water solver's step: velocities, positions and densities, statistics, and the search
   for particles that diverged. */
#include <math.h>
#include <stdio.h>

#include "core/parallel.h"
#include "math/vec3.h"
#include "solvers/fluid/fluid.h"

double sl_fluid_post_solve_time(const SlSystem *system, double dt)
{
    const SlSurroundings *around = &system->surroundings;
    if (sl_param(system, SL_FLUID_PARAM_POST_SOLVE) == SL_POST_SOLVE_STEP)
        return dt;
    if (around->interval_left >= 1.5 * dt)
        return 0;
    return around->interval_length > dt ? around->interval_length : dt;
}

/* Velocities that differ by less are calmed, in sqrt(g d). */
static const double calm_speed = 0.1;
static const float max_smoothing = 0.8f;

/* c of XSPH for `time` s: the fraction of the neighbours' mean velocity that is taken on. */
static double xsph_for(const SlSystem *system, double time, double dt)
{
    double printed = sl_param(system, SL_FLUID_PARAM_XSPH), steps = round(time / dt);
    if (printed > 0) /* in each of the steps of dt that make up `time` */
        return steps > 1 ? 1 - pow(1 - printed, steps) : printed;
    return fmin(1 - exp(-sl_param(system, SL_FLUID_PARAM_VISCOSITY) * time), 0.5);
}

static void set_calming(const SlSystem *system, SlVelocityPass *velocities)
{
    double d = sl_param(system, SL_FLUID_PARAM_SPACING);
    double g = (double)sl_length(system->surroundings.gravity);
    if (!(g > 0) || sl_param(system, SL_FLUID_PARAM_XSPH) > 0 || velocities->xsph == 0)
        return;
    /* c times the whole factor is at most max_smoothing: above 1 it would not smooth but swing. */
    velocities->calming = fminf((float)sl_param(system, SL_FLUID_PARAM_CALMING),
                                fmaxf(max_smoothing / velocities->xsph - 1, 0));
    velocities->inverse_calm_speed2 = (float)(1 / (calm_speed * calm_speed * g * d));
}

SlStatus sl_velocity_prepare(SlSystem *system, const SlFluidPass *pass, double dt,
                             SlVelocityPass *velocities, SlError *error)
{
    size_t chunks = sl_chunk_count(pass->particles.count, SL_REDUCE_CHUNK);
    double time = sl_fluid_post_solve_time(system, dt);
    *velocities = (SlVelocityPass){
        .fluid = pass,
        .new_velocity = sl_fluid_push_records(system),
        .xsph = (float)xsph_for(system, time, dt),
        .shifting = (float)(sl_param(system, SL_FLUID_PARAM_SHIFTING) * time *
                            sl_param(system, SL_FLUID_PARAM_SPACING)),
        .max_shifting = (float)(0.05 * sl_param(system, SL_FLUID_PARAM_SPACING)),
        .runaway_speed = (float)(100 * sl_param(system, SL_FLUID_PARAM_SPACING) / dt),
        .partials = SL_PUSH(&system->arena, double, chunks * SL_FLUID_PARTIALS)};
    set_calming(system, velocities);
    if (velocities->new_velocity == NULL || velocities->partials == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for velocities");
    return SL_OK;
}

void sl_velocity_update(const SlSystem *system, const SlVelocityPass *velocities)
{
    const SlFluidKernels *kernels = SL_KERNELS(system->context->isa, sl_fluid_kernels);
    sl_particle_loop(system, kernels->velocity, velocities);
}

void sl_fluid_advance(const SlSystem *system, const SlVelocityPass *velocities, bool xsph)
{
    const SlFluidKernels *kernels = SL_KERNELS(system->context->isa, sl_fluid_kernels);
    sl_particle_loop(
        system, xsph ? kernels->advance_xsph[sl_fluid_kernel(system)] : kernels->advance, velocities);
}

/* --- Statistics --- */

SlStatus sl_fluid_report_divergence(const SlSystem *system, const SlFluidPass *pass,
                                    const char *stage, size_t i, const char *what, SlError *error)
{
    const float *x = pass->particles.position + 4 * i;
    return sl_error_set(error, SL_ERROR_NUMBERS, "%s: %s: particle %u at (%g, %g, %g): %s",
                        system->solver->table.name, stage, pass->particles.id[i], (double)x[0],
                        (double)x[1], (double)x[2], what);
}

/* Reports the first particle whose speed is not finite or above the runaway speed. */
static SlStatus find_diverged(const SlSystem *system, const SlVelocityPass *velocities,
                              SlError *error)
{
    const SlFluidPass *pass = velocities->fluid;
    for (size_t i = 0; i < pass->particles.count; i++) {
        const float *v = pass->particles.velocity + 4 * i;
        double speed = sqrt((double)v[0] * v[0] + (double)v[1] * v[1] + (double)v[2] * v[2]);
        char what[64];
        snprintf(what, sizeof what, "speed %.3g m/s", speed);
        if (!(speed <= (double)velocities->runaway_speed))
            return sl_fluid_report_divergence(system, pass, "velocities", i, what, error);
    }
    return SL_OK;
}

static void warn_of_cfl(SlSystem *system, double dt)
{
    SlFluidState *state = system->state;
    double d = sl_param(system, SL_FLUID_PARAM_SPACING), speed = system->stats.max_speed;
    double limit = sl_param(system, SL_FLUID_PARAM_CFL_LIMIT);
    if (sl_fluid_step_length(system, dt) > 0 || state->warned_cfl || speed * dt <= limit * d)
        return;
    state->warned_cfl = true;
    sl_log(system->context, SL_LOG_WARNING,
           "%s: at %.3f s the fastest particle (%.3g m/s) moves %.2g spacings in one step; "
           "above %g results suffer: raise \"steps\" to %d",
           system->name, system->time + dt, speed, speed * dt / d, limit,
           (int)ceil(sl_param(system, SL_FLUID_PARAM_STEPS) * speed * dt / (limit * d)));
}

SlStatus sl_fluid_statistics(SlSystem *system, const SlVelocityPass *velocities, double dt,
                             SlError *error)
{
    const SlFluidState *state = system->state;
    const double *partials = velocities->partials;
    SlStepStats *stats = &system->stats;
    double mass = sl_fluid_particle_mass(system);
    size_t n = velocities->fluid->particles.count, chunks = sl_chunk_count(n, SL_REDUCE_CHUNK);
    sl_solids_sum_forces(&state->solids, system, velocities->fluid, mass, dt);
    if (n == 0)
        return SL_OK;
    stats->kinetic_energy =
        mass * sl_fold_sum(partials, chunks, SL_FLUID_PARTIALS, SL_FLUID_KINETIC);
    stats->total_energy =
        stats->kinetic_energy +
        mass * sl_fold_sum(partials, chunks, SL_FLUID_PARTIALS, SL_FLUID_POTENTIAL);
    stats->mean_compression =
        sl_fold_sum(partials, chunks, SL_FLUID_PARTIALS, SL_FLUID_COMPRESSION) / (double)n;
    stats->max_compression =
        sl_fold_max(partials, chunks, SL_FLUID_PARTIALS, SL_FLUID_MAX_COMPRESSION);
    stats->max_speed = sqrt(sl_fold_max(partials, chunks, SL_FLUID_PARTIALS, SL_FLUID_MAX_SPEED2));
    if (sl_fold_sum(partials, chunks, SL_FLUID_PARTIALS, SL_FLUID_DIVERGED) > 0) {
        SlStatus status = find_diverged(system, velocities, error);
        if (status != SL_OK)
            return status;
    }
    warn_of_cfl(system, dt);
    return SL_OK;
}
