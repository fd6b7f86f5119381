/* Queries of one body: see bodies/body.h. */
#include "bodies/body.h"

#include <math.h>

SlSurface sl_body_query_wall(const SlBody *domain, uint32_t wall, SlVec3 point)
{
    const float *low = &domain->bounds.min.x, *high = &domain->bounds.max.x, *at = &point.x;
    uint32_t axis = wall >> 1;
    bool upper = (wall & 1) != 0;
    SlSurface s = {.distance = upper ? high[axis] - at[axis] : at[axis] - low[axis]};
    (&s.normal.x)[axis] = upper ? -1.0f : 1.0f;
    return s;
}

static SlSurface query_domain(const SlBody *body, SlVec3 point)
{
    SlSurface nearest = {.distance = INFINITY, .normal = {0, 1, 0}};
    for (uint32_t wall = 0; wall < SL_DOMAIN_WALLS; wall++) {
        SlSurface s = sl_body_query_wall(body, wall, point);
        nearest = s.distance < nearest.distance ? s : nearest;
    }
    return nearest;
}

static SlSurface query_field(const SlBody *body, SlVec3 point, float reach)
{
    SlSurface s = {.distance = INFINITY, .normal = {0, 1, 0}};
    if (body->field == NULL && body->deform == NULL)
        return s;
    SlVec3 g, drift = {0, 0, 0}, local = sl_frame_local(&body->frame, point);
    s.distance = body->deform != NULL ? sl_deform_distance(body->deform, local, reach, &g, &drift)
                                      : sl_sdf_distance_within(body->field, local, reach, &g);
    s.normal = sl_unit(sl_frame_direction(&body->frame, g));
    s.drift = sl_frame_direction(&body->frame, drift);
    return s;
}

static SlSurface query_shape(const SlBody *body, SlVec3 point, float reach)
{
    SlSurface s = {.distance = 0};
    s.distance = body->type->distance(&body->shape, point, reach, &s.normal);
    return s;
}

SlSurface sl_body_query(const SlBody *body, SlVec3 point, float reach)
{
    switch (body->kind) {
    case SL_BODY_NONE: break;
    case SL_BODY_DOMAIN: return query_domain(body, point);
    case SL_BODY_FIELD: return query_field(body, point, reach);
    case SL_BODY_SHAPE: return query_shape(body, point, reach);
    }
    return (SlSurface){.distance = INFINITY, .normal = {0, 1, 0}};
}

SlVec3 sl_body_corner(const SlBody *body, int k)
{
    const SlBox *box = &body->bounds;
    SlVec3 corner = sl_vec3((k & 1) != 0 ? box->max.x : box->min.x,
                            (k & 2) != 0 ? box->max.y : box->min.y,
                            (k & 4) != 0 ? box->max.z : box->min.z);
    return body->kind == SL_BODY_FIELD ? sl_frame_point(&body->frame, corner) : corner;
}

double sl_body_max_speed(const SlBody *body)
{
    const SlBodyMotion *m = &body->motion;
    if (body->kind != SL_BODY_SHAPE && body->kind != SL_BODY_FIELD)
        return 0;
    double form = body->deform != NULL && body->deform->moving
                      ? (double)body->deform->longest * body->deform->rate
                      : 0;
    double speed = (double)sl_length(m->velocity), spin = (double)sl_length(m->spin), most = 0;
    for (int k = 0; k < 8; k++) { /* the farthest corner from the pivot is the fastest */
        double arm = (double)sl_length(sl_sub(sl_body_corner(body, k), m->pivot));
        double here = spin > 0 && isfinite(arm) ? speed + spin * arm : speed;
        most = fmax(most, form + here);
    }
    return most;
}
