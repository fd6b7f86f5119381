/* The kinds of constraints of projective fluids. Their loops are in projective_kernels.c. */
#include "solvers/projective/projective.h"
#include "solvers/projective/parameter_rows.h"

/* kappa = w dt² / m with w = stiffness × spacing: then the fluid's resistance to pressure does not
   depend on the resolution or the step. */
static double density_kappa(const SlSystem *system, double dt)
{
    double d = sl_param(system, SL_FLUID_PARAM_SPACING);
    return sl_param(system, P_STIFFNESS) / sl_param(system, SL_FLUID_PARAM_REST_DENSITY) * dt * dt /
           (d * d);
}

static double selected_kappa(const SlSystem *system, double dt)
{
    return sl_param(system, P_ROWS) == SL_ROWS_SELECTOR ? density_kappa(system, dt) : 0;
}

static double difference_kappa(const SlSystem *system, double dt)
{
    return sl_param(system, P_ROWS) == SL_ROWS_DIFFERENCES ? density_kappa(system, dt) : 0;
}

static double attachment_kappa(const SlSystem *system, double dt)
{
    double d = sl_param(system, SL_FLUID_PARAM_SPACING);
    return sl_param(system, P_ATTACH) / sl_param(system, SL_FLUID_PARAM_REST_DENSITY) * dt * dt /
           (d * d);
}

static SlLoop project_density(const SlProjectiveKernels *kernels, SlKernelKind kind)
{
    return kernels->project[kind];
}

static SlLoop pull_density(const SlProjectiveKernels *kernels, SlKernelKind kind)
{
    return kernels->pull_density[kind];
}

static SlLoop pull_differences(const SlProjectiveKernels *kernels, SlKernelKind kind)
{
    return kernels->pull_differences[kind];
}

static SlLoop pull_attachments(const SlProjectiveKernels *kernels, SlKernelKind kind)
{
    (void)kind;
    return kernels->pull_attachments;
}

static const SlConstraint density = {
    .name = "density",
    .summary = "the density around a particle is at most that at rest; C and D pick its particles",
    .citation = "document 000, eq. 4; Weiler, Koschier & Bender 2016",
    .kappa = selected_kappa,
    .project = project_density,
    .pull = pull_density,
    .diagonal = true,
};

static const SlConstraint density_differences = {
    .name = "density in differences",
    .summary = "the same; C and D take differences to the particle itself, so all may move as one",
    .citation = "Bouaziz et al. 2014, section 4",
    .kappa = difference_kappa,
    .project = project_density,
    .pull = pull_differences,
    .diagonal = false,
};

static const SlConstraint attachment = {
    .name = "attachment",
    .summary = "a particle stays where it was placed",
    .citation = "Bouaziz et al. 2014, section 5",
    .kappa = attachment_kappa,
    .project = NULL,
    .pull = pull_attachments,
    .diagonal = true,
};

const SlConstraint *const sl_constraints[SL_CONSTRAINT_COUNT] = {&density, &density_differences,
                                                                 &attachment};
