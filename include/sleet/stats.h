/* Sleet: what a step reports of itself. */
#ifndef SLEET_STATS_H
#define SLEET_STATS_H

#include "sleet/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The stages of any solver's step, for timing; a solver leaves those it lacks at 0. */
typedef enum SlStage {
    SL_STAGE_PREDICT,
    SL_STAGE_SORT,
    SL_STAGE_NEIGHBOURS,
    SL_STAGE_LEVELS, /* level of detail */
    SL_STAGE_SOLVE,
    SL_STAGE_VELOCITIES, /* velocities, viscosity, density of the result */
    SL_STAGE_COUNT
} SlStage;
SL_API const char *sl_stage_name(SlStage stage);

/* What ended the iterations of a step; NONE for a solver that does a fixed number. */
typedef enum SlStop {
    SL_STOP_NONE,
    SL_STOP_MOVE,  /* no particle moved far in the last one */
    SL_STOP_MEAN,  /* mean compression */
    SL_STOP_MAX,  /* greatest compression */
    SL_STOP_LIMIT, /* as many as are allowed */
    SL_STOP_COUNT
} SlStop;
SL_API const char *sl_stop_name(SlStop stop);

/* What the particles of one system did to a body, the mean over one sub-step: pressure, contact and
   friction. sl_collider_force has the mean over a whole step of all systems. The torque is about `center`: a shape's own, the middle of a mesh's bounds, the domain's origin. */
typedef struct SlBodyForce {
    SlColliderId collider; /* null for the domain and where the collider was removed */
    const char *name; /* the collider's, or "domain" */
    SlVec3 center;    /* m */
    double force[3];  /* N */
    double torque[3]; /* N m */
} SlBodyForce;

/* What one step did. A row of stats.csv. */
typedef struct SlStepStats {
    uint64_t step; /* counted from 1 */
    double time;   /* s, at the end of the step */
    double dt;     /* s */
    uint64_t particles;
    uint32_t iterations;
    double mean_iterations; /* per particle; below `iterations` with level of detail */
    uint32_t inner_iterations; /* of a linear solver, in all of them */
    SlStop stop;
    double rho; /* that Chebyshev's method ended with; 0 without it */
    double stage_ms[SL_STAGE_COUNT];
    double mean_compression; /* mean of max(0, density / rest density - 1), after the step */
    double max_compression;
    double kinetic_energy; /* J */
    double total_energy;   /* J: kinetic + potential; potential is 0 at the origin */
    double max_speed;      /* m/s */
    const SlBodyForce *bodies; /* one per collider; valid until the next step of the system */
    size_t body_count;
} SlStepStats;

#ifdef __cplusplus
}
#endif
#endif
