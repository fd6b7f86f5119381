/* Bodies that change their form push the water with the velocity of their surface. */
#include "support/dam.h"
#include "support/sphere_mesh.h"
#include "world/world.h"

static const SlVec3 middle = {1, 1, 1};

/* Keys at 20 a second of a ball whose radius and place go on evenly. */
enum { KEYS = 11 };
static SphereKeys keys;

static void write_keys(float first_radius, float growth, float speed)
{
    sphere_keys_write(&keys, KEYS, "deform-keys", first_radius, growth * 0.05f, speed * 0.05f);
}

static SlMeshColliderDef body_def(float friction)
{
    SlMeshColliderDef mesh = sl_default_mesh_collider_def();
    mesh.paths = keys.paths;
    mesh.path_count = KEYS;
    mesh.rate = 20;
    mesh.position = middle;
    mesh.cell = 0.05;
    mesh.friction = friction;
    return mesh;
}

static SlWorld *one_particle(SlVec3 at, uint32_t threads)
{
    DamSetting setting = {.threads = threads, .nx = 1, .ny = 1, .nz = 1, .domain = {2, 2, 2},
                          .spacing = 0.05, .no_gravity = true, .viscosity = -1,
                          .offset = sl_sub(at, sl_vec3(0.025f, 0.025f, 0.025f))};
    return dam_create(&setting);
}

static SlVec3 first_of(SlWorld *world, const char *field)
{
    SlVec3 v;
    memcpy(&v, sl_system_field(world, first_system(world), field).data, sizeof v);
    return v;
}

/* A ball grows by 0.8 m/s against a particle, which leaves with that speed, straight out. */
static void growing_ball_pushes(void **state)
{
    (void)state;
    write_keys(0.3f, 0.8f, 0);
    SlVec3 out = sl_unit(sl_vec3(1, 0.4f, -0.7f));
    SlWorld *world = one_particle(sl_add(middle, sl_scale(out, 0.38f)), 2);
    SlMeshColliderDef mesh = body_def(0.5f);
    SlColliderId id;
    assert_ok(sl_world_add_mesh_collider(world, &mesh, &id, &test_error));
    assert_true(sl_world_memory_needed(world) > 100000);
    dam_advance(world, 24);
    SlVec3 v = first_of(world, "velocity"), x = first_of(world, "position");
    print_message("leaves with %.3f m/s, %.3f of it outwards\n", (double)sl_length(v),
                  (double)(sl_dot(v, out) / sl_length(v)));
    assert_near((double)sl_length(v), 0.8, 0.06);
    assert_true(sl_dot(v, out) > 0.99f * sl_length(v));
    assert_true(sl_length(sl_sub(x, middle)) > 0.3f + 0.8f * 0.4f);
    sl_world_destroy(world);
}

/* Of a deforming body that only moves, the surface's velocity is what friction works against: a
   particle on top is drawn along, without friction it is not. */
static void friction_knows_the_surface(void **state)
{
    (void)state;
    float drawn[2];
    write_keys(0.3f, 0, 0.4f);
    for (int rough = 0; rough < 2; rough++) {
        DamSetting setting = {.threads = 1, .nx = 1, .ny = 1, .nz = 1, .domain = {2, 2, 2},
                              .spacing = 0.05, .viscosity = -1, .offset = {1.025f, 1.3f, 0.975f}};
        SlWorld *world = dam_create(&setting);
        SlMeshColliderDef mesh = body_def(rough ? 1.0f : 0);
        SlColliderId id;
        assert_ok(sl_world_add_mesh_collider(world, &mesh, &id, &test_error));
        dam_advance(world, 15);
        drawn[rough] = first_of(world, "position").x;
        sl_world_destroy(world);
    }
    print_message("x after a quarter of a second: smooth %.3f, rough %.3f\n", (double)drawn[0],
                  (double)drawn[1]);
    assert_true(drawn[1] > drawn[0] + 0.03f);
}

/* Water around a ball that grows and moves, also carried by a motion: nothing is inside, and the
   bits are the same for any threads. */
static void water_stays_out(void **state)
{
    (void)state;
    static const uint32_t threads[3] = {1, 2, 5};
    uint64_t first = 0;
    write_keys(0.3f, 0.2f, 0.5f);
    for (int round = 0; round < 3; round++) {
        DamSetting setting = {.threads = threads[round], .nx = 24, .ny = 12, .nz = 24,
                              .domain = {2.4f, 2.4f, 2.4f}};
        SlWorld *world = dam_create(&setting);
        SlMeshColliderDef mesh = body_def(0.1f);
        mesh.position = (SlVec3){0.6f, 1.6f, 1.2f};
        SlMotionDef motion = sl_default_motion_def();
        motion.velocity = (SlVec3){0, -1.2f, 0};
        SlColliderId id;
        assert_ok(sl_world_add_mesh_collider(world, &mesh, &id, &test_error));
        assert_ok(sl_collider_set_motion(world, id, &motion, &test_error));
        double deepest = 1e9;
        for (int k = 1; k <= 30; k++) {
            dam_advance(world, 1);
            float time = (float)k / 60;
            SlVec3 center = {0.6f + 0.5f * time, 1.6f - 1.2f * time, 1.2f};
            SlFieldView x = sl_system_field(world, first_system(world), "position");
            for (size_t i = 0; i < x.count; i++) {
                SlVec3 p;
                memcpy(&p, (const char *)x.data + i * x.stride, sizeof p);
                deepest = fmin(deepest, (double)sl_length(sl_sub(p, center)) -
                                            (0.3 + 0.2 * (double)time));
            }
        }
        if (round == 0) {
            first = sl_world_hash(world);
            print_message("nearest to the surface: %.3f d\n", deepest / 0.1);
        }
        assert_true(deepest > -0.1 * 0.1);
        assert_true(sl_world_hash(world) == first);
        sl_world_destroy(world);
    }
}

static void wrong_keys_are_refused(void **state)
{
    (void)state;
    DamSetting setting = {.threads = 1, .nx = 2, .ny = 2, .nz = 2};
    SlWorld *world = dam_create(&setting);
    SlMeshColliderDef mesh = body_def(0);
    SlColliderId id;
    mesh.rate = 0;
    assert_int_equal(sl_world_add_mesh_collider(world, &mesh, &id, &test_error),
                     SL_ERROR_ARGUMENT);
    sl_world_clear_error(world);
    mesh.rate = 20;
    mesh.path = keys.paths[0];
    assert_int_equal(sl_world_add_mesh_collider(world, &mesh, &id, &test_error),
                     SL_ERROR_ARGUMENT);
    sl_world_clear_error(world);
    mesh.path = NULL;
    const char *broken[2] = {keys.paths[0], "/nowhere/x.obj"};
    mesh.paths = broken;
    mesh.path_count = 2;
    assert_int_equal(sl_world_add_mesh_collider(world, &mesh, &id, &test_error), SL_ERROR_IO);
    sl_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(growing_ball_pushes), cmocka_unit_test(friction_knows_the_surface),
        cmocka_unit_test(water_stays_out),     cmocka_unit_test(wrong_keys_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
