/* Light from around the scene: an image of latitude and longitude against a sky of one light and against
   the sum over its texels, and the physical sky. */
#include "support/path_case.h"

#include <unistd.h>

#include "render/path/bsdf.h"
#include "render/path/lights.h"

#define PI 3.14159265358979

/* Writes an image of `light`, 3 floats per texel, as an EXR file; PNG: of its first texel as sRGB. */
static void write_image(const char *path, bool exr, const float *light, uint32_t width, uint32_t height)
{
    SlContext *context = test_context(1);
    const char *plane = "color";
    if (exr) {
        SlTarget *target;
        assert_ok(sl_target_create(context, width, height, &plane, 1, &target, &test_error));
        memcpy(sl_target_plane(target, plane), light, 3 * sizeof(float) * width * height);
        assert_ok(sl_target_write_exr(target, path, SL_EXR_FLOAT, &test_error));
        sl_target_destroy(target);
    } else {
        SlImage image;
        assert_ok(sl_image_create(context, width, height, &image, &test_error));
        memset(image.pixels, light[0] > 0.5f ? 255 : 0, 3 * (size_t)width * height);
        assert_ok(sl_image_write_png(context, &image, path, &test_error));
        sl_image_destroy(context, &image);
    }
    sl_context_destroy(context);
}

static void image_path(char path[600], const char *name)
{
    char folder[512];
    test_folder(folder, sizeof folder, "environment");
    snprintf(path, 600, "%s/%s", folder, name);
}

/* A grey ball before the sky. */
static PathCase ball_case(void)
{
    PathCase c = path_case(24, 24, 64);
    SlShape ball = sl_default_shape(SL_SHAPE_SPHERE);
    ball.radius = 1;
    path_add_shape(&c, ball, path_material(SL_MATERIAL_SOLID, 0.4f, 1));
    return c;
}

static void constant_image(void **state)
{
    (void)state;
    enum { WIDTH = 32, HEIGHT = 16 };
    static float light[3 * WIDTH * HEIGHT];
    const char *const names[] = {"one.exr", "one.png"}, *const features[] = {"exr", "png"};
    for (size_t k = 0; k < 3 * WIDTH * HEIGHT; k++)
        light[k] = 1;
    PathCase c = ball_case();
    float *plain = path_draw(&c, 2, "color");
    size_t count = 3 * 24 * 24;
    for (int k = 0; k < 2; k++) {
        char path[600];
        if (!sl_has_feature(features[k])) {
            print_message("SKIPPED: constant_image: this build has no %s\n", features[k]);
            continue;
        }
        image_path(path, names[k]);
        write_image(path, k == 0, light, WIDTH, HEIGHT);
        path_set_text(&c, "environment", path);
        float *color = path_draw(&c, 2, "color");
        for (size_t i = 0; i < count; i++)
            assert_near((double)color[i], (double)plain[i], 0.02); /* other rounding, the same samples */
        assert_near(path_mean(color, count) / path_mean(plain, count), 1, 1e-3);
        free(color);
        /* Brightness as of a sky. */
        path_set(&c, "sky_scale", 0.25);
        color = path_draw(&c, 2, "color");
        assert_near(path_mean(color, count) / path_mean(plain, count), 0.25, 1e-3);
        free(color);
        path_set(&c, "sky_scale", 1);
        unlink(path);
    }
    free(plain);
}

/* A bright spot around the direction +z lights the side of a box that faces it, by the sum over its
   texels; the other sides of the box get next to nothing. */
static void bright_spot(void **state)
{
    (void)state;
    enum { WIDTH = 64, HEIGHT = 32 };
    static float light[3 * WIDTH * HEIGHT];
    const double albedo = 0.5, spot = 40;
    double irradiance = 0;
    char path[600];
    if (!sl_has_feature("exr"))
        test_skip("this build has no OpenEXR");
    for (size_t y = 14; y < 18; y++) /* v = 1/2: the horizon */
        for (size_t x = 14; x < 18; x++) { /* u = 1/4: from +x to +z */
            double theta = ((double)y + 0.5) / HEIGHT * PI, phi = ((double)x + 0.5) / WIDTH * 2 * PI;
            for (size_t k = 0; k < 3; k++)
                light[3 * (y * WIDTH + x) + k] = (float)spot;
            irradiance += spot * sin(theta) * sin(phi) * sin(theta) * (PI / HEIGHT) * (2 * PI / WIDTH);
        }
    image_path(path, "spot.exr");
    write_image(path, true, light, WIDTH, HEIGHT);
    const float eyes[4][3] = {{0, 0, 4}, {0, 0, -4}, {4, 0, 0}, {0.01f, 4, 0}};
    double mean[4];
    for (int k = 0; k < 4; k++) {
        PathCase c = path_case(12, 12, 128);
        path_add_shape(&c, sl_default_shape(SL_SHAPE_BOX), path_material(SL_MATERIAL_SOLID, (float)albedo, 1));
        path_set_text(&c, "environment", path);
        c.camera.eye = (SlVec3){eyes[k][0], eyes[k][1], eyes[k][2]};
        c.camera.fov = 4;
        float *color = path_draw(&c, 2, "color");
        mean[k] = path_mean(color, 3 * 144);
        free(color);
    }
    unlink(path);
    assert_near(mean[0] / (albedo / PI * irradiance), 1, 0.02);
    assert_true(mean[1] == 0);
    assert_less(mean[2], 0.2 * mean[0]); /* half of the spot, at its horizon */
    assert_less(mean[3], 0.2 * mean[0]);
    assert_true(mean[2] > 0 && mean[3] > 0);
}

static void missing_image(void **state)
{
    (void)state;
    PathCase c = ball_case();
    path_set_text(&c, "environment", "no/such/image.exr");
    SlContext *context = test_context(1);
    SlRenderer *renderer;
    c.view.colliders = c.colliders;
    SlRenderJob job = sl_default_render_job(&c.view);
    job.camera = &c.camera;
    assert_ok(sl_renderer_create(context, "path", c.values, &renderer, &test_error));
    assert_true(sl_render_begin(renderer, &job, &test_error) != SL_OK);
    assert_non_null(strstr(test_error.text, "no/such/image.exr"));
    sl_renderer_destroy(renderer);
    sl_context_destroy(context);
}

/* --- The physical sky. --- */

static SlVec3 toward(double elevation, double azimuth)
{
    double e = elevation * PI / 180, a = azimuth * PI / 180;
    return (SlVec3){(float)(cos(e) * cos(a)), (float)sin(e), (float)(cos(e) * sin(a))};
}

/* Finite and positive everywhere; brighter near the sun than on the other side; blue overhead where the
   air is clear, less so in haze. */
static void physical_sky(void **state)
{
    (void)state;
    const double suns[] = {3, 15, 35, 60};
    const float turbidities[] = {2, 3, 6, 10};
    for (int s = 0; s < 4; s++)
        for (int t = 0; t < 4; t++) {
            SlSkySettings sky = {.kind = SL_SKY_PHYSICAL, .to_sun = toward(suns[s], 40),
                                 .turbidity = turbidities[t], .scale = 1};
            for (double e = -90; e <= 90; e += 5)
                for (double a = 0; a < 360; a += 10) {
                    SlVec3 light = sl_sky_light(&sky, toward(e, a));
                    assert_true(isfinite(light.x) && isfinite(light.y) && isfinite(light.z));
                    assert_true(light.x >= 0 && light.y >= 0 && light.z >= 0 && sl_luminance(light) > 0);
                }
            SlVec3 near = sl_sky_light(&sky, toward(suns[s] + 5, 40));
            SlVec3 far = sl_sky_light(&sky, toward(suns[s] + 5, 220));
            assert_less((double)sl_luminance(far), (double)sl_luminance(near));
            sky.scale = 3;
            SlVec3 scaled = sl_sky_light(&sky, toward(suns[s] + 5, 40));
            assert_near((double)(scaled.y / near.y), 3, 1e-5);
        }
    SlSkySettings clear = {.kind = SL_SKY_PHYSICAL, .to_sun = toward(30, 0), .turbidity = 2, .scale = 1};
    SlSkySettings hazy = clear;
    hazy.turbidity = 8;
    SlVec3 top = sl_sky_light(&clear, toward(70, 180)), top_hazy = sl_sky_light(&hazy, toward(70, 180));
    assert_true(top.z > 1.3f * top.x);
    assert_true(top_hazy.z / top_hazy.x < top.z / top.x);
}

/* Through the renderer: the picture towards the sun's side is brighter, and the sun's own light is apart. */
static void physical_sky_in_a_picture(void **state)
{
    (void)state;
    double mean[2];
    for (int k = 0; k < 2; k++) {
        PathCase c = path_case(16, 16, 4);
        path_set_text(&c, "sky", "physical");
        path_set(&c, "clouds", 0);
        path_set_vec3(&c, "light", 0, 0.5, 1);
        c.camera.eye = (SlVec3){0, 0, 0};
        c.camera.target = (SlVec3){0, 0.5f, k == 0 ? 1 : -1};
        float *color = path_draw(&c, 2, "color");
        for (size_t i = 0; i < 768; i++)
            assert_true(isfinite(color[i]) && color[i] > 0);
        mean[k] = path_mean(color, 768);
        free(color);
    }
    assert_less(1.5 * mean[1], mean[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constant_image), cmocka_unit_test(bright_spot),
        cmocka_unit_test(missing_image),  cmocka_unit_test(physical_sky),
        cmocka_unit_test(physical_sky_in_a_picture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
