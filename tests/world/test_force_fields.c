/* Force fields on particles that are too far apart to meet. */
#include "support/dam.h"
#include "support/test.h"
#include "support/world.h"
#include "world/world.h"

static const double dt = 1.0 / 120; /* one sub-step of a frame of two */

/* Single particles of 0.1 m, without gravity, in a large domain. */
static SlWorld *free_particles(const char *solver, uint32_t threads, const SlVec3 *places,
                               size_t count)
{
    SlWorldDef def = test_world_def(threads, (SlVec3){-50, -50, -50}, (SlVec3){50, 50, 50});
    def.gravity = (SlVec3){0, 0, 0};
    SlSystemId id;
    SlWorld *world = test_world(&def, solver, "spacing=0.1", &id);
    if (strcmp(solver, "snow") != 0)
        assert_ok(sl_system_set_number(world, id, "steps", 2, &test_error));
    for (size_t k = 0; k < count; k++) {
        SlVec3 p = places[k], half = {0.05f, 0.05f, 0.05f};
        SlBlock block = {sl_sub(p, half), sl_add(p, half), {0, 0, 0}, 0};
        assert_ok(sl_system_add_block(world, id, &block, &test_error));
    }
    return world;
}

static SlForceFieldId add_field(SlWorld *world, const char *kind)
{
    SlForceFieldDef def = sl_default_force_field_def(kind);
    SlForceFieldId id;
    assert_ok(sl_world_add_force_field(world, &def, &id, &test_error));
    return id;
}

/* Velocity of the particle of that number. */
static SlVec3 velocity_of(SlWorld *world, uint32_t number)
{
    SlFieldView v = sl_system_field(world, first_system(world), "velocity");
    SlFieldView id = sl_system_field(world, first_system(world), "id");
    for (size_t i = 0; i < v.count; i++)
        if (((const uint32_t *)id.data)[i] == number)
            return *(const SlVec3 *)((const char *)v.data + i * v.stride);
    fail();
    return (SlVec3){0, 0, 0};
}

static void uniform_fields_are_exact(void **state)
{
    (void)state;
    const SlVec3 origin = {0, 0, 0};
    for (size_t k = 0; k < sl_solver_count; k++) {
        const char *solver = sl_solvers[k]->table.name;
        SlWorld *world = free_particles(solver, 1, &origin, 1);
        SlForceFieldId id = add_field(world, "uniform");
        assert_ok(sl_force_field_set_vec3(world, id, "acceleration", (SlVec3){3, 0, -1},
                                          &test_error));
        dam_advance(world, 12);
        SlVec3 v = velocity_of(world, 0);
        assert_near((double)v.x, 0.6, 1e-4);
        assert_near((double)v.y, 0, 1e-6);
        assert_near((double)v.z, -0.2, 1e-4);
        sl_world_destroy(world);
    }
}

/* v_n = u (1 - (1 + k dt)^-n): never beyond the wind, whatever the drag. */
static void wind_drags_towards_its_speed(void **state)
{
    (void)state;
    const SlVec3 origin = {0, 0, 0};
    const double drags[] = {2, 1e5};
    for (int d = 0; d < 2; d++) {
        SlWorld *world = free_particles("pbf", 1, &origin, 1);
        SlForceFieldId id = add_field(world, "wind");
        assert_ok(sl_force_field_set_vec3(world, id, "velocity", (SlVec3){5, 0, 0}, &test_error));
        assert_ok(sl_force_field_set_number(world, id, "drag", drags[d], &test_error));
        dam_advance(world, 30);
        double expected = 5 * (1 - pow(1 + drags[d] * dt, -60));
        assert_near((double)velocity_of(world, 0).x, expected, 1e-3);
        assert_true(velocity_of(world, 0).x <= 5.0001f);
        sl_world_destroy(world);
    }
}

/* Air takes loose snow along, half torn snow half as fast, and packed snow not at all. */
static void air_drags_loose_snow_only(void **state)
{
    (void)state;
    const SlVec3 places[] = {{0, 0, 0}, {8, 0, 0}, {0, 0, 8}};
    const float plastic[] = {2, 1.15f, 0.8f};
    SlWorld *world = free_particles("snow", 1, places, 3);
    assert_ok(sl_system_set_number(world, first_system(world), "time_step", dt, &test_error));
    assert_ok(sl_world_start(world, &test_error));
    SlParticles *particles = &world->systems[0]->base.particles;
    const uint32_t *id = particles->data[SL_F_ID];
    assert_ok(sl_world_step(world, dt, &test_error));
    for (size_t i = 0; i < 3; i++)
        ((float *)particles->data[SL_F_PLASTIC])[i] = plastic[id[i]];
    SlForceFieldId air = add_field(world, "air");
    assert_ok(sl_force_field_set_vec3(world, air, "velocity", (SlVec3){2, 0, 0}, &test_error));
    assert_ok(sl_world_step(world, dt, &test_error));
    assert_near((double)velocity_of(world, 0).x, 2 * 8 * dt / (1 + 8 * dt), 1e-4);
    assert_near((double)velocity_of(world, 1).x, 2 * 4 * dt / (1 + 4 * dt), 1e-4);
    assert_near((double)velocity_of(world, 2).x, 0, 1e-6);
    sl_world_destroy(world);
}

static void a_vortex_turns_and_a_point_attracts(void **state)
{
    (void)state;
    const SlVec3 places[] = {{1, 0, 0}, {0, 0, 8}};
    SlWorld *world = free_particles("pbf", 1, places, 2);
    SlForceFieldId vortex = add_field(world, "vortex");
    assert_ok(sl_force_field_set_number(world, vortex, "radius", 2, &test_error));
    assert_ok(sl_force_field_set_number(world, vortex, "strength", 4, &test_error));
    assert_ok(sl_world_step(world, dt / 10, &test_error));
    /* Around +y: from +x towards -z, from +z towards +x. */
    assert_near((double)velocity_of(world, 0).z, -4 * 0.5 * dt / 10, 1e-5);
    assert_near((double)velocity_of(world, 1).x, 4 * 0.25 * dt / 10, 1e-5);
    sl_world_destroy(world);

    world = free_particles("pbf", 1, places, 2);
    SlForceFieldId point = add_field(world, "point");
    assert_ok(sl_force_field_set_number(world, point, "radius", 2, &test_error));
    assert_ok(sl_force_field_set_number(world, point, "strength", -6, &test_error));
    assert_ok(sl_world_step(world, dt / 10, &test_error));
    assert_near((double)velocity_of(world, 0).x, 6 * 0.5 * dt / 10, 1e-5);
    assert_near((double)velocity_of(world, 1).z, 6.0 / 16 * dt / 10, 1e-5);
    sl_world_destroy(world);
}

static void push_odd_ids(void *user, const SlForceBatch *batch)
{
    for (size_t i = 0; i < batch->count; i++)
        batch->accelerations[4 * i + 1] +=
            *(const float *)user * (float)(batch->ids[i] % 2) * batch->positions[4 * i];
}

static void a_function_gives_accelerations(void **state)
{
    (void)state;
    const SlVec3 places[] = {{3, 0, 0}, {2, 0, 0}};
    float factor = 7;
    SlWorld *world = free_particles("pbf", 2, places, 2);
    SlForceFieldDef def = sl_default_force_field_def("function");
    assert_int_equal(sl_world_add_force_field(world, &def, NULL, &test_error), SL_ERROR_ARGUMENT);
    sl_world_clear_error(world);
    def.function = push_odd_ids;
    def.user = &factor;
    assert_ok(sl_world_add_force_field(world, &def, NULL, &test_error));
    assert_ok(sl_world_step(world, dt, &test_error));
    assert_near((double)velocity_of(world, 0).y, 0, 1e-6);
    assert_near((double)velocity_of(world, 1).y, 14 * dt, 1e-4);
    sl_world_destroy(world);
}

/* Fields act from when they are added until they are removed, and are in hash and snapshot. */
static void fields_come_and_go(void **state)
{
    (void)state;
    const SlVec3 origin = {0, 0, 0};
    SlWorld *world = free_particles("pbf", 1, &origin, 1);
    SlSnapshot *snapshot = NULL;
    dam_advance(world, 1);
    uint64_t without = sl_world_hash(world);
    SlForceFieldId id = add_field(world, "uniform");
    assert_ok(sl_force_field_set_vec3(world, id, "acceleration", (SlVec3){0, 6, 0}, &test_error));
    assert_true(sl_world_hash(world) != without);
    assert_ok(sl_world_snapshot(world, &snapshot, &test_error));
    dam_advance(world, 1);
    assert_near((double)velocity_of(world, 0).y, 0.1, 1e-4);
    assert_ok(sl_force_field_remove(world, id, &test_error));
    dam_advance(world, 5);
    assert_near((double)velocity_of(world, 0).y, 0.1, 1e-4);
    assert_int_equal(sl_force_field_remove(world, id, &test_error), SL_ERROR_ARGUMENT);
    SlForceFieldId again = add_field(world, "wind");
    assert_int_equal(again.index1, id.index1);
    assert_int_equal(sl_force_field_set_number(world, id, "drag", 1, &test_error),
                     SL_ERROR_ARGUMENT);
    assert_ok(sl_world_restore_snapshot(world, snapshot, &test_error));
    dam_advance(world, 2);
    assert_near((double)velocity_of(world, 0).y, 0.2, 1e-4);
    sl_snapshot_destroy(snapshot);
    sl_world_destroy(world);
}

static void fields_may_act_on_one_system(void **state)
{
    (void)state;
    const SlVec3 origin = {0, 0, 0};
    SlWorld *world = free_particles("pbf", 1, &origin, 1);
    SlPbfDef pbf = sl_default_pbf_def();
    pbf.name = "other";
    SlForceFieldDef def = sl_default_force_field_def("uniform");
    def.system = sl_world_add_pbf(world, &pbf, NULL);
    SlForceFieldId id;
    assert_ok(sl_world_add_force_field(world, &def, &id, &test_error));
    assert_ok(sl_force_field_set_vec3(world, id, "acceleration", (SlVec3){0, 6, 0}, &test_error));
    dam_advance(world, 1);
    assert_near((double)velocity_of(world, 0).y, 0, 1e-6);
    sl_world_destroy(world);
}

/* A strong field is no explosion: its work is known. Same hash for any threads. */
static void fields_do_known_work(void **state)
{
    (void)state;
    uint64_t first = 0;
    for (uint32_t threads = 1; threads <= 3; threads += 2) {
        DamSetting setting = {.threads = threads, .nx = 12, .ny = 12, .nz = 12,
                              .domain = {4, 4, 4}};
        SlWorld *world = dam_create(&setting);
        SlForceFieldId id = add_field(world, "uniform");
        assert_ok(sl_force_field_set_vec3(world, id, "acceleration", (SlVec3){0, 60, 0},
                                          &test_error));
        dam_advance(world, 12);
        first = first != 0 ? first : sl_world_hash(world);
        assert_true(sl_world_hash(world) == first);
        sl_world_destroy(world);
    }
}

/* Every kind in the list: a name of its own, rows that fit, defaults in range. */
static void kinds_are_described(void **state)
{
    (void)state;
    size_t count;
    const SlTable *const *tables = sl_force_field_tables(&count);
    assert_int_equal(count, sl_force_kind_count);
    for (size_t k = 0; k < count; k++) {
        assert_ptr_equal(tables[k], &sl_force_kinds[k]->table);
        assert_ptr_equal(sl_force_kind_find(tables[k]->name), sl_force_kinds[k]);
        assert_true(tables[k]->row_count <= SL_MAX_FORCE_ROWS);
        assert_true(tables[k]->summary[0] != '\0');
        for (size_t r = 0; r < tables[k]->row_count; r++) {
            const SlParamRow *row = &tables[k]->rows[r];
            assert_true(row->live && row->meaning[0] != '\0');
            assert_true(row->value.number[0] >= row->minimum &&
                        row->value.number[0] <= row->maximum);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(uniform_fields_are_exact),
        cmocka_unit_test(wind_drags_towards_its_speed),
        cmocka_unit_test(air_drags_loose_snow_only),
        cmocka_unit_test(a_vortex_turns_and_a_point_attracts),
        cmocka_unit_test(a_function_gives_accelerations),
        cmocka_unit_test(fields_come_and_go),
        cmocka_unit_test(fields_may_act_on_one_system),
        cmocka_unit_test(fields_do_known_work),
        cmocka_unit_test(kinds_are_described),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
