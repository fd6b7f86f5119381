/* Neighbour lists of the water solvers: sort, list build, and reuse of a list in later steps. */
#include <stdio.h>

#include "core/parallel.h"
#include "solvers/fluid/fluid.h"

/* Half a skin, m. */
static float stale_distance(const SlSystem *system)
{
    return (float)(0.5 * sl_param(system, SL_FLUID_PARAM_SKIN) *
                   sl_param(system, SL_FLUID_PARAM_SPACING));
}

static SlListSource source_of(const SlSystem *system)
{
    return system->particles.data[SL_F_REFERENCE] != NULL ? SL_LIST_FROM_REFERENCE
                                                          : SL_LIST_FROM_PREDICTED;
}

static const float *positions_of(SlSystem *system, SlListSource source)
{
    return sl_f32x4(&system->particles,
                    source == SL_LIST_FROM_REFERENCE ? SL_F_REFERENCE : SL_F_PREDICTED);
}

/* The number of particles displaced by more than half a skin against the mean displacement. */
static double stale_count(const SlSystem *system, SlListReusePass *reuse)
{
    const SlFluidKernels *kernels = SL_KERNELS(system->context->isa, sl_fluid_kernels);
    size_t count = reuse->fluid->particles.count, chunks = sl_chunk_count(count, SL_REDUCE_CHUNK);
    sl_particle_loop(system, kernels->drift, reuse);
    double mean[3];
    for (size_t k = 0; k < 3; k++)
        mean[k] = sl_fold_sum(reuse->partials, chunks, SL_LIST_REUSE_PARTIALS, k) / (double)count;
    reuse->drift = (SlVec3){(float)mean[0], (float)mean[1], (float)mean[2]};
    sl_particle_loop(system, kernels->count_stale, reuse);
    return sl_fold_sum(reuse->partials, chunks, SL_LIST_REUSE_PARTIALS, 0);
}

/* True if the list of an earlier step of this frame still has nearly all pairs. */
static bool list_serves(const SlSystem *system, SlListReusePass *reuse)
{
    double allowed = sl_param(system, SL_FLUID_PARAM_MAX_STALE_FRACTION);
    if (system->surroundings.interval_begins || system->surroundings.population_changes)
        return false;
    return allowed >= 1 ||
           stale_count(system, reuse) <= allowed * (double)reuse->fluid->particles.count;
}

/* A list is built from positions extrapolated to the middle of the time in which it is reused, so
   that displacements from it are smallest. */
SlStatus sl_fluid_choose_list(SlSystem *system, const SlFluidPass *pass, double dt,
                              SlListChoice *choice, SlError *error)
{
    const SlFluidKernels *kernels = SL_KERNELS(system->context->isa, sl_fluid_kernels);
    const SlFluidState *state = system->state;
    *choice = (SlListChoice){.rebuild = true, .source = source_of(system)};
    if (choice->source == SL_LIST_FROM_PREDICTED)
        return SL_OK;
    double left = system->surroundings.interval_left;
    size_t chunks = sl_chunk_count(pass->particles.count, SL_REDUCE_CHUNK);
    SlListReusePass reuse = {.fluid = pass,
                             .reference = sl_f32x4(&system->particles, SL_F_REFERENCE),
                             .extrapolation = left > dt ? (float)(0.5 * (left - dt)) : 0,
                             .stale_distance = stale_distance(system),
                             .partials =
                                 SL_PUSH(&system->arena, double, chunks * SL_LIST_REUSE_PARTIALS)};
    if (reuse.partials == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory to check a neighbour list");
    bool serves = list_serves(system, &reuse);
    if (!serves)
        sl_particle_loop(system, kernels->extrapolate, &reuse);
    choice->rebuild = !serves || !state->list_built; /* a restored state has no list */
    return SL_OK;
}

SlStatus sl_fluid_sort(SlSystem *system, SlFluidPass *pass, SlListSource source, SlError *error)
{
    SlFluidState *state = system->state;
    if (!sl_particles_sort(&system->particles, &state->grid, positions_of(system, source),
                           &system->arena))
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory to sort particles");
    sl_fluid_bind_fields(system, pass); /* the sort swaps the arrays */
    return SL_OK;
}

SlStatus sl_fluid_list(SlSystem *system, const SlFluidPass *pass, SlListSource source,
                       SlError *error)
{
    SlFluidState *state = system->state;
    double reach = sl_fluid_support(system) + 2 * (double)stale_distance(system);
    SlStatus status = sl_neighbours_build(
        &state->list, &state->grid,
        sl_particle_points(&system->particles, positions_of(system, source)), (float)reach,
        &system->arena, error);
    size_t crowded = state->list.crowded;
    state->list_built = status == SL_OK;
    state->list_count++;
    if (status == SL_OK) {
        status = sl_solids_list(&state->solids, system, pass->particles.predicted, error);
        crowded = state->solids.list.crowded;
    }
    if (status == SL_ERROR_NUMBERS && crowded != SIZE_MAX) {
        char what[128];
        snprintf(what, sizeof what, "more than %d neighbours within %g m", SL_MAX_NEIGHBOURS,
                 reach);
        return sl_fluid_report_divergence(system, pass, "neighbours", crowded, what, error);
    }
    return status;
}

SlStatus sl_fluid_list_boundary(SlSystem *system, const SlFluidPass *pass, SlError *error)
{
    SlFluidState *state = system->state;
    return sl_solids_list(&state->solids, system, pass->particles.predicted, error);
}
