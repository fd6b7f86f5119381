/* Water solvers: constants, the arrays of a step, prediction, start and end of a system. */
#include "solvers/fluid/fluid.h"

#include <math.h>
#include <string.h>

#include "bodies/boundary.h"
#include "core/parallel.h"
#include "math/vec3.h"
#include "solvers/fluid/forces.h"
#include "solvers/fluid/packing.h"

/* --- Constants --- */

SlKernelKind sl_fluid_kernel(const SlSystem *system)
{
    return (SlKernelKind)sl_param(system, SL_FLUID_PARAM_KERNEL);
}

double sl_fluid_support(const SlSystem *system)
{
    return sl_param(system, SL_FLUID_PARAM_SUPPORT) * sl_param(system, SL_FLUID_PARAM_SPACING);
}

/* Scale of the wall density, such that a lattice half a spacing from a wall has density 1 there.
   A continuum would need 2 pi × the kernel's value scale; the lattice has slightly less density
   beyond the wall than a continuum. */
static double wall_scale_of(SlKernelKind kind, double support)
{
    double missing = 0, lattice = 0;
    int reach = (int)ceil(support);
    for (int z = -reach; z <= reach; z++)
        for (int y = -reach; y <= reach; y++)
            for (int x = -reach; x <= reach; x++) {
                double w = sl_kernel_value(kind, sqrt((double)(x * x + y * y + z * z)), support);
                lattice += w;
                missing += x < 0 ? w : 0;
            }
    /* F(1/2 spacing) (wall_lanes.h) unscaled, by Simpson's rule on A(s) = integral of W r dr. */
    enum { STEPS = 200 };
    double filled = 0, from = 0.5 / support, width = (1 - from) / STEPS;
    for (int k = 0; k <= STEPS; k++) {
        double s = from + k * width, area = 0, ring = (1 - s) / STEPS;
        for (int j = 0; j <= STEPS; j++) {
            double r = s + j * ring, weight = j == 0 || j == STEPS ? 1 : j % 2 == 1 ? 4 : 2;
            area += weight * r * sl_kernel_value(kind, r, 1) / sl_kernel_value_scale(kind, 1);
        }
        filled += (k == 0 || k == STEPS ? 1 : k % 2 == 1 ? 4 : 2) * area * ring / 3;
    }
    return missing / lattice / (filled * width / 3);
}

/* Half the mean of r^2 over the plane at half a spacing, weighted with W: with q^2 = s^2 + r^2 that is
   the integral of W (q^2 - s^2) q dq over twice that of W q dq. In spacing^2. */
static double round_moment_of(SlKernelKind kind, double support)
{
    enum { STEPS = 400 };
    double s = 0.5 / support, width = (1 - s) / STEPS, moment = 0, area = 0;
    for (int k = 0; k <= STEPS; k++) {
        double q = s + k * width, weight = k == 0 || k == STEPS ? 1 : k % 2 == 1 ? 4 : 2;
        double ring = weight * q * sl_kernel_value(kind, q, 1);
        area += ring;
        moment += ring * (q * q - s * s);
    }
    return 0.5 * moment / area * support * support;
}

/* The slopes at half a spacing from a wall, in 1/spacing; the symbols of docs/pbf-formulation.md. */
static void wall_constants(SlKernelKind kind, double support, SlFluidConstants *c)
{
    int reach = (int)ceil(support);
    for (int z = -reach; z <= reach; z++)
        for (int y = -reach; y <= reach; y++)
            for (int x = -reach; x < 0; x++) {
                double r = sqrt((double)(x * x + y * y + z * z));
                c->wall_density += sl_kernel_value(kind, r, support) / c->lattice.density;
                c->plane_slopes += sl_kernel_slope(kind, r, support) * x / c->lattice.density;
                c->gradient_factor -= 2 * sl_kernel_slope(kind, r, support) * x * x / c->lattice.density;
            }
    /* By differences: F of the half space, and a plane of samples that lies `inset` behind. */
    double step = 1e-3, near = 0.5 / support, plane = sl_plane_integral(kind, near);
    c->round_moment = round_moment_of(kind, support);
    c->wall_slope = c->wall_scale * plane / sl_kernel_value_scale(kind, 1) / support;
    double at = near + sl_boundary_inset(kind, support) / support;
    c->sample_slope = c->wall_density *
                      (sl_plane_integral(kind, at - step) - sl_plane_integral(kind, at + step)) /
                      (2 * step * support * sl_plane_integral(kind, at));
}

/* Recomputes the constants only if the kernel or the support has changed. */
const SlFluidConstants *sl_fluid_constants(const SlSystem *system)
{
    SlFluidConstants *known = &((SlFluidState *)system->state)->constants;
    SlKernelKind kind = sl_fluid_kernel(system);
    double support = sl_param(system, SL_FLUID_PARAM_SUPPORT);
    if (!known->known || known->kind != kind || known->support != support) {
        *known = (SlFluidConstants){.known = true,
                                    .kind = kind,
                                    .support = support,
                                    .lattice = sl_lattice_sums(kind, support),
                                    .wall_scale = wall_scale_of(kind, support),
                                    .max_eigenvalue =
                                        sl_lattice_max_eigenvalue(kind, fmax(support, 2))};
        wall_constants(kind, support, known);
    }
    return known;
}

double sl_fluid_gradient_squared(const SlSystem *system)
{
    double d = sl_param(system, SL_FLUID_PARAM_SPACING);
    return sl_fluid_constants(system)->lattice.gradient_squared / (d * d);
}

double sl_fluid_particle_mass(const SlSystem *system)
{
    double d = sl_param(system, SL_FLUID_PARAM_SPACING);
    return sl_param(system, SL_FLUID_PARAM_REST_DENSITY) * d * d * d;
}

float sl_fluid_mass(const SlSystem *system, size_t i)
{
    const uint32_t *fluid = system->particles.data[SL_F_FLUID];
    double d = sl_param(system, SL_FLUID_PARAM_SPACING);
    return fluid == NULL || fluid[i] == 0
               ? (float)sl_fluid_particle_mass(system)
               : (float)(system->fluids[fluid[i] - 1].density * d * d * d);
}

/* The density that the rest density is calibrated to, over the lattice's. */
static double packing_of(const SlSystem *system)
{
    double packing = ((const SlFluidState *)system->state)->packing_density;
    return packing > 0 ? packing : 1;
}

SlKernelConstants sl_fluid_kernel_constants(const SlSystem *system)
{
    double d = sl_param(system, SL_FLUID_PARAM_SPACING), support = sl_fluid_support(system);
    SlKernelKind kind = sl_fluid_kernel(system);
    double per_volume = d * d * d / sl_fluid_constants(system)->lattice.density / packing_of(system);
    return (SlKernelConstants){
        .inverse_support = (float)(1 / support),
        .value_scale = (float)(per_volume * sl_kernel_value_scale(kind, support)),
        .slope_scale = (float)(per_volume * sl_kernel_slope_scale(kind, support)),
        .self_density_offset = (float)((per_volume * sl_kernel_value(kind, 0, support) - 1) /
                                       (per_volume * sl_kernel_value_scale(kind, support)))};
}

static SlContacts contacts_of(const SlSystem *system, double dt)
{
    const SlFluidState *state = system->state;
    double d = sl_param(system, SL_FLUID_PARAM_SPACING);
    return (SlContacts){.around = system->surroundings,
                        .centers = state->solids.centers,
                        .tally_domain =
                            sl_param(system, SL_FLUID_PARAM_FORCES) == SL_FORCES_ALL,
                        .dt = (float)dt,
                        .distance = (float)(sl_param(system, SL_FLUID_PARAM_WALL_DISTANCE) * d),
                        .jitter = (float)(sl_param(system, SL_FLUID_PARAM_WALL_JITTER) * d)};
}

/* Displacements by solids, over the slope that a mirrored lattice has: 1 would be the exact balance
   of a particle between wall and water, with less water that leaves a wall sticks to it. But the part
   above the gradient of the density is not conservative where it varies: a particle that goes to a wall
   deep down and leaves it farther up would gain energy. So it grows with the pressure only down to
   some depth, in spacings, and is constant below. The half-space profile and boundary
   particles are nearest to balance with a smaller factor at any depth. */
static const double mirror_fraction = 0.95, mirror_depth = 20;
static const double smaller_fraction = 0.85, any_depth = 1e30;

double sl_fluid_mirror_depth(const SlSystem *system)
{
    bool steep = sl_param(system, SL_FLUID_PARAM_WALL_PROFILE) == SL_WALL_STEEP;
    return steep ? mirror_depth * sl_param(system, SL_FLUID_PARAM_SPACING) : any_depth;
}

void sl_fluid_solid_pushes(const SlSystem *system, double dt, SlSolidsPass *solids)
{
    const SlFluidConstants *constants = sl_fluid_constants(system);
    double planes = 2 * constants->plane_slopes;
    double mirrored = (solids->steep ? mirror_fraction : smaller_fraction) * planes;
    solids->wall_push = (float)(mirrored / (constants->wall_slope * (solids->steep ? 1.5 : 1)));
    solids->sample_push = (float)(smaller_fraction * planes / constants->sample_slope);
    double g = (double)sl_length(system->surroundings.gravity);
    solids->push_limit = g > 0 ? (float)(dt * dt * g * sl_fluid_mirror_depth(system)) : (float)any_depth;
}

/* --- Arrays of a step --- */

void sl_fluid_bind_fields(SlSystem *system, SlFluidPass *pass)
{
    SlParticles *particles = &system->particles;
    pass->particles.count = particles->count;
    pass->particles.id = particles->data[SL_F_ID];
    pass->particles.position = sl_f32x4(particles, SL_F_POSITION);
    pass->particles.velocity = sl_f32x4(particles, SL_F_VELOCITY);
    pass->particles.predicted = sl_f32x4(particles, SL_F_PREDICTED);
    pass->particles.density = particles->data[SL_F_DENSITY];
    pass->particles.fluid = particles->data[SL_F_FLUID];
}

float *sl_fluid_push_records(SlSystem *system)
{
    float *records = SL_PUSH(&system->arena, float, 4 * (system->particles.capacity + 8));
    if (records != NULL)
        sl_particles_pad(&system->particles, records);
    return records;
}

/* Pushes the inverse-mass ratio of each fluid; false: out of memory. */
static bool push_mass_ratios(SlSystem *system, SlFluidPass *pass)
{
    if (system->fluid_count == 0)
        return true;
    float *ratios = SL_PUSH(&system->arena, float, SL_MAX_FLUIDS + 1);
    if (ratios == NULL)
        return false;
    double rest = sl_param(system, SL_FLUID_PARAM_REST_DENSITY);
    ratios[0] = 1;
    for (uint32_t k = 0; k < system->fluid_count; k++)
        ratios[k + 1] = (float)(rest / system->fluids[k].density);
    pass->particles.inverse_mass_ratio = ratios;
    return true;
}

SlStatus sl_fluid_prepare(SlSystem *system, double dt, SlFluidPass *pass, SlError *error)
{
    SlFluidState *state = system->state;
    SlStatus status = sl_neighbours_fit(&state->list, system->particles.capacity, error);
    if (status != SL_OK)
        return status;
    sl_arena_reset(&system->arena);
    memset(pass, 0, sizeof *pass);
    pass->dt = (float)dt;
    pass->kernel = sl_fluid_kernel_constants(system);
    pass->list = &state->list;
    pass->solids.contacts = contacts_of(system, dt);
    pass->solids.wall_scale = sl_param(system, SL_FLUID_PARAM_BOUNDARY) != SL_BY_CONTACT
                                  ? (float)(sl_fluid_constants(system)->wall_scale / packing_of(system))
                                  : 0;
    pass->solids.steep = sl_param(system, SL_FLUID_PARAM_WALL_PROFILE) == SL_WALL_STEEP;
    pass->solids.wall_density =
        (float)(sl_fluid_constants(system)->wall_density / packing_of(system));
    double d = sl_param(system, SL_FLUID_PARAM_SPACING);
    pass->solids.round_moment = (float)(sl_fluid_constants(system)->round_moment * d * d);
    pass->solids.max_round = (float)(0.5 * d); /* first order in d / R: not for needles */
    pass->solids.wall_push = pass->solids.sample_push = 1;
    sl_fluid_bind_fields(system, pass);
    if (!push_mass_ratios(system, pass))
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for %u fluids", system->fluid_count);
    return sl_solids_place(&state->solids, system, pass, error);
}

/* --- Prediction --- */

void sl_fluid_stabilise(const SlSystem *system, SlLoop loop, const void *data)
{
    for (uint32_t k = 0; k < (uint32_t)sl_param(system, SL_FLUID_PARAM_STABILISE); k++)
        sl_particle_loop(system, loop, data);
}

void sl_fluid_predict(const SlSystem *system, const SlFluidPass *pass)
{
    const SlFluidKernels *kernels = SL_KERNELS(system->context->isa, sl_fluid_kernels);
    sl_particle_loop(system, kernels->predict, pass);
}

/* --- Start and end of a system --- */

static SlSolidSettings solid_settings(const SlSystem *system)
{
    double d = sl_param(system, SL_FLUID_PARAM_SPACING);
    SlKernelKind kind = sl_fluid_kernel(system);
    return (SlSolidSettings){
        .kind = (SlBoundaryKind)sl_param(system, SL_FLUID_PARAM_BOUNDARY),
        .forces = (SlForces)sl_param(system, SL_FLUID_PARAM_FORCES),
        .samples = {.kernel = kind,
                    .spacing = d,
                    .support = sl_fluid_support(system),
                    .radius = sl_param(system, SL_FLUID_PARAM_BOUNDARY_SPACING) * d,
                    .inset = d * sl_boundary_inset(kind, sl_param(system, SL_FLUID_PARAM_SUPPORT)),
                    .seed = system->surroundings.seed,
                    .grid = system->surroundings.grid}};
}

/* Computes the densities of the initial particles, so that frame 0 has them. */
static SlStatus measure_start(SlSystem *system, SlError *error)
{
    const SlFluidKernels *kernels = SL_KERNELS(system->context->isa, sl_fluid_kernels);
    SlParticles *particles = &system->particles;
    SlFluidPass pass;
    memcpy(particles->data[SL_F_PREDICTED], particles->data[SL_F_POSITION],
           particles->count * 4 * sizeof(float));
    SlStatus status = sl_fluid_prepare(system, 1, &pass, error);
    if (status == SL_OK)
        status = sl_fluid_sort(system, &pass, SL_LIST_FROM_PREDICTED, error);
    if (status == SL_OK)
        status = sl_fluid_list(system, &pass, SL_LIST_FROM_PREDICTED, error);
    if (status != SL_OK)
        return status;
    sl_particle_loop(system, kernels->density[sl_fluid_kernel(system)], &pass);
    ((SlFluidState *)system->state)->list_built = false; /* the first step builds its own list */
    float densest = 0;
    for (size_t i = 0; i < particles->count; i++)
        densest = fmaxf(densest, pass.particles.density[i]);
    if (densest > 1.05f)
        sl_log(system->context, SL_LOG_WARNING,
               "%s: the highest initial density is %.3g of the rest density; particles nearer "
               "than one spacing are pushed apart at high speed",
               system->name, (double)densest);
    return SL_OK;
}

uint32_t sl_fluid_more_fields(const SlSystem *system)
{
    return (sl_param(system, SL_FLUID_PARAM_SKIN) > 0 ? SL_FIELD_BIT(REFERENCE) : 0) |
           (system->fluid_count > 0 ? SL_FIELD_BIT(FLUID) : 0);
}

/* Width of a grid cell: the search radius of the neighbour list. */
static double cell_of(const SlSystem *system)
{
    return sl_fluid_support(system) +
           sl_param(system, SL_FLUID_PARAM_SKIN) * sl_param(system, SL_FLUID_PARAM_SPACING);
}

SlStatus sl_fluid_start(SlSystem *system, SlError *error)
{
    SlFluidState *state = system->state;
    SlStatus status =
        sl_grid_create(system->context, system->surroundings.domain, (float)cell_of(system),
                       system->surroundings.grid, &state->grid, error);
    if (status == SL_OK)
        status = sl_neighbours_create(system->context, system->particles.capacity, &state->list,
                                      error);
    SlSolidSettings solids = solid_settings(system);
    if (status == SL_OK)
        status = sl_solids_create(system, &solids, &state->solids, error);
    if (status == SL_OK && sl_fluid_packs(system))
        status = sl_packing_relax(system, error);
    if (status == SL_OK)
        status = measure_start(system, error);
    if (status == SL_OK)
        sl_step_control_start(system);
    return status;
}

void sl_fluid_state_replaced(SlSystem *system)
{
    SlFluidState *state = system->state;
    state->list_built = false;
}

void sl_fluid_destroy(SlSystem *system)
{
    SlFluidState *state = system->state;
    sl_solids_destroy(&state->solids);
    sl_neighbours_destroy(&state->list);
    sl_grid_destroy(&state->grid);
}

uint64_t sl_fluid_memory_needed(const SlSystem *system, uint64_t count)
{
    SlSolidSettings solids = solid_settings(system);
    /* Temporary arrays: two of float4, and x, y, z of the list build. */
    uint64_t scratch = count * (2 * 16 + 3 * 4) + sl_forces_bytes(system, count);
    return scratch + sl_neighbours_bytes(count) + sl_solids_bytes(system, &solids, count) +
           sl_grid_bytes(system->surroundings.domain, cell_of(system), system->surroundings.grid,
                         count);
}

float sl_fluid_spacing(const SlSystem *system)
{
    return (float)sl_param(system, SL_FLUID_PARAM_SPACING);
}
