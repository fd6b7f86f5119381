/* A snapshot of 5,000 particles takes at most 1 ms, of 216,000 at most 10 ms; the best of several,
   with memory used again as a game does. */
#include "core/timer.h"
#include "support/dam.h"
#include "support/test.h"

static double best_ms(uint32_t x, uint32_t y, uint32_t z, double *restore_ms)
{
    DamSetting setting = {.threads = 2, .nx = x, .ny = y, .nz = z};
    SlWorld *world = dam_create(&setting);
    SlSnapshot *snapshot = NULL;
    double best = INFINITY;
    *restore_ms = INFINITY;
    assert_ok(sl_world_start(world, &test_error));
    for (int k = 0; k < 20; k++) {
        double begin = sl_seconds();
        assert_ok(sl_world_snapshot(world, &snapshot, &test_error));
        double middle = sl_seconds();
        assert_ok(sl_world_restore_snapshot(world, snapshot, &test_error));
        if (k > 0) {
            best = fmin(best, 1e3 * (middle - begin));
            *restore_ms = fmin(*restore_ms, 1e3 * (sl_seconds() - middle));
        }
    }
    sl_snapshot_destroy(snapshot);
    sl_world_destroy(world);
    return best;
}

static void snapshots_are_quick(void **state)
{
    (void)state;
    double restore, small = best_ms(20, 25, 10, &restore);
    print_message("5,000 particles: snapshot %.3f ms, restore %.3f ms\n", small, restore);
    assert_less(small, 1);
    assert_less(restore, 1);
    double large = best_ms(60, 60, 60, &restore);
    print_message("216,000 particles: snapshot %.2f ms, restore %.2f ms\n", large, restore);
    assert_less(large, 10);
    assert_less(restore, 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(snapshots_are_quick)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
