#include "buoyancy.h"

static void lifted_by_particles(void **state)
{
    (void)state;
    hold_buoyancy("particles");
}

static void lifted_by_walls(void **state)
{
    (void)state;
    hold_buoyancy("walls");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lifted_by_particles),
        cmocka_unit_test(lifted_by_walls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
