/* Surface tension, vorticity confinement and implicit viscosity: scratch, the order of their loops,
   and the conjugate gradients of viscosity. The equations are at the loops (forces_kernels.c). */
#include "solvers/fluid/forces.h"

#include <math.h>

#include "core/parallel.h"

static SlStatus no_memory(const char *force, SlError *error)
{
    return sl_error_set(error, SL_ERROR_MEMORY, "no memory for %s", force);
}

static bool has_tension(const SlSystem *system)
{
    return sl_param(system, SL_FLUID_PARAM_COHESION) > 0 ||
           sl_param(system, SL_FLUID_PARAM_CURVATURE) > 0;
}

static bool has_vorticity(const SlSystem *system)
{
    return sl_param(system, SL_FLUID_PARAM_VORTICITY) != 0;
}

static bool has_viscosity(const SlSystem *system)
{
    bool viscous = sl_param(system, SL_FLUID_PARAM_KINEMATIC_VISCOSITY) > 0;
    for (uint32_t k = 0; k < system->fluid_count; k++)
        viscous |= system->fluids[k].viscosity > 0;
    return viscous;
}

SlForcePass sl_force_pass(const SlSystem *system, const SlVelocityPass *velocities, double duration)
{
    return (SlForcePass){.fluid = velocities->fluid,
                         .velocity = velocities->new_velocity,
                         .duration = (float)duration,
                         .support = (float)sl_fluid_support(system)};
}

/* --- Surface tension --- */

SlStatus sl_tension_apply(SlSystem *system, const SlForcePass *force, SlError *error)
{
    const SlForceKernels *kernels = SL_KERNELS(system->context->isa, sl_force_kernels);
    double d = sl_param(system, SL_FLUID_PARAM_SPACING);
    if (!has_tension(system))
        return SL_OK;
    SlTensionPass pass = {.force = *force,
                          .volume = (float)(d * d * d),
                          .cohesion = (float)sl_param(system, SL_FLUID_PARAM_COHESION),
                          .curvature = (float)sl_param(system, SL_FLUID_PARAM_CURVATURE),
                          .normals = sl_fluid_push_records(system)};
    if (pass.normals == NULL)
        return no_memory("surface tension", error);
    sl_particle_loop(system, kernels->tension_normals[sl_fluid_kernel(system)], &pass);
    sl_particle_loop(system, kernels->tension_apply, &pass);
    return SL_OK;
}

/* --- Vorticity confinement --- */

SlStatus sl_vorticity_apply(SlSystem *system, const SlForcePass *force, SlError *error)
{
    const SlForceKernels *kernels = SL_KERNELS(system->context->isa, sl_force_kernels);
    SlKernelKind kind = sl_fluid_kernel(system);
    if (!has_vorticity(system))
        return SL_OK;
    SlVorticityPass pass = {.force = *force,
                            .vorticity = (float)sl_param(system, SL_FLUID_PARAM_VORTICITY),
                            .curls = sl_fluid_push_records(system)};
    if (pass.curls == NULL)
        return no_memory("vorticity confinement", error);
    sl_particle_loop(system, kernels->vorticity_curls[kind], &pass);
    sl_particle_loop(system, kernels->vorticity_confine[kind], &pass);
    return SL_OK;
}

/* --- Implicit viscosity --- */

/* Dynamic viscosity over the system's density, by fluid. */
static const float *push_viscosities(SlSystem *system)
{
    float *viscosities = SL_PUSH(&system->arena, float, SL_MAX_FLUIDS + 1);
    double rest = sl_param(system, SL_FLUID_PARAM_REST_DENSITY);
    if (viscosities == NULL)
        return NULL;
    viscosities[0] = (float)sl_param(system, SL_FLUID_PARAM_KINEMATIC_VISCOSITY);
    for (uint32_t k = 0; k < system->fluid_count; k++)
        viscosities[k + 1] = (float)(system->fluids[k].viscosity * system->fluids[k].density / rest);
    return viscosities;
}

static double sum_of(const SlViscosityPass *pass, size_t lane)
{
    return sl_fold_sum(pass->partials,
                       sl_chunk_count(pass->force.fluid->particles.count, SL_REDUCE_CHUNK),
                       SL_VISCOSITY_PARTIALS, lane);
}

/* Conjugate gradients, preconditioned by the diagonal. */
static SlStatus solve_viscosity(SlSystem *system, SlViscosityPass *pass, SlError *error)
{
    const SlForceKernels *kernels = SL_KERNELS(system->context->isa, sl_force_kernels);
    SlKernelKind kind = sl_fluid_kernel(system);
    uint32_t max = (uint32_t)sl_param(system, SL_FLUID_PARAM_VISCOSITY_ITERATIONS), k = 0;
    double tolerance = sl_param(system, SL_FLUID_PARAM_VISCOSITY_TOLERANCE);
    sl_particle_loop(system, kernels->viscosity_values, pass);
    sl_particle_loop(system, kernels->viscosity_residual[kind], pass);
    sl_particle_loop(system, kernels->viscosity_start, pass);
    double rr = sum_of(pass, SL_VISCOSITY_FIRST), rz = sum_of(pass, SL_VISCOSITY_SECOND);
    /* Converged: the tolerance, or 1e-6 d/dt per particle, which is below what can be seen. */
    double limit = tolerance * tolerance * rr;
    double unseen =
        1e-6 * sl_param(system, SL_FLUID_PARAM_SPACING) / (double)pass->force.fluid->dt;
    limit = fmax(limit, unseen * unseen * (double)pass->force.fluid->particles.count);
    for (; k < max && rr > limit; k++) {
        sl_particle_loop(system, kernels->viscosity_product[kind], pass);
        double pq = sum_of(pass, SL_VISCOSITY_FIRST);
        if (!(pq > 0))
            return sl_error_set(error, SL_ERROR_NUMBERS,
                                "%s: viscosity: the system of equations is not positive (%g)",
                                system->name, pq);
        pass->alpha = (float)(rz / pq);
        sl_particle_loop(system, kernels->viscosity_advance, pass);
        rr = sum_of(pass, SL_VISCOSITY_FIRST);
        double next = sum_of(pass, SL_VISCOSITY_SECOND);
        pass->beta = (float)(next / rz);
        rz = next;
        sl_particle_loop(system, kernels->viscosity_direction, pass);
    }
    SlFluidState *state = system->state;
    if (k == max && rr > limit && !state->warned_viscosity) {
        state->warned_viscosity = true;
        sl_log(system->context, SL_LOG_WARNING,
               "%s: at %.3f s viscosity did not converge to %g in %u iterations (%.2g left); raise "
               "\"viscosity_iterations\" or \"steps\"",
               system->name, system->time, tolerance, max,
               sqrt(rr / (limit / tolerance / tolerance)));
    }
    return SL_OK;
}

/* (M + duration K) u = M v for the velocity u at the end of the step: stable for any viscosity. */
SlStatus sl_viscosity_apply(SlSystem *system, const SlForcePass *force, SlError *error)
{
    if (!has_viscosity(system))
        return SL_OK;
    size_t chunks = sl_chunk_count(force->fluid->particles.count, SL_REDUCE_CHUNK);
    SlViscosityPass pass = {
        .force = *force,
        .viscosity = (float)sl_param(system, SL_FLUID_PARAM_KINEMATIC_VISCOSITY),
        .viscosities = push_viscosities(system),
        .residual = sl_fluid_push_records(system),
        .direction = sl_fluid_push_records(system),
        .product = sl_fluid_push_records(system),
        .partials = SL_PUSH(&system->arena, double, chunks * SL_VISCOSITY_PARTIALS)};
    if (pass.viscosities == NULL || pass.residual == NULL || pass.direction == NULL ||
        pass.product == NULL || pass.partials == NULL)
        return no_memory("viscosity", error);
    return solve_viscosity(system, &pass, error);
}

uint64_t sl_forces_bytes(const SlSystem *system, uint64_t count)
{
    return 16 * count *
           (uint64_t)(3 * has_viscosity(system) + has_tension(system) + has_vorticity(system));
}
