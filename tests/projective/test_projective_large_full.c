/* Target: a million particles at 400 bytes each with Chebyshev's method, and with walls of boundary
   particles. Anderson's history and a factorised matrix take more, and are reported separately. */
#include "projective/projective_worlds.h"

static double bytes_each(const char *boundary, const char *acceleration, const char *global)
{
    PfWorld w = {.threads = 2,
                 .spacing = 0.05,
                 .domain = {12, 7, 5},
                 .nx = 100,
                 .ny = 100,
                 .nz = 100,
                 .settings = {{"boundary", 0, boundary},
                              {"acceleration", 0, acceleration},
                              {"global_solver", 0, global},
                              {"max_iterations", 6, NULL}}};
    SlWorld *world = pf_create(&w);
    uint64_t asked = sl_world_memory_needed(world);
    for (int k = 0; k < 4; k++)
        assert_ok(sl_world_step(world, 5e-3, &test_error));
    const SlSystem *system = pf_system(world);
    assert_int_equal(system->particles.count, 1000000);
    assert_int_equal(system->step, 4 * sl_fluid_steps(system));
    uint64_t held = sl_context_bytes_held(sl_world_context(world));
    double each = (double)held / (double)system->particles.count;
    print_message("%s, %s, %s: %.0f bytes per particle (%.0f estimated)\n", boundary, acceleration, global,
                  each, (double)asked / (double)system->particles.count);
    assert_less((double)held, 1.1 * (double)asked);
    sl_world_destroy(world);
    return each;
}

static void million_particles(void **state)
{
    (void)state;
    assert_less(bytes_each("walls", "chebyshev", "jacobi"), 400);
    double chebyshev = bytes_each("particles", "chebyshev", "jacobi");
    assert_less(chebyshev, 400);
    double anderson = bytes_each("particles", "anderson", "jacobi");
    double factor = bytes_each("particles", "chebyshev", "ldlt");
    print_message(
        "on top: Anderson's history %.0f, the factor and its vectors %.0f bytes per particle\n",
        anderson - chebyshev, factor - chebyshev);
    assert_near(anderson - chebyshev, 16 * (2 * 5 + 2), 20);
    assert_less(factor - chebyshev, 300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(million_particles)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
