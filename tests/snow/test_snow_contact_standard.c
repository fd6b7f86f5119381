/* Contacts of snow, a few cases of test_snow_contact_full.c: landed snow rests at half a spacing,
   stiff blocks do not hop, thin plates hold. */
#include "snow/contacts.h"

static void landed_snow_touches_the_floor(void **state)
{
    (void)state;
    expect_landing("mls", "explicit", 0.25, 0);
    expect_landing("flip", "explicit", 0.5, 30);
    expect_landing("mls", "implicit", 0.5, 0);
}

static void a_stiff_block_does_not_hop(void **state)
{
    (void)state;
    expect_no_hop("mls", 0.25);
}

static void a_plate_of_one_cell_stops_snow(void **state)
{
    (void)state;
    expect_plate_holds("mls", 0.205f);
    expect_plate_holds("flip", 0.21f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(landed_snow_touches_the_floor),
        cmocka_unit_test(a_stiff_block_does_not_hop),
        cmocka_unit_test(a_plate_of_one_cell_stops_snow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
