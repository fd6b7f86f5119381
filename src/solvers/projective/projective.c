/* Projective fluids with Chebyshev's method [Sommer; Weiler 2016; Wang 2015].

   The density constraints of position based fluids become energies, and a step minimises them and
   the inertia term [Sommer eq. 2], alternating local projections and global solves (algorithm 1).
   With the paper's constraints the global matrix is diagonal, so Chebyshev's method accelerates the
   outer loop, not a linear solve. The fluid is not exactly incompressible: the stiffness sets how
   far a column is compressed under its own weight (docs/notes/projective.md). */
#include "solvers/projective/projective.h"

#include <math.h>

#include "core/timer.h"
#include "math/vec3.h"
#include "solvers/fluid/forces.h"
#include "solvers/fluid/packing.h"

/* --- The step --- */

/* Stop tests on the compression, before the global step. */
static bool stops_by_compression(const SlSystem *system, const SlProjectiveRun *run, SlStop *stop)
{
    if (run->iterations < (uint32_t)sl_param(system, SL_PROJECTIVE_PARAM_MIN_ITERATIONS))
        return false;
    if (run->mean_compression < sl_param(system, SL_PROJECTIVE_PARAM_STOP_MEAN))
        *stop = SL_STOP_MEAN;
    else if (run->max_compression < sl_param(system, SL_PROJECTIVE_PARAM_STOP_MAX))
        *stop = SL_STOP_MAX;
    return *stop != SL_STOP_NONE;
}

/* Stop tests on the displacement and the number of iterations, after the global step. */
static bool stops_by_movement(const SlSystem *system, const SlProjectiveRun *run, SlStop *stop)
{
    double spacing = sl_param(system, SL_FLUID_PARAM_SPACING);
    if (run->iterations < (uint32_t)sl_param(system, SL_PROJECTIVE_PARAM_MIN_ITERATIONS))
        return false;
    if (run->max_move < sl_param(system, SL_PROJECTIVE_PARAM_STOP_MOVE) * spacing)
        *stop = SL_STOP_MOVE;
    else if (run->iterations >= (uint32_t)sl_param(system, SL_PROJECTIVE_PARAM_MAX_ITERATIONS))
        *stop = SL_STOP_LIMIT;
    return *stop != SL_STOP_NONE;
}

/* Lines 2 to 8 of algorithm 1. */
static SlStatus iterate(SlSystem *system, SlProjectiveRun *run, SlStop *stop, SlError *error)
{
    SlStatus status = SL_OK;
    *stop = SL_STOP_NONE;
    while (status == SL_OK) {
        sl_projective_local(system, run); /* lines 3 to 5: local projections */
        if (stops_by_compression(system, run, stop))
            break;
        status = sl_projective_global(system, run, error); /* 6: global step, 7: acceleration */
        if (status == SL_OK && stops_by_movement(system, run, stop))
            break;
    }
    return status;
}

/* Records the statistics of the loop, and its iterations for the automatic choice of rho. */
static void record_iterations(SlSystem *system, const SlProjectiveRun *run, SlStop stop)
{
    SlProjectiveState *state = system->state;
    bool chebyshev = run->method.acceleration == SL_ACCELERATION_CHEBYSHEV;
    if (stop != SL_STOP_LIMIT) /* at max_iterations every rho costs the same */
        sl_rho_search_record(&state->search, run->iterations);
    system->stats.stop = stop;
    system->stats.iterations = run->iterations;
    system->stats.mean_iterations = run->iterations;
    system->stats.inner_iterations = run->linear_iterations;
    system->stats.rho = chebyshev ? run->chebyshev.rho : 0;
}

/* [Sommer, algorithm 1], its line numbers on the right. */
static SlStatus step(SlSystem *system, double dt, SlError *error)
{
    double *ms = system->stats.stage_ms, mark = sl_seconds();
    SlProjectiveRun run;
    SlFluidPass *pass = &run.pass.fluid;
    SlStatus status = sl_projective_begin(system, dt, &run, error);
    if (status != SL_OK)
        return status;

    sl_fluid_stabilise(system, SL_KERNELS(system->context->isa, sl_fluid_kernels)->stabilise, pass);
    sl_fluid_predict(system, pass); /* 1 */
    sl_lap(&mark, &ms[SL_STAGE_PREDICT]);

    SlListChoice list;
    status = sl_fluid_choose_list(system, pass, dt, &list, error);
    if (status == SL_OK && list.rebuild)
        status = sl_fluid_sort(system, pass, list.source, error);
    sl_lap(&mark, &ms[SL_STAGE_SORT]);
    if (status == SL_OK)
        status = list.rebuild ? sl_fluid_list(system, pass, list.source, error)
                              : sl_fluid_list_boundary(system, pass, error);
    sl_lap(&mark, &ms[SL_STAGE_NEIGHBOURS]);

    SlStop stop = SL_STOP_NONE;
    if (status == SL_OK)
        status = sl_projective_prepare(system, &run, error);
    if (status == SL_OK)
        status = iterate(system, &run, &stop, error); /* 2 to 8 */
    if (status != SL_OK)
        return status;
    sl_projective_friction(system, &run);
    sl_projective_remember(system, &run);
    record_iterations(system, &run, stop);
    sl_lap(&mark, &ms[SL_STAGE_SOLVE]);

    SlVelocityPass velocities;
    status = sl_velocity_prepare(system, pass, dt, &velocities, error);
    double post_solve = sl_fluid_post_solve_time(system, dt); /* 0: forces act in a later step */
    if (status == SL_OK && post_solve > 0) {
        SlForcePass force = sl_force_pass(system, &velocities, post_solve);
        sl_velocity_update(system, &velocities); /* 9 */
        status = sl_tension_apply(system, &force, error);
        if (status == SL_OK)
            status = sl_vorticity_apply(system, &force, error);
        if (status == SL_OK)
            status = sl_viscosity_apply(system, &force, error);
    }
    if (status != SL_OK)
        return status;
    sl_fluid_advance(system, &velocities, post_solve > 0); /* 10, with XSPH viscosity */
    status = sl_fluid_statistics(system, &velocities, dt, error);
    if (status == SL_OK)
        status = sl_step_control_measure(system, dt, run.pass.density.pressure,
                                         run.pass.density.total, error);
    sl_lap(&mark, &ms[SL_STAGE_VELOCITIES]);
    return status;
}

/* --- The descriptor --- */

static void warn_of_body_forces(SlSystem *system)
{
    SlForces forces = (SlForces)sl_param(system, SL_FLUID_PARAM_FORCES);
    bool wanted = forces == SL_FORCES_ALL ||
                  (forces == SL_FORCES_BODIES && system->surroundings.bodies->count > 1);
    if (wanted && !sl_projective_method(system).body_forces)
        sl_log(system->context, SL_LOG_WARNING,
               "%s: forces on bodies are not computed: they need \"global_solver\" jacobi with 1 "
               "iteration, \"divisor\" common, \"rows\" selector, no other constraints, and "
               "\"acceleration\" none or chebyshev",
               system->name);
}

/* Calls start() of every constraint that is used. */
static SlStatus start_constraints(SlSystem *system, SlError *error)
{
    SlProjectiveMethod method = sl_projective_method(system);
    SlStatus status = SL_OK;
    for (int k = 0; status == SL_OK && k < SL_CONSTRAINT_COUNT; k++) {
        const SlConstraint *constraint = sl_constraint(system->context->isa, (SlConstraintKind)k);
        if ((method.constraints >> k & 1) != 0 && constraint->start != NULL)
            status = constraint->start(system, error);
    }
    return status;
}

static SlStatus start(SlSystem *system, SlError *error)
{
    SlProjectiveState *state = system->state;
    if (system->fluid_count > 0 &&
        sl_param(system, SL_PROJECTIVE_PARAM_ROWS) == SL_ROWS_DIFFERENCES)
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "%s: \"rows\" differences supports one fluid only; there are %u more: "
                            "use \"rows\" selector",
                            system->name, system->fluid_count);
    SlStatus status = sl_fluid_start(system, error);
    if (status == SL_OK && sl_projective_method(system).has_pressure)
        status = sl_initial_pressure(system, error);
    if (status != SL_OK)
        return status;
    warn_of_body_forces(system);
    state->initial_count = (uint32_t)system->particles.count;
    state->search = sl_rho_search_begin();
    return start_constraints(system, error);
}

static void destroy(SlSystem *system)
{
    for (int k = 0; k < SL_CONSTRAINT_COUNT; k++) {
        const SlConstraint *constraint = sl_constraint(system->context->isa, (SlConstraintKind)k);
        if (constraint->destroy != NULL)
            constraint->destroy(system);
    }
    sl_fluid_destroy(system);
}

static uint32_t more_fields(const SlSystem *system)
{
    SlProjectiveMethod method = sl_projective_method(system);
    uint32_t fields = sl_fluid_more_fields(system) | (method.has_pressure ? SL_FIELD_BIT(PRESSURE) : 0);
    for (int k = 0; k < SL_CONSTRAINT_COUNT; k++)
        if ((method.constraints >> k & 1) != 0)
            fields |= sl_constraint(system->context->isa, (SlConstraintKind)k)->fields;
    return fields;
}

static uint64_t memory_needed(const SlSystem *system, uint64_t count)
{
    return sl_fluid_memory_needed(system, count) + sl_projective_bytes(system, count);
}

static const SlStateRow state_rows[] = {
    {"rho_grid_index", offsetof(SlProjectiveState, search.grid_index), sizeof(uint32_t),
     "automatic rho: index of the lower of two values under trial"},
    {"rho_phase", offsetof(SlProjectiveState, search.phase), sizeof(uint32_t),
     "position in the trial's sequence of steps"},
    {"rho_best_index", offsetof(SlProjectiveState, search.best_index), sizeof(uint32_t),
     "index of the value that was cheaper in the last trial"},
    {"rho_cooldown", offsetof(SlProjectiveState, search.cooldown), sizeof(uint32_t),
     "steps left until the next trial"},
    {"rho_slow_streak", offsetof(SlProjectiveState, search.slow_streak), sizeof(uint32_t),
     "consecutive steps that cost much more than best_cost"},
    {"rho_best_cost", offsetof(SlProjectiveState, search.best_cost), sizeof(double),
     "iterations per step of the best value"},
    {"rho_cost", offsetof(SlProjectiveState, search.cost), 8 * sizeof(double),
     "iterations of the steps of this trial"},
    SL_FLUID_STATE_ROWS,
    {"initial_count", offsetof(SlProjectiveState, initial_count), sizeof(uint32_t),
     "particles placed at the start"},
};

const SlSolver sl_projective_solver = {
    .table = {.name = "projective",
              .kind = "solver",
              .summary = "water by projective dynamics: density constraints, Chebyshev's method",
              .citation = "[Sommer]; [Weiler 2016]; [Wang 2015]",
              .rows = sl_projective_rows,
              .row_count = SL_PROJECTIVE_PARAM_COUNT,
              .presets = sl_projective_presets,
              .preset_count = SL_PROJECTIVE_PRESETS},
    .fields = SL_FLUID_FIELDS,
    .several_fluids = true,
    .more_fields = more_fields,
    .state_size = sizeof(SlProjectiveState),
    .state_rows = state_rows,
    .state_row_count = sizeof state_rows / sizeof state_rows[0],
    .memory_needed = memory_needed,
    .packs = sl_fluid_packs,
    .start = start,
    .step = step,
    .destroy = destroy,
    .steps = sl_fluid_steps,
    .step_length = sl_fluid_step_length,
    .spacing = sl_fluid_spacing,
    .state_replaced = sl_fluid_state_replaced,
    .written = sl_fluid_written,
    .mass = sl_fluid_mass,
    .material = SL_MATERIAL_WATER,
};
