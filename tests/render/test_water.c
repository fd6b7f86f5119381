/* The renderer `water` through its public calls, and its filter against a reference. */
#include "support/test.h"

#include "core/machine.h"
#include "core/random.h"
#include "render/water/water.h"

enum { MAX_ROWS = 64, WIDTH = 160, HEIGHT = 96, SIDE = 24, DEEP = 8, FOAM = 600 };
enum { COUNT = SIDE * SIDE * DEEP };
#define SPACING 0.05f

typedef struct Scene {
    SlFrameView view;
    SlSystemView systems[3];
    SlFieldView fields[2], foam_fields[5], snow_fields[1];
    SlColliderView collider;
    SlCamera camera;
    const SlTable *table;
    SlParamValue values[MAX_ROWS];
    float position[COUNT][3], velocity[COUNT][3];
    float foam[FOAM][3], foam_velocity[FOAM][3], foam_radius[FOAM], foam_life[FOAM];
    uint32_t foam_phase[FOAM];
    float snow[2][3];
} Scene;

static float unit(uint64_t counter, uint64_t stream)
{
    return sl_random_unit(sl_random(5, counter, stream).value[0]);
}

static void set(Scene *scene, const char *name, double number)
{
    assert_ok(sl_table_set_number(scene->table, scene->values, name, number, &test_error));
}

/* A pool on the ground of a box without a lid, nearly at rest. */
static Scene *make_pool(void)
{
    Scene *scene = calloc(1, sizeof *scene);
    size_t kinds, n = 0;
    const SlTable *const *tables = sl_renderer_tables(&kinds);
    scene->table = sl_table_named(tables, kinds, "water");
    assert_non_null(scene->table);
    sl_table_defaults(scene->table, scene->values);
    for (int z = 0; z < SIDE; z++)
        for (int y = 0; y < DEEP; y++)
            for (int x = 0; x < SIDE; x++, n++) {
                const int at[3] = {x, y, z};
                for (uint64_t k = 0; k < 3; k++)
                    scene->position[n][k] = SPACING * ((float)at[k] + 0.5f + 0.1f * (unit(n, k) - 0.5f));
            }
    scene->fields[0] = (SlFieldView){"position", "m", "", SL_FIELD_F32X3, scene->position, COUNT, 12};
    scene->fields[1] = (SlFieldView){"velocity", "m/s", "", SL_FIELD_F32X3, scene->velocity, COUNT, 12};
    SlMaterial water = sl_default_material(SL_MATERIAL_WATER);
    const float absorption[3] = {4, 0.7f, 0.4f};
    memcpy(water.absorption, absorption, sizeof absorption);
    scene->systems[0] = (SlSystemView){.name = "water", .solver = "pbf", .particle_count = COUNT,
                                       .spacing = SPACING, .volume = SPACING * SPACING * SPACING,
                                       .material = water, .fields = scene->fields, .field_count = 2};
    scene->view = (SlFrameView){.domain = {{0, 0, 0}, {SIDE * SPACING, 1, SIDE * SPACING}},
                                .gravity = {0, -9.81f, 0},
                                .domain_material = sl_default_material(SL_MATERIAL_GROUND),
                                .systems = scene->systems, .system_count = 1};
    scene->camera = sl_default_camera();
    scene->camera.eye = (SlVec3){0.6f, 1.3f, 2.4f};
    scene->camera.target = (SlVec3){0.6f, 0.35f, 0.6f};
    set(scene, "width", WIDTH);
    set(scene, "height", HEIGHT);
    set(scene, "shadow_size", 256);
    return scene;
}

/* Whitewater: the first half above the surface, the rest in the water. */
static void add_foam(Scene *scene, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        bool above = k < count / 2;
        scene->foam[k][0] = 0.35f + 0.5f * unit(k, 10);
        scene->foam[k][1] = above ? 0.45f + 0.2f * unit(k, 11) : 0.05f + 0.1f * unit(k, 11);
        scene->foam[k][2] = 0.35f + 0.5f * unit(k, 12);
        scene->foam_velocity[k][1] = above ? 2 : 0;
        scene->foam_radius[k] = 0.003f + 0.01f * unit(k, 13);
        scene->foam_life[k] = 1;
        scene->foam_phase[k] = above ? k % 2 : 2;
    }
    scene->foam_fields[0] = (SlFieldView){"position", "m", "", SL_FIELD_F32X3, scene->foam, count, 12};
    scene->foam_fields[1] = (SlFieldView){"velocity", "m/s", "", SL_FIELD_F32X3, scene->foam_velocity, count, 12};
    scene->foam_fields[2] = (SlFieldView){"phase", "", "", SL_FIELD_U32, scene->foam_phase, count, 4};
    scene->foam_fields[3] = (SlFieldView){"radius", "m", "", SL_FIELD_F32, scene->foam_radius, count, 4};
    scene->foam_fields[4] = (SlFieldView){"lifetime", "s", "", SL_FIELD_F32, scene->foam_life, count, 4};
    scene->systems[1] = (SlSystemView){.name = "foam", .solver = "whitewater", .particle_count = count,
                                       .spacing = SPACING, .material = sl_default_material(SL_MATERIAL_WATER),
                                       .fields = scene->foam_fields, .field_count = 5};
    scene->view.system_count = 2;
}

static void add_sphere(Scene *scene)
{
    SlShape shape = sl_default_shape(SL_SHAPE_SPHERE);
    shape.center = (SlVec3){0.6f, 0.35f, 0.9f};
    shape.radius = 0.15f;
    scene->collider = (SlColliderView){.name = "ball", .kind = SL_COLLIDER_SHAPE, .shape = shape,
                                       .material = sl_default_material(SL_MATERIAL_SOLID)};
    scene->view.colliders = &scene->collider;
    scene->view.collider_count = 1;
}

enum { COLOR, DEPTH, NORMAL, PLANES };

/* The planes of a picture, 3, 1 and 3 floats per pixel, to be freed; image may be NULL. */
static void draw(Scene *scene, uint32_t threads, bool surface, float *planes[PLANES], uint8_t **image)
{
    static const char *const names[PLANES] = {"color", "depth", "normal"};
    static const size_t channels[PLANES] = {3, 1, 3};
    SlContext *context = test_context(threads);
    SlRenderer *renderer;
    SlFilter *filter = NULL;
    SlTarget *target;
    const SlFrameView *view = &scene->view;
    if (surface) {
        assert_ok(sl_filter_create(context, "surface", NULL, &filter, &test_error));
        assert_ok(sl_filter_apply(filter, view, &view, &test_error));
        assert_true(view->surface_count >= 1);
    }
    assert_ok(sl_renderer_create(context, "water", scene->values, &renderer, &test_error));
    uint32_t width = sl_renderer_width(renderer), height = sl_renderer_height(renderer);
    assert_ok(sl_target_create(context, width, height, names, PLANES, &target, &test_error));
    SlRenderJob job = sl_default_render_job(view);
    job.camera = &scene->camera;
    job.planes = names;
    job.plane_count = PLANES;
    assert_ok(sl_render_begin(renderer, &job, &test_error));
    for (uint32_t left = 1; left > 0;)
        assert_ok(sl_render_accumulate(renderer, &left, &test_error));
    assert_ok(sl_render_resolve(renderer, target, &test_error));
    for (int k = 0; k < PLANES; k++) {
        size_t bytes = channels[k] * width * height * sizeof(float);
        planes[k] = malloc(bytes);
        memcpy(planes[k], sl_target_plane(target, names[k]), bytes);
    }
    const SlImage *drawn;
    assert_ok(sl_render_image(renderer, &drawn, &test_error));
    if (image != NULL) {
        *image = malloc((size_t)3 * width * height);
        memcpy(*image, drawn->pixels, (size_t)3 * width * height);
    }
    sl_target_destroy(target);
    sl_renderer_destroy(renderer);
    sl_filter_destroy(filter);
    sl_context_destroy(context);
}

static void free_planes(float *planes[PLANES])
{
    for (int k = 0; k < PLANES; k++)
        free(planes[k]);
}

static void all_finite(const float *color, size_t count)
{
    for (size_t k = 0; k < count; k++)
        assert_true(isfinite(color[k]) && color[k] >= 0);
}

static void threads_do_not_change_a_bit(void **state)
{
    (void)state;
    for (int surface = 0; surface < 2; surface++) {
        Scene *scene = make_pool();
        add_foam(scene, FOAM);
        add_sphere(scene);
        float *first[PLANES];
        uint8_t *image;
        draw(scene, 1, surface != 0, first, &image);
        all_finite(first[COLOR], 3 * WIDTH * HEIGHT);
        const uint32_t threads[] = {2, 5};
        for (int t = 0; t < 2; t++) {
            float *other[PLANES];
            uint8_t *picture;
            draw(scene, threads[t], surface != 0, other, &picture);
            assert_memory_equal(first[COLOR], other[COLOR], 3 * WIDTH * HEIGHT * sizeof(float));
            assert_memory_equal(first[DEPTH], other[DEPTH], WIDTH * HEIGHT * sizeof(float));
            assert_memory_equal(image, picture, 3 * WIDTH * HEIGHT);
            free_planes(other);
            free(picture);
        }
        free_planes(first);
        free(image);
        free(scene);
    }
}

/* In the middle of the picture is the pool's surface: level, at its height, however it is drawn. */
static void a_pool_is_level(void **state)
{
    (void)state;
    for (int surface = 0; surface < 2; surface++) {
        Scene *scene = make_pool();
        float *planes[PLANES];
        draw(scene, 2, surface != 0, planes, NULL);
        SlCameraFrame c = sl_camera_frame(&scene->camera, WIDTH, HEIGHT);
        double tilt = 0, height = 0, worst = 0;
        int count = 0;
        for (int y = HEIGHT / 2 - 6; y < HEIGHT / 2 + 6; y++)
            for (int x = WIDTH / 2 - 30; x < WIDTH / 2 + 30; x++, count++) {
                const float *n = planes[NORMAL] + 3 * (y * WIDTH + x);
                float z = planes[DEPTH][y * WIDTH + x];
                float a = ((float)x + 0.5f - c.center_x) / c.focal;
                float b = (c.center_y - (float)y - 0.5f) / c.focal;
                SlVec3 p = sl_add(c.eye, sl_scale(sl_add(c.forward, sl_add(sl_scale(c.right, a),
                                                                           sl_scale(c.up, b))), z));
                double angle = acos(fmin(1, (double)n[1])) * 180 / 3.14159265358979;
                tilt += angle;
                worst = fmax(worst, angle);
                height += (double)p.y;
            }
        assert_true(tilt / count < (surface ? 2 : 8));
        assert_true(worst < (surface ? 8 : 30));
        assert_near(height / count, DEEP * SPACING, 0.5 * SPACING);
        free_planes(planes);
        free(scene);
    }
}

static void water_takes_red_first(void **state)
{
    (void)state;
    Scene *scene = make_pool();
    float *wet[PLANES], *dry[PLANES];
    draw(scene, 2, false, wet, NULL);
    scene->systems[0].particle_count = 0;
    draw(scene, 2, false, dry, NULL);
    size_t at = 3 * ((size_t)(HEIGHT / 2) * WIDTH + WIDTH / 2);
    float before = dry[COLOR][at] / dry[COLOR][at + 2], after = wet[COLOR][at] / wet[COLOR][at + 2];
    assert_true(after < 0.75f * before);
    /* The sky beside it is the same. */
    assert_memory_equal(wet[COLOR], dry[COLOR], 3 * sizeof(float));
    free_planes(wet);
    free_planes(dry);
    free(scene);
}

/* Of two liquids side by side each has the colour of its own material, by particles and by surfaces. */
static void liquids_have_their_own_colours(void **state)
{
    (void)state;
    Scene *scene = make_pool();
    size_t half = 0, count = scene->systems[0].particle_count;
    float *planes[PLANES];
    /* Particles of the left half first: two systems are two ranges of the arrays. */
    for (size_t k = 0; k < count; k++)
        if (scene->position[k][0] < 0.6f) {
            float other[3];
            memcpy(other, scene->position[half], sizeof other);
            memcpy(scene->position[half++], scene->position[k], sizeof other);
            memcpy(scene->position[k], other, sizeof other);
        }
    SlFieldView right = scene->fields[0], left = right;
    left.count = half;
    right.data = scene->position[half];
    right.count = count - half;
    scene->systems[1] = scene->systems[0];
    scene->systems[0].name = "left";
    scene->systems[1].name = "right";
    scene->systems[0].particle_count = half;
    scene->systems[1].particle_count = count - half;
    scene->systems[0].fields = &left;
    scene->systems[1].fields = &right;
    scene->systems[0].field_count = scene->systems[1].field_count = 1;
    scene->view.system_count = 2;
    for (int c = 0; c < 3; c++) { /* one is red, the other blue */
        scene->systems[0].material.absorption[c] = c == 0 ? 0 : 8;
        scene->systems[1].material.absorption[c] = c == 2 ? 0 : 8;
    }
    for (int surface = 0; surface < 2; surface++) {
        draw(scene, 2, surface != 0, planes, NULL);
        const float *row = planes[COLOR] + 3 * (size_t)(HEIGHT / 2) * WIDTH;
        const float *a = row + 3 * (WIDTH * 2 / 5), *b = row + 3 * (WIDTH * 3 / 5);
        assert_true(a[0] / a[2] > 1.5f * b[0] / b[2]);
        free_planes(planes);
    }
    free(scene);
}

static double brightness(const float *color)
{
    double sum = 0;
    for (size_t k = 0; k < 3 * (size_t)WIDTH * HEIGHT; k++)
        sum += (double)color[k];
    return sum / (3.0 * WIDTH * HEIGHT);
}

/* Spray brightens the picture; the same amount under water does less. */
static void whitewater_is_white_above_and_dim_below(void **state)
{
    (void)state;
    Scene *scene = make_pool();
    float *planes[PLANES];
    draw(scene, 2, true, planes, NULL);
    double none = brightness(planes[COLOR]);
    free_planes(planes);
    double bright[2];
    for (int below = 0; below < 2; below++) {
        add_foam(scene, FOAM);
        for (size_t k = 0; k < FOAM; k++) {
            scene->foam[k][1] = below ? 0.12f : 0.5f;
            scene->foam_phase[k] = below ? 2 : 1;
        }
        draw(scene, 2, true, planes, NULL);
        bright[below] = brightness(planes[COLOR]);
        free_planes(planes);
    }
    assert_true(bright[0] > none * 1.01);
    assert_true(bright[1] < bright[0]);
    free(scene);
}

/* Spray that flies beside the picture is not drawn in its corner with what an earlier picture left. */
static void spray_outside_the_picture_is_not_seen(void **state)
{
    (void)state;
    Scene *scene = make_pool();
    add_foam(scene, FOAM);
    for (size_t k = 0; k < FOAM; k++) {
        scene->foam_phase[k] = 0;
        scene->foam_velocity[k][0] = scene->foam_velocity[k][1] = 20;
    }
    SlContext *context = test_context(2);
    SlRenderer *renderer;
    assert_ok(sl_renderer_create(context, "water", scene->values, &renderer, &test_error));
    uint8_t *picture[3];
    for (int turn = 0; turn < 3; turn++) { /* all at the upper left; all beside the right edge; none */
        SlVec3 from = turn == 0 ? sl_vec3(-0.8f, 0.7f, 0.6f) : sl_vec3(2.4f, 0.8f, 0.6f);
        for (size_t k = 0; k < FOAM; k++)
            for (uint64_t a = 0; a < 3; a++)
                scene->foam[k][a] = (&from.x)[a] + (a == 2 ? 0.05f : 0.6f) * unit(k, 20 + a);
        scene->systems[1].particle_count = turn == 2 ? 0 : FOAM;
        SlRenderJob job = sl_default_render_job(&scene->view);
        job.camera = &scene->camera;
        assert_ok(sl_render_begin(renderer, &job, &test_error));
        for (uint32_t left = 1; left > 0;)
            assert_ok(sl_render_accumulate(renderer, &left, &test_error));
        const SlImage *drawn;
        assert_ok(sl_render_image(renderer, &drawn, &test_error));
        picture[turn] = malloc((size_t)3 * WIDTH * HEIGHT);
        memcpy(picture[turn], drawn->pixels, (size_t)3 * WIDTH * HEIGHT);
    }
    size_t changed[2] = {0, 0}; /* in the left half, by spray in the corner and beside the right edge */
    for (size_t k = 0; k < (size_t)3 * WIDTH * HEIGHT; k++)
        for (int turn = 0; turn < 2; turn++)
            changed[turn] += k / 3 % WIDTH < WIDTH / 2 && abs(picture[turn][k] - picture[2][k]) > 3;
    assert_true(changed[0] > 100);
    assert_int_equal(changed[1], 0);
    for (int turn = 0; turn < 3; turn++)
        free(picture[turn]);
    sl_renderer_destroy(renderer);
    sl_context_destroy(context);
    free(scene);
}

static void empty_and_broken_frames_are_drawn(void **state)
{
    (void)state;
    Scene *scene = make_pool();
    float *planes[PLANES];
    const size_t counts[] = {0, 1, 2};
    for (int k = 0; k < 3; k++) { /* none, one particle, two with one that is nowhere */
        scene->systems[0].particle_count = counts[k];
        scene->position[1][0] = k == 2 ? NAN : 0;
        for (int surface = 0; surface < (k < 2 ? 2 : 1); surface++) { /* it has no surface */
            draw(scene, 2, surface != 0, planes, NULL);
            all_finite(planes[COLOR], 3 * WIDTH * HEIGHT);
            free_planes(planes);
        }
    }
    scene->view.system_count = 0;
    draw(scene, 2, false, planes, NULL);
    all_finite(planes[COLOR], 3 * WIDTH * HEIGHT);
    free_planes(planes);
    free(scene);
}

static void any_size_is_drawn(void **state)
{
    (void)state;
    const int sizes[][2] = {{1, 1}, {2, 3}, {33, 1}, {1, 65}};
    Scene *scene = make_pool();
    add_foam(scene, FOAM);
    for (int k = 0; k < 4; k++)
        for (int surface = 0; surface < 2; surface++) {
            float *planes[PLANES];
            set(scene, "width", sizes[k][0]);
            set(scene, "height", sizes[k][1]);
            draw(scene, 2, surface != 0, planes, NULL);
            all_finite(planes[COLOR], 3 * (size_t)sizes[k][0] * (size_t)sizes[k][1]);
            free_planes(planes);
        }
    free(scene);
}

/* Snow in the same frame is opaque: its depth is that of the particle, before the water. */
static void other_particles_are_solid(void **state)
{
    (void)state;
    Scene *scene = make_pool();
    const SlVec3 at = {0.6f, 0.6f, 0.6f};
    memcpy(scene->snow[0], &at, sizeof at);
    scene->snow_fields[0] = (SlFieldView){"position", "m", "", SL_FIELD_F32X3, scene->snow, 1, 12};
    scene->systems[1] = (SlSystemView){.name = "snow", .solver = "snow", .particle_count = 1,
                                       .spacing = 0.1f, .material = sl_default_material(SL_MATERIAL_SNOW),
                                       .fields = scene->snow_fields, .field_count = 1};
    scene->view.system_count = 2;
    scene->camera.target = at;
    float *planes[PLANES];
    draw(scene, 2, true, planes, NULL);
    float far = sl_length(sl_sub(scene->camera.eye, at));
    assert_near(planes[DEPTH][HEIGHT / 2 * WIDTH + WIDTH / 2], far - 0.055f, 0.01f);
    free_planes(planes);
    free(scene);
}

/* The edges of the tank are where its corners are seen; one that a solid touches is none. */
static void a_tank_has_edges(void **state)
{
    (void)state;
    Scene *scene = make_pool();
    add_sphere(scene);
    float *with[PLANES], *without[PLANES];
    set(scene, "tank", 1);
    draw(scene, 2, true, with, NULL);
    set(scene, "tank", 0);
    draw(scene, 2, true, without, NULL);
    all_finite(with[COLOR], 3 * WIDTH * HEIGHT);
    SlCameraFrame c = sl_camera_frame(&scene->camera, WIDTH, HEIGHT);
    int found = 0;
    for (int k = 0; k < 40; k++) { /* along the upper edge in front */
        SlVec3 v = sl_camera_to_view(&c, (SlVec3){SIDE * SPACING * (float)k / 39, 1, SIDE * SPACING});
        float x = c.center_x + v.x / v.z * c.focal, y = c.center_y - v.y / v.z * c.focal;
        if (!(x >= 0 && y >= 0 && x < WIDTH && y < HEIGHT))
            continue;
        size_t at = 3 * ((size_t)y * WIDTH + (size_t)x);
        float largest = 0;
        for (size_t j = 0; j < 3; j++)
            largest = fmaxf(largest, fabsf(with[COLOR][at + j] - without[COLOR][at + j]));
        assert_true(largest > 0.01f);
        found++;
    }
    assert_true(found > 10);
    /* Depth and normal are the water's. */
    assert_memory_equal(with[DEPTH], without[DEPTH], WIDTH * HEIGHT * sizeof(float));
    free_planes(with);
    set(scene, "tank", 1);
    scene->collider.shape.center.x = 0.1f;
    draw(scene, 2, true, with, NULL);
    set(scene, "tank", 0);
    free_planes(without);
    draw(scene, 2, true, without, NULL);
    assert_memory_equal(with[COLOR], without[COLOR], 3 * WIDTH * HEIGHT * sizeof(float));
    free_planes(with);
    free_planes(without);
    free(scene);
}

/* --- The filter. --- */

/* [Truong 2018] for one pixel of a row, written from the paper's rules. */
static double reference(const float *z, int x, int count, double sigma, double range, double clamp)
{
    double sum = z[x], total = 1, low[2], high[2];
    int reach = (int)(2 * sigma);
    if (z[x] >= SL_DEPTH_NONE)
        return z[x];
    for (int s = 0; s < 2; s++) {
        low[s] = z[x] - range;
        high[s] = z[x] + range;
    }
    for (int k = 1; k <= reach; k++) {
        double value[2];
        bool near = false;
        for (int s = 0; s < 2; s++) {
            int at = s == 0 ? x - k : x + k;
            double sample = at >= 0 && at < count ? (double)z[at] : (double)SL_DEPTH_NONE;
            near |= sample < low[s];
            value[s] = sample;
            if (sample > high[s])
                value[s] = z[x] + clamp;
            else if (!near) {
                low[s] = fmin(low[s], sample - range);
                high[s] = fmax(high[s], sample + range);
            }
        }
        double w = near ? 0 : exp(-0.5 * k * k / (sigma * sigma));
        sum += w * (value[0] + value[1]);
        total += 2 * w;
    }
    return sum / total;
}

static void filter_equals_its_reference(const SlWaterLayerKernels *kernels)
{
    enum { N = 160, STRIDE = N + 2 * SL_WATER_MARGIN };
    size_t plane = (size_t)STRIDE * (1 + 2 * SL_WATER_MARGIN);
    float *in = malloc(plane * sizeof *in), *out = malloc(plane * sizeof *out);
    for (size_t k = 0; k < plane; k++)
        in[k] = out[k] = SL_DEPTH_NONE;
    SlSplatFrame back = {.camera = {.focal = 100}};
    SlWaterFrame frame = {.back = &back, .width = N, .height = 1, .stride = STRIDE,
                          .filter_sigma = 0.06f, .filter_range = 0.15f, .filter_clamp = 0.05f};
    float *row = in + sl_water_at(&frame, 0, 0);
    for (int x = 0; x < N; x++) {
        row[x] = 2 + 0.003f * (float)x + 0.04f * (unit((uint64_t)x, 20) - 0.5f);
        if (x > 60 && x < 90)
            row[x] -= 0.5f; /* something before it */
        if (x > 120 && x < 130)
            row[x] = SL_DEPTH_NONE;
    }
    kernels->filter_x(&frame, in, out, 0);
    for (int x = 0; x < N; x++) {
        double sigma = 0.06 * 100 / (double)row[x];
        double wanted = reference(row, x, N, sigma, fmax(0.15, 8.0 / 100 * (double)row[x]), 0.05);
        if (row[x] < SL_DEPTH_NONE)
            assert_near(out[sl_water_at(&frame, (size_t)x, 0)], wanted, 2e-5);
        else
            assert_true(out[sl_water_at(&frame, (size_t)x, 0)] >= SL_DEPTH_NONE);
    }
    free(in);
    free(out);
}

static void the_filter_is_that_of_the_paper(void **state)
{
    (void)state;
    SlContext *context = test_context(1);
    filter_equals_its_reference(SL_KERNELS(SL_ISA_BASE, sl_water_layer_kernels));
    filter_equals_its_reference(SL_KERNELS(context->isa, sl_water_layer_kernels));
    sl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_do_not_change_a_bit),
        cmocka_unit_test(a_pool_is_level),
        cmocka_unit_test(water_takes_red_first),
        cmocka_unit_test(liquids_have_their_own_colours),
        cmocka_unit_test(whitewater_is_white_above_and_dim_below),
        cmocka_unit_test(spray_outside_the_picture_is_not_seen),
        cmocka_unit_test(empty_and_broken_frames_are_drawn),
        cmocka_unit_test(any_size_is_drawn),
        cmocka_unit_test(other_particles_are_solid),
        cmocka_unit_test(a_tank_has_edges),
        cmocka_unit_test(the_filter_is_that_of_the_paper),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
