#include "solvers/snow/contact.h"

#include <math.h>

#include "geometry/shape.h"

/* A body's surface seen from a point. */
typedef struct Surface {
    float distance;
    SlVec3 normal;
    float friction;
    bool sticky;
    const SlBodyMotion *motion; /* NULL: it rests */
    SlVec3 drift;               /* m/s: of a deforming surface, beside the body's motion */
} Surface;

static Surface wall_surface(const SlSurroundings *around, uint32_t wall, SlVec3 x)
{
    const SlBox *box = &around->domain;
    const float *low = &box->min.x, *high = &box->max.x, *at = &x.x;
    uint32_t axis = wall >> 1;
    bool upper = (wall & 1) != 0;
    Surface s = {.friction = around->domain_friction, .sticky = around->domain_sticky};
    s.distance = upper ? high[axis] - at[axis] : at[axis] - low[axis];
    (&s.normal.x)[axis] = upper ? -1.0f : 1.0f;
    return s;
}

static SlVec3 turned(const SlVec3 sides[3], SlVec3 v)
{
    return sl_add(sl_scale(sides[0], v.x), sl_add(sl_scale(sides[1], v.y), sl_scale(sides[2], v.z)));
}

static Surface field_surface(const SlFieldBody *body, SlVec3 x, float reach)
{
    Surface s = {.distance = INFINITY,
                 .friction = body->friction,
                 .sticky = body->sticky,
                 .motion = &body->motion};
    if (body->field == NULL)
        return s;
    SlVec3 away = sl_sub(x, body->origin), g, drift = {0, 0, 0};
    const SlVec3 *a = body->sides;
    SlVec3 local = {sl_dot(away, a[0]), sl_dot(away, a[1]), sl_dot(away, a[2])};
    s.distance = body->deform != NULL ? sl_deform_distance(body->deform, local, reach, &g, &drift)
                                      : sl_sdf_distance_within(body->field, local, reach, &g);
    s.normal = sl_unit(turned(a, g));
    s.drift = turned(a, drift);
    return s;
}

/* Exact where the distance is at most `reach`. */
static Surface surface_at(const SlSnowContacts *c, uint32_t surface, SlVec3 x, float reach)
{
    const SlSurroundings *around = c->around;
    if (surface < SL_SNOW_WALLS)
        return wall_surface(around, surface, x);
    size_t k = surface - SL_SNOW_WALLS;
    if (k >= around->shape_count)
        return field_surface(&around->fields[k - around->shape_count], x, reach);
    Surface s = {.friction = around->shapes[k].friction,
                 .sticky = around->shapes[k].sticky,
                 .motion = around->motions != NULL ? &around->motions[k] : NULL};
    s.distance = sl_shape_distance(&around->shapes[k], x, &s.normal);
    return s;
}

void sl_snow_find_near(const SlSnowContacts *c, SlVec3 center, float half, SlSnowNear *near)
{
    static const float corner = 1.7320509f; /* of a cube; a wall meets its faces first */
    size_t surfaces = SL_SNOW_WALLS + c->around->shape_count + c->around->field_count;
    near->count = 0;
    for (uint32_t k = 0; k < surfaces; k++) {
        float reach = k < SL_SNOW_WALLS ? half : corner * half;
        if (surface_at(c, k, center, reach).distance <= reach)
            near->surfaces[near->count++] = (uint16_t)k;
    }
}

static SlVec3 velocity_of(const Surface *s, SlVec3 x)
{
    const SlBodyMotion *m = s->motion;
    if (m == NULL)
        return s->drift;
    return sl_add(s->drift, sl_add(m->velocity, sl_cross(m->spin, sl_sub(x, m->pivot))));
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

void sl_snow_add_impulse(const SlSnowContacts *c, uint32_t body, SlVec3 x, SlVec3 impulse,
                         double *sums)
{
    SlVec3 rotation = sl_cross(sl_sub(x, c->centers[body]), impulse);
    double *own = sums + (size_t)SL_SNOW_FORCE_LANES * body;
    for (int k = 0; k < 3; k++) {
        own[k] += (double)(&impulse.x)[k];
        own[3 + k] += (double)(&rotation.x)[k];
    }
}

SlSnowHold sl_snow_meet_node(const SlSnowContacts *c, const SlSnowNear *near, SlVec3 x, float mass,
                             SlVec3 *v, double *sums)
{
    SlSnowHold hold = {.held = SL_HELD_FREE};
    for (uint32_t k = 0; k < near->count; k++) {
        Surface s = surface_at(c, near->surfaces[k], x, 0);
        if (s.distance > 0)
            continue;
        SlVec3 before = *v;
        SlSnowHeld now = collide(&s, velocity_of(&s, x), v);
        if (now == SL_HELD_FREE)
            continue;
        /* Two bodies with normals of their own leave a line or a point: hold all. */
        hold.held = hold.held == SL_HELD_FREE ? now : SL_HELD_ALL;
        hold.normal = s.normal;
        hold.body = sl_snow_body_of(near->surfaces[k]);
        if (sums != NULL)
            sl_snow_add_impulse(c, hold.body, x, sl_scale(sl_sub(before, *v), mass), sums);
    }
    return hold;
}

void sl_snow_meet_particle(const SlSnowContacts *c, const SlSnowNear *near, SlVec3 x, float mass,
                           SlVec3 *v, SlVec3 *move, double *sums)
{
    for (uint32_t k = 0; k < near->count; k++) {
        SlVec3 end = sl_add(x, *move), before = *v;
        Surface s = surface_at(c, near->surfaces[k], end, 0);
        if (s.distance > 0)
            continue;
        SlVec3 body_velocity = velocity_of(&s, x);
        SlVec3 going = sl_scale(*move, 1 / c->dt);
        collide(&s, body_velocity, v);
        collide(&s, body_velocity, &going);
        going = sl_scale(going, c->dt);
        float left = s.distance + sl_dot(sl_sub(going, *move), s.normal);
        *move = left < 0 ? sl_sub(going, sl_scale(s.normal, left)) : going;
        if (sums != NULL)
            sl_snow_add_impulse(c, sl_snow_body_of(near->surfaces[k]), x,
                                sl_scale(sl_sub(before, *v), mass), sums);
    }
}

/* The farthest corner from the pivot turns fastest. */
static double fastest_point(const SlBodyMotion *m, SlVec3 corner)
{
    double speed = (double)sl_length(m->velocity), spin = (double)sl_length(m->spin);
    double arm = (double)sl_length(sl_sub(corner, m->pivot));
    return spin > 0 && isfinite(arm) ? speed + spin * arm : speed;
}

static SlVec3 corner_of(const SlBox *box, int k)
{
    return sl_vec3((k & 1) != 0 ? box->max.x : box->min.x, (k & 2) != 0 ? box->max.y : box->min.y,
                   (k & 4) != 0 ? box->max.z : box->min.z);
}

double sl_snow_fastest_surface(const SlSurroundings *around)
{
    double most = 0;
    for (size_t b = 0; around->motions != NULL && b < around->shape_count; b++)
        for (int k = 0; k < 8; k++)
            most = fmax(most, fastest_point(&around->motions[b], corner_of(&around->bounds[b], k)));
    for (size_t b = 0; b < around->field_count; b++) {
        const SlFieldBody *body = &around->fields[b];
        double form = body->deform != NULL && body->deform->moving
                          ? (double)body->deform->longest * body->deform->rate
                          : 0;
        for (int k = 0; k < 8; k++) {
            SlVec3 corner = sl_add(body->origin, turned(body->sides, corner_of(&body->bounds, k)));
            most = fmax(most, form + fastest_point(&body->motion, corner));
        }
    }
    return most;
}
