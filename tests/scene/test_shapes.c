/* Every shape of the list in scenes: its keys are read, each of them is needed, and what does not fit
   is refused. */
#include <stdio.h>

#include "scene/tables.h"
#include "support/test.h"
#include "support/shapes.h"

static SlMemory memory;

static SlStatus parse(const char *text, SlScene **scene)
{
    SlSceneSource source = {"s.json", text, strlen(text), NULL, 0};
    return sl_scene_parse(&memory, &source, &test_tables, scene, &test_error);
}

/* A value that suits the key; `k` makes the second corner of a box larger than the first. */
static const char *value_of(SlShapeKeyType type, size_t k)
{
    switch (type) {
    case SL_SHAPE_KEY_POINT: return k == 0 ? "[1, 0.5, 1]" : "[2, 1.5, 1.5]";
    case SL_SHAPE_KEY_DIRECTION:
    case SL_SHAPE_KEY_AXIS: return "[0, 1, 0.5]";
    case SL_SHAPE_KEY_LENGTH: return "0.5";
    case SL_SHAPE_KEY_COUNT: return "2";
    case SL_SHAPE_KEY_HEIGHTS: return "[0.1, 0.2, 0, -0.1]";
    }
    return "";
}

/* A scene with the shape as a collider, without the key number `without`. */
static void write_scene(const SlShapeType *type, size_t without, char *text, size_t size)
{
    int at = snprintf(text, size,
                      "{\"domain\": {\"min\": [0,0,0], \"max\": [4,3,2]}, \"systems\": [{\"solver\": "
                      "\"pbf\", \"blocks\": [{\"min\": [0,0,0], \"max\": [1,1,1]}]}], "
                      "\"colliders\": [{\"shape\": \"%s\", \"friction\": 0.25",
                      type->name);
    for (size_t k = 0; k < type->key_count; k++)
        if (k != without)
            at += snprintf(text + at, size - (size_t)at, ", \"%s\": %s", type->keys[k].name,
                           value_of(type->keys[k].type, k));
    snprintf(text + at, size - (size_t)at, "}]}");
}

static void keys_of_every_shape_are_read(void **state)
{
    (void)state;
    char text[2000], needed[100];
    for (size_t s = 0; s < sl_shape_type_count; s++) {
        const SlShapeType *type = sl_shape_types[s];
        SlScene *scene;
        write_scene(type, SIZE_MAX, text, sizeof text);
        assert_ok(parse(text, &scene));
        assert_int_equal(scene->colliders[0].shape.kind, type->kind);
        assert_true(scene->colliders[0].shape.friction == 0.25f);
        sl_scene_destroy(scene);
        for (size_t k = 0; k < type->key_count; k++) {
            if (type->keys[k].type == SL_SHAPE_KEY_AXIS)
                continue;
            write_scene(type, k, text, sizeof text);
            assert_int_equal(parse(text, &scene), SL_ERROR_PARSE);
            snprintf(needed, sizeof needed, "%s needs the key \"%s\"", type->article,
                     type->keys[k].name);
            assert_non_null(strstr(test_error.text, needed));
        }
    }
}

static void height_fields_are_checked(void **state)
{
    (void)state;
    static const struct {
        const char *keys, *message;
    } wrong[] = {
        {"\"columns\": 3, \"rows\": 2, \"heights\": [0, 0, 0, 0]", "4 heights for 3 columns"},
        {"\"columns\": 2, \"rows\": 2, \"heights\": [0, 0, 0, -0.5]", "above the bottom"},
        {"\"columns\": 2, \"rows\": 2, \"heights\": [0, 0, 0, \"high\"]", "a number is needed"},
        {"\"columns\": 1, \"rows\": 4, \"heights\": [0, 0, 0, 0]", "columns is 1"},
    };
    char text[2000];
    SlScene *scene;
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        snprintf(text, sizeof text,
                 "{\"domain\": {\"min\": [0,0,0], \"max\": [4,3,2]}, \"systems\": [{\"solver\": "
                 "\"pbf\", \"blocks\": [{\"min\": [0,0,0], \"max\": [1,1,1]}]}], \"colliders\": "
                 "[{\"shape\": \"height field\", \"center\": [1,1,1], \"width\": 1, \"length\": 1, "
                 "\"depth\": 0.4, %s}]}",
                 wrong[k].keys);
        assert_int_equal(parse(text, &scene), SL_ERROR_PARSE);
        if (strstr(test_error.text, wrong[k].message) == NULL)
            fail_msg("%s: %s", wrong[k].message, test_error.text);
    }
    snprintf(text, sizeof text,
             "{\"domain\": {\"min\": [0,0,0], \"max\": [4,3,2]}, \"systems\": [{\"solver\": \"pbf\", "
             "\"fills\": [{\"shapes\": [{\"shape\": \"height field\", \"center\": [1,1,1], "
             "\"width\": 1, \"length\": 1, \"depth\": 0.4, \"columns\": 2, \"rows\": 2, "
             "\"heights\": [0, 0, 0, 0]}]}]}]}");
    assert_int_equal(parse(text, &scene), SL_ERROR_PARSE);
    assert_non_null(strstr(test_error.text, "a height field can only be a collider"));
}

int main(void)
{
    sl_memory_init(&memory, NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_of_every_shape_are_read),
        cmocka_unit_test(height_fields_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
