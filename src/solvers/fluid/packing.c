/* A packing is relaxed under a uniform pressure, in three phases: while it falls, the jittered initial
   places spread out evenly; then each particle's multiplier is accumulated until all densities are the
   same and all forces balance; at last what is left of the density errors is corrected. Under a water pressure the multipliers of the packing, in proportion
   to it, balance too: their ratio to the mean is left in the field PRESSURE, where there is one.

   Densities are then slightly above the lattice's, by a tenth of a percent or two: a disordered
   packing of so many particles cannot have the lattice's density, so it is what the rest density is
   calibrated to. */
#include "solvers/fluid/packing.h"

#include <math.h>
#include <string.h>

#include "core/parallel.h"
#include "core/random.h"
#include "math/vec3.h"
#include "solvers/fluid/packing_kernels.h"

/* Iterations: of large packings fewer, so that the start takes about as long as ten frames. */
enum { MIN_ITERATIONS = 300, MAX_ITERATIONS = 800, LIST_ITERATIONS = 10 };
static const double particle_iterations = 2e7, spreading_fraction = 0.4, max_spreading = 300;
static const double balancing_fraction = 0.7; /* until then forces are balanced */
/* In spacings: the first displacement, which must be so large that the lattice does not come back, and
   what lists reach beyond the support. */
static const double jitter = 0.45, skin = 0.25;
/* The places of a mesh are no lattice to begin with, and thin parts must not lose their share. */
static const double jitter_of_meshes = 0.25;
/* The pressure at the beginning and in the end, as the density error with the same multiplier; the
   fraction of a correction that is accumulated then. */
static const double first_pressure = 0.3, last_pressure = 0.1, gain = 0.3;
/* Largest density error at which the packing is finished. */
static const double tolerance = 1e-6;

/* One region while it is relaxed. */
typedef struct Packing {
    SlSystem *system;
    const SlFilledRegion *region;
    SlParticles set; /* ID: the place in the system; PREDICTED: the position */
    SlCellGrid grid;
    SlNeighbourList list;
    SlArena arena;
    SlPackingPass pass;
    uint8_t analytic[SL_MAX_BODIES];
    double mean, max; /* of C, and of |C - excess|, in the last iteration */
    double inner, gradient; /* SL_PACKING_INNER and SL_PACKING_GRADIENT */
} Packing;

bool sl_fluid_packs(const SlSystem *system)
{
    return sl_param(system, SL_FLUID_PARAM_PACKING) == SL_PACKING_RELAXED;
}

/* --- Set-up --- */

static bool is_box(const SlFilledRegion *filled)
{
    return filled->region.blend == NULL && filled->region.field == NULL;
}

static SlBox intersection(SlBox a, SlBox b)
{
    return (SlBox){{fmaxf(a.min.x, b.min.x), fmaxf(a.min.y, b.min.y), fmaxf(a.min.z, b.min.z)},
                   {fminf(a.max.x, b.max.x), fminf(a.max.y, b.max.y), fminf(a.max.z, b.max.z)}};
}

static void set_pass(Packing *p)
{
    const SlSystem *system = p->system;
    double d = sl_param(system, SL_FLUID_PARAM_SPACING);
    double squares = sl_fluid_gradient_squared(system);
    SlPackingPass *pass = &p->pass;
    SlFluidPass *fluid = &pass->fluid;
    fluid->dt = 1;
    fluid->kernel = sl_fluid_kernel_constants(system);
    fluid->list = &p->list;
    fluid->solids = (SlSolidsPass){
        .contacts = {.around = system->surroundings,
                     .dt = 1,
                     .distance = (float)(sl_param(system, SL_FLUID_PARAM_WALL_DISTANCE) * d),
                     .jitter = (float)(sl_param(system, SL_FLUID_PARAM_WALL_JITTER) * d)},
        .wall_scale = (float)sl_fluid_constants(system)->wall_scale,
        .wall_density = (float)sl_fluid_constants(system)->wall_density,
        .steep = sl_param(system, SL_FLUID_PARAM_WALL_PROFILE) == SL_WALL_STEEP,
        .analytic = p->analytic,
        .body_count = system->surroundings.bodies->count};
    if (is_box(p->region))
        fluid->solids.contacts.around.domain =
            intersection(system->surroundings.domain, p->region->region.bounds);
    for (size_t k = 0; k < fluid->solids.body_count; k++) {
        const SlBody *body = &system->surroundings.bodies->body[k];
        p->analytic[k] = body->kind != SL_BODY_NONE;
        fluid->solids.analytic_fields |= body->kind == SL_BODY_FIELD;
    }
    pass->epsilon = (float)(0.2 * squares);
    pass->relaxation = 0.5f;
    pass->max_constraint = 0.1f;
    sl_fluid_solid_pushes(system, &fluid->solids);
}

/* Takes the region's particles over, displaced by chance. */
static SlStatus take_particles(Packing *p, SlError *error)
{
    static const SlAttributes no_attributes;
    const SlSystem *system = p->system;
    SlStatus status = sl_particles_create(
        system->context, SL_FIELD_BIT(ID) | SL_FIELD_BIT(PREDICTED) | SL_FIELD_BIT(PRESSURE), &no_attributes, p->region->count,
        &p->set, error);
    if (status != SL_OK)
        return status;
    const float *position = sl_f32x4(&system->particles, SL_F_POSITION);
    float *records = sl_f32x4(&p->set, SL_F_PREDICTED);
    uint32_t *id = p->set.data[SL_F_ID];
    double d = sl_param(system, SL_FLUID_PARAM_SPACING);
    double reach = d * (is_box(p->region) ? jitter : jitter_of_meshes);
    for (size_t k = 0; k < p->region->count; k++) {
        size_t i = p->region->first + k;
        SlRandom4 r = sl_random(system->surroundings.seed, i, (uint64_t)1 << 62);
        id[k] = (uint32_t)i;
        for (int axis = 0; axis < 3; axis++)
            records[4 * k + (size_t)axis] =
                position[4 * i + (size_t)axis] +
                (float)(reach * (2 * (double)sl_random_unit(r.value[axis]) - 1));
        records[4 * k + 3] = 1;
    }
    return SL_OK;
}

static SlStatus begin(Packing *p, SlError *error)
{
    SlSystem *system = p->system;
    double reach = sl_fluid_support(system) + skin * sl_param(system, SL_FLUID_PARAM_SPACING);
    sl_arena_init(&p->arena, &system->context->memory);
    SlStatus status = take_particles(p, error);
    if (status == SL_OK)
        status = sl_grid_create(system->context, p->region->region.bounds, (float)reach,
                                system->surroundings.grid, &p->grid, error);
    if (status == SL_OK)
        status = sl_neighbours_create(system->context, p->set.capacity, &p->list, error);
    if (status == SL_OK)
        set_pass(p);
    return status;
}

static void end(Packing *p)
{
    if (p->list.context != NULL)
        sl_neighbours_destroy(&p->list);
    if (p->grid.context != NULL)
        sl_grid_destroy(&p->grid);
    sl_particles_destroy(&p->set);
    sl_arena_free(&p->arena);
}

/* --- Iterations --- */

/* Distance from a region's surface, negative inside, and its direction outwards. */
static float region_surface(const SlRegion *region, SlVec3 at, float step, SlVec3 *out)
{
    if (region->blend != NULL)
        return sl_blend_distance(region->blend, at, out);
    if (region->field != NULL)
        return sl_sdf_distance(region->field, at, out);
    for (int k = 0; k < 3; k++) {
        SlVec3 low = at, high = at;
        (&low.x)[k] -= step;
        (&high.x)[k] += step;
        (&out->x)[k] = sl_box_distance(region->bounds, high) - sl_box_distance(region->bounds, low);
    }
    return sl_box_distance(region->bounds, at);
}

/* Distance and direction from the nearest surface per particle: that of the region, or that of an
   earlier region, whose particles are there already. */
static void surface_chunk(void *argument, size_t begin_at, size_t end_at, size_t chunk)
{
    (void)chunk;
    const Packing *p = argument;
    const SlRegion *region = &p->region->region;
    const float *records = p->pass.fluid.particles.predicted;
    float step = (float)(0.01 * sl_param(p->system, SL_FLUID_PARAM_SPACING));
    for (size_t i = begin_at; i < end_at; i++) {
        SlVec3 at = {records[4 * i], records[4 * i + 1], records[4 * i + 2]}, out = {0, 1, 0};
        float inside = -region_surface(region, at, step, &out);
        SlVec3 in = sl_scale(sl_unit(out), -1);
        for (const SlFilledRegion *other = p->system->regions; other < p->region; other++) {
            if (sl_box_distance(other->region.bounds, at) > inside)
                continue;
            float distance = region_surface(&other->region, at, step, &out);
            if (distance < inside) {
                inside = distance;
                in = sl_unit(out);
            }
        }
        float *record = p->pass.container + 4 * i;
        memcpy(record, &in, sizeof in);
        record[3] = inside;
    }
}

/* Sorts, lists, and pushes the arrays, whose order follows the particles'. */
static SlStatus list_neighbours(Packing *p, SlError *error)
{
    SlSystem *system = p->system;
    float *records = sl_f32x4(&p->set, SL_F_PREDICTED);
    double reach = sl_fluid_support(system) + skin * sl_param(system, SL_FLUID_PARAM_SPACING);
    size_t chunks = sl_chunk_count(p->set.count, SL_REDUCE_CHUNK);
    sl_arena_reset(&p->arena);
    if (!sl_particles_sort(&p->set, &p->grid, records, &p->arena))
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory to sort a packing");
    records = sl_f32x4(&p->set, SL_F_PREDICTED);
    SlStatus status = sl_neighbours_build(&p->list, &p->grid, sl_particle_points(&p->set, records),
                                          (float)reach, &p->arena, error);
    if (status != SL_OK)
        return status;
    SlPackingPass *pass = &p->pass;
    pass->fluid.particles = (SlFluidParticles){
        .count = p->set.count, .id = p->set.data[SL_F_ID], .predicted = records};
    pass->multiplier = p->set.data[SL_F_PRESSURE];
    pass->projected = SL_PUSH(&p->arena, float, 4 * (p->set.capacity + 8));
    pass->partials = SL_PUSH(&p->arena, double, chunks * SL_PACKING_PARTIALS);
    pass->container =
        is_box(p->region) ? NULL : SL_PUSH(&p->arena, float, 4 * (p->set.capacity + 8));
    if (pass->projected == NULL || pass->partials == NULL ||
        (!is_box(p->region) && pass->container == NULL))
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory to relax a packing");
    sl_particles_pad(&p->set, pass->projected);
    if (pass->container != NULL) {
        memset(pass->container, 0, 4 * (p->set.capacity + 8) * sizeof(float));
        sl_parallel_for(system->context->pool, p->set.count, SL_REDUCE_CHUNK, surface_chunk, p);
    }
    return SL_OK;
}

static void run_loop(const Packing *p, SlLoop loop)
{
    sl_loop_run(p->system->context->pool, sl_particle_blocks(&p->set), SL_CHUNK_BLOCKS, loop,
                &p->pass);
}

static void iterate(Packing *p)
{
    const SlPackingKernels *kernels = SL_KERNELS(p->system->context->isa, sl_packing_kernels);
    SlKernelKind kind = sl_fluid_kernel(p->system);
    size_t chunks = sl_chunk_count(p->set.count, SL_REDUCE_CHUNK);
    run_loop(p, kernels->lambda[kind]);
    run_loop(p, kernels->displace[kind]);
    p->mean = sl_fold_sum(p->pass.partials, chunks, SL_PACKING_PARTIALS, SL_PACKING_SUM) /
             (double)p->set.count;
    p->max = sl_fold_max(p->pass.partials, chunks, SL_PACKING_PARTIALS, SL_PACKING_MAX);
    p->inner = sl_fold_sum(p->pass.partials, chunks, SL_PACKING_PARTIALS, SL_PACKING_INNER);
    p->gradient = sl_fold_sum(p->pass.partials, chunks, SL_PACKING_PARTIALS, SL_PACKING_GRADIENT);
}

static SlStatus relax(Packing *p, SlError *error)
{
    SlSystem *system = p->system;
    uint32_t k = 0;
    uint32_t limit = (uint32_t)fmin(fmax(particle_iterations / (double)p->set.count, MIN_ITERATIONS),
                                    MAX_ITERATIONS);
    double spreading = fmin(spreading_fraction * limit, max_spreading);
    p->pass.pressure = 1;
    for (; k < limit && (!p->pass.corrects_only || p->max > tolerance); k++) {
        if (k % LIST_ITERATIONS == 0) {
            SlStatus status = list_neighbours(p, error);
            if (status != SL_OK)
                return status;
        }
        double left = fmax(1 - k / spreading, 0);
        p->pass.pressure = (float)((last_pressure + (first_pressure - last_pressure) * left) /
                                   sl_fluid_gradient_squared(system));
        p->pass.corrects_only = k >= balancing_fraction * limit;
        p->pass.gain = left > 0 || p->pass.corrects_only ? 0 : (float)gain;
        p->pass.excess = left > 0 ? 0 : (float)p->mean;
        iterate(p);
    }
    float *position = sl_f32x4(&system->particles, SL_F_POSITION);
    const float *records = sl_f32x4(&p->set, SL_F_PREDICTED);
    const uint32_t *id = p->set.data[SL_F_ID];
    float *ratio = system->particles.data[SL_F_PRESSURE];
    for (size_t i = 0; i < p->set.count; i++) {
        memcpy(position + 4 * (size_t)id[i], records + 4 * i, 3 * sizeof(float));
        if (ratio != NULL)
            ratio[id[i]] = 1 + p->pass.multiplier[i] / p->pass.pressure;
    }
    sl_log(system->context, SL_LOG_INFO,
           "%s: packing of %zu particles relaxed in %u iterations, density %.5f within %.2g",
           system->name, p->set.count, k, 1 + p->mean, p->max);
    return SL_OK;
}

SlStatus sl_packing_relax(SlSystem *system, SlError *error)
{
    SlFluidState *state = system->state;
    SlStatus status = SL_OK;
    double excess = 0, count = 0, inner = 0, gradient = 0;
    state->packing_density = 1;
    for (size_t r = 0; status == SL_OK && r < system->region_count; r++) {
        if (system->regions[r].count == 0)
            continue;
        Packing packing = {.system = system, .region = &system->regions[r]};
        status = begin(&packing, error);
        if (status == SL_OK)
            status = relax(&packing, error);
        end(&packing);
        excess += packing.mean * (double)system->regions[r].count;
        count += (double)system->regions[r].count;
        inner += packing.inner;
        gradient += packing.gradient;
    }
    if (count > 0)
        state->packing_density = 1 + excess / count;
    if (inner > 0) /* of one axis */
        state->packing_gradient = gradient / (3 * inner) / state->packing_density;
    return status;
}
