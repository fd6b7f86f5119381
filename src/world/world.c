/* A world: its definition, making and freeing it, and its systems. */
#include "world/world.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/cookies.h"
#include "core/names.h"
#include "geometry/shape.h"

static const float farthest = 1e6f; /* m: floats are still 6 cm apart there */

SlWorldDef sl_default_world_def(void)
{
    return (SlWorldDef){SL_DEF_HEAD(WORLD, SlWorldDef),
                        .gravity = {0, -9.81f, 0},
                        .domain = {{0, 0, 0}, {4, 4, 4}},
                        .frame_time = 1.0 / 60.0,
                        .energy_limit = 1.5};
}

SlSystemDef sl_default_system_def(const char *solver)
{
    return (SlSystemDef){SL_DEF_HEAD(SYSTEM, SlSystemDef), .name = solver, .solver = solver};
}

bool sl_box_valid(SlBox box)
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
    return sl_box_valid(box);
}

static SlStatus check_def(const SlWorldDef *def, SlError *error)
{
    if (!SL_DEF_VALID(def, WORLD))
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "world definition not made by sl_default_world_def");
    if (!sl_gravity_valid(def->gravity))
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
        SlContextDef defaults = sl_default_context_def();
        if ((status = sl_context_create(&defaults, &context, error)) != SL_OK)
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
    world->owns_context = def->context == NULL || def->own_context;
    world->number = sl_world_number(world);
    sl_colliders_init(&world->colliders, context, def->domain, def->domain_friction,
                      def->domain_sticky);
    world->clock.frame_time = def->frame_time;
    sl_world_init_materials(world);
    *out = world;
    return SL_OK;
}

static void destroy_system(SlContext *context, SlWorldSystem *system)
{
    SlSystem *base = &system->base;
    const SlSolver *solver = base->solver;
    if (base->state != NULL)
        solver->destroy(base);
    sl_particles_destroy(&base->particles);
    sl_arena_free(&base->arena);
    for (uint32_t k = 0; k < system->fill_count; k++)
        sl_fill_body_destroy(context, system->fills[k]);
    sl_changes_free(context, system);
    sl_free(&context->memory, base->state, solver->state_size);
    sl_free(&context->memory, base->values, solver->table.row_count * sizeof *base->values);
    sl_free(&context->memory, base->given, solver->table.row_count * sizeof *base->given);
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
    sl_colliders_destroy(&world->colliders);
    sl_world_free_state(world);
    sl_world_take_camera_paths(world, NULL);
    sl_free(&context->memory, world, sizeof *world);
    if (owns_context)
        sl_context_destroy(context);
}

void sl_world_update_surroundings(SlWorld *world)
{
    for (uint32_t k = 0; k < world->system_count; k++)
        world->systems[k]->base.surroundings =
            (SlSurroundings){.gravity = world->def.gravity,
                             .domain = world->def.domain,
                             .grid = world->def.grid,
                             .bodies = &world->colliders.bodies,
                             .cameras = world->cameras,
                             .camera_count = world->camera_count,
                             .depth_views = world->depth_views,
                             .seed = world->def.seed};
}

static SlStatus unknown_solver(const char *name, SlError *error)
{
    char hint[SL_NAME_HINT];
    size_t count;
    const SlTable *const *tables = sl_solver_tables(&count);
    return sl_error_set(error, SL_ERROR_ARGUMENT, "there is no solver \"%.40s\"%s",
                        name != NULL ? name : "", sl_table_hint(name, tables, count, hint));
}

SlStatus sl_world_make_system(SlWorld *world, const SlSystemDef *def, SlSystemId *id,
                              SlError *error)
{
    SlStatus status = sl_require_not_started(world, error);
    if (status != SL_OK)
        return status;
    if (!SL_DEF_VALID(def, SYSTEM))
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "system definition not made by sl_default_system_def");
    if (world->system_count == SL_MAX_SYSTEMS)
        return sl_error_set(error, SL_ERROR_ARGUMENT, "at most %d systems fit in a world",
                            SL_MAX_SYSTEMS);
    const SlSolver *solver = sl_solver_find(def->solver);
    if (solver == NULL)
        return unknown_solver(def->solver, error);

    SlMemory *memory = &world->context->memory;
    SlWorldSystem *system = sl_alloc_zero(memory, 1, sizeof *system);
    if (system == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for a system");
    SlSystem *base = &system->base;
    base->context = world->context;
    sl_arena_init(&base->arena, memory);
    base->solver = solver;
    system->material = sl_default_material(solver->material);
    system->depth = world->depth;
    base->index = world->system_count;
    snprintf(base->name, sizeof base->name, "%s", def->name != NULL ? def->name : def->solver);
    base->state = sl_alloc_zero(memory, 1, solver->state_size);
    base->values = sl_alloc_zero(memory, solver->table.row_count, sizeof *base->values);
    base->given = sl_alloc_zero(memory, solver->table.row_count, sizeof *base->given);
    if (base->state == NULL || base->values == NULL || base->given == NULL) {
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

void sl_world_unmake_system(SlWorld *world)
{
    destroy_system(world->context, world->systems[--world->system_count]);
    world->systems[world->system_count] = NULL;
}

SlStatus sl_world_add_system(SlWorld *world, const SlSystemDef *def, SlSystemId *id,
                             SlError *error)
{
    if (id != NULL)
        *id = (SlSystemId){0, 0, 0};
    SL_SETUP_CALL(world, error, sl_world_make_system(world, def, id, &found));
}

double sl_world_time(const SlWorld *world)
{
    return world != NULL ? world->time : 0;
}

uint64_t sl_world_frame(const SlWorld *world)
{
    return world != NULL ? world->frame : 0;
}

SlContext *sl_world_context(SlWorld *world)
{
    return world != NULL ? world->context : NULL;
}
