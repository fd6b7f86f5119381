/* Density and velocity at points against brute force over the view, for every solver; the same bits
   for any number of threads. */
#include "math/kernel.h"
#include "support/dam.h"

enum { POINTS = 60 };
static const char *const solvers[3] = {"pbf", "projective", "snow"};
static float points[3 * POINTS];

static SlWorld *make(const char *solver, uint32_t threads)
{
    DamSetting setting = {.threads = threads, .solver = solver, .nx = 7, .ny = 6, .nz = 5,
                          .domain = {1.5f, 1.2f, 0.5f}};
    return dam_create(&setting);
}

/* A lattice of points, in the fluid, at its surface and outside. */
static void place_points(void)
{
    for (size_t k = 0; k < POINTS; k++) {
        points[3 * k] = 0.06f + 0.21f * (float)(k % 6);
        points[3 * k + 1] = 0.03f + 0.17f * (float)(k / 6 % 5);
        points[3 * k + 2] = k < 30 ? 0.13f : 0.31f;
    }
}

static void equals_brute_force(void **state)
{
    (void)state;
    place_points();
    for (int s = 0; s < 3; s++) {
        SlWorld *world = make(solvers[s], 2);
        dam_advance(world, 3);
        float density[POINTS], velocity[3 * POINTS];
        assert_ok(sl_system_query(world, first_system(world), points, POINTS, density, velocity,
                                  &test_error));
        const SlSystemView *view = &sl_world_view(world)->systems[0];
        SlFieldView x = sl_view_field(view, "position"), v = sl_view_field(view, "velocity");
        double support = 2 * (double)view->spacing;
        size_t wet = 0;
        for (size_t k = 0; k < POINTS; k++) {
            double sums[4] = {0, 0, 0, 0};
            for (size_t i = 0; i < x.count; i++) {
                float p[3], u[3];
                memcpy(p, (const char *)x.data + i * x.stride, sizeof p);
                memcpy(u, (const char *)v.data + i * v.stride, sizeof u);
                double r = sqrt(pow((double)p[0] - (double)points[3 * k], 2) +
                                pow((double)p[1] - (double)points[3 * k + 1], 2) +
                                pow((double)p[2] - (double)points[3 * k + 2], 2));
                if (r >= support)
                    continue;
                double w = (double)sl_view_mass(view, i) *
                           sl_kernel_value(SL_KERNEL_CUBIC, r, support);
                sums[0] += w;
                for (int a = 0; a < 3; a++)
                    sums[1 + a] += w * (double)u[a];
            }
            assert_near((double)density[k], sums[0], 1e-5 * sums[0]);
            for (size_t a = 0; a < 3; a++)
                assert_near((double)velocity[3 * k + a], sums[0] > 0 ? sums[1 + a] / sums[0] : 0,
                            1e-4);
            wet += sums[0] > 0;
        }
        assert_true(wet > 10 && wet < POINTS);
        sl_world_destroy(world);
    }
}

/* In the middle of a block at rest: the material's density, and the block's velocity. */
static void a_block_has_its_density(void **state)
{
    (void)state;
    DamSetting setting = {.threads = 2, .nx = 9, .ny = 9, .nz = 9, .velocity = {0.5f, 0, -0.25f},
                          .offset = {0.1f, 0.1f, 0.1f}, .domain = {2, 2, 2}};
    SlWorld *world = dam_create(&setting);
    float at[3] = {0.55f, 0.55f, 0.55f}, density, velocity[3];
    assert_ok(sl_system_query(world, first_system(world), at, 1, &density, velocity, &test_error));
    assert_near((double)density, 1000, 30);
    assert_near((double)velocity[0], 0.5, 1e-6);
    assert_near((double)velocity[1], 0, 1e-6);
    assert_near((double)velocity[2], -0.25, 1e-6);
    /* Either result may be left out. */
    float other;
    assert_ok(sl_system_query(world, first_system(world), at, 1, &other, NULL, &test_error));
    assert_true(other == density);
    assert_ok(sl_system_query(world, first_system(world), at, 1, NULL, velocity, &test_error));
    at[1] = NAN;
    assert_int_equal(sl_system_query(world, first_system(world), at, 1, &density, NULL, &test_error),
                     SL_ERROR_ARGUMENT);
    sl_world_destroy(world);
}

static void threads_and_queries_change_nothing(void **state)
{
    (void)state;
    place_points();
    const uint32_t threads[4] = {1, 2, 3, 5};
    float density[4][POINTS], velocity[4][3 * POINTS];
    uint64_t hash[4];
    for (int t = 0; t < 4; t++) {
        SlWorld *world = make("pbf", threads[t]);
        for (int k = 0; k < 3; k++) {
            dam_advance(world, 1);
            if (t > 0 || k == 2) /* asking more often decides nothing */
                assert_ok(sl_system_query(world, first_system(world), points, POINTS, density[t],
                                          velocity[t], &test_error));
        }
        hash[t] = sl_world_hash(world);
        assert_true(hash[t] == hash[0]);
        assert_memory_equal(density[t], density[0], sizeof density[0]);
        assert_memory_equal(velocity[t], velocity[0], sizeof velocity[0]);
        sl_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(equals_brute_force),
                                       cmocka_unit_test(a_block_has_its_density),
                                       cmocka_unit_test(threads_and_queries_change_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
