/* Analytic solids: validation and preparation. Distances are public (sleet/shape.h). */
#ifndef GEOMETRY_SHAPE_H
#define GEOMETRY_SHAPE_H

#include "math/vec3.h"
#include "sleet/shape.h"

/* Checks sizes and makes `axis` of unit length. False with a reason for a shape that is none. */
bool sl_shape_prepare(SlShape *shape, const char **reason);
/* The axis-aligned bounds; a plane's are infinite. */
SlBox sl_shape_bounds(const SlShape *shape);

#endif
