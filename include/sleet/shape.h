/* Sleet: analytic solids and cameras. */
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

/* A pinhole camera. */
typedef struct SlCamera {
    char name[32];
    SlVec3 eye, target;
    SlVec3 up;       /* default (0, 1, 0) */
    float fov;       /* full vertical angle in degrees, (1, 170); default 40 */
    float weight;    /* of its level of detail among several cameras', [0, 1e6]; 0: it does not
                        count; default 1 */
} SlCamera;

/* So many may have a weight at once. */
enum { SL_MOST_CAMERAS = 16 };
SL_API SlCamera sl_default_camera(void);

#ifdef __cplusplus
}
#endif
#endif
