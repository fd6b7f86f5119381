/* A checked scene to a world, through the calls any program makes. */
#include "core/error.h"
#include "scene/scene.h"

/* The world's sentence with the place of the value that caused it. What the world refuses as an
   argument is the scene's mistake; lack of memory and the like stay what they are. */
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

static SlStatus set_parameter(const SlScene *scene, SlWorld *world, SlSystemId id,
                              const SlJsonNode *node, SlError *inner)
{
    const char *name = sl_json_key(&scene->json, node);
    switch (node->type) {
    case SL_JSON_NUMBER:
    case SL_JSON_BOOL: return sl_system_set_number(world, id, name, node->number, inner);
    case SL_JSON_TEXT:
        return sl_system_set_text(world, id, name, sl_json_text(&scene->json, node), inner);
    default:
        return sl_error_set(inner, SL_ERROR_UNSUPPORTED,
                            "%s: a system has no parameters of several numbers yet", name);
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
                                sl_system_add_emitter(world, id, &def, &inner), &inner, error);
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
        sl_collider_set_name(world, id, sl_json_text(&scene->json, collider->name));
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
