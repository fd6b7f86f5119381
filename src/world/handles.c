/* Handles: index + 1, the world's number and a generation that changes when a slot is used again. */
#include <string.h>

#include "core/hash.h"
#include "core/timer.h"
#include "world/world.h"

enum { FIRST_GENERATION = 1 };

/* There is no process-wide counter, so the number is a hash of place and time: two worlds have the
   same one by chance of 1 in 65535. */
uint16_t sl_world_number(const SlWorld *world)
{
    uint64_t seeds[2] = {(uint64_t)(uintptr_t)world, (uint64_t)(sl_seconds() * 1e9)};
    return (uint16_t)(sl_hash(seeds, sizeof seeds, 0) % UINT16_MAX + 1);
}

const char *sl_handle_reason(const SlWorld *world, uint32_t index1, uint16_t number, bool removed)
{
    if (index1 == 0)
        return ": it is null";
    if (number != world->number)
        return ": it is of another world";
    return removed ? ": it was removed" : "";
}

SlSystemId sl_system_id(const SlWorld *world, const SlSystem *system)
{
    return (SlSystemId){system->index + 1, world->number, FIRST_GENERATION};
}

SlWorldSystem *sl_world_resolve_system(const SlWorld *world, SlSystemId id, SlError *error)
{
    if (world == NULL)
        return NULL; /* `error` still says why sl_world_create made none */
    if (id.index1 >= 1 && id.index1 <= world->system_count && id.world == world->number &&
        id.generation == FIRST_GENERATION)
        return world->systems[id.index1 - 1];
    sl_error_set(error, SL_ERROR_ARGUMENT, "the handle names no system of this world%s",
                 sl_handle_reason(world, id.index1, id.world, false));
    return NULL;
}

uint32_t sl_world_system_count(const SlWorld *world)
{
    return world != NULL ? world->system_count : 0;
}

SlSystemId sl_world_system(const SlWorld *world, uint32_t index)
{
    return index < sl_world_system_count(world) ? sl_system_id(world, &world->systems[index]->base)
                                                : (SlSystemId){0, 0, 0};
}

SlSystemId sl_world_find_system(const SlWorld *world, const char *name)
{
    for (uint32_t k = 0; name != NULL && k < sl_world_system_count(world); k++)
        if (strcmp(world->systems[k]->base.name, name) == 0)
            return sl_world_system(world, k);
    return (SlSystemId){0, 0, 0};
}

const char *sl_system_name(const SlWorld *world, SlSystemId id)
{
    const SlWorldSystem *system = sl_world_resolve_system(world, id, NULL);
    return system != NULL ? system->base.name : NULL;
}

uint32_t sl_system_index(const SlWorld *world, SlSystemId id)
{
    const SlWorldSystem *system = sl_world_resolve_system(world, id, NULL);
    return system != NULL ? system->base.index : UINT32_MAX;
}

size_t sl_system_particle_count(const SlWorld *world, SlSystemId id)
{
    const SlWorldSystem *system = sl_world_resolve_system(world, id, NULL);
    return system != NULL ? system->base.particles.count : 0;
}

SlColliderId sl_collider_id(const SlWorld *world, uint32_t slot)
{
    return (SlColliderId){slot + 1, world->number, world->colliders.generations[slot]};
}

SlStatus sl_world_resolve_collider(const SlWorld *world, SlColliderId id, uint32_t *slot,
                                   SlError *error)
{
    if (world == NULL)
        return SL_ERROR_ARGUMENT;
    const SlColliders *colliders = &world->colliders;
    *slot = id.index1 - 1;
    bool in_range = id.index1 >= 1 && id.index1 <= SL_MAX_COLLIDERS;
    if (in_range && id.world == world->number && colliders->items[*slot] != NULL &&
        colliders->generations[*slot] == id.generation)
        return SL_OK;
    bool removed = in_range && colliders->generations[*slot] != 0;
    return sl_error_set(error, SL_ERROR_ARGUMENT, "the handle names no collider of this world%s",
                        sl_handle_reason(world, id.index1, id.world, removed));
}
