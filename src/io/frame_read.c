/* Reading a frame: nothing in the file is trusted. Sizes are checked against the file's own
   before they are used; every byte that is used is under a checksum. */
#include <math.h>
#include <string.h>

#include "core/context.h"
#include "core/hash.h"
#include "geometry/shape.h"
#include "io/frame_file.h"
#include "sleet/frame.h"

struct SlFrame {
    SlContext *context;
    char *file;
    size_t file_bytes;
    SlFrameView view;
    SlSystemView *systems;
    SlFieldView *fields;
    SlShape *shapes;
    uint32_t section_count;
};

static SlStatus broken(const char *path, const char *what, SlError *error)
{
    return sl_error_set(error, SL_ERROR_PARSE, "%.300s: not a whole frame file: %s", path, what);
}

static bool ends_in_zero(const char *text, size_t size)
{
    return memchr(text, 0, size) != NULL;
}

static const char *check_head(const SlFrame *frame, const SlFrameHeader **header,
                              const SlFrameSection **sections)
{
    if (frame->file_bytes < sizeof(SlFrameHeader))
        return "too short for a header";
    const SlFrameHeader *h = (const SlFrameHeader *)(const void *)frame->file;
    if (memcmp(h->magic, SL_FRAME_MAGIC, 8) != 0)
        return "it does not begin like one";
    if (h->version != SL_FRAME_VERSION)
        return "its version is not known to this program";
    if (h->file_bytes != frame->file_bytes)
        return "its length is not what its header says";
    if (h->section_count > SL_FRAME_MOST_SECTIONS || h->system_count > h->section_count ||
        sizeof *h + h->section_count * sizeof(SlFrameSection) > frame->file_bytes)
        return "its directory does not fit";
    const SlFrameSection *s = (const SlFrameSection *)(const void *)(frame->file + sizeof *h);
    uint64_t seed = sl_hash(h, offsetof(SlFrameHeader, checksum), 0);
    if (sl_hash(s, h->section_count * sizeof *s, seed) != h->checksum)
        return "the checksum of its directory is wrong";
    *header = h;
    *sections = s;
    return NULL;
}

static const char *check_section(const SlFrame *frame, const SlFrameHeader *header,
                                 const SlFrameSection *s)
{
    if (!ends_in_zero(s->name, sizeof s->name) || !ends_in_zero(s->unit, sizeof s->unit) ||
        !ends_in_zero(s->meaning, sizeof s->meaning))
        return "a name does not end";
    if (s->offset % SL_FRAME_ALIGN != 0 || s->offset > frame->file_bytes ||
        s->bytes > frame->file_bytes - s->offset)
        return "a section lies outside";
    if (s->element_bytes == 0 || s->bytes / s->element_bytes != s->count ||
        s->bytes % s->element_bytes != 0)
        return "a section's sizes do not match";
    bool size_ok = false;
    if (s->kind == SL_SECTION_FIELD)
        size_ok = s->system < header->system_count && s->type >= SL_FIELD_U32 &&
                  s->type <= SL_FIELD_F32X3 &&
                  s->element_bytes == 4 * sl_field_lanes((SlFieldType)s->type);
    else if (s->kind == SL_SECTION_SYSTEM)
        size_ok = s->system < header->system_count && s->count == 1 &&
                  s->element_bytes == sizeof(SlFrameSystem);
    else if (s->kind == SL_SECTION_SHAPES)
        size_ok = s->count == header->shape_count && s->element_bytes == sizeof(SlFrameShape);
    if (!size_ok)
        return "a section is of no known kind or size";
    if (sl_hash(frame->file + s->offset, (size_t)s->bytes, 0) != s->checksum)
        return "the checksum of a section is wrong";
    return NULL;
}

static const char *take_system(SlFrame *frame, const SlFrameSection *s)
{
    SlFrameSystem record;
    memcpy(&record, frame->file + s->offset, sizeof record);
    const char *solver = frame->file + s->offset + offsetof(SlFrameSystem, solver);
    if (!ends_in_zero(solver, sizeof record.solver))
        return "a name does not end";
    if (frame->systems[s->system].name != NULL)
        return "a system appears twice";
    if (!(record.spacing > 0 && isfinite(record.spacing)))
        return "a system's spacing is not a length";
    frame->systems[s->system] = (SlSystemView){.name = s->name,
                                               .solver = solver,
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

static const char *take_shapes(SlFrame *frame, const SlFrameSection *s)
{
    for (uint64_t k = 0; k < s->count; k++) {
        SlFrameShape record;
        memcpy(&record, frame->file + s->offset + k * sizeof record, sizeof record);
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
static const char *take_fields(SlFrame *frame, const SlFrameSection *sections)
{
    size_t next = 0;
    for (size_t k = 0; k < frame->view.system_count; k++) {
        SlSystemView *system = &frame->systems[k];
        if (system->name == NULL)
            return "a system is missing";
        system->fields = frame->fields + next;
        for (uint32_t j = 0; j < frame->section_count; j++) {
            const SlFrameSection *s = &sections[j];
            if (s->kind != SL_SECTION_FIELD || s->system != k)
                continue;
            if (s->count != system->particle_count)
                return "a field has another length than its system";
            frame->fields[next++] = (SlFieldView){.name = s->name,
                                                  .unit = s->unit,
                                                  .meaning = s->meaning,
                                                  .type = (SlFieldType)s->type,
                                                  .data = frame->file + s->offset,
                                                  .count = (size_t)s->count,
                                                  .stride = s->element_bytes};
            system->field_count++;
        }
    }
    return NULL;
}

static const char *take(SlFrame *frame, const SlFrameHeader *header,
                        const SlFrameSection *sections)
{
    const char *wrong = NULL;
    for (uint32_t k = 0; wrong == NULL && k < header->section_count; k++)
        wrong = check_section(frame, header, &sections[k]);
    for (uint32_t k = 0; wrong == NULL && k < header->section_count; k++) {
        if (sections[k].kind == SL_SECTION_SYSTEM)
            wrong = take_system(frame, &sections[k]);
        else if (sections[k].kind == SL_SECTION_SHAPES)
            wrong = take_shapes(frame, &sections[k]);
    }
    if (wrong != NULL)
        return wrong;
    frame->view.frame = header->frame;
    frame->view.time = header->time;
    memcpy(&frame->view.domain, header->domain, sizeof header->domain);
    SlVec3 low = frame->view.domain.min, high = frame->view.domain.max;
    /* An open side is infinite; NaN fails the comparisons. */
    if (!isfinite(header->time) ||
        !(low.x <= high.x && low.y <= high.y && low.z <= high.z))
        return "its time or its domain makes no sense";
    frame->view.systems = frame->systems;
    frame->view.system_count = header->system_count;
    return take_fields(frame, sections);
}

SlStatus sl_frame_read(SlContext *context, const char *path, SlFrame **out, SlError *error)
{
    *out = NULL;
    SlMemory *memory = &context->memory;
    SlFrame *frame = sl_alloc_zero(memory, 1, sizeof *frame);
    if (frame == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "%.300s: no memory to read it", path);
    frame->context = context;
    SlStatus status = sl_file_read(memory, path, (uint64_t)1 << 42, &frame->file,
                                   &frame->file_bytes, error);
    const SlFrameHeader *header = NULL;
    const SlFrameSection *sections = NULL;
    const char *wrong = status == SL_OK ? check_head(frame, &header, &sections) : NULL;
    if (status == SL_OK && wrong == NULL) {
        /* Section counts are bounded by the file's own size here. */
        frame->section_count = header->section_count;
        size_t count = (size_t)header->section_count + 1;
        frame->systems = sl_alloc_zero(memory, count, sizeof *frame->systems);
        frame->fields = sl_alloc_zero(memory, count, sizeof *frame->fields);
        bool shapes_fit = header->shape_count <= frame->file_bytes / sizeof(SlFrameShape);
        frame->shapes = shapes_fit ? sl_alloc_zero(memory, (size_t)header->shape_count + 1,
                                                   sizeof *frame->shapes)
                                   : NULL;
        if (!shapes_fit)
            wrong = "its colliders do not fit";
        else if (frame->systems == NULL || frame->fields == NULL || frame->shapes == NULL)
            status = sl_error_set(error, SL_ERROR_MEMORY, "%.300s: no memory to read it", path);
        else
            wrong = take(frame, header, sections);
    }
    if (wrong != NULL)
        status = broken(path, wrong, error);
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
    SlMemory *memory = &frame->context->memory;
    size_t count = (size_t)frame->section_count + 1;
    sl_free(memory, frame->systems, count * sizeof *frame->systems);
    sl_free(memory, frame->fields, count * sizeof *frame->fields);
    if (frame->shapes != NULL) {
        const SlFrameHeader *header = (const SlFrameHeader *)(const void *)frame->file;
        sl_free(memory, frame->shapes,
                ((size_t)header->shape_count + 1) * sizeof *frame->shapes);
    }
    if (frame->file != NULL)
        sl_free(memory, frame->file, frame->file_bytes + 1);
    sl_free(memory, frame, sizeof *frame);
}
