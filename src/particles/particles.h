/* The particle set: one array per field in use, all of one capacity. Owned particles are [0, n);
   up to a multiple of 8 there is padding far away; one more far record, the sentinel, is what
   the padding of neighbour lists points at. */
#ifndef PARTICLES_PARTICLES_H
#define PARTICLES_PARTICLES_H

#include "core/context.h"
#include "frame/fields.h"
#include "spatial/grid.h"

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

/* Permutes every SORT field: particle order[k] moves to place k. */
void sl_particles_reorder(SlParticles *particles, const uint32_t *order);
/* Sorts the set by the grid's cells of `records` (float4, one per particle, padded; a SORT field).
   Scratch comes from the arena and is released. False when there is no memory. */
bool sl_particles_sort(SlParticles *particles, SlCellGrid *grid, const float *records,
                       SlArena *arena);
/* The set as points at `records`, for spatial/. */
static inline SlPoints sl_particle_points(const SlParticles *particles, const float *records)
{
    return (SlPoints){records, particles->count, particles->capacity};
}
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
