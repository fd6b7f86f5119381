/* A body and the query of its surface: distance, normal and velocity at a point. The domain,
   analytic shapes, rigid meshes and deforming meshes are all bodies, in one array
   (SlBodies). Solvers read it; bodies/colliders.h fills and updates it.

   The 8-wide counterpart of the query is bodies/body_lanes.h. */
#ifndef BODIES_BODY_H
#define BODIES_BODY_H

#include "bodies/deform.h"
#include "geometry/shape.h"

enum {
    SL_BODY_NAME = 32,
    SL_MAX_COLLIDERS = 320,
    SL_MAX_BODIES = 1 + SL_MAX_COLLIDERS, /* with the domain */
    SL_DOMAIN_WALLS = 6                   /* wall 2 k is the lower, 2 k + 1 the upper one of axis k */
};

typedef enum SlBodyKind {
    SL_BODY_NONE,   /* an unused slot: a collider that was removed */
    SL_BODY_DOMAIN, /* the walls of the domain; always body 0 */
    SL_BODY_SHAPE,
    SL_BODY_FIELD /* a distance field, rigid or deforming */
} SlBodyKind;

/* Rigid motion during a step: about `pivot`, which moves with `velocity`. */
typedef struct SlBodyMotion {
    SlVec3 velocity; /* m/s */
    SlVec3 spin;     /* rad/s */
    SlVec3 pivot;    /* m, at the beginning of the step */
} SlBodyMotion;

/* A body frame: the local point l is at origin + l.x sides[0] + l.y sides[1] + l.z sides[2]. */
typedef struct SlBodyFrame {
    SlVec3 origin, sides[3];
} SlBodyFrame;

/* Geometry and pose are those at the end of the step. */
typedef struct SlBody {
    SlBodyKind kind;
    float friction; /* Coulomb */
    bool sticky;    /* snow that touches it sticks to it */
    bool moves;     /* it has a motion or a target: it may move in any step */
    bool hollow;    /* a container: solid everywhere outside the mesh */
    /* Bounds of the surface, m: of the domain and shapes in world space, of distance fields in the
       body frame, where they are queried. Infinite for a plane, empty for an unused slot. */
    SlBox bounds;
    SlBodyMotion motion;
    SlBodyFrame frame;
    SlBodyFrame start; /* frame when it was added, or at time 0 of its motion */
    SlVec3 center; /* m: the point that torques are about (SlBodyForce.center) */
    SlShape shape; /* SL_BODY_SHAPE: in world space */
    const SlShapeType *type; /* SL_BODY_SHAPE only */
    const SlSdf *field;     /* SL_BODY_FIELD, rigid; NULL until the world starts */
    const SlDeform *deform; /* SL_BODY_FIELD, deforming; NULL until the world starts */
    const SlMesh *mesh;     /* SL_BODY_FIELD, rigid: surface in the body frame; else NULL */
    SlShape start_shape; /* SL_BODY_SHAPE: in the start frame */
    char name[SL_BODY_NAME];
} SlBody;

/* The bodies of a world in one array: body 0 is the domain, the others are colliders in the order
   they were added. Boundary particles and sums of forces are per body in this order. */
typedef struct SlBodies {
    size_t count; /* unused slots included */
    /* Incremented after the start when a body is added, removed or begins to move. Data that a
       solver derived from the bodies is recomputed when this has changed. */
    uint64_t revision;
    SlBody body[SL_MAX_BODIES];
} SlBodies;

/* Result of a surface query at a point. */
typedef struct SlSurface {
    float distance; /* m, negative inside the solid */
    SlVec3 normal;  /* unit, out of the solid */
    SlVec3 drift;   /* m/s: velocity of a deforming surface relative to the rigid motion */
} SlSurface;

/* The surface of a body at a point in world space. Exact where the distance is at most `reach`;
   beyond, the distance is only known to exceed `reach` (and never exceeds the true one by more than
   a tenth of a field's cell). For the domain: its nearest wall. Infinite for an unused slot, or a
   distance field before the world's start. */
SlSurface sl_body_query(const SlBody *body, SlVec3 point, float reach);
/* One wall of the domain. */
SlSurface sl_body_query_wall(const SlBody *domain, uint32_t wall, SlVec3 point);

/* Velocity of the body's surface at x, m/s; `surface` is the result of a query at x. */
static inline SlVec3 sl_body_velocity(const SlBody *body, const SlSurface *surface, SlVec3 x)
{
    const SlBodyMotion *m = &body->motion;
    if (!body->moves)
        return surface->drift;
    return sl_add(surface->drift, sl_add(m->velocity, sl_cross(m->spin, sl_sub(x, m->pivot))));
}

/* Body frame to world space: a direction, a point. World space to body frame: a point. */
static inline SlVec3 sl_frame_direction(const SlBodyFrame *frame, SlVec3 v)
{
    const SlVec3 *a = frame->sides;
    return sl_add(sl_scale(a[0], v.x), sl_add(sl_scale(a[1], v.y), sl_scale(a[2], v.z)));
}

static inline SlVec3 sl_frame_point(const SlBodyFrame *frame, SlVec3 l)
{
    return sl_add(frame->origin, sl_frame_direction(frame, l));
}

static inline SlVec3 sl_frame_local(const SlBodyFrame *frame, SlVec3 point)
{
    SlVec3 q = sl_sub(point, frame->origin);
    const SlVec3 *a = frame->sides;
    return sl_vec3(sl_dot(q, a[0]), sl_dot(q, a[1]), sl_dot(q, a[2]));
}

/* Corner k in [0, 8) of the body's bounds, in world space. */
SlVec3 sl_body_corner(const SlBody *body, int k);
/* Upper bound of the surface's speed in this step, m/s; ignores the rotation of a plane. */
double sl_body_max_speed(const SlBody *body);

#endif
