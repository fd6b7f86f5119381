/* Snow through the renderer `path`: the same bits for any number of threads, the camera within the snow,
   and the stage that pictures of snow have by default. */
#include "support/path_case.h"

#include "core/random.h"
#include "render/path/intersect.h"

enum { WIDTH = 40, HEIGHT = 24, PARTICLES = 600 };
#define SPACING 0.05f

typedef struct Snow {
    float position[PARTICLES][3], density[PARTICLES];
    uint32_t id[PARTICLES];
    SlFieldView fields[3];
    SlSystemView systems[2]; /* the second: a drop of water */
} Snow;

/* A ball of particles that lies on the ground; a tenth of them is loose around it. */
static Snow *make_snow(void)
{
    Snow *snow = calloc(1, sizeof *snow);
    float radius = SPACING * cbrtf(PARTICLES * 0.75f / 3.14159f);
    for (size_t i = 0; i < PARTICLES; i++) {
        SlVec3 p;
        uint64_t n = 0;
        do {
            SlRandom4 r = sl_random(5, i, n++);
            p = (SlVec3){2 * sl_random_unit(r.value[0]) - 1, 2 * sl_random_unit(r.value[1]) - 1,
                         2 * sl_random_unit(r.value[2]) - 1};
        } while (sl_length(p) > 1);
        p = sl_scale(p, i % 10 == 0 ? 1.6f * radius : radius);
        snow->position[i][0] = p.x;
        snow->position[i][1] = p.y;
        snow->position[i][2] = p.z;
        snow->density[i] = i % 10 == 0 ? 0.1f : 1;
        snow->id[i] = (uint32_t)(3 * i + 1);
    }
    snow->fields[0] = (SlFieldView){"position", "m", "", SL_FIELD_F32X3, snow->position, PARTICLES, 12};
    snow->fields[1] = (SlFieldView){"density_ratio", "", "", SL_FIELD_F32, snow->density, PARTICLES, 4};
    snow->fields[2] = (SlFieldView){"id", "", "", SL_FIELD_U32, snow->id, PARTICLES, 4};
    snow->systems[0] = (SlSystemView){.name = "snow", .solver = "snow", .particle_count = PARTICLES,
                                      .spacing = SPACING, .volume = SPACING * SPACING * SPACING,
                                      .mass = 400 * SPACING * SPACING * SPACING,
                                      .material = sl_default_material(SL_MATERIAL_SNOW),
                                      .fields = snow->fields, .field_count = 3};
    snow->systems[1] = (SlSystemView){.name = "water", .solver = "pbf", .spacing = SPACING,
                                      .material = sl_default_material(SL_MATERIAL_WATER)};
    return snow;
}

static PathCase snow_case(Snow *snow, uint32_t samples)
{
    PathCase c = path_case(WIDTH, HEIGHT, samples);
    c.view.domain = (SlBox){{-1, -0.4f, -1}, {1, 1, 1}};
    c.view.systems = snow->systems;
    c.view.system_count = 1;
    c.camera.eye = (SlVec3){0.6f, 0.5f, 1.6f};
    return c;
}

/* All rows as the table has them, but for size, samples and denoiser. */
static void leave_rows(PathCase *c, uint32_t samples)
{
    sl_table_defaults(c->table, c->values);
    path_set(c, "width", WIDTH);
    path_set(c, "height", HEIGHT);
    path_set(c, "samples", samples);
    path_set_text(c, "denoise", "none");
}

/* A volume, a solid in it and a glass ball, with sun, sky, ground and a denoiser: by either intersector. */
static void same_bits_for_any_threads(void **state)
{
    (void)state;
    const char *const intersectors[] = {"bvh", "embree"}, *const planes[] = {"color", "depth"};
    const uint32_t threads[] = {2, 5};
    Snow *snow = make_snow();
    for (int i = 0; i < (sl_intersector_embree() != NULL ? 2 : 1); i++)
        for (int p = 0; p < 2; p++) {
            PathCase c = snow_case(snow, 4);
            leave_rows(&c, 4);
            SlShape box = sl_default_shape(SL_SHAPE_BOX), ball = sl_default_shape(SL_SHAPE_SPHERE);
            box.center = (SlVec3){-0.2f, -0.2f, 0.1f};
            box.half = (SlVec3){0.1f, 0.4f, 0.1f};
            ball.center = (SlVec3){0.4f, 0, 0.3f};
            ball.radius = 0.2f;
            path_add_shape(&c, box, path_material(SL_MATERIAL_SOLID, 0.5f, 0.3f));
            path_add_shape(&c, ball, path_material(SL_MATERIAL_GLASS, 1, 0));
            path_set_text(&c, "intersector", intersectors[i]);
            path_set_text(&c, "denoise", "filter");
            path_set(&c, "photons", 20000);
            float *one = path_draw(&c, 1, planes[p]);
            size_t count = (p == 0 ? 3 : 1) * WIDTH * HEIGHT;
            for (int k = 0; k < 2; k++) {
                float *other = path_draw(&c, threads[k], planes[p]);
                assert_memory_equal(one, other, count * sizeof(float));
                free(other);
            }
            if (p == 0)
                assert_true(path_mean(one, count) > 0.05);
            free(one);
        }
    free(snow);
}

/* Snow that absorbs nothing in a sky of light 1 has light 1 within it too; what is seen first is near. */
static void camera_within_snow(void **state)
{
    (void)state;
    Snow *snow = make_snow();
    PathCase c = snow_case(snow, 96);
    path_set(&c, "exposure", 0.5); /* with the sky's scale 1; both set, the stage of snow leaves them */
    path_set(&c, "sky_scale", 2);
    path_set(&c, "snow_extinction", 60);
    path_set_vec3(&c, "snow_albedo", 1, 1, 1);
    path_set(&c, "snow_glints", 0);
    path_set(&c, "max_scatterings", 100000);
    c.camera.eye = (SlVec3){0.02f, 0.01f, 0.03f};
    c.camera.target = (SlVec3){1, 0.2f, 0};
    float *color = path_draw(&c, 2, "color"), *depth = path_draw(&c, 2, "depth");
    float *albedo = path_draw(&c, 2, "albedo");
    size_t inside = 0;
    for (size_t k = 0; k < WIDTH * HEIGHT; k++) {
        assert_true(isfinite(color[3 * k]) && color[3 * k] > 0);
        assert_true(depth[k] > 0);
        inside += depth[k] < 10 * SPACING;
    }
    assert_near(path_mean(color, 3 * WIDTH * HEIGHT), 1, 0.005);
    assert_near(path_mean(albedo, 3 * WIDTH * HEIGHT), 1, 0.01);
    assert_true(inside > WIDTH * HEIGHT * 9 / 10);
    free(color);
    free(depth);
    free(albedo);
    /* It absorbs: darker than the sky, and not black. */
    path_set_vec3(&c, "snow_albedo", 0.9, 0.95, 0.99);
    color = path_draw(&c, 2, "color");
    double sum[3] = {0};
    for (size_t k = 0; k < 3 * WIDTH * HEIGHT; k++)
        sum[k % 3] += (double)color[k] / (WIDTH * HEIGHT);
    assert_true(sum[0] > 0.01 && sum[0] < sum[1] && sum[1] < sum[2] && sum[2] < 0.99);
    free(color);
    free(snow);
}

/* Mean of red over mean of blue of light by the sun alone. */
static double warmth(PathCase *c)
{
    path_set(c, "sky_scale", 0);
    float *color = path_draw(c, 2, "color");
    double sum[3] = {0};
    for (size_t k = 0; k < 3 * WIDTH * HEIGHT; k++)
        sum[k % 3] += (double)color[k];
    free(color);
    assert_true(sum[2] > 0);
    return sum[0] / sum[2];
}

/* Rows that were left as they are have the values of the stage of snow; rows that were set keep theirs; a
   picture with water too has the usual stage. */
static void stage_of_snow(void **state)
{
    (void)state;
    Snow *snow = make_snow();
    PathCase left = snow_case(snow, 4);
    leave_rows(&left, 4);
    PathCase named = left;
    path_set_vec3(&named, "light", -1, 0.40, 0.05);
    path_set(&named, "exposure", 1.05);
    path_set_vec3(&named, "background_top", 0.31, 0.46, 0.70);
    path_set_vec3(&named, "background_bottom", 0.66, 0.71, 0.78);
    path_set_text(&named, "sky", "gradient");
    path_set(&named, "sky_scale", 0.75);
    path_set(&named, "sun", 1.25);
    float *a = path_draw(&left, 2, "color"), *b = path_draw(&named, 2, "color");
    assert_memory_equal(a, b, 3 * WIDTH * HEIGHT * sizeof(float));
    double all = path_mean(a, 3 * WIDTH * HEIGHT);
    free(a);
    free(b);
    PathCase dark = left;
    path_set(&dark, "sun", 0);
    path_set(&dark, "sky_scale", 0);
    a = path_draw(&dark, 2, "color");
    assert_true(all > 0.1 && path_mean(a, 3 * WIDTH * HEIGHT) == 0);
    free(a);
    PathCase wet = left;
    wet.view.system_count = 2;
    assert_true(warmth(&left) > 1.2);
    assert_true(warmth(&wet) < 1.2);
    free(snow);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_bits_for_any_threads),
                                       cmocka_unit_test(camera_within_snow),
                                       cmocka_unit_test(stage_of_snow)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
