/* Thresholds of solid boundaries: heights at rest, sloshing, momentum, in every mode. */
#include "frame/view.h"
#include "support/boundary_worlds.h"

static const double d = 0.1;

/* --- Rest: the same water comes to the same height --- */

static SlWorld *tank(const char *boundary, bool meshed, const char *box)
{
    DamSetting setting = {.threads = 2, .nx = 40, .ny = 12, .nz = 40, .domain = {4, 3, 4},
                          .iterations = 8, .steps = 2};
    if (meshed) {
        setting.domain = (SlVec3){5, 4, 5};
        setting.offset = (SlVec3){0.5f, 0.5f, 0.5f};
    }
    SlWorld *world = dam_create(&setting);
    SlColliderId id;
    SlMeshColliderDef mesh = sl_default_mesh_collider_def();
    mesh.path = box;
    mesh.hollow = true;
    if (meshed)
        assert_ok(sl_world_add_mesh_collider(world, &mesh, &id, &test_error));
    assert_ok(sl_system_set_text(world, first_system(world), "boundary", boundary, &test_error));
    return world;
}

static double rest_height(const char *boundary, bool meshed, const char *box)
{
    SlWorld *world = tank(boundary, meshed, box);
    dam_advance(world, 180);
    double height = depth_of(world, meshed ? 0.5 : 0);
    printf("rest height, %s%s: %.4f m\n", boundary, meshed ? ", meshed container" : "", height);
    sl_world_destroy(world);
    return height;
}

static void heights_agree(void **state)
{
    (void)state;
    char box[600];
    write_box(box, sizeof box, "boundary_tank", (SlVec3){0.5f, 0.5f, 0.5f}, (SlVec3){4.5f, 3.5f, 4.5f});
    double heights[] = {rest_height("walls", false, NULL), rest_height("particles", false, NULL),
                        rest_height("both", false, NULL), rest_height("walls", true, box),
                        rest_height("particles", true, box)};
    double least = heights[0], most = heights[0];
    for (size_t k = 1; k < sizeof heights / sizeof *heights; k++) {
        least = fmin(least, heights[k]);
        most = fmax(most, heights[k]);
    }
    printf("rest heights apart by %.2f %%\n", 100 * (most / least - 1));
    assert_less(most / least - 1, 0.02);
}

/* --- Sloshing: a container turned by keyframes for 10 s --- */

static double slosh(const char *boundary, const char *box)
{
    DamSetting setting = {.threads = 2, .nx = 24, .ny = 10, .nz = 14, .domain = {6, 6, 6},
                          .offset = {1.8f, 2.2f, 2.3f}};
    SlWorld *world = dam_create(&setting);
    SlColliderId id;
    SlMeshColliderDef mesh = sl_default_mesh_collider_def();
    mesh.path = box;
    mesh.hollow = true;
    mesh.friction = 0.1f;
    assert_ok(sl_world_add_mesh_collider(world, &mesh, &id, &test_error));
    SlKeyframe keys[11] = {{0}};
    for (int k = 0; k < 11; k++) {
        keys[k].time = k;
        keys[k].rotation.z = k % 2 == 1 ? (k % 4 == 1 ? 0.6f : -0.6f) : 0;
        keys[k].rotation.x = k == 10 ? 0 : 0.2f * (float)(k % 3);
    }
    SlMotionDef motion = sl_default_motion_def();
    motion.keys = keys;
    motion.key_count = 11;
    motion.pivot = (SlVec3){3, 3, 3};
    assert_ok(sl_collider_set_motion(world, id, &motion, &test_error));
    assert_ok(sl_system_set_text(world, first_system(world), "boundary", boundary, &test_error));
    double outside = -1e9;
    for (int frame = 0; frame < 600; frame++) {
        dam_advance(world, 1);
        const SlColliderView *view = &sl_world_view(world)->colliders[0];
        SlVec3 sides[3];
        sl_view_axes(view, sides);
        SlFieldView x = sl_system_field(world, first_system(world), "position");
        const float low[3] = {1.8f, 2.2f, 2.3f}, high[3] = {4.2f, 3.8f, 3.7f};
        for (size_t i = 0; i < x.count; i++) {
            SlVec3 q = sl_sub(particle_at(&x, i), view->pose.position);
            for (int k = 0; k < 3; k++) {
                double at = (double)sl_dot(q, sides[k]);
                outside = fmax(outside, fmax((double)low[k] - at, at - (double)high[k]));
            }
        }
    }
    printf("sloshing 10 s, %s: farthest outside %.3f d\n", boundary, outside / d);
    sl_world_destroy(world);
    return outside;
}

static void nothing_leaks(void **state)
{
    (void)state;
    char box[600];
    write_box(box, sizeof box, "boundary_slosh", (SlVec3){1.8f, 2.2f, 2.3f}, (SlVec3){4.2f, 3.8f, 3.7f});
    for (int k = 0; k < BOUNDARY_MODES; k++)
        assert_less(slosh(boundary_modes[k], box), 0.1 * d);
}

/* --- Momentum: what the body gives, the water has --- */

static bool add_impulse(void *user, SlSystemId system, const SlStepStats *stats)
{
    (void)system;
    double *impulse = user;
    for (int k = 0; k < 3; k++)
        impulse[k] += stats->bodies[0].force[k] * stats->dt;
    return true;
}

static void momentum_is_handed_over(void **state)
{
    (void)state;
    for (int mode = 0; mode < BOUNDARY_MODES; mode++) {
        double impulse[3] = {0}, momentum[3] = {0};
        DamSetting setting = {.threads = 2, .nx = 24, .ny = 24, .nz = 24, .domain = {12, 12, 12},
                              .offset = {4.8f, 4.8f, 4.8f}, .no_gravity = true,
                              .on_step = add_impulse, .user = impulse};
        SlWorld *world = dam_create(&setting);
        SlShape ball = sl_default_shape(SL_SHAPE_SPHERE);
        ball.center = (SlVec3){3.9f, 6, 6};
        ball.radius = 0.6f;
        ball.friction = 0.3f;
        SlColliderId id;
        assert_ok(sl_world_add_collider(world, &ball, &id, &test_error));
        SlMotionDef motion = sl_default_motion_def();
        motion.velocity = (SlVec3){3, 0.4f, 0};
        assert_ok(sl_collider_set_motion(world, id, &motion, &test_error));
        assert_ok(sl_system_set_text(world, first_system(world), "boundary", boundary_modes[mode], &test_error));
        dam_advance(world, 50);
        SlFieldView v = sl_system_field(world, first_system(world), "velocity");
        for (size_t i = 0; i < v.count; i++) {
            SlVec3 u = particle_at(&v, i);
            momentum[0] += (double)u.x;
            momentum[1] += (double)u.y;
            momentum[2] += (double)u.z;
        }
        double off = 0, size = 0;
        for (int k = 0; k < 3; k++) {
            momentum[k] *= 1000 * d * d * d;
            off += pow(momentum[k] + impulse[k], 2);
            size += momentum[k] * momentum[k];
        }
        printf("momentum, %s: given (%.2f, %.2f, %.2f), water has (%.2f, %.2f, %.2f) kg m/s, "
               "%.3f %% apart\n",
               boundary_modes[mode], -impulse[0], -impulse[1], -impulse[2], momentum[0],
               momentum[1], momentum[2], 100 * sqrt(off / size));
        assert_less(sqrt(off / size), 0.02);
        sl_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heights_agree),
        cmocka_unit_test(nothing_leaks),
        cmocka_unit_test(momentum_is_handed_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
