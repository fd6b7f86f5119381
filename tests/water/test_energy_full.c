/* Every water scene without moving bodies and emitters but scenes/papers/apbf, fixed counts removed, at
   twice the spacing, for 3 s, at 24, 60 and 240 frames per second: kinetic + potential energy never
   rises by more than 0.1 % of the largest fall of the potential so far, or 1e-4 m g d a particle. */
#include "water/expect.h"

static const char *const scenes[] = {
    "dam_break.json",
    "dam_break_small.json",
    "honey.json",
    "obstacles.json",
    "oil_and_water.json",
    "squirrel.json",
    "squirrel_drop.json",
    "papers/chebyshev/dam_30k.json",
    "papers/chebyshev/dam_88k.json",
    "papers/chebyshev/double_dam_128k.json",
    "papers/chebyshev/squirrel_298k.json",
};
enum { SCENES = sizeof scenes / sizeof scenes[0] };

static void energy_of(const char *solver, int fps)
{
    for (int k = 0; k < SCENES; k++) {
        WaterResult r;
        /* The largest is a third coarser still, for time. */
        double factor = k == SCENES - 1 ? 2.7 : 2;
        water_expect_run(&r, "energy scene=scenes/%s solver=%s fps=%d factor=%g threads=1",
                         scenes[k], solver, fps, factor);
        water_expect(&r, "excess", 0, 1);
        print_message("      rise %.3g of the fall, %.3g m g d at %.3g s\n",
                      water_figure(&r, "rise_of_fall"), water_figure(&r, "rise_mgd"),
                      water_figure(&r, "rise_time"));
    }
    water_expect_all();
}

static void pbf_24(void **state)
{
    (void)state;
    energy_of("pbf", 24);
}

static void pbf_60(void **state)
{
    (void)state;
    energy_of("pbf", 60);
}

static void pbf_240(void **state)
{
    (void)state;
    energy_of("pbf", 240);
}

static void projective_24(void **state)
{
    (void)state;
    energy_of("projective", 24);
}

static void projective_60(void **state)
{
    (void)state;
    energy_of("projective", 60);
}

static void projective_240(void **state)
{
    (void)state;
    energy_of("projective", 240);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pbf_24),        cmocka_unit_test(pbf_60),
        cmocka_unit_test(pbf_240),       cmocka_unit_test(projective_24),
        cmocka_unit_test(projective_60), cmocka_unit_test(projective_240),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
