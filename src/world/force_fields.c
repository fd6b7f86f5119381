/* Force fields of a world: added, changed and removed at any time, applied before each sub-step. */
#include <math.h>
#include <string.h>

#include "core/cookies.h"
#include "core/hash.h"
#include "core/names.h"
#include "world/world.h"

static SlStatus find_slot(const SlWorld *world, SlForceFieldId id, uint32_t *found, SlError *error)
{
    if (world == NULL)
        return SL_ERROR_ARGUMENT;
    uint32_t slot = *found = id.index1 - 1;
    bool removed = false;
    if (id.index1 > 0 && slot < SL_MAX_FORCE_FIELDS && id.world == world->number) {
        const SlForceField *field = &world->force_fields[slot];
        if (field->kind != NULL && field->generation == id.generation)
            return SL_OK;
        removed = field->generation != 0;
    }
    return sl_error_set(error, SL_ERROR_ARGUMENT, "the handle names no force field of this world%s",
                        sl_handle_reason(world, id.index1, id.world, removed));
}

static SlStatus unknown_kind(const char *name, SlError *error)
{
    char hint[SL_NAME_HINT];
    size_t count;
    const SlTable *const *tables = sl_force_field_tables(&count);
    return sl_error_set(error, SL_ERROR_ARGUMENT, "there is no force field \"%.40s\"%s",
                        name != NULL ? name : "", sl_table_hint(name, tables, count, hint));
}

static SlStatus unknown_parameter(const SlTable *table, const char *name, SlError *error)
{
    char hint[SL_NAME_HINT];
    return sl_error_set(error, SL_ERROR_ARGUMENT, "the force field %s has no parameter \"%.40s\"%s",
                        table->name, name != NULL ? name : "", sl_row_hint(name, table, hint));
}

static SlStatus check_def(SlWorld *world, const SlForceFieldDef *def, uint32_t *system1,
                          SlError *error)
{
    if (!SL_DEF_VALID(def, FORCE_FIELD))
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "force field definition not made by sl_default_force_field_def");
    const SlForceKind *kind = sl_force_kind_find(def->kind);
    if (kind == NULL)
        return unknown_kind(def->kind, error);
    if ((kind == &sl_force_function) != (def->function != NULL))
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "a force field has a function if and only if its kind is \"function\"");
    *system1 = def->system.index1;
    if (*system1 != 0 && sl_world_resolve_system(world, def->system, error) == NULL)
        return SL_ERROR_ARGUMENT;
    return SL_OK;
}

static SlStatus add_field(SlWorld *world, const SlForceFieldDef *def, SlForceFieldId *id,
                          SlError *error)
{
    uint32_t slot = 0, system1 = 0;
    SlStatus status = check_def(world, def, &system1, error);
    if (status != SL_OK)
        return status;
    while (slot < SL_MAX_FORCE_FIELDS && world->force_fields[slot].kind != NULL)
        slot++;
    if (slot == SL_MAX_FORCE_FIELDS)
        return sl_error_set(error, SL_ERROR_ARGUMENT, "at most %d force fields fit in a world",
                            SL_MAX_FORCE_FIELDS);
    SlForceField *field = &world->force_fields[slot];
    *field = (SlForceField){.kind = sl_force_kind_find(def->kind),
                            .generation = (uint16_t)(field->generation + 1),
                            .system1 = system1,
                            .function = def->function,
                            .user = def->user};
    SL_ASSERT(field->kind->table.row_count <= SL_MAX_FORCE_ROWS);
    for (size_t k = 0; k < field->kind->table.row_count; k++)
        field->values[k] = field->kind->table.rows[k].value;
    world->force_field_count++;
    if (id != NULL)
        *id = (SlForceFieldId){slot + 1, world->number, field->generation};
    return SL_OK;
}

/* A parameter: the field's slot, and the number of the row. */
typedef struct Place {
    uint32_t slot;
    size_t row;
} Place;

static SlStatus find_place(const SlWorld *world, SlForceFieldId id, const char *name, Place *place,
                           SlError *error)
{
    SlStatus status = find_slot(world, id, &place->slot, error);
    if (status != SL_OK)
        return status;
    const SlForceField *field = &world->force_fields[place->slot];
    const SlTable *table = &field->kind->table;
    const SlParamRow *row = sl_table_find(table, name);
    if (row == NULL)
        return unknown_parameter(table, name, error);
    place->row = (size_t)(row - table->rows);
    return SL_OK;
}

static SlStatus find_value(SlWorld *world, SlForceFieldId id, const char *name,
                           const SlParamRow **row, SlParamValue **value, SlError *error)
{
    Place place = {0};
    SlStatus status = find_place(world, id, name, &place, error);
    if (status != SL_OK)
        return status;
    SlForceField *field = &world->force_fields[place.slot];
    *row = &field->kind->table.rows[place.row];
    *value = &field->values[place.row];
    return SL_OK;
}

static SlStatus set_number(SlWorld *world, SlForceFieldId id, const char *name, double number,
                           SlError *error)
{
    const SlParamRow *row = NULL;
    SlParamValue *value = NULL;
    SlStatus status = find_value(world, id, name, &row, &value, error);
    return status == SL_OK ? sl_param_set_number(row, number, value, error) : status;
}

static SlStatus set_vec3(SlWorld *world, SlForceFieldId id, const char *name, SlVec3 vector,
                         SlError *error)
{
    const SlParamRow *row = NULL;
    SlParamValue *value = NULL;
    const double numbers[3] = {(double)vector.x, (double)vector.y, (double)vector.z};
    SlStatus status = find_value(world, id, name, &row, &value, error);
    return status == SL_OK ? sl_param_set_vec3(row, numbers, value, error) : status;
}

static SlStatus remove_field(SlWorld *world, SlForceFieldId id, SlError *error)
{
    uint32_t slot;
    SlStatus status = find_slot(world, id, &slot, error);
    if (status != SL_OK)
        return status;
    SlForceField *field = &world->force_fields[slot];
    *field = (SlForceField){.generation = field->generation};
    world->force_field_count--;
    return SL_OK;
}

SlStatus sl_world_apply_forces(SlWorld *world, SlWorldSystem *holder, double time, double dt,
                               SlError *error)
{
    SlSystem *system = &holder->base;
    SlForceSum forces = {world->force_fields, system->index, time, dt};
    if (world->force_field_count == 0 || !sl_forces_act(&forces))
        return SL_OK;
    double gain;
    SlStatus status =
        sl_forces_apply(&forces, &system->particles, &system->arena, &gain, error);
    holder->monitor.energy += fmax(gain, 0);
    return status;
}

uint64_t sl_world_hash_forces(const SlWorld *world, uint64_t hash)
{
    for (uint32_t k = 0; k < SL_MAX_FORCE_FIELDS; k++) {
        const SlForceField *field = &world->force_fields[k];
        if (field->kind == NULL)
            continue;
        const SlTable *table = &field->kind->table;
        hash = sl_hash(table->name, strlen(table->name), hash);
        hash = sl_hash(&field->system1, sizeof field->system1, hash);
        for (size_t r = 0; r < table->row_count; r++)
            hash = sl_hash(field->values[r].number, sizeof field->values[r].number, hash);
    }
    return hash;
}

/* --- The public calls --- */

SlStatus sl_world_add_force_field(SlWorld *world, const SlForceFieldDef *def, SlForceFieldId *id,
                                  SlError *error)
{
    if (id != NULL)
        *id = (SlForceFieldId){0, 0, 0};
    SL_SETUP_CALL(world, error, add_field(world, def, id, &found));
}

SlStatus sl_force_field_set_number(SlWorld *world, SlForceFieldId id, const char *name,
                                   double value, SlError *error)
{
    SL_SETUP_CALL(world, error, set_number(world, id, name, value, &found));
}

SlStatus sl_force_field_set_vec3(SlWorld *world, SlForceFieldId id, const char *name, SlVec3 value,
                                 SlError *error)
{
    SL_SETUP_CALL(world, error, set_vec3(world, id, name, value, &found));
}

SlStatus sl_force_field_get(const SlWorld *world, SlForceFieldId id, const char *name,
                            SlParamValue *value, SlError *error)
{
    Place place = {0};
    SlStatus status = find_place(world, id, name, &place, error);
    if (status == SL_OK)
        *value = world->force_fields[place.slot].values[place.row];
    return status;
}

SlStatus sl_force_field_remove(SlWorld *world, SlForceFieldId id, SlError *error)
{
    SL_SETUP_CALL(world, error, remove_field(world, id, &found));
}
