/* Cameras that move: their paths in scenes, in worlds and in frame views. */
#include "support/test.h"

#include "math/camera.h"

static void near3(SlVec3 a, double x, double y, double z, double within)
{
    assert_near(a.x, x, within);
    assert_near(a.y, y, within);
    assert_near(a.z, z, within);
}

static void keys_are_met_and_joined_smoothly(void **state)
{
    (void)state;
    const SlCameraKey keys[] = {{0, {0, 1, 5}, {0, 0, 0}, 40},
                                {1, {3, 1, 4}, {0, 1, 0}, 30},
                                {3, {5, 2, 0}, {0, 0, 0}, 50}};
    SlCamera camera = sl_default_camera();
    SlCameraPath path = {.keys = keys, .key_count = 3};
    for (int k = 0; k < 3; k++) {
        SlCamera at = sl_camera_on_path(&camera, &path, keys[k].time);
        near3(at.eye, keys[k].eye.x, keys[k].eye.y, keys[k].eye.z, 1e-6);
        near3(at.target, keys[k].target.x, keys[k].target.y, keys[k].target.z, 1e-6);
        assert_near(at.fov, keys[k].fov, 1e-5);
    }
    near3(sl_camera_on_path(&camera, &path, -7).eye, 0, 1, 5, 0);
    near3(sl_camera_on_path(&camera, &path, 90).eye, 5, 2, 0, 0);
    /* At rest at the ends; at a key the speed before is that after. */
    const double h = 1e-3;
    SlVec3 begin = sl_camera_on_path(&camera, &path, h).eye;
    assert_true(sl_length(sl_sub(begin, keys[0].eye)) / h < 0.02);
    SlVec3 before = sl_camera_on_path(&camera, &path, 1 - h).eye;
    SlVec3 after = sl_camera_on_path(&camera, &path, 1 + h).eye;
    SlVec3 low = sl_sub(keys[1].eye, before), high = sl_sub(after, keys[1].eye);
    assert_true(sl_length(low) / h > 1);
    assert_true(sl_length(sl_sub(low, high)) < 0.02f * sl_length(low));
}

static void an_orbit_is_a_circle(void **state)
{
    (void)state;
    SlCamera camera = sl_default_camera();
    camera.target = (SlVec3){1, 0, 2};
    SlCameraPath path = {.center = {1, 0, 2}, .radius = 4, .height = 1.5f, .speed = 30};
    near3(sl_camera_on_path(&camera, &path, 0).eye, 1, 1.5, 6, 1e-5);
    near3(sl_camera_on_path(&camera, &path, 3).eye, 5, 1.5, 2, 1e-5);
    near3(sl_camera_on_path(&camera, &path, 12).eye, 1, 1.5, 6, 1e-5);
}

static const char *write_scene(const char *cameras)
{
    static const char path[] = "cameras.json";
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file,
            "{\"domain\": {\"min\": [0,0,0], \"max\": [1,1,1]}, \"time\": {\"frame_rate\": 10},\n"
            "\"systems\": [{\"solver\": \"pbf\", \"parameters\": {\"spacing\": 0.1},\n"
            "\"blocks\": [{\"min\": [0,0,0], \"max\": [0.3,0.3,0.3]}]}],\n\"cameras\": [%s]}\n",
            cameras);
    fclose(file);
    return path;
}

static void a_frame_has_the_camera_of_its_time(void **state)
{
    (void)state;
    const char *path = write_scene("{\"name\": \"round\", \"orbit\": {\"center\": [0,0,0],\n"
                                   "\"radius\": 3, \"height\": 1, \"speed\": 90}},\n"
                                   "{\"name\": \"still\", \"eye\": [4,1,1], \"target\": [0,0,0]}");
    SlContext *context = test_context(2);
    SlSceneOptions options = sl_default_scene_options();
    SlScene *scene;
    SlWorld *world;
    assert_ok(sl_scene_read(context, path, &options, &scene, &test_error));
    SlWorldDef def = sl_default_world_def();
    def.context = context;
    assert_ok(sl_scene_build(scene, &def, &world, &test_error));
    for (int frame = 0; frame < 11; frame++) {
        const SlFrameView *view = sl_world_view(world);
        double angle = 90 * view->time * 3.14159265358979 / 180;
        near3(view->cameras[0].eye, 3 * sin(angle), 1, 3 * cos(angle), 1e-5);
        near3(view->cameras[0].target, 0, 0, 0, 0);
        near3(view->cameras[1].eye, 4, 1, 1, 0);
        SlCamera at = sl_scene_camera_at(scene, 0, view->time);
        near3(at.eye, view->cameras[0].eye.x, 1, view->cameras[0].eye.z, 1e-6);
        assert_ok(sl_world_advance_frame(world, &test_error));
    }
    /* Without its path it is where it was set; there is no third camera. */
    assert_ok(sl_world_set_camera_path(world, 0, NULL, &test_error));
    near3(sl_world_view(world)->cameras[0].eye, 0, 1, 3, 1e-5);
    assert_int_equal(sl_world_set_camera_path(world, 2, NULL, &test_error), SL_ERROR_ARGUMENT);
    SlCameraPath bad = {.radius = -1};
    assert_int_equal(sl_world_set_camera_path(world, 0, &bad, &test_error), SL_ERROR_ARGUMENT);
    sl_world_destroy(world);
    sl_scene_destroy(scene);
    sl_context_destroy(context);
}

static void mistakes_have_their_place(void **state)
{
    (void)state;
    static const struct {
        const char *camera, *text;
    } cases[] = {
        {"{\"keys\": []}", "4:22: keys has 0 elements; it may have 1 to 4096"},
        {"{\"orbit\": {\"center\": [0,0,0]}}", "an orbit needs the key \"radius\""},
        {"{\"keys\": [{\"time\": 1, \"eye\": [1,1,1]}]}", "needs the key \"target\", or its camera does"},
        {"{\"target\": [0,0,0], \"keys\": [{\"time\": 1, \"eye\": [1,1,1]}, {\"time\": 1, \"eye\": [1,2,1]}]}",
         "time 1 s is not after that of the key before, 1 s"},
        {"{\"eye\": [1,1,1], \"orbit\": {\"center\": [0,0,0], \"radius\": 1}}", "has no eye of its own"},
        {"{\"keys\": [{\"time\": 0, \"eye\": [1,1,1]}], \"orbit\": {\"center\": [0,0,0], \"radius\": 1}}",
         "keys or an orbit, not both"},
        {"{\"target\": [0,0,1]}", "a camera needs the key \"eye\""},
        {"{\"target\": [0,0,0], \"keys\": [{\"time\": 0, \"eye\": [0,0,0]}]}",
         "eye and target are the same point"},
    };
    SlContext *context = test_context(1);
    SlSceneOptions options = sl_default_scene_options();
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        SlScene *scene;
        const char *path = write_scene(cases[k].camera);
        assert_int_equal(sl_scene_read(context, path, &options, &scene, &test_error), SL_ERROR_PARSE);
        if (strstr(test_error.text, cases[k].text) == NULL)
            fail_msg("\"%s\" is not in \"%s\"", cases[k].text, test_error.text);
    }
    sl_context_destroy(context);
    remove("cameras.json");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_are_met_and_joined_smoothly),
        cmocka_unit_test(an_orbit_is_a_circle),
        cmocka_unit_test(a_frame_has_the_camera_of_its_time),
        cmocka_unit_test(mistakes_have_their_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
