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
    for (uint32_t k = 0; k < surfaces; k++) {
        float reach = k < SL_SNOW_WALLS ? half : corner * half;
        if (surface_at(c, k, center, reach).distance <= reach)
            near->surfaces[near->count++] = (uint16_t)k;
    }
}

/* [Stomakhin 2013, section 8], in the body's frame. */
static SlSnowContactKind collide(const SlBody *body, const SlSurface *s, SlVec3 body_velocity, SlVec3 *v)
{
    SlVec3 relative = sl_sub(*v, body_velocity);
    if (body->sticky) {
        *v = body_velocity;
        return SL_CONTACT_ALL;
    }
    float along = sl_dot(relative, s->normal);
    if (along >= 0)
        return SL_CONTACT_NONE;
    SlVec3 tangent = sl_sub(relative, sl_scale(s->normal, along));
    float slip = sl_length(tangent);
    if (slip <= -body->friction * along) {
        *v = body_velocity;
        return body->friction > 0 ? SL_CONTACT_ALL : SL_CONTACT_NORMAL;
    }
    *v = sl_add(body_velocity, sl_scale(tangent, 1 + body->friction * along / slip));
    return SL_CONTACT_NORMAL;
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

SlSnowContact sl_snow_meet_node(const SlSnowContacts *c, const SlSnowNear *near, SlVec3 x, float mass,
                             SlVec3 *v, double *sums)
{
    SlSnowContact contact = {.kind = SL_CONTACT_NONE};
    for (uint32_t k = 0; k < near->count; k++) {
        const SlBody *body = body_at(c, near->surfaces[k]);
        SlSurface s = surface_at(c, near->surfaces[k], x, 0);
        if (s.distance > 0)
            continue;
        SlVec3 before = *v;
        SlSnowContactKind now = collide(body, &s, sl_body_velocity(body, &s, x), v);
        if (now == SL_CONTACT_NONE)
            continue;
        /* Two normals leave a line or a point free: all is constrained. */
        contact.kind = contact.kind == SL_CONTACT_NONE ? now : SL_CONTACT_ALL;
        contact.normal = s.normal;
        contact.body = sl_snow_body_of(near->surfaces[k]);
        if (sums != NULL)
            sl_snow_add_impulse(c, contact.body, x, sl_scale(sl_sub(before, *v), mass), sums);
    }
    return contact;
}

void sl_snow_meet_particle(const SlSnowContacts *c, const SlSnowNear *near, SlVec3 x, float mass,
                           SlVec3 *v, SlVec3 *move, double *sums)
{
    for (uint32_t k = 0; k < near->count; k++) {
        SlVec3 end = sl_add(x, *move), before = *v;
        const SlBody *body = body_at(c, near->surfaces[k]);
        SlSurface s = surface_at(c, near->surfaces[k], end, 0);
        if (s.distance > 0)
            continue;
        SlVec3 body_velocity = sl_body_velocity(body, &s, x);
        SlVec3 going = sl_scale(*move, 1 / c->dt);
        collide(body, &s, body_velocity, v);
        collide(body, &s, body_velocity, &going);
        going = sl_scale(going, c->dt);
        float left = s.distance + sl_dot(sl_sub(going, *move), s.normal);
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
