/* The rows of built-in fields, and user attributes. */
#include "frame/fields.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define STATE SL_FIELD_STATE
#define EXPORT SL_FIELD_EXPORT
#define SORT SL_FIELD_SORT
#define DERIVED SL_FIELD_DERIVED
#define WRITE SL_FIELD_WRITE
#define ROW(id, storage, name, unit, flags, meaning)                                               \
    [SL_F_##id] = {name, unit, meaning, SL_STORE_##storage, flags},
const SlFieldRow sl_field_rows[SL_F_COUNT] = {SL_FIELD_TABLE(ROW)};
#undef ROW
#undef STATE
#undef EXPORT
#undef SORT
#undef DERIVED
#undef WRITE

#define VIEW(id, type_, name_, unit_, meaning_)                                                     \
    [SL_WHITEWATER_##id] = {.name = name_, .unit = unit_, .meaning = meaning_,                     \
                            .type = SL_FIELD_##type_}
const SlFieldView sl_whitewater_fields[SL_WHITEWATER_FIELDS] = {
    VIEW(ID, U32, "id", "", "unique number"),
    VIEW(POSITION, F32X3, "position", "m", "position"),
    VIEW(VELOCITY, F32X3, "velocity", "m/s", "velocity"),
    VIEW(PHASE, U32, "phase", "", "0 spray, 1 foam, 2 bubble"),
    VIEW(RADIUS, F32, "radius", "m", "radius of the particle"),
    VIEW(LIFETIME, F32, "lifetime", "s", "time left"),
};
#undef VIEW

static const struct Storage {
    size_t bytes;
    SlFieldType type;
} storages[] = {[SL_STORE_U32] = {4, SL_FIELD_U32},
                [SL_STORE_F32] = {4, SL_FIELD_F32},
                [SL_STORE_F32X4] = {16, SL_FIELD_F32X3}};

size_t sl_storage_bytes(SlStorage storage)
{
    return storages[storage].bytes;
}

SlFieldType sl_storage_type(SlStorage storage)
{
    return storages[storage].type;
}

SlStorage sl_type_storage(SlFieldType type)
{
    SlStorage storage = SL_STORE_U32;
    while (storages[storage].type != type)
        storage = (SlStorage)(storage + 1);
    return storage;
}

/* --- User attributes --- */

static bool name_valid(const char *name)
{
    size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_");
    return length >= 1 && length < SL_ATTRIBUTE_NAME && name[length] == '\0' &&
           (name[0] < '0' || name[0] > '9');
}

static bool name_taken(const SlAttributes *attributes, const char *name)
{
    for (int id = 0; id < SL_F_COUNT; id++)
        if (strcmp(sl_field_rows[id].name, name) == 0)
            return true;
    for (uint32_t k = 0; k < attributes->count; k++)
        if (strcmp(attributes->item[k].name, name) == 0)
            return true;
    return false;
}

const char *sl_attributes_add(SlAttributes *attributes, const char *name, SlFieldType type,
                              const void *initial)
{
    if (attributes->count == SL_MAX_ATTRIBUTES)
        return "a system has at most 16 attributes";
    if (!name_valid(name))
        return "a name has 1 to 23 characters of a to z, 0 to 9 and _, and does not begin with a digit";
    if (name_taken(attributes, name))
        return "there is a field of that name";
    if (type != SL_FIELD_U32 && type != SL_FIELD_F32 && type != SL_FIELD_F32X3)
        return "its type must be SL_FIELD_U32, SL_FIELD_F32 or SL_FIELD_F32X3";
    float value[3] = {0, 0, 0};
    size_t bytes = 4 * (size_t)sl_field_lanes(type);
    if (initial != NULL)
        memcpy(value, initial, bytes);
    if (type != SL_FIELD_U32 && !(isfinite(value[0]) && isfinite(value[1]) && isfinite(value[2])))
        return "its initial value must be finite";
    SlAttribute *a = &attributes->item[attributes->count++];
    memset(a, 0, sizeof *a);
    snprintf(a->name, sizeof a->name, "%s", name);
    snprintf(a->state_name, sizeof a->state_name, "user.%s", name);
    memcpy(a->initial, value, bytes);
    a->row = (SlFieldRow){.name = a->name,
                          .unit = "",
                          .meaning = "user attribute",
                          .storage = sl_type_storage(type),
                          .flags = SL_FIELD_STATE | SL_FIELD_EXPORT | SL_FIELD_SORT |
                                   SL_FIELD_WRITE};
    return NULL;
}
