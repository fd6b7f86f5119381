/* Spray, foam and bubbles after [Ihmsen 2012]: diffuse particles that water emits where it traps air or
   breaks, and that it carries. Steps of a frame, in this order:

     cloud.c     the water's particles sorted into cells
     advance.c   the diffuse particles of the last output move to this frame's time, change phase, age
     emit.c      potentials of the water's particles, and the new diffuse particles
     solids.c    walls and colliders, for both
     meshes.c    colliders that are triangle meshes

   Quantities scale with the flow: s is the spacing of the water's particles, g gravity, H the depth of
   the water at the start, T = √(H/g). */
#ifndef FILTERS_WHITEWATER_WHITEWATER_H
#define FILTERS_WHITEWATER_WHITEWATER_H

#include "core/context.h"
#include "frame/view.h"
#include "spatial/grid.h"

typedef enum WhitewaterPhase {
    WHITEWATER_SPRAY,
    WHITEWATER_FOAM,
    WHITEWATER_BUBBLE,
    WHITEWATER_DEAD /* not in outputs */
} WhitewaterPhase;

/* The parameters, and what follows from them and the frame. */
typedef struct WhitewaterSettings {
    uint64_t seed, frame;
    float trapped_air, wave_crest; /* emitted area over s², per T at full potential */
    float trapped_air_ramp[2];     /* √(g s) */
    float crest_ramp[2];
    float energy_ramp[2];          /* g H */
    float gravity[3], g;           /* m/s²; g is 9.81 where there is no gravity */
    float depth, time;             /* H (m), T (s) */
    float size;                    /* m: root mean square of the radii */
    float lifetime;                /* s */
    float spray_drag, bubble_drag; /* 1/s, of particles of the mean size */
    float buoyancy;                /* over g */
    float rise;                    /* m/s: a bubble's final velocity */
    float dt;                      /* s since the last output */
    uint32_t steps;                /* sub-steps of dt */
    size_t max_particles;
} WhitewaterSettings;

/* A system of water. */
typedef struct WaterSource {
    const SlSystemView *system;
    SlFieldView id, position, velocity;
    size_t first; /* its first particle among those of all systems */
} WaterSource;

/* The water's particles in the order of the grid. Eight are read at once: as many lie behind the last,
   far away. */
typedef struct WaterCloud {
    const WaterSource *sources;
    size_t source_count, count;
    float spacing;      /* m: the largest of all systems */
    float radius;       /* m: of neighbourhoods, 2 spacings */
    float max_speed;    /* m/s */
    float low[3], high[3]; /* bounds; low > high: no particles */
    float *x[3], *v[3]; /* m, m/s */
    float *volume;      /* over spacing³ */
    uint32_t *order;    /* place → particle among those of all systems */
    uint32_t *id;       /* of the particle; its index where its system has no ids */
    SlCellGrid grid;    /* cells as wide as the radius */
} WaterCloud;

/* In full water: particles within the radius, 4/3 π 2³, and the sum of their weights (1 − r²/R²)³,
   64/315 π 2³. */
#define WHITEWATER_FULL_COUNT 33.51f
#define WHITEWATER_FULL_WEIGHT 5.106f

/* SL_ERROR_MEMORY without a message. Scratch stays on the context's arena. Destroy it in any case. */
SlStatus water_cloud_create(SlContext *context, const WaterSource *sources, size_t source_count,
                            WaterCloud *cloud);
void water_cloud_destroy(WaterCloud *cloud);
/* The source of a place. */
const WaterSource *water_cloud_source(const WaterCloud *cloud, size_t place);

/* Triangles of all meshes in cells. */
typedef struct WaterMeshes {
    uint32_t count;
    float (*corner)[9]; /* m: three corners each */
    SlBox bounds;
    float inverse_cell; /* 1/m */
    uint32_t size[3];
    size_t *start; /* triangles of cell c: item[start[c]] … item[start[c + 1] - 1] */
    uint32_t *item;
} WaterMeshes;

/* False: no memory. */
bool water_meshes_create(SlContext *context, const SlFrameView *frame, float spacing,
                         WaterMeshes *meshes);
/* Ends a path that would come nearer than `margin` to a triangle; true: it did, and `normal` is that of the
   triangle on this side. */
bool water_meshes_collide(const WaterMeshes *meshes, const float from[3], float to[3], float margin,
                          float normal[3]);

/* Walls and colliders. */
typedef struct WaterSolids {
    SlBox domain;
    const SlColliderView *const *colliders; /* shapes */
    const SlBox *bounds;
    size_t count;
    WaterMeshes meshes;
} WaterSolids;

bool water_solids_create(SlContext *context, const SlFrameView *frame, float spacing,
                         WaterSolids *solids);
/* The part of a neighbourhood, by weights (1 − r²/R²)³, that is not within solids: what a particle in full
   water can have there. */
float water_solids_open(const WaterSolids *solids, const float x[3], float radius);
/* Keeps a particle that moved from `from` to `to` out of solids by `margin`; true: it touched one. */
bool water_solids_collide(const WaterSolids *solids, const float from[3], float to[3], float v[3],
                          float margin);
/* Takes the part of a normal away that points into a solid within the radius: water that touches a
   solid has no surface there. */
void water_solids_clip_normal(const WaterSolids *solids, const float x[3], float radius,
                              float normal[3]);

/* The diffuse particles: arrays of `count`; positions and velocities have 3 floats each. */
typedef struct Whitewater {
    size_t count;
    uint32_t *id, *phase;
    float *position, *velocity; /* m, m/s */
    float *radius, *lifetime;   /* m, s left */
} Whitewater;

bool whitewater_push(SlArena *arena, size_t count, Whitewater *particles);
/* Moves all from the last output to this frame; dead ones have phase WHITEWATER_DEAD. */
void whitewater_advance(SlContext *context, const WhitewaterSettings *settings,
                        const WaterCloud *cloud, const WaterSolids *solids, Whitewater *particles);
/* The water around a point. Without any all is 0. */
typedef struct WaterProbe {
    float count;    /* neighbours over those in full water */
    float fullness; /* their weights over those in full water: smooth in x, ½ on a flat surface */
    float velocity[3];
} WaterProbe;
WaterProbe water_probe(SlContext *context, const WaterCloud *cloud, const WaterSolids *solids,
                       const float x[3]);
WhitewaterPhase whitewater_classify(const WaterProbe *water);

/* Emission in two parts: the numbers of new particles, then the particles. */
typedef struct WhitewaterEmission {
    SlContext *context;
    const WhitewaterSettings *settings;
    const WaterCloud *cloud;
    const WaterSolids *solids;
    /* per place of the cloud */
    float *energy, *air;        /* potential of kinetic energy; 0 to 1: air in the neighbourhood */
    float *trapped, *normal[3]; /* normal: 0 where there is no surface */
    float *expected;            /* new particles, on average */
    double *partials;           /* of sums, by chunk */
    size_t *chunk_first;        /* first new particle of a chunk */
    float scale;                /* of `expected`, below 1 near the limit */
    size_t total;               /* new particles */
    Whitewater *particles;
    size_t first;     /* of the new ones in `particles` */
    uint32_t next_id; /* of the first new one */
} WhitewaterEmission;

/* Numbers, at most `room` together. False: no memory. */
bool whitewater_count(WhitewaterEmission *emission, size_t room);
/* Fills particles [first, first + total). */
void whitewater_emit(WhitewaterEmission *emission);

#endif
