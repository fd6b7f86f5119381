/* A checked scene to a world, through the calls any program makes. */
#include "core/error.h"
#include "scene/scene.h"
#include "sleet/particles.h"

/* The world's message with the place of the value that caused it. What the world refuses as an
   argument is the scene's mistake; other errors, such as a lack of memory, keep their status. */
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

static SlVec3 value_vec3(const SlParamValue *value)
{
    const double *n = value->number;
    return (SlVec3){(float)n[0], (float)n[1], (float)n[2]};
}

static SlStatus set_parameter(SlWorld *world, SlSystemId id, const SlSceneValue *given,
                              SlError *inner)
{
    const SlParamRow *row = given->row;
    char text[sizeof given->value.text];
    switch (row->type) {
    case SL_PARAM_VEC3:
        return sl_system_set_vec3(world, id, row->name, value_vec3(&given->value), inner);
    case SL_PARAM_TEXT:
        return sl_system_set_text(world, id, row->name, given->value.text, inner);
    case SL_PARAM_CHOICE:
        sl_param_print(row, &given->value, text, sizeof text);
        return sl_system_set_text(world, id, row->name, text, inner);
    default: return sl_system_set_number(world, id, row->name, given->value.number[0], inner);
    }
}

static SlStatus build_flows(const SlScene *scene, const SlSceneSystem *system, SlWorld *world,
                            SlSystemId id, SlError *error)
{
    SlStatus status = SL_OK;
    SlError inner;
    for (size_t k = 0; status == SL_OK && k < system->emitter_count; k++)
        status = with_place(scene, system->emitters[k].place,
                            sl_system_add_emitter(world, id, &system->emitters[k].def, NULL, &inner),
                            &inner, error);
    for (size_t k = 0; status == SL_OK && k < system->drain_count; k++)
        status = with_place(scene, system->drains[k].place,
                            sl_system_add_drain(world, id, &system->drains[k].shape, &inner),
                            &inner, error);
    return status;
}

static SlStatus build_fills(const SlScene *scene, const SlSceneSystem *system, SlWorld *world,
                            SlSystemId id, SlError *error)
{
    SlStatus status = SL_OK;
    SlError inner;
    for (size_t k = 0; status == SL_OK && k < system->fill_count; k++) {
        SlFillDef def = system->fills[k].def;
        def.cache_folder = scene->cache_folder[0] != '\0' ? scene->cache_folder : NULL;
        status = with_place(scene, system->fills[k].place,
                            sl_system_add_fill(world, id, &def, &inner), &inner, error);
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
    for (size_t k = 0; status == SL_OK && k < system->parameters.count; k++) {
        const SlSceneValue *value = &system->parameters.items[k];
        status = with_place(scene, value->place, set_parameter(world, id, value, &inner), &inner,
                            error);
    }
    if (status == SL_OK)
        status = sl_system_set_material(world, id, &system->material, error);
    for (size_t k = 0; status == SL_OK && k < system->fluid_count; k++)
        status = with_place(scene, system->fluids[k].place,
                            sl_system_add_fluid(world, id, &system->fluids[k].def, NULL, &inner),
                            &inner, error);
    for (size_t k = 0; status == SL_OK && k < system->attribute_count; k++) {
        const SlSceneAttribute *a = &system->attributes[k];
        status = with_place(scene, a->place,
                            sl_system_add_attribute(world, id, a->name, a->type, &a->initial,
                                                    &inner),
                            &inner, error);
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
    if (status == SL_OK)
        status = sl_collider_set_material(world, id, &collider->material, error);
    if (status == SL_OK && collider->motion.given)
        status = with_place(scene, collider->motion.place,
                            sl_collider_set_motion(world, id, &collider->motion.def, &inner),
                            &inner, error);
    return status;
}

static SlStatus set_field_value(SlWorld *world, SlForceFieldId id, const SlSceneValue *given,
                                SlError *inner)
{
    const SlParamRow *row = given->row;
    return row->type == SL_PARAM_VEC3
               ? sl_force_field_set_vec3(world, id, row->name, value_vec3(&given->value), inner)
               : sl_force_field_set_number(world, id, row->name, given->value.number[0], inner);
}

static SlStatus build_force_field(const SlScene *scene, const SlSceneForceField *field,
                                  SlWorld *world, SlError *error)
{
    SlError inner;
    SlForceFieldId id;
    SlForceFieldDef def = sl_default_force_field_def(field->kind->name);
    if (field->system[0] != '\0')
        def.system = sl_world_find_system(world, field->system);
    SlStatus status = with_place(scene, field->place,
                                 sl_world_add_force_field(world, &def, &id, &inner), &inner, error);
    for (size_t k = 0; status == SL_OK && k < field->parameters.count; k++) {
        const SlSceneValue *value = &field->parameters.items[k];
        status = with_place(scene, value->place, set_field_value(world, id, value, &inner), &inner,
                            error);
    }
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
    status = sl_world_set_domain_material(world, &scene->domain_material, error);
    for (size_t k = 0; status == SL_OK && k < scene->system_count; k++)
        status = build_system(scene, &scene->systems[k], world, error);
    for (size_t k = 0; status == SL_OK && k < scene->collider_count; k++)
        status = build_collider(scene, &scene->colliders[k], world, error);
    for (size_t k = 0; status == SL_OK && k < scene->force_field_count; k++)
        status = build_force_field(scene, &scene->force_fields[k], world, error);
    if (status == SL_OK)
        status = sl_scene_build_cameras(scene, world, error);
    if (status != SL_OK) {
        sl_world_destroy(world);
        return status;
    }
    *out = world;
    return SL_OK;
}
