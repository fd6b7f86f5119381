/* Force fields: a kind, its parameters, and perhaps the one system it acts on. */
#include <stdio.h>
#include <string.h>

#include "core/error.h"
#include "scene/scene.h"

enum { KIND, SYSTEM, PARAMETERS, FIELD_KEYS };
static const SlKeyRow field_rows[FIELD_KEYS] = {
    [KIND] = SL_KEY_TEXT_ROW("kind", "", true),
    [SYSTEM] = SL_KEY_TEXT_ROW("system", "", false),
    [PARAMETERS] = SL_KEY_OBJECT_ROW("parameters", false),
};

/* The kinds a scene may name: those whose work is not a program's. */
static SlStatus find_kind(const SlScene *scene, const SlKeyValue *kind, const SlSceneTables *tables,
                          const SlTable **table, SlError *error)
{
    enum { MAX = 32 };
    const char *names[MAX];
    size_t count = 0;
    for (size_t k = 0; k < tables->force_field_count && count < MAX; k++) {
        if (tables->force_fields[k]->row_count == 0)
            continue;
        *table = tables->force_fields[k];
        names[count++] = (*table)->name;
        if (strcmp((*table)->name, kind->value.text) == 0)
            return SL_OK;
    }
    return sl_keys_unknown_name(&scene->json, kind->node, "force field", names, count, error);
}

static SlStatus find_system(const SlScene *scene, const SlKeyValue *name, SlSceneForceField *field,
                            SlError *error)
{
    enum { MAX = 32 };
    const char *names[MAX];
    if (name->node == NULL)
        return SL_OK;
    size_t count = scene->system_count < MAX ? scene->system_count : MAX;
    for (size_t k = 0; k < count; k++) {
        names[k] = scene->systems[k].name;
        if (strcmp(names[k], name->value.text) == 0) {
            snprintf(field->system, sizeof field->system, "%s", names[k]);
            return SL_OK;
        }
    }
    return sl_keys_unknown_name(&scene->json, name->node, "system", names, count, error);
}

SlStatus sl_scene_read_force_fields(SlScene *scene, const SlJsonNode *array,
                                    const SlSceneTables *tables, SlError *error)
{
    const SlJson *json = &scene->json;
    if (array == NULL || array->count == 0)
        return SL_OK;
    scene->force_fields = sl_scene_alloc(scene, array->count, sizeof *scene->force_fields, error);
    if (scene->force_fields == NULL)
        return SL_ERROR_MEMORY;
    scene->force_field_count = array->count;
    const SlJsonNode *node = sl_json_first(json, array);
    for (size_t k = 0; k < array->count; k++, node = sl_json_next(json, node)) {
        SlSceneForceField *field = &scene->force_fields[k];
        SlKeyValue values[FIELD_KEYS];
        SlStatus status =
            sl_keys_read(json, node, "a force field", field_rows, FIELD_KEYS, values, error);
        if (status == SL_OK)
            status = find_kind(scene, &values[KIND], tables, &field->kind, error);
        if (status == SL_OK)
            status = find_system(scene, &values[SYSTEM], field, error);
        field->place = node->place;
        if (status == SL_OK)
            status = sl_scene_read_values(scene, values[PARAMETERS].node, field->kind,
                                          &field->parameters, error);
        if (status != SL_OK)
            return status;
    }
    return SL_OK;
}
