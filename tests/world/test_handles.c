/* Handles: null, stale and foreign ones are errors, never a crash. */
#include "sleet/sleet.h"
#include "support/test.h"
#include "support/world.h"

static SlWorld *make_world(SlSystemId *water, SlColliderId *ball)
{
    SlWorldDef def = sl_default_world_def();
    SlShape sphere = sl_default_shape(SL_SHAPE_SPHERE);
    sphere.radius = 0.1f;
    SlWorld *world = test_world(&def, "pbf", NULL, water);
    assert_ok(sl_world_add_collider(world, &sphere, ball, &test_error));
    return world;
}

static void bad_system_handles_are_refused(void **state)
{
    (void)state;
    SlSystemId water, null = {0, 0, 0};
    SlColliderId ball;
    SlWorld *world = make_world(&water, &ball);
    SlSystemId far = water, foreign = water, stale = water;
    far.index1 = UINT32_MAX;
    foreign.world++;
    stale.generation++;
    const SlSystemId bad[] = {null, far, foreign, stale};
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        SlParamValue value;
        assert_int_equal(sl_system_get(world, bad[k], "spacing", &value, &test_error),
                         SL_ERROR_ARGUMENT);
        assert_non_null(strstr(test_error.text, "no system"));
        assert_null(sl_system_field(world, bad[k], "position").data);
        assert_null(sl_system_name(world, bad[k]));
        assert_int_equal(sl_system_index(world, bad[k]), UINT32_MAX);
    }
    assert_string_equal(sl_system_name(world, water), "pbf");
    sl_world_destroy(world);
}

static void systems_are_found_by_index_and_name(void **state)
{
    (void)state;
    SlSystemId water;
    SlColliderId ball;
    SlWorld *world = make_world(&water, &ball);
    assert_int_equal(sl_world_system_count(world), 1);
    assert_int_equal(sl_world_system(world, 0).index1, water.index1);
    assert_int_equal(sl_world_system(world, 1).index1, 0);
    assert_int_equal(sl_world_find_system(world, "pbf").index1, water.index1);
    assert_int_equal(sl_world_find_system(world, "snow").index1, 0);
    sl_world_destroy(world);
}

static void bad_collider_handles_are_refused(void **state)
{
    (void)state;
    SlSystemId water;
    SlColliderId ball, null = {0, 0, 0};
    SlWorld *world = make_world(&water, &ball);
    assert_ok(sl_world_start(world, &test_error)); /* before it, the first error stays */
    SlColliderId far = ball, foreign = ball, stale = ball;
    far.index1 = UINT32_MAX;
    foreign.world++;
    stale.generation++;
    const SlColliderId bad[] = {null, far, foreign, stale};
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        assert_int_equal(sl_collider_set_target(world, bad[k], (SlPose){.rotation.w = 1}, NULL),
                         SL_ERROR_ARGUMENT);
        sl_world_clear_error(world);
    }
    assert_ok(sl_collider_set_target(world, ball, (SlPose){.rotation.w = 1}, &test_error));
    sl_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_system_handles_are_refused),
        cmocka_unit_test(systems_are_found_by_index_and_name),
        cmocka_unit_test(bad_collider_handles_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
