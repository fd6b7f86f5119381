/* scenes/dam_break.json with the solver's defaults, 106,496 particles: energy, run-up, rim and the
   layer at the wall that the water leaves. */
#include "water/expect.h"

static void dam_of_106k(void **state)
{
    (void)state;
    WaterResult r;
    water_expect_run(&r, "dam threads=2");
    water_expect(&r, "energy", 0.95, 1.0001);
    water_expect(&r, "gain_of_released", 0, 0.001);
    water_expect(&r, "run_up", 6.7, 8);
    water_expect(&r, "rim_1.25", -1, 0.3);
    water_expect(&r, "rim_2", -1, 0.3);
    water_expect(&r, "layer_1.25", 0.6, 1.5);
    water_expect(&r, "layer_1.5", 0.75, 1.5);
    water_expect(&r, "layer_1.75", 0.75, 1.5);
    water_expect(&r, "layer_2", 0.75, 1.5);
    water_expect_all();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(dam_of_106k)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
