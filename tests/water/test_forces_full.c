/* Forces on bodies: a submerged sphere and mesh within 2 % of the displaced water's weight, the floor
   within 2 %, scatter of single steps at most 5 %, impulses of a jet and of an oblique block on a wall
   within 3 % of their momentum; every solver and acceleration but anderson, which computes no forces on
   bodies and says so in a warning. */
#include "water/expect.h"

typedef struct Method {
    const char *solver, *acceleration;
} Method;

static const Method methods[] = {
    {"pbf", ""},
    {"pbf", "acceleration=none"},
    {"pbf", "acceleration=chebyshev"},
    {"projective", ""},
    {"projective", "acceleration=none"},
};
enum { METHODS = sizeof methods / sizeof methods[0] };

static void expect_force(const WaterResult *r)
{
    water_expect(r, "force", 0.98, 1.02);
    water_expect(r, "scatter", 0, 0.05);
    print_message("      sideways %.3g of the weight\n", water_figure(r, "side"));
    water_expect(r, "floor", 0.98, 1.02);
    water_expect(r, "floor_scatter", 0, 0.05);
}

static void submerged_sphere(void **state)
{
    (void)state;
    WaterResult r;
    for (int k = 0; k < METHODS; k++) {
        water_expect_run(&r, "sphere time=2 base=16 depth=16 solver=%s -- %s", methods[k].solver,
                         methods[k].acceleration);
        expect_force(&r);
    }
    water_expect_run(&r, "sphere time=2 base=16 depth=16 boundary=particles");
    expect_force(&r);
    water_expect_all();
}

static void submerged_mesh(void **state)
{
    (void)state;
    WaterResult r;
    for (int k = 0; k < METHODS; k += 3) {
        /* The distance to a mesh finer than the spacing is slow, and projective asks for it in each iteration. */
        water_expect_run(&r, k == 0 ? "mesh time=2 base=22 depth=24 solver=%s"
                                    : "mesh size=12 time=0.5 base=16 depth=18 solver=%s",
                         methods[k].solver);
        expect_force(&r);
    }
    water_expect_all();
}

static void impulse_on_a_wall(void **state)
{
    (void)state;
    WaterResult r;
    for (int k = 0; k < METHODS; k++) {
        water_expect_run(&r, "oblique solver=%s -- %s", methods[k].solver, methods[k].acceleration);
        water_expect(&r, "impulse", 0.97, 1.03);
        water_expect(&r, "balance", 0.97, 1.03);
        water_expect_run(&r, "jet solver=%s -- %s", methods[k].solver, methods[k].acceleration);
        water_expect(&r, "impulse", 0.97, 1.03);
        water_expect(&r, "balance", 0.97, 1.03);
    }
    water_expect_run(&r, "jet wall=plane");
    water_expect(&r, "impulse", 0.97, 1.03);
    water_expect_all();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(submerged_sphere),
        cmocka_unit_test(submerged_mesh),
        cmocka_unit_test(impulse_on_a_wall),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
