/* Water against analytic solutions, with the solvers' defaults: a standing wave, a drop in a central
   field (still and turning), a long dam on a dry bed, and the outflow of a tank. The solutions are exact,
   the tolerances are not derived: they are targets for 20 to 40 spacings. Those of the long dam stand
   just above what pbf 2 x 4 gave (0.039, 0.080, 0.467, 0.87), so they only guard against worse. */
#include "water/expect.h"

static const char *const solvers[] = {"pbf", "projective"};

/* w² = g k tanh(k h); a wave of amplitude 1.2 d in 40 d x 20 d keeps most of it in a period. */
static void sloshing(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        WaterResult r;
        water_expect_run(&r, "slosh solver=%s periods=3", solvers[k]);
        water_expect(&r, "period_error", -0.02, 0.02);
        water_expect(&r, "kept_per_period", 0.75, 1.01);
    }
    water_expect_all();
}

/* Exact motion of an ellipsoid, in radii; the field's energy is kept. */
static void drop_in_a_central_field(void **state)
{
    (void)state;
    static const double spins[] = {0, 0.5};
    for (int k = 0; k < 4; k++) {
        WaterResult r;
        water_expect_run(&r, "drop solver=%s spin=%g time=2", solvers[k / 2], spins[k % 2]);
        water_expect(&r, "max_error", 0, 0.1);
        water_expect(&r, "mean_error", 0, 0.05);
        water_expect(&r, "energy", 0.95, 1.001);
        water_expect(&r, "gain", 0, 0.001);
    }
    water_expect_all();
}

/* Shallow water: the depth at the dam is 4/9 of the initial one (0.447 as the mean over a depth on
   either side, at this time), the front moves at 2 sqrt(g h); the tip of a real flow is slower. */
static void long_dam_on_a_dry_bed(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        WaterResult r;
        water_expect_run(&r, "ritter solver=%s", solvers[k]);
        water_expect(&r, "profile_rms", 0, 0.04);
        water_expect(&r, "profile_max", 0, 0.08);
        water_expect(&r, "depth_at_dam", 0.42, 0.475);
        water_expect(&r, "front_speed", 0.85, 1.02);
    }
    water_expect_all();
}

/* v² = 2 g (level - y) in the jet below the slot. */
static void outflow_of_a_tank(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        WaterResult r;
        water_expect_run(&r, "outflow solver=%s", solvers[k]);
        water_expect(&r, "speed", 0.95, 1.03);
    }
    water_expect_all();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sloshing),
        cmocka_unit_test(drop_in_a_central_field),
        cmocka_unit_test(long_dam_on_a_dry_bed),
        cmocka_unit_test(outflow_of_a_tank),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
