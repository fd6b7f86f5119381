/* The packings of a system's regions. Small regions are relaxed from a jittered lattice; large ones
   begin with copies of a relaxed periodic tile, which balances everywhere but near surfaces, and need
   few iterations. The ratio of each particle's multiplier to the mean is left in the field PRESSURE,
   where there is one: under a water pressure it balances too.

   Densities are then slightly above the lattice's, by a tenth of a percent or two: a disordered
   packing of so many particles cannot have the lattice's density, so it is what the rest density is
   calibrated to. */
#include "solvers/fluid/packing.h"

#include <math.h>
#include <string.h>

#include "core/parallel.h"
#include "solvers/fluid/packing_relaxation.h"

/* In spacings: the first displacement, which must be so large that the lattice does not come back;
   the places of a mesh are no lattice to begin with, and thin parts must not lose their share. */
static const double jitter = 0.45, jitter_of_meshes = 0.25;
/* What a place may be away from a site of the lattice, in spacings. */
static const double site_tolerance = 0.01;
/* Iterations times particles of a region without tiles, and their limits: the start takes about as
   long as ten frames. */
static const double particle_iterations = 2e7, min_iterations = 300, max_iterations = 800;
/* A region begins with tiles where it would get no more than the fewest iterations without (smaller
   ones get better than with tiles) and most of it is on the lattice. */
static const double min_tiled_fraction = 0.5;

bool sl_fluid_packs(const SlSystem *system)
{
    return sl_param(system, SL_FLUID_PARAM_PACKING) == SL_PACKING_RELAXED;
}

/* From a jittered lattice. */
static SlPackingSchedule full_schedule(size_t count)
{
    double limit = fmin(fmax(particle_iterations / (double)count, min_iterations),
                        max_iterations);
    return (SlPackingSchedule){.spreading = (uint32_t)ceil(fmin(0.4 * limit, 300)),
                               .balancing = (uint32_t)ceil(0.7 * limit),
                               .limit = (uint32_t)limit};
}

/* From copies of the tile. Measured with 106,496 particles in a box, as the mean displacement by what
   is left of the forces: 0.0007 spacings, as after 300 iterations from the jittered lattice. */
static const SlPackingSchedule tiled_schedule = {
    .spreading = 20, .balancing = 100, .limit = 130, .momentum = 0.6f, .last_momentum = 0.8f};

/* --- Where particles begin --- */

typedef struct Beginning {
    SlRelaxation *relaxation;
    const SlPackingTile *tile; /* NULL: jitter */
    double jitter, spacing;
} Beginning;

/* The number of the lattice's site in the tile; SIZE_MAX: the place is not on the lattice. */
static size_t site_at(const SlFilledRegion *region, const float *place, double spacing)
{
    size_t site = 0;
    for (int k = 2; k >= 0; k--) {
        double along = ((double)place[k] - (double)(&region->lattice.x)[k]) / spacing - 0.5;
        double cell = floor(along + 0.5);
        if (fabs(along - cell) > site_tolerance)
            return SIZE_MAX;
        double in_tile = cell - SL_TILE_SIDE * floor(cell / SL_TILE_SIDE);
        site = site * SL_TILE_SIDE + (size_t)in_tile;
    }
    return site;
}

static void begin_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Beginning *b = argument;
    SlRelaxation *r = b->relaxation;
    const float *position = sl_f32x4(&r->system->particles, SL_F_POSITION);
    float *records = sl_f32x4(&r->set, SL_F_PREDICTED), *before = sl_f32x4(&r->set, SL_F_REFERENCE);
    float *multiplier = r->set.data[SL_F_PRESSURE];
    uint32_t *id = r->set.data[SL_F_ID];
    for (size_t k = begin; k < end; k++) {
        size_t i = r->region->first + k, site = SIZE_MAX;
        float *record = records + 4 * k;
        memcpy(record, position + 4 * i, 3 * sizeof *record);
        if (b->tile != NULL)
            site = site_at(r->region, record, b->spacing);
        if (site != SIZE_MAX) {
            for (int axis = 0; axis < 3; axis++)
                record[axis] += b->tile->move[site][axis];
            multiplier[k] = b->tile->multiplier[site];
        } else {
            sl_packing_jitter(r->system, i, b->jitter, record);
        }
        record[3] = 1;
        memcpy(before + 4 * k, record, 4 * sizeof *record);
        id[k] = (uint32_t)i;
    }
}

static bool is_tiled(const SlSystem *system, const SlFilledRegion *region)
{
    double spacing = sl_param(system, SL_FLUID_PARAM_SPACING), sites = 0;
    const float *position = sl_f32x4(&system->particles, SL_F_POSITION);
    if ((double)region->count * min_iterations < particle_iterations)
        return false;
    for (size_t i = region->first; i < region->first + region->count; i++)
        sites += site_at(region, position + 4 * i, spacing) != SIZE_MAX;
    return sites >= min_tiled_fraction * (double)region->count;
}

/* --- A region --- */

static SlStatus relax(SlRelaxation *r, const SlPackingSchedule *schedule, SlError *error)
{
    SlSystem *system = r->system;
    uint32_t k = 0;
    for (; sl_relaxation_continues(r, schedule, k); k++) {
        if (sl_relaxation_lists(k)) {
            SlStatus status = sl_relaxation_list(r, error);
            if (status != SL_OK)
                return status;
        }
        sl_relaxation_iterate(r, schedule, k);
    }
    sl_relaxation_measure(r);
    float *position = sl_f32x4(&system->particles, SL_F_POSITION);
    const float *records = sl_f32x4(&r->set, SL_F_PREDICTED);
    const uint32_t *id = r->set.data[SL_F_ID];
    float *ratio = system->particles.data[SL_F_PRESSURE];
    for (size_t i = 0; i < r->set.count; i++) {
        memcpy(position + 4 * (size_t)id[i], records + 4 * i, 3 * sizeof(float));
        if (ratio != NULL)
            ratio[id[i]] = 1 + r->pass.multiplier[i] / r->pass.pressure;
    }
    sl_log(system->context, SL_LOG_INFO,
           "%s: packing of %zu particles relaxed in %u iterations, density %.5f within %.2g",
           system->name, r->set.count, k, 1 + r->mean, r->max);
    return SL_OK;
}

/* The tile is relaxed for the first region that begins with it. */
static SlStatus relax_region(SlRelaxation *r, SlArena *arena, SlPackingTile *tile, SlError *error)
{
    SlSystem *system = r->system;
    const SlFilledRegion *region = r->region;
    double spacing = sl_param(system, SL_FLUID_PARAM_SPACING);
    bool is_box = region->region.blend == NULL && region->region.field == NULL;
    bool tiled = is_tiled(system, region);
    SlStatus status = SL_OK;
    if (tiled && tile->move == NULL)
        status = sl_packing_tile(system, arena, tile, error);
    if (status == SL_OK)
        status = sl_relaxation_create(r, region->count, region->region.bounds, error);
    if (status != SL_OK)
        return status;
    Beginning beginning = {.relaxation = r,
                           .tile = tiled ? tile : NULL,
                           .jitter = spacing * (is_box ? jitter : jitter_of_meshes),
                           .spacing = spacing};
    SlPackingSchedule schedule = tiled ? tiled_schedule : full_schedule(region->count);
    sl_parallel_for(system->context->pool, region->count, SL_REDUCE_CHUNK, begin_chunk, &beginning);
    return relax(r, &schedule, error);
}

SlStatus sl_packing_relax(SlSystem *system, SlError *error)
{
    SlFluidState *state = system->state;
    SlStatus status = SL_OK;
    SlPackingTile tile = {0};
    SlArena arena;
    double excess = 0, count = 0, inner = 0, gradient = 0;
    state->packing_density = 1;
    sl_arena_init(&arena, &system->context->memory);
    for (size_t k = 0; status == SL_OK && k < system->region_count; k++) {
        if (system->regions[k].count == 0)
            continue;
        SlRelaxation r = {.system = system, .region = &system->regions[k]};
        status = relax_region(&r, &arena, &tile, error);
        sl_relaxation_destroy(&r);
        excess += r.mean * (double)r.region->count;
        count += (double)r.region->count;
        inner += r.inner;
        gradient += r.gradient;
    }
    sl_arena_free(&arena);
    if (count > 0)
        state->packing_density = 1 + excess / count;
    if (inner > 0) /* of one axis */
        state->packing_gradient = gradient / (3 * inner) / state->packing_density;
    return status;
}
