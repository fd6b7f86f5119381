/* 100,000 samples of the squirrel in under a second on two threads, and still apart. */
#include "core/timer.h"
#include "sample_checks.h"

static void test_hundred_thousand_in_a_second(void **state)
{
    (void)state;
    const float radius = 0.0034f;
    SlContext *context = test_context(2);
    SlMesh mesh = load_asset(context, "squirrel.obj");
    double best = INFINITY;
    for (int k = 0; k < 5; k++) {
        SlSurfaceSamples samples;
        double begin = sl_seconds();
        assert_ok(sl_surface_sample(context, &mesh, radius, 1, &samples, &test_error));
        best = fmin(best, sl_seconds() - begin);
        if (k == 4) {
            print_message("%zu samples in %.3f s\n", samples.count, best);
            assert_true(samples.count >= 100000);
            assert_true(nearest_pair(&samples) >= (double)radius);
        }
        sl_surface_samples_destroy(&samples);
    }
    assert_less(best, 1.0);
    sl_mesh_destroy(&mesh);
    sl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_hundred_thousand_in_a_second)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
