/* Light from far away and from lamps: the sun as a disc, the sky or an image around the scene, and
   rectangles. All radiances are linear. */
#ifndef RENDER_PATH_LIGHTS_H
#define RENDER_PATH_LIGHTS_H

#include "core/context.h"
#include "math/vec3.h"
#include "render/path/sampler.h"
#include "sleet/params.h"

typedef struct SlSun {
    SlVec3 direction; /* unit, to it */
    SlVec3 irradiance; /* on a surface that faces it; zero: no sun */
    SlVec3 radiance;
    float cosine;     /* of the disc's half angle */
    float density;    /* 1 / solid angle */
} SlSun;

/* Radiance by direction as a picture of latitude (from +y down) and longitude (from +x to +z). */
typedef struct SlSurroundings {
    uint32_t width, height;
    float *light; /* 3 per texel */
    /* Sampling: rows and columns of a coarser picture by their light. */
    uint32_t columns, rows;
    float *row_sum;    /* rows + 1, cumulative */
    float *column_sum; /* rows × (columns + 1) */
    bool uniform; /* one light from all sides */
    bool peaked; /* some directions are much brighter than the mean: they are sampled */
} SlSurroundings;

enum { SL_MAX_LAMPS = 8 };

/* A rectangle that shines to the side of its normal. */
typedef struct SlLamp {
    SlVec3 corner, side[2], normal;
    SlVec3 light; /* radiance */
    float area;
    float chance; /* that it is the one that is sampled */
} SlLamp;

typedef struct SlLamps {
    SlLamp lamp[SL_MAX_LAMPS];
    uint32_t count;
} SlLamps;

typedef enum SlSkyKind { SL_SKY_PHYSICAL, SL_SKY_GRADIENT, SL_SKY_UNIFORM } SlSkyKind;
#define SL_SKY_NAMES "physical|gradient|uniform"

typedef struct SlSkySettings {
    SlSkyKind kind;
    SlVec3 to_sun;
    float turbidity;       /* physical */
    SlVec3 zenith, horizon; /* gradient; uniform: horizon */
    float scale;           /* of all */
    float clouds;          /* [0, 1] */
} SlSkySettings;

/* Radiance of the sky in a unit direction. */
SlVec3 sl_sky_light(const SlSkySettings *sky, SlVec3 direction);
/* Colour of the sun behind the air, luminance 1. */
SlVec3 sl_sun_color(SlVec3 to_sun, float turbidity);

SlSun sl_sun_make(SlVec3 direction, SlVec3 irradiance, float half_angle_degrees);
SlVec3 sl_sun_sample(const SlSun *sun, SlPathSampler *sampler);

/* Adds a rectangle with its middle at `place` that faces `target`; width: its horizontal side. One
   without light or area is left out. */
void sl_lamps_add(SlLamps *lamps, SlVec3 place, SlVec3 target, const float size[2], SlVec3 light);
/* One of the lamps, chosen by power, and a point on it. There must be one. */
const SlLamp *sl_lamps_sample(const SlLamps *lamps, SlPathSampler *sampler, SlVec3 *point);
/* Density of that per solid angle, for light that comes in the unit direction -in from t away; 0: it
   shines to the other side. */
float sl_lamp_density(const SlLamp *lamp, SlVec3 in, float t);

/* Pictures are in the arena. */
SlStatus sl_surroundings_sky(SlContext *context, SlArena *arena, const SlSkySettings *sky,
                             SlSurroundings *out, SlError *error);
/* From an EXR or PNG file. */
SlStatus sl_surroundings_image(SlContext *context, SlArena *arena, const char *path, float scale,
                               SlSurroundings *out, SlError *error);
SlVec3 sl_surroundings_light(const SlSurroundings *s, SlVec3 direction);
/* A direction, and its density per solid angle. */
SlVec3 sl_surroundings_sample(const SlSurroundings *s, SlPathSampler *sampler, float *density);
float sl_surroundings_density(const SlSurroundings *s, SlVec3 direction);

#endif
