/* Fills and open domains in scenes: what is read, what is refused and with which message. */
#include "scene/tables.h"
#include "support/test.h"

static SlMemory memory;

static SlStatus parse(const char *text, SlScene **scene)
{
    SlSceneSource source = {"s.json", text, strlen(text), NULL, 0};
    return sl_scene_parse(&memory, &source, &test_tables, scene, &test_error);
}

#define WITH_DOMAIN(domain)                                                                        \
    "{\"domain\": " domain ",\n\"systems\": [{\"solver\": \"pbf\", \"blocks\": [{\"min\": "        \
    "[0,0,0], \"max\": [1,1,1]}]}]}"
#define WITH_FILL(fill)                                                                            \
    "{\"domain\": {\"min\": [0,0,0], \"max\": [4,3,2]},\n\"systems\": [{\"solver\": \"pbf\",\n"    \
    "\"fills\": [" fill "]}]}"
#define WITH_FIELD(field)                                                                          \
    "{\"domain\": {\"min\": [0,0,0], \"max\": [4,3,2]},\n\"systems\": [{\"solver\": \"pbf\",\n"    \
    "\"blocks\": [{\"min\": [0,0,0], \"max\": [1,1,1]}]}], \"force_fields\": [" field "]}"
#define BALL "{\"shape\": \"sphere\", \"center\": [1,1,1], \"radius\": 0.5}"

static void domains_open(void **state)
{
    (void)state;
    SlScene *scene;
    assert_ok(parse(WITH_DOMAIN("{\"open\": [\"all\"]}"), &scene));
    assert_true(isinf(scene->domain.min.x) && isinf(scene->domain.max.z));
    assert_true(scene->framed.min.x == -2 && scene->framed.max.y == 2);
    assert_true(scene->domain_limit == 0 && scene->grid == SL_GRID_AUTO);
    sl_scene_destroy(scene);
    assert_ok(parse(WITH_DOMAIN("{\"min\": [0,0,0], \"max\": [4,3,2], \"open\": [\"top\", "
                                "\"left\"], \"limit\": 50, \"grid\": \"compact\"}"),
                    &scene));
    assert_true(isinf(scene->domain.max.y) && isinf(scene->domain.min.x));
    assert_true(scene->domain.min.y == 0 && scene->domain.max.x == 4 && scene->domain.max.z == 2);
    assert_true(scene->domain_limit == 50 && scene->grid == SL_GRID_COMPACT);
    sl_scene_destroy(scene);
}

static void fills_are_read(void **state)
{
    (void)state;
    SlScene *scene;
    assert_ok(parse(WITH_FILL("{\"shapes\": [" BALL ", {\"shape\": \"box\", \"min\": [1,0,0], "
                              "\"max\": [2,1,1]}], \"blend\": 0.2, \"mode\": \"random\", "
                              "\"per_cell\": 5, \"cell\": 0.05, \"velocity\": [0,-3,0], \"spin\": [0,0,180], \"noise\": "
                              "{\"smooth\": 0.5, \"grain\": 0.25, \"size\": 0.2, \"offset\": -0.5}}"),
                    &scene));
    assert_int_equal(scene->systems[0].fill_count, 1);
    SlFillDef def = scene->systems[0].fills[0].def;
    assert_int_equal(def.shape_count, 2);
    assert_true(def.shapes[1].kind == SL_SHAPE_BOX && def.shapes[0].radius == 0.5f);
    assert_int_equal(def.mode, SL_FILL_RANDOM);
    assert_int_equal(def.per_cell, 5);
    assert_true(def.cell == 0.05 && def.blend == 0.2f && def.velocity.y == -3);
    assert_true(def.noise.smooth == 0.5f && def.noise.grain == 0.25f && def.noise.size == 0.2f);
    assert_int_equal(def.noise.octaves, 3);
    assert_true(def.noise.offset == -0.5f && fabsf(def.spin.z - 3.14159265f) < 1e-6f);
    sl_scene_destroy(scene);
}

static void force_fields_are_read(void **state)
{
    (void)state;
    SlScene *scene;
    assert_ok(parse(WITH_FIELD("{\"kind\": \"wind\", \"system\": \"pbf\", "
                               "\"parameters\": {\"velocity\": [5, 0, 0], \"drag\": 2}}"),
                    &scene));
    assert_int_equal(scene->force_field_count, 1);
    assert_ptr_equal(scene->force_fields[0].kind, &test_wind);
    assert_string_equal(scene->force_fields[0].system, "pbf");
    sl_scene_destroy(scene);
}

static void mistakes_are_reported(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {WITH_DOMAIN("{\"open\": [\"topp\"]}"), "s.json:1:22: unknown side \"topp\"; did you mean"},
        {WITH_DOMAIN("{\"open\": [3]}"), "s.json:1:22: found the number 3"},
        {WITH_DOMAIN("{\"open\": [\"top\"]}"), "s.json:1:12: the domain needs the key \"min\""},
        {WITH_DOMAIN("{\"open\": [\"all\"], \"max\": [1,1,1]}"),
         "s.json:1:12: the domain needs the key \"min\""},
        {WITH_DOMAIN("{\"min\": [0,0,0], \"max\": [1,1,1], \"limit\": 5}"),
         "s.json:1:54: only a domain with an \"open\" side has a limit"},
        {WITH_DOMAIN("{\"open\": [\"all\"], \"grid\": \"bounded\"}"),
         "s.json:1:38: a bounded grid needs a domain with no side open"},
        {WITH_FIELD("{\"kind\": \"wnd\"}"),
         "s.json:3:75: unknown force field \"wnd\"; did you mean \"wind\"?"},
        {WITH_FIELD("{\"kind\": \"wind\", \"system\": \"pfb\"}"), "s.json:3:93: unknown system \"pfb\""},
        {WITH_FIELD("{\"kind\": \"wind\", \"parameters\": {\"drag\": 11}}"),
         "s.json:3:106: drag is 11; it may be from 0 to 10"},
        {WITH_FIELD("{\"parameters\": {}}"), "s.json:3:66: a force field needs the key \"kind\""},
        {WITH_FILL("{\"velocity\": [0,0,0]}"), "s.json:3:11: a fill needs the key \"shapes\""},
        {WITH_FILL("{\"shapes\": []}"), "s.json:3:22: shapes has 0 elements; it may have 1 to 16"},
        {WITH_FILL("{\"shapes\": [" BALL "], \"per_cel\": 3}"),
         "s.json:3:79: unknown key \"per_cel\"; did you mean \"per_cell\"?"},
        {WITH_FILL("{\"shapes\": [" BALL "], \"cell\": 3}"),
         "s.json:3:87: only a fill of mode \"random\" has \"cell\""},
        {WITH_FILL("{\"shapes\": [" BALL "], \"mode\": \"ramdom\"}"), "s.json:3:87: unknown mode "},
        {WITH_FILL("{\"shapes\": [{\"shape\": \"plane\", \"point\": [0,0,0], \"normal\": "
                   "[0,1,0]}]}"),
         "s.json:3:23: a plane has no inside to fill"},
        {WITH_FILL("{\"shapes\": [{\"shape\": \"mesh\", \"file\": \"/a.obj\", \"hollow\": true}]}"),
         "s.json:3:23: a fill is inside its mesh anyway"},
        {WITH_FILL("{\"shapes\": [" BALL ", {\"shape\": \"mesh\", \"file\": \"/a.obj\"}]}"),
         "s.json:3:78: a mesh is filled alone"},
        {WITH_FILL("{\"shapes\": [{\"shape\": \"mesh\", \"file\": \"no.obj\"}]}"),
         "s.json:3:49: ./no.obj: there is no such file"},
        {WITH_FILL("{\"shapes\": [" BALL "], \"noise\": {\"smooth\": 0.7, \"grain\": 0.5}}"),
         "s.json:3:88: smooth and grain are 1.2 together; they may be at most 1"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        SlScene *scene;
        SlStatus status = parse(cases[k].text, &scene);
        if (status != SL_ERROR_PARSE ||
            strstr(test_error.text, cases[k].message) != test_error.text)
            fail_msg("%s\n  gives  %s\n  wanted %s", cases[k].text, test_error.text,
                     cases[k].message);
    }
}

int main(void)
{
    sl_memory_init(&memory, NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(domains_open),
        cmocka_unit_test(fills_are_read),
        cmocka_unit_test(force_fields_are_read),
        cmocka_unit_test(mistakes_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
