/* Projective fluids with Chebyshev's method (document 000; Weiler, Koschier & Bender 2016; Wang
   2015).

   The density constraints of position based fluids become energies, and a step minimises them and
   inertia together (eq. 2) by local projections and global solves in turn (algorithm 1). With the
   paper's constraints the global matrix is diagonal, so Chebyshev's method accelerates the loop of
   both, not a linear solve. What is incompressible here is soft: how much a column gives under its
   own weight is set by the stiffness (docs/notes/projective.md). */
#include "solvers/projective/projective.h"

#include <math.h>

#include "core/timer.h"
#include "solvers/fluid/forces.h"
#include "solvers/projective/parameter_rows.h"

/* clang-format off */
#define BOOL(value) SL_PARAM_BOOL, {{value}}
static const SlParamRow rows[P_COUNT] = {
#include "solvers/fluid/parameter_rows.h"
    [P_STIFFNESS] = {"stiffness", SL_FLUID_NUMBER(1e6), 1, 1e12, "Pa", NULL,
                     "a density constraint weighs stiffness × spacing; of other fluids in proportion to their density"},
    [P_CONSTRAINT] = {"constraint", SL_FLUID_CHOICE(0), 0, 1, "", "unilateral|equality",
                      "unilateral resists compression only; equality (as printed) also tension"},
    [P_ROWS] = {"rows", SL_FLUID_CHOICE(SL_ROWS_SELECTOR), 0, 1, "", "selector|differences",
                "what a density constraint measures: its particles' places, so that the matrix is diagonal, "
                "or their differences to its own particle"},
    [P_COUNT_RELAXATION] = {"count_relaxation", SL_FLUID_NUMBER(1), 0, 1, "", NULL,
                            "shifts of a projection are multiplied by this share of the number of particles "
                            "in the constraint, at least by 1; 0: the plain selector, much softer"},
    [P_PROJECTIONS] = {"projections", SL_FLUID_INTEGER(1), 1, 100, "per iteration", NULL,
                       "most Newton steps of a local projection"},
    [P_PROJECTION_TOLERANCE] = {"projection_tolerance", SL_FLUID_NUMBER(1e-6), 1e-7, 1, "", NULL,
                                "density error that ends a projection sooner"},
    [P_DAMPING] = {"damping", SL_FLUID_NUMBER(1e-4), 1e-6, 1e3, "", NULL,
                   "epsilon of lambda, as a multiple of the lattice's sum of squared gradients"},
    [P_ATTACH] = {"attach", SL_FLUID_NUMBER(0), 0, 1e12, "Pa", NULL,
                  "an attachment weighs attach × spacing; 0: nothing is attached"},
    [P_ATTACH_BELOW] = {"attach_below", SL_FLUID_NUMBER(0), -1e6, 1e6, "m", NULL,
                        "particles placed lower than this are attached where they start"},
    [P_GLOBAL_SOLVER] = {"global_solver", SL_FLUID_CHOICE(SL_LINEAR_JACOBI), 0, SL_LINEAR_COUNT - 1, "", SL_LINEAR_CHOICES,
                  "the linear solver of the global step"},
    [P_GLOBAL_ITERATIONS] = {"global_iterations", SL_FLUID_INTEGER(1), 0, 10000, "per iteration", NULL,
                             "of the linear solver; 0: as many as its tolerance takes"},
    [P_GLOBAL_TOLERANCE] = {"global_tolerance", SL_FLUID_NUMBER(1e-6), 1e-12, 1, "", NULL,
                            "residual of the linear solver over its right-hand side"},
    [P_PRECONDITIONER] = {"preconditioner", SL_FLUID_CHOICE(0), 0, 1, "", "none|diagonal",
                        "of conjugate gradients"},
    [P_DIVISOR] = {"divisor", SL_FLUID_CHOICE(SL_DIVISOR_COMMON), 0, 1, "", "common|own",
                   "what a single sweep of Jacobi divides by: one diagonal for all particles, so that every "
                   "iteration keeps momentum, or each row's own, which solves the row"},
    [P_ACCELERATION] = {"acceleration", SL_FLUID_CHOICE(SL_ACCELERATE_CHEBYSHEV), 0, 2, "", "none|chebyshev|anderson",
                      "what speeds up the loop of local and global steps"},
    [P_RHO] = {"rho", SL_FLUID_NUMBER(0), 0, 0.99999, "", NULL,
               "Chebyshev's method: how slowly the plain loop converges; 0: estimated while running"},
    [P_DELAY] = {"delay", SL_FLUID_INTEGER(0), 0, 1000, "iterations", NULL,
                 "plain iterations before Chebyshev's method begins; 3 or more with omega_start wang"},
    [P_RELAXATION] = {"relaxation", SL_FLUID_NUMBER(0.7), 0.01, 1, "", NULL,
                            "factor on every step of the loop before it is accelerated"},
    [P_OMEGA_START] = {"omega_start", SL_FLUID_CHOICE(SL_OMEGA_PRINTED), 0, 1, "", "wang|printed",
                       "second factor of Chebyshev's method: 2 / (2 - rho^2), which has all of its momentum at "
                       "once, or 4 / (4 - rho^2) as document 000 prints it, which gathers it"},
    [P_SAFEGUARD] = {"safeguard", BOOL(1), 0, 1, "", NULL,
                     "Chebyshev's method begins again when steps grow instead of shrinking"},
    [P_RESTART_FRACTION] = {"restart_fraction", SL_FLUID_NUMBER(0.002), 0, 1, "", NULL,
                      "Chebyshev's method begins again near the end of a step: when no more than this share of "
                      "the particles move farther than stop_move, or a plain iteration is likely to do; 0, or stop_move 0: never"},
    [P_HISTORY] = {"history", SL_FLUID_INTEGER(5), 1, SL_ANDERSON_MAX, "iterations", NULL,
                   "that Anderson acceleration looks back on"},
    [P_MAX_ITERATIONS] = {"max_iterations", SL_FLUID_INTEGER(100), 1, 100000, "per step", NULL,
                      "most local and global steps"},
    [P_MIN_ITERATIONS] = {"min_iterations", SL_FLUID_INTEGER(2), 1, 1000, "per step", NULL,
                            "that are done whatever the limits below say"},
    [P_STOP_MOVE] = {"stop_move", SL_FLUID_NUMBER(1e-3), 0, 1, "spacings", NULL,
                     "the step ends when no particle moves farther in an iteration; 0: not by this"},
    [P_STOP_MEAN] = {"stop_mean", SL_FLUID_NUMBER(0), 0, 1, "", NULL,
                     "the step ends when the mean compression is below; 0: not by this"},
    [P_STOP_MAX] = {"stop_max", SL_FLUID_NUMBER(0), 0, 1, "", NULL,
                     "the step ends when the greatest compression is below; 0: not by this"},
    [P_STEP_CONTROL] = {"step_control", SL_FLUID_CHOICE(0), 0, 1, "", "fixed|cfl",
                     "`steps` of one length a frame, or as long as speeds allow"},
    [P_CFL] = {"cfl", SL_FLUID_NUMBER(0.4), 0.01, 10, "spacings", NULL,
               "the farthest a particle may move in a step of time_step \"cfl\""},
    [P_MIN_TIME_STEP] = {"min_time_step", SL_FLUID_NUMBER(1e-4), 1e-7, 1, "s", NULL, "shortest of those"},
    [P_MAX_TIME_STEP] = {"max_time_step", SL_FLUID_NUMBER(5e-3), 1e-7, 1, "s", NULL, "longest of those"},
};
/* clang-format on */

/* Does something end the step? Compression is that of the iterate before the last move. */
static bool ends(const SlSystem *system, const SlProjectiveRun *run, bool moved, SlStop *stop)
{
    double d = sl_param(system, SL_FLUID_PARAM_SPACING);
    if (run->iterations < (uint32_t)sl_param(system, P_MIN_ITERATIONS))
        return false;
    if (moved && run->move < sl_param(system, P_STOP_MOVE) * d)
        *stop = SL_STOP_MOVE;
    else if (!moved && run->mean < sl_param(system, P_STOP_MEAN))
        *stop = SL_STOP_MEAN;
    else if (!moved && run->most < sl_param(system, P_STOP_MAX))
        *stop = SL_STOP_MAX;
    else if (moved && run->iterations >= (uint32_t)sl_param(system, P_MAX_ITERATIONS))
        *stop = SL_STOP_LIMIT;
    return *stop != SL_STOP_NONE;
}

static SlStatus step(SlSystem *system, double dt, SlError *error)
{
    double *ms = system->stats.stage_ms, mark = sl_seconds();
    SlProjectiveState *state = system->state;
    SlProjectiveRun run;
    SlFluidPass *pass = &run.pass.fluid;
    SlStatus status = sl_projective_begin(system, dt, &run, error);
    if (status != SL_OK)
        return status;

    /* line 1 of algorithm 1 */
    sl_fluid_stabilise(system, SL_KERNELS(system->context->isa, sl_fluid_kernels)->stabilise, pass);
    sl_fluid_predict(system, pass);
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

    if (status == SL_OK)
        status = sl_projective_prepare(system, &run, error);
    if (status != SL_OK)
        return status;
    SlStop stop = SL_STOP_NONE;
    for (;;) {
        sl_projective_local(system, &run); /* lines 3 to 5 */
        if (ends(system, &run, false, &stop))
            break;
        if ((status = sl_projective_global(system, &run, error)) != SL_OK) /* lines 6 and 7 */
            return status;
        if (ends(system, &run, true, &stop))
            break;
    }
    sl_projective_settle(system, &run);
    if (stop != SL_STOP_LIMIT) /* there all cost the same */
        sl_rho_search_record(&state->search, run.iterations);
    system->stats.stop = stop;
    system->stats.iterations = run.iterations;
    system->stats.mean_iterations = run.iterations;
    system->stats.inner_iterations = run.inner;
    system->stats.rho =
        sl_param(system, P_ACCELERATION) == SL_ACCELERATE_CHEBYSHEV ? run.chebyshev.rho : 0;
    sl_lap(&mark, &ms[SL_STAGE_SOLVE]);

    /* lines 9 and 10 */
    SlVelocityPass velocities;
    if ((status = sl_velocity_prepare(system, pass, dt, &velocities, error)) != SL_OK)
        return status;
    double duration = sl_fluid_post_solve_time(system, dt);
    if (duration > 0) {
        sl_velocity_update(system, &velocities);
        SlForcePass force = sl_force_pass(system, &velocities, duration);
        status = sl_tension_apply(system, &force, error);
        if (status == SL_OK)
            status = sl_vorticity_apply(system, &force, error);
        if (status == SL_OK)
            status = sl_viscosity_apply(system, &force, error);
        if (status != SL_OK)
            return status;
        sl_fluid_advance_xsph(system, &velocities);
    } else
        sl_fluid_advance(system, &velocities);
    status = sl_fluid_statistics(system, &velocities, dt, error);
    state->fastest = system->stats.max_speed;
    sl_lap(&mark, &ms[SL_STAGE_VELOCITIES]);
    return status;
}

static SlStatus start(SlSystem *system, SlError *error)
{
    SlProjectiveState *state = system->state;
    if (system->fluid_count > 0 && sl_param(system, P_ROWS) == SL_ROWS_DIFFERENCES)
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "%s: \"rows\" differences knows one fluid only; %u more are asked for, "
                            "which selector can mix",
                            system->name, system->fluid_count);
    SlStatus status = sl_fluid_start(system, error);
    if (status != SL_OK)
        return status;
    SlForces forces = (SlForces)sl_param(system, SL_FLUID_PARAM_FORCES);
    if (!sl_projective_has_body_forces(system) &&
        (forces == SL_FORCES_ALL ||
         (forces == SL_FORCES_BODIES && sl_body_count(&system->surroundings) > 1)))
        sl_log(system->context, SL_LOG_WARNING,
               "%s: what bodies feel is not told: that takes \"global\" jacobi "
               "with 1 iteration, \"divisor\" common, \"rows\" selector, \"attach\" 0 and "
               "\"acceleration\" "
               "none or chebyshev",
               system->name);
    SlParticles *particles = &system->particles;
    const float *x = sl_f32x4(particles, SL_F_POSITION);
    float *anchor = sl_f32x4(particles, SL_F_ANCHOR),
          below = (float)sl_param(system, P_ATTACH_BELOW);
    state->placed = (uint32_t)particles->count;
    state->search = sl_rho_search_begin();
    for (size_t i = 0; anchor != NULL && i < particles->count; i++)
        for (size_t a = 0; a < 3; a++)
            anchor[4 * i + a] = x[4 * i + 1] < below ? x[4 * i + a] : SL_FAR;
    return SL_OK;
}

/* FACTS §5.4; 0: `steps` decides. */
static double step_length(const SlSystem *system, double left)
{
    const SlProjectiveState *state = system->state;
    if (sl_param(system, P_STEP_CONTROL) == 0)
        return 0;
    double speed = state->fastest > 0 ? state->fastest : 1e-9;
    double length = sl_param(system, P_CFL) * sl_param(system, SL_FLUID_PARAM_SPACING) / speed;
    length = fmin(fmax(length, sl_param(system, P_MIN_TIME_STEP)), sl_param(system, P_MAX_TIME_STEP));
    return left / ceil(left / length * (1 - 1e-9));
}

static uint32_t more_fields(const SlSystem *system)
{
    return sl_fluid_more_fields(system) |
           (sl_param(system, P_ATTACH) > 0 ? SL_FIELD_BIT(ANCHOR) : 0);
}

static uint64_t memory_needed(const SlSystem *system, uint64_t count)
{
    return sl_fluid_memory_needed(system, count) + sl_projective_bytes(system, count);
}

/* A written velocity may shorten the next step. */
static void written(SlSystem *system, size_t i, SlFieldId field)
{
    SlProjectiveState *state = system->state;
    const float *v = sl_f32x4(&system->particles, SL_F_VELOCITY) + 4 * i;
    if (field == SL_F_VELOCITY)
        state->fastest = fmax(state->fastest, (double)sl_length(sl_vec3(v[0], v[1], v[2])));
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
    {"fastest", offsetof(SlProjectiveState, fastest), sizeof(double), "m/s, of any particle"},
    {"placed", offsetof(SlProjectiveState, placed), sizeof(uint32_t),
     "particles there at the start"},
};

const SlSolver sl_projective_solver = {
    .table = {.name = "projective",
              .kind = "solver",
              .summary = "water by projective dynamics: density constraints, Chebyshev's method",
              .citation =
                  "Weiler, Koschier & Bender 2016; Sommer, Schwanecke & Schoemer (document 000)",
              .rows = rows,
              .row_count = P_COUNT},
    .fields = SL_FLUID_FIELDS,
    .several_fluids = true,
    .more_fields = more_fields,
    .state_size = sizeof(SlProjectiveState),
    .state_rows = state_rows,
    .state_row_count = sizeof state_rows / sizeof state_rows[0],
    .memory_needed = memory_needed,
    .start = start,
    .state_replaced = sl_fluid_state_replaced,
    .step = step,
    .destroy = sl_fluid_destroy,
    .steps = sl_fluid_steps,
    .step_length = step_length,
    .spacing = sl_fluid_spacing,
    .written = written,
    .mass = sl_fluid_mass,
    .material = SL_MATERIAL_WATER,
};
