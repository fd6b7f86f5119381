/* Colliders that a program moves from step to step. */
#include "support/dam.h"
#include "support/sphere_mesh.h"
#include "world/world.h"

enum { SHAPE, MESH };
static const SlVec3 start = {0.6f, 0.5f, 0.8f};
static char ball_path[600];

/* A ball beside a block of water, without gravity. */
static SlWorld *make(int kind, SlColliderId *id)
{
    DamSetting setting = {.threads = 2, .nx = 10, .ny = 10, .nz = 10, .domain = {3, 2, 2},
                          .offset = {1, 0.3f, 0.3f}, .no_gravity = true};
    SlWorld *world = dam_create(&setting);
    if (kind == SHAPE) {
        SlShape ball = sl_default_shape(SL_SHAPE_SPHERE);
        ball.center = start;
        ball.radius = 0.3f;
        ball.friction = 0.2f;
        assert_ok(sl_world_add_collider(world, &ball, id, &test_error));
    } else {
        SlMeshColliderDef mesh = sl_default_mesh_collider_def();
        mesh.path = ball_path;
        mesh.scale = 0.3f;
        mesh.position = start;
        mesh.friction = 0.2f;
        mesh.cell = 0.05;
        assert_ok(sl_world_add_mesh_collider(world, &mesh, id, &test_error));
    }
    return world;
}

static double farthest_apart(SlWorld *a, SlWorld *b)
{
    SlFieldView x = sl_system_field(a, first_system(a), "position"), y = sl_system_field(b, first_system(b), "position");
    SlFieldView i = sl_system_field(a, first_system(a), "id"), j = sl_system_field(b, first_system(b), "id");
    double worst = 0;
    for (size_t k = 0; k < x.count; k++)
        for (size_t l = 0; l < y.count; l++) {
            if (((const uint32_t *)i.data)[k] != ((const uint32_t *)j.data)[l])
                continue;
            SlVec3 p, q;
            memcpy(&p, (const char *)x.data + k * x.stride, sizeof p);
            memcpy(&q, (const char *)y.data + l * y.stride, sizeof q);
            worst = fmax(worst, (double)sl_length(sl_sub(p, q)));
        }
    return worst;
}

/* A target at every step is the same as a motion of that velocity and spin. */
static void targets_are_a_motion(int kind)
{
    SlColliderId id, other;
    SlWorld *told = make(kind, &id), *moved = make(kind, &other);
    SlMotionDef motion = sl_default_motion_def();
    motion.velocity = (SlVec3){1.2f, 0, 0};
    motion.spin = (SlVec3){0, 0.8f, 0};
    motion.pivot = start;
    assert_ok(sl_collider_set_motion(moved, other, &motion, &test_error));
    assert_ok(sl_world_start(told, &test_error));
    for (int k = 1; k <= 20; k++) {
        float time = (float)k / 60;
        SlPose pose = {.position = {start.x + 1.2f * time, start.y, start.z},
                       .rotation = {0, sinf(0.4f * time), 0, cosf(0.4f * time)}};
        assert_ok(sl_collider_set_target(told, id, pose, &test_error));
        assert_ok(sl_world_step(told, 1.0 / 60, &test_error));
        assert_ok(sl_world_step(moved, 1.0 / 60, &test_error));
    }
    double apart = farthest_apart(told, moved);
    print_message("farthest apart: %.2g m\n", apart);
    assert_less(apart, 2e-4);
    /* It is there, and then it rests. */
    const SlBodyMotion *rate = &told->colliders.bodies.body[1].motion;
    assert_near((double)rate->velocity.x, 1.2, 1e-5);
    assert_near((double)rate->spin.y, 0.8, 1e-5);
    assert_ok(sl_world_step(told, 1.0 / 60, &test_error));
    assert_true(rate->velocity.x == 0 && fabsf(rate->spin.y) < 1e-9f);
    SlPose there;
    assert_ok(sl_collider_pose(told, id, &there, &test_error));
    assert_near((double)there.position.x, (double)start.x + 0.4, 1e-5);
    assert_near((double)there.rotation.y, sin(0.4 / 3), 1e-5);
    assert_near((double)there.rotation.w, cos(0.4 / 3), 1e-5);
    sl_world_destroy(told);
    sl_world_destroy(moved);
}

static void shapes_follow_targets(void **state)
{
    (void)state;
    targets_are_a_motion(SHAPE);
}

static void meshes_follow_targets(void **state)
{
    (void)state;
    sphere_mesh_write(ball_path, sizeof ball_path, 3);
    targets_are_a_motion(MESH);
}

/* A target takes over from a motion where that has come to, without a jump. */
static void targets_take_over(void **state)
{
    (void)state;
    SlColliderId id;
    SlWorld *world = make(SHAPE, &id);
    SlMotionDef motion = sl_default_motion_def();
    motion.velocity = (SlVec3){0, 0.6f, 0};
    assert_ok(sl_collider_set_motion(world, id, &motion, &test_error));
    dam_advance(world, 10);
    SlPose up = {.position = {start.x, start.y + 0.11f, start.z}, .rotation.w = 1};
    assert_ok(sl_collider_set_target(world, id, up, &test_error));
    dam_advance(world, 1);
    assert_near((double)world->colliders.bodies.body[id.index1].motion.velocity.y, 0.6, 1e-5);
    assert_near((double)world->colliders.bodies.body[id.index1].shape.center.y, 0.61, 1e-5);
    sl_world_destroy(world);
}

static void targets_are_state(void **state)
{
    (void)state;
    SlColliderId id;
    SlWorld *world = make(SHAPE, &id);
    dam_advance(world, 1);
    uint64_t before = sl_world_hash(world);
    assert_ok(sl_collider_set_target(world, id, (SlPose){.position = {1, 0, 0}, .rotation.w = 1},
                                     &test_error));
    assert_true(sl_world_hash(world) != before);
    sl_world_destroy(world);
}

static void wrong_targets_are_refused(void **state)
{
    (void)state;
    SlColliderId id;
    SlWorld *world = make(SHAPE, &id);
    assert_ok(sl_world_start(world, &test_error)); /* before it, the first error stays */
    SlPose here = {.rotation.w = 1}, nowhere = {.rotation = {NAN, 0, 0, 1}};
    SlColliderId other = id, mesh = id;
    other.index1++;
    mesh.index1 = UINT32_MAX;
    assert_int_equal(sl_collider_set_target(world, other, here, &test_error), SL_ERROR_ARGUMENT);
    assert_non_null(strstr(test_error.text, "no collider"));
    assert_int_equal(sl_collider_set_target(world, mesh, here, &test_error), SL_ERROR_ARGUMENT);
    assert_int_equal(sl_collider_set_target(world, id, nowhere, &test_error), SL_ERROR_ARGUMENT);
    sl_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_follow_targets), cmocka_unit_test(meshes_follow_targets),
        cmocka_unit_test(targets_take_over),     cmocka_unit_test(targets_are_state),
        cmocka_unit_test(wrong_targets_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
