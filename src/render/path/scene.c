/* From a frame view to what the path tracer sees: meshes and shapes of colliders, surfaces of liquids,
   whitewater and other particles as spheres, snow as volumes, the ground (scene.h). */
#include "render/path/scene_build.h"

#include <math.h>
#include <string.h>

#include "frame/view.h"
#include "geometry/shape.h"
#include "math/quat.h"

enum { PRIORITY_WATER = 1, PRIORITY_GLASS = 2 };
enum { FEW_PRIMITIVES = 256 };
#define VISIBLE 0.00052f /* of the picture's height: radius of grains that can be seen */

/* --- Materials. --- */

static uint16_t add_material(SlPathScene *scene, SlPathMaterial material)
{
    SL_ASSERT(scene->material_count < scene->material_room);
    if (material.kind == SL_BSDF_COATED)
        sl_coat_tables(&material);
    scene->has_clear = scene->has_clear || material.kind == SL_BSDF_CLEAR;
    scene->materials[scene->material_count] = material;
    return (uint16_t)scene->material_count++;
}

static uint16_t clear_material(const SlSceneBuilder *b, const SlMaterial *material, float tint)
{
    bool glass = material->kind == SL_MATERIAL_GLASS;
    const float *a = material->absorption;
    return add_material(b->scene,
                        (SlPathMaterial){.kind = SL_BSDF_CLEAR,
                                         .color = {1, 1, 1},
                                         .index = fmaxf(material->index_of_refraction, 1.0001f),
                                         .absorption = {a[0] * tint, a[1] * tint, a[2] * tint},
                                         .priority = glass ? PRIORITY_GLASS : PRIORITY_WATER});
}

/* Coated up to a roughness of 0.85, matt above it. */
static uint16_t opaque_material(const SlSceneBuilder *b, const SlMaterial *material, SlVec3 color)
{
    float r = material->roughness;
    bool coated = r < 0.85f && material->index_of_refraction > 1;
    return add_material(b->scene, (SlPathMaterial){.kind = coated ? SL_BSDF_COATED : SL_BSDF_DIFFUSE,
                                                   .color = color,
                                                   .alpha = fmaxf(r * r, 0.01f),
                                                   .index = fmaxf(material->index_of_refraction, 1.01f),
                                                   .caustics = true});
}

/* The same below a film of water [Lekner 1988]: light is reflected back onto it from below the film, by
   an inner reflectance of 0.47, so it is darker and of stronger colour; the film shines, but follows a rough
   surface in part: a mirror would look glazed. */
static SlPathMaterial wet_material(SlPathMaterial material)
{
    const float inner = 0.47f;
    SlVec3 c = material.color;
    float alpha = material.kind == SL_BSDF_COATED ? material.alpha : 1;
    material.kind = SL_BSDF_COATED;
    material.color = sl_vec3(c.x * (1 - inner) / (1 - inner * c.x), c.y * (1 - inner) / (1 - inner * c.y),
                             c.z * (1 - inner) / (1 - inner * c.z));
    material.alpha = fmaxf(0.015f, 0.25f * alpha);
    material.index = 1.33f;
    return material;
}

static uint16_t collider_material(const SlSceneBuilder *b, const SlColliderView *collider)
{
    SlMaterialKind kind = collider->material.kind;
    if (kind == SL_MATERIAL_GLASS || kind == SL_MATERIAL_WATER)
        return clear_material(b, &collider->material, 1);
    SlMaterial material = collider->material;
    if (material.index_of_refraction == 0) /* zeroed: none was set */
        material = sl_default_material(SL_MATERIAL_SOLID);
    uint16_t dry = opaque_material(
        b, &material,
        sl_stage_color(&collider->material, SL_MATERIAL_SOLID, b->input->stage->solid_color));
    if (kind == SL_MATERIAL_SNOW && b->scene->ground.tile > 0) { /* a hill of it goes on as the ground does */
        SlPathMaterial *snow = &b->scene->materials[dry];
        snow->pattern = SL_PATTERN_SNOW;
        if (b->scene->materials[b->scene->ground.material].pattern == SL_PATTERN_SNOW)
            snow->color = sl_stage_color(&collider->material, SL_MATERIAL_SNOW,
                                         b->scene->materials[b->scene->ground.material].color);
    }
    if (b->scene->wet.value != NULL) {
        uint16_t wet = add_material(b->scene, wet_material(b->scene->materials[dry]));
        b->scene->materials[dry].wet = wet;
    }
    return dry;
}

/* --- Colliders. --- */

static SlPiece *new_piece(SlSceneBuilder *b)
{
    SlPiece *piece = &b->pieces[b->piece_count++];
    *piece = (SlPiece){.axes = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    return piece;
}

/* The frame that tells how colliders move: the next one, or else the one before. */
static void choose_other(SlSceneBuilder *b)
{
    const SlRenderJob *job = b->input->job;
    if (job->next != NULL && job->next->time > job->view->time)
        b->other = job->next;
    else if (job->previous != NULL && job->previous->time < job->view->time)
        b->other = job->previous;
    if (b->other != NULL)
        b->step = b->other->time - job->view->time;
}

/* The same collider there; NULL: there is none. */
static const SlColliderView *other_of(const SlSceneBuilder *b, const SlColliderView *collider)
{
    size_t k = (size_t)(collider - b->input->job->view->colliders);
    if (b->other == NULL || k >= b->other->collider_count)
        return NULL;
    const SlColliderView *other = &b->other->colliders[k];
    return other->kind == collider->kind && strcmp(other->name, collider->name) == 0 ? other : NULL;
}

/* From where the body is in the other frame; q: its rotations. */
static void set_motion(const SlSceneBuilder *b, SlPiece *piece, SlVec3 origin, const double q[4],
                       const double other_q[4])
{
    double between[4], rotation[3];
    sl_quat_between(q, other_q, between);
    sl_quat_to_rotation(between, rotation);
    piece->velocity = sl_scale(sl_sub(origin, piece->origin), (float)(1 / b->step));
    piece->spin = sl_vec3((float)(rotation[0] / b->step), (float)(rotation[1] / b->step),
                          (float)(rotation[2] / b->step));
}

static void add_mesh(SlSceneBuilder *b, const SlColliderView *collider)
{
    const float *vertices = sl_view_vertices(collider);
    if (vertices == NULL || collider->mesh.triangle_count == 0)
        return;
    SlPiece *piece = new_piece(b);
    piece->positions = vertices;
    piece->vertex_count = collider->mesh.vertex_count;
    piece->triangles = collider->mesh.triangles;
    piece->triangle_count = collider->mesh.triangle_count;
    piece->origin = collider->pose.position;
    sl_view_axes(collider, piece->axes);
    piece->material = collider_material(b, collider);
    const SlColliderView *other = other_of(b, collider);
    double q[4], other_q[4];
    if (other == NULL || !sl_quat_read(collider->pose.rotation, q) || !sl_quat_read(other->pose.rotation, other_q))
        return;
    set_motion(b, piece, other->pose.position, q, other_q);
    bool deforms = collider->vertices != NULL || other->vertices != NULL;
    if (deforms && other->mesh.vertex_count == collider->mesh.vertex_count &&
        other->mesh.triangle_count == collider->mesh.triangle_count)
        piece->other = sl_view_vertices(other);
}

static SlVec3 shape_velocity(const SlSceneBuilder *b, const SlColliderView *collider)
{
    const SlColliderView *other = other_of(b, collider);
    if (other == NULL)
        return sl_vec3(0, 0, 0);
    return sl_scale(sl_sub(other->shape.center, collider->shape.center), (float)(1 / b->step));
}

/* By its axes; false: it has none. */
static bool shape_rotation(const SlShape *shape, double q[4])
{
    SlShape own = {.axis = sl_unit(shape->axis), .side = shape->side};
    SlVec3 axes[3];
    if (!(sl_length(shape->axis) > 0))
        return false;
    sl_shape_frame(&own, axes);
    sl_quat_from_axes(axes[0], axes[1], axes[2], q);
    return true;
}

static void set_shape_motion(const SlSceneBuilder *b, SlPiece *piece, const SlColliderView *collider)
{
    const SlColliderView *other = other_of(b, collider);
    double q[4], other_q[4];
    if (other != NULL && other->shape.kind == collider->shape.kind && shape_rotation(&collider->shape, q) &&
        shape_rotation(&other->shape, other_q))
        set_motion(b, piece, other->shape.center, q, other_q);
}

static void add_sphere(SlSceneBuilder *b, SlVec3 center, float radius, SlVec3 velocity, uint16_t material)
{
    size_t k = b->sphere_count++;
    float *s = b->spheres + 4 * k;
    float length = (float)b->motion_time;
    SL_ASSERT(k < b->sphere_room);
    SlVec3 start = sl_add(center, sl_scale(velocity, (float)b->open));
    s[0] = start.x;
    s[1] = start.y;
    s[2] = start.z;
    s[3] = radius;
    b->sphere_material[k] = material;
    b->sphere_motion[3 * k] = velocity.x * length;
    b->sphere_motion[3 * k + 1] = velocity.y * length;
    b->sphere_motion[3 * k + 2] = velocity.z * length;
}

static SlStatus add_shape(SlSceneBuilder *b, const SlColliderView *collider, SlError *error)
{
    SlShape shape = collider->shape;
    const char *reason;
    if (sl_stage_is_floor(b->input->job->view, &shape) || !sl_shape_prepare(&shape, &reason))
        return SL_OK; /* the floor is drawn as the ground */
    if (shape.kind == SL_SHAPE_SPHERE) {
        add_sphere(b, shape.center, shape.radius, shape_velocity(b, collider),
                   collider_material(b, collider));
        return SL_OK;
    }
    const SlShapeType *type = sl_shape_type(shape.kind);
    SlVec3 center = shape.center, axes[3];
    float radius = b->input->stage->diagonal;
    if (!type->endless)
        type->ball(&shape, &center, &radius);
    SlMesh *mesh = &b->meshes[b->mesh_count];
    SlStatus status = sl_shape_mesh(b->context, &shape, 0.035f * radius, b->input->stage->scene, mesh, error);
    if (status != SL_OK)
        return status;
    b->mesh_count++;
    sl_shape_frame(&shape, axes);
    SlPiece *piece = new_piece(b);
    piece->positions = mesh->positions;
    piece->vertex_count = mesh->vertex_count;
    piece->triangles = mesh->triangles;
    piece->triangle_count = mesh->triangle_count;
    piece->origin = shape.center;
    memcpy(piece->axes, axes, sizeof axes);
    set_shape_motion(b, piece, collider);
    piece->material = collider_material(b, collider);
    return SL_OK;
}

/* --- Particles. --- */

static bool usable(const SlFieldView *field, SlFieldType type, size_t count)
{
    return field->data != NULL && field->type == type && field->count >= count;
}

static SlVec3 vector_at(const SlFieldView *field, size_t i)
{
    SlVec3 v;
    memcpy(&v, (const char *)field->data + i * field->stride, sizeof v);
    return v;
}

static float number_at(const SlFieldView *field, size_t i, size_t count, float otherwise)
{
    if (usable(field, SL_FIELD_F32, count))
        memcpy(&otherwise, (const char *)field->data + i * field->stride, sizeof otherwise);
    return otherwise;
}

static bool is_whitewater(const SlSystemView *system)
{
    return strcmp(system->solver, "whitewater") == 0;
}

/* Whether its particles are drawn as spheres. */
static bool drawn_as_spheres(const SlSceneBuilder *b, const SlSystemView *system)
{
    SlFieldView position = sl_view_field(system, "position");
    const SlSurfaceView *surface = sl_view_surface(b->input->job->view, system->name);
    bool meshed = surface != NULL && !is_whitewater(system);
    return usable(&position, SL_FIELD_F32X3, system->particle_count) && !meshed &&
           system->material.kind != SL_MATERIAL_SNOW;
}

static void add_particles(SlSceneBuilder *b, const SlSystemView *system)
{
    size_t count = system->particle_count;
    SlFieldView position = sl_view_field(system, "position");
    SlFieldView velocity = sl_view_field(system, "velocity");
    SlFieldView radius = sl_view_field(system, "radius"), life = sl_view_field(system, "lifetime");
    SlFieldView id = sl_view_field(system, "id");
    float picture = 2 * tanf(0.5f * b->input->job->camera->fov * SL_PI / 180); /* its height 1 m away */
    bool moves = usable(&velocity, SL_FIELD_F32X3, count), white = is_whitewater(system);
    SlMaterial look = system->material;
    uint16_t material;
    if (white)
        material = add_material(b->scene, (SlPathMaterial){.kind = SL_BSDF_DIFFUSE,
                                                           .color = look.color,
                                                           .translucent = true});
    else
        material = opaque_material(b, &look, look.color);
    for (size_t i = 0; i < count; i++) {
        SlVec3 p = vector_at(&position, i), v = moves ? vector_at(&velocity, i) : sl_vec3(0, 0, 0);
        float r = 0.5f * system->spacing;
        if (white) { /* the last tenth of a second shrinks */
            float left = fminf(1, fmaxf(number_at(&life, i, count, 1), 0) * 10);
            r = b->input->foam * number_at(&radius, i, count, 0.1f * system->spacing) * left;
        }
        if (!(sl_finite(p) && sl_finite(v) && r > 0 && isfinite(r)))
            continue;
        uint32_t own = (uint32_t)i;
        if (usable(&id, SL_FIELD_U32, count))
            memcpy(&own, (const char *)id.data + i * id.stride, sizeof own);
        float seen = VISIBLE * picture * sl_length(sl_sub(p, b->input->job->camera->eye)) * b->input->foam;
        for (uint32_t part = 0; part < (white ? SL_GRAINS : 1); part++) {
            SlGrain grain = white ? sl_whitewater_grain(own, part, r, seen) : (SlGrain){{0, 0, 0}, r};
            add_sphere(b, sl_add(p, grain.offset), grain.radius, v, material);
        }
    }
}

static SlStatus add_volumes(SlSceneBuilder *b, SlError *error)
{
    const SlFrameView *view = b->input->job->view;
    SlStatus status = SL_OK;
    for (size_t k = 0; k < view->system_count && status == SL_OK; k++) {
        const SlSystemView *system = &view->systems[k];
        if (system->particle_count == 0 || b->scene->volume_count == SL_MAX_VOLUMES)
            continue;
        SlVolumeSlices *volume = &b->scene->volumes[b->scene->volume_count];
        if (is_whitewater(system) && b->input->mist > 0) {
            status = sl_mist_create(b->context, b->arena, system, b->input->stage->spacing,
                                    b->input->mist, &volume->slice[0], error);
            volume->count = status == SL_OK && volume->slice[0] != NULL;
            b->scene->volume_count += volume->count;
        }
        if (system->material.kind != SL_MATERIAL_SNOW)
            continue;
        SlVolumeSettings settings = *b->input->volume;
        settings.open = (float)b->open;
        settings.close = (float)b->close;
        settings.velocities = b->input->velocities;
        if (b->input->stage->ground.visible)
            settings.floor = b->input->stage->ground.height;
        status = sl_volume_slices_create(b->context, system, &settings, volume, error);
        b->scene->volume_count += status == SL_OK;
    }
    return status;
}

/* --- All of it. --- */

static SlStatus push_lists(SlSceneBuilder *b, SlError *error)
{
    const SlFrameView *view = b->input->job->view;
    SlPathScene *scene = b->scene;
    b->sphere_room = view->collider_count;
    for (size_t k = 0; k < view->system_count; k++)
        if (drawn_as_spheres(b, &view->systems[k]))
            b->sphere_room += view->systems[k].particle_count * (is_whitewater(&view->systems[k]) ? SL_GRAINS : 1);
    scene->material_room = 2 * view->collider_count + view->system_count + view->surface_count + SL_MAX_LAMPS + 2;
    scene->materials = SL_PUSH(b->arena, SlPathMaterial, scene->material_room);
    b->pieces = SL_PUSH(b->arena, SlPiece, view->collider_count + view->surface_count + SL_MAX_LAMPS + 1);
    b->meshes = SL_PUSH(b->arena, SlMesh, view->collider_count + 1);
    b->spheres = SL_PUSH(b->arena, float, 4 * b->sphere_room);
    b->sphere_motion = SL_PUSH(b->arena, float, 3 * b->sphere_room);
    b->sphere_material = SL_PUSH(b->arena, uint16_t, b->sphere_room);
    bool ready = scene->materials != NULL && b->pieces != NULL && b->meshes != NULL &&
                 b->spheres != NULL && b->sphere_motion != NULL && b->sphere_material != NULL;
    if (!ready)
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for %zu spheres", b->sphere_room);
    if (scene->material_room > SL_NO_MATERIAL)
        return sl_error_set(error, SL_ERROR_ARGUMENT, "%zu colliders, systems and surfaces; at most %d can be drawn",
                            scene->material_room, SL_NO_MATERIAL);
    return SL_OK;
}

static const float *with_small_drops(SlSceneBuilder *b, const SlSurfaceView *surface)
{
    float *out = SL_PUSH(b->arena, float, 3 * surface->vertex_count);
    bool ready = out != NULL;
    if (ready)
        memcpy(out, surface->positions, 3 * surface->vertex_count * sizeof *out);
    ready = ready && sl_shrink_drops(b->arena, out, surface->vertex_count, surface->triangles,
                                     surface->triangle_count, b->input->stage->spacing);
    return ready ? out : NULL;
}

static bool add_surfaces(SlSceneBuilder *b)
{
    const SlFrameView *view = b->input->job->view;
    for (size_t k = 0; k < view->surface_count; k++) {
        const SlSurfaceView *surface = &view->surfaces[k];
        if (surface->triangle_count == 0)
            continue;
        SlPiece *piece = new_piece(b);
        piece->positions = with_small_drops(b, surface);
        if (piece->positions == NULL)
            return false;
        piece->normals = surface->normals;
        piece->velocities = surface->velocities;
        piece->vertex_count = surface->vertex_count;
        piece->triangles = surface->triangles;
        piece->triangle_count = surface->triangle_count;
        piece->material = surface->material.kind == SL_MATERIAL_WATER ||
                                  surface->material.kind == SL_MATERIAL_GLASS
                              ? clear_material(b, &surface->material, b->input->tint)
                              : opaque_material(b, &surface->material, surface->material.color);
    }
    return true;
}

/* Whether a name is one of those between commas. */
static bool is_hidden(const char *names, const char *name)
{
    size_t length = strlen(name);
    while (names != NULL && names[0] != '\0') {
        size_t own = strcspn(names, ",");
        if (own == length && length > 0 && memcmp(names, name, length) == 0)
            return true;
        names += own + (names[own] == ',');
    }
    return false;
}

/* Glass around a closed domain with water that has no solids of its own as walls. */
static void add_tank(SlSceneBuilder *b, SlTank *tank)
{
    float spacing = b->input->stage->spacing;
    SlBox walls;
    if (!b->input->tank || b->hidden > 0 || !sl_stage_tank(b->input->job->view, spacing, &walls))
        return;
    sl_tank_make(&walls, spacing, tank);
    SlPiece *piece = new_piece(b);
    *piece = (SlPiece){.axes = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, .positions = tank->positions,
                     .vertex_count = tank->vertex_count, .triangles = tank->triangles,
                     .triangle_count = tank->triangle_count};
    piece->material = clear_material(b, &(SlMaterial){.kind = SL_MATERIAL_GLASS, .index_of_refraction = 1.5f}, 1);
    b->scene->materials[piece->material].pane = true;
}

/* Two triangles that shine. */
static uint16_t add_lamp(SlSceneBuilder *b, const SlLamp *lamp, float corners[12])
{
    static const uint32_t triangles[6] = {0, 1, 2, 0, 2, 3};
    SlVec3 p[4] = {lamp->corner, sl_add(lamp->corner, lamp->side[0]),
                   sl_add(sl_add(lamp->corner, lamp->side[0]), lamp->side[1]),
                   sl_add(lamp->corner, lamp->side[1])};
    memcpy(corners, p, sizeof p);
    SlPiece *piece = new_piece(b);
    piece->positions = corners;
    piece->vertex_count = 4;
    piece->triangles = triangles;
    piece->triangle_count = 2;
    piece->material = add_material(b->scene, (SlPathMaterial){.kind = SL_BSDF_LIGHT, .color = lamp->light});
    return piece->material;
}

static void add_lamps(SlSceneBuilder *b, float corners[SL_MAX_LAMPS][12])
{
    const SlLamps *lamps = &b->scene->lamps;
    for (uint32_t k = 0; k < lamps->count; k++) {
        uint16_t material = add_lamp(b, &lamps->lamp[k], corners[k]);
        if (k == 0)
            b->scene->lamp_material = material;
    }
}

static void set_ground(SlSceneBuilder *b)
{
    const SlGround *ground = &b->input->stage->ground;
    SlPathScene *scene = b->scene;
    scene->ground.visible = ground->visible;
    /* Above the floor of a liquid's surface: no ray meets that one first. */
    scene->ground.height = ground->height + 0.01f * b->input->stage->spacing;
    scene->ground.center = ground->center;
    scene->ground.tile = 0.5f * ground->checker;
    scene->ground.haze = ground->fade;
    scene->ground.bump = 0.03f * ground->checker;
    scene->ground.grain = 3 * b->input->stage->spacing;
    scene->ground.material =
        add_material(scene, (SlPathMaterial){.kind = SL_BSDF_DIFFUSE,
                                             .pattern = b->input->ground,
                                             .color = ground->color,
                                             .caustics = true});
}

/* Calls of Embree cost more than a few primitives do: a glass sphere on a plate takes it 1.3 times as long. */
static const SlIntersectorKind *choose_intersector(size_t primitives)
{
    const SlIntersectorKind *embree = sl_intersector_embree();
    return embree == NULL || primitives < FEW_PRIMITIVES ? &sl_intersector_bvh : embree;
}

static SlStatus set_geometry(SlSceneBuilder *b, SlError *error)
{
    SlPathScene *scene = b->scene;
    uint8_t *classes = SL_PUSH(b->arena, uint8_t, b->triangle_count + b->sphere_count);
    if (classes == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for a picture");
    bool moves = b->close > b->open;
    scene->normals = b->normals;
    scene->triangle_material = b->triangle_material;
    scene->sphere_material = b->sphere_material;
    scene->motion = b->motion;
    scene->sphere_motion = b->sphere_motion;
    scene->per_motion = 1 / (float)b->motion_time;
    scene->geometry = (SlGeometry){.positions = b->positions,
                                   .motion = moves ? b->motion : NULL,
                                   .vertex_count = b->vertex_count,
                                   .triangles = b->triangles,
                                   .triangle_class = classes,
                                   .triangle_count = b->triangle_count,
                                   .spheres = b->spheres,
                                   .sphere_motion = moves ? b->sphere_motion : NULL,
                                   .sphere_class = classes + b->triangle_count,
                                   .sphere_count = b->sphere_count};
    sl_scene_classes(scene, classes);
    const SlIntersectorKind *kind = b->input->intersector;
    if (kind == NULL)
        kind = choose_intersector(b->triangle_count + b->sphere_count);
    return sl_intersector_create(b->context, kind, &scene->geometry,
                                 &scene->intersector, error);
}

SlStatus sl_path_scene_build(SlContext *context, SlArena *arena, const SlSceneInput *input,
                             SlPathScene *scene, SlError *error)
{
    const SlFrameView *view = input->job->view;
    SlSceneBuilder b = {.context = context, .arena = arena, .input = input, .scene = scene,
                 .open = input->shutter_open, .close = input->shutter_close};
    float corners[SL_MAX_LAMPS][12]; /* of lamps */
    SlTank tank;
    /* Without time between them `motion` is that of a second, for velocities. */
    b.motion_time = b.close > b.open ? b.close - b.open : 1;
    choose_other(&b);
    scene->spacing = input->stage->spacing;
    scene->stage = *input->stage;
    SlStatus status = push_lists(&b, error);
    if (status != SL_OK)
        return status;
    set_ground(&b);
    if (!sl_wet_make(arena, view, input->wet, &scene->wet))
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for a map of wet solids");
    for (size_t k = 0; k < view->collider_count && status == SL_OK; k++) {
        if (is_hidden(input->hide, view->colliders[k].name))
            b.hidden++;
        else if (view->colliders[k].kind == SL_COLLIDER_MESH)
            add_mesh(&b, &view->colliders[k]);
        else
            status = add_shape(&b, &view->colliders[k], error);
    }
    if (status == SL_OK) {
        if (!add_surfaces(&b))
            status = sl_error_set(error, SL_ERROR_MEMORY, "no memory for the water's surface");
        add_tank(&b, &tank); /* lives as long as the pieces */
        add_lamps(&b, corners);
        for (size_t k = 0; k < view->system_count; k++)
            if (drawn_as_spheres(&b, &view->systems[k]))
                add_particles(&b, &view->systems[k]);
    }
    if (status == SL_OK)
        status = sl_scene_fill_pieces(&b, error);
    if (status == SL_OK)
        status = set_geometry(&b, error);
    if (status == SL_OK)
        status = add_volumes(&b, error);
    for (size_t k = 0; k < b.mesh_count; k++)
        sl_mesh_destroy(&b.meshes[k]);
    return status;
}

void sl_path_scene_destroy(SlPathScene *scene)
{
    for (size_t k = 0; k < scene->volume_count; k++)
        sl_volume_slices_destroy(&scene->volumes[k]);
    scene->volume_count = 0;
    sl_intersector_destroy(&scene->intersector);
}
