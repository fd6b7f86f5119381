#include "solvers/snow/contact.h"

#include <math.h>

static const SlBody *body_at(const SlSnowContacts *c, uint32_t surface)
{
    return &c->around->bodies->body[sl_snow_body_of(surface)];
}

/* Exact where the distance is at most `reach`. */
static SlSurface surface_at(const SlSnowContacts *c, uint32_t surface, SlVec3 x, float reach)
{
    const SlBody *body = body_at(c, surface);
    return surface < SL_SNOW_WALLS ? sl_body_query_wall(body, surface, x)
                                   : sl_body_query(body, x, reach);
}

void sl_snow_find_near(const SlSnowContacts *c, SlVec3 center, float half, SlSnowNear *near)
{
    static const float corner = 1.7320509f; /* of a cube; a wall meets its faces first */
    size_t surfaces = SL_SNOW_WALLS + c->around->bodies->count - 1;
    near->count = 0;
    for (uint32_t k = 0; k < SL_SNOW_WALLS; k++) {
        float away = (&center.x)[k >> 1] - sl_snow_wall(c, k);
        if (((k & 1) != 0 ? -away : away) <= half)
            near->surfaces[near->count++] = (uint16_t)k;
    }
    for (uint32_t k = SL_SNOW_WALLS; k < surfaces; k++)
        if (surface_at(c, k, center, corner * half).distance <= corner * half)
            near->surfaces[near->count++] = (uint16_t)k;
}

float sl_snow_distance(const SlSnowContacts *c, uint32_t surface, SlVec3 x, float reach)
{
    return surface_at(c, surface, x, reach).distance;
}

/* What a contact allows, in the frame of the surface. */
typedef struct Terms {
    float approach; /* m/s: max speed towards the surface */
    float adhesion; /* m/s: speed away from it that adhesion stops */
    bool sticks;    /* tangential motion is stopped, separation too */
} Terms;

/* Coulomb friction for a normal velocity change `press` [Stomakhin 2013, section 8]; true: the
   tangential velocity is 0 afterwards. */
static bool rub(const SlBody *body, float press, SlVec3 *tangent)
{
    float slip = sl_length(*tangent), limit = body->friction * press;
    bool stops = slip <= limit;
    *tangent = stops ? sl_vec3(0, 0, 0) : sl_scale(*tangent, 1 - limit / slip);
    return stops;
}

/* [Stomakhin 2013, section 8], in the body's frame. */
static SlSnowContactKind collide(const SlBody *body, const SlSurface *s, SlVec3 body_velocity,
                                 const Terms *terms, SlVec3 *v)
{
    SlVec3 relative = sl_sub(*v, body_velocity);
    float along = sl_dot(relative, s->normal), limit = -terms->approach;
    if (body->sticky && terms->sticks) {
        along = along < limit ? limit : along < 0 ? along : 0;
        *v = sl_add(body_velocity, sl_scale(s->normal, along));
        return SL_CONTACT_ALL;
    }
    if (along >= limit && !(terms->adhesion > 0))
        return SL_CONTACT_NONE;
    SlVec3 tangent = sl_sub(relative, sl_scale(s->normal, along));
    SlSnowContactKind kind = SL_CONTACT_NONE;
    if (along < limit || (along > 0 && along < terms->adhesion)) {
        float after = along < limit ? limit : 0;
        bool stops = rub(body, terms->adhesion + after - along, &tangent);
        along = after;
        kind = stops && body->friction > 0 ? SL_CONTACT_ALL : SL_CONTACT_NORMAL;
    } else if (along > 0) {
        along -= terms->adhesion; /* torn off */
    } else {
        rub(body, terms->adhesion, &tangent);
    }
    *v = sl_add(body_velocity, sl_add(tangent, sl_scale(s->normal, along)));
    return kind;
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

/* The terms of a node's contact with surface k of the list; false: none. The body is where it will be
   at the end of the step, so its own motion is added to the gap. */
static bool node_terms(const SlSnowContacts *c, uint32_t k, const SlSnowNode *node,
                       const SlSurface *s, float body_along, Terms *terms)
{
    if (c->printed || k >= SL_SNOW_SLOTS) {
        *terms = (Terms){.sticks = true};
        return s->distance <= 0;
    }
    float gap = node->nearest[k] - c->touch;
    if (s->distance > c->node_reach || gap > c->margin)
        return false;
    float approach = gap / c->dt + body_along;
    bool holds = gap <= c->hold;
    *terms = (Terms){approach > 0 ? approach : 0, holds ? c->adhesion : 0, holds};
    return true;
}

SlSnowContact sl_snow_meet_node(const SlSnowContacts *c, const SlSnowNear *near,
                                const SlSnowNode *node, SlVec3 *v, double *sums)
{
    SlSnowContact contact = {.kind = SL_CONTACT_NONE};
    for (uint32_t k = 0; k < near->count; k++) {
        if (!c->printed && k < SL_SNOW_SLOTS && node->nearest[k] - c->touch > c->margin)
            continue; /* no particle may touch it: this spares the query */
        const SlBody *body = body_at(c, near->surfaces[k]);
        SlSurface s = surface_at(c, near->surfaces[k], node->x, c->node_reach);
        SlVec3 body_velocity = sl_body_velocity(body, &s, node->x);
        Terms terms;
        if (!node_terms(c, k, node, &s, sl_dot(body_velocity, s.normal), &terms))
            continue;
        SlVec3 before = *v;
        SlSnowContactKind now = collide(body, &s, body_velocity, &terms, v);
        if (sums != NULL)
            sl_snow_add_impulse(c, sl_snow_body_of(near->surfaces[k]), node->x,
                                sl_scale(sl_sub(before, *v), node->mass), sums);
        if (now == SL_CONTACT_NONE)
            continue;
        /* Two normals leave a line or a point free: all is constrained. */
        contact.kind = contact.kind == SL_CONTACT_NONE ? now : SL_CONTACT_ALL;
        contact.normal = s.normal;
        contact.body = sl_snow_body_of(near->surfaces[k]);
    }
    return contact;
}

/* Ends the displacement at the distance `touch`, or where it begins if that is closer; `end` is the
   surface at its end. The velocity stays: the nodes have made the contact, and another one would
   make friction of its own. */
static void stop_at_touch(const SlSnowContacts *c, uint32_t surface, const SlSurface *end, SlVec3 x,
                          SlVec3 *move)
{
    float begin = sl_snow_distance(c, surface, x, c->touch);
    float inside = end->distance - (begin < c->touch ? begin : c->touch);
    if (inside < 0)
        *move = sl_sub(*move, sl_scale(end->normal, inside));
}

void sl_snow_meet_particle(const SlSnowContacts *c, const SlSnowNear *near, SlVec3 x, float mass,
                           SlVec3 *v, SlVec3 *move, double *sums)
{
    const Terms terms = {.sticks = true};
    for (uint32_t k = 0; k < near->count; k++) {
        SlVec3 end = c->printed ? x : sl_add(x, *move), before = *v;
        const SlBody *body = body_at(c, near->surfaces[k]);
        SlSurface s = surface_at(c, near->surfaces[k], end, c->touch);
        if (s.distance > 0) {
            if (s.distance < c->touch)
                stop_at_touch(c, near->surfaces[k], &s, x, move);
            continue;
        }
        SlVec3 body_velocity = sl_body_velocity(body, &s, x);
        SlVec3 going = sl_scale(*move, 1 / c->dt);
        collide(body, &s, body_velocity, &terms, v);
        collide(body, &s, body_velocity, &terms, &going);
        going = sl_scale(going, c->dt);
        float left = c->printed ? 0 : s.distance + sl_dot(sl_sub(going, *move), s.normal);
        *move = left < 0 ? sl_sub(going, sl_scale(s.normal, left)) : going;
        if (sums != NULL)
            sl_snow_add_impulse(c, sl_snow_body_of(near->surfaces[k]), x,
                                sl_scale(sl_sub(before, *v), mass), sums);
    }
}

double sl_snow_fastest_surface(const SlBodies *bodies)
{
    double most = 0;
    for (size_t k = 1; k < bodies->count; k++)
        most = fmax(most, sl_body_max_speed(&bodies->body[k]));
    return most;
}
