/* Tanks at rest that are 150 d deep, d = 0.1 and 0.02 m, walls and boundary particles. Narrow, for
   time: 8 d with pbf, 6 d with projective. */
#include "water/tanks.h"

static void pbf(void **state)
{
    (void)state;
    tank_holds("pbf", "walls", 150, 8, 10);
    tank_holds("pbf", "particles", 150, 8, 10);
    water_expect_all();
}

static void projective(void **state)
{
    (void)state;
    tank_holds("projective", "walls", 150, 6, 10);
    tank_holds("projective", "particles", 150, 6, 10);
    water_expect_all();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(pbf), cmocka_unit_test(projective)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
