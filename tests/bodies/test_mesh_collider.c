/* Colliders made of triangles behave as the analytic solids they look like. */
#include "geometry/shape.h"
#include "support/dam.h"
#include "support/sphere_mesh.h"
#include "world/world.h"

enum { BALL, MESH_BALL };

/* Water falls on a ball in a box for two seconds. */
static SlWorld *splash(int kind, uint32_t threads, const char *path, SlVec3 velocity)
{
    DamSetting setting = {.threads = threads, .nx = 16, .ny = 8, .nz = 16, .domain = {2.4f, 4, 2.4f},
                          .offset = {0.4f, 2, 0.4f}};
    SlWorld *world = dam_create(&setting);
    SlMotionDef motion = sl_default_motion_def();
    motion.velocity = velocity;
    SlColliderId id;
    if (kind == BALL) {
        SlShape ball = sl_default_shape(SL_SHAPE_SPHERE);
        ball.center = (SlVec3){1.2f, 0.8f, 1.2f};
        assert_ok(sl_world_add_collider(world, &ball, &id, &test_error));
    } else {
        SlMeshColliderDef mesh = sl_default_mesh_collider_def();
        mesh.path = path;
        mesh.scale = 0.5f;
        mesh.rotation = (SlVec3){0.3f, 1, 0.2f};
        mesh.position = (SlVec3){1.2f, 0.8f, 1.2f};
        mesh.cell = 0.05;
        assert_ok(sl_world_add_mesh_collider(world, &mesh, &id, &test_error));
    }
    assert_ok(sl_collider_set_motion(world, id, &motion, &test_error));
    return world;
}

static double nearest_to(SlWorld *world, SlVec3 center)
{
    SlFieldView x = sl_system_field(world, first_system(world), "position");
    double nearest = 1e9;
    for (size_t i = 0; i < x.count; i++) {
        const float *p = (const float *)((const char *)x.data + i * x.stride);
        nearest = fmin(nearest, (double)sl_length(sl_sub(sl_vec3(p[0], p[1], p[2]), center)));
    }
    return nearest;
}

static double mean_height(SlWorld *world)
{
    SlFieldView x = sl_system_field(world, first_system(world), "position");
    double sum = 0;
    for (size_t i = 0; i < x.count; i++)
        sum += (double)((const float *)((const char *)x.data + i * x.stride))[1];
    return sum / (double)x.count;
}

static void mesh_ball_is_a_ball(void **state)
{
    (void)state;
    char path[600];
    sphere_mesh_write(path, sizeof path, 4);
    SlWorld *ball = splash(BALL, 2, NULL, (SlVec3){0, 0, 0});
    SlWorld *mesh = splash(MESH_BALL, 2, path, (SlVec3){0, 0, 0});
    double apart = 0;
    for (int k = 0; k < 12; k++) {
        dam_advance(ball, 10);
        dam_advance(mesh, 10);
        apart = fmax(apart, fabs(mean_height(ball) - mean_height(mesh)));
        assert_true(nearest_to(mesh, sl_vec3(1.2f, 0.8f, 1.2f)) > 0.5 + 0.04);
    }
    print_message("mean heights apart by at most %.4f m\n", apart);
    assert_less(apart, 0.02);
    assert_int_equal(sl_world_view(mesh)->collider_count, 1);
    assert_int_equal(sl_world_view(mesh)->colliders[0].kind, SL_COLLIDER_MESH);
    sl_world_destroy(ball);
    sl_world_destroy(mesh);
}

static void moving_mesh_keeps_water_out(void **state)
{
    (void)state;
    char path[600];
    uint64_t first = 0;
    sphere_mesh_write(path, sizeof path, 3);
    for (uint32_t threads = 1; threads <= 3; threads += 2) {
        SlWorld *world = splash(MESH_BALL, threads, path, (SlVec3){0, 0.4f, 0});
        for (int k = 1; k <= 6; k++) {
            dam_advance(world, 15);
            SlVec3 center = {1.2f, 0.8f + 0.4f * 0.25f * (float)k, 1.2f};
            assert_true(nearest_to(world, center) > 0.5 + 0.03);
        }
        if (threads == 1)
            first = sl_world_hash(world);
        assert_true(sl_world_hash(world) == first);
        sl_world_destroy(world);
    }
}

/* A hollow mesh holds water: nothing is outside, and it comes to rest at the bottom. */
static void hollow_mesh_holds_water(void **state)
{
    (void)state;
    char path[600];
    sphere_mesh_write(path, sizeof path, 4);
    DamSetting setting = {.threads = 2, .nx = 10, .ny = 8, .nz = 10, .domain = {4, 4, 4},
                          .offset = {1.5f, 1.8f, 1.5f}};
    SlWorld *world = dam_create(&setting);
    SlMeshColliderDef mesh = sl_default_mesh_collider_def();
    mesh.path = path;
    mesh.scale = 1.2f;
    mesh.position = (SlVec3){2, 2, 2};
    mesh.hollow = true;
    SlColliderId id;
    assert_ok(sl_world_add_mesh_collider(world, &mesh, &id, &test_error));
    dam_advance(world, 150);
    SlFieldView x = sl_system_field(world, first_system(world), "position");
    for (size_t i = 0; i < x.count; i++) {
        const float *p = (const float *)((const char *)x.data + i * x.stride);
        SlVec3 d = sl_sub(sl_vec3(p[0], p[1], p[2]), sl_vec3(2, 2, 2));
        assert_true(sl_length(d) < 1.2f - 0.03f);
    }
    assert_true(mean_height(world) < 1.45);
    sl_world_destroy(world);
}

static void bad_meshes_are_refused(void **state)
{
    (void)state;
    DamSetting setting = {.threads = 1, .nx = 2, .ny = 2, .nz = 2};
    SlWorld *world = dam_create(&setting);
    assert_ok(sl_world_start(world, &test_error)); /* before it, the first error stays */
    SlMeshColliderDef mesh = sl_default_mesh_collider_def();
    SlColliderId id;
    mesh.path = "/nowhere/x.obj";
    assert_int_equal(sl_world_add_mesh_collider(world, &mesh, &id, &test_error), SL_ERROR_IO);
    sl_world_clear_error(world);
    mesh.scale = 0;
    assert_int_equal(sl_world_add_mesh_collider(world, &mesh, &id, &test_error),
                     SL_ERROR_ARGUMENT);
    sl_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mesh_ball_is_a_ball),
        cmocka_unit_test(moving_mesh_keeps_water_out),
        cmocka_unit_test(hollow_mesh_holds_water),
        cmocka_unit_test(bad_meshes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
