/* Numbers that went wrong are found in the step in which they do, with particle and place. */
#include "support/dam.h"
#include "world/world.h"

static SlWorld *moving_world(double energy_limit)
{
    DamSetting setting = {.threads = 2, .nx = 10, .ny = 10, .nz = 10};
    SlWorld *world = dam_create(&setting);
    world->def.energy_limit = energy_limit;
    dam_advance(world, 15);
    return world;
}

static void scale_velocities(SlWorld *world, float factor)
{
    SlParticles *particles = &world->systems[0]->base.particles;
    float *v = sl_f32x4(particles, SL_F_VELOCITY);
    for (size_t i = 0; i < 4 * particles->count; i++)
        v[i] *= factor;
}

static void energy_from_nowhere_is_found(void **state)
{
    (void)state;
    SlWorld *world = moving_world(1.5);
    uint64_t step = world->systems[0]->base.step;
    scale_velocities(world, 12);
    assert_int_equal(sl_world_advance_frame(world, &test_error), SL_ERROR_NUMBERS);
    print_message("%s\n", test_error.text);
    assert_non_null(strstr(test_error.text, "pbf: check: particle"));
    assert_non_null(strstr(test_error.text, "energy"));
    assert_int_equal(world->systems[0]->base.step, step); /* in that very step */
    sl_world_destroy(world);
    world = moving_world(0); /* no check asked for */
    scale_velocities(world, 12);
    assert_ok(sl_world_advance_frame(world, &test_error));
    sl_world_destroy(world);
}

/* Steps that shorten as speeds grow must not widen what is allowed for. */
static void short_steps_hide_no_energy(void **state)
{
    (void)state;
    SlWorld *world = moving_world(1.5);
    SlWorldSystem *system = world->systems[0];
    assert_ok(sl_monitor_end(world, system, 1e-5, &test_error));
    scale_velocities(world, 12);
    assert_int_equal(sl_monitor_end(world, system, 1e-5, &test_error), SL_ERROR_NUMBERS);
    assert_non_null(strstr(test_error.text, "energy_limit"));
    assert_non_null(strstr(test_error.text, "step "));
    sl_world_destroy(world);
}

static SlStatus advance_at(double speed, double min_time_step)
{
    DamSetting setting = {.threads = 2, .nx = 8, .ny = 8, .nz = 8, .domain = {8, 4, 0.8f},
                          .no_gravity = true, .defaults = true, .velocity = {(float)speed, 0, 0}};
    SlWorld *world = dam_create(&setting);
    assert_ok(sl_system_set_number(world, first_system(world), "min_time_step", min_time_step,
                                   &test_error));
    assert_ok(sl_world_start(world, &test_error));
    SlStatus status = sl_world_advance_frame(world, &test_error);
    sl_world_destroy(world);
    return status;
}

/* A step of 0.4 spacings of 0.1 m is 0.004 s at 10 m/s. */
static void too_short_steps_end_the_run(void **state)
{
    (void)state;
    assert_ok(advance_at(10, 0.0039));
    assert_int_equal(advance_at(10, 0.0045), SL_ERROR_NUMBERS);
    print_message("%s\n", test_error.text);
    assert_non_null(strstr(test_error.text, "pbf: step 0 at "));
    assert_non_null(strstr(test_error.text, "min_time_step"));
    assert_non_null(strstr(test_error.text, "fastest particle has"));
    assert_ok(advance_at(5, 0.0045));
}

static void particles_outside_are_found(void **state)
{
    (void)state;
    const float far[] = {-1, 5, 100, INFINITY, NAN};
    for (size_t k = 0; k < sizeof far / sizeof far[0]; k++) {
        SlWorld *world = moving_world(1.5);
        SlWorldSystem *system = world->systems[0];
        sl_f32x4(&system->base.particles, SL_F_POSITION)[4 * 77 + k % 3] = far[k];
        uint32_t id = ((uint32_t *)system->base.particles.data[SL_F_ID])[77];
        char name[40];
        snprintf(name, sizeof name, "particle %u at (", id);
        assert_int_equal(sl_monitor_end(world, system, 1e-3, &test_error), SL_ERROR_NUMBERS);
        assert_non_null(strstr(test_error.text, name));
        assert_non_null(strstr(test_error.text, "outside the domain"));
        sl_world_destroy(world);
    }
}

/* What emitters and moving solids bring in explains itself. */
static void inputs_are_no_alarm(void **state)
{
    (void)state;
    DamSetting setting = {.threads = 2, .nx = 4, .ny = 2, .nz = 8, .domain = {2, 2, 0.8f}};
    SlWorld *world = dam_create(&setting);
    SlEmitterDef jet = sl_default_emitter_def(SL_EMITTER_DISK);
    jet.center = (SlVec3){1, 1.8f, 0.4f};
    jet.radius = 0.3f;
    jet.speed = 8;
    assert_ok(sl_system_add_emitter(world, first_system(world), &jet, NULL, &test_error));
    SlShape paddle = sl_default_shape(SL_SHAPE_BOX);
    paddle.center = (SlVec3){1, 0.3f, 0.4f};
    paddle.half = (SlVec3){0.5f, 0.1f, 0.2f};
    SlColliderId id;
    assert_ok(sl_world_add_collider(world, &paddle, &id, &test_error));
    SlMotionDef motion = sl_default_motion_def();
    motion.pivot = paddle.center;
    motion.spin = (SlVec3){0, 12, 0};
    assert_ok(sl_collider_set_motion(world, id, &motion, &test_error));
    dam_advance(world, 90);
    sl_world_destroy(world);
}

static void rest_without_gravity_is_no_alarm(void **state)
{
    (void)state;
    DamSetting setting = {.threads = 2, .nx = 8, .ny = 8, .nz = 8, .no_gravity = true};
    SlWorld *world = dam_create(&setting);
    dam_advance(world, 60);
    sl_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energy_from_nowhere_is_found),
        cmocka_unit_test(short_steps_hide_no_energy),
        cmocka_unit_test(too_short_steps_end_the_run),
        cmocka_unit_test(particles_outside_are_found),
        cmocka_unit_test(inputs_are_no_alarm),
        cmocka_unit_test(rest_without_gravity_is_no_alarm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
