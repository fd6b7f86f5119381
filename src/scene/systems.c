/* Systems and their blocks of particles. */
#include <stdio.h>
#include <string.h>

#include "core/error.h"
#include "geometry/box.h"
#include "scene/scene.h"

/* In a system, as many as a world holds. */
enum { MAX_BLOCKS = 256, MAX_FLOWS = 32, MAX_FILLS = 64, MAX_FLUIDS = 16, MAX_ATTRIBUTES = 16 };

enum {
    NAME, SOLVER, PARAMETERS, FLUIDS, BLOCKS, FILLS, EMITTERS, DRAINS, ATTRIBUTES, MATERIAL,
    SYSTEM_KEYS
};
static const SlKeyRow system_rows[SYSTEM_KEYS] = {
    [NAME] = SL_KEY_TEXT_ROW("name", "", false),
    [SOLVER] = SL_KEY_TEXT_ROW("solver", "", true),
    [PARAMETERS] = SL_KEY_OBJECT_ROW("parameters", false),
    [FLUIDS] = SL_KEY_ARRAY_ROW("fluids", 0, MAX_FLUIDS, false),
    [BLOCKS] = SL_KEY_ARRAY_ROW("blocks", 0, MAX_BLOCKS, false),
    [FILLS] = SL_KEY_ARRAY_ROW("fills", 0, MAX_FILLS, false),
    [EMITTERS] = SL_KEY_ARRAY_ROW("emitters", 0, MAX_FLOWS, false),
    [DRAINS] = SL_KEY_ARRAY_ROW("drains", 0, MAX_FLOWS, false),
    [ATTRIBUTES] = SL_KEY_ARRAY_ROW("attributes", 0, MAX_ATTRIBUTES, false),
    [MATERIAL] = SL_KEY_OBJECT_ROW("material", false),
};

enum { BLOCK_MIN, BLOCK_MAX, BLOCK_VELOCITY, BLOCK_FLUID, BLOCK_KEYS };
static const SlKeyRow block_rows[BLOCK_KEYS] = {
    [BLOCK_MIN] = SL_KEY_VEC3_ROW("min", 0, 0, 0, SL_SCENE_FAR, "m", true),
    [BLOCK_MAX] = SL_KEY_VEC3_ROW("max", 0, 0, 0, SL_SCENE_FAR, "m", true),
    [BLOCK_VELOCITY] = SL_KEY_VEC3_ROW("velocity", 0, 0, 0, 1e4, "m/s", false),
    [BLOCK_FLUID] = SL_KEY_TEXT_ROW("fluid", "", false),
};

/* --- Blocks --- */

static SlStatus check_inside_domain(const SlScene *scene, const SlJsonNode *node, const SlBox *box,
                                    double spacing, SlError *error)
{
    SlBox d = scene->domain;
    bool inside = sl_box_contains(&d, box, spacing);
    if (inside)
        return SL_OK;
    return sl_json_error(&scene->json, node->place, error,
                         "the block reaches out of the domain, which is from (%g, %g, %g) to "
                         "(%g, %g, %g) m",
                         d.min.x, d.min.y, d.min.z, d.max.x, d.max.y, d.max.z);
}

/* A ten-thousandth of a spacing is forgiven: decimals do not meet exactly. */
static SlStatus check_size(const SlScene *scene, const SlJsonNode *node, const SlBox *box,
                           double spacing, SlError *error)
{
    const double size[3] = {(double)box->max.x - box->min.x, (double)box->max.y - box->min.y,
                            (double)box->max.z - box->min.z};
    for (int k = 0; k < 3; k++)
        if (size[k] < 0.9999 * spacing)
            return sl_json_error(&scene->json, node->place, error,
                                 "the block is %g m long in %c, less than one spacing of %g m",
                                 size[k], "xyz"[k], spacing);
    return SL_OK;
}

/* Two particles at one point cannot be pushed apart, so blocks may touch and no more. */
static SlStatus check_overlap(const SlScene *scene, const SlSceneBlock *block, double spacing,
                              SlError *error)
{
    for (size_t k = 0; k < scene->block_count; k++) {
        char place[256];
        const SlBlock *other = &scene->blocks[k].def;
        SlBox a = {other->min, other->max}, b = {block->def.min, block->def.max};
        if (!sl_boxes_overlap(&a, &b, spacing))
            continue;
        sl_json_place_print(&scene->json, scene->blocks[k].place, place, sizeof place);
        return sl_json_error(&scene->json, block->place, error,
                             "this block overlaps the block at %s; blocks may only touch", place);
    }
    return SL_OK;
}

static SlStatus add_block(SlScene *scene, const SlSceneBlock *block, SlError *error)
{
    if (scene->block_count == scene->block_capacity) {
        size_t size = sizeof *block, capacity = 2 * scene->block_capacity + 16;
        SlSceneBlock *grown = sl_regrow(scene->memory, scene->blocks, scene->block_capacity * size,
                                        capacity * size, scene->block_count * size);
        if (grown == NULL)
            return sl_error_set(error, SL_ERROR_MEMORY, "no memory for %zu blocks", capacity);
        scene->blocks = grown;
        scene->block_capacity = capacity;
    }
    scene->blocks[scene->block_count++] = *block;
    return SL_OK;
}

static SlStatus read_block(SlScene *scene, const SlSceneSystem *system, const SlJsonNode *node,
                           SlError *error)
{
    SlKeyValue values[BLOCK_KEYS];
    SlBox box;
    uint32_t fluid = 0;
    double spacing = system->spacing;
    SlStatus status = sl_keys_read(&scene->json, node, "a block", block_rows, BLOCK_KEYS, values,
                                   error);
    if (status == SL_OK)
        status = sl_scene_read_box(scene, node, &values[BLOCK_MIN], &values[BLOCK_MAX], &box,
                                   error);
    if (status == SL_OK)
        status = check_inside_domain(scene, node, &box, spacing, error);
    if (status == SL_OK)
        status = check_size(scene, node, &box, spacing, error);
    if (status == SL_OK)
        status = sl_scene_find_fluid(scene, system, values[BLOCK_FLUID].node, &fluid, error);
    if (status != SL_OK)
        return status;
    SlSceneBlock block = {.def = {box.min, box.max, sl_keys_vec3(&values[BLOCK_VELOCITY]), fluid},
                          .place = node->place};
    status = check_overlap(scene, &block, spacing, error);
    return status == SL_OK ? add_block(scene, &block, error) : status;
}

/* --- Systems --- */

static SlStatus find_solver(const SlScene *scene, const SlKeyValue *solver,
                            const SlSceneTables *tables, const SlTable **table, SlError *error)
{
    enum { MAX = 32 };
    const char *names[MAX], *name = solver->value.text;
    SL_ASSERT(tables->solver_count <= MAX);
    for (size_t k = 0; k < tables->solver_count; k++) {
        names[k] = tables->solvers[k]->name;
        *table = tables->solvers[k];
        if (strcmp(names[k], name) == 0)
            return SL_OK;
    }
    return sl_keys_unknown_name(&scene->json, solver->node, "solver", names, tables->solver_count,
                                error);
}

/* All parameters are read here, so that errors come in the order of the file and before any world
   exists. */
static SlStatus read_parameters(SlScene *scene, const SlJsonNode *object, SlSceneSystem *system,
                                SlError *error)
{
    const SlParamRow *spacing = sl_table_find(system->solver, "spacing");
    SlSceneValues *values = &system->parameters;
    SlStatus status = sl_scene_read_values(scene, object, system->solver, values, error);
    system->spacing = spacing != NULL ? spacing->value.number[0] : 0;
    for (size_t k = 0; status == SL_OK && k < values->count; k++)
        if (values->items[k].row == spacing)
            system->spacing = values->items[k].value.number[0];
    return status;
}

static SlStatus read_blocks(SlScene *scene, const SlJsonNode *array, SlSceneSystem *system,
                            SlError *error)
{
    const SlJson *json = &scene->json;
    system->first_block = scene->block_count;
    const SlJsonNode *node = array != NULL ? sl_json_first(json, array) : NULL;
    for (; node != NULL; node = sl_json_next(json, node)) {
        SlStatus status = read_block(scene, system, node, error);
        if (status != SL_OK)
            return status;
    }
    system->block_count = scene->block_count - system->first_block;
    return SL_OK;
}

static SlStatus read_system(SlScene *scene, const SlJsonNode *node, const SlSceneTables *tables,
                            SlSceneSystem *system, SlError *error)
{
    SlKeyValue values[SYSTEM_KEYS];
    SlStatus status = sl_keys_read(&scene->json, node, "a system", system_rows, SYSTEM_KEYS,
                                   values, error);
    if (status == SL_OK)
        status = find_solver(scene, &values[SOLVER], tables, &system->solver, error);
    if (status != SL_OK)
        return status;
    const char *name = values[NAME].value.text;
    snprintf(system->name, sizeof system->name, "%.*s", SL_SCENE_NAME,
             name[0] != '\0' ? name : system->solver->name);
    system->place = node->place;
    system->material = sl_default_material(sl_solver_material(system->solver->name));
    if (values[MATERIAL].node != NULL)
        status = sl_scene_read_material(scene, values[MATERIAL].node, system->material.kind,
                                        &system->material, error);
    if (status == SL_OK)
        status = read_parameters(scene, values[PARAMETERS].node, system, error);
    if (status == SL_OK)
        status = sl_scene_read_fluids(scene, system, values[FLUIDS].node, error);
    if (status == SL_OK)
        status = sl_scene_read_attributes(scene, system, values[ATTRIBUTES].node, error);
    if (status == SL_OK)
        status = sl_scene_read_emitters(scene, system, values[EMITTERS].node, error);
    if (status == SL_OK)
        status = sl_scene_read_drains(scene, system, values[DRAINS].node, error);
    if (status == SL_OK)
        status = sl_scene_read_fills(scene, system, values[FILLS].node, error);
    return status == SL_OK ? read_blocks(scene, values[BLOCKS].node, system, error) : status;
}

SlStatus sl_scene_read_systems(SlScene *scene, const SlJsonNode *array,
                               const SlSceneTables *tables, SlError *error)
{
    scene->systems = sl_scene_alloc(scene, array->count, sizeof *scene->systems, error);
    if (scene->systems == NULL)
        return SL_ERROR_MEMORY;
    scene->system_count = array->count;
    const SlJsonNode *node = sl_json_first(&scene->json, array);
    for (size_t k = 0; k < array->count; k++, node = sl_json_next(&scene->json, node)) {
        SlStatus status = sl_scene_check_name(scene, array, node, "a system", error);
        if (status == SL_OK)
            status = read_system(scene, node, tables, &scene->systems[k], error);
        if (status != SL_OK)
            return status;
    }
    bool flows = false;
    for (size_t k = 0; k < array->count; k++)
        flows = flows || scene->systems[k].emitter_count > 0 || scene->systems[k].fill_count > 0;
    if (scene->block_count == 0 && !flows)
        return sl_json_error(&scene->json, array->place, error,
                             "the scene has no particles; a system needs \"blocks\", "
                             "\"fills\" or \"emitters\"");
    return SL_OK;
}

/* --- Fluids of a system, and the keys that name one. --- */

enum { FLUID_NAME, DENSITY, VISCOSITY, FLUID_KEYS };
static const SlKeyRow fluid_rows[FLUID_KEYS] = {
    [FLUID_NAME] = SL_KEY_TEXT_ROW("name", "", true),
    [DENSITY] = SL_KEY_NUMBER_ROW("density", 1000, 1e-3, 1e5, "kg/m^3"),
    [VISCOSITY] = SL_KEY_NUMBER_ROW("kinematic_viscosity", 0, 0, 1e4, "m^2/s"),
};

static SlStatus read_fluid(const SlScene *scene, const SlJsonNode *node, SlSceneFluid *fluid,
                           SlError *error)
{
    SlKeyValue values[FLUID_KEYS];
    SlStatus status =
        sl_keys_read(&scene->json, node, "a fluid", fluid_rows, FLUID_KEYS, values, error);
    if (status != SL_OK)
        return status;
    fluid->def = sl_default_fluid_def();
    fluid->def.name = sl_json_text(&scene->json, values[FLUID_NAME].node);
    fluid->def.density = values[DENSITY].value.number[0];
    fluid->def.kinematic_viscosity = values[VISCOSITY].value.number[0];
    fluid->place = node->place;
    return SL_OK;
}

SlStatus sl_scene_read_fluids(SlScene *scene, SlSceneSystem *system, const SlJsonNode *array,
                              SlError *error)
{
    const SlJson *json = &scene->json;
    if (array == NULL || array->count == 0)
        return SL_OK;
    if (sl_table_find(system->solver, "kinematic_viscosity") == NULL)
        return sl_json_error(json, array->place, error, "the solver \"%s\" has one fluid only",
                             system->solver->name);
    system->fluids = sl_scene_alloc(scene, array->count, sizeof *system->fluids, error);
    if (system->fluids == NULL)
        return SL_ERROR_MEMORY;
    system->fluid_count = array->count;
    const SlJsonNode *node = sl_json_first(json, array);
    for (size_t k = 0; k < array->count; k++, node = sl_json_next(json, node)) {
        SlStatus status = sl_scene_check_name(scene, array, node, "a fluid", error);
        if (status == SL_OK)
            status = read_fluid(scene, node, &system->fluids[k], error);
        if (status != SL_OK)
            return status;
    }
    return SL_OK;
}

SlStatus sl_scene_find_fluid(const SlScene *scene, const SlSceneSystem *system,
                             const SlJsonNode *name, uint32_t *fluid, SlError *error)
{
    const SlJson *json = &scene->json;
    const char *names[MAX_FLUIDS];
    *fluid = 0;
    if (name == NULL)
        return SL_OK;
    for (size_t k = 0; k < system->fluid_count; k++) {
        names[k] = system->fluids[k].def.name;
        if (strcmp(names[k], sl_json_text(json, name)) == 0) {
            *fluid = (uint32_t)k + 1;
            return SL_OK;
        }
    }
    if (system->fluid_count == 0)
        return sl_json_error(json, name->place, error,
                             "the system has no \"fluids\" of which this could be one");
    return sl_keys_unknown_name(json, name, "fluid", names, system->fluid_count, error);
}

/* --- Attributes of particles: the type decides what the initial value is, so it is read first. --- */

enum { ATTRIBUTE_NAME, ATTRIBUTE_TYPE, ATTRIBUTE_INITIAL, ATTRIBUTE_KEYS };
static const SlKeyRow attribute_rows[ATTRIBUTE_KEYS] = {
    [ATTRIBUTE_NAME] = SL_KEY_TEXT_ROW("name", "", true),
    [ATTRIBUTE_TYPE] = {.row = {.name = "type", .type = SL_PARAM_CHOICE, .value = {.number = {1}},
                                .maximum = 2, .unit = "", .choices = "u32|f32|f32x3"}},
    [ATTRIBUTE_INITIAL] = SL_KEY_NUMBER_ROW("initial", 0, -1e30, 1e30, ""),
};

static SlStatus read_attribute(const SlScene *scene, const SlJsonNode *node,
                               SlSceneAttribute *attribute, SlError *error)
{
    static const SlFieldType types[] = {SL_FIELD_U32, SL_FIELD_F32, SL_FIELD_F32X3};
    const SlJson *json = &scene->json;
    SlKeyRow rows[ATTRIBUTE_KEYS];
    SlKeyValue values[ATTRIBUTE_KEYS];
    SlParamValue choice = attribute_rows[ATTRIBUTE_TYPE].row.value;
    SlParamRow *initial = &rows[ATTRIBUTE_INITIAL].row;
    memcpy(rows, attribute_rows, sizeof rows);
    const SlJsonNode *type =
        node->type == SL_JSON_OBJECT ? sl_json_member(json, node, "type") : NULL;
    SlStatus status = SL_OK;
    if (type != NULL)
        status = sl_keys_read_leaf(json, type, &rows[ATTRIBUTE_TYPE].row, &choice, error);
    if (status != SL_OK)
        return status;
    attribute->type = types[(int)choice.number[0]];
    if (attribute->type == SL_FIELD_F32X3)
        initial->type = SL_PARAM_VEC3;
    if (attribute->type == SL_FIELD_U32) {
        initial->type = SL_PARAM_INTEGER;
        initial->minimum = 0;
        initial->maximum = UINT32_MAX;
    }
    status = sl_keys_read(json, node, "an attribute", rows, ATTRIBUTE_KEYS, values, error);
    if (status != SL_OK)
        return status;
    attribute->name = sl_json_text(json, values[ATTRIBUTE_NAME].node);
    attribute->place = node->place;
    const double *number = values[ATTRIBUTE_INITIAL].value.number;
    if (attribute->type == SL_FIELD_U32)
        attribute->initial.integer = (uint32_t)number[0];
    else
        for (int k = 0; k < 3; k++)
            attribute->initial.number[k] = (float)number[k];
    return SL_OK;
}

SlStatus sl_scene_read_attributes(SlScene *scene, SlSceneSystem *system, const SlJsonNode *array,
                                  SlError *error)
{
    if (array == NULL || array->count == 0)
        return SL_OK;
    system->attributes = sl_scene_alloc(scene, array->count, sizeof *system->attributes, error);
    if (system->attributes == NULL)
        return SL_ERROR_MEMORY;
    system->attribute_count = array->count;
    SlStatus status = SL_OK;
    const SlJsonNode *node = sl_json_first(&scene->json, array);
    for (size_t k = 0; status == SL_OK && k < array->count;
         k++, node = sl_json_next(&scene->json, node))
        status = read_attribute(scene, node, &system->attributes[k], error);
    return status;
}
