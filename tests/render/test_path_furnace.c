/* The path tracer where the result is known: surroundings of light 1 leave everything that neither
   absorbs nor shines at light 1; a closed sphere; slabs that absorb. */
#include "support/path_case.h"

#define PI 3.14159265358979

static SlShape sphere(float radius)
{
    SlShape shape = sl_default_shape(SL_SHAPE_SPHERE);
    shape.radius = radius;
    return shape;
}

/* Mean over the middle half of the picture. */
static double middle_of(const PathCase *c)
{
    float *color = path_draw(c, 2, "color");
    double sum = 0;
    size_t count = 0;
    for (uint32_t y = c->height / 4; y < c->height - c->height / 4; y++)
        for (uint32_t x = c->width / 4; x < c->width - c->width / 4; x++, count += 3)
            for (uint32_t k = 0; k < 3; k++)
                sum += (double)color[3 * (y * c->width + x) + k];
    free(color);
    return sum / (double)count;
}

static void white_solids_vanish(void **state)
{
    (void)state;
    const float roughness[] = {1, 0.7f, 0.3f, 0.05f};
    const SlShapeKind kinds[] = {SL_SHAPE_SPHERE, SL_SHAPE_BOX, SL_SHAPE_CAPSULE};
    for (size_t k = 0; k < sizeof roughness / sizeof roughness[0]; k++)
        for (size_t s = 0; s < sizeof kinds / sizeof kinds[0]; s++) {
            PathCase c = path_case(32, 32, 64);
            SlShape shape = sl_default_shape(kinds[s]);
            shape.radius = 0.7f;
            path_add_shape(&c, shape, path_material(SL_MATERIAL_SOLID, 1, roughness[k]));
            assert_near(middle_of(&c), 1, 0.01);
        }
}

static void glass_vanishes(void **state)
{
    (void)state;
    PathCase c = path_case(32, 32, 64);
    path_add_shape(&c, sphere(1), path_material(SL_MATERIAL_GLASS, 1, 0));
    assert_near(middle_of(&c), 1, 0.01);
    /* And with a white solid within it. */
    path_add_shape(&c, sphere(0.5f), path_material(SL_MATERIAL_SOLID, 1, 1));
    path_set(&c, "max_bounces", 400);
    assert_near(middle_of(&c), 1, 0.01);
}

/* A grey sphere reflects its colour; a third of the picture's light is what it should be. */
static void grey_is_grey(void **state)
{
    (void)state;
    PathCase c = path_case(24, 24, 64);
    path_add_shape(&c, sphere(1), path_material(SL_MATERIAL_SOLID, 0.4f, 1));
    assert_near(middle_of(&c), 0.4, 0.004);
}

/* A lamp within a closed diffuse sphere: light that was scattered once or more is even, and is
   E = Φ a / (A (1 - a)); the wall behind the lamp gets no other. */
static void closed_sphere(void **state)
{
    (void)state;
    const double a = 0.5, side = 0.05, light = 100, area = 4 * PI;
    PathCase c = path_case(24, 24, 256);
    path_add_shape(&c, sphere(1), path_material(SL_MATERIAL_SOLID, (float)a, 1));
    path_set_vec3(&c, "lamp1_light", light, light, light);
    path_set_vec3(&c, "lamp1_place", 0, 0.4, 0);
    path_set_vec3(&c, "lamp1_target", 0, 1, 0);
    path_set(&c, "lamp1_width", side);
    path_set(&c, "lamp1_height", side);
    c.camera.eye = (SlVec3){0, 0, 0.3f};
    c.camera.target = (SlVec3){0, -1, -0.3f};
    double flux = light * PI * side * side;
    double expected = a / PI * flux * a / (area * (1 - a));
    assert_near(middle_of(&c) / expected, 1, 0.01);
}

/* Light 1 before and behind a slab of index n: what it reflects and transmits of both. */
static void slabs_absorb(void **state)
{
    (void)state;
    const double thickness = 0.5;
    const double index[] = {1, 1.333, 1.5}, sigma[] = {0.3, 1, 4};
    for (size_t k = 0; k < 3; k++) {
        PathCase c = path_case(8, 8, 8000);
        SlShape box = sl_default_shape(SL_SHAPE_BOX);
        box.half = (SlVec3){40, 40, 0.25f};
        SlMaterial material = path_material(SL_MATERIAL_GLASS, 1, 0);
        material.index_of_refraction = (float)index[k];
        for (int j = 0; j < 3; j++)
            material.absorption[j] = (float)sigma[k];
        path_add_shape(&c, box, material);
        c.camera.fov = 1;
        double f = pow((index[k] - 1) / (index[k] + 1), 2), left = exp(-sigma[k] * thickness);
        double rest = 1 - f * f * left * left;
        double expected = f + (1 - f) * (1 - f) * (f * left * left + left) / rest;
        assert_near(middle_of(&c) / expected, 1, 0.01);
    }
}

/* From within water light from above is n² times as bright. */
static void under_water(void **state)
{
    (void)state;
    PathCase c = path_case(8, 8, 200);
    SlMaterial water = path_material(SL_MATERIAL_WATER, 1, 0);
    path_add_water(&c, (SlBox){{-3, -1, -3}, {3, 0.5f, 3}}, water);
    c.camera.eye = (SlVec3){0, -0.2f, 0};
    c.camera.target = (SlVec3){0, 1, 0.1f};
    c.camera.fov = 20;
    assert_near(middle_of(&c) / (1.333 * 1.333), 1, 0.01);
    /* Above it nothing changes. */
    c.camera.eye = (SlVec3){0, 0.7f, 0};
    assert_near(middle_of(&c), 1, 1e-5);
}

/* Water in a glass: their surfaces overlap, and glass counts there. All of it lets light 1 be 1. */
static void nested(void **state)
{
    (void)state;
    PathCase c = path_case(24, 24, 64);
    path_add_water(&c, (SlBox){{-0.5f, -0.5f, -0.5f}, {0.5f, 0.5f, 0.5f}},
                   path_material(SL_MATERIAL_WATER, 1, 0));
    path_add_shape(&c, sphere(0.6f), path_material(SL_MATERIAL_GLASS, 1, 0));
    path_set(&c, "max_bounces", 200);
    assert_near(middle_of(&c), 1, 0.01);
}

static void sun_and_lamp_agree_with_shadows(void **state)
{
    (void)state;
    /* A plane that faces the sun: albedo × E / π; behind a solid: only other light. */
    PathCase c = path_case(16, 16, 64);
    SlShape box = sl_default_shape(SL_SHAPE_BOX);
    box.half = (SlVec3){30, 0.1f, 30};
    path_add_shape(&c, box, path_material(SL_MATERIAL_SOLID, 0.5f, 1));
    path_set(&c, "sun", 1);
    path_set(&c, "sky_scale", 0);
    path_set_vec3(&c, "light", 0, 1, 0);
    c.camera.eye = (SlVec3){0, 3, 0.5f};
    float *color = path_draw(&c, 2, "color");
    double green = 0;
    for (size_t k = 0; k < 256; k++)
        green += (double)color[3 * k + 1] / 256;
    free(color);
    assert_near(green, 0.5 * 1.27, 0.005);
    SlShape roof = sl_default_shape(SL_SHAPE_BOX);
    roof.center = (SlVec3){0, 5, 0};
    roof.half = (SlVec3){20, 0.1f, 20};
    path_add_shape(&c, roof, path_material(SL_MATERIAL_SOLID, 0, 1));
    color = path_draw(&c, 2, "color");
    assert_near(path_mean(color, 768), 0, 1e-6);
    free(color);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(white_solids_vanish), cmocka_unit_test(glass_vanishes),
        cmocka_unit_test(grey_is_grey),        cmocka_unit_test(closed_sphere),
        cmocka_unit_test(slabs_absorb),        cmocka_unit_test(under_water),
        cmocka_unit_test(nested),              cmocka_unit_test(sun_and_lamp_agree_with_shadows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
