/* Sleet: where particles enter and leave a running world. */
#ifndef SLEET_EMITTER_H
#define SLEET_EMITTER_H

#include "sleet/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum SlEmitterKind { SL_EMITTER_DISK, SL_EMITTER_BOX } SlEmitterKind;

/* An opening through which layers of the fluid's lattice flow, at least a spacing apart. Particles up
   to a spacing downstream of it begin each step with its velocity, so that it gives the volume of its
   opening times speed and time at any step length. The opening's area is that of its lattice sites,
   spacing² each: of a disk pi radius² rounded to whole sites, of a box the whole spacings that fit
   into width and height. No particle is placed nearer than 0.9 spacings to another; what finds no
   place follows in a later step, up to two layers, and is lost beyond that. */
typedef struct SlEmitterDef {
    uint32_t cookie, size; /* set by sl_default_emitter_def */
    SlEmitterKind kind;
    SlVec3 center;    /* m, of the opening */
    SlVec3 direction; /* of the flow; normalised on entry; default (0, -1, 0) */
    SlVec3 up;        /* of a box: the direction of its height; default (0, 1, 0) */
    float radius;     /* m, of a disk */
    float width, height; /* m, of a box */
    float speed;      /* m/s, above 0 */
    double rate;      /* particles per second; 0: as many as fit */
    double start, end; /* s: open from start until before end; default 0 to infinity */
    uint64_t limit;   /* particles in all; 0: no limit */
    uint32_t fluid;   /* which of the system's fluids; default 0, its own */
} SlEmitterDef;

SL_API SlEmitterDef sl_default_emitter_def(SlEmitterKind kind);

#ifdef __cplusplus
}
#endif
#endif
