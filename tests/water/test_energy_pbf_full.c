/* The energy of scenes with pbf at 24 and 60 frames per second (energies.h). */
#include "water/energies.h"

static void at_24(void **state)
{
    (void)state;
    energy_of("pbf", 24);
}

static void at_60(void **state)
{
    (void)state;
    energy_of("pbf", 60);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(at_24), cmocka_unit_test(at_60)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
