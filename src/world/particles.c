/* Particles read, written, added and removed by a program between steps; user attributes. */
#include "sleet/particles.h"

#include <math.h>
#include <string.h>

#include "core/names.h"
#include "core/sort.h"
#include "geometry/shape.h"
#include "math/vec3.h"
#include "world/world.h"

/* m/s: blocks and fills have the same limit. */
static const float max_speed = 1e5f;

static SlStatus add_attribute(SlWorld *world, SlSystemId id, const char *name, SlFieldType type,
                              const void *initial, SlError *error)
{
    SlWorldSystem *system = sl_world_resolve_system(world, id, error);
    if (system == NULL)
        return SL_ERROR_ARGUMENT;
    const char *wrong = world->started ? "the world has started; attributes are added before"
                                       : sl_attributes_add(&system->attributes, name, type, initial);
    if (wrong != NULL)
        return sl_error_set(error, SL_ERROR_ARGUMENT, "%s: attribute \"%.40s\": %s",
                            system->base.name, name, wrong);
    return SL_OK;
}

SlStatus sl_system_add_attribute(SlWorld *world, SlSystemId id, const char *name, SlFieldType type,
                                 const void *initial, SlError *error)
{
    SL_SETUP_CALL(world, error, add_attribute(world, id, name, type, initial, &found));
}

/* --- Fields --- */

/* A field's elements as a program names them. */
typedef struct Range {
    SlWorldSystem *system;
    SlParticles *particles;
    const SlFieldRow *row;
    int field;
    size_t first, count;
    size_t stride, bytes; /* of an element as stored and as the program sees it */
} Range;

static bool is_shown(const SlParticles *particles, int field)
{
    uint32_t shown = SL_FIELD_EXPORT | SL_FIELD_DERIVED;
    return particles->data[field] != NULL && (sl_field_row(particles, field)->flags & shown) != 0;
}

static void set_unknown_field(const SlSystem *system, const char *name, SlError *error)
{
    const char *names[SL_MAX_FIELDS];
    char hint[SL_NAME_HINT];
    size_t count = 0;
    for (int id = 0; id < sl_field_count(&system->particles); id++)
        if (is_shown(&system->particles, id))
            names[count++] = sl_field_row(&system->particles, id)->name;
    sl_error_set(error, SL_ERROR_ARGUMENT, "%s has no field \"%.40s\"%s", system->name,
                 name != NULL ? name : "", sl_name_hint(name, names, count, hint));
}

/* Starts the world, finds the field and checks the range. */
static SlStatus find_range(SlWorld *world, SlSystemId id, const char *name, size_t first,
                           size_t count, Range *range, SlError *error)
{
    SlWorldSystem *system = sl_world_resolve_system(world, id, error);
    if (system == NULL)
        return SL_ERROR_ARGUMENT;
    SlStatus status = sl_world_start(world, error);
    if (status != SL_OK)
        return status;
    SlParticles *particles = &system->base.particles;
    int field = name != NULL ? sl_particles_find(particles, name) : -1;
    if (field < 0 || !is_shown(particles, field)) {
        set_unknown_field(&system->base, name, error);
        return SL_ERROR_ARGUMENT;
    }
    if (first > particles->count || count > particles->count - first)
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "%s: elements %zu to %zu of \"%s\" are asked for; there are %zu "
                            "particles",
                            system->base.name, first, first + count, name, particles->count);
    const SlFieldRow *row = sl_field_row(particles, field);
    *range = (Range){.system = system,
                     .particles = particles,
                     .row = row,
                     .field = field,
                     .first = first,
                     .count = count,
                     .stride = sl_storage_bytes(row->storage),
                     .bytes = 4 * (size_t)sl_field_lanes(sl_storage_type(row->storage))};
    return SL_OK;
}

SlStatus sl_system_copy_field(SlWorld *world, SlSystemId id, const char *name, size_t first,
                              size_t count, void *buffer, SlError *error)
{
    Range r;
    SlStatus status = find_range(world, id, name, first, count, &r, error);
    if (status != SL_OK)
        return status;
    if ((r.row->flags & SL_FIELD_DERIVED) != 0)
        (void)sl_world_view(world); /* computes it */
    const char *from = (const char *)r.particles->data[r.field] + r.stride * first;
    for (size_t k = 0; k < count; k++)
        memcpy((char *)buffer + r.bytes * k, from + r.stride * k, r.bytes);
    return SL_OK;
}

static SlStatus check_position(const SlWorld *world, const SlWorldSystem *system, size_t element,
                               SlVec3 p, SlError *error)
{
    SlBox box = world->def.domain;
    float farthest = system->flow.farthest > 0 ? system->flow.farthest : INFINITY;
    if (sl_finite(p) && p.x >= box.min.x && p.y >= box.min.y && p.z >= box.min.z &&
        p.x <= box.max.x && p.y <= box.max.y && p.z <= box.max.z && fabsf(p.x) <= farthest &&
        fabsf(p.y) <= farthest && fabsf(p.z) <= farthest)
        return SL_OK;
    return sl_error_set(error, SL_ERROR_ARGUMENT,
                        "%s: position %zu is (%g, %g, %g); it must be finite and inside the domain",
                        system->base.name, element, (double)p.x, (double)p.y, (double)p.z);
}

static SlStatus check_velocity(const SlWorldSystem *system, size_t element, SlVec3 v,
                               SlError *error)
{
    if (sl_finite(v) && sl_length(v) < max_speed)
        return SL_OK;
    return sl_error_set(error, SL_ERROR_ARGUMENT,
                        "%s: velocity %zu is (%g, %g, %g); it must be finite and below %g m/s",
                        system->base.name, element, (double)v.x, (double)v.y, (double)v.z,
                        (double)max_speed);
}

static SlVec3 vector_at(const void *data, size_t k)
{
    SlVec3 v;
    memcpy(&v, (const char *)data + sizeof v * k, sizeof v);
    return v;
}

/* Refuses values that the field cannot take. */
static SlStatus check_values(const SlWorld *world, const Range *r, const void *data,
                             SlError *error)
{
    SlStatus status = SL_OK;
    for (size_t k = 0; k < r->count && status == SL_OK; k++) {
        if (r->field == SL_F_POSITION) {
            status = check_position(world, r->system, r->first + k, vector_at(data, k), error);
        } else if (r->field == SL_F_VELOCITY) {
            status = check_velocity(r->system, r->first + k, vector_at(data, k), error);
        } else if (r->row->storage != SL_STORE_U32) {
            float value[3] = {0, 0, 0};
            memcpy(value, (const char *)data + r->bytes * k, r->bytes);
            if (!sl_finite(sl_vec3(value[0], value[1], value[2])))
                status = sl_error_set(error, SL_ERROR_ARGUMENT, "%s: %s %zu is not finite",
                                      r->system->base.name, r->row->name, r->first + k);
        }
    }
    return status;
}

/* Neighbour lists are made anew in the next step, and the check of the energy begins with it. */
static void mark_changed(SlWorldSystem *system)
{
    system->flow.changed = 1;
    system->monitor.steps = 0;
}

/* Tells the solver of a value that changed. */
static void note_written(SlWorldSystem *system, size_t i, int field)
{
    SlSystem *base = &system->base;
    if (base->solver->written != NULL && field < SL_F_COUNT)
        base->solver->written(base, i, (SlFieldId)field);
}

SlStatus sl_system_write_field(SlWorld *world, SlSystemId id, const char *name, size_t first,
                               size_t count, const void *data, SlError *error)
{
    Range r;
    SlStatus status = find_range(world, id, name, first, count, &r, error);
    if (status == SL_OK && (r.row->flags & SL_FIELD_WRITE) == 0)
        status = sl_error_set(error, SL_ERROR_ARGUMENT,
                              "%s: \"%s\" is the solver's; position, velocity and user attributes "
                              "may be written",
                              r.system->base.name, r.row->name);
    if (status == SL_OK)
        status = check_values(world, &r, data, error);
    if (status != SL_OK)
        return status;
    char *to = (char *)r.particles->data[r.field] + r.stride * first;
    for (size_t k = 0; k < count; k++) {
        const char *from = (const char *)data + r.bytes * k;
        if (memcmp(to + r.stride * k, from, r.bytes) == 0)
            continue; /* a solver may hold more digits of it */
        memcpy(to + r.stride * k, from, r.bytes);
        note_written(r.system, first + k, r.field);
    }
    if (r.field < SL_F_COUNT && count > 0)
        mark_changed(r.system);
    return SL_OK;
}

/* --- Population --- */

SlStatus sl_system_add_particles(SlWorld *world, SlSystemId id, const float *positions,
                                 const float *velocities, size_t count, uint32_t *ids,
                                 SlError *error)
{
    SlWorldSystem *system = sl_world_resolve_system(world, id, error);
    if (system == NULL)
        return SL_ERROR_ARGUMENT;
    SlStatus status = sl_world_start(world, error);
    for (size_t k = 0; k < count && status == SL_OK; k++) {
        status = check_position(world, system, k, vector_at(positions, k), error);
        if (status == SL_OK && velocities != NULL)
            status = check_velocity(system, k, vector_at(velocities, k), error);
    }
    SlParticles *particles = &system->base.particles;
    uint32_t next = 0;
    if (status == SL_OK)
        status = sl_particles_reserve(particles, count, error);
    if (status == SL_OK)
        status = sl_flow_take_ids(&system->flow, system->base.name, count, &next, error);
    if (status != SL_OK || count == 0)
        return status;
    for (size_t k = 0; k < count; k++) {
        SlVec3 velocity = velocities != NULL ? vector_at(velocities, k) : (SlVec3){0, 0, 0};
        size_t i = sl_particles_append(particles, next + (uint32_t)k, vector_at(positions, k),
                                       velocity);
        note_written(system, i, SL_F_VELOCITY);
        if (ids != NULL)
            ids[k] = next + (uint32_t)k;
    }
    sl_particles_pad_all(particles);
    mark_changed(system);
    return SL_OK;
}

typedef struct Marking {
    const uint32_t *id;     /* of particles */
    const uint32_t *sorted; /* ids to remove, ascending */
    size_t count;
    uint8_t *marks, *found; /* per particle; per sorted id */
} Marking;

static void mark_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Marking *m = argument;
    for (size_t i = begin; i < end; i++) {
        size_t low = sl_lower_bound(m->sorted, m->count, m->id[i]);
        m->marks[i] = low < m->count && m->sorted[low] == m->id[i];
        if (m->marks[i] != 0)
            m->found[low] = 1; /* ids are unique: one writer */
    }
}

/* Marks the particles with the ids; an id without a particle or given twice is an error. */
static SlStatus mark_ids(SlWorldSystem *system, const uint32_t *ids, Marking *m, SlArena *arena,
                         SlError *error)
{
    enum { CHUNK = 4096 };
    SlContext *context = system->base.context;
    size_t n = system->base.particles.count;
    uint32_t *order = SL_PUSH(arena, uint32_t, m->count), *sorted = SL_PUSH(arena, uint32_t, m->count);
    m->marks = SL_PUSH(arena, uint8_t, n);
    m->found = SL_PUSH(arena, uint8_t, m->count);
    if (order == NULL || sorted == NULL || m->marks == NULL || m->found == NULL ||
        !sl_sort_by_key(context->pool, arena, ids, m->count, (uint64_t)1 << 32, order, sorted))
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory to remove particles");
    m->sorted = sorted;
    memset(m->found, 0, m->count);
    sl_parallel_for(context->pool, n, CHUNK, mark_chunk, m);
    for (size_t k = 0; k < m->count; k++)
        if (m->found[k] == 0)
            return sl_error_set(error, SL_ERROR_ARGUMENT, "%s: particle %u %s", system->base.name,
                                sorted[k],
                                k > 0 && sorted[k] == sorted[k - 1] ? "is given twice"
                                                                    : "does not exist");
    return SL_OK;
}

SlStatus sl_system_remove_particles(SlWorld *world, SlSystemId id, const uint32_t *ids,
                                    size_t count, SlError *error)
{
    SlWorldSystem *system = sl_world_resolve_system(world, id, error);
    if (system == NULL)
        return SL_ERROR_ARGUMENT;
    SlStatus status = sl_world_start(world, error);
    if (status != SL_OK || count == 0)
        return status;
    SlParticles *particles = &system->base.particles;
    SlArena *arena = &system->base.context->arena;
    SlArenaMark mark = sl_arena_mark(arena);
    Marking m = {.id = particles->data[SL_F_ID], .count = count};
    status = mark_ids(system, ids, &m, arena, error);
    if (status == SL_OK) {
        sl_particles_remove(particles, m.marks);
        system->flow.removed += count;
        mark_changed(system);
    }
    sl_arena_release(arena, mark);
    return status;
}

static size_t mark_inside(const SlParticles *particles, const SlShape *shape, uint8_t *marks)
{
    const float *position = sl_f32x4(particles, SL_F_POSITION);
    size_t count = 0;
    for (size_t i = 0; i < particles->count; i++) {
        SlVec3 p = {position[4 * i], position[4 * i + 1], position[4 * i + 2]};
        marks[i] = sl_shape_distance(shape, p, NULL) < 0;
        count += marks[i];
    }
    return count;
}

SlStatus sl_system_remove_particles_in(SlWorld *world, SlSystemId id, const SlShape *shape,
                                       size_t *removed, SlError *error)
{
    size_t count = 0;
    if (removed != NULL)
        *removed = 0;
    SlWorldSystem *system = sl_world_resolve_system(world, id, error);
    if (system == NULL)
        return SL_ERROR_ARGUMENT;
    SlShape prepared;
    SlStatus status = sl_world_take_drain(shape, "particles to remove", &prepared, error);
    if (status == SL_OK)
        status = sl_world_start(world, error);
    SlParticles *particles = &system->base.particles;
    if (status != SL_OK || particles->count == 0)
        return status;
    SlArena *arena = &system->base.context->arena;
    SlArenaMark mark = sl_arena_mark(arena);
    uint8_t *marks = SL_PUSH(arena, uint8_t, particles->count);
    if (marks == NULL)
        status = sl_error_set(error, SL_ERROR_MEMORY, "no memory to remove particles");
    else if ((count = mark_inside(particles, &prepared, marks)) > 0) {
        sl_particles_remove(particles, marks);
        system->flow.removed += count;
        mark_changed(system);
    }
    sl_arena_release(arena, mark);
    if (removed != NULL)
        *removed = count;
    return status;
}
