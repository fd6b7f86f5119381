/* Blocks and lattice fills that the solver relaxes have the volume of what they fill: meshes with
   thin parts, boxes of any size, regions that solids and other fills take a part of. */
#include "support/test.h"
#include "support/world.h"
#include "world/world.h"

static const double spacing = 0.05;

/* NULL: the solver does not relax. */
static SlWorld *make_world(uint32_t threads)
{
    SlWorldDef def = test_world_def(threads, (SlVec3){-3, 0, -3}, (SlVec3){3, 4, 3});
    SlSystemId id;
    SlWorld *world = test_world(&def, "pbf", NULL, &id);
    assert_ok(sl_system_set_number(world, id, "spacing", spacing, &test_error));
    (void)sl_system_set_text(world, id, "packing", "relaxed", NULL);
    sl_world_clear_error(world);
    if (sl_system_packs(&world->systems[0]->base))
        return world;
    sl_world_destroy(world);
    test_skip("the solver does not relax its fills");
    return NULL;
}

static SlVec3 position(SlWorld *world, size_t i)
{
    SlFieldView x = sl_system_field(world, first_system(world), "position");
    const float *p = (const float *)(const void *)((const char *)x.data + i * x.stride);
    return (SlVec3){p[0], p[1], p[2]};
}

static double count_of(SlWorld *world)
{
    return (double)sl_world_view(world)->systems[0].particle_count;
}

/* Fills, starts, and compares volumes; all particles are inside. */
static void fill_and_compare(SlWorld *world, const SlFillDef *fill, const char *name)
{
    SlFillReport report, started;
    SlSystemId system = first_system(world);
    assert_ok(sl_system_add_fill(world, system, fill, &test_error));
    double asked = (double)sl_world_particle_count(world);
    assert_ok(sl_system_fill_report(world, system, 0, &report, &test_error));
    assert_ok(sl_world_start(world, &test_error));
    assert_ok(sl_system_fill_report(world, system, 0, &started, &test_error));
    print_message("%s: %.0f particles, %.2f %% of %.5f m^3\n", name, count_of(world),
                  100 * report.particle_volume / report.volume, report.volume);
    assert_near(report.particle_volume, report.volume, 0.01 * report.volume);
    assert_true(report.particles == started.particles && asked == count_of(world));
    assert_true(count_of(world) == (double)report.particles);
    SlRegion region = sl_fill_body_region(world->systems[0]->fills[0]);
    for (size_t i = 0; i < report.particles; i++)
        assert_less(sl_region_distance(&region, position(world, i)), 0.02 * spacing);
}

static void the_squirrel(void **state)
{
    (void)state;
    char path[600];
    const char *source = getenv("SLEET_SOURCE");
    SlWorld *world = make_world(2);
    SlFillDef fill = sl_default_fill_def();
    snprintf(path, sizeof path, "%s/assets/squirrel.obj", source != NULL ? source : ".");
    fill.path = path;
    fill.scale = 2;
    fill.rotation = (SlVec3){0.3f, 1, -0.2f};
    fill.position = (SlVec3){0.1f, 1.5f, 0.2f};
    fill_and_compare(world, &fill, "squirrel");
    sl_world_destroy(world);
}

/* A ring whose tube is 1 to 1.5 spacings thick. */
static void thin_rings(void **state)
{
    (void)state;
    enum { AROUND = 96, TUBE = 24 };
    static float vertices[3 * AROUND * TUBE];
    static uint32_t triangles[6 * AROUND * TUBE];
    for (int thick = 0; thick < 3; thick++) {
        double tube = 0.5 * spacing * (1 + 0.25 * thick), turn = 2 * 3.14159265358979;
        for (uint32_t a = 0; a < AROUND; a++)
            for (uint32_t b = 0; b < TUBE; b++) {
                double u = turn * a / AROUND, v = turn * b / TUBE, r = 0.8 + tube * cos(v);
                float *p = &vertices[3 * (a * TUBE + b)];
                p[0] = (float)(r * cos(u));
                p[1] = (float)(tube * sin(v));
                p[2] = (float)(-r * sin(u));
                uint32_t a1 = (a + 1) % AROUND, b1 = (b + 1) % TUBE;
                const uint32_t corner[6] = {a * TUBE + b, a1 * TUBE + b, a1 * TUBE + b1,
                                            a * TUBE + b, a1 * TUBE + b1, a * TUBE + b1};
                memcpy(&triangles[6 * (a * TUBE + b)], corner, sizeof corner);
            }
        SlWorld *world = make_world(2);
        SlFillDef fill = sl_default_fill_def();
        fill.vertices = vertices;
        fill.vertex_count = AROUND * TUBE;
        fill.triangles = triangles;
        fill.triangle_count = 2 * AROUND * TUBE;
        fill.rotation = (SlVec3){0.4f, 0.2f, 0.7f};
        fill.position = (SlVec3){0.1f, 1.5f, 0.2f};
        fill_and_compare(world, &fill, "ring");
        /* its quarters have equal parts */
        size_t quarter[4] = {0, 0, 0, 0}, n = (size_t)count_of(world);
        for (size_t i = 0; i < n; i++) {
            SlVec3 p = position(world, i);
            quarter[(p.x > 0.1f) + 2 * (p.z > 0.2f)]++;
        }
        assert_near((double)(quarter[0] + quarter[3]), (double)(quarter[1] + quarter[2]),
                    0.25 * (double)n);
        sl_world_destroy(world);
    }
}

/* A thick box and a thin plate, as one fill: the plate has its share. */
static void thin_plates(void **state)
{
    (void)state;
    for (int k = 0; k < 5; k++) {
        SlShape boxes[2] = {sl_default_shape(SL_SHAPE_BOX), sl_default_shape(SL_SHAPE_BOX)};
        float half = (float)spacing * (0.4f + 0.1f * (float)k);
        boxes[0].center = (SlVec3){-1, 1, 0};
        boxes[0].half = (SlVec3){0.4f, 0.4f, 0.4f};
        boxes[1].center = (SlVec3){1, 1 + 0.013f * (float)k, 0};
        boxes[1].half = (SlVec3){0.6f, half, 0.6f};
        SlWorld *world = make_world(2);
        SlFillDef fill = sl_default_fill_def();
        fill.shapes = boxes;
        fill.shape_count = 2;
        assert_ok(sl_system_add_fill(world, first_system(world), &fill, &test_error));
        assert_ok(sl_world_start(world, &test_error));
        double plate = 0, expected = 1.2 * 1.2 * 2 * (double)half / pow(spacing, 3);
        for (size_t i = 0; i < (size_t)count_of(world); i++)
            plate += position(world, i).x > 0;
        print_message("plate %.2f d thick: %.0f particles of %.1f\n", 2 * (double)half / spacing,
                      plate, expected);
        assert_near(plate, expected, 0.01 * expected + 1);
        sl_world_destroy(world);
    }
}

static void add_block(SlWorld *world, SlVec3 low, SlVec3 high)
{
    SlBlock block = {.min = low, .max = high};
    assert_ok(sl_system_add_block(world, first_system(world), &block, &test_error));
}

static void blocks_of_any_size(void **state)
{
    (void)state;
    for (int k = 0; k < 12; k++) {
        SlWorld *world = make_world(2);
        SlVec3 size = {0.5f + 0.017f * (float)k, 0.31f + 0.031f * (float)k, 0.7f - 0.013f * (float)k};
        double expected = (double)size.x * (double)size.y * (double)size.z / pow(spacing, 3);
        add_block(world, (SlVec3){0, 0, 0}, size);
        assert_near((double)sl_world_particle_count(world), expected, 0.51);
        assert_ok(sl_world_start(world, &test_error));
        assert_near(count_of(world), expected, 0.51);
        SlBox box = {{0, 0, 0}, size};
        for (size_t i = 0; i < (size_t)count_of(world); i++)
            assert_less(sl_box_distance(box, position(world, i)), 0.02 * spacing);
        sl_world_destroy(world);
    }
}

/* Half of a ball in a block, and a fill that overlaps it: nothing is counted twice. */
static void obstacles_take_their_part(void **state)
{
    (void)state;
    SlWorld *world = make_world(2);
    SlShape ball = sl_default_shape(SL_SHAPE_SPHERE), box = sl_default_shape(SL_SHAPE_BOX);
    ball.center = (SlVec3){0, 0.5f, 0};
    ball.radius = 0.4f;
    box.center = (SlVec3){1, 0.5f, 0};
    box.half = (SlVec3){0.5f, 0.25f, 0.25f};
    SlFillDef fill = sl_default_fill_def();
    fill.shapes = &box;
    fill.shape_count = 1;
    add_block(world, (SlVec3){0, 0, -0.5f}, (SlVec3){1, 1, 0.5f});
    assert_ok(sl_system_add_fill(world, first_system(world), &fill, &test_error));
    assert_ok(sl_world_add_collider(world, &ball, NULL, &test_error));
    assert_ok(sl_world_start(world, &test_error));
    double solid = 2.0 / 3 * 3.14159265358979 * 0.4 * 0.4 * 0.4, cube = pow(spacing, 3);
    assert_near((double)sl_block_particles(world->systems[0], 0), (1 - solid) / cube,
                0.005 / cube);
    assert_near(count_of(world), (1 - solid + 0.5 * 0.25) / cube, 0.006 / cube);
    assert_true(count_of(world) == (double)sl_world_particle_count(world));
    for (size_t i = 0; i < (size_t)count_of(world); i++)
        assert_less(-0.02 * spacing, sl_shape_distance(&ball, position(world, i), NULL));
    sl_world_destroy(world);
}

static void any_threads(void **state)
{
    (void)state;
    uint64_t hash = 0;
    for (uint32_t threads = 1; threads <= 5; threads += 2) {
        SlWorld *world = make_world(threads);
        SlShape ball = sl_default_shape(SL_SHAPE_SPHERE);
        ball.center = (SlVec3){0, 2, 0};
        ball.radius = 0.6f;
        SlFillDef fill = sl_default_fill_def();
        fill.shapes = &ball;
        fill.shape_count = 1;
        add_block(world, (SlVec3){-1, 0, -1}, (SlVec3){1.03f, 1.61f, 0.77f});
        assert_ok(sl_system_add_fill(world, first_system(world), &fill, &test_error));
        assert_ok(sl_world_start(world, &test_error));
        hash = threads == 1 ? sl_world_hash(world) : hash;
        assert_true(sl_world_hash(world) == hash);
        sl_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_squirrel), cmocka_unit_test(thin_rings),
        cmocka_unit_test(thin_plates),  cmocka_unit_test(blocks_of_any_size),
        cmocka_unit_test(any_threads),  cmocka_unit_test(obstacles_take_their_part),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
