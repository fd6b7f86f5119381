/* Claims of [Stomakhin 2013] measured with its preset: the number of conjugate residual iterations is
   nearly independent of the resolution, and the cost is linear in the number of particles. A ball hits the
   floor at 5 m/s in steps of 0.5 ms. */
#include "core/timer.h"
#include "snow/snowballs.h"

typedef struct Claim {
    double particles, iterations, step_ns; /* per step; ns per particle and iteration */
} Claim;

static Claim measure(double spacing, int steps)
{
    BallSetting b = {.threads = 2,
                     .spacing = spacing,
                     .radius = 0.2,
                     .speed = 5,
                     .time_step = 5e-4,
                     .center = {1, 0.21f, 1},
                     .friction = 0.5f,
                     .beta = 1,
                     .parameters = "preset=stomakhin2013"};
    SlWorld *world = ball_create(&b);
    double iterations = 0, seconds = 0;
    for (int k = 0; k < steps; k++) {
        double begin = sl_seconds();
        assert_ok(sl_world_step(world, b.time_step, &test_error));
        seconds += sl_seconds() - begin;
        iterations += ball_system(world)->stats.iterations;
    }
    double n = (double)ball_system(world)->particles.count;
    Claim claim = {n, iterations / steps, 1e9 * seconds / (n * iterations)};
    print_message("%.0f particles: %.1f iterations a step, %.0f ns per particle and iteration, %.3f s a "
                  "step\n",
                  n, claim.iterations, claim.step_ns, seconds / steps);
    sl_world_destroy(world);
    return claim;
}

static void iterations_and_cost(void **state)
{
    (void)state;
    static const double spacings[] = {0.0188, 0.0118, 0.0075, 0.0049};
    Claim claims[4];
    for (int k = 0; k < 4; k++)
        claims[k] = measure(spacings[k], 80);
    for (int k = 1; k < 4; k++) {
        double finer = spacings[k - 1] / spacings[k];
        /* Not independent: they grow with dt c / h, at most as the resolution. */
        assert_less(claims[k].iterations, 1.3 * finer * claims[k - 1].iterations);
        assert_less(claims[k].step_ns, 1.5 * claims[k - 1].step_ns);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(iterations_and_cost)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
