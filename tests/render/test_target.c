/* Targets, and the planes that the splat renderer fills. */
#include "support/test.h"

enum { WIDTH = 130, HEIGHT = 96, PIXELS = WIDTH * HEIGHT };

static const char *const all_planes[] = {"color", "depth", "normal", "albedo"};

typedef struct Scene {
    SlFrameView view;
    SlSystemView system;
    SlFieldView field;
    SlCamera camera;
} Scene;

/* One sphere of radius 0.8 m at the origin, 5 m before the camera. */
static void sphere_scene(Scene *scene)
{
    static const float position[3] = {0, 0, 0};
    memset(scene, 0, sizeof *scene);
    scene->field = (SlFieldView){"position", "m", "", SL_FIELD_F32X3, position, 1, 12};
    scene->system = (SlSystemView){
        .name = "water", .solver = "pbf", .particle_count = 1, .spacing = 1.6f,
        .fields = &scene->field, .field_count = 1};
    scene->view = (SlFrameView){
        .domain = {{-1, -1, -1}, {1, 1, 1}}, .systems = &scene->system, .system_count = 1};
    scene->camera = sl_default_camera();
    scene->camera.eye = (SlVec3){3, 0, 4};
}

static SlRenderer *make_renderer(SlContext *context, const char *const *names,
                                 const double *numbers, size_t count)
{
    size_t tables;
    const SlTable *table = sl_renderer_tables(&tables)[0];
    SlParamValue values[64];
    assert_true(table->row_count <= 64);
    for (size_t k = 0; k < table->row_count; k++)
        values[k] = table->rows[k].value;
    for (size_t k = 0; k < count; k++) {
        const SlParamRow *row = sl_table_find(table, names[k]);
        assert_non_null(row);
        values[row - table->rows].number[0] = numbers[k];
    }
    SlRenderer *renderer;
    assert_ok(sl_renderer_create(context, "splats", values, &renderer, &test_error));
    return renderer;
}

static SlRenderer *small_renderer(SlContext *context)
{
    const char *const names[] = {"width", "height", "radius_scale", "ground", "domain"};
    const double numbers[] = {WIDTH, HEIGHT, 1, 0, 0};
    return make_renderer(context, names, numbers, 5);
}

/* All passes of a job with all planes, resolved into a new target. */
static SlTarget *render(SlContext *context, SlRenderer *renderer, const Scene *scene)
{
    SlTarget *target;
    SlRenderJob job = sl_default_render_job(&scene->view);
    job.camera = &scene->camera;
    job.planes = all_planes;
    job.plane_count = 4;
    uint32_t remaining = 1;
    assert_ok(sl_render_begin(renderer, &job, &test_error));
    while (remaining > 0)
        assert_ok(sl_render_accumulate(renderer, &remaining, &test_error));
    assert_ok(sl_target_create(context, WIDTH, HEIGHT, all_planes, 4, &target, &test_error));
    assert_ok(sl_render_resolve(renderer, target, &test_error));
    return target;
}

/* Depth and normal of every pixel's first sample against the sphere's equation in double. */
static void depth_and_normal_are_those_of_the_sphere(void **state)
{
    (void)state;
    SlContext *context = test_context(2);
    SlRenderer *renderer = small_renderer(context);
    Scene scene;
    sphere_scene(&scene);
    SlTarget *target = render(context, renderer, &scene);
    const float *depth = sl_target_plane(target, "depth");
    const float *normal = sl_target_plane(target, "normal");
    const float *albedo = sl_target_plane(target, "albedo");
    const double focal = 0.5 * HEIGHT / tan(20 * 3.14159265358979 / 180);
    const double forward[3] = {-0.6, 0, -0.8}, right[3] = {0.8, 0, -0.6}, eye[3] = {3, 0, 4};
    size_t hits = 0;
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            size_t at = (size_t)(y * WIDTH + x);
            double a = (x + 0.375 - 0.5 * WIDTH) / focal, b = (0.5 * HEIGHT - y - 0.125) / focal;
            double d[3], dd = 0, qd = 0;
            for (int k = 0; k < 3; k++) {
                d[k] = forward[k] + a * right[k] + (k == 1 ? b : 0);
                dd += d[k] * d[k];
                qd += eye[k] * d[k];
            }
            double inside = qd * qd - dd * (25 - 0.64), t = (-qd - sqrt(fmax(inside, 0))) / dd;
            if (fabs(inside) < 0.02) /* the rim */
                continue;
            if (inside < 0) {
                assert_true(isinf(depth[at]));
                assert_true(normal[3 * at] == 0 && albedo[3 * at + 2] == 0);
                continue;
            }
            hits++;
            assert_near(depth[at], t, 2e-4);
            for (int k = 0; k < 3; k++)
                assert_near(normal[3 * at + (size_t)k], (eye[k] + t * d[k]) / 0.8, 4e-3);
            assert_true(albedo[3 * at + 2] > albedo[3 * at]); /* water is blue */
        }
    assert_true(hits > PIXELS / 20);
    sl_target_destroy(target);
    sl_renderer_destroy(renderer);
    sl_context_destroy(context);
}

/* The plane "color", tone mapped, is the image of a plain draw, byte for byte. */
static void image_of_target_is_the_image_drawn(void **state)
{
    (void)state;
    SlContext *context = test_context(2);
    SlRenderer *renderer = small_renderer(context);
    Scene scene;
    sphere_scene(&scene);
    SlTarget *target = render(context, renderer, &scene);
    SlImage made;
    const SlImage *stepwise, *drawn;
    assert_ok(sl_image_create(context, WIDTH, HEIGHT, &made, &test_error));
    assert_ok(sl_target_image(target, &made, &test_error));
    assert_ok(sl_render_image(renderer, &stepwise, &test_error));
    assert_memory_equal(made.pixels, stepwise->pixels, 3 * PIXELS);
    assert_ok(sl_renderer_draw(renderer, &scene.view, &scene.camera, &drawn, &test_error));
    assert_memory_equal(made.pixels, drawn->pixels, 3 * PIXELS);
    assert_true(sl_renderer_last_ms(renderer) > 0);
    sl_image_destroy(context, &made);
    sl_target_destroy(target);
    sl_renderer_destroy(renderer);
    sl_context_destroy(context);
}

static void targets_refuse_what_they_cannot_hold(void **state)
{
    (void)state;
    SlContext *context = test_context(1);
    SlTarget *target;
    const char *const wrong[] = {"depth", "colour"}, *const twice[] = {"depth", "depth"};
    uint64_t held = sl_context_bytes_held(context);
    assert_int_equal(SL_ERROR_ARGUMENT,
                     sl_target_create(context, 8, 8, wrong, 2, &target, &test_error));
    assert_non_null(strstr(test_error.text, "did you mean \"color\"?"));
    assert_int_equal(SL_ERROR_ARGUMENT,
                     sl_target_create(context, 8, 8, twice, 2, &target, &test_error));
    assert_int_equal(SL_ERROR_ARGUMENT,
                     sl_target_create(context, 0, 8, wrong, 1, &target, &test_error));
    assert_null(target);
    assert_int_equal(held, sl_context_bytes_held(context));
    assert_ok(sl_target_create(context, 8, 9, wrong, 1, &target, &test_error));
    assert_int_equal(8, sl_target_width(target));
    assert_int_equal(9, sl_target_height(target));
    assert_non_null(sl_target_plane(target, "depth"));
    assert_null(sl_target_plane(target, "color"));
    SlImage image;
    assert_ok(sl_image_create(context, 8, 9, &image, &test_error));
    assert_int_equal(SL_ERROR_ARGUMENT, sl_target_image(target, &image, &test_error));
    sl_image_destroy(context, &image);
    assert_int_equal(SL_ERROR_ARGUMENT, sl_image_create(context, 0, 9, &image, &test_error));
    sl_target_destroy(target);
    sl_target_destroy(NULL);
    assert_int_equal(held, sl_context_bytes_held(context));
    size_t count;
    const SlPlaneInfo *infos = sl_plane_infos(&count);
    for (size_t k = 0; k < count; k++)
        assert_true(infos[k].channels == 1 || infos[k].channels == 3);
    sl_context_destroy(context);
}

/* Values that a plane may hold by accident. */
static void tone_mapping_survives_any_number(void **state)
{
    (void)state;
    SlContext *context = test_context(1);
    SlTarget *target;
    SlImage image;
    assert_ok(sl_target_create(context, 4, 4, all_planes, 1, &target, &test_error));
    assert_ok(sl_image_create(context, 4, 4, &image, &test_error));
    float *color = sl_target_plane(target, "color");
    const float odd[] = {NAN, -1, INFINITY, -INFINITY, 1e30f, 0};
    memcpy(color, odd, sizeof odd);
    assert_ok(sl_target_image(target, &image, &test_error));
    const uint8_t expected[] = {0, 0, 1, 0, 1, 0};
    for (int k = 0; k < 6; k++)
        assert_int_equal(expected[k], image.pixels[k] > 128);
    sl_image_destroy(context, &image);
    sl_target_destroy(target);
    sl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(depth_and_normal_are_those_of_the_sphere),
        cmocka_unit_test(image_of_target_is_the_image_drawn),
        cmocka_unit_test(targets_refuse_what_they_cannot_hold),
        cmocka_unit_test(tone_mapping_survives_any_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
