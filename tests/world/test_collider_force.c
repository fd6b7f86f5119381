/* The mean force on a collider over a step, and what else a program asks a world for. */
#include "sleet/sleet.h"
#include "support/dam.h"
#include "support/test.h"
#include "world/world.h"

typedef struct Sums {
    double force[3], torque[3]; /* impulses of one collider, all systems */
    SlColliderId collider;
    int stop_after; /* calls; 0: never */
} Sums;

static bool add_forces(void *user, SlSystemId system, const SlStepStats *stats)
{
    (void)system;
    Sums *sums = user;
    for (size_t b = 0; b < stats->body_count; b++)
        if (stats->bodies[b].collider.index1 == sums->collider.index1 &&
            stats->bodies[b].collider.generation == sums->collider.generation)
            for (int k = 0; k < 3; k++) {
                sums->force[k] += stats->dt * stats->bodies[b].force[k];
                sums->torque[k] += stats->dt * stats->bodies[b].torque[k];
            }
    return sums->stop_after == 0 || --sums->stop_after > 0;
}

/* Two waters of different sub-steps in a basin with a box in its midst, and a ball far above. */
static SlWorld *make_basin(uint32_t threads, SlColliderId *box, SlColliderId *ball, Sums *sums)
{
    SlWorldDef def = sl_default_world_def();
    test_own_context(&def, threads, SL_ISA_AUTO);
    def.domain = (SlBox){{0, 0, 0}, {1.2f, 2, 0.6f}};
    def.on_step = sums != NULL ? add_forces : NULL;
    def.on_step_user = sums;
    SlWorld *world;
    assert_ok(sl_world_create(&def, &world, &test_error));
    SlShape shape = sl_default_shape(SL_SHAPE_BOX);
    shape.center = (SlVec3){0.6f, 0.2f, 0.3f};
    shape.half = (SlVec3){0.1f, 0.2f, 0.3f};
    assert_ok(sl_world_add_collider(world, &shape, box, &test_error));
    shape = sl_default_shape(SL_SHAPE_SPHERE);
    shape.center = (SlVec3){0.6f, 1.8f, 0.3f};
    shape.radius = 0.1f;
    assert_ok(sl_world_add_collider(world, &shape, ball, &test_error));
    for (int k = 0; k < 2; k++) {
        SlPbfDef pbf = sl_default_pbf_def();
        SlBlock block = {.max = {0.5f, k == 0 ? 0.4f : 0.2f, 0.6f}};
        pbf.spacing = 0.05;
        pbf.name = k == 0 ? "left" : "right";
        pbf.steps = k == 0 ? 4 : 3;
        if (k == 1) {
            block.min.x = 0.7f;
            block.max.x = 1.2f;
        }
        SlSystemId id = sl_world_add_pbf(world, &pbf, &test_error);
        assert_ok(sl_system_set_text(world, id, "packing", "lattice", &test_error));
        assert_ok(sl_system_add_block(world, id, &block, &test_error));
    }
    return world;
}

static void the_force_is_the_mean_over_the_step(void **state)
{
    (void)state;
    SlColliderId box, ball;
    Sums sums = {{0}, {0}, {0, 0, 0}, 0};
    SlWorld *world = make_basin(2, &box, &ball, &sums);
    double force[3] = {9, 9, 9}, torque[3] = {9, 9, 9};
    assert_ok(sl_collider_force(world, box, force, torque, &test_error));
    for (int k = 0; k < 3; k++)
        assert_true(force[k] == 0 && torque[k] == 0); /* before the first step */
    for (int step = 0; step < 8; step++) {
        double dt = step % 2 == 0 ? 1.0 / 60 : 0.01;
        sums = (Sums){.collider = box};
        if (step % 2 == 0)
            assert_ok(sl_world_advance_frame(world, &test_error));
        else
            assert_ok(sl_world_step(world, dt, &test_error));
        assert_ok(sl_collider_force(world, box, force, torque, &test_error));
        double size = 1e-9 + fabs(force[0]) + fabs(force[1]) + fabs(force[2]);
        for (int k = 0; k < 3; k++) {
            assert_near(force[k], sums.force[k] / dt, 1e-9 * size);
            assert_near(torque[k], sums.torque[k] / dt, 1e-9 * size);
        }
    }
    /* Pressed to the right: there is twice as much water on the left. */
    assert_true(force[0] > 1);
    assert_ok(sl_collider_force(world, ball, force, NULL, &test_error));
    assert_true(force[0] == 0 && force[1] == 0 && force[2] == 0);
    /* A collider in the slot of another begins with nothing. */
    assert_ok(sl_world_remove_collider(world, box, &test_error));
    assert_int_equal(sl_collider_force(world, box, force, NULL, &test_error), SL_ERROR_ARGUMENT);
    SlShape shape = sl_default_shape(SL_SHAPE_SPHERE);
    shape.center = (SlVec3){0.2f, 1.8f, 0.3f};
    shape.radius = 0.1f;
    assert_ok(sl_world_add_collider(world, &shape, &box, &test_error));
    assert_ok(sl_collider_force(world, box, force, torque, &test_error));
    assert_true(force[0] == 0 && torque[2] == 0);
    sl_world_destroy(world);
}

static void the_force_depends_on_no_thread_and_returns_with_a_snapshot(void **state)
{
    (void)state;
    double forces[2][3], before[3], after[3];
    for (uint32_t t = 0; t < 2; t++) {
        SlColliderId box, ball;
        SlWorld *world = make_basin(1 + 2 * t, &box, &ball, NULL);
        for (int k = 0; k < 4; k++)
            assert_ok(sl_world_advance_frame(world, &test_error));
        assert_ok(sl_collider_force(world, box, forces[t], NULL, &test_error));
        SlSnapshot *snapshot = NULL;
        assert_ok(sl_world_snapshot(world, &snapshot, &test_error));
        assert_ok(sl_world_advance_frame(world, &test_error));
        assert_ok(sl_collider_force(world, box, before, NULL, &test_error));
        assert_true(before[0] != forces[t][0]);
        assert_ok(sl_world_restore_snapshot(world, snapshot, &test_error));
        assert_ok(sl_collider_force(world, box, after, NULL, &test_error));
        assert_memory_equal(after, forces[t], sizeof after);
        assert_ok(sl_world_advance_frame(world, &test_error));
        assert_ok(sl_collider_force(world, box, after, NULL, &test_error));
        assert_memory_equal(after, before, sizeof after);
        sl_snapshot_destroy(snapshot);
        sl_world_destroy(world);
    }
    assert_memory_equal(forces[0], forces[1], sizeof forces[0]);
}

/* A frame that on_step stopped: the mean of what is done, and in the end of the whole. */
static void a_stopped_step_is_one_mean(void **state)
{
    (void)state;
    double force[2][3];
    for (int stopped = 0; stopped < 2; stopped++) {
        SlColliderId box, ball;
        Sums sums = {{0}, {0}, {0, 0, 0}, 0};
        SlWorld *world = make_basin(1, &box, &ball, &sums);
        assert_ok(sl_world_advance_frame(world, &test_error));
        sums.stop_after = stopped != 0 ? 3 : 0;
        if (stopped != 0)
            assert_int_equal(sl_world_advance_frame(world, &test_error), SL_ERROR_CANCELLED);
        sums.stop_after = 0;
        assert_ok(sl_world_advance_frame(world, &test_error));
        assert_ok(sl_collider_force(world, box, force[stopped], NULL, &test_error));
        assert_int_equal(sl_world_frame(world), 2);
        sl_world_destroy(world);
    }
    assert_memory_equal(force[0], force[1], sizeof force[0]);
}

static void forces_of_bodies_name_their_collider(void **state)
{
    (void)state;
    SlColliderId box, ball;
    SlWorld *world = make_basin(1, &box, &ball, NULL);
    assert_ok(sl_system_set_text(world, first_system(world), "forces", "all", &test_error));
    assert_ok(sl_world_advance_frame(world, &test_error));
    const SlStepStats *stats = sl_system_stats(world, first_system(world));
    assert_int_equal(stats->body_count, 3);
    assert_string_equal(stats->bodies[0].name, "domain");
    assert_int_equal(stats->bodies[0].collider.index1, 0);
    assert_memory_equal(&stats->bodies[1].collider, &box, sizeof box);
    assert_memory_equal(&stats->bodies[2].collider, &ball, sizeof ball);
    assert_ok(sl_world_remove_collider(world, box, &test_error));
    assert_int_equal(stats->bodies[1].collider.index1, 0);
    sl_world_destroy(world);
}

/* --- Getters and small calls --- */

static void a_quaternion_of_axis_and_angle(void **state)
{
    (void)state;
    SlQuat q = sl_quat_from_axis_angle((SlVec3){0, 0, 5}, 1.57079633f);
    assert_near((double)q.z, 0.70710678, 1e-6);
    assert_near((double)q.w, 0.70710678, 1e-6);
    assert_true(q.x == 0 && q.y == 0);
    q = sl_quat_from_axis_angle((SlVec3){1, -2, 2}, -0.6f); /* axis of length 3 */
    assert_near((double)q.x, -sin(0.3) / 3, 1e-7);
    assert_near((double)q.y, 2 * sin(0.3) / 3, 1e-7);
    assert_near((double)q.w, cos(0.3), 1e-7);
    q = sl_quat_from_axis_angle((SlVec3){0, 0, 0}, 1);
    assert_true(q.x == 0 && q.y == 0 && q.z == 0 && q.w == 1);
    q = sl_quat_from_axis_angle((SlVec3){1, 0, 0}, NAN);
    assert_true(q.x == 0 && q.w == 1);
    /* Vector and quaternion, both ways; the longer way round becomes the shorter one. */
    SlVec3 turns[] = {{0.3f, -0.4f, 0.5f}, {0, 3.1f, 0}, {0, 0, 0}, {1e-6f, 0, 0}};
    for (size_t k = 0; k < sizeof turns / sizeof turns[0]; k++) {
        SlVec3 back = sl_quat_to_rotation_vector(sl_quat_from_rotation_vector(turns[k]));
        assert_near((double)back.x, (double)turns[k].x, 1e-6);
        assert_near((double)back.y, (double)turns[k].y, 1e-6);
        assert_near((double)back.z, (double)turns[k].z, 1e-6);
    }
    q = sl_quat_from_rotation_vector((SlVec3){0, 0, 5});
    assert_near((double)sl_quat_to_rotation_vector(q).z, 5 - 2 * 3.14159265358979, 1e-6);
    q = (SlQuat){0, 0, 0, 0};
    assert_true(sl_quat_to_rotation_vector(q).x == 0);
    /* The rotation that a collider gets: a box on its side. */
    SlWorldDef def = sl_default_world_def();
    SlWorld *world;
    SlColliderId id;
    SlPose pose = {{2, 2, 2}, sl_quat_from_axis_angle((SlVec3){0, 1, 0}, 0.5f)};
    SlShape box = sl_default_shape(SL_SHAPE_BOX);
    box.half = (SlVec3){0.1f, 0.1f, 0.1f};
    assert_ok(sl_world_create(&def, &world, &test_error));
    assert_ok(sl_world_add_collider(world, &box, &id, &test_error));
    assert_ok(sl_collider_set_pose(world, id, pose, &test_error));
    SlPose is;
    assert_ok(sl_collider_pose(world, id, &is, &test_error));
    assert_near((double)is.rotation.y, sin(0.25), 1e-6);
    sl_world_destroy(world);
}

static void getters_return_what_was_set(void **state)
{
    (void)state;
    SlColliderId box, ball;
    SlWorld *world = make_basin(1, &box, &ball, NULL);
    SlSystemId left = sl_world_find_system(world, "left");
    assert_true(sl_world_gravity(world).y == -9.81f);
    assert_ok(sl_world_set_gravity(world, (SlVec3){1, -2, 3}, &test_error));
    assert_true(sl_world_gravity(world).z == 3);
    assert_true(sl_world_gravity(NULL).y == 0);
    assert_int_equal(sl_world_frame(world), 0);
    assert_int_equal(sl_world_frame(NULL), 0);
    assert_int_equal(sl_system_particle_count(world, left), 0);
    assert_ok(sl_world_advance_frame(world, &test_error));
    assert_int_equal(sl_world_frame(world), 1);
    assert_int_equal(sl_system_particle_count(world, left), 10 * 8 * 12);
    assert_int_equal(sl_system_particle_count(world, (SlSystemId){0, 0, 0}), 0);
    assert_int_equal(sl_system_particle_count(NULL, left), 0);

    SlForceFieldDef def = sl_default_force_field_def("wind");
    SlForceFieldId wind;
    SlParamValue value;
    assert_ok(sl_world_add_force_field(world, &def, &wind, &test_error));
    assert_ok(sl_force_field_set_vec3(world, wind, "velocity", (SlVec3){5, 0, -1}, &test_error));
    assert_ok(sl_force_field_get(world, wind, "velocity", &value, &test_error));
    assert_true(value.number[0] == 5 && value.number[2] == -1);
    assert_ok(sl_force_field_set_number(world, wind, "drag", 0.5, &test_error));
    assert_ok(sl_force_field_get(world, wind, "drag", &value, &test_error));
    assert_true(value.number[0] == 0.5);
    assert_int_equal(sl_force_field_get(world, wind, "darg", &value, &test_error),
                     SL_ERROR_ARGUMENT);
    assert_non_null(strstr(test_error.text, "did you mean \"drag\"?"));
    SlError error = {SL_OK, ""};
    assert_int_equal(sl_force_field_get(NULL, wind, "drag", &value, &error), SL_ERROR_ARGUMENT);
    assert_int_equal(sl_collider_force(NULL, box, NULL, NULL, &error), SL_ERROR_ARGUMENT);
    assert_string_equal(error.text, "");
    /* A parameter that takes no vector refuses one of the same type. */
    assert_int_equal(sl_system_set_vec3(world, left, "viscosity", (SlVec3){0, 0, 0}, &test_error),
                     SL_ERROR_ARGUMENT);
    sl_world_destroy(world);
}

static void particles_inside_a_shape_are_removed(void **state)
{
    (void)state;
    SlColliderId box, ball;
    SlWorld *world = make_basin(1, &box, &ball, NULL);
    SlSystemId left = sl_world_find_system(world, "left");
    SlShape lower = sl_default_shape(SL_SHAPE_BOX);
    size_t removed = 7;
    lower.center = (SlVec3){0.6f, 0, 0.3f};
    lower.half = (SlVec3){0.6f, 0.1f, 0.3f}; /* two of eight layers */
    assert_ok(sl_system_remove_particles_in(world, left, &lower, &removed, &test_error));
    assert_int_equal(removed, 2 * 10 * 12);
    assert_int_equal(sl_system_particle_count(world, left), 6 * 10 * 12);
    SlFieldView x = sl_system_field(world, left, "position");
    for (size_t k = 0; k < x.count; k++) {
        const float *p = (const float *)(const void *)((const char *)x.data + k * x.stride);
        assert_true(p[1] > 0.1f);
    }
    assert_ok(sl_system_remove_particles_in(world, left, &lower, &removed, &test_error));
    assert_int_equal(removed, 0);
    assert_ok(sl_world_advance_frame(world, &test_error));
    lower.half.x = -1;
    assert_int_equal(sl_system_remove_particles_in(world, left, &lower, NULL, &test_error),
                     SL_ERROR_ARGUMENT);
    assert_int_equal(sl_system_remove_particles_in(NULL, left, &lower, NULL, NULL),
                     SL_ERROR_ARGUMENT);
    sl_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_force_is_the_mean_over_the_step),
        cmocka_unit_test(the_force_depends_on_no_thread_and_returns_with_a_snapshot),
        cmocka_unit_test(a_stopped_step_is_one_mean),
        cmocka_unit_test(forces_of_bodies_name_their_collider),
        cmocka_unit_test(a_quaternion_of_axis_and_angle),
        cmocka_unit_test(getters_return_what_was_set),
        cmocka_unit_test(particles_inside_a_shape_are_removed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
