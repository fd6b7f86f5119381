/* Progress: long operations report, and stop when asked to. */
#include "support/dam.h"
#include "support/test.h"
#include "world/world.h"

typedef struct Reports {
    char what[16][32]; /* names seen, in order */
    uint32_t count, calls, stop_at;
    double last;
    bool falls; /* a fraction fell within one operation, or was out of range */
} Reports;

static bool note(void *user, double fraction, const char *what)
{
    Reports *r = user;
    bool same = r->count > 0 && strcmp(r->what[r->count - 1], what) == 0;
    if (!same && r->count < 16)
        snprintf(r->what[r->count++], sizeof r->what[0], "%s", what);
    if (!(fraction >= 0 && fraction <= 1) || (same && fraction != 0 && fraction < r->last))
        r->falls = true;
    r->last = fraction;
    return ++r->calls != r->stop_at;
}

static bool seen(const Reports *r, const char *what)
{
    for (uint32_t k = 0; k < r->count; k++)
        if (strcmp(r->what[k], what) == 0)
            return true;
    return false;
}

/* Two waters and a squirrel that is filled. */
static SlWorld *make_world(Reports *reports)
{
    static char path[600];
    const char *source = getenv("SLEET_SOURCE");
    snprintf(path, sizeof path, "%s/assets/squirrel.obj", source != NULL ? source : ".");
    SlContextDef context = sl_default_context_def();
    context.threads = 2;
    context.hooks = (SlHooks){.progress = note, .user = reports};
    SlWorldDef def = sl_default_world_def();
    def.domain = (SlBox){{-4, 0, -4}, {4, 4, 4}};
    assert_ok(sl_context_create(&context, &def.context, &test_error));
    def.own_context = true;
    SlWorld *world;
    assert_ok(sl_world_create(&def, &world, &test_error));
    SlPbfDef pbf = sl_default_pbf_def();
    SlFillDef fill = sl_default_fill_def();
    SlBlock block = {.min = {-4, 0, -4}, .max = {-3.5f, 0.5f, -3.5f}};
    fill.path = path;
    fill.scale = 2;
    sl_system_add_block(world, sl_world_add_pbf(world, &pbf, NULL), &block, NULL);
    pbf.name = "second";
    assert_ok(sl_system_add_fill(world, sl_world_add_pbf(world, &pbf, NULL), &fill, &test_error));
    return world;
}

static void long_operations_report(void **state)
{
    (void)state;
    Reports reports = {.count = 0};
    SlWorld *world = make_world(&reports);
    assert_ok(sl_world_start(world, &test_error));
    assert_true(seen(&reports, "start"));
    assert_true(seen(&reports, "distance field"));
    assert_true(seen(&reports, "fill"));
    assert_false(reports.falls);
    assert_true(reports.last == 1);
    sl_world_destroy(world);
}

/* Stopped anywhere, a start may be made again, with the same result. */
static void a_stopped_start_can_be_repeated(void **state)
{
    (void)state;
    Reports reports = {.count = 0};
    SlWorld *world = make_world(&reports);
    dam_advance(world, 1);
    uint64_t whole = sl_world_hash(world);
    uint32_t calls = reports.calls;
    sl_world_destroy(world);
    assert_true(calls > 10);
    for (uint32_t at = 1; at < calls; at += calls / 4) {
        reports = (Reports){.stop_at = at};
        world = make_world(&reports);
        assert_int_equal(sl_world_start(world, &test_error), SL_ERROR_CANCELLED);
        assert_non_null(strstr(test_error.text, "stopped at"));
        dam_advance(world, 1);
        assert_true(sl_world_hash(world) == whole);
        sl_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_operations_report),
        cmocka_unit_test(a_stopped_start_can_be_repeated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
