/* Colliders that come, move and go while the world runs: handles, poses, the same bits for any
   number of threads, and a state that brings their targets back. */
#include "geometry/shape.h"
#include "support/dam.h"
#include "support/shapes.h"
#include "support/world.h"
#include "world/world.h"

static SlWorld *make(uint32_t threads, const char *boundary)
{
    DamSetting setting = {.threads = threads, .nx = 8, .ny = 6, .nz = 8, .domain = {2, 1.6f, 0.8f}};
    SlWorld *world = dam_create(&setting);
    assert_ok(sl_system_set_text(world, first_system(world), "boundary", boundary, &test_error));
    return world;
}

static SlColliderId add_ball(SlWorld *world, SlVec3 center, float radius)
{
    SlShape ball = sl_default_shape(SL_SHAPE_SPHERE);
    SlColliderId id;
    ball.center = center;
    ball.radius = radius;
    ball.friction = 0.2f;
    assert_ok(sl_world_add_collider(world, &ball, &id, &test_error));
    return id;
}

/* A cube of edge 0.3 m given as arrays. */
static SlColliderId add_cube(SlWorld *world, SlVec3 center)
{
    static const float vertices[24] = {-1, -1, -1, 1, -1, -1, -1, 1, -1, 1, 1, -1,
                                       -1, -1, 1,  1, -1, 1,  -1, 1, 1,  1, 1, 1};
    static const uint32_t triangles[36] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                           2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};
    SlMeshColliderDef def = sl_default_mesh_collider_def();
    SlColliderId id;
    def.vertices = vertices;
    def.vertex_count = 8;
    def.triangles = triangles;
    def.triangle_count = 12;
    def.scale = 0.15f;
    def.position = center;
    def.cell = 0.05;
    assert_ok(sl_world_add_mesh_collider(world, &def, &id, &test_error));
    return id;
}

/* The smallest distance of a particle to the body of a collider. */
static double clearance(SlWorld *world, SlColliderId id)
{
    SlFieldView x = sl_system_field(world, first_system(world), "position");
    double least = 1e9;
    for (size_t i = 0; i < x.count; i++) {
        SlVec3 p;
        memcpy(&p, (const char *)x.data + i * x.stride, sizeof p);
        const SlBody *body = &world->colliders.bodies.body[id.index1];
        least = fmin(least, (double)sl_body_query(body, p, INFINITY).distance);
    }
    return least;
}

static SlPose pose_at(float x, float y, float z, float angle)
{
    return (SlPose){{x, y, z}, {0, sinf(0.5f * angle), 0, cosf(0.5f * angle)}};
}

/* Adds, moves, teleports and removes; the hash at the end. */
static uint64_t play(uint32_t threads, const char *boundary)
{
    SlWorld *world = make(threads, boundary);
    SlColliderId post = add_ball(world, (SlVec3){1.6f, 0.2f, 0.4f}, 0.2f);
    dam_advance(world, 3);
    SlColliderId cube = add_cube(world, (SlVec3){0.5f, 1.3f, 0.4f});
    dam_advance(world, 2);
    for (int k = 1; k <= 5; k++) {
        assert_ok(sl_collider_set_target(
            world, cube, pose_at(0.5f, 1.3f - 0.14f * (float)k, 0.4f, 0.1f * (float)k), &test_error));
        dam_advance(world, 1);
    }
    assert_true(clearance(world, cube) > 0.02);
    assert_ok(sl_world_remove_collider(world, post, &test_error));
    SlColliderId ball = add_ball(world, (SlVec3){1.7f, 1.2f, 0.4f}, 0.25f);
    assert_int_equal(ball.index1, post.index1); /* the free place */
    assert_true(ball.generation != post.generation);
    assert_ok(sl_collider_set_pose(world, ball, pose_at(1.2f, 0.3f, 0.4f, 0), &test_error));
    SlPose there;
    assert_ok(sl_collider_pose(world, ball, &there, &test_error));
    assert_near(there.position.x, 1.2, 1e-6);
    dam_advance(world, 4);
    assert_true(clearance(world, ball) > 0.02);
    uint64_t hash = sl_world_hash(world);
    sl_world_destroy(world);
    return hash;
}

static void same_hash_for_any_threads(void **state)
{
    (void)state;
    const char *const boundaries[3] = {"contact", "walls", "particles"};
    const uint32_t threads[3] = {2, 3, 5};
    for (int b = 0; b < 3; b++) {
        uint64_t hash = play(1, boundaries[b]);
        for (int t = 0; t < 3; t++)
            assert_true(play(threads[t], boundaries[b]) == hash);
    }
}

/* Any solver with forces on bodies, while a capsule comes, moves and goes; the hash at the end. */
static uint64_t play_solver(const char *solver, uint32_t threads)
{
    SlWorldDef def = test_world_def(threads, (SlVec3){0, 0, 0}, (SlVec3){1, 1.2f, 1});
    SlBlock block = {.min = {0.2f, 0, 0.2f}, .max = {0.8f, 0.5f, 0.8f}};
    SlShape capsule = sl_default_shape(SL_SHAPE_CAPSULE);
    SlSystemId id;
    SlColliderId first, second;
    capsule.radius = 0.15f;
    capsule.height = 0.2f;
    capsule.center = (SlVec3){0.5f, 0.8f, 0.5f};
    SlWorld *world = test_world(&def, solver, "spacing=0.1 forces=all", &id);
    assert_ok(sl_system_add_block(world, id, &block, &test_error));
    dam_advance(world, 1);
    assert_ok(sl_world_add_collider(world, &capsule, &first, &test_error));
    capsule.center.x = 0.85f;
    assert_ok(sl_world_add_collider(world, &capsule, &second, &test_error));
    assert_ok(sl_collider_set_target(world, first, pose_at(0.5f, 0.7f, 0.5f, 0.3f), &test_error));
    dam_advance(world, 2);
    assert_ok(sl_world_remove_collider(world, first, &test_error));
    dam_advance(world, 1);
    const SlStepStats *stats = sl_system_stats(world, id);
    if (strcmp(solver, "projective") != 0 || stats->body_count > 0) { /* by its method */
        assert_int_equal(stats->body_count, 3); /* the domain, a place that is free, the second */
        assert_string_equal(stats->bodies[1].name, "");
        assert_string_equal(stats->bodies[2].name, "shape2");
    }
    assert_ok(sl_world_remove_collider(world, second, &test_error));
    dam_advance(world, 1);
    uint64_t hash = sl_world_hash(world);
    sl_world_destroy(world);
    return hash;
}

static void every_solver_takes_changes(void **state)
{
    (void)state;
    for (size_t k = 0; k < sl_solver_count; k++) {
        const char *solver = sl_solvers[k]->table.name;
        assert_true(play_solver(solver, 1) == play_solver(solver, 3));
    }
}

static void stale_handles_are_errors(void **state)
{
    (void)state;
    SlWorld *world = make(1, "walls"), *other = make(1, "walls");
    SlColliderId old = add_ball(world, (SlVec3){1.6f, 0.2f, 0.4f}, 0.2f), now, none = {0, 0, 0};
    dam_advance(world, 1);
    assert_ok(sl_world_remove_collider(world, old, &test_error));
    now = add_ball(world, (SlVec3){1.6f, 0.2f, 0.4f}, 0.2f);
    SlPose pose = pose_at(1, 1, 0.4f, 0);
    SlMotionDef motion = sl_default_motion_def();
    const SlColliderId bad[3] = {old, none, add_ball(other, (SlVec3){1, 1, 0.4f}, 0.1f)};
    for (int k = 0; k < 3; k++) {
        assert_int_equal(sl_collider_set_target(world, bad[k], pose, NULL), SL_ERROR_ARGUMENT);
        assert_int_equal(sl_collider_set_pose(world, bad[k], pose, NULL), SL_ERROR_ARGUMENT);
        assert_int_equal(sl_collider_pose(world, bad[k], &pose, NULL), SL_ERROR_ARGUMENT);
        assert_int_equal(sl_collider_set_name(world, bad[k], "x", NULL), SL_ERROR_ARGUMENT);
        assert_int_equal(sl_collider_set_motion(world, bad[k], &motion, NULL), SL_ERROR_ARGUMENT);
        assert_int_equal(sl_world_remove_collider(world, bad[k], NULL), SL_ERROR_ARGUMENT);
    }
    assert_ok(sl_collider_set_target(world, now, pose, &test_error));
    SlPose crooked = {.rotation = {0, 0, 0, 0.1f}};
    assert_int_equal(sl_collider_set_pose(world, now, crooked, NULL), SL_ERROR_ARGUMENT);
    dam_advance(world, 1);
    sl_world_destroy(world);
    sl_world_destroy(other);
}

/* A pose read is the pose that was set, for every shape, also tilted ones. */
static void poses_are_world_poses(void **state)
{
    (void)state;
    SlWorld *world = make(1, "contact");
    for (size_t s = 0; s < sl_shape_type_count; s++) {
        SlShape shape = test_shape(sl_shape_types[s]);
        SlColliderId id;
        SlPose rest, read, set = {{0.7f, 1.1f, -0.2f}, {0.5f, -0.5f, 0.1f, 0.7f}};
        assert_ok(sl_world_add_collider(world, &shape, &id, &test_error));
        assert_ok(sl_collider_pose(world, id, &rest, &test_error));
        assert_ok(sl_collider_set_pose(world, id, set, &test_error));
        assert_ok(sl_collider_pose(world, id, &read, &test_error));
        float length = sqrtf(0.5f * 0.5f * 2 + 0.01f + 0.49f);
        for (int k = 0; k < 3; k++)
            assert_near((&read.position.x)[k], (&set.position.x)[k], 1e-6);
        for (int k = 0; k < 4; k++)
            assert_near(fabsf((&read.rotation.x)[k]), fabsf((&set.rotation.x)[k]) / length, 1e-6);
        const SlBody *body = &world->colliders.bodies.body[id.index1];
        assert_near(sl_length(sl_sub(body->shape.center, set.position)), 0, 1e-6);
        /* Back where it was, the shape is what it was. */
        assert_ok(sl_collider_set_pose(world, id, rest, &test_error));
        assert_near(sl_length(sl_sub(body->shape.axis, shape.axis)), 0, 1e-5);
        assert_near(sl_length(sl_sub(body->shape.side, shape.side)), 0, 1e-5);
    }
    sl_world_destroy(world);
}

/* A world set up alike that gets the state goes on with the same bits: targets, the samples of a body
   that began to move after the start, and of one that was added after it. */
static void state_brings_targets_back(void **state)
{
    (void)state;
    SlWorld *a = make(2, "particles"), *b = make(2, "particles");
    SlColliderId ball = add_ball(a, (SlVec3){1.6f, 0.3f, 0.4f}, 0.2f);
    dam_advance(a, 2);
    add_cube(a, (SlVec3){1.1f, 1.2f, 0.4f});
    assert_ok(sl_collider_set_target(a, ball, pose_at(1.5f, 0.3f, 0.4f, 0.2f), &test_error));
    dam_advance(a, 2);
    assert_ok(sl_collider_set_target(a, ball, pose_at(1.4f, 0.35f, 0.4f, 0.3f), &test_error));
    add_ball(b, (SlVec3){1.6f, 0.3f, 0.4f}, 0.2f);
    add_cube(b, (SlVec3){1.1f, 1.2f, 0.4f});
    const SlStateView *view;
    assert_ok(sl_world_state(a, &view, &test_error));
    assert_ok(sl_world_restore(b, view, &test_error));
    assert_true(sl_world_hash(a) == sl_world_hash(b));
    dam_advance(a, 5);
    dam_advance(b, 5);
    assert_true(sl_world_hash(a) == sl_world_hash(b));
    sl_world_destroy(a);
    sl_world_destroy(b);
}

static void wrong_meshes_are_refused(void **state)
{
    (void)state;
    SlWorld *world = make(1, "contact");
    assert_ok(sl_world_start(world, &test_error)); /* before it, the first error stays */
    const float vertices[9] = {0, 0, 0, 1, 0, 0, 0, NAN, 0};
    const uint32_t triangles[3] = {0, 1, 3};
    SlMeshColliderDef def = sl_default_mesh_collider_def();
    assert_int_equal(sl_world_add_mesh_collider(world, &def, NULL, NULL), SL_ERROR_ARGUMENT);
    def.vertices = vertices;
    def.vertex_count = 3;
    def.triangles = triangles;
    def.triangle_count = 1;
    assert_int_equal(sl_world_add_mesh_collider(world, &def, NULL, &test_error), SL_ERROR_ARGUMENT);
    assert_non_null(strstr(test_error.text, "vertex 2"));
    def.vertex_count = 2;
    assert_int_equal(sl_world_add_mesh_collider(world, &def, NULL, &test_error), SL_ERROR_ARGUMENT);
    assert_non_null(strstr(test_error.text, "vertex 3"));
    def.path = "also.obj";
    assert_int_equal(sl_world_add_mesh_collider(world, &def, NULL, &test_error), SL_ERROR_ARGUMENT);
    assert_int_equal(world->colliders.bodies.count, 1); /* nothing is left behind */
    sl_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_hash_for_any_threads),
        cmocka_unit_test(every_solver_takes_changes),
        cmocka_unit_test(stale_handles_are_errors),
        cmocka_unit_test(poses_are_world_poses),
        cmocka_unit_test(state_brings_targets_back),
        cmocka_unit_test(wrong_meshes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
