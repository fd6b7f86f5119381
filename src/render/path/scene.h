/* What the path tracer sees: geometry, materials, light, volumes, all made from a frame view (scene.c),
   and what a ray finds there (surface.c). World space, m. */
#ifndef RENDER_PATH_SCENE_H
#define RENDER_PATH_SCENE_H

#include "render/path/bsdf.h"
#include "render/path/intersect.h"
#include "render/path/lights.h"
#include "render/path/volume.h"
#include "render/stage/stage.h"
#include "sleet/render.h"

enum { SL_MAX_VOLUMES = 8, SL_PATH_MEDIA = 4, SL_NO_MATERIAL = 0xffff };

/* How the sun's light reaches points behind clear surfaces. */
typedef enum SlSunThrough {
    SL_SUN_PHOTONS,  /* by the photon map on ground and solids, straight elsewhere */
    SL_SUN_STRAIGHT, /* shadow rays are not bent */
    SL_SUN_TRACED    /* only by paths that meet it: correct, and noisy */
} SlSunThrough;
#define SL_SUN_NAMES "photons|straight|traced"

/* How paths find lights. */
typedef enum SlLightSampling {
    SL_SAMPLE_BOTH,   /* by both, weighted: multiple importance sampling */
    SL_SAMPLE_LIGHTS, /* by points of lights */
    SL_SAMPLE_SURFACES /* by directions of what scatters */
} SlLightSampling;
#define SL_LIGHT_SAMPLING_NAMES "both|lights|surfaces"

typedef struct SlPathSettings {
    uint32_t samples, seed;
    uint32_t max_bounces, max_scatterings;
    float clamp; /* of a contribution after the first bounce; 0: none */
    SlSunThrough sun_through;
    float aperture, focus; /* m; focus 0: the camera's target */
    bool haze; /* far ground fades into the horizon */
    SlLightSampling sampling;
    bool hide_lamps; /* the camera does not see them */
} SlPathSettings;

typedef struct SlPhotonMap SlPhotonMap;

/* Wetness by cell, 255 at water; value NULL: everything is dry. */
typedef struct SlWetMap {
    SlVec3 origin;
    float inverse_cell; /* 1/m */
    uint32_t count[3];
    uint8_t *value; /* x fastest */
} SlWetMap;

typedef struct SlPathScene {
    SlGeometry geometry;
    const float *normals;          /* 3 per vertex; zero: the triangle's own */
    const uint16_t *triangle_material, *sphere_material;
    SlPathMaterial *materials;
    size_t material_count, material_room;
    SlIntersector intersector;
    bool has_clear; /* some material is clear */
    SlBox clear_bounds; /* of all clear primitives */
    struct {
        bool visible;
        float height, tile, bump; /* m */
        float grain;              /* m: length of the grain of snow */
        SlVec3 center;
        float haze; /* m: distance at which it fades */
        uint16_t material;
    } ground;
    SlSun sun;
    SlSurroundings sky;
    SlLamps lamps;
    uint16_t lamp_material; /* of the first; the others follow */
    SlVolumeSlices volumes[SL_MAX_VOLUMES];
    size_t volume_count;
    const SlPhotonMap *photons; /* NULL: none */
    SlWetMap wet;
    SlPathSettings settings;
    const float *motion, *sphere_motion; /* m, 3 per vertex and sphere; also where nothing moves during the picture */
    float per_motion;                    /* 1/s: velocity is motion × this */
    float spacing;  /* m */
    SlRenderStage stage;
} SlPathScene;

/* The clear materials that a point is in; the one with the highest priority counts. */
typedef struct SlMedia {
    uint8_t count;
    uint16_t id[SL_PATH_MEDIA];
} SlMedia;

/* A point on a surface. */
typedef struct SlSurface {
    float t;
    SlVec3 position;
    SlVec3 flat, normal;   /* of the triangle, of the shading; outwards */
    uint16_t material;
    uint32_t primitive;    /* SL_NO_PRIMITIVE: the ground */
    SlVec3 albedo;
    float u, v;            /* of a triangle, as in SlHit */
    float radius;          /* m, of a sphere; 0: a triangle or the ground */
} SlSurface;

/* The view, settings and values of a picture. */
typedef struct SlSceneInput {
    const SlRenderJob *job;
    const SlRenderStage *stage;
    const SlVolumeSettings *volume;
    const SlIntersectorKind *intersector; /* NULL: the faster one for so many primitives */
    double shutter_open, shutter_close; /* s */
    bool velocities;                    /* of snow are kept, for sl_volume_velocity */
    float tint, foam;                   /* factors of absorption and of whitewater's size */
    SlPattern ground;
    bool tank;                          /* draw the walls of a closed domain with water as glass */
    float mist;                         /* factor of the extinction around spray */
    float wet;                          /* spacings from water to where solids are dry */
    const char *hide;                   /* names of colliders that are not drawn, by commas; NULL: none */
} SlSceneInput;

/* Arrays are in the arena. Destroy the scene in any case; lights and settings are set by the caller,
   but for the lamps, which must be set before. */
SlStatus sl_path_scene_build(SlContext *context, SlArena *arena, const SlSceneInput *input,
                             SlPathScene *scene, SlError *error);
void sl_path_scene_destroy(SlPathScene *scene);

/* --- What water brings besides its surface (scene_water.c). --- */

enum { SL_GRAINS = 5, SL_TANK_BOXES = 4 };

typedef struct SlGrain {
    SlVec3 offset; /* m, from the particle */
    float radius;  /* m */
} SlGrain;

/* Grain `part` of [0, SL_GRAINS) of a particle of whitewater; visible: m, the radius that can be seen. */
SlGrain sl_whitewater_grain(uint32_t id, uint32_t part, float radius, float visible);
/* *volume becomes NULL where there is no spray. spacing: the water's. */
SlStatus sl_mist_create(SlContext *context, SlArena *arena, const SlSystemView *white, float spacing,
                        float mist, SlVolume **volume, SlError *error);
/* Draws the drops of a surface smaller; false: no memory. */
bool sl_shrink_drops(SlArena *arena, float *positions, size_t vertex_count, const uint32_t *triangles,
                     size_t triangle_count, float spacing);

typedef struct SlTank {
    float positions[3 * 8 * SL_TANK_BOXES];
    uint32_t triangles[3 * 12 * SL_TANK_BOXES];
    size_t vertex_count, triangle_count;
} SlTank;

void sl_tank_make(const SlBox *walls, float spacing, SlTank *tank);

/* --- Wet solids (scene_wet.c). --- */

/* Of the water's particles; reach: spacings. False: no memory. */
bool sl_wet_make(SlArena *arena, const SlFrameView *view, float reach, SlWetMap *map);
/* 0 to 1. */
float sl_wet_at(const SlWetMap *map, SlVec3 position);

/* --- Rays. --- */

/* Whether rays see each primitive as clear or opaque, triangles first; sets `clear_bounds`. */
void sl_scene_classes(SlPathScene *scene, uint8_t *classes);
/* The nearest surface, ground included. */
bool sl_scene_hit(const SlPathScene *scene, const SlRay *ray, SlSurface *surface);
/* Only distance and primitive. */
bool sl_scene_blocked(const SlPathScene *scene, const SlRay *ray, uint32_t mask);
/* Fills the surface of a hit. */
void sl_scene_surface(const SlPathScene *scene, const SlRay *ray, const SlHit *hit, SlSurface *surface);
/* m/s, of what is there; of a sphere that of its centre. */
SlVec3 sl_scene_velocity(const SlPathScene *scene, const SlSurface *surface);
/* A point a little off the surface, to the side of `side`. */
SlVec3 sl_offset(SlVec3 position, SlVec3 flat, SlVec3 side);

/* --- Media. --- */
void sl_media_enter(SlMedia *media, uint16_t material);
void sl_media_leave(SlMedia *media, uint16_t material);
/* The material that counts; SL_NO_MATERIAL: air. */
uint16_t sl_media_top(const SlMedia *media, const SlPathScene *scene);
/* Those around a point, counted along a ray from far away. */
SlMedia sl_media_at(const SlPathScene *scene, SlVec3 point);
/* What is left of light after a way t within the medium. */
SlVec3 sl_media_transmit(const SlPathScene *scene, const SlMedia *media, float t);

#endif
