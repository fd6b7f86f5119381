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
            if (strncmp(name, "front_", 6) == 0)
                water_expect_value(name, water_figure(&there, name) / here.figures[f].value, 0.995,
                                   1.005);
        }
        water_expect_value("energy", water_figure(&there, "energy") / water_figure(&here, "energy"),
                           0.99, 1.01);
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
