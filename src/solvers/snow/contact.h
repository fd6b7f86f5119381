/* Collisions of snow with bodies [Stomakhin 2013, section 8]: inelastic, with Coulomb friction; at a
   sticky body snow takes the body's velocity. Surfaces are numbered: the six walls of the domain,
   then the other bodies.

   The paper collides every node inside a body. A particle feels such a node through its kernel from
   afar: it stops 0.6 to 1.2 cells above the surface, depending on where the surface lies between
   nodes. So by default a node collides where a particle of its kernel touches the surface, which is
   at half a spacing: nodes up to one cell above the surface may approach it by the gap g of the
   nearest particle, v_n >= -g / dt. A gap is closed exactly and never crossed; contacts that are made
   only after the particle has come too close make stiff blocks hop, and need adhesion to rest. */
#ifndef SOLVERS_SNOW_CONTACT_H
#define SOLVERS_SNOW_CONTACT_H

#include "solvers/solver.h"

enum { SL_SNOW_WALLS = SL_DOMAIN_WALLS, SL_SNOW_MAX_NEAR = SL_SNOW_WALLS + SL_MAX_BODIES };
/* Surfaces near a block of nodes whose nearest particles are known (SL_NEAREST). Beyond
   these, nodes collide as printed. */
enum { SL_SNOW_SLOTS = 4 };

/* Sums of one body: impulse (N s) and angular impulse (N m s) about its centre. Bodies are numbered
   as in SlBodies. */
enum { SL_SNOW_FORCE_LANES = 6 };

typedef struct SlSnowContacts {
    const SlSurroundings *around;
    const SlVec3 *centers; /* m, per body; NULL: forces are not wanted */
    float dt;              /* s */
    bool printed;          /* nodes inside a body collide, and particles inside it */
    float touch;           /* m: a particle this far from a surface touches it; 0 if printed */
    float node_reach;      /* m: nodes up to this far from a surface collide; 0 if printed */
    float margin;          /* m: particles up to touch + margin away may touch in this step */
    float field_error;     /* m: a distance to a field may be too large by this */
    float hold;            /* m: adhesive and sticky contacts break when the gap exceeds this */
    float adhesion;        /* m/s: velocity away from a surface that adhesion stops in a step */
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

/* A node: position, mass and, for the first SL_SNOW_SLOTS surfaces, the distance (m) of the nearest
   particle in reach of the node; not used if printed. */
typedef struct SlSnowNode {
    SlVec3 x;
    float mass;
    float nearest[SL_SNOW_SLOTS];
} SlSnowNode;

/* The body that a surface belongs to. */
static inline uint32_t sl_snow_body_of(uint32_t surface)
{
    return surface < SL_SNOW_WALLS ? 0 : surface - SL_SNOW_WALLS + 1;
}

/* Where a wall of the domain is, m along the axis wall / 2: a lower one if `wall` is even. */
static inline float sl_snow_wall(const SlSnowContacts *c, uint32_t wall)
{
    const SlBox *domain = &c->around->bodies->body[0].bounds;
    return ((wall & 1) != 0 ? &domain->max.x : &domain->min.x)[wall >> 1];
}

/* Adds an impulse at x to a body's sums. */
void sl_snow_add_impulse(const SlSnowContacts *c, uint32_t body, SlVec3 x, SlVec3 impulse,
                         double *sums);

/* Of the cube with half its edge around a point. */
void sl_snow_find_near(const SlSnowContacts *c, SlVec3 center, float half, SlSnowNear *near);
/* Distance from x to a surface, m; exact where it is at most `reach`. */
float sl_snow_distance(const SlSnowContacts *c, uint32_t surface, SlVec3 x, float reach);
/* A node's velocity after collision. The momentum it lost is added to the sums
   ([body][SL_SNOW_FORCE_LANES], NULL: none). */
SlSnowContact sl_snow_meet_node(const SlSnowContacts *c, const SlSnowNear *near,
                                const SlSnowNode *node, SlVec3 *v, double *sums);
/* A particle that moves from x to x + move: where it would end inside a body, velocity and
   displacement collide, and the rest of the displacement inside is removed. It does not come closer
   than `touch`. Printed: where it is inside at x, velocity and displacement collide. */
void sl_snow_meet_particle(const SlSnowContacts *c, const SlSnowNear *near, SlVec3 x, float mass,
                           SlVec3 *v, SlVec3 *move, double *sums);

/* No surface is faster in this step, m/s. */
double sl_snow_fastest_surface(const SlBodies *bodies);

#endif
