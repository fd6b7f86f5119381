/* Filters: what is applied to the run's frames when they are drawn or exported. Each is an object with its
   type and the filter's own keys; the list is applied in order. */
#include <stdio.h>
#include <string.h>

#include "core/error.h"
#include "scene/scene.h"

enum { MAX_NAMES = 32 };

static SlStatus find_table(const SlScene *scene, const SlJsonNode *type, const SlSceneTables *tables,
                           const SlTable **table, SlError *error)
{
    const SlJson *json = &scene->json;
    const char *names[MAX_NAMES];
    size_t count = tables->filter_count < MAX_NAMES ? tables->filter_count : MAX_NAMES;
    if (type->type != SL_JSON_TEXT)
        return sl_keys_wrong_type(json, type, "a text", error);
    for (size_t k = 0; k < count; k++) {
        *table = tables->filters[k];
        names[k] = (*table)->name;
        if (strcmp(names[k], sl_json_text(json, type)) == 0)
            return SL_OK;
    }
    return sl_keys_unknown_name(json, type, "filter", names, count, error);
}

static SlStatus read_filter(SlScene *scene, const SlJsonNode *node, const SlSceneTables *tables,
                            SlSceneFilterRow *filter, SlError *error)
{
    const SlJson *json = &scene->json;
    if (node->type != SL_JSON_OBJECT)
        return sl_keys_wrong_type(json, node, "an object { … }", error);
    const SlJsonNode *type = sl_json_member(json, node, "type");
    if (type == NULL)
        return sl_json_error(json, node->place, error, "a filter needs the key \"type\"");
    SlStatus status = find_table(scene, type, tables, &filter->table, error);
    if (status != SL_OK)
        return status;
    filter->values = sl_scene_alloc(scene, filter->table->row_count, sizeof *filter->values, error);
    if (filter->values == NULL)
        return SL_ERROR_MEMORY;
    sl_table_defaults(filter->table, filter->values);
    return sl_keys_read_table_but(json, node, filter->table, "type", filter->values, error);
}

SlStatus sl_scene_read_filters(SlScene *scene, const SlJsonNode *array, const SlSceneTables *tables,
                               SlError *error)
{
    const SlJson *json = &scene->json;
    if (array == NULL || array->count == 0)
        return SL_OK;
    scene->filters = sl_scene_alloc(scene, array->count, sizeof *scene->filters, error);
    if (scene->filters == NULL)
        return SL_ERROR_MEMORY;
    scene->filter_count = array->count;
    const SlJsonNode *node = sl_json_first(json, array);
    SlStatus status = SL_OK;
    for (size_t k = 0; status == SL_OK && k < array->count; k++, node = sl_json_next(json, node))
        status = read_filter(scene, node, tables, &scene->filters[k], error);
    return status;
}

void sl_scene_free_filters(SlScene *scene)
{
    for (size_t k = 0; k < scene->filter_count; k++) {
        const SlSceneFilterRow *filter = &scene->filters[k];
        if (filter->values != NULL)
            sl_free(scene->memory, filter->values,
                    filter->table->row_count * sizeof *filter->values);
    }
    sl_free(scene->memory, scene->filters, scene->filter_count * sizeof *scene->filters);
}

size_t sl_scene_filter_count(const SlScene *scene)
{
    return scene->filter_count;
}

SlSceneFilter sl_scene_filter(const SlScene *scene, size_t index)
{
    if (index >= scene->filter_count)
        return (SlSceneFilter){NULL, NULL};
    return (SlSceneFilter){scene->filters[index].table->name, scene->filters[index].values};
}
