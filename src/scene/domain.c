/* The domain: a box with walls, some or all of whose sides may be open. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/error.h"
#include "math/camera.h"
#include "scene/scene.h"

enum { BOX_MIN, BOX_MAX, FRICTION, STICKY, OPEN, LIMIT, GRID, MATERIAL, DOMAIN_KEYS };
static const SlKeyRow domain_rows[DOMAIN_KEYS] = {
    [BOX_MIN] = SL_KEY_VEC3_ROW("min", -2, -2, -2, SL_SCENE_FAR, "m", false),
    [BOX_MAX] = SL_KEY_VEC3_ROW("max", 2, 2, 2, SL_SCENE_FAR, "m", false),
    [FRICTION] = SL_KEY_NUMBER_ROW("friction", 0, 0, 10, ""),
    [STICKY] = SL_KEY_BOOL_ROW("sticky"),
    [OPEN] = SL_KEY_ARRAY_ROW("open", 0, 6, false),
    [LIMIT] = SL_KEY_NUMBER_ROW("limit", 0, 1e-3, SL_SCENE_FAR, "m"),
    [GRID] = {.row = {.name = "grid", .type = SL_PARAM_CHOICE, .maximum = SL_GRID_COMPACT,
                      .unit = "", .choices = "auto|bounded|compact"}},
    [MATERIAL] = SL_KEY_OBJECT_ROW("material", false),
};

/* As seen by a viewer who looks along -z. A side's wall is a number of the box. */
static const char *const side_names[] = {"left", "bottom", "back", "right", "top", "front", "all"};
enum { SIDES = 6, ALL_SIDES = SIDES };

/* Moves the walls of the named sides away; `open` tells which. */
static SlStatus open_sides(const SlScene *scene, const SlJsonNode *array, bool open[SIDES],
                           SlError *error)
{
    const SlJson *json = &scene->json;
    const SlJsonNode *node = array != NULL ? sl_json_first(json, array) : NULL;
    for (; node != NULL; node = sl_json_next(json, node)) {
        int side = 0;
        if (node->type != SL_JSON_TEXT)
            return sl_keys_wrong_type(json, node, "the name of a side", error);
        while (side <= ALL_SIDES && strcmp(side_names[side], sl_json_text(json, node)) != 0)
            side++;
        if (side > ALL_SIDES)
            return sl_keys_unknown_name(json, node, "side", side_names, ALL_SIDES + 1, error);
        for (int k = 0; k < SIDES; k++)
            open[k] = open[k] || side == k || side == ALL_SIDES;
    }
    return SL_OK;
}

/* What only makes sense together. */
static SlStatus check_together(const SlScene *scene, const SlJsonNode *object,
                               const SlKeyValue *values, bool some, bool all, SlError *error)
{
    const SlJson *json = &scene->json;
    for (int k = BOX_MIN; k <= BOX_MAX; k++)
        if (values[k].node == NULL && (!all || values[BOX_MIN + BOX_MAX - k].node != NULL))
            return sl_json_error(json, object->place, error, "the domain needs the key \"%s\"",
                                 domain_rows[k].row.name);
    if (!some && values[LIMIT].node != NULL)
        return sl_json_error(json, values[LIMIT].node->place, error,
                             "only a domain with an \"open\" side has a limit");
    if (some && values[GRID].value.number[0] == SL_GRID_BOUNDED)
        return sl_json_error(json, values[GRID].node->place, error,
                             "a bounded grid needs a domain with no side open");
    return SL_OK;
}

SlStatus sl_scene_read_domain(SlScene *scene, const SlJsonNode *object, SlError *error)
{
    SlKeyValue values[DOMAIN_KEYS];
    bool open[SIDES] = {false}, some = false, all = true;
    SlStatus status = sl_keys_read(&scene->json, object, "the domain", domain_rows, DOMAIN_KEYS,
                                   values, error);
    if (status == SL_OK)
        status = open_sides(scene, values[OPEN].node, open, error);
    for (int k = 0; k < SIDES; k++) {
        some = some || open[k];
        all = all && open[k];
    }
    if (status == SL_OK)
        status = check_together(scene, object, values, some, all, error);
    if (status == SL_OK)
        status = sl_scene_read_box(scene, object, &values[BOX_MIN], &values[BOX_MAX],
                                   &scene->framed, error);
    scene->domain_material = sl_default_material(SL_MATERIAL_GROUND);
    if (status == SL_OK && values[MATERIAL].node != NULL)
        status = sl_scene_read_material(scene, values[MATERIAL].node, SL_MATERIAL_GROUND,
                                        &scene->domain_material, error);
    if (status != SL_OK)
        return status;
    scene->domain = scene->framed;
    for (int k = 0; k < 3; k++) {
        (&scene->domain.min.x)[k] = open[k] ? -INFINITY : (&scene->framed.min.x)[k];
        (&scene->domain.max.x)[k] = open[k + 3] ? INFINITY : (&scene->framed.max.x)[k];
    }
    scene->domain_friction = (float)values[FRICTION].value.number[0];
    scene->domain_sticky = values[STICKY].value.number[0] != 0;
    scene->domain_limit =
        values[LIMIT].node != NULL ? (float)values[LIMIT].value.number[0] : 0;
    scene->grid = (SlGridKind)values[GRID].value.number[0];
    scene->domain_place = object->place;
    return SL_OK;
}

/* --- Cameras, and the one a scene gets that has none. --- */

enum { NAME, EYE, TARGET, UP, FOV, WEIGHT, CAMERA_KEYS };
static const SlKeyRow camera_rows[CAMERA_KEYS] = {
    [NAME] = SL_KEY_TEXT_ROW("name", "camera", false),
    [EYE] = SL_KEY_VEC3_ROW("eye", 0, 0, 0, SL_SCENE_FAR, "m", true),
    [TARGET] = SL_KEY_VEC3_ROW("target", 0, 0, 0, SL_SCENE_FAR, "m", true),
    [UP] = SL_KEY_VEC3_ROW("up", 0, 1, 0, SL_SCENE_FAR, "", false),
    [FOV] = SL_KEY_NUMBER_ROW("fov", 40, 1, 170, "degrees"),
    [WEIGHT] = SL_KEY_NUMBER_ROW("weight", 1, 0, 1e6, ""),
};

static SlStatus read_camera(SlScene *scene, const SlJsonNode *node, SlCamera *camera,
                            SlError *error)
{
    const SlJson *json = &scene->json;
    SlKeyValue values[CAMERA_KEYS];
    SlStatus status = sl_keys_read(json, node, "a camera", camera_rows, CAMERA_KEYS, values,
                                   error);
    if (status != SL_OK)
        return status;
    const char *reason;
    snprintf(camera->name, sizeof camera->name, "%.*s", SL_SCENE_NAME, values[NAME].value.text);
    camera->eye = sl_keys_vec3(&values[EYE]);
    camera->target = sl_keys_vec3(&values[TARGET]);
    camera->up = sl_keys_vec3(&values[UP]);
    camera->fov = (float)values[FOV].value.number[0];
    /* Level of detail looks through the first camera unless others are given a weight. */
    bool first = scene->camera_count == 0 || camera == &scene->cameras[0];
    camera->weight = values[WEIGHT].node == NULL && !first ? 0 : (float)values[WEIGHT].value.number[0];
    if (!sl_camera_valid(camera, &reason))
        return sl_json_error(json, node->place, error, "camera: %s", reason);
    return SL_OK;
}

SlStatus sl_scene_read_cameras(SlScene *scene, const SlJsonNode *array, SlError *error)
{
    size_t given = array != NULL ? array->count : 0;
    scene->cameras = sl_scene_alloc(scene, given > 0 ? given : 1, sizeof *scene->cameras, error);
    if (scene->cameras == NULL)
        return SL_ERROR_MEMORY;
    scene->camera_count = given > 0 ? given : 1;
    if (given == 0) {
        scene->cameras[0] = sl_camera_around(&scene->framed, 16, 9);
        return SL_OK;
    }
    const SlJsonNode *node = sl_json_first(&scene->json, array);
    for (size_t k = 0; k < given; k++, node = sl_json_next(&scene->json, node)) {
        SlStatus status = sl_scene_check_name(scene, array, node, "a camera", error);
        if (status == SL_OK)
            status = read_camera(scene, node, &scene->cameras[k], error);
        if (status != SL_OK)
            return status;
    }
    return SL_OK;
}
