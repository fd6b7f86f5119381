/* Level of detail per particle from what cameras see [Köster 2016 section 4]: a level is the number
   of density iterations a particle gets. Levels are assigned once per interval and carried through
   the sorts of its steps. */
#ifndef SOLVERS_PBF_LOD_LOD_H
#define SOLVERS_PBF_LOD_LOD_H

#include "solvers/solver.h"
#include "spatial/depth.h"

/* Orders of the choices of the parameters. */
typedef enum SlLodKind { SL_LOD_NONE, SL_LOD_DTC, SL_LOD_DTVS, SL_LOD_KINDS } SlLodKind;
typedef enum SlLodMap { SL_LOD_LINEAR, SL_LOD_SMOOTHSTEP, SL_LOD_POWER } SlLodMap;
typedef enum SlLodBlend { SL_LOD_MAX, SL_LOD_MEAN, SL_LOD_WEIGHTED } SlLodBlend;
typedef enum SlLodFinished { SL_LOD_ZERO, SL_LOD_HALO, SL_LOD_STALE } SlLodFinished;

enum { SL_LOD_MAX_LEVELS = 64 }; /* of gathered active sets; more levels are masked */

typedef struct SlLodSettings {
    SlLodKind kind;
    uint32_t min_level, max_level; /* iterations */
    double near, far; /* m: the distances of the highest and the lowest level; far 0: automatic */
    SlLodMap map;
    double power;
    SlLodBlend blend;
    SlLodFinished finished; /* lambda of finished neighbours */
    bool masked;            /* active sets by block, with lanes masked */
    double spacing;         /* m, of the particles */
} SlLodSettings;

/* The distances of particles [begin, end) from what one camera sees first or from the camera itself;
   `begin` is a multiple of eight. Out of view: infinity. */
typedef struct SlLodQuery {
    const SlContext *context;
    const SlLodSettings *settings;
    SlCameraFrame frame;
    const SlDepthImage *image; /* where the model needs one */
    const float *records;
    float *distance;
} SlLodQuery;

typedef struct SlLodModel {
    const char *name, *summary, *citation;
    bool needs_image;
    bool needs_extremes; /* for its automatic range */
    void (*distances)(const SlLodQuery *query, size_t begin, size_t end);
    /* Automatic range, from the smallest and the greatest distance if it needs them. */
    void (*automatic)(const SlLodSettings *settings, double smallest, double greatest, double *near,
                      double *far);
} SlLodModel;
extern const SlLodModel *const sl_lod_models[SL_LOD_KINDS];

/* Settings that contradict each other are SL_ERROR_ARGUMENT with a message: lod_near beyond lod_far,
   lod_min above iterations. */
SlStatus sl_lod_check(const SlSystem *system, const SlLodSettings *settings, SlError *error);
/* Levels of the system's particles at `records` (float4), for the cameras of its surroundings. Uses
   the system's arena. Without a camera with a weight: SL_ERROR_ARGUMENT. */
SlStatus sl_lod_assign(SlSystem *system, const SlLodSettings *settings, const float *records,
                       uint32_t *levels, SlError *error);

#endif
