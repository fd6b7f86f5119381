/* What water brings besides its surface: grains of whitewater, small drops, the tank. */
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
    assert_true(sl_tank_make(&box, 0.1f, &tank));
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
    box.max.x = INFINITY;
    assert_false(sl_tank_make(&box, 0.1f, &tank));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grains_of_a_particle), cmocka_unit_test(grains_in_even_light),
        cmocka_unit_test(drops_shrink), cmocka_unit_test(tank_of_a_domain)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
