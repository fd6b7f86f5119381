/* A frame view as sections of a container: a record of the world, per system a record and its fields,
   the colliders with the vertices of deforming ones, the cameras; of what filters made, surfaces and a
   record of how. */
#include <stdio.h>
#include <string.h>

#include "io/records.h"

static void copy_text(char *to, size_t size, const char *text)
{
    snprintf(to, size, "%s", text != NULL ? text : "");
}

#define COPY_TEXT(to, text) copy_text(to, sizeof(to), text)

SlMaterialRecord sl_material_record(const SlMaterial *material)
{
    SlMaterialRecord record = {.roughness = material->roughness,
                               .index_of_refraction = material->index_of_refraction};
    COPY_TEXT(record.kind, sl_material_kind_name(material->kind));
    memcpy(record.color, &material->color, sizeof record.color);
    memcpy(record.absorption, material->absorption, sizeof record.absorption);
    return record;
}

static void fill_world(const SlFrameView *view, SlWorldRecord *record)
{
    memset(record, 0, sizeof *record);
    record->frame_time = view->frame_time;
    memcpy(record->gravity, &view->gravity, sizeof record->gravity);
    record->material = sl_material_record(&view->domain_material);
}

static void fill_system(const SlSystemView *system, SlSystemRecord *record)
{
    memset(record, 0, sizeof *record);
    COPY_TEXT(record->solver, system->solver);
    record->spacing = system->spacing;
    record->mass = system->mass;
    record->volume = system->volume;
    record->particle_count = system->particle_count;
    record->material = sl_material_record(&system->material);
}

static void fill_shape(const SlShape *shape, SlColliderRecord *record)
{
    COPY_TEXT(record->kind, sl_shape_kind_name(shape->kind));
    memcpy(record->center, &shape->center, sizeof record->center);
    memcpy(record->axis, &shape->axis, sizeof record->axis);
    memcpy(record->side, &shape->side, sizeof record->side);
    memcpy(record->half, &shape->half, sizeof record->half);
    record->radius = shape->radius;
    record->height = shape->height;
    record->friction = shape->friction;
    record->sticky = shape->sticky;
}

static void fill_mesh(const SlColliderView *collider, SlColliderRecord *record)
{
    const SlMeshView *mesh = &collider->mesh;
    COPY_TEXT(record->kind, SL_RECORD_MESH);
    memcpy(record->position, &collider->pose.position, sizeof record->position);
    memcpy(record->rotation, &collider->pose.rotation, sizeof record->rotation);
    record->deforms = collider->vertices != NULL;
    if (mesh->hash[0] == 0 && mesh->hash[1] == 0 && mesh->positions != NULL)
        sl_mesh_hash(mesh, record->mesh);
    else
        memcpy(record->mesh, mesh->hash, sizeof record->mesh);
}

static void fill_collider(const SlColliderView *collider, SlColliderRecord *record)
{
    memset(record, 0, sizeof *record);
    COPY_TEXT(record->name, collider->name);
    record->material = sl_material_record(&collider->material);
    if (collider->kind == SL_COLLIDER_MESH)
        fill_mesh(collider, record);
    else
        fill_shape(&collider->shape, record);
}

static void fill_camera(const SlCamera *camera, SlCameraRecord *record)
{
    memset(record, 0, sizeof *record);
    COPY_TEXT(record->name, camera->name);
    memcpy(record->eye, &camera->eye, sizeof record->eye);
    memcpy(record->target, &camera->target, sizeof record->target);
    memcpy(record->up, &camera->up, sizeof record->up);
    record->fov = camera->fov;
    record->weight = camera->weight;
}

/* --- Sections --- */

static SlSource field_source(const SlFieldView *field, uint32_t system, bool quantise)
{
    return (SlSource){.name = field->name,
                      .unit = field->unit,
                      .meaning = field->meaning,
                      .kind = SL_SECTION_FIELD,
                      .type = field->type,
                      .system = system,
                      .element_bytes = 4 * sl_field_lanes(field->type),
                      .stride = field->stride,
                      .count = field->count,
                      .data = field->data,
                      .quantise = quantise && field->type == SL_FIELD_F32X3};
}

static SlSource vertex_source(const SlColliderView *collider, uint32_t index, bool quantise)
{
    return (SlSource){.name = "vertices",
                      .unit = "m",
                      .meaning = "of a deforming mesh",
                      .kind = SL_SECTION_VERTICES,
                      .type = SL_FIELD_F32X3,
                      .system = index,
                      .element_bytes = 12,
                      .stride = 12,
                      .count = collider->mesh.vertex_count,
                      .data = collider->vertices,
                      .quantise = quantise};
}

static SlSource record_source(const char *name, SlSectionKind kind, uint32_t system,
                              const void *records, size_t bytes, uint64_t count)
{
    return (SlSource){.name = name,
                      .unit = "",
                      .meaning = "",
                      .kind = kind,
                      .system = system,
                      .element_bytes = (uint32_t)bytes,
                      .stride = bytes,
                      .count = count,
                      .data = records};
}

/* Room for the records and sections of a view. */
typedef struct Room {
    SlSource *sources;
    size_t next;
    SlWorldRecord *world;
    SlSystemRecord *systems;
    SlColliderRecord *colliders;
    SlCameraRecord *cameras;
    SlSurfaceRecord *surfaces;
} Room;

static bool push_room(SlArena *arena, const SlFrameView *view, Room *room)
{
    size_t max_sections = 5 + view->collider_count + SL_SURFACE_SECTIONS * view->surface_count;
    for (size_t s = 0; s < view->system_count; s++)
        max_sections += 1 + view->systems[s].field_count;
    sl_arena_reset(arena);
    room->next = 0;
    room->sources = SL_PUSH(arena, SlSource, max_sections);
    room->world = SL_PUSH(arena, SlWorldRecord, 1);
    room->systems = SL_PUSH(arena, SlSystemRecord, view->system_count);
    room->colliders = SL_PUSH(arena, SlColliderRecord, view->collider_count);
    room->cameras = SL_PUSH(arena, SlCameraRecord, view->camera_count);
    room->surfaces = SL_PUSH(arena, SlSurfaceRecord, view->surface_count);
    return room->sources != NULL && room->world != NULL && room->systems != NULL &&
           room->colliders != NULL && room->cameras != NULL && room->surfaces != NULL;
}

static void add_systems(const SlFrameView *view, bool quantise, Room *room)
{
    for (size_t s = 0; s < view->system_count; s++) {
        const SlSystemView *system = &view->systems[s];
        fill_system(system, &room->systems[s]);
        room->sources[room->next++] =
            record_source(system->name, SL_SECTION_SYSTEM, (uint32_t)s, &room->systems[s],
                          sizeof room->systems[s], 1);
        for (size_t f = 0; f < system->field_count; f++)
            room->sources[room->next++] = field_source(&system->fields[f], (uint32_t)s, quantise);
    }
}

static void add_colliders(const SlFrameView *view, bool quantise, Room *room)
{
    for (size_t k = 0; k < view->collider_count; k++)
        fill_collider(&view->colliders[k], &room->colliders[k]);
    room->sources[room->next++] =
        record_source("colliders", SL_SECTION_COLLIDERS, (uint32_t)view->system_count,
                      room->colliders, sizeof *room->colliders, view->collider_count);
    for (size_t k = 0; k < view->collider_count; k++)
        if (room->colliders[k].deforms != 0)
            room->sources[room->next++] =
                vertex_source(&view->colliders[k], (uint32_t)k, quantise);
}

static void add_cameras(const SlFrameView *view, Room *room)
{
    for (size_t k = 0; k < view->camera_count; k++)
        fill_camera(&view->cameras[k], &room->cameras[k]);
    room->sources[room->next++] =
        record_source("cameras", SL_SECTION_CAMERAS, (uint32_t)view->system_count, room->cameras,
                      sizeof *room->cameras, view->camera_count);
}

static void add_surfaces(const SlFrameView *view, bool quantise, Room *room)
{
    if (view->surface_count == 0)
        return;
    room->sources[room->next++] =
        record_source("surfaces", SL_SECTION_SURFACES, (uint32_t)view->system_count, room->surfaces,
                      sizeof *room->surfaces, view->surface_count);
    for (size_t k = 0; k < view->surface_count; k++) {
        sl_surface_sources(&view->surfaces[k], (uint32_t)k, quantise, &room->surfaces[k],
                           &room->sources[room->next]);
        room->next += SL_SURFACE_SECTIONS;
    }
}

SlStatus sl_frame_sources(SlArena *arena, const SlFrameContent *content, SlContainerHeader *head,
                          SlSource **sources, size_t *count, SlError *error)
{
    const SlFrameView *view = content->view;
    Room room;
    if (!push_room(arena, view, &room))
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory to write a frame");
    fill_world(view, room.world);
    room.sources[room.next++] = record_source("world", SL_SECTION_WORLD,
                                              (uint32_t)view->system_count, room.world,
                                              sizeof *room.world, 1);
    add_systems(view, content->quantise, &room);
    add_colliders(view, content->quantise, &room);
    add_cameras(view, &room);
    add_surfaces(view, content->quantise, &room);
    if (content->filter != NULL)
        room.sources[room.next++] =
            record_source("filter", SL_SECTION_FILTER, (uint32_t)view->system_count,
                          content->filter, sizeof *content->filter, 1);
    memset(head, 0, sizeof *head);
    head->kind = SL_CONTAINER_FRAME;
    head->frame = view->frame;
    head->time = view->time;
    memcpy(head->domain, &view->domain, sizeof head->domain);
    head->system_count = (uint32_t)view->system_count;
    head->collider_count = (uint32_t)view->collider_count;
    *sources = room.sources;
    *count = room.next;
    return SL_OK;
}
