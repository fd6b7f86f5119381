/* Fills: never too dense, the right distance from everything, random ones even and repeatable. */
#include "math/noise.h"
#include "support/sphere_mesh.h"
#include "support/test.h"
#include "support/world.h"

static const char *asset(const char *name)
{
    static char path[600];
    const char *source = getenv("SLEET_SOURCE");
    snprintf(path, sizeof path, "%s/assets/%s", source != NULL ? source : ".", name);
    return path;
}

static SlWorld *make_world(uint32_t threads, double spacing, uint64_t seed)
{
    SlWorldDef def = test_world_def(threads, (SlVec3){-3, 0, -3}, (SlVec3){3, 4, 3});
    def.seed = seed;
    SlSystemId id;
    SlWorld *world = test_world(&def, "pbf", "packing=lattice", &id);
    assert_ok(sl_system_set_number(world, id, "spacing", spacing, &test_error));
    return world;
}

static SlFillDef fill_of(const SlShape *shape)
{
    SlFillDef fill = sl_default_fill_def();
    fill.shapes = shape;
    fill.shape_count = 1;
    return fill;
}

static SlShape ball_at(float x, float y, float z, float radius)
{
    SlShape ball = sl_default_shape(SL_SHAPE_SPHERE);
    ball.center = (SlVec3){x, y, z};
    ball.radius = radius;
    return ball;
}

static const float *element(SlFieldView view, size_t i)
{
    return (const float *)(const void *)((const char *)view.data + i * view.stride);
}

static float densest(SlWorld *world)
{
    float most = 0;
    SlFieldView density = sl_system_field(world, first_system(world), "density_ratio");
    for (size_t i = 0; i < density.count; i++)
        most = fmaxf(most, *element(density, i));
    return most;
}

static size_t count_of(SlWorld *world)
{
    return sl_world_view(world)->systems[0].particle_count;
}

/* The volume's worth of particles, less about half a layer at the surface. */
static void fill_mesh(const char *path, float scale, double spacing, double volume, float *dense)
{
    SlWorld *world = make_world(2, spacing, 1);
    SlFillDef fill = sl_default_fill_def();
    fill.path = path;
    fill.scale = scale;
    fill.rotation = (SlVec3){0.3f, 1, -0.2f};
    fill.position = (SlVec3){0.1f, 1.5f, 0.2f};
    assert_ok(sl_system_add_fill(world, first_system(world), &fill, &test_error));
    double asked = (double)sl_world_particle_count(world);
    assert_near(asked, volume / pow(spacing, 3), 0.02 * asked + 1);
    assert_ok(sl_world_start(world, &test_error));
    *dense = densest(world);
    print_message("%s: %zu of %.0f places, densest %.4f\n", strrchr(path, '/') + 1,
                  count_of(world), asked, (double)*dense);
    assert_true(count_of(world) == sl_world_particle_count(world));
    assert_less((double)count_of(world), 1.02 * asked);
    assert_less(0.3 * asked, (double)count_of(world));
    sl_world_destroy(world);
}

static void meshes_are_not_too_dense(void **state)
{
    (void)state;
    char sphere[600];
    float dense;
    sphere_mesh_write(sphere, sizeof sphere, 4);
    const struct {
        const char *path;
        float scale;
        double spacing, volume;
    } meshes[] = {{"squirrel.obj", 1.5f, 0.03, 0.111299 * 1.5 * 1.5 * 1.5},
                  {"cone.obj", 1, 0.03, 0.167294},
                  {"axe.obj", 3, 0.03, 0.0018367 * 27},
                  {"plough.obj", 1, 0.03, 0.126791}};
    for (size_t k = 0; k < sizeof meshes / sizeof meshes[0]; k++) {
        fill_mesh(asset(meshes[k].path), meshes[k].scale, meshes[k].spacing, meshes[k].volume,
                  &dense);
        assert_less(dense, 1.05);
    }
    fill_mesh(sphere, 1, 0.1, 4.12, &dense);
    assert_less(dense, 1.05);
}

static void shapes_are_not_too_dense(void **state)
{
    (void)state;
    SlShape ball = ball_at(0, 2, 0, 0.7f), cone = sl_default_shape(SL_SHAPE_CONE);
    cone.center = (SlVec3){0.3f, 0.5f, 0};
    cone.axis = (SlVec3){1, 2, 0.5f};
    cone.height = 2;
    const SlShape *shapes[2] = {&ball, &cone};
    for (int k = 0; k < 2; k++) {
        SlWorld *world = make_world(2, 0.05, 1);
        SlFillDef fill = fill_of(shapes[k]);
        fill.velocity = (SlVec3){1, 2, 3};
        assert_ok(sl_system_add_fill(world, first_system(world), &fill, &test_error));
        assert_ok(sl_world_start(world, &test_error));
        assert_less(densest(world), 1.05);
        SlFieldView x = sl_system_field(world, first_system(world), "position");
        SlFieldView v = sl_system_field(world, first_system(world), "velocity");
        for (size_t i = 0; i < x.count; i++) {
            const float *p = element(x, i);
            SlShape prepared = *shapes[k];
            SlVec3 axis = prepared.axis;
            float length = sqrtf(axis.x * axis.x + axis.y * axis.y + axis.z * axis.z);
            prepared.axis = (SlVec3){axis.x / length, axis.y / length, axis.z / length};
            assert_less(sl_shape_distance(&prepared, (SlVec3){p[0], p[1], p[2]}, NULL),
                        -0.49 * 0.05);
            assert_true(element(v, i)[1] == 2);
        }
        sl_world_destroy(world);
    }
}

/* A box of whole spacings gets the block's own places: 20 × 10 × 10. */
static void a_box_is_a_block(void **state)
{
    (void)state;
    SlShape box = sl_default_shape(SL_SHAPE_BOX);
    box.center = (SlVec3){0, 1, 0};
    box.half = (SlVec3){1, 0.5f, 0.5f};
    SlBlock block = {.min = {-1, 0.5f, -0.5f}, .max = {1, 1.5f, 0.5f}};
    SlFillDef fill = fill_of(&box);
    SlWorld *filled = make_world(2, 0.1, 1), *built = make_world(1, 0.1, 1);
    assert_ok(sl_system_add_fill(filled, first_system(filled), &fill, &test_error));
    assert_ok(sl_system_add_block(built, first_system(built), &block, &test_error));
    assert_ok(sl_world_start(filled, &test_error));
    assert_ok(sl_world_start(built, &test_error));
    assert_int_equal(count_of(filled), 2000);
    SlFieldView a = sl_system_field(filled, first_system(filled), "position"), b = sl_system_field(built, first_system(built), "position");
    for (size_t i = 0; i < a.count; i++)
        for (int k = 0; k < 3; k++)
            assert_near(element(a, i)[k], element(b, i)[k], 1e-6);
    sl_world_destroy(filled);
    sl_world_destroy(built);
}

static double nearest_pair(SlWorld *world)
{
    SlFieldView x = sl_system_field(world, first_system(world), "position");
    double least = 1e9;
    for (size_t i = 0; i < x.count; i++)
        for (size_t j = 0; j < i; j++) {
            double dx = (double)element(x, i)[0] - (double)element(x, j)[0];
            double dy = (double)element(x, i)[1] - (double)element(x, j)[1];
            double dz = (double)element(x, i)[2] - (double)element(x, j)[2];
            least = fmin(least, dx * dx + dy * dy + dz * dz);
        }
    return sqrt(least);
}

/* Side by side, overlapping, beside blocks that share no lattice. */
static void neighbours_keep_a_spacing(void **state)
{
    (void)state;
    for (int k = 0; k < 12; k++) {
        float shift = 0.1f * (float)k / 12;
        SlWorld *world = make_world(2, 0.1, 1);
        SlShape balls[2] = {ball_at(-0.4f, 2 + shift, shift / 2, 0.5f),
                            ball_at(0.6f - 0.4f * (float)(k % 3), 2, 0, 0.5f)};
        SlBlock blocks[2] = {{.min = {-1, 0, -0.6f}, .max = {1, 1.45f, 0.6f}},
                                {.min = {1, 1.03f + shift, -0.5f}, .max = {1.5f, 3, 0.5f}}};
        for (int j = 0; j < 2; j++) {
            SlFillDef fill = fill_of(&balls[j]);
            assert_ok(sl_system_add_fill(world, first_system(world), &fill, &test_error));
            assert_ok(sl_system_add_block(world, first_system(world), &blocks[j], &test_error));
        }
        assert_ok(sl_world_start(world, &test_error));
        assert_less(densest(world), 1.05);
        assert_less(0.0998, nearest_pair(world));
        sl_world_destroy(world);
    }
}

/* Around a ball and inside a container: half a spacing from each, walls of the domain too. */
static void solids_are_left_out(void **state)
{
    (void)state;
    double spacing = 0.05;
    SlWorld *world = make_world(2, spacing, 1);
    SlShape ball = ball_at(-2, 1, 0, 0.5f), boxes[2] = {sl_default_shape(SL_SHAPE_BOX),
                                                        sl_default_shape(SL_SHAPE_BOX)};
    boxes[0].center = (SlVec3){-2.2f, 0.9f, 0};
    boxes[0].half = (SlVec3){1, 1, 1};
    boxes[1].center = (SlVec3){1.5f, 0.7f, 0};
    boxes[1].half = (SlVec3){1, 0.5f, 0.5f};
    SlMeshColliderDef mesh = sl_default_mesh_collider_def();
    mesh.path = asset("container.obj");
    mesh.scale = 2;
    mesh.position = (SlVec3){1.5f, 0, 0};
    SlColliderId id;
    for (int k = 0; k < 2; k++) {
        SlFillDef fill = fill_of(&boxes[k]);
        assert_ok(sl_system_add_fill(world, first_system(world), &fill, &test_error));
    }
    assert_ok(sl_world_add_collider(world, &ball, NULL, &test_error));
    assert_ok(sl_world_add_mesh_collider(world, &mesh, &id, &test_error));
    assert_ok(sl_world_start(world, &test_error));
    float dense = densest(world);
    print_message("around solids: %zu particles, densest %.4f\n", count_of(world), (double)dense);
    assert_less(dense, 1.05);
    SlFieldView x = sl_system_field(world, first_system(world), "position");
    double nearest = 1;
    for (size_t i = 0; i < x.count; i++) {
        const float *p = element(x, i);
        nearest = fmin(nearest, (double)sl_shape_distance(&ball, (SlVec3){p[0], p[1], p[2]}, NULL));
        nearest = fmin(nearest, fmin((double)p[0] + 3, (double)p[1]));
    }
    assert_less(0.49 * spacing, nearest);
    assert_less(nearest, 0.7 * spacing);
    sl_world_destroy(world);
}

/* --- Random --- */

static SlFillDef snow(const SlShape *shape)
{
    SlFillDef fill = fill_of(shape);
    fill.mode = SL_FILL_RANDOM;
    fill.cell = 0.1;
    fill.per_cell = 6;
    fill.noise.smooth = 0.6f;
    fill.noise.grain = 0.4f;
    fill.noise.size = 0.4f;
    return fill;
}

static SlWorld *snow_world(uint32_t threads, uint64_t seed)
{
    static SlShape box;
    box = sl_default_shape(SL_SHAPE_BOX);
    box.center = (SlVec3){0, 2, 0};
    box.half = (SlVec3){1, 1, 1};
    SlWorld *world = make_world(threads, 0.05, seed);
    SlFillDef fill = snow(&box);
    assert_ok(sl_system_add_fill(world, first_system(world), &fill, &test_error));
    assert_ok(sl_world_start(world, &test_error));
    return world;
}

static void random_fills_are_even(void **state)
{
    (void)state;
    SlWorld *world = snow_world(2, 7);
    assert_int_equal(count_of(world), 20 * 20 * 20 * 6);
    static uint8_t in_cell[8000];
    memset(in_cell, 0, sizeof in_cell);
    SlFieldView x = sl_system_field(world, first_system(world), "position");
    double mean[3] = {0, 0, 0};
    for (size_t i = 0; i < x.count; i++) {
        const float *p = element(x, i);
        size_t cx = (size_t)((p[0] + 1) * 10 - 1e-5f), cy = (size_t)((p[1] - 1) * 10 - 1e-5f),
               cz = (size_t)((p[2] + 1) * 10 - 1e-5f);
        in_cell[(cz * 20 + cy) * 20 + cx]++;
        for (int k = 0; k < 3; k++) /* place within the cell */
            mean[k] += (double)(p[k] * 10 - floorf(p[k] * 10)) / (double)x.count;
    }
    for (int c = 0; c < 8000; c++)
        assert_true(in_cell[c] >= 5 && in_cell[c] <= 7); /* 6, but for rounding at the faces */
    for (int k = 0; k < 3; k++)
        assert_near(mean[k], 0.5, 0.006); /* 4 deviations of 48,000 uniform numbers */
    sl_world_destroy(world);
}

static void the_seed_decides(void **state)
{
    (void)state;
    SlWorld *one = snow_world(1, 7), *many = snow_world(5, 7), *other = snow_world(2, 8);
    assert_true(sl_world_hash(one) == sl_world_hash(many));
    assert_true(sl_world_hash(one) != sl_world_hash(other));
    SlFieldView a = sl_system_field(one, first_system(one), "position"), b = sl_system_field(other, first_system(other), "position");
    assert_memory_not_equal(element(a, 0), element(b, 0), 12);
    sl_world_destroy(one);
    sl_world_destroy(many);
    sl_world_destroy(other);
}

/* Mean, range and how alike neighbours are, by particles up to 3 cm and from 1 m apart. */
static void variation_has_its_statistics(void **state)
{
    (void)state;
    SlWorld *world = snow_world(2, 7);
    SlFieldView x = sl_system_field(world, first_system(world), "position");
    SlFieldView f = sl_system_field(world, first_system(world), "variation");
    assert_non_null(f.data);
    double mean = 0, square = 0, least = 1, most = -1;
    for (size_t i = 0; i < f.count; i++) {
        double v = (double)*element(f, i);
        mean += v / (double)f.count;
        square += v * v / (double)f.count;
        least = fmin(least, v);
        most = fmax(most, v);
    }
    double near = 0, far = 0, near_count = 0, far_count = 0, variance = square - mean * mean;
    for (size_t i = 0; i < f.count; i += 41)
        for (size_t j = 0; j < f.count; j++) {
            double d2 = 0;
            for (int k = 0; k < 3; k++)
                d2 += pow((double)element(x, i)[k] - (double)element(x, j)[k], 2);
            double product = ((double)*element(f, i) - mean) * ((double)*element(f, j) - mean);
            if (i != j && d2 < 0.03 * 0.03) {
                near += product;
                near_count++;
            } else if (d2 > 1) {
                far += product;
                far_count++;
            }
        }
    print_message("variation: mean %.4f, variance %.4f, %.3f to %.3f, near %.3f, far %.3f\n", mean,
                  variance, least, most, near / near_count / variance, far / far_count / variance);
    assert_near(mean, 0, 0.06);
    assert_true(least >= -1 && least < -0.5 && most > 0.5 && most <= 1);
    /* Grain alone has 0.4² / 3 = 0.053 and no likeness; what is above it is smooth. */
    assert_less(0.058, variance);
    assert_near(near / near_count, variance - 0.16 / 3, 0.25 * variance);
    assert_less(fabs(far / far_count), 0.1 * variance);
    sl_world_destroy(world);
}

static void noise_is_smooth(void **state)
{
    (void)state;
    double most = 0, mean = 0, step = 1e-4;
    for (int i = 0; i < 20000; i++) {
        double x = 0.137 * i, y = 0.071 * i - 300, z = -0.053 * i;
        double a = sl_noise(3, 0, x, y, z), b = sl_noise(3, 0, x + step, y, z);
        assert_true(a >= -1 && a <= 1);
        most = fmax(most, fabs(b - a) / step);
        mean += a / 20000;
    }
    /* Slope of the quintic is at most 15/8, of a difference of two. */
    assert_less(most, 3.76);
    assert_near(mean, 0, 0.03);
    assert_near(sl_noise(3, 0, 4, -2, 9), sl_noise_corner(3, 0, 4, -2, 9), 1e-15);
}

/* Chunks have a firm inside and seams; values go on evenly, and seams are as wide as asked for. */
static void chunks_have_seams(void **state)
{
    (void)state;
    enum { POINTS = 4000, WIDTHS = 2 };
    static const double width[WIDTHS] = {0.2, 0.4};
    double seams[WIDTHS], firm[WIDTHS];
    for (int w = 0; w < WIDTHS; w++) {
        double most = 0, step = 1e-4;
        seams[w] = firm[w] = 0;
        for (int i = 0; i < POINTS; i++) {
            double x = 0.137 * i, y = 0.071 * i - 100, z = -0.053 * i;
            double a = sl_noise_chunks(3, width[w], x, y, z);
            double b = sl_noise_chunks(3, width[w], x + step, y, z);
            assert_true(a >= -1.000001 && a <= 1);
            /* across the face of a chunk, where both are -1, it is the lesser of two slopes */
            most = fmax(most, fabs(b - a) / step);
            seams[w] += (double)(a < 0) / POINTS;
            firm[w] += (double)(a > 0.69) / POINTS;
        }
        print_message("seams of %.1f: slope %.2f, %.2f in seams, %.2f inside\n", width[w], most,
                      seams[w], firm[w]);
        assert_less(most, 1.005 * 4 / width[w]); /* 2 over half of it */
    }
    assert_true(seams[0] > 0.1 && seams[0] < 0.4);
    assert_true(firm[0] > 0.4);
    assert_true(seams[1] > 1.5 * seams[0] && seams[1] < 2 * seams[0]);
    assert_less(firm[1], firm[0]);
}

static void without_noise_there_is_no_field(void **state)
{
    (void)state;
    SlWorld *world = make_world(1, 0.1, 1);
    SlShape ball = ball_at(0, 2, 0, 0.5f);
    SlFillDef fill = fill_of(&ball);
    assert_ok(sl_system_add_fill(world, first_system(world), &fill, &test_error));
    assert_ok(sl_world_start(world, &test_error));
    assert_null(sl_system_field(world, first_system(world), "variation").data);
    sl_world_destroy(world);
}

/* --- What is refused --- */

static void refuse(const SlFillDef *fill, const char *words)
{
    SlWorld *world = make_world(1, 0.1, 1);
    assert_int_equal(sl_system_add_fill(world, first_system(world), fill, &test_error), SL_ERROR_ARGUMENT);
    if (strstr(test_error.text, words) == NULL)
        fail_msg("no \"%s\" in: %s", words, test_error.text);
    sl_world_destroy(world);
}

static void mistakes_are_refused(void **state)
{
    (void)state;
    char folder[512], path[600];
    test_folder(folder, sizeof folder, "fill");
    snprintf(path, sizeof path, "%s/open.obj", folder);
    FILE *file = fopen(path, "w");
    fputs("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\n", file);
    fclose(file);
    SlFillDef fill = sl_default_fill_def();
    refuse(&fill, "either a mesh or shapes");
    fill.path = path;
    refuse(&fill, "open.obj is not closed: 3 open, 0 non-manifold and 0 flipped edges");
    SlShape plane = sl_default_shape(SL_SHAPE_PLANE), dot = ball_at(0, 2, 0, 0.02f);
    fill = fill_of(&plane);
    refuse(&fill, "no inside to fill");
    fill = fill_of(&dot);
    fill.noise.smooth = 0.8f;
    fill.noise.grain = 0.3f;
    refuse(&fill, "nor above 1 together");
    fill = fill_of(&dot);
    fill.per_cell = 65;
    refuse(&fill, "1 to 64 particles per cell");

    SlWorld *world = make_world(1, 0.1, 1);
    fill = fill_of(&dot);
    assert_ok(sl_system_add_fill(world, first_system(world), &fill, &test_error));
    assert_int_equal(sl_world_start(world, &test_error), SL_ERROR_ARGUMENT);
    assert_non_null(strstr(test_error.text, "no place for a particle"));
    sl_world_destroy(world);
    /* Refused by volume, before anything is counted or taken. */
    world = make_world(1, 1e-5, 1);
    SlShape ball = ball_at(0, 2, 0, 1);
    fill = fill_of(&ball);
    assert_ok(sl_system_add_fill(world, first_system(world), &fill, &test_error));
    assert_int_equal(sl_world_start(world, &test_error), SL_ERROR_MEMORY);
    sl_world_destroy(world);
}

/* A tetrahedron without its fourth face: the winding number still knows most of the inside. */
static void open_meshes_may_be_allowed(void **state)
{
    (void)state;
    char folder[512], path[600];
    test_folder(folder, sizeof folder, "fill");
    snprintf(path, sizeof path, "%s/open.obj", folder);
    SlWorld *world = make_world(1, 0.05, 1);
    SlFillDef fill = sl_default_fill_def();
    fill.path = path;
    fill.scale = 2;
    fill.position = (SlVec3){0, 1, 0};
    fill.allow_open = true;
    assert_ok(sl_system_add_fill(world, first_system(world), &fill, &test_error));
    assert_ok(sl_world_start(world, &test_error));
    assert_less(500, (double)count_of(world));
    sl_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(meshes_are_not_too_dense),
        cmocka_unit_test(shapes_are_not_too_dense),
        cmocka_unit_test(a_box_is_a_block),
        cmocka_unit_test(neighbours_keep_a_spacing),
        cmocka_unit_test(solids_are_left_out),
        cmocka_unit_test(random_fills_are_even),
        cmocka_unit_test(the_seed_decides),
        cmocka_unit_test(variation_has_its_statistics),
        cmocka_unit_test(noise_is_smooth),
        cmocka_unit_test(chunks_have_seams),
        cmocka_unit_test(without_noise_there_is_no_field),
        cmocka_unit_test(mistakes_are_refused),
        cmocka_unit_test(open_meshes_may_be_allowed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
