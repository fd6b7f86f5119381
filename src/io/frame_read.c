/* Reading a frame: a container whose sections are those of a view, and the meshes it names. Nothing in
   the files is trusted: sizes, text, numbers and references are checked before they are used. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/cookies.h"
#include "frame/material.h"
#include "geometry/shape.h"
#include "io/records.h"
#include "math/camera.h"
#include "math/vec3.h"
#include "sleet/frame.h"

struct SlFrame {
    SlContainer container;
    const char *path; /* while it is being read */
    SlFrameView view;
    SlSystemView *systems;
    SlFieldView *fields;
    SlColliderView *colliders;
    SlStoredMesh **meshes; /* one per collider; NULL: none */
    SlCamera *cameras;
    size_t camera_room;
    SlSurfaceView *surfaces;
    size_t surface_room;
    SlFilterRecord filter;
    bool has_filter;
    char **decoded; /* one per section, into `values` */
    char *values;
    size_t value_bytes;
};

static SlStatus broken(const SlFrame *frame, SlError *error, const char *what)
{
    return sl_container_broken(frame->path, SL_CONTAINER_FRAME, what, error);
}

static size_t room_of(const SlSection *s)
{
    return (size_t)(s->count * s->element_bytes + SL_ALIGNMENT) / SL_ALIGNMENT * SL_ALIGNMENT;
}

/* --- Layout: sizes before anything is allocated --- */

static const char *check_section(const SlContainer *c, const SlSection *s)
{
    static const uint32_t record_bytes[] = {[SL_SECTION_SYSTEM] = sizeof(SlSystemRecord),
                                            [SL_SECTION_COLLIDERS] = sizeof(SlColliderRecord),
                                            [SL_SECTION_CAMERAS] = sizeof(SlCameraRecord),
                                            [SL_SECTION_WORLD] = sizeof(SlWorldRecord),
                                            [SL_SECTION_VERTICES] = 12,
                                            [SL_SECTION_SURFACES] = sizeof(SlSurfaceRecord),
                                            [SL_SECTION_FILTER] = sizeof(SlFilterRecord)};
    if (s->kind == SL_SECTION_FIELD || s->kind == SL_SECTION_SURFACE_DATA)
        return s->type != 0 ? NULL : "a field has no type";
    if (s->kind >= sizeof record_bytes / sizeof record_bytes[0] || record_bytes[s->kind] == 0)
        return "a section is of a kind that frames do not have";
    if (s->element_bytes != record_bytes[s->kind] ||
        (s->kind == SL_SECTION_VERTICES) != (s->type == SL_FIELD_F32X3))
        return "a record has another size than it should";
    if ((s->kind == SL_SECTION_SYSTEM || s->kind == SL_SECTION_WORLD ||
         s->kind == SL_SECTION_FILTER) &&
        s->count != 1)
        return "a system, the world or a filter has more than one record";
    if (s->kind == SL_SECTION_COLLIDERS && s->count != c->header.collider_count)
        return "its colliders are not as many as its header says";
    return NULL;
}

static const char *check_layout(SlFrame *frame)
{
    const SlContainer *c = &frame->container;
    uint32_t counts[SL_SECTION_KIND_COUNT] = {0};
    for (uint32_t k = 0; k < c->header.section_count; k++) {
        const SlSection *s = &c->sections[k];
        const char *wrong = check_section(c, s);
        if (wrong != NULL)
            return wrong;
        counts[s->kind]++;
        if (s->kind == SL_SECTION_CAMERAS)
            frame->camera_room = (size_t)s->count;
        if (s->kind == SL_SECTION_SURFACES)
            frame->surface_room = (size_t)s->count;
        frame->value_bytes += room_of(s);
    }
    if (counts[SL_SECTION_SURFACES] > 1 || counts[SL_SECTION_FILTER] > 1)
        return "it has more than one section of surfaces or of a filter";
    return counts[SL_SECTION_WORLD] == 1 && counts[SL_SECTION_COLLIDERS] == 1 &&
                   counts[SL_SECTION_CAMERAS] == 1
               ? NULL
               : "it must have one section each of world, colliders and cameras";
}

static bool allocate(SlFrame *frame)
{
    SlContainer *c = &frame->container;
    SlMemory *memory = &c->context->memory;
    size_t count = (size_t)c->header.section_count + 1;
    size_t colliders = (size_t)c->header.collider_count + 1;
    frame->systems = sl_alloc_zero(memory, count, sizeof *frame->systems);
    frame->fields = sl_alloc_zero(memory, count, sizeof *frame->fields);
    frame->decoded = sl_alloc_zero(memory, count, sizeof *frame->decoded);
    frame->colliders = sl_alloc_zero(memory, colliders, sizeof *frame->colliders);
    frame->meshes = sl_alloc_zero(memory, colliders, sizeof(SlStoredMesh *));
    frame->cameras = sl_alloc_zero(memory, frame->camera_room + 1, sizeof *frame->cameras);
    frame->surfaces = sl_alloc_zero(memory, frame->surface_room + 1, sizeof *frame->surfaces);
    frame->values = sl_alloc(memory, frame->value_bytes + 1);
    if (frame->surfaces == NULL || frame->systems == NULL || frame->fields == NULL || frame->decoded == NULL ||
        frame->colliders == NULL || frame->meshes == NULL || frame->cameras == NULL ||
        frame->values == NULL)
        return false;
    char *at = frame->values;
    for (uint32_t k = 0; k < c->header.section_count; k++) {
        frame->decoded[k] = at;
        at += room_of(&c->sections[k]);
    }
    return true;
}

/* --- Records --- */

#define ENDS(text) (memchr(text, 0, sizeof(text)) != NULL)

static SlStatus take_material(const SlFrame *frame, const SlMaterialRecord *record,
                              SlMaterial *material, SlError *error)
{
    if (!ENDS(record->kind))
        return broken(frame, error, "a text has no final zero");
    *material = (SlMaterial){.kind = sl_material_kind_find(record->kind),
                             .roughness = record->roughness,
                             .index_of_refraction = record->index_of_refraction};
    memcpy(&material->color, record->color, sizeof record->color);
    memcpy(material->absorption, record->absorption, sizeof record->absorption);
    if (material->kind == SL_MATERIAL_KIND_COUNT)
        return sl_error_set(error, SL_ERROR_UNSUPPORTED,
                            "%.300s: holds a material of kind \"%s\", which this version of Sleet "
                            "does not know",
                            frame->path, record->kind);
    const char *wrong = sl_material_check(material);
    for (int k = 0; k < 3; k++)
        if (wrong == NULL && material->absorption[k] < 0)
            wrong = "an absorption is negative";
    return wrong == NULL ? SL_OK : broken(frame, error, wrong);
}

static SlStatus take_world(SlFrame *frame, const SlSection *s, const char *values, SlError *error)
{
    (void)s;
    SlWorldRecord record;
    memcpy(&record, values, sizeof record);
    memcpy(&frame->view.gravity, record.gravity, sizeof record.gravity);
    frame->view.frame_time = record.frame_time;
    if (!sl_finite(frame->view.gravity) ||
        !(record.frame_time >= 0 && isfinite(record.frame_time)))
        return broken(frame, error, "its gravity or its time between frames is not a number");
    return take_material(frame, &record.material, &frame->view.domain_material, error);
}

static bool is_positive(float value)
{
    return value > 0 && isfinite(value);
}

static SlStatus take_system(SlFrame *frame, const SlSection *s, const char *values,
                            SlError *error)
{
    SlSystemRecord record;
    memcpy(&record, values, sizeof record);
    SlSystemView *system = &frame->systems[s->system];
    if (!ENDS(record.solver))
        return broken(frame, error, "a text has no final zero");
    if (system->name != NULL)
        return broken(frame, error, "a system appears twice");
    if (!is_positive(record.spacing) || !(record.mass == 0 || is_positive(record.mass)) ||
        !(record.volume == 0 || is_positive(record.volume)))
        return broken(frame, error, "a system's spacing, mass or volume is out of range");
    *system = (SlSystemView){.name = s->name,
                             .solver = values + offsetof(SlSystemRecord, solver),
                             .particle_count = (size_t)record.particle_count,
                             .spacing = record.spacing,
                             .mass = record.mass,
                             .volume = record.volume};
    return take_material(frame, &record.material, &system->material, error);
}

/* False: no shape has that name. */
static bool find_shape_kind(const char *name, SlShapeKind *kind)
{
    const SlShapeType *type = sl_shape_type_named(name);
    if (type != NULL)
        *kind = type->kind;
    return type != NULL;
}

static SlStatus take_shape(const SlFrame *frame, const SlColliderRecord *record,
                           SlColliderView *collider, SlError *error)
{
    SlShape *shape = &collider->shape;
    collider->kind = SL_COLLIDER_SHAPE;
    if (!find_shape_kind(record->kind, &shape->kind))
        return sl_error_set(error, SL_ERROR_UNSUPPORTED,
                            "%.300s: the collider \"%s\" is of kind \"%s\", which this version of "
                            "Sleet does not know",
                            frame->path, record->name, record->kind);
    memcpy(&shape->center, record->center, sizeof record->center);
    memcpy(&shape->axis, record->axis, sizeof record->axis);
    memcpy(&shape->side, record->side, sizeof record->side);
    memcpy(&shape->half, record->half, sizeof record->half);
    shape->radius = record->radius;
    shape->height = record->height;
    shape->friction = record->friction;
    shape->sticky = record->sticky != 0;
    /* As the world would have it: drawing relies on sizes above 0 and an axis of length 1. */
    SlShape copy = *shape;
    const char *reason;
    return sl_shape_prepare(&copy, &reason) && fabsf(sl_length(shape->axis) - 1) < 1e-3f
               ? SL_OK
               : broken(frame, error, "a collider's size or place is out of range");
}

static SlStatus take_mesh(const SlFrame *frame, const SlColliderRecord *record,
                          SlColliderView *collider, SlError *error)
{
    collider->kind = SL_COLLIDER_MESH;
    memcpy(&collider->pose.position, record->position, sizeof record->position);
    memcpy(&collider->pose.rotation, record->rotation, sizeof record->rotation);
    memcpy(collider->mesh.hash, record->mesh, sizeof record->mesh);
    const float *q = record->rotation;
    float length2 = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    return sl_finite(collider->pose.position) && fabsf(length2 - 1) < 1e-3f
               ? SL_OK
               : broken(frame, error, "a collider's pose is out of range");
}

static SlStatus take_colliders(SlFrame *frame, const SlSection *s, const char *values,
                               SlError *error)
{
    SlStatus status = SL_OK;
    for (uint64_t k = 0; status == SL_OK && k < s->count; k++) {
        SlColliderRecord record;
        const char *at = values + k * sizeof record;
        memcpy(&record, at, sizeof record);
        SlColliderView *collider = &frame->colliders[k];
        if (!ENDS(record.name) || !ENDS(record.kind))
            return broken(frame, error, "a text has no final zero");
        collider->name = at + offsetof(SlColliderRecord, name);
        collider->pose.rotation.w = 1;
        status = strcmp(record.kind, SL_RECORD_MESH) == 0
                     ? take_mesh(frame, &record, collider, error)
                     : take_shape(frame, &record, collider, error);
        if (status == SL_OK)
            status = take_material(frame, &record.material, &collider->material, error);
    }
    frame->view.colliders = frame->colliders;
    frame->view.collider_count = (size_t)s->count;
    return status;
}

static SlStatus take_cameras(SlFrame *frame, const SlSection *s, const char *values,
                             SlError *error)
{
    for (uint64_t k = 0; k < s->count; k++) {
        SlCameraRecord record;
        memcpy(&record, values + k * sizeof record, sizeof record);
        SlCamera *camera = &frame->cameras[k];
        const char *reason;
        if (!ENDS(record.name))
            return broken(frame, error, "a text has no final zero");
        snprintf(camera->name, sizeof camera->name, "%s", record.name);
        memcpy(&camera->eye, record.eye, sizeof record.eye);
        memcpy(&camera->target, record.target, sizeof record.target);
        memcpy(&camera->up, record.up, sizeof record.up);
        camera->fov = record.fov;
        camera->weight = record.weight;
        if (!sl_camera_valid(camera, &reason))
            return broken(frame, error, "a camera's values are out of range");
    }
    frame->view.cameras = frame->cameras;
    frame->view.camera_count = (size_t)s->count;
    return SL_OK;
}

static SlStatus take_surfaces(SlFrame *frame, const SlSection *s, const char *values,
                              SlError *error)
{
    SlStatus status = SL_OK;
    for (uint64_t k = 0; status == SL_OK && k < s->count; k++) {
        SlSurfaceRecord record;
        const char *at = values + k * sizeof record;
        memcpy(&record, at, sizeof record);
        const char *wrong = sl_surface_take(&record, &frame->surfaces[k]);
        if (wrong != NULL)
            return broken(frame, error, wrong);
        frame->surfaces[k].system = at + offsetof(SlSurfaceRecord, system);
        status = take_material(frame, &record.material, &frame->surfaces[k].material, error);
    }
    frame->view.surfaces = s->count > 0 ? frame->surfaces : NULL;
    frame->view.surface_count = (size_t)s->count;
    return status;
}

static SlStatus take_filter(SlFrame *frame, const SlSection *s, const char *values, SlError *error)
{
    (void)s;
    memcpy(&frame->filter, values, sizeof frame->filter);
    frame->has_filter = true;
    return ENDS(frame->filter.name) ? SL_OK : broken(frame, error, "a text has no final zero");
}

/* Fields of one system lie together in frame->fields, in the file's order. */
static SlStatus take_fields(SlFrame *frame, SlError *error)
{
    const SlContainer *c = &frame->container;
    size_t next = 0;
    for (size_t k = 0; k < c->header.system_count; k++) {
        SlSystemView *system = &frame->systems[k];
        if (system->name == NULL)
            return broken(frame, error, "a system is missing");
        system->fields = frame->fields + next;
        for (uint32_t j = 0; j < c->header.section_count; j++) {
            const SlSection *s = &c->sections[j];
            if (s->kind != SL_SECTION_FIELD || s->system != k)
                continue;
            if (s->count != system->particle_count)
                return broken(frame, error, "a field has another length than its system");
            frame->fields[next++] = (SlFieldView){.name = s->name,
                                                  .unit = s->unit,
                                                  .meaning = s->meaning,
                                                  .type = (SlFieldType)s->type,
                                                  .data = frame->decoded[j],
                                                  .count = (size_t)s->count,
                                                  .stride = s->element_bytes};
            system->field_count++;
        }
    }
    return SL_OK;
}

/* Vertices of deforming meshes; their number is that of the mesh. */
static SlStatus take_vertices(SlFrame *frame, SlError *error)
{
    const SlContainer *c = &frame->container;
    for (uint32_t k = 0; k < c->header.section_count; k++) {
        const SlSection *s = &c->sections[k];
        if (s->kind != SL_SECTION_VERTICES)
            continue;
        SlColliderView *collider = &frame->colliders[s->system];
        if (collider->kind != SL_COLLIDER_MESH || collider->vertices != NULL)
            return broken(frame, error, "vertices belong to no mesh, or to one that has some");
        collider->vertices = (const float *)(const void *)frame->decoded[k];
        collider->mesh.vertex_count = (size_t)s->count;
    }
    return SL_OK;
}

static SlStatus take(SlFrame *frame, SlError *error)
{
    static SlStatus (*const take_section[])(SlFrame *, const SlSection *, const char *,
                                            SlError *) = {
        [SL_SECTION_SYSTEM] = take_system,
        [SL_SECTION_COLLIDERS] = take_colliders,
        [SL_SECTION_CAMERAS] = take_cameras,
        [SL_SECTION_WORLD] = take_world,
        [SL_SECTION_SURFACES] = take_surfaces,
        [SL_SECTION_FILTER] = take_filter,
    };
    _Static_assert(sizeof take_section / sizeof take_section[0] == SL_SECTION_KIND_COUNT,
                   "there is a place for each kind");
    const SlContainer *c = &frame->container;
    SlStatus status = SL_OK;
    for (uint32_t k = 0; status == SL_OK && k < c->header.section_count; k++) {
        const SlSection *s = &c->sections[k];
        if (take_section[s->kind] != NULL)
            status = take_section[s->kind](frame, s, frame->decoded[k], error);
    }
    if (status == SL_OK)
        status = take_fields(frame, error);
    if (status == SL_OK)
        status = take_vertices(frame, error);
    const char *wrong = status == SL_OK ? sl_surfaces_take_data(c, frame->decoded, frame->surfaces,
                                                               frame->view.surface_count)
                                        : NULL;
    if (wrong != NULL)
        status = broken(frame, error, wrong);
    frame->view.frame = c->header.frame;
    frame->view.time = c->header.time;
    memcpy(&frame->view.domain, c->header.domain, sizeof c->header.domain);
    frame->view.systems = frame->systems;
    frame->view.system_count = c->header.system_count;
    return status;
}

/* --- Readers: meshes in memory once --- */

/* Above so many, a reader drops meshes that no frame uses: keys of a deforming body may be thousands. */
enum { MAX_UNUSED_MESHES = 64 };

struct SlFrameReader {
    SlContext *context;
    SlFrameReaderDef def;
    char folder[SL_PATH_BYTES]; /* "": beside each frame */
    SlStoredMesh **meshes;
    size_t mesh_count, mesh_room;
};

SlFrameReaderDef sl_default_frame_reader_def(void)
{
    return (SlFrameReaderDef){SL_DEF_HEAD(FRAME_READER, SlFrameReaderDef)};
}

SlStatus sl_frame_reader_create(SlContext *context, const SlFrameReaderDef *def,
                                SlFrameReader **out, SlError *error)
{
    *out = NULL;
    if (!SL_DEF_VALID(def, FRAME_READER))
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "reader definition not made by sl_default_frame_reader_def");
    if (def->mesh_folder != NULL && strlen(def->mesh_folder) > 900)
        return sl_error_set(error, SL_ERROR_ARGUMENT, "mesh_folder: at most 900 bytes");
    SlFrameReader *reader = sl_alloc_zero(&context->memory, 1, sizeof *reader);
    if (reader == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for a frame reader");
    reader->context = context;
    reader->def = *def;
    snprintf(reader->folder, sizeof reader->folder, "%s",
             def->mesh_folder != NULL ? def->mesh_folder : "");
    *out = reader;
    return SL_OK;
}

void sl_frame_reader_destroy(SlFrameReader *reader)
{
    if (reader == NULL)
        return;
    for (size_t k = 0; k < reader->mesh_count; k++)
        sl_stored_mesh_release(reader->meshes[k]);
    sl_free(&reader->context->memory, reader->meshes,
            reader->mesh_room * sizeof(SlStoredMesh *));
    sl_free(&reader->context->memory, reader, sizeof *reader);
}

static void drop_unused(SlFrameReader *reader)
{
    size_t kept = 0;
    for (size_t k = 0; k < reader->mesh_count; k++) {
        if (reader->meshes[k]->users > 1)
            reader->meshes[kept++] = reader->meshes[k];
        else
            sl_stored_mesh_release(reader->meshes[k]);
    }
    reader->mesh_count = kept;
}

/* The mesh, from memory or from its file; the reader keeps it for later frames. */
static SlStatus find_mesh(SlFrameReader *reader, const char *folder, const uint64_t hash[2],
                          SlStoredMesh **mesh, SlError *error)
{
    for (size_t k = 0; k < reader->mesh_count; k++) {
        *mesh = reader->meshes[k];
        if ((*mesh)->view.hash[0] == hash[0] && (*mesh)->view.hash[1] == hash[1])
            return SL_OK;
    }
    if (reader->mesh_count >= MAX_UNUSED_MESHES)
        drop_unused(reader);
    if (reader->mesh_count == reader->mesh_room) {
        size_t old = reader->mesh_room * sizeof(SlStoredMesh *);
        size_t bytes = 2 * old + 8 * sizeof(SlStoredMesh *);
        SlStoredMesh **grown =
            sl_regrow(&reader->context->memory, reader->meshes, old, bytes, old);
        if (grown == NULL)
            return sl_error_set(error, SL_ERROR_MEMORY, "no memory for the list of meshes");
        reader->meshes = grown;
        reader->mesh_room = bytes / sizeof(SlStoredMesh *);
    }
    SlStatus status = sl_stored_mesh_read(reader->context, folder, hash, mesh, error);
    if (status == SL_OK)
        reader->meshes[reader->mesh_count++] = *mesh;
    return status;
}

static SlStatus take_stored_mesh(SlFrame *frame, SlFrameReader *reader, size_t index,
                                 SlError *error)
{
    SlColliderView *collider = &frame->colliders[index];
    char folder[SL_PATH_BYTES];
    SlStoredMesh *mesh;
    if (reader->folder[0] != '\0')
        snprintf(folder, sizeof folder, "%s", reader->folder);
    else
        sl_mesh_folder(folder, frame->path);
    SlError inner = {SL_OK, ""};
    SlStatus status = find_mesh(reader, folder, collider->mesh.hash, &mesh, &inner);
    if (status == SL_ERROR_IO)
        return sl_error_set(error, SL_ERROR_IO,
                            "%.200s: the mesh %016llx%016llx of the collider \"%s\" cannot be read "
                            "from the folder %.200s",
                            frame->path, (unsigned long long)collider->mesh.hash[1],
                            (unsigned long long)collider->mesh.hash[0], collider->name, folder);
    if (status != SL_OK)
        return sl_error_set(error, status, "%s", inner.text);
    if (collider->vertices != NULL && collider->mesh.vertex_count != mesh->view.vertex_count)
        return broken(frame, error, "a deforming mesh has another number of vertices than its mesh");
    collider->mesh = mesh->view;
    frame->meshes[index] = mesh;
    mesh->users++;
    return SL_OK;
}

static SlStatus read_values(SlFrame *frame, SlError *error)
{
    SlContainer *c = &frame->container;
    const char *wrong = check_layout(frame);
    if (wrong != NULL)
        return broken(frame, error, wrong);
    if (!allocate(frame))
        return sl_error_set(error, SL_ERROR_MEMORY, "%.300s: no memory to read it", frame->path);
    SlStatus status = sl_container_decode(c, frame->path, frame->decoded, error);
    return status == SL_OK ? take(frame, error) : status;
}

SlStatus sl_frame_reader_read(SlFrameReader *reader, const char *path, SlFrame **out,
                              SlError *error)
{
    *out = NULL;
    SlFrame *frame = sl_alloc_zero(&reader->context->memory, 1, sizeof *frame);
    if (frame == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "%.300s: no memory to read it", path);
    frame->container.context = reader->context;
    frame->path = path;
    SlStatus status =
        sl_container_open(reader->context, path, SL_CONTAINER_FRAME, &frame->container, error);
    if (status == SL_OK)
        status = read_values(frame, error);
    for (size_t k = 0; status == SL_OK && !reader->def.without_meshes &&
                       k < frame->view.collider_count; k++)
        if (frame->colliders[k].kind == SL_COLLIDER_MESH)
            status = take_stored_mesh(frame, reader, k, error);
    frame->path = NULL; /* the caller's */
    if (status != SL_OK) {
        sl_frame_destroy(frame);
        return status;
    }
    *out = frame;
    return SL_OK;
}

SlStatus sl_frame_read(SlContext *context, const char *path, SlFrame **frame, SlError *error)
{
    *frame = NULL;
    SlFrameReaderDef def = sl_default_frame_reader_def();
    SlFrameReader *reader;
    SlStatus status = sl_frame_reader_create(context, &def, &reader, error);
    if (status == SL_OK)
        status = sl_frame_reader_read(reader, path, frame, error);
    sl_frame_reader_destroy(reader);
    return status;
}

const SlFrameView *sl_frame_view(const SlFrame *frame)
{
    return &frame->view;
}

const SlFilterRecord *sl_frame_filter(const SlFrame *frame)
{
    return frame->has_filter ? &frame->filter : NULL;
}

uint64_t sl_frame_checksum(const SlFrame *frame)
{
    return frame->container.header.checksum;
}

void sl_frame_destroy(SlFrame *frame)
{
    if (frame == NULL)
        return;
    SlContainer *c = &frame->container;
    SlMemory *memory = &c->context->memory;
    size_t count = (size_t)c->header.section_count + 1;
    size_t colliders = (size_t)c->header.collider_count + 1;
    for (size_t k = 0; frame->meshes != NULL && k < colliders; k++)
        sl_stored_mesh_release(frame->meshes[k]);
    sl_free(memory, frame->systems, count * sizeof *frame->systems);
    sl_free(memory, frame->fields, count * sizeof *frame->fields);
    sl_free(memory, frame->decoded, count * sizeof *frame->decoded);
    sl_free(memory, frame->colliders, colliders * sizeof *frame->colliders);
    sl_free(memory, frame->meshes, colliders * sizeof(SlStoredMesh *));
    sl_free(memory, frame->cameras, (frame->camera_room + 1) * sizeof *frame->cameras);
    sl_free(memory, frame->surfaces, (frame->surface_room + 1) * sizeof *frame->surfaces);
    sl_free(memory, frame->values, frame->value_bytes + 1);
    sl_container_close(c);
    sl_free(memory, frame, sizeof *frame);
}
