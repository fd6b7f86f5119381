/* Emitters give the volume they are asked for at any step length, upward and downward, with both
   water solvers; a blocked one gives nothing, and what is owed is state. */
#include "support/dam.h"
#include "world/world.h"

typedef struct Watch {
    double max_speed, max_compression;
} Watch;

static bool watch(void *user, SlSystemId system, const SlStepStats *stats)
{
    (void)system;
    Watch *w = user;
    w->max_speed = fmax(w->max_speed, stats->max_speed);
    w->max_compression = fmax(w->max_compression, stats->mean_compression);
    return true;
}

typedef struct Jet {
    const char *solver;
    SlEmitterKind kind;
    uint32_t steps, threads;
    bool up;
} Jet;

static SlWorld *make_jet(const Jet *jet, Watch *w)
{
    DamSetting setting = {.threads = jet->threads,
                          .domain = {4, 12, 4},
                          .solver = jet->solver,
                          .steps = jet->steps,
                          .on_step = w != NULL ? watch : NULL,
                          .user = w};
    SlWorld *world = dam_create(&setting);
    SlEmitterDef e = sl_default_emitter_def(jet->kind);
    e.center = (SlVec3){2, jet->up ? 1 : 11, 2};
    e.direction = (SlVec3){0, jet->up ? 1 : -1, 0};
    e.up = (SlVec3){0, 0, 1};
    e.radius = 0.3f;
    e.width = 0.6f;
    e.height = 0.4f;
    e.speed = jet->up ? 5 : 3;
    assert_ok(sl_system_add_emitter(world, first_system(world), &e, NULL, &test_error));
    return world;
}

/* Two seconds of a jet: what came of what was asked. */
static void run_jet(const Jet *jet)
{
    Watch w = {0, 0};
    SlWorld *world = make_jet(jet, &w);
    const SlEmitter *e = &world->systems[0]->flow.emitters[0];
    double sites = (double)sl_emitter_layer_size(e);
    dam_advance(world, 120);
    double asked = sites * 2 * (double)e->def.speed / 0.1;
    print_message("%s, %s, %s, %2u steps: %llu of %.0f, %.2f %%, owed %llu, fastest %.1f m/s, "
                  "compression %.2f %%\n",
                  jet->solver, jet->kind == SL_EMITTER_DISK ? "disk" : "box", jet->up ? "up" : "down",
                  jet->steps, (unsigned long long)e->emitted, asked,
                  100 * (double)e->emitted / asked, (unsigned long long)e->owed, w.max_speed,
                  100 * w.max_compression);
    assert_near((double)e->emitted, asked, 0.01 * asked);
    /* a fall of at most 12 m */
    assert_less(w.max_speed, 20);
    sl_world_destroy(world);
}

static void run_jets(const char *solver)
{
    static const uint32_t steps[] = {1, 4, 16, 64};
    for (int k = 0; k < 4; k++)
        for (int c = 0; c < 4; c++)
            run_jet(&(Jet){solver, (c & 1) != 0 ? SL_EMITTER_BOX : SL_EMITTER_DISK, steps[k], 2,
                           (c & 2) != 0});
}

static void jets_of_pbf(void **state)
{
    (void)state;
    run_jets("pbf");
}

static void jets_of_projective(void **state)
{
    (void)state;
    run_jets("projective");
}

/* A disk has as many sites as its area has squares of the spacing. */
static void disks_have_their_area(void **state)
{
    (void)state;
    SlEmitter emitter;
    for (int k = 8; k < 400; k++) {
        SlEmitterDef def = sl_default_emitter_def(SL_EMITTER_DISK);
        def.radius = 0.005f * (float)k;
        assert_ok(sl_emitter_init(&emitter, &def, 0.1, &test_error));
        double radius = (double)def.radius / 0.1;
        assert_near((double)sl_emitter_layer_size(&emitter), 3.14159265358979 * radius * radius,
                    0.51);
    }
}

/* An emitter in the middle of a full, closed tank. */
static SlWorld *make_blocked(uint32_t threads, uint32_t steps, Watch *w)
{
    DamSetting setting = {.threads = threads,
                          .domain = {1.2f, 1, 1.2f},
                          .nx = 12,
                          .ny = 10,
                          .nz = 12,
                          .steps = steps,
                          .on_step = w != NULL ? watch : NULL,
                          .user = w};
    SlWorld *world = dam_create(&setting);
    SlEmitterDef e = sl_default_emitter_def(SL_EMITTER_DISK);
    e.center = (SlVec3){0.6f, 0.6f, 0.6f};
    e.radius = 0.25f;
    e.speed = 2;
    assert_ok(sl_system_add_emitter(world, first_system(world), &e, NULL, &test_error));
    return world;
}

static void blocked_emitters_do_not_press(void **state)
{
    (void)state;
    static const uint32_t steps[] = {1, 4, 16};
    for (int k = 0; k < 3; k++) {
        Watch w = {0, 0};
        SlWorld *world = make_blocked(2, steps[k], &w);
        dam_advance(world, 90);
        const SlEmitter *e = &world->systems[0]->flow.emitters[0];
        uint64_t layer = sl_emitter_layer_size(e);
        print_message("full tank, %u steps: %llu of %llu emitted, owed %llu, fastest %.1f m/s, "
                      "compression %.2f %%\n",
                      steps[k], (unsigned long long)e->emitted,
                      (unsigned long long)(e->layers * layer), (unsigned long long)e->owed,
                      w.max_speed, 100 * w.max_compression);
        assert_true(e->owed <= 2 * layer);
        assert_less((double)e->emitted, 0.05 * 1440);
        assert_less(w.max_speed, 10);
        sl_world_destroy(world);
    }
}

/* Both a jet that meets its own water and one that owes. */
static void the_same_bits(void **state)
{
    (void)state;
    for (int blocked = 0; blocked < 2; blocked++) {
        uint64_t expected = 0;
        for (uint32_t threads = 1; threads <= 5; threads += threads == 1 ? 1 : 3) {
            Jet jet = {"pbf", SL_EMITTER_DISK, 16, threads, true};
            SlWorld *world = blocked ? make_blocked(threads, 16, NULL) : make_jet(&jet, NULL);
            SlWorld *resumed = blocked ? make_blocked(threads, 16, NULL) : make_jet(&jet, NULL);
            const SlStateView *saved;
            dam_advance(world, 25);
            assert_ok(sl_world_state(world, &saved, &test_error));
            assert_ok(sl_world_restore(resumed, saved, &test_error));
            assert_true(!blocked || resumed->systems[0]->flow.emitters[0].owed > 0);
            dam_advance(world, 25);
            dam_advance(resumed, 25);
            expected = threads == 1 ? sl_world_hash(world) : expected;
            assert_true(sl_world_hash(world) == expected);
            assert_true(sl_world_hash(resumed) == expected);
            sl_world_destroy(world);
            sl_world_destroy(resumed);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(disks_have_their_area),
        cmocka_unit_test(blocked_emitters_do_not_press),
        cmocka_unit_test(the_same_bits),
        cmocka_unit_test(jets_of_pbf),
        cmocka_unit_test(jets_of_projective),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
