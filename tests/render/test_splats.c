/* The splat renderer through its public calls. */
#include "support/test.h"

#include "core/random.h"
#include "render/color.h"

enum { MAX_ROWS = 64, SIDE = 128 };

typedef struct Scene {
    SlFrameView view;
    SlSystemView system;
    SlFieldView fields[3];
    SlCamera camera;
    size_t row_count;
    const SlTable *table;
    SlParamValue values[MAX_ROWS];
} Scene;

static float unit(uint64_t counter, uint64_t stream)
{
    return sl_random_unit(sl_random(9, counter, stream).value[0]);
}

static void set(Scene *scene, const char *name, double number)
{
    const SlParamRow *row = sl_table_find(scene->table, name);
    assert_non_null(row);
    assert_ok(sl_param_set_number(row, number, &scene->values[row - scene->table->rows],
                                  &test_error));
}

static void set_text(Scene *scene, const char *name, const char *text)
{
    const SlParamRow *row = sl_table_find(scene->table, name);
    assert_non_null(row);
    assert_ok(sl_param_set_text(row, text, &scene->values[row - scene->table->rows], &test_error));
}

/* A small square picture of bare particles; the camera looks along -z from 5 m. */
static void bare_scene(Scene *scene, const float (*position)[3], const float (*velocity)[3],
                       size_t count, float spacing)
{
    memset(scene, 0, sizeof *scene);
    size_t kinds;
    scene->table = sl_renderer_tables(&kinds)[0];
    assert_true(kinds >= 1 && scene->table->row_count <= MAX_ROWS);
    for (size_t k = 0; k < scene->table->row_count; k++)
        scene->values[k] = scene->table->rows[k].value;
    scene->fields[0] = (SlFieldView){"position", "m", "", SL_FIELD_F32X3, position, count, 12};
    scene->fields[1] = (SlFieldView){"velocity", "m/s", "", SL_FIELD_F32X3,
                                     velocity != NULL ? velocity : position, count, 12};
    scene->system = (SlSystemView){.name = "water", .solver = "pbf", .particle_count = count, .spacing = spacing, .fields = scene->fields, .field_count = 2};
    scene->view = (SlFrameView){.domain = {{-1, -1, -1}, {1, 1, 1}},
                                .systems = &scene->system,
                                .system_count = 1};
    scene->camera = sl_default_camera();
    scene->camera.eye = (SlVec3){0, 0, 5};
    set(scene, "width", SIDE);
    set(scene, "height", SIDE);
    set(scene, "radius_scale", 1);
    set(scene, "ground", 0);
    set(scene, "domain", 0);
}

/* A copy of the picture, to be freed. */
static uint8_t *draw(Scene *scene, uint32_t threads)
{
    SlContext *context = test_context(threads);
    SlRenderer *renderer;
    const SlImage *image;
    scene->view.systems = &scene->system;
    scene->system.fields = scene->fields;
    assert_ok(sl_renderer_create(context, "splats", scene->values, &renderer, &test_error));
    assert_ok(sl_renderer_draw(renderer, &scene->view, &scene->camera, &image, &test_error));
    assert_true(sl_renderer_last_ms(renderer) > 0);
    size_t bytes = 3 * (size_t)image->width * image->height;
    uint8_t *copy = malloc(bytes);
    memcpy(copy, image->pixels, bytes);
    sl_renderer_destroy(renderer);
    sl_context_destroy(context);
    return copy;
}

static const uint8_t *pixel(const uint8_t *pixels, int x, int y)
{
    return pixels + 3 * (y * SIDE + x);
}

static void silhouette_has_the_radius_of_theory(void **state)
{
    (void)state;
    const float position[1][3] = {{0, 0, 0}};
    Scene scene;
    bare_scene(&scene, position, NULL, 1, 1.6f);
    set_text(&scene, "color_by", "none");
    set(&scene, "shadows", 0);
    uint8_t *with = draw(&scene, 2);
    scene.system.particle_count = 0;
    uint8_t *without = draw(&scene, 2);
    int covered = 0, left = SIDE, right = 0;
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++)
            if (memcmp(pixel(with, x, y), pixel(without, x, y), 3) != 0) {
                covered++;
                left = x < left ? x : left;
                right = x > right ? x : right;
            }
    /* The rim is where rays touch: slope r / sqrt(d² - r²). */
    double focal = 0.5 * SIDE / tan(20 * 3.14159265358979 / 180);
    double radius = focal * 0.8 / sqrt(25 - 0.64);
    assert_near(sqrt(covered / 3.14159265358979), radius, 1);
    assert_near(0.5 * (right - left + 1), radius, 1);
    assert_near(0.5 * (right + left + 1), 0.5 * SIDE, 0.51);
    free(with);
    free(without);
}

static void nearer_sphere_wins(void **state)
{
    (void)state;
    /* The slow one is blue, the fast one white; which is in front decides. */
    for (int front = 0; front < 2; front++) {
        const float position[2][3] = {{0, 0, front == 0 ? 0.5f : -0.5f},
                                      {0, 0, front == 0 ? -0.5f : 0.5f}};
        const float velocity[2][3] = {{0, 0, 0}, {100, 0, 0}};
        Scene scene;
        bare_scene(&scene, position, velocity, 2, 0.6f);
        uint8_t *pixels = draw(&scene, 2);
        const uint8_t *p = pixel(pixels, SIDE / 2, SIDE / 2);
        if (front == 0)
            assert_true(p[2] > 2 * p[0]);
        else
            assert_true(p[0] > 150);
        free(pixels);
    }
}

enum { CROWD = 20000 };
static float crowd_position[CROWD][3], crowd_velocity[CROWD][3];

static void fill_crowd(void)
{
    for (size_t i = 0; i < CROWD; i++)
        for (size_t k = 0; k < 3; k++) {
            crowd_position[i][k] = 1.9f * unit(i, k) - 0.95f;
            crowd_velocity[i][k] = 3 * unit(i, k + 3);
        }
}

static void threads_do_not_change_a_byte(void **state)
{
    (void)state;
    fill_crowd();
    SlColliderView colliders[5];
    for (int k = 0; k < 5; k++) {
        colliders[k] = (SlColliderView){.name = "", .shape = sl_default_shape((SlShapeKind)k)};
        SlShape *shape = &colliders[k].shape;
        shape->center = (SlVec3){-0.8f + 0.4f * (float)k, -0.3f, 0.8f};
        shape->half = (SlVec3){0.15f, 0.3f, 0.15f};
        shape->radius = 0.2f;
        shape->height = 0.5f;
    }
    colliders[0].shape.axis = (SlVec3){0.2f, 1, 0};
    for (int style = 0; style < 2; style++) {
        Scene scene;
        bare_scene(&scene, (const float(*)[3])crowd_position, (const float(*)[3])crowd_velocity,
                   CROWD, 0.06f);
        scene.camera.eye = (SlVec3){2, 1.5f, 3};
        scene.view.colliders = colliders;
        scene.view.collider_count = 5;
        set(&scene, "ground", 1);
        set(&scene, "domain", 1);
        set(&scene, "width", 300);
        set(&scene, "height", 170);
        set(&scene, "shadow_size", 300);
        set_text(&scene, "blend", style == 0 ? "opaque" : "transparent");
        uint8_t *one = draw(&scene, 1);
        for (uint32_t threads = 2; threads <= 7; threads += threads == 3 ? 4 : 1) {
            uint8_t *other = draw(&scene, threads);
            assert_memory_equal(one, other, 3 * 300 * 170);
            free(other);
        }
        free(one);
    }
}

/* Linear light of an 8-bit value. */
static double light_of(double value)
{
    double low = 0, high = 16;
    for (int k = 0; k < 60; k++) {
        double middle = 0.5 * (low + high);
        if (255 * sl_linear_to_srgb(sl_tone_map((float)middle)) < value)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static double value_of(double light)
{
    return 255 * sl_linear_to_srgb(sl_tone_map((float)light));
}

/* Two layers: what each gives alone tells its light; both together must be "over" twice. */
static void transparent_layers_blend_back_to_front(void **state)
{
    (void)state;
    const double opacity = 0.4;
    const float position[2][3] = {{0, 0, 0.6f}, {0, 0, -0.6f}};
    const float velocity[2][3] = {{0, 0, 0}, {100, 0, 0}};
    uint8_t *picture[4]; /* none, near, far, both */
    for (int k = 0; k < 4; k++) {
        Scene scene;
        bare_scene(&scene, position + (k == 2), velocity + (k == 2), k == 3 ? 2 : k > 0, 0.6f);
        set_text(&scene, "blend", "transparent");
        set(&scene, "opacity", opacity);
        set(&scene, "shadows", 0);
        picture[k] = draw(&scene, 1);
    }
    for (int channel = 0; channel < 3; channel++) {
        double light[4];
        for (int k = 0; k < 4; k++)
            light[k] = light_of(pixel(picture[k], SIDE / 2, SIDE / 2)[channel]);
        double near = (light[1] - (1 - opacity) * light[0]) / opacity;
        double far = (light[2] - (1 - opacity) * light[0]) / opacity;
        double behind = opacity * far + (1 - opacity) * light[0];
        double both = opacity * near + (1 - opacity) * behind;
        assert_near(value_of(both), pixel(picture[3], SIDE / 2, SIDE / 2)[channel], 3);
        /* The other order would be seen. */
        double wrong = opacity * far + (1 - opacity) * (opacity * near + (1 - opacity) * light[0]);
        if (channel == 0)
            assert_true(fabs(value_of(wrong) - value_of(both)) > 8);
    }
    for (int k = 0; k < 4; k++)
        free(picture[k]);
}

static void empty_views_are_drawn(void **state)
{
    (void)state;
    Scene scene;
    bare_scene(&scene, NULL, NULL, 0, 0.1f);
    free(draw(&scene, 2));
    scene.view.system_count = 0;
    set(&scene, "ground", 1);
    set(&scene, "domain", 1);
    free(draw(&scene, 2));
    scene.view.domain = (SlBox){{0, 0, 0}, {0, 0, 0}};
    free(draw(&scene, 2));
    set_text(&scene, "blend", "transparent");
    free(draw(&scene, 2));
}

/* Numbers that are none, behind, at the eye, far too large: nothing crashes, the rest is drawn. */
static void wild_particles_do_no_harm(void **state)
{
    (void)state;
    const float position[10][3] = {{NAN, 0, 0},      {0, INFINITY, 0}, {0, 0, -INFINITY}, {0, 0, 5},
                                   {0, 0, 4.9999f},  {0, 0, 60},       {1e30f, 0, -1e30f},
                                   {1e20f, -1e20f, 0}, {0, 0, 0},      {3e38f, 3e38f, 3e38f}};
    for (int style = 0; style < 2; style++) {
        Scene scene, alone;
        bare_scene(&scene, position, NULL, 10, 0.3f);
        bare_scene(&alone, position + 8, NULL, 1, 0.3f);
        set_text(&scene, "blend", style == 0 ? "opaque" : "transparent");
        set_text(&alone, "blend", style == 0 ? "opaque" : "transparent");
        set_text(&scene, "color_by", "none");
        set_text(&alone, "color_by", "none");
        uint8_t *a = draw(&scene, 2), *b = draw(&alone, 2);
        assert_memory_equal(pixel(a, SIDE / 2, SIDE / 2), pixel(b, SIDE / 2, SIDE / 2), 3);
        free(a);
        free(b);
    }
}

static void huge_and_close_spheres_fill_the_picture(void **state)
{
    (void)state;
    const float position[1][3] = {{0, 0, 0}};
    Scene scene;
    bare_scene(&scene, position, NULL, 1, 9.8f);
    set_text(&scene, "color_by", "none");
    uint8_t *with = draw(&scene, 2);
    scene.system.particle_count = 0;
    uint8_t *without = draw(&scene, 2);
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++)
            assert_memory_not_equal(pixel(with, x, y), pixel(without, x, y), 3);
    free(with);
    free(without);
    /* Inside a crowd. */
    fill_crowd();
    bare_scene(&scene, (const float(*)[3])crowd_position, NULL, CROWD, 0.06f);
    scene.camera.eye = (SlVec3){0.01f, 0.02f, 0.03f};
    scene.camera.target = (SlVec3){1, 0.1f, 0.3f};
    free(draw(&scene, 2));
}

static void any_field_gives_colors(void **state)
{
    (void)state;
    const float position[2][3] = {{-0.5f, 0, 0}, {0.5f, 0, 0}};
    const float density[2] = {990, 1010};
    const uint32_t level[2] = {0, 3};
    Scene scene;
    bare_scene(&scene, position, NULL, 2, 0.6f);
    int quarter = (int)(0.5 / 5 * 0.5 * SIDE / tan(20 * 3.14159265 / 180));
    for (int kind = 0; kind < 2; kind++) {
        scene.fields[2] = kind == 0
                              ? (SlFieldView){"density_ratio", "", "", SL_FIELD_F32, density, 2, 4}
                              : (SlFieldView){"level", "", "", SL_FIELD_U32, level, 2, 4};
        scene.system.field_count = 3;
        set_text(&scene, "color_by", kind == 0 ? "density_ratio" : "level");
        set_text(&scene, "color_map", "gray");
        uint8_t *pixels = draw(&scene, 1);
        const uint8_t *low = pixel(pixels, SIDE / 2 - quarter, SIDE / 2);
        const uint8_t *high = pixel(pixels, SIDE / 2 + quarter, SIDE / 2);
        assert_true(low[0] + 100 < high[0]);
        free(pixels);
    }
}

/* One particle in a thousand has another level: the range of colours still reaches it. */
static void rare_levels_have_a_color(void **state)
{
    (void)state;
    enum { COUNT = 1000 };
    static float position[COUNT][3];
    static uint32_t level[COUNT];
    for (int i = 0; i < COUNT; i++) {
        position[i][0] = i % 2 == 0 ? -0.5f : 0.5f;
        position[i][2] = i < 2 ? 0 : -3; /* all but the first two stand behind them */
        level[i] = i == 1 ? 6 : 3;
    }
    Scene scene;
    bare_scene(&scene, (const float(*)[3])position, NULL, COUNT, 0.6f);
    scene.fields[2] = (SlFieldView){"level", "", "", SL_FIELD_U32, level, COUNT, 4};
    scene.system.field_count = 3;
    set_text(&scene, "color_by", "level");
    set_text(&scene, "color_map", "gray");
    int quarter = (int)(0.5 / 5 * 0.5 * SIDE / tan(20 * 3.14159265 / 180));
    uint8_t *pixels = draw(&scene, 1);
    assert_true(pixel(pixels, SIDE / 2 - quarter, SIDE / 2)[0] + 100 <
                pixel(pixels, SIDE / 2 + quarter, SIDE / 2)[0]);
    free(pixels);
}

/* By default water is coloured by speed; snow has its material's colour, whatever its speed. */
static void snow_is_white_and_water_blue_by_default(void **state)
{
    (void)state;
    const float position[1][3] = {{0, 0, 0}};
    uint8_t center[2][2][3]; /* [water, snow][slow, fast] */
    for (int snow = 0; snow < 2; snow++)
        for (int fast = 0; fast < 2; fast++) {
            const float velocity[1][3] = {{fast != 0 ? 100 : 0, 0, 0}};
            Scene scene;
            bare_scene(&scene, position, velocity, 1, 0.6f);
            scene.system.material =
                sl_default_material(snow != 0 ? SL_MATERIAL_SNOW : SL_MATERIAL_WATER);
            uint8_t *pixels = draw(&scene, 1);
            memcpy(center[snow][fast], pixel(pixels, SIDE / 2, SIDE / 2), 3);
            free(pixels);
            if (snow == 0) { /* exactly as by speed */
                set_text(&scene, "color_by", "speed");
                pixels = draw(&scene, 1);
                assert_memory_equal(center[0][fast], pixel(pixels, SIDE / 2, SIDE / 2), 3);
                free(pixels);
            }
        }
    const uint8_t *water = center[0][0], *snow = center[1][0];
    assert_true(water[0] + 60 < water[2]);
    assert_true(snow[0] > 120 && abs(snow[0] - snow[2]) < 30);
    assert_memory_not_equal(center[0][0], center[0][1], 3);
    assert_memory_equal(center[1][0], center[1][1], 3);
}

/* Each system is drawn with its own spacing. */
static void several_systems_are_drawn(void **state)
{
    (void)state;
    const float left[1][3] = {{-0.8f, 0, 0}}, right[1][3] = {{0.8f, 0, 0}};
    Scene scene;
    bare_scene(&scene, left, NULL, 1, 0.4f);
    set_text(&scene, "color_by", "none");
    set(&scene, "shadows", 0);
    SlFieldView field = {"position", "m", "", SL_FIELD_F32X3, right, 1, 12};
    SlSystemView both[2] = {scene.system, {.name = "snow", .solver = "snow", .particle_count = 1, .spacing = 0.8f,
                                           .fields = &field, .field_count = 1}};
    both[0].fields = scene.fields;
    SlContext *context = test_context(2);
    SlRenderer *renderer;
    const SlImage *image;
    assert_ok(sl_renderer_create(context, "splats", scene.values, &renderer, &test_error));
    int covered[2] = {0, 0};
    uint8_t *empty = malloc(3 * SIDE * SIDE);
    scene.view.system_count = 0;
    assert_ok(sl_renderer_draw(renderer, &scene.view, &scene.camera, &image, &test_error));
    memcpy(empty, image->pixels, 3 * SIDE * SIDE);
    scene.view.systems = both;
    scene.view.system_count = 2;
    assert_ok(sl_renderer_draw(renderer, &scene.view, &scene.camera, &image, &test_error));
    for (int k = 0; k < SIDE * SIDE; k++)
        covered[k % SIDE >= SIDE / 2] += memcmp(empty + 3 * k, image->pixels + 3 * k, 3) != 0;
    assert_true(covered[0] > 50);
    assert_near(sqrt((double)covered[1] / covered[0]), 2, 0.2);
    free(empty);
    sl_renderer_destroy(renderer);
    sl_context_destroy(context);
}

static void mistakes_have_messages(void **state)
{
    (void)state;
    const float position[1][3] = {{0, 0, 0}};
    Scene scene;
    bare_scene(&scene, position, NULL, 1, 0.5f);
    SlContext *context = test_context(1);
    SlRenderer *renderer;
    const SlImage *image;
    assert_int_equal(SL_ERROR_ARGUMENT,
                     sl_renderer_create(context, "splat", NULL, &renderer, &test_error));
    assert_non_null(strstr(test_error.text, "did you mean \"splats\"?"));
    scene.values[0].number[0] = 1e9;
    assert_int_equal(SL_ERROR_ARGUMENT, sl_renderer_create(context, "splats", scene.values,
                                                           &renderer, &test_error));
    assert_non_null(strstr(test_error.text, "width"));
    set(&scene, "width", SIDE);
    set_text(&scene, "color_by", "velocitty");
    assert_ok(sl_renderer_create(context, "splats", scene.values, &renderer, &test_error));
    assert_int_equal(SL_ERROR_ARGUMENT, sl_renderer_draw(renderer, &scene.view, &scene.camera,
                                                         &image, &test_error));
    assert_non_null(strstr(test_error.text, "did you mean \"velocity\"?"));
    scene.camera.target = scene.camera.eye;
    assert_int_equal(SL_ERROR_ARGUMENT, sl_renderer_draw(renderer, &scene.view, &scene.camera,
                                                         &image, &test_error));
    assert_non_null(strstr(test_error.text, "same point"));
    sl_renderer_destroy(renderer);
    sl_context_destroy(context);
}

static void later_draws_allocate_nothing(void **state)
{
    (void)state;
    fill_crowd();
    Scene scene;
    bare_scene(&scene, (const float(*)[3])crowd_position, (const float(*)[3])crowd_velocity, CROWD,
               0.06f);
    SlContext *context = test_context(2);
    SlRenderer *renderer;
    const SlImage *image;
    assert_ok(sl_renderer_create(context, "splats", scene.values, &renderer, &test_error));
    uint64_t before = 0;
    for (int k = 0; k < 5; k++) {
        if (k == 2)
            before = sl_context_allocation_count(context);
        assert_ok(sl_renderer_draw(renderer, &scene.view, &scene.camera, &image, &test_error));
    }
    assert_int_equal(before, sl_context_allocation_count(context));
    sl_renderer_destroy(renderer);
    sl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(silhouette_has_the_radius_of_theory),
        cmocka_unit_test(nearer_sphere_wins),
        cmocka_unit_test(threads_do_not_change_a_byte),
        cmocka_unit_test(transparent_layers_blend_back_to_front),
        cmocka_unit_test(empty_views_are_drawn),
        cmocka_unit_test(wild_particles_do_no_harm),
        cmocka_unit_test(huge_and_close_spheres_fill_the_picture),
        cmocka_unit_test(any_field_gives_colors),
        cmocka_unit_test(rare_levels_have_a_color),
        cmocka_unit_test(several_systems_are_drawn),
        cmocka_unit_test(snow_is_white_and_water_blue_by_default),
        cmocka_unit_test(mistakes_have_messages),
        cmocka_unit_test(later_draws_allocate_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
