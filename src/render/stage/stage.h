/* The stage: what a picture shows besides the simulation, the same for every renderer: light, sky,
   ground, colours of solids, bounds, and a camera where none is given. Made from a frame view and the
   renderer's parameters; every renderer's table begins with the rows SL_STAGE_ROWS. */
#ifndef RENDER_STAGE_STAGE_H
#define RENDER_STAGE_STAGE_H

#include "math/vec3.h"
#include "sleet/params.h"
#include "sleet/view.h"

/* The first rows of a renderer's table, in their order. */
enum {
    SL_STAGE_WIDTH, SL_STAGE_HEIGHT, SL_STAGE_SOLID_COLOR, SL_STAGE_GROUND_COLOR,
    SL_STAGE_BACKGROUND_TOP, SL_STAGE_BACKGROUND_BOTTOM, SL_STAGE_LIGHT, SL_STAGE_EXPOSURE,
    SL_STAGE_GROUND, SL_STAGE_DOMAIN, SL_STAGE_ROW_COUNT
};

/* clang-format off */
#define SL_STAGE_THREE_(...) __VA_ARGS__
/* What differs between renderers are defaults: colours of the ground and of the background, each as
   (r, g, b), the direction to the light, exposure, whether the domain's edges are drawn. */
#define SL_STAGE_ROWS_WITH(ground_, top_, bottom_, light_, exposure_, edges_) \
    [SL_STAGE_WIDTH] = {"width", SL_PARAM_INTEGER, {{1280}}, 1, 8192, "pixel", NULL, \
        "picture width"}, \
    [SL_STAGE_HEIGHT] = {"height", SL_PARAM_INTEGER, {{720}}, 1, 8192, "pixel", NULL, \
        "picture height"}, \
    [SL_STAGE_SOLID_COLOR] = {"solid_color", SL_PARAM_VEC3, {{0.80, 0.76, 0.70}}, 0, 1, "sRGB", NULL, \
        "colour of colliders without a material of their own"}, \
    [SL_STAGE_GROUND_COLOR] = {"ground_color", SL_PARAM_VEC3, {{SL_STAGE_THREE_ ground_}}, 0, 1, \
        "sRGB", NULL, "colour of the ground, unless the domain has a material of its own"}, \
    [SL_STAGE_BACKGROUND_TOP] = {"background_top", SL_PARAM_VEC3, {{SL_STAGE_THREE_ top_}}, 0, 1, \
        "sRGB", NULL, "colour of the background at the top of the picture, or of the zenith"}, \
    [SL_STAGE_BACKGROUND_BOTTOM] = {"background_bottom", SL_PARAM_VEC3, \
        {{SL_STAGE_THREE_ bottom_}}, 0, 1, "sRGB", NULL, \
        "colour of the background at the bottom of the picture, or of the horizon"}, \
    [SL_STAGE_LIGHT] = {"light", SL_PARAM_VEC3, {{SL_STAGE_THREE_ light_}}, -1e6, 1e6, "", NULL, \
        "direction from the scene to the key light"}, \
    [SL_STAGE_EXPOSURE] = {"exposure", SL_PARAM_NUMBER, {{exposure_}}, 0.01, 100, "", NULL, \
        "brightness of all lights"}, \
    [SL_STAGE_GROUND] = {"ground", SL_PARAM_BOOL, {{1}}, 0, 1, "", NULL, \
        "draw the ground under the domain"}, \
    [SL_STAGE_DOMAIN] = {"domain", SL_PARAM_BOOL, {{edges_}}, 0, 1, "", NULL, \
        "draw the edges of the domain"}
#define SL_STAGE_ROWS \
    SL_STAGE_ROWS_WITH((0.49, 0.53, 0.58), (0.26, 0.33, 0.42), (0.62, 0.68, 0.74), \
                       (-0.35, 1.0, 0.45), 1, 1)
/* clang-format on */

/* A level plane with pale squares that fades into the background away from the scene. */
typedef struct SlGround {
    bool visible;
    float height;  /* m: y */
    SlVec3 color;  /* linear */
    SlVec3 center; /* m: squares and distance are counted from here */
    float checker; /* m: side of a square */
    float fade;    /* m: distance from the centre at which it is gone */
} SlGround;

/* A sky seen by direction, for renderers that show a horizon: a gradient from the horizon to the
   zenith, soft clouds, a glow around the sun. Directions in the space of the rays that look it up. */
typedef struct SlSky {
    SlVec3 up, to_sun, east, north; /* unit; east and north carry the clouds */
    SlVec3 zenith, horizon, below;  /* light; below: what a ray meets that points down */
    SlVec3 sun;                     /* light of the glow */
} SlSky;

/* Colours are linear and include the exposure; lengths in m, world space. */
typedef struct SlRenderStage {
    SlBox scene;   /* the domain; an open side is where particles and meshes end */
    SlBox reach;   /* the scene and its meshes, at most the scene's size beyond it on each side */
    SlBox shadow;  /* what a shadow map covers: the reach, in steps */
    SlBox edges;   /* of the domain, to be drawn; sides may be infinite */
    bool draw_edges;
    float spacing; /* of particles, the largest; where there are none, a sixtieth of the diagonal */
    float diagonal; /* of the scene */
    SlVec3 to_light; /* unit, to the key light, which is infinitely far */
    SlVec3 key, sky, bounce; /* light from the key light, from above and from below */
    SlVec3 background_top, background_bottom;
    SlVec3 solid_color; /* of solids without a material of their own */
    SlGround ground;
    bool outdoor; /* the background is a sky with a horizon, the ground has tiles */
} SlRenderStage;

/* The colour of a material that the scene or a program chose; `color` where the material is unset or
   has the colour that materials of the kind `usual` have by default. */
SlVec3 sl_stage_color(const SlMaterial *material, SlMaterialKind usual, SlVec3 color);
/* `values`: of a renderer whose table begins with SL_STAGE_ROWS. */
SlRenderStage sl_stage_make(const SlFrameView *view, const SlParamValue *values);
/* The sky of an outdoor stage in the axes of a camera (right, up, forward). */
SlSky sl_stage_sky(const SlRenderStage *stage, SlVec3 right, SlVec3 up, SlVec3 forward);

/* --- Bounds. --- */

/* The domain; an open side is where particles and meshes end. A unit box where there is nothing. */
SlBox sl_stage_box(const SlFrameView *view);
/* The domain has an open side. */
bool sl_stage_is_open(const SlFrameView *view);
/* Where the domain is open below, a level plane collider is the ground. */
bool sl_stage_is_floor(const SlFrameView *view, const SlShape *shape);
/* The highest of those; false: there is none. */
bool sl_stage_floor(const SlFrameView *view, float *height);
SlBox sl_stage_reach(const SlFrameView *view, const SlBox *scene);
SlBox sl_stage_shadow_box(const SlBox *scene, const SlBox *reach);
float sl_stage_spacing(const SlFrameView *view, const SlBox *scene);
/* The tank that a closed domain with a surface of water stands for: false where sides are open or a solid
   stands within `near` of one. Of an open top the walls are 0.6 of the shorter side high. */
bool sl_stage_tank(const SlFrameView *view, float near, SlBox *tank);

#endif
