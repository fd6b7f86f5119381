/* Rigid motion over time: keyframes or constant velocities, and what it does to shapes. */
#ifndef BODIES_MOTION_H
#define BODIES_MOTION_H

#include "core/context.h"
#include "math/vec3.h"
#include "sleet/motion.h"
#include "sleet/shape.h"

/* Where a body is: x goes to pivot + position + R (x - pivot). R is a unit quaternion. */
typedef struct SlBodyPose {
    SlVec3 position, pivot;
    double rotation[4]; /* x, y, z, w */
} SlBodyPose;

typedef struct SlMotion {
    SlContext *context;
    SlMotionDef def; /* keys point into memory of our own */
} SlMotion;

SlStatus sl_motion_create(SlContext *context, const SlMotionDef *def, SlMotion **motion,
                          SlError *error);
void sl_motion_destroy(SlMotion *motion);

SlBodyPose sl_pose_from(const SlColliderPose *pose);
/* The pose a share s in [0, 1] of the way, about the pivot of `to`: s = 1 gives `to` to the bit. */
SlBodyPose sl_pose_between(const SlBodyPose *from, const SlBodyPose *to, double s);
SlBodyPose sl_motion_pose(const SlMotion *motion, double time);
SlVec3 sl_pose_point(const SlBodyPose *pose, SlVec3 point);
SlVec3 sl_pose_direction(const SlBodyPose *pose, SlVec3 direction);
SlShape sl_pose_shape(const SlBodyPose *pose, const SlShape *shape);

/* Mean velocity of the pivot and mean spin from one pose to a later one, dt apart; both have one
   pivot. */
void sl_pose_rates(const SlBodyPose *from, const SlBodyPose *to, double dt, SlVec3 *velocity, SlVec3 *spin);

#endif
