/* The JSON reader against the grammar, and the writer against the reader. */
#include "scene/json.h"
#include "support/test.h"

static SlMemory memory;

static SlStatus read_bytes(const char *text, size_t bytes, SlJson *json)
{
    return sl_json_read(&memory, "f.json", text, bytes, json, &test_error);
}

static void good_texts_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        SlJsonType type;
        double number;
    } cases[] = {
        {"0", SL_JSON_NUMBER, 0},
        {" -0 ", SL_JSON_NUMBER, 0},
        {"-12.5e-1", SL_JSON_NUMBER, -1.25},
        {"1E+2", SL_JSON_NUMBER, 100},
        {"1e-999", SL_JSON_NUMBER, 0},
        {"0.1", SL_JSON_NUMBER, 0.1},
        {"true", SL_JSON_BOOL, 1},
        {"\tfalse\r\n", SL_JSON_BOOL, 0},
        {"null", SL_JSON_NULL, 0},
        {"\xEF\xBB\xBF 7", SL_JSON_NUMBER, 7},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        SlJson json;
        assert_ok(read_bytes(cases[k].text, strlen(cases[k].text), &json));
        assert_int_equal(sl_json_root(&json)->type, cases[k].type);
        assert_true(sl_json_root(&json)->number == cases[k].number);
        sl_json_free(&json);
    }
}

static void escapes_are_decoded(void **state)
{
    (void)state;
    const char *text = "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\\u00e9\\u20AC\\uD83D\\uDE00 é\"";
    SlJson json;
    assert_ok(read_bytes(text, strlen(text), &json));
    assert_string_equal(sl_json_text(&json, sl_json_root(&json)), "\"\\/\b\f\n\r\tAé€😀 é");
    sl_json_free(&json);
}

/* Columns count characters: the two of "é" are one; CR LF and a lone CR each end a line. */
static void places_are_kept(void **state)
{
    (void)state;
    const char *text = "{\"é\": [1,\r\n  true],\r \"b\" :\n\t{\"c\": null}}";
    SlJson json;
    assert_ok(read_bytes(text, strlen(text), &json));
    const SlJsonNode *a = sl_json_member(&json, sl_json_root(&json), "é");
    const SlJsonNode *b = sl_json_member(&json, sl_json_root(&json), "b");
    const SlJsonNode *c = sl_json_member(&json, b, "c");
    const SlJsonNode *yes = sl_json_next(&json, sl_json_first(&json, a));
    const SlJsonPlace places[] = {a->key_place, a->place, yes->place, b->key_place,
                                  b->place,     c->place};
    const SlJsonPlace wanted[] = {{1, 2}, {1, 7}, {2, 3}, {3, 2}, {4, 2}, {4, 8}};
    for (size_t k = 0; k < 6; k++) {
        assert_int_equal(places[k].line, wanted[k].line);
        assert_int_equal(places[k].column, wanted[k].column);
    }
    sl_json_free(&json);
}

typedef struct BadText {
    const char *text, *message;
    size_t bytes; /* 0: up to the first 0 */
} BadText;

static void check_bad_text(const BadText *bad)
{
    SlJson json;
    SlStatus status = read_bytes(bad->text, bad->bytes != 0 ? bad->bytes : strlen(bad->text),
                                 &json);
    sl_json_free(&json);
    if (status != SL_ERROR_PARSE)
        fail_msg("%s: status %s", bad->text, sl_status_name(status));
    if (strncmp(test_error.text, "f.json:", 7) != 0 ||
        strncmp(test_error.text + 7, bad->message, strlen(bad->message)) != 0)
        fail_msg("%s\n  gives  %s\n  wanted f.json:%s", bad->text, test_error.text,
                 bad->message);
}

static void bad_texts_are_refused(void **state)
{
    (void)state;
    static const BadText cases[] = {
        {"", "1:1: the file is empty"},
        {" \n ", "1:1: the file is empty"},
        {"{", "1:2: the file ends inside the object that began at line 1, column 1"},
        {"[1,", "1:4: the file ends inside the array"},
        {"[1\n", "2:1: the file ends inside the array"},
        {"{\"a\"", "1:5: found the end of the file; ':' is needed"},
        {"{\"a\":", "1:6: found the end of the file; a value is needed"},
        {"[1 2]", "1:4: found '2'; ',' or ']' is needed here in the array"},
        {"{\"a\":1 \"b\":2}", "1:8: found '\"'; ',' or '}' is needed here in the object"},
        {"[1,]", "1:3: a comma before ']' is not JSON"},
        {"{\"a\":1,\n}", "1:7: a comma before '}' is not JSON"},
        {"[,1]", "1:2: found ','; a value is needed"},
        {"{,}", "1:2: found ','; a key in double quotes"},
        {"{a:1}", "1:2: found 'a'; a key in double quotes"},
        {"{1:1}", "1:2: found '1'; a key in double quotes"},
        {"{\"a\":1}}", "1:8: found '}'; nothing may follow"},
        {"1 2", "1:3: found '2'; nothing may follow"},
        {"// hi\n1", "1:1: found '/'; comments are not JSON"},
        {"[1, /* two */ 2]", "1:5: found '/'; comments are not JSON"},
        {"# hi", "1:1: found '#'; comments are not JSON"},
        {"'a'", "1:1: found '''; text stands in double quotes"},
        {"NaN", "1:1: found NaN; NaN is not a JSON number"},
        {"[-Infinity]", "1:2: found '-'; -Infinity is not a JSON number"},
        {"Infinity", "1:1: found Infinity; Infinity is not a JSON number"},
        {"True", "1:1: found True; JSON writes true"},
        {"None", "1:1: found None; JSON writes null"},
        {"truely", "1:1: found truely; a value is needed"},
        {"info", "1:1: found info; a value is needed"},
        {"+1", "1:1: found '+'; a JSON number has no +"},
        {".5", "1:1: found '.'; a JSON number has a digit before"},
        {"5.", "1:1: a digit is needed after the point"},
        {"-", "1:1: a digit is needed after the minus"},
        {"1e", "1:1: a digit is needed in the exponent"},
        {"0x1F", "1:1: hexadecimal is not JSON"},
        {"[-012]", "1:2: a JSON number has no leading zeros"},
        {"3m", "1:1: a number cannot go on with letters"},
        {"1e999", "1:1: the number 1e999 is too large"},
        {"-1e999", "1:1: the number -1e999 is too large"},
        {"{\"a\":1,\n \"a\":2}", "2:2: the key \"a\" is here twice, first at line 1, column 2"},
        {"{\"a\":1, \"\\u0061\":2}", "1:9: the key \"a\" is here twice"},
        {"\"abc", "1:1: this text has no closing quote"},
        {"[\"abc\n\"]", "1:2: this text has no closing quote"},
        {"\"a\tb\"", "1:3: found the control character 0x09"},
        {"\"\\x\"", "1:3: found 'x'; after \\ one of"},
        {"\"\\u12g4\"", "1:6: found g4; four hexadecimal digits"},
        {"\"\\uD800\"", "1:2: half of a surrogate pair"},
        {"\"\\uDC00\"", "1:2: half of a surrogate pair"},
        {"\"\\uD800\\u0041\"", "1:2: half of a surrogate pair"},
        {"\"\\u0000\"", "1:2: \\u0000 cannot stand in a text"},
        {"\"\xFF\"", "1:2: found the byte 0xFF, which is not UTF-8"},
        {"\"\xC0\x80\"", "1:2: found the byte 0xC0"},
        {"\"\xED\xA0\x80\"", "1:2: found the byte 0xED"},
        {"\"\xF5\x80\x80\x80\"", "1:2: found the byte 0xF5"},
        {"\"\xE2\x82\"", "1:2: found the byte 0xE2"},
        {"\xFF\xFE{", "1:1: the file is UTF-16"},
        {"[1,\0 2]", "1:4: found the control character 0x00", 7},
        {"\0\x19{", "1:1: found the control character 0x00", 3},
        {"\"a\0b\"", "1:3: found the control character 0x00", 5},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++)
        check_bad_text(&cases[k]);
}

static void depth_is_bounded(void **state)
{
    (void)state;
    char text[256];
    SlJson json;
    memset(text, '[', 64);
    memset(text + 64, ']', 64);
    text[128] = '\0';
    assert_ok(read_bytes(text, 128, &json));
    sl_json_free(&json);
    memset(text, '[', 65);
    check_bad_text(&(BadText){text, "1:65: more than 64 arrays and objects", 65});
}

static void keys_are_bounded(void **state)
{
    (void)state;
    static char text[8000];
    size_t used = (size_t)snprintf(text, sizeof text, "{\"k\":0");
    for (int k = 0; k < 256; k++)
        used += (size_t)snprintf(text + used, sizeof text - used, ",\n\"k%d\":0", k);
    snprintf(text + used, sizeof text - used, "}");
    check_bad_text(&(BadText){text, "257:1: more than 256 keys in one object", 0});
}

static char *written(const char *text, size_t *size)
{
    SlJson json;
    char *out;
    assert_ok(read_bytes(text, strlen(text), &json));
    assert_ok(sl_json_write(&json, &memory, &out, size, &test_error));
    assert_int_equal(strlen(out) + 1, *size);
    sl_json_free(&json);
    return out;
}

static void writing_is_readable(void **state)
{
    (void)state;
    const char *text = "{\"a\":[1,2.50,0.1],\"b\":{},\"c\":[],"
                       "\"d\":[{\"e\":\"x\\n\\u0001é\"},true]}";
    size_t size;
    char *out = written(text, &size);
    assert_string_equal(out, "{\n  \"a\": [1, 2.5, 0.1],\n  \"b\": {},\n  \"c\": [],\n  \"d\": [\n"
                             "    {\n      \"e\": \"x\\n\\u0001é\"\n    },\n    true\n  ]\n}\n");
    sl_free(&memory, out, size);
}

/* What is written reads back to the same bits, and writes to the same text again. */
static void writing_round_trips(void **state)
{
    (void)state;
    static const double numbers[] = {0.1, 1.0 / 3, 5e-324, 1.7976931348623157e308, -0.0,
                                     9007199254740993.0, 1e21, 123456789.123456789};
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++) {
        char text[64];
        size_t size;
        snprintf(text, sizeof text, "%.17g", numbers[k]);
        char *out = written(text, &size);
        assert_true(strtod(out, NULL) == numbers[k]);
        sl_free(&memory, out, size);
    }
    size_t size, again_size;
    char *out = written("[1,[\"a\\\"\\\\\\u001f\",{\"\":null,\"k\":[[],{}]}],-0.0,1e300]", &size);
    char *again = written(out, &again_size);
    assert_string_equal(out, again);
    sl_free(&memory, out, size);
    sl_free(&memory, again, again_size);
}

/* Every allocation may fail: then the reader says so and leaks nothing. */
static void *failing_alloc(void *user, size_t bytes, size_t alignment)
{
    int *left = user;
    return (*left)-- > 0 ? aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment)
                         : NULL;
}

static void failing_release(void *user, void *block, size_t bytes)
{
    (void)user, (void)bytes;
    free(block);
}

static void lack_of_memory_is_said(void **state)
{
    (void)state;
    static char text[4000];
    size_t used = 1;
    text[0] = '[';
    for (int k = 0; k < 200; k++)
        used += (size_t)snprintf(text + used, sizeof text - used, "\"text %d\",", k);
    text[used - 1] = ']';
    for (int allowed = 0;; allowed++) {
        int left = allowed;
        SlAllocator hooks = {failing_alloc, failing_release, &left};
        SlMemory scarce;
        SlJson json;
        sl_memory_init(&scarce, &hooks);
        SlStatus status = sl_json_read(&scarce, "f.json", text, used, &json, &test_error);
        sl_json_free(&json);
        assert_int_equal(scarce.bytes_held, 0);
        if (status == SL_OK)
            break;
        assert_int_equal(status, SL_ERROR_MEMORY);
        assert_true(allowed < 100);
    }
}

static int nothing_is_left(void **state)
{
    (void)state;
    return memory.bytes_held == 0 ? 0 : -1;
}

int main(void)
{
    sl_memory_init(&memory, NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_texts_are_read),   cmocka_unit_test(escapes_are_decoded),
        cmocka_unit_test(places_are_kept),       cmocka_unit_test(bad_texts_are_refused),
        cmocka_unit_test(depth_is_bounded),      cmocka_unit_test(keys_are_bounded),
        cmocka_unit_test(writing_is_readable),   cmocka_unit_test(writing_round_trips),
        cmocka_unit_test(lack_of_memory_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, nothing_is_left);
}
