#include "solvers/fluid/fluid.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/parallel.h"
#include "core/timer.h"
#include "solvers/fluid/fluid_kernels.h"
#include "solvers/fluid/forces.h"
#include "math/vec3.h"

SlKernelKind sl_fluid_kernel(const SlSystem *system)
{
    return (SlKernelKind)sl_param(system, SL_FLUID_P_KERNEL);
}

double sl_fluid_support(const SlSystem *system)
{
    return sl_param(system, SL_FLUID_P_SUPPORT) * sl_param(system, SL_FLUID_P_SPACING);
}

/* Scale of analytic walls: a lattice that begins half a spacing from a wall has density 1 there.
   The plane integral of 2 pi × value scale is the continuum's; the lattice lacks a little less
   beyond the wall than a continuum would hold. */
static double wall_scale_of(SlKernelKind kind, double support)
{
    double lacking = 0, lattice = 0;
    int reach = (int)ceil(support);
    for (int z = -reach; z <= reach; z++)
        for (int y = -reach; y <= reach; y++)
            for (int x = -reach; x <= reach; x++) {
                double w = sl_kernel_value(kind, sqrt((double)(x * x + y * y + z * z)), support);
                lattice += w;
                lacking += x < 0 ? w : 0;
            }
    /* F(1/2 spacing) without its factor, by Simpson's rule on A(s) = integral of W r dr. */
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
    return lacking / lattice / (filled * width / 3);
}

/* Found anew only where kernel or support have changed. */
static const SlFluidConstants *constants_of(const SlSystem *system)
{
    SlFluidConstants *known = &((SlFluidState *)system->state)->constants;
    SlKernelKind kind = sl_fluid_kernel(system);
    double support = sl_param(system, SL_FLUID_P_SUPPORT);
    if (!known->known || known->kind != kind || known->support != support)
        *known = (SlFluidConstants){true, kind, support, sl_lattice_sums(kind, support),
                                    wall_scale_of(kind, support)};
    return known;
}

double sl_fluid_gradient_squared(const SlSystem *system)
{
    double d = sl_param(system, SL_FLUID_P_SPACING);
    return constants_of(system)->lattice.gradient_squared / (d * d);
}

static void set_constants(const SlSystem *system, double dt, SlFluidPass *pass)
{
    double d = sl_param(system, SL_FLUID_P_SPACING), support = sl_fluid_support(system),
           volume = d * d * d;
    SlKernelKind kind = sl_fluid_kernel(system);
    const SlFluidConstants *constants = constants_of(system);
    double per_volume = volume / constants->lattice.density;

    pass->dt = (float)dt;
    pass->inverse_support = (float)(1 / support);
    pass->value_scale = (float)(per_volume * sl_kernel_value_scale(kind, support));
    pass->slope_scale = (float)(per_volume * sl_kernel_slope_scale(kind, support));
    pass->self_density_offset = (float)((per_volume * sl_kernel_value(kind, 0, support) - 1) /
                         (per_volume * sl_kernel_value_scale(kind, support)));
    pass->wall_scale =
        sl_param(system, SL_FLUID_P_BOUNDARY) != SL_BY_CONTACT ? (float)constants->wall_scale : 0;
    pass->max_move = (float)(sl_param(system, SL_FLUID_P_MAX_MOVE) * d);
    double left = system->surroundings.interval_left,
           share = sl_param(system, SL_FLUID_P_VISCOSITY);
    if (sl_param(system, SL_FLUID_P_POST_SOLVE) == SL_POST_SOLVE_FRAME) /* for all of the frame's steps */
        share = 1 - pow(1 - share, sl_param(system, SL_FLUID_P_STEPS));
    pass->viscosity = (float)share;
    pass->ahead = left > dt ? (float)(0.5 * (left - dt)) : 0;
    pass->stale_distance = (float)(0.5 * sl_param(system, SL_FLUID_P_SKIN) * d);
    pass->stabilise_level = UINT32_MAX;
    pass->runaway_speed = (float)(100 * d / dt);
    const SlFluidState *state = system->state;
    pass->contacts =
        (SlContacts){.around = system->surroundings,
                     .centers = state->solids.centers,
                     .tally_domain = sl_param(system, SL_FLUID_P_FORCES) == SL_FORCES_ALL,
                     .dt = (float)dt,
                     .distance = (float)(sl_param(system, SL_FLUID_P_WALL_DISTANCE) * d),
                     .jitter = (float)(sl_param(system, SL_FLUID_P_WALL_JITTER) * d)};
}

/* The fields' arrays change places when particles are sorted. */
static void bind_fields(SlSystem *system, SlFluidPass *pass)
{
    SlParticles *particles = &system->particles;
    pass->id = particles->data[SL_F_ID];
    pass->position = sl_f32x4(particles, SL_F_POSITION);
    pass->velocity = sl_f32x4(particles, SL_F_VELOCITY);
    pass->predicted = sl_f32x4(particles, SL_F_PREDICTED);
    pass->density = particles->data[SL_F_DENSITY];
    pass->level = particles->data[SL_F_LEVEL];
    pass->fluid = particles->data[SL_F_FLUID];
    pass->reference = particles->data[SL_F_REFERENCE];
}

static SlSolidSettings solid_settings(const SlSystem *system)
{
    double d = sl_param(system, SL_FLUID_P_SPACING);
    SlKernelKind kind = sl_fluid_kernel(system);
    return (SlSolidSettings){
        .kind = (SlBoundaryKind)sl_param(system, SL_FLUID_P_BOUNDARY),
        .forces = (SlForces)sl_param(system, SL_FLUID_P_FORCES),
        .samples = {.kernel = kind,
                    .spacing = d,
                    .support = sl_fluid_support(system),
                    .radius = sl_param(system, SL_FLUID_P_BOUNDARY_SPACING) * d,
                    .inset = d * sl_boundary_inset(kind, sl_param(system, SL_FLUID_P_SUPPORT)),
                    .seed = system->surroundings.seed}};
}

static double particle_mass(const SlSystem *system)
{
    double d = sl_param(system, SL_FLUID_P_SPACING);
    return sl_param(system, SL_FLUID_P_REST_DENSITY) * d * d * d;
}

float sl_fluid_mass(const SlSystem *system, size_t i)
{
    const uint32_t *fluid = system->particles.data[SL_F_FLUID];
    double d = sl_param(system, SL_FLUID_P_SPACING);
    return fluid == NULL || fluid[i] == 0
               ? (float)particle_mass(system)
               : (float)(system->fluids[fluid[i] - 1].density * d * d * d);
}

/* What the loops look up by fluid. */
static bool list_fluids(SlSystem *system, SlFluidPass *pass)
{
    if (system->fluid_count == 0)
        return true;
    float *inverse_mass_ratio = SL_PUSH(&system->context->arena, float, SL_MAX_FLUIDS + 1);
    float *viscosities = SL_PUSH(&system->context->arena, float, SL_MAX_FLUIDS + 1);
    if (inverse_mass_ratio == NULL || viscosities == NULL)
        return false;
    double rest = sl_param(system, SL_FLUID_P_REST_DENSITY);
    inverse_mass_ratio[0] = 1;
    viscosities[0] = (float)sl_param(system, SL_FLUID_P_KINEMATIC_VISCOSITY);
    for (uint32_t k = 0; k < system->fluid_count; k++) {
        const SlFluidKind *fluid = &system->fluids[k];
        inverse_mass_ratio[k + 1] = (float)(rest / fluid->density);
        viscosities[k + 1] = (float)(fluid->viscosity * fluid->density / rest);
    }
    pass->inverse_mass_ratio = inverse_mass_ratio;
    pass->viscosities = viscosities;
    return true;
}

SlStatus sl_fluid_begin(SlSystem *system, double dt, SlFluidPass *pass, SlError *error)
{
    SlFluidState *state = system->state;
    SlArena *arena = &system->context->arena;
    SlParticles *particles = &system->particles;
    size_t chunks = sl_chunk_count(particles->count, SL_REDUCE_CHUNK);
    SlStatus status = sl_neighbours_fit(&state->list, particles->capacity, error);
    if (status != SL_OK)
        return status;
    memset(pass, 0, sizeof *pass);
    set_constants(system, dt, pass);
    bind_fields(system, pass);
    sl_arena_reset(arena);
    pass->count = particles->count;
    pass->list = &state->list;
    pass->projected = SL_PUSH(arena, float, 4 * (particles->capacity + 8));
    pass->new_velocity = SL_PUSH(arena, float, 4 * (particles->capacity + 8));
    pass->partials = SL_PUSH(arena, double, chunks *SL_FLUID_PARTIALS);
    if (pass->projected == NULL || pass->new_velocity == NULL || pass->partials == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for the scratch of a step");
    sl_particles_pad(particles, pass->projected);
    sl_particles_pad(particles, pass->new_velocity);
    if (!list_fluids(system, pass))
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for %u fluids", system->fluid_count);
    return sl_solids_place(&state->solids, system, pass, error);
}

typedef struct Run {
    const SlFluidPass *pass;
    SlFluidLoop loop;
    SlFluidSum sum;
} Run;

static void run_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    const Run *run = argument;
    if (run->loop != NULL)
        run->loop(run->pass, begin, end);
    else
        run->sum(run->pass, begin, end, chunk);
}

void sl_fluid_run(const SlSystem *system, const SlFluidPass *pass, SlFluidLoop loop)
{
    Run run = {pass, loop, NULL};
    sl_parallel_for(system->context->pool, sl_particle_blocks(&system->particles),
                    SL_FLUID_CHUNK_BLOCKS, run_chunk, &run);
}

void sl_fluid_sum(const SlSystem *system, const SlFluidPass *pass, SlFluidSum sum)
{
    Run run = {pass, NULL, sum};
    sl_parallel_for(system->context->pool, sl_particle_blocks(&system->particles),
                    SL_FLUID_CHUNK_BLOCKS, run_chunk, &run);
}

void sl_fluid_predict(const SlSystem *system, const SlFluidPass *pass)
{
    const SlFluidKernels *kernels = SL_KERNELS(system->context->isa, sl_fluid_kernels);
    for (uint32_t k = 0; k < (uint32_t)sl_param(system, SL_FLUID_P_STABILISE); k++)
        sl_fluid_run(system, pass, kernels->stabilise);
    sl_fluid_run(system, pass, kernels->predict);
}

static SlStatus sort_by(SlSystem *system, SlFluidPass *pass, const float *records, SlError *error)
{
    SlFluidState *state = system->state;
    if (!sl_particles_sort(&system->particles, &state->grid, records, &system->context->arena))
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory to sort particles");
    bind_fields(system, pass);
    return SL_OK;
}

SlStatus sl_fluid_sort(SlSystem *system, SlFluidPass *pass, SlError *error)
{
    return sort_by(system, pass, pass->predicted, error);
}

/* "… particle 7 at (x, y, z)": who it was when the numbers went wrong. */
static SlStatus report_divergence(const SlSystem *system, const SlFluidPass *pass, const char *stage, size_t i,
                      const char *what, SlError *error)
{
    const float *x = pass->position + 4 * i;
    return sl_error_set(error, SL_ERROR_NUMBERS, "%s: %s: particle %u at (%g, %g, %g): %s",
                        system->solver->table.name, stage, pass->id[i], (double)x[0], (double)x[1],
                        (double)x[2], what);
}

/* The list made at `records`, in whose order the particles are, and that of the solids. */
static SlStatus list_at(SlSystem *system, SlFluidPass *pass, const float *records, SlError *error)
{
    SlFluidState *state = system->state;
    double reach = sl_fluid_support(system) + 2 * (double)pass->stale_distance;
    SlStatus status = sl_neighbours_build(&state->list, &state->grid,
                                          sl_particle_points(&system->particles, records),
                                          (float)reach, &system->context->arena, error);
    size_t crowded = state->list.crowded;
    state->list_made = status == SL_OK;
    state->lists++;
    if (status == SL_OK) {
        status = sl_solids_list(&state->solids, system, pass->predicted, error);
        crowded = state->solids.list.crowded;
    }
    if (status == SL_ERROR_NUMBERS && crowded != SIZE_MAX) {
        char what[128];
        snprintf(what, sizeof what, "more than %d neighbours within %g m", SL_MAX_NEIGHBOURS,
                 reach);
        return report_divergence(system, pass, "neighbours", crowded, what, error);
    }
    return status;
}

SlStatus sl_fluid_list(SlSystem *system, SlFluidPass *pass, SlError *error)
{
    return list_at(system, pass, pass->predicted, error);
}

/* Has nearly nobody moved against the others since the list was made? */
static bool list_serves(const SlSystem *system, SlFluidPass *pass)
{
    const SlFluidKernels *kernels = SL_KERNELS(system->context->isa, sl_fluid_kernels);
    double allowed = sl_param(system, SL_FLUID_P_MAX_STALE_FRACTION);
    if (pass->reference == NULL || system->surroundings.interval_begins ||
        system->surroundings.population_changes)
        return false;
    if (allowed >= 1)
        return true;
    size_t chunks = sl_chunk_count(pass->count, SL_REDUCE_CHUNK);
    sl_fluid_sum(system, pass, kernels->drift);
    double sums[3];
    for (size_t k = 0; k < 3; k++)
        sums[k] = sl_fold_sum(pass->partials, chunks, SL_FLUID_PARTIALS, k) / (double)pass->count;
    pass->drift = (SlVec3){(float)sums[0], (float)sums[1], (float)sums[2]};
    sl_fluid_sum(system, pass, kernels->max_stale_fraction);
    return sl_fold_sum(pass->partials, chunks, SL_FLUID_PARTIALS, 0) <=
           allowed * (double)pass->count;
}

/* A list is made for the middle of the time it is to serve: what moves by then one way has moved as
   far the other way before. */
SlStatus sl_fluid_neighbours(SlSystem *system, SlFluidPass *pass, double *mark, SlError *error)
{
    const SlFluidKernels *kernels = SL_KERNELS(system->context->isa, sl_fluid_kernels);
    SlFluidState *state = system->state;
    double *ms = system->stats.stage_ms;
    SlStatus status = SL_OK;
    bool serves = list_serves(system, pass);
    if (!serves && pass->reference != NULL)
        sl_fluid_run(system, pass, kernels->extrapolate);
    const float *records = pass->reference != NULL ? pass->reference : pass->predicted;
    if (!serves || !state->list_made)
        status = sort_by(system, pass, records, error);
    sl_lap(mark, &ms[SL_STAGE_SORT]);
    records = pass->reference != NULL ? pass->reference : pass->predicted;
    if (status == SL_OK && (!serves || !state->list_made))
        status = list_at(system, pass, records, error);
    else if (status == SL_OK)
        status = sl_solids_list(&state->solids, system, pass->predicted, error);
    sl_lap(mark, &ms[SL_STAGE_NEIGHBOURS]);
    return status;
}

/* Folds the partials of `finish` into the step's statistics and finds numbers that went wrong. */
static SlStatus sum_up(SlSystem *system, const SlFluidPass *pass, double dt, SlError *error)
{
    SlFluidState *state = system->state;
    SlStepStats *stats = &system->stats;
    size_t n = pass->count, chunks = sl_chunk_count(n, SL_REDUCE_CHUNK);
    sl_solids_sum_forces(&state->solids, system, pass, particle_mass(system), dt);
    if (n == 0)
        return SL_OK;
    double d = sl_param(system, SL_FLUID_P_SPACING), mass = particle_mass(system);
    const double *partials = pass->partials;
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

    if (sl_fold_sum(partials, chunks, SL_FLUID_PARTIALS, SL_FLUID_BAD) > 0)
        for (size_t i = 0; i < n; i++) {
            const float *v = pass->velocity + 4 * i;
            double speed = sqrt((double)v[0] * v[0] + (double)v[1] * v[1] + (double)v[2] * v[2]);
            char what[64];
            snprintf(what, sizeof what, "speed %.3g m/s", speed);
            if (!(speed <= (double)pass->runaway_speed))
                return report_divergence(system, pass, "velocities", i, what, error);
        }
    if (!state->warned_cfl && stats->max_speed * dt > sl_param(system, SL_FLUID_P_CFL_LIMIT) * d) {
        state->warned_cfl = true;
        sl_log(system->context, SL_LOG_WARNING,
               "%s: at %.3f s the fastest particle (%.3g m/s) moves %.2g spacings in one step; "
               "above %g results suffer: raise \"steps\" to %d",
               system->name, system->time + dt, stats->max_speed, stats->max_speed * dt / d,
               sl_param(system, SL_FLUID_P_CFL_LIMIT),
               (int)ceil(sl_param(system, SL_FLUID_P_STEPS) * stats->max_speed * dt /
                         (sl_param(system, SL_FLUID_P_CFL_LIMIT) * d)));
    }
    return SL_OK;
}

bool sl_fluid_settles(const SlSystem *system, double dt)
{
    return sl_param(system, SL_FLUID_P_POST_SOLVE) == SL_POST_SOLVE_STEP ||
           system->surroundings.interval_left < 1.5 * dt;
}

SlStatus sl_fluid_conclude(SlSystem *system, SlFluidPass *pass, double dt, SlError *error)
{
    const SlFluidKernels *kernels = SL_KERNELS(system->context->isa, sl_fluid_kernels);
    if (sl_fluid_settles(system, dt)) {
        sl_fluid_run(system, pass, kernels->velocity);
        SlStatus status = sl_motion_apply(system, pass, error);
        if (status != SL_OK)
            return status;
        sl_fluid_sum(system, pass, kernels->finish[sl_fluid_kernel(system)]);
    } else
        sl_fluid_sum(system, pass, kernels->settle);
    return sum_up(system, pass, dt, error);
}

/* Sorts and measures the particles as placed, so that frame 0 has densities. */
static SlStatus measure_start(SlSystem *system, SlError *error)
{
    const SlFluidKernels *kernels = SL_KERNELS(system->context->isa, sl_fluid_kernels);
    SlParticles *particles = &system->particles;
    SlFluidPass pass;
    memcpy(particles->data[SL_F_PREDICTED], particles->data[SL_F_POSITION],
           particles->count * 4 * sizeof(float));
    SlStatus status = sl_fluid_begin(system, 1, &pass, error);
    if (status == SL_OK)
        status = sl_fluid_sort(system, &pass, error);
    if (status == SL_OK)
        status = sl_fluid_list(system, &pass, error);
    if (status != SL_OK)
        return status;
    sl_fluid_run(system, &pass, kernels->density[sl_fluid_kernel(system)]);
    ((SlFluidState *)system->state)->list_made = false; /* a step makes its own */
    float densest = 0;
    for (size_t i = 0; i < particles->count; i++)
        densest = pass.density[i] > densest ? pass.density[i] : densest;
    if (densest > 1.05f)
        sl_log(system->context, SL_LOG_WARNING,
               "%s: the densest particle starts at %.3g of the rest density; blocks that come "
               "closer than a spacing burst apart",
               system->name, (double)densest);
    return SL_OK;
}

uint32_t sl_fluid_more_fields(const SlSystem *system)
{
    return (sl_param(system, SL_FLUID_P_SKIN) > 0 ? SL_FIELD_BIT(REFERENCE) : 0) |
           (system->fluid_count > 0 ? SL_FIELD_BIT(FLUID) : 0);
}

/* As wide as a list reaches. */
static double cell_of(const SlSystem *system)
{
    return sl_fluid_support(system) +
           sl_param(system, SL_FLUID_P_SKIN) * sl_param(system, SL_FLUID_P_SPACING);
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
    sl_arena_init(&state->sets, &system->context->memory);
    if (status == SL_OK)
        status = sl_solids_create(system, &solids, &state->solids, error);
    return status == SL_OK ? measure_start(system, error) : status;
}

void sl_fluid_state_replaced(SlSystem *system)
{
    SlFluidState *state = system->state;
    state->list_made = false;
    state->active_list = 0;
}

void sl_fluid_finish(SlSystem *system)
{
    SlFluidState *state = system->state;
    sl_arena_free(&state->sets);
    sl_solids_destroy(&state->solids);
    sl_neighbours_destroy(&state->list);
    sl_grid_destroy(&state->grid);
}

uint64_t sl_fluid_memory_needed(const SlSystem *system, uint64_t count)
{
    SlSolidSettings solids = solid_settings(system);
    /* Scratch: two float4 arrays, channels of the list build. */
    uint64_t scratch = count * (2 * 16 + 3 * 4) + sl_motion_bytes(system, count);
    return scratch + sl_neighbours_bytes(count) + sl_solids_bytes(system, &solids, count) +
           sl_grid_bytes(system->surroundings.domain, cell_of(system), system->surroundings.grid,
                         count);
}

uint32_t sl_fluid_steps(const SlSystem *system)
{
    return (uint32_t)sl_param(system, SL_FLUID_P_STEPS);
}

float sl_fluid_spacing(const SlSystem *system)
{
    return (float)sl_param(system, SL_FLUID_P_SPACING);
}
