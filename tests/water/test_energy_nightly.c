/* The energy of scenes with both solvers at 240 frames per second, and projective at 60 (energies.h). */
#include "water/energies.h"

static void pbf(void **state)
{
    (void)state;
    energy_of("pbf", 240);
}

static void projective_at_60(void **state)
{
    (void)state;
    energy_of("projective", 60);
}

static void projective(void **state)
{
    (void)state;
    energy_of("projective", 240);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(pbf), cmocka_unit_test(projective_at_60),
                                       cmocka_unit_test(projective)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
