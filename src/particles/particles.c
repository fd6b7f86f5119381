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
        SlStorage storage = sl_field_rows[id].storage;
        if ((fields >> id & 1) == 0)
            continue;
        particles->data[id] =
            sl_alloc_zero(&context->memory, particles->capacity + 8, sl_storage_bytes(storage));
        ok = ok && particles->data[id] != NULL;
        if (ok && storage == SL_STORE_F32X4)
            sl_particles_pad(particles, particles->data[id]);
    }
    for (int storage = 0; storage <= SL_STORE_F32X4; storage++) {
        if ((spares >> storage & 1) == 0)
            continue;
        particles->spare[storage] = sl_alloc_zero(&context->memory, particles->capacity + 8,
                                                  sl_storage_bytes((SlStorage)storage));
        ok = ok && particles->spare[storage] != NULL;
        if (ok && storage == SL_STORE_F32X4)
            sl_particles_pad(particles, particles->spare[storage]);
    }
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
