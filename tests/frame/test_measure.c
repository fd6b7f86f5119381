/* Figures of a system: known configurations, compared with sums by hand and with a search of all pairs. */
#include "support/test.h"

enum { MAX_PARTICLES = 4096 };

/* A frame of one system that a case fills. */
typedef struct Case {
    SlContext *context;
    float position[MAX_PARTICLES][3], velocity[MAX_PARTICLES][3];
    float mass[MAX_PARTICLES], plastic[MAX_PARTICLES];
    uint32_t id[MAX_PARTICLES];
    SlFieldView fields[5];
    SlSystemView system;
    SlFrameView view;
    SlMeasureDef def;
    SlMeasurement m;
} Case;

static Case *new_case(uint32_t threads)
{
    Case *c = calloc(1, sizeof *c);
    assert_non_null(c);
    c->context = test_context(threads);
    c->fields[0] = (SlFieldView){"position", "m", "", SL_FIELD_F32X3, c->position, 0, 12};
    c->fields[1] = (SlFieldView){"velocity", "m/s", "", SL_FIELD_F32X3, c->velocity, 0, 12};
    c->fields[2] = (SlFieldView){"id", "", "", SL_FIELD_U32, c->id, 0, 4};
    c->fields[3] = (SlFieldView){"mass", "kg", "", SL_FIELD_F32, c->mass, 0, 4};
    c->fields[4] = (SlFieldView){"plastic", "", "", SL_FIELD_F32, c->plastic, 0, 4};
    c->system = (SlSystemView){.name = "snow", .solver = "snow", .spacing = 0.1f, .mass = 0.5f,
                               .fields = c->fields, .field_count = 5};
    c->view = (SlFrameView){.gravity = {0, -10, 0}, .systems = &c->system, .system_count = 1};
    c->def = sl_default_measure_def();
    return c;
}

static void free_case(Case *c)
{
    sl_context_destroy(c->context);
    free(c);
}

static void add(Case *c, float x, float y, float z)
{
    size_t i = c->system.particle_count++;
    assert_true(i < MAX_PARTICLES);
    c->position[i][0] = x;
    c->position[i][1] = y;
    c->position[i][2] = z;
    c->id[i] = (uint32_t)i;
    c->mass[i] = c->plastic[i] = 1;
    for (int f = 0; f < 5; f++)
        c->fields[f].count = c->system.particle_count;
}

/* n³ particles, a spacing apart. */
static void add_cube(Case *c, float x, float y, float z, int n)
{
    for (int k = 0; k < n * n * n; k++)
        add(c, x + 0.1f * (float)(k % n), y + 0.1f * (float)(k / n % n), z + 0.1f * (float)(k / n / n));
}

static void measure(Case *c)
{
    assert_ok(sl_measure_system(c->context, &c->view, &c->system, &c->def, &c->m, &test_error));
}

static void two_cubes_are_two_pieces_until_a_bridge_joins_them(void **state)
{
    (void)state;
    Case *c = new_case(1);
    add_cube(c, 0, 0, 0, 10);
    add_cube(c, 1.3f, 0.05f, 0, 8); /* 0.4 m from the other */
    measure(c);
    assert_int_equal(c->m.particles, 1512);
    assert_int_equal(c->m.pieces, 2);
    assert_near(c->m.largest, 1000.0 / 1512, 1e-12);
    assert_near(c->m.second, 512.0 / 1512, 1e-12);
    assert_true(c->m.crumbs == 0);
    add(c, 1.02f, 0.05f, 0); /* 0.13 m from the first cube: a part of it */
    measure(c);
    assert_int_equal(c->m.pieces, 2);
    assert_near(c->m.largest, 1001.0 / 1513, 1e-12);
    add(c, 1.16f, 0.05f, 0); /* 0.14 m from either end */
    measure(c);
    assert_int_equal(c->m.pieces, 1);
    assert_true(c->m.largest == 1 && c->m.second == 0);
    c->def.link = 1.2;
    measure(c);
    assert_int_equal(c->m.pieces, 2); /* and two crumbs */
    assert_near(c->m.crumbs, 2.0 / 1514, 1e-12);
    free_case(c);
}

static void small_components_are_crumbs(void **state)
{
    (void)state;
    Case *c = new_case(1);
    add_cube(c, -0.5f, -0.5f, -0.5f, 12);
    add(c, 5, 0, 0); /* 1 of 1731 is below 0.1 %, */
    add(c, 7, 0, 0); /* 2 are above */
    add(c, 7.1f, 0, 0);
    measure(c);
    assert_int_equal(c->m.pieces, 2);
    assert_near(c->m.crumbs, 1.0 / 1731, 1e-12);
    c->def.min_piece = 0.01;
    measure(c);
    assert_int_equal(c->m.pieces, 1);
    assert_near(c->m.crumbs, 3.0 / 1731, 1e-12);
    c->def.min_piece = 0;
    measure(c);
    assert_int_equal(c->m.pieces, 3);
    free_case(c);
}

/* Fractions are of the mass, the threshold of a piece is a number of particles. */
static void masses_may_vary(void **state)
{
    (void)state;
    Case *c = new_case(1);
    add_cube(c, 0, 0, 0, 4);
    add_cube(c, 2, 0, 0, 4);
    c->system.mass = 0;
    for (int i = 64; i < 128; i++) {
        c->mass[i] = 3;
        c->plastic[i] = 0.6f;
    }
    measure(c);
    assert_int_equal(c->m.pieces, 2);
    assert_true(c->m.mass == 256 && c->m.largest == 0.75 && c->m.second == 0.25);
    assert_near(c->m.plastic, 0.25 + 0.75 * 0.6, 1e-7);
    assert_true(isnan(c->m.density_ratio));
    assert_near(c->m.center[0], 0.15 + 0.75 * 2, 1e-6);
    /* Not known: all count the same. */
    c->fields[3].name = "other";
    measure(c);
    assert_true(c->m.mass == 0 && c->m.largest == 0.5 && c->m.kinetic_energy == 0);
    free_case(c);
}

static float random_unit(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (float)(*seed >> 8) / 16777216.0f;
}

/* The components of a sparse random cloud, by repeated passes over all pairs. */
static void pieces_are_those_of_all_pairs(void **state)
{
    (void)state;
    enum { COUNT = 1500 };
    static uint32_t label[COUNT], size[COUNT];
    Case *c = new_case(3);
    uint32_t seed = 7;
    for (int i = 0; i < COUNT; i++)
        add(c, 1.6f * random_unit(&seed) - 20, 1.6f * random_unit(&seed), 1.6f * random_unit(&seed) + 3);
    memset(size, 0, sizeof size);
    for (uint32_t i = 0; i < COUNT; i++)
        label[i] = i;
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 0; i < COUNT; i++)
            for (int j = 0; j < i; j++) {
                double d2 = 0;
                for (int k = 0; k < 3; k++) {
                    double d = (double)c->position[i][k] - (double)c->position[j][k];
                    d2 += d * d;
                }
                if (label[i] != label[j] && d2 < 0.15 * 0.15) {
                    label[i] = label[j] = label[i] < label[j] ? label[i] : label[j];
                    changed = true;
                }
            }
    }
    size_t pieces = 0;
    uint32_t largest = 0;
    for (int i = 0; i < COUNT; i++)
        size[label[i]]++;
    for (int i = 0; i < COUNT; i++) {
        pieces += size[i] >= 2; /* 0.1 % is 1.5 particles */
        largest = size[i] > largest ? size[i] : largest;
    }
    assert_true(pieces > 10 && largest > 20 && largest < 1400); /* it is a case worth testing */
    measure(c);
    assert_int_equal(c->m.pieces, pieces);
    assert_near(c->m.largest, largest / (double)COUNT, 1e-12);
    SlMeasurement three = c->m;
    sl_context_destroy(c->context);
    c->context = test_context(1);
    measure(c);
    assert_memory_equal(&three, &c->m, sizeof three);
    free_case(c);
}

static void positions_and_motion(void **state)
{
    (void)state;
    Case *c = new_case(1);
    for (int k = 0; k < 10; k++) { /* at distances 1 … 10 from (1, ·, 2) */
        add(c, 1 + 0.6f * (float)(k + 1), 3, 2 - 0.8f * (float)(k + 1));
        c->velocity[k][k % 3] = (float)k;
    }
    c->def.center = (SlVec3){1, 100, 2};
    measure(c);
    assert_near(c->m.run_out, 9, 1e-6);
    assert_near(c->m.kinetic_energy, 0.5 * 0.5 * 285, 1e-9);
    assert_near(c->m.potential_energy, 10 * 0.5 * 10 * 3, 1e-9);
    assert_near(c->m.max_speed, 9, 1e-12);
    assert_near(c->m.min[0], 1.6, 1e-6);
    assert_near(c->m.max[0], 7, 1e-6);
    assert_near(c->m.min[2], -6, 1e-6);
    assert_near(c->m.center[1], 3, 1e-6);
    c->def.run_out_fraction = 1;
    measure(c);
    assert_near(c->m.run_out, 10, 1e-6);
    free_case(c);
}

/* Columns of nine layers; the box holds the half with x < 1. */
static void box_and_turned(void **state)
{
    (void)state;
    Case *c = new_case(1), *start;
    for (int k = 0; k < 9; k++)
        for (int i = 0; i < 20; i++)
            add(c, 0.1f * (float)i, 0.1f * (float)k, 0);
    start = new_case(1);
    memcpy(start->position, c->position, sizeof c->position);
    memcpy(start->id, c->id, sizeof c->id);
    start->system.particle_count = 180;
    c->def.box = (SlBox){{-1, -1, -1}, {0.95f, 5, 1}};
    c->def.first = &start->system;
    measure(c);
    assert_int_equal(c->m.box.particles, 90);
    assert_true(c->m.box.mass == 45 && c->m.low_on_top == 0 && c->m.top_from_low == 0);
    assert_near(c->m.box.top, 0.8, 1e-6);
    assert_near(c->m.box.height, 0.8, 1e-6);
    for (int i = 0; i < 180; i++) /* upside down */
        c->position[i][1] = 0.8f - c->position[i][1];
    measure(c);
    assert_true(c->m.low_on_top == 1 && c->m.top_from_low == 1);
    for (int i = 0; i < 180; i++) /* half of the columns turned back */
        if (i % 2 == 0)
            c->position[i][1] = 0.8f - c->position[i][1];
    measure(c);
    assert_near(c->m.low_on_top, 0.5, 1e-12);
    assert_near(c->m.top_from_low, 0.5, 1e-12);
    c->position[0][1] = 4; /* one grain above the others */
    measure(c);
    assert_true(c->m.box.top == 4);
    assert_near(c->m.box.height, 0.8, 1e-6);
    c->def.box = (SlBox){{50, 0, 0}, {51, 1, 1}};
    measure(c);
    assert_int_equal(c->m.box.particles, 0);
    assert_true(c->m.box.mass == 0 && isnan(c->m.box.top) && isnan(c->m.low_on_top));
    /* Order does not matter: particles are recognised by id. */
    c->def.box = sl_default_measure_def().box;
    for (int i = 0; i < 180; i++) {
        memcpy(c->position[i], start->position[179 - i], sizeof c->position[i]);
        c->id[i] = (uint32_t)(179 - i);
    }
    measure(c);
    assert_true(c->m.low_on_top == 0);
    free_case(start);
    free_case(c);
}

static void no_particles(void **state)
{
    (void)state;
    Case *c = new_case(1);
    c->def.first = &c->system;
    measure(c);
    assert_true(c->m.particles == 0 && c->m.pieces == 0 && c->m.mass == 0 && c->m.largest == 0);
    assert_true(isnan(c->m.center[0]) && isnan(c->m.run_out) && isnan(c->m.max[1]));
    assert_true(c->m.kinetic_energy == 0 && c->m.potential_energy == 0);
    add(c, 1, 2, 3);
    measure(c);
    assert_true(c->m.pieces == 1 && c->m.largest == 1 && c->m.center[2] == 3);
    free_case(c);
}

static void refuse(Case *c, const char *words)
{
    assert_int_equal(
        sl_measure_system(c->context, &c->view, &c->system, &c->def, &c->m, &test_error),
        SL_ERROR_ARGUMENT);
    if (strstr(test_error.text, words) == NULL)
        fail_msg("no \"%s\" in: %s", words, test_error.text);
    c->def = sl_default_measure_def();
}

static void bad_input_is_refused(void **state)
{
    (void)state;
    Case *c = new_case(1);
    add_cube(c, 0, 0, 0, 3);
    c->def.cookie = 0;
    refuse(c, "sl_default_measure_def");
    c->def.link = 0;
    refuse(c, "link: 0");
    c->def.link = NAN;
    refuse(c, "link");
    c->def.min_piece = 2;
    refuse(c, "min_piece: 2");
    c->def.run_out_fraction = 0;
    refuse(c, "run_out_fraction");
    c->def.box.min.y = 2;
    c->def.box.max.y = 1;
    refuse(c, "box: its minimum in y");
    c->system.spacing = 0;
    refuse(c, "spacing");
    c->system.spacing = 0.1f;
    c->fields[1].name = "speed";
    refuse(c, "no field \"velocity\"");
    c->fields[1].name = "velocity";
    c->fields[2].name = "number";
    c->def.first = &c->system;
    refuse(c, "no field \"id\"");
    c->fields[0].type = SL_FIELD_F32;
    refuse(c, "no field \"position\"");
    free_case(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_cubes_are_two_pieces_until_a_bridge_joins_them),
        cmocka_unit_test(small_components_are_crumbs),
        cmocka_unit_test(masses_may_vary),
        cmocka_unit_test(pieces_are_those_of_all_pairs),
        cmocka_unit_test(positions_and_motion),
        cmocka_unit_test(box_and_turned),
        cmocka_unit_test(no_particles),
        cmocka_unit_test(bad_input_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
