/* Parameters of snow: presets, variation in space, extreme and invalid values. */
#include "solvers/snow/parameters.h"
#include "snow/snowballs.h"
#include "support/world.h"

static SlWorld *bare_world(SlSystemId *id)
{
    SlWorldDef def = test_world_def(2, (SlVec3){-1, -1, -1}, (SlVec3){1, 1, 1});
    SlWorld *world = test_world(&def, "snow", NULL, id);
    return world;
}

static double value_of(SlWorld *world, const char *name)
{
    SlParamValue value;
    assert_ok(sl_system_get(world, first_system(world), name, &value, &test_error));
    return value.number[0];
}

/* The choices are the presets in order, and each value is one its row allows. */
static void presets_fit_their_rows(void **state)
{
    (void)state;
    const SlTable *table = &sl_snow_solver.table;
    assert_true(table->row_count <= 64); /* bits of SlSystem.given */
    for (size_t k = 0; k < table->preset_count; k++) {
        const SlPreset *preset = &table->presets[k];
        SlParamValue chosen;
        assert_ok(sl_param_set_text(sl_table_find(table, "preset"), preset->name, &chosen,
                                    &test_error));
        assert_int_equal((int)chosen.number[0], (int)k);
        for (int v = 0; preset->values[v].name != NULL; v++) {
            const SlParamRow *row = sl_table_find(table, preset->values[v].name);
            SlParamValue value;
            double given = preset->values[v].value;
            assert_non_null(row);
            if (row->type == SL_PARAM_CHOICE)
                assert_true(given >= 0 && given <= row->maximum && given == floor(given));
            else
                assert_ok(sl_param_set_number(row, given, &value, &test_error));
        }
    }
    assert_int_equal(table->preset_count, 12);
}

/* A value that is set explicitly overrides the preset, whichever is set first; another preset resets
   the values of the first one. */
static void given_keys_override_a_preset(void **state)
{
    (void)state;
    SlSystemId id;
    SlWorld *world = bare_world(&id);
    assert_ok(sl_system_set_number(world, id, "stiffness", 3e5, &test_error));
    assert_ok(sl_system_set_text(world, id, "preset", "icy", &test_error));
    assert_near(value_of(world, "stiffness"), 3e5, 0);
    assert_near(value_of(world, "hardening"), 25, 0);
    assert_ok(sl_system_set_number(world, id, "hardening", 6, &test_error));
    assert_ok(sl_system_set_text(world, id, "preset", "lower_stretch", &test_error));
    assert_near(value_of(world, "hardening"), 6, 0);
    assert_near(value_of(world, "critical_stretch"), 0.005, 0);
    assert_near(value_of(world, "critical_compression"), 0.025, 0);
    assert_near(value_of(world, "rest_density"), 400, 0);
    assert_int_equal(sl_system_set_text(world, id, "preset", "yellow", &test_error),
                     SL_ERROR_ARGUMENT);
    assert_non_null(strstr(test_error.text, "powder"));
    sl_world_destroy(world);
}

/* A ball of each preset hits the floor: values stay finite, and stiff snow packs less. */
static void every_preset_runs(void **state)
{
    (void)state;
    double packed[SL_SNOW_PRESETS];
    for (size_t k = 0; k < SL_SNOW_PRESETS; k++) {
        SlSystemId id;
        SlWorld *world = bare_world(&id);
        Snowball ball;
        ball_shape(&ball, (SlVec3){0, -0.89f, 0}, 0.1f);
        ball.fill.velocity = (SlVec3){0, -3, 0};
        assert_ok(sl_system_set_text(world, id, "preset", sl_snow_presets[k].name, &test_error));
        assert_ok(sl_system_add_fill(world, id, &ball.fill, &test_error));
        assert_ok(sl_world_step(world, 0.04, &test_error));
        const float *plastic = ball_system(world)->particles.data[SL_F_PLASTIC];
        size_t count = ball_system(world)->particles.count;
        packed[k] = 0;
        for (size_t i = 0; i < count; i++)
            packed[k] += fmin((double)plastic[i], 1) / (double)count;
        print_message("%s: mean of min(J_P, 1) %.3f\n", sl_snow_presets[k].name, packed[k]);
        assert_true(packed[k] > 0.2 && packed[k] < 1.0001);
        sl_world_destroy(world);
    }
    enum { REFERENCE = 0, SOFT = 2, PACKED = 7, WET = 8, ICY = 9, MUDDY = 10 };
    assert_less(packed[SOFT], packed[REFERENCE]);
    assert_less(packed[REFERENCE], packed[ICY]);
    assert_less(packed[REFERENCE], packed[MUDDY]);
    assert_less(packed[WET], packed[REFERENCE]);
    assert_less(packed[REFERENCE], packed[PACKED]);
}

static float *field_of(SlWorld *world, SlFieldId field)
{
    return ball_system(world)->particles.data[field];
}

/* A shell is all around, a crust on top only; both are 1 there and 0 elsewhere. */
static void shells_and_crusts(void **state)
{
    (void)state;
    for (int crust = 0; crust < 2; crust++) {
        SlSystemId id;
        SlWorld *world = bare_world(&id);
        Snowball ball;
        ball_shape(&ball, (SlVec3){0, 0, 0}, 0.2f);
        ball.fill.noise.shell = crust ? 0 : 0.05f;
        ball.fill.noise.crust = crust ? 0.05f : 0;
        assert_ok(sl_system_add_fill(world, id, &ball.fill, &test_error));
        assert_ok(sl_world_start(world, &test_error));
        const float *x = field_of(world, SL_F_POSITION), *variation = field_of(world, SL_F_VARIATION);
        assert_non_null(variation);
        size_t count = ball_system(world)->particles.count, outer = 0;
        for (size_t i = 0; i < count; i++) {
            const float *at = x + 4 * i;
            double up = crust ? 0.05 : 0, most = crust ? 0.2 : 0.15;
            double away = sqrt((double)at[0] * (double)at[0] +
                               ((double)at[1] + up) * ((double)at[1] + up) +
                               (double)at[2] * (double)at[2]);
            if (fabs(away - most) > 1e-5)
                assert_true(variation[i] == (away > most ? 1.0f : 0.0f));
            outer += variation[i] > 0;
        }
        print_message("%s: %zu of %zu particles\n", crust ? "crust" : "shell", outer, count);
        assert_true(outer > count / 8 && outer < 3 * count / 4);
        sl_world_destroy(world);
    }
}

/* A ball that spins: no momentum, angular momentum of a rigid body; the same offset in all particles. */
static void fills_spin_and_have_an_offset(void **state)
{
    (void)state;
    SlSystemId id;
    SlWorld *world = bare_world(&id);
    Snowball ball;
    ball_shape(&ball, (SlVec3){0.3f, 0, 0}, 0.2f);
    ball.fill.velocity = (SlVec3){1, 0, 0};
    ball.fill.spin = (SlVec3){0, 0, -5};
    ball.fill.noise.offset = -0.25f;
    assert_ok(sl_system_add_fill(world, id, &ball.fill, &test_error));
    assert_ok(sl_world_start(world, &test_error));
    const float *x = field_of(world, SL_F_POSITION), *v = field_of(world, SL_F_VELOCITY);
    const float *variation = field_of(world, SL_F_VARIATION);
    size_t count = ball_system(world)->particles.count;
    double mean[6] = {0}, angular = 0, inertia = 0, part = 1 / (double)count;
    for (size_t i = 0; i < count; i++) {
        assert_true(variation[i] == -0.25f);
        for (size_t k = 0; k < 3; k++) {
            mean[k] += (double)x[4 * i + k] * part;
            mean[3 + k] += (double)v[4 * i + k] * part;
        }
    }
    for (size_t i = 0; i < count; i++) {
        double rx = (double)x[4 * i] - mean[0], ry = (double)x[4 * i + 1] - mean[1];
        angular += rx * (double)v[4 * i + 1] - ry * (double)v[4 * i];
        inertia += rx * rx + ry * ry;
    }
    assert_less(fabs(mean[3] - 1) + fabs(mean[4]) + fabs(mean[5]), 1e-5);
    assert_less(fabs(angular / inertia + 5), 1e-4);
    sl_world_destroy(world);
}

/* A stiffer, heavier shell: the speed of sound and the mass grow with the shell's fraction. */
static void variation_changes_the_material(void **state)
{
    (void)state;
    double energy[3], sound[3];
    for (int varied = 0; varied < 3; varied++) { /* not, by the fill's noise, by attributes */
        SlSystemId id;
        SlWorld *world = bare_world(&id);
        Snowball ball;
        ball_shape(&ball, (SlVec3){0, 0, 0}, 0.2f);
        ball.fill.velocity = (SlVec3){1, 0, 0};
        ball.fill.noise.shell = 1; /* all of it */
        if (varied == 1) {
            assert_ok(sl_system_set_number(world, id, "vary_density", 0.5, &test_error));
            assert_ok(sl_system_set_number(world, id, "vary_stiffness", 0.9, &test_error));
            assert_ok(sl_system_set_number(world, id, "vary_yield", -0.5, &test_error));
        }
        static const float dense = 0.5f, stiff = 0.9f;
        if (varied == 2) {
            assert_ok(sl_system_add_attribute(world, id, "vary_density", SL_FIELD_F32, &dense,
                                              &test_error));
            assert_ok(sl_system_add_attribute(world, id, "vary_stiffness", SL_FIELD_F32, &stiff,
                                              &test_error));
        }
        assert_ok(sl_system_add_fill(world, id, &ball.fill, &test_error));
        assert_ok(sl_world_step(world, 1e-4, &test_error));
        energy[varied] = ball_system(world)->stats.kinetic_energy;
        sound[varied] = ((const SlSnowState *)ball_system(world)->state)->max_sound_speed;
        sl_world_destroy(world);
    }
    for (int k = 1; k < 3; k++) {
        print_message("a shell: %.3f times the mass, %.3f times the sound\n", energy[k] / energy[0],
                      sound[k] / sound[0]);
        assert_near(energy[k] / energy[0], 1.5, 1e-3);
        assert_near(sound[k] / sound[0], sqrt(1.9 / 1.5), 1e-3);
    }
}

/* Poisson's ratio varies too: 0.2 with a variation of a half is 0.3. */
static void poisson_varies(void **state)
{
    (void)state;
    double sound[2];
    for (int varied = 0; varied < 2; varied++) {
        SlSystemId id;
        SlWorld *world = bare_world(&id);
        Snowball ball;
        ball_shape(&ball, (SlVec3){0, 0, 0}, 0.2f);
        ball.fill.noise.shell = 1; /* all of it */
        assert_ok(sl_system_set_number(world, id, "poisson", varied ? 0.2 : 0.3, &test_error));
        assert_ok(sl_system_set_number(world, id, "vary_poisson", varied ? 0.5 : 0, &test_error));
        assert_ok(sl_system_add_fill(world, id, &ball.fill, &test_error));
        assert_ok(sl_world_step(world, 1e-4, &test_error));
        sound[varied] = ((const SlSnowState *)ball_system(world)->state)->max_sound_speed;
        sl_world_destroy(world);
    }
    assert_near(sound[1] / sound[0], 1, 1e-4);
}

/* Where variation is 1, a critical stretch that varies by half is one and a half times as large: bit
   for bit as if it had been given so, while the critical compression stays. */
static void vary_stretch_changes_the_critical_stretch_only(void **state)
{
    (void)state;
    SlWorld *worlds[2];
    for (int varied = 0; varied < 2; varied++) {
        SlSystemId id;
        SlWorld *world = bare_world(&id);
        Snowball ball;
        ball_shape(&ball, (SlVec3){0, -0.89f, 0}, 0.1f);
        ball.fill.velocity = (SlVec3){0, -4, 0};
        ball.fill.noise.shell = 1; /* all of it */
        double stretch = varied ? 0x1p-10 : 1.5 * 0x1p-10;
        assert_ok(sl_system_set_number(world, id, "critical_stretch", stretch, &test_error));
        assert_ok(sl_system_set_number(world, id, "vary_stretch", varied ? 0.5 : 0, &test_error));
        assert_ok(sl_system_add_fill(world, id, &ball.fill, &test_error));
        assert_ok(sl_world_step(world, 0.02, &test_error));
        worlds[varied] = world;
    }
    const float *given = field_of(worlds[0], SL_F_PLASTIC);
    size_t count = ball_system(worlds[0])->particles.count, torn = 0;
    for (size_t i = 0; i < count; i++)
        torn += given[i] > 1.001f;
    print_message("torn: %zu of %zu particles\n", torn, count);
    assert_true(torn > 0);
    assert_memory_equal(given, field_of(worlds[1], SL_F_PLASTIC), count * sizeof *given);
    for (int k = 0; k < 2; k++)
        sl_world_destroy(worlds[k]);
}

/* Invalid values are refused with the allowed range. */
static void impossible_materials_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double value;
    } bad[] = {{"poisson", 0.5},        {"poisson", -1},          {"stiffness", 0},
               {"stiffness", NAN},      {"stiffness", -1e5},      {"rest_density", 0},
               {"hardening", -1},       {"hardening", INFINITY},  {"critical_compression", 1},
               {"critical_stretch", -0.1}, {"max_plastic_volume", 0},     {"spacing", 0},
               {"vary_stiffness", 1},   {"vary_density", -1},     {"time_step", -1},
               {"beta", 1.5},           {"cell", 0}};
    SlSystemId id;
    SlWorld *world = bare_world(&id);
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        assert_int_equal(sl_system_set_number(world, id, bad[k].name, bad[k].value, &test_error),
                         SL_ERROR_ARGUMENT);
        assert_non_null(strstr(test_error.text, bad[k].name));
        assert_non_null(strstr(test_error.text, "may be from"));
        sl_world_clear_error(world);
    }
    sl_world_destroy(world);
}

static void assert_finite_places(SlWorld *world)
{
    const float *x = field_of(world, SL_F_POSITION), *v = field_of(world, SL_F_VELOCITY);
    for (size_t i = 0; i < 4 * ball_system(world)->particles.count; i++)
        assert_true(i % 4 == 3 || (isfinite(x[i]) && isfinite(v[i])));
}

/* What the rows allow at their ends: it runs, explicit and with a solve, or stops with an error; never
   NaN. */
static void extreme_materials_stay_finite(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double value;
        const char *other;
        double second;
    } sets[] = {{"critical_compression", 0, "critical_stretch", 0},
                {"critical_compression", 0.5, "critical_stretch", 0.5},
                {"hardening", 50, "stiffness", 1},
                {"hardening", 50, "stiffness", 1.4e5},
                {"hardening", 0, "max_plastic_volume", 1},
                {"poisson", 0.49, "stiffness", 1e6},
                {"poisson", 0, "rest_density", 1e5},
                {"stiffness", 1e12, "rest_density", 1e-3},
                {"cell", 1, "stiffness", 1.4e5},
                {"cell", 4, "stiffness", 1.4e5}};
    for (size_t k = 0; k < sizeof sets / sizeof sets[0]; k++)
        for (int t = 0; t < 4; t++) {
            SlSystemId id;
            SlWorld *world = bare_world(&id);
            SlBlock block = {.min = {0, -0.98f, 0}, .max = {0.12f, -0.86f, 0.12f},
                                .velocity = {0, -2, 0}};
            assert_ok(sl_system_set_text(world, id, "transfer", t % 2 == 0 ? "mls" : "flip",
                                         &test_error));
            assert_ok(sl_system_set_text(world, id, "integration", t < 2 ? "explicit" : "implicit",
                                         &test_error));
            assert_ok(sl_system_set_number(world, id, sets[k].name, sets[k].value, &test_error));
            assert_ok(sl_system_set_number(world, id, sets[k].other, sets[k].second, &test_error));
            assert_ok(sl_system_add_block(world, id, &block, &test_error));
            double time = sets[k].value >= 1e12 ? 1e-6 : 0.02;
            SlStatus status = sl_world_step(world, time, &test_error);
            print_message("%s %g, %s %g: %s%s\n", sets[k].name, sets[k].value, sets[k].other,
                          sets[k].second, sl_status_name(status),
                          status == SL_OK ? "" : test_error.text);
            if (status == SL_OK)
                assert_finite_places(world);
            else
                assert_true(status == SL_ERROR_NUMBERS &&
                            strncmp(test_error.text, "snow: ", 6) == 0);
            sl_world_destroy(world);
        }
}

/* Bodies without volume are refused; bodies far outside or thin as a sheet have no effect. */
static void odd_bodies(void **state)
{
    (void)state;
    SlSystemId id;
    SlWorld *world = bare_world(&id);
    SlShape point = sl_default_shape(SL_SHAPE_SPHERE), flat = sl_default_shape(SL_SHAPE_BOX);
    SlColliderId collider;
    point.radius = 0;
    flat.half = (SlVec3){0.1f, 0, 0.1f};
    assert_int_equal(sl_world_add_collider(world, &point, &collider, &test_error),
                     SL_ERROR_ARGUMENT);
    assert_true(test_error.text[0] != '\0');
    sl_world_clear_error(world);
    assert_int_equal(sl_world_add_collider(world, &flat, &collider, &test_error),
                     SL_ERROR_ARGUMENT);
    sl_world_clear_error(world);
    SlShape far = sl_default_shape(SL_SHAPE_SPHERE), sheet = sl_default_shape(SL_SHAPE_BOX);
    far.center = (SlVec3){500, 500, 500};
    far.radius = 0.3f;
    sheet.center = (SlVec3){0.06f, -0.9f, 0.06f};
    sheet.half = (SlVec3){0.2f, 1e-5f, 0.2f};
    assert_ok(sl_world_add_collider(world, &far, &collider, &test_error));
    assert_ok(sl_world_add_collider(world, &sheet, &collider, &test_error));
    SlBlock block = {.min = {0, -0.8f, 0}, .max = {0.12f, -0.7f, 0.12f}};
    assert_ok(sl_system_add_block(world, id, &block, &test_error));
    SlStatus status = sl_world_step(world, 0.2, &test_error);
    print_message("odd bodies: %s %s\n", sl_status_name(status),
                  status == SL_OK ? "" : test_error.text);
    assert_int_equal(status, SL_OK);
    assert_finite_places(world);
    for (size_t b = 0; b < ball_system(world)->stats.body_count; b++)
        for (int k = 0; k < 3; k++)
            assert_true(isfinite(ball_system(world)->stats.bodies[b].force[k]));
    sl_world_destroy(world);
}

/* Snow outside of the domain, or too little for a particle: an error at the start. */
static void nothing_to_fill(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        SlSystemId id;
        SlWorld *world = bare_world(&id);
        Snowball ball;
        SlVec3 center = k == 0 ? (SlVec3){500, 500, 500} : (SlVec3){0.0031f, 0.0017f, 0.0023f};
        ball_shape(&ball, center, k == 0 ? 0.3f : 1e-5f);
        assert_ok(sl_system_add_fill(world, id, &ball.fill, &test_error));
        assert_int_equal(sl_world_start(world, &test_error), SL_ERROR_ARGUMENT);
        assert_non_null(strstr(test_error.text, "no place for a particle"));
        sl_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(presets_fit_their_rows),
        cmocka_unit_test(given_keys_override_a_preset),
        cmocka_unit_test(every_preset_runs),
        cmocka_unit_test(shells_and_crusts),
        cmocka_unit_test(fills_spin_and_have_an_offset),
        cmocka_unit_test(variation_changes_the_material),
        cmocka_unit_test(poisson_varies),
        cmocka_unit_test(vary_stretch_changes_the_critical_stretch_only),
        cmocka_unit_test(impossible_materials_are_refused),
        cmocka_unit_test(extreme_materials_stay_finite),
        cmocka_unit_test(odd_bodies),
        cmocka_unit_test(nothing_to_fill),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
