/* PLY: the elements after the head, from text and from binary by the same walk. Only x, y, z of
   `vertex` and the corner list of `face` are kept; all else is passed over. */
#include "geometry/mesh_ply.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "geometry/mesh_bytes.h"
#include "geometry/mesh_formats.h"

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
    char sentence[300];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    if (body->ply->coding == SL_PLY_ASCII)
        return sl_mesh_text_error(&body->text, body->error, "%s", sentence);
    return sl_mesh_bytes_error(body->text.name, (size_t)(body->value - body->start), body->error,
                               "%s", sentence);
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

static SlStatus read_whole(Body *body, SlPlyType type, const char *what, int64_t *value)
{
    if (body->ply->coding != SL_PLY_ASCII) {
        SlStatus status = take_bytes(body, 1, sl_ply_type_size(type));
        *value = status == SL_OK ? (int64_t)binary_value(body, type) : 0;
        return status;
    }
    char shown[40];
    if (sl_mesh_text_line_ended(&body->text))
        return fail(body, "the line ends where %s is due", what);
    if (sl_mesh_text_whole(&body->text, '\n', value))
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
        status = read_whole(body, type, "a vertex's number", &corner);
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
    SlStatus status = read_whole(body, (SlPlyType)property->count_type, "a list's length", &count);
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
