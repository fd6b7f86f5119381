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

SlSystemId sl_system_id(const SlWorld *world, const SlSystem *system)
{
    return (SlSystemId){system->index + 1, world->number, FIRST_GENERATION};
}

SlWorldSystem *sl_world_resolve_system(const SlWorld *world, SlSystemId id, SlError *error)
{
    if (id.index1 >= 1 && id.index1 <= world->system_count && id.world == world->number &&
        id.generation == FIRST_GENERATION)
        return world->systems[id.index1 - 1];
    sl_error_set(error, SL_ERROR_ARGUMENT, "the handle names no system of this world%s",
                 id.index1 == 0 ? ": it is null" : "");
    return NULL;
}

uint32_t sl_world_system_count(const SlWorld *world)
{
    return world->system_count;
}

SlSystemId sl_world_system(const SlWorld *world, uint32_t index)
{
    return index < world->system_count ? sl_system_id(world, &world->systems[index]->base)
                                       : (SlSystemId){0, 0, 0};
}

SlSystemId sl_world_find_system(const SlWorld *world, const char *name)
{
    for (uint32_t k = 0; k < world->system_count; k++)
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

SlColliderId sl_collider_id(const SlWorld *world, uint32_t slot)
{
    return (SlColliderId){slot + 1, world->number, world->colliders.generations[slot]};
}

SlStatus sl_world_resolve_collider(const SlWorld *world, SlColliderId id, uint32_t *slot,
                                   SlError *error)
{
    const SlColliders *colliders = &world->colliders;
    *slot = id.index1 - 1;
    if (id.index1 >= 1 && id.index1 <= SL_MAX_COLLIDERS && id.world == world->number &&
        colliders->items[*slot] != NULL && colliders->generations[*slot] == id.generation)
        return SL_OK;
    return sl_error_set(error, SL_ERROR_ARGUMENT, "the handle names no collider of this world%s",
                        id.index1 == 0 ? ": it is null" : "");
}
