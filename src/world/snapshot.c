/* Snapshots: what decides the future, copied to one block of memory and back. One walk over the
   world names every part; it is done to measure, to save and to load, so the three cannot
   disagree. Nothing is checked value by value as in world/state.c: a snapshot is the library's own
   memory. */
#include "sleet/snapshot.h"

#include <string.h>

#include "world/world.h"

enum { ALIGNMENT = 64, CHUNK = 1 << 17 };

struct SlSnapshot {
    SlContext *context;
    uint16_t world;             /* the number of the world it was taken of */
    uint64_t colliders;         /* the world's, when it was taken */
    size_t counts[SL_MAX_SYSTEMS]; /* particles of each system */
    /* references: paths do not change once they are set */
    SlMotion *motions[SL_MAX_COLLIDERS];
    SlSharedCameraPath *camera_paths[SL_MAX_VIEW_CAMERAS];
    unsigned char *bytes;
    size_t size, capacity;
};

typedef enum Direction { MEASURE, SAVE, LOAD } Direction;

/* A walk: `at` is where in the snapshot the next part stands. */
typedef struct Walk {
    Direction direction;
    SlPool *pool;
    unsigned char *bytes;
    size_t at;
} Walk;

typedef struct Copy {
    unsigned char *to;
    const unsigned char *from;
} Copy;

static void copy_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    const Copy *copy = argument;
    (void)chunk;
    memcpy(copy->to + begin, copy->from + begin, end - begin);
}

static void visit(Walk *walk, void *data, size_t bytes)
{
    unsigned char *kept = walk->direction != MEASURE ? walk->bytes + walk->at : NULL;
    Copy copy = {kept, data};
    if (walk->direction == LOAD)
        copy = (Copy){data, kept};
    if (walk->direction != MEASURE && bytes > CHUNK)
        sl_parallel_for(walk->pool, bytes, CHUNK, copy_chunk, &copy);
    else if (walk->direction != MEASURE && bytes > 0)
        memcpy(copy.to, copy.from, bytes);
    walk->at += (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

#define VISIT(walk, value) visit(walk, &(value), sizeof(value))

static void visit_particles(Walk *walk, SlParticles *particles)
{
    for (int id = 0; id < sl_field_count(particles); id++) {
        const SlFieldRow *row = sl_field_row(particles, id);
        if (particles->data[id] != NULL && (row->flags & (SL_FIELD_STATE | SL_FIELD_EXPORT)) != 0)
            visit(walk, particles->data[id], particles->count * sl_storage_bytes(row->storage));
    }
}

static void visit_system(Walk *walk, SlWorldSystem *system)
{
    SlSystem *base = &system->base;
    const SlSolver *solver = base->solver;
    VISIT(walk, base->step);
    VISIT(walk, base->time);
    VISIT(walk, base->stats);
    VISIT(walk, system->progress);
    VISIT(walk, system->load);
    VISIT(walk, system->monitor);
    VISIT(walk, system->flow);
    visit(walk, base->values, solver->table.row_count * sizeof *base->values);
    visit(walk, base->given, solver->table.row_count * sizeof *base->given);
    for (size_t k = 0; k < solver->state_row_count; k++)
        visit(walk, (char *)base->state + solver->state_rows[k].offset,
              solver->state_rows[k].bytes);
    visit_particles(walk, &base->particles);
}

static void visit_world(Walk *walk, SlWorld *world)
{
    VISIT(walk, world->frame);
    VISIT(walk, world->time);
    VISIT(walk, world->interval);
    VISIT(walk, world->clock);
    VISIT(walk, world->def.gravity);
    VISIT(walk, world->cameras);
    VISIT(walk, world->camera_count);
    VISIT(walk, world->set_cameras);
    VISIT(walk, world->view_cameras);
    VISIT(walk, world->view_camera_count);
    VISIT(walk, world->colliders.targets);
    VISIT(walk, world->force_fields);
    VISIT(walk, world->force_field_count);
    for (uint32_t k = 0; k < world->system_count; k++)
        visit_system(walk, world->systems[k]);
}

/* Changes when colliders come or go. */
static uint64_t colliders_of(const SlWorld *world)
{
    return sl_colliders_set_hash(&world->colliders);
}

static SlStatus fit(SlSnapshot *snapshot, size_t size, SlError *error)
{
    snapshot->size = size;
    if (size <= snapshot->capacity)
        return SL_OK;
    SlMemory *memory = &snapshot->context->memory;
    size_t capacity = size + size / 8; /* particles that emitters add soon */
    sl_free(memory, snapshot->bytes, snapshot->capacity);
    snapshot->capacity = 0;
    snapshot->bytes = sl_alloc(memory, capacity);
    if (snapshot->bytes == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for a snapshot of %zu bytes", size);
    snapshot->capacity = capacity;
    return SL_OK;
}

static SlStatus make_snapshot(SlContext *context, SlSnapshot **snapshot, SlError *error)
{
    if (*snapshot != NULL)
        return SL_OK;
    *snapshot = sl_alloc_zero(&context->memory, 1, sizeof **snapshot);
    if (*snapshot == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for a snapshot");
    (*snapshot)->context = context;
    return SL_OK;
}

static void release_paths(SlSnapshot *snapshot)
{
    for (size_t k = 0; k < SL_MAX_COLLIDERS; k++)
        sl_motion_release(snapshot->motions[k]);
    for (size_t k = 0; k < SL_MAX_VIEW_CAMERAS; k++)
        sl_camera_path_release(snapshot->context, snapshot->camera_paths[k]);
    memset(snapshot->motions, 0, sizeof snapshot->motions);
    memset(snapshot->camera_paths, 0, sizeof snapshot->camera_paths);
}

static void retain_paths(SlSnapshot *snapshot, const SlWorld *world)
{
    release_paths(snapshot);
    sl_colliders_retain_paths(&world->colliders, snapshot->motions);
    for (size_t k = 0; k < SL_MAX_VIEW_CAMERAS; k++)
        snapshot->camera_paths[k] = sl_camera_path_retain(world->camera_paths[k]);
}

SlStatus sl_world_snapshot(SlWorld *world, SlSnapshot **out, SlError *error)
{
    SlStatus status = sl_world_start(world, error);
    if (status != SL_OK)
        return status;
    if (*out != NULL && (*out)->context != world->context)
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "the snapshot to be used again is of another context");
    bool is_new = *out == NULL;
    status = make_snapshot(world->context, out, error);
    if (status != SL_OK)
        return status;
    SlSnapshot *snapshot = *out;
    Walk walk = {.direction = MEASURE};
    visit_world(&walk, world);
    status = fit(snapshot, walk.at, error);
    if (status != SL_OK) {
        snapshot->world = 0; /* holds nothing */
        if (is_new) {
            sl_snapshot_destroy(snapshot);
            *out = NULL;
        }
        return status;
    }
    snapshot->world = world->number;
    snapshot->colliders = colliders_of(world);
    retain_paths(snapshot, world);
    for (uint32_t k = 0; k < world->system_count; k++)
        snapshot->counts[k] = world->systems[k]->base.particles.count;
    walk = (Walk){SAVE, world->context->pool, snapshot->bytes, 0};
    visit_world(&walk, world);
    return SL_OK;
}

static SlStatus check_snapshot(const SlWorld *world, const SlSnapshot *snapshot, SlError *error)
{
    if (snapshot == NULL || snapshot->world != world->number)
        return sl_error_set(error, SL_ERROR_ARGUMENT, "the snapshot is not of this world");
    if (snapshot->colliders != colliders_of(world))
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "colliders were added or removed since the snapshot was taken");
    return SL_OK;
}

/* Room for as many particles as the snapshot has; counts do not change yet. */
static SlStatus reserve_particles(SlWorld *world, const SlSnapshot *snapshot, SlError *error)
{
    SlStatus status = SL_OK;
    for (uint32_t k = 0; status == SL_OK && k < world->system_count; k++) {
        SlParticles *particles = &world->systems[k]->base.particles;
        if (snapshot->counts[k] > particles->count)
            status = sl_particles_reserve(particles, snapshot->counts[k] - particles->count, error);
    }
    return status;
}

SlStatus sl_world_restore_snapshot(SlWorld *world, const SlSnapshot *snapshot, SlError *error)
{
    SlStatus status = sl_world_start(world, error);
    if (status == SL_OK)
        status = check_snapshot(world, snapshot, error);
    if (status == SL_OK)
        status = reserve_particles(world, snapshot, error);
    if (status != SL_OK)
        return status;
    for (uint32_t k = 0; k < world->system_count; k++)
        world->systems[k]->base.particles.count = snapshot->counts[k];
    size_t cameras = world->camera_count;
    Walk walk = {LOAD, world->context->pool, snapshot->bytes, 0};
    visit_world(&walk, world);
    sl_colliders_take_paths(&world->colliders, snapshot->motions);
    sl_world_take_camera_paths(world, snapshot->camera_paths);
    if (world->camera_count != cameras) /* depth images are the host's, by number */
        memset(world->depth_views, 0, sizeof world->depth_views);
    SL_ASSERT(walk.at == snapshot->size); /* the set-up is fixed */
    for (uint32_t k = 0; k < world->system_count; k++)
        sl_particles_pad_all(&world->systems[k]->base.particles);
    sl_world_state_replaced(world);
    return SL_OK;
}

void sl_snapshot_destroy(SlSnapshot *snapshot)
{
    if (snapshot == NULL)
        return;
    SlMemory *memory = &snapshot->context->memory;
    release_paths(snapshot);
    sl_free(memory, snapshot->bytes, snapshot->capacity);
    sl_free(memory, snapshot, sizeof *snapshot);
}

size_t sl_snapshot_bytes(const SlSnapshot *snapshot)
{
    return snapshot != NULL ? sizeof *snapshot + snapshot->capacity : 0;
}
