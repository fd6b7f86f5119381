/* The energy of scenes with projective at 24 frames per second (energies.h); 60 and 240 are nightly. */
#include "water/energies.h"

static void at_24(void **state)
{
    (void)state;
    energy_of("projective", 24);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(at_24)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
