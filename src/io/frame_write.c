/* Writing a frame: every exported field of the view, a record per system, the colliders. */
#include <stdio.h>
#include <string.h>

#include "io/sources.h"
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
