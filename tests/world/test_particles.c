/* User attributes through sort, checkpoint and frame file; particles written, added and removed
   between steps; ids that run out. */
#include <unistd.h>

#include "support/dam.h"
#include "world/world.h"

static const uint32_t thread_counts[4] = {1, 2, 3, 5};
static const char *const solvers[3] = {"pbf", "projective", "snow"};
enum { NX = 6, NY = 6, NZ = 5, BLOCK = NX * NY * NZ };

/* A block with a tracer of each type, not started. */
static SlWorld *make(const char *solver, uint32_t threads)
{
    DamSetting setting = {.threads = threads, .solver = solver, .nx = NX, .ny = NY, .nz = NZ,
                          .domain = {2, 1.5f, 0.5f}};
    SlWorld *world = dam_create(&setting);
    SlSystemId id = first_system(world);
    uint32_t group = 7;
    float age = 0.25f, color[3] = {1, 0.5f, 0.125f};
    assert_ok(sl_system_add_attribute(world, id, "group", SL_FIELD_U32, &group, &test_error));
    assert_ok(sl_system_add_attribute(world, id, "age", SL_FIELD_F32, &age, &test_error));
    assert_ok(sl_system_add_attribute(world, id, "color", SL_FIELD_F32X3, color, &test_error));
    return world;
}

/* Values that follow from the id. */
static float age_of(uint32_t id)
{
    return 0.5f * (float)id;
}

static void write_by_id(SlWorld *world)
{
    SlSystemId system = first_system(world);
    assert_ok(sl_world_start(world, &test_error));
    size_t n = sl_system_field(world, system, "id").count;
    uint32_t *ids = malloc(4 * n), *group = malloc(4 * n);
    float *age = malloc(4 * n), *color = malloc(12 * n);
    assert_ok(sl_system_copy_field(world, system, "id", 0, n, ids, &test_error));
    for (size_t i = 0; i < n; i++) {
        group[i] = 3 * ids[i] + 1;
        age[i] = age_of(ids[i]);
        for (size_t k = 0; k < 3; k++)
            color[3 * i + k] = (float)(ids[i] * (k + 1));
    }
    assert_ok(sl_system_write_field(world, system, "group", 0, n, group, &test_error));
    assert_ok(sl_system_write_field(world, system, "age", 0, n, age, &test_error));
    assert_ok(sl_system_write_field(world, system, "color", 0, n, color, &test_error));
    free(ids);
    free(group);
    free(age);
    free(color);
}

/* The fields of a view hold the values of write_by_id for ids below `limit`; returns whether the
   order of ids has changed. */
static bool check_by_id(const SlSystemView *view, uint32_t limit)
{
    SlFieldView id = sl_view_field(view, "id"), group = sl_view_field(view, "group");
    SlFieldView age = sl_view_field(view, "age"), color = sl_view_field(view, "color");
    assert_true(group.type == SL_FIELD_U32 && age.type == SL_FIELD_F32 &&
                color.type == SL_FIELD_F32X3);
    assert_true(group.count == id.count && age.count == id.count && color.count == id.count);
    bool moved = false;
    for (size_t i = 0; i < id.count; i++) {
        uint32_t own, g;
        float a, c[3];
        memcpy(&own, (const char *)id.data + i * id.stride, 4);
        memcpy(&g, (const char *)group.data + i * group.stride, 4);
        memcpy(&a, (const char *)age.data + i * age.stride, 4);
        memcpy(c, (const char *)color.data + i * color.stride, 12);
        moved |= own != i;
        if (own >= limit)
            continue;
        assert_int_equal(g, 3 * own + 1);
        assert_true(a == age_of(own));
        assert_true(c[0] == (float)own && c[1] == (float)(2 * own) && c[2] == (float)(3 * own));
    }
    return moved;
}

static void attributes_follow_their_particles(void **state)
{
    (void)state;
    for (int s = 0; s < 3; s++) {
        SlWorld *world = make(solvers[s], 2);
        SlSystemId system = first_system(world);
        float age[2];
        assert_ok(sl_system_copy_field(world, system, "age", BLOCK - 2, 2, age, &test_error));
        assert_true(age[0] == 0.25f && age[1] == 0.25f);
        write_by_id(world);
        dam_advance(world, 6);
        assert_true(check_by_id(&sl_world_view(world)->systems[0], UINT32_MAX));
        sl_world_destroy(world);
    }
}

static void emitted_and_added_particles_have_initial_values(void **state)
{
    (void)state;
    SlWorld *world = make("pbf", 2);
    SlSystemId system = first_system(world);
    SlEmitterDef jet = sl_default_emitter_def(SL_EMITTER_DISK);
    jet.center = (SlVec3){1.5f, 1.2f, 0.25f};
    jet.radius = 0.2f;
    jet.speed = 3;
    assert_ok(sl_system_add_emitter(world, system, &jet, NULL, &test_error));
    write_by_id(world);
    float at[3] = {1.2f, 0.05f, 0.25f};
    uint32_t id = 0;
    assert_ok(sl_system_add_particles(world, system, at, NULL, 1, &id, &test_error));
    assert_int_equal(id, BLOCK);
    dam_advance(world, 10);
    check_by_id(&sl_world_view(world)->systems[0], BLOCK);
    SlFieldView ids = sl_system_field(world, system, "id"), ages = sl_system_field(world, system, "age");
    size_t fresh = 0;
    for (size_t i = 0; i < ids.count; i++)
        if (((const uint32_t *)ids.data)[i] >= BLOCK) {
            assert_true(((const float *)ages.data)[i] == 0.25f);
            fresh++;
        }
    assert_true(fresh > 10);
    sl_world_destroy(world);
}

static void attributes_are_hashed_saved_and_drawn(void **state)
{
    (void)state;
    char folder[256], path[300];
    test_folder(folder, sizeof folder, "world_particles");
    SlWorld *world = make("pbf", 2);
    assert_ok(sl_world_start(world, &test_error));
    uint64_t before = sl_world_hash(world);
    write_by_id(world);
    assert_true(sl_world_hash(world) != before);
    dam_advance(world, 3);

    snprintf(path, sizeof path, "%s/frame", folder);
    assert_ok(sl_frame_write(sl_world_context(world), path, sl_world_view(world), &test_error));
    SlFrame *frame;
    assert_ok(sl_frame_read(sl_world_context(world), path, &frame, &test_error));
    check_by_id(&sl_frame_view(frame)->systems[0], UINT32_MAX);
    sl_frame_destroy(frame);
    unlink(path);

    snprintf(path, sizeof path, "%s/checkpoint", folder);
    const SlStateView *saved;
    assert_ok(sl_world_state(world, &saved, &test_error));
    assert_ok(sl_checkpoint_write(sl_world_context(world), path, saved, &test_error));
    SlWorld *other = make("pbf", 3);
    SlCheckpoint *checkpoint;
    assert_ok(sl_checkpoint_read(sl_world_context(other), path, &checkpoint, &test_error));
    assert_ok(sl_world_restore(other, sl_checkpoint_state(checkpoint), &test_error));
    sl_checkpoint_destroy(checkpoint);
    unlink(path);
    assert_true(sl_world_hash(other) == sl_world_hash(world));
    dam_advance(world, 2);
    dam_advance(other, 2);
    assert_true(sl_world_hash(other) == sl_world_hash(world));
    check_by_id(&sl_world_view(other)->systems[0], UINT32_MAX);
    sl_world_destroy(world);
    sl_world_destroy(other);
}

/* In a world of its own: the first error is kept and returned by the start. */
static void assert_refused(const char *name, SlFieldType type, const void *initial)
{
    SlWorld *world = make("pbf", 1);
    assert_int_equal(sl_system_add_attribute(world, first_system(world), name, type, initial, NULL),
                     SL_ERROR_ARGUMENT);
    assert_int_equal(sl_world_start(world, &test_error), SL_ERROR_ARGUMENT);
    assert_non_null(strstr(test_error.text, "attribute"));
    sl_world_destroy(world);
}

static void bad_attributes_are_refused(void **state)
{
    (void)state;
    const char *const names[] = {"", "position", "age", "Age", "2d", "a name",
                                 "a_name_that_is_far_too_long"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        assert_refused(names[k], SL_FIELD_F32, NULL);
    float bad[3] = {0, NAN, 0};
    assert_refused("ok", (SlFieldType)9, NULL);
    assert_refused("ok", SL_FIELD_F32X3, bad);
    SlWorld *world = make("pbf", 1);
    SlSystemId id = first_system(world);
    for (int k = 3; k < 16; k++) {
        char name[8];
        snprintf(name, sizeof name, "a%d", k);
        assert_ok(sl_system_add_attribute(world, id, name, SL_FIELD_F32, NULL, &test_error));
    }
    assert_int_equal(sl_system_add_attribute(world, id, "one_more", SL_FIELD_F32, NULL, NULL),
                     SL_ERROR_ARGUMENT);
    sl_world_destroy(world);
    world = make("pbf", 1);
    assert_ok(sl_world_start(world, &test_error));
    assert_int_equal(sl_system_add_attribute(world, first_system(world), "late", SL_FIELD_F32, NULL,
                                             &test_error),
                     SL_ERROR_ARGUMENT);
    assert_non_null(strstr(test_error.text, "started"));
    sl_world_destroy(world);
}

/* --- Writing, adding and removing --- */

/* Changes the population and velocities in some way that follows from ids only. */
static void disturb(SlWorld *world, uint32_t round)
{
    SlSystemId system = first_system(world);
    size_t n = sl_system_field(world, system, "id").count;
    uint32_t *ids = malloc(4 * n), remove[5], added[2];
    float *v = malloc(12 * n);
    assert_ok(sl_system_copy_field(world, system, "id", 0, n, ids, &test_error));
    assert_ok(sl_system_copy_field(world, system, "velocity", 0, n, v, &test_error));
    for (size_t i = 0; i < n; i++)
        if (ids[i] % 3 == 0)
            v[3 * i + 1] += 0.5f;
    assert_ok(sl_system_write_field(world, system, "velocity", 0, n, v, &test_error));
    for (uint32_t k = 0; k < 5; k++)
        remove[k] = 5 * (round * 5 + k) + 2;
    assert_ok(sl_system_remove_particles(world, system, remove, 5, &test_error));
    float at[6] = {1.5f, 0.55f, 0.15f, 1.7f, 0.55f, 0.35f}, speed[6] = {-1, 0, 0, 0, -2, 0};
    assert_ok(sl_system_add_particles(world, system, at, speed, 2, added, &test_error));
    assert_int_equal(sl_system_field(world, system, "id").count, n - 3);
    free(ids);
    free(v);
}

static void changes_are_the_same_for_any_threads(void **state)
{
    (void)state;
    for (int s = 0; s < 3; s++) {
        uint64_t hash[4][3];
        for (int t = 0; t < 4; t++) {
            SlWorld *world = make(solvers[s], thread_counts[t]);
            for (uint32_t round = 0; round < 3; round++) {
                dam_advance(world, 1);
                disturb(world, round);
                hash[t][round] = sl_world_hash(world);
            }
            dam_advance(world, 1);
            hash[t][2] = sl_world_hash(world);
            assert_memory_equal(hash[t], hash[0], sizeof hash[0]);
            sl_world_destroy(world);
        }
    }
}

/* A checkpoint between a change and the next step continues with the same bits, with a neighbour list
   that serves a whole frame as well. */
static void changes_survive_a_checkpoint(void **state)
{
    (void)state;
    for (int skin = 0; skin < 2; skin++) {
        SlWorld *world = make("pbf", 2), *other = make("pbf", 3);
        for (int k = 0; k < 2 && skin; k++)
            assert_ok(sl_system_set_number(k == 0 ? world : other, first_system(k == 0 ? world : other),
                                           "skin", 0.3, &test_error));
        dam_advance(world, 2);
        disturb(world, 0);
        const SlStateView *saved;
        assert_ok(sl_world_state(world, &saved, &test_error));
        assert_ok(sl_world_restore(other, saved, &test_error));
        assert_true(sl_world_hash(other) == sl_world_hash(world));
        dam_advance(world, 2);
        dam_advance(other, 2);
        assert_true(sl_world_hash(other) == sl_world_hash(world));
        sl_world_destroy(world);
        sl_world_destroy(other);
    }
}

/* Positions written are where the next step begins; those written with the same bits change nothing. */
static void written_positions_count(void **state)
{
    (void)state;
    for (int s = 0; s < 3; s++) {
        SlWorld *world = make(solvers[s], 2), *same = make(solvers[s], 2);
        SlSystemId system = first_system(world);
        dam_advance(world, 1);
        dam_advance(same, 1);
        float x[3 * BLOCK], y[3 * BLOCK];
        assert_ok(sl_system_copy_field(world, system, "position", 0, BLOCK, x, &test_error));
        assert_ok(sl_system_write_field(world, system, "position", 0, BLOCK, x, &test_error));
        dam_advance(world, 1);
        dam_advance(same, 1);
        assert_ok(sl_system_copy_field(world, system, "position", 0, BLOCK, x, &test_error));
        assert_ok(sl_system_copy_field(same, first_system(same), "position", 0, BLOCK, y,
                                       &test_error));
        assert_memory_equal(x, y, sizeof x);
        /* One particle alone in the far corner of the domain falls freely from there. */
        uint32_t id, found;
        float corner[3] = {1.85f, 1.2f, 0.25f}, rest[3] = {0, 0, 0};
        assert_ok(sl_system_copy_field(world, system, "id", 4, 1, &id, &test_error));
        assert_ok(sl_system_write_field(world, system, "position", 4, 1, corner, &test_error));
        assert_ok(sl_system_write_field(world, system, "velocity", 4, 1, rest, &test_error));
        dam_advance(world, 1);
        size_t at = 0;
        do
            assert_ok(sl_system_copy_field(world, system, "id", at, 1, &found, &test_error));
        while (found != id && ++at < BLOCK);
        assert_ok(sl_system_copy_field(world, system, "position", at, 1, y, &test_error));
        assert_near((double)y[0], 1.85, 1e-3);
        assert_near((double)y[1], 1.2 - 0.5 * 9.81 / 3600, 2e-3);
        assert_true(y[1] < 1.2f);
        sl_world_destroy(world);
        sl_world_destroy(same);
    }
}

static void bad_writes_change_nothing(void **state)
{
    (void)state;
    SlWorld *world = make("pbf", 1);
    SlSystemId system = first_system(world);
    assert_ok(sl_world_start(world, &test_error));
    uint64_t hash = sl_world_hash(world);
    float bad[6] = {0.5f, 0.5f, 0.25f, 0.5f, INFINITY, 0.25f}, out[3] = {0.5f, -1, 0.25f},
          fast[3] = {2e5f, 0, 0};
    uint32_t ids[3] = {1, BLOCK + 1, 2}, twice[2] = {4, 4};
    SlSystemId null = {0, 0, 0};
    assert_int_equal(sl_system_write_field(world, system, "position", 0, 2, bad, NULL),
                     SL_ERROR_ARGUMENT);
    assert_int_equal(sl_system_write_field(world, system, "color", 0, 2, bad, NULL),
                     SL_ERROR_ARGUMENT);
    assert_int_equal(sl_system_write_field(world, system, "age", 0, 6, bad, NULL),
                     SL_ERROR_ARGUMENT);
    assert_int_equal(sl_system_write_field(world, system, "position", 0, 1, out, &test_error),
                     SL_ERROR_ARGUMENT);
    assert_non_null(strstr(test_error.text, "inside the domain"));
    assert_int_equal(sl_system_write_field(world, system, "velocity", 0, 1, fast, NULL),
                     SL_ERROR_ARGUMENT);
    assert_int_equal(sl_system_write_field(world, system, "density_ratio", 0, 1, fast, &test_error),
                     SL_ERROR_ARGUMENT);
    assert_non_null(strstr(test_error.text, "may be written"));
    assert_int_equal(sl_system_write_field(world, system, "none", 0, 1, out, NULL),
                     SL_ERROR_ARGUMENT);
    assert_int_equal(sl_system_write_field(world, system, "velocity", BLOCK, 1, out, NULL),
                     SL_ERROR_ARGUMENT);
    assert_int_equal(sl_system_write_field(world, system, "velocity", 1, SIZE_MAX, out, NULL),
                     SL_ERROR_ARGUMENT);
    assert_int_equal(sl_system_add_particles(world, system, bad, NULL, 2, NULL, NULL),
                     SL_ERROR_ARGUMENT);
    assert_int_equal(sl_system_remove_particles(world, system, ids, 3, &test_error),
                     SL_ERROR_ARGUMENT);
    assert_non_null(strstr(test_error.text, "does not exist"));
    assert_int_equal(sl_system_remove_particles(world, system, twice, 2, &test_error),
                     SL_ERROR_ARGUMENT);
    assert_non_null(strstr(test_error.text, "given twice"));
    assert_int_equal(sl_system_remove_particles(world, null, ids, 1, NULL), SL_ERROR_ARGUMENT);
    assert_true(sl_world_hash(world) == hash);
    sl_world_destroy(world);
}

/* All may be removed, and a world may begin with none. */
static void emptied_and_filled_again(void **state)
{
    (void)state;
    for (int s = 0; s < 3; s++) {
        SlWorld *world = make(solvers[s], 2);
        SlSystemId system = first_system(world);
        uint32_t ids[BLOCK];
        dam_advance(world, 1);
        assert_ok(sl_system_copy_field(world, system, "id", 0, BLOCK, ids, &test_error));
        assert_ok(sl_system_remove_particles(world, system, ids, BLOCK, &test_error));
        dam_advance(world, 1);
        float at[3] = {0.5f, 0.5f, 0.25f};
        assert_ok(sl_system_add_particles(world, system, at, NULL, 1, ids, &test_error));
        assert_int_equal(ids[0], BLOCK);
        dam_advance(world, 1);
        assert_ok(sl_system_copy_field(world, system, "position", 0, 1, at, &test_error));
        assert_true(at[1] < 0.5f && at[1] > 0.49f);
        sl_world_destroy(world);
    }
}

/* --- Ids --- */

static void ids_end_with_an_error(void **state)
{
    (void)state;
    SlWorld *world = make("pbf", 1);
    SlSystemId system = first_system(world);
    SlEmitterDef jet = sl_default_emitter_def(SL_EMITTER_DISK);
    jet.center = (SlVec3){1.5f, 1.2f, 0.25f};
    jet.radius = 0.2f;
    jet.speed = 3;
    assert_ok(sl_system_add_emitter(world, system, &jet, NULL, &test_error));
    assert_ok(sl_world_start(world, &test_error));
    world->systems[0]->flow.next_id = (uint64_t)UINT32_MAX - 2;
    float at[9] = {1.2f, 0.05f, 0.25f, 1.3f, 0.05f, 0.25f, 1.4f, 0.05f, 0.25f};
    uint32_t ids[3];
    assert_int_equal(sl_system_add_particles(world, system, at, NULL, 3, ids, &test_error),
                     SL_ERROR_NUMBERS);
    assert_non_null(strstr(test_error.text, "and 2 of 2^32 - 1 are left"));
    assert_int_equal(sl_system_field(world, system, "id").count, BLOCK);
    assert_ok(sl_system_add_particles(world, system, at, NULL, 1, ids, &test_error));
    assert_int_equal(ids[0], UINT32_MAX - 2);
    assert_int_equal(sl_world_advance_frame(world, &test_error), SL_ERROR_NUMBERS);
    assert_non_null(strstr(test_error.text, "ids"));
    sl_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(attributes_follow_their_particles),
        cmocka_unit_test(emitted_and_added_particles_have_initial_values),
        cmocka_unit_test(attributes_are_hashed_saved_and_drawn),
        cmocka_unit_test(bad_attributes_are_refused),
        cmocka_unit_test(changes_are_the_same_for_any_threads),
        cmocka_unit_test(changes_survive_a_checkpoint),
        cmocka_unit_test(written_positions_count),
        cmocka_unit_test(bad_writes_change_nothing),
        cmocka_unit_test(emptied_and_filled_again),
        cmocka_unit_test(ids_end_with_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
