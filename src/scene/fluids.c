/* Fluids of a system, and the keys that name one. */
#include <string.h>

#include "core/error.h"
#include "scene/scene.h"

enum { NAME, DENSITY, VISCOSITY, FLUID_KEYS };
static const SlKeyRow fluid_rows[FLUID_KEYS] = {
    [NAME] = SL_KEY_TEXT_ROW("name", "", true),
    [DENSITY] = SL_KEY_NUMBER_ROW("density", 1000, 1e-3, 1e5, "kg/m^3"),
    [VISCOSITY] = SL_KEY_NUMBER_ROW("kinematic_viscosity", 0, 0, 1e4, "m^2/s"),
};

SlStatus sl_scene_read_fluid(const SlScene *scene, const SlJsonNode *node, SlFluidDef *def,
                             SlError *error)
{
    SlKeyValue values[FLUID_KEYS];
    SlStatus status =
        sl_keys_read(&scene->json, node, "a fluid", fluid_rows, FLUID_KEYS, values, error);
    if (status != SL_OK)
        return status;
    *def = (SlFluidDef){sl_json_text(&scene->json, values[NAME].node),
                        values[DENSITY].value.number[0], values[VISCOSITY].value.number[0]};
    return SL_OK;
}

SlStatus sl_scene_check_fluids(SlScene *scene, const SlSceneSystem *system, SlError *error)
{
    const SlJson *json = &scene->json;
    if (system->fluids == NULL)
        return SL_OK;
    if (sl_table_find(system->solver, "kinematic_viscosity") == NULL && system->fluids->count > 0)
        return sl_json_error(json, system->fluids->place, error,
                             "the solver \"%s\" knows no fluids of their own", system->solver->name);
    const SlJsonNode *node = sl_json_first(json, system->fluids);
    for (; node != NULL; node = sl_json_next(json, node)) {
        SlFluidDef def;
        SlStatus status = sl_scene_check_name(scene, system->fluids, node, "a fluid", error);
        if (status == SL_OK)
            status = sl_scene_read_fluid(scene, node, &def, error);
        if (status != SL_OK)
            return status;
    }
    return SL_OK;
}

SlStatus sl_scene_find_fluid(const SlScene *scene, const SlSceneSystem *system,
                             const SlJsonNode *name, uint32_t *fluid, SlError *error)
{
    enum { MOST = 16 };
    const SlJson *json = &scene->json;
    const char *names[MOST];
    size_t count = 0;
    *fluid = 0;
    if (name == NULL)
        return SL_OK;
    const SlJsonNode *node = system->fluids != NULL ? sl_json_first(json, system->fluids) : NULL;
    for (; node != NULL && count < MOST; node = sl_json_next(json, node)) {
        SlFluidDef def;
        SlStatus status = sl_scene_read_fluid(scene, node, &def, error);
        if (status != SL_OK)
            return status;
        names[count++] = def.name;
        if (strcmp(def.name, sl_json_text(json, name)) == 0) {
            *fluid = (uint32_t)count;
            return SL_OK;
        }
    }
    if (count == 0)
        return sl_json_error(json, name->place, error,
                             "the system has no \"fluids\" of which this could be one");
    return sl_keys_unknown_name(json, name, "fluid", names, count, error);
}
