/* Errors of set-up calls. The first one is kept in the world: later set-up calls do nothing and
   return it, and so does sl_world_start. A program may check every call or only that one. */
#include <stdio.h>

#include "world/world.h"

SlStatus sl_setup_status(const SlWorld *world, SlError *error)
{
    if (world == NULL)
        return SL_ERROR_ARGUMENT; /* `error` still says why sl_world_create made none */
    if (world->error.status != SL_OK && error != NULL)
        *error = world->error;
    return world->error.status;
}

SlStatus sl_setup_end(SlWorld *world, const char *call, SlStatus status, const SlError *found,
                      SlError *error)
{
    if (status == SL_OK)
        return SL_OK;
    if (error != NULL)
        *error = *found;
    if (!world->started) { /* while it runs, a refused change is no reason to stop */
        world->error.status = status;
        snprintf(world->error.text, sizeof world->error.text, "%s: %.450s", call, found->text);
    }
    return status;
}

const SlError *sl_world_error(const SlWorld *world)
{
    static const SlError no_world = {SL_ERROR_ARGUMENT, "there is no world"};
    return world != NULL ? &world->error : &no_world;
}

void sl_world_clear_error(SlWorld *world)
{
    world->error = (SlError){SL_OK, ""};
}
