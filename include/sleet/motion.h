/* Sleet: how solid things move. */
#ifndef SLEET_MOTION_H
#define SLEET_MOTION_H

#include "sleet/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Turned by the rotation vector `rotation` (axis × angle in rad) about `pivot`, then moved by
   `position`: where the body is, relative to where it was added. */
typedef struct SlKeyframe {
    double time; /* s, rising from key to key */
    SlVec3 position;
    SlVec3 rotation;
} SlKeyframe;

/* Keys are passed through smoothly (Hermite between neighbours, at rest before the first and after
   the last key). Without keys: constant velocity and spin. */
typedef struct SlMotionDef {
    uint32_t cookie, size; /* set by sl_default_motion_def */
    const SlKeyframe *keys; /* copied */
    size_t key_count;       /* 0, or 2 to 100,000 */
    SlVec3 velocity; /* m/s; without keys */
    SlVec3 spin;     /* rad/s; without keys */
    SlVec3 pivot;    /* m: the point turned about, in the world at rest */
} SlMotionDef;

/* Where a program wants a body, relative to where it was added: turned by `rotation` about `pivot`,
   then moved by `position`, as a keyframe. Zeros: where it was added. */
typedef struct SlColliderPose {
    SlVec3 position; /* m */
    SlVec3 rotation;     /* rad: axis × angle */
    SlVec3 pivot;    /* m, in the world as it was added */
} SlColliderPose;

SL_API SlMotionDef sl_default_motion_def(void);

#ifdef __cplusplus
}
#endif
#endif
