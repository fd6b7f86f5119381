/* Screen-space water, one picture. Liquids are drawn as a smooth surface over a background of solids,
   ground, sky and other particles; both come from the splat renderer (splats.h), one state each.

     split       frame view -> view of the background, view of the liquids         layers.c
     background  solids, ground, other particles: depth, normal, light              splats
     liquids     spheres of 0.7 s or the surface's triangles: depth, normal          splats
     spread      particles -> thickness (camera), cover (light)                      spread.c
     layer       both depths -> depth, coverage, normal                              water_layer_kernels.c
     smooth      depth -> depth, narrow-range filter [Truong 2018]; normals          water_layer_kernels.c
     caustics    the liquids' shadow map -> caustic                                  caustics.c
     shadow      cover, caustic -> the background's key light                                 water_light_kernels.c
     foam        whitewater -> foam, deep, mist                                      spread.c
     shade       all of it -> light                                                  water_light_kernels.c
     tank        panes and edges of glass over it                                     tank.c

   Symbols: s spacing of the particles, z depth along the view direction. Row planes have a margin of
   SL_WATER_MARGIN on every side, which holds "no water"; pixel (x, y) is at
   (y + SL_WATER_MARGIN) stride + x + SL_WATER_MARGIN. */
#ifndef RENDER_WATER_WATER_H
#define RENDER_WATER_WATER_H

#include "render/splats/splats.h"

enum {
    SL_WATER_MARGIN = 96,
    SL_WATER_REACH = 88,   /* pixels: largest radius of the filter */
    SL_WATER_MIST = 4,     /* pixels a side of a pixel of mist */
    SL_WATER_COARSE = 2    /* pixels (texels of the shadow map) a side of a thickness (cover) pixel */
};

/* Soft discs that are added up in planes. Disc k has record[4 k …]: x, y, 1 / radius² in the plane's
   pixels, and its height in the middle; it adds height (1 - d² / r²)² at a distance d. */
typedef struct SlDiscs {
    size_t count;
    float *record;
    float *streak; /* half of the path that a disc is drawn along: x, y in pixels; NULL: none */
    float *value; /* what is summed in plane[1], times the height; NULL: there is no plane[1] */
    SlRect *rect;
    SlBins bins;
    uint32_t width, height, tiles_x, tiles_y, stride;
    float *plane[2];
} SlDiscs;

/* Liquids of different colours that are told apart; more are drawn as the last of these. */
enum { SL_WATER_LIQUIDS = 8 };
/* What is by liquid, eight of each. */
typedef struct SlWaterTints {
    float absorption[3][SL_WATER_LIQUIDS]; /* 1/m */
    float scatter[3][SL_WATER_LIQUIDS];    /* light that deep water sends back */
    float scatter_rate[SL_WATER_LIQUIDS];  /* 1/m: 1 - exp(-rate L) of it comes from a path L */
} SlWaterTints;

typedef struct SlWaterLook {
    SlSky sky;              /* view space */
    SlVec3 key, ambient;    /* light of the sun, of the sky */
    SlVec3 absorption;      /* 1/m: the mean of the liquids */
    SlWaterTints tints;     /* by liquid */
    SlVec3 floor;           /* light of the bare ground in the sun */
    float index;            /* of refraction */
    float ground_y, eye_y;  /* m; ground_y is -infinity without a ground */
    float foam_opacity;
} SlWaterLook;

/* A surface as the camera sees it. */
typedef struct SlWaterLayer {
    float *depth;     /* m; SL_DEPTH_NONE: no water */
    float *leave;     /* m: where the ray leaves the water; SL_DEPTH_NONE: not known */
    float *coverage;  /* fraction of the pixel's samples that show water */
    float *normal[3]; /* view space, towards the eye */
    float *liquid;    /* which of the liquids it is; NULL: there is one only */
} SlWaterLayer;

typedef struct SlWaterFrame {
    const SlSplatFrame *back, *liquid;
    SlWaterLook look;
    uint32_t width, height, stride;
    float spacing;          /* m: s, the largest of the liquids */
    bool has_liquid, meshed; /* meshed: every liquid is drawn by its surface */
    /* Walls seen through their outer side: pixels near them are put on them. */
    struct {
        SlVec3 normal; /* outwards, view space */
        float offset;  /* normal · x = offset on the wall */
    } wall[6];
    uint32_t wall_count;
    bool walled; /* the domain has a ground and side walls: at those, m */
    float wall_low[3], wall_high[3];
    float filter_sigma, filter_clamp, filter_range; /* m: sigma, mu, delta of the filter */

    SlWaterLayer near, far;       /* far: the next surface behind the first water; only if meshed */
    float *scratch;
    float *leave;                 /* by tile, as in SlSplatFrame: where rays leave the first water */
    float *behind;                /* linear light, 3 per pixel: background and far layer */
    SlDiscs thickness;            /* camera, coarse: plane[0] m of water along the ray */
    SlDiscs cover;                /* light, coarse: plane[0] m of water, plane[1] times depth */
    SlDiscs foam;                 /* plane[0]: optical depth of whitewater in front of the water */
    SlDiscs deep;                 /* of that behind the surface; plane[1] times its depth below it */
    SlDiscs mist;                 /* coarse, camera: plane[0] optical depth of drops too fine to be seen */
    float *sun_depth, *sun_scratch; /* coarse picture of the light: the water's surface */
    SlDiscs caustic;              /* ground seen from above: plane[0] sunlight, over that without water */
    float map_x, map_z, map_scale; /* its corner (m), pixels per m */
    float *light;                 /* linear, 3 per pixel */
} SlWaterFrame;

static inline size_t sl_water_at(const SlWaterFrame *frame, size_t x, size_t y)
{
    return (y + SL_WATER_MARGIN) * frame->stride + x + SL_WATER_MARGIN;
}

typedef struct SlWaterLayerKernels {
    /* One tile of the two splat frames. */
    void (*layer)(const SlWaterFrame *frame, const SlWaterLayer *layer, size_t tile);
    /* Rows [begin, end) of the filter along x or y, from one plane into another. */
    void (*filter_x)(const SlWaterFrame *frame, const float *in, float *out, size_t y);
    void (*filter_y)(const SlWaterFrame *frame, const float *in, float *out, size_t y);
    void (*normals)(const SlWaterFrame *frame, const SlWaterLayer *layer, size_t y);
    void (*add_discs)(const SlDiscs *discs, size_t tile);
} SlWaterLayerKernels;

typedef struct SlWaterLightKernels {
    /* One row: the background's key light through the water above it. */
    void (*shadow)(const SlWaterFrame *frame, float *lit, size_t y);
    /* One row of the far layer over the background into `behind`, of the near one over that into
       `light`, with whitewater. */
    void (*shade_far)(const SlWaterFrame *frame, size_t y);
    void (*shade_near)(const SlWaterFrame *frame, size_t y);
} SlWaterLightKernels;

SL_DECLARE_KERNELS(SlWaterLayerKernels, sl_water_layer_kernels);
SL_DECLARE_KERNELS(SlWaterLightKernels, sl_water_light_kernels);

/* A view with only the liquids, and one with everything else but whitewater. Arrays are in the
   arena. */
typedef struct SlWaterViews {
    SlFrameView liquid, back;
    SlMaterial material; /* of the liquids: the mean of them, by particles */
    bool meshed;
} SlWaterViews;

SlStatus sl_water_split(SlArena *arena, const SlFrameView *view, bool use_surface,
                        SlWaterViews *views, SlError *error);
/* Whether a particle is within two spacings of a point: it may be under water. */
bool sl_water_is_near(const SlFrameView *liquid, SlVec3 point);
/* Particles with a position. */
size_t sl_water_placed(const SlSystemView *system);
bool sl_water_is_liquid(const SlSystemView *system);
bool sl_water_is_whitewater(const SlSystemView *system);

/* Sets `look`; `tint` and `foam` are the parameters of these names. */
void sl_water_set_look(SlWaterFrame *frame, const SlRenderStage *stage, const SlWaterViews *views,
                       float tint, float foam);

/* Discs of all liquids' particles for thickness and cover; of whitewater for foam, deep and mist, which
   need the smoothed depth. Planes and sizes are set before. */
SlStatus sl_water_spread_liquid(SlContext *context, SlArena *arena, const SlFrameView *view,
                                SlWaterFrame *frame, SlError *error);
/* The surface seen from the sun, and the discs of `caustic`; needs the liquids' shadow map. */
SlStatus sl_water_caustics(SlContext *context, SlArena *arena, SlWaterFrame *frame, SlError *error);
bool sl_water_push_discs(SlArena *arena, SlDiscs *discs, size_t count, bool valued);
/* Disc k at (x, y) with radius r in pixels; one that is not finite or beside the plane is not drawn. */
void sl_water_set_disc(SlDiscs *discs, size_t k, float x, float y, float r, float height);
bool sl_water_bin_discs(SlPool *pool, SlArena *arena, SlDiscs *discs);
SlStatus sl_water_spread_foam(SlContext *context, SlArena *arena, const SlFrameView *view,
                              SlWaterFrame *frame, SlError *error);
/* 8-bit sRGB by a filmic curve, as a table over the square root of light (color.h). */
void sl_water_tone(float table[SL_TONE_SIZE]);
/* Panes and edges of glass over the picture. */
void sl_water_tank(SlContext *context, const SlWaterFrame *frame, const SlBox *box);
void sl_water_image(SlContext *context, const SlWaterFrame *frame, const float *tone,
                    const SlImage *image);
/* Planes "color", "depth" (of water where it covers half of the pixel, else of what is behind) and
   "normal" (of water). */
void sl_water_resolve(SlContext *context, const SlWaterFrame *frame, SlTarget *target);

#endif
