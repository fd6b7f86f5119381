/* Position based fluids (Macklin & Müller 2013; document 002 §3, equations cleaned in its table).

   Densities are in units of the rest density; a cubic lattice of the spacing has density 1 for
   every kernel. Jacobi must be relaxed (the largest eigenvalue of the preconditioned system is
   2.9 on the lattice), and epsilon is a multiple of the lattice's own sum of squared gradients, so
   no parameter depends on the units or the resolution. */
#include "solvers/pbf/pbf.h"

#include <math.h>

#include "core/timer.h"
#include "solvers/pbf/lod/active.h"
#include "math/linear/chebyshev.h"

enum {
    P_PRESET = SL_FLUID_P_COUNT,
    P_CONSTRAINT,
    P_ITERATIONS,
    P_RELAXATION,
    P_DAMPING,
    P_AVERAGING,
    P_ACCELERATION,
    P_RHO,
    P_DELAY,
    P_OMEGA_START,
    P_TENSILE,
    P_TENSILE_DISTANCE,
    P_STABILISE_LEVEL,
    P_LOD,
    P_LOD_MIN,
    P_LOD_NEAR,
    P_LOD_FAR,
    P_LOD_MAP,
    P_LOD_POWER,
    P_LOD_BLEND,
    P_LOD_FINISHED,
    P_LOD_SETS,
    P_COUNT
};

/* clang-format off */
static const SlParamRow rows[P_COUNT] = {
#include "solvers/fluid/parameter_rows.h"
    [P_PRESET] = {"preset", SL_FLUID_CHOICE(0), 0, 1, "", "none|realtime",
                  "values of several parameters under one name; those given by themselves stay"},
    [P_CONSTRAINT] = {"constraint", SL_FLUID_CHOICE(0), 0, 1, "", "unilateral|equality",
                      "unilateral resists compression only; equality (the paper's) also tension"},
    [P_ITERATIONS] = {"iterations", SL_FLUID_INTEGER(4), 1, 1000, "per step", NULL,
                      "density iterations; fewer than 3 at 2 steps a frame may blow up"},
    [P_RELAXATION] = {"relaxation", SL_FLUID_NUMBER(0.7), 0.01, 1.5, "", NULL,
                      "factor on every Jacobi displacement; 1 is unstable without damping >= 0.75"},
    [P_DAMPING] = {"damping", SL_FLUID_NUMBER(0.2), 1e-6, 1e3, "", NULL,
                   "epsilon of lambda, as a multiple of the lattice's sum of squared gradients"},
    [P_AVERAGING] = {"averaging", SL_FLUID_NUMBER(0), 0, 5, "", NULL,
                     "constraint averaging: displacements are divided by the number of violated "
                     "constraints and multiplied by this omega; 0: `relaxation` is used instead"},
    [P_ACCELERATION] = {"acceleration", SL_FLUID_CHOICE(0), 0, 1, "", "none|chebyshev",
                        "Chebyshev's method on the iterations; pays from 5 iterations on"},
    [P_RHO] = {"rho", SL_FLUID_NUMBER(0.95), 0, 0.9999, "", NULL,
               "Chebyshev's estimate of how little an iteration gains; higher gains more, and throws spray"},
    [P_DELAY] = {"delay", SL_FLUID_INTEGER(1), 1, 1000, "iterations", NULL,
                 "plain iterations before it starts; 3 or more with omega_start wang"},
    [P_OMEGA_START] = {"omega_start", SL_FLUID_CHOICE(SL_OMEGA_PRINTED), 0, 1, "", "wang|printed",
                       "its second factor: 2 / (2 - rho^2), which has all of its momentum at once and wants "
                       "relaxation 0.5 to 0.6, or 4 / (4 - rho^2), which gathers it"},
    [P_TENSILE] = {"tensile", SL_FLUID_NUMBER(0.1), 0, 1, "", NULL,
                   "s_corr, once a step, keeps particles from clumping in pairs: strength as the "
                   "density error it equals; 0: none"},
    [P_TENSILE_DISTANCE] = {"tensile_distance", SL_FLUID_NUMBER(0.2), 0.01, 0.9, "supports", NULL,
                            "distance at which s_corr has its full strength"},
    [P_STABILISE_LEVEL] = {"stabilise_level", SL_FLUID_INTEGER(1000), 1, 1000, "iterations", NULL,
                           "pre-stabilisation is for particles up to this level (the paper's q)"},
    [P_LOD] = {"lod", SL_FLUID_CHOICE(SL_LOD_NONE), 0, 2, "", "none|dtc|dtvs",
               "level of detail: all particles get all iterations; fewer with the distance to the "
               "camera; fewer with the depth behind what the camera sees"},
    [P_LOD_MIN] = {"lod_min", SL_FLUID_INTEGER(3), 1, 1000, "iterations", NULL,
                     "the lowest level; the highest is `iterations`"},
    [P_LOD_NEAR] = {"lod_near", SL_FLUID_NUMBER(0), 0, 1e6, "m", NULL,
                    "distance up to which the level is the highest"},
    [P_LOD_FAR] = {"lod_far", SL_FLUID_NUMBER(0), 0, 1e6, "m", NULL,
                   "distance from which it is the lowest; 0: both automatic"},
    [P_LOD_MAP] = {"lod_map", SL_FLUID_CHOICE(SL_LOD_LINEAR), 0, 2, "", "linear|smoothstep|power",
                   "how the level falls between the two"},
    [P_LOD_POWER] = {"lod_power", SL_FLUID_NUMBER(2), 0.1, 10, "", NULL, "exponent of the map \"power\""},
    [P_LOD_BLEND] = {"lod_blend", SL_FLUID_CHOICE(SL_LOD_MAX), 0, 2, "", "max|mean|weighted",
                     "levels of several cameras: the highest, their mean, or by the cameras' weights"},
    [P_LOD_FINISHED] = {"lod_finished", SL_FLUID_CHOICE(SL_LOD_ZERO), 0, 2, "", "zero|halo|stale",
                        "lambda of neighbours that are finished: none, measured again around active "
                        "particles, or the last one kept (as printed; adds energy)"},
    [P_LOD_SETS] = {"lod_sets", SL_FLUID_CHOICE(0), 0, 1, "", "gathered|masked",
                    "how active sets are run, with the same result: in full groups of eight, or in "
                    "place with lanes masked (always so for halo and stale)"},
};
/* clang-format on */

/* Found on the dam of 216,000 particles: the compression of 2 steps of 6 iterations with the cubic
   spline, in a third of the time. Steps gain more than iterations: the error goes as
   1 / (steps² × iterations). One list serves the frame; a smaller support has fewer pairs. */
static const SlPreset presets[] = {
    {"none", "the defaults", SL_PRESET({NULL, 0})},
    {"realtime",
     "as many small steps of one iteration as a frame has time for",
     SL_PRESET({"kernel", SL_KERNEL_WENDLAND},
      {"support", 1.75},
      {"steps", 4},
      {"iterations", 1},
      {"relaxation", 1.25},
      {"skin", 0.01},
      {"max_stale_fraction", 1},
      {"post_solve", SL_POST_SOLVE_FRAME})},
};

SlStatus sl_pbf_begin(SlSystem *system, double dt, SlFluidPass *pass, SlError *error)
{
    SlStatus status = sl_fluid_begin(system, dt, pass, error);
    if (status != SL_OK)
        return status;
    double gradient_squared = sl_fluid_gradient_squared(system), support = sl_fluid_support(system);
    SlKernelKind kind = sl_fluid_kernel(system);
    pass->min_constraint = sl_param(system, P_CONSTRAINT) == 0 ? 0 : -1e9f;
    pass->epsilon = (float)(sl_param(system, P_DAMPING) * gradient_squared);
    pass->relaxation = (float)sl_param(system, P_RELAXATION);
    double full = sl_kernel_value(kind, sl_param(system, P_TENSILE_DISTANCE) * support, support) /
                  sl_kernel_value_scale(kind, support);
    if (sl_fluid_settles(system, dt))
        pass->tensile = (float)(sl_param(system, P_TENSILE) / gradient_squared / pow(full, 4));
    pass->stabilise_level = (uint32_t)sl_param(system, P_STABILISE_LEVEL);
    pass->averaging = (float)sl_param(system, P_AVERAGING);
    pass->omega = 1;
    if (sl_param(system, P_ACCELERATION) != 0) {
        size_t room = system->particles.capacity + 8;
        pass->previous = SL_PUSH(&system->context->arena, float, 4 * room);
        if (pass->previous == NULL)
            return sl_error_set(error, SL_ERROR_MEMORY, "no memory for Chebyshev's method");
    }
    return SL_OK;
}

SlFluidLoop sl_pbf_displace(const SlSystem *system, const SlFluidPass *pass, uint32_t iteration)
{
    const SlPbfKernels *kernels = SL_KERNELS(system->context->isa, sl_pbf_kernels);
    SlKernelKind kind = sl_fluid_kernel(system);
    return pass->tensile > 0 && iteration == 0 ? kernels->displace_tensile[kind]
                                               : kernels->displace[kind];
}

static SlChebyshev chebyshev_of(const SlSystem *system)
{
    SlChebyshev chebyshev = {.rho = sl_param(system, P_RHO),
                             .delay = (uint32_t)sl_param(system, P_DELAY),
                             .printed = sl_param(system, P_OMEGA_START) == SL_OMEGA_PRINTED};
    sl_chebyshev_begin(&chebyshev);
    return chebyshev;
}

static SlLodSettings lod_settings(const SlSystem *system)
{
    return (SlLodSettings){.kind = (SlLodKind)sl_param(system, P_LOD),
                           .least = (uint32_t)sl_param(system, P_LOD_MIN),
                           .most = (uint32_t)sl_param(system, P_ITERATIONS),
                           .near = sl_param(system, P_LOD_NEAR),
                           .far = sl_param(system, P_LOD_FAR),
                           .map = (SlLodMap)sl_param(system, P_LOD_MAP),
                           .power = sl_param(system, P_LOD_POWER),
                           .blend = (SlLodBlend)sl_param(system, P_LOD_BLEND),
                           .finished = (SlLodFinished)sl_param(system, P_LOD_FINISHED),
                           .masked = sl_param(system, P_LOD_SETS) != 0,
                           .spacing = sl_param(system, SL_FLUID_P_SPACING)};
}

static SlStatus step(SlSystem *system, double dt, SlError *error)
{
    const SlPbfKernels *kernels = SL_KERNELS(system->context->isa, sl_pbf_kernels);
    SlKernelKind kind = sl_fluid_kernel(system);
    double *ms = system->stats.stage_ms, mark = sl_seconds();
    SlFluidPass pass;
    SlStatus status = sl_pbf_begin(system, dt, &pass, error);
    if (status != SL_OK)
        return status;

    sl_fluid_predict(system, &pass);
    sl_lap(&mark, &ms[SL_STAGE_PREDICT]);

    if ((status = sl_fluid_neighbours(system, &pass, &mark, error)) != SL_OK)
        return status;

    SlActive active;
    SlLodSettings lod = lod_settings(system);
    if ((status = sl_active_assign(system, &lod, &pass, &active, error)) != SL_OK)
        return status;
    sl_lap(&mark, &ms[SL_STAGE_LEVELS]);

    SlChebyshev chebyshev = chebyshev_of(system);
    for (uint32_t l = 1; l <= lod.most; l++) {
        pass.iteration = l;
        pass.omega = (float)sl_chebyshev_next(&chebyshev, 0);
        if (l <= active.least) { /* A_l is everybody */
            sl_fluid_run(system, &pass, kernels->lambda[kind]);
            sl_fluid_run(system, &pass, sl_pbf_displace(system, &pass, l - 1));
        } else
            sl_active_iterate(system, &pass, &active);
    }
    system->stats.iterations = lod.most;
    sl_lap(&mark, &ms[SL_STAGE_SOLVE]);

    status = sl_fluid_conclude(system, &pass, dt, error);
    sl_lap(&mark, &ms[SL_STAGE_FINISH]);
    return status;
}

static uint64_t memory_needed(const SlSystem *system, uint64_t count)
{
    /* The iterate before the last; active lists of a third of the particles. */
    uint64_t last = sl_param(system, P_ACCELERATION) != 0 ? 16 * count : 0;
    uint64_t sets = sl_param(system, P_LOD) != SL_LOD_NONE ? 60 * count : 0;
    return sl_fluid_memory_needed(system, count) + last + sets;
}

static uint32_t more_fields(const SlSystem *system)
{
    return sl_fluid_more_fields(system) |
           (sl_param(system, P_LOD) != SL_LOD_NONE ? SL_FIELD_BIT(LEVEL) : 0);
}

const SlSolver sl_pbf_solver = {
    .table = {.name = "pbf",
              .kind = "solver",
              .summary = "water by position based fluids: density constraints, relaxed Jacobi",
              .citation = "Macklin & Müller 2013; Köster & Krüger 2016 (IJCGA 6(3)), section 3",
              .rows = rows,
              .row_count = P_COUNT,
              .presets = presets,
              .preset_count = sizeof presets / sizeof *presets},
    .fields = SL_FLUID_FIELDS,
    .several_fluids = true,
    .more_fields = more_fields,
    .state_size = sizeof(SlFluidState),
    .memory_needed = memory_needed,
    .start = sl_fluid_start,
    .state_replaced = sl_fluid_state_replaced,
    .step = step,
    .finish = sl_fluid_finish,
    .steps = sl_fluid_steps,
    .spacing = sl_fluid_spacing,
    .mass = sl_fluid_mass,
    .material = SL_MATERIAL_WATER,
};
