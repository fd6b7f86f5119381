/* Collisions of snow with bodies [Stomakhin 2013, section 8]: inelastic, with Coulomb friction; at a
   sticky body snow takes the body's velocity. Surfaces are numbered: the six walls of the domain,
   then the other bodies. */
#ifndef SOLVERS_SNOW_CONTACT_H
#define SOLVERS_SNOW_CONTACT_H

#include "solvers/solver.h"

enum { SL_SNOW_WALLS = SL_DOMAIN_WALLS, SL_SNOW_MAX_NEAR = SL_SNOW_WALLS + SL_MAX_BODIES };

/* Sums of one body: impulse (N s) and angular impulse (N m s) about its centre. Bodies are numbered
   as in SlBodies. */
enum { SL_SNOW_FORCE_LANES = 6 };

typedef struct SlSnowContacts {
    const SlSurroundings *around;
    const SlVec3 *centers; /* m, per body; NULL: forces are not wanted */
    float dt;              /* s */
} SlSnowContacts;

/* The surfaces that anything in a cube can touch: found once for a block. */
typedef struct SlSnowNear {
    uint32_t count;
    uint16_t surfaces[SL_SNOW_MAX_NEAR];
} SlSnowNear;

/* What a collision took from a velocity: nothing, its part along a normal, or all. */
typedef enum SlSnowHeld { SL_HELD_FREE, SL_HELD_NORMAL, SL_HELD_ALL } SlSnowHeld;

typedef struct SlSnowHold {
    SlSnowHeld held;
    SlVec3 normal;
    uint32_t body; /* that holds it */
} SlSnowHold;

/* The body that a surface belongs to. */
static inline uint32_t sl_snow_body_of(uint32_t surface)
{
    return surface < SL_SNOW_WALLS ? 0 : surface - SL_SNOW_WALLS + 1;
}

/* Adds an impulse at x to a body's sums. */
void sl_snow_add_impulse(const SlSnowContacts *c, uint32_t body, SlVec3 x, SlVec3 impulse,
                         double *sums);

/* Of the cube with half its edge around a point. */
void sl_snow_find_near(const SlSnowContacts *c, SlVec3 center, float half, SlSnowNear *near);
/* A node at x: its velocity after collision. What that took from its momentum goes into the sums
   ([body][SL_SNOW_FORCE_LANES], NULL: nowhere). */
SlSnowHold sl_snow_meet_node(const SlSnowContacts *c, const SlSnowNear *near, SlVec3 x, float mass,
                             SlVec3 *v, double *sums);
/* A particle that goes from x to x + move: where that ends inside a body, its velocity and its way
   collide, and what is left of the way inside is pushed out. */
void sl_snow_meet_particle(const SlSnowContacts *c, const SlSnowNear *near, SlVec3 x, float mass,
                           SlVec3 *v, SlVec3 *move, double *sums);

/* No surface is faster in this step, m/s. */
double sl_snow_fastest_surface(const SlBodies *bodies);

#endif
