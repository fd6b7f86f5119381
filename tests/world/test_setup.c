/* Set-up: errors kept in the world, typed definitions, cookies, changes while running. */
#include "core/cookies.h"
#include "support/dam.h"
#include "support/test.h"
#include "world/definitions.h"
#include "world/world.h"

static SlWorld *empty_world(void)
{
    SlWorldDef def = sl_default_world_def();
    test_own_context(&def, 1, SL_ISA_AUTO);
    SlWorld *world;
    assert_ok(sl_world_create(&def, &world, &test_error));
    return world;
}

static void the_first_error_is_kept(void **state)
{
    (void)state;
    SlWorld *world = empty_world();
    SlPbfDef pbf = sl_default_pbf_def();
    SlSystemId water = sl_world_add_pbf(world, &pbf, NULL);
    SlBlock inverted = {.min = {1, 1, 1}, .max = {0, 2, 2}}, good = {.max = {0.5f, 0.5f, 0.5f}};
    assert_int_equal(sl_world_error(world)->status, SL_OK);
    assert_int_equal(sl_system_add_block(world, water, &inverted, NULL), SL_ERROR_ARGUMENT);
    /* What follows does nothing and returns the first error, whatever its own would be. */
    assert_int_equal(sl_system_add_block(world, water, &good, &test_error), SL_ERROR_ARGUMENT);
    assert_non_null(strstr(test_error.text, "sl_system_add_block"));
    assert_int_equal(world->systems[0]->block_count, 0);
    assert_int_equal(sl_system_set_number(world, water, "nonsense", 1, &test_error),
                     SL_ERROR_ARGUMENT);
    assert_null(strstr(test_error.text, "nonsense"));
    assert_int_equal(sl_world_start(world, &test_error), SL_ERROR_ARGUMENT);
    assert_non_null(strstr(test_error.text, "sl_system_add_block: a block's min"));
    assert_int_equal(sl_world_step(world, 0.01, NULL), SL_ERROR_ARGUMENT);
    sl_world_clear_error(world);
    assert_ok(sl_system_add_block(world, water, &good, &test_error));
    assert_ok(sl_world_start(world, &test_error));
    sl_world_destroy(world);
}

static void calls_without_a_world_return(void **state)
{
    (void)state;
    SlWorldDef def = sl_default_world_def();
    def.frame_time = -1;
    SlWorld *world;
    SlError error = {SL_OK, ""};
    assert_int_equal(sl_world_create(&def, &world, &error), SL_ERROR_ARGUMENT);
    assert_null(world);
    SlPbfDef pbf = sl_default_pbf_def();
    SlSystemId water = sl_world_add_pbf(world, &pbf, NULL);
    SlBlock block = {.max = {1, 1, 1}};
    assert_int_equal(water.index1, 0);
    assert_int_equal(sl_system_add_block(world, water, &block, &error), SL_ERROR_ARGUMENT);
    assert_int_equal(sl_world_advance_frame(world, &error), SL_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "frame_time"));
    sl_world_destroy(world);
}

/* A refused change is returned, and the world runs on. */
static void errors_while_running_are_not_kept(void **state)
{
    (void)state;
    DamSetting setting = {.threads = 1, .nx = 4, .ny = 4, .nz = 4};
    SlWorld *world = dam_create(&setting);
    dam_advance(world, 1);
    assert_int_equal(sl_system_set_number(world, first_system(world), "spacing", 0.05, &test_error),
                     SL_ERROR_ARGUMENT);
    assert_non_null(strstr(test_error.text, "\"spacing\" is fixed"));
    assert_int_equal(sl_world_set_gravity(world, (SlVec3){NAN, 0, 0}, &test_error),
                     SL_ERROR_ARGUMENT);
    dam_advance(world, 1);
    sl_world_destroy(world);
}

static void gravity_changes_while_running(void **state)
{
    (void)state;
    DamSetting setting = {.threads = 1, .nx = 1, .ny = 1, .nz = 1, .no_gravity = true,
                          .domain = {4, 4, 4}, .offset = {1, 1, 1}};
    SlWorld *world = dam_create(&setting);
    dam_advance(world, 2);
    SlFieldView v = sl_system_field(world, first_system(world), "velocity");
    assert_near((double)((const float *)v.data)[0], 0, 1e-6);
    assert_ok(sl_world_set_gravity(world, (SlVec3){6, 0, 0}, &test_error));
    dam_advance(world, 1);
    v = sl_system_field(world, first_system(world), "velocity");
    assert_near((double)((const float *)v.data)[0], 0.1, 1e-4);
    sl_world_destroy(world);
}

static void emitters_change_while_running(void **state)
{
    (void)state;
    DamSetting setting = {.threads = 1, .nx = 1, .ny = 1, .nz = 1, .domain = {4, 40, 4}};
    SlWorld *world = dam_create(&setting);
    SlSystemId water = first_system(world);
    dam_advance(world, 30);
    SlEmitterDef jet = sl_default_emitter_def(SL_EMITTER_DISK);
    jet.center = (SlVec3){2, 39, 2};
    jet.radius = 0.2f;
    jet.speed = 3;
    SlEmitterId first, second;
    assert_ok(sl_system_add_emitter(world, water, &jet, &first, &test_error));
    dam_advance(world, 2); /* 1/30 s at 3 m/s: one layer, not those of the first half second */
    uint64_t layer = sl_emitter_layer_size(&world->systems[0]->flow.emitters[0]);
    size_t one = sl_system_field(world, water, "id").count;
    assert_true(one > 1 && one <= 1 + 2 * layer);
    assert_ok(sl_emitter_remove(world, first, &test_error));
    dam_advance(world, 5);
    assert_int_equal(sl_system_field(world, water, "id").count, one);
    assert_int_equal(sl_emitter_remove(world, first, &test_error), SL_ERROR_ARGUMENT);
    jet.center.x = 1;
    assert_ok(sl_system_add_emitter(world, water, &jet, &second, &test_error));
    assert_int_equal(second.index1, first.index1); /* the slot is used again … */
    assert_int_equal(sl_emitter_set(world, first, &jet, &test_error), SL_ERROR_ARGUMENT);
    jet.limit = 1;
    assert_ok(sl_emitter_set(world, second, &jet, &test_error)); /* … by another handle */
    dam_advance(world, 10);
    assert_int_equal(sl_system_field(world, water, "id").count, one + 1);
    sl_world_destroy(world);
}

/* Each member is a row with the row's default, and the members are all there is. */
static void typed_definitions_follow_the_tables(void **state)
{
    (void)state;
    SlPbfDef pbf = sl_default_pbf_def();
    SlProjectiveDef projective = sl_default_projective_def();
    SlSnowDef snow = sl_default_snow_def();
    const void *defaults[SL_TYPED_COUNT] = {&pbf, &projective, &snow};
    for (int t = 0; t < SL_TYPED_COUNT; t++) {
        const SlTypedDef *typed = &sl_typed_defs[t];
        const SlTable *table = &sl_solver_find(typed->solver)->table;
        size_t covered = 2 * sizeof(uint32_t) + sizeof(char *), widths[] = {8, 4, sizeof(char *)};
        for (size_t k = 0; k < typed->member_count; k++) {
            const SlDefMember *member = &typed->members[k];
            const char *at = (const char *)defaults[t] + member->offset;
            const SlParamRow *row = sl_table_find(table, member->name);
            assert_non_null(row);
            covered += widths[member->type];
            if (member->type == SL_MEMBER_TEXT) {
                assert_true(row->type == SL_PARAM_CHOICE);
                assert_null(*(const char *const *)at);
            } else if (member->type == SL_MEMBER_COUNT) {
                assert_true(row->type == SL_PARAM_INTEGER);
                assert_true(*(const uint32_t *)at == row->value.number[0]);
            } else {
                assert_true(row->type == SL_PARAM_NUMBER);
                assert_true(*(const double *)at == row->value.number[0]);
            }
        }
        assert_true(covered <= typed->size && typed->size - covered < 24); /* padding */
    }
}

static void typed_definitions_fill_the_table(void **state)
{
    (void)state;
    SlWorld *world = empty_world();
    SlPbfDef def = sl_default_pbf_def();
    SlParamValue value;
    def.name = "lake";
    def.spacing = 0.05;
    def.steps = 5;
    def.preset = "realtime";
    def.boundary = "particles";
    SlSystemId lake = sl_world_add_pbf(world, &def, NULL);
    assert_string_equal(sl_system_name(world, lake), "lake");
    assert_ok(sl_system_get(world, lake, "spacing", &value, &test_error));
    assert_true(value.number[0] == 0.05);
    assert_ok(sl_system_get(world, lake, "steps", &value, &test_error));
    assert_true(value.number[0] == 5); /* given, so not the preset's 4 */
    assert_ok(sl_system_get(world, lake, "iterations", &value, &test_error));
    assert_true(value.number[0] == 2); /* the preset's */
    assert_ok(sl_system_get(world, lake, "boundary", &value, &test_error));
    assert_true(value.number[0] == 2);
    def.relaxation = 7;
    assert_int_equal(sl_world_add_pbf(world, &def, NULL).index1, 0);
    assert_non_null(strstr(sl_world_error(world)->text, "relaxation is 7"));
    sl_world_clear_error(world);
    def.cookie = SL_COOKIE_SNOW;
    assert_int_equal(sl_world_add_pbf(world, &def, NULL).index1, 0);
    assert_non_null(strstr(sl_world_error(world)->text, "sl_default_pbf_def"));
    sl_world_destroy(world);
}

#define HEAD(value) {(value).cookie, (value).size, sizeof(value)}
static void cookies_differ(void **state)
{
    (void)state;
    const struct {
        uint32_t cookie, size;
        size_t real_size;
    } heads[] = {
        HEAD(sl_default_context_def()),
        HEAD(sl_default_world_def()),
        HEAD(sl_default_system_def("pbf")),
        HEAD(sl_default_pbf_def()),
        HEAD(sl_default_projective_def()),
        HEAD(sl_default_snow_def()),
        HEAD(sl_default_fluid_def()),
        HEAD(sl_default_emitter_def(SL_EMITTER_BOX)),
        HEAD(sl_default_fill_def()),
        HEAD(sl_default_motion_def()),
        HEAD(sl_default_mesh_collider_def()),
        HEAD(sl_default_force_field_def("wind")),
        HEAD(sl_default_scene_options()),
        HEAD(sl_default_writer_def()),
    };
    size_t count = sizeof heads / sizeof heads[0];
    for (size_t k = 0; k < count; k++) {
        assert_int_equal(heads[k].size, heads[k].real_size);
        for (size_t j = 0; j < k; j++)
            assert_int_not_equal(heads[k].cookie, heads[j].cookie);
    }
}

/* More rows than a machine word has bits, and a preset of more than eight values. */
static void any_number_of_rows_may_be_given(void **state)
{
    (void)state;
    enum { ROWS = 80 };
    static char names[ROWS][8];
    static SlParamRow rows[ROWS] = {
        {"preset", SL_PARAM_CHOICE, {{0}, ""}, 0, 1, "", "none|all", ""}};
    SlPresetValue values[ROWS] = {{NULL, 0}};
    for (int k = 1; k < ROWS; k++) {
        snprintf(names[k], sizeof names[k], "row%d", k);
        rows[k] = (SlParamRow){names[k], SL_PARAM_NUMBER, {{0}, ""}, 0, 100, "", NULL, "", false};
        values[k - 1] = (SlPresetValue){names[k], k};
    }
    values[ROWS - 1].name = NULL;
    const SlPresetValue none = {NULL, 0};
    const SlPreset presets[] = {{"none", "", &none}, {"all", "", values}};
    SlSolver solver = *sl_solver_find("pbf");
    solver.table.rows = rows;
    solver.table.row_count = ROWS;
    solver.table.presets = presets;
    solver.table.preset_count = 2;
    SlWorld *world = empty_world();
    SlPbfDef def = sl_default_pbf_def();
    SlSystemId id = sl_world_add_pbf(world, &def, NULL);
    SlSystem *system = &world->systems[0]->base;
    const SlSolver *real = system->solver;
    SlParamValue *real_values = system->values, own_values[ROWS] = {{{0}, ""}};
    bool *real_given = system->given, own_given[ROWS] = {false};
    system->solver = &solver;
    system->values = own_values;
    system->given = own_given;
    assert_ok(sl_system_set_number(world, id, "row70", 1, &test_error));
    assert_ok(sl_system_set_text(world, id, "preset", "all", &test_error));
    for (int k = 1; k < ROWS; k++)
        assert_true(own_values[k].number[0] == (k == 70 ? 1 : k));
    system->solver = real;
    system->values = real_values;
    system->given = real_given;
    sl_world_destroy(world);
}

/* Another value of the row's, in range. */
static double changed_value(const SlParamRow *row)
{
    double value = row->value.number[0], other = value != 0 ? 1.25 * value : 0.02 * row->maximum;
    if (row->type != SL_PARAM_NUMBER)
        other = value + 1 <= row->maximum ? value + 1 : value - 1;
    return other <= row->maximum ? other : 0.5 * (row->minimum + row->maximum);
}

static uint64_t hash_with(const SlSolver *solver, const SlParamRow *row, bool after_start)
{
    SlWorld *world = empty_world();
    SlSystemDef def = sl_default_system_def(solver->table.name);
    SlSystemId id;
    assert_ok(sl_world_add_system(world, &def, &id, &test_error));
    float size = 6 * solver->spacing(&world->systems[0]->base);
    SlBlock block = {.min = {0, 0, 0}, .max = {size, size, size}};
    assert_ok(sl_system_add_block(world, id, &block, &test_error));
    if (after_start)
        assert_ok(sl_world_start(world, &test_error));
    if (row->type == SL_PARAM_CHOICE)
        world->systems[0]->base.values[row - solver->table.rows].number[0] = changed_value(row);
    else
        assert_ok(sl_system_set_number(world, id, row->name, changed_value(row), &test_error));
    for (int k = 0; k < 4; k++)
        assert_ok(sl_world_step(world, 0.002, &test_error));
    uint64_t hash = sl_world_hash(world);
    sl_world_destroy(world);
    return hash;
}

/* A live parameter that is changed after the start acts as if it had been set before. */
static void live_parameters_act_at_once(void **state)
{
    (void)state;
    for (size_t s = 0; s < sl_solver_count; s++) {
        const SlTable *table = &sl_solvers[s]->table;
        int live = 0;
        for (size_t k = 0; k < table->row_count; k++) {
            const SlParamRow *row = &table->rows[k];
            if (!row->live || row->type == SL_PARAM_VEC3 || row->type == SL_PARAM_TEXT)
                continue;
            live++;
            if (hash_with(sl_solvers[s], row, true) != hash_with(sl_solvers[s], row, false))
                fail_msg("%s: %s acts otherwise when set after the start", table->name, row->name);
        }
        assert_true(live > 0);
    }
}

/* Positions are floats: a bounded domain may not be where they are too coarse for the spacing. */
static void domains_far_away_are_refused(void **state)
{
    (void)state;
    for (int far = 0; far < 2; far++) {
        SlWorldDef def = sl_default_world_def();
        test_own_context(&def, 1, SL_ISA_AUTO);
        float at = far != 0 ? 3000 : 2000; /* 0.01 m × 2^18 is 2621 m */
        def.domain = (SlBox){{at, 0, 0}, {at + 1, 1, 1}};
        SlWorld *world;
        assert_ok(sl_world_create(&def, &world, &test_error));
        SlPbfDef pbf = sl_default_pbf_def();
        SlBlock block = {.min = {at, 0, 0}, .max = {at + 0.05f, 0.05f, 0.05f}};
        pbf.spacing = 0.01;
        sl_system_add_block(world, sl_world_add_pbf(world, &pbf, NULL), &block, NULL);
        assert_int_equal(sl_world_start(world, &test_error), far != 0 ? SL_ERROR_ARGUMENT : SL_OK);
        assert_true(far == 0 || strstr(test_error.text, "too coarse beyond 2621") != NULL);
        sl_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_error_is_kept),
        cmocka_unit_test(calls_without_a_world_return),
        cmocka_unit_test(errors_while_running_are_not_kept),
        cmocka_unit_test(gravity_changes_while_running),
        cmocka_unit_test(emitters_change_while_running),
        cmocka_unit_test(typed_definitions_follow_the_tables),
        cmocka_unit_test(typed_definitions_fill_the_table),
        cmocka_unit_test(cookies_differ),
        cmocka_unit_test(any_number_of_rows_may_be_given),
        cmocka_unit_test(live_parameters_act_at_once),
        cmocka_unit_test(domains_far_away_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
