/* Snapshots: back and forth with the same bits, for every solver. */
#include "support/dam.h"
#include "support/test.h"
#include "support/world.h"
#include "world/world.h"

static SlWorld *world_of(const SlSolver *solver, uint32_t threads)
{
    SlWorldDef def = test_world_def(threads, (SlVec3){0, 0, 0}, (SlVec3){2, 2, 1});
    SlSystemId id;
    SlWorld *world = test_world(&def, solver->table.name, NULL, &id);
    float d = solver->spacing(&world->systems[0]->base);
    SlBlock block = {.min = {0, 0.1f, 0}, .max = {10 * d, 0.1f + 10 * d, 8 * d}};
    SlEmitterDef jet = sl_default_emitter_def(SL_EMITTER_DISK);
    jet.center = (SlVec3){1.5f, 1.8f, 0.5f};
    jet.radius = 2 * d;
    assert_ok(sl_system_add_block(world, id, &block, &test_error));
    assert_ok(sl_system_add_emitter(world, id, &jet, NULL, &test_error));
    SlShape ball = sl_default_shape(SL_SHAPE_SPHERE);
    ball.center = (SlVec3){0.5f, 0.1f, 0.3f};
    ball.radius = 0.2f;
    SlMotionDef motion = sl_default_motion_def();
    motion.velocity = (SlVec3){-0.5f, 0, 0};
    SlColliderId collider;
    assert_ok(sl_world_add_collider(world, &ball, &collider, &test_error));
    assert_ok(sl_collider_set_motion(world, collider, &motion, &test_error));
    return world;
}

static void steps(SlWorld *world, int count)
{
    for (int k = 0; k < count; k++)
        assert_ok(sl_world_step(world, 1.0 / 240, &test_error));
}

static void a_world_goes_back_and_forth(void **state)
{
    (void)state;
    for (size_t k = 0; k < sl_solver_count; k++) {
        uint64_t there = 0;
        for (uint32_t threads = 1; threads <= 5; threads += threads < 3 ? 1 : 2) {
            SlWorld *world = world_of(sl_solvers[k], threads);
            SlSnapshot *snapshot = NULL;
            steps(world, 10);
            uint64_t here = sl_world_hash(world);
            assert_ok(sl_world_snapshot(world, &snapshot, &test_error));
            assert_true(sl_world_hash(world) == here);
            steps(world, 10);
            there = there != 0 ? there : sl_world_hash(world);
            assert_true(sl_world_hash(world) == there);
            for (int again = 0; again < 3; again++) {
                assert_ok(sl_world_restore_snapshot(world, snapshot, &test_error));
                assert_true(sl_world_hash(world) == here);
                steps(world, again == 1 ? 3 : 10);
                assert_true(again == 1 || sl_world_hash(world) == there);
            }
            sl_snapshot_destroy(snapshot);
            sl_world_destroy(world);
        }
    }
}

/* What a program changed since goes back too. */
static void changes_are_taken_back(void **state)
{
    (void)state;
    SlWorld *world = world_of(sl_solver_find("pbf"), 1);
    SlSnapshot *snapshot = NULL;
    steps(world, 4);
    assert_ok(sl_world_snapshot(world, &snapshot, &test_error));
    steps(world, 10);
    uint64_t there = sl_world_hash(world);
    SlEmitterDef jet = sl_default_emitter_def(SL_EMITTER_DISK);
    jet.center = (SlVec3){1, 1.8f, 0.5f};
    jet.radius = 0.2f;
    assert_ok(sl_system_add_emitter(world, first_system(world), &jet, NULL, &test_error));
    assert_ok(sl_world_set_gravity(world, (SlVec3){1, 0, 0}, &test_error));
    steps(world, 10);
    assert_ok(sl_world_restore_snapshot(world, snapshot, &test_error));
    steps(world, 10);
    assert_true(sl_world_hash(world) == there);
    sl_snapshot_destroy(snapshot);
    sl_world_destroy(world);
}

/* The motion of a collider that was given another, or its first, and back again. */
static void motions_are_taken_back(void **state)
{
    (void)state;
    for (int has_motion = 0; has_motion < 2; has_motion++) {
        SlWorld *world = world_of(sl_solver_find("pbf"), 1);
        SlShape box = sl_default_shape(SL_SHAPE_BOX);
        box.center = (SlVec3){0.8f, 0.3f, 0.4f};
        box.half = (SlVec3){0.15f, 0.15f, 0.15f};
        SlMotionDef motion = sl_default_motion_def();
        SlColliderId collider;
        assert_ok(sl_world_add_collider(world, &box, &collider, &test_error));
        motion.velocity = (SlVec3){-1, 0, 0};
        if (has_motion)
            assert_ok(sl_collider_set_motion(world, collider, &motion, &test_error));
        SlSnapshot *snapshot = NULL;
        steps(world, 4);
        assert_ok(sl_world_snapshot(world, &snapshot, &test_error));
        steps(world, 20);
        uint64_t there = sl_world_hash(world);
        for (int again = 0; again < 2; again++) {
            motion.velocity = (SlVec3){0, 2, 0};
            assert_ok(sl_collider_set_motion(world, collider, &motion, &test_error));
            steps(world, 20);
            assert_true(sl_world_hash(world) != there);
            assert_ok(sl_world_restore_snapshot(world, snapshot, &test_error));
            steps(world, 20);
            assert_true(sl_world_hash(world) == there);
        }
        sl_snapshot_destroy(snapshot);
        sl_world_destroy(world);
    }
}

static SlVec3 eye_of(SlWorld *world)
{
    const SlFrameView *view = sl_world_view(world);
    assert_true(view->camera_count > 0);
    return view->cameras[0].eye;
}

/* Cameras, their paths and their number. */
static void cameras_are_taken_back(void **state)
{
    (void)state;
    SlWorld *world = world_of(sl_solver_find("pbf"), 1);
    SlCamera cameras[2] = {sl_default_camera(), sl_default_camera()};
    SlCameraKey keys[2] = {{.time = 0, .eye = {0, 1, 5}, .fov = 40},
                           {.time = 1, .eye = {5, 1, 5}, .fov = 40}};
    SlCameraPath path = {.keys = keys, .key_count = 2};
    cameras[0].eye = (SlVec3){0, 1, 5};
    cameras[1].eye = (SlVec3){3, 1, 5};
    assert_ok(sl_world_set_cameras(world, cameras, 1, &test_error));
    assert_ok(sl_world_set_camera_path(world, 0, &path, &test_error));
    SlSnapshot *snapshot = NULL;
    steps(world, 24);
    assert_ok(sl_world_snapshot(world, &snapshot, &test_error));
    SlVec3 here = eye_of(world);
    assert_true(here.x > 0.01f);
    steps(world, 24);
    SlVec3 there = eye_of(world);
    assert_true(there.x > here.x);
    assert_ok(sl_world_set_cameras(world, cameras, 2, &test_error));
    assert_float_equal(eye_of(world).x, 0, 0);
    steps(world, 2);
    assert_ok(sl_world_restore_snapshot(world, snapshot, &test_error));
    assert_int_equal(sl_world_view(world)->camera_count, 1);
    assert_float_equal(eye_of(world).x, here.x, 0);
    steps(world, 24);
    assert_float_equal(eye_of(world).x, there.x, 0);
    sl_snapshot_destroy(snapshot);
    sl_world_destroy(world);
}

static void memory_is_used_again(void **state)
{
    (void)state;
    DamSetting setting = {.threads = 1, .nx = 8, .ny = 8, .nz = 8};
    SlWorld *world = dam_create(&setting);
    SlSnapshot *snapshot = NULL;
    dam_advance(world, 2);
    assert_ok(sl_world_snapshot(world, &snapshot, &test_error));
    uint64_t before = sl_context_allocation_count(sl_world_context(world));
    assert_ok(sl_world_snapshot(world, &snapshot, &test_error));
    assert_ok(sl_world_restore_snapshot(world, snapshot, &test_error));
    assert_true(sl_context_allocation_count(sl_world_context(world)) == before);
    assert_true(sl_snapshot_bytes(snapshot) > 512 * 36);
    sl_snapshot_destroy(snapshot);
    sl_world_destroy(world);
}

static void snapshots_of_others_are_refused(void **state)
{
    (void)state;
    DamSetting setting = {.threads = 1, .nx = 4, .ny = 4, .nz = 4};
    SlWorld *world = dam_create(&setting), *other = dam_create(&setting);
    SlSnapshot *snapshot = NULL;
    assert_ok(sl_world_snapshot(world, &snapshot, &test_error));
    assert_int_equal(sl_world_restore_snapshot(other, snapshot, &test_error), SL_ERROR_ARGUMENT);
    assert_int_equal(sl_world_restore_snapshot(world, NULL, &test_error), SL_ERROR_ARGUMENT);
    assert_int_equal(sl_world_snapshot(other, &snapshot, &test_error), SL_ERROR_ARGUMENT);
    sl_snapshot_destroy(snapshot);
    sl_snapshot_destroy(NULL);
    sl_world_destroy(world);
    sl_world_destroy(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_world_goes_back_and_forth),
        cmocka_unit_test(changes_are_taken_back),
        cmocka_unit_test(motions_are_taken_back),
        cmocka_unit_test(cameras_are_taken_back),
        cmocka_unit_test(memory_is_used_again),
        cmocka_unit_test(snapshots_of_others_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
