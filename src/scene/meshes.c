/* Colliders made of triangles: one file, or the keys of a deforming body as a list of files or as
   a pattern with a running number. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "math/vec3.h"
#include "scene/override.h"
#include "scene/scene.h"

enum { MAX_KEYS = 10000, MAX_NAME = 1300, MAX_DIGITS = 9 };

enum {
    NAME, SHAPE, FRICTION, STICKY, MOTION, MATERIAL, SCALE, TURN, POSITION, CELL, HOLLOW,
    ONE_FILE, FILES, PATTERN, FIRST, LAST, RATE, LOOP, PRINTED, MESH_KEYS
};
static const SlKeyRow mesh_rows[MESH_KEYS] = {
    [NAME] = SL_KEY_TEXT_ROW("name", "", false),
    [SHAPE] = SL_KEY_TEXT_ROW("shape", "", true),
    [FRICTION] = SL_KEY_NUMBER_ROW("friction", 0, 0, 10, ""),
    [STICKY] = SL_KEY_BOOL_ROW("sticky"),
    [MOTION] = SL_KEY_OBJECT_ROW("motion", false),
    [MATERIAL] = SL_KEY_OBJECT_ROW("material", false),
    [SCALE] = SL_KEY_NUMBER_ROW("scale", 1, 1e-6, 1e6, "m per unit of the file"),
    [TURN] = SL_KEY_VEC3_ROW("rotation", 0, 0, 0, 1e6, "degrees", false),
    [POSITION] = SL_KEY_VEC3_ROW("position", 0, 0, 0, SL_SCENE_FAR, "m", false),
    [CELL] = SL_KEY_NUMBER_ROW("cell", 0, 0, 1e3, "m"),
    [HOLLOW] = SL_KEY_BOOL_ROW("hollow"),
    [ONE_FILE] = SL_KEY_TEXT_ROW("file", "", false),
    [FILES] = SL_KEY_ARRAY_ROW("files", 1, MAX_KEYS, false),
    [PATTERN] = SL_KEY_TEXT_ROW("pattern", "", false),
    [FIRST] = SL_KEY_WHOLE_ROW("first", 0, 0, 1e8),
    [LAST] = SL_KEY_WHOLE_ROW("last", 0, 0, 1e8),
    [RATE] = SL_KEY_NUMBER_ROW("rate", 25, 1e-6, 1e6, "keys per second"),
    [LOOP] = SL_KEY_BOOL_ROW("loop"),
    [PRINTED] = SL_KEY_BOOL_ROW("printed_blend"),
};

/* "walk_%04d.obj" in parts. */
typedef struct Pattern {
    int before; /* bytes before the number */
    int digits; /* at least so many, with leading zeros */
    const char *after;
} Pattern;

/* One %d or %04d, and no other percent sign: the text is never given to printf. */
static bool read_pattern(const char *text, Pattern *pattern)
{
    const char *percent = strchr(text, '%');
    if (percent == NULL)
        return false;
    const char *end = percent + 1;
    unsigned long digits = 0;
    if (*end == '0') {
        char *stop;
        digits = strtoul(end, &stop, 10);
        end = stop;
    }
    if (*end != 'd' || digits > MAX_DIGITS || strchr(end, '%') != NULL)
        return false;
    *pattern = (Pattern){(int)(percent - text), (int)digits, end + 1};
    return true;
}

/* Which of the three ways to name files is there: just one must be. */
static SlStatus check_files(const SlScene *scene, const SlJsonNode *node, const SlKeyValue *values,
                            SlError *error)
{
    const SlJson *json = &scene->json;
    int ways = (values[ONE_FILE].node != NULL) + (values[FILES].node != NULL) +
               (values[PATTERN].node != NULL);
    if (ways != 1)
        return sl_json_error(json, node->place, error,
                             ways == 0 ? "a mesh needs the key \"file\", \"files\" or \"pattern\""
                                       : "a mesh has \"file\", \"files\" or \"pattern\", only one "
                                         "of them");
    for (int k = FIRST; k <= PRINTED; k++) {
        bool of_pattern = k == FIRST || k == LAST;
        bool fits = values[PATTERN].node != NULL || (!of_pattern && values[FILES].node != NULL);
        if (values[k].node == NULL || fits)
            continue;
        return sl_json_error(json, values[k].node->place, error, "%s goes with %s",
                             mesh_rows[k].row.name,
                             of_pattern ? "\"pattern\"" : "\"files\" or \"pattern\"");
    }
    if (values[FILES].node != NULL) {
        const SlJsonNode *file = sl_json_first(json, values[FILES].node);
        for (; file != NULL; file = sl_json_next(json, file))
            if (file->type != SL_JSON_TEXT)
                return sl_keys_wrong_type(json, file, "text", error);
    }
    return SL_OK;
}

static SlStatus check_pattern(const SlScene *scene, const SlJsonNode *node,
                              const SlKeyValue *values, SlSceneCollider *collider, SlError *error)
{
    const SlJson *json = &scene->json;
    Pattern pattern;
    if (values[PATTERN].node == NULL)
        return SL_OK;
    if (!read_pattern(sl_json_text(json, values[PATTERN].node), &pattern))
        return sl_json_error(json, values[PATTERN].node->place, error,
                             "a pattern has one %%d or %%04d for the number, and no other %%");
    if (values[LAST].node == NULL)
        return sl_json_error(json, node->place, error, "a pattern needs the key \"last\"");
    collider->first = (uint32_t)values[FIRST].value.number[0];
    collider->last = (uint32_t)values[LAST].value.number[0];
    if (collider->last < collider->first || collider->last - collider->first >= MAX_KEYS)
        return sl_json_error(json, values[LAST].node->place, error,
                             "last is %u; from first, %u, it may go up to %u", collider->last,
                             collider->first, collider->first + MAX_KEYS - 1);
    return SL_OK;
}

SlStatus sl_scene_read_mesh(const SlScene *scene, const SlJsonNode *node,
                            SlSceneCollider *collider, SlError *error)
{
    SlKeyValue values[MESH_KEYS];
    SlStatus status =
        sl_keys_read(&scene->json, node, "a mesh", mesh_rows, MESH_KEYS, values, error);
    if (status == SL_OK)
        status = check_files(scene, node, values, error);
    if (status == SL_OK)
        status = check_pattern(scene, node, values, collider, error);
    if (status != SL_OK)
        return status;
    const float degree = 0.017453292519943295f;
    collider->is_mesh = true;
    collider->place = node->place;
    collider->name = values[NAME].node;
    collider->file = values[ONE_FILE].node;
    collider->files = values[FILES].node;
    collider->pattern = values[PATTERN].node;
    collider->mesh = sl_default_mesh_collider_def();
    collider->mesh.scale = (float)values[SCALE].value.number[0];
    collider->mesh.rotation = sl_scale(sl_keys_vec3(&values[TURN]), degree);
    collider->mesh.position = sl_keys_vec3(&values[POSITION]);
    collider->mesh.cell = values[CELL].value.number[0];
    collider->mesh.hollow = values[HOLLOW].value.number[0] != 0;
    collider->mesh.friction = (float)values[FRICTION].value.number[0];
    collider->mesh.sticky = values[STICKY].value.number[0] != 0;
    collider->mesh.rate = values[RATE].value.number[0];
    collider->mesh.loop = values[LOOP].value.number[0] != 0;
    collider->mesh.printed_blend = values[PRINTED].value.number[0] != 0;
    status = sl_scene_read_collider_material(scene, values[MATERIAL].node, collider, error);
    if (status == SL_OK)
        status = sl_scene_read_motion(scene, values[MOTION].node, &collider->motion, error);
    if (status != SL_OK)
        sl_scene_free_collider(scene, collider);
    return status;
}

bool sl_scene_is_mesh(const SlJson *json, const SlJsonNode *node)
{
    const SlJsonNode *shape =
        node->type == SL_JSON_OBJECT ? sl_json_member(json, node, "shape") : NULL;
    return shape != NULL && shape->type == SL_JSON_TEXT &&
           strcmp(sl_json_text(json, shape), "mesh") == 0;
}

/* The value at `where`, a file's name or a pattern, made absolute. Of a pattern only the folder
   can be looked for. */
static SlStatus anchor(SlJson *json, const char *folder, const char *where, const SlJsonNode *name,
                       bool pattern, SlError *error)
{
    char full[MAX_NAME], value[2 * MAX_NAME + 8], base[MAX_NAME] = "";
    if (name == NULL || name->type != SL_JSON_TEXT || sl_json_text(json, name)[0] == '/')
        return SL_OK;
    snprintf(full, sizeof full, "%s/%.600s", folder, sl_json_text(json, name));
    if (pattern) {
        char *slash = strrchr(full, '/');
        snprintf(base, sizeof base, "%s", slash);
        *slash = '\0';
    }
    char *real = realpath(full, NULL);
    if (real == NULL)
        return sl_json_error(json, name->place, error, "%.300s: there is no such %s", full,
                             pattern ? "folder" : "file");
    size_t length = 0;
    const char *parts[2] = {real, base};
    value[length++] = '"';
    for (int k = 0; k < 2; k++)
        for (const char *c = parts[k]; *c != '\0' && length < sizeof value - 4; c++) {
            if (*c == '"' || *c == '\\')
                value[length++] = '\\';
            value[length++] = *c;
        }
    value[length++] = '"';
    value[length] = '\0';
    free(real);
    /* The value stands where it stood: errors about it are the file's, not a --set's. */
    SlJsonId id = (SlJsonId)(name - json->nodes);
    SlJsonPlace place = name->place;
    SlSceneOverride anchored = {where, value};
    SlStatus status = sl_override_apply(json, &anchored, error);
    if (status == SL_OK)
        json->nodes[id].place = place;
    return status;
}

SlStatus sl_scene_anchor_file(SlScene *scene, const SlJsonNode *file, const char *folder,
                              const char *where, SlError *error)
{
    return anchor(&scene->json, folder, where, file, false, error);
}

/* An override may move the nodes: they are looked up anew each time. */
static const SlJsonNode *find_collider(const SlJson *json, size_t k)
{
    const SlJsonNode *root = sl_json_root(json);
    const SlJsonNode *array =
        root->type == SL_JSON_OBJECT ? sl_json_member(json, root, "colliders") : NULL;
    if (array == NULL || array->type != SL_JSON_ARRAY || k >= array->count)
        return NULL;
    const SlJsonNode *node = sl_json_first(json, array);
    for (; k > 0; k--)
        node = sl_json_next(json, node);
    return node;
}

static const SlJsonNode *find_file(const SlJson *json, size_t collider, size_t k)
{
    const SlJsonNode *files = sl_json_member(json, find_collider(json, collider), "files");
    if (files == NULL || files->type != SL_JSON_ARRAY || k >= files->count)
        return NULL;
    const SlJsonNode *node = sl_json_first(json, files);
    for (; k > 0; k--)
        node = sl_json_next(json, node);
    return node;
}

SlStatus sl_scene_anchor_meshes(SlScene *scene, const char *path, SlError *error)
{
    SlJson *json = &scene->json;
    const char *slash = strrchr(path, '/');
    char folder[600], where[96];
    SlStatus status = SL_OK;
    snprintf(folder, sizeof folder, "%.*s", slash != NULL ? (int)(slash - path) : 1,
             slash != NULL ? path : ".");
    for (size_t k = 0; status == SL_OK && find_collider(json, k) != NULL; k++) {
        if (!sl_scene_is_mesh(json, find_collider(json, k)))
            continue;
        snprintf(where, sizeof where, "colliders[%zu].file", k);
        status = anchor(json, folder, where, sl_json_member(json, find_collider(json, k), "file"),
                        false, error);
        snprintf(where, sizeof where, "colliders[%zu].pattern", k);
        if (status == SL_OK)
            status = anchor(json, folder, where,
                            sl_json_member(json, find_collider(json, k), "pattern"), true, error);
        for (size_t f = 0; status == SL_OK && find_file(json, k, f) != NULL; f++) {
            snprintf(where, sizeof where, "colliders[%zu].files[%zu]", k, f);
            status = anchor(json, folder, where, find_file(json, k, f), false, error);
        }
    }
    return status == SL_OK ? sl_scene_anchor_fills(scene, folder, error) : status;
}

/* Names of the keys' files, each of `room` bytes in `names`. */
static void list_names(const SlScene *scene, const SlSceneCollider *collider, size_t count,
                       size_t room, char *names, const char **paths)
{
    const SlJson *json = &scene->json;
    const SlJsonNode *file = collider->files != NULL ? sl_json_first(json, collider->files) : NULL;
    const char *text = collider->pattern != NULL ? sl_json_text(json, collider->pattern) : "";
    Pattern pattern = {0, 0, ""};
    read_pattern(text, &pattern);
    for (size_t k = 0; k < count; k++) {
        paths[k] = names + k * room;
        if (file != NULL) {
            paths[k] = sl_json_text(json, file);
            file = sl_json_next(json, file);
        } else {
            snprintf(names + k * room, room, "%.*s%0*u%s", pattern.before, text, pattern.digits,
                     collider->first + (uint32_t)k, pattern.after);
        }
    }
}

SlStatus sl_scene_build_mesh(const SlScene *scene, const SlSceneCollider *collider, SlWorld *world,
                             SlColliderId *id, SlError *inner)
{
    SlMeshColliderDef mesh = collider->mesh;
    mesh.cache_folder = scene->cache_folder[0] != '\0' ? scene->cache_folder : NULL;
    if (collider->file != NULL) {
        mesh.path = sl_json_text(&scene->json, collider->file);
        return sl_world_add_mesh_collider(world, &mesh, id, inner);
    }
    size_t count = collider->files != NULL ? collider->files->count
                                           : (size_t)(collider->last - collider->first) + 1;
    size_t room = collider->pattern != NULL
                      ? strlen(sl_json_text(&scene->json, collider->pattern)) + 16
                      : 1;
    char *names = sl_alloc(scene->memory, count * room);
    const char **paths = sl_alloc(scene->memory, count * sizeof *paths);
    SlStatus status = SL_ERROR_MEMORY;
    if (names != NULL && paths != NULL) {
        list_names(scene, collider, count, room, names, paths);
        mesh.paths = paths;
        mesh.path_count = count;
        status = sl_world_add_mesh_collider(world, &mesh, id, inner);
    } else {
        sl_error_set(inner, status, "no memory for the names of %zu files", count);
    }
    sl_free(scene->memory, names, count * room);
    sl_free(scene->memory, (void *)paths, count * sizeof *paths);
    return status;
}

/* Names of the files of one collider. */
static void each_collider_file(const SlScene *scene, const SlSceneCollider *collider,
                               void (*each)(void *user, const char *path), void *user)
{
    const SlJson *json = &scene->json;
    if (collider->file != NULL)
        each(user, sl_json_text(json, collider->file));
    const SlJsonNode *file = collider->files != NULL ? sl_json_first(json, collider->files) : NULL;
    for (; file != NULL; file = sl_json_next(json, file))
        each(user, sl_json_text(json, file));
    const char *text = collider->pattern != NULL ? sl_json_text(json, collider->pattern) : "";
    Pattern pattern;
    if (collider->pattern == NULL || !read_pattern(text, &pattern))
        return;
    for (uint32_t k = collider->first; k <= collider->last; k++) {
        char path[MAX_NAME];
        snprintf(path, sizeof path, "%.*s%0*u%s", pattern.before, text, pattern.digits, k,
                 pattern.after);
        each(user, path);
    }
}

void sl_scene_each_mesh_file(const SlScene *scene, void (*each)(void *user, const char *path),
                             void *user)
{
    for (size_t k = 0; k < scene->collider_count; k++)
        if (scene->colliders[k].is_mesh)
            each_collider_file(scene, &scene->colliders[k], each, user);
    for (size_t s = 0; s < scene->system_count; s++)
        for (size_t k = 0; k < scene->systems[s].fill_count; k++)
            if (scene->systems[s].fills[k].def.path != NULL)
                each(user, scene->systems[s].fills[k].def.path);
}
