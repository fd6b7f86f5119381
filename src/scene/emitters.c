/* Emitters and drains of a system. They are read from their nodes twice, to be checked with the
   scene and again when a world is built, so nothing has to be kept. */
#include <math.h>
#include <string.h>

#include "core/error.h"
#include "scene/scene.h"

enum {
    NAME, SHAPE, CENTER, DIRECTION, UP, RADIUS, WIDTH, HEIGHT, SPEED, RATE, START, END, LIMIT,
    FLUID,    EMITTER_KEYS
};
#define LENGTH_ROW(name_) SL_KEY_NUMBER_ROW(name_, 0, 1e-6, SL_SCENE_FAR, "m")
static const SlKeyRow emitter_rows[EMITTER_KEYS] = {
    [NAME] = SL_KEY_TEXT_ROW("name", "", false),
    [SHAPE] = SL_KEY_TEXT_ROW("shape", "", true),
    [CENTER] = SL_KEY_VEC3_ROW("center", 0, 0, 0, SL_SCENE_FAR, "m", true),
    [DIRECTION] = SL_KEY_VEC3_ROW("direction", 0, -1, 0, SL_SCENE_FAR, "", false),
    [UP] = SL_KEY_VEC3_ROW("up", 0, 1, 0, SL_SCENE_FAR, "", false),
    [RADIUS] = LENGTH_ROW("radius"),
    [WIDTH] = LENGTH_ROW("width"),
    [HEIGHT] = LENGTH_ROW("height"),
    [SPEED] = SL_KEY_NUMBER_ROW("speed", 1, 1e-6, 1e4, "m/s"),
    [RATE] = SL_KEY_NUMBER_ROW("rate", 0, 0, 1e12, "particles per second"),
    [START] = SL_KEY_NUMBER_ROW("start", 0, 0, 1e9, "s"),
    [END] = SL_KEY_NUMBER_ROW("end", 1e9, 0, 1e9, "s"),
    [LIMIT] = SL_KEY_WHOLE_ROW("limit", 0, 0, 2147483392.0),
    [FLUID] = SL_KEY_TEXT_ROW("fluid", "", false),
};

/* A disk has a radius, a box width and height; the other's keys are refused. */
static SlStatus check_opening(const SlScene *scene, const SlJsonNode *node,
                              const SlKeyValue *values, SlEmitterKind kind, SlError *error)
{
    static const int of_disk[] = {RADIUS}, of_box[] = {WIDTH, HEIGHT};
    const int *needed = kind == SL_EMITTER_DISK ? of_disk : of_box;
    const int *foreign = kind == SL_EMITTER_DISK ? of_box : of_disk;
    size_t needed_count = kind == SL_EMITTER_DISK ? 1 : 2, foreign_count = 3 - needed_count;
    const char *what = kind == SL_EMITTER_DISK ? "a disk" : "a box";
    for (size_t k = 0; k < needed_count; k++)
        if (values[needed[k]].node == NULL)
            return sl_json_error(&scene->json, node->place, error,
                                 "an emitter that is %s needs the key \"%s\"", what,
                                 emitter_rows[needed[k]].row.name);
    for (size_t k = 0; k < foreign_count; k++)
        if (values[foreign[k]].node != NULL)
            return sl_json_error(&scene->json, values[foreign[k]].node->place, error,
                                 "an emitter that is %s has no \"%s\"", what,
                                 emitter_rows[foreign[k]].row.name);
    return SL_OK;
}

static SlStatus read_emitter(const SlScene *scene, const SlSceneSystem *system,
                             const SlJsonNode *node, SlEmitterDef *def, SlError *error)
{
    static const char *const shapes[] = {"disk", "box"};
    SlKeyValue values[EMITTER_KEYS];
    SlStatus status = sl_keys_read(&scene->json, node, "an emitter", emitter_rows, EMITTER_KEYS,
                                   values, error);
    if (status != SL_OK)
        return status;
    bool disk = strcmp(values[SHAPE].value.text, "disk") == 0;
    if (!disk && strcmp(values[SHAPE].value.text, "box") != 0)
        return sl_keys_unknown_name(&scene->json, values[SHAPE].node, "shape", shapes, 2, error);
    *def = sl_default_emitter_def(disk ? SL_EMITTER_DISK : SL_EMITTER_BOX);
    status = check_opening(scene, node, values, def->kind, error);
    if (status != SL_OK)
        return status;
    def->center = sl_keys_vec3(&values[CENTER]);
    def->direction = sl_keys_vec3(&values[DIRECTION]);
    def->up = sl_keys_vec3(&values[UP]);
    if (disk) {
        def->radius = (float)values[RADIUS].value.number[0];
    } else {
        def->width = (float)values[WIDTH].value.number[0];
        def->height = (float)values[HEIGHT].value.number[0];
    }
    def->speed = (float)values[SPEED].value.number[0];
    def->rate = values[RATE].value.number[0];
    def->start = values[START].value.number[0];
    def->end = values[END].node != NULL ? values[END].value.number[0] : (double)INFINITY;
    def->limit = (uint64_t)values[LIMIT].value.number[0];
    return sl_scene_find_fluid(scene, system, values[FLUID].node, &def->fluid, error);
}

SlStatus sl_scene_read_emitters(SlScene *scene, SlSceneSystem *system, const SlJsonNode *array,
                                SlError *error)
{
    const SlJson *json = &scene->json;
    if (array == NULL || array->count == 0)
        return SL_OK;
    system->emitters = sl_scene_alloc(scene, array->count, sizeof *system->emitters, error);
    if (system->emitters == NULL)
        return SL_ERROR_MEMORY;
    system->emitter_count = array->count;
    SlStatus status = SL_OK;
    const SlJsonNode *node = sl_json_first(json, array);
    for (size_t k = 0; status == SL_OK && k < array->count; k++, node = sl_json_next(json, node)) {
        system->emitters[k].place = node->place;
        status = read_emitter(scene, system, node, &system->emitters[k].def, error);
    }
    return status;
}

SlStatus sl_scene_read_drains(SlScene *scene, SlSceneSystem *system, const SlJsonNode *array,
                              SlError *error)
{
    const SlJson *json = &scene->json;
    if (array == NULL || array->count == 0)
        return SL_OK;
    system->drains = sl_scene_alloc(scene, array->count, sizeof *system->drains, error);
    if (system->drains == NULL)
        return SL_ERROR_MEMORY;
    system->drain_count = array->count;
    const SlJsonNode *node = sl_json_first(json, array);
    for (size_t k = 0; k < array->count; k++, node = sl_json_next(json, node)) {
        SlSceneCollider drain;
        SlStatus status = sl_scene_read_region(scene, node, &drain, error);
        if (status == SL_OK && drain.is_mesh)
            status = sl_json_error(json, node->place, error, "a drain is an analytic shape");
        if (status != SL_OK)
            return status;
        system->drains[k] = (SlSceneDrain){drain.shape, node->place};
    }
    return SL_OK;
}
