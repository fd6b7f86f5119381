/* The renderer `path` through its public calls: the same bits for any number of threads, the same
   picture with either intersector, and frames with little or nothing in them. */
#include "support/path_case.h"

#include "render/path/intersect.h"

enum { WIDTH = 48, HEIGHT = 32, FOAM = 300 };

static float foam_position[FOAM][3], foam_velocity[FOAM][3], foam_radius[FOAM];
static SlFieldView foam_fields[3];
static SlSystemView foam_system;

/* Water with foam over tiles, a glossy solid and a glass ball, sun and sky: everything there is. */
static PathCase mixed_case(uint32_t samples)
{
    PathCase c = path_case(WIDTH, HEIGHT, samples);
    c.view.domain = (SlBox){{-1, 0, -1}, {1, 2, 1}};
    c.view.frame_time = 1.0 / 60;
    SlMaterial water = sl_default_material(SL_MATERIAL_WATER);
    const float absorption[3] = {2, 0.4f, 0.2f};
    memcpy(water.absorption, absorption, sizeof absorption);
    path_add_water(&c, (SlBox){{-1, 0, -1}, {1, 0.5f, 1}}, water);
    SlShape box = sl_default_shape(SL_SHAPE_BOX), ball = sl_default_shape(SL_SHAPE_SPHERE);
    box.center = (SlVec3){0.3f, 0.4f, -0.2f};
    box.half = (SlVec3){0.2f, 0.4f, 0.2f};
    ball.center = (SlVec3){-0.5f, 0.6f, 0.2f};
    ball.radius = 0.25f;
    path_add_shape(&c, box, path_material(SL_MATERIAL_SOLID, 0.6f, 0.3f));
    path_add_shape(&c, ball, path_material(SL_MATERIAL_GLASS, 1, 0));
    for (size_t k = 0; k < FOAM; k++) {
        foam_position[k][0] = (float)(k * 37 % 100) / 60 - 0.8f;
        foam_position[k][1] = 0.5f + (float)(k * 53 % 100) / 400;
        foam_position[k][2] = (float)(k * 71 % 100) / 60 - 0.8f;
        foam_velocity[k][1] = 3;
        foam_radius[k] = 0.01f;
    }
    foam_fields[0] = (SlFieldView){"position", "m", "", SL_FIELD_F32X3, foam_position, FOAM, 12};
    foam_fields[1] = (SlFieldView){"velocity", "m/s", "", SL_FIELD_F32X3, foam_velocity, FOAM, 12};
    foam_fields[2] = (SlFieldView){"radius", "m", "", SL_FIELD_F32, foam_radius, FOAM, 4};
    foam_system = (SlSystemView){.name = "whitewater", .solver = "whitewater", .particle_count = FOAM,
                                 .spacing = 0.05f, .material = sl_default_material(SL_MATERIAL_FOAM),
                                 .fields = foam_fields, .field_count = 3};
    c.view.systems = &foam_system;
    c.view.system_count = 1;
    c.camera.eye = (SlVec3){1.5f, 1.6f, 3};
    c.camera.target = (SlVec3){0, 0.4f, 0};
    path_set(&c, "ground", 1);
    path_set(&c, "haze", 1);
    path_set(&c, "sun", 1);
    path_set(&c, "clamp", 8);
    path_set(&c, "photons", 20000);
    path_set(&c, "aperture", 0.02);
    path_set_text(&c, "sky", "physical");
    return c;
}

static void same_bits_for_any_threads(void **state)
{
    (void)state;
    const char *const intersectors[] = {"bvh", "auto"};
    const uint32_t threads[] = {2, 5};
    for (int i = 0; i < 2; i++) {
        PathCase c = mixed_case(9); /* two photon maps */
        path_set_text(&c, "intersector", intersectors[i]);
        path_set_text(&c, "denoise", "filter");
        float *one = path_draw(&c, 1, "color");
        for (int k = 0; k < 2; k++) {
            float *other = path_draw(&c, threads[k], "color");
            assert_memory_equal(one, other, 3 * WIDTH * HEIGHT * sizeof(float));
            free(other);
        }
        assert_true(path_mean(one, 3 * WIDTH * HEIGHT) > 0.05);
        free(one);
    }
}

/* A part of the picture has the bits of that part of all, whatever the tiles. */
static void region_of_a_picture(void **state)
{
    (void)state;
    const char *const planes[] = {"color", "depth"};
    const SlPixelRegion regions[] = {{0, 0, WIDTH, HEIGHT}, {13, 5, 21, 17}, {WIDTH - 1, HEIGHT - 1, 1, 1}};
    for (int p = 0; p < 2; p++) {
        PathCase c = mixed_case(3);
        size_t channels = p == 0 ? 3 : 1;
        float *all = path_draw(&c, 2, planes[p]);
        for (int k = 0; k < 3; k++) {
            const SlPixelRegion *r = &regions[k];
            c.region = *r;
            float *part = path_draw(&c, 2, planes[p]);
            for (size_t y = 0; y < r->height; y++)
                assert_memory_equal(part + channels * y * r->width,
                                    all + channels * ((r->y + y) * WIDTH + r->x),
                                    channels * r->width * sizeof(float));
            free(part);
        }
        free(all);
    }
}

/* Maps shared by more samples give the same light. */
static void samples_per_photon_map(void **state)
{
    (void)state;
    double mean[2];
    for (int k = 0; k < 2; k++) {
        PathCase c = mixed_case(32);
        path_set(&c, "photon_samples", k == 0 ? 1 : 32);
        float *color = path_draw(&c, 2, "color");
        mean[k] = path_mean(color, 3 * WIDTH * HEIGHT);
        free(color);
    }
    assert_true(mean[0] != mean[1]);
    assert_near(mean[0] / mean[1], 1, 0.01);
}

static void intersectors_agree(void **state)
{
    (void)state;
    if (sl_intersector_embree() == NULL)
        test_skip("this build has no Embree");
    PathCase c = mixed_case(64);
    path_set_text(&c, "intersector", "bvh");
    float *a = path_draw(&c, 2, "color");
    path_set_text(&c, "intersector", "embree");
    float *b = path_draw(&c, 2, "color");
    size_t count = 3 * WIDTH * HEIGHT;
    assert_near(path_mean(a, count) / path_mean(b, count), 1, 0.005);
    free(a);
    free(b);
}

static void empty_frames(void **state)
{
    (void)state;
    PathCase c = path_case(20, 12, 2);
    float *color = path_draw(&c, 2, "color"), *depth = path_draw(&c, 2, "depth");
    for (size_t k = 0; k < 240; k++) {
        assert_near((double)color[3 * k], 1, 1e-5);
        assert_true(isinf(depth[k]));
    }
    free(color);
    free(depth);
    /* Open on all sides, with the ground asked for: still nothing but sky. */
    c.view.domain = (SlBox){{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
    path_set(&c, "ground", 1);
    color = path_draw(&c, 2, "color");
    assert_near(path_mean(color, 720), 1, 1e-5);
    free(color);
}

static void no_particles(void **state)
{
    (void)state;
    PathCase c = path_case(20, 12, 2);
    SlFieldView field = {"position", "m", "", SL_FIELD_F32X3, NULL, 0, 12};
    SlSystemView systems[2] = {{.name = "water", .solver = "pbf", .spacing = 0.1f,
                                .material = sl_default_material(SL_MATERIAL_WATER), .fields = &field,
                                .field_count = 1},
                               {.name = "snow", .solver = "snow", .spacing = 0.1f,
                                .material = sl_default_material(SL_MATERIAL_SNOW), .fields = &field,
                                .field_count = 1}};
    c.view.systems = systems;
    c.view.system_count = 2;
    float *color = path_draw(&c, 2, "color");
    assert_near(path_mean(color, 720), 1, 1e-5);
    free(color);
}

/* A frame read without its meshes has colliders without positions. */
static void missing_meshes(void **state)
{
    (void)state;
    PathCase c = path_case(20, 12, 2);
    c.colliders[0] = (SlColliderView){.name = "mesh", .kind = SL_COLLIDER_MESH,
                                      .mesh = {.vertex_count = 8, .triangle_count = 12},
                                      .pose = {.rotation = {0, 0, 0, 1}},
                                      .material = sl_default_material(SL_MATERIAL_SOLID)};
    c.view.collider_count = 1;
    float *color = path_draw(&c, 2, "color");
    assert_near(path_mean(color, 720), 1, 1e-5);
    free(color);
}

static void no_light(void **state)
{
    (void)state;
    PathCase c = mixed_case(4);
    path_set(&c, "sun", 0);
    path_set(&c, "sky_scale", 0);
    float *color = path_draw(&c, 2, "color");
    assert_true(path_mean(color, 3 * WIDTH * HEIGHT) == 0);
    free(color);
}

static void smallest_picture(void **state)
{
    (void)state;
    PathCase c = mixed_case(4);
    path_set(&c, "width", 1);
    path_set(&c, "height", 1);
    c.width = c.height = 1;
    for (int k = 0; k < 2; k++) {
        path_set_text(&c, "denoise", k == 0 ? "none" : "filter");
        float *color = path_draw(&c, 2, "color");
        if (!(isfinite(color[1]) && color[1] > 0))
            fail_msg("the only pixel is %g %g %g (%d)", (double)color[0], (double)color[1], (double)color[2], k);
        free(color);
    }
}

/* Particles of a liquid without a surface, and the planes of what is seen first. */
static void planes_of_a_solid(void **state)
{
    (void)state;
    PathCase c = path_case(16, 16, 4);
    SlShape ball = sl_default_shape(SL_SHAPE_SPHERE);
    ball.radius = 1;
    path_add_shape(&c, ball, path_material(SL_MATERIAL_SOLID, 0.25f, 1));
    c.camera.fov = 2;
    float *depth = path_draw(&c, 1, "depth"), *normal = path_draw(&c, 1, "normal");
    float *albedo = path_draw(&c, 1, "albedo");
    size_t k = 8 * 16 + 8;
    assert_near((double)depth[k], 3, 0.01);
    assert_near((double)normal[3 * k + 2], 1, 0.01);
    assert_near((double)albedo[3 * k], 0.25, 1e-5);
    free(depth);
    free(normal);
    free(albedo);
}

/* The shutter's time moves spheres: with it a particle is spread upwards. */
static void motion_blur(void **state)
{
    (void)state;
    PathCase c = path_case(32, 32, 64);
    static float position[1][3] = {{0, 0, 0}}, velocity[1][3] = {{0, 60, 0}};
    SlFieldView fields[2] = {{"position", "m", "", SL_FIELD_F32X3, position, 1, 12},
                             {"velocity", "m/s", "", SL_FIELD_F32X3, velocity, 1, 12}};
    SlSystemView system = {.name = "w", .solver = "grains", .particle_count = 1, .spacing = 0.4f,
                           .material = path_material(SL_MATERIAL_FOAM, 0, 1), .fields = fields,
                           .field_count = 2};
    c.view.systems = &system;
    c.view.system_count = 1;
    c.view.frame_time = 1.0 / 60;
    path_set(&c, "shutter", 0);
    float *sharp = path_draw(&c, 1, "color");
    path_set(&c, "shutter", 1);
    float *blurred = path_draw(&c, 1, "color");
    /* It moves by 1 m and is 0.4 m wide: most of the time it is not in the middle. */
    size_t middle = 3 * (16 * 32 + 16);
    assert_near((double)sharp[middle], 0, 1e-5);
    assert_near((double)blurred[middle], 0.6, 0.15);
    double lost = 1 - path_mean(sharp, 3 * 1024), lost_blurred = 1 - path_mean(blurred, 3 * 1024);
    assert_near(lost_blurred / lost, 1, 0.1);
    free(sharp);
    free(blurred);
}

/* Light in the picture, and the variance of its place along one axis, in square pixels. */
static double spread(const float *color, uint32_t side, double *variance)
{
    double sum = 0, mean[2] = {0}, squares[2] = {0};
    for (uint32_t y = 0; y < side; y++)
        for (uint32_t x = 0; x < side; x++) {
            double light = (double)color[3 * (y * side + x)], at[2] = {x + 0.5, y + 0.5};
            sum += light;
            for (int k = 0; k < 2; k++) {
                mean[k] += light * at[k];
                squares[k] += light * at[k] * at[k];
            }
        }
    *variance = 0;
    for (int k = 0; k < 2; k++)
        *variance += 0.5 * (squares[k] / sum - mean[k] / sum * (mean[k] / sum));
    return sum;
}

/* A small square lamp 4 m away through a lens of diameter A. In focus it is as without a lens; with what is
   sharp f away each of its points becomes a disc of diameter A |4 - f| / 4 at f, whose places along an
   axis have the variance diameter² / 16. */
static void thin_lens(void **state)
{
    (void)state;
    enum { SIDE = 64 };
    const double aperture = 0.6, distance = 4, size = 0.2, fov = 40;
    const double focal = 0.5 * SIDE / tan(0.5 * fov * 3.14159265358979 / 180); /* pixels */
    const double focus[] = {0, 4, 2, 20}; /* 0: the camera's target */
    double sharp_light = 0;
    for (int k = -1; k < 4; k++) {
        PathCase c = path_case(SIDE, SIDE, 256);
        path_set(&c, "sky_scale", 0);
        path_set_vec3(&c, "lamp1_light", 1, 1, 1);
        path_set_vec3(&c, "lamp1_place", 0, 0, 0);
        path_set_vec3(&c, "lamp1_target", 0, 0, 1);
        path_set(&c, "lamp1_width", size);
        path_set(&c, "lamp1_height", size);
        path_set(&c, "aperture", k < 0 ? 0 : aperture);
        path_set(&c, "focus", k < 0 ? 0 : focus[k]);
        c.camera.fov = (float)fov;
        double variance, f = k < 0 || focus[k] == 0 ? distance : focus[k];
        float *color = path_draw(&c, 2, "color");
        double light = spread(color, SIDE, &variance);
        free(color);
        double square = size * focal / distance, disc = aperture * fabs(distance - f) / distance * focal / f;
        /* Places in the picture are known to a pixel: 1/12. */
        assert_near(variance / (square * square / 12 + disc * disc / 16 + 1.0 / 12), 1, 0.04);
        if (k < 0)
            sharp_light = light;
        assert_near(light / sharp_light, 1, 0.02);
    }
}

/* Straight shadow rays, photons and traced paths give a flat floor under flat water the same light. */
static void sun_through_water(void **state)
{
    (void)state;
    const char *const ways[] = {"traced", "straight", "photons"};
    double mean[3];
    for (int k = 0; k < 3; k++) {
        PathCase c = path_case(16, 16, k == 0 ? 4000 : 60);
        SlShape floor = sl_default_shape(SL_SHAPE_BOX);
        floor.center = (SlVec3){0, -1, 0};
        floor.half = (SlVec3){20, 0.5f, 20};
        path_add_shape(&c, floor, path_material(SL_MATERIAL_SOLID, 0.3f, 1));
        path_add_water(&c, (SlBox){{-4, -0.6f, -4}, {4, 0, 4}}, path_material(SL_MATERIAL_WATER, 1, 0));
        c.camera.eye = (SlVec3){0, 2, 0.2f};
        path_set(&c, "sun", 1);
        path_set(&c, "sun_angle", 12);
        path_set(&c, "sky_scale", 0);
        path_set(&c, "photons", 200000);
        path_set_vec3(&c, "light", 0, 1, 0.9); /* its reflection is not seen */
        path_set_text(&c, "sun_through", ways[k]);
        float *color = path_draw(&c, 2, "color");
        mean[k] = path_mean(color, 768);
        free(color);
    }
    assert_near(mean[1] / mean[0], 1, 0.02);
    assert_near(mean[2] / mean[0], 1, 0.02);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_bits_for_any_threads), cmocka_unit_test(intersectors_agree),
        cmocka_unit_test(region_of_a_picture),       cmocka_unit_test(samples_per_photon_map),
        cmocka_unit_test(empty_frames),              cmocka_unit_test(no_particles),
        cmocka_unit_test(missing_meshes),            cmocka_unit_test(no_light),
        cmocka_unit_test(smallest_picture),          cmocka_unit_test(planes_of_a_solid),
        cmocka_unit_test(motion_blur),               cmocka_unit_test(sun_through_water),
        cmocka_unit_test(thin_lens),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
