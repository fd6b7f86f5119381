/* The tree itself: storage, walking, and messages that name a place. */
#include "scene/json.h"

#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"

void sl_json_free(SlJson *json)
{
    sl_free(json->memory, json->nodes, json->node_capacity * sizeof *json->nodes);
    sl_free(json->memory, json->pool, json->pool_capacity);
    json->nodes = NULL;
    json->pool = NULL;
    json->node_capacity = json->pool_capacity = 0;
}

/* --- Storage --- */

static bool grow_nodes(SlJson *json)
{
    uint32_t capacity = json->node_capacity > 0 ? 2 * json->node_capacity : 64;
    size_t size = sizeof *json->nodes;
    SlJsonNode *grown = sl_regrow(json->memory, json->nodes, json->node_capacity * size,
                                  capacity * size, json->node_count * size);
    if (grown == NULL)
        return false;
    json->nodes = grown;
    json->node_capacity = capacity;
    return true;
}

SlJsonId sl_json_add(SlJson *json, SlJsonType type, SlJsonPlace place, SlError *error)
{
    if (json->node_count > SL_JSON_VALUES) {
        sl_json_error(json, place, error, "more than %d values in one file", SL_JSON_VALUES);
        return 0;
    }
    if (json->node_count == json->node_capacity && !grow_nodes(json)) {
        sl_error_set(error, SL_ERROR_MEMORY, "no memory for a scene of %u values",
                     json->node_count);
        return 0;
    }
    json->nodes[json->node_count] = (SlJsonNode){.type = type, .place = place};
    return json->node_count++;
}

uint32_t sl_json_store(SlJson *json, const char *text, size_t bytes, SlError *error)
{
    size_t needed = (size_t)json->pool_used + bytes + 1;
    if (needed > json->pool_capacity) {
        size_t capacity = 2 * (size_t)json->pool_capacity;
        if (capacity < needed)
            capacity = needed + 256;
        char *grown = NULL;
        if (capacity <= UINT32_MAX)
            grown = sl_regrow(json->memory, json->pool, json->pool_capacity, capacity,
                              json->pool_used);
        if (grown == NULL) {
            sl_error_set(error, SL_ERROR_MEMORY, "no memory for %zu bytes of a scene's text",
                         needed);
            return 0;
        }
        json->pool = grown;
        json->pool_capacity = (uint32_t)capacity;
    }
    uint32_t offset = json->pool_used;
    if (bytes > 0)
        memcpy(json->pool + offset, text, bytes);
    json->pool[offset + bytes] = '\0';
    json->pool_used = (uint32_t)needed;
    return offset;
}

/* --- Walking --- */

static const SlJsonNode *node_or_null(const SlJson *json, SlJsonId id)
{
    return id != 0 ? &json->nodes[id] : NULL;
}

const SlJsonNode *sl_json_root(const SlJson *json)
{
    return node_or_null(json, json->root);
}

const SlJsonNode *sl_json_first(const SlJson *json, const SlJsonNode *parent)
{
    bool has_children = parent->type == SL_JSON_ARRAY || parent->type == SL_JSON_OBJECT;
    return has_children ? node_or_null(json, parent->first) : NULL;
}

const SlJsonNode *sl_json_next(const SlJson *json, const SlJsonNode *node)
{
    return node_or_null(json, node->next);
}

const SlJsonNode *sl_json_member(const SlJson *json, const SlJsonNode *object, const char *key)
{
    if (object->type != SL_JSON_OBJECT)
        return NULL;
    const SlJsonNode *member = sl_json_first(json, object);
    while (member != NULL && strcmp(sl_json_key(json, member), key) != 0)
        member = sl_json_next(json, member);
    return member;
}

const char *sl_json_key(const SlJson *json, const SlJsonNode *node)
{
    return json->pool + node->key;
}

const char *sl_json_text(const SlJson *json, const SlJsonNode *node)
{
    return node->type == SL_JSON_TEXT ? json->pool + node->text : "";
}

/* --- Messages --- */

void sl_json_place_print(const SlJson *json, SlJsonPlace place, char *text, size_t text_size)
{
    if (place.line == 0)
        snprintf(text, text_size, "override %.200s", json->pool + place.column);
    else
        snprintf(text, text_size, "%.200s:%u:%u", json->pool + json->name, place.line,
                 place.column);
}

SlStatus sl_json_error(const SlJson *json, SlJsonPlace place, SlError *error, const char *format,
                       ...)
{
    char where[256], what[sizeof error->text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    sl_json_place_print(json, place, where, sizeof where);
    SlStatus status = place.line == 0 ? SL_ERROR_ARGUMENT : SL_ERROR_PARSE;
    return sl_error_set(error, status, "%s: %s", where, what);
}

void sl_json_describe(const SlJson *json, const SlJsonNode *node, char *text, size_t text_size)
{
    char quoted[SL_JSON_QUOTE];
    switch (node->type) {
    case SL_JSON_NULL: snprintf(text, text_size, "null"); break;
    case SL_JSON_BOOL:
        snprintf(text, text_size, "%s", node->number != 0 ? "true" : "false");
        break;
    case SL_JSON_NUMBER: snprintf(text, text_size, "the number %g", node->number); break;
    case SL_JSON_TEXT:
        snprintf(text, text_size, "text %s", sl_json_quote(sl_json_text(json, node), quoted));
        break;
    case SL_JSON_ARRAY: snprintf(text, text_size, "an array of %u", node->count); break;
    case SL_JSON_OBJECT: snprintf(text, text_size, "an object"); break;
    }
}

size_t sl_utf8_length(const char *at)
{
    const unsigned char *b = (const unsigned char *)at;
    if (b[0] < 0x80)
        return 1;
    size_t length = b[0] >= 0xF0 ? 4 : b[0] >= 0xE0 ? 3 : 2;
    if (b[0] < 0xC2 || b[0] > 0xF4)
        return 0;
    /* Second bytes that would spell a shorter form, a surrogate or beyond U+10FFFF. */
    if ((b[0] == 0xE0 && b[1] < 0xA0) || (b[0] == 0xED && b[1] > 0x9F) ||
        (b[0] == 0xF0 && b[1] < 0x90) || (b[0] == 0xF4 && b[1] > 0x8F))
        return 0;
    for (size_t k = 1; k < length; k++)
        if ((b[k] & 0xC0) != 0x80)
            return 0;
    return length;
}

const char *sl_json_quote(const char *text, char quoted[SL_JSON_QUOTE])
{
    enum { MAX = 40 };
    size_t used = 0;
    quoted[used++] = '"';
    while (*text != '\0') {
        size_t length = sl_utf8_length(text);
        if (used + length > MAX) {
            memcpy(quoted + used, "…", strlen("…"));
            used += strlen("…");
            break;
        }
        bool plain = length > 0 && (unsigned char)*text >= 0x20 && *text != 0x7F;
        if (plain)
            memcpy(quoted + used, text, length);
        else
            quoted[used] = '?';
        used += plain ? length : 1;
        text += plain ? length : 1;
    }
    memcpy(quoted + used, "\"", 2);
    return quoted;
}

/* --- A tree back to text, for people to read and for sl_json_read to read again. --- */

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
