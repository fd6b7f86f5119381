#include "buoyancy.h"

static void lifted_by_both(void **state)
{
    (void)state;
    hold_buoyancy("both");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(lifted_by_both)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
