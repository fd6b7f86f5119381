/* Collisions of snow with its surroundings (document 001 §8): velocities change, inelastically, by
   Coulomb friction; where bodies are sticky, nothing moves against them. Bodies count: six walls of
   the domain, then shapes, then fields. */
#ifndef SNOW_CONTACT_H
#define SNOW_CONTACT_H

#include "particles/system.h"

typedef enum SlSnowSticky { SL_STICKY_NONE, SL_STICKY_BODIES, SL_STICKY_ALL } SlSnowSticky;

enum { SL_SNOW_WALLS = 6, SL_SNOW_MOST_NEAR = SL_SNOW_WALLS + SL_MOST_BODIES };

typedef struct SlSnowContacts {
    const SlSurroundings *around;
    SlSnowSticky sticky;
    float dt; /* s */
} SlSnowContacts;

/* The bodies that anything in a cube can touch: found once for a block. */
typedef struct SlSnowNear {
    uint32_t count;
    uint16_t bodies[SL_SNOW_MOST_NEAR];
} SlSnowNear;

/* What a collision took from a velocity: nothing, its part along a normal, or all. */
typedef enum SlSnowHeld { SL_HELD_FREE, SL_HELD_NORMAL, SL_HELD_ALL } SlSnowHeld;

/* Of the cube with half its edge around a point. */
void sl_snow_find_near(const SlSnowContacts *c, SlVec3 center, float half, SlSnowNear *near);
/* A node at x: its velocity after collision. The normal is that of the body that holds it. */
SlSnowHeld sl_snow_meet_node(const SlSnowContacts *c, const SlSnowNear *near, SlVec3 x, SlVec3 *v,
                             SlVec3 *normal);
/* A particle that goes from x to x + move: where that ends inside a body, its velocity and its way
   collide, and what is left of the way inside is pushed out. */
void sl_snow_meet_particle(const SlSnowContacts *c, const SlSnowNear *near, SlVec3 x, SlVec3 *v,
                           SlVec3 *move);

#endif
