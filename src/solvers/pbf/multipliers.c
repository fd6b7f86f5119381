/* Accumulated multipliers: constants, Chebyshev steps, iterations, and the pressure of the start. */
#include "solvers/pbf/multipliers.h"

#include <math.h>

#include "math/vec3.h"

/* Largest |C| that one iteration corrects. It limits displacements and, unlike a limit of the
   displacement itself, conserves momentum. */
static const double max_constraint = 0.1;
/* |C| that positions in float cannot express: corrected in each step, it would become noise that grows
   as the steps become shorter. */
static const double tolerance = 4e-5;
/* In spacings: a displacement by one step's constraints that only an impact causes. */
static const double impact = 0.05;
/* Largest eigenvalue of the constraints' matrix over that of the lattice: disorder raises it. */
static const double eigenvalue_margin = 1.073;

/* --- Chebyshev steps --- */

/* What is left of a mode's density error after a step is at least -1 / 4 of it; slow modes keep more, of
   the same sign. A mode that a step leaves -1 / 3 of swings undamped from step to step, and the memory of
   pressure makes it grow (docs/pbf-formulation.md, equation 5a). */
static const double slow_mode_reduction = 4;

typedef struct ChebyshevSteps {
    double w1, before, now, w0; /* w1; T_{k-1}(w0), T_k(w0), and w0 */
    uint32_t done;
} ChebyshevSteps;

/* m steps whose residual polynomial is T_m(w0 - w1 x) / T_m(w0): 1 at x = 0, then never below -1 / reduction up to x = mu.
   Stiffness grows as m², where plain iterations have m. */
static ChebyshevSteps chebyshev_begin(uint32_t m, double mu, double reduction)
{
    double w0 = cosh(acosh(reduction) / m);
    return (ChebyshevSteps){.w1 = (1 + w0) / mu, .before = 1, .now = w0, .w0 = w0};
}

static void chebyshev_next(ChebyshevSteps *steps, double *alpha, double *beta)
{
    *alpha = steps->w1 / steps->w0;
    *beta = 0;
    if (steps->done++ == 0)
        return;
    double next = 2 * steps->w0 * steps->now - steps->before;
    *alpha = 2 * steps->w1 * steps->now / next;
    *beta = steps->before / next;
    steps->before = steps->now;
    steps->now = next;
}

/* --- Constants and arrays --- */

static double gravity_of(const SlSystem *system)
{
    return (double)sl_length(system->surroundings.gravity);
}

/* kappa. A mode whose multiplier follows its error by the gain a per step is stable if kappa < a;
   the slowest, of a column N particles deep, has a ~ (m / N)². */
static double memory_of(const SlSystem *system, const SlMultiplierSettings *settings)
{
    const SlStepControl *control = &((const SlFluidState *)system->state)->control;
    double d = sl_param(system, SL_FLUID_PARAM_SPACING), g = gravity_of(system);
    if (!(g > 0))
        return 0;
    double depth = fmax(1, control->pressure / (g * d)), ratio = settings->iterations / depth;
    return fmin(settings->memory, 0.6 * ratio * ratio);
}

static void set_constants(const SlSystem *system, const SlMultiplierSettings *settings, double dt,
                          SlMultiplierPass *pass)
{
    double d = sl_param(system, SL_FLUID_PARAM_SPACING), support = sl_fluid_support(system);
    double squares = sl_fluid_gradient_squared(system);
    SlKernelKind kind = sl_fluid_kernel(system);
    pass->epsilon = (float)(settings->damping * squares);
    pass->max_constraint = (float)max_constraint;
    pass->tolerance = (float)tolerance;
    pass->inverse_fall = (float)(1 / fmax(gravity_of(system) * dt * dt, 0.001 * d));
    pass->impact = (float)(impact * d);
    pass->repulsion =
        sl_fluid_post_solve_time(system, dt) > 0 ? (float)(settings->repulsion / squares) : 0;
    pass->repulsion_value = (float)(sl_kernel_value(kind, settings->repulsion_distance * d, support) /
                                    sl_kernel_value_scale(kind, support));
    pass->memory = (float)memory_of(system, settings);
}

SlStatus sl_multipliers_prepare(SlSystem *system, const SlMultiplierSettings *settings, double dt,
                                SlFluidPass *fluid, SlMultiplierPass *pass, SlError *error)
{
    size_t room = system->particles.capacity + 8;
    *pass = (SlMultiplierPass){.fluid = fluid,
                               .projected = sl_fluid_push_records(system),
                               .total = SL_PUSH(&system->arena, float, room),
                               .previous = SL_PUSH(&system->arena, float, room)};
    set_constants(system, settings, dt, pass);
    sl_fluid_solid_pushes(system, dt, &fluid->solids);
    fluid->particles.shift = sl_fluid_push_records(system);
    if (pass->projected == NULL || fluid->particles.shift == NULL || pass->total == NULL ||
        pass->previous == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for multipliers");
    return SL_OK;
}

/* --- Iterations --- */

void sl_multipliers_update(const SlSystem *system, const SlMultiplierPass *pass)
{
    const SlMultiplierKernels *kernels = SL_KERNELS(system->context->isa, sl_multiplier_kernels);
    sl_particle_loop(system, kernels->update[sl_fluid_kernel(system)], pass);
}

void sl_multipliers_displace(const SlSystem *system, const SlMultiplierPass *pass,
                             uint32_t iteration)
{
    const SlMultiplierKernels *kernels = SL_KERNELS(system->context->isa, sl_multiplier_kernels);
    SlKernelKind kind = sl_fluid_kernel(system);
    bool repulsion = iteration == 1 && pass->repulsion > 0;
    sl_particle_loop(system, repulsion ? kernels->displace_repulsion[kind] : kernels->displace[kind],
                     pass);
}

/* Chebyshev steps by level, up to MAX_LEVEL: a particle of level k takes k of them. */
enum { MAX_LEVEL = 64 };
typedef struct LevelSteps {
    ChebyshevSteps steps[MAX_LEVEL + 1];
    float alpha[MAX_LEVEL + 1], beta[MAX_LEVEL + 1];
} LevelSteps;

static void next_level_steps(LevelSteps *levels, uint32_t iteration)
{
    for (uint32_t k = iteration; k <= MAX_LEVEL; k++) {
        double alpha, beta;
        chebyshev_next(&levels->steps[k], &alpha, &beta);
        levels->alpha[k] = (float)alpha;
        levels->beta[k] = (float)beta;
    }
}

void sl_multipliers_iterate(const SlSystem *system, const SlMultiplierSettings *settings,
                            SlMultiplierPass *pass)
{
    const SlMultiplierKernels *kernels = SL_KERNELS(system->context->isa, sl_multiplier_kernels);
    double mu = eigenvalue_margin * sl_fluid_constants(system)->max_eigenvalue, alpha, beta;
    ChebyshevSteps steps = chebyshev_begin(settings->iterations, mu, slow_mode_reduction);
    LevelSteps levels = {0};
    for (uint32_t k = 1; k <= MAX_LEVEL; k++)
        levels.steps[k] = chebyshev_begin(k, mu, slow_mode_reduction);
    pass->levels.alpha = levels.alpha;
    pass->levels.beta = levels.beta;
    sl_particle_loop(system, kernels->begin, pass);
    sl_multipliers_displace(system, pass, 0);
    for (uint32_t l = 1; l <= settings->iterations; l++) {
        chebyshev_next(&steps, &alpha, &beta);
        pass->alpha = (float)alpha;
        pass->beta = (float)beta;
        pass->levels.iteration = l;
        if (pass->levels.level != NULL)
            next_level_steps(&levels, l);
        sl_multipliers_update(system, pass);
        sl_multipliers_displace(system, pass, l);
    }
}

void sl_multipliers_friction(const SlSystem *system, const SlMultiplierPass *pass)
{
    const SlMultiplierKernels *kernels = SL_KERNELS(system->context->isa, sl_multiplier_kernels);
    if (pass->fluid->solids.walls_rub || pass->fluid->solids.boundary_rubs)
        sl_particle_loop(system, kernels->friction[sl_fluid_kernel(system)], pass);
}

void sl_multipliers_remember(const SlSystem *system, const SlMultiplierPass *pass)
{
    const SlMultiplierKernels *kernels = SL_KERNELS(system->context->isa, sl_multiplier_kernels);
    sl_particle_loop(system, kernels->remember, pass);
}
