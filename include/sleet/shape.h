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
    SL_SHAPE_CONE,     /* base at `center`, apex at center + height axis, `radius` of the base */
    SL_SHAPE_CAPSULE,  /* all within `radius` of the segment from `center` to center + height axis */
    /* A landscape: `heights` above the plane through `center`, along `axis`, at rows × columns points
       that are evenly spaced over 2 half.x along `side` (columns) and 2 half.z along side × axis
       (rows), with two triangles between four of them; solid down to half.y below the plane.
       Colliders only. */
    SL_SHAPE_HEIGHT_FIELD
} SlShapeKind;

/* Metres; axis need not be of unit length when given, it is normalised on entry. */
typedef struct SlShape {
    SlShapeKind kind;
    SlVec3 center;       /* default 0 */
    SlVec3 axis;         /* default (0, 1, 0) */
    SlVec3 side;         /* its own x direction, made perpendicular to `axis`; default (1, 0, 0) */
    SlVec3 half;         /* each above 0; default 0.5 */
    float radius;        /* above 0; default 0.5 */
    float height;        /* above 0; default 1 */
    const float *heights; /* of a height field, row by row, above -half.y; a collider copies them */
    uint32_t columns, rows; /* of a height field, [2, 4096] */
    float friction;         /* Coulomb, [0, 10]; default 0 */
    bool sticky;            /* snow that touches it stays, even overhead; water does not; default false */
} SlShape;

/* Signed distance (negative inside) and, if `normal` is not NULL, the outward unit gradient. `axis`
   and `side` must be orthonormal. */
SL_API float sl_shape_distance(const SlShape *shape, SlVec3 point, SlVec3 *normal);
SL_API SlShape sl_default_shape(SlShapeKind kind);
/* As in scenes: "sphere", "height field"; "unknown" for a number that is no kind. */
SL_API const char *sl_shape_kind_name(SlShapeKind kind);

#ifdef __cplusplus
}
#endif
#endif
