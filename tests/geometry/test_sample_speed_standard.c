/* 100,000 samples of the squirrel in under a second on two threads, apart and without holes. */
#include "core/timer.h"
#include "sample_checks.h"

static void test_hundred_thousand_in_a_second(void **state)
{
    (void)state;
    const float radius = 0.0034f;
    SlContext *context = test_context(2);
    SlMesh mesh = load_asset(context, "squirrel.obj");
    SlSurfaceSamples samples = {0};
    double best = INFINITY;
    /* The best of five; more where other work on the machine took all of these. */
    for (int k = 0; k < 5 || (k < 20 && best >= 1); k++) {
        sl_surface_samples_destroy(&samples);
        double begin = sl_seconds();
        assert_ok(sl_surface_sample(context, &mesh, radius, 1, &samples, &test_error));
        best = fmin(best, sl_seconds() - begin);
    }
    print_message("%zu samples in %.3f s\n", samples.count, best);
    assert_true(samples.count >= 100000);
    assert_true(nearest_pair(&samples) >= (double)radius);
    assert_true(largest_hole(&mesh, &samples, 0.5f * radius) <= 2 * (double)radius);
    assert_less(best, 1.0);
    sl_surface_samples_destroy(&samples);
    sl_mesh_destroy(&mesh);
    sl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_hundred_thousand_in_a_second)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
