#include "particles/particles.h"

#include <string.h>

#define STATE SL_FIELD_STATE
#define EXPORT SL_FIELD_EXPORT
#define SORT SL_FIELD_SORT
#define ROW(id, storage, name, unit, flags, meaning)                                               \
    [SL_F_##id] = {name, unit, meaning, SL_STORE_##storage, flags},
const SlFieldRow sl_field_rows[SL_F_COUNT] = {SL_FIELD_TABLE(ROW)};
#undef ROW
#undef STATE
#undef EXPORT
#undef SORT

size_t sl_storage_bytes(SlStorage storage)
{
    return storage == SL_STORE_F32X4 ? 16 : 4;
}

static size_t capacity_for(size_t count)
{
    return (count + 7) / 8 * 8;
}

/* Which storages need a spare array: those of fields that are sorted. */
static uint32_t sorted_storages(uint32_t fields)
{
    uint32_t storages = 0;
    for (int id = 0; id < SL_F_COUNT; id++)
        if ((fields >> id & 1) != 0 && (sl_field_rows[id].flags & SL_FIELD_SORT) != 0)
            storages |= 1u << sl_field_rows[id].storage;
    return storages;
}

uint64_t sl_particles_bytes(uint32_t fields, uint64_t count)
{
    uint64_t each = 0;
    for (int id = 0; id < SL_F_COUNT; id++)
        if ((fields >> id & 1) != 0)
            each += sl_storage_bytes(sl_field_rows[id].storage);
    for (int storage = 0; storage <= SL_STORE_F32X4; storage++)
        if ((sorted_storages(fields) >> storage & 1) != 0)
            each += sl_storage_bytes((SlStorage)storage);
    return each * (count + 16);
}

void sl_particles_pad(const SlParticles *particles, float *records)
{
    size_t n = particles->count;
    size_t padding = (size_t)(8 * sl_particle_blocks(particles)) - n;
    for (size_t k = 0; k < padding + 8; k++) {
        float *record = records + 4 * (k < padding ? n + k : particles->capacity + (k - padding));
        record[0] = record[1] = record[2] = SL_FAR;
        record[3] = 0;
    }
}

void sl_particles_pad_all(SlParticles *particles)
{
    for (int id = 0; id < SL_F_COUNT; id++)
        if (particles->data[id] != NULL && sl_field_rows[id].storage == SL_STORE_F32X4)
            sl_particles_pad(particles, particles->data[id]);
    if (particles->spare[SL_STORE_F32X4] != NULL)
        sl_particles_pad(particles, particles->spare[SL_STORE_F32X4]);
}

SlStatus sl_particles_create(SlContext *context, uint32_t fields, size_t count,
                             SlParticles *particles, SlError *error)
{
    memset(particles, 0, sizeof *particles);
    particles->context = context;
    particles->fields = fields;
    particles->count = count;
    particles->capacity = capacity_for(count);
    uint32_t spares = sorted_storages(fields);
    bool ok = true;
    for (int id = 0; id < SL_F_COUNT; id++) {
        if ((fields >> id & 1) == 0)
            continue;
        particles->data[id] = sl_alloc_zero(&context->memory, particles->capacity + 8,
                                            sl_storage_bytes(sl_field_rows[id].storage));
        ok = ok && particles->data[id] != NULL;
    }
    for (int storage = 0; storage <= SL_STORE_F32X4; storage++) {
        if ((spares >> storage & 1) == 0)
            continue;
        particles->spare[storage] = sl_alloc_zero(&context->memory, particles->capacity + 8,
                                                  sl_storage_bytes((SlStorage)storage));
        ok = ok && particles->spare[storage] != NULL;
    }
    if (ok)
        sl_particles_pad_all(particles);
    if (!ok) {
        sl_particles_destroy(particles);
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for %zu particles", count);
    }
    return SL_OK;
}

void sl_particles_destroy(SlParticles *particles)
{
    if (particles->context == NULL)
        return;
    SlMemory *memory = &particles->context->memory;
    size_t elements = particles->capacity + 8;
    for (int id = 0; id < SL_F_COUNT; id++)
        sl_free(memory, particles->data[id],
                elements * sl_storage_bytes(sl_field_rows[id].storage));
    for (int storage = 0; storage <= SL_STORE_F32X4; storage++)
        sl_free(memory, particles->spare[storage],
                elements * sl_storage_bytes((SlStorage)storage));
    memset(particles, 0, sizeof *particles);
}

/* Room in eights, and half as much again as before so that growth is rare. */
static size_t grown_capacity(size_t capacity, size_t needed)
{
    size_t grown = capacity + capacity / 2;
    return capacity_for(grown > needed ? grown : needed);
}

SlStatus sl_particles_reserve(SlParticles *particles, size_t more, SlError *error)
{
    if (more > SL_MAX_PARTICLES || particles->count > SL_MAX_PARTICLES - more)
        return sl_error_set(error, SL_ERROR_MEMORY, "a system holds at most %d particles",
                            SL_MAX_PARTICLES);
    if (particles->count + more <= particles->capacity)
        return SL_OK;
    SlParticles grown;
    size_t capacity = grown_capacity(particles->capacity, particles->count + more);
    SlStatus status =
        sl_particles_create(particles->context, particles->fields, capacity, &grown, error);
    if (status != SL_OK)
        return status;
    grown.count = particles->count;
    for (int id = 0; id < SL_F_COUNT; id++) {
        if (grown.data[id] == NULL)
            continue;
        size_t bytes = sl_storage_bytes(sl_field_rows[id].storage);
        memcpy(grown.data[id], particles->data[id], particles->count * bytes);
    }
    sl_particles_pad_all(&grown);
    sl_particles_destroy(particles);
    *particles = grown;
    return SL_OK;
}

void sl_particles_remove(SlParticles *particles, const uint8_t *marks)
{
    size_t kept = 0;
    for (int id = 0; id < SL_F_COUNT; id++) {
        char *data = particles->data[id];
        size_t bytes = sl_storage_bytes(sl_field_rows[id].storage);
        if (data == NULL)
            continue;
        kept = 0;
        for (size_t i = 0; i < particles->count; i++)
            if (marks[i] == 0)
                memmove(data + bytes * kept++, data + bytes * i, bytes);
    }
    particles->count = kept;
    sl_particles_pad_all(particles);
}

typedef struct Reorder {
    const uint32_t *order;
    const void *from;
    void *to;
} Reorder;

static void reorder_u32(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Reorder *r = argument;
    const uint32_t *from = r->from;
    uint32_t *to = r->to;
    for (size_t k = begin; k < end; k++)
        to[k] = from[r->order[k]];
}

typedef struct Record {
    float lane[4];
} Record;

static void reorder_f32x4(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Reorder *r = argument;
    const Record *from = r->from;
    Record *to = r->to;
    for (size_t k = begin; k < end; k++)
        to[k] = from[r->order[k]];
}

void sl_particles_reorder(SlParticles *particles, const uint32_t *order)
{
    enum { CHUNK = 8192 };
    for (int id = 0; id < SL_F_COUNT; id++) {
        const SlFieldRow *row = &sl_field_rows[id];
        if (particles->data[id] == NULL || (row->flags & SL_FIELD_SORT) == 0)
            continue;
        Reorder r = {order, particles->data[id], particles->spare[row->storage]};
        sl_parallel_for(particles->context->pool, particles->count, CHUNK,
                        row->storage == SL_STORE_F32X4 ? reorder_f32x4 : reorder_u32, &r);
        /* The array just read is the spare of the next field: padding is alike in all. */
        particles->spare[row->storage] = particles->data[id];
        particles->data[id] = r.to;
    }
}

bool sl_particles_sort(SlParticles *particles, SlCellGrid *grid, const float *records,
                       SlArena *arena)
{
    SlArenaMark mark = sl_arena_mark(arena);
    uint32_t *order = SL_PUSH(arena, uint32_t, particles->count);
    bool sorted = order != NULL &&
                  sl_grid_sort(grid, sl_particle_points(particles, records), arena, order);
    if (sorted)
        sl_particles_reorder(particles, order);
    sl_arena_release(arena, mark);
    return sorted;
}
