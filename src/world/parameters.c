/* Parameters of systems: set by name against the solver's rows, presets, changes while running. */
#include <string.h>

#include "core/names.h"
#include "world/world.h"

/* The system, the row of that name, and whether it may be set now. */
typedef struct Target {
    SlSystem *system;
    const SlParamRow *row;
    SlParamValue *value;
} Target;

static SlStatus unknown_parameter(const SlTable *table, const char *name, SlError *error)
{
    char hint[SL_NAME_HINT];
    return sl_error_set(error, SL_ERROR_ARGUMENT, "%s has no parameter \"%.40s\"%s", table->name,
                        name != NULL ? name : "", sl_row_hint(name, table, hint));
}

static SlStatus find_row(const SlWorld *world, SlSystemId id, const char *name, Target *target,
                         SlError *error)
{
    SlWorldSystem *holder = sl_world_resolve_system(world, id, error);
    if (holder == NULL)
        return SL_ERROR_ARGUMENT;
    SlSystem *system = &holder->base;
    const SlTable *table = &system->solver->table;
    const SlParamRow *row = sl_table_find(table, name);
    if (row == NULL)
        return unknown_parameter(table, name, error);
    *target = (Target){system, row, &system->values[row - table->rows]};
    return SL_OK;
}

static SlStatus find_to_set(const SlWorld *world, SlSystemId id, const char *name, Target *target,
                            SlParamValue *before, SlError *error)
{
    SlStatus status = find_row(world, id, name, target, error);
    if (status == SL_OK)
        *before = *target->value;
    if (status == SL_OK && world->started && !target->row->live)
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "%s: \"%s\" is fixed when the world starts; set it before, or change one "
                            "of the parameters marked live",
                            target->system->name, name);
    return status;
}

static double preset_value(const SlPreset *preset, const SlParamRow *row)
{
    for (const SlPresetValue *v = preset->values; v->name != NULL; v++)
        if (strcmp(v->name, row->name) == 0)
            return v->value;
    return row->value.number[0];
}

/* A value was set. The values of a preset apply, in any order of calls, to rows that were not set
   by themselves. */
static void note_set(const Target *target)
{
    SlSystem *system = target->system;
    const SlTable *table = &system->solver->table;
    if (table->presets == NULL || strcmp(target->row->name, "preset") != 0) {
        system->given[target->row - table->rows] = true;
        return;
    }
    const SlPreset *preset = &table->presets[(size_t)target->value->number[0]];
    for (size_t k = 0; k < table->row_count; k++) {
        const SlParamRow *row = &table->rows[k];
        if (row == target->row || system->given[k])
            continue;
        system->values[k] = row->value;
        system->values[k].number[0] = preset_value(preset, row);
    }
}

/* A value in its range was stored. While the world runs it must also agree with the others; where it
   does not, the value before returns. */
static SlStatus accept(const SlWorld *world, const Target *target, const SlParamValue *before,
                       SlError *error)
{
    const SlSolver *solver = target->system->solver;
    SlStatus status = SL_OK;
    if (world->started && solver->check != NULL)
        status = solver->check(target->system, error);
    if (status == SL_OK)
        note_set(target);
    else
        *target->value = *before;
    return status;
}

SlStatus sl_parameters_set_number(SlWorld *world, SlSystemId id, const char *name, double value,
                                  SlError *error)
{
    Target target = {NULL, NULL, NULL};
    SlParamValue before;
    SlStatus status = find_to_set(world, id, name, &target, &before, error);
    if (status == SL_OK)
        status = sl_param_set_number(target.row, value, target.value, error);
    return status == SL_OK ? accept(world, &target, &before, error) : status;
}

SlStatus sl_parameters_set_text(SlWorld *world, SlSystemId id, const char *name, const char *value,
                                SlError *error)
{
    Target target = {NULL, NULL, NULL};
    SlParamValue before;
    SlStatus status = find_to_set(world, id, name, &target, &before, error);
    if (status == SL_OK)
        status = sl_param_set_text(target.row, value, target.value, error);
    return status == SL_OK ? accept(world, &target, &before, error) : status;
}

static SlStatus set_vec3(SlWorld *world, SlSystemId id, const char *name, SlVec3 value,
                         SlError *error)
{
    const double numbers[3] = {(double)value.x, (double)value.y, (double)value.z};
    Target target = {NULL, NULL, NULL};
    SlParamValue before;
    SlStatus status = find_to_set(world, id, name, &target, &before, error);
    if (status == SL_OK)
        status = sl_param_set_vec3(target.row, numbers, target.value, error);
    return status == SL_OK ? accept(world, &target, &before, error) : status;
}

SlStatus sl_system_set_number(SlWorld *world, SlSystemId id, const char *name, double value,
                              SlError *error)
{
    SL_SETUP_CALL(world, error, sl_parameters_set_number(world, id, name, value, &found));
}

SlStatus sl_system_set_text(SlWorld *world, SlSystemId id, const char *name, const char *value,
                            SlError *error)
{
    SL_SETUP_CALL(world, error, sl_parameters_set_text(world, id, name, value, &found));
}

SlStatus sl_system_set_vec3(SlWorld *world, SlSystemId id, const char *name, SlVec3 value,
                            SlError *error)
{
    SL_SETUP_CALL(world, error, set_vec3(world, id, name, value, &found));
}

SlStatus sl_system_get(const SlWorld *world, SlSystemId id, const char *name, SlParamValue *value,
                       SlError *error)
{
    Target target = {NULL, NULL, NULL};
    SlStatus status = find_row(world, id, name, &target, error);
    if (status == SL_OK)
        *value = *target.value;
    return status;
}
