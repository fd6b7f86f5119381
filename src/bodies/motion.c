/* Rotations between two keys go along the shortest arc (slerp), timed by the same smooth curve as
   positions, so a body starts and stops smoothly. */
#include "bodies/motion.h"
#include "core/cookies.h"

#include <math.h>
#include <string.h>

enum { MAX_KEYS = 100000 };

SlMotionDef sl_default_motion_def(void)
{
    return (SlMotionDef){SL_DEF_HEAD(MOTION, SlMotionDef)};
}

SlQuat sl_quat_from_rotation_vector(SlVec3 rotation)
{
    double q[4];
    sl_quat_from_vector(rotation, q);
    return sl_quat_write(q);
}

SlVec3 sl_quat_to_rotation_vector(SlQuat rotation)
{
    double q[4], v[3];
    if (!sl_quat_read(rotation, q))
        return (SlVec3){0, 0, 0};
    sl_quat_to_rotation(q, v);
    return (SlVec3){(float)v[0], (float)v[1], (float)v[2]};
}

static const char *wrong_with(const SlMotionDef *def)
{
    if (!SL_DEF_VALID(def, MOTION))
        return "motion definition not made by sl_default_motion_def";
    if (def->key_count == 1 || def->key_count > MAX_KEYS)
        return "a motion has no keys, or 2 to 100000";
    if (!sl_finite(def->velocity) || !sl_finite(def->spin) || !sl_finite(def->pivot))
        return "a motion's velocity, spin and pivot must be finite";
    for (size_t k = 0; k < def->key_count; k++) {
        const SlKeyframe *key = &def->keys[k];
        if (!isfinite(key->time) || !sl_finite(key->position) || !sl_finite(key->rotation))
            return "a keyframe's numbers must be finite";
        if (k > 0 && !(key->time > def->keys[k - 1].time))
            return "keyframes must have rising times";
    }
    return NULL;
}

SlStatus sl_motion_create(SlContext *context, const SlMotionDef *def, SlMotion **out,
                          SlError *error)
{
    *out = NULL;
    const char *wrong = wrong_with(def);
    if (wrong != NULL)
        return sl_error_set(error, SL_ERROR_ARGUMENT, "%s", wrong);
    SlMotion *motion = sl_alloc_zero(&context->memory, 1, sizeof *motion);
    SlKeyframe *keys = sl_alloc(&context->memory, def->key_count * sizeof *keys);
    if (motion == NULL || (def->key_count > 0 && keys == NULL)) {
        sl_free(&context->memory, keys, def->key_count * sizeof *keys);
        sl_free(&context->memory, motion, sizeof *motion);
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for a motion");
    }
    if (def->key_count > 0)
        memcpy(keys, def->keys, def->key_count * sizeof *keys);
    motion->context = context;
    motion->references = 1;
    motion->def = *def;
    motion->def.keys = keys;
    *out = motion;
    return SL_OK;
}

SlMotion *sl_motion_retain(SlMotion *motion)
{
    if (motion != NULL)
        motion->references++;
    return motion;
}

void sl_motion_release(SlMotion *motion)
{
    if (motion == NULL || --motion->references > 0)
        return;
    SlMemory *memory = &motion->context->memory;
    sl_free(memory, (void *)motion->def.keys, motion->def.key_count * sizeof(SlKeyframe));
    sl_free(memory, motion, sizeof *motion);
}

static void key_rotation(const SlKeyframe *key, double q[4])
{
    sl_quat_from_vector(key->rotation, q);
}

/* --- Displacements --- */

/* Hermite from p1 to p2 at s in [0, 1]; slopes by central differences, zero at the ends. */
static double hermite(double p1, double p2, double slope1, double slope2, double width, double s)
{
    double s2 = s * s, s3 = s2 * s;
    return p1 * (2 * s3 - 3 * s2 + 1) + p2 * (3 * s2 - 2 * s3) +
           width * (slope1 * (s3 - 2 * s2 + s) + slope2 * (s3 - s2));
}

static double slope_at(const SlMotionDef *def, size_t k, int axis)
{
    if (k == 0 || k + 1 == def->key_count)
        return 0;
    const SlKeyframe *a = &def->keys[k - 1], *b = &def->keys[k + 1];
    const float *pa = &a->position.x, *pb = &b->position.x;
    return ((double)pb[axis] - (double)pa[axis]) / (b->time - a->time);
}

static SlDisplacement keyed_at(const SlMotionDef *def, double time)
{
    SlDisplacement pose = {.pivot = def->pivot};
    size_t last = def->key_count - 1, k = 0;
    if (time <= def->keys[0].time || time >= def->keys[last].time) {
        const SlKeyframe *key = &def->keys[time <= def->keys[0].time ? 0 : last];
        pose.position = key->position;
        key_rotation(key, pose.rotation);
        return pose;
    }
    size_t high = last;
    while (high - k > 1) {
        size_t middle = (k + high) / 2;
        if (def->keys[middle].time <= time)
            k = middle;
        else
            high = middle;
    }
    const SlKeyframe *a = &def->keys[k], *b = &def->keys[k + 1];
    double width = b->time - a->time, s = (time - a->time) / width;
    const float *pa = &a->position.x, *pb = &b->position.x;
    float *p = &pose.position.x;
    for (int axis = 0; axis < 3; axis++)
        p[axis] = (float)hermite((double)pa[axis], (double)pb[axis], slope_at(def, k, axis),
                                 slope_at(def, k + 1, axis), width, s);
    double from[4], to[4], between[4], rotation[3], part[4], eased = s * s * (3 - 2 * s);
    key_rotation(a, from);
    key_rotation(b, to);
    sl_quat_between(from, to, between);
    sl_quat_to_rotation(between, rotation);
    for (int axis = 0; axis < 3; axis++)
        rotation[axis] *= eased;
    sl_quat_from_rotation(rotation, part);
    sl_quat_multiply(part, from, pose.rotation);
    return pose;
}

SlDisplacement sl_motion_at(const SlMotion *motion, double time)
{
    const SlMotionDef *def = &motion->def;
    if (def->key_count > 0)
        return keyed_at(def, time);
    SlDisplacement pose = {.pivot = def->pivot,
                   .position = {(float)((double)def->velocity.x * time),
                                (float)((double)def->velocity.y * time),
                                (float)((double)def->velocity.z * time)}};
    double rotation[3] = {(double)def->spin.x * time, (double)def->spin.y * time,
                      (double)def->spin.z * time};
    sl_quat_from_rotation(rotation, pose.rotation);
    return pose;
}

SlVec3 sl_displacement_point(const SlDisplacement *pose, SlVec3 point)
{
    SlVec3 arm = sl_quat_rotate(pose->rotation, sl_sub(point, pose->pivot));
    return sl_add(sl_add(pose->pivot, pose->position), arm);
}

SlShape sl_displacement_shape(const SlDisplacement *pose, const SlShape *shape)
{
    SlShape moved = *shape;
    moved.center = sl_displacement_point(pose, shape->center);
    moved.axis = sl_unit(sl_quat_rotate(pose->rotation, shape->axis));
    moved.side = sl_unit(sl_quat_rotate(pose->rotation, shape->side));
    return moved;
}

void sl_displacement_rates(const SlDisplacement *from, const SlDisplacement *to, double dt,
                           SlVec3 *velocity, SlVec3 *spin)
{
    double between[4], rotation[3];
    sl_quat_between(from->rotation, to->rotation, between);
    sl_quat_to_rotation(between, rotation);
    *velocity = sl_scale(sl_sub(to->position, from->position), (float)(1 / dt));
    *spin = sl_vec3((float)(rotation[0] / dt), (float)(rotation[1] / dt), (float)(rotation[2] / dt));
}

static bool same_pose(const SlDisplacement *a, const SlDisplacement *b)
{
    bool same = true;
    for (int k = 0; k < 3; k++)
        same &= (&a->position.x)[k] == (&b->position.x)[k] && (&a->pivot.x)[k] == (&b->pivot.x)[k];
    for (int k = 0; k < 4; k++)
        same &= a->rotation[k] == b->rotation[k];
    return same;
}

SlDisplacement sl_displacement_between(const SlDisplacement *from, const SlDisplacement *to,
                                       double s)
{
    /* At rest to the bit: a difference of 1e-9 m would be a velocity. */
    if (s >= 1 || same_pose(from, to))
        return *to;
    SlDisplacement pose = {.pivot = to->pivot};
    SlVec3 start = sl_sub(sl_displacement_point(from, to->pivot), to->pivot);
    pose.position = sl_add(start, sl_scale(sl_sub(to->position, start), (float)s));
    double between[4], rotation[3], part[4];
    sl_quat_between(from->rotation, to->rotation, between);
    sl_quat_to_rotation(between, rotation);
    for (int axis = 0; axis < 3; axis++)
        rotation[axis] *= s;
    sl_quat_from_rotation(rotation, part);
    sl_quat_multiply(part, from->rotation, pose.rotation);
    return pose;
}
