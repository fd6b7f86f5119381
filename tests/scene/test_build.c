/* Scenes from files with the real solvers, and the worlds made of them. */
#include "support/test.h"

static SlContext *context;

static const char *source_path(const char *name)
{
    static char path[1024];
    const char *source = getenv("SLEET_SOURCE");
    snprintf(path, sizeof path, "%s/%s", source != NULL ? source : ".", name);
    return path;
}

static SlStatus build(const char *name, const SlSceneOverride *overrides, size_t count,
                      SlScene **scene, SlWorld **world)
{
    SlSceneOptions options = sl_default_scene_options();
    options.overrides = overrides;
    options.override_count = count;
    *world = NULL;
    SlStatus status = sl_scene_read(context, source_path(name), &options, scene, &test_error);
    if (status != SL_OK)
        return status;
    SlWorldDef def = sl_default_world_def();
    def.context = context;
    return sl_scene_build(*scene, &def, world, &test_error);
}

static void shipped_scenes_have_their_particles(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint64_t least, most;
    } cases[] = {{"scenes/dam_break.json", 100000, 120000},
                 {"scenes/dam_break_small.json", 18000, 22000}};
    for (size_t k = 0; k < 2; k++) {
        SlScene *scene;
        SlWorld *world;
        assert_ok(build(cases[k].name, NULL, 0, &scene, &world));
        assert_in_range(sl_world_particle_count(world), cases[k].least, cases[k].most);
        sl_world_destroy(world);
        sl_scene_destroy(scene);
    }
}

static void a_world_gets_what_the_scene_says(void **state)
{
    (void)state;
    static const SlSceneOverride overrides[] = {
        {"systems.water.parameters.iterations", "6"},
        {"systems.water.parameters.kernel", "wendland"},
        {"systems.water.parameters.spacing", "0.25"},
        {"colliders", "[{\"shape\": \"sphere\", \"center\": [4, 0.5, 1], \"radius\": 0.4}]"},
        {"time.frame_rate", "50"},
    };
    SlScene *scene;
    SlWorld *world;
    SlParamValue value;
    assert_ok(build("scenes/dam_break_small.json", overrides, 5, &scene, &world));
    assert_ok(sl_system_get(world, first_system(world), "iterations", &value, &test_error));
    assert_near(value.number[0], 6, 0);
    assert_ok(sl_system_get(world, first_system(world), "kernel", &value, &test_error));
    assert_near(value.number[0], 1, 0);
    assert_ok(sl_world_advance_frame(world, &test_error));
    assert_near(sl_world_time(world), 0.02, 1e-12);
    const SlFrameView *view = sl_world_view(world);
    assert_string_equal(view->systems[0].name, "water");
    assert_int_equal(view->collider_count, 1);
    assert_near(view->domain.max.x, 9.4f, 0);
    sl_world_destroy(world);
    sl_scene_destroy(scene);
}

static void materials_come_from_the_scene(void **state)
{
    (void)state;
    static const SlSceneOverride overrides[] = {
        {"systems.water.parameters.spacing", "0.25"},
        {"systems.water.material", "{\"absorption\": [3, 2, 1], \"roughness\": 0.25}"},
        {"domain.material", "{\"color\": [0.5, 0.25, 0.125]}"},
        {"colliders", "[{\"shape\": \"sphere\", \"center\": [4, 0.5, 1], \"radius\": 0.4, "
                      "\"material\": {\"kind\": \"glass\", \"index_of_refraction\": 1.75}}]"},
    };
    SlScene *scene;
    SlWorld *world;
    assert_ok(build("scenes/dam_break_small.json", overrides, 4, &scene, &world));
    const SlFrameView *view = sl_world_view(world);
    const SlMaterial *water = &view->systems[0].material, *ball = &view->colliders[0].material;
    assert_int_equal(water->kind, SL_MATERIAL_WATER);
    assert_true(water->absorption[0] == 3 && water->absorption[2] == 1);
    assert_true(water->roughness == 0.25f && water->index_of_refraction == 1.333f);
    assert_int_equal(ball->kind, SL_MATERIAL_GLASS);
    assert_true(ball->index_of_refraction == 1.75f && ball->roughness == 0);
    assert_int_equal(view->domain_material.kind, SL_MATERIAL_GROUND);
    assert_true(view->domain_material.color.z == 0.125f);
    sl_world_destroy(world);
    sl_scene_destroy(scene);
    static const struct {
        const char *path, *value, *message;
    } wrong[] = {{"systems.water.material", "{\"kind\": \"watr\"}", "water"},
                 {"systems.water.material", "{\"roughness\": 2}", "roughness"},
                 {"domain.material", "{\"colour\": [1, 1, 1]}", "color"},
                 {"domain.material", "3", "object"}};
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        const SlSceneOverride one = {wrong[k].path, wrong[k].value};
        assert_int_not_equal(build("scenes/dam_break_small.json", &one, 1, &scene, &world), SL_OK);
        assert_non_null(strstr(test_error.text, wrong[k].message));
    }
}

/* The text of a scene with --set makes the same world as the scene did. */
static void the_text_makes_the_same_world(void **state)
{
    (void)state;
    static const SlSceneOverride override = {"systems.water.parameters.spacing", "0.25"};
    char folder[512], path[600];
    SlScene *scene, *again;
    SlWorld *world, *first;
    SlSceneOptions options = sl_default_scene_options();
    SlWorldDef def = sl_default_world_def();
    def.context = context;
    assert_ok(build("scenes/dam_break_small.json", &override, 1, &scene, &world));
    test_folder(folder, sizeof folder, "scene-text");
    snprintf(path, sizeof path, "%s/copy.json", folder);
    const char *text = sl_scene_text(scene);
    assert_ok(sl_file_write(&context->file_layer, path, text, strlen(text), &test_error));
    assert_ok(sl_scene_read(context, path, &options, &again, &test_error));
    assert_ok(sl_scene_build(again, &def, &first, &test_error));
    assert_ok(sl_world_advance_frame(world, &test_error));
    assert_ok(sl_world_advance_frame(first, &test_error));
    assert_true(sl_world_hash(world) == sl_world_hash(first));
    remove(path);
    remove(folder);
    sl_world_destroy(world);
    sl_world_destroy(first);
    sl_scene_destroy(scene);
    sl_scene_destroy(again);
}

static void a_world_too_large_is_refused_at_its_start(void **state)
{
    (void)state;
    static const SlSceneOverride overrides[] = {
        {"domain.max", "[1e6, 1e6, 1e6]"},
        {"systems[0].blocks[0].max", "[1e6, 1e6, 1e6]"},
        {"systems[0].parameters.spacing", "0.001"},
    };
    SlScene *scene;
    SlWorld *world;
    assert_ok(build("scenes/dam_break_small.json", overrides, 3, &scene, &world));
    assert_int_equal(sl_world_start(world, &test_error), SL_ERROR_MEMORY);
    sl_world_destroy(world);
    sl_scene_destroy(scene);
}

static void files_that_are_none_are_refused(void **state)
{
    (void)state;
    SlScene *scene;
    SlWorld *world;
    assert_int_equal(build("scenes/none.json", NULL, 0, &scene, &world), SL_ERROR_IO);
    assert_null(scene);
    assert_int_equal(build("scenes", NULL, 0, &scene, &world), SL_ERROR_IO);
    SlSceneOptions unset = {0};
    assert_int_equal(sl_scene_read(context, "x", &unset, &scene, &test_error), SL_ERROR_ARGUMENT);
}

/* The library's half of tests/scene/broken: what reading refuses (3) it refuses with the message
   of the list, what only a start can know (4) it lets through; 5 is a file that is not there. */
static void broken_scenes_give_their_sentences(void **state)
{
    (void)state;
    char line[512], path[1024];
    FILE *list = fopen(source_path("tests/scene/broken/expected.csv"), "r");
    assert_non_null(list);
    assert_non_null(fgets(line, sizeof line, list));
    int count = 0;
    while (fgets(line, sizeof line, list) != NULL) {
        char *rest = line, *file = strsep(&rest, ",");
        int code = atoi(strsep(&rest, ","));
        rest[strcspn(rest, "\n")] = '\0';
        snprintf(path, sizeof path, "tests/scene/broken/%s", file);
        SlScene *scene;
        SlWorld *world;
        SlStatus status = build(path, NULL, 0, &scene, &world);
        if (code == 4 && status == SL_OK)
            status = sl_world_start(world, &test_error);
        SlStatus wanted = code == 3 ? SL_ERROR_PARSE : code == 4 ? SL_ERROR_MEMORY : SL_ERROR_IO;
        if (status != wanted ||
            strstr(test_error.text, rest) == NULL)
            fail_msg("%s\n  gives  %s %s\n  wanted %s", file, sl_status_name(status),
                     test_error.text, rest);
        sl_world_destroy(world);
        sl_scene_destroy(scene);
        count++;
    }
    fclose(list);
    assert_true(count >= 30);
}

static int make_context(void **state)
{
    (void)state;
    context = test_context(2);
    return 0;
}

static int nothing_is_left(void **state)
{
    (void)state;
    sl_context_destroy(context);
    return 0;
}

/* A scene's wind blows as one that a program adds. */
static void force_fields_act(void **state)
{
    (void)state;
    static const SlSceneOverride overrides[] = {
        {"systems.water.parameters.spacing", "0.25"},
        {"force_fields", "[{\"kind\": \"wind\", \"parameters\": {\"velocity\": [5, 0, 0], "
                         "\"drag\": 2}}]"},
    };
    SlScene *scene, *plain_scene;
    SlWorld *world, *plain;
    assert_ok(build("scenes/dam_break_small.json", overrides, 2, &scene, &world));
    assert_ok(build("scenes/dam_break_small.json", overrides, 1, &plain_scene, &plain));
    SlForceFieldDef wind = sl_default_force_field_def("wind");
    SlForceFieldId id;
    assert_ok(sl_world_add_force_field(plain, &wind, &id, &test_error));
    assert_ok(sl_force_field_set_vec3(plain, id, "velocity", (SlVec3){5, 0, 0}, &test_error));
    assert_ok(sl_world_advance_frame(world, &test_error));
    assert_ok(sl_world_advance_frame(plain, &test_error));
    assert_true(sl_world_hash(world) != sl_world_hash(plain));
    assert_ok(sl_force_field_set_number(plain, id, "drag", 2, &test_error));
    sl_world_destroy(plain);
    sl_scene_destroy(plain_scene);
    assert_ok(build("scenes/dam_break_small.json", overrides, 1, &plain_scene, &plain));
    assert_ok(sl_world_add_force_field(plain, &wind, &id, &test_error));
    assert_ok(sl_force_field_set_vec3(plain, id, "velocity", (SlVec3){5, 0, 0}, &test_error));
    assert_ok(sl_force_field_set_number(plain, id, "drag", 2, &test_error));
    assert_ok(sl_world_advance_frame(plain, &test_error));
    assert_true(sl_world_hash(world) == sl_world_hash(plain));
    sl_world_destroy(world);
    sl_world_destroy(plain);
    sl_scene_destroy(scene);
    sl_scene_destroy(plain_scene);
}

/* Particles carry what a scene gives them, each type with its initial value. */
static void attributes_come_from_the_scene(void **state)
{
    (void)state;
    static const SlSceneOverride good[] = {
        {"systems.water.parameters.spacing", "0.25"},
        {"systems.water.attributes",
         "[{\"name\": \"heat\", \"initial\": 20.5}, {\"name\": \"layer\", \"type\": \"u32\", "
         "\"initial\": 4000000000}, {\"name\": \"uvw\", \"type\": \"f32x3\", "
         "\"initial\": [1, 2, 3]}, {\"name\": \"plain\"}]"},
    };
    SlScene *scene;
    SlWorld *world;
    assert_ok(build("scenes/dam_break_small.json", good, 2, &scene, &world));
    float heat, uvw[3], plain;
    uint32_t layer;
    SlSystemId id = first_system(world);
    assert_ok(sl_system_copy_field(world, id, "heat", 5, 1, &heat, &test_error));
    assert_ok(sl_system_copy_field(world, id, "layer", 5, 1, &layer, &test_error));
    assert_ok(sl_system_copy_field(world, id, "uvw", 5, 1, uvw, &test_error));
    assert_ok(sl_system_copy_field(world, id, "plain", 5, 1, &plain, &test_error));
    assert_true(heat == 20.5f && layer == 4000000000u && plain == 0);
    assert_true(uvw[0] == 1 && uvw[1] == 2 && uvw[2] == 3);
    sl_world_destroy(world);
    sl_scene_destroy(scene);
    static const struct {
        const char *attributes, *message;
    } bad[] = {
        {"[{\"name\": \"a\", \"type\": \"f64\"}]", "unknown type \"f64\""},
        {"[{\"name\": \"a\", \"type\": \"u32\", \"initial\": 0.5}]", "takes an integer"},
        {"[{\"name\": \"a\", \"type\": \"f32x3\", \"initial\": 1}]", "three numbers"},
        {"[{\"type\": \"u32\"}]", "an attribute needs the key \"name\""},
        {"[{\"name\": \"position\"}]", "attribute \"position\""},
        {"[7]", "an object"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        SlSceneOverride override = {"systems.water.attributes", bad[k].attributes};
        SlStatus status = build("scenes/dam_break_small.json", &override, 1, &scene, &world);
        if (status == SL_OK || strstr(test_error.text, bad[k].message) == NULL)
            fail_msg("%s gives %s", bad[k].attributes, test_error.text);
        sl_world_destroy(world);
        sl_scene_destroy(scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shipped_scenes_have_their_particles),
        cmocka_unit_test(materials_come_from_the_scene),
        cmocka_unit_test(a_world_gets_what_the_scene_says),
        cmocka_unit_test(force_fields_act),
        cmocka_unit_test(attributes_come_from_the_scene),
        cmocka_unit_test(the_text_makes_the_same_world),
        cmocka_unit_test(a_world_too_large_is_refused_at_its_start),
        cmocka_unit_test(files_that_are_none_are_refused),
        cmocka_unit_test(broken_scenes_give_their_sentences),
    };
    return cmocka_run_group_tests(tests, make_context, nothing_is_left);
}
