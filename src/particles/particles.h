/* The particle set: one array per field in use, all of one capacity. Owned particles are [0, n);
   up to a multiple of 8 there is padding far away; one more far record, the sentinel, is what
   the padding of neighbour lists points at. */
#ifndef PARTICLES_PARTICLES_H
#define PARTICLES_PARTICLES_H

#include "core/context.h"
#include "frame/fields.h"

/* Far enough that no kernel reaches it, near enough that its square is finite. */
#define SL_FAR 1e9f

enum { SL_MAX_PARTICLES = 0x7fffff00 };

typedef struct SlParticles {
    SlContext *context;
    uint32_t fields; /* bit per SlFieldId in use */
    size_t count;
    size_t capacity;            /* multiple of 8; the sentinel is at [capacity] */
    void *data[SL_F_COUNT];     /* capacity + 8 elements each */
    void *spare[SL_STORE_F32X4 + 1]; /* where a sort writes, one per storage in use */
} SlParticles;

SlStatus sl_particles_create(SlContext *context, uint32_t fields, size_t count,
                             SlParticles *particles, SlError *error);
void sl_particles_destroy(SlParticles *particles);
/* Bytes that sl_particles_create takes for so many. */
uint64_t sl_particles_bytes(uint32_t fields, uint64_t count);

/* Makes room for so many more; the one place where capacity grows. Contents stay, new elements are
   zero, padding and sentinel are far away. */
SlStatus sl_particles_reserve(SlParticles *particles, size_t more, SlError *error);
/* Keeps the particles whose mark is 0, in their order; marks[i] for i < count. */
void sl_particles_remove(SlParticles *particles, const uint8_t *marks);

/* Moves every SORT field to `order` (particle order[k] goes to place k). */
void sl_particles_reorder(SlParticles *particles, const uint32_t *order);
/* Puts padding and sentinel of a float4 array far away. */
void sl_particles_pad(const SlParticles *particles, float *records);
/* The same for every float4 field, after the count has changed. */
void sl_particles_pad_all(SlParticles *particles);

static inline float *sl_f32x4(const SlParticles *particles, SlFieldId id)
{
    return particles->data[id];
}

/* Number of blocks of 8, padding included. */
static inline size_t sl_particle_blocks(const SlParticles *particles)
{
    return (particles->count + 7) / 8;
}

#endif
