/* Rigid motion over time: keyframes or constant velocities, and the displacements they give. */
#ifndef BODIES_MOTION_H
#define BODIES_MOTION_H

#include "core/context.h"
#include "math/quat.h"
#include "sleet/collider.h"

/* A rigid displacement from where a body was added: x is moved to pivot + position + R (x - pivot). */
typedef struct SlDisplacement {
    SlVec3 position, pivot;
    double rotation[4]; /* R as a unit quaternion (x, y, z, w) */
} SlDisplacement;

/* It does not change once it is made, so a collider and snapshots of its world refer to one. */
typedef struct SlMotion {
    SlContext *context;
    uint32_t references;
    SlMotionDef def; /* keys point into memory of our own */
} SlMotion;

SlStatus sl_motion_create(SlContext *context, const SlMotionDef *def, SlMotion **motion,
                          SlError *error);
/* One more reference; NULL gives NULL. */
SlMotion *sl_motion_retain(SlMotion *motion);
/* One reference less; the last one frees it. */
void sl_motion_release(SlMotion *motion);
SlDisplacement sl_motion_at(const SlMotion *motion, double time);

/* A fraction s in [0, 1] of the way, about the pivot of `to`: s = 1 gives `to` to the bit. */
SlDisplacement sl_displacement_between(const SlDisplacement *from, const SlDisplacement *to,
                                       double s);
SlVec3 sl_displacement_point(const SlDisplacement *displacement, SlVec3 point);
SlShape sl_displacement_shape(const SlDisplacement *displacement, const SlShape *shape);
/* Mean velocity of the pivot and mean spin from one displacement to a later one, dt apart; both
   have one pivot. */
void sl_displacement_rates(const SlDisplacement *from, const SlDisplacement *to, double dt,
                           SlVec3 *velocity, SlVec3 *spin);

#endif
