/* The state of a world as a list of arrays, and back. What is in the list follows from the field
   table, the solvers' state rows and the few counters named here; restoring walks the same list,
   so the two cannot disagree. */
#include <math.h>
#include <string.h>

#include "world/world.h"

/* Filled twice: without items, to count them, then with. */
typedef struct List {
    SlStateItem *items;
    size_t count;
    uint32_t system;
} List;

static void add(List *list, SlStateItem item)
{
    item.system = list->system;
    if (list->items != NULL)
        list->items[list->count] = item;
    list->count++;
}

/* One value of the world as bytes. */
#define ADD_VALUE(list, name, unit, meaning, value)                                                \
    add(list, (SlStateItem){name, unit, meaning, 0, 0, sizeof(value), sizeof(value), 1, &(value)})
/* A text or other bytes. */
#define ADD_BYTES(list, name, meaning, bytes, data)                                                \
    add(list, (SlStateItem){name, "", meaning, 0, 0, 1, 1, bytes, data})

static void list_fields(List *list, const SlParticles *particles)
{
    for (int id = 0; id < sl_field_count(particles); id++) {
        const SlFieldRow *row = sl_field_row(particles, id);
        const char *name = id < SL_F_COUNT
                               ? row->name
                               : particles->attributes->item[id - SL_F_COUNT].state_name;
        /* Exported fields too: the view of a restored world is complete at once. */
        if (particles->data[id] == NULL || (row->flags & (SL_FIELD_STATE | SL_FIELD_EXPORT)) == 0)
            continue;
        add(list, (SlStateItem){.name = name,
                                .unit = row->unit,
                                .meaning = row->meaning,
                                .type = sl_storage_type(row->storage),
                                .element_bytes = row->storage == SL_STORE_F32X4 ? 12 : 4,
                                .stride = sl_storage_bytes(row->storage),
                                .count = particles->count,
                                .data = particles->data[id]});
    }
}

static void list_system(List *list, const SlWorldSystem *system)
{
    const SlSystem *base = &system->base;
    const SlSolver *solver = base->solver;
    const SlFlow *flow = &system->flow;
    ADD_BYTES(list, "name", "of the system", strlen(base->name), base->name);
    ADD_BYTES(list, "solver", "its method", strlen(solver->table.name), solver->table.name);
    ADD_VALUE(list, "steps", "", "u64: steps done", base->step);
    ADD_VALUE(list, "time", "s", "f64: its own time", base->time);
    ADD_VALUE(list, "progress", "", "f64, u64: in the interval under way", system->progress);
    ADD_VALUE(list, "monitor", "", "energy, body speed, steps, longest step", system->monitor);
    ADD_VALUE(list, "flow.next_id", "", "u64", flow->next_id);
    ADD_VALUE(list, "flow.removed", "", "u64", flow->removed);
    ADD_VALUE(list, "flow.changed", "", "u64", flow->changed);
    SlStateItem each = {.name = "emitter.layers",
                        .unit = "",
                        .meaning = "u64 each",
                        .element_bytes = 8,
                        .stride = sizeof(SlEmitter),
                        .count = flow->emitter_count,
                        .data = &flow->emitters[0].layers};
    add(list, each);
    each.name = "emitter.emitted";
    each.data = &flow->emitters[0].emitted;
    add(list, each);
    each.name = "emitter.owed";
    each.data = &flow->emitters[0].owed;
    add(list, each);
    for (size_t k = 0; k < solver->state_row_count; k++) {
        const SlStateRow *row = &solver->state_rows[k];
        ADD_BYTES(list, row->name, row->meaning, row->bytes,
                  (const char *)base->state + row->offset);
    }
    add(list, (SlStateItem){.name = SL_STATE_PARAMETERS,
                            .unit = "",
                            .meaning = "live ones: char × 32, f64 × 3 at the start, f64 × 3 now",
                            .element_bytes = sizeof *system->live,
                            .stride = sizeof *system->live,
                            .count = system->live_count,
                            .data = system->live});
    list_fields(list, &base->particles);
}

/* What is not copied back as it is: names are compared, changes depend on the set-up. */
static bool restored_apart(const char *name)
{
    static const char *const names[] = {"name",           "solver",        SL_STATE_PARAMETERS,
                                        SL_STATE_GRAVITY, SL_STATE_FIELDS, SL_STATE_FIELDS_START};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
        if (strcmp(name, names[k]) == 0)
            return true;
    return false;
}

static void list_changes(List *list, const SlChanges *changes)
{
    ADD_VALUE(list, SL_STATE_GRAVITY, "m/s^2", "f32 × 3 at the start, f32 × 3 now",
              changes->gravity);
    ADD_VALUE(list, SL_STATE_FIELDS_START, "", "u64: hash of the force fields at the start",
              changes->start_forces);
    add(list, (SlStateItem){.name = SL_STATE_FIELDS,
                            .unit = "",
                            .meaning = "char × 24, u64: system + 1, f64 × 24: parameters",
                            .element_bytes = sizeof changes->force_fields[0],
                            .stride = sizeof changes->force_fields[0],
                            .count = SL_MAX_FORCE_FIELDS,
                            .data = changes->force_fields});
}

static void list_all(List *list, const SlWorld *world)
{
    list->count = 0;
    for (uint32_t s = 0; s < world->system_count; s++) {
        list->system = s;
        list_system(list, world->systems[s]);
    }
    list->system = world->system_count;
    ADD_VALUE(list, "seed", "", "u64", world->def.seed);
    ADD_VALUE(list, "interval", "", "f64 × 3, u64 × 2", world->interval);
    ADD_VALUE(list, "clock", "", "f64 × 2, u64", world->clock);
    ADD_BYTES(list, "targets", "poses that colliders move between", sizeof world->colliders.targets,
              world->colliders.targets);
    list_changes(list, &world->changes);
}

SlStatus sl_world_state(SlWorld *world, const SlStateView **state, SlError *error)
{
    SlStatus status = sl_world_start(world, error);
    if (status != SL_OK)
        return status;
    List list = {NULL, 0, 0};
    sl_changes_note(world);
    list_all(&list, world);
    if (world->state_items == NULL) {
        world->state_items =
            sl_alloc_zero(&world->context->memory, list.count, sizeof *world->state_items);
        if (world->state_items == NULL)
            return sl_error_set(error, SL_ERROR_MEMORY, "no memory for the list of the state");
        world->state_item_count = list.count;
    }
    SL_ASSERT(list.count == world->state_item_count); /* the set-up is fixed */
    list.items = world->state_items;
    list_all(&list, world);
    world->state = (SlStateView){.frame = world->frame,
                                 .time = world->time,
                                 .domain = world->def.domain,
                                 .system_count = world->system_count,
                                 .items = world->state_items,
                                 .item_count = world->state_item_count};
    *state = &world->state;
    return SL_OK;
}

void sl_world_free_state(SlWorld *world)
{
    sl_free(&world->context->memory, world->state_items,
            world->state_item_count * sizeof *world->state_items);
}

static SlStatus refuse(SlError *error, const SlStateItem *item, const char *what)
{
    return sl_error_set(error, SL_ERROR_PARSE, "the state's \"%s\" %s", item->name, what);
}

/* The stored system is this one: same name, same solver. */
static SlStatus check_text(const SlWorldSystem *system, const SlStateView *state,
                           const char *name, const char *text, SlError *error)
{
    const SlStateItem *item = sl_state_find(state, system->base.index, name);
    if (item == NULL || item->type != 0 || item->element_bytes != 1)
        return sl_error_set(error, SL_ERROR_PARSE, "the state has no \"%s\" of system %u", name,
                            system->base.index);
    if (item->count != strlen(text) || memcmp(item->data, text, item->count) != 0)
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "system %u has the %s \"%.40s\" here and \"%.*s\" in the state; they "
                            "must be the same",
                            system->base.index, name, text,
                            (int)(item->count < 40 ? item->count : 40), (const char *)item->data);
    return SL_OK;
}

/* Makes the particle set as large as the stored one; contents follow. */
static SlStatus fit_particles(SlWorldSystem *system, const SlStateView *state, SlError *error)
{
    SlParticles *particles = &system->base.particles;
    const SlStateItem *id = sl_state_find(state, system->base.index, sl_field_rows[SL_F_ID].name);
    if (id == NULL)
        return sl_error_set(error, SL_ERROR_PARSE, "the state has no particles of system %u",
                            system->base.index);
    if (id->count > particles->count) {
        SlStatus status = sl_particles_reserve(particles, id->count - particles->count, error);
        if (status != SL_OK)
            return status;
    }
    particles->count = id->count;
    sl_particles_pad_all(particles);
    return SL_OK;
}

static bool all_finite(const SlStateItem *item)
{
    size_t lanes = item->element_bytes / 4;
    for (size_t i = 0; i < item->count; i++) {
        float value[3];
        memcpy(value, (const char *)item->data + i * item->stride, 4 * lanes);
        for (size_t k = 0; k < lanes; k++)
            if (!isfinite(value[k]))
                return false;
    }
    return true;
}

/* `mine` points into the world: what is listed there is written here. */
static SlStatus restore_item(const SlStateItem *mine, const SlStateView *state, SlError *error)
{
    const SlStateItem *item = sl_state_find(state, mine->system, mine->name);
    if (item == NULL)
        return refuse(error, mine, "is missing");
    if (item->type != mine->type || item->element_bytes != mine->element_bytes)
        return refuse(error, mine, "is of another type");
    /* Emitters may come and go: a new one begins with nothing let through. */
    bool free_count = strncmp(mine->name, "emitter.", 8) == 0;
    if (item->count != mine->count && !free_count)
        return refuse(error, mine, "is of another length");
    if ((mine->type == SL_FIELD_F32 || mine->type == SL_FIELD_F32X3) && !all_finite(item))
        return refuse(error, mine, "holds a value that is not finite");
    size_t count = item->count < mine->count ? item->count : mine->count;
    for (size_t i = 0; i < count; i++)
        memcpy((char *)mine->data + i * mine->stride,
               (const char *)item->data + i * item->stride, mine->element_bytes);
    return SL_OK;
}

enum { MAX_TIME = 1000000000 }; /* s */

/* Values that steer loops must be such as a world would have written. */
static const char *wrong_with(const SlWorld *world)
{
    const SlInterval *interval = &world->interval;
    if (interval->open > 1 || !(interval->dt >= 0 && interval->dt <= 10) ||
        (interval->open == 1 && interval->dt == 0) || interval->is_frame > 1 ||
        !isfinite(interval->began) ||
        !(interval->length >= 0 && interval->length <= 10))
        return "interval";
    if (!(world->time >= 0 && world->time <= MAX_TIME))
        return "time";
    const SlClock *clock = &world->clock;
    if (!isfinite(clock->time) || !(clock->frame_time > 0) || clock->frame > world->frame)
        return "clock";
    if (!sl_colliders_targets_valid(&world->colliders))
        return "targets";
    for (uint32_t s = 0; s < world->system_count; s++) {
        const SlWorldSystem *system = world->systems[s];
        double apart = fabs(system->base.time - world->time);
        if (!(apart <= interval->dt + 1e-6 * fmax(1, world->time)))
            return "time";
        if (!(system->progress.done >= 0 && system->progress.done <= interval->dt) ||
            system->progress.step > UINT32_MAX)
            return "progress";
        if (!(system->monitor.energy >= 0) || !(system->monitor.body_speed >= 0) ||
            !(system->monitor.longest_step >= 0))
            return "monitor";
        if (system->flow.next_id > (uint64_t)SL_MAX_ID + 1 || system->flow.changed > 1)
            return "flow.next_id";
    }
    return NULL;
}

/* Solids stand where the last sub-step left them: a frame that was stopped behind its last one is
   still to be written. Solvers drop what they made from another state. */
void sl_world_state_replaced(SlWorld *world)
{
    const SlInterval *interval = &world->interval;
    sl_world_update_surroundings(world);
    for (uint32_t k = 0; k < world->system_count; k++) {
        SlSystem *system = &world->systems[k]->base;
        if (system->solver->state_replaced != NULL)
            system->solver->state_replaced(system);
    }
    sl_colliders_restored(&world->colliders);
    if (interval->length > 0)
        sl_colliders_move(&world->colliders, sl_world_interpolation(world), interval->began,
                          interval->length);
}

SlStatus sl_world_restore(SlWorld *world, const SlStateView *state, SlError *error)
{
    if (world == NULL)
        return SL_ERROR_ARGUMENT;
    if (world->frame != 0 || world->time != 0 || world->interval.open)
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "the world has been stepped; only a new one takes a state");
    if (state->system_count != world->system_count)
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "the state has %u systems, the world %u; they must be the same",
                            state->system_count, world->system_count);
    SlStatus status = sl_world_start(world, error);
    for (uint32_t s = 0; status == SL_OK && s < world->system_count; s++) {
        SlWorldSystem *system = world->systems[s];
        status = check_text(system, state, "name", system->base.name, error);
        if (status == SL_OK)
            status = check_text(system, state, "solver", system->base.solver->table.name, error);
        if (status == SL_OK)
            status = fit_particles(system, state, error);
    }
    const SlStateView *mine;
    uint64_t seed = world->def.seed; /* the set-up's, as any other value of it */
    world->frame = state->frame;
    world->time = state->time;
    if (status == SL_OK)
        status = sl_world_state(world, &mine, error);
    for (size_t k = 0; status == SL_OK && k < mine->item_count; k++)
        if (!restored_apart(mine->items[k].name))
            status = restore_item(&mine->items[k], state, error);
    world->def.seed = seed;
    const char *wrong = status == SL_OK ? wrong_with(world) : NULL;
    if (wrong != NULL)
        return sl_error_set(error, SL_ERROR_PARSE, "the state's \"%s\" is not what a world would have written", wrong);
    if (status == SL_OK)
        status = sl_changes_restore(world, state, error);
    if (status != SL_OK)
        return status;
    /* At another frame rate frames are counted from this moment. */
    if (world->clock.frame_time != world->def.frame_time)
        world->clock = (SlClock){world->time, world->def.frame_time, world->frame};
    sl_world_state_replaced(world);
    return SL_OK;
}
