/* A packing is relaxed under a uniform pressure, in three phases: while it falls, the jittered initial
   places spread out evenly; then each particle's multiplier is accumulated until all densities are the
   same and all forces balance; at last what is left of the density errors is corrected. In the last
   two, displacements may have momentum [Polyak 1964]: density errors with a length of many spacings,
   which decay slowest, then decay faster. While particles spread out it would keep them moving.

   Under a water pressure the multipliers of the packing, in proportion to it, balance too. */
#include "solvers/fluid/packing_relaxation.h"

#include <math.h>
#include <string.h>

#include "core/parallel.h"
#include "core/random.h"
#include "math/vec3.h"

enum { LIST_ITERATIONS = 10 };
static const double skin = 0.25; /* in spacings: what lists reach beyond the support */
/* The pressure at the beginning and in the end, as the density error with the same multiplier; the
   fraction of a correction that is accumulated then. */
static const double first_pressure = 0.3, last_pressure = 0.1, gain = 0.3;
/* Largest density error at which the packing is finished. */
static const double tolerance = 1e-6;

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

static void set_solids(SlRelaxation *r)
{
    const SlSystem *system = r->system;
    double d = sl_param(system, SL_FLUID_PARAM_SPACING);
    SlSolidsPass *solids = &r->pass.fluid.solids;
    *solids = (SlSolidsPass){
        .contacts = {.around = system->surroundings,
                     .dt = 1,
                     .distance = (float)(sl_param(system, SL_FLUID_PARAM_WALL_DISTANCE) * d),
                     .jitter = (float)(sl_param(system, SL_FLUID_PARAM_WALL_JITTER) * d)},
        .wall_scale = (float)sl_fluid_constants(system)->wall_scale,
        .wall_density = (float)sl_fluid_constants(system)->wall_density,
        .steep = sl_param(system, SL_FLUID_PARAM_WALL_PROFILE) == SL_WALL_STEEP,
        .analytic = r->analytic,
        .body_count = system->surroundings.bodies->count};
    if (is_box(r->region))
        solids->contacts.around.domain =
            intersection(system->surroundings.domain, r->region->region.bounds);
    for (size_t k = 0; k < solids->body_count; k++) {
        const SlBody *body = &system->surroundings.bodies->body[k];
        r->analytic[k] = body->kind != SL_BODY_NONE;
        solids->analytic_fields |= body->kind == SL_BODY_FIELD;
    }
    sl_fluid_solid_pushes(system, 1, solids);
    SlBox box = r->region->region.bounds;
    SlVec3 g = system->surroundings.gravity;
    SlVec3 up = sl_length(g) > 0 ? sl_scale(sl_unit(g), -1) : (SlVec3){0, 1, 0};
    r->pass.up = up;
    r->pass.top = fmaxf(box.min.x * up.x, box.max.x * up.x) + fmaxf(box.min.y * up.y, box.max.y * up.y) +
                  fmaxf(box.min.z * up.z, box.max.z * up.z);
}

static void set_pass(SlRelaxation *r)
{
    SlPackingPass *pass = &r->pass;
    pass->fluid.dt = 1;
    pass->fluid.kernel = sl_fluid_kernel_constants(r->system);
    pass->fluid.list = &r->list;
    pass->epsilon = (float)(0.2 * sl_fluid_gradient_squared(r->system));
    /* 0.5 with the default support of 2; Jacobi iterations diverge from 2 on */
    pass->relaxation = (float)fmin(0.5, 1.44 / sl_fluid_constants(r->system)->max_eigenvalue);
    pass->max_constraint = 0.1f;
    pass->mirror_depth = (float)sl_fluid_mirror_depth(r->system);
    pass->has_flat_walls =
        r->region == NULL || (is_box(r->region) && r->system->surroundings.bodies->count <= 1);
    pass->first_ghost = r->region != NULL ? UINT32_MAX : SL_TILE_SITES;
    if (r->region != NULL)
        set_solids(r);
}

double sl_packing_reach(const SlSystem *system)
{
    return sl_fluid_support(system) + skin * sl_param(system, SL_FLUID_PARAM_SPACING);
}

SlStatus sl_relaxation_create(SlRelaxation *r, size_t count, SlBox bounds, SlError *error)
{
    static const SlAttributes no_attributes;
    SlSystem *system = r->system;
    sl_arena_init(&r->arena, &system->context->memory);
    SlStatus status = sl_particles_create(system->context,
                                          SL_FIELD_BIT(ID) | SL_FIELD_BIT(PREDICTED) |
                                              SL_FIELD_BIT(REFERENCE) | SL_FIELD_BIT(PRESSURE),
                                          &no_attributes, count, &r->set, error);
    if (status == SL_OK)
        status = sl_grid_create(system->context, bounds, (float)sl_packing_reach(system),
                                system->surroundings.grid, &r->grid, error);
    if (status == SL_OK)
        status = sl_neighbours_create(system->context, r->set.capacity, &r->list, error);
    if (status == SL_OK)
        set_pass(r);
    return status;
}

void sl_relaxation_destroy(SlRelaxation *r)
{
    if (r->list.context != NULL)
        sl_neighbours_destroy(&r->list);
    if (r->grid.context != NULL)
        sl_grid_destroy(&r->grid);
    sl_particles_destroy(&r->set);
    sl_arena_free(&r->arena);
}

void sl_packing_jitter(const SlSystem *system, uint64_t number, double reach, float position[3])
{
    SlRandom4 random = sl_random(system->surroundings.seed, number, (uint64_t)1 << 62);
    for (int axis = 0; axis < 3; axis++)
        position[axis] += (float)(reach * (2 * (double)sl_random_unit(random.value[axis]) - 1));
}

/* --- Lists --- */

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
static void surface_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const SlRelaxation *r = argument;
    const SlRegion *region = &r->region->region;
    const float *records = r->pass.fluid.particles.predicted;
    float step = (float)(0.01 * sl_param(r->system, SL_FLUID_PARAM_SPACING));
    for (size_t i = begin; i < end; i++) {
        SlVec3 at = {records[4 * i], records[4 * i + 1], records[4 * i + 2]}, out = {0, 1, 0};
        float inside = -region_surface(region, at, step, &out);
        SlVec3 in = sl_scale(sl_unit(out), -1);
        for (const SlFilledRegion *other = r->system->regions; other < r->region; other++) {
            if (sl_box_distance(other->region.bounds, at) > inside)
                continue;
            float distance = region_surface(&other->region, at, step, &out);
            if (distance < inside) {
                inside = distance;
                in = sl_unit(out);
            }
        }
        float *record = r->pass.container + 4 * i;
        memcpy(record, &in, sizeof in);
        record[3] = inside;
    }
}

SlStatus sl_relaxation_list(SlRelaxation *r, SlError *error)
{
    SlSystem *system = r->system;
    float *records = sl_f32x4(&r->set, SL_F_PREDICTED);
    size_t chunks = sl_chunk_count(r->set.count, SL_REDUCE_CHUNK);
    bool has_container = r->region != NULL && !is_box(r->region);
    sl_arena_reset(&r->arena);
    if (!sl_particles_sort(&r->set, &r->grid, records, &r->arena))
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory to sort a packing");
    records = sl_f32x4(&r->set, SL_F_PREDICTED);
    SlStatus status = sl_neighbours_build(&r->list, &r->grid, sl_particle_points(&r->set, records),
                                          (float)sl_packing_reach(system), &r->arena, error);
    if (status != SL_OK)
        return status;
    SlPackingPass *pass = &r->pass;
    pass->fluid.particles = (SlFluidParticles){
        .count = r->set.count, .id = r->set.data[SL_F_ID], .predicted = records};
    pass->multiplier = r->set.data[SL_F_PRESSURE];
    pass->before = sl_f32x4(&r->set, SL_F_REFERENCE);
    pass->projected = SL_PUSH(&r->arena, float, 4 * (r->set.capacity + 8));
    pass->partials = SL_PUSH(&r->arena, double, chunks * SL_PACKING_PARTIALS);
    pass->container =
        has_container ? SL_PUSH(&r->arena, float, 4 * (r->set.capacity + 8)) : NULL;
    if (pass->projected == NULL || pass->partials == NULL ||
        (has_container && pass->container == NULL))
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory to relax a packing");
    sl_particles_pad(&r->set, pass->projected);
    if (pass->container != NULL) {
        memset(pass->container, 0, 4 * (r->set.capacity + 8) * sizeof(float));
        sl_parallel_for(system->context->pool, r->set.count, SL_REDUCE_CHUNK, surface_chunk, r);
    }
    return SL_OK;
}

/* --- Iterations --- */

/* Ghosts get the multipliers of their sources. */
static void copy_multipliers(const SlRelaxation *r)
{
    const SlPackingGhosts *g = &r->ghosts;
    for (size_t k = 0; k < g->count; k++) {
        size_t to = g->place[k], from = g->source[k];
        r->pass.projected[4 * to + 3] = r->pass.projected[4 * from + 3];
        r->pass.multiplier[to] = r->pass.multiplier[from];
    }
}

static void copy_positions(const SlRelaxation *r)
{
    const SlPackingGhosts *g = &r->ghosts;
    float *x = r->pass.fluid.particles.predicted;
    for (size_t k = 0; k < g->count; k++)
        for (size_t axis = 0; axis < 3; axis++)
            x[4 * (size_t)g->place[k] + axis] =
                x[4 * (size_t)g->source[k] + axis] + g->shift[k][axis];
}

static void run_loop(const SlRelaxation *r, SlLoop loop)
{
    sl_loop_run(r->system->context->pool, sl_particle_blocks(&r->set), SL_CHUNK_BLOCKS, loop,
                &r->pass);
}

static double sum_of(const SlRelaxation *r, size_t partial)
{
    return sl_fold_sum(r->pass.partials, sl_chunk_count(r->set.count, SL_REDUCE_CHUNK),
                       SL_PACKING_PARTIALS, partial);
}

void sl_relaxation_iterate(SlRelaxation *r, const SlPackingSchedule *schedule, uint32_t k)
{
    const SlPackingKernels *kernels = SL_KERNELS(r->system->context->isa, sl_packing_kernels);
    SlKernelKind kind = sl_fluid_kernel(r->system);
    SlPackingPass *pass = &r->pass;
    bool spreads = k < schedule->spreading;
    double left = spreads ? 1 - (double)k / schedule->spreading : 0;
    pass->pressure = (float)((last_pressure + (first_pressure - last_pressure) * left) /
                             sl_fluid_gradient_squared(r->system));
    pass->corrects_only = k >= schedule->balancing;
    pass->gain = spreads || pass->corrects_only ? 0 : (float)gain;
    pass->excess = spreads || k == 0 ? 0 : (float)r->mean;
    pass->momentum = spreads               ? 0
                     : pass->corrects_only ? schedule->last_momentum
                                           : schedule->momentum;
    run_loop(r, kernels->lambda[kind]);
    copy_multipliers(r);
    run_loop(r, kernels->displace[kind]);
    copy_positions(r);
    r->mean = sum_of(r, SL_PACKING_SUM) / (double)(r->set.count - r->ghosts.count);
    r->max = sl_fold_max(pass->partials, sl_chunk_count(r->set.count, SL_REDUCE_CHUNK),
                         SL_PACKING_PARTIALS, SL_PACKING_MAX);
}

bool sl_relaxation_continues(const SlRelaxation *r, const SlPackingSchedule *schedule, uint32_t k)
{
    return k < schedule->limit && (k <= schedule->balancing || r->max > tolerance);
}

bool sl_relaxation_lists(uint32_t k)
{
    return k % LIST_ITERATIONS == 0;
}

void sl_relaxation_measure(SlRelaxation *r)
{
    const SlPackingKernels *kernels = SL_KERNELS(r->system->context->isa, sl_packing_kernels);
    run_loop(r, kernels->measure[sl_fluid_kernel(r->system)]);
    r->inner = sum_of(r, SL_PACKING_INNER);
    r->gradient = sum_of(r, SL_PACKING_GRADIENT);
}
