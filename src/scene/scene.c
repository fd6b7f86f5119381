/* The scene from text to checked values: read, apply what --set asks, check part by part. */
#include "scene/scene.h"

#include <stdio.h>
#include <string.h>

#include "core/cookies.h"
#include "core/context.h"
#include "core/error.h"
#include "scene/override.h"

/* As many as a world holds, so that the sentence comes before one is made. */
enum { MAX_SYSTEMS = 16, MAX_COLLIDERS = 256, MAX_CAMERAS = 256 };

enum { NAME, SEED, GRAVITY, DOMAIN_BOX, TIME, SYSTEMS, COLLIDERS, CAMERAS, RENDER, OUTPUT,
       ENERGY_LIMIT, SCENE_KEYS };
static const SlKeyRow scene_rows[SCENE_KEYS] = {
    [NAME] = SL_KEY_TEXT_ROW("name", "", false),
    /* A JSON number is a double: whole up to 2^53. */
    [SEED] = SL_KEY_WHOLE_ROW("seed", 1, 0, 9007199254740992.0),
    [GRAVITY] = SL_KEY_VEC3_ROW("gravity", 0, -9.81, 0, 1e3, "m/s²", false),
    [DOMAIN_BOX] = SL_KEY_OBJECT_ROW("domain", true),
    [TIME] = SL_KEY_OBJECT_ROW("time", false),
    [SYSTEMS] = SL_KEY_ARRAY_ROW("systems", 1, MAX_SYSTEMS, true),
    [COLLIDERS] = SL_KEY_ARRAY_ROW("colliders", 0, MAX_COLLIDERS, false),
    [CAMERAS] = SL_KEY_ARRAY_ROW("cameras", 0, MAX_CAMERAS, false),
    [RENDER] = SL_KEY_OBJECT_ROW("render", false),
    [OUTPUT] = SL_KEY_OBJECT_ROW("output", false),
    [ENERGY_LIMIT] = SL_KEY_NUMBER_ROW("energy_limit", 1.5, 0, 1e6, ""),
};

enum { OUTPUT_FOLDER, OUTPUT_EVERY, OUTPUT_QUANTISE, OUTPUT_KEYS };
static const SlKeyRow output_rows[OUTPUT_KEYS] = {
    [OUTPUT_FOLDER] = SL_KEY_TEXT_ROW("folder", "", false),
    [OUTPUT_EVERY] = SL_KEY_WHOLE_ROW("every", 1, 1, 1e7),
    [OUTPUT_QUANTISE] = {.row = {.name = "quantise", .type = SL_PARAM_BOOL, .maximum = 1,
                                 .unit = ""}},
};

enum { TIME_FRAMES, TIME_RATE, TIME_KEYS };
static const SlKeyRow time_rows[TIME_KEYS] = {
    [TIME_FRAMES] = SL_KEY_WHOLE_ROW("frames", 300, 1, 1e7),
    [TIME_RATE] = SL_KEY_NUMBER_ROW("frame_rate", 60, 1, 10000, "frames per second"),
};

/* --- What the parts share --- */

void *sl_scene_alloc(SlScene *scene, size_t count, size_t size, SlError *error)
{
    void *room = sl_alloc_zero(scene->memory, count, size);
    if (room == NULL)
        sl_error_set(error, SL_ERROR_MEMORY, "no memory for a scene");
    return room;
}

static const char *name_of(const SlJson *json, const SlJsonNode *element)
{
    const SlJsonNode *name = sl_json_member(json, element, "name");
    return name != NULL ? sl_json_text(json, name) : "";
}

SlStatus sl_scene_check_name(const SlScene *scene, const SlJsonNode *array,
                             const SlJsonNode *element, const char *what, SlError *error)
{
    const SlJson *json = &scene->json;
    const char *name = name_of(json, element);
    const SlJsonNode *before = sl_json_first(json, array);
    if (name[0] == '\0')
        return SL_OK;
    if (strlen(name) > SL_SCENE_NAME)
        return sl_json_error(json, sl_json_member(json, element, "name")->place, error,
                             "the name of %s has at most %d bytes", what, SL_SCENE_NAME);
    for (; before != element; before = sl_json_next(json, before)) {
        char quoted[SL_JSON_QUOTE], place[256];
        if (strcmp(name, name_of(json, before)) != 0)
            continue;
        sl_json_place_print(json, before->place, place, sizeof place);
        return sl_json_error(json, element->place, error, "%s called %s is already at %s", what,
                             sl_json_quote(name, quoted), place);
    }
    return SL_OK;
}

SlStatus sl_scene_read_box(const SlScene *scene, const SlJsonNode *object, const SlKeyValue *min,
                           const SlKeyValue *max, SlBox *box, SlError *error)
{
    *box = (SlBox){sl_keys_vec3(min), sl_keys_vec3(max)};
    const float low[3] = {box->min.x, box->min.y, box->min.z};
    const float high[3] = {box->max.x, box->max.y, box->max.z};
    for (int k = 0; k < 3; k++)
        if (!(low[k] < high[k]))
            return sl_json_error(&scene->json, sl_keys_place(min, object), error,
                                 "min is not below max in %c: %g and %g", "xyz"[k], low[k],
                                 high[k]);
    return SL_OK;
}

/* --- The parts without arrays --- */

static SlStatus read_time(SlScene *scene, const SlJsonNode *object, SlError *error)
{
    SlKeyValue values[TIME_KEYS];
    for (size_t k = 0; k < TIME_KEYS; k++)
        values[k] = (SlKeyValue){.value = time_rows[k].row.value};
    SlStatus status = SL_OK;
    if (object != NULL)
        status = sl_keys_read(&scene->json, object, "time", time_rows, TIME_KEYS, values, error);
    if (status != SL_OK)
        return status;
    scene->frames = (uint64_t)values[TIME_FRAMES].value.number[0];
    scene->frame_time = 1.0 / values[TIME_RATE].value.number[0];
    return SL_OK;
}

static SlStatus read_output(SlScene *scene, const SlJsonNode *object, SlError *error)
{
    SlKeyValue values[OUTPUT_KEYS];
    scene->output_every = 1;
    if (object == NULL)
        return SL_OK;
    SlStatus status =
        sl_keys_read(&scene->json, object, "output", output_rows, OUTPUT_KEYS, values, error);
    if (status != SL_OK)
        return status;
    snprintf(scene->output_folder, sizeof scene->output_folder, "%s",
             values[OUTPUT_FOLDER].value.text);
    scene->output_every = (uint64_t)values[OUTPUT_EVERY].value.number[0];
    scene->output_quantise = values[OUTPUT_QUANTISE].value.number[0] != 0;
    return SL_OK;
}

static SlStatus read_render(SlScene *scene, const SlJsonNode *object, const SlTable *table,
                            SlError *error)
{
    if (table == NULL || table->row_count == 0)
        return SL_OK;
    scene->render_table = table;
    scene->render_values = sl_scene_alloc(scene, table->row_count, sizeof *scene->render_values,
                                          error);
    if (scene->render_values == NULL)
        return SL_ERROR_MEMORY;
    for (size_t k = 0; k < table->row_count; k++)
        scene->render_values[k] = table->rows[k].value;
    if (object == NULL)
        return SL_OK;
    return sl_keys_read_table(&scene->json, object, table, scene->render_values, error);
}

/* The scene's own name, or else the file's without folder and ending. */
static void choose_name(SlScene *scene, const SlKeyValue *given, const char *path)
{
    const char *slash = strrchr(path, '/'), *base = slash != NULL ? slash + 1 : path;
    const char *dot = strrchr(base, '.');
    int length = dot != NULL && dot > base ? (int)(dot - base) : (int)strlen(base);
    if (given->value.text[0] != '\0')
        snprintf(scene->name, sizeof scene->name, "%.63s", given->value.text);
    else
        snprintf(scene->name, sizeof scene->name, "%.*s", length < 63 ? length : 63, base);
}

static SlStatus check(SlScene *scene, const char *path, const SlSceneTables *tables,
                      SlError *error)
{
    SlKeyValue values[SCENE_KEYS];
    SlStatus status = sl_keys_read(&scene->json, sl_json_root(&scene->json), "the scene",
                                   scene_rows, SCENE_KEYS, values, error);
    if (status != SL_OK)
        return status;
    choose_name(scene, &values[NAME], path);
    scene->seed = (uint64_t)values[SEED].value.number[0];
    scene->gravity = sl_keys_vec3(&values[GRAVITY]);
    scene->energy_limit = values[ENERGY_LIMIT].value.number[0];
    status = sl_scene_read_domain(scene, values[DOMAIN_BOX].node, error);
    if (status == SL_OK)
        status = read_time(scene, values[TIME].node, error);
    if (status == SL_OK)
        status = sl_scene_read_systems(scene, values[SYSTEMS].node, tables, error);
    if (status == SL_OK && values[COLLIDERS].node != NULL)
        status = sl_scene_read_colliders(scene, values[COLLIDERS].node, error);
    if (status == SL_OK)
        status = sl_scene_read_cameras(scene, values[CAMERAS].node, error);
    if (status == SL_OK)
        status = read_output(scene, values[OUTPUT].node, error);
    if (status == SL_OK)
        status = read_render(scene, values[RENDER].node, tables->render, error);
    return status;
}

/* --- Life --- */

SlStatus sl_scene_parse(SlMemory *memory, const char *name, const char *text, size_t bytes,
                        const SlSceneOverride *overrides, size_t override_count,
                        const SlSceneTables *tables, SlScene **out, SlError *error)
{
    *out = NULL;
    SlScene *scene = sl_alloc_zero(memory, 1, sizeof *scene);
    if (scene == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for a scene");
    scene->memory = memory;
    SlStatus status = sl_json_read(memory, name, text, bytes, &scene->json, error);
    for (size_t k = 0; status == SL_OK && k < override_count; k++)
        status = sl_override_apply(&scene->json, &overrides[k], error);
    if (status == SL_OK)
        status = sl_scene_anchor_meshes(scene, name, error);
    if (status == SL_OK)
        status = check(scene, name, tables, error);
    if (status == SL_OK)
        status = sl_json_write(&scene->json, memory, &scene->text, &scene->text_size, error);
    if (status != SL_OK) {
        sl_scene_destroy(scene);
        return status;
    }
    *out = scene;
    return SL_OK;
}

void sl_scene_destroy(SlScene *scene)
{
    if (scene == NULL)
        return;
    SlMemory *memory = scene->memory;
    size_t rows = scene->render_table != NULL ? scene->render_table->row_count : 0;
    sl_free(memory, scene->text, scene->text_size);
    sl_free(memory, scene->systems, scene->system_count * sizeof *scene->systems);
    sl_free(memory, scene->blocks, scene->block_capacity * sizeof *scene->blocks);
    sl_free(memory, scene->colliders, scene->collider_count * sizeof *scene->colliders);
    sl_free(memory, scene->cameras, scene->camera_count * sizeof *scene->cameras);
    sl_free(memory, scene->render_values, rows * sizeof *scene->render_values);
    sl_json_free(&scene->json);
    sl_free(memory, scene, sizeof *scene);
}

const char *sl_scene_name(const SlScene *scene)
{
    return scene->name;
}

uint64_t sl_scene_frames(const SlScene *scene)
{
    return scene->frames;
}

const char *sl_scene_output_folder(const SlScene *scene)
{
    return scene->output_folder;
}

uint64_t sl_scene_output_every(const SlScene *scene)
{
    return scene->output_every;
}

bool sl_scene_output_quantise(const SlScene *scene)
{
    return scene->output_quantise;
}

double sl_scene_frame_time(const SlScene *scene)
{
    return scene->frame_time;
}

size_t sl_scene_camera_count(const SlScene *scene)
{
    return scene->camera_count;
}

const SlCamera *sl_scene_camera(const SlScene *scene, size_t index)
{
    return index < scene->camera_count ? &scene->cameras[index] : NULL;
}

const SlParamValue *sl_scene_render_values(const SlScene *scene)
{
    return scene->render_values;
}

const char *sl_scene_text(const SlScene *scene)
{
    return scene->text;
}

/* --- A scene from a file, with the solvers this library has. --- */

SlSceneOptions sl_default_scene_options(void)
{
    return (SlSceneOptions){SL_DEF_HEAD(SCENE_OPTIONS, SlSceneOptions)};
}

SlStatus sl_scene_read(SlContext *context, const char *path, const SlSceneOptions *options,
                       SlScene **scene, SlError *error)
{
    *scene = NULL;
    if (!SL_DEF_VALID(options, SCENE_OPTIONS))
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "scene options not made by sl_default_scene_options");
    char *text;
    size_t bytes;
    SlStatus status = sl_file_read(&context->memory, path, SL_JSON_BYTES, &text, &bytes, error);
    if (status != SL_OK)
        return status;
    SlSceneTables tables = {.render = options->render_table};
    tables.solvers = sl_solver_tables(&tables.solver_count);
    status = sl_scene_parse(&context->memory, path, text, bytes, options->overrides,
                            options->override_count, &tables, scene, error);
    sl_free(&context->memory, text, bytes + 1);
    if (status == SL_OK && options->cache_folder != NULL)
        snprintf((*scene)->cache_folder, sizeof (*scene)->cache_folder, "%s",
                 options->cache_folder);
    return status;
}

/* --- A checked scene to a world, through the calls any program makes. --- */

/* The world's sentence with the place of the value that caused it. What the world refuses as an
   argument is the scene's mistake; self_density_offset of memory and the like stay what they are. */
static SlStatus with_place(const SlScene *scene, SlJsonPlace place, SlStatus status,
                           const SlError *inner, SlError *error)
{
    if (status == SL_OK)
        return SL_OK;
    SlStatus said = sl_json_error(&scene->json, place, error, "%s", inner->text);
    if (status == SL_ERROR_ARGUMENT)
        return said;
    if (error != NULL)
        error->status = status;
    return status;
}

static SlStatus set_three(const SlScene *scene, SlWorld *world, SlSystemId id,
                          const SlJsonNode *array, SlError *inner)
{
    double numbers[3];
    size_t count = 0;
    const SlJsonNode *node = sl_json_first(&scene->json, array);
    for (; node != NULL && node->type == SL_JSON_NUMBER && count < 3; count++) {
        numbers[count] = node->number;
        node = sl_json_next(&scene->json, node);
    }
    const char *name = sl_json_key(&scene->json, array);
    if (count != 3 || node != NULL)
        return sl_error_set(inner, SL_ERROR_ARGUMENT, "%s takes three numbers", name);
    return sl_system_set_vec3(world, id, name, numbers, inner);
}

static SlStatus set_parameter(const SlScene *scene, SlWorld *world, SlSystemId id,
                              const SlJsonNode *node, SlError *inner)
{
    const char *name = sl_json_key(&scene->json, node);
    switch (node->type) {
    case SL_JSON_NUMBER:
    case SL_JSON_BOOL: return sl_system_set_number(world, id, name, node->number, inner);
    case SL_JSON_TEXT:
        return sl_system_set_text(world, id, name, sl_json_text(&scene->json, node), inner);
    case SL_JSON_ARRAY: return set_three(scene, world, id, node, inner);
    default:
        return sl_error_set(inner, SL_ERROR_ARGUMENT,
                            "%s takes a number, true or false, a text or three numbers", name);
    }
}

/* Emitters and drains were checked with the scene; what the world refuses depends on its spacing. */
static SlStatus build_flows(const SlScene *scene, const SlSceneSystem *system, SlWorld *world,
                            SlSystemId id, SlError *error)
{
    const SlJson *json = &scene->json;
    SlStatus status = SL_OK;
    SlError inner;
    const SlJsonNode *node = system->emitters != NULL ? sl_json_first(json, system->emitters) : NULL;
    for (; status == SL_OK && node != NULL; node = sl_json_next(json, node)) {
        SlEmitterDef def;
        status = sl_scene_read_emitter(scene, system, node, &def, error);
        if (status == SL_OK)
            status = with_place(scene, node->place,
                                sl_system_add_emitter(world, id, &def, NULL, &inner), &inner, error);
    }
    node = system->drains != NULL ? sl_json_first(json, system->drains) : NULL;
    for (; status == SL_OK && node != NULL; node = sl_json_next(json, node)) {
        SlSceneCollider drain;
        status = sl_scene_read_collider(scene, node, &drain, error);
        if (status == SL_OK)
            status = with_place(scene, node->place,
                                sl_system_add_drain(world, id, &drain.shape, &inner), &inner,
                                error);
    }
    return status;
}

static SlStatus build_fills(const SlScene *scene, const SlSceneSystem *system, SlWorld *world,
                            SlSystemId id, SlError *error)
{
    const SlJson *json = &scene->json;
    SlStatus status = SL_OK;
    SlError inner;
    const SlJsonNode *node = system->fills != NULL ? sl_json_first(json, system->fills) : NULL;
    for (; status == SL_OK && node != NULL; node = sl_json_next(json, node)) {
        SlFillDef def;
        SlShape shapes[SL_SCENE_FILL_SHAPES];
        status = sl_scene_read_fill(scene, system, node, &def, shapes, error);
        if (status == SL_OK)
            status = with_place(scene, node->place, sl_system_add_fill(world, id, &def, &inner),
                                &inner, error);
    }
    return status;
}

static SlStatus build_system(const SlScene *scene, const SlSceneSystem *system, SlWorld *world,
                             SlError *error)
{
    SlError inner;
    SlSystemId id;
    SlSystemDef def = sl_default_system_def(system->solver->name);
    def.name = system->name;
    SlStatus status = with_place(scene, system->place,
                                 sl_world_add_system(world, &def, &id, &inner), &inner, error);
    const SlJsonNode *node = system->parameters != NULL
                                 ? sl_json_first(&scene->json, system->parameters)
                                 : NULL;
    for (; status == SL_OK && node != NULL; node = sl_json_next(&scene->json, node))
        status = with_place(scene, node->place, set_parameter(scene, world, id, node, &inner),
                            &inner, error);
    node = system->fluids != NULL ? sl_json_first(&scene->json, system->fluids) : NULL;
    for (; status == SL_OK && node != NULL; node = sl_json_next(&scene->json, node)) {
        SlFluidDef fluid;
        uint32_t number;
        status = sl_scene_read_fluid(scene, node, &fluid, error);
        if (status == SL_OK)
            status = with_place(scene, node->place,
                                sl_system_add_fluid(world, id, &fluid, &number, &inner), &inner, error);
    }
    for (size_t k = 0; status == SL_OK && k < system->block_count; k++) {
        const SlSceneBlock *block = &scene->blocks[system->first_block + k];
        status = with_place(scene, block->place,
                            sl_system_add_block(world, id, &block->def, &inner), &inner, error);
    }
    if (status == SL_OK)
        status = build_fills(scene, system, world, id, error);
    if (status == SL_OK)
        status = build_flows(scene, system, world, id, error);
    return status;
}

static SlStatus build_collider(const SlScene *scene, const SlSceneCollider *collider,
                               SlWorld *world, SlError *error)
{
    SlError inner;
    SlColliderId id;
    SlStatus status = collider->is_mesh
                          ? sl_scene_build_mesh(scene, collider, world, &id, &inner)
                          : sl_world_add_collider(world, &collider->shape, &id, &inner);
    status = with_place(scene, collider->place, status, &inner, error);
    if (status == SL_OK && collider->name != NULL)
        status = sl_collider_set_name(world, id, sl_json_text(&scene->json, collider->name), error);
    if (status != SL_OK || collider->motion == NULL)
        return status;
    SlMotionDef motion;
    SlKeyframe *keys;
    status = sl_scene_read_motion(scene, collider->motion, &motion, &keys, error);
    if (status != SL_OK)
        return status;
    status = with_place(scene, collider->motion->place,
                        sl_collider_set_motion(world, id, &motion, &inner), &inner, error);
    sl_free(scene->memory, keys, motion.key_count * sizeof *keys);
    return status;
}

SlStatus sl_scene_build(const SlScene *scene, const SlWorldDef *given, SlWorld **out,
                        SlError *error)
{
    *out = NULL;
    SlWorldDef def = *given;
    SlWorld *world;
    def.gravity = scene->gravity;
    def.domain = scene->domain;
    def.domain_friction = scene->domain_friction;
    def.domain_sticky = scene->domain_sticky;
    def.domain_limit = scene->domain_limit;
    def.grid = scene->grid;
    def.frame_time = scene->frame_time;
    def.seed = scene->seed;
    def.energy_limit = scene->energy_limit;
    /* Gravity, domain and time are checked already: what fails here is what the caller gave. */
    SlStatus status = sl_world_create(&def, &world, error);
    if (status != SL_OK)
        return status;
    for (size_t k = 0; status == SL_OK && k < scene->system_count; k++)
        status = build_system(scene, &scene->systems[k], world, error);
    for (size_t k = 0; status == SL_OK && k < scene->collider_count; k++)
        status = build_collider(scene, &scene->colliders[k], world, error);
    if (status == SL_OK)
        status = sl_world_set_cameras(world, scene->cameras, scene->camera_count, error);
    if (status != SL_OK) {
        sl_world_destroy(world);
        return status;
    }
    *out = world;
    return SL_OK;
}
