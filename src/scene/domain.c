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
