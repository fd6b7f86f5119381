/* The public quaternion from what a program has at hand. */
#include <math.h>

#include "sleet/base.h"

SlQuat sl_quat_from_axis_angle(SlVec3 axis, float angle)
{
    double x = (double)axis.x, y = (double)axis.y, z = (double)axis.z;
    double length = sqrt(x * x + y * y + z * z), half = 0.5 * (double)angle;
    if (!(length > 0 && isfinite(length) && isfinite(half)))
        return (SlQuat){0, 0, 0, 1};
    double scale = sin(half) / length;
    return (SlQuat){(float)(scale * x), (float)(scale * y), (float)(scale * z), (float)cos(half)};
}
