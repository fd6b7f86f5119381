/* Threshold: an emitter fills a tank with 100k particles. */
#include "support/dam.h"
#include "world/world.h"

typedef struct Watch {
    double max_speed, mean_compression;
} Watch;

static bool watch(void *user, SlSystemId system, const SlStepStats *stats)
{
    (void)system;
    Watch *w = user;
    w->max_speed = fmax(w->max_speed, stats->max_speed);
    w->mean_compression = stats->mean_compression;
    return true;
}

static SlWorld *empty_tank(uint32_t threads, SlVec3 size, double spacing, Watch *w)
{
    DamSetting setting = {.threads = threads, .domain = size, .spacing = spacing, .steps = 4,
                          .on_step = w != NULL ? watch : NULL, .user = w};
    return dam_create(&setting);
}

/* Threshold: a tank of 100k particles (depth 24 d): count as ordered, no explosion, compression < 1 %. */
static void tank_fills(void **state)
{
    (void)state;
    Watch w = {0, 0};
    SlWorld *world = empty_tank(2, (SlVec3){6.4f, 6, 6.4f}, 0.1, &w);
    SlEmitterDef e = sl_default_emitter_def(SL_EMITTER_BOX);
    e.center = (SlVec3){3.2f, 5, 3.2f};
    e.up = (SlVec3){0, 0, 1};
    e.width = e.height = 4;
    e.speed = 2;
    e.limit = 100000;
    assert_ok(sl_system_add_emitter(world, first_system(world), &e, NULL, &test_error));
    dam_advance(world, 300);
    SlFieldView x = sl_system_field(world, first_system(world), "position");
    print_message("tank: %zu particles, compression %.2f %%, top speed %.1f m/s\n", x.count,
                  100 * w.mean_compression, w.max_speed);
    assert_int_equal(x.count, 100000);
    assert_less(w.mean_compression, 0.01);
    assert_less(w.max_speed, 20);
    sl_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(tank_fills)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
