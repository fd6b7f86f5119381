/* A depth image handed in by the host decides levels of detail instead of Sleet's own. */
#include "support/dam.h"
#include "support/test.h"

enum { WIDTH = 64, HEIGHT = 48 };

static SlWorld *make_world(SlCamera *camera)
{
    DamSetting setting = {.threads = 2, .nx = 10, .ny = 10, .nz = 10, .iterations = 5,
                          .domain = {3, 2, 1}};
    SlWorld *world = dam_create(&setting);
    SlSystemId water = first_system(world);
    assert_ok(sl_system_set_text(world, water, "lod", "dtvs", &test_error));
    assert_ok(sl_system_set_number(world, water, "lod_min", 2, &test_error));
    assert_ok(sl_system_set_number(world, water, "lod_near", 0.05, &test_error));
    assert_ok(sl_system_set_number(world, water, "lod_far", 0.5, &test_error));
    *camera = sl_default_camera();
    camera->eye = (SlVec3){6, 0.5f, 0.5f};
    camera->target = (SlVec3){0, 0.5f, 0.5f};
    assert_ok(sl_world_set_cameras(world, camera, 1, &test_error));
    return world;
}

static void count_levels(SlWorld *world, size_t *lowest, size_t *highest)
{
    dam_advance(world, 1);
    SlFieldView level = sl_system_field(world, first_system(world), "level");
    *lowest = *highest = 0;
    for (size_t i = 0; i < level.count; i++) {
        *lowest += ((const uint32_t *)level.data)[i] == 2;
        *highest += ((const uint32_t *)level.data)[i] == 5;
    }
}

static void images_decide_levels(void **state)
{
    (void)state;
    static float depth[WIDTH * HEIGHT];
    SlCamera camera;
    SlWorld *world = make_world(&camera);
    SlDepthView view = {camera, WIDTH, HEIGHT, depth};
    size_t lowest, highest;
    for (int k = 0; k < WIDTH * HEIGHT; k++)
        depth[k] = 0.1f; /* something right before the camera hides all of it */
    assert_ok(sl_world_set_depth_image(world, 0, &view, &test_error));
    count_levels(world, &lowest, &highest);
    assert_int_equal(lowest, 1000);
    for (int k = 0; k < WIDTH * HEIGHT; k++)
        depth[k] = INFINITY; /* nothing hides anything */
    count_levels(world, &lowest, &highest);
    assert_int_equal(highest, 1000);
    assert_ok(sl_world_set_depth_image(world, 0, NULL, &test_error));
    count_levels(world, &lowest, &highest); /* Sleet's own: surface and inside differ */
    assert_true(highest >= 100 && highest < 1000 && lowest >= 100);
    sl_world_destroy(world);
}

static void wrong_images_are_refused(void **state)
{
    (void)state;
    float pixel = 1;
    SlCamera camera;
    SlWorld *world = make_world(&camera);
    assert_ok(sl_world_start(world, &test_error));
    SlDepthView view = {camera, 1, 1, &pixel}, empty = view, weightless = view, wide = view;
    empty.depth = NULL;
    weightless.camera.weight = 0;
    wide.width = 20000;
    assert_int_equal(sl_world_set_depth_image(world, 1, &view, NULL), SL_ERROR_ARGUMENT);
    assert_int_equal(sl_world_set_depth_image(world, 0, &empty, NULL), SL_ERROR_ARGUMENT);
    assert_int_equal(sl_world_set_depth_image(world, 0, &weightless, NULL), SL_ERROR_ARGUMENT);
    assert_int_equal(sl_world_set_depth_image(world, 0, &wide, &test_error), SL_ERROR_ARGUMENT);
    assert_ok(sl_world_set_depth_image(world, 0, &view, &test_error));
    sl_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(images_decide_levels),
        cmocka_unit_test(wrong_images_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
