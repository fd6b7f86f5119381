/* Unit quaternions (x, y, z, w) in double: poses are few, and bodies rotate for hours. */
#ifndef MATH_QUAT_H
#define MATH_QUAT_H

#include <string.h>

#include "math/vec3.h"

/* The rotation by a rotation vector: axis × angle, rad. */
static inline void sl_quat_from_rotation(const double rotation[3], double q[4])
{
    double angle = sqrt(rotation[0] * rotation[0] + rotation[1] * rotation[1] +
                        rotation[2] * rotation[2]);
    double scale = angle > 0 ? sin(angle / 2) / angle : 0.5;
    for (int k = 0; k < 3; k++)
        q[k] = rotation[k] * scale;
    q[3] = cos(angle / 2);
}

static inline void sl_quat_from_vector(SlVec3 rotation, double q[4])
{
    double v[3] = {(double)rotation.x, (double)rotation.y, (double)rotation.z};
    sl_quat_from_rotation(v, q);
}

/* The rotation vector of q along the shorter arc. */
static inline void sl_quat_to_rotation(const double q[4], double rotation[3])
{
    double sign = q[3] < 0 ? -1 : 1;
    double sine = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2]);
    double scale = sine > 1e-12 ? sign * 2 * atan2(sine, sign * q[3]) / sine : sign * 2;
    for (int k = 0; k < 3; k++)
        rotation[k] = q[k] * scale;
}

/* q = a b: first b, then a. q may be a or b. */
static inline void sl_quat_multiply(const double a[4], const double b[4], double q[4])
{
    double r[4] = {a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
                   a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
                   a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3],
                   a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2]};
    memcpy(q, r, sizeof r);
}

/* The rotation that leads from one to the other: to × from⁻¹. */
static inline void sl_quat_between(const double from[4], const double to[4], double q[4])
{
    double back[4] = {-from[0], -from[1], -from[2], from[3]};
    sl_quat_multiply(to, back, q);
}

static inline SlVec3 sl_quat_rotate(const double q[4], SlVec3 d)
{
    double v[3] = {(double)d.x, (double)d.y, (double)d.z};
    double c[3] = {q[1] * v[2] - q[2] * v[1] + q[3] * v[0], q[2] * v[0] - q[0] * v[2] + q[3] * v[1],
                   q[0] * v[1] - q[1] * v[0] + q[3] * v[2]};
    return (SlVec3){(float)(v[0] + 2 * (q[1] * c[2] - q[2] * c[1])),
                    (float)(v[1] + 2 * (q[2] * c[0] - q[0] * c[2])),
                    (float)(v[2] + 2 * (q[0] * c[1] - q[1] * c[0]))};
}

/* The rotation as a matrix by rows. */
static inline void sl_quat_rows(const double q[4], float rows[9])
{
    SlVec3 x = sl_quat_rotate(q, sl_vec3(1, 0, 0)), y = sl_quat_rotate(q, sl_vec3(0, 1, 0)),
           z = sl_quat_rotate(q, sl_vec3(0, 0, 1));
    float made[9] = {x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z};
    memcpy(rows, made, sizeof made);
}

/* The rotation that leads the axes to the orthonormal, right-handed directions x, y, z [Shepperd
   1978: divide by the largest component]. */
static inline void sl_quat_from_axes(SlVec3 x, SlVec3 y, SlVec3 z, double q[4])
{
    double xx = (double)x.x, yy = (double)y.y, zz = (double)z.z;
    double squares[4] = {1 + xx - yy - zz, 1 - xx + yy - zz, 1 - xx - yy + zz, 1 + xx + yy + zz};
    int largest = 0;
    for (int k = 1; k < 4; k++)
        largest = squares[k] > squares[largest] ? k : largest;
    double yz = (double)y.z - (double)z.y, zx = (double)z.x - (double)x.z,
           xy = (double)x.y - (double)y.x;
    double sxy = (double)x.y + (double)y.x, szx = (double)z.x + (double)x.z,
           syz = (double)y.z + (double)z.y;
    double rows[4][4] = {{squares[0], sxy, szx, yz},
                         {sxy, squares[1], syz, zx},
                         {szx, syz, squares[2], xy},
                         {yz, zx, xy, squares[3]}};
    double length = 0;
    for (int k = 0; k < 4; k++)
        length += rows[largest][k] * rows[largest][k];
    for (int k = 0; k < 4; k++)
        q[k] = rows[largest][k] / sqrt(length);
}

/* A public quaternion, made of unit length; false: it has no direction. */
static inline bool sl_quat_read(SlQuat from, double q[4])
{
    double v[4] = {(double)from.x, (double)from.y, (double)from.z, (double)from.w};
    double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2] + v[3] * v[3]);
    for (int k = 0; k < 4; k++)
        q[k] = v[k] / length;
    return isfinite(length) && length > 0.5 && length < 2;
}

static inline SlQuat sl_quat_write(const double q[4])
{
    return (SlQuat){(float)q[0], (float)q[1], (float)q[2], (float)q[3]};
}

#endif
