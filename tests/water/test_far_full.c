/* The same dam at 0, 1 and 10 km from the origin: the same front within 0.5 %. */
#include "water/expect.h"

static void far_away(const char *solver)
{
    static const double offsets[] = {1000, 10000};
    WaterResult here, there;
    water_expect_run(&here, "dam small curve solver=%s time=1", solver);
    for (int k = 0; k < 2; k++) {
        water_expect_run(&there, "dam small curve solver=%s time=1 offset=%g", solver, offsets[k]);
        for (size_t f = 0; f < here.count; f++) {
            const char *name = here.figures[f].name;
            double x = here.figures[f].value;
            if (strncmp(name, "front_", 6) == 0)
                water_expect(&there, name, 0.995 * x, 1.005 * x);
        }
        double energy = water_figure(&here, "energy");
        water_expect(&there, "energy", 0.99 * energy, 1.01 * energy);
    }
}

static void pbf(void **state)
{
    (void)state;
    far_away("pbf");
    water_expect_all();
}

static void projective(void **state)
{
    (void)state;
    far_away("projective");
    water_expect_all();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(pbf), cmocka_unit_test(projective)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
