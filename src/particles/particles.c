/* Memory of the particle set, and what is done to all of its fields at once. */
#include "particles/particles.h"

#include <string.h>

int sl_particles_find(const SlParticles *particles, const char *name)
{
    for (int field = 0; field < sl_field_count(particles); field++)
        if (particles->data[field] != NULL &&
            strcmp(sl_field_row(particles, field)->name, name) == 0)
            return field;
    return -1;
}

static size_t capacity_for(size_t count)
{
    return (count + 7) / 8 * 8;
}

/* Which storages need a spare array: those of fields that are sorted. Attributes are. */
static uint32_t sorted_storages(uint32_t fields, const SlAttributes *attributes)
{
    uint32_t storages = 0;
    for (int id = 0; id < SL_F_COUNT; id++)
        if ((fields >> id & 1) != 0 && (sl_field_rows[id].flags & SL_FIELD_SORT) != 0)
            storages |= 1u << sl_field_rows[id].storage;
    for (uint32_t k = 0; attributes != NULL && k < attributes->count; k++)
        storages |= 1u << attributes->item[k].row.storage;
    return storages;
}

uint64_t sl_particles_bytes(uint32_t fields, const SlAttributes *attributes, uint64_t count)
{
    uint64_t each = 0;
    for (int id = 0; id < SL_F_COUNT; id++)
        if ((fields >> id & 1) != 0)
            each += sl_storage_bytes(sl_field_rows[id].storage);
    for (uint32_t k = 0; attributes != NULL && k < attributes->count; k++)
        each += sl_storage_bytes(attributes->item[k].row.storage);
    for (int storage = 0; storage <= SL_STORE_F32X4; storage++)
        if ((sorted_storages(fields, attributes) >> storage & 1) != 0)
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
    for (int field = 0; field < sl_field_count(particles); field++)
        if (particles->data[field] != NULL &&
            sl_field_row(particles, field)->storage == SL_STORE_F32X4)
            sl_particles_pad(particles, particles->data[field]);
    if (particles->spare[SL_STORE_F32X4] != NULL)
        sl_particles_pad(particles, particles->spare[SL_STORE_F32X4]);
}

/* Gives particles [begin, end) the initial values of attributes. */
static void set_attributes(SlParticles *particles, size_t begin, size_t end)
{
    for (int field = SL_F_COUNT; field < sl_field_count(particles); field++) {
        const SlAttribute *attribute = &particles->attributes->item[field - SL_F_COUNT];
        size_t bytes = sl_storage_bytes(attribute->row.storage);
        for (size_t i = begin; i < end; i++)
            memcpy((char *)particles->data[field] + bytes * i, attribute->initial, bytes);
    }
}

/* Whether the particles hold that field; attributes they hold always. */
static bool holds(const SlParticles *particles, int field)
{
    return field >= SL_F_COUNT || (particles->fields >> field & 1) != 0;
}

static bool allocate(SlParticles *particles)
{
    SlMemory *memory = &particles->context->memory;
    size_t elements = particles->capacity + 8;
    uint32_t spares = sorted_storages(particles->fields, particles->attributes);
    bool ok = true;
    for (int field = 0; field < sl_field_count(particles); field++) {
        if (!holds(particles, field))
            continue;
        particles->data[field] = sl_alloc_zero(
            memory, elements, sl_storage_bytes(sl_field_row(particles, field)->storage));
        ok = ok && particles->data[field] != NULL;
    }
    for (int storage = 0; storage <= SL_STORE_F32X4; storage++) {
        if ((spares >> storage & 1) == 0)
            continue;
        particles->spare[storage] =
            sl_alloc_zero(memory, elements, sl_storage_bytes((SlStorage)storage));
        ok = ok && particles->spare[storage] != NULL;
    }
    return ok;
}

SlStatus sl_particles_create(SlContext *context, uint32_t fields, const SlAttributes *attributes,
                             size_t count, SlParticles *particles, SlError *error)
{
    *particles = (SlParticles){.context = context,
                               .fields = fields,
                               .attributes = attributes,
                               .count = count,
                               .capacity = capacity_for(count)};
    if (!allocate(particles)) {
        sl_particles_destroy(particles);
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for %zu particles", count);
    }
    set_attributes(particles, 0, count);
    sl_particles_pad_all(particles);
    return SL_OK;
}

void sl_particles_destroy(SlParticles *particles)
{
    if (particles->context == NULL)
        return;
    SlMemory *memory = &particles->context->memory;
    size_t elements = particles->capacity + 8;
    for (int field = 0; field < sl_field_count(particles); field++)
        sl_free(memory, particles->data[field],
                elements * sl_storage_bytes(sl_field_row(particles, field)->storage));
    for (int storage = 0; storage <= SL_STORE_F32X4; storage++)
        sl_free(memory, particles->spare[storage],
                elements * sl_storage_bytes((SlStorage)storage));
    memset(particles, 0, sizeof *particles);
}

/* A multiple of eight, and half as much again as before so that growth is rare. */
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
        sl_particles_create(particles->context, particles->fields, particles->attributes, capacity,
                            &grown, error);
    if (status != SL_OK)
        return status;
    grown.count = particles->count;
    for (int field = 0; field < sl_field_count(particles); field++) {
        if (grown.data[field] == NULL)
            continue;
        size_t bytes = sl_storage_bytes(sl_field_row(particles, field)->storage);
        memcpy(grown.data[field], particles->data[field], particles->count * bytes);
    }
    sl_particles_pad_all(&grown);
    sl_particles_destroy(particles);
    *particles = grown;
    return SL_OK;
}

size_t sl_particles_append(SlParticles *particles, uint32_t id, SlVec3 position, SlVec3 velocity)
{
    size_t i = particles->count++;
    /* Elements after the last may hold a removed particle's values or padding. */
    for (int field = 0; field < sl_field_count(particles); field++) {
        size_t bytes = sl_storage_bytes(sl_field_row(particles, field)->storage);
        if (holds(particles, field))
            memset((char *)particles->data[field] + bytes * i, 0, bytes);
    }
    set_attributes(particles, i, i + 1);
    ((uint32_t *)particles->data[SL_F_ID])[i] = id;
    memcpy(sl_f32x4(particles, SL_F_POSITION) + 4 * i, &position, sizeof position);
    memcpy(sl_f32x4(particles, SL_F_VELOCITY) + 4 * i, &velocity, sizeof velocity);
    return i;
}

void sl_particles_remove(SlParticles *particles, const uint8_t *marks)
{
    size_t kept = 0;
    for (int field = 0; field < sl_field_count(particles); field++) {
        char *data = particles->data[field];
        size_t bytes = sl_storage_bytes(sl_field_row(particles, field)->storage);
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
    for (int field = 0; field < sl_field_count(particles); field++) {
        const SlFieldRow *row = sl_field_row(particles, field);
        if (particles->data[field] == NULL || (row->flags & SL_FIELD_SORT) == 0)
            continue;
        Reorder r = {order, particles->data[field], particles->spare[row->storage]};
        sl_parallel_for(particles->context->pool, particles->count, CHUNK,
                        row->storage == SL_STORE_F32X4 ? reorder_f32x4 : reorder_u32, &r);
        /* The array just read is the spare of the next field: padding is alike in all. */
        particles->spare[row->storage] = particles->data[field];
        particles->data[field] = r.to;
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
