/* Tanks of projective at rest: 10 and 40 d deep, d = 0.1 and 0.02 m, walls and boundary particles.
   Deeper ones: test_tanks_deep_nightly.c. */
#include "water/tanks.h"

static void shallow_tanks(void **state)
{
    (void)state;
    tank_holds("projective", "walls", 10, 12, 10);
    tank_holds("projective", "particles", 10, 12, 10);
    water_expect_all();
}

static void tanks_40_deep(void **state)
{
    (void)state;
    tank_holds("projective", "walls", 40, 8, 10);
    tank_holds("projective", "particles", 40, 8, 10);
    water_expect_all();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shallow_tanks),
        cmocka_unit_test(tanks_40_deep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
