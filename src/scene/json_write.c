/* A tree back to text, for people to read and for sl_json_read to read again. */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "scene/json.h"

enum { SHORT_ARRAY = 8 }; /* numbers on one line */

typedef struct Writer {
    const SlJson *json;
    SlMemory *memory;
    char *text;
    size_t used, capacity;
    bool full; /* memory is out; what follows is dropped */
} Writer;

static void put_bytes(Writer *writer, const char *bytes, size_t count)
{
    if (writer->full)
        return;
    if (writer->used + count > writer->capacity) {
        size_t capacity = 2 * (writer->used + count) + 1024;
        char *grown = sl_regrow(writer->memory, writer->text, writer->capacity, capacity,
                                writer->used);
        if (grown == NULL) {
            writer->full = true;
            return;
        }
        writer->text = grown;
        writer->capacity = capacity;
    }
    memcpy(writer->text + writer->used, bytes, count);
    writer->used += count;
}

static void put(Writer *writer, const char *text)
{
    put_bytes(writer, text, strlen(text));
}

static void put_number(Writer *writer, double number)
{
    char text[40];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, number);
        if (strtod(text, NULL) == number)
            break;
    }
    put(writer, text);
}

static void put_text(Writer *writer, const char *text)
{
    static const char plain[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
    put(writer, "\"");
    for (; *text != '\0'; text++) {
        const char *special = strchr(plain, *text);
        char escape[8];
        if (special != NULL) {
            snprintf(escape, sizeof escape, "\\%c", letters[special - plain]);
            put(writer, escape);
        } else if ((unsigned char)*text < 0x20) {
            snprintf(escape, sizeof escape, "\\u%04x", (unsigned)*text);
            put(writer, escape);
        } else {
            put_bytes(writer, text, 1);
        }
    }
    put(writer, "\"");
}

static bool is_short_array(const SlJson *json, const SlJsonNode *node)
{
    if (node->type != SL_JSON_ARRAY || node->count > SHORT_ARRAY)
        return false;
    for (const SlJsonNode *c = sl_json_first(json, node); c != NULL; c = sl_json_next(json, c))
        if (c->type != SL_JSON_NUMBER)
            return false;
    return true;
}

static void put_new_line(Writer *writer, uint32_t depth)
{
    put(writer, "\n");
    for (uint32_t k = 0; k < depth; k++)
        put(writer, "  ");
}

static void put_value(Writer *writer, const SlJsonNode *node, uint32_t depth);

static void put_children(Writer *writer, const SlJsonNode *node, uint32_t depth)
{
    const SlJson *json = writer->json;
    bool object = node->type == SL_JSON_OBJECT;
    bool one_line = node->count == 0 || is_short_array(json, node);
    const SlJsonNode *child = sl_json_first(json, node);
    put(writer, object ? "{" : "[");
    while (child != NULL) {
        if (!one_line)
            put_new_line(writer, depth + 1);
        if (object) {
            put_text(writer, sl_json_key(json, child));
            put(writer, ": ");
        }
        put_value(writer, child, depth + 1);
        child = sl_json_next(json, child);
        if (child != NULL)
            put(writer, one_line ? ", " : ",");
    }
    if (!one_line)
        put_new_line(writer, depth);
    put(writer, object ? "}" : "]");
}

static void put_value(Writer *writer, const SlJsonNode *node, uint32_t depth)
{
    switch (node->type) {
    case SL_JSON_NULL: put(writer, "null"); break;
    case SL_JSON_BOOL: put(writer, node->number != 0 ? "true" : "false"); break;
    case SL_JSON_NUMBER: put_number(writer, node->number); break;
    case SL_JSON_TEXT: put_text(writer, sl_json_text(writer->json, node)); break;
    case SL_JSON_ARRAY:
    case SL_JSON_OBJECT: put_children(writer, node, depth); break;
    }
}

SlStatus sl_json_write(const SlJson *json, SlMemory *memory, char **text, size_t *size,
                       SlError *error)
{
    Writer writer = {.json = json, .memory = memory};
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    locale_t before = uselocale(plain);
    put_value(&writer, sl_json_root(json), 0);
    put_bytes(&writer, "\n", 2);
    uselocale(before);
    if (plain != (locale_t)0)
        freelocale(plain);
    *text = NULL;
    *size = 0;
    /* Given back in its exact size, so that the caller has to keep only one number. */
    if (!writer.full)
        *text = sl_alloc(memory, writer.used);
    if (*text != NULL) {
        memcpy(*text, writer.text, writer.used);
        *size = writer.used;
    }
    sl_free(memory, writer.text, writer.capacity);
    if (*text == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for a scene's text");
    return SL_OK;
}
