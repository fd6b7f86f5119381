/* Materials: "material": {"kind": "glass", "roughness": 0.1, …} of systems, colliders and the domain.
   What is not given is the default of the kind. */
#include "core/error.h"
#include "frame/material.h"
#include "scene/scene.h"

enum { KIND, COLOR, ROUGHNESS, INDEX_OF_REFRACTION, ABSORPTION, MATERIAL_KEYS };
static const SlKeyRow rows[MATERIAL_KEYS] = {
    [KIND] = SL_KEY_TEXT_ROW("kind", "", false),
    [COLOR] = {.row = {.name = "color", .type = SL_PARAM_VEC3, .maximum = 1, .unit = "linear RGB"}},
    [ROUGHNESS] = SL_KEY_NUMBER_ROW("roughness", 0, 0, 1, ""),
    [INDEX_OF_REFRACTION] = SL_KEY_NUMBER_ROW("index_of_refraction", 1.5, 1, 4, ""),
    [ABSORPTION] = {.row = {.name = "absorption", .type = SL_PARAM_VEC3, .maximum = 1e6,
                            .unit = "1/m"}},
};

static SlStatus read_kind(const SlJson *json, const SlJsonNode *node, SlMaterialKind *kind,
                          SlError *error)
{
    SlMaterialKind named = sl_material_kind_find(sl_json_text(json, node));
    if (named != SL_MATERIAL_KIND_COUNT) {
        *kind = named;
        return SL_OK;
    }
    const char *names[SL_MATERIAL_KIND_COUNT];
    for (int k = 0; k < SL_MATERIAL_KIND_COUNT; k++)
        names[k] = sl_material_kind_name((SlMaterialKind)k);
    return sl_keys_unknown_name(json, node, "material", names, SL_MATERIAL_KIND_COUNT, error);
}

SlStatus sl_scene_read_material(const SlScene *scene, const SlJsonNode *node, SlMaterialKind kind,
                                SlMaterial *material, SlError *error)
{
    SlKeyValue values[MATERIAL_KEYS];
    const SlJson *json = &scene->json;
    SlStatus status =
        sl_keys_read(json, node, "a material", rows, MATERIAL_KEYS, values, error);
    if (status == SL_OK && values[KIND].node != NULL)
        status = read_kind(json, values[KIND].node, &kind, error);
    if (status != SL_OK)
        return status;
    *material = sl_default_material(kind);
    if (values[COLOR].node != NULL)
        material->color = sl_keys_vec3(&values[COLOR]);
    if (values[ROUGHNESS].node != NULL)
        material->roughness = (float)values[ROUGHNESS].value.number[0];
    if (values[INDEX_OF_REFRACTION].node != NULL)
        material->index_of_refraction = (float)values[INDEX_OF_REFRACTION].value.number[0];
    for (int k = 0; k < 3 && values[ABSORPTION].node != NULL; k++)
        material->absorption[k] = (float)values[ABSORPTION].value.number[k];
    return SL_OK;
}

SlStatus sl_scene_read_collider_material(const SlScene *scene, const SlJsonNode *node,
                                         SlSceneCollider *collider, SlError *error)
{
    collider->material = sl_default_material(SL_MATERIAL_SOLID);
    return node == NULL ? SL_OK
                        : sl_scene_read_material(scene, node, SL_MATERIAL_SOLID,
                                                 &collider->material, error);
}
