/* Fills of a system. Like flows they are read from their nodes twice, to be checked with the scene
   and again when a world is built. What is filled is written as colliders are. */
#include <stdio.h>
#include <string.h>

#include "core/error.h"
#include "geometry/shape.h"
#include "scene/scene.h"

enum {
    NAME, SHAPES, BLEND, MODE, VELOCITY, SPIN, PER_CELL, CELL, ALLOW_OPEN, NOISE, FLUID,
    FILL_KEYS
};
static const SlKeyRow fill_rows[FILL_KEYS] = {
    [NAME] = SL_KEY_TEXT_ROW("name", "", false),
    [SHAPES] = SL_KEY_ARRAY_ROW("shapes", 1, SL_SCENE_FILL_SHAPES, true),
    [BLEND] = SL_KEY_NUMBER_ROW("blend", 0, 0, SL_SCENE_FAR, "m"),
    [MODE] = {.row = {.name = "mode", .type = SL_PARAM_CHOICE, .maximum = SL_FILL_RANDOM,
                      .unit = "", .choices = "lattice|random"}},
    [VELOCITY] = SL_KEY_VEC3_ROW("velocity", 0, 0, 0, 1e4, "m/s", false),
    [SPIN] = SL_KEY_VEC3_ROW("spin", 0, 0, 0, 1e6, "degrees/s", false),
    [PER_CELL] = SL_KEY_WHOLE_ROW("per_cell", 8, 1, 64),
    [CELL] = SL_KEY_NUMBER_ROW("cell", 0, 1e-6, SL_SCENE_FAR, "m"),
    [ALLOW_OPEN] = {.row = {.name = "allow_open", .type = SL_PARAM_BOOL, .maximum = 1,
                            .unit = ""}},
    [NOISE] = SL_KEY_OBJECT_ROW("noise", false),
    [FLUID] = SL_KEY_TEXT_ROW("fluid", "", false),
};

enum { SMOOTH, GRAIN, SIZE, OCTAVES, CHUNKS, SEAMS, SHELL, CRUST, OFFSET, NOISE_KEYS };
static const SlKeyRow noise_rows[NOISE_KEYS] = {
    [SMOOTH] = SL_KEY_NUMBER_ROW("smooth", 0, 0, 1, ""),
    [GRAIN] = SL_KEY_NUMBER_ROW("grain", 0, 0, 1, ""),
    [SIZE] = SL_KEY_NUMBER_ROW("size", 0.5, 1e-6, SL_SCENE_FAR, "m"),
    [OCTAVES] = SL_KEY_WHOLE_ROW("octaves", 3, 1, 8),
    [CHUNKS] = SL_KEY_NUMBER_ROW("chunks", 0, 1e-6, SL_SCENE_FAR, "m"),
    [SEAMS] = SL_KEY_NUMBER_ROW("seams", 0, 0, SL_SCENE_FAR, "m"),
    [SHELL] = SL_KEY_NUMBER_ROW("shell", 0, 0, SL_SCENE_FAR, "m"),
    [CRUST] = SL_KEY_NUMBER_ROW("crust", 0, 0, SL_SCENE_FAR, "m"),
    [OFFSET] = SL_KEY_NUMBER_ROW("offset", 0, -1, 1, ""),
};

static SlStatus read_noise(const SlScene *scene, const SlJsonNode *node, SlNoise *noise,
                           SlError *error)
{
    SlKeyValue values[NOISE_KEYS];
    if (node == NULL)
        return SL_OK;
    SlStatus status =
        sl_keys_read(&scene->json, node, "noise", noise_rows, NOISE_KEYS, values, error);
    if (status != SL_OK)
        return status;
    double smooth = values[SMOOTH].value.number[0], grain = values[GRAIN].value.number[0];
    if (smooth + grain > 1 + 1e-9)
        return sl_json_error(&scene->json, node->place, error,
                             "smooth and grain are %g together; they may be at most 1",
                             smooth + grain);
    *noise = (SlNoise){.chunks = (float)values[CHUNKS].value.number[0],
                          .seams = (float)values[SEAMS].value.number[0],
                          .shell = (float)values[SHELL].value.number[0],
                          .crust = (float)values[CRUST].value.number[0],
                          .offset = (float)values[OFFSET].value.number[0],
                          .smooth = (float)smooth,
                          .grain = (float)grain,
                          .size = (float)values[SIZE].value.number[0],
                          .octaves = (uint32_t)values[OCTAVES].value.number[0]};
    return SL_OK;
}

/* Keys of the other mode would be read and do nothing. */
static SlStatus check_mode(const SlScene *scene, const SlKeyValue *values, SlError *error)
{
    bool random = values[MODE].value.number[0] == SL_FILL_RANDOM;
    for (int k = PER_CELL; k <= CELL; k++)
        if (!random && values[k].node != NULL)
            return sl_json_error(&scene->json, values[k].node->place, error,
                                 "only a fill of mode \"random\" has \"%s\"",
                                 fill_rows[k].row.name);
    return SL_OK;
}

static SlStatus read_shape(const SlScene *scene, const SlJsonNode *node, bool alone,
                           SlFillDef *def, SlShape *shape, SlError *error)
{
    SlSceneCollider solid;
    SlStatus status = sl_scene_read_region(scene, node, &solid, error);
    if (status != SL_OK)
        return status;
    const char *wrong = solid.is_mesh && !alone              ? "a mesh is filled alone"
                        : solid.is_mesh && solid.mesh.hollow ? "a fill is inside its mesh anyway"
                        : NULL;
    if (wrong != NULL)
        return sl_json_error(&scene->json, node->place, error, "%s", wrong);
    const SlShapeType *type = sl_shape_type(solid.shape.kind);
    if (!solid.is_mesh && type->endless)
        return sl_json_error(&scene->json, node->place, error, "%s has no inside to fill",
                             type->article);
    if (!solid.is_mesh) {
        *shape = solid.shape;
        def->shape_count++;
        return SL_OK;
    }
    def->path = sl_json_text(&scene->json, solid.file);
    def->scale = solid.mesh.scale;
    def->rotation = solid.mesh.rotation;
    def->position = solid.mesh.position;
    return SL_OK;
}

static SlStatus read_fill(const SlScene *scene, const SlSceneSystem *system,
                          const SlJsonNode *node, SlSceneFill *fill, SlError *error)
{
    SlFillDef *def = &fill->def;
    SlShape *shapes = fill->shapes;
    const SlJson *json = &scene->json;
    SlKeyValue values[FILL_KEYS];
    SlStatus status =
        sl_keys_read(json, node, "a fill", fill_rows, FILL_KEYS, values, error);
    *def = sl_default_fill_def();
    if (status == SL_OK)
        status = check_mode(scene, values, error);
    if (status == SL_OK)
        status = read_noise(scene, values[NOISE].node, &def->noise, error);
    if (status != SL_OK)
        return status;
    const SlJsonNode *array = values[SHAPES].node, *shape = sl_json_first(json, array);
    for (size_t k = 0; status == SL_OK && k < array->count; k++, shape = sl_json_next(json, shape))
        status = read_shape(scene, shape, array->count == 1, def, &shapes[k], error);
    if (status != SL_OK)
        return status;
    def->shapes = def->shape_count > 0 ? shapes : NULL;
    def->mode = (SlFillMode)values[MODE].value.number[0];
    def->blend = (float)values[BLEND].value.number[0];
    def->velocity = sl_keys_vec3(&values[VELOCITY]);
    def->spin = sl_scale(sl_keys_vec3(&values[SPIN]), 0.01745329f);
    def->per_cell = (uint32_t)values[PER_CELL].value.number[0];
    def->cell = values[CELL].value.number[0];
    def->allow_open = values[ALLOW_OPEN].value.number[0] != 0;
    return sl_scene_find_fluid(scene, system, values[FLUID].node, &def->fluid, error);
}

SlStatus sl_scene_read_fills(SlScene *scene, SlSceneSystem *system, const SlJsonNode *array,
                             SlError *error)
{
    const SlJson *json = &scene->json;
    if (array == NULL || array->count == 0)
        return SL_OK;
    system->fills = sl_scene_alloc(scene, array->count, sizeof *system->fills, error);
    if (system->fills == NULL)
        return SL_ERROR_MEMORY;
    system->fill_count = array->count;
    SlStatus status = SL_OK;
    const SlJsonNode *node = sl_json_first(json, array);
    for (size_t k = 0; status == SL_OK && k < array->count; k++, node = sl_json_next(json, node)) {
        system->fills[k].place = node->place;
        status = read_fill(scene, system, node, &system->fills[k], error);
    }
    return status;
}

/* Element `index` of the array under `key`; NULL where the document is not like that. */
static const SlJsonNode *element(const SlJson *json, const SlJsonNode *object, const char *key,
                                 size_t index)
{
    const SlJsonNode *array = object != NULL && object->type == SL_JSON_OBJECT
                                  ? sl_json_member(json, object, key)
                                  : NULL;
    const SlJsonNode *node =
        array != NULL && array->type == SL_JSON_ARRAY ? sl_json_first(json, array) : NULL;
    for (size_t k = 0; node != NULL && k < index; k++)
        node = sl_json_next(json, node);
    return node;
}

SlStatus sl_scene_anchor_fills(SlScene *scene, const char *folder, SlError *error)
{
    SlJson *json = &scene->json;
    /* Nodes may move with every file, so each is looked up from the root. */
    for (size_t s = 0; element(json, sl_json_root(json), "systems", s) != NULL; s++)
        for (size_t f = 0;; f++) {
            const SlJsonNode *system = element(json, sl_json_root(json), "systems", s);
            const SlJsonNode *fill = element(json, system, "fills", f);
            const SlJsonNode *shape = element(json, fill, "shapes", 0);
            char where[96];
            if (fill == NULL)
                break;
            if (shape == NULL || !sl_scene_is_mesh(json, shape))
                continue;
            snprintf(where, sizeof where, "systems[%zu].fills[%zu].shapes[0].file", s, f);
            SlStatus status = sl_scene_anchor_file(scene, sl_json_member(json, shape, "file"),
                                                   folder, where, error);
            if (status != SL_OK)
                return status;
        }
    return SL_OK;
}
