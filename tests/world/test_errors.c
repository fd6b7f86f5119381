/* What a program is told: NULL worlds, errors of the start, names of calls, suggestions. */
#include "sleet/sleet.h"
#include "support/dam.h"
#include "support/test.h"

static SlWorld *make_world(SlSystemId *water)
{
    SlWorldDef def = sl_default_world_def();
    test_own_context(&def, 1, SL_ISA_AUTO);
    SlWorld *world;
    assert_ok(sl_world_create(&def, &world, &test_error));
    SlPbfDef pbf = sl_default_pbf_def();
    *water = sl_world_add_pbf(world, &pbf, &test_error);
    assert_int_not_equal(water->index1, 0);
    return world;
}

static void assert_says(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", text, part);
}

/* --- No world --- */

static void getters_without_a_world_return_nothing(void **state)
{
    (void)state;
    SlSystemId system = {1, 1, 1};
    const uint64_t zeros[] = {
        sl_world_time(NULL) != 0,
        sl_world_hash(NULL),
        sl_world_view(NULL) != NULL,
        sl_world_context(NULL) != NULL,
        sl_world_particle_count(NULL),
        sl_world_memory_needed(NULL),
        sl_world_system_count(NULL),
        sl_world_system(NULL, 0).index1,
        sl_world_find_system(NULL, "pbf").index1,
        sl_system_name(NULL, system) != NULL,
        sl_system_index(NULL, system) != UINT32_MAX,
        sl_system_stats(NULL, system) != NULL,
        sl_system_field(NULL, system, "position").data != NULL,
        sl_system_material(NULL, system).kind != SL_MATERIAL_SOLID,
        sl_world_error(NULL)->status != SL_ERROR_ARGUMENT,
        sl_snapshot_bytes(NULL),
    };
    for (size_t k = 0; k < sizeof zeros / sizeof zeros[0]; k++)
        if (zeros[k] != 0)
            fail_msg("getter %zu returns something without a world", k);
    sl_world_clear_error(NULL);
    sl_world_destroy(NULL);
}

static void calls_without_a_world_leave_the_error(void **state)
{
    (void)state;
    SlSystemId system = {1, 1, 1};
    SlColliderId collider = {1, 1, 1};
    SlForceFieldId field = {1, 1, 1};
    SlError error = {SL_ERROR_IO, "from before"};
    SlMaterial material = sl_default_material(SL_MATERIAL_SOLID);
    SlParamValue value;
    SlPose pose;
    SlSnapshot *snapshot = NULL;
    SlStateView view = {.frame = 0};
    const SlStateView *view_out;
    SlPbfDef pbf = sl_default_pbf_def();
    float point[3] = {0, 0, 0};
    material.roughness = -1; /* refused, if there were a world */
    const SlStatus found[] = {
        sl_system_query(NULL, system, point, 1, NULL, NULL, &error),
        sl_system_copy_field(NULL, system, "position", 0, 0, point, &error),
        sl_system_write_field(NULL, system, "position", 0, 0, point, &error),
        sl_system_add_particles(NULL, system, point, NULL, 1, NULL, &error),
        sl_system_remove_particles(NULL, system, NULL, 0, &error),
        sl_system_get(NULL, system, "spacing", &value, &error),
        sl_system_set_material(NULL, system, &material, &error),
        sl_collider_set_material(NULL, collider, &material, &error),
        sl_world_set_domain_material(NULL, &material, &error),
        sl_collider_pose(NULL, collider, &pose, &error),
        sl_force_field_remove(NULL, field, &error),
        sl_world_start(NULL, &error),
        sl_world_step(NULL, -1, &error),
        sl_world_advance_frame(NULL, &error),
        sl_world_finish_step(NULL, &error),
        sl_world_state(NULL, &view_out, &error),
        sl_world_restore(NULL, &view, &error),
        sl_world_snapshot(NULL, &snapshot, &error),
        sl_world_restore_snapshot(NULL, NULL, &error),
    };
    for (size_t k = 0; k < sizeof found / sizeof found[0]; k++)
        if (found[k] != SL_ERROR_ARGUMENT)
            fail_msg("call %zu: status %d", k, (int)found[k]);
    assert_int_equal(sl_world_add_pbf(NULL, &pbf, &error).index1, 0);
    assert_int_equal(error.status, SL_ERROR_IO);
    assert_string_equal(error.text, "from before");
}

/* --- The start --- */

static void an_error_of_the_start_is_kept(void **state)
{
    (void)state;
    SlSystemId water;
    SlWorld *world = make_world(&water);
    SlBlock outside = {.min = {3.5f, 0, 0}, .max = {4.5f, 0.5f, 0.5f}};
    assert_ok(sl_system_add_block(world, water, &outside, &test_error));
    assert_int_equal(sl_world_step(world, 0.01, NULL), SL_ERROR_ARGUMENT);
    assert_int_equal(sl_world_error(world)->status, SL_ERROR_ARGUMENT);
    assert_says(sl_world_error(world)->text, "sl_world_start: pbf: block 0 reaches outside");
    assert_int_equal(sl_world_set_gravity(world, (SlVec3){0, 0, 0}, NULL), SL_ERROR_ARGUMENT);
    test_error = (SlError){SL_OK, ""};
    assert_int_equal(sl_world_advance_frame(world, &test_error), SL_ERROR_ARGUMENT);
    assert_says(test_error.text, "sl_world_start: ");
    sl_world_clear_error(world);
    assert_int_equal(sl_world_error(world)->status, SL_OK);
    /* The block is still there: the start finds it again. */
    assert_int_equal(sl_world_start(world, &test_error), SL_ERROR_ARGUMENT);
    sl_world_destroy(world);
}

/* --- Names of calls --- */

static void messages_name_the_call_that_was_made(void **state)
{
    (void)state;
    SlSystemId water;
    SlWorld *world = make_world(&water);
    SlPbfDef zeroed = {0, 0}, pbf = sl_default_pbf_def();
    SlSnowDef snow = sl_default_snow_def();
    assert_int_equal(sl_world_add_pbf(world, &zeroed, &test_error).index1, 0);
    assert_says(test_error.text, "sl_default_pbf_def");
    assert_int_equal(strncmp(sl_world_error(world)->text, "sl_world_add_pbf: ", 18), 0);
    sl_world_clear_error(world);
    pbf.preset = "quick";
    assert_int_equal(sl_world_add_pbf(world, &pbf, NULL).index1, 0);
    assert_int_equal(strncmp(sl_world_error(world)->text, "sl_world_add_pbf: preset is", 27), 0);
    sl_world_clear_error(world);
    snow.poisson = 3;
    assert_int_equal(sl_world_add_snow(world, &snow, &test_error).index1, 0);
    assert_says(test_error.text, "poisson is 3");
    assert_int_equal(strncmp(sl_world_error(world)->text, "sl_world_add_snow: ", 19), 0);
    sl_world_clear_error(world);
    assert_int_equal(sl_world_system_count(world), 1); /* what was refused left nothing */
    /* After the start the error is returned too. */
    assert_ok(sl_world_start(world, &test_error));
    pbf = sl_default_pbf_def();
    test_error = (SlError){SL_OK, ""};
    assert_int_equal(sl_world_add_pbf(world, &pbf, &test_error).index1, 0);
    assert_int_equal(test_error.status, SL_ERROR_ARGUMENT);
    assert_says(test_error.text, "has started");
    sl_world_destroy(world);
}

/* --- Suggestions --- */

static void unknown_parameters_get_suggestions(void **state)
{
    (void)state;
    SlSystemId water;
    SlWorld *world = make_world(&water);
    SlParamValue value;
    assert_int_equal(sl_system_get(world, water, "viscositty", &value, &test_error),
                     SL_ERROR_ARGUMENT);
    assert_says(test_error.text, "did you mean \"viscosity\"?");
    assert_int_equal(sl_system_get(world, water, "qqqqqqqqqq", &value, &test_error),
                     SL_ERROR_ARGUMENT);
    assert_says(test_error.text, "; there are: ");
    assert_says(test_error.text, "spacing, ");
    assert_int_equal(sl_system_get(world, water, NULL, &value, &test_error), SL_ERROR_ARGUMENT);
    assert_int_equal(sl_system_set_number(world, water, "iteration", 3, NULL), SL_ERROR_ARGUMENT);
    assert_says(sl_world_error(world)->text, "did you mean \"iterations\"?");
    sl_world_destroy(world);
}

static void unknown_kinds_get_suggestions(void **state)
{
    (void)state;
    SlSystemId water;
    SlWorld *world = make_world(&water);
    assert_ok(sl_world_start(world, &test_error)); /* errors are not kept from here on */
    SlForceFieldDef wind = sl_default_force_field_def("widn");
    SlForceFieldId field;
    assert_int_equal(sl_world_add_force_field(world, &wind, NULL, &test_error), SL_ERROR_ARGUMENT);
    assert_says(test_error.text, "did you mean \"wind\"?");
    wind.kind = "earthquake";
    assert_int_equal(sl_world_add_force_field(world, &wind, NULL, &test_error), SL_ERROR_ARGUMENT);
    assert_says(test_error.text, "; there are: uniform, ");
    wind.kind = "wind";
    assert_ok(sl_world_add_force_field(world, &wind, &field, &test_error));
    assert_int_equal(sl_force_field_set_number(world, field, "dragg", 1, &test_error),
                     SL_ERROR_ARGUMENT);
    assert_says(test_error.text, "did you mean \"drag\"?");
    assert_ok(sl_force_field_remove(world, field, &test_error));
    assert_int_equal(sl_force_field_remove(world, field, &test_error), SL_ERROR_ARGUMENT);
    assert_says(test_error.text, "it was removed");
    sl_world_destroy(world);
    world = make_world(&water);
    SlSystemDef solver = sl_default_system_def("pdf");
    assert_int_equal(sl_world_add_system(world, &solver, NULL, &test_error), SL_ERROR_ARGUMENT);
    assert_says(test_error.text, "did you mean \"pbf\"?");
    sl_world_clear_error(world);
    solver.solver = NULL;
    assert_int_equal(sl_world_add_system(world, &solver, NULL, &test_error), SL_ERROR_ARGUMENT);
    assert_says(test_error.text, "snow");
    sl_world_destroy(world);
}

static void unknown_fields_get_suggestions(void **state)
{
    (void)state;
    SlSystemId water;
    SlWorld *world = make_world(&water);
    float buffer[3];
    assert_ok(sl_system_add_attribute(world, water, "temperature", SL_FIELD_F32, NULL, &test_error));
    assert_int_equal(sl_system_copy_field(world, water, "positions", 0, 0, buffer, &test_error),
                     SL_ERROR_ARGUMENT);
    assert_says(test_error.text, "did you mean \"position\"?");
    assert_int_equal(sl_system_write_field(world, water, "temprature", 0, 0, buffer, &test_error),
                     SL_ERROR_ARGUMENT);
    assert_says(test_error.text, "did you mean \"temperature\"?");
    assert_int_equal(sl_system_copy_field(world, water, "colour", 0, 0, buffer, &test_error),
                     SL_ERROR_ARGUMENT);
    assert_says(test_error.text, "; there are: ");
    assert_says(test_error.text, "velocity");
    sl_world_destroy(world);
}

static void removed_colliders_are_said_to_be_removed(void **state)
{
    (void)state;
    SlSystemId water;
    SlWorld *world = make_world(&water);
    SlShape sphere = sl_default_shape(SL_SHAPE_SPHERE);
    sphere.radius = 0.1f;
    SlColliderId ball;
    SlPose pose;
    assert_ok(sl_world_add_collider(world, &sphere, &ball, &test_error));
    assert_ok(sl_world_remove_collider(world, ball, &test_error));
    assert_int_equal(sl_collider_pose(world, ball, &pose, &test_error), SL_ERROR_ARGUMENT);
    assert_says(test_error.text, "it was removed");
    ball.world++;
    assert_int_equal(sl_collider_pose(world, ball, &pose, &test_error), SL_ERROR_ARGUMENT);
    assert_says(test_error.text, "it is of another world");
    ball.index1 = 0;
    assert_int_equal(sl_collider_pose(world, ball, &pose, &test_error), SL_ERROR_ARGUMENT);
    assert_says(test_error.text, "it is null");
    sl_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(getters_without_a_world_return_nothing),
        cmocka_unit_test(calls_without_a_world_leave_the_error),
        cmocka_unit_test(an_error_of_the_start_is_kept),
        cmocka_unit_test(messages_name_the_call_that_was_made),
        cmocka_unit_test(unknown_parameters_get_suggestions),
        cmocka_unit_test(unknown_kinds_get_suggestions),
        cmocka_unit_test(unknown_fields_get_suggestions),
        cmocka_unit_test(removed_colliders_are_said_to_be_removed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
