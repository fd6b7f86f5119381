/* Position based fluids [Macklin 2013], as summarised in [Köster 2016 section 3].

   Densities are in units of the rest density; a cubic lattice at rest spacing has density 1 for
   every kernel. Jacobi iterations must be relaxed (the largest eigenvalue of the preconditioned
   system is 2.9 on the lattice), and epsilon is a multiple of the lattice's sum of squared
   gradients, so that no parameter depends on units or resolution. */
#include "solvers/pbf/pbf.h"

#include <math.h>
#include <string.h>

#include "core/timer.h"
#include "math/linear/chebyshev.h"
#include "solvers/fluid/forces.h"
#include "solvers/fluid/packing.h"
#include "solvers/pbf/multipliers.h"

enum {
    PARAM_PRESET = SL_FLUID_PARAM_COUNT,
    PARAM_MULTIPLIERS,
    PARAM_MEMORY,
    PARAM_REPULSION,
    PARAM_REPULSION_DISTANCE,
    PARAM_CONSTRAINT,
    PARAM_ITERATIONS,
    PARAM_RELAXATION,
    PARAM_DAMPING,
    PARAM_AVERAGING,
    PARAM_ACCELERATION,
    PARAM_RHO,
    PARAM_DELAY,
    PARAM_OMEGA_START,
    PARAM_TENSILE,
    PARAM_TENSILE_DISTANCE,
    PARAM_STABILISE_LEVEL,
    PARAM_LOD,
    PARAM_LOD_MIN,
    PARAM_LOD_NEAR,
    PARAM_LOD_FAR,
    PARAM_LOD_MAP,
    PARAM_LOD_POWER,
    PARAM_LOD_BLEND,
    PARAM_LOD_FINISHED,
    PARAM_LOD_SETS,
    PARAM_COUNT
};

/* Order of the choices "accumulated|per_iteration". */
typedef enum SlMultipliers {
    SL_MULTIPLIERS_ACCUMULATED,
    SL_MULTIPLIERS_PER_ITERATION
} SlMultipliers;

#define SL_FLUID_DEFAULT_KERNEL SL_KERNEL_WENDLAND
#define SL_FLUID_DEFAULT_WALL_PROFILE SL_WALL_STEEP
#define SL_FLUID_DEFAULT_WALL_DISTANCE 0.25
/* clang-format off */
static const SlParamRow rows[PARAM_COUNT] = {
#include "solvers/fluid/parameter_rows.h"
    [PARAM_PRESET] = {"preset", SL_FLUID_CHOICE(0), 0, 2, "", "none|realtime|macklin2013",
                  "named set of parameter values; a parameter that is given explicitly keeps its value"},
    [PARAM_MULTIPLIERS] = {"multipliers", SL_FLUID_CHOICE(SL_MULTIPLIERS_ACCUMULATED), 0, 1, "", "accumulated|per_iteration",
                       "multipliers of the density constraints: accumulated over a step and remembered as a pressure, or "
                       "computed anew in each iteration, as printed in [Macklin 2013]"},
    [PARAM_MEMORY] = {"memory", SL_FLUID_NUMBER(0.02), 0, 1, "", NULL,
                  "accumulated multipliers: maximum fraction of a step's pressure that is remembered; deep water remembers less", .live = true},
    [PARAM_REPULSION] = {"repulsion", SL_FLUID_NUMBER(1), 0, 10, "", NULL,
                     "accumulated multipliers: strength of the repulsion of near pairs, once per step", .live = true},
    [PARAM_REPULSION_DISTANCE] = {"repulsion_distance", SL_FLUID_NUMBER(0.75), 0.1, 1, "spacings", NULL,
                              "accumulated multipliers: pairs farther apart do not repel", .live = true},
    [PARAM_CONSTRAINT] = {"constraint", SL_FLUID_CHOICE(0), 0, 1, "", "unilateral|equality",
                      "density constraint: unilateral resists compression only, equality [Macklin 2013] also tension", .live = true},
    [PARAM_ITERATIONS] = {"iterations", SL_FLUID_INTEGER(4), 1, 1000, "per step", NULL,
                      "density iterations; fewer than 3 at 2 steps per frame may be unstable", .live = true},
    [PARAM_RELAXATION] = {"relaxation", SL_FLUID_NUMBER(0.7), 0.01, 1.5, "", NULL,
                      "factor on every Jacobi displacement; 1 is unstable unless damping >= 0.75", .live = true},
    [PARAM_DAMPING] = {"damping", SL_FLUID_NUMBER(0.2), 1e-6, 1e3, "", NULL,
                   "epsilon of lambda, as a multiple of the lattice's sum of squared gradients", .live = true},
    [PARAM_AVERAGING] = {"averaging", SL_FLUID_NUMBER(0), 0, 5, "", NULL,
                     "constraint averaging [Macklin 2014]: displacements are divided by the number of violated "
                     "constraints and multiplied by this factor; 0: `relaxation` is used instead", .live = true},
    [PARAM_ACCELERATION] = {"acceleration", SL_FLUID_CHOICE(0), 0, 1, "", "none|chebyshev",
                        "acceleration of the iterations: none, or Chebyshev's method [Wang 2015], which is faster "
                        "from 5 iterations on", .live = true},
    [PARAM_RHO] = {"rho", SL_FLUID_NUMBER(0.95), 0, 0.9999, "", NULL,
               "Chebyshev's method: estimate of the spectral radius of an iteration; higher converges faster, "
               "a value that is too high ejects particles", .live = true},
    [PARAM_DELAY] = {"delay", SL_FLUID_INTEGER(1), 1, 1000, "iterations", NULL,
                 "Chebyshev's method: iterations without acceleration before it starts; 3 or more with omega_start wang", .live = true},
    [PARAM_OMEGA_START] = {"omega_start", SL_FLUID_CHOICE(SL_OMEGA_PRINTED), 0, 1, "", "wang|printed",
                       "Chebyshev's method, second factor: wang: 2 / (2 - rho^2) [Wang 2015], which has full momentum at "
                       "once and needs relaxation 0.5 to 0.6; printed: 4 / (4 - rho^2), as printed in "
                       "[Sommer eq. 8], which increases it gradually", .live = true},
    [PARAM_TENSILE] = {"tensile", SL_FLUID_NUMBER(0.1), 0, 1, "", NULL,
                   "s_corr [Macklin 2013 eq. 13], once per step, against clumping in pairs; its "
                   "strength as the equivalent density error; 0: none", .live = true},
    [PARAM_TENSILE_DISTANCE] = {"tensile_distance", SL_FLUID_NUMBER(0.2), 0.01, 0.9, "supports", NULL,
                            "distance at which s_corr has its full strength", .live = true},
    [PARAM_STABILISE_LEVEL] = {"stabilise_level", SL_FLUID_INTEGER(1000), 1, 1000, "iterations", NULL,
                           "pre-stabilisation is for particles up to this level (q of [Köster 2016])", .live = true},
    [PARAM_LOD] = {"lod", SL_FLUID_CHOICE(SL_LOD_NONE), 0, 2, "", "none|dtc|dtvs",
               "level of detail [Köster 2016]: none; dtc, fewer iterations with the distance to the camera; dtvs, "
               "fewer with the depth behind the surface the camera sees"},
    [PARAM_LOD_MIN] = {"lod_min", SL_FLUID_INTEGER(3), 1, 1000, "iterations", NULL,
                   "lowest level, at most `iterations`, which is the highest", .live = true},
    [PARAM_LOD_NEAR] = {"lod_near", SL_FLUID_NUMBER(0), 0, 1e6, "m", NULL,
                    "distance up to which the level is the highest; at most lod_far", .live = true},
    [PARAM_LOD_FAR] = {"lod_far", SL_FLUID_NUMBER(0), 0, 1e6, "m", NULL,
                   "distance from which the level is the lowest; 0: both distances are automatic", .live = true},
    [PARAM_LOD_MAP] = {"lod_map", SL_FLUID_CHOICE(SL_LOD_LINEAR), 0, 2, "", "linear|smoothstep|power",
                   "how the level falls between the two distances", .live = true},
    [PARAM_LOD_POWER] = {"lod_power", SL_FLUID_NUMBER(2), 0.1, 10, "", NULL, "exponent of lod_map power", .live = true},
    [PARAM_LOD_BLEND] = {"lod_blend", SL_FLUID_CHOICE(SL_LOD_MAX), 0, 2, "", "max|mean|weighted",
                     "levels of several cameras: the highest, their mean, or their mean by the cameras' weights", .live = true},
    [PARAM_LOD_FINISHED] = {"lod_finished", SL_FLUID_CHOICE(SL_LOD_ZERO), 0, 2, "", "zero|halo|stale",
                        "lambda of finished neighbours: 0, computed again next to active particles, or the last one "
                        "(as printed in [Köster 2016]; adds energy)", .live = true},
    [PARAM_LOD_SETS] = {"lod_sets", SL_FLUID_CHOICE(0), 0, 1, "", "gathered|masked",
                    "how active sets are executed; the result is the same: gathered into groups of eight, or in place with lanes "
                    "masked (always with halo and stale)", .live = true},
};
/* clang-format on */

/* macklin2013 is the loop of the papers, with the values their tables were made with. */
static const SlPreset presets[] = {
    {"none", "the defaults", SL_PRESET({NULL, 0})},
    {"realtime",
     "few steps of two iterations each, for interactive rates",
     SL_PRESET({"support", 1.8},
               {"iterations", 2},
               {"repulsion", 0.3},
               {"cfl", 1.6},
               {"max_time_step", 1.0 / 180},
               {"skin", 0.01},
               {"max_stale_fraction", 1})},
    {"macklin2013",
     "multipliers per iteration and fixed steps, as printed",
     SL_PRESET({"multipliers", SL_MULTIPLIERS_PER_ITERATION},
               {"kernel", SL_KERNEL_CUBIC},
               {"packing", SL_PACKING_LATTICE},
               {"step_control", SL_STEP_FIXED},
               {"steps", 2},
               {"xsph", 0.01},
               {"shifting", 0},
               {"wall_profile", SL_WALL_HALF_SPACE},
               {"wall_distance", 0.5})},
};

/* --- Constants and arrays of a step --- */

static SlPbfConstraint constraint_of(const SlSystem *system, double dt)
{
    SlKernelKind kind = sl_fluid_kernel(system);
    double gradient_squared = sl_fluid_gradient_squared(system), support = sl_fluid_support(system);
    /* W(delta q) without its scale: the denominator of s_corr [Macklin 2013 eq. 13] */
    double full = sl_kernel_value(kind, sl_param(system, PARAM_TENSILE_DISTANCE) * support, support) /
                  sl_kernel_value_scale(kind, support);
    double tensile = sl_param(system, PARAM_TENSILE) / gradient_squared / pow(full, 4);
    return (SlPbfConstraint){
        .min_constraint = sl_param(system, PARAM_CONSTRAINT) == 0 ? 0 : -1e9f,
        .epsilon = (float)(sl_param(system, PARAM_DAMPING) * gradient_squared),
        .relaxation = (float)sl_param(system, PARAM_RELAXATION),
        .averaging = (float)sl_param(system, PARAM_AVERAGING),
        .max_move = (float)(sl_param(system, SL_FLUID_PARAM_MAX_MOVE) *
                            sl_param(system, SL_FLUID_PARAM_SPACING)),
        .tensile = sl_fluid_post_solve_time(system, dt) > 0 ? (float)tensile : 0};
}

static SlMultipliers multipliers_of(const SlSystem *system)
{
    return (SlMultipliers)sl_param(system, PARAM_MULTIPLIERS);
}

static SlMultiplierSettings multiplier_settings(const SlSystem *system)
{
    return (SlMultiplierSettings){
        .iterations = (uint32_t)sl_param(system, PARAM_ITERATIONS),
        .damping = sl_param(system, PARAM_DAMPING),
        .repulsion = sl_param(system, PARAM_REPULSION),
        .repulsion_distance = sl_param(system, PARAM_REPULSION_DISTANCE),
        .memory = sl_param(system, PARAM_MEMORY)};
}

SlStatus sl_pbf_prepare(SlSystem *system, double dt, SlPbfPass *pass, SlError *error)
{
    *pass = (SlPbfPass){0};
    SlStatus status = sl_fluid_prepare(system, dt, &pass->fluid, error);
    if (status != SL_OK)
        return status;
    pass->constraint = constraint_of(system, dt);
    pass->acceleration.omega = 1;
    pass->levels.level = system->particles.data[SL_F_LEVEL];
    pass->levels.stabilise_level = (uint32_t)sl_param(system, PARAM_STABILISE_LEVEL);
    if (multipliers_of(system) == SL_MULTIPLIERS_ACCUMULATED) {
        SlMultiplierSettings settings = multiplier_settings(system);
        return sl_multipliers_prepare(system, &settings, dt, &pass->fluid, &pass->multipliers, error);
    }
    pass->projected = sl_fluid_push_records(system);
    bool accelerated = sl_param(system, PARAM_ACCELERATION) != 0;
    if (accelerated)
        pass->acceleration.previous =
            SL_PUSH(&system->arena, float, 4 * (system->particles.capacity + 8));
    if (pass->projected == NULL || (accelerated && pass->acceleration.previous == NULL))
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for temporary arrays");
    return SL_OK;
}

static SlChebyshev chebyshev_of(const SlSystem *system)
{
    SlChebyshev chebyshev = {.rho = sl_param(system, PARAM_RHO),
                             .delay = (uint32_t)sl_param(system, PARAM_DELAY),
                             .printed = sl_param(system, PARAM_OMEGA_START) == SL_OMEGA_PRINTED};
    sl_chebyshev_begin(&chebyshev);
    return chebyshev;
}

static SlLodSettings lod_settings(const SlSystem *system)
{
    return (SlLodSettings){.kind = (SlLodKind)sl_param(system, PARAM_LOD),
                           .min_level = (uint32_t)sl_param(system, PARAM_LOD_MIN),
                           .max_level = (uint32_t)sl_param(system, PARAM_ITERATIONS),
                           .near = sl_param(system, PARAM_LOD_NEAR),
                           .far = sl_param(system, PARAM_LOD_FAR),
                           .map = (SlLodMap)sl_param(system, PARAM_LOD_MAP),
                           .power = sl_param(system, PARAM_LOD_POWER),
                           .blend = (SlLodBlend)sl_param(system, PARAM_LOD_BLEND),
                           .finished = (SlLodFinished)sl_param(system, PARAM_LOD_FINISHED),
                           .masked = sl_param(system, PARAM_LOD_SETS) != 0 ||
                                     multipliers_of(system) == SL_MULTIPLIERS_ACCUMULATED,
                           .spacing = sl_param(system, SL_FLUID_PARAM_SPACING)};
}

/* --- The step --- */

void sl_pbf_lambda(const SlSystem *system, const SlPbfPass *pass)
{
    const SlPbfKernels *kernels = SL_KERNELS(system->context->isa, sl_pbf_kernels);
    sl_particle_loop(system, kernels->lambda[sl_fluid_kernel(system)], pass);
}

void sl_pbf_displace(const SlSystem *system, const SlPbfPass *pass, uint32_t iteration)
{
    const SlPbfKernels *kernels = SL_KERNELS(system->context->isa, sl_pbf_kernels);
    SlKernelKind kind = sl_fluid_kernel(system);
    bool tensile = pass->constraint.tensile > 0 && iteration == 1;
    sl_particle_loop(system, tensile ? kernels->displace_tensile[kind] : kernels->displace[kind],
                     pass);
}

static void iterate(const SlSystem *system, SlPbfPass *pass, const SlActiveSets *active)
{
    SlChebyshev chebyshev = chebyshev_of(system);
    for (uint32_t l = 1; l <= active->max_level; l++) {
        pass->levels.iteration = l;
        pass->acceleration.omega = (float)sl_chebyshev_next(&chebyshev, 0);
        if (l <= active->min_level) { /* the active set A_l is all particles */
            sl_pbf_lambda(system, pass);
            sl_pbf_displace(system, pass, l);
        } else
            sl_active_iterate(system, pass, active);
    }
}

static SlStatus step(SlSystem *system, double dt, SlError *error)
{
    const SlPbfKernels *kernels = SL_KERNELS(system->context->isa, sl_pbf_kernels);
    double *ms = system->stats.stage_ms, mark = sl_seconds();
    bool accumulated = multipliers_of(system) == SL_MULTIPLIERS_ACCUMULATED;
    SlMultiplierSettings settings = multiplier_settings(system);
    SlLodSettings lod = lod_settings(system);
    SlPbfPass pass;
    SlStatus status = sl_pbf_prepare(system, dt, &pass, error);
    if (status != SL_OK)
        return status;

    sl_fluid_stabilise(system, kernels->stabilise, &pass);
    sl_fluid_predict(system, &pass.fluid);
    sl_lap(&mark, &ms[SL_STAGE_PREDICT]);

    SlListChoice list;
    status = sl_fluid_choose_list(system, &pass.fluid, dt, &list, error);
    if (status == SL_OK && list.rebuild)
        status = sl_fluid_sort(system, &pass.fluid, list.source, error);
    sl_lap(&mark, &ms[SL_STAGE_SORT]);
    if (status == SL_OK)
        status = list.rebuild ? sl_fluid_list(system, &pass.fluid, list.source, error)
                              : sl_fluid_list_boundary(system, &pass.fluid, error);
    sl_lap(&mark, &ms[SL_STAGE_NEIGHBOURS]);

    SlActiveSets active;
    if (status == SL_OK)
        status = sl_levels_update(system, &lod, &pass, &active, error);
    if (status != SL_OK)
        return status;
    sl_lap(&mark, &ms[SL_STAGE_LEVELS]);

    if (accumulated) { /* docs/pbf-formulation.md, equations 1 to 8 */
        pass.multipliers.pressure = system->particles.data[SL_F_PRESSURE];
        pass.multipliers.levels.level = active.min_level < active.max_level ? pass.levels.level : NULL;
        sl_multipliers_iterate(system, &settings, &pass.multipliers);
        sl_multipliers_friction(system, &pass.multipliers);
        sl_multipliers_remember(system, &pass.multipliers);
    } else
        iterate(system, &pass, &active); /* [Macklin 2013 algorithm 1, lines 8 to 19] */
    system->stats.iterations = active.max_level;
    sl_lap(&mark, &ms[SL_STAGE_SOLVE]);

    SlVelocityPass velocities;
    status = sl_velocity_prepare(system, &pass.fluid, dt, &velocities, error);
    double post_solve = sl_fluid_post_solve_time(system, dt); /* 0: forces act in a later step */
    if (status == SL_OK && post_solve > 0) {
        SlForcePass force = sl_force_pass(system, &velocities, post_solve);
        sl_velocity_update(system, &velocities);
        status = sl_tension_apply(system, &force, error);
        if (status == SL_OK)
            status = sl_vorticity_apply(system, &force, error);
        if (status == SL_OK)
            status = sl_viscosity_apply(system, &force, error);
    }
    if (status != SL_OK)
        return status;
    sl_fluid_advance(system, &velocities, post_solve > 0); /* positions, XSPH viscosity */
    status = sl_fluid_statistics(system, &velocities, dt, error);
    if (status == SL_OK)
        status = sl_step_control_measure(system, dt, pass.multipliers.pressure,
                                         pass.multipliers.total, error);
    sl_lap(&mark, &ms[SL_STAGE_VELOCITIES]);
    return status;
}

/* Impacts are stopped by the stiffness of a step's iterations, which grows as their number squared:
   from 3 on at the whole CFL limit, with fewer in shorter steps, or energy is gained. */
static double cfl_factor(const SlSystem *system)
{
    double m = sl_param(system, PARAM_ITERATIONS);
    return multipliers_of(system) == SL_MULTIPLIERS_ACCUMULATED ? fmin(1, 0.125 * m * m) : 1;
}

static double step_length(const SlSystem *system, double left)
{
    ((SlFluidState *)system->state)->cfl_factor = cfl_factor(system);
    return sl_fluid_step_length(system, left);
}

/* --- The descriptor --- */

static SlStatus check(const SlSystem *system, SlError *error)
{
    SlLodSettings lod = lod_settings(system);
    return sl_lod_check(system, &lod, error);
}

static SlStatus start(SlSystem *system, SlError *error)
{
    sl_active_init(&((SlPbfState *)system->state)->active, &system->context->memory);
    SlStatus status = sl_fluid_start(system, error);
    if (status == SL_OK && multipliers_of(system) == SL_MULTIPLIERS_ACCUMULATED)
        status = sl_initial_pressure(system, error);
    else if (status == SL_OK && system->particles.count > 0)
        memset(system->particles.data[SL_F_PRESSURE], 0, system->particles.count * sizeof(float));
    return status;
}

static void state_replaced(SlSystem *system)
{
    SlActiveState *active = &((SlPbfState *)system->state)->active;
    active->list = 0;
    active->min_level = active->max_level = 0;
    sl_fluid_state_replaced(system);
}

static void destroy(SlSystem *system)
{
    SlPbfState *state = system->state;
    sl_active_destroy(&state->active);
    sl_fluid_destroy(system);
}

static uint64_t memory_needed(const SlSystem *system, uint64_t count)
{
    /* Chebyshev's previous iterate; lists of active sets, for a third of the particles. */
    bool accumulated = multipliers_of(system) == SL_MULTIPLIERS_ACCUMULATED;
    uint64_t previous = accumulated ? 24 * count : 0; /* shifts, two multipliers */
    if (!accumulated && sl_param(system, PARAM_ACCELERATION) != 0)
        previous = 16 * count;
    uint64_t sets = sl_param(system, PARAM_LOD) != SL_LOD_NONE ? 60 * count : 0;
    return sl_fluid_memory_needed(system, count) + previous + sets;
}

static uint32_t more_fields(const SlSystem *system)
{
    /* PRESSURE with either choice of multipliers, so that a state of one can be continued with the
       other. */
    return sl_fluid_more_fields(system) | SL_FIELD_BIT(PRESSURE) |
           (sl_param(system, PARAM_LOD) != SL_LOD_NONE ? SL_FIELD_BIT(LEVEL) : 0);
}

static const SlStateRow state_rows[] = {SL_FLUID_STATE_ROWS};

const SlSolver sl_pbf_solver = {
    .table = {.name = "pbf",
              .kind = "solver",
              .summary = "water by position based fluids: density constraints, relaxed Jacobi",
              .citation = "[Macklin 2013]; [Köster 2016 section 3]",
              .rows = rows,
              .row_count = PARAM_COUNT,
              .presets = presets,
              .preset_count = sizeof presets / sizeof *presets},
    .fields = SL_FLUID_FIELDS,
    .several_fluids = true,
    .more_fields = more_fields,
    .state_size = sizeof(SlPbfState),
    .state_rows = state_rows,
    .state_row_count = sizeof state_rows / sizeof state_rows[0],
    .memory_needed = memory_needed,
    .check = check,
    .packs = sl_fluid_packs,
    .start = start,
    .state_replaced = state_replaced,
    .step = step,
    .destroy = destroy,
    .steps = sl_fluid_steps,
    .step_length = step_length,
    .written = sl_fluid_written,
    .spacing = sl_fluid_spacing,
    .mass = sl_fluid_mass,
    .material = SL_MATERIAL_WATER,
};
