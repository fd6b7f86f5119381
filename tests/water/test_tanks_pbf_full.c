/* Tanks of pbf at rest: 10 and 40 d deep, d = 0.1 and 0.02 m, walls and boundary particles; the preset
   realtime. Deeper ones: test_tanks_deep_nightly.c. */
#include "water/tanks.h"

static void shallow_tanks(void **state)
{
    (void)state;
    tank_holds("pbf", "walls", 10, 12, 10);
    tank_holds("pbf", "particles", 10, 12, 10);
    water_expect_all();
}

static void tanks_40_deep(void **state)
{
    (void)state;
    tank_holds("pbf", "walls", 40, 12, 10);
    tank_holds("pbf", "particles", 40, 12, 10);
    water_expect_all();
}

static void realtime_tank(void **state)
{
    (void)state;
    WaterResult r;
    water_expect_run(&r, "tank preset=realtime d=0.1 depth=40 base=12 time=10");
    water_expect(&r, "level", -0.03, 0.03);
    water_expect(&r, "rms", 0, 0.12);
    water_expect_run(&r, "dam preset=realtime small d=0.1");
    water_expect(&r, "gain", 0, 0.005);
    water_expect_all();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shallow_tanks),
        cmocka_unit_test(tanks_40_deep),
        cmocka_unit_test(realtime_tank),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
