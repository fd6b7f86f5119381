/* A pinhole camera as an orthonormal frame: what rasterisers and level of detail project with. */
#ifndef MATH_CAMERA_H
#define MATH_CAMERA_H

#include "math/vec3.h"
#include "sleet/camera.h"

/* View space: x right, y up, z = distance along the view direction (positive in front). */
typedef struct SlCameraFrame {
    SlVec3 eye, right, up, forward;
    float focal; /* pixels per unit of x/z: (height / 2) / tan(fov / 2) */
    float center_x, center_y; /* pixel coordinates of the axis */
} SlCameraFrame;

SlCameraFrame sl_camera_frame(const SlCamera *camera, uint32_t width, uint32_t height);
/* Looks at the middle of the box from the front right, half above, from as near as all eight corners
   stay in a picture of that shape, with 5 % of margin. */
SlCamera sl_camera_around(const SlBox *box, float width, float height);
SlVec3 sl_camera_to_view(const SlCameraFrame *frame, SlVec3 point);
/* False with a reason where eye and target coincide, up is parallel, or a number is not finite. */
bool sl_camera_valid(const SlCamera *camera, const char **reason);
/* The same of a path, and of the camera at its keys. */
bool sl_camera_path_valid(const SlCamera *camera, const SlCameraPath *path, const char **reason);

#endif
