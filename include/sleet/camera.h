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

/* So many may have a weight at once. */
enum { SL_MAX_CAMERAS = 16 };
SL_API SlCamera sl_default_camera(void);

#ifdef __cplusplus
}
#endif
#endif
