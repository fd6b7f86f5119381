/* One triangle in double precision: nearest point and solid angle. */
#ifndef GEOMETRY_MESH_TRIANGLE_H
#define GEOMETRY_MESH_TRIANGLE_H

#include <math.h>

#include "math/vec3.h"

typedef struct SlD3 {
    double x, y, z;
} SlD3;

typedef struct SlTriangle {
    SlD3 a, b, c;
} SlTriangle;

static inline SlD3 sl_d3(double x, double y, double z)
{
    return (SlD3){x, y, z};
}

static inline SlD3 sl_d3_from(SlVec3 v)
{
    return (SlD3){(double)v.x, (double)v.y, (double)v.z};
}

static inline SlVec3 sl_d3_float(SlD3 v)
{
    return (SlVec3){(float)v.x, (float)v.y, (float)v.z};
}

static inline SlD3 sl_d3_sub(SlD3 a, SlD3 b)
{
    return (SlD3){a.x - b.x, a.y - b.y, a.z - b.z};
}

/* a + s b. */
static inline SlD3 sl_d3_along(SlD3 a, double s, SlD3 b)
{
    return (SlD3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static inline double sl_d3_dot(SlD3 a, SlD3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline SlD3 sl_d3_cross(SlD3 a, SlD3 b)
{
    return (SlD3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline double sl_d3_length(SlD3 a)
{
    return sqrt(sl_d3_dot(a, a));
}

/* Zero stays zero: a triangle without area has no normal. */
static inline SlD3 sl_d3_unit(SlD3 a)
{
    double length = sl_d3_length(a);
    return length > 0 ? sl_d3(a.x / length, a.y / length, a.z / length) : a;
}

static inline SlTriangle sl_triangle_from(const float *corners)
{
    return (SlTriangle){{(double)corners[0], (double)corners[1], (double)corners[2]},
                        {(double)corners[3], (double)corners[4], (double)corners[5]},
                        {(double)corners[6], (double)corners[7], (double)corners[8]}};
}

/* Twice the area, along the normal. */
static inline SlD3 sl_triangle_area2(const SlTriangle *t)
{
    return sl_d3_cross(sl_d3_sub(t->b, t->a), sl_d3_sub(t->c, t->a));
}

static inline SlD3 sl_segment_nearest(SlD3 a, SlD3 b, SlD3 p)
{
    SlD3 ab = sl_d3_sub(b, a);
    double along = sl_d3_dot(sl_d3_sub(p, a), ab), length2 = sl_d3_dot(ab, ab);
    if (along <= 0 || length2 <= 0)
        return a;
    return along >= length2 ? b : sl_d3_along(a, along / length2, ab);
}

/* The nearest of the three edges: for points that do not project into the face, and for triangles
   that are a line or a point. */
static inline SlD3 sl_triangle_nearest_edge(const SlTriangle *t, SlD3 p)
{
    SlD3 corner[4] = {t->a, t->b, t->c, t->a}, best = t->a;
    double best2 = INFINITY;
    for (int k = 0; k < 3; k++) {
        SlD3 q = sl_segment_nearest(corner[k], corner[k + 1], p), away = sl_d3_sub(p, q);
        double d2 = sl_d3_dot(away, away);
        if (d2 < best2) {
            best2 = d2;
            best = q;
        }
    }
    return best;
}

/* The nearest point by regions of barycentric coordinates (Ericson, Real-Time Collision Detection,
   2005, 5.1.5). */
static inline SlD3 sl_triangle_nearest(const SlTriangle *t, SlD3 p)
{
    SlD3 ab = sl_d3_sub(t->b, t->a), ac = sl_d3_sub(t->c, t->a), ap = sl_d3_sub(p, t->a);
    double d1 = sl_d3_dot(ab, ap), d2 = sl_d3_dot(ac, ap);
    if (d1 <= 0 && d2 <= 0)
        return t->a;
    SlD3 bp = sl_d3_sub(p, t->b);
    double d3 = sl_d3_dot(ab, bp), d4 = sl_d3_dot(ac, bp);
    if (d3 >= 0 && d4 <= d3)
        return t->b;
    SlD3 cp = sl_d3_sub(p, t->c);
    double d5 = sl_d3_dot(ab, cp), d6 = sl_d3_dot(ac, cp);
    if (d6 >= 0 && d5 <= d6)
        return t->c;
    double va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2;
    double sum = va + vb + vc; /* |ab x ac|^2 */
    if (va > 0 && vb > 0 && vc > 0 && sum > 1e-24 * sl_d3_dot(ab, ab) * sl_d3_dot(ac, ac))
        return sl_d3_along(sl_d3_along(t->a, vb / sum, ab), vc / sum, ac);
    return sl_triangle_nearest_edge(t, p);
}

/* Signed solid angle [Van Oosterom 1983]: positive behind the face. */
static inline double sl_triangle_solid_angle(const SlTriangle *t, SlD3 p)
{
    SlD3 a = sl_d3_sub(t->a, p), b = sl_d3_sub(t->b, p), c = sl_d3_sub(t->c, p);
    double la = sl_d3_length(a), lb = sl_d3_length(b), lc = sl_d3_length(c);
    double volume = sl_d3_dot(a, sl_d3_cross(b, c));
    double base = la * lb * lc + sl_d3_dot(a, b) * lc + sl_d3_dot(b, c) * la +
                  sl_d3_dot(c, a) * lb;
    return volume == 0 ? 0 : 2 * atan2(volume, base);
}

#endif
