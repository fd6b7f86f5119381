/* Emitters and drains of one system. What they carry from step to step (layers let through,
   particles given, the next id) is state: hashed and checkpointed with the world. */
#ifndef PARTICLES_EMITTER_H
#define PARTICLES_EMITTER_H

#include "solvers/solver.h"
#include "sleet/emitter.h"

enum { SL_MAX_EMITTERS = 32, SL_MAX_DRAINS = 32 };

typedef struct SlEmitter {
    SlEmitterDef def;
    SlVec3 across, along; /* unit vectors in the opening */
    double interval;      /* s between two layers */
    bool removed;         /* its slot may be used again */
    uint16_t generation;  /* of handles to it */
    /* state */
    uint64_t layers;  /* let through so far */
    uint64_t emitted; /* particles so far */
} SlEmitter;

typedef struct SlFlow {
    SlEmitter emitters[SL_MAX_EMITTERS];
    uint32_t emitter_count;
    SlShape drains[SL_MAX_DRAINS];
    uint32_t drain_count;
    float farthest; /* m from the origin along an axis; 0: the domain has no open side */
    bool remove_beyond; /* take out who is farther, or stop with an error */
    uint64_t next_id; /* state */
    uint64_t removed; /* state: particles taken out so far */
} SlFlow;

/* Checks the definition and works out the layers for that spacing. */
SlStatus sl_emitter_init(SlEmitter *emitter, const SlEmitterDef *def, double spacing,
                         SlError *error);
/* Places in one layer. */
uint64_t sl_emitter_layer_size(const SlEmitter *emitter, double spacing);

/* Before a step of dt: lets in the layers that are due. */
SlStatus sl_flow_emit(SlFlow *flow, SlSystem *system, double dt, SlError *error);
/* After a step: removes what is inside a drain or beyond the farthest. */
SlStatus sl_flow_drain(SlFlow *flow, SlSystem *system, SlError *error);
/* Can particles come or go? */
static inline bool sl_flow_changes(const SlFlow *flow)
{
    return flow->emitter_count > 0 || flow->drain_count > 0 || flow->farthest > 0;
}
/* The state's part of the world's hash. */
uint64_t sl_flow_hash(const SlFlow *flow, uint64_t seed);

#endif
