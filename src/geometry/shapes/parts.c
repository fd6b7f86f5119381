/* What several shapes use. Cylinder and cone are one figure, a frustum, reduced to the half plane
   (distance from the axis, height). */
#include <math.h>

#include "geometry/shapes/parts.h"

static const double pi = 3.14159265358979;

size_t sl_edges_around(float radius, float edge)
{
    double count = ceil(2 * pi * (double)radius / (double)edge);
    return count < 16 ? 16 : count > 2048 ? 2048 : (size_t)count;
}

SlStatus sl_mesh_revolve(SlContext *context, const SlProfile *profile, size_t around, SlMesh *mesh,
                         SlError *error)
{
    size_t rings = profile->count;
    SlStatus status = sl_mesh_create(context, rings * around + 2, 2 * rings * around, mesh, error);
    if (status != SL_OK)
        return status;
    size_t low = rings * around, high = low + 1, next = 0;
    sl_put_vertex(mesh, low, 0, profile->bottom, 0);
    sl_put_vertex(mesh, high, 0, profile->top, 0);
    for (size_t r = 0; r < rings; r++)
        for (size_t k = 0; k < around; k++) {
            double angle = 2 * pi * (double)k / (double)around;
            const double *at = profile->points[r];
            sl_put_vertex(mesh, r * around + k, at[0] * cos(angle), at[1], at[0] * sin(angle));
        }
    for (size_t k = 0; k < around; k++) {
        size_t n = (k + 1) % around, last = (rings - 1) * around;
        sl_put_triangle(mesh, &next, low, k, n);
        sl_put_triangle(mesh, &next, high, last + n, last + k);
        for (size_t r = 0; r + 1 < rings; r++) {
            size_t here = r * around, above = here + around;
            sl_put_triangle(mesh, &next, here + k, above + k, above + n);
            sl_put_triangle(mesh, &next, here + k, above + n, here + n);
        }
    }
    return SL_OK;
}

const char *sl_frustum_prepare(SlShape *shape)
{
    if (!(shape->radius > 0 && isfinite(shape->radius)))
        return "radius must be above 0";
    return shape->height > 0 && isfinite(shape->height) ? NULL : "height must be above 0";
}

/* Distance and normal (np, nh) at the distance p from the axis and height h. */
static float half_plane_distance(float p, float h, float r0, float r1, float height, float n[2])
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
        n[0] = sign * dp / distance;
        n[1] = sign * dh / distance;
    } else { /* on the surface: the side's normal */
        float length = sqrtf(ep * ep + eh * eh);
        n[0] = eh / length;
        n[1] = -ep / length;
    }
    return sign * distance;
}

float sl_frustum_distance(const SlShape *shape, float top, SlVec3 point, SlVec3 *normal)
{
    SlVec3 q = sl_sub(point, shape->center);
    float h = sl_dot(q, shape->axis);
    SlVec3 radial = sl_sub(q, sl_scale(shape->axis, h));
    float p = sl_length(radial), n[2];
    float distance = half_plane_distance(p, h, shape->radius, top, shape->height, n);
    SlVec3 out = p > 0 ? sl_scale(radial, 1 / p) : sl_vec3(0, 0, 0);
    *normal = sl_unit(sl_add(sl_scale(out, n[0]), sl_scale(shape->axis, n[1])));
    return distance;
}

/* Around the two caps; a disk extends by radius × the sine of the angle to its axis. */
SlBox sl_frustum_bounds(const SlShape *shape, float top)
{
    SlVec3 a = shape->axis, low = shape->center, high = sl_add(low, sl_scale(a, shape->height));
    SlVec3 disk = {sqrtf(fmaxf(1 - a.x * a.x, 0)), sqrtf(fmaxf(1 - a.y * a.y, 0)),
                   sqrtf(fmaxf(1 - a.z * a.z, 0))};
    SlVec3 d0 = sl_scale(disk, shape->radius), d1 = sl_scale(disk, top);
    return (SlBox){{fminf(low.x - d0.x, high.x - d1.x), fminf(low.y - d0.y, high.y - d1.y),
                    fminf(low.z - d0.z, high.z - d1.z)},
                   {fmaxf(low.x + d0.x, high.x + d1.x), fmaxf(low.y + d0.y, high.y + d1.y),
                    fmaxf(low.z + d0.z, high.z + d1.z)}};
}

void sl_frustum_ball(const SlShape *shape, SlVec3 *center, float *radius)
{
    *center = sl_add(shape->center, sl_scale(shape->axis, 0.5f * shape->height));
    *radius = hypotf(shape->radius, 0.5f * shape->height);
}
