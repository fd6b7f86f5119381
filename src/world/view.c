/* The frame view of a world: what its systems, colliders, cameras and materials are at this time. */
#include <math.h>
#include <string.h>

#include "frame/material.h"
#include "world/world.h"

/* --- Systems --- */

static SlFieldView field_view(const SlParticles *particles, int id)
{
    const SlFieldRow *row = sl_field_row(particles, id);
    return (SlFieldView){row->name, row->unit, row->meaning, sl_storage_type(row->storage),
                         particles->data[id], particles->count, sl_storage_bytes(row->storage)};
}

/* Fields that are computed for the view only. */
static void derive_fields(SlSystem *system)
{
    float *mass = system->particles.data[SL_F_MASS];
    for (size_t i = 0; mass != NULL && i < system->particles.count; i++)
        mass[i] = system->solver->mass(system, i);
}

static void view_system(SlWorldSystem *system, SlFieldView *fields, SlSystemView *view)
{
    SlSystem *base = &system->base;
    float spacing = base->solver->spacing(base);
    size_t count = 0;
    derive_fields(base);
    for (int id = 0; id < sl_field_count(&base->particles); id++)
        if (base->particles.data[id] != NULL &&
            (sl_field_row(&base->particles, id)->flags & (SL_FIELD_EXPORT | SL_FIELD_DERIVED)) != 0)
            fields[count++] = field_view(&base->particles, id);
    bool mass_varies = base->particles.data[SL_F_MASS] != NULL;
    bool volume_varies = base->particles.data[SL_F_VOLUME] != NULL;
    *view = (SlSystemView){.name = base->name,
                           .solver = base->solver->table.name,
                           .particle_count = base->particles.count,
                           .spacing = spacing,
                           .mass = mass_varies ? 0 : base->solver->mass(base, 0),
                           .volume = volume_varies ? 0 : spacing * spacing * spacing,
                           .material = sl_material_resolve(&system->material, system->depth),
                           .fields = fields,
                           .field_count = count};
}

/* --- Colliders --- */

/* The triangles with their hash, computed once. */
static SlMeshView view_mesh(SlMesh *mesh)
{
    SlMeshView view = {.positions = mesh->positions,
                       .vertex_count = mesh->vertex_count,
                       .triangles = mesh->triangles,
                       .triangle_count = mesh->triangle_count};
    if (mesh->hash[0] == 0 && mesh->hash[1] == 0)
        sl_mesh_hash(&view, mesh->hash);
    memcpy(view.hash, mesh->hash, sizeof view.hash);
    return view;
}

/* Where colliders stand: at the world's time, or where the last sub-step of an open interval left
   them. */
static double bodies_time(const SlWorld *world)
{
    const SlInterval *interval = &world->interval;
    return interval->open != 0 ? interval->began + interval->length : world->time;
}

/* A collider made of triangles, whose vertices are those of the body at rest. */
static void view_field(SlWorld *world, uint32_t slot, SlColliderView *view)
{
    SlCollider *collider = world->colliders.items[slot];
    double time = bodies_time(world);
    SlDisplacement at;
    sl_colliders_displacement(&world->colliders, slot, sl_world_interpolation(world), time, &at);
    view->pose = (SlPose){sl_displacement_point(&at, sl_vec3(0, 0, 0)), sl_quat_write(at.rotation)};
    if (collider->deform == NULL) {
        view->mesh = view_mesh(&collider->mesh);
        return;
    }
    SlMesh *form = sl_deform_mesh_at(collider->deform, time);
    SlMesh *base = form == &collider->deform->drawn ? &collider->deform->keys[0].mesh : form;
    view->mesh = view_mesh(base);
    view->vertices = form != base ? form->positions : NULL;
}

static size_t view_colliders(SlWorld *world, SlColliderView *views)
{
    size_t count = 0;
    for (uint32_t k = 0; k + 1 < world->colliders.bodies.count; k++) {
        const SlBody *body = &world->colliders.bodies.body[k + 1];
        SlCollider *collider = world->colliders.items[k];
        if (body->kind == SL_BODY_NONE)
            continue;
        SlColliderView *view = &views[count++];
        *view = (SlColliderView){.name = body->name,
                                 .kind = SL_COLLIDER_MESH,
                                 .pose = {.rotation = {0, 0, 0, 1}},
                                 .material = sl_material_resolve(&collider->material, world->depth)};
        if (body->kind == SL_BODY_FIELD) {
            view_field(world, k, view);
        } else if (body->type->as_mesh) {
            view->mesh = view_mesh(&collider->mesh);
            view->pose = sl_colliders_pose(&world->colliders, k);
        } else {
            view->kind = SL_COLLIDER_SHAPE;
            view->shape = body->shape;
        }
    }
    return count;
}

const SlFrameView *sl_world_view(SlWorld *world)
{
    if (world == NULL)
        return NULL;
    for (uint32_t s = 0; s < world->system_count; s++)
        view_system(world->systems[s], world->field_views[s], &world->system_views[s]);
    sl_world_move_cameras(world);
    world->view =
        (SlFrameView){.frame = world->frame,
                      .time = world->time,
                      .frame_time = world->def.frame_time,
                      .domain = world->def.domain,
                      .gravity = world->def.gravity,
                      .domain_material = sl_material_resolve(&world->domain_material, world->depth),
                      .systems = world->system_views,
                      .system_count = world->system_count,
                      .colliders = world->collider_views,
                      .collider_count = view_colliders(world, world->collider_views),
                      .cameras = world->view_cameras,
                      .camera_count = world->view_camera_count};
    return &world->view;
}

SlFieldView sl_system_field(SlWorld *world, SlSystemId id, const char *name)
{
    const SlWorldSystem *system = sl_world_resolve_system(world, id, NULL);
    return system == NULL ? (SlFieldView){.name = name, .unit = "", .meaning = ""}
                          : sl_view_field(&sl_world_view(world)->systems[system->base.index], name);
}

/* --- Materials --- */

/* What depth means where there are no particles to measure. */
static double domain_height(const SlWorld *world)
{
    double height = (double)world->def.domain.max.y - (double)world->def.domain.min.y;
    return isfinite(height) && height > 0 ? height : 1;
}

void sl_world_init_materials(SlWorld *world)
{
    world->depth = domain_height(world);
    world->domain_material = sl_default_material(SL_MATERIAL_GROUND);
}

void sl_world_measure_depth(const SlWorld *world, SlWorldSystem *system)
{
    const SlSystem *base = &system->base;
    const float *position = sl_f32x4(&base->particles, SL_F_POSITION);
    float low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < base->particles.count; i++) {
        low = fminf(low, position[4 * i + 1]);
        high = fmaxf(high, position[4 * i + 1]);
    }
    system->depth = high >= low
                        ? (double)high - (double)low + (double)base->solver->spacing(base)
                        : domain_height(world);
}

static SlStatus check(const SlMaterial *material, const char *what, SlError *error)
{
    const char *wrong = sl_material_check(material);
    return wrong == NULL ? SL_OK
                         : sl_error_set(error, SL_ERROR_ARGUMENT, "material of %s: %s", what, wrong);
}

SlMaterialKind sl_solver_material(const char *name)
{
    const SlSolver *solver = sl_solver_find(name);
    return solver != NULL ? solver->material : SL_MATERIAL_WATER;
}

static SlStatus set_system_material(SlWorld *world, SlSystemId id, const SlMaterial *material,
                                    SlError *error)
{
    SlWorldSystem *system = sl_world_resolve_system(world, id, error);
    if (system == NULL)
        return SL_ERROR_ARGUMENT;
    SlStatus status = check(material, system->base.name, error);
    if (status == SL_OK)
        system->material = *material;
    return status;
}

SlStatus sl_system_set_material(SlWorld *world, SlSystemId id, const SlMaterial *material,
                                SlError *error)
{
    SL_SETUP_CALL(world, error, set_system_material(world, id, material, &found));
}

SlMaterial sl_system_material(const SlWorld *world, SlSystemId id)
{
    const SlWorldSystem *system = sl_world_resolve_system(world, id, NULL);
    return system != NULL ? system->material : sl_default_material(SL_MATERIAL_SOLID);
}

static SlStatus set_collider_material(SlWorld *world, SlColliderId id, const SlMaterial *material,
                                      SlError *error)
{
    uint32_t slot;
    SlStatus status = sl_world_resolve_collider(world, id, &slot, error);
    if (status == SL_OK)
        status = check(material, "a collider", error);
    if (status == SL_OK)
        world->colliders.items[slot]->material = *material;
    return status;
}

SlStatus sl_collider_set_material(SlWorld *world, SlColliderId id, const SlMaterial *material,
                                  SlError *error)
{
    SL_SETUP_CALL(world, error, set_collider_material(world, id, material, &found));
}

static SlStatus set_domain_material(SlWorld *world, const SlMaterial *material, SlError *error)
{
    SlStatus status = check(material, "the domain", error);
    if (status == SL_OK)
        world->domain_material = *material;
    return status;
}

SlStatus sl_world_set_domain_material(SlWorld *world, const SlMaterial *material, SlError *error)
{
    SL_SETUP_CALL(world, error, set_domain_material(world, material, &found));
}
