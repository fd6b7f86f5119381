/* Sleet: analytic solids. */
#ifndef SLEET_SHAPE_H
#define SLEET_SHAPE_H

#include "sleet/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum SlShapeKind {
    SL_SHAPE_PLANE,    /* solid below the plane through `center` with normal `axis` */
    SL_SHAPE_SPHERE,   /* `center`, `radius` */
    SL_SHAPE_BOX,      /* `center`, half sizes `half` along `side`, `axis` and side × axis */
    SL_SHAPE_CYLINDER, /* base at `center`, along `axis`, `radius`, `height` */
    SL_SHAPE_CONE      /* base at `center`, apex at center + height axis, `radius` of the base */
} SlShapeKind;

/* Metres; axis need not be of unit length when given, it is normalised on entry. */
typedef struct SlShape {
    SlShapeKind kind;
    SlVec3 center;
    SlVec3 axis; /* default (0, 1, 0) */
    SlVec3 side; /* of a box: its own x direction, made square to `axis`; default (1, 0, 0) */
    SlVec3 half;
    float radius, height;
    float friction; /* Coulomb, [0, 10]; default 0 */
    bool sticky;    /* snow that touches it stays, even overhead; water does not; default false */
} SlShape;

/* Signed distance (negative inside) and, if `normal` is not NULL, the outward unit gradient. */
SL_API float sl_shape_distance(const SlShape *shape, SlVec3 point, SlVec3 *normal);
SL_API SlShape sl_default_shape(SlShapeKind kind);
SL_API const char *sl_shape_kind_name(SlShapeKind kind);

#ifdef __cplusplus
}
#endif
#endif
