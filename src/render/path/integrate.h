/* One path: the light that a camera ray brings back, and what it met first. */
#ifndef RENDER_PATH_INTEGRATE_H
#define RENDER_PATH_INTEGRATE_H

#include "render/path/scene.h"

typedef struct SlPathResult {
    SlVec3 light;
    SlVec3 albedo, normal; /* of the first surface; white for a clear one; zero: nothing */
    SlVec3 velocity;       /* m/s, of the first */
    float distance;        /* along the ray to the first; infinite: nothing */
} SlPathResult;

/* `media`: around the origin. */
SlPathResult sl_path_trace(const SlPathScene *scene, const SlRay *ray, const SlMedia *media,
                           SlPathSampler *sampler);

#endif
