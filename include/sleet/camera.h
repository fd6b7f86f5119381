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
