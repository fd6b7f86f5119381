/* The strict JSON reader: recursive descent over RFC 8259's grammar. Every function returns false
   with the message set, or leaves the reader behind what it read. */
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "scene/json.h"

typedef struct Reader {
    SlJson *json;
    const char *at, *end; /* *end is 0 */
    SlJsonPlace place;    /* of `at` */
    bool fixed;           /* a value of --set: all nodes get `set_place` */
    SlJsonPlace set_place;
    uint32_t depth;
    SlError error;
} Reader;

static bool read_value(Reader *reader, SlJsonId *id);

/* --- Characters and places --- */

static void step(Reader *reader)
{
    unsigned char c = (unsigned char)*reader->at++;
    if (c == '\n' || (c == '\r' && *reader->at != '\n')) {
        reader->place.line++;
        reader->place.column = 1;
    } else if (c != '\r' && ((unsigned char)*reader->at & 0xC0) != 0x80) {
        reader->place.column++; /* the bytes inside a UTF-8 character share its column */
    }
}

static void skip(Reader *reader, size_t bytes)
{
    for (size_t k = 0; k < bytes; k++)
        step(reader);
}

static void skip_space(Reader *reader)
{
    while (*reader->at == ' ' || *reader->at == '\t' || *reader->at == '\n' || *reader->at == '\r')
        step(reader);
}

static SlJsonPlace node_place(const Reader *reader)
{
    return reader->fixed ? reader->set_place : reader->place;
}

static bool at_end(const Reader *reader)
{
    return reader->at >= reader->end;
}

/* The message about `place`; inside a value of --set, which has no lines, it is about a column. */
static bool refuse(Reader *reader, SlJsonPlace place, const char *message)
{
    if (reader->fixed)
        sl_json_error(reader->json, reader->set_place, &reader->error, "character %u: %s",
                      place.column, message);
    else
        sl_json_error(reader->json, place, &reader->error, "%s", message);
    return false;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_word(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* What stands at the reader, in words. */
static void describe_here(const Reader *reader, char *text, size_t text_size)
{
    unsigned char c = (unsigned char)*reader->at;
    size_t length = sl_utf8_length(reader->at), word = 0;
    while (is_word(reader->at[word]) && word < 24)
        word++;
    if (at_end(reader))
        snprintf(text, text_size, "the end of the %s", reader->fixed ? "value" : "file");
    else if (c < 0x20 || c == 0x7F)
        snprintf(text, text_size, "the control character 0x%02X", c);
    else if (length == 0)
        snprintf(text, text_size, "the byte 0x%02X, which is not UTF-8", c);
    else if (word > 1)
        snprintf(text, text_size, "%.*s", (int)word, reader->at);
    else
        snprintf(text, text_size, "'%.*s'", (int)length, reader->at);
}

/* "found X; <needed>", with the habits of other languages named. */
static bool refuse_here(Reader *reader, const char *needed)
{
    static const struct {
        const char *start, *advice;
    } habits[] = {
        {"//", "comments are not JSON"},
        {"/*", "comments are not JSON"},
        {"#", "comments are not JSON"},
        {"'", "text stands in double quotes in JSON"},
        {"NaN", "NaN is not a JSON number"},
        {"nan", "nan is not a JSON number"},
        {"Infinity", "Infinity is not a JSON number"},
        {"inf", "inf is not a JSON number"},
        {"-Infinity", "-Infinity is not a JSON number"},
        {"-inf", "-inf is not a JSON number"},
        {"-nan", "-nan is not a JSON number"},
        {"True", "JSON writes true"},
        {"False", "JSON writes false"},
        {"None", "JSON writes null"},
        {"+", "a JSON number has no + in front"},
        {".", "a JSON number has a digit before its point"},
    };
    char found[64], message[256];
    describe_here(reader, found, sizeof found);
    const char *advice = needed;
    for (size_t k = 0; k < sizeof habits / sizeof habits[0]; k++) {
        size_t length = strlen(habits[k].start);
        if (strncmp(reader->at, habits[k].start, length) != 0)
            continue;
        bool goes_on = is_word(habits[k].start[length - 1]) && is_word(reader->at[length]);
        advice = goes_on ? needed : habits[k].advice;
    }
    snprintf(message, sizeof message, "found %s; %s", found, advice);
    return refuse(reader, reader->place, message);
}

/* --- Numbers and words --- */

/* Moves `length` over the digits; false if there is none. */
static bool scan_digits(const char *at, size_t *length)
{
    size_t before = *length;
    while (is_digit(at[*length]))
        (*length)++;
    return *length > before;
}

/* The length of the JSON number at `at`, or what is wrong with it. */
static const char *scan_number(const char *at, size_t *length)
{
    size_t n = at[0] == '-' ? 1 : 0;
    if (at[n] == '0' && (at[n + 1] == 'x' || at[n + 1] == 'X'))
        return "hexadecimal is not JSON; write the number in decimal";
    if (at[n] == '0' && is_digit(at[n + 1]))
        return "a JSON number has no leading zeros";
    if (!scan_digits(at, &n))
        return "a digit is needed after the minus";
    if (at[n] == '.') {
        n++;
        if (!scan_digits(at, &n))
            return "a digit is needed after the point";
    }
    if (at[n] == 'e' || at[n] == 'E') {
        n += at[n + 1] == '+' || at[n + 1] == '-' ? 2 : 1;
        if (!scan_digits(at, &n))
            return "a digit is needed in the exponent";
    }
    if (is_word(at[n]))
        return "a number cannot go on with letters; units are not written, text is in quotes";
    *length = n;
    return NULL;
}

static bool read_number(Reader *reader, SlJsonId id)
{
    size_t length = 0;
    bool infinite = reader->at[0] == '-' && is_word(reader->at[1]) && !is_digit(reader->at[1]);
    if (infinite) /* -Infinity and its like */
        return refuse_here(reader, "a digit is needed after the minus");
    const char *wrong = scan_number(reader->at, &length);
    if (wrong != NULL)
        return refuse(reader, reader->place, wrong);
    double number = strtod(reader->at, NULL);
    if (!isfinite(number)) {
        char message[128];
        snprintf(message, sizeof message,
                 "the number %.*s%s is too large; at most 1.79e308 can be read",
                 length < 24 ? (int)length : 24, reader->at, length < 24 ? "" : "…");
        return refuse(reader, reader->place, message);
    }
    reader->json->nodes[id].type = SL_JSON_NUMBER;
    reader->json->nodes[id].number = number;
    skip(reader, length);
    return true;
}

static bool read_word(Reader *reader, SlJsonId id)
{
    static const struct {
        const char *word;
        SlJsonType type;
        double number;
    } words[] = {{"true", SL_JSON_BOOL, 1}, {"false", SL_JSON_BOOL, 0}, {"null", SL_JSON_NULL, 0}};
    for (size_t k = 0; k < sizeof words / sizeof words[0]; k++) {
        size_t length = strlen(words[k].word);
        if (strncmp(reader->at, words[k].word, length) != 0 || is_word(reader->at[length]))
            continue;
        reader->json->nodes[id].type = words[k].type;
        reader->json->nodes[id].number = words[k].number;
        skip(reader, length);
        return true;
    }
    return refuse_here(reader, "a value is needed: a number, text in double quotes, true, false, "
                               "null, [ or {");
}

/* --- Text --- */

static bool read_hex4(Reader *reader, uint32_t *code)
{
    *code = 0;
    for (int k = 0; k < 4; k++) {
        char c = *reader->at;
        uint32_t digit;
        if (is_digit(c))
            digit = (uint32_t)(c - '0');
        else if ((c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'))
            digit = (uint32_t)((c | 0x20) - 'a' + 10);
        else
            return refuse_here(reader, "four hexadecimal digits are needed after \\u");
        *code = *code << 4 | digit;
        step(reader);
    }
    return true;
}

static size_t encode_utf8(uint32_t code, char out[4])
{
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    size_t length = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const unsigned char lead[] = {0, 0, 0xC0, 0xE0, 0xF0};
    for (size_t k = length - 1; k > 0; k--) {
        out[k] = (char)(0x80 | (code & 0x3F));
        code >>= 6;
    }
    out[0] = (char)(lead[length] | code);
    return length;
}

/* Behind "\u"; a character beyond U+FFFF is a pair of them. */
static bool read_unicode(Reader *reader, SlJsonPlace begin, char out[4], size_t *length)
{
    uint32_t code, low;
    if (!read_hex4(reader, &code))
        return false;
    if (code == 0)
        return refuse(reader, begin, "\\u0000 cannot stand in a text");
    bool high = code >= 0xD800 && code <= 0xDBFF;
    if (high && reader->at[0] == '\\' && reader->at[1] == 'u') {
        skip(reader, 2);
        if (!read_hex4(reader, &low))
            return false;
        if (low >= 0xDC00 && low <= 0xDFFF)
            code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    }
    if (code >= 0xD800 && code <= 0xDFFF)
        return refuse(reader, begin, "half of a surrogate pair is not a character");
    *length = encode_utf8(code, out);
    return true;
}

static bool read_escape(Reader *reader, char out[4], size_t *length)
{
    static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    SlJsonPlace begin = reader->place;
    step(reader);
    const char *letter = *reader->at != '\0' ? strchr(letters, *reader->at) : NULL;
    if (letter != NULL) {
        out[0] = meanings[letter - letters];
        *length = 1;
        step(reader);
        return true;
    }
    if (*reader->at != 'u')
        return refuse_here(reader, "after \\ one of \" \\ / b f n r t u is needed");
    step(reader);
    return read_unicode(reader, begin, out, length);
}

/* One character of a text, decoded. */
static bool read_character(Reader *reader, SlJsonPlace begin, char out[4], size_t *length)
{
    unsigned char c = (unsigned char)*reader->at;
    if (c == '\\')
        return read_escape(reader, out, length);
    if (at_end(reader) || c == '\n' || c == '\r')
        return refuse(reader, begin, "this text has no closing quote on its line");
    if (c < 0x20)
        return refuse_here(reader, "in a text it is written as an escape such as \\t or \\u001f");
    *length = sl_utf8_length(reader->at);
    if (*length == 0)
        return refuse_here(reader, "save the file as UTF-8");
    memcpy(out, reader->at, *length);
    skip(reader, *length);
    return true;
}

/* Reads "…" into the pool. The pool's end moves on with every character, so it is begun with an
   empty text whose 0 each character replaces. */
static bool read_text(Reader *reader, uint32_t *offset)
{
    SlJson *json = reader->json;
    SlJsonPlace begin = reader->place;
    *offset = sl_json_store(json, "", 0, &reader->error);
    if (*offset == 0)
        return false;
    step(reader);
    while (*reader->at != '"') {
        char character[4];
        size_t length = 0;
        if (!read_character(reader, begin, character, &length))
            return false;
        json->pool_used--;
        if (sl_json_store(json, character, length, &reader->error) == 0)
            return false;
    }
    step(reader);
    return true;
}

/* --- Arrays and objects --- */

/* Hangs `child` behind `last` (0: it is the first). */
static void link_child(SlJson *json, SlJsonId parent, SlJsonId last, SlJsonId child)
{
    if (last == 0)
        json->nodes[parent].first = child;
    else
        json->nodes[last].next = child;
    json->nodes[parent].count++;
}

/* Behind a child: true with *more for a comma, true without for the closing bracket. */
static bool read_separator(Reader *reader, char close, SlJsonPlace begin, bool *more)
{
    const char *what = close == ']' ? "array" : "object";
    char message[160];
    skip_space(reader);
    *more = *reader->at == ',';
    if (!*more && *reader->at != close) {
        if (at_end(reader)) {
            snprintf(message, sizeof message,
                     "the %s ends inside the %s that began at line %u, column %u; '%c' is missing",
                     reader->fixed ? "value" : "file", what, begin.line, begin.column, close);
            return refuse(reader, reader->place, message);
        }
        snprintf(message, sizeof message, "',' or '%c' is needed here in the %s", close, what);
        return refuse_here(reader, message);
    }
    SlJsonPlace comma = reader->place;
    step(reader);
    skip_space(reader);
    if (*more && *reader->at == close) {
        snprintf(message, sizeof message, "a comma before '%c' is not JSON; remove it", close);
        return refuse(reader, comma, message);
    }
    return true;
}

static bool read_key(Reader *reader, SlJsonId object, uint32_t *key, SlJsonPlace *place)
{
    SlJson *json = reader->json;
    SlJsonPlace begin = reader->place;
    *place = node_place(reader);
    if (*reader->at != '"')
        return refuse_here(reader, "a key in double quotes is needed");
    if (!read_text(reader, key))
        return false;
    const SlJsonNode *first = sl_json_member(json, &json->nodes[object], json->pool + *key);
    if (first != NULL) {
        char message[160], quoted[SL_JSON_QUOTE];
        snprintf(message, sizeof message, "the key %s is here twice, first at line %u, column %u",
                 sl_json_quote(json->pool + *key, quoted), first->key_place.line,
                 first->key_place.column);
        if (reader->fixed)
            snprintf(message, sizeof message, "the key %s is here twice",
                     sl_json_quote(json->pool + *key, quoted));
        return refuse(reader, begin, message);
    }
    if (json->nodes[object].count == SL_JSON_KEYS)
        return refuse(reader, begin, "more than 256 keys in one object");
    skip_space(reader);
    if (*reader->at != ':')
        return refuse_here(reader, "':' is needed after a key");
    step(reader);
    skip_space(reader);
    return true;
}

static bool read_children(Reader *reader, SlJsonId parent, char close)
{
    SlJson *json = reader->json;
    SlJsonPlace begin = reader->place;
    step(reader);
    skip_space(reader);
    bool more = *reader->at != close;
    if (!more)
        step(reader);
    SlJsonId last = 0;
    while (more) {
        uint32_t key = 0;
        SlJsonPlace key_place = {0, 0};
        SlJsonId child;
        if (at_end(reader)) /* said as in read_separator */
            return read_separator(reader, close, begin, &more);
        if (close == '}' && !read_key(reader, parent, &key, &key_place))
            return false;
        if (!read_value(reader, &child))
            return false;
        json->nodes[child].key = key;
        json->nodes[child].key_place = key_place;
        link_child(json, parent, last, child);
        last = child;
        if (!read_separator(reader, close, begin, &more))
            return false;
    }
    return true;
}

static bool read_value(Reader *reader, SlJsonId *id)
{
    SlJson *json = reader->json;
    char c = *reader->at;
    *id = sl_json_add(json, SL_JSON_NULL, node_place(reader), &reader->error);
    if (*id == 0)
        return false;
    if (c == '"') {
        uint32_t offset;
        if (!read_text(reader, &offset))
            return false;
        json->nodes[*id].type = SL_JSON_TEXT;
        json->nodes[*id].text = offset;
        return true;
    }
    if (c == '-' || is_digit(c))
        return read_number(reader, *id);
    if (c != '[' && c != '{')
        return read_word(reader, *id);

    if (reader->depth == SL_JSON_DEPTH)
        return refuse(reader, reader->place, "more than 64 arrays and objects inside each other");
    json->nodes[*id].type = c == '[' ? SL_JSON_ARRAY : SL_JSON_OBJECT;
    json->nodes[*id].first = 0;
    reader->depth++;
    bool whole = read_children(reader, *id, c == '[' ? ']' : '}');
    reader->depth--;
    return whole;
}

/* --- Whole texts --- */

/* One value and nothing behind it. strtod must see the point of "C" whatever the program set. */
static SlStatus read_integer(Reader *reader, SlJsonId *id, SlError *error)
{
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    locale_t before = uselocale(plain);
    skip_space(reader);
    bool fine = read_value(reader, id);
    skip_space(reader);
    if (fine && !at_end(reader))
        fine = refuse_here(reader, "nothing may follow the end of the document");
    uselocale(before);
    if (plain != (locale_t)0)
        freelocale(plain);
    if (!fine && error != NULL)
        *error = reader->error;
    return fine ? SL_OK : reader->error.status;
}

SlStatus sl_json_read_value(SlJson *json, const char *text, SlJsonPlace place, uint32_t depth,
                            SlJsonId *id, SlError *error)
{
    Reader reader = {.json = json, .at = text, .end = text + strlen(text), .place = {1, 1},
                     .fixed = true, .set_place = place, .depth = depth};
    return read_integer(&reader, id, error);
}

SlStatus sl_json_read(SlMemory *memory, const char *name, const char *text, size_t bytes,
                      SlJson *json, SlError *error)
{
    *json = (SlJson){.memory = memory};
    sl_json_store(json, "", 0, error);
    if (json->pool != NULL)
        json->name = sl_json_store(json, name, strlen(name), error);
    if (json->name == 0 || (sl_json_add(json, SL_JSON_NULL, (SlJsonPlace){1, 1}, error),
                            json->node_count == 0))
        return SL_ERROR_MEMORY;

    Reader reader = {.json = json, .at = text, .end = text + bytes, .place = {1, 1}};
    if (bytes >= 2 && (memcmp(text, "\xFF\xFE", 2) == 0 || memcmp(text, "\xFE\xFF", 2) == 0))
        return sl_json_error(json, reader.place, error, "the file is UTF-16; save it as UTF-8");
    if (bytes >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0)
        reader.at += 3; /* a byte order mark says UTF-8 and nothing else */
    skip_space(&reader);
    if (at_end(&reader))
        return sl_json_error(json, (SlJsonPlace){1, 1}, error,
                             "the file is empty; a JSON value is needed");
    return read_integer(&reader, &json->root, error);
}
