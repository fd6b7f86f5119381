/* What was changed while a world ran is in its state: live parameters, gravity and force fields. A world
   set up as at the start continues with the same bits; where the set-up was changed, it stays. */
#include "support/world.h"
#include "world/world.h"

typedef struct Case {
    const char *solver, *setup, *parameter;
    double value;
} Case;

static const Case cases[] = {
    {"pbf", "spacing=0.1", "viscosity", 3},
    {"projective", "spacing=0.1", "viscosity", 3},
    {"snow", "spacing=0.05", "critical_compression", 0.01},
};
enum { CASES = sizeof cases / sizeof cases[0] };

static void push_up(void *user, const SlForceBatch *batch)
{
    for (size_t i = 0; i < batch->count; i++)
        batch->accelerations[4 * i + 1] += *(const float *)user;
}

/* A block in a box with a weak wind from the start. */
static SlWorld *make_world(const Case *c, SlForceFieldId *wind)
{
    SlWorldDef def = test_world_def(2, (SlVec3){0, 0, 0}, (SlVec3){1.2f, 1, 0.6f});
    SlSystemId id;
    SlWorld *world = test_world(&def, c->solver, c->setup, &id);
    test_add_block(world, id, (SlVec3){0, 0, 0}, (SlVec3){0.4f, 0.4f, 0.4f});
    SlForceFieldDef field = sl_default_force_field_def("uniform");
    assert_ok(sl_world_add_force_field(world, &field, wind, &test_error));
    assert_ok(sl_force_field_set_vec3(world, *wind, "acceleration", (SlVec3){0.5f, 0, 0},
                                      &test_error));
    return world;
}

static void advance(SlWorld *world, int frames)
{
    for (int k = 0; k < frames; k++)
        assert_ok(sl_world_advance_frame(world, &test_error));
}

/* A parameter, gravity, a field's value; one field more, one removed. */
static void change(SlWorld *world, const Case *c, SlForceFieldId wind)
{
    SlForceFieldDef vortex = sl_default_force_field_def("vortex");
    SlForceFieldId removed;
    assert_ok(sl_system_set_number(world, first_system(world), c->parameter, c->value, &test_error));
    assert_ok(sl_world_set_gravity(world, (SlVec3){1, -5, 0}, &test_error));
    assert_ok(sl_force_field_set_vec3(world, wind, "acceleration", (SlVec3){0, 0, 2}, &test_error));
    assert_ok(sl_world_add_force_field(world, &vortex, &removed, &test_error));
    assert_ok(sl_world_add_force_field(world, &vortex, NULL, &test_error));
    assert_ok(sl_force_field_remove(world, removed, &test_error));
}

static void changes_continue_with_the_same_bits(void **state)
{
    (void)state;
    for (int k = 0; k < CASES; k++) {
        const Case *c = &cases[k];
        SlForceFieldId wind, other_wind;
        SlWorld *world = make_world(c, &wind), *other = make_world(c, &other_wind);
        const SlStateView *view;
        advance(world, 2);
        change(world, c, wind);
        advance(world, 2);
        assert_ok(sl_world_state(world, &view, &test_error));
        assert_ok(sl_world_restore(other, view, &test_error));
        assert_int_equal(sl_world_hash(other), sl_world_hash(world));
        SlParamValue value;
        assert_ok(sl_system_get(other, first_system(other), c->parameter, &value, &test_error));
        assert_true(value.number[0] == c->value);
        assert_true(sl_world_gravity(other).x == 1);
        /* The handle of the set-up still names its field. */
        assert_ok(sl_force_field_get(other, other_wind, "acceleration", &value, &test_error));
        assert_true(value.number[2] == 2);
        advance(world, 3);
        advance(other, 3);
        assert_int_equal(sl_world_hash(other), sl_world_hash(world));
        sl_world_destroy(world);
        sl_world_destroy(other);
    }
}

static void a_changed_setup_stays(void **state)
{
    (void)state;
    const Case *c = &cases[0];
    SlForceFieldId wind, other_wind;
    SlWorld *world = make_world(c, &wind), *other = make_world(c, &other_wind);
    const SlStateView *view;
    SlParamValue value;
    advance(world, 1);
    change(world, c, wind);
    assert_ok(sl_system_set_number(other, first_system(other), c->parameter, 7, &test_error));
    assert_ok(sl_world_set_gravity(other, (SlVec3){0, -2, 0}, &test_error));
    assert_ok(sl_force_field_set_vec3(other, other_wind, "acceleration", (SlVec3){0, 1, 0},
                                      &test_error));
    assert_ok(sl_world_state(world, &view, &test_error));
    assert_ok(sl_world_restore(other, view, &test_error));
    assert_ok(sl_system_get(other, first_system(other), c->parameter, &value, &test_error));
    assert_true(value.number[0] == 7);
    assert_true(sl_world_gravity(other).y == -2);
    assert_ok(sl_force_field_get(other, other_wind, "acceleration", &value, &test_error));
    assert_true(value.number[1] == 1);
    assert_int_equal(other->force_field_count, 1);
    sl_world_destroy(world);
    sl_world_destroy(other);
}

static void functions_are_given_again(void **state)
{
    (void)state;
    const Case *c = &cases[0];
    float push = 4;
    SlForceFieldDef def = sl_default_force_field_def("function");
    def.function = push_up;
    def.user = &push;
    SlForceFieldId wind;
    SlWorld *worlds[3]; /* the first gets the function at its start, then one with, one without it */
    const SlStateView *view;
    for (int k = 0; k < 3; k++)
        worlds[k] = make_world(c, &wind);
    for (int k = 0; k < 2; k++)
        assert_ok(sl_world_add_force_field(worlds[k], &def, NULL, &test_error));
    advance(worlds[0], 2);
    assert_ok(sl_world_state(worlds[0], &view, &test_error));
    assert_ok(sl_world_restore(worlds[1], view, &test_error));
    advance(worlds[0], 2);
    advance(worlds[1], 2);
    assert_int_equal(sl_world_hash(worlds[1]), sl_world_hash(worlds[0]));
    /* Added while running, and not given to the world that continues. */
    SlWorld *running = make_world(c, &wind);
    advance(running, 1);
    assert_ok(sl_world_add_force_field(running, &def, NULL, &test_error));
    assert_ok(sl_world_state(running, &view, &test_error));
    assert_int_equal(sl_world_restore(worlds[2], view, &test_error), SL_ERROR_ARGUMENT);
    assert_non_null(strstr(test_error.text, "add it to the world before"));
    for (int k = 0; k < 3; k++)
        sl_world_destroy(worlds[k]);
    sl_world_destroy(running);
}

/* Damaged values are refused, whatever the checksum says. */
static void damage_is_refused(void **state)
{
    (void)state;
    const Case *c = &cases[0];
    for (int damage = 0; damage < 5; damage++) {
        SlForceFieldId wind, other_wind;
        SlWorld *world = make_world(c, &wind), *other = make_world(c, &other_wind);
        const SlStateView *view;
        advance(world, 1);
        change(world, c, wind);
        assert_ok(sl_world_state(world, &view, &test_error));
        SlForceFieldState *field = &world->changes.force_fields[0];
        SlLiveValue *live = world->systems[0]->live;
        if (damage == 0)
            field->values[0][0] = NAN;
        else if (damage == 1)
            memcpy(field->kind, "no such kind of force f!", sizeof field->kind);
        else if (damage == 2)
            field->system1 = 2;
        else if (damage == 3)
            world->changes.gravity[1].y = INFINITY;
        else
            live[0].now[0] = -1e30;
        SlStatus status = sl_world_restore(other, view, &test_error);
        assert_int_not_equal(status, SL_OK);
        sl_world_destroy(world);
        sl_world_destroy(other);
    }
}

/* An emitter that the set-up of a resumed run has in addition emits from then on, and nothing of the time
   before, which once overran the arrays. */
static void a_new_emitter_begins_at_the_restore(void **state)
{
    (void)state;
    const Case *c = &cases[0];
    SlForceFieldId wind;
    SlWorld *world = make_world(c, &wind), *others[2] = {make_world(c, &wind), make_world(c, &wind)};
    SlEmitterDef jet = sl_default_emitter_def(SL_EMITTER_DISK);
    jet.center = (SlVec3){0.8f, 0.8f, 0.3f};
    jet.direction = (SlVec3){0, -1, 0};
    jet.radius = 0.1f;
    jet.speed = 10;
    const SlStateView *view;
    size_t added[2];
    advance(world, 30);
    assert_ok(sl_world_state(world, &view, &test_error));
    for (int k = 0; k < 2; k++) {
        SlSystemId id = first_system(others[k]);
        assert_ok(sl_system_add_emitter(others[k], id, &jet, NULL, &test_error));
        if (k == 1)
            assert_ok(sl_world_restore(others[k], view, &test_error));
        assert_ok(sl_world_start(others[k], &test_error));
        size_t before = sl_system_particle_count(others[k], id);
        advance(others[k], 1);
        added[k] = sl_system_particle_count(others[k], id) - before;
        sl_world_destroy(others[k]);
    }
    assert_true(added[0] > 0 && added[1] > 0);
    assert_in_range(added[1], added[0] / 2, 2 * added[0]);
    sl_world_destroy(world);
}

static void note_log(void *user, SlLogLevel level, const char *text)
{
    if (level == SL_LOG_WARNING)
        snprintf(user, 128, "%s", text);
}

static void empty_worlds_are_told(void **state)
{
    (void)state;
    static const char *const expected[] = {"it has no system", "no system has a block", ""};
    for (int k = 0; k < 3; k++) {
        char heard[128] = "";
        SlContextDef def = sl_default_context_def();
        def.hooks = (SlHooks){.log = note_log, .user = heard};
        SlWorldDef world_def = sl_default_world_def();
        world_def.own_context = true;
        SlWorld *world;
        assert_ok(sl_context_create(&def, &world_def.context, &test_error));
        assert_ok(sl_world_create(&world_def, &world, &test_error));
        if (k > 0) {
            SlSystemId id = test_add_system(world, "pbf", NULL, NULL);
            if (k > 1)
                test_add_block(world, id, (SlVec3){0, 0, 0}, (SlVec3){0.4f, 0.4f, 0.4f});
        }
        assert_ok(sl_world_start(world, &test_error));
        assert_non_null(strstr(heard, expected[k]));
        assert_int_equal(heard[0] != '\0', k < 2);
        sl_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changes_continue_with_the_same_bits),
        cmocka_unit_test(a_changed_setup_stays),
        cmocka_unit_test(functions_are_given_again),
        cmocka_unit_test(damage_is_refused),
        cmocka_unit_test(a_new_emitter_begins_at_the_restore),
        cmocka_unit_test(empty_worlds_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
