/* Fixing the set-up: counts and memory checked before anything is taken, then particles placed. */
#include <math.h>
#include <string.h>

#include "core/machine.h"
#include "geometry/box.h"
#include "math/vec3.h"
#include "spatial/grid.h"
#include "world/world.h"

double sl_world_finest_spacing(const SlWorld *world)
{
    double finest = 0;
    for (uint32_t k = 0; k < world->system_count; k++) {
        const SlSystem *base = &world->systems[k]->base;
        double spacing = (double)base->solver->spacing(base);
        finest = finest == 0 || spacing < finest ? spacing : finest;
    }
    return finest;
}

/* Particles that blocks and fills place at the start; a double, for it may be beyond any integer. */
static double particles_placed(const SlWorldSystem *system)
{
    double spacing = (double)system->base.solver->spacing(&system->base), count = 0;
    bool packs = sl_system_packs(&system->base);
    for (uint32_t k = 0; k < system->block_count; k++)
        count += sl_block_particles(system, k);
    for (uint32_t k = 0; k < system->fill_count; k++)
        count += sl_fill_body_particles(system->fills[k], spacing, packs);
    return count;
}

/* Those, and what emitters with a limit will add. */
static double particles_asked(const SlWorldSystem *system)
{
    double count = particles_placed(system);
    for (uint32_t k = 0; k < system->flow.emitter_count; k++)
        count += (double)system->flow.emitters[k].def.limit;
    return count;
}

static double world_particles_asked(const SlWorld *world)
{
    double count = 0;
    for (uint32_t k = 0; k < world->system_count; k++)
        count += particles_asked(world->systems[k]);
    return count;
}

/* Of the solver, of its parameters, of the fills. */
static uint32_t fields_of(const SlWorldSystem *system)
{
    const SlSolver *solver = system->base.solver;
    uint32_t fields = solver->fields | sl_fill_fields(system) |
                      (solver->more_fields != NULL ? solver->more_fields(&system->base) : 0);
    bool differ = (fields & (SL_FIELD_BIT(FLUID) | SL_FIELD_BIT(VARIATION))) != 0;
    return fields | (differ ? SL_FIELD_BIT(MASS) : 0);
}

static double bytes_asked(const SlWorld *world)
{
    double bytes = (double)sl_colliders_bytes(&world->colliders, sl_world_finest_spacing(world));
    for (uint32_t k = 0; k < world->system_count; k++) {
        const SlSystem *base = &world->systems[k]->base;
        double count = particles_asked(world->systems[k]);
        /* Beyond what fits in an integer only the order matters: scale from a million. */
        double scale = count > 1e15 ? count / 1e6 : 1;
        uint64_t n = count > 1e15 ? 1000000 : (uint64_t)count;
        uint32_t fields = fields_of(world->systems[k]);
        bytes += scale * (double)(sl_particles_bytes(fields, &world->systems[k]->attributes, n) +
                                  base->solver->memory_needed(base, n));
    }
    return bytes;
}

uint64_t sl_world_memory_needed(const SlWorld *world)
{
    double bytes = world != NULL ? bytes_asked(world) : 0;
    return bytes < 1.8e19 ? (uint64_t)bytes : UINT64_MAX;
}

uint64_t sl_world_particle_count(const SlWorld *world)
{
    double count = world != NULL ? world_particles_asked(world) : 0;
    return count < 1.8e19 ? (uint64_t)count : UINT64_MAX;
}

static SlStatus check_sizes(const SlWorld *world, SlError *error)
{
    double count = world_particles_asked(world), bytes = bytes_asked(world);
    double available = (double)sl_machine_memory_available(), gib = 1024.0 * 1024 * 1024;
    if (bytes > available)
        return sl_error_set(error, SL_ERROR_MEMORY,
                            "%.4g particles need %.4g GiB of memory, %.4g GiB are available", count,
                            bytes / gib, available / gib);
    for (uint32_t k = 0; k < world->system_count; k++)
        if (particles_asked(world->systems[k]) > (double)SL_MAX_PARTICLES)
            return sl_error_set(error, SL_ERROR_MEMORY,
                                "%s: %.4g particles asked for, a system holds at most %d",
                                world->systems[k]->base.name, particles_asked(world->systems[k]),
                                SL_MAX_PARTICLES);
    return SL_OK;
}

static SlStatus check_blocks(const SlWorld *world, SlError *error)
{
    for (uint32_t s = 0; s < world->system_count; s++) {
        const SlWorldSystem *system = world->systems[s];
        double spacing = (double)system->base.solver->spacing(&system->base);
        for (uint32_t k = 0; k < system->block_count; k++) {
            SlBox box = sl_block_box(&system->blocks[k]);
            if (!sl_box_contains(&world->def.domain, &box, spacing))
                return sl_error_set(error, SL_ERROR_ARGUMENT,
                                    "%s: block %u reaches outside the domain", system->base.name,
                                    k);
            for (uint32_t t = 0; t <= s; t++)
                for (uint32_t j = 0; j < (t == s ? k : world->systems[t]->block_count); j++) {
                    SlBox other = sl_block_box(&world->systems[t]->blocks[j]);
                    if (sl_boxes_overlap(&other, &box, spacing))
                        return sl_error_set(error, SL_ERROR_ARGUMENT,
                                            "%s: block %u overlaps block %u of %s",
                                            system->base.name, k, j, world->systems[t]->base.name);
                }
        }
    }
    return SL_OK;
}

/* The block's lattice, x fastest. */
static void place_lattice(const SlBlock *block, double spacing, float *position)
{
    double along[3];
    sl_block_lattice(block, spacing, along);
    for (uint32_t z = 0; z < along[2]; z++)
        for (uint32_t y = 0; y < along[1]; y++)
            for (uint32_t x = 0; x < along[0]; x++, position += 4) {
                position[0] = (float)((double)block->min.x + (x + 0.5) * spacing);
                position[1] = (float)((double)block->min.y + (y + 0.5) * spacing);
                position[2] = (float)((double)block->min.z + (z + 0.5) * spacing);
            }
}

/* Ids count on from the last block's. */
static void place_block(const SlWorld *world, SlWorldSystem *system, uint32_t k, size_t *next)
{
    const SlBlock *block = &system->blocks[k];
    SlParticles *particles = &system->base.particles;
    uint32_t *id = particles->data[SL_F_ID], *fluid = particles->data[SL_F_FLUID];
    float *velocity = sl_f32x4(particles, SL_F_VELOCITY);
    float *position = sl_f32x4(particles, SL_F_POSITION) + 4 * *next;
    if (sl_system_packs(&system->base))
        sl_world_place_packed_block(world, system, k, position);
    else
        place_lattice(block, (double)system->base.solver->spacing(&system->base), position);
    size_t end = *next + (size_t)sl_block_particles(system, k);
    for (size_t i = *next; i < end; i++) {
        id[i] = (uint32_t)i;
        memcpy(&velocity[4 * i], &block->velocity, 3 * sizeof(float));
        if (fluid != NULL)
            fluid[i] = block->fluid;
    }
    *next = end;
}

/* Positions are floats: SL_GRID_REACH spacings from the origin they are 1/64 of a spacing apart. */
static SlStatus check_domain(const SlWorld *world, SlError *error)
{
    const float *sides[2] = {&world->def.domain.min.x, &world->def.domain.max.x};
    for (uint32_t s = 0; s < world->system_count; s++) {
        const SlSystem *base = &world->systems[s]->base;
        double spacing = (double)base->solver->spacing(base), reach = SL_GRID_REACH * spacing;
        for (int k = 0; k < 6; k++) {
            double at = (double)sides[k / 3][k % 3];
            if (isfinite(at) && fabs(at) > reach)
                return sl_error_set(error, SL_ERROR_ARGUMENT,
                                    "%s: the domain reaches to %g m in %c; with particles %g m "
                                    "apart positions are too coarse beyond %g m from the origin",
                                    base->name, at, "xyz"[k % 3], spacing, reach);
        }
    }
    return SL_OK;
}

static bool is_open(SlBox domain)
{
    return !sl_finite(domain.min) || !sl_finite(domain.max);
}

/* With an open side a particle may go as far as the definition or a float's digits allow. */
static void set_farthest(const SlWorld *world, SlWorldSystem *system, double spacing)
{
    float limit = world->def.domain_limit, reach = (float)(SL_GRID_REACH * spacing);
    if (!is_open(world->def.domain))
        return;
    system->flow.remove_beyond = limit > 0;
    system->flow.farthest = limit > 0 && limit < reach ? limit : reach;
}

/* The solver sees the filled regions during its start. */
static SlStatus start_solver(SlWorldSystem *system, SlError *error)
{
    SlSystem *base = &system->base;
    SlFilledRegion regions[SL_MAX_BLOCKS + SL_MAX_FILLS];
    base->region_count = sl_world_list_regions(system, regions);
    base->regions = base->region_count > 0 ? regions : NULL;
    SlStatus status = base->solver->start(base, error);
    base->regions = NULL;
    base->region_count = 0;
    return status;
}

static SlStatus start_system(SlWorld *world, SlWorldSystem *system, SlError *error)
{
    SlSystem *base = &system->base;
    double spacing = (double)base->solver->spacing(base);
    if (base->particles.context != NULL) { /* of a start that failed or was stopped */
        base->solver->destroy(base);
        memset(base->state, 0, base->solver->state_size);
        sl_particles_destroy(&base->particles);
    }
    SlStatus status =
        sl_particles_create(world->context, fields_of(system), &system->attributes,
                            (size_t)particles_placed(system), &base->particles, error);
    if (status != SL_OK)
        return status;
    size_t next = 0;
    for (uint32_t k = 0; k < system->block_count; k++)
        place_block(world, system, k, &next);
    sl_world_place_fills(world, system, &next);
    system->flow.next_id = next;
    sl_world_measure_depth(world, system);
    sl_world_name_body_forces(world, system);
    set_farthest(world, system, spacing);
    return start_solver(system, error);
}

static SlStatus check_parameters(const SlWorld *world, SlError *error)
{
    SlStatus status = SL_OK;
    for (uint32_t k = 0; status == SL_OK && k < world->system_count; k++) {
        const SlSystem *base = &world->systems[k]->base;
        status = base->solver->check != NULL ? base->solver->check(base, error) : SL_OK;
    }
    return status;
}

/* A world without particles steps and draws nothing: most likely something was forgotten. */
static void warn_if_empty(const SlWorld *world)
{
    uint64_t particles = 0, emitters = 0;
    for (uint32_t k = 0; k < world->system_count; k++) {
        particles += world->systems[k]->base.particles.count;
        emitters += world->systems[k]->flow.emitter_count;
    }
    if (particles + emitters == 0)
        sl_log(world->context, SL_LOG_WARNING,
               "the world starts without particles: %s",
               world->system_count == 0 ? "it has no system"
                                        : "no system has a block, a fill or an emitter");
}

static SlStatus start_world(SlWorld *world, SlError *error)
{
    SlStatus status = check_parameters(world, error);
    if (status == SL_OK)
        status = check_blocks(world, error);
    if (status == SL_OK)
        status = check_sizes(world, error);
    if (status == SL_OK)
        status = check_domain(world, error);
    if (status == SL_OK)
        status = sl_report_progress(world->context, 0, "start", error);
    if (status == SL_OK)
        status = sl_colliders_start(&world->colliders, sl_world_finest_spacing(world), error);
    if (status == SL_OK)
        status = sl_world_start_fills(world, error);
    if (status == SL_OK) /* fills are counted now */
        status = check_sizes(world, error);
    sl_world_update_surroundings(world);
    for (uint32_t k = 0; status == SL_OK && k < world->system_count; k++) {
        double fraction = (double)(k + 1) / (double)(world->system_count + 1);
        status = sl_report_progress(world->context, fraction, "start", error);
        if (status == SL_OK)
            status = start_system(world, world->systems[k], error);
    }
    sl_world_release_blocks(world);
    if (status == SL_OK)
        status = sl_changes_start(world, error);
    if (status == SL_OK)
        warn_if_empty(world);
    if (status == SL_OK)
        (void)sl_progress(world->context, 1, "start"); /* too late to stop */
    world->started = status == SL_OK;
    return status;
}

SlStatus sl_world_start(SlWorld *world, SlError *error)
{
    SlError found;
    SlStatus status = sl_setup_status(world, error);
    if (status != SL_OK || world->started)
        return status;
    return sl_setup_end(world, __func__, start_world(world, &found), &found, error);
}
