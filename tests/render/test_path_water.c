/* What water brings besides its surface: grains of whitewater, mist, small drops, wet solids, the tank. */
#include "support/path_case.h"
#include "support/test.h"

#include "render/path/scene.h"

/* The first grain is at the particle; the others are around it, smaller, and stay where they are. */
static void grains_of_a_particle(void **state)
{
    (void)state;
    for (uint32_t id = 0; id < 200; id++)
        for (uint32_t part = 0; part < SL_GRAINS; part++) {
            SlGrain a = sl_whitewater_grain(id, part, 0.01f, 0), b = sl_whitewater_grain(id, part, 0.01f, 0);
            float far = sl_length(a.offset);
            assert_memory_equal(&a, &b, sizeof a);
            assert_true(part == 0 ? far == 0 : far >= 0.0199f && far <= 0.0901f);
            assert_true(a.radius > 0.004f && a.radius <= 0.01351f);
            assert_true(sl_whitewater_grain(id, part, 1e-6f, 0.01f).radius >= 0.0017f);
        }
    SlGrain one = sl_whitewater_grain(1, 1, 0.01f, 0), two = sl_whitewater_grain(2, 1, 0.01f, 0);
    assert_true(sl_length(sl_sub(one.offset, two.offset)) > 1e-4f);
}

/* White grains in even light are invisible: they neither take nor make light. */
static void grains_in_even_light(void **state)
{
    (void)state;
    PathCase c = path_case(24, 24, 256);
    static float position[2][3] = {{0, 0, 0}, {0.3f, 0.2f, 0.1f}}, radius[2] = {0.2f, 0.1f};
    SlFieldView fields[2] = {{"position", "m", "", SL_FIELD_F32X3, position, 2, 12},
                             {"radius", "m", "", SL_FIELD_F32, radius, 2, 4}};
    SlSystemView system = {.name = "w", .solver = "whitewater", .particle_count = 2, .spacing = 1,
                           .material = path_material(SL_MATERIAL_FOAM, 1, 1), .fields = fields,
                           .field_count = 2};
    c.view.systems = &system;
    c.view.system_count = 1;
    path_set(&c, "max_bounces", 200);
    float *white = path_draw(&c, 1, "color");
    assert_near(path_mean(white, 3 * 24 * 24), 1, 0.002);
    system.material = path_material(SL_MATERIAL_FOAM, 0.5f, 1);
    float *grey = path_draw(&c, 1, "color");
    assert_true(path_mean(grey, 3 * 24 * 24) < 0.98);
    free(white);
    free(grey);
}

enum { SPRAY = 400 };
static float spray_position[SPRAY][3];
static uint32_t spray_phase[SPRAY];

/* Fine spray in a ball of 0.5 m around the origin; `phase`: 0 is spray, 2 bubbles. */
static void add_spray(PathCase *c, SlSystemView *system, SlFieldView fields[2], uint32_t phase)
{
    for (uint32_t k = 0; k < SPRAY; k++) {
        float turn = 2.39996f * (float)k, z = 1 - 2 * ((float)k + 0.5f) / SPRAY, flat = sqrtf(1 - z * z);
        float far = 0.5f * cbrtf((float)(k * 37 % SPRAY) / SPRAY);
        spray_position[k][0] = far * flat * cosf(turn);
        spray_position[k][1] = far * z;
        spray_position[k][2] = far * flat * sinf(turn);
        spray_phase[k] = phase;
    }
    fields[0] = (SlFieldView){"position", "m", "", SL_FIELD_F32X3, spray_position, SPRAY, 12};
    fields[1] = (SlFieldView){"phase", "", "", SL_FIELD_U32, spray_phase, SPRAY, 4};
    *system = (SlSystemView){.name = "w", .solver = "whitewater", .particle_count = SPRAY, .spacing = 0.02f,
                             .material = path_material(SL_MATERIAL_FOAM, 1, 1), .fields = fields,
                             .field_count = 2};
    c->view.systems = system;
    c->view.system_count = 1;
    path_set(c, "foam", 0);
}

/* In even light mist is invisible; before a dark wall it is seen, and only around spray. */
static void mist_around_spray(void **state)
{
    (void)state;
    double mean[4];
    for (int k = 0; k < 4; k++) {
        PathCase c = path_case(16, 16, 128);
        SlSystemView system;
        SlFieldView fields[2];
        SlShape wall = sl_default_shape(SL_SHAPE_BOX);
        wall.center = (SlVec3){0, 0, -2};
        wall.half = (SlVec3){20, 20, 0.5f};
        add_spray(&c, &system, fields, k == 3 ? 2 : 0);
        if (k > 0)
            path_add_shape(&c, wall, path_material(SL_MATERIAL_SOLID, 0, 1));
        path_set(&c, "mist", k == 2 ? 0 : 40);
        c.camera.fov = 10;
        float *color = path_draw(&c, 2, "color");
        mean[k] = path_mean(color, 3 * 16 * 16);
        free(color);
    }
    assert_near(mean[0], 1, 0.005);
    assert_true(mean[1] > mean[2] + 0.1);
    assert_true(mean[3] == mean[2]);
}

/* Water in x < 0: solids there are wet, those far away dry, and wetness falls in between. */
static void wet_near_water(void **state)
{
    (void)state;
    enum { SIDE = 10 };
    static float position[SIDE * SIDE * SIDE][3];
    for (int k = 0; k < SIDE * SIDE * SIDE; k++) {
        position[k][0] = -0.1f * ((float)(k % SIDE) + 0.5f);
        position[k][1] = 0.1f * ((float)(k / SIDE % SIDE) + 0.5f);
        position[k][2] = 0.1f * ((float)(k / SIDE / SIDE) + 0.5f);
    }
    SlFieldView field = {"position", "m", "", SL_FIELD_F32X3, position, SIDE * SIDE * SIDE, 12};
    SlSystemView system = {.name = "water", .solver = "pbf", .particle_count = SIDE * SIDE * SIDE,
                           .spacing = 0.1f, .material = sl_default_material(SL_MATERIAL_WATER),
                           .fields = &field, .field_count = 1};
    SlFrameView view = {.systems = &system, .system_count = 1};
    SlContext *context = test_context(1);
    SlArena arena;
    SlWetMap map;
    sl_arena_init(&arena, &context->memory);
    assert_true(sl_wet_make(&arena, &view, 10, &map));
    float last = 1;
    for (int k = 0; k < 7; k++) { /* the mean over a plane, 0.3 m further each time */
        float sum = 0;
        for (int n = 0; n < 400; n++)
            sum += sl_wet_at(&map, sl_vec3(-0.3f + 0.3f * (float)k, 0.05f * (float)(n % 20),
                                           0.05f * (float)(n / 20))) / 400;
        assert_true(sum <= last + 0.02f);
        assert_true(k > 0 || sum > 0.99f);
        last = sum;
    }
    assert_true(last == 0);
    assert_true(sl_wet_at(&map, sl_vec3(1e30f, -1e30f, 0)) == 0);
    assert_true(sl_wet_make(&arena, &view, 0, &map));
    assert_true(sl_wet_at(&map, sl_vec3(-0.5f, 0.5f, 0.5f)) == 0);
    sl_arena_free(&arena);
    sl_context_destroy(context);
}

/* A grey ball with two drops of water inside: wet it is darker; hidden, the sky is seen beside them. */
static void wet_and_hidden_solids(void **state)
{
    (void)state;
    static float position[2][3] = {{0, 0, 0}, {0.1f, 0, 0}};
    SlFieldView field = {"position", "m", "", SL_FIELD_F32X3, position, 2, 12};
    SlSystemView system = {.name = "water", .solver = "pbf", .particle_count = 2, .spacing = 0.1f,
                           .material = sl_default_material(SL_MATERIAL_WATER), .fields = &field,
                           .field_count = 1};
    double mean[3];
    for (int k = 0; k < 3; k++) {
        PathCase c = path_case(16, 16, 64);
        SlShape ball = sl_default_shape(SL_SHAPE_SPHERE);
        ball.radius = 1;
        path_add_shape(&c, ball, path_material(SL_MATERIAL_SOLID, 0.5f, 1));
        c.colliders[0].name = "ball";
        c.view.systems = &system;
        c.view.system_count = 1;
        c.camera.fov = 16;
        path_set(&c, "wet", k == 1 ? 100 : 0);
        if (k == 2)
            path_set_text(&c, "hide", "other,ball");
        float *color = path_draw(&c, 2, "color");
        mean[k] = path_mean(color, 3 * 16 * 16);
        free(color);
    }
    assert_near(mean[0], 0.5, 0.01);
    /* 0.5 × 0.53 / (1 - 0.47 × 0.5) = 0.346 below a film that mirrors about 0.06 of the light */
    assert_true(mean[1] > 0.33 && mean[1] < 0.46);
    assert_true(mean[2] > 0.9);
}

static void tetrahedron(float *positions, uint32_t *triangles, uint32_t first, float size, float x)
{
    static const uint32_t faces[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    for (uint32_t v = 0; v < 4; v++) {
        positions[3 * (first + v)] = x + (v == 1 ? size : 0);
        positions[3 * (first + v) + 1] = v == 2 ? size : 0;
        positions[3 * (first + v) + 2] = v == 3 ? size : 0;
    }
    for (uint32_t k = 0; k < 12; k++)
        triangles[3 * first + k] = first + faces[k];
}

/* A piece of one spacing becomes 0.42 of its size about its middle; one of five spacings stays. */
static void drops_shrink(void **state)
{
    (void)state;
    float positions[24];
    uint32_t triangles[24];
    tetrahedron(positions, triangles, 0, 0.1f, 0);
    tetrahedron(positions, triangles, 4, 0.5f, 2);
    SlContext *context = test_context(1);
    SlArena arena;
    sl_arena_init(&arena, &context->memory);
    assert_true(sl_shrink_drops(&arena, positions, 8, triangles, 8, 0.1f));
    assert_near((double)(positions[3] - positions[0]), 0.042, 1e-6);
    assert_near((double)(positions[0] + positions[3]), 0.1, 1e-6);
    assert_near((double)positions[12], 2, 1e-6);
    assert_near((double)positions[15], 2.5, 1e-6);
    sl_arena_free(&arena);
    sl_context_destroy(context);
}

static void tank_of_a_domain(void **state)
{
    (void)state;
    SlTank tank;
    SlBox box = {{0, 0, 0}, {4, 3, 2}};
    sl_tank_make(&box, 0.1f, &tank);
    assert_int_equal(tank.vertex_count, 8 * SL_TANK_BOXES);
    assert_int_equal(tank.triangle_count, 12 * SL_TANK_BOXES);
    double volume = 0; /* of closed boxes with outward faces: that of the panes */
    for (size_t t = 0; t < tank.triangle_count; t++) {
        SlVec3 p[3];
        for (size_t k = 0; k < 3; k++)
            memcpy(&p[k], tank.positions + 3 * (size_t)tank.triangles[3 * t + k], sizeof p[k]);
        volume += (double)sl_dot(p[0], sl_cross(p[1], p[2])) / 6;
    }
    double thick = 0.01, in = 0.002;
    double outer = (4 + 2 * thick) * (2 + 2 * thick), inner = (4 - 2 * in) * (2 - 2 * in);
    assert_near(volume, 3 * (outer - inner), 1e-4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grains_of_a_particle), cmocka_unit_test(grains_in_even_light),
        cmocka_unit_test(mist_around_spray), cmocka_unit_test(wet_near_water),
        cmocka_unit_test(wet_and_hidden_solids),
        cmocka_unit_test(drops_shrink), cmocka_unit_test(tank_of_a_domain)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
