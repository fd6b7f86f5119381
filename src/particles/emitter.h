/* Emitters and drains of one system, and the count of its ids. What they carry from step to step
   (layers and particles emitted and owed, the next id) is state: hashed and checkpointed with the world. */
#ifndef PARTICLES_EMITTER_H
#define PARTICLES_EMITTER_H

#include "particles/particles.h"
#include "sleet/emitter.h"

enum { SL_MAX_EMITTERS = 32, SL_MAX_DRAINS = 32 };

typedef struct SlEmitter {
    SlEmitterDef def;
    SlVec3 across, along; /* unit vectors in the opening */
    double interval;      /* s between two layers */
    int sites[2];         /* lattice sites across and along that may be of the opening */
    int64_t ring;         /* of a disk: squared distance of its outermost sites, in half spacings */
    uint64_t ring_sites, ring_used; /* sites at that distance, and how many are of the opening */
    bool removed;         /* its slot may be used again */
    uint16_t generation;  /* of handles to it */
    /* state */
    uint64_t layers;  /* emitted so far */
    uint64_t emitted; /* particles emitted so far */
    uint64_t owed;    /* particles that were due and found no place */
} SlEmitter;

typedef struct SlFlow {
    SlEmitter emitters[SL_MAX_EMITTERS];
    uint32_t emitter_count;
    SlShape drains[SL_MAX_DRAINS];
    uint32_t drain_count;
    float farthest; /* m from the origin along an axis; 0: the domain has no open side */
    bool remove_beyond; /* remove particles that are farther, or stop with an error */
    double work; /* J per kg, summed over particles: by emitters on others' particles in this step */
    uint64_t next_id; /* state: [0, SL_MAX_ID + 1] */
    uint64_t removed; /* state: particles removed so far */
    uint64_t changed; /* state: 1: a program added, removed or moved particles since the last step */
} SlFlow;

/* The last id; ids are never used again, so a system is at its end when all were given. */
#define SL_MAX_ID (UINT32_MAX - 1)

/* The system that emitters and drains act on. */
typedef struct SlFlowTarget {
    SlParticles *particles;
    const char *name; /* of the system, for messages */
    float spacing;    /* m */
    double time;      /* s, at the beginning of the step */
    SlArena *arena;   /* scratch; what is pushed is released */
} SlFlowTarget;

/* Takes `count` ids; the first is returned in *first. SL_ERROR_NUMBERS when too few are left. */
SlStatus sl_flow_take_ids(SlFlow *flow, const char *system_name, uint64_t count, uint32_t *first,
                          SlError *error);

/* Checks the definition and computes the layers for that spacing. */
SlStatus sl_emitter_init(SlEmitter *emitter, const SlEmitterDef *def, double spacing,
                         SlError *error);
/* Number of places in one layer: the area of the opening in squares of the spacing. */
uint64_t sl_emitter_layer_size(const SlEmitter *emitter);

/* Before a step of dt: drives the particles in the openings of emitters, emits the layers that are
   due, and what is owed where there is room. */
SlStatus sl_flow_emit(SlFlow *flow, const SlFlowTarget *target, double dt, SlError *error);
/* After a step: removes the particles inside a drain or beyond the farthest. */
SlStatus sl_flow_drain(SlFlow *flow, const SlFlowTarget *target, SlError *error);
/* Whether particles can be emitted or removed, or were changed by a program. */
static inline bool sl_flow_changes(const SlFlow *flow)
{
    return flow->emitter_count > 0 || flow->drain_count > 0 || flow->farthest > 0 ||
           flow->changed != 0;
}
/* Continues the world's hash with the state. */
uint64_t sl_flow_hash(const SlFlow *flow, uint64_t seed);

#endif
