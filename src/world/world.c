/* Making a world: definition, systems, parameters, blocks, colliders. */
#include "world/world.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/camera.h"
#include "geometry/shape.h"

enum { WORLD_COOKIE = 0x51EE7001, SYSTEM_COOKIE = 0x51EE7002 };
static const float farthest = 1e6f; /* m: floats are still 6 cm apart there */

SlWorldDef sl_default_world_def(void)
{
    return (SlWorldDef){.cookie = WORLD_COOKIE,
                        .gravity = {0, -9.81f, 0},
                        .domain = {{0, 0, 0}, {4, 4, 4}},
                        .frame_time = 1.0 / 60.0,
                        .energy_limit = 1.5};
}

SlSystemDef sl_default_system_def(const char *solver)
{
    return (SlSystemDef){.cookie = SYSTEM_COOKIE, .name = solver, .solver = solver};
}

static bool box_valid(SlBox box)
{
    const float *low = &box.min.x, *high = &box.max.x;
    for (int k = 0; k < 3; k++)
        if (!(low[k] < high[k] && low[k] >= -farthest && high[k] <= farthest))
            return false;
    return true;
}

/* As a box, but a side may be infinite. */
static bool domain_valid(SlBox box)
{
    float *low = &box.min.x, *high = &box.max.x;
    for (int k = 0; k < 3; k++) {
        low[k] = low[k] == -INFINITY ? -farthest : low[k];
        high[k] = high[k] == INFINITY ? farthest : high[k];
    }
    return box_valid(box);
}

static SlStatus check_def(const SlWorldDef *def, SlError *error)
{
    if (def->cookie != WORLD_COOKIE)
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "world definition not made by sl_default_world_def");
    if (!sl_finite(def->gravity) || sl_length(def->gravity) > 1e4f)
        return sl_error_set(error, SL_ERROR_ARGUMENT, "gravity must be below 1e4 m/s^2");
    if (!domain_valid(def->domain))
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "domain: min must be below max on each axis, both within 1e6 m or "
                            "infinite");
    if (!(def->domain_limit >= 0 && def->domain_limit <= farthest))
        return sl_error_set(error, SL_ERROR_ARGUMENT, "domain_limit may be from 0 to 1e6 m");
    if ((unsigned)def->grid > SL_GRID_COMPACT)
        return sl_error_set(error, SL_ERROR_ARGUMENT, "there is no grid %d", (int)def->grid);
    if (!(def->domain_friction >= 0 && def->domain_friction <= 10))
        return sl_error_set(error, SL_ERROR_ARGUMENT, "domain friction may be from 0 to 10");
    if (!(def->energy_limit >= 0 && def->energy_limit <= 1e6))
        return sl_error_set(error, SL_ERROR_ARGUMENT, "energy_limit may be from 0 to 1e6");
    if (!(def->frame_time > 0 && def->frame_time <= 10))
        return sl_error_set(error, SL_ERROR_ARGUMENT, "frame_time may be from above 0 to 10 s");
    return SL_OK;
}

SlStatus sl_world_create(const SlWorldDef *def, SlWorld **out, SlError *error)
{
    *out = NULL;
    SlStatus status = check_def(def, error);
    if (status != SL_OK)
        return status;
    SlContext *context = def->context;
    if (context == NULL) {
        SlContextDef cd = sl_default_context_def();
        cd.threads = def->threads;
        cd.tasks = def->tasks;
        cd.allocator = def->allocator;
        cd.hooks = def->hooks;
        cd.isa = def->isa;
        if ((status = sl_context_create(&cd, &context, error)) != SL_OK)
            return status;
    }
    SlWorld *world = sl_alloc_zero(&context->memory, 1, sizeof *world);
    if (world == NULL) {
        if (def->context == NULL)
            sl_context_destroy(context);
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for a world");
    }
    world->def = *def;
    world->context = context;
    world->owns_context = def->context == NULL;
    world->number = sl_world_number(world);
    for (uint32_t k = 0; k < SL_MAX_SHAPES; k++)
        world->movers[k].target = &world->targets[k];
    world->clock.frame_time = def->frame_time;
    *out = world;
    return SL_OK;
}

static void destroy_system(SlContext *context, SlWorldSystem *system)
{
    SlSystem *base = &system->base;
    const SlSolver *solver = base->solver;
    if (base->state != NULL)
        solver->finish(base);
    sl_particles_destroy(&base->particles);
    for (uint32_t k = 0; k < system->fill_count; k++)
        sl_fill_body_destroy(context, system->fills[k]);
    sl_free(&context->memory, base->state, solver->state_size);
    sl_free(&context->memory, base->values, solver->table.row_count * sizeof *base->values);
    sl_free(&context->memory, system, sizeof *system);
}

void sl_world_destroy(SlWorld *world)
{
    if (world == NULL)
        return;
    SlContext *context = world->context;
    bool owns_context = world->owns_context;
    for (uint32_t k = 0; k < world->system_count; k++)
        destroy_system(context, world->systems[k]);
    for (uint32_t k = 0; k < world->shape_count; k++)
        sl_motion_destroy(world->movers[k].path);
    for (uint32_t k = 0; k < world->mesh_count; k++)
        sl_mesh_body_destroy(context, world->meshes[k]);
    sl_world_free_state(world);
    sl_free(&context->memory, world, sizeof *world);
    if (owns_context)
        sl_context_destroy(context);
}

static SlStatus require_not_started(const SlWorld *world, SlError *error)
{
    if (world->started)
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "the world has started; its set-up is fixed");
    return SL_OK;
}

void sl_world_update_surroundings(SlWorld *world)
{
    for (uint32_t k = 0; k < world->shape_count; k++)
        world->bounds[k] = sl_shape_bounds(&world->shapes[k]);
    for (uint32_t k = 0; k < world->system_count; k++)
        world->systems[k]->base.surroundings =
            (SlSurroundings){.gravity = world->def.gravity,
                             .domain = world->def.domain,
                             .domain_friction = world->def.domain_friction,
                             .domain_sticky = world->def.domain_sticky,
                             .grid = world->def.grid,
                             .shapes = world->shapes,
                             .bounds = world->bounds,
                             .motions = world->moves ? world->motions : NULL,
                             .shape_moves = world->shape_moves,
                             .shape_count = world->shape_count,
                             .fields = world->fields,
                             .field_count = world->mesh_count,
                             .cameras = world->cameras,
                             .camera_count = world->camera_count,
                             .seed = world->def.seed};
}

SlStatus sl_world_add_system(SlWorld *world, const SlSystemDef *def, SlSystemId *id,
                             SlError *error)
{
    SlStatus status = require_not_started(world, error);
    if (status != SL_OK)
        return status;
    if (def->cookie != SYSTEM_COOKIE)
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "system definition not made by sl_default_system_def");
    if (world->system_count == SL_MAX_SYSTEMS)
        return sl_error_set(error, SL_ERROR_ARGUMENT, "at most %d systems fit in a world",
                            SL_MAX_SYSTEMS);
    const SlSolver *solver = sl_solver_find(def->solver);
    if (solver == NULL)
        return sl_error_set(error, SL_ERROR_ARGUMENT, "there is no solver \"%.40s\"", def->solver);

    SlMemory *memory = &world->context->memory;
    SlWorldSystem *system = sl_alloc_zero(memory, 1, sizeof *system);
    if (system == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for a system");
    SlSystem *base = &system->base;
    base->context = world->context;
    base->solver = solver;
    base->index = world->system_count;
    snprintf(base->name, sizeof base->name, "%s", def->name != NULL ? def->name : def->solver);
    base->state = sl_alloc_zero(memory, 1, solver->state_size);
    base->values = sl_alloc_zero(memory, solver->table.row_count, sizeof *base->values);
    if (base->state == NULL || base->values == NULL) {
        destroy_system(world->context, system);
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for a system");
    }
    for (size_t k = 0; k < solver->table.row_count; k++)
        base->values[k] = solver->table.rows[k].value;
    world->systems[world->system_count++] = system;
    if (id != NULL)
        *id = sl_system_id(world, base);
    sl_world_update_surroundings(world);
    return SL_OK;
}

static SlStatus find_row(const SlWorld *world, SlSystemId id, const char *name, SlSystem **system,
                         const SlParamRow **row, SlError *error)
{
    SlWorldSystem *holder = sl_world_resolve_system(world, id, error);
    if (holder == NULL)
        return SL_ERROR_ARGUMENT;
    *system = &holder->base;
    const SlTable *table = &(*system)->solver->table;
    *row = sl_table_find(table, name);
    if (*row == NULL)
        return sl_error_set(error, SL_ERROR_ARGUMENT, "%s has no parameter \"%.40s\"", table->name,
                            name);
    return SL_OK;
}

/* A value was set. A preset's values count, in any order, where none was given by itself. */
static void take_value(SlSystem *system, const SlParamRow *row)
{
    const SlTable *table = &system->solver->table;
    if (table->presets == NULL || strcmp(row->name, "preset") != 0) {
        system->given |= (uint64_t)1 << (row - table->rows);
        return;
    }
    size_t chosen = (size_t)system->values[row - table->rows].number[0];
    for (size_t k = 0; k < table->row_count; k++) {
        const SlParamRow *other = &table->rows[k];
        if (other == row || (system->given >> k & 1) != 0)
            continue;
        system->values[k] = other->value;
        const SlPreset *preset = &table->presets[chosen];
        for (int v = 0; v < SL_MAX_PRESET_VALUES && preset->values[v].name != NULL; v++)
            if (strcmp(preset->values[v].name, other->name) == 0)
                system->values[k].number[0] = preset->values[v].value;
    }
}

SlStatus sl_system_set_number(SlWorld *world, SlSystemId id, const char *name, double value,
                              SlError *error)
{
    SlSystem *system;
    const SlParamRow *row;
    SlStatus status = require_not_started(world, error);
    if (status == SL_OK)
        status = find_row(world, id, name, &system, &row, error);
    if (status == SL_OK)
        status = sl_param_set_number(row, value,
                                     &system->values[row - system->solver->table.rows], error);
    if (status == SL_OK)
        take_value(system, row);
    return status;
}

SlStatus sl_system_set_text(SlWorld *world, SlSystemId id, const char *name, const char *value,
                            SlError *error)
{
    SlSystem *system;
    const SlParamRow *row;
    SlStatus status = require_not_started(world, error);
    if (status == SL_OK)
        status = find_row(world, id, name, &system, &row, error);
    if (status == SL_OK)
        status = sl_param_set_text(row, value, &system->values[row - system->solver->table.rows],
                                   error);
    if (status == SL_OK)
        take_value(system, row);
    return status;
}

SlStatus sl_system_get(const SlWorld *world, SlSystemId id, const char *name, SlParamValue *value,
                       SlError *error)
{
    SlSystem *system;
    const SlParamRow *row;
    SlStatus status = find_row(world, id, name, &system, &row, error);
    if (status == SL_OK)
        *value = system->values[row - system->solver->table.rows];
    return status;
}

void sl_block_lattice(const SlBlockDef *block, double spacing, double along[3])
{
    const float *low = &block->min.x, *high = &block->max.x;
    for (int k = 0; k < 3; k++) /* a hair more, so that 4 m at 0.1 m are 40 and not 39 */
        along[k] = floor(((double)high[k] - (double)low[k]) / spacing + 1e-3);
}

static SlStatus check_fluid(const SlSystem *system, uint32_t fluid, SlError *error)
{
    if (fluid <= system->fluid_count)
        return SL_OK;
    return sl_error_set(error, SL_ERROR_ARGUMENT, "%s has no fluid number %u", system->name, fluid);
}

SlStatus sl_system_add_fluid(SlWorld *world, SlSystemId id, const SlFluidDef *def, uint32_t *fluid,
                             SlError *error)
{
    SlStatus status = require_not_started(world, error);
    if (status != SL_OK)
        return status;
    SlWorldSystem *holder = sl_world_resolve_system(world, id, error);
    if (holder == NULL)
        return SL_ERROR_ARGUMENT;
    SlSystem *system = &holder->base;
    if (!system->solver->several_fluids)
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "the solver \"%s\" knows no fluids of their own; use a system each",
                            system->solver->table.name);
    if (!(def->density > 0 && def->density <= 1e5) ||
        !(def->kinematic_viscosity >= 0 && def->kinematic_viscosity <= 1e4))
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "a fluid's density must be above 0 and at most 1e5 kg/m^3, its kinematic "
                            "viscosity from 0 to 1e4 m^2/s");
    if (system->fluid_count == SL_MAX_FLUIDS)
        return sl_error_set(error, SL_ERROR_ARGUMENT, "at most %d fluids fit in a system",
                            SL_MAX_FLUIDS);
    SlFluidKind *kind = &system->fluids[system->fluid_count++];
    snprintf(kind->name, sizeof kind->name, "%s", def->name != NULL ? def->name : "");
    kind->density = def->density;
    kind->viscosity = def->kinematic_viscosity;
    *fluid = system->fluid_count;
    return SL_OK;
}

SlStatus sl_system_add_block(SlWorld *world, SlSystemId id, const SlBlockDef *block,
                             SlError *error)
{
    SlStatus status = require_not_started(world, error);
    if (status != SL_OK)
        return status;
    SlWorldSystem *system = sl_world_resolve_system(world, id, error);
    if (system == NULL)
        return SL_ERROR_ARGUMENT;
    if (!box_valid((SlBox){block->min, block->max}))
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "a block's min must be below its max on each axis, both within 1e6 m");
    if (!sl_finite(block->velocity) || sl_length(block->velocity) > 1e5f)
        return sl_error_set(error, SL_ERROR_ARGUMENT, "a block's velocity must be below 1e5 m/s");
    if ((status = check_fluid(&system->base, block->fluid, error)) != SL_OK)
        return status;
    if (system->block_count == SL_MAX_BLOCKS)
        return sl_error_set(error, SL_ERROR_ARGUMENT, "at most %d blocks fit in a system",
                            SL_MAX_BLOCKS);
    system->blocks[system->block_count++] = *block;
    return SL_OK;
}

SlStatus sl_system_add_emitter(SlWorld *world, SlSystemId id, const SlEmitterDef *emitter,
                               SlError *error)
{
    SlStatus status = require_not_started(world, error);
    if (status != SL_OK)
        return status;
    SlWorldSystem *system = sl_world_resolve_system(world, id, error);
    if (system == NULL)
        return SL_ERROR_ARGUMENT;
    SlFlow *flow = &system->flow;
    SlSystem *base = &system->base;
    if (flow->emitter_count == SL_MAX_EMITTERS)
        return sl_error_set(error, SL_ERROR_ARGUMENT, "at most %d emitters fit in a system",
                            SL_MAX_EMITTERS);
    if ((status = check_fluid(base, emitter->fluid, error)) != SL_OK)
        return status;
    status = sl_emitter_init(&flow->emitters[flow->emitter_count], emitter,
                             (double)base->solver->spacing(base), error);
    flow->emitter_count += status == SL_OK;
    return status;
}

SlStatus sl_system_add_drain(SlWorld *world, SlSystemId id, const SlShape *shape, SlError *error)
{
    SlStatus status = require_not_started(world, error);
    if (status != SL_OK)
        return status;
    SlWorldSystem *system = sl_world_resolve_system(world, id, error);
    if (system == NULL)
        return SL_ERROR_ARGUMENT;
    SlFlow *flow = &system->flow;
    if (flow->drain_count == SL_MAX_DRAINS)
        return sl_error_set(error, SL_ERROR_ARGUMENT, "at most %d drains fit in a system",
                            SL_MAX_DRAINS);
    const char *reason;
    SlShape prepared = *shape;
    if (!sl_shape_prepare(&prepared, &reason))
        return sl_error_set(error, SL_ERROR_ARGUMENT, "drain: %s: %s",
                            sl_shape_kind_name(prepared.kind), reason);
    flow->drains[flow->drain_count++] = prepared;
    return SL_OK;
}

SlStatus sl_world_add_collider(SlWorld *world, const SlShape *shape, SlColliderId *id,
                               SlError *error)
{
    SlStatus status = require_not_started(world, error);
    if (status != SL_OK)
        return status;
    if (world->shape_count == SL_MAX_SHAPES)
        return sl_error_set(error, SL_ERROR_ARGUMENT, "at most %d colliders fit in a world",
                            SL_MAX_SHAPES);
    SlShape prepared = *shape;
    const char *reason;
    if (!sl_shape_prepare(&prepared, &reason))
        return sl_error_set(error, SL_ERROR_ARGUMENT, "%s: %s",
                            sl_shape_kind_name(prepared.kind), reason);
    uint32_t index = world->shape_count++;
    world->rest_shapes[index] = world->shapes[index] = prepared;
    world->shape_generations[index] = 1;
    if (id != NULL)
        *id = sl_collider_id(world, index);
    sl_world_update_surroundings(world);
    return SL_OK;
}

SlStatus sl_world_set_cameras(SlWorld *world, const SlCamera *cameras, size_t count,
                              SlError *error)
{
    size_t counting = 0;
    for (size_t k = 0; k < count; k++) {
        const char *reason;
        if (!sl_camera_valid(&cameras[k], &reason))
            return sl_error_set(error, SL_ERROR_ARGUMENT, "camera %zu: %s", k, reason);
        counting += cameras[k].weight > 0;
    }
    if (counting > SL_MAX_CAMERAS)
        return sl_error_set(error, SL_ERROR_ARGUMENT, "at most %d cameras may have a weight",
                            SL_MAX_CAMERAS);
    world->camera_count = 0;
    for (size_t k = 0; k < count; k++)
        if (cameras[k].weight > 0)
            world->cameras[world->camera_count++] = cameras[k];
    for (uint32_t k = 0; k < world->system_count; k++)
        world->systems[k]->base.surroundings.camera_count = world->camera_count;
    return SL_OK;
}

double sl_world_time(const SlWorld *world)
{
    return world->time;
}

SlContext *sl_world_context(SlWorld *world)
{
    return world->context;
}
