/* Colliders: each shape has the keys of its descriptor (geometry/shape.h). */
#include <math.h>
#include <string.h>

#include "core/error.h"
#include "geometry/shape.h"
#include "math/vec3.h"
#include "scene/scene.h"

/* Keys of every shape; the shape's own follow. */
enum { NAME, SHAPE, FRICTION, STICKY, MOTION, MATERIAL, COMMON_KEYS };
enum { COLLIDER_KEYS = COMMON_KEYS + SL_MAX_SHAPE_KEYS, MAX_HEIGHTS = 4096 * 4096 };

static const SlKeyRow common_rows[COMMON_KEYS] = {
    [NAME] = SL_KEY_TEXT_ROW("name", "", false),
    [SHAPE] = SL_KEY_TEXT_ROW("shape", "", true),
    [FRICTION] = SL_KEY_NUMBER_ROW("friction", 0, 0, 10, ""),
    [STICKY] = SL_KEY_BOOL_ROW("sticky"),
    [MOTION] = SL_KEY_OBJECT_ROW("motion", false),
    [MATERIAL] = SL_KEY_OBJECT_ROW("material", false),
};

static const SlKeyRow key_type_rows[] = {
    [SL_SHAPE_KEY_POINT] = SL_KEY_VEC3_ROW("", 0, 0, 0, SL_SCENE_FAR, "m", true),
    [SL_SHAPE_KEY_DIRECTION] = SL_KEY_VEC3_ROW("", 0, 1, 0, SL_SCENE_FAR, "", true),
    [SL_SHAPE_KEY_AXIS] = SL_KEY_VEC3_ROW("", 0, 1, 0, SL_SCENE_FAR, "", false),
    [SL_SHAPE_KEY_LENGTH] = {.row = {.type = SL_PARAM_NUMBER, .minimum = 1e-6,
                                     .maximum = SL_SCENE_FAR, .unit = "m"},
                             .required = true},
    [SL_SHAPE_KEY_COUNT] = {.row = {.type = SL_PARAM_INTEGER, .minimum = 2, .maximum = 4096,
                                    .unit = ""},
                            .required = true},
    [SL_SHAPE_KEY_HEIGHTS] = SL_KEY_ARRAY_ROW("", 4, MAX_HEIGHTS, true),
};

static SlStatus read_heights(const SlScene *scene, const SlJsonNode *array, SlSceneCollider *collider,
                             SlError *error)
{
    static const SlParamRow row = {.name = "a height", .type = SL_PARAM_NUMBER,
                                   .minimum = -SL_SCENE_FAR, .maximum = SL_SCENE_FAR, .unit = "m"};
    float *heights = sl_alloc(scene->memory, array->count * sizeof *heights);
    if (heights == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for a height field");
    collider->heights = heights;
    collider->height_count = array->count;
    const SlJsonNode *node = sl_json_first(&scene->json, array);
    for (size_t k = 0; k < array->count; k++, node = sl_json_next(&scene->json, node)) {
        SlParamValue value;
        SlStatus status = sl_keys_read_leaf(&scene->json, node, &row, &value, error);
        if (status != SL_OK)
            return status;
        heights[k] = (float)value.number[0];
    }
    return SL_OK;
}

void sl_scene_free_collider(const SlScene *scene, SlSceneCollider *collider)
{
    sl_free(scene->memory, collider->heights, collider->height_count * sizeof *collider->heights);
    collider->heights = NULL;
    collider->shape.heights = NULL;
    collider->height_count = 0;
    SlSceneMotion *motion = &collider->motion;
    sl_free(scene->memory, motion->keys, motion->def.key_count * sizeof *motion->keys);
    *motion = (SlSceneMotion){.given = false};
}

/* A value into the member of the shape that its key names. */
static SlStatus take_key(const SlScene *scene, const SlShapeKey *key, const SlKeyValue *value,
                         SlSceneCollider *collider, SlError *error)
{
    void *member = (char *)&collider->shape + key->offset;
    if (key->type == SL_SHAPE_KEY_HEIGHTS) {
        SlStatus status = read_heights(scene, value->node, collider, error);
        memcpy(member, &collider->heights, sizeof(float *));
        return status;
    }
    if (key->type == SL_SHAPE_KEY_LENGTH) {
        float length = (float)value->value.number[0];
        memcpy(member, &length, sizeof length);
    } else if (key->type == SL_SHAPE_KEY_COUNT) {
        uint32_t count = (uint32_t)value->value.number[0];
        memcpy(member, &count, sizeof count);
    } else {
        SlVec3 vector = sl_keys_vec3(value);
        memcpy(member, &vector, sizeof vector);
    }
    return SL_OK;
}

static SlStatus read_shape(const SlScene *scene, const SlJsonNode *node, const SlShapeType *type,
                           SlKeyValue values[COLLIDER_KEYS], SlSceneCollider *collider,
                           SlError *error)
{
    SlKeyRow rows[COLLIDER_KEYS];
    memcpy(rows, common_rows, sizeof common_rows);
    for (size_t k = 0; k < type->key_count; k++) {
        rows[COMMON_KEYS + k] = key_type_rows[type->keys[k].type];
        rows[COMMON_KEYS + k].row.name = type->keys[k].name;
    }
    SlStatus status = sl_keys_read(&scene->json, node, type->article, rows,
                                   COMMON_KEYS + type->key_count, values, error);
    collider->shape = sl_default_shape(type->kind);
    for (size_t k = 0; status == SL_OK && k < type->key_count; k++)
        status = take_key(scene, &type->keys[k], &values[COMMON_KEYS + k], collider, error);
    if (status != SL_OK)
        return status;
    collider->shape.friction = (float)values[FRICTION].value.number[0];
    collider->shape.sticky = values[STICKY].value.number[0] != 0;
    SlShape *shape = &collider->shape;
    if (collider->heights != NULL && collider->height_count != (size_t)shape->columns * shape->rows)
        return sl_json_error(&scene->json, node->place, error,
                             "%s: %zu heights for %u columns and %u rows; there must be one for "
                             "each point, row by row",
                             type->article, collider->height_count, shape->columns, shape->rows);
    const char *reason = type->from_keys != NULL ? type->from_keys(shape) : NULL;
    SlShape prepared = *shape;
    if (reason != NULL || !sl_shape_prepare(&prepared, &reason))
        return sl_json_error(&scene->json, node->place, error, "%s: %s", type->article, reason);
    return SL_OK;
}

/* The shape decides which keys are allowed, so it is looked up first. */
static SlStatus find_type(const SlJson *json, const SlJsonNode *node, const SlShapeType **type,
                          SlError *error)
{
    enum { MAX_NAMES = 32 };
    const char *names[MAX_NAMES];
    if (node->type != SL_JSON_OBJECT)
        return sl_keys_wrong_type(json, node, "an object { … }", error);
    const SlJsonNode *shape = sl_json_member(json, node, "shape");
    if (shape == NULL)
        return sl_json_error(json, node->place, error, "a collider needs the key \"shape\"");
    if (shape->type != SL_JSON_TEXT)
        return sl_keys_wrong_type(json, shape, "text", error);
    *type = sl_shape_type_named(sl_json_text(json, shape));
    if (*type != NULL)
        return SL_OK;
    size_t count = 0;
    for (; count < sl_shape_type_count && count + 1 < MAX_NAMES; count++)
        names[count] = sl_shape_types[count]->name;
    names[count++] = "mesh";
    return sl_keys_unknown_name(json, shape, "shape", names, count, error);
}

SlStatus sl_scene_read_collider(const SlScene *scene, const SlJsonNode *node,
                                SlSceneCollider *collider, SlError *error)
{
    SlKeyValue values[COLLIDER_KEYS];
    const SlShapeType *type;
    memset(collider, 0, sizeof *collider);
    if (sl_scene_is_mesh(&scene->json, node))
        return sl_scene_read_mesh(scene, node, collider, error);
    SlStatus status = find_type(&scene->json, node, &type, error);
    if (status == SL_OK)
        status = read_shape(scene, node, type, values, collider, error);
    if (status == SL_OK) {
        collider->place = node->place;
        collider->name = values[NAME].node;
        status = sl_scene_read_collider_material(scene, values[MATERIAL].node, collider, error);
    }
    if (status == SL_OK)
        status = sl_scene_read_motion(scene, values[MOTION].node, &collider->motion, error);
    if (status != SL_OK)
        sl_scene_free_collider(scene, collider);
    return status;
}

SlStatus sl_scene_read_region(const SlScene *scene, const SlJsonNode *node, SlSceneCollider *region,
                              SlError *error)
{
    SlStatus status = sl_scene_read_collider(scene, node, region, error);
    if (status != SL_OK)
        return status;
    const SlShapeType *type = region->is_mesh ? NULL : sl_shape_type(region->shape.kind);
    if (type != NULL && type->arrays)
        status = sl_json_error(&scene->json, node->place, error, "%s can only be a collider",
                               type->article);
    else if (region->motion.given)
        status = sl_json_error(&scene->json, region->motion.place, error,
                               "fills and drains stand still; only a collider has a motion");
    if (status != SL_OK)
        sl_scene_free_collider(scene, region);
    return status;
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

static SlStatus read_keyframes(const SlScene *scene, const SlJsonNode *array, SlSceneMotion *motion,
                               SlError *error)
{
    SlKeyframe *keys = sl_alloc_zero(scene->memory, array->count, sizeof *keys);
    if (keys == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for a scene");
    motion->keys = keys;
    motion->def.keys = keys;
    motion->def.key_count = array->count;
    SlStatus status = SL_OK;
    const SlJsonNode *node = sl_json_first(&scene->json, array);
    for (size_t k = 0; status == SL_OK && k < array->count;
         k++, node = sl_json_next(&scene->json, node))
        status = read_key(scene, node, k > 0 ? &keys[k - 1] : NULL, &keys[k], error);
    return status;
}

SlStatus sl_scene_read_motion(const SlScene *scene, const SlJsonNode *node, SlSceneMotion *motion,
                              SlError *error)
{
    SlKeyValue values[MOTION_KEYS];
    *motion = (SlSceneMotion){.def = sl_default_motion_def()};
    if (node == NULL)
        return SL_OK;
    SlStatus status =
        sl_keys_read(&scene->json, node, "a motion", motion_rows, MOTION_KEYS, values, error);
    if (status != SL_OK)
        return status;
    const SlJsonNode *array = values[KEYFRAMES].node;
    if (array != NULL && (values[VELOCITY].node != NULL || values[SPIN].node != NULL))
        return sl_json_error(&scene->json, node->place, error,
                             "a motion has keyframes, or velocity and spin, not both");
    motion->given = true;
    motion->place = node->place;
    motion->def.velocity = sl_keys_vec3(&values[VELOCITY]);
    motion->def.spin = sl_scale(sl_keys_vec3(&values[SPIN]), degree);
    motion->def.pivot = sl_keys_vec3(&values[PIVOT]);
    return array != NULL ? read_keyframes(scene, array, motion, error) : SL_OK;
}
