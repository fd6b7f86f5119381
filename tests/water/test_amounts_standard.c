/* Amounts of water: fills hold the volume of their mesh within 1 %, and an emitter gives as much with
   short steps as with long ones. */
#include "water/expect.h"

static void fills(void **state)
{
    (void)state;
    static const char *const requests[] = {
        "fill mesh=assets/squirrel.obj size=40 d=0.05", "fill mesh=assets/squirrel.obj size=20",
        "fill mesh=assets/axe.obj size=80", /* thin features */
        "fill mesh=assets/cone.obj size=30", "fill mesh=assets/squirrel.obj size=30 solver=projective",
    };
    for (size_t k = 0; k < sizeof requests / sizeof requests[0]; k++) {
        WaterResult r;
        water_expect_run(&r, "%s", requests[k]);
        water_expect(&r, "volume", -0.01, 0.01);
    }
    water_expect_all();
}

static void emitters(void **state)
{
    (void)state;
    static const char *const solvers[] = {"pbf", "projective"};
    for (int k = 0; k < 2; k++) {
        WaterResult r;
        double first = 0;
        for (int steps = 2; steps <= 32; steps *= 4) {
            water_expect_run(&r, "emit solver=%s time=0.5 -- step_control=fixed steps=%d", solvers[k],
                             steps);
            print_message("      %.4f of the volume asked for\n", water_figure(&r, "emitted"));
            if (steps == 2)
                first = water_figure(&r, "mass");
            else
                water_expect(&r, "mass", 0.99 * first, 1.01 * first);
        }
    }
    water_expect_all();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(fills), cmocka_unit_test(emitters)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
