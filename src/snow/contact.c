#include "snow/contact.h"

#include <math.h>

#include "geometry/shape.h"

/* A body seen from a point. */
typedef struct Surface {
    float distance;
    SlVec3 normal;
    float friction;
    bool sticky;
    const SlBodyMotion *motion; /* NULL: it rests */
} Surface;

static Surface wall_surface(const SlSnowContacts *c, uint32_t wall, SlVec3 x)
{
    const SlBox *box = &c->around->domain;
    const float *low = &box->min.x, *high = &box->max.x, *at = &x.x;
    uint32_t axis = wall >> 1;
    bool upper = (wall & 1) != 0;
    Surface s = {.friction = c->around->domain_friction, .sticky = c->sticky == SL_STICKY_ALL};
    s.distance = upper ? high[axis] - at[axis] : at[axis] - low[axis];
    (&s.normal.x)[axis] = upper ? -1.0f : 1.0f;
    return s;
}

static Surface field_surface(const SlFieldBody *body, SlVec3 x)
{
    Surface s = {.distance = INFINITY, .friction = body->friction, .motion = &body->motion};
    if (body->field == NULL)
        return s;
    SlVec3 away = sl_sub(x, body->origin), g;
    const SlVec3 *a = body->sides;
    SlVec3 local = {sl_dot(away, a[0]), sl_dot(away, a[1]), sl_dot(away, a[2])};
    s.distance = sl_sdf_distance(body->field, local, &g);
    s.normal = sl_unit(sl_add(sl_scale(a[0], g.x), sl_add(sl_scale(a[1], g.y),
                                                          sl_scale(a[2], g.z))));
    return s;
}

static Surface surface_of(const SlSnowContacts *c, uint32_t body, SlVec3 x)
{
    const SlSurroundings *around = c->around;
    if (body < SL_SNOW_WALLS)
        return wall_surface(c, body, x);
    size_t k = body - SL_SNOW_WALLS;
    Surface s = {0};
    if (k < around->shape_count) {
        s.distance = sl_shape_distance(&around->shapes[k], x, &s.normal);
        s.friction = around->shapes[k].friction;
        s.motion = around->motions != NULL ? &around->motions[k] : NULL;
    } else {
        s = field_surface(&around->fields[k - around->shape_count], x);
    }
    s.sticky = c->sticky != SL_STICKY_NONE;
    return s;
}

void sl_snow_find_near(const SlSnowContacts *c, SlVec3 center, float half, SlSnowNear *near)
{
    static const float corner = 1.7320509f; /* of a cube; a wall meets its faces first */
    size_t bodies = SL_SNOW_WALLS + c->around->shape_count + c->around->field_count;
    near->count = 0;
    for (uint32_t k = 0; k < bodies; k++)
        if (surface_of(c, k, center).distance <= (k < SL_SNOW_WALLS ? half : corner * half))
            near->bodies[near->count++] = (uint16_t)k;
}

static SlVec3 velocity_of(const SlBodyMotion *motion, SlVec3 x)
{
    if (motion == NULL)
        return sl_vec3(0, 0, 0);
    return sl_add(motion->velocity, sl_cross(motion->spin, sl_sub(x, motion->pivot)));
}

/* §8, in the body's frame. */
static SlSnowHeld collide(const Surface *s, SlVec3 body_velocity, SlVec3 *v)
{
    SlVec3 relative = sl_sub(*v, body_velocity);
    if (s->sticky) {
        *v = body_velocity;
        return SL_HELD_ALL;
    }
    float along = sl_dot(relative, s->normal);
    if (along >= 0)
        return SL_HELD_FREE;
    SlVec3 tangent = sl_sub(relative, sl_scale(s->normal, along));
    float slip = sl_length(tangent);
    if (slip <= -s->friction * along) {
        *v = body_velocity;
        return s->friction > 0 ? SL_HELD_ALL : SL_HELD_NORMAL;
    }
    *v = sl_add(body_velocity, sl_scale(tangent, 1 + s->friction * along / slip));
    return SL_HELD_NORMAL;
}

SlSnowHeld sl_snow_meet_node(const SlSnowContacts *c, const SlSnowNear *near, SlVec3 x, SlVec3 *v,
                             SlVec3 *normal)
{
    SlSnowHeld held = SL_HELD_FREE;
    for (uint32_t k = 0; k < near->count; k++) {
        Surface s = surface_of(c, near->bodies[k], x);
        if (s.distance > 0)
            continue;
        SlSnowHeld now = collide(&s, velocity_of(s.motion, x), v);
        if (now == SL_HELD_FREE)
            continue;
        /* Two bodies with normals of their own leave a line or a point: hold all. */
        held = held == SL_HELD_FREE ? now : SL_HELD_ALL;
        *normal = s.normal;
    }
    return held;
}

void sl_snow_meet_particle(const SlSnowContacts *c, const SlSnowNear *near, SlVec3 x, SlVec3 *v,
                           SlVec3 *move)
{
    for (uint32_t k = 0; k < near->count; k++) {
        SlVec3 end = sl_add(x, *move);
        Surface s = surface_of(c, near->bodies[k], end);
        if (s.distance > 0)
            continue;
        SlVec3 body_velocity = velocity_of(s.motion, x);
        SlVec3 going = sl_scale(*move, 1 / c->dt);
        collide(&s, body_velocity, v);
        collide(&s, body_velocity, &going);
        going = sl_scale(going, c->dt);
        float left = s.distance + sl_dot(sl_sub(going, *move), s.normal);
        *move = left < 0 ? sl_sub(going, sl_scale(s.normal, left)) : going;
    }
}
