/* Small frames for the path tracer: a uniform sky of light 1, no sun, no ground, no denoising. */
#ifndef TESTS_SUPPORT_PATH_CASE_H
#define TESTS_SUPPORT_PATH_CASE_H

#include "support/test.h"

enum { PATH_MAX_ROWS = 160, PATH_MAX_COLLIDERS = 4 };

typedef struct PathCase {
    SlFrameView view;
    SlColliderView colliders[PATH_MAX_COLLIDERS];
    SlSurfaceView surface;
    SlCamera camera;
    const SlTable *table;
    SlParamValue values[PATH_MAX_ROWS];
    uint32_t width, height;
    SlPixelRegion region; /* width 0: all */
    const SlFrameView *next, *previous; /* of the job */
} PathCase;

/* Looks from +z at the origin. */
PathCase path_case(uint32_t width, uint32_t height, uint32_t samples);
void path_set(PathCase *c, const char *name, double value);
void path_set_text(PathCase *c, const char *name, const char *value);
void path_set_vec3(PathCase *c, const char *name, double x, double y, double z);
void path_add_shape(PathCase *c, SlShape shape, SlMaterial material);
/* A closed box as the surface of a liquid. */
void path_add_water(PathCase *c, SlBox box, SlMaterial material);
SlMaterial path_material(SlMaterialKind kind, float color, float roughness);
/* The plane, to be freed. */
float *path_draw(const PathCase *c, uint32_t threads, const char *plane);
double path_mean(const float *values, size_t count);

#endif
