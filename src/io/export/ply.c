/* ply: particles as the vertices of a binary PLY file, little-endian: x, y, z, and each
   field that all systems have. Vectors are three properties: velocity is vx, vy, vz; others are named
   FIELD_x, FIELD_y, FIELD_z. The property "system" numbers the systems, which comments name. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "io/export/exporter.h"

enum { BUFFER_BYTES = 1 << 16, MAX_FIELDS = 32, MAX_HEAD = 8192 };

enum { SYSTEM, ROW_COUNT };
static const SlParamRow rows[ROW_COUNT] = {
    [SYSTEM] = {"system", SL_PARAM_TEXT, {.text = ""}, 0, 0, "", NULL,
                "name of the system to write; empty: all"},
};

typedef struct Columns {
    const char *names[MAX_FIELDS];
    SlFieldType types[MAX_FIELDS];
    size_t count;
} Columns;

static bool is_written(const SlParamValue *values, const SlSystemView *system)
{
    return values[SYSTEM].text[0] == '\0' || strcmp(values[SYSTEM].text, system->name) == 0;
}

/* Positions first, then the fields that every written system has with the same type. */
static void find_columns(const SlFrameView *frame, const SlParamValue *values, Columns *columns)
{
    columns->names[0] = "position";
    columns->types[0] = SL_FIELD_F32X3;
    columns->count = 1;
    const SlSystemView *first = NULL;
    for (size_t s = 0; first == NULL && s < frame->system_count; s++)
        first = is_written(values, &frame->systems[s]) ? &frame->systems[s] : NULL;
    for (size_t f = 0; first != NULL && f < first->field_count; f++) {
        const SlFieldView *field = &first->fields[f];
        bool common = strcmp(field->name, "position") != 0 && columns->count < MAX_FIELDS;
        for (size_t s = 0; s < frame->system_count; s++)
            common = common && (!is_written(values, &frame->systems[s]) ||
                                sl_view_field(&frame->systems[s], field->name).type == field->type);
        if (common) {
            columns->names[columns->count] = field->name;
            columns->types[columns->count++] = field->type;
        }
    }
}

/* Text that grows in a buffer; what does not fit is dropped and reported by `full`. */
typedef struct Head {
    char text[MAX_HEAD];
    size_t length;
    bool full;
} Head;

__attribute__((format(printf, 2, 3))) static void add_line(Head *head, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    size_t room = sizeof head->text - head->length;
    int length = vsnprintf(head->text + head->length, room, format, arguments);
    va_end(arguments);
    head->full = head->full || length < 0 || (size_t)length >= room;
    head->length += head->full ? 0 : (size_t)length;
}

static void add_property(Head *head, const char *name, SlFieldType type)
{
    static const char *const axes = "xyz";
    if (strcmp(name, "position") == 0)
        add_line(head, "property float x\nproperty float y\nproperty float z\n");
    else if (strcmp(name, "velocity") == 0)
        add_line(head, "property float vx\nproperty float vy\nproperty float vz\n");
    else if (type == SL_FIELD_F32X3)
        for (int k = 0; k < 3; k++)
            add_line(head, "property float %s_%c\n", name, axes[k]);
    else
        add_line(head, "property %s %s\n", type == SL_FIELD_U32 ? "uint" : "float", name);
}

static SlStatus write_head(const SlFrameView *frame, const SlParamValue *values,
                           const Columns *columns, SlFileWriter *file, SlError *error)
{
    Head head = {.length = 0};
    size_t count = 0;
    add_line(&head, "ply\nformat binary_little_endian 1.0\ncomment Sleet, frame %llu, %.9g s\n",
             (unsigned long long)frame->frame, frame->time);
    for (size_t s = 0; s < frame->system_count; s++)
        if (is_written(values, &frame->systems[s])) {
            add_line(&head, "comment system %zu is %s, spacing %.9g m\n", s,
                     frame->systems[s].name, (double)frame->systems[s].spacing);
            count += frame->systems[s].particle_count;
        }
    add_line(&head, "element vertex %zu\n", count);
    for (size_t c = 0; c < columns->count; c++)
        add_property(&head, columns->names[c], columns->types[c]);
    add_line(&head, "property uint system\nend_header\n");
    if (head.full)
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "%.300s: the names of systems and fields do not fit into a header of "
                            "%d bytes",
                            file->path, MAX_HEAD);
    return sl_file_append(file, head.text, head.length, error);
}

static SlStatus write_system(const SlSystemView *system, uint32_t number, const Columns *columns,
                             char *buffer, SlFileWriter *file, SlError *error)
{
    SlFieldView fields[MAX_FIELDS];
    size_t row = 4;
    for (size_t c = 0; c < columns->count; c++) {
        fields[c] = sl_view_field(system, columns->names[c]);
        row += 4 * sl_field_lanes(columns->types[c]);
    }
    SlStatus status = SL_OK;
    size_t used = 0;
    for (size_t i = 0; status == SL_OK && i < system->particle_count; i++) {
        for (size_t c = 0; c < columns->count; c++) {
            size_t bytes = 4 * sl_field_lanes(columns->types[c]);
            memcpy(buffer + used, (const char *)fields[c].data + i * fields[c].stride, bytes);
            used += bytes;
        }
        memcpy(buffer + used, &number, sizeof number);
        used += sizeof number;
        if (used + row > BUFFER_BYTES || i + 1 == system->particle_count) {
            status = sl_file_append(file, buffer, used, error);
            used = 0;
        }
    }
    return status;
}

/* The systems named by the parameter exist and have positions. */
static SlStatus check(const SlFrameView *frame, const SlParamValue *values, SlError *error)
{
    const char *name = values[SYSTEM].text;
    if (name[0] != '\0' && sl_view_system(frame, name) == NULL)
        return sl_error_set(error, SL_ERROR_ARGUMENT, "ply: the frame has no system \"%.60s\"",
                            name);
    for (size_t s = 0; s < frame->system_count; s++)
        if (is_written(values, &frame->systems[s]) &&
            sl_view_field(&frame->systems[s], "position").type != SL_FIELD_F32X3)
            return sl_error_set(error, SL_ERROR_ARGUMENT,
                                "ply: the system \"%.60s\" has no positions",
                                frame->systems[s].name);
    return SL_OK;
}

static SlStatus write(SlContext *context, const SlParamValue *values, const SlFrameView *frame,
                      SlFileWriter *file, SlError *error)
{
    Columns columns;
    SlStatus status = check(frame, values, error);
    if (status != SL_OK)
        return status;
    char *buffer = sl_alloc(&context->memory, BUFFER_BYTES);
    if (buffer == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "ply: no memory for a buffer");
    find_columns(frame, values, &columns);
    status = write_head(frame, values, &columns, file, error);
    for (size_t s = 0; status == SL_OK && s < frame->system_count; s++)
        if (is_written(values, &frame->systems[s]))
            status = write_system(&frame->systems[s], (uint32_t)s, &columns, buffer, file, error);
    sl_free(&context->memory, buffer, BUFFER_BYTES);
    return status;
}

extern const SlExporter sl_exporter_ply;
const SlExporter sl_exporter_ply = {
    .table = {.name = "ply",
              .kind = "exporter",
              .summary = "particles as points of a binary PLY file",
              .citation = "",
              .rows = rows,
              .row_count = ROW_COUNT},
    .ending = ".ply",
    .write = write,
};
