/* The energy of scenes with pbf at 24, 60 and 240 frames per second (energies.h). */
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

static void at_240(void **state)
{
    (void)state;
    energy_of("pbf", 240);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(at_24),
        cmocka_unit_test(at_60),
        cmocka_unit_test(at_240),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
