#include "math/camera.h"

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
