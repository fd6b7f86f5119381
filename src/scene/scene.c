/* The scene from text to checked values: read, apply what --set asks, check part by part. */
#include "scene/scene.h"

#include <stdio.h>
#include <string.h>

#include "core/cookies.h"
#include "core/context.h"
#include "core/error.h"
#include "scene/override.h"
#include "sleet/filter.h"

/* As many as a world holds, so that the error comes before one is made. */
enum { MAX_SYSTEMS = 16, MAX_COLLIDERS = 320, MAX_CAMERAS = 256, MAX_FORCE_FIELDS = 32,
       MAX_FILTERS = 8 };

enum { NAME, SEED, GRAVITY, DOMAIN_BOX, TIME, SYSTEMS, COLLIDERS, FORCE_FIELDS, CAMERAS, FILTERS,
       RENDER, OUTPUT, ENERGY_LIMIT, SCENE_KEYS };
static const SlKeyRow scene_rows[SCENE_KEYS] = {
    [NAME] = SL_KEY_TEXT_ROW("name", "", false),
    /* A JSON number is a double: whole up to 2^53. */
    [SEED] = SL_KEY_WHOLE_ROW("seed", 1, 0, 9007199254740992.0),
    [GRAVITY] = SL_KEY_VEC3_ROW("gravity", 0, -9.81, 0, 1e3, "m/s²", false),
    [DOMAIN_BOX] = SL_KEY_OBJECT_ROW("domain", true),
    [TIME] = SL_KEY_OBJECT_ROW("time", false),
    [SYSTEMS] = SL_KEY_ARRAY_ROW("systems", 1, MAX_SYSTEMS, true),
    [COLLIDERS] = SL_KEY_ARRAY_ROW("colliders", 0, MAX_COLLIDERS, false),
    [FORCE_FIELDS] = SL_KEY_ARRAY_ROW("force_fields", 0, MAX_FORCE_FIELDS, false),
    [CAMERAS] = SL_KEY_ARRAY_ROW("cameras", 0, MAX_CAMERAS, false),
    [FILTERS] = SL_KEY_ARRAY_ROW("filters", 0, MAX_FILTERS, false),
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

/* The values of all rows are read, then those that are given kept in the order of the document. */
SlStatus sl_scene_read_values(SlScene *scene, const SlJsonNode *object, const SlTable *table,
                              SlSceneValues *values, SlError *error)
{
    if (object == NULL || object->count == 0)
        return SL_OK;
    SlParamValue *all = sl_scene_alloc(scene, table->row_count + 1, sizeof *all, error);
    values->items = sl_scene_alloc(scene, object->count, sizeof *values->items, error);
    values->count = values->items != NULL ? object->count : 0;
    SlStatus status = all != NULL && values->items != NULL ? SL_OK : SL_ERROR_MEMORY;
    if (status == SL_OK)
        status = sl_keys_read_table(&scene->json, object, table, all, error);
    const SlJsonNode *node = sl_json_first(&scene->json, object);
    for (size_t k = 0; status == SL_OK && k < values->count; k++) {
        const SlParamRow *row = sl_table_find(table, sl_json_key(&scene->json, node));
        values->items[k] = (SlSceneValue){row, all[row - table->rows], node->place};
        node = sl_json_next(&scene->json, node);
    }
    sl_free(scene->memory, all, (table->row_count + 1) * sizeof *all);
    return status;
}

void sl_scene_free_values(const SlScene *scene, SlSceneValues *values)
{
    sl_free(scene->memory, values->items, values->count * sizeof *values->items);
    *values = (SlSceneValues){NULL, 0};
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

/* How a scene is drawn, whatever the renderer: the first table of its "render" object. */
static const SlParamRow style_rows[] = {
    {"style", SL_PARAM_CHOICE, {{0}, ""}, 0, 3, "", "auto|particles|water|final",
     "auto: water where the frame has a liquid, else particles; final: path traced"}};
static const SlTable style_table = {"style", "renderer", "", "", style_rows, 1};

/* What draws each of those choices, in their order; what auto is depends on the frame. */
static const char *const style_renderers[] = {"", "splats", "water", "path"};
enum { STYLES = sizeof style_renderers / sizeof style_renderers[0] };

const char *sl_style_renderer(const char *style)
{
    SlParamValue value;
    if (sl_param_set_text(&style_rows[0], style, &value, NULL) != SL_OK)
        return NULL;
    return style_renderers[(size_t)value.number[0]];
}

/* Before there were styles, `style` was what is now `blend`. */
static SlStatus check_old_style(SlScene *scene, const SlJsonNode *object, SlError *error)
{
    const SlJson *json = &scene->json;
    for (const SlJsonNode *m = sl_json_first(json, object); m != NULL; m = sl_json_next(json, m)) {
        if (strcmp(sl_json_key(json, m), "style") != 0 || m->type != SL_JSON_TEXT)
            continue;
        const char *text = sl_json_text(json, m);
        if (strcmp(text, "opaque") == 0 || strcmp(text, "transparent") == 0)
            return sl_json_error(json, m->place, error,
                                 "style is auto, particles, water or final; whether particles are opaque "
                                 "or transparent is \"blend\": write \"blend\": \"%s\"",
                                 text);
    }
    return SL_OK;
}

/* A key that only one renderer has asks for that renderer's style; one that the path tracer shares with
   another renderer asks for the other's. */
static uint32_t implied_style(const SlScene *scene, const SlJsonNode *object,
                              const SlSceneTables *tables)
{
    const SlJson *json = &scene->json;
    uint32_t implied = 0;
    for (const SlJsonNode *m = sl_json_first(json, object); m != NULL; m = sl_json_next(json, m)) {
        const SlTable *only = NULL;
        size_t owners = 0;
        for (size_t t = 0; t < tables->renderer_count; t++)
            if (sl_table_find(tables->renderers[t], sl_json_key(json, m)) != NULL &&
                (owners == 0 || strcmp(tables->renderers[t]->name, "path") != 0)) {
                only = tables->renderers[t];
                owners++;
            }
        for (uint32_t s = 1; owners == 1 && tables->renderer_count > 1 && s < STYLES; s++)
            if (implied == 0 && strcmp(only->name, style_renderers[s]) == 0)
                implied = s;
    }
    return implied;
}

static SlStatus read_render(SlScene *scene, const SlJsonNode *object, const SlSceneTables *tables,
                            SlError *error)
{
    enum { MAX_TABLES = 8 };
    SlParamValue style = style_rows[0].value, *values[MAX_TABLES] = {&style};
    sl_param_print(&style_rows[0], &style, scene->render_style, sizeof scene->render_style);
    if (tables->renderer_count == 0)
        return SL_OK;
    SL_ASSERT(tables->renderer_count < MAX_TABLES);
    const SlTable *all[MAX_TABLES] = {&style_table};
    for (size_t t = 0; t < tables->renderer_count; t++)
        scene->render_value_count += tables->renderers[t]->row_count;
    scene->render_values =
        sl_scene_alloc(scene, scene->render_value_count, sizeof *scene->render_values, error);
    if (scene->render_values == NULL)
        return SL_ERROR_MEMORY;
    scene->render_tables = tables->renderers;
    scene->render_table_count = tables->renderer_count;
    SlParamValue *at = scene->render_values;
    for (size_t t = 0; t < tables->renderer_count; t++) {
        all[t + 1] = tables->renderers[t];
        values[t + 1] = at;
        for (size_t k = 0; k < all[t + 1]->row_count; k++)
            *at++ = all[t + 1]->rows[k].value;
    }
    if (object == NULL)
        return SL_OK;
    SlStatus status = check_old_style(scene, object, error);
    if (status == SL_OK)
        status = sl_keys_read_tables(&scene->json, object, all, tables->renderer_count + 1, values,
                                     error);
    if (status == SL_OK && style.number[0] == 0)
        style.number[0] = implied_style(scene, object, tables);
    sl_param_print(&style_rows[0], &style, scene->render_style, sizeof scene->render_style);
    return status;
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
        status = sl_scene_read_force_fields(scene, values[FORCE_FIELDS].node, tables, error);
    if (status == SL_OK)
        status = sl_scene_read_cameras(scene, values[CAMERAS].node, error);
    if (status == SL_OK)
        status = sl_scene_read_filters(scene, values[FILTERS].node, tables, error);
    if (status == SL_OK)
        status = read_output(scene, values[OUTPUT].node, error);
    if (status == SL_OK)
        status = read_render(scene, values[RENDER].node, tables, error);
    return status;
}

/* --- Making and freeing a scene --- */

SlStatus sl_scene_parse(SlMemory *memory, const SlSceneSource *source, const SlSceneTables *tables,
                        SlScene **out, SlError *error)
{
    *out = NULL;
    SlScene *scene = sl_alloc_zero(memory, 1, sizeof *scene);
    if (scene == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for a scene");
    scene->memory = memory;
    SlStatus status =
        sl_json_read(memory, source->name, source->text, source->bytes, &scene->json, error);
    for (size_t k = 0; status == SL_OK && k < source->override_count; k++)
        status = sl_override_apply(&scene->json, &source->overrides[k], error);
    if (status == SL_OK)
        status = sl_scene_anchor_meshes(scene, source->name, error);
    if (status == SL_OK)
        status = check(scene, source->name, tables, error);
    if (status == SL_OK)
        status = sl_json_write(&scene->json, memory, &scene->text, &scene->text_size, error);
    if (status != SL_OK) {
        sl_scene_destroy(scene);
        return status;
    }
    *out = scene;
    return SL_OK;
}

static void free_system(const SlScene *scene, SlSceneSystem *system)
{
    SlMemory *memory = scene->memory;
    sl_scene_free_values(scene, &system->parameters);
    sl_free(memory, system->fluids, system->fluid_count * sizeof *system->fluids);
    sl_free(memory, system->fills, system->fill_count * sizeof *system->fills);
    sl_free(memory, system->emitters, system->emitter_count * sizeof *system->emitters);
    sl_free(memory, system->drains, system->drain_count * sizeof *system->drains);
    sl_free(memory, system->attributes, system->attribute_count * sizeof *system->attributes);
}

void sl_scene_destroy(SlScene *scene)
{
    if (scene == NULL)
        return;
    SlMemory *memory = scene->memory;
    sl_free(memory, scene->text, scene->text_size);
    for (size_t k = 0; k < scene->system_count; k++)
        free_system(scene, &scene->systems[k]);
    sl_free(memory, scene->systems, scene->system_count * sizeof *scene->systems);
    for (size_t k = 0; k < scene->force_field_count; k++)
        sl_scene_free_values(scene, &scene->force_fields[k].parameters);
    sl_free(memory, scene->force_fields, scene->force_field_count * sizeof *scene->force_fields);
    sl_free(memory, scene->blocks, scene->block_capacity * sizeof *scene->blocks);
    for (size_t k = 0; k < scene->collider_count; k++)
        sl_scene_free_collider(scene, &scene->colliders[k]);
    sl_free(memory, scene->colliders, scene->collider_count * sizeof *scene->colliders);
    sl_scene_free_cameras(scene);
    sl_scene_free_filters(scene);
    sl_free(memory, scene->render_values,
            scene->render_value_count * sizeof *scene->render_values);
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

const SlParamValue *sl_scene_render_values(const SlScene *scene, const char *renderer)
{
    const SlParamValue *values = scene->render_values;
    for (size_t t = 0; t < scene->render_table_count; t++) {
        if (strcmp(scene->render_tables[t]->name, renderer) == 0)
            return values;
        values += scene->render_tables[t]->row_count;
    }
    return NULL;
}

const char *sl_scene_render_style(const SlScene *scene)
{
    return scene->render_style;
}

const char *sl_scene_text(const SlScene *scene)
{
    return scene->text;
}

SlStatus sl_scene_write(SlContext *context, const SlScene *scene, const char *path, SlError *error)
{
    return sl_file_write(&context->file_layer, path, scene->text, strlen(scene->text), error);
}

bool sl_scene_has_emitters(const SlScene *scene)
{
    for (size_t k = 0; k < scene->system_count; k++)
        if (scene->systems[k].emitter_count > 0)
            return true;
    return false;
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
    SlSceneTables tables = {.renderers = options->render_tables,
                            .renderer_count = options->render_table_count};
    tables.solvers = sl_solver_tables(&tables.solver_count);
    tables.force_fields = sl_force_field_tables(&tables.force_field_count);
    tables.filters = sl_filter_tables(&tables.filter_count);
    SlSceneSource source = {path, text, bytes, options->overrides, options->override_count};
    status = sl_scene_parse(&context->memory, &source, &tables, scene, error);
    sl_free(&context->memory, text, bytes + 1);
    if (status == SL_OK && options->cache_folder != NULL)
        snprintf((*scene)->cache_folder, sizeof (*scene)->cache_folder, "%s",
                 options->cache_folder);
    return status;
}
