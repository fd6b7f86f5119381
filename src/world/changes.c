/* What a program changed while the world ran, as state: live parameters, gravity and force fields.

   A checkpoint is restored into a set-up, and a resumed run may have another set-up on purpose. So
   each value is stored as it was at the start and as it is now: where the new set-up has the value of
   the old start, the value as it was at the checkpoint continues; where it has another, it stays. */
#include <string.h>

#include "world/world.h"

static size_t live_rows(const SlTable *table)
{
    size_t count = 0;
    for (size_t k = 0; k < table->row_count; k++)
        count += table->rows[k].live && table->rows[k].type != SL_PARAM_TEXT;
    return count;
}

static SlStatus start_parameters(SlWorld *world, SlWorldSystem *system, SlError *error)
{
    const SlTable *table = &system->base.solver->table;
    SlLiveValue *live = sl_alloc_zero(&world->context->memory, live_rows(table) + 1, sizeof *live);
    if (live == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for the state of parameters");
    system->live = live;
    system->live_count = live_rows(table);
    for (size_t k = 0; k < table->row_count; k++) {
        const SlParamRow *row = &table->rows[k];
        if (!row->live || row->type == SL_PARAM_TEXT)
            continue;
        SL_ASSERT(strlen(row->name) < sizeof live->name);
        memcpy(live->name, row->name, strlen(row->name) + 1);
        memcpy(live->start, system->base.values[k].number, sizeof live->start);
        live++;
    }
    return SL_OK;
}

SlStatus sl_changes_start(SlWorld *world, SlError *error)
{
    SlStatus status = SL_OK;
    world->changes.gravity[0] = world->def.gravity;
    world->changes.start_forces = sl_world_hash_forces(world, 0);
    for (uint32_t s = 0; status == SL_OK && s < world->system_count; s++)
        if (world->systems[s]->live == NULL)
            status = start_parameters(world, world->systems[s], error);
    return status;
}

void sl_changes_free(SlContext *context, SlWorldSystem *system)
{
    if (system->live != NULL)
        sl_free(&context->memory, system->live, (system->live_count + 1) * sizeof *system->live);
}

static void note_force_field(const SlForceField *field, SlForceFieldState *state)
{
    memset(state, 0, sizeof *state);
    if (field->kind == NULL)
        return;
    const SlTable *table = &field->kind->table;
    SL_ASSERT(strlen(table->name) < sizeof state->kind);
    memcpy(state->kind, table->name, strlen(table->name) + 1);
    state->system1 = field->system1;
    for (size_t r = 0; r < table->row_count; r++)
        memcpy(state->values[r], field->values[r].number, sizeof state->values[r]);
}

void sl_changes_note(SlWorld *world)
{
    world->changes.gravity[1] = world->def.gravity;
    for (int k = 0; k < SL_MAX_FORCE_FIELDS; k++)
        note_force_field(&world->force_fields[k], &world->changes.force_fields[k]);
    for (uint32_t s = 0; s < world->system_count; s++) {
        SlWorldSystem *system = world->systems[s];
        const SlTable *table = &system->base.solver->table;
        for (size_t k = 0; k < system->live_count; k++) {
            size_t row = (size_t)(sl_table_find(table, system->live[k].name) - table->rows);
            memcpy(system->live[k].now, system->base.values[row].number,
                   sizeof system->live[k].now);
        }
    }
}

/* --- Back from a state --- */

/* The item if it has elements of that size, at most `max` of them; NULL: there is none such. */
static const SlStateItem *find_item(const SlStateView *state, uint32_t system, const char *name,
                                    size_t bytes, size_t max)
{
    const SlStateItem *item = sl_state_find(state, system, name);
    return item != NULL && item->type == 0 && item->element_bytes == bytes && item->count <= max
               ? item
               : NULL;
}

static SlStatus set_value(const SlParamRow *row, const double number[3], SlParamValue *value,
                          SlError *error)
{
    if (row->type == SL_PARAM_VEC3)
        return sl_param_set_vec3(row, number, value, error);
    if (row->type != SL_PARAM_CHOICE)
        return sl_param_set_number(row, number[0], value, error);
    double count = 1;
    for (const char *at = row->choices; *at != '\0'; at++)
        count += *at == '|';
    if (!(number[0] >= 0 && number[0] < count))
        return sl_error_set(error, SL_ERROR_PARSE, "the state's \"%s\" is none of %s", row->name,
                            row->choices);
    value->number[0] = (double)(int)number[0];
    return SL_OK;
}

static bool same_numbers(const double a[3], const double b[3])
{
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

static SlStatus restore_parameters(SlWorldSystem *system, const SlStateView *state, SlError *error)
{
    SlSystem *base = &system->base;
    const SlTable *table = &base->solver->table;
    SlLiveValue live;
    const SlStateItem *item =
        find_item(state, base->index, SL_STATE_PARAMETERS, sizeof live, table->row_count);
    SlStatus status = SL_OK;
    for (size_t k = 0; item != NULL && status == SL_OK && k < item->count; k++) {
        memcpy(&live, (const char *)item->data + k * item->stride, sizeof live);
        live.name[sizeof live.name - 1] = '\0';
        const SlParamRow *row = sl_table_find(table, live.name);
        SlParamValue *value = row != NULL ? &base->values[row - table->rows] : NULL;
        if (row == NULL || !row->live || row->type == SL_PARAM_TEXT ||
            same_numbers(live.start, live.now) || !same_numbers(value->number, live.start))
            continue;
        status = set_value(row, live.now, value, error);
        base->given[row - table->rows] = true;
    }
    if (status == SL_OK && item != NULL && base->solver->check != NULL)
        status = base->solver->check(base, error);
    return status;
}

static SlStatus restore_gravity(SlWorld *world, const SlStateView *state, SlError *error)
{
    SlVec3 gravity[2];
    const SlStateItem *item =
        find_item(state, world->system_count, SL_STATE_GRAVITY, sizeof gravity, 1);
    if (item == NULL || item->count == 0)
        return SL_OK;
    memcpy(gravity, item->data, sizeof gravity);
    SlVec3 start = world->def.gravity;
    if (gravity[0].x != start.x || gravity[0].y != start.y || gravity[0].z != start.z)
        return SL_OK;
    if (!sl_gravity_valid(gravity[1]))
        return sl_error_set(error, SL_ERROR_PARSE, "the state's gravity is not valid");
    world->def.gravity = gravity[1];
    return SL_OK;
}

/* A function is not in a file: the field of that slot keeps the one that the program gave it. */
static SlStatus restore_force_field(SlWorld *world, uint32_t slot, SlForceFieldState *state,
                                    SlError *error)
{
    SlForceField *field = &world->force_fields[slot];
    SlForceField before = *field;
    state->kind[sizeof state->kind - 1] = '\0';
    const SlForceKind *kind = sl_force_kind_find(state->kind);
    if (state->kind[0] == '\0') {
        *field = (SlForceField){.generation = before.generation};
        return SL_OK;
    }
    if (kind == NULL || state->system1 > world->system_count)
        return sl_error_set(error, SL_ERROR_PARSE, "the state's force field %u is not valid", slot);
    if (kind == &sl_force_function && before.kind != kind)
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "the state has a force field of a program's function; add it to the "
                            "world before its state is restored");
    bool is_new = before.kind == NULL;
    *field = (SlForceField){.kind = kind,
                            .generation = (uint16_t)(before.generation + is_new),
                            .system1 = (uint32_t)state->system1,
                            .function = before.function,
                            .user = before.user};
    SlStatus status = SL_OK;
    for (size_t r = 0; status == SL_OK && r < kind->table.row_count; r++)
        status = set_value(&kind->table.rows[r], state->values[r], &field->values[r], error);
    return status;
}

static SlStatus restore_force_fields(SlWorld *world, const SlStateView *state, SlError *error)
{
    uint64_t start;
    SlForceFieldState field;
    const SlStateItem *hash =
        find_item(state, world->system_count, SL_STATE_FIELDS_START, sizeof start, 1);
    const SlStateItem *item = find_item(state, world->system_count, SL_STATE_FIELDS, sizeof field,
                                        SL_MAX_FORCE_FIELDS);
    if (hash == NULL || hash->count == 0 || item == NULL)
        return SL_OK;
    memcpy(&start, hash->data, sizeof start);
    if (start != sl_world_hash_forces(world, 0))
        return SL_OK;
    SlStatus status = SL_OK;
    for (uint32_t k = 0; status == SL_OK && k < item->count; k++) {
        memcpy(&field, (const char *)item->data + k * item->stride, sizeof field);
        status = restore_force_field(world, k, &field, error);
    }
    world->force_field_count = 0;
    for (int k = 0; k < SL_MAX_FORCE_FIELDS; k++)
        world->force_field_count += world->force_fields[k].kind != NULL;
    return status;
}

SlStatus sl_changes_restore(SlWorld *world, const SlStateView *state, SlError *error)
{
    SlStatus status = restore_gravity(world, state, error);
    if (status == SL_OK)
        status = restore_force_fields(world, state, error);
    for (uint32_t s = 0; status == SL_OK && s < world->system_count; s++)
        status = restore_parameters(world->systems[s], state, error);
    return status;
}
