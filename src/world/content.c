/* What fills a system: fluids, blocks, emitters and drains. */
#include <math.h>
#include <stdio.h>

#include "core/cookies.h"
#include "geometry/shape.h"
#include "world/world.h"

void sl_block_lattice(const SlBlock *block, double spacing, double along[3])
{
    const float *low = &block->min.x, *high = &block->max.x;
    for (int k = 0; k < 3; k++) /* rounding: 4 m at 0.1 m are 40, not 39 */
        along[k] = floor(((double)high[k] - (double)low[k]) / spacing + 1e-3);
}

static SlStatus check_fluid(const SlSystem *system, uint32_t fluid, SlError *error)
{
    if (fluid <= system->fluid_count)
        return SL_OK;
    return sl_error_set(error, SL_ERROR_ARGUMENT, "%s has no fluid number %u", system->name, fluid);
}

SlFluidDef sl_default_fluid_def(void)
{
    return (SlFluidDef){SL_DEF_HEAD(FLUID, SlFluidDef), .density = 1000};
}

static SlStatus add_fluid(SlWorld *world, SlSystemId id, const SlFluidDef *def, uint32_t *fluid,
                             SlError *error)
{
    SlStatus status = sl_require_not_started(world, error);
    if (status != SL_OK)
        return status;
    SlWorldSystem *holder = sl_world_resolve_system(world, id, error);
    if (holder == NULL)
        return SL_ERROR_ARGUMENT;
    SlSystem *system = &holder->base;
    if (!SL_DEF_VALID(def, FLUID))
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "fluid definition not made by sl_default_fluid_def");
    if (!system->solver->several_fluids)
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "the solver \"%s\" has one fluid only; use a system for each",
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
    if (fluid != NULL)
        *fluid = system->fluid_count;
    return SL_OK;
}

static SlStatus add_block(SlWorld *world, SlSystemId id, const SlBlock *block,
                             SlError *error)
{
    SlStatus status = sl_require_not_started(world, error);
    if (status != SL_OK)
        return status;
    SlWorldSystem *system = sl_world_resolve_system(world, id, error);
    if (system == NULL)
        return SL_ERROR_ARGUMENT;
    if (!sl_box_valid((SlBox){block->min, block->max}))
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

/* Layers that were due before the world's time are not let through. */
static SlStatus init_emitter(const SlWorld *world, const SlSystem *base, const SlEmitterDef *def,
                             SlEmitter *emitter, SlError *error)
{
    SlStatus status = check_fluid(base, def->fluid, error);
    if (status == SL_OK)
        status = sl_emitter_init(emitter, def, (double)base->solver->spacing(base), error);
    if (status == SL_OK && world->time > def->start)
        emitter->layers = (uint64_t)ceil((world->time - def->start) / emitter->interval);
    return status;
}

static SlStatus add_emitter(SlWorld *world, SlSystemId id, const SlEmitterDef *def,
                            SlEmitterId *handle, SlError *error)
{
    SlWorldSystem *system = sl_world_resolve_system(world, id, error);
    if (system == NULL)
        return SL_ERROR_ARGUMENT;
    SlFlow *flow = &system->flow;
    uint32_t slot = 0;
    while (slot < flow->emitter_count && !flow->emitters[slot].removed)
        slot++;
    if (slot == SL_MAX_EMITTERS)
        return sl_error_set(error, SL_ERROR_ARGUMENT, "at most %d emitters fit in a system",
                            SL_MAX_EMITTERS);
    SlEmitter emitter;
    SlStatus status = init_emitter(world, &system->base, def, &emitter, error);
    if (status != SL_OK)
        return status;
    emitter.generation =
        (uint16_t)(slot < flow->emitter_count ? flow->emitters[slot].generation + 1 : 1);
    flow->emitters[slot] = emitter;
    flow->emitter_count += slot == flow->emitter_count;
    if (handle != NULL)
        *handle = (SlEmitterId){system->base.index * SL_MAX_EMITTERS + slot + 1, world->number,
                                emitter.generation};
    return SL_OK;
}

static SlEmitter *resolve_emitter(const SlWorld *world, SlEmitterId id, SlWorldSystem **system,
                                  SlError *error)
{
    uint32_t index = id.index1 - 1, s = index / SL_MAX_EMITTERS, slot = index % SL_MAX_EMITTERS;
    bool used = false;
    if (id.index1 > 0 && s < world->system_count && id.world == world->number &&
        slot < world->systems[s]->flow.emitter_count) {
        SlEmitter *emitter = &world->systems[s]->flow.emitters[slot];
        *system = world->systems[s];
        if (!emitter->removed && emitter->generation == id.generation)
            return emitter;
        used = true;
    }
    sl_error_set(error, SL_ERROR_ARGUMENT, "the handle names no emitter of this world%s",
                 sl_handle_reason(world, id.index1, id.world, used));
    return NULL;
}

static SlStatus set_emitter(SlWorld *world, SlEmitterId id, const SlEmitterDef *def, SlError *error)
{
    SlWorldSystem *system;
    SlEmitter *emitter = resolve_emitter(world, id, &system, error), changed;
    if (emitter == NULL)
        return SL_ERROR_ARGUMENT;
    SlStatus status = init_emitter(world, &system->base, def, &changed, error);
    if (status != SL_OK)
        return status;
    changed.emitted = emitter->emitted;
    changed.generation = emitter->generation;
    *emitter = changed;
    return SL_OK;
}

static SlStatus remove_emitter(SlWorld *world, SlEmitterId id, SlError *error)
{
    SlWorldSystem *system;
    SlEmitter *emitter = resolve_emitter(world, id, &system, error);
    if (emitter == NULL)
        return SL_ERROR_ARGUMENT;
    uint16_t generation = emitter->generation;
    *emitter = (SlEmitter){.removed = true, .generation = generation};
    return SL_OK;
}

SlStatus sl_world_take_drain(const SlShape *shape, const char *what, SlShape *prepared,
                             SlError *error)
{
    const char *reason;
    *prepared = *shape;
    bool ok = sl_shape_prepare(prepared, &reason);
    if (ok && sl_shape_type(prepared->kind)->arrays)
        reason = "it can only be a collider";
    if (reason != NULL)
        return sl_error_set(error, SL_ERROR_ARGUMENT, "%s: %s: %s", what,
                            sl_shape_kind_name(prepared->kind), reason);
    return SL_OK;
}

static SlStatus add_drain(SlWorld *world, SlSystemId id, const SlShape *shape, SlError *error)
{
    SlStatus status = sl_require_not_started(world, error);
    if (status != SL_OK)
        return status;
    SlWorldSystem *system = sl_world_resolve_system(world, id, error);
    if (system == NULL)
        return SL_ERROR_ARGUMENT;
    SlFlow *flow = &system->flow;
    if (flow->drain_count == SL_MAX_DRAINS)
        return sl_error_set(error, SL_ERROR_ARGUMENT, "at most %d drains fit in a system",
                            SL_MAX_DRAINS);
    status = sl_world_take_drain(shape, "drain", &flow->drains[flow->drain_count], error);
    flow->drain_count += status == SL_OK;
    return status;
}

/* --- The public calls: each keeps its error in the world --- */

SlStatus sl_system_add_fluid(SlWorld *world, SlSystemId id, const SlFluidDef *def, uint32_t *fluid,
                             SlError *error)
{
    SL_SETUP_CALL(world, error, add_fluid(world, id, def, fluid, &found));
}

SlStatus sl_system_add_block(SlWorld *world, SlSystemId id, const SlBlock *block, SlError *error)
{
    SL_SETUP_CALL(world, error, add_block(world, id, block, &found));
}

SlStatus sl_system_add_emitter(SlWorld *world, SlSystemId id, const SlEmitterDef *def,
                               SlEmitterId *emitter, SlError *error)
{
    if (emitter != NULL)
        *emitter = (SlEmitterId){0, 0, 0};
    SL_SETUP_CALL(world, error, add_emitter(world, id, def, emitter, &found));
}

SlStatus sl_emitter_set(SlWorld *world, SlEmitterId id, const SlEmitterDef *def, SlError *error)
{
    SL_SETUP_CALL(world, error, set_emitter(world, id, def, &found));
}

SlStatus sl_emitter_remove(SlWorld *world, SlEmitterId id, SlError *error)
{
    SL_SETUP_CALL(world, error, remove_emitter(world, id, &found));
}

SlStatus sl_system_add_drain(SlWorld *world, SlSystemId id, const SlShape *shape, SlError *error)
{
    SL_SETUP_CALL(world, error, add_drain(world, id, shape, &found));
}
