/* Writing a frame: every exported field of the view, a record per system, the colliders. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "geometry/shape.h"
#include "io/sources.h"
#include "math/vec3.h"
#include "sleet/frame.h"

static void fill_system(const SlSystemView *system, SlFrameSystem *record)
{
    memset(record, 0, sizeof *record);
    record->spacing = system->spacing;
    record->particle_count = system->particle_count;
    snprintf(record->solver, sizeof record->solver, "%s", system->solver);
}

static void fill_shape(const SlShape *shape, SlFrameShape *record)
{
    *record = (SlFrameShape){.kind = (uint32_t)shape->kind,
                             .radius = shape->radius,
                             .height = shape->height,
                             .friction = shape->friction};
    memcpy(record->center, &shape->center, sizeof record->center);
    memcpy(record->axis, &shape->axis, sizeof record->axis);
    memcpy(record->side, &shape->side, sizeof record->side);
    memcpy(record->half, &shape->half, sizeof record->half);
}

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

SlStatus sl_frame_sources(SlContext *context, const SlFrameView *view, bool quantise,
                          SlContainerHeader *head, SlSource **out, size_t *count, SlError *error)
{
    SlArena *arena = &context->arena;
    size_t most = 1, next = 0;
    for (size_t s = 0; s < view->system_count; s++)
        most += 1 + view->systems[s].field_count;
    sl_arena_reset(arena);
    SlSource *sources = SL_PUSH(arena, SlSource, most);
    SlFrameSystem *systems = SL_PUSH(arena, SlFrameSystem, view->system_count);
    SlFrameShape *shapes = SL_PUSH(arena, SlFrameShape, view->shape_count);
    if (sources == NULL || systems == NULL || shapes == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory to write a frame");
    for (size_t s = 0; s < view->system_count; s++) {
        const SlSystemView *system = &view->systems[s];
        fill_system(system, &systems[s]);
        sources[next++] = record_source(system->name, SL_SECTION_SYSTEM, (uint32_t)s, &systems[s],
                                        sizeof *systems, 1);
        for (size_t f = 0; f < system->field_count; f++)
            sources[next++] = field_source(&system->fields[f], (uint32_t)s, quantise);
    }
    for (size_t k = 0; k < view->shape_count; k++)
        fill_shape(&view->shapes[k], &shapes[k]);
    sources[next++] = record_source("shapes", SL_SECTION_SHAPES, (uint32_t)view->system_count,
                                    shapes, sizeof *shapes, view->shape_count);
    memset(head, 0, sizeof *head);
    head->kind = SL_CONTAINER_FRAME;
    head->frame = view->frame;
    head->time = view->time;
    memcpy(head->domain, &view->domain, sizeof head->domain);
    head->system_count = (uint32_t)view->system_count;
    head->shape_count = (uint32_t)view->shape_count;
    *out = sources;
    *count = next;
    return SL_OK;
}

SlStatus sl_frame_write(SlContext *context, const char *path, const SlFrameView *view,
                        SlError *error)
{
    SlContainerHeader head;
    SlSource *sources;
    size_t count;
    SlStatus status = sl_frame_sources(context, view, false, &head, &sources, &count, error);
    return status == SL_OK ? sl_container_write(context, path, &head, sources, count, error)
                           : status;
}

/* --- Reading a frame: a container whose sections are those of a view. --- */

struct SlFrame {
    SlContainer container;
    SlFrameView view;
    SlSystemView *systems;
    SlFieldView *fields;
    SlShape *shapes;
    char **decoded; /* one per section, into `values` */
    char *values;
    size_t value_bytes;
};

static const char *check_section(const SlContainer *c, const SlSection *s)
{
    if (s->kind == SL_SECTION_FIELD)
        return s->type != 0 ? NULL : "a field has no type";
    if (s->kind == SL_SECTION_SYSTEM)
        return s->count == 1 && s->element_bytes == sizeof(SlFrameSystem)
                   ? NULL
                   : "a system's record has another size";
    if (s->kind == SL_SECTION_SHAPES)
        return s->count == c->header.shape_count && s->element_bytes == sizeof(SlFrameShape)
                   ? NULL
                   : "the colliders' records have another size";
    return "a section is of no kind that a frame has";
}

/* Where each section's values go: one block, each part aligned. */
static const char *place_values(SlFrame *frame)
{
    const SlContainer *c = &frame->container;
    uint64_t bytes = 0;
    for (uint32_t k = 0; k < c->header.section_count; k++) {
        const char *wrong = check_section(c, &c->sections[k]);
        if (wrong != NULL)
            return wrong;
        bytes += (c->sections[k].count * c->sections[k].element_bytes + SL_ALIGNMENT) /
                 SL_ALIGNMENT * SL_ALIGNMENT;
    }
    frame->value_bytes = (size_t)bytes;
    return NULL;
}

static const char *take_system(SlFrame *frame, const SlSection *s, const char *values)
{
    SlFrameSystem record;
    memcpy(&record, values, sizeof record);
    if (memchr(record.solver, 0, sizeof record.solver) == NULL)
        return "a name does not end";
    if (frame->systems[s->system].name != NULL)
        return "a system appears twice";
    if (!(record.spacing > 0 && isfinite(record.spacing)))
        return "a system's spacing is not a length";
    frame->systems[s->system] =
        (SlSystemView){.name = s->name,
                       .solver = values + offsetof(SlFrameSystem, solver),
                       .particle_count = (size_t)record.particle_count,
                       .spacing = record.spacing};
    return NULL;
}

/* A shape as the world would have it: drawing relies on sizes above 0 and an axis of length 1. */
static bool is_solid(const SlShape *shape)
{
    SlShape copy = *shape;
    const char *reason;
    return sl_shape_prepare(&copy, &reason) && fabsf(sl_length(shape->axis) - 1) < 1e-3f;
}

static const char *take_shapes(SlFrame *frame, const SlSection *s, const char *values)
{
    if (frame->view.shapes != NULL)
        return "colliders appear twice";
    for (uint64_t k = 0; k < s->count; k++) {
        SlFrameShape record;
        memcpy(&record, values + k * sizeof record, sizeof record);
        SlShape *shape = &frame->shapes[k];
        if (record.kind > SL_SHAPE_CONE)
            return "a collider is of no known kind";
        shape->kind = (SlShapeKind)record.kind;
        memcpy(&shape->center, record.center, sizeof record.center);
        memcpy(&shape->axis, record.axis, sizeof record.axis);
        memcpy(&shape->side, record.side, sizeof record.side);
        memcpy(&shape->half, record.half, sizeof record.half);
        shape->radius = record.radius;
        shape->height = record.height;
        shape->friction = record.friction;
        if (!is_solid(shape))
            return "a collider has no proper size or place";
    }
    frame->view.shapes = frame->shapes;
    frame->view.shape_count = (size_t)s->count;
    return NULL;
}

/* Fields of one system lie together in frame->fields, in the file's order. */
static const char *take_fields(SlFrame *frame)
{
    const SlContainer *c = &frame->container;
    size_t next = 0;
    for (size_t k = 0; k < frame->view.system_count; k++) {
        SlSystemView *system = &frame->systems[k];
        if (system->name == NULL)
            return "a system is missing";
        system->fields = frame->fields + next;
        for (uint32_t j = 0; j < c->header.section_count; j++) {
            const SlSection *s = &c->sections[j];
            if (s->kind != SL_SECTION_FIELD || s->system != k)
                continue;
            if (s->count != system->particle_count)
                return "a field has another length than its system";
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
    return NULL;
}

static const char *take(SlFrame *frame)
{
    const SlContainer *c = &frame->container;
    const char *wrong = NULL;
    for (uint32_t k = 0; wrong == NULL && k < c->header.section_count; k++) {
        if (c->sections[k].kind == SL_SECTION_SYSTEM)
            wrong = take_system(frame, &c->sections[k], frame->decoded[k]);
        else if (c->sections[k].kind == SL_SECTION_SHAPES)
            wrong = take_shapes(frame, &c->sections[k], frame->decoded[k]);
    }
    if (wrong != NULL)
        return wrong;
    frame->view.frame = c->header.frame;
    frame->view.time = c->header.time;
    memcpy(&frame->view.domain, c->header.domain, sizeof c->header.domain);
    frame->view.systems = frame->systems;
    frame->view.system_count = c->header.system_count;
    return take_fields(frame);
}

static bool allocate(SlFrame *frame)
{
    SlContainer *c = &frame->container;
    SlMemory *memory = &c->context->memory;
    size_t count = (size_t)c->header.section_count + 1;
    frame->systems = sl_alloc_zero(memory, count, sizeof *frame->systems);
    frame->fields = sl_alloc_zero(memory, count, sizeof *frame->fields);
    frame->decoded = sl_alloc_zero(memory, count, sizeof *frame->decoded);
    frame->shapes =
        sl_alloc_zero(memory, (size_t)c->header.shape_count + 1, sizeof *frame->shapes);
    frame->values = sl_alloc(memory, frame->value_bytes + 1);
    if (frame->systems == NULL || frame->fields == NULL || frame->decoded == NULL ||
        frame->shapes == NULL || frame->values == NULL)
        return false;
    char *at = frame->values;
    for (uint32_t k = 0; k < c->header.section_count; k++) {
        frame->decoded[k] = at;
        at += (c->sections[k].count * c->sections[k].element_bytes + SL_ALIGNMENT) /
              SL_ALIGNMENT * SL_ALIGNMENT;
    }
    return true;
}

SlStatus sl_frame_read(SlContext *context, const char *path, SlFrame **out, SlError *error)
{
    *out = NULL;
    SlFrame *frame = sl_alloc_zero(&context->memory, 1, sizeof *frame);
    if (frame == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "%.300s: no memory to read it", path);
    SlContainer *c = &frame->container;
    c->context = context;
    SlStatus status = sl_container_open(context, path, SL_CONTAINER_FRAME, c, error);
    const char *wrong = NULL;
    if (status == SL_OK) {
        wrong = place_values(frame);
        if (wrong == NULL && c->header.shape_count > frame->value_bytes / sizeof(SlFrameShape))
            wrong = "its colliders are missing";
        if (wrong == NULL && !allocate(frame))
            status = sl_error_set(error, SL_ERROR_MEMORY, "%.300s: no memory to read it", path);
        if (wrong == NULL && status == SL_OK)
            status = sl_container_decode(c, path, frame->decoded, error);
        if (wrong == NULL && status == SL_OK)
            wrong = take(frame);
        if (wrong != NULL)
            status = sl_container_broken(path, SL_CONTAINER_FRAME, wrong, error);
    }
    if (status != SL_OK) {
        sl_frame_destroy(frame);
        return status;
    }
    *out = frame;
    return SL_OK;
}

const SlFrameView *sl_frame_view(const SlFrame *frame)
{
    return &frame->view;
}

void sl_frame_destroy(SlFrame *frame)
{
    if (frame == NULL)
        return;
    SlContainer *c = &frame->container;
    SlMemory *memory = &c->context->memory;
    size_t count = (size_t)c->header.section_count + 1;
    sl_free(memory, frame->systems, count * sizeof *frame->systems);
    sl_free(memory, frame->fields, count * sizeof *frame->fields);
    sl_free(memory, frame->decoded, count * sizeof *frame->decoded);
    sl_free(memory, frame->shapes, ((size_t)c->header.shape_count + 1) * sizeof *frame->shapes);
    sl_free(memory, frame->values, frame->value_bytes + 1);
    sl_container_close(c);
    sl_free(memory, frame, sizeof *frame);
}
