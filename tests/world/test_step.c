/* Stepping: systems in time order, steps that were stopped, stats of the last step. */
#include "support/dam.h"
#include "support/test.h"
#include "world/world.h"

enum { MAX_CALLS = 64 };
typedef struct Calls {
    uint32_t system[MAX_CALLS];
    double time[MAX_CALLS];
    uint32_t count, stop_at;
} Calls;

static bool note_call(void *user, SlSystemId system, const SlStepStats *stats)
{
    Calls *calls = user;
    assert_true(calls->count < MAX_CALLS);
    calls->system[calls->count] = system.index1 - 1;
    calls->time[calls->count++] = stats->time;
    return calls->count != calls->stop_at;
}

/* Two waters of different sub-steps, apart from each other; without one of them where asked. */
static SlWorld *two_systems(Calls *calls, bool with_first, bool with_second)
{
    SlWorldDef def = sl_default_world_def();
    test_own_context(&def, 2, SL_ISA_AUTO);
    def.on_step = note_call;
    def.on_step_user = calls;
    SlWorld *world;
    assert_ok(sl_world_create(&def, &world, &test_error));
    SlPbfDef pbf = sl_default_pbf_def();
    SlBlock block = {.min = {0, 0, 0}, .max = {0.8f, 0.8f, 0.8f}};
    SlShape ball = sl_default_shape(SL_SHAPE_SPHERE);
    ball.center = (SlVec3){0.4f, 1.5f, 0.4f};
    ball.radius = 0.2f;
    SlMotionDef motion = sl_default_motion_def();
    motion.velocity = (SlVec3){0, -1, 0};
    SlColliderId id;
    for (int k = 0; k < 2; k++) {
        pbf.name = k == 0 ? "first" : "second";
        pbf.steps = k == 0 ? 2 : 5;
        block.min.x = 2 * (float)k;
        block.max.x = block.min.x + 0.8f;
        if (k == 0 ? with_first : with_second)
            sl_system_add_block(world, sl_world_add_pbf(world, &pbf, NULL), &block, NULL);
    }
    assert_ok(sl_world_add_collider(world, &ball, &id, &test_error));
    assert_ok(sl_collider_set_motion(world, id, &motion, &test_error));
    assert_ok(sl_world_start(world, &test_error));
    return world;
}

static void the_system_furthest_behind_goes_next(void **state)
{
    (void)state;
    Calls calls = {.count = 0};
    SlWorld *world = two_systems(&calls, true, true);
    dam_advance(world, 1);
    const uint32_t order[] = {0, 1, 1, 1, 0, 1, 1}; /* ends at 1/2; 1/5 2/5 3/5; 1; 4/5 1 */
    assert_int_equal(calls.count, 7);
    for (int k = 0; k < 7; k++)
        assert_int_equal(calls.system[k], order[k]);
    assert_near(calls.time[0], 0.5 / 60, 1e-12);
    assert_near(calls.time[3], 0.6 / 60, 1e-12);
    sl_world_destroy(world);
}

/* Systems that do not meet move as if each were alone, with the same moving body. */
static void systems_do_not_disturb_each_other(void **state)
{
    (void)state;
    Calls calls = {.count = 0};
    SlWorld *both = two_systems(&calls, true, true);
    for (int k = 0; k < 2; k++) {
        Calls own = {.count = 0};
        SlWorld *alone = two_systems(&own, k == 0, k == 1);
        dam_advance(alone, 5);
        if (k == 0)
            dam_advance(both, 5);
        SlFieldView a = sl_system_field(alone, first_system(alone), "position");
        SlFieldView b = sl_system_field(both, sl_world_system(both, (uint32_t)k), "position");
        assert_int_equal(a.count, b.count);
        assert_memory_equal(a.data, b.data, a.count * a.stride);
        sl_world_destroy(alone);
    }
    sl_world_destroy(both);
}

/* The call after a stopped one advances by all of its dt. */
static void a_stopped_step_swallows_nothing(void **state)
{
    (void)state;
    Calls calls = {.stop_at = 3}, undisturbed = {.count = 0};
    SlWorld *world = two_systems(&calls, true, true), *plain = two_systems(&undisturbed, true, true);
    assert_int_equal(sl_world_step(world, 0.01, &test_error), SL_ERROR_CANCELLED);
    assert_true(sl_world_time(world) == 0);
    assert_ok(sl_world_step(world, 0.02, &test_error));
    assert_true(sl_world_time(world) == 0.01 + 0.02);
    assert_ok(sl_world_step(plain, 0.01, &test_error));
    assert_ok(sl_world_step(plain, 0.02, &test_error));
    assert_true(sl_world_hash(world) == sl_world_hash(plain));

    calls.stop_at = calls.count + 1; /* a step, ended by a frame */
    assert_int_equal(sl_world_step(world, 0.01, &test_error), SL_ERROR_CANCELLED);
    assert_ok(sl_world_advance_frame(world, &test_error));
    assert_int_equal(sl_world_view(world)->frame, 1);
    calls.stop_at = calls.count + 1; /* a frame, ended by itself */
    assert_int_equal(sl_world_advance_frame(world, &test_error), SL_ERROR_CANCELLED);
    assert_ok(sl_world_advance_frame(world, &test_error));
    assert_int_equal(sl_world_view(world)->frame, 2);
    calls.stop_at = calls.count + 1; /* and by the call for it */
    assert_int_equal(sl_world_advance_frame(world, &test_error), SL_ERROR_CANCELLED);
    assert_ok(sl_world_finish_step(world, &test_error));
    assert_ok(sl_world_finish_step(world, &test_error));
    assert_int_equal(sl_world_view(world)->frame, 3);
    sl_world_destroy(world);
    sl_world_destroy(plain);
}

static void stats_of_the_last_step_are_kept(void **state)
{
    (void)state;
    Calls calls = {.count = 0};
    SlWorld *world = two_systems(&calls, true, true);
    assert_int_equal(sl_system_stats(world, sl_world_system(world, 1))->step, 0);
    dam_advance(world, 2);
    const SlStepStats *stats = sl_system_stats(world, sl_world_system(world, 1));
    assert_int_equal(stats->step, 10);
    assert_int_equal(stats->particles, 512);
    assert_near(stats->time, 2.0 / 60, 1e-12);
    assert_null(sl_system_stats(world, (SlSystemId){0, 0, 0}));
    sl_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_system_furthest_behind_goes_next),
        cmocka_unit_test(systems_do_not_disturb_each_other),
        cmocka_unit_test(a_stopped_step_swallows_nothing),
        cmocka_unit_test(stats_of_the_last_step_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
