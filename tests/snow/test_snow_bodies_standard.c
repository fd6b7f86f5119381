/* Snow and bodies: forces, sticky and deforming bodies. */
#include "snow/snowballs.h"
#include "support/sphere_mesh.h"
#include "support/world.h"

typedef struct Way {
    const char *transfer, *integration;
} Way;
static const Way ways[] = {{"mls", "explicit"}, {"flip", "explicit"}, {"mls", "implicit"},
                           {"flip", "implicit"}};
enum { WAYS = sizeof ways / sizeof ways[0] };

/* A world with one system of snow, not yet started. */
static SlWorld *open_world(const Way *way, double spacing, SlSystemId *id)
{
    SlWorldDef def = sl_default_world_def();
    test_own_context(&def, 2, SL_ISA_AUTO);
    def.domain = (SlBox){{-1, -1, -1}, {1, 1, 1}};
    def.domain_friction = 0.4f;
    SlSystemDef system = sl_default_system_def("snow");
    SlWorld *world;
    assert_ok(sl_world_create(&def, &world, &test_error));
    assert_ok(sl_world_add_system(world, &system, id, &test_error));
    assert_ok(sl_system_set_number(world, *id, "spacing", spacing, &test_error));
    assert_ok(sl_system_set_text(world, *id, "transfer", way->transfer, &test_error));
    assert_ok(sl_system_set_text(world, *id, "integration", way->integration, &test_error));
    return world;
}

/* The sum of one field, double by double. */
static SlVec3 mean_of(SlWorld *world, const char *field)
{
    SlFieldView f = sl_system_field(world, first_system(world), field);
    double sum[3] = {0, 0, 0};
    for (size_t i = 0; i < f.count; i++) {
        SlVec3 v;
        memcpy(&v, (const char *)f.data + i * f.stride, sizeof v);
        sum[0] += (double)v.x;
        sum[1] += (double)v.y;
        sum[2] += (double)v.z;
    }
    return sl_vec3((float)(sum[0] / (double)f.count), (float)(sum[1] / (double)f.count),
                   (float)(sum[2] / (double)f.count));
}

/* The impulse on all bodies over the steps of a call. */
typedef struct Felt {
    double impulse[3];
} Felt;

static bool add_forces(void *user, SlSystemId system, const SlStepStats *stats)
{
    (void)system;
    Felt *felt = user;
    for (size_t b = 0; b < stats->body_count; b++)
        for (int k = 0; k < 3; k++)
            felt->impulse[k] += stats->dt * stats->bodies[b].force[k];
    return true;
}

/* Newton's third law: the momentum that snow loses beside its weight is the impulse on bodies. A ball
   falls on a rotating plate near a wall, so that all kinds of bodies take part. */
static void impulse_on_bodies_is_what_snow_loses(void **state)
{
    (void)state;
    for (int w = 0; w < WAYS; w++) {
        SlSystemId id;
        SlWorld *world = open_world(&ways[w], 0.02, &id);
        Felt felt = {{0, 0, 0}};
        world->def.on_step = add_forces;
        world->def.on_step_user = &felt;
        SlShape plate = sl_default_shape(SL_SHAPE_BOX);
        plate.center = (SlVec3){-0.75f, -0.8f, 0};
        plate.half = (SlVec3){0.2f, 0.1f, 0.3f};
        plate.friction = 0.5f;
        SlMotionDef motion = sl_default_motion_def();
        motion.velocity = (SlVec3){0.3f, 0, 0};
        motion.spin = (SlVec3){0, 2, 0};
        SlColliderId collider;
        assert_ok(sl_world_add_collider(world, &plate, &collider, &test_error));
        assert_ok(sl_collider_set_motion(world, collider, &motion, &test_error));
        assert_ok(sl_system_set_text(world, id, "forces", "all", &test_error));
        Snowball ball;
        ball_shape(&ball, (SlVec3){-0.8f, -0.52f, 0.1f}, 0.16f);
        ball.fill.velocity = (SlVec3){-1, -3, 0};
        assert_ok(sl_system_add_fill(world, id, &ball.fill, &test_error));
        assert_ok(sl_world_start(world, &test_error));
        double mass = 400 * 0.02 * 0.02 * 0.02 * (double)ball_system(world)->particles.count;
        SlVec3 before = mean_of(world, "velocity");
        assert_ok(sl_world_step(world, 0.08, &test_error));
        SlVec3 after = mean_of(world, "velocity");
        double won[3] = {mass * (double)(after.x - before.x), mass * (double)(after.y - before.y),
                         mass * (double)(after.z - before.z)};
        double off = 0, size = 0, weight[3] = {0, -9.81 * mass * 0.08, 0};
        for (int k = 0; k < 3; k++) {
            off = fmax(off, fabs(won[k] - weight[k] + felt.impulse[k]));
            size = fmax(size, fabs(felt.impulse[k]));
        }
        print_message("%s %s: impulse on bodies (%.3f, %.3f, %.3f) N s, %.1e of it unexplained\n",
                      ways[w].transfer, ways[w].integration, felt.impulse[0], felt.impulse[1],
                      felt.impulse[2], off / size);
        assert_less(1, size);
        assert_less(off / size, 1e-3);
        sl_world_destroy(world);
    }
}

/* A block of snow that has come to rest on a plate: its weight, and the torque of its position. */
static void weight_of_snow_at_rest(void **state)
{
    (void)state;
    SlSystemId id;
    SlWorld *world = open_world(&ways[0], 0.02, &id);
    SlShape plate = sl_default_shape(SL_SHAPE_BOX);
    plate.center = (SlVec3){0, -0.8f, 0};
    plate.half = (SlVec3){0.5f, 0.1f, 0.5f};
    plate.friction = 0.5f;
    SlColliderId collider;
    assert_ok(sl_world_add_collider(world, &plate, &collider, &test_error));
    SlBlock block = {.min = {0.1f, -0.7f, -0.1f}, .max = {0.3f, -0.58f, 0.1f}};
    assert_ok(sl_system_add_block(world, id, &block, &test_error));
    Felt felt = {{0, 0, 0}};
    assert_ok(sl_world_step(world, 0.4, &test_error));
    world->def.on_step = add_forces;
    world->def.on_step_user = &felt;
    assert_ok(sl_world_step(world, 0.2, &test_error));
    double mass = 400 * 0.02 * 0.02 * 0.02 * (double)ball_system(world)->particles.count;
    const SlBodyForce *force = &ball_system(world)->stats.bodies[0];
    double arm = (double)mean_of(world, "position").x;
    print_message("weight %.3f N, measured %.3f N; torque %.3f N m, expected %.3f\n", 9.81 * mass,
                  -felt.impulse[1] / 0.2, force->torque[2], arm * force->force[1]);
    assert_string_equal(force->name, "shape1");
    assert_near(-felt.impulse[1] / 0.2, 9.81 * mass, 0.02 * 9.81 * mass);
    assert_near(force->torque[2], arm * force->force[1], 0.05 * 9.81 * mass * arm);
    sl_world_destroy(world);
}

/* Two plates overhead, one of them sticky: its layer stays. */
static void snow_stays_at_sticky_bodies_only(void **state)
{
    (void)state;
    for (int w = 0; w < WAYS; w++) {
        SlSystemId id;
        SlWorld *world = open_world(&ways[w], 0.02, &id);
        for (int side = 0; side < 2; side++) {
            float x = side == 0 ? -0.5f : 0.5f;
            SlShape plate = sl_default_shape(SL_SHAPE_BOX);
            plate.center = (SlVec3){x, 0.6f, 0};
            plate.half = (SlVec3){0.3f, 0.1f, 0.3f};
            plate.sticky = side == 0;
            SlColliderId collider;
            assert_ok(sl_world_add_collider(world, &plate, &collider, &test_error));
            SlBlock block = {.min = {x - 0.1f, 0.44f, -0.1f}, .max = {x + 0.1f, 0.5f, 0.1f}};
            assert_ok(sl_system_add_block(world, id, &block, &test_error));
        }
        assert_ok(sl_world_step(world, 0.2, &test_error));
        SlFieldView f = sl_system_field(world, id, "position");
        double sum[2] = {0, 0};
        for (size_t i = 0; i < f.count; i++) {
            SlVec3 x;
            memcpy(&x, (const char *)f.data + i * f.stride, sizeof x);
            sum[x.x > 0] += (double)x.y;
        }
        double sunk = 0.47 - sum[0] / (double)(f.count / 2);
        double fell = 0.47 - sum[1] / (double)(f.count / 2);
        print_message("%s %s: sinks %.4f m under a sticky plate, %.4f m under another\n",
                      ways[w].transfer, ways[w].integration, sunk, fell);
        assert_less(sunk, 0.01);
        assert_near(fell, 0.5 * 9.81 * 0.04, 0.01);
        sl_world_destroy(world);
    }
}

/* A keyed body that grows and moves through a layer of snow: no particle stays inside, there is
   a force on the body, and the bits are the same for any number of threads. */
static void a_deforming_body_pushes(void **state)
{
    (void)state;
    enum { KEYS = 6 };
    static SphereKeys keys;
    sphere_keys_write(&keys, KEYS, "snow-deform-keys", 0.15f, 0.01f, 0.06f);
    uint64_t first = 0;
    for (uint32_t threads = 1; threads <= 3; threads += 2) {
        SlSystemId id;
        SlWorldDef def = test_world_def(threads, (SlVec3){-1, -1, -1}, (SlVec3){1, 1, 1});
        SlMeshColliderDef mesh = sl_default_mesh_collider_def();
        mesh.paths = keys.paths;
        mesh.path_count = KEYS;
        mesh.rate = 25; /* 1.5 m/s, and 0.25 m/s of growth */
        mesh.position = (SlVec3){-0.3f, -0.9f, 0};
        mesh.cell = 0.03;
        SlColliderId collider;
        SlBlock block = {.min = {-0.1f, -1, -0.3f}, .max = {0.4f, -0.8f, 0.3f}};
        SlWorld *world = test_world(&def, "snow", "spacing=0.025", &id);
        assert_ok(sl_system_add_block(world, id, &block, &test_error));
        assert_ok(sl_world_add_mesh_collider(world, &mesh, &collider, &test_error));
        double pushed = 0;
        for (int k = 0; k < 12; k++) {
            assert_ok(sl_world_step(world, 0.01, &test_error));
            pushed = fmin(pushed, ball_system(world)->stats.bodies[0].force[0]);
        }
        SlFieldView f = sl_system_field(world, id, "position"),
                    v = sl_system_field(world, id, "velocity");
        SlVec3 center = {-0.3f + 1.5f * 0.12f, -0.9f, 0};
        double deepest = 1, fastest = 0;
        for (size_t i = 0; i < f.count; i++) {
            SlVec3 x, u;
            memcpy(&x, (const char *)f.data + i * f.stride, sizeof x);
            memcpy(&u, (const char *)v.data + i * v.stride, sizeof u);
            deepest = fmin(deepest, (double)sl_length(sl_sub(x, center)) - (0.15 + 0.25 * 0.12));
            fastest = fmax(fastest, (double)u.x);
        }
        print_message("deepest particle %.4f m, fastest %.2f m/s, largest force %.1f N\n", deepest,
                      fastest, pushed);
        assert_less(-0.005, deepest); /* facets lie below the sphere */
        assert_less(1, fastest);
        assert_less(pushed, -1);
        if (threads == 1)
            first = sl_world_hash(world);
        assert_true(sl_world_hash(world) == first);
        sl_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(impulse_on_bodies_is_what_snow_loses),
        cmocka_unit_test(weight_of_snow_at_rest),
        cmocka_unit_test(snow_stays_at_sticky_bodies_only),
        cmocka_unit_test(a_deforming_body_pushes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
