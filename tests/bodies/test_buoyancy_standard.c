#include "buoyancy.h"

static void lifted_by_particles(void **state)
{
    (void)state;
    hold_buoyancy("particles");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lifted_by_particles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
