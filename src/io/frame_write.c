/* Writing a frame: every exported field of the view, packed, checksummed, one atomic file. */
#include <stdio.h>
#include <string.h>

#include "core/context.h"
#include "core/hash.h"
#include "io/frame_file.h"
#include "sleet/frame.h"

typedef struct Pack {
    const SlFieldView *field;
    char *to;
    size_t element;
} Pack;

/* Elements lose their padding: a float4 in memory is three floats on disk. */
static void pack_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Pack *p = argument;
    const char *from = p->field->data;
    if (p->field->stride == p->element) {
        memcpy(p->to + begin * p->element, from + begin * p->element, (end - begin) * p->element);
        return;
    }
    for (size_t i = begin; i < end; i++)
        memcpy(p->to + i * p->element, from + i * p->field->stride, p->element);
}

typedef struct Layout {
    SlFrameHeader header;
    SlFrameSection *sections;
    uint64_t next_offset;
} Layout;

static SlFrameSection *add_section(Layout *layout, SlSectionKind kind, const char *name,
                                   uint64_t count, uint32_t element_bytes)
{
    SlFrameSection *s = &layout->sections[layout->header.section_count++];
    memset(s, 0, sizeof *s);
    snprintf(s->name, sizeof s->name, "%s", name);
    s->kind = kind;
    s->count = count;
    s->element_bytes = element_bytes;
    s->bytes = count * element_bytes;
    s->offset = layout->next_offset;
    layout->next_offset =
        (s->offset + s->bytes + SL_FRAME_ALIGN - 1) / SL_FRAME_ALIGN * SL_FRAME_ALIGN;
    return s;
}

static size_t count_sections(const SlFrameView *view)
{
    size_t count = 1;
    for (size_t s = 0; s < view->system_count; s++)
        count += 1 + view->systems[s].field_count;
    return count;
}

static void plan(const SlFrameView *view, size_t section_count, Layout *layout)
{
    memset(&layout->header, 0, sizeof layout->header);
    memcpy(layout->header.magic, SL_FRAME_MAGIC, 8);
    layout->header.version = SL_FRAME_VERSION;
    layout->header.frame = view->frame;
    layout->header.time = view->time;
    memcpy(layout->header.domain, &view->domain, sizeof layout->header.domain);
    layout->header.system_count = (uint32_t)view->system_count;
    layout->header.shape_count = (uint32_t)view->shape_count;
    uint64_t head = sizeof(SlFrameHeader) + section_count * sizeof(SlFrameSection);
    layout->next_offset = (head + SL_FRAME_ALIGN - 1) / SL_FRAME_ALIGN * SL_FRAME_ALIGN;
    for (size_t s = 0; s < view->system_count; s++) {
        const SlSystemView *system = &view->systems[s];
        add_section(layout, SL_SECTION_SYSTEM, system->name, 1, sizeof(SlFrameSystem))->system =
            (uint32_t)s;
        for (size_t f = 0; f < system->field_count; f++) {
            const SlFieldView *field = &system->fields[f];
            SlFrameSection *section = add_section(layout, SL_SECTION_FIELD, field->name,
                                                  field->count, 4 * sl_field_lanes(field->type));
            section->type = field->type;
            section->system = (uint32_t)s;
            snprintf(section->unit, sizeof section->unit, "%s", field->unit);
            snprintf(section->meaning, sizeof section->meaning, "%s", field->meaning);
        }
    }
    add_section(layout, SL_SECTION_SHAPES, "shapes", view->shape_count, sizeof(SlFrameShape));
    layout->header.file_bytes = layout->next_offset;
}

static void fill_system(const SlSystemView *system, void *to)
{
    SlFrameSystem record = {.spacing = system->spacing, .particle_count = system->particle_count};
    snprintf(record.solver, sizeof record.solver, "%s", system->solver);
    memcpy(to, &record, sizeof record);
}

static void fill_shapes(const SlFrameView *view, char *to)
{
    for (size_t k = 0; k < view->shape_count; k++) {
        const SlShape *shape = &view->shapes[k];
        SlFrameShape record = {.kind = (uint32_t)shape->kind,
                               .radius = shape->radius,
                               .height = shape->height,
                               .friction = shape->friction};
        memcpy(record.center, &shape->center, sizeof record.center);
        memcpy(record.axis, &shape->axis, sizeof record.axis);
        memcpy(record.side, &shape->side, sizeof record.side);
        memcpy(record.half, &shape->half, sizeof record.half);
        memcpy(to + k * sizeof record, &record, sizeof record);
    }
}

/* Copies every section's data to its offset in `file` and sets the checksums. */
static void fill(SlContext *context, const SlFrameView *view, Layout *layout, char *file)
{
    size_t next = 0;
    for (size_t s = 0; s < view->system_count; s++) {
        const SlSystemView *system = &view->systems[s];
        fill_system(system, file + layout->sections[next++].offset);
        for (size_t f = 0; f < system->field_count; f++) {
            const SlFrameSection *section = &layout->sections[next++];
            Pack pack = {&system->fields[f], file + section->offset, section->element_bytes};
            sl_parallel_for(context->pool, section->count, 16384, pack_chunk, &pack);
        }
    }
    fill_shapes(view, file + layout->sections[next].offset);
    for (uint32_t k = 0; k < layout->header.section_count; k++) {
        SlFrameSection *section = &layout->sections[k];
        uint64_t end = k + 1 < layout->header.section_count ? layout->sections[k + 1].offset
                                                            : layout->header.file_bytes;
        memset(file + section->offset + section->bytes, 0,
               (size_t)(end - section->offset - section->bytes));
        section->checksum = sl_hash(file + section->offset, (size_t)section->bytes, 0);
    }
}

SlStatus sl_frame_write(SlContext *context, const char *path, const SlFrameView *view,
                        SlError *error)
{
    sl_arena_reset(&context->arena);
    size_t section_count = count_sections(view);
    if (section_count > SL_FRAME_MOST_SECTIONS)
        return sl_error_set(error, SL_ERROR_ARGUMENT, "%.200s: too many fields", path);
    Layout layout;
    layout.sections = SL_PUSH(&context->arena, SlFrameSection, section_count);
    char *file = NULL;
    if (layout.sections != NULL) {
        plan(view, section_count, &layout);
        file = sl_arena_push(&context->arena, (size_t)layout.header.file_bytes);
    }
    if (file == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "%.200s: no memory to write it", path);

    fill(context, view, &layout, file);
    size_t directory = section_count * sizeof(SlFrameSection);
    uint64_t seed = sl_hash(&layout.header, offsetof(SlFrameHeader, checksum), 0);
    layout.header.checksum = sl_hash(layout.sections, directory, seed);
    memcpy(file, &layout.header, sizeof layout.header);
    memcpy(file + sizeof layout.header, layout.sections, directory);
    size_t head = sizeof layout.header + directory;
    memset(file + head, 0, (size_t)layout.sections[0].offset - head);
    return sl_file_write(&context->file_layer, path, file, (size_t)layout.header.file_bytes,
                         error);
}
