/* Rectangular lamps: what they give a plate against the form factor, several against their sum, and the
   two ways in which paths find them against each other. */
#include "support/path_case.h"

#include "render/path/lights.h"

#define PI 3.14159265358979

typedef struct Lamp {
    double light[3], place[3], target[3], width, height;
} Lamp;

static void set_lamp(PathCase *c, int number, const Lamp *lamp)
{
    char name[32];
    snprintf(name, sizeof name, "lamp%d_light", number);
    path_set_vec3(c, name, lamp->light[0], lamp->light[1], lamp->light[2]);
    snprintf(name, sizeof name, "lamp%d_place", number);
    path_set_vec3(c, name, lamp->place[0], lamp->place[1], lamp->place[2]);
    snprintf(name, sizeof name, "lamp%d_target", number);
    path_set_vec3(c, name, lamp->target[0], lamp->target[1], lamp->target[2]);
    snprintf(name, sizeof name, "lamp%d_width", number);
    path_set(c, name, lamp->width);
    snprintf(name, sizeof name, "lamp%d_height", number);
    path_set(c, name, lamp->height);
}

/* A plate with its upper side at y = 0, no light but lamps. */
static PathCase plate_case(uint32_t size, uint32_t samples, float albedo, float roughness)
{
    PathCase c = path_case(size, size, samples);
    SlShape plate = sl_default_shape(SL_SHAPE_BOX);
    plate.center = (SlVec3){0, -0.1f, 0};
    plate.half = (SlVec3){8, 0.1f, 8};
    path_add_shape(&c, plate, path_material(SL_MATERIAL_SOLID, albedo, roughness));
    path_set(&c, "sky_scale", 0);
    c.camera.eye = (SlVec3){0, 3, 5};
    return c;
}

static double mean_of(const PathCase *c)
{
    float *color = path_draw(c, 2, "color");
    double mean = path_mean(color, 3 * (size_t)c->width * c->height);
    free(color);
    return mean;
}

/* Form factor from a point to the rectangle [0, x] × [0, z] parallel to its plane, h away; odd in both. */
static double corner_factor(double x, double z, double h)
{
    double a = x / h, b = z / h, ra = sqrt(1 + a * a), rb = sqrt(1 + b * b);
    return (a / ra * atan(b / ra) + b / rb * atan(a / rb)) / (2 * PI);
}

static void light_on_a_plate(void **state)
{
    (void)state;
    const double albedo = 0.6, h = 1.5, half_x = 0.2, half_z = 0.7;
    const double points[][2] = {{0, 0}, {0.5, 0}, {0.4, 1.1}};
    /* Of a lamp that looks down, x is the direction of its height and z that of its width. */
    const Lamp lamp = {{3, 2, 1}, {0, h, 0}, {0, 0, 0}, 2 * half_z, 2 * half_x};
    for (size_t k = 0; k < 3; k++) {
        PathCase c = plate_case(6, 1024, (float)albedo, 1);
        double x = points[k][0], z = points[k][1];
        set_lamp(&c, 1, &lamp);
        c.camera.target = (SlVec3){(float)x, 0, (float)z};
        c.camera.fov = 1;
        double x0 = -half_x - x, x1 = half_x - x, z0 = -half_z - z, z1 = half_z - z;
        double factor = corner_factor(x1, z1, h) - corner_factor(x0, z1, h) - corner_factor(x1, z0, h) +
                        corner_factor(x0, z0, h);
        float *color = path_draw(&c, 2, "color");
        for (size_t channel = 0; channel < 3; channel++) {
            double sum = 0;
            for (size_t i = 0; i < 36; i++)
                sum += (double)color[3 * i + channel] / 36;
            assert_near(sum / (albedo * factor * lamp.light[channel]), 1, 0.005);
        }
        free(color);
    }
}

static const Lamp red = {{9, 0.5, 0}, {1.5, 1.2, 0.4}, {0, 0, 0}, 0.5, 0.3};
static const Lamp blue = {{0, 0.5, 4}, {-1, 2, -0.8}, {0.2, 0, 0}, 1.2, 0.4};

/* Two lamps give what each gives alone: red and blue are of one each, green of both. */
static void lamps_add_up(void **state)
{
    (void)state;
    double sum[3][3] = {{0}};
    for (int k = 0; k < 3; k++) {
        PathCase c = plate_case(24, 256, 0.5f, 0.4f);
        SlShape ball = sl_default_shape(SL_SHAPE_SPHERE);
        ball.center = (SlVec3){0.2f, 0.4f, 0};
        ball.radius = 0.4f;
        path_add_shape(&c, ball, path_material(SL_MATERIAL_SOLID, 0.7f, 1));
        c.camera.fov = 20;
        if (k != 1)
            set_lamp(&c, 3, &red); /* any of them may be used */
        if (k != 0)
            set_lamp(&c, 8, &blue);
        float *color = path_draw(&c, 2, "color");
        for (size_t i = 0; i < 3 * 24 * 24; i++)
            sum[k][i % 3] += (double)color[i] / (24 * 24);
        free(color);
    }
    for (int channel = 0; channel < 3; channel++)
        assert_near(sum[2][channel] / (sum[0][channel] + sum[1][channel]), 1, 0.01);
    assert_true(sum[0][2] == 0 && sum[1][0] == 0 && sum[0][0] > 0.01 && sum[1][2] > 0.01);
}

/* A lamp cut into eight strips of one brightness is that lamp. */
static void strips_of_a_lamp(void **state)
{
    (void)state;
    PathCase one = plate_case(16, 128, 0.5f, 0.5f), eight = one;
    Lamp lamp = {{4, 4, 4}, {0, 1.5, 0}, {0, 0, 0}, 1.6, 0.6};
    set_lamp(&one, 1, &lamp);
    one.camera.fov = eight.camera.fov = 15;
    lamp.width /= 8;
    for (int k = 0; k < 8; k++) {
        lamp.place[2] = lamp.target[2] = (k - 3.5) * lamp.width;
        set_lamp(&eight, k + 1, &lamp);
    }
    assert_near(mean_of(&eight) / mean_of(&one), 1, 0.005);
}

/* Of lamps of different power each is chosen by its own, and its points are even. */
static void chosen_by_power(void **state)
{
    (void)state;
    enum { COUNT = 4096 };
    SlLamps lamps = {0};
    const float sizes[3][2] = {{1, 1}, {2, 1}, {0.5f, 0.5f}};
    const double light[3] = {1, 0.5, 24}, expected[3] = {0.125, 0.125, 0.75};
    for (int k = 0; k < 3; k++) {
        float own = (float)light[k];
        sl_lamps_add(&lamps, (SlVec3){5.0f * (float)k, 2, 0}, (SlVec3){5.0f * (float)k, 0, 0}, sizes[k],
                     (SlVec3){own, own, own});
        /* Without light it is no lamp. */
        sl_lamps_add(&lamps, (SlVec3){0, 1, 0}, (SlVec3){0, 0, 0}, sizes[k], (SlVec3){0, 0, 0});
    }
    assert_int_equal(lamps.count, 3);
    double taken[3] = {0}, sum[3] = {0}, squares[3] = {0};
    for (uint32_t k = 0; k < COUNT; k++) {
        SlPathSampler sampler = sl_path_sampler_even(7, k, 0);
        SlVec3 point;
        const SlLamp *lamp = sl_lamps_sample(&lamps, &sampler, &point);
        size_t n = (size_t)(lamp - lamps.lamp);
        SlVec3 way = sl_sub(point, lamp->corner);
        double along = (double)(sl_dot(way, lamp->side[0]) / sl_dot(lamp->side[0], lamp->side[0]));
        double across = (double)(sl_dot(way, lamp->side[1]) / sl_dot(lamp->side[1], lamp->side[1]));
        assert_true(along > -1e-5 && along < 1.00001 && across > -1e-5 && across < 1.00001);
        taken[n]++;
        sum[n] += along;
        squares[n] += along * along;
    }
    for (int k = 0; k < 3; k++) {
        double mean = sum[k] / taken[k];
        assert_near((double)lamps.lamp[k].chance, expected[k], 1e-6);
        assert_near(taken[k] / COUNT, expected[k], 0.002);
        assert_near(mean, 0.5, 0.01);
        assert_near(squares[k] / taken[k] - mean * mean, 1.0 / 12, 0.002);
    }
}

/* By points of lights, by directions of surfaces, and by both weighted: the same light. */
static void sampling_agrees(void **state)
{
    (void)state;
    const char *const ways[] = {"both", "lights", "surfaces"};
    const float roughness[] = {1, 0.5f};
    for (int r = 0; r < 2; r++) {
        double mean[3];
        for (int k = 0; k < 3; k++) {
            PathCase c = plate_case(16, k == 2 ? 4096 : 512, 0.5f, roughness[r]);
            Lamp near = red;
            near.width = near.height = 2;
            set_lamp(&c, 1, &near);
            set_lamp(&c, 2, &blue);
            path_set(&c, "sun", 0.2);
            path_set(&c, "sun_angle", 20);
            path_set_text(&c, "light_sampling", ways[k]);
            c.camera.fov = 15;
            mean[k] = mean_of(&c);
        }
        assert_true(mean[0] != mean[1] && mean[0] != mean[2]);
        assert_near(mean[1] / mean[0], 1, 0.01);
        assert_near(mean[2] / mean[0], 1, 0.01);
    }
}

/* Straight into a lamp: its radiance and distance, or what is behind it; its light stays. */
static void seen_or_not(void **state)
{
    (void)state;
    PathCase c = plate_case(8, 16, 0.5f, 1);
    const Lamp lamp = {{3, 2, 1}, {0, 1, 0}, {0, 2.2, 4.8}, 2, 2};
    set_lamp(&c, 1, &lamp);
    path_set(&c, "sky_scale", 1);
    c.camera.target = (SlVec3){0, 1, 0};
    c.camera.fov = 2;
    float *seen = path_draw(&c, 1, "color"), *near = path_draw(&c, 1, "depth");
    path_set(&c, "lamps_visible", 0);
    float *hidden = path_draw(&c, 1, "color"), *far = path_draw(&c, 1, "depth");
    for (size_t k = 0; k < 64; k++) {
        for (size_t channel = 0; channel < 3; channel++)
            assert_near((double)seen[3 * k + channel], lamp.light[channel], 1e-5);
        assert_near((double)near[k], sqrt(29), 0.15);
        /* The plate behind it: the line from (0, 3, 5) through (0, 1, 0) meets it at z = -2.5. */
        assert_near((double)far[k], sqrt(9 + 7.5 * 7.5), 0.5);
    }
    assert_near(path_mean(hidden, 192), 0.5, 0.2);
    free(seen);
    free(near);
    free(hidden);
    free(far);
    /* Beside it nothing changes. */
    c.camera.target = (SlVec3){2, 0, 1};
    double without = mean_of(&c);
    path_set(&c, "lamps_visible", 1);
    assert_true(mean_of(&c) == without);
}

static void exposure_and_mistakes(void **state)
{
    (void)state;
    PathCase c = plate_case(8, 16, 0.5f, 1);
    set_lamp(&c, 2, &red);
    double before = mean_of(&c);
    path_set(&c, "exposure", 2);
    assert_near(mean_of(&c) / before, 2, 1e-5);
    path_set_vec3(&c, "lamp2_target", red.place[0], red.place[1], red.place[2]);
    SlContext *context = test_context(1);
    SlRenderer *renderer;
    assert_int_equal(sl_renderer_create(context, "path", c.values, &renderer, &test_error), SL_ERROR_ARGUMENT);
    assert_non_null(strstr(test_error.text, "lamp2_target"));
    sl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(light_on_a_plate), cmocka_unit_test(lamps_add_up),
        cmocka_unit_test(strips_of_a_lamp), cmocka_unit_test(chosen_by_power),
        cmocka_unit_test(sampling_agrees),  cmocka_unit_test(seen_or_not),
        cmocka_unit_test(exposure_and_mistakes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
