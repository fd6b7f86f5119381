/* Moving colliders: paths pass through their keys smoothly, shapes follow, water is pushed and
   carried. */
#include "bodies/motion.h"
#include "support/dam.h"
#include "world/world.h"

static void keys_are_met_smoothly(void **state)
{
    (void)state;
    SlContext *context = test_context(1);
    SlKeyframe keys[3] = {{0.5, {0, 0, 0}, {0, 0, 0}},
                          {1.5, {2, 1, 0}, {0, 1.2f, 0}},
                          {2.0, {2, 3, 1}, {0, 1.2f, 0.4f}}};
    SlMotionDef def = sl_default_motion_def();
    def.keys = keys;
    def.key_count = 3;
    def.pivot = (SlVec3){1, 2, 3};
    SlMotion *motion;
    assert_ok(sl_motion_create(context, &def, &motion, &test_error));
    for (int k = 0; k < 3; k++) {
        SlDisplacement pose = sl_motion_at(motion, keys[k].time);
        assert_near(sl_length(sl_sub(pose.position, keys[k].position)), 0, 1e-6);
        /* The pivot only moves; a point beside it turns. */
        SlVec3 p = sl_displacement_point(&pose, def.pivot);
        assert_near(sl_length(sl_sub(p, sl_add(def.pivot, keys[k].position))), 0, 1e-6);
    }
    SlDisplacement turned = sl_motion_at(motion, 1.5);
    SlVec3 x = sl_quat_rotate(turned.rotation, sl_vec3(1, 0, 0));
    assert_near(x.x, cosf(1.2f), 1e-6);
    assert_near(x.z, -sinf(1.2f), 1e-6);
    /* At rest outside, and no jump in speed anywhere. */
    SlVec3 before = {0, 0, 0}, spin;
    for (double t = 0; t < 2.5; t += 0.002) {
        SlDisplacement a = sl_motion_at(motion, t), b = sl_motion_at(motion, t + 0.002);
        SlVec3 v;
        sl_displacement_rates(&a, &b, 0.002, &v, &spin);
        assert_true(sl_length(sl_sub(v, before)) < 0.3f);
        before = v;
    }
    assert_near(sl_length(before), 0, 1e-6);
    sl_motion_release(motion);
    keys[2].time = 1.5;
    assert_int_equal(sl_motion_create(context, &def, &motion, &test_error), SL_ERROR_ARGUMENT);
    sl_context_destroy(context);
}

static void rates_are_those_of_the_path(void **state)
{
    (void)state;
    SlContext *context = test_context(1);
    SlMotionDef def = sl_default_motion_def();
    def.velocity = (SlVec3){1, -2, 3};
    def.spin = (SlVec3){0.5f, 4, -1};
    SlMotion *motion;
    assert_ok(sl_motion_create(context, &def, &motion, &test_error));
    SlDisplacement a = sl_motion_at(motion, 10), b = sl_motion_at(motion, 10.01);
    SlVec3 v, w;
    sl_displacement_rates(&a, &b, 0.01, &v, &w);
    assert_near(sl_length(sl_sub(v, def.velocity)), 0, 1e-3);
    assert_near(sl_length(sl_sub(w, def.spin)), 0, 1e-3);
    sl_motion_release(motion);
    sl_context_destroy(context);
}

static double mean_velocity(SlWorld *world, int axis)
{
    SlFieldView v = sl_system_field(world, first_system(world), "velocity");
    double sum = 0;
    for (size_t i = 0; i < v.count; i++)
        sum += (double)((const float *)((const char *)v.data + i * v.stride))[axis];
    return sum / (double)v.count;
}

/* A piston takes the water with it: nothing stays behind, the mean speed is the piston's. */
static void piston_pushes(void **state)
{
    (void)state;
    DamSetting setting = {.threads = 2, .nx = 8, .ny = 10, .nz = 10, .domain = {6, 1.2f, 1},
                          .offset = {0.5f, 0, 0}, .no_gravity = true, .iterations = 6};
    SlWorld *world = dam_create(&setting);
    SlShape piston = sl_default_shape(SL_SHAPE_BOX);
    piston.center = (SlVec3){0.2f, 0.6f, 0.5f};
    piston.half = (SlVec3){0.2f, 0.7f, 0.6f};
    SlMotionDef motion = sl_default_motion_def();
    motion.velocity = (SlVec3){1, 0, 0};
    SlColliderId id;
    assert_ok(sl_world_add_collider(world, &piston, &id, &test_error));
    assert_ok(sl_collider_set_motion(world, id, &motion, &test_error));
    dam_advance(world, 120);
    const SlFrameView *view = sl_world_view(world);
    assert_near(view->colliders[0].shape.center.x, 2.2, 1e-5);
    SlFieldView x = sl_system_field(world, first_system(world), "position");
    for (size_t i = 0; i < x.count; i++)
        assert_true(*(const float *)((const char *)x.data + i * x.stride) > 2.4f + 0.04f);
    assert_near(mean_velocity(world, 0), 1, 0.15);
    sl_world_destroy(world);
}

/* A rough belt under the water drags it along; a smooth one does not. */
static void friction_carries(void **state)
{
    (void)state;
    double speed[2];
    for (int rough = 0; rough < 2; rough++) {
        DamSetting setting = {.threads = 2, .nx = 20, .ny = 4, .nz = 10, .domain = {20, 3, 1},
                              .offset = {4, 0.5f, 0}};
        SlWorld *world = dam_create(&setting);
        SlShape belt = sl_default_shape(SL_SHAPE_BOX);
        belt.center = (SlVec3){10, 0.2f, 0.5f};
        belt.half = (SlVec3){30, 0.3f, 1};
        belt.friction = rough ? 1 : 0;
        SlMotionDef motion = sl_default_motion_def();
        motion.velocity = (SlVec3){2, 0, 0};
        SlColliderId id;
        assert_ok(sl_world_add_collider(world, &belt, &id, &test_error));
        assert_ok(sl_collider_set_motion(world, id, &motion, &test_error));
        dam_advance(world, 40);
        speed[rough] = mean_velocity(world, 0);
        sl_world_destroy(world);
    }
    print_message("belt at 2 m/s: water at %.3f m/s (smooth), %.3f m/s (rough)\n", speed[0],
                  speed[1]);
    assert_true(fabs(speed[0]) < 0.05);
    assert_true(speed[1] > 0.3 && speed[1] < 2);
}

/* A turned box keeps water out of exactly its own space. */
static void boxes_turn(void **state)
{
    (void)state;
    DamSetting setting = {.threads = 2, .nx = 30, .ny = 8, .nz = 30, .domain = {3, 2, 3}};
    SlWorld *world = dam_create(&setting);
    SlShape box = sl_default_shape(SL_SHAPE_BOX);
    box.center = (SlVec3){1.5f, 1.5f, 1.5f};
    box.half = (SlVec3){0.6f, 0.3f, 0.1f};
    SlKeyframe keys[3] = {{0, {0, 0, 0}, {0, 0, 0}},
                          {0.5, {0, -0.8f, 0}, {0, 0, 0}},
                          {2.5, {0, -0.8f, 0}, {0, 3, 0}}};
    SlMotionDef motion = sl_default_motion_def();
    motion.keys = keys;
    motion.key_count = 3;
    motion.pivot = box.center;
    SlColliderId id;
    assert_ok(sl_world_add_collider(world, &box, &id, &test_error));
    assert_ok(sl_collider_set_motion(world, id, &motion, &test_error));
    for (int k = 0; k < 10; k++) {
        dam_advance(world, 15);
        const SlFrameView *view = sl_world_view(world);
        SlFieldView x = sl_system_field(world, first_system(world), "position");
        for (size_t i = 0; i < x.count; i++) {
            const float *p = (const float *)((const char *)x.data + i * x.stride);
            assert_true(sl_shape_distance(&view->colliders[0].shape, sl_vec3(p[0], p[1], p[2]), NULL) >
                        0.02f);
        }
    }
    sl_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_are_met_smoothly), cmocka_unit_test(rates_are_those_of_the_path),
        cmocka_unit_test(piston_pushes),         cmocka_unit_test(friction_carries),
        cmocka_unit_test(boxes_turn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
