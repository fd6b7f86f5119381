/* Checkpoints: a world goes on from one with the same bits, whatever its set-up, threads and
   capacity; and a state that makes no sense is refused. */
#include <unistd.h>

#include "core/hash.h"
#include "core/random.h"
#include "io/container.h"
#include "support/dam.h"
#include "world/world.h"

typedef bool (*OnStep)(void *user, SlSystemId system, const SlStepStats *stats);

/* A block, a jet with a drain, a box pushed through the water, a second system. */
static SlWorld *busy_world(uint32_t threads, OnStep on_step, void *user)
{
    DamSetting setting = {.threads = threads, .nx = 9, .ny = 7, .nz = 8, .on_step = on_step,
                          .user = user, .domain = {3, 2, 0.8f}};
    SlWorld *world = dam_create(&setting);
    SlEmitterDef jet = sl_default_emitter_def(SL_EMITTER_DISK);
    jet.center = (SlVec3){2.4f, 1.5f, 0.4f};
    jet.radius = 0.25f;
    jet.speed = 3;
    assert_ok(sl_system_add_emitter(world, first_system(world), &jet, NULL, &test_error));
    SlShape drain = sl_default_shape(SL_SHAPE_BOX);
    drain.center = (SlVec3){2.6f, 0.1f, 0.4f};
    drain.half = (SlVec3){0.3f, 0.2f, 0.4f};
    assert_ok(sl_system_add_drain(world, first_system(world), &drain, &test_error));
    SlShape box = sl_default_shape(SL_SHAPE_BOX);
    box.center = (SlVec3){1.4f, 0.3f, 0.4f};
    box.half = (SlVec3){0.1f, 0.3f, 0.3f};
    SlColliderId id;
    assert_ok(sl_world_add_collider(world, &box, &id, &test_error));
    SlMotionDef motion = sl_default_motion_def();
    motion.velocity = (SlVec3){-0.4f, 0, 0};
    motion.spin = (SlVec3){0, 0.5f, 0};
    assert_ok(sl_collider_set_motion(world, id, &motion, &test_error));
    SlSystemDef second = sl_default_system_def("pbf");
    second.name = "second";
    SlSystemId other;
    assert_ok(sl_world_add_system(world, &second, &other, &test_error));
    SlBlock block = {.min = {1.7f, 0.9f, 0}, .max = {2.1f, 1.3f, 0.4f}};
    assert_ok(sl_system_add_block(world, other, &block, &test_error));
    return world;
}

static void save(SlWorld *world, const char *path)
{
    const SlStateView *state;
    assert_ok(sl_world_state(world, &state, &test_error));
    assert_ok(sl_checkpoint_write(sl_world_context(world), path, state, &test_error));
}

static SlStatus load(SlWorld *world, const char *path)
{
    SlCheckpoint *checkpoint;
    SlStatus status = sl_checkpoint_read(sl_world_context(world), path, &checkpoint, &test_error);
    if (status == SL_OK)
        status = sl_world_restore(world, sl_checkpoint_state(checkpoint), &test_error);
    sl_checkpoint_destroy(checkpoint);
    return status;
}

static void path_in(char *path, size_t size, const char *name)
{
    char folder[512];
    test_folder(folder, sizeof folder, name);
    snprintf(path, size, "%s/a.slc", folder);
}

static void goes_on_with_the_same_bits(void **state)
{
    (void)state;
    char path[600];
    path_in(path, sizeof path, "checkpoint");
    for (uint32_t frame = 0; frame <= 40; frame += 20) {
        SlWorld *world = busy_world(2, NULL, NULL);
        dam_advance(world, frame);
        save(world, path);
        uint64_t there = sl_world_hash(world);
        dam_advance(world, 25);
        uint64_t hash = sl_world_hash(world);
        sl_world_destroy(world);
        for (uint32_t threads = 1; threads <= 3; threads++) {
            SlWorld *other = busy_world(threads, NULL, NULL);
            assert_ok(load(other, path));
            assert_int_equal(sl_world_view(other)->frame, frame);
            assert_true(sl_world_hash(other) == there);
            dam_advance(other, 25);
            assert_true(sl_world_hash(other) == hash);
            sl_world_destroy(other);
        }
    }
}

/* Room for more particles than there are must change nothing. */
static void capacity_decides_nothing(void **state)
{
    (void)state;
    char path[600];
    path_in(path, sizeof path, "capacity");
    SlWorld *world = busy_world(2, NULL, NULL);
    dam_advance(world, 20);
    save(world, path);
    dam_advance(world, 10);
    SlWorld *roomy = busy_world(2, NULL, NULL);
    assert_ok(sl_world_start(roomy, &test_error));
    assert_ok(sl_particles_reserve(&roomy->systems[0]->base.particles, 20000, &test_error));
    assert_ok(load(roomy, path));
    assert_true(roomy->systems[0]->base.particles.capacity >
                2 * world->systems[0]->base.particles.capacity);
    dam_advance(roomy, 10);
    assert_true(sl_world_hash(roomy) == sl_world_hash(world));
    sl_world_destroy(world);
    sl_world_destroy(roomy);
}

static bool stop_at(void *user, SlSystemId system, const SlStepStats *stats)
{
    (void)system, (void)stats;
    return (*(int *)user)-- != 0;
}

/* Any step boundary: stopped in the middle of a frame, between two systems, and gone on with. */
static void stops_between_steps(void **state)
{
    (void)state;
    char path[600];
    path_in(path, sizeof path, "between");
    SlWorld *whole = busy_world(2, NULL, NULL);
    dam_advance(whole, 8);
    uint64_t hash = sl_world_hash(whole);
    sl_world_destroy(whole);
    for (int steps = 8; steps < 14; steps++) {
        int left = steps;
        SlWorld *world = busy_world(2, stop_at, &left);
        SlStatus status = SL_OK;
        while (status == SL_OK)
            status = sl_world_advance_frame(world, &test_error);
        assert_int_equal(status, SL_ERROR_CANCELLED);
        save(world, path);
        SlWorld *other = busy_world(1, NULL, NULL);
        assert_ok(load(other, path));
        dam_advance(other, 8 - (uint32_t)sl_world_view(other)->frame);
        assert_true(sl_world_hash(other) == hash);
        dam_advance(world, 8 - (uint32_t)sl_world_view(world)->frame); /* the stopped one itself */
        assert_true(sl_world_hash(world) == hash);
        sl_world_destroy(world);
        sl_world_destroy(other);
    }
}

/* Changed values of the set-up are in force after a restore; another system is refused. */
static void set_ups_may_differ(void **state)
{
    (void)state;
    char path[600];
    path_in(path, sizeof path, "differ");
    SlWorld *world = busy_world(2, NULL, NULL);
    dam_advance(world, 5);
    save(world, path);
    dam_advance(world, 5);
    SlWorld *thicker = busy_world(2, NULL, NULL);
    assert_ok(sl_system_set_number(thicker, first_system(thicker), "xsph", 0.2, &test_error));
    assert_ok(load(thicker, path));
    dam_advance(thicker, 5);
    assert_true(sl_world_hash(thicker) != sl_world_hash(world));
    DamSetting one = {.threads = 1, .nx = 4, .ny = 4, .nz = 4};
    SlWorld *other = dam_create(&one);
    assert_int_equal(load(other, path), SL_ERROR_ARGUMENT);
    assert_non_null(strstr(test_error.text, "2 systems"));
    assert_int_equal(load(world, path), SL_ERROR_ARGUMENT); /* has been stepped */
    sl_world_destroy(world);
    sl_world_destroy(thicker);
    sl_world_destroy(other);
}

/* A state with honest checksums and any values: refused or stepped, never a crash. */
static void odd_states_are_refused_or_run(void **state)
{
    (void)state;
    SlWorld *world = busy_world(1, NULL, NULL);
    dam_advance(world, 3);
    const SlStateView *good;
    assert_ok(sl_world_state(world, &good, &test_error));
    SlStateItem items[128];
    assert_true(good->item_count < 128);
    size_t refused = 0;
    for (uint64_t k = 0; k < 300; k++) {
        SlRandom4 r = sl_random(3, k, 0);
        memcpy(items, good->items, good->item_count * sizeof *items);
        SlStateItem *item = &items[r.value[0] % good->item_count];
        size_t bytes = item->count * item->stride;
        char *copy = malloc(bytes + 1);
        memcpy(copy, item->data, bytes);
        if (bytes > 0)
            copy[r.value[1] % bytes] = (char)r.value[2];
        item->data = copy;
        if (k % 4 == 1)
            item->count -= item->count > 0;
        if (k % 4 == 2)
            item->name = "nothing";
        SlStateView odd = *good;
        odd.items = items;
        SlWorld *other = busy_world(1, NULL, NULL);
        if (sl_world_restore(other, &odd, &test_error) == SL_OK)
            (void)sl_world_advance_frame(other, &test_error);
        else
            refused++;
        sl_world_destroy(other);
        free(copy);
    }
    assert_true(refused >= 140);
    sl_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(goes_on_with_the_same_bits), cmocka_unit_test(capacity_decides_nothing),
        cmocka_unit_test(stops_between_steps),        cmocka_unit_test(set_ups_may_differ),
        cmocka_unit_test(odd_states_are_refused_or_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
