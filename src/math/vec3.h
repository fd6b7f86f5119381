/* Small vectors, inline. */
#ifndef MATH_VEC3_H
#define MATH_VEC3_H

#include <math.h>

#include "sleet/base.h"

static inline SlVec3 sl_vec3(float x, float y, float z)
{
    return (SlVec3){x, y, z};
}

static inline SlVec3 sl_add(SlVec3 a, SlVec3 b)
{
    return (SlVec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline SlVec3 sl_sub(SlVec3 a, SlVec3 b)
{
    return (SlVec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline SlVec3 sl_scale(SlVec3 a, float s)
{
    return (SlVec3){a.x * s, a.y * s, a.z * s};
}

static inline float sl_dot(SlVec3 a, SlVec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline SlVec3 sl_cross(SlVec3 a, SlVec3 b)
{
    return (SlVec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline float sl_length(SlVec3 a)
{
    return sqrtf(sl_dot(a, a));
}

/* (0, 1, 0) for the zero vector: a direction is always a direction. */
static inline SlVec3 sl_unit(SlVec3 a)
{
    float length = sl_length(a);
    return length > 0 ? sl_scale(a, 1.0f / length) : sl_vec3(0, 1, 0);
}

static inline bool sl_finite(SlVec3 a)
{
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

/* Signed distance of a point from a box, negative inside. */
static inline float sl_box_distance(SlBox box, SlVec3 p)
{
    SlVec3 q = {fmaxf(box.min.x - p.x, p.x - box.max.x), fmaxf(box.min.y - p.y, p.y - box.max.y),
                fmaxf(box.min.z - p.z, p.z - box.max.z)};
    SlVec3 out = {fmaxf(q.x, 0), fmaxf(q.y, 0), fmaxf(q.z, 0)};
    return sl_length(out) + fminf(fmaxf(q.x, fmaxf(q.y, q.z)), 0);
}

#endif
