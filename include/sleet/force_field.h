/* Sleet: force fields: accelerations beside gravity, given by a program's function or built in.
   They act on the particles of water and snow at the head of each sub-step. */
#ifndef SLEET_FORCE_FIELD_H
#define SLEET_FORCE_FIELD_H

#include "sleet/params.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Particles of one system: element i of an array starts at 4 i floats (x, y, z and one to be left
   alone). The function adds to `accelerations`, in m/s². */
typedef struct SlForceBatch {
    double time;             /* s: the beginning of the sub-step */
    double dt;               /* s: its length */
    size_t count;            /* at most 512 */
    const float *positions;  /* m */
    const float *velocities; /* m/s */
    const uint32_t *ids;     /* one per particle */
    float *accelerations;    /* m/s² */
    const float *plastic;    /* snow: the field "plastic", one per particle; NULL: not snow */
} SlForceBatch;

/* Called from several threads at once, each with particles of its own. What it adds must depend on
   the batch and on `user` alone, element by element: then results depend neither on the number of
   threads nor on how particles are cut into batches. */
typedef void (*SlForceFunction)(void *user, const SlForceBatch *batch);

typedef struct SlForceFieldDef {
    uint32_t cookie, size;    /* set by sl_default_force_field_def */
    const char *kind;         /* a name of sl_force_field_tables: "uniform", "wind", "air",
                                 "vortex", "point", or "function" */
    SlSystemId system;        /* the one it acts on; null (default): all */
    SlForceFunction function; /* of the kind "function" */
    void *user;               /* handed to it; not owned */
} SlForceFieldDef;

SL_API SlForceFieldDef sl_default_force_field_def(const char *kind);

/* The kinds with their parameters, as for solvers. */
SL_API const SlTable *const *sl_force_field_tables(size_t *count);

#ifdef __cplusplus
}
#endif
#endif
