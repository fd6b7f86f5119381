/* Level of detail per particle from what cameras see (document 002 §4, eq. 8 to 11): a level is the
   number of density iterations a particle gets. Levels are given once per interval and carried
   through the sorts of its steps. */
#ifndef SOLVERS_PBF_LOD_LOD_H
#define SOLVERS_PBF_LOD_LOD_H

#include "spatial/depth.h"
#include "solvers/solver.h"

/* Orders of the choices of the parameters. */
typedef enum SlLodKind { SL_LOD_NONE, SL_LOD_DTC, SL_LOD_DTVS, SL_LOD_KINDS } SlLodKind;
typedef enum SlLodMap { SL_LOD_LINEAR, SL_LOD_SMOOTHSTEP, SL_LOD_POWER } SlLodMap;
typedef enum SlLodBlend { SL_LOD_MAX, SL_LOD_MEAN, SL_LOD_WEIGHTED } SlLodBlend;
typedef enum SlLodFinished { SL_LOD_ZERO, SL_LOD_HALO, SL_LOD_STALE } SlLodFinished;

enum { SL_LOD_MAX_LEVELS = 64 }; /* that sets are gathered for; more are masked */

typedef struct SlLodSettings {
    SlLodKind kind;
    uint32_t least, most; /* levels */
    double near, far; /* m: the distances of the highest and the lowest level; far 0: automatic */
    SlLodMap map;
    double power;
    SlLodBlend blend;
    SlLodFinished finished; /* lambda of finished neighbours */
    bool masked;            /* run active sets in place, by block */
    double spacing;         /* m, of the particles */
} SlLodSettings;

/* What a model is asked: the distances of particles [begin, end) from one camera's interest,
   `begin` a multiple of eight. Not seen at all: infinity. */
typedef struct SlLodQuery {
    const SlContext *context;
    const SlLodSettings *settings;
    SlCameraFrame frame;
    const SlDepthImage *image; /* if the model asks for one */
    const float *records;
    float *distance;
} SlLodQuery;

typedef struct SlLodModel {
    const char *name, *summary, *citation;
    bool needs_image;
    bool needs_extremes; /* for its automatic range */
    void (*distances)(const SlLodQuery *query, size_t begin, size_t end);
    /* Automatic range, from the least and the greatest distance there is if it needs them. */
    void (*automatic)(const SlLodSettings *settings, double least, double most, double *near,
                      double *far);
} SlLodModel;
extern const SlLodModel *const sl_lod_models[SL_LOD_KINDS];

/* Levels of the system's particles at `records` (float4), through the cameras of its surroundings.
   Uses the arena. Without a camera that counts: SL_ERROR_ARGUMENT. */
SlStatus sl_lod_assign(SlSystem *system, const SlLodSettings *settings, const float *records,
                       uint32_t *levels, SlError *error);

#endif
