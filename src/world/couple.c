/* Exchange between systems: the one file that may see two. Empty until water meets snow. */
#include "world/world.h"

void sl_world_couple(SlWorld *world, double dt)
{
    (void)world;
    (void)dt;
}
