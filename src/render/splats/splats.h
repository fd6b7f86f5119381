/* The splat renderer's own data: what one picture works on, shared by its kernels.

   A picture is made in this order; the first four are `begin`, the others the passes:
     gather      frame view -> world (x, y, z, radius), color           gather.c
     project     world -> record, rect, key (camera); light_record, light_rect
     sort, bin   key -> order -> bins; light_rect -> light_bins         bins.c
     solids      frame view -> solids; triangles with normals and bins  solids.c, mesh.c
     shadow      light_bins, solids, triangles -> shadow.depth          splats_sphere_kernels.c, …
     raster      solids, triangles, bins -> z, id, normal, albedo       splats_sphere_kernels.c, …
     light       depth, normal, shadow -> raw occlusion, lit; blur      splats_light_kernels.c
     shade       all of it -> pixels, light                             splats_shade_kernels.c
   and after the last pass
     edges       the domain's box over the pixels                       resolve.c
     planes      z, normal, albedo, light -> target                     resolve.c

   Pixels are stored by tile, so that one chunk writes one tile and nothing else: pixel (x, y) of
   sample s is at ((tile samples + s) SL_TILE + y % SL_TILE) SL_TILE_STRIDE + x % SL_TILE. The eight
   spare floats of a row take what a vector writes past a tile's right side. Planes that are read
   across tiles (depth, occlusion, lit, shadow.depth) are plain rows with a margin of SL_MARGIN. */
#ifndef RENDER_SPLATS_SPLATS_H
#define RENDER_SPLATS_SPLATS_H

#include "core/machine.h"
#include "math/camera.h"
#include "render/splats/bins.h"
#include "render/color.h"
#include "render/stage/stage.h"
#include "sleet/render.h"

enum {
    SL_TILE_SHIFT = 5,
    SL_TILE = 1 << SL_TILE_SHIFT,
    SL_TILE_STRIDE = SL_TILE + 8,
    SL_TILE_SIZE = SL_TILE * SL_TILE_STRIDE,
    SL_SAMPLES_MAX = 8,
    SL_MARGIN = 8,
    SL_TAPS = 12 /* depth samples of the occlusion at a pixel */
};

#define SL_TAP_REACH 0.1f /* largest distance of a tap, in picture heights */
#define SL_NEAR 1e-4f /* m: surfaces nearer to the eye are not drawn */
#define SL_DEPTH_NONE 1e30f /* depth where nothing is: finite, so that no infinity turns into NaN */

/* The top two bits of a packed normal. */
enum { SL_PIXEL_NONE, SL_PIXEL_PARTICLE, SL_PIXEL_SOLID, SL_PIXEL_GROUND };

/* A shape as it is drawn. A plane collider is shown only inside `clip`. */
typedef struct SlSolid {
    SlShape shape;
    SlBox clip;
    SlVec3 color; /* linear */
    bool ground;
    SlRect rect, light_rect; /* where it may be seen in the two pictures */
} SlSolid;

/* The triangles of all meshes. */
typedef struct SlTriangles {
    size_t vertex_count, count;
    SlVec3 *view;     /* vertices in view space, m */
    SlVec3 *light;    /* texel x, texel y, depth in m */
    uint32_t *corner; /* three vertices each; the first is UINT32_MAX: not to be drawn */
    SlVec3 *normal;   /* unit, view space, at those corners; only where rect is not empty */
    uint32_t *id;     /* of the mesh: what its pixels have as id */
    SlRect *rect, *light_rect;
    SlBins bins, light_bins;
} SlTriangles;

/* Rays of a picture, world space: at pixel position (x, y), origin + x origin_x + y origin_y along
   direction + x direction_x + y direction_y. The ray's parameter is the depth that is stored. */
typedef struct SlRays {
    SlVec3 origin, origin_x, origin_y, direction, direction_x, direction_y;
} SlRays;

typedef struct SlShadow {
    uint32_t size; /* texels a side, a multiple of SL_TILE; 0: no shadows */
    uint32_t tiles, stride;
    float texel;           /* m */
    SlRays rays;
    float world_row[3][4]; /* world -> texel x, texel y, depth in m away from the light */
    float view_row[3][4];  /* the camera's view space -> the same */
    float *depth;
} SlShadow;

/* Linear colours and directions in view space. */
typedef struct SlLook {
    SlVec3 to_light, up, key, sky, bounce, top, bottom;
    SlVec3 half; /* between light and eye, for an eye far away */
    float opacity, occlusion, occlusion_radius, particle_radius;
    float translucency; /* m: depth in water at which a quarter of the key light is left */
    float ground_y, checker;
    SlVec3 center; /* of the scene: the ground fades with distance from it */
    float fade;    /* m: where the ground is gone */
    bool transparent;
    bool outdoor; /* `dome` instead of top and bottom, tiles instead of squares */
    SlSky dome;   /* view space */
} SlLook;

typedef struct SlSplatFrame {
    SlCameraFrame camera;
    SlRays rays;
    SlLook look;
    uint32_t width, height, tiles_x, tiles_y, stride; /* stride: of the row planes */
    uint32_t samples;
    float offset_x[SL_SAMPLES_MAX], offset_y[SL_SAMPLES_MAX]; /* in a pixel, [0, 1) */

    /* Particles; arrays are padded to eight. */
    size_t count;
    float *world;        /* x, y, z, radius in m */
    uint32_t *color;     /* packed; then the solids', the background's, the meshes': ids index it */
    float *record;       /* view space x, y, z, radius in m */
    SlRect *rect;
    uint32_t *key;       /* front depth, in order, 24 bits; the greatest: not to be drawn */
    float *light_record; /* texel x, texel y, depth in m, radius in m */
    SlRect *light_rect;
    float *particle_lit; /* transparent style: key light that reaches the centre */
    SlBins bins, light_bins;

    const SlSolid *solids;
    uint32_t solid_count;
    SlTriangles triangles;

    /* By tile, one sample, of meshes; NULL: not wanted. `leave` becomes the nearest depth at which a ray
       leaves a mesh; with `beyond` only front sides farther than that are drawn. */
    float *leave;
    const float *beyond;
    bool closed; /* the eye is outside of all meshes, and they are closed: no back side is seen */

    /* By tile. */
    float *z;
    uint32_t *id; /* index into `color`; becomes the albedo */
    uint32_t *normal;
    uint8_t *busy; /* a tile shows more than ground and background */
    /* Rows. */
    float *depth, *raw, *occlusion, *lit;
    SlShadow shadow;

    const float *tap_x, *tap_y; /* [4 rows][SL_TAPS][8]: occlusion taps within the unit disc */
    const float *tone;
    uint8_t *pixels;
    float *light; /* the target's plane "color"; NULL: not asked for */
} SlSplatFrame;

static inline size_t sl_tile_plane(const SlSplatFrame *frame, size_t tile, uint32_t sample)
{
    return (tile * frame->samples + sample) * SL_TILE_SIZE;
}

/* What the pixels of the first mesh have as id; those of the next have the next number. */
static inline uint32_t sl_mesh_id(const SlSplatFrame *frame)
{
    return (uint32_t)frame->count + frame->solid_count + 1;
}

/* Of (0, 0) of a tile in a row plane. */
static inline size_t sl_tile_origin(size_t tile, uint32_t tiles_x, uint32_t stride)
{
    size_t x = tile % tiles_x * SL_TILE, y = tile / tiles_x * SL_TILE;
    return (y + SL_MARGIN) * stride + x + SL_MARGIN;
}

/* Particles, eight at a time from `begin`, a multiple of eight; or one tile. */
typedef struct SlSphereKernels {
    void (*project_camera)(const SlSplatFrame *frame, size_t begin, size_t end);
    void (*project_light)(const SlSplatFrame *frame, size_t begin, size_t end);
    void (*draw)(const SlSplatFrame *frame, size_t tile); /* depth and id, all samples */
    /* Ids to albedos, normals of particles. True if a tile shows more than ground and background. */
    bool (*resolve)(const SlSplatFrame *frame, size_t tile);
    void (*shadow)(const SlSplatFrame *frame, size_t tile, float *z);
} SlSphereKernels;

/* One sample plane of a tile. */
typedef struct SlTileView {
    float x, y; /* of the sample in the corner pixel */
    float *z;
    uint32_t *id;     /* NULL: not to be stored */
    uint32_t *normal;
} SlTileView;

/* Solids in `draw` and `normals` must be of a kind that has rays. */
typedef struct SlSolidKernels {
    bool (*has_rays)(uint32_t shape_kind);
    /* Nearest hits of one solid. */
    void (*draw)(const SlSolid *solid, const SlRays *rays, const SlTileView *tile,
                 uint32_t id_value);
    /* Packed view-space normals of the pixels that show `id_value`. */
    void (*normals)(const SlSolid *solid, const SlSplatFrame *frame, const SlTileView *tile,
                    uint32_t id_value);
} SlSolidKernels;

/* One tile each, where there are triangles. */
typedef struct SlMeshKernels {
    void (*draw)(const SlSplatFrame *frame, size_t tile); /* depth, id and normal, all samples */
    void (*shadow)(const SlSplatFrame *frame, size_t tile, float *z);
} SlMeshKernels;

typedef struct SlLightKernels {
    /* sky false: nothing near can hide the sky. */
    void (*gather)(const SlSplatFrame *frame, size_t tile, bool sky);
    void (*blur)(const SlSplatFrame *frame, size_t tile);
    void (*particles)(const SlSplatFrame *frame, size_t begin, size_t end);
} SlLightKernels;

/* `blend` is five planes of SL_TILE_SIZE: light gathered in front (red, green, blue), the fraction that
   is let through, and the depth behind which that is less than half; `sum` is three planes of summed
   light. */
typedef struct SlShadeKernels {
    /* One sample of one tile. */
    void (*blend)(const SlSplatFrame *frame, size_t tile, uint32_t sample, float *blend);
    /* blend NULL: nothing in front. */
    void (*plane)(const SlSplatFrame *frame, size_t tile, uint32_t sample, const float *blend,
                  float *sum);
    /* One tile, after all samples. */
    void (*pixels)(const SlSplatFrame *frame, size_t tile, const float *sum);
} SlShadeKernels;

SL_DECLARE_KERNELS(SlSphereKernels, sl_sphere_kernels);
SL_DECLARE_KERNELS(SlSolidKernels, sl_solid_kernels);
SL_DECLARE_KERNELS(SlMeshKernels, sl_mesh_kernels);
SL_DECLARE_KERNELS(SlLightKernels, sl_light_kernels);
SL_DECLARE_KERNELS(SlShadeKernels, sl_shade_kernels);

/* How particles get their colours. */
typedef struct SlColoring {
    const char *field; /* "speed", "none" or an exported field */
    uint32_t map;
    float minimum, maximum; /* equal: from the data */
    SlVec3 solid;           /* linear; where field is "none" */
    float radius_scale;
    SlBox scene;            /* for the range of speeds */
} SlColoring;

/* Fills count, world and color (with room for `extra` more colours) from all systems. */
SlStatus sl_splats_gather(SlContext *context, SlArena *arena, const SlFrameView *view,
                          const SlColoring *coloring, uint32_t extra, SlSplatFrame *frame,
                          SlError *error);
/* Fills triangles from all meshes; camera and shadow must be set. A triangle with a vertex that is
   not there or not finite is left out. */
SlStatus sl_splats_gather_meshes(SlContext *context, SlArena *arena, const SlFrameView *view,
                                 SlSplatFrame *frame, SlError *error);
/* Fills the target's planes after the last pass; "color" must have been asked for in the job. */
void sl_splats_resolve(SlContext *context, const SlSplatFrame *frame, SlTarget *target);
/* For renderers that draw solids, ground, sky and opaque particles as this one does and add to them:
   they own a state of sl_renderer_splats, begin a picture of it on their own stage, and accumulate. The
   frame is that of the picture; before the last pass `lit` may be changed. */
SlStatus sl_splats_begin(void *state, const SlRenderJob *job, const SlRenderStage *stage,
                         uint32_t *count, SlError *error);
SlSplatFrame *sl_splats_frame(void *state);
/* Draws depth, ids and normals once more. */
void sl_splats_raster(void *state);
/* Thin lines along the domain's edges, hidden where something is nearer; none at infinite sides. */
void sl_splats_edges(const SlSplatFrame *frame, const SlRenderStage *stage);

#endif
