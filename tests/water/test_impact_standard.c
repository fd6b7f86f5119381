/* The ends and the default of test_impact_full.c: a lattice block that falls flat on a floor and two
   blocks that collide never have more than 0.3 % more energy than at the start. */
#include "water/expect.h"

static const char *const runs[] = {
    "fall -- iterations=2",    "fall",    "fall solver=projective",
    "collide -- iterations=2", "collide", "collide solver=projective",
    "fall preset=realtime",    "fall preset=realtime size=10 height=4",
    "collide preset=realtime", "collide preset=realtime size=10 speed=30 time=0.3",
};

static void no_energy_from_impacts(void **state)
{
    (void)state;
    WaterResult r;
    for (size_t k = 0; k < sizeof runs / sizeof *runs; k++) {
        water_expect_run(&r, "%s", runs[k]);
        water_expect(&r, "gain", 0, 0.003);
    }
    water_expect_all();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_energy_from_impacts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
