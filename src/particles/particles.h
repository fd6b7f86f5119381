/* The particle set: one array per field in use, all of one capacity. Particles are [0, count); the
   records after them, up to a multiple of 8, are padding at SL_FAR, and so is the sentinel at
   [capacity] that the padding of neighbour lists refers to. */
#ifndef PARTICLES_PARTICLES_H
#define PARTICLES_PARTICLES_H

#include "core/context.h"
#include "frame/fields.h"
#include "spatial/grid.h"

enum { SL_MAX_PARTICLES = 0x7fffff00 };

typedef struct SlParticles {
    SlContext *context;
    uint32_t fields; /* bit per SlFieldId in use */
    const SlAttributes *attributes; /* fields from SL_F_COUNT on; NULL: none */
    size_t count;
    size_t capacity;            /* multiple of 8; the sentinel is at [capacity] */
    void *data[SL_MAX_FIELDS];  /* capacity + 8 elements each; NULL: not in use */
    void *spare[SL_STORE_F32X4 + 1]; /* where a sort writes, one per storage in use */
} SlParticles;

/* Number of fields, built-in and attributes, in use or not, and the row of one. */
static inline int sl_field_count(const SlParticles *particles)
{
    return SL_F_COUNT + (particles->attributes != NULL ? (int)particles->attributes->count : 0);
}

static inline const SlFieldRow *sl_field_row(const SlParticles *particles, int field)
{
    return field < SL_F_COUNT ? &sl_field_rows[field]
                              : &particles->attributes->item[field - SL_F_COUNT].row;
}

/* The field of that name that is in use, or -1. */
int sl_particles_find(const SlParticles *particles, const char *name);

/* `attributes` may be NULL and must outlive the set. Elements are zero, but attributes have their
   initial values. */
SlStatus sl_particles_create(SlContext *context, uint32_t fields, const SlAttributes *attributes,
                             size_t count, SlParticles *particles, SlError *error);
void sl_particles_destroy(SlParticles *particles);
/* Bytes that sl_particles_create allocates for `count` particles. */
uint64_t sl_particles_bytes(uint32_t fields, const SlAttributes *attributes, uint64_t count);

/* Makes room for `more` particles; the one place where capacity grows. Contents are kept, padding
   and sentinel are at SL_FAR. */
SlStatus sl_particles_reserve(SlParticles *particles, size_t more, SlError *error);
/* Appends one particle with zeroed fields and the initial values of attributes; there must be room.
   Returns its place. The caller pads the set when it has added all. */
size_t sl_particles_append(SlParticles *particles, uint32_t id, SlVec3 position, SlVec3 velocity);
/* Removes the particles whose mark is not 0; the others keep their order. marks[i] for i < count. */
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
/* Sets padding and sentinel of a float4 array to SL_FAR. */
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
