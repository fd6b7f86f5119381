#include "math/camera.h"

#include <math.h>
#include <stddef.h>

SlCamera sl_default_camera(void)
{
    return (SlCamera){.name = "camera",
                      .eye = {6, 3, 8},
                      .target = {0, 0, 0},
                      .up = {0, 1, 0},
                      .fov = 40,
                      .weight = 1};
}

bool sl_camera_valid(const SlCamera *camera, const char **reason)
{
    *reason = NULL;
    SlVec3 forward = sl_sub(camera->target, camera->eye);
    if (!sl_finite(camera->eye) || !sl_finite(camera->target) || !sl_finite(camera->up))
        *reason = "eye, target and up must be finite";
    else if (!(sl_length(forward) > 0))
        *reason = "eye and target are the same point";
    else if (!(sl_length(sl_cross(sl_unit(forward), sl_unit(camera->up))) > 1e-6f))
        *reason = "up points along the view direction";
    else if (!(camera->fov >= 1 && camera->fov <= 170))
        *reason = "fov must be from 1 to 170 degrees";
    else if (!(camera->weight >= 0 && camera->weight <= 1e6f))
        *reason = "weight must be from 0 to 1e6";
    return *reason == NULL;
}

SlCameraFrame sl_camera_frame(const SlCamera *camera, uint32_t width, uint32_t height)
{
    SlCameraFrame frame;
    frame.eye = camera->eye;
    frame.forward = sl_unit(sl_sub(camera->target, camera->eye));
    frame.right = sl_unit(sl_cross(frame.forward, camera->up));
    frame.up = sl_cross(frame.right, frame.forward);
    frame.focal = 0.5f * (float)height / tanf(camera->fov * 0.5f * 3.14159265f / 180.0f);
    frame.center_x = 0.5f * (float)width;
    frame.center_y = 0.5f * (float)height;
    return frame;
}

SlVec3 sl_camera_to_view(const SlCameraFrame *frame, SlVec3 point)
{
    SlVec3 from_eye = sl_sub(point, frame->eye);
    return sl_vec3(sl_dot(from_eye, frame->right), sl_dot(from_eye, frame->up),
                   sl_dot(from_eye, frame->forward));
}

SlCamera sl_camera_around(const SlBox *box, float width, float height)
{
    enum { CORNERS = 8 };
    const float tangent = 0.95f * tanf(20.0f * 3.14159265f / 180.0f); /* 5 % of margin */
    SlCamera camera = sl_default_camera();
    camera.target = sl_scale(sl_add(box->min, box->max), 0.5f);
    SlVec3 back = sl_unit(sl_vec3(0.45f, 0.4f, 1.0f));
    SlVec3 right = sl_unit(sl_cross(sl_vec3(0, 1, 0), back));
    SlVec3 up = sl_cross(back, right);
    float distance = 0;
    for (int k = 0; k < CORNERS; k++) {
        SlVec3 corner = {k & 1 ? box->max.x : box->min.x, k & 2 ? box->max.y : box->min.y,
                         k & 4 ? box->max.z : box->min.z};
        SlVec3 q = sl_sub(corner, camera.target);
        float tall = fabsf(sl_dot(q, up)) / tangent;
        float wide = fabsf(sl_dot(q, right)) / (tangent * width / height);
        distance = fmaxf(distance, sl_dot(q, back) + fmaxf(tall, wide));
    }
    camera.eye = sl_add(camera.target, sl_scale(back, distance));
    return camera;
}

/* --- Paths. --- */

bool sl_camera_path_valid(const SlCamera *camera, const SlCameraPath *path, const char **reason)
{
    *reason = NULL;
    bool orbit = path->key_count == 0;
    if (path->key_count > SL_MAX_CAMERA_KEYS)
        *reason = "a path has at most 4096 keys";
    else if (orbit && (!sl_finite(path->center) || !isfinite(path->height) ||
                       !isfinite(path->speed) || !isfinite(path->start)))
        *reason = "center, height, speed and start of an orbit must be finite";
    else if (orbit && !(path->radius > 0 && isfinite(path->radius)))
        *reason = "the radius of an orbit must be above 0";
    for (size_t k = 0; *reason == NULL && k < path->key_count; k++) {
        if (!isfinite(path->keys[k].time))
            *reason = "the time of a key must be finite";
        else if (k > 0 && !(path->keys[k].time > path->keys[k - 1].time))
            *reason = "the times of keys must increase";
        else {
            SlCamera at = sl_camera_on_path(camera, path, path->keys[k].time);
            (void)sl_camera_valid(&at, reason);
        }
    }
    if (*reason == NULL && orbit) {
        SlCamera at = sl_camera_on_path(camera, path, 0);
        (void)sl_camera_valid(&at, reason);
    }
    return *reason == NULL;
}

/* Change per second at key k: that of the parabola through it and its neighbours; at rest at the ends. */
static SlVec3 rate(const SlCameraKey *keys, size_t count, size_t k, size_t offset)
{
    if (k == 0 || k + 1 == count)
        return sl_vec3(0, 0, 0);
    const SlVec3 *value[3];
    for (size_t n = 0; n < 3; n++)
        value[n] = (const SlVec3 *)(const void *)((const char *)&keys[k + n - 1] + offset);
    float before = (float)(keys[k].time - keys[k - 1].time);
    float after = (float)(keys[k + 1].time - keys[k].time);
    SlVec3 low = sl_scale(sl_sub(*value[1], *value[0]), after / (before * (before + after)));
    SlVec3 high = sl_scale(sl_sub(*value[2], *value[1]), before / (after * (before + after)));
    return sl_add(low, high);
}

/* Cubic Hermite interpolation of a vector of the keys between k and k + 1, at t in [0, 1]. */
static SlVec3 between(const SlCameraKey *keys, size_t count, size_t k, float t, size_t offset)
{
    float span = (float)(keys[k + 1].time - keys[k].time), tt = t * t, ttt = tt * t;
    const SlVec3 *a = (const SlVec3 *)(const void *)((const char *)&keys[k] + offset);
    const SlVec3 *b = (const SlVec3 *)(const void *)((const char *)&keys[k + 1] + offset);
    SlVec3 value = sl_add(sl_scale(*a, 2 * ttt - 3 * tt + 1), sl_scale(*b, 3 * tt - 2 * ttt));
    value = sl_add(value, sl_scale(rate(keys, count, k, offset), span * (ttt - 2 * tt + t)));
    return sl_add(value, sl_scale(rate(keys, count, k + 1, offset), span * (ttt - tt)));
}

SlCamera sl_camera_on_path(const SlCamera *camera, const SlCameraPath *path, double time)
{
    SlCamera at = *camera;
    if (path->key_count == 0) {
        double angle = fmod(path->start + path->speed * time, 360.0) * (3.14159265358979 / 180);
        at.eye = sl_add(path->center, sl_vec3(path->radius * (float)sin(angle), path->height,
                                              path->radius * (float)cos(angle)));
        return at;
    }
    const SlCameraKey *keys = path->keys;
    size_t k = 0;
    while (k + 1 < path->key_count && keys[k + 1].time <= time)
        k++;
    at.eye = keys[k].eye;
    at.target = keys[k].target;
    at.fov = keys[k].fov;
    if (time <= keys[k].time || k + 1 == path->key_count)
        return at;
    float t = (float)((time - keys[k].time) / (keys[k + 1].time - keys[k].time));
    at.eye = between(keys, path->key_count, k, t, offsetof(SlCameraKey, eye));
    at.target = between(keys, path->key_count, k, t, offsetof(SlCameraKey, target));
    at.fov = keys[k].fov + (keys[k + 1].fov - keys[k].fov) * t * t * (3 - 2 * t);
    return at;
}
