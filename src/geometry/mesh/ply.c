/* PLY, the head (ply.h): it is text in every coding. */
#include "geometry/mesh/ply.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "geometry/mesh/formats.h"

static const struct {
    const char *name;
    SlPlyType type;
} types[] = {
    {"char", SL_PLY_INT8},     {"int8", SL_PLY_INT8},      {"uchar", SL_PLY_UINT8},
    {"uint8", SL_PLY_UINT8},   {"short", SL_PLY_INT16},    {"int16", SL_PLY_INT16},
    {"ushort", SL_PLY_UINT16}, {"uint16", SL_PLY_UINT16},  {"int", SL_PLY_INT32},
    {"int32", SL_PLY_INT32},   {"uint", SL_PLY_UINT32},    {"uint32", SL_PLY_UINT32},
    {"float", SL_PLY_FLOAT32}, {"float32", SL_PLY_FLOAT32}, {"double", SL_PLY_FLOAT64},
    {"float64", SL_PLY_FLOAT64},
};

size_t sl_ply_type_size(SlPlyType type)
{
    static const uint8_t sizes[] = {0, 1, 1, 2, 2, 4, 4, 4, 8};
    return sizes[type];
}

static SlStatus read_type(SlMeshText *text, bool whole, uint8_t *type, SlError *error)
{
    char shown[40];
    SlMeshWord word = sl_mesh_text_word(text);
    for (size_t k = 0; k < sizeof types / sizeof *types; k++)
        if (sl_mesh_word_is(word, types[k].name)) {
            *type = (uint8_t)types[k].type;
            if (!whole || types[k].type < SL_PLY_FLOAT32)
                return SL_OK;
        }
    return sl_mesh_text_error(text, error, "\"%s\" is not a type%s", sl_mesh_word_show(word, shown),
                              whole ? " of whole numbers; char, uchar, short, ushort, int, uint are"
                                    : "; char, uchar, short, ushort, int, uint, float, double are");
}

/* `records` with room for one more; NULL without memory. Both arrays come through here. */
static void *reserve(SlPly *ply, void *records, size_t record, size_t count, size_t *room,
                     const char *name, SlError *error)
{
    if (count < *room)
        return records;
    size_t wanted = *room == 0 ? 16 : 2 * *room;
    void *grown = sl_regrow(ply->memory, records, *room * record, wanted * record, count * record);
    if (grown != NULL)
        *room = wanted;
    else
        sl_error_set(error, SL_ERROR_MEMORY, "%.300s: no memory for its head", name);
    return grown;
}

static SlStatus read_format(SlPly *ply, SlMeshText *text, SlError *error)
{
    static const char *const names[] = {"ascii", "binary_little_endian", "binary_big_endian"};
    char shown[40], version[40];
    SlMeshWord word = sl_mesh_text_word(text);
    if (!sl_mesh_word_is(word, "format"))
        return sl_mesh_text_error(text, error, "\"%s\" where \"format\" is due",
                                  sl_mesh_word_show(word, shown));
    word = sl_mesh_text_word(text);
    SlMeshWord number = sl_mesh_text_word(text);
    for (int k = 0; k < 3; k++)
        if (sl_mesh_word_is(word, names[k]) && sl_mesh_word_is(number, "1.0")) {
            ply->coding = (SlPlyCoding)k;
            return sl_mesh_text_expect_end(text, "the format", error);
        }
    return sl_mesh_text_error(text, error,
                              "format \"%s\" \"%s\"; ascii, binary_little_endian and "
                              "binary_big_endian, each 1.0, are read",
                              sl_mesh_word_show(word, shown), sl_mesh_word_show(number, version));
}

static SlStatus read_element(SlPly *ply, SlMeshText *text, SlError *error)
{
    char shown[40], found[40];
    void *elements = reserve(ply, ply->elements, sizeof *ply->elements, ply->element_count,
                             &ply->element_room, text->name, error);
    if (elements == NULL)
        return SL_ERROR_MEMORY;
    ply->elements = elements;
    SlMeshWord name = sl_mesh_text_word(text);
    int64_t count;
    sl_mesh_text_line_ended(text);
    if (name.size == 0 || !sl_mesh_text_integer(text, '\n', &count) || count < 0)
        return sl_mesh_text_error(text, error, "element \"%s\": \"%s\" is not a count",
                                  sl_mesh_word_show(name, shown),
                                  sl_mesh_word_show(sl_mesh_text_word(text), found));
    SlPlyElementKind kind = sl_mesh_word_is(name, "vertex") ? SL_PLY_VERTICES
                            : sl_mesh_word_is(name, "face") ? SL_PLY_FACES
                                                            : SL_PLY_OTHERS;
    for (size_t e = 0; kind != SL_PLY_OTHERS && e < ply->element_count; e++)
        if (ply->elements[e].kind == kind)
            return sl_mesh_text_error(text, error, "a second element %s",
                                      sl_mesh_word_show(name, shown));
    if (kind == SL_PLY_VERTICES)
        ply->vertex_count = (size_t)count;
    ply->elements[ply->element_count++] = (SlPlyElement){.name = name,
                                                         .count = (size_t)count,
                                                         .line = text->line,
                                                         .first_property = ply->property_count,
                                                         .kind = kind};
    return sl_mesh_text_expect_end(text, "the element's count", error);
}

static SlPlyRole role_of(SlPlyElementKind kind, SlMeshWord name, bool list)
{
    static const char *const axes[] = {"x", "y", "z"};
    if (kind == SL_PLY_VERTICES && !list)
        for (int k = 0; k < 3; k++)
            if (sl_mesh_word_is(name, axes[k]))
                return (SlPlyRole)k;
    bool corners = sl_mesh_word_is(name, "vertex_indices") || sl_mesh_word_is(name, "vertex_index");
    return kind == SL_PLY_FACES && list && corners ? SL_PLY_CORNERS : SL_PLY_PASSED_OVER;
}

static SlStatus read_property(SlPly *ply, SlMeshText *text, SlError *error)
{
    char shown[40];
    if (ply->element_count == 0)
        return sl_mesh_text_error(text, error, "a property before the first element");
    SlPlyProperty property = {0};
    void *properties = reserve(ply, ply->properties, sizeof property, ply->property_count,
                               &ply->property_room, text->name, error);
    if (properties == NULL)
        return SL_ERROR_MEMORY;
    ply->properties = properties;
    SlStatus status = SL_OK;
    sl_mesh_text_line_ended(text);
    SlMeshText after = *text;
    bool list = sl_mesh_word_is(sl_mesh_text_word(&after), "list");
    if (list)
        *text = after;
    if (list)
        status = read_type(text, true, &property.count_type, error);
    if (status == SL_OK)
        status = read_type(text, false, &property.type, error);
    if (status != SL_OK)
        return status;
    SlPlyElement *element = &ply->elements[ply->element_count - 1];
    SlMeshWord name = sl_mesh_text_word(text);
    property.role = (uint8_t)role_of(element->kind, name, list);
    if (name.size == 0)
        return sl_mesh_text_error(text, error, "a property without a name");
    if (property.role != SL_PLY_PASSED_OVER && (element->roles >> property.role & 1) != 0)
        return sl_mesh_text_error(text, error, "a second property %s",
                                  sl_mesh_word_show(name, shown));
    if (property.role == SL_PLY_CORNERS && property.type >= SL_PLY_FLOAT32)
        return sl_mesh_text_error(text, error, "%s are not of a type of whole numbers",
                                  sl_mesh_word_show(name, shown));
    element->roles |= 1u << property.role;
    ply->properties[ply->property_count++] = property;
    element->property_count++;
    /* In text a value takes a digit and a blank or line end. */
    SlPlyType first = (SlPlyType)(list ? property.count_type : property.type);
    element->min_bytes += ply->coding == SL_PLY_ASCII ? 2 : sl_ply_type_size(first);
    return sl_mesh_text_expect_end(text, "the property's name", error);
}

/* What a count says is believed only where the rest of the file has room for it. */
static SlStatus check_elements(const SlPly *ply, SlMeshText *text, SlError *error)
{
    size_t left = (size_t)(text->end - text->at) + (ply->coding == SL_PLY_ASCII);
    uint32_t kinds = 0;
    for (size_t e = 0; e < ply->element_count; e++) {
        const SlPlyElement *element = &ply->elements[e];
        const uint32_t axes = 1u << SL_PLY_X | 1u << SL_PLY_Y | 1u << SL_PLY_Z;
        SlMeshText place = *text;
        char shown[40];
        place.line = element->line;
        kinds |= 1u << element->kind;
        if (element->kind == SL_PLY_VERTICES && (element->roles & axes) != axes)
            return sl_mesh_text_error(&place, error, "element vertex lacks one of x, y, z");
        if (element->kind == SL_PLY_FACES && (element->roles >> SL_PLY_CORNERS & 1) == 0)
            return sl_mesh_text_error(&place, error, "element face lacks a list vertex_indices");
        if (element->count > 0 && element->property_count == 0)
            return sl_mesh_text_error(&place, error, "element %s has no property",
                                      sl_mesh_word_show(element->name, shown));
        if (element->count > 0 && element->count > left / element->min_bytes)
            return sl_mesh_text_error(&place, error,
                                      "%zu of element %s need at least %zu bytes each, but only "
                                      "%zu are left for them",
                                      element->count, sl_mesh_word_show(element->name, shown),
                                      element->min_bytes, left);
        left -= element->count * element->min_bytes;
    }
    if ((kinds >> SL_PLY_VERTICES & 1) == 0 || (kinds >> SL_PLY_FACES & 1) == 0)
        return sl_mesh_text_error(text, error, "no element %s; a mesh has vertices and faces",
                                  (kinds >> SL_PLY_VERTICES & 1) == 0 ? "vertex" : "face");
    return SL_OK;
}

static SlStatus read_line(SlPly *ply, SlMeshText *text, bool *ended, SlError *error)
{
    char shown[40];
    SlMeshWord word = sl_mesh_text_word(text);
    if (sl_mesh_word_is(word, "comment") || sl_mesh_word_is(word, "obj_info"))
        return SL_OK;
    if (sl_mesh_word_is(word, "element"))
        return read_element(ply, text, error);
    if (sl_mesh_word_is(word, "property"))
        return read_property(ply, text, error);
    *ended = sl_mesh_word_is(word, "end_header");
    if (*ended)
        return sl_mesh_text_expect_end(text, "end_header", error);
    return sl_mesh_text_error(text, error,
                              "\"%s\" in the head; comment, obj_info, element, property and "
                              "end_header are allowed",
                              sl_mesh_word_show(word, shown));
}

SlStatus sl_ply_head_read(SlPly *ply, SlMemory *memory, SlMeshText *text, SlError *error)
{
    *ply = (SlPly){.memory = memory};
    char shown[40];
    SlMeshWord magic = sl_mesh_text_word(text);
    if (!sl_mesh_word_is(magic, "ply"))
        return sl_mesh_text_error(text, error, "\"%s\" where a PLY file begins with \"ply\"",
                                  sl_mesh_word_show(magic, shown));
    SlStatus status = sl_mesh_text_expect_end(text, "ply", error);
    bool formatted = false, ended = false;
    while (status == SL_OK && !ended) {
        sl_mesh_text_next_line(text);
        if (text->at == text->end)
            return sl_mesh_text_error(text, error, "the file ends before end_header");
        SlMeshText line = *text;
        SlMeshWord word = sl_mesh_text_word(&line);
        bool comment = sl_mesh_word_is(word, "comment") || sl_mesh_word_is(word, "obj_info");
        if (formatted || comment) {
            status = read_line(ply, text, &ended, error);
        } else {
            status = read_format(ply, text, error);
            formatted = true;
        }
    }
    if (status != SL_OK)
        return status;
    if (text->at == text->end)
        return sl_mesh_text_error(text, error, "the file ends with its head");
    sl_mesh_text_next_line(text);
    return check_elements(ply, text, error);
}

void sl_ply_head_free(SlPly *ply)
{
    sl_free(ply->memory, ply->elements, ply->element_room * sizeof *ply->elements);
    sl_free(ply->memory, ply->properties, ply->property_room * sizeof *ply->properties);
}

/* --- PLY: the elements after the head, from text and from binary by the same walk. Only x, y, z of
   `vertex` and the corner list of `face` are kept; all else is passed over. --- */

typedef struct Body {
    const SlPly *ply;
    SlMeshBuilder *builder;
    SlMeshText text;   /* its `at` is the cursor in binary too */
    const char *start; /* of the file */
    const char *value; /* the last value read, for errors */
    SlError *error;
} Body;

__attribute__((format(printf, 2, 3)))
static SlStatus fail(const Body *body, const char *format, ...)
{
    char message[300];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (body->ply->coding == SL_PLY_ASCII)
        return sl_mesh_text_error(&body->text, body->error, "%s", message);
    return sl_mesh_bytes_error(body->text.name, (size_t)(body->value - body->start), body->error,
                               "%s", message);
}

static SlStatus take_bytes(Body *body, size_t count, size_t size)
{
    size_t left = (size_t)(body->text.end - body->text.at);
    body->value = body->text.at;
    if (count > left / size)
        return fail(body, "%zu bytes are due but the file has only %zu more", count * size, left);
    body->text.at += count * size;
    return SL_OK;
}

/* Every type fits a double exactly. */
static double binary_value(const Body *body, SlPlyType type)
{
    uint64_t bits = sl_mesh_bytes_join(body->value, sl_ply_type_size(type),
                                       body->ply->coding == SL_PLY_BIG_ENDIAN);
    uint32_t half = (uint32_t)bits;
    float single;
    double value;
    switch (type) {
    case SL_PLY_INT8: return (int8_t)bits;
    case SL_PLY_INT16: return (int16_t)bits;
    case SL_PLY_INT32: return (int32_t)bits;
    case SL_PLY_FLOAT32: memcpy(&single, &half, 4); return (double)single;
    case SL_PLY_FLOAT64: memcpy(&value, &bits, 8); return value;
    default: return (double)bits;
    }
}

static SlStatus read_integer(Body *body, SlPlyType type, const char *what, int64_t *value)
{
    if (body->ply->coding != SL_PLY_ASCII) {
        SlStatus status = take_bytes(body, 1, sl_ply_type_size(type));
        *value = status == SL_OK ? (int64_t)binary_value(body, type) : 0;
        return status;
    }
    char shown[40];
    if (sl_mesh_text_line_ended(&body->text))
        return fail(body, "the line ends where %s is due", what);
    if (sl_mesh_text_integer(&body->text, '\n', value))
        return SL_OK;
    SlMeshWord word = sl_mesh_text_word(&body->text);
    return fail(body, "\"%s\" is not %s", sl_mesh_word_show(word, shown), what);
}

static SlStatus read_coordinate(Body *body, const SlPlyProperty *property, float *value)
{
    if (body->ply->coding == SL_PLY_ASCII)
        return sl_mesh_text_coordinate(&body->text, "vertex", value, body->error);
    SlPlyType type = (SlPlyType)property->type;
    SlStatus status = take_bytes(body, 1, sl_ply_type_size(type));
    if (status != SL_OK)
        return status;
    double number = binary_value(body, type);
    *value = fabs(number) <= 3.402823466385288598e38 ? (float)number : NAN;
    return isfinite(*value) ? SL_OK : fail(body, "coordinate %g is not a finite float", number);
}

/* Words, not numbers: what is not used may be nan. */
static SlStatus pass_over(Body *body, size_t count, SlPlyType type)
{
    if (body->ply->coding != SL_PLY_ASCII)
        return take_bytes(body, count, sl_ply_type_size(type));
    for (size_t k = 0; k < count; k++)
        if (sl_mesh_text_word(&body->text).size == 0)
            return fail(body, "the line ends where %zu more values are due", count - k);
    return SL_OK;
}

/* A polygon becomes a fan around its first corner. */
static SlStatus read_corners(Body *body, SlPlyType type, int64_t count)
{
    uint32_t first = 0, last = 0;
    if (count < 3)
        return fail(body, "a face of %lld corners; 3 is the least", (long long)count);
    SlStatus status = SL_OK;
    for (int64_t k = 0; status == SL_OK && k < count; k++) {
        int64_t corner;
        status = read_integer(body, type, "a vertex's number", &corner);
        if (status != SL_OK)
            return status;
        if (corner < 0 || corner >= (int64_t)body->ply->vertex_count)
            return fail(body, "a face has vertex %lld; there are %zu, counted from 0",
                        (long long)corner, body->ply->vertex_count);
        if (k >= 2)
            status = sl_mesh_builder_add_triangle(body->builder, first, last, (uint32_t)corner,
                                                  body->error);
        if (k == 0)
            first = (uint32_t)corner;
        last = (uint32_t)corner;
    }
    return status;
}

static SlStatus read_list(Body *body, const SlPlyProperty *property)
{
    int64_t count;
    SlStatus status = read_integer(body, (SlPlyType)property->count_type, "a list's length", &count);
    if (status != SL_OK)
        return status;
    if (count < 0)
        return fail(body, "a list of %lld values; 0 is the least", (long long)count);
    return property->role == SL_PLY_CORNERS
               ? read_corners(body, (SlPlyType)property->type, count)
               : pass_over(body, (size_t)count, (SlPlyType)property->type);
}

/* In text each stands on a line of its own. */
static SlStatus read_one(Body *body, const SlPlyElement *element)
{
    float position[3] = {0, 0, 0};
    char shown[40];
    bool text = body->ply->coding == SL_PLY_ASCII;
    if (text && !sl_mesh_text_find_word(&body->text))
        return fail(body, "the file ends where an element %s is due",
                    sl_mesh_word_show(element->name, shown));
    SlStatus status = SL_OK;
    for (size_t k = 0; status == SL_OK && k < element->property_count; k++) {
        const SlPlyProperty *property = &body->ply->properties[element->first_property + k];
        if (property->count_type != SL_PLY_NONE)
            status = read_list(body, property);
        else if (property->role <= SL_PLY_Z)
            status = read_coordinate(body, property, &position[property->role]);
        else
            status = pass_over(body, 1, (SlPlyType)property->type);
    }
    if (status == SL_OK && text)
        status = sl_mesh_text_expect_end(&body->text, "the last property", body->error);
    if (status == SL_OK && element->kind == SL_PLY_VERTICES)
        status = sl_mesh_builder_add_vertex(body->builder, position, body->error);
    return status;
}

/* A count in the head that is too small must not pass for a smaller mesh. */
static SlStatus check_end(Body *body)
{
    if (!sl_mesh_text_find_word(&body->text))
        return SL_OK;
    body->value = body->text.at;
    return fail(body, "%zu bytes follow the last element; the head counts too few",
                (size_t)(body->text.end - body->text.at));
}

SlStatus sl_mesh_ply_parse(SlMeshBuilder *builder, const char *name, const char *bytes,
                           size_t size, SlError *error)
{
    SlPly ply;
    Body body = {.ply = &ply,
                 .builder = builder,
                 .text = {name, bytes, bytes + size, .line = 1, .comment = '\n'},
                 .start = bytes,
                 .value = bytes,
                 .error = error};
    SlStatus status = sl_ply_head_read(&ply, &builder->context->memory, &body.text, error);
    for (size_t e = 0; status == SL_OK && e < ply.element_count; e++)
        for (size_t k = 0; status == SL_OK && k < ply.elements[e].count; k++)
            status = read_one(&body, &ply.elements[e]);
    if (status == SL_OK)
        status = check_end(&body);
    sl_ply_head_free(&ply);
    return status;
}
