/* Solid things: each shape has its own keys. */
#include <math.h>
#include <string.h>

#include "core/error.h"
#include "geometry/shape.h"
#include "math/vec3.h"
#include "scene/scene.h"

/* One slot per key of any shape, so that the shapes share the code that fills SlShape. */
enum { NAME, SHAPE, FRICTION, STICKY, MOTION, MATERIAL, CENTER, RADIUS, HEIGHT, AXIS, SIDE, COLLIDER_KEYS };

#define COMMON_ROWS                                                                                \
    [NAME] = SL_KEY_TEXT_ROW("name", "", false), [SHAPE] = SL_KEY_TEXT_ROW("shape", "", true),     \
    [FRICTION] = SL_KEY_NUMBER_ROW("friction", 0, 0, 10, ""),                                      \
    [STICKY] = SL_KEY_BOOL_ROW("sticky"),                                                          \
    [MOTION] = SL_KEY_OBJECT_ROW("motion", false),                                                 \
    [MATERIAL] = SL_KEY_OBJECT_ROW("material", false)
#define LENGTH_ROW(name_)                                                                          \
    {.row = {.name = (name_), .type = SL_PARAM_NUMBER, .minimum = 1e-6, .maximum = SL_SCENE_FAR,   \
             .unit = "m"},                                                                         \
     .required = true}
#define CENTER_ROW SL_KEY_VEC3_ROW("center", 0, 0, 0, SL_SCENE_FAR, "m", true)
#define AXIS_ROW SL_KEY_VEC3_ROW("axis", 0, 1, 0, SL_SCENE_FAR, "", false)

static const SlKeyRow sphere_rows[] = {COMMON_ROWS, [CENTER] = CENTER_ROW,
                                       [RADIUS] = LENGTH_ROW("radius")};
static const SlKeyRow round_rows[] = {COMMON_ROWS, [CENTER] = CENTER_ROW,
                                      [RADIUS] = LENGTH_ROW("radius"),
                                      [HEIGHT] = LENGTH_ROW("height"), [AXIS] = AXIS_ROW};

enum { BOX_MIN = CENTER, BOX_MAX };
static const SlKeyRow box_rows[] = {
    COMMON_ROWS,
    [BOX_MIN] = SL_KEY_VEC3_ROW("min", 0, 0, 0, SL_SCENE_FAR, "m", true),
    [BOX_MAX] = SL_KEY_VEC3_ROW("max", 0, 0, 0, SL_SCENE_FAR, "m", true),
};

enum { PLANE_POINT = CENTER, PLANE_NORMAL };
static const SlKeyRow plane_rows[] = {
    COMMON_ROWS,
    [PLANE_POINT] = SL_KEY_VEC3_ROW("point", 0, 0, 0, SL_SCENE_FAR, "m", true),
    [PLANE_NORMAL] = SL_KEY_VEC3_ROW("normal", 0, 1, 0, SL_SCENE_FAR, "", true),
};

static SlStatus fill_plane(const SlScene *scene, const SlJsonNode *node, const SlKeyValue *values,
                           SlShape *shape, SlError *error)
{
    (void)scene, (void)node, (void)error;
    shape->center = sl_keys_vec3(&values[PLANE_POINT]);
    shape->axis = sl_keys_vec3(&values[PLANE_NORMAL]);
    return SL_OK;
}

static SlStatus fill_sphere(const SlScene *scene, const SlJsonNode *node, const SlKeyValue *values,
                            SlShape *shape, SlError *error)
{
    (void)scene, (void)node, (void)error;
    shape->center = sl_keys_vec3(&values[CENTER]);
    shape->radius = (float)values[RADIUS].value.number[0];
    return SL_OK;
}

static SlStatus fill_box(const SlScene *scene, const SlJsonNode *node, const SlKeyValue *values,
                         SlShape *shape, SlError *error)
{
    SlBox box;
    SlStatus status = sl_scene_read_box(scene, node, &values[BOX_MIN], &values[BOX_MAX], &box,
                                        error);
    shape->half = sl_scale(sl_sub(box.max, box.min), 0.5f);
    shape->center = sl_add(box.min, shape->half);
    return status;
}

static SlStatus fill_round(const SlScene *scene, const SlJsonNode *node, const SlKeyValue *values,
                           SlShape *shape, SlError *error)
{
    (void)scene, (void)node, (void)error;
    shape->center = sl_keys_vec3(&values[CENTER]);
    shape->radius = (float)values[RADIUS].value.number[0];
    shape->height = (float)values[HEIGHT].value.number[0];
    shape->axis = sl_keys_vec3(&values[AXIS]);
    return SL_OK;
}

#define ROWS(rows_) .rows = (rows_), .row_count = sizeof(rows_) / sizeof((rows_)[0])
static const struct Kind {
    const char *what;
    const SlKeyRow *rows;
    size_t row_count;
    SlStatus (*fill)(const SlScene *scene, const SlJsonNode *node, const SlKeyValue *values,
                     SlShape *shape, SlError *error);
} kinds[] = {
    [SL_SHAPE_PLANE] = {"a plane", ROWS(plane_rows), fill_plane},
    [SL_SHAPE_SPHERE] = {"a sphere", ROWS(sphere_rows), fill_sphere},
    [SL_SHAPE_BOX] = {"a box", ROWS(box_rows), fill_box},
    [SL_SHAPE_CYLINDER] = {"a cylinder", ROWS(round_rows), fill_round},
    [SL_SHAPE_CONE] = {"a cone", ROWS(round_rows), fill_round},
};
enum { KIND_COUNT = sizeof kinds / sizeof kinds[0] };

SlStatus sl_scene_check_motion(const SlScene *scene, const SlSceneCollider *collider,
                               SlError *error)
{
    if (collider->motion == NULL)
        return SL_OK;
    SlMotionDef motion;
    SlKeyframe *keys;
    SlStatus status = sl_scene_read_motion(scene, collider->motion, &motion, &keys, error);
    if (status == SL_OK)
        sl_free(scene->memory, keys, motion.key_count * sizeof *keys);
    return status;
}

/* The shape's kind decides which keys are allowed, so it is looked up first. */
static SlStatus find_kind(const SlJson *json, const SlJsonNode *node, SlShapeKind *kind,
                          SlError *error)
{
    const char *names[KIND_COUNT + 1];
    if (node->type != SL_JSON_OBJECT)
        return sl_keys_wrong_type(json, node, "an object { … }", error);
    const SlJsonNode *shape = sl_json_member(json, node, "shape");
    if (shape == NULL)
        return sl_json_error(json, node->place, error, "a collider needs the key \"shape\"");
    if (shape->type != SL_JSON_TEXT)
        return sl_keys_wrong_type(json, shape, "text", error);
    const char *name = sl_json_text(json, shape);
    for (size_t k = 0; k < KIND_COUNT; k++) {
        names[k] = sl_shape_kind_name((SlShapeKind)k);
        *kind = (SlShapeKind)k;
        if (strcmp(names[k], name) == 0)
            return SL_OK;
    }
    names[KIND_COUNT] = "mesh";
    return sl_keys_unknown_name(json, shape, "shape", names, KIND_COUNT + 1, error);
}

SlStatus sl_scene_read_collider(const SlScene *scene, const SlJsonNode *node,
                                SlSceneCollider *collider, SlError *error)
{
    SlKeyValue values[COLLIDER_KEYS];
    SlShapeKind kind = SL_SHAPE_PLANE;
    memset(collider, 0, sizeof *collider);
    if (sl_scene_is_mesh(&scene->json, node))
        return sl_scene_read_mesh(scene, node, collider, error);
    SlStatus status = find_kind(&scene->json, node, &kind, error);
    if (status == SL_OK)
        status = sl_keys_read(&scene->json, node, kinds[kind].what, kinds[kind].rows,
                              kinds[kind].row_count, values, error);
    if (status != SL_OK)
        return status;
    collider->place = node->place;
    collider->motion = values[MOTION].node;
    status = sl_scene_read_collider_material(scene, values[MATERIAL].node, collider, error);
    if (status != SL_OK)
        return status;
    collider->name = values[NAME].node;
    collider->shape = sl_default_shape(kind);
    collider->shape.friction = (float)values[FRICTION].value.number[0];
    collider->shape.sticky = values[STICKY].value.number[0] != 0;
    status = kinds[kind].fill(scene, node, values, &collider->shape, error);
    if (status != SL_OK)
        return status;
    status = sl_scene_check_motion(scene, collider, error);
    if (status != SL_OK)
        return status;
    SlShape prepared = collider->shape;
    const char *reason;
    if (!sl_shape_prepare(&prepared, &reason))
        return sl_json_error(&scene->json, node->place, error, "%s: %s", kinds[kind].what, reason);
    return SL_OK;
}

SlStatus sl_scene_read_colliders(SlScene *scene, const SlJsonNode *array, SlError *error)
{
    if (array->count == 0)
        return SL_OK;
    scene->colliders = sl_scene_alloc(scene, array->count, sizeof *scene->colliders, error);
    if (scene->colliders == NULL)
        return SL_ERROR_MEMORY;
    scene->collider_count = array->count;
    const SlJsonNode *node = sl_json_first(&scene->json, array);
    for (size_t k = 0; k < array->count; k++, node = sl_json_next(&scene->json, node)) {
        SlStatus status = sl_scene_check_name(scene, array, node, "a collider", error);
        if (status == SL_OK)
            status = sl_scene_read_collider(scene, node, &scene->colliders[k], error);
        if (status != SL_OK)
            return status;
    }
    return SL_OK;
}

/* --- How a collider moves: constant velocity and spin, or keyframes. Angles are in degrees here. --- */

enum { MAX_KEYS = 100000 };
static const float degree = 0.017453292519943295f;

enum { VELOCITY, SPIN, PIVOT, KEYFRAMES, MOTION_KEYS };
static const SlKeyRow motion_rows[MOTION_KEYS] = {
    [VELOCITY] = SL_KEY_VEC3_ROW("velocity", 0, 0, 0, 1e4, "m/s", false),
    [SPIN] = SL_KEY_VEC3_ROW("spin", 0, 0, 0, 1e6, "degrees per second", false),
    [PIVOT] = SL_KEY_VEC3_ROW("pivot", 0, 0, 0, SL_SCENE_FAR, "m", false),
    [KEYFRAMES] = SL_KEY_ARRAY_ROW("keyframes", 2, MAX_KEYS, false),
};

enum { KEY_TIME, KEY_POSITION, KEY_TURN, KEY_KEYS };
static const SlKeyRow key_rows[KEY_KEYS] = {
    [KEY_TIME] = {.row = {.name = "time", .type = SL_PARAM_NUMBER, .maximum = 1e9, .unit = "s"},
                  .required = true},
    [KEY_POSITION] = SL_KEY_VEC3_ROW("position", 0, 0, 0, SL_SCENE_FAR, "m", false),
    [KEY_TURN] = SL_KEY_VEC3_ROW("rotation", 0, 0, 0, 1e6, "degrees", false),
};

static SlStatus read_key(const SlScene *scene, const SlJsonNode *node, const SlKeyframe *before,
                         SlKeyframe *key, SlError *error)
{
    SlKeyValue values[KEY_KEYS];
    SlStatus status =
        sl_keys_read(&scene->json, node, "a keyframe", key_rows, KEY_KEYS, values, error);
    if (status != SL_OK)
        return status;
    key->time = values[KEY_TIME].value.number[0];
    key->position = sl_keys_vec3(&values[KEY_POSITION]);
    key->rotation = sl_scale(sl_keys_vec3(&values[KEY_TURN]), degree);
    if (before != NULL && !(key->time > before->time))
        return sl_json_error(&scene->json, values[KEY_TIME].node->place, error,
                             "keyframes must have rising times: %g s comes after %g s", key->time,
                             before->time);
    return SL_OK;
}

SlStatus sl_scene_read_motion(const SlScene *scene, const SlJsonNode *node, SlMotionDef *motion,
                              SlKeyframe **keys, SlError *error)
{
    SlKeyValue values[MOTION_KEYS];
    *keys = NULL;
    *motion = sl_default_motion_def();
    SlStatus status =
        sl_keys_read(&scene->json, node, "a motion", motion_rows, MOTION_KEYS, values, error);
    if (status != SL_OK)
        return status;
    const SlJsonNode *array = values[KEYFRAMES].node;
    if (array != NULL && (values[VELOCITY].node != NULL || values[SPIN].node != NULL))
        return sl_json_error(&scene->json, node->place, error,
                             "a motion has keyframes, or velocity and spin, not both");
    motion->velocity = sl_keys_vec3(&values[VELOCITY]);
    motion->spin = sl_scale(sl_keys_vec3(&values[SPIN]), degree);
    motion->pivot = sl_keys_vec3(&values[PIVOT]);
    if (array == NULL)
        return SL_OK;
    *keys = sl_alloc_zero(scene->memory, array->count, sizeof **keys);
    if (*keys == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for a scene");
    motion->keys = *keys;
    motion->key_count = array->count;
    const SlJsonNode *key = sl_json_first(&scene->json, array);
    for (size_t k = 0; status == SL_OK && k < array->count;
         k++, key = sl_json_next(&scene->json, key))
        status = read_key(scene, key, k > 0 ? *keys + k - 1 : NULL, *keys + k, error);
    if (status != SL_OK) {
        sl_free(scene->memory, *keys, array->count * sizeof **keys);
        *keys = NULL;
    }
    return status;
}
