/* How a collider moves: constant velocity and spin, or keyframes. Angles are in degrees here. */
#include <math.h>
#include <string.h>

#include "core/error.h"
#include "math/vec3.h"
#include "scene/scene.h"

enum { MOST_KEYS = 100000 };
static const float degree = 0.017453292519943295f;

enum { VELOCITY, SPIN, PIVOT, KEYFRAMES, MOTION_KEYS };
static const SlKeyRow motion_rows[MOTION_KEYS] = {
    [VELOCITY] = SL_KEY_VEC3_ROW("velocity", 0, 0, 0, 1e4, "m/s", false),
    [SPIN] = SL_KEY_VEC3_ROW("spin", 0, 0, 0, 1e6, "degrees per second", false),
    [PIVOT] = SL_KEY_VEC3_ROW("pivot", 0, 0, 0, SL_SCENE_FAR, "m", false),
    [KEYFRAMES] = SL_KEY_ARRAY_ROW("keyframes", 2, MOST_KEYS, false),
};

enum { KEY_TIME, KEY_POSITION, KEY_TURN, KEY_KEYS };
static const SlKeyRow key_rows[KEY_KEYS] = {
    [KEY_TIME] = {.row = {.name = "time", .type = SL_PARAM_NUMBER, .maximum = 1e9, .unit = "s"},
                  .required = true},
    [KEY_POSITION] = SL_KEY_VEC3_ROW("position", 0, 0, 0, SL_SCENE_FAR, "m", false),
    [KEY_TURN] = SL_KEY_VEC3_ROW("turn", 0, 0, 0, 1e6, "degrees", false),
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
    key->turn = sl_scale(sl_keys_vec3(&values[KEY_TURN]), degree);
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
