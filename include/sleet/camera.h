/* Sleet: cameras, for drawing and for level of detail. */
#ifndef SLEET_CAMERA_H
#define SLEET_CAMERA_H

#include "sleet/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A pinhole camera. */
typedef struct SlCamera {
    char name[32];
    SlVec3 eye, target;
    SlVec3 up;       /* default (0, 1, 0) */
    float fov;       /* full vertical angle in degrees, (1, 170); default 40 */
    float weight;    /* of its level of detail among several cameras', [0, 1e6]; 0: it does not
                        count; default 1 */
} SlCamera;

/* So many cameras a world may have, and so many of them with a weight. */
enum { SL_MAX_VIEW_CAMERAS = 256, SL_MAX_CAMERAS = 16 };
SL_API SlCamera sl_default_camera(void);

/* Where a camera is at one time. */
typedef struct SlCameraKey {
    double time; /* s */
    SlVec3 eye, target;
    float fov; /* degrees, (1, 170) */
} SlCameraKey;

/* How a camera moves: through keys, or on a circle. */
typedef struct SlCameraPath {
    /* [1, SL_MAX_CAMERA_KEYS] keys, times increasing: smooth between them, at rest before the first and
       after the last. Copied where a path is set. 0 keys: the circle */
    const SlCameraKey *keys;
    size_t key_count;
    /* The eye is at center + (radius sin a, height, radius cos a) with a = start + speed × time; the
       camera looks at its own target. */
    SlVec3 center;        /* m */
    float radius, height; /* m; radius above 0 */
    float speed, start;   /* degrees per second, degrees */
} SlCameraPath;

enum { SL_MAX_CAMERA_KEYS = 4096 };
/* The camera at a time (s). */
SL_API SlCamera sl_camera_on_path(const SlCamera *camera, const SlCameraPath *path, double time);

/* A depth image drawn by the host's renderer, for level of detail instead of Sleet's own. It may
   show anything that hides the fluid. The pixels belong to the caller. */
typedef struct SlDepthView {
    SlCamera camera; /* the view that was drawn; pixels are square */
    uint32_t width, height; /* pixels, [1, 16384] */
    /* width × height values, rows from the top: distance in m along the view direction (not along
       the ray) of what is seen in the pixel; infinity where nothing is */
    const float *depth;
} SlDepthView;

#ifdef __cplusplus
}
#endif
#endif
