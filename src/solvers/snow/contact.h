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

/* The part of a relative velocity that a contact constrains: none, that along the normal, or all. */
typedef enum SlSnowContactKind { SL_CONTACT_NONE, SL_CONTACT_NORMAL, SL_CONTACT_ALL } SlSnowContactKind;

typedef struct SlSnowContact {
    SlSnowContactKind kind;
    SlVec3 normal;
    uint32_t body;
} SlSnowContact;

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
/* A node at x: its velocity after collision. The momentum it lost is added to the sums
   ([body][SL_SNOW_FORCE_LANES], NULL: none). */
SlSnowContact sl_snow_meet_node(const SlSnowContacts *c, const SlSnowNear *near, SlVec3 x, float mass,
                             SlVec3 *v, double *sums);
/* A particle that moves from x to x + move: where it would end inside a body, velocity and
   displacement collide, and the rest of the displacement inside is removed. */
void sl_snow_meet_particle(const SlSnowContacts *c, const SlSnowNear *near, SlVec3 x, float mass,
                           SlVec3 *v, SlVec3 *move, double *sums);

/* No surface is faster in this step, m/s. */
double sl_snow_fastest_surface(const SlBodies *bodies);

#endif
