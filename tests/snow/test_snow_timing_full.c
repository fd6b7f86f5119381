/* Target: contacts by particles, damping and affine velocities together cost at most 8 % of a step. Snow
   that lies on the floor, stepped in turn with and without them. */
#include "core/timer.h"
#include "snow/snowballs.h"
#include "support/world.h"

static SlWorld *lying_snow(const char *transfer, const char *parameters)
{
    SlWorldDef def = test_world_def(2, (SlVec3){-2, 0, -2}, (SlVec3){2, 2, 2});
    def.domain_friction = 0.5f;
    SlBlock block = {.min = {-0.7f, 0, -0.7f}, .max = {0.7f, 0.5f, 0.7f}};
    SlSystemId id;
    SlWorld *world = test_world(&def, "snow", "spacing=0.02 time_step=1e-4", &id);
    assert_ok(sl_system_set_text(world, id, "transfer", transfer, &test_error));
    test_set_parameters(world, id, parameters);
    assert_ok(sl_system_add_block(world, id, &block, &test_error));
    for (int k = 0; k < 20; k++)
        assert_ok(sl_world_step(world, 1e-4, &test_error));
    return world;
}

static void cost_of_contacts_damping_and_spin(void **state)
{
    (void)state;
    static const char *const transfers[] = {"mls", "flip"};
    enum { ROUNDS = 12, STEPS = 10 };
    for (int t = 0; t < 2; t++) {
        SlWorld *worlds[2] = {
            lying_snow(transfers[t], "contact=nodes damping=0 flip_velocity=constant"),
            lying_snow(transfers[t], NULL)};
        double best[2] = {1e9, 1e9};
        for (int round = 0; round < ROUNDS; round++)
            for (int w = 0; w < 2; w++) {
                double begin = sl_seconds();
                for (int k = 0; k < STEPS; k++)
                    assert_ok(sl_world_step(worlds[w], 1e-4, &test_error));
                best[w] = fmin(best[w], sl_seconds() - begin);
            }
        size_t n = ball_system(worlds[0])->particles.count;
        double scale = 1e9 / ((double)n * STEPS), ratio = best[1] / best[0];
        print_message("%s, %zu particles: %.1f ns per particle and step, %.1f without: %+.1f %%\n",
                      transfers[t], n, scale * best[1], scale * best[0], 100 * (ratio - 1));
        assert_less(ratio, 1.08);
        sl_world_destroy(worlds[0]);
        sl_world_destroy(worlds[1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(cost_of_contacts_damping_and_spin)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
