/* Kernel interpolation on plain arrays against brute force in double. */
#include "core/random.h"
#include "math/kernel.h"
#include "spatial/interpolate.h"
#include "support/test.h"

enum { COUNT = 2003, CAPACITY = 2008, PROBES = 300 };
static const float support = 0.2f;
static float positions[4 * (CAPACITY + 8)], velocities[4 * (CAPACITY + 8)], masses[COUNT];
static float probes[3 * PROBES];

static void scatter(void)
{
    for (size_t i = 0; i < CAPACITY + 8; i++) {
        SlRandom4 r = sl_random(5, i, 0), v = sl_random(5, i, 1);
        for (size_t k = 0; k < 3; k++) {
            positions[4 * i + k] = i < COUNT ? 2 * sl_random_unit(r.value[k]) - 1 : SL_FAR;
            velocities[4 * i + k] = 3 * sl_random_unit(v.value[k]);
        }
        if (i < COUNT)
            masses[i] = 1 + sl_random_unit(r.value[3]);
    }
    for (size_t k = 0; k < 3 * PROBES; k++) /* some outside all support */
        probes[k] = (k / 3 % 7 == 0 ? 6.0f : 2.4f) * (sl_random_unit(sl_random(6, k, 0).value[0]) - 0.5f);
}

static void brute_force(const float *x, const float *mass, double sums[4])
{
    memset(sums, 0, 4 * sizeof *sums);
    for (size_t j = 0; j < COUNT; j++) {
        double u[3], r2 = 0;
        for (size_t k = 0; k < 3; k++) {
            u[k] = (double)x[k] - (double)positions[4 * j + k];
            r2 += u[k] * u[k];
        }
        double w = (mass != NULL ? (double)mass[j] : 2) *
                   (sqrt(r2) < (double)support
                        ? sl_kernel_value(SL_KERNEL_CUBIC, sqrt(r2), (double)support)
                        : 0);
        sums[0] += w;
        for (size_t k = 0; k < 3; k++)
            sums[1 + k] += w * (double)velocities[4 * j + k];
    }
}

static void equals_brute_force(void **state)
{
    (void)state;
    static float density[4][PROBES], velocity[4][3 * PROBES];
    scatter();
    const uint32_t threads[4] = {1, 2, 3, 5};
    for (int uniform = 0; uniform < 2; uniform++) {
        const float *mass = uniform ? NULL : masses;
        for (int t = 0; t < 4; t++) {
            SlContext *context = test_context(threads[t]);
            SlSamples samples = {{positions, COUNT, CAPACITY}, velocities, mass, 2};
            SlProbes p = {probes, PROBES, density[t], velocity[t]};
            assert_ok(sl_interpolate(context, &context->arena, &samples, support, &p, &test_error));
            assert_memory_equal(density[t], density[0], sizeof density[0]);
            assert_memory_equal(velocity[t], velocity[0], sizeof velocity[0]);
            sl_context_destroy(context);
        }
        size_t empty = 0;
        for (size_t k = 0; k < PROBES; k++) {
            double sums[4];
            brute_force(probes + 3 * k, mass, sums);
            assert_near((double)density[0][k], sums[0], 1e-6 * fabs(sums[0]));
            for (size_t axis = 0; axis < 3; axis++)
                assert_near((double)velocity[0][3 * k + axis],
                            sums[0] > 0 ? sums[1 + axis] / sums[0] : 0, 1e-5);
            empty += sums[0] == 0;
        }
        assert_true(empty > 10 && empty < PROBES / 2);
    }
}

static void of_nothing_is_zero(void **state)
{
    (void)state;
    SlContext *context = test_context(2);
    float density[2] = {9, 9}, velocity[6] = {9, 9, 9, 9, 9, 9};
    SlSamples samples = {{positions, 0, CAPACITY}, velocities, NULL, 2};
    SlProbes p = {probes, 2, density, velocity};
    assert_ok(sl_interpolate(context, &context->arena, &samples, support, &p, &test_error));
    for (int k = 0; k < 6; k++)
        assert_true(density[k / 3] == 0 && velocity[k] == 0);
    sl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(equals_brute_force),
                                       cmocka_unit_test(of_nothing_is_zero)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
