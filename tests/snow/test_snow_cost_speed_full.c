/* Target: contacts by particles, damping and affine velocities together cost at most 8 % of a step.

   Two worlds of the same snow, which lies on the floor and does not yield, are stepped in turn: one has
   them, one has none of them. The ratio of two times measured one after the other is taken in each
   round, in alternating order, and the median of all rounds is held. */
#include "core/timer.h"
#include "snow/snowballs.h"

enum { ROUNDS = 60, STEPS = 4, WARM_UP = 20 };

static const double max_ratio = 1.08;
static const double step_time = 1e-4;

static SlWorld *lying_snow(const char *transfer, const char *parameters)
{
    SlWorldDef def = test_world_def(2, (SlVec3){-2, 0, -2}, (SlVec3){2, 2, 2});
    def.domain_friction = 0.5f;
    SlSystemId id;
    SlWorld *world = test_world(
        &def, "snow", "spacing=0.02 time_step=1e-4 critical_compression=0.5 critical_stretch=0.5", &id);
    assert_ok(sl_system_set_text(world, id, "transfer", transfer, &test_error));
    if (parameters != NULL)
        test_set_parameters(world, id, parameters);
    test_add_block(world, id, (SlVec3){-0.7f, 0, -0.7f}, (SlVec3){0.7f, 0.5f, 0.7f});
    for (int k = 0; k < WARM_UP; k++)
        assert_ok(sl_world_step(world, step_time, &test_error));
    return world;
}

static double time_steps(SlWorld *world)
{
    double begin = sl_seconds();
    for (int k = 0; k < STEPS; k++)
        assert_ok(sl_world_step(world, step_time, &test_error));
    return sl_seconds() - begin;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double values[ROUNDS])
{
    qsort(values, ROUNDS, sizeof values[0], compare_doubles);
    return 0.5 * (values[ROUNDS / 2 - 1] + values[ROUNDS / 2]);
}

static void cost_of_transfer(const char *transfer)
{
    SlWorld *worlds[2] = {lying_snow(transfer, "contact=nodes damping=0 flip_velocity=constant"),
                          lying_snow(transfer, NULL)};
    double times[2][ROUNDS], ratios[ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
        for (int k = 0; k < 2; k++) {
            int w = (round + k) & 1;
            times[w][round] = time_steps(worlds[w]);
        }
        ratios[round] = times[1][round] / times[0][round];
    }
    size_t n = ball_system(worlds[0])->particles.count;
    double scale = 1e9 / ((double)n * STEPS), ratio = median(ratios);
    print_message("%s, %zu particles: %.1f ns per particle and step, %.1f without: %+.1f %%\n",
                  transfer, n, scale * median(times[1]), scale * median(times[0]), 100 * (ratio - 1));
    assert_less(ratio, max_ratio);
    sl_world_destroy(worlds[0]);
    sl_world_destroy(worlds[1]);
}

static void cost_with_mls(void **state)
{
    (void)state;
    cost_of_transfer("mls");
}

static void cost_with_flip(void **state)
{
    (void)state;
    cost_of_transfer("flip");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(cost_with_mls),
                                       cmocka_unit_test(cost_with_flip)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
