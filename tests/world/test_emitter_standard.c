/* Emitters and drains: counts as ordered, no overlap on entry, a tank that fills quietly, the same
   bits for any threads. */
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

/* Nearest pair; particles are sorted, so brute force over a window would miss some: all pairs. */
static double nearest_pair(SlWorld *world)
{
    SlFieldView x = sl_system_field(world, first_system(world), "position");
    double nearest = 1e9;
    for (size_t i = 0; i < x.count; i++)
        for (size_t j = i + 1; j < x.count; j++) {
            const float *a = (const float *)((const char *)x.data + i * x.stride);
            const float *b = (const float *)((const char *)x.data + j * x.stride);
            nearest = fmin(nearest, sqrt(pow((double)(a[0] - b[0]), 2) +
                                         pow((double)(a[1] - b[1]), 2) +
                                         pow((double)(a[2] - b[2]), 2)));
        }
    return nearest;
}

static void jet_has_its_rate(void **state)
{
    (void)state;
    SlWorld *world = empty_tank(2, (SlVec3){4, 40, 4}, 0.1, NULL);
    SlEmitterDef e = sl_default_emitter_def(SL_EMITTER_DISK);
    e.center = (SlVec3){2, 39, 2};
    e.radius = 0.55f;
    e.speed = 3;
    assert_ok(sl_system_add_emitter(world, first_system(world), &e, NULL, &test_error));
    double per_layer = (double)sl_emitter_layer_size(&world->systems[0]->flow.emitters[0]);
    dam_advance(world, 60); /* one second: 3 m of jet, 30 layers */
    size_t count = sl_world_view(world)->systems[0].particle_count;
    assert_near((double)count, 30 * per_layer, per_layer);
    /* Layers may shear as they acceleration, but none was pressed into another. */
    assert_true(nearest_pair(world) > 0.06);
    sl_world_destroy(world);
}

static void window_limit_and_rate(void **state)
{
    (void)state;
    SlWorld *world = empty_tank(2, (SlVec3){4, 40, 4}, 0.1, NULL);
    SlEmitterDef e = sl_default_emitter_def(SL_EMITTER_BOX);
    e.center = (SlVec3){2, 39, 2};
    e.width = e.height = 0.5f;
    e.up = (SlVec3){0, 0, 1};
    e.speed = 2;
    e.start = 0.25;
    e.end = 0.5;
    assert_ok(sl_system_add_emitter(world, first_system(world), &e, NULL, &test_error));
    e.center = (SlVec3){1, 39, 1};
    e.start = 0;
    e.end = 100;
    e.limit = 77;
    assert_ok(sl_system_add_emitter(world, first_system(world), &e, NULL, &test_error));
    e.center = (SlVec3){3, 39, 3};
    e.limit = 0;
    e.rate = 100; /* of 500 that would fit */
    assert_ok(sl_system_add_emitter(world, first_system(world), &e, NULL, &test_error));
    dam_advance(world, 12);
    assert_int_equal(world->systems[0]->flow.emitters[0].emitted, 0);
    dam_advance(world, 48);
    assert_int_equal(world->systems[0]->flow.emitters[0].emitted, 5 * 25);
    assert_int_equal(world->systems[0]->flow.emitters[1].emitted, 77);
    assert_near((double)world->systems[0]->flow.emitters[2].emitted, 100, 25);
    sl_world_destroy(world);
}

/* A quarter of the tank (test_emitter_full.c), as deep: count as ordered, no explosion. */
static void tank_fills(void **state)
{
    (void)state;
    Watch w = {0, 0};
    SlWorld *world = empty_tank(2, (SlVec3){3.2f, 6, 3.2f}, 0.1, &w);
    SlEmitterDef e = sl_default_emitter_def(SL_EMITTER_BOX);
    e.center = (SlVec3){1.6f, 5, 1.6f};
    e.up = (SlVec3){0, 0, 1};
    e.width = e.height = 2;
    e.speed = 2;
    e.limit = 25000;
    assert_ok(sl_system_add_emitter(world, first_system(world), &e, NULL, &test_error));
    dam_advance(world, 300);
    SlFieldView x = sl_system_field(world, first_system(world), "position");
    print_message("tank: %zu particles, compression %.2f %%, top speed %.1f m/s\n", x.count,
                  100 * w.mean_compression, w.max_speed);
    assert_int_equal(x.count, 25000);
    assert_less(w.mean_compression, 0.01);
    assert_less(w.max_speed, 20);
    sl_world_destroy(world);
}

static void drains_take_and_ids_stay(void **state)
{
    (void)state;
    uint64_t first = 0;
    for (uint32_t threads = 1; threads <= 5; threads += 2) {
        SlWorld *world = empty_tank(threads, (SlVec3){2, 3, 2}, 0.1, NULL);
        SlEmitterDef e = sl_default_emitter_def(SL_EMITTER_DISK);
        e.center = (SlVec3){1, 2, 1};
        e.speed = 2;
        SlShape hole = sl_default_shape(SL_SHAPE_BOX);
        hole.center = (SlVec3){1, 0.15f, 1};
        hole.half = (SlVec3){1, 0.15f, 1};
        assert_ok(sl_system_add_emitter(world, first_system(world), &e, NULL, &test_error));
        assert_ok(sl_system_add_drain(world, first_system(world), &hole, &test_error));
        dam_advance(world, 150);
        const SlFlow *flow = &world->systems[0]->flow;
        SlFieldView id = sl_system_field(world, first_system(world), "id");
        assert_true(flow->removed > 500);
        assert_int_equal(id.count + flow->removed, flow->emitters[0].emitted);
        char *seen = calloc(flow->next_id, 1);
        for (size_t i = 0; i < id.count; i++) {
            uint32_t number = ((const uint32_t *)id.data)[i];
            assert_true(number < flow->next_id && !seen[number]);
            seen[number] = 1;
        }
        free(seen);
        if (threads == 1)
            first = sl_world_hash(world);
        assert_true(sl_world_hash(world) == first);
        sl_world_destroy(world);
    }
}

/* Refused, and what for; the error is not kept. */
static void refuse_emitter(SlWorld *world, const SlEmitterDef *def, const char *words)
{
    assert_int_equal(sl_system_add_emitter(world, first_system(world), def, NULL, &test_error),
                     SL_ERROR_ARGUMENT);
    if (strstr(test_error.text, words) == NULL)
        fail_msg("no \"%s\" in: %s", words, test_error.text);
    sl_world_clear_error(world);
}

static void bad_emitters_are_refused(void **state)
{
    (void)state;
    SlWorld *world = empty_tank(1, (SlVec3){4, 4, 4}, 0.1, NULL);
    SlEmitterDef e = sl_default_emitter_def(SL_EMITTER_DISK);
    e.radius = 0.01f;
    refuse_emitter(world, &e, "narrower than one spacing");
    e = sl_default_emitter_def(SL_EMITTER_DISK);
    e.rate = 1e9;
    refuse_emitter(world, &e, "rate");
    e = sl_default_emitter_def(SL_EMITTER_BOX); /* up along the flow */
    refuse_emitter(world, &e, "up must not be along its direction");
    e = sl_default_emitter_def(SL_EMITTER_DISK);
    e.end = -1;
    refuse_emitter(world, &e, "must end after it starts");
    sl_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jet_has_its_rate),         cmocka_unit_test(window_limit_and_rate),
        cmocka_unit_test(drains_take_and_ids_stay), cmocka_unit_test(bad_emitters_are_refused),
        cmocka_unit_test(tank_fills),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
