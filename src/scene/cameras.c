/* Cameras of a scene, their paths, and the one a scene gets that has none. */
#include <stdio.h>

#include "math/camera.h"
#include "scene/keys.h"
#include "scene/scene.h"

enum { NAME, EYE, TARGET, UP, FOV, WEIGHT, KEYS, ORBIT, CAMERA_KEYS };
static const SlKeyRow camera_rows[CAMERA_KEYS] = {
    [NAME] = SL_KEY_TEXT_ROW("name", "camera", false),
    [EYE] = SL_KEY_VEC3_ROW("eye", 0, 0, 0, SL_SCENE_FAR, "m", false),
    [TARGET] = SL_KEY_VEC3_ROW("target", 0, 0, 0, SL_SCENE_FAR, "m", false),
    [UP] = SL_KEY_VEC3_ROW("up", 0, 1, 0, SL_SCENE_FAR, "", false),
    [FOV] = SL_KEY_NUMBER_ROW("fov", 40, 1, 170, "degrees"),
    [WEIGHT] = SL_KEY_NUMBER_ROW("weight", 1, 0, 1e6, ""),
    [KEYS] = SL_KEY_ARRAY_ROW("keys", 1, SL_MAX_CAMERA_KEYS, false),
    [ORBIT] = SL_KEY_OBJECT_ROW("orbit", false),
};

/* --- Paths. --- */

enum { KEY_TIME, KEY_EYE, KEY_TARGET, KEY_FOV, KEY_ROWS };
static const SlKeyRow key_rows[KEY_ROWS] = {
    [KEY_TIME] = {.row = {"time", SL_PARAM_NUMBER, {{0}}, -1e9, 1e9, "s", NULL, ""},
                  .shape = SL_KEY_LEAF,
                  .required = true},
    [KEY_EYE] = SL_KEY_VEC3_ROW("eye", 0, 0, 0, SL_SCENE_FAR, "m", true),
    [KEY_TARGET] = SL_KEY_VEC3_ROW("target", 0, 0, 0, SL_SCENE_FAR, "m", false),
    [KEY_FOV] = SL_KEY_NUMBER_ROW("fov", 40, 1, 170, "degrees"),
};

enum { ORBIT_CENTER, ORBIT_RADIUS, ORBIT_HEIGHT, ORBIT_SPEED, ORBIT_START, ORBIT_ROWS };
static const SlKeyRow orbit_rows[ORBIT_ROWS] = {
    [ORBIT_CENTER] = SL_KEY_VEC3_ROW("center", 0, 0, 0, SL_SCENE_FAR, "m", true),
    [ORBIT_RADIUS] = {.row = {"radius", SL_PARAM_NUMBER, {{1}}, 1e-6, 1e6, "m", NULL, ""},
                      .shape = SL_KEY_LEAF,
                      .required = true},
    [ORBIT_HEIGHT] = SL_KEY_NUMBER_ROW("height", 0, -1e6, 1e6, "m"),
    [ORBIT_SPEED] = SL_KEY_NUMBER_ROW("speed", 20, -3600, 3600, "degrees/s"),
    [ORBIT_START] = SL_KEY_NUMBER_ROW("start", 0, -3600, 3600, "degrees"),
};

/* A key without target or fov has the camera's. */
static SlStatus read_path_keys(SlScene *scene, const SlJsonNode *array, const SlCamera *camera,
                               bool has_target, SlScenePath *path, SlError *error)
{
    const SlJson *json = &scene->json;
    SlCameraKey *keys = sl_scene_alloc(scene, array->count, sizeof *keys, error);
    if (keys == NULL)
        return SL_ERROR_MEMORY;
    path->path.keys = keys;
    path->path.key_count = array->count;
    const SlJsonNode *node = sl_json_first(json, array);
    for (size_t k = 0; k < array->count; k++, node = sl_json_next(json, node)) {
        SlKeyValue values[KEY_ROWS];
        SlStatus status = sl_keys_read(json, node, "a key of a camera", key_rows, KEY_ROWS, values,
                                       error);
        if (status != SL_OK)
            return status;
        if (!has_target && values[KEY_TARGET].node == NULL)
            return sl_json_error(json, node->place, error,
                                 "a key of a camera needs the key \"target\", or its camera does");
        keys[k] = (SlCameraKey){
            .time = values[KEY_TIME].value.number[0],
            .eye = sl_keys_vec3(&values[KEY_EYE]),
            .target = values[KEY_TARGET].node != NULL ? sl_keys_vec3(&values[KEY_TARGET])
                                                      : camera->target,
            .fov = values[KEY_FOV].node != NULL ? (float)values[KEY_FOV].value.number[0]
                                                : camera->fov};
        if (k > 0 && !(keys[k].time > keys[k - 1].time))
            return sl_json_error(json, sl_keys_place(&values[KEY_TIME], node), error,
                                 "time %g s is not after that of the key before, %g s",
                                 keys[k].time, keys[k - 1].time);
    }
    return SL_OK;
}

static SlStatus read_orbit(SlScene *scene, const SlJsonNode *object, SlScenePath *path,
                           SlError *error)
{
    SlKeyValue values[ORBIT_ROWS];
    SlStatus status =
        sl_keys_read(&scene->json, object, "an orbit", orbit_rows, ORBIT_ROWS, values, error);
    if (status != SL_OK)
        return status;
    path->path.center = sl_keys_vec3(&values[ORBIT_CENTER]);
    path->path.radius = (float)values[ORBIT_RADIUS].value.number[0];
    path->path.height = (float)values[ORBIT_HEIGHT].value.number[0];
    path->path.speed = (float)values[ORBIT_SPEED].value.number[0];
    path->path.start = (float)values[ORBIT_START].value.number[0];
    return SL_OK;
}

static SlStatus read_path(SlScene *scene, const SlJsonNode *node, const SlKeyValue *values,
                          SlCamera *camera, SlScenePath *path, SlError *error)
{
    const SlJson *json = &scene->json;
    const char *reason;
    bool has_target = values[TARGET].node != NULL;
    if (values[KEYS].node != NULL && values[ORBIT].node != NULL)
        return sl_json_error(json, values[ORBIT].node->place, error,
                             "a camera has keys or an orbit, not both");
    if (values[EYE].node != NULL)
        return sl_json_error(json, values[EYE].node->place, error,
                             "a camera with keys or an orbit has no eye of its own");
    path->given = true;
    SlStatus status =
        values[KEYS].node != NULL
            ? read_path_keys(scene, values[KEYS].node, camera, has_target, path, error)
            : read_orbit(scene, values[ORBIT].node, path, error);
    if (status != SL_OK)
        return status;
    if (!has_target && path->path.key_count == 0)
        camera->target = path->path.center;
    if (!sl_camera_path_valid(camera, &path->path, &reason))
        return sl_json_error(json, node->place, error, "path of a camera: %s", reason);
    *camera = sl_camera_on_path(camera, &path->path, 0);
    return SL_OK;
}

/* --- Cameras. --- */

static SlStatus read_camera(SlScene *scene, const SlJsonNode *node, SlCamera *camera,
                            SlScenePath *path, SlError *error)
{
    const SlJson *json = &scene->json;
    SlKeyValue values[CAMERA_KEYS];
    SlStatus status = sl_keys_read(json, node, "a camera", camera_rows, CAMERA_KEYS, values,
                                   error);
    if (status != SL_OK)
        return status;
    const char *reason;
    bool moves = values[KEYS].node != NULL || values[ORBIT].node != NULL;
    for (int k = EYE; k <= TARGET; k++)
        if (!moves && values[k].node == NULL)
            return sl_json_error(json, node->place, error, "a camera needs the key \"%s\"",
                                 camera_rows[k].row.name);
    snprintf(camera->name, sizeof camera->name, "%.*s", SL_SCENE_NAME, values[NAME].value.text);
    camera->eye = sl_keys_vec3(&values[EYE]);
    camera->target = sl_keys_vec3(&values[TARGET]);
    camera->up = sl_keys_vec3(&values[UP]);
    camera->fov = (float)values[FOV].value.number[0];
    /* Level of detail looks through the first camera unless others are given a weight. */
    bool first = scene->camera_count == 0 || camera == &scene->cameras[0];
    camera->weight = values[WEIGHT].node == NULL && !first ? 0 : (float)values[WEIGHT].value.number[0];
    if (moves)
        status = read_path(scene, node, values, camera, path, error);
    if (status == SL_OK && !sl_camera_valid(camera, &reason))
        return sl_json_error(json, node->place, error, "camera: %s", reason);
    return status;
}

SlStatus sl_scene_read_cameras(SlScene *scene, const SlJsonNode *array, SlError *error)
{
    size_t given = array != NULL ? array->count : 0, count = given > 0 ? given : 1;
    scene->cameras = sl_scene_alloc(scene, count, sizeof *scene->cameras, error);
    scene->camera_paths = scene->cameras == NULL
                              ? NULL
                              : sl_scene_alloc(scene, count, sizeof *scene->camera_paths, error);
    scene->camera_count = count;
    if (scene->camera_paths == NULL)
        return SL_ERROR_MEMORY;
    if (given == 0) {
        scene->cameras[0] = sl_camera_around(&scene->framed, 16, 9);
        return SL_OK;
    }
    const SlJsonNode *node = sl_json_first(&scene->json, array);
    for (size_t k = 0; k < given; k++, node = sl_json_next(&scene->json, node)) {
        SlStatus status = sl_scene_check_name(scene, array, node, "a camera", error);
        if (status == SL_OK)
            status = read_camera(scene, node, &scene->cameras[k], &scene->camera_paths[k], error);
        if (status != SL_OK)
            return status;
    }
    return SL_OK;
}

void sl_scene_free_cameras(SlScene *scene)
{
    for (size_t k = 0; scene->camera_paths != NULL && k < scene->camera_count; k++) {
        SlCameraPath *path = &scene->camera_paths[k].path;
        sl_free(scene->memory, (void *)path->keys, path->key_count * sizeof *path->keys);
    }
    sl_free(scene->memory, scene->camera_paths,
            scene->camera_count * sizeof *scene->camera_paths);
    sl_free(scene->memory, scene->cameras, scene->camera_count * sizeof *scene->cameras);
}

SlStatus sl_scene_build_cameras(const SlScene *scene, SlWorld *world, SlError *error)
{
    SlStatus status = sl_world_set_cameras(world, scene->cameras, scene->camera_count, error);
    for (size_t k = 0; status == SL_OK && k < scene->camera_count; k++)
        if (scene->camera_paths[k].given)
            status = sl_world_set_camera_path(world, k, &scene->camera_paths[k].path, error);
    return status;
}

size_t sl_scene_camera_count(const SlScene *scene)
{
    return scene->camera_count;
}

const SlCamera *sl_scene_camera(const SlScene *scene, size_t index)
{
    return index < scene->camera_count ? &scene->cameras[index] : NULL;
}

SlCamera sl_scene_camera_at(const SlScene *scene, size_t index, double time)
{
    const SlScenePath *path = &scene->camera_paths[index];
    return path->given ? sl_camera_on_path(&scene->cameras[index], &path->path, time)
                       : scene->cameras[index];
}
