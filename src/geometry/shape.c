/* Signed distances of analytic solids. Cylinder and cone are one figure: a frustum with base
   radius r0 and top radius r1, reduced to the half plane (distance from axis, height). These are
   the plain twins of the 8-wide ones in fluid/contact_kernels.c. */
#include "geometry/shape.h"

#include <string.h>

SlShape sl_default_shape(SlShapeKind kind)
{
    return (SlShape){.kind = kind,
                     .axis = {0, 1, 0},
                     .side = {1, 0, 0},
                     .half = {0.5f, 0.5f, 0.5f},
                     .radius = 0.5f,
                     .height = 1};
}

const char *sl_shape_kind_name(SlShapeKind kind)
{
    static const char *const names[] = {"plane", "sphere", "box", "cylinder", "cone"};
    return (unsigned)kind < sizeof names / sizeof names[0] ? names[kind] : "unknown";
}

bool sl_shape_prepare(SlShape *shape, const char **reason)
{
    bool round = shape->kind == SL_SHAPE_CYLINDER || shape->kind == SL_SHAPE_CONE;
    *reason = NULL;
    if ((unsigned)shape->kind > SL_SHAPE_CONE)
        *reason = "unknown kind of shape";
    else if (!sl_finite(shape->center))
        *reason = "center must be finite";
    else if (!sl_finite(shape->axis) || !(sl_length(shape->axis) > 0))
        *reason = "axis must be finite and not zero";
    else if ((round || shape->kind == SL_SHAPE_SPHERE) &&
             !(shape->radius > 0 && isfinite(shape->radius)))
        *reason = "radius must be above 0";
    else if (round && !(shape->height > 0 && isfinite(shape->height)))
        *reason = "height must be above 0";
    else if (shape->kind == SL_SHAPE_BOX && !(shape->half.x > 0 && shape->half.y > 0 &&
                                              shape->half.z > 0 && sl_finite(shape->half)))
        *reason = "a box needs half sizes above 0";
    else if (!(shape->friction >= 0 && shape->friction <= 10))
        *reason = "friction may be from 0 to 10";
    if (*reason != NULL)
        return false;
    shape->axis = sl_unit(shape->axis);
    /* Any side will do where none square to the axis was given. */
    SlVec3 side = sl_sub(shape->side, sl_scale(shape->axis, sl_dot(shape->side, shape->axis)));
    if (!(sl_length(side) > 1e-4f))
        side = fabsf(shape->axis.x) < 0.9f ? sl_vec3(1, 0, 0) : sl_vec3(0, 0, 1);
    shape->side = sl_unit(sl_sub(side, sl_scale(shape->axis, sl_dot(side, shape->axis))));
    return true;
}

/* Around the two caps; a disk reaches radius × the sine of the angle to its axis. */
static SlBox frustum_bounds(const SlShape *shape)
{
    SlVec3 a = shape->axis, low = shape->center, high = sl_add(low, sl_scale(a, shape->height));
    float r0 = shape->radius, r1 = shape->kind == SL_SHAPE_CONE ? 0 : r0;
    SlVec3 disk = {sqrtf(fmaxf(1 - a.x * a.x, 0)), sqrtf(fmaxf(1 - a.y * a.y, 0)),
                   sqrtf(fmaxf(1 - a.z * a.z, 0))};
    SlVec3 d0 = sl_scale(disk, r0), d1 = sl_scale(disk, r1);
    return (SlBox){{fminf(low.x - d0.x, high.x - d1.x), fminf(low.y - d0.y, high.y - d1.y),
                    fminf(low.z - d0.z, high.z - d1.z)},
                   {fmaxf(low.x + d0.x, high.x + d1.x), fmaxf(low.y + d0.y, high.y + d1.y),
                    fmaxf(low.z + d0.z, high.z + d1.z)}};
}

SlBox sl_shape_bounds(const SlShape *shape)
{
    SlVec3 c = shape->center, reach = {INFINITY, INFINITY, INFINITY};
    if (shape->kind == SL_SHAPE_SPHERE)
        reach = sl_vec3(shape->radius, shape->radius, shape->radius);
    else if (shape->kind == SL_SHAPE_BOX) {
        SlVec3 h = shape->half, s = shape->side, a = shape->axis, d = sl_cross(s, a);
        reach = sl_vec3(fabsf(s.x) * h.x + fabsf(a.x) * h.y + fabsf(d.x) * h.z,
                        fabsf(s.y) * h.x + fabsf(a.y) * h.y + fabsf(d.y) * h.z,
                        fabsf(s.z) * h.x + fabsf(a.z) * h.y + fabsf(d.z) * h.z);
    }
    else if (shape->kind != SL_SHAPE_PLANE) {
        return frustum_bounds(shape);
    }
    return (SlBox){sl_sub(c, reach), sl_add(c, reach)};
}

static float frustum_distance(float p, float h, float r0, float r1, float height, float *np,
                              float *nh)
{
    /* Nearest point of the two caps. */
    float cap_r = h < 0.5f * height ? r0 : r1;
    float cap_h = h < 0.5f * height ? 0 : height;
    float ap = p - fminf(p, cap_r), ah = h - cap_h;
    /* Nearest point of the side from (r0, 0) to (r1, height). */
    float ep = r1 - r0, eh = height;
    float t = ((p - r0) * ep + h * eh) / (ep * ep + eh * eh);
    t = fminf(fmaxf(t, 0), 1);
    float bp = p - (r0 + t * ep), bh = h - t * eh;
    /* Inside: below the side line and between the caps. */
    bool inside = (p - r0) * eh - h * ep < 0 && h > 0 && h < height;
    float a2 = ap * ap + ah * ah, b2 = bp * bp + bh * bh;
    float dp = a2 < b2 ? ap : bp, dh = a2 < b2 ? ah : bh;
    float distance = sqrtf(a2 < b2 ? a2 : b2), sign = inside ? -1.0f : 1.0f;
    if (distance > 1e-12f) {
        *np = sign * dp / distance;
        *nh = sign * dh / distance;
    } else { /* on the surface: the side's normal */
        float length = sqrtf(ep * ep + eh * eh);
        *np = eh / length;
        *nh = -ep / length;
    }
    return sign * distance;
}

static float box_distance(SlVec3 q, SlVec3 half, SlVec3 *n)
{
    SlVec3 over = {fabsf(q.x) - half.x, fabsf(q.y) - half.y, fabsf(q.z) - half.z};
    SlVec3 side = {copysignf(1, q.x), copysignf(1, q.y), copysignf(1, q.z)};
    SlVec3 out = {fmaxf(over.x, 0), fmaxf(over.y, 0), fmaxf(over.z, 0)};
    float outside = sl_length(out);
    if (outside > 0) {
        *n = sl_vec3(side.x * out.x / outside, side.y * out.y / outside, side.z * out.z / outside);
        return outside;
    }
    if (over.x >= over.y && over.x >= over.z) {
        *n = sl_vec3(side.x, 0, 0);
        return over.x;
    }
    if (over.y >= over.z) {
        *n = sl_vec3(0, side.y, 0);
        return over.y;
    }
    *n = sl_vec3(0, 0, side.z);
    return over.z;
}

float sl_shape_distance(const SlShape *shape, SlVec3 point, SlVec3 *normal)
{
    SlVec3 q = sl_sub(point, shape->center), n = shape->axis;
    float distance = 0;
    switch (shape->kind) {
    case SL_SHAPE_PLANE: distance = sl_dot(q, shape->axis); break;
    case SL_SHAPE_SPHERE: {
        float length = sl_length(q);
        distance = length - shape->radius;
        n = sl_unit(q);
        break;
    }
    case SL_SHAPE_BOX: {
        SlVec3 x = shape->side, y = shape->axis, z = sl_cross(x, y), local;
        distance = box_distance(sl_vec3(sl_dot(q, x), sl_dot(q, y), sl_dot(q, z)), shape->half,
                                &local);
        n = sl_add(sl_scale(x, local.x), sl_add(sl_scale(y, local.y), sl_scale(z, local.z)));
        break;
    }
    case SL_SHAPE_CYLINDER:
    case SL_SHAPE_CONE: {
        float h = sl_dot(q, shape->axis);
        SlVec3 radial = sl_sub(q, sl_scale(shape->axis, h));
        float p = sl_length(radial), np, nh;
        distance = frustum_distance(p, h, shape->radius,
                                    shape->kind == SL_SHAPE_CONE ? 0 : shape->radius,
                                    shape->height, &np, &nh);
        SlVec3 out = p > 0 ? sl_scale(radial, 1 / p) : sl_vec3(0, 0, 0);
        n = sl_unit(sl_add(sl_scale(out, np), sl_scale(shape->axis, nh)));
        break;
    }
    }
    if (normal != NULL)
        *normal = n;
    return distance;
}
