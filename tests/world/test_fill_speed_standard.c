/* A squirrel of a million particles is filled in a few seconds on two threads. */
#include "core/timer.h"
#include "support/test.h"
#include "support/world.h"

static void a_million_in_a_few_seconds(void **state)
{
    (void)state;
    char path[600];
    const char *source = getenv("SLEET_SOURCE");
    snprintf(path, sizeof path, "%s/assets/squirrel.obj", source != NULL ? source : ".");
    double best = INFINITY;
    size_t count = 0;
    for (int k = 0; k < 1 || (k < 5 && best >= 5); k++) {
        SlWorldDef def = test_world_def(2, (SlVec3){-4, 0, -4}, (SlVec3){4, 4, 4});
        SlSystemId id;
        SlFillDef fill = sl_default_fill_def();
        fill.path = path;
        fill.scale = 3;
        SlWorld *world = test_world(&def, "pbf", NULL, &id);
        /* Placing is timed here, neither the relaxation of a packing nor the initial pressure, which
           multipliers per iteration do not have. */
        assert_ok(sl_system_set_text(world, id, "packing", "lattice", &test_error));
        assert_ok(sl_system_set_text(world, id, "multipliers", "per_iteration", &test_error));
        assert_ok(sl_system_set_number(world, id, "spacing", 0.014, &test_error));
        double begin = sl_seconds();
        assert_ok(sl_system_add_fill(world, first_system(world), &fill, &test_error));
        assert_ok(sl_world_start(world, &test_error));
        best = fmin(best, sl_seconds() - begin);
        count = sl_world_view(world)->systems[0].particle_count;
        sl_world_destroy(world);
    }
    print_message("%zu particles from the file to the start in %.2f s\n", count, best);
    assert_true(count >= 1000000);
    assert_less(best, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_million_in_a_few_seconds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
