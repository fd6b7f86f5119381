/* Motion in pictures of the path tracer: solids and snow while the shutter is open, and the planes of
   normals and velocities. Solids are black before a white sky: what a pixel lacks of 1 is the part of the
   time that a solid covers it. */
#include "support/path_case.h"

enum { WIDTH = 64, HEIGHT = 40 };
#define STEP (1.0 / 60) /* s, between frames */
#define DISTANCE 4.0    /* m, of the camera from the plane z = 0 */

/* Pixels per metre in the plane z = 0. */
static double scale_of(const PathCase *c)
{
    return 0.5 * c->height / tan(0.5 * (double)c->camera.fov * 3.14159265358979 / 180) / DISTANCE;
}

static PathCase motion_case(uint32_t samples)
{
    PathCase c = path_case(WIDTH, HEIGHT, samples);
    c.view.frame_time = STEP;
    c.camera.fov = 24;
    path_set(&c, "shutter", 1);
    return c;
}

static SlShape plate(float width, float height)
{
    SlShape shape = sl_default_shape(SL_SHAPE_BOX);
    shape.half = (SlVec3){0.5f * width, 0.5f * height, 0.0005f};
    return shape;
}

/* The case's frame with one collider, at another time. */
typedef struct Other {
    SlFrameView view;
    SlColliderView collider;
} Other;

static void make_other(Other *other, const PathCase *c, double time)
{
    other->collider = c->colliders[0];
    other->view = (SlFrameView){.time = time, .colliders = &other->collider, .collider_count = 1};
}

/* What the pixel around the place (x, y) of the plane z = 0 lacks of white. */
static double covered(const PathCase *c, const float *color, double x, double y)
{
    long column = (long)floor(0.5 * c->width + x * scale_of(c));
    long row = (long)floor(0.5 * c->height - y * scale_of(c));
    return 1 - (double)color[3 * (row * c->width + column)];
}

/* Part of the time that a plate of width w, which moves by `way` around x = 0, covers x. */
static double trapezoid(double x, double w, double way)
{
    return fmax(0, fmin(x + 0.5 * w, 0.5 * way) - fmax(x - 0.5 * w, -0.5 * way)) / way;
}

static double worst_column(const PathCase *c, const float *color, double w, double way)
{
    double worst = 0, scale = scale_of(c);
    for (uint32_t column = 0; column < c->width; column++) {
        double x = (column + 0.5 - 0.5 * c->width) / scale, mean = 0;
        for (int k = 0; k < 16; k++)
            mean += trapezoid(x + ((k + 0.5) / 16 - 0.5) / scale, w, way) / 16;
        worst = fmax(worst, fabs(mean - covered(c, color, x, 0)));
    }
    return worst;
}

/* --- Solids. --- */

static void edges_of_a_plate_are_spread_over_its_way(void **state)
{
    (void)state;
    PathCase c = motion_case(256);
    Other next, previous, same;
    path_add_shape(&c, plate(0.4f, 0.6f), path_material(SL_MATERIAL_SOLID, 0, 1));
    make_other(&next, &c, STEP);
    make_other(&previous, &c, -STEP);
    make_other(&same, &c, STEP);
    next.collider.shape.center.x = 0.5f;
    previous.collider.shape.center.x = -0.5f;
    float *sharp = path_draw(&c, 2, "color");
    c.next = &same.view;
    float *still = path_draw(&c, 2, "color");
    assert_memory_equal(sharp, still, 3 * WIDTH * HEIGHT * sizeof(float));
    c.next = &next.view;
    float *blurred = path_draw(&c, 2, "color");
    double worst = worst_column(&c, blurred, 0.4, 0.5);
    print_message("coverage of a moving plate: at most %.3f off\n", worst);
    assert_less(worst, 0.04);
    assert_less(0.3, worst_column(&c, sharp, 0.4, 0.5)); /* the figure means something */
    /* The last frame of a run has no next one. */
    c.next = NULL;
    c.previous = &previous.view;
    float *before = path_draw(&c, 2, "color");
    assert_memory_equal(blurred, before, 3 * WIDTH * HEIGHT * sizeof(float));
    /* A quarter of the time: a quarter of the way. */
    path_set(&c, "shutter", 0.25);
    float *quarter = path_draw(&c, 2, "color");
    assert_less(worst_column(&c, quarter, 0.4, 0.125), 0.06);
    free(sharp);
    free(still);
    free(blurred);
    free(before);
    free(quarter);
}

static void a_ball_is_spread_too(void **state)
{
    (void)state;
    PathCase c = motion_case(128);
    Other next;
    SlShape ball = sl_default_shape(SL_SHAPE_SPHERE);
    ball.radius = 0.2f;
    path_add_shape(&c, ball, path_material(SL_MATERIAL_SOLID, 0, 1));
    make_other(&next, &c, STEP);
    next.collider.shape.center.x = 0.8f;
    float *sharp = path_draw(&c, 2, "color");
    c.next = &next.view;
    float *blurred = path_draw(&c, 2, "color");
    assert_near(covered(&c, sharp, 0, 0), 1, 1e-5);
    assert_near(covered(&c, sharp, 0.3, 0), 0, 1e-5);
    assert_near(covered(&c, blurred, 0, 0), 0.4 / 0.8, 0.05);
    assert_near(covered(&c, blurred, 0.4, 0), 0.5 * 0.4 / 0.8, 0.06);
    double lost = 1 - path_mean(sharp, 3 * WIDTH * HEIGHT), more = 1 - path_mean(blurred, 3 * WIDTH * HEIGHT);
    assert_near(more / lost, 1, 0.02);
    free(sharp);
    free(blurred);
}

/* By 60 degrees about z between two frames, as a shape and as a mesh: 30 to each side. */
static void a_plate_that_spins_is_blurred(void **state)
{
    (void)state;
    static const float corners[12] = {-0.5f, -0.06f, 0, 0.5f, -0.06f, 0, 0.5f, 0.06f, 0, -0.5f, 0.06f, 0};
    static const uint32_t triangles[6] = {0, 1, 2, 0, 2, 3};
    for (int mesh = 0; mesh < 2; mesh++) {
        PathCase c = motion_case(128);
        Other next;
        path_add_shape(&c, plate(1, 0.12f), path_material(SL_MATERIAL_SOLID, 0, 1));
        if (mesh == 1) {
            c.colliders[0].kind = SL_COLLIDER_MESH;
            c.colliders[0].mesh = (SlMeshView){.positions = corners, .vertex_count = 4,
                                               .triangles = triangles, .triangle_count = 2};
            c.colliders[0].pose = (SlPose){.rotation = {0, 0, 0, 1}};
        }
        make_other(&next, &c, STEP);
        next.collider.mesh.positions = NULL; /* only its pose is needed */
        next.collider.shape.side = (SlVec3){0.5f, 0.8660254f, 0};
        next.collider.shape.axis = (SlVec3){-0.8660254f, 0.5f, 0};
        next.collider.pose.rotation = (SlQuat){0, 0, 0.5f, 0.8660254f};
        float *sharp = path_draw(&c, 2, "color");
        c.next = &next.view;
        float *blurred = path_draw(&c, 2, "color");
        assert_near(covered(&c, sharp, 0.4, 0), 1, 1e-5);
        assert_near(covered(&c, sharp, 0.4, 0.15), 0, 1e-5);
        assert_near(covered(&c, blurred, 0, 0), 1, 0.15); /* the middle stays */
        double side = covered(&c, blurred, 0.4, 0.15), other_side = covered(&c, blurred, 0.4, -0.15);
        assert_true(side > 0.05 && side < 0.5);
        assert_near(side, other_side, 0.1);
        assert_near(covered(&c, blurred, 0.25, 0.35), 0, 1e-5); /* at 54 degrees */
        assert_true(covered(&c, blurred, 0.4, 0) < 0.5);
        free(sharp);
        free(blurred);
    }
}

static void vertices_of_a_mesh_that_deforms_move(void **state)
{
    (void)state;
    static const float corners[12] = {-0.2f, -0.3f, 0, 0.2f, -0.3f, 0, 0.2f, 0.3f, 0, -0.2f, 0.3f, 0};
    static const uint32_t triangles[6] = {0, 1, 2, 0, 2, 3};
    float moved[12];
    memcpy(moved, corners, sizeof moved);
    for (int k = 0; k < 4; k++)
        moved[3 * k] += 0.5f;
    PathCase c = motion_case(256);
    Other next;
    c.colliders[0] = (SlColliderView){.name = "sheet", .kind = SL_COLLIDER_MESH,
                                      .mesh = {.positions = corners, .vertex_count = 4,
                                               .triangles = triangles, .triangle_count = 2},
                                      .vertices = corners, .pose = {.rotation = {0, 0, 0, 1}},
                                      .material = path_material(SL_MATERIAL_SOLID, 0, 1)};
    c.view.collider_count = 1;
    make_other(&next, &c, STEP);
    next.collider.vertices = moved;
    c.next = &next.view;
    float *blurred = path_draw(&c, 2, "color");
    assert_less(worst_column(&c, blurred, 0.4, 0.5), 0.04);
    /* Of another collider nothing is learnt. */
    next.collider.name = "another";
    float *sharp = path_draw(&c, 2, "color");
    assert_near(covered(&c, sharp, 0, 0), 1, 1e-5);
    free(blurred);
    free(sharp);
}

/* Also while the shutter is closed: it is data. */
static void velocities_of_solids(void **state)
{
    (void)state;
    const double shutters[] = {0, 0.25};
    double omega = 3.14159265358979 / 18 / STEP; /* rad/s: 10 degrees a frame */
    for (int k = 0; k < 2; k++) {
        PathCase c = motion_case(1);
        Other next;
        path_add_shape(&c, plate(3, 3), path_material(SL_MATERIAL_SOLID, 0.5f, 1));
        make_other(&next, &c, STEP);
        next.collider.shape.center = (SlVec3){0.02f, -0.01f, 0.03f};
        c.next = &next.view;
        path_set(&c, "shutter", shutters[k]);
        float *velocity = path_draw(&c, 2, "velocity");
        for (size_t p = 0; p < WIDTH * HEIGHT; p++) {
            assert_near((double)velocity[3 * p], 1.2, 1e-4);
            assert_near((double)velocity[3 * p + 1], -0.6, 1e-4);
            assert_near((double)velocity[3 * p + 2], 1.8, 1e-4);
        }
        free(velocity);
        next.collider.shape.center = c.colliders[0].shape.center;
        next.collider.shape.side = (SlVec3){0.9848078f, 0.1736482f, 0};
        next.collider.shape.axis = (SlVec3){-0.1736482f, 0.9848078f, 0};
        velocity = path_draw(&c, 2, "velocity");
        double worst = 0, pixel = 1 / scale_of(&c);
        for (size_t p = 0; p < WIDTH * HEIGHT; p++) { /* (-y, x) ω, somewhere in the pixel */
            double x = ((double)(p % WIDTH) + 0.5 - 0.5 * WIDTH) * pixel;
            double y = (0.5 * HEIGHT - (double)(p / WIDTH) - 0.5) * pixel;
            worst = fmax(worst, fabs((double)velocity[3 * p] + omega * y));
            worst = fmax(worst, fabs((double)velocity[3 * p + 1] - omega * x));
            assert_near((double)velocity[3 * p + 2], 0, 1e-4);
        }
        /* A quarter of 10 degrees is a chord: at its ends places are off by 1.25 degrees. */
        assert_less(worst, (0.5 * pixel + (k == 0 ? 0.001 : 0.04)) * omega);
        assert_true(fabs((double)velocity[0]) > 5); /* fast, in the corner */
        free(velocity);
    }
}

/* --- Snow. --- */

enum { SIDE = 14, SNOW = SIDE * SIDE * SIDE };
#define SPACING 0.05f

static float snow_position[SNOW][3], snow_velocity[SNOW][3];
static SlFieldView snow_fields[2];
static SlSystemView snow_system;

/* A block of 0.7 m around the origin that moves as a whole. */
static PathCase snow_case(uint32_t samples, SlVec3 velocity)
{
    PathCase c = motion_case(samples);
    for (size_t i = 0; i < SNOW; i++) {
        const size_t at[3] = {i % SIDE, i / SIDE % SIDE, i / (SIDE * SIDE)};
        for (int a = 0; a < 3; a++)
            snow_position[i][a] = ((float)at[a] - 0.5f * (SIDE - 1)) * SPACING;
        memcpy(snow_velocity[i], &velocity, sizeof velocity);
    }
    snow_fields[0] = (SlFieldView){"position", "m", "", SL_FIELD_F32X3, snow_position, SNOW, 12};
    snow_fields[1] = (SlFieldView){"velocity", "m/s", "", SL_FIELD_F32X3, snow_velocity, SNOW, 12};
    snow_system = (SlSystemView){.name = "snow", .solver = "snow", .particle_count = SNOW,
                                 .spacing = SPACING, .volume = SPACING * SPACING * SPACING,
                                 .mass = 400 * SPACING * SPACING * SPACING,
                                 .material = sl_default_material(SL_MATERIAL_SNOW),
                                 .fields = snow_fields, .field_count = 2};
    c.view.systems = &snow_system;
    c.view.system_count = 1;
    path_set(&c, "max_scatterings", 20);
    return c;
}

static void planes_of_snow(void **state)
{
    (void)state;
    const double shutters[] = {0, 0.25};
    const SlVec3 v = {1.5f, -3, 0.25f};
    for (int k = 0; k < 2; k++) {
        PathCase c = snow_case(8, v);
        path_set(&c, "shutter", shutters[k]);
        float *depth = path_draw(&c, 2, "depth"), *velocity = path_draw(&c, 2, "velocity");
        float *normal = path_draw(&c, 2, "normal"), *albedo = path_draw(&c, 2, "albedo");
        double front = 0;
        size_t hits = 0, inside = 0;
        for (size_t p = 0; p < WIDTH * HEIGHT; p++) {
            const float *n = normal + 3 * p;
            double length = sqrt((double)(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]));
            assert_near(length, albedo[3 * p] > 0 ? 1 : 0, 1e-4);
            assert_near((double)velocity[3 * p], isfinite(depth[p]) ? (double)v.x : 0, 1e-4);
            assert_near((double)velocity[3 * p + 1], isfinite(depth[p]) ? (double)v.y : 0, 1e-4);
            assert_near((double)velocity[3 * p + 2], isfinite(depth[p]) ? (double)v.z : 0, 1e-4);
            hits += isfinite(depth[p]);
            double x = ((double)(p % WIDTH) + 0.5 - 0.5 * WIDTH) / scale_of(&c);
            double y = (0.5 * HEIGHT - (double)(p / WIDTH) - 0.5) / scale_of(&c);
            if (fabs(x) < 0.25 && fabs(y) < 0.25) { /* of the face towards the camera */
                front += (double)n[2];
                inside++;
            }
        }
        print_message("snow in %zu pixels; mean normal of its face %.3f\n", hits, front / (double)inside);
        assert_true(hits > 300 && inside > 100);
        assert_true(front / (double)inside > 0.75); /* it is made of grains */
        free(depth);
        free(velocity);
        free(normal);
        free(albedo);
    }
}

/* Part of the time that snow covers a pixel: its albedo there is nearly 1. */
static double row_of(const PathCase *c, const float *albedo, long column)
{
    double sum = 0;
    for (long row = HEIGHT / 2 - 3; row < HEIGHT / 2 + 3; row++)
        sum += (double)albedo[3 * (row * (long)c->width + column)] / 6;
    return sum;
}

/* The block moves by 10 spacings: edges rise over that way, and it covers as much as at rest. */
static void snow_in_motion_has_soft_edges(void **state)
{
    (void)state;
    PathCase c = snow_case(64, (SlVec3){0.5f / (float)STEP, 0, 0});
    path_set(&c, "shutter", 0);
    float *sharp = path_draw(&c, 2, "albedo");
    path_set(&c, "shutter", 1);
    float *blurred = path_draw(&c, 2, "albedo");
    double scale = scale_of(&c), worst = 0, covers[2] = {0, 0}, edge = 0;
    double way = 0.5 * DISTANCE / (DISTANCE - 0.35); /* of the face towards the camera */
    /* Where the block at rest ends, in the picture. */
    for (long x = WIDTH / 2; x < WIDTH; x++)
        edge += row_of(&c, sharp, x) / scale;
    for (long x = 0; x < WIDTH; x++) {
        double at = ((double)x + 0.5 - 0.5 * WIDTH) / scale;
        double expected = trapezoid(at, 2 * edge, way), seen = row_of(&c, blurred, x);
        worst = fmax(worst, fabs(seen - expected));
        covers[0] += row_of(&c, sharp, x);
        covers[1] += seen;
    }
    print_message("edge at %.3f m; coverage of the moving block at most %.3f off; %.3f of that at rest\n",
                  edge, worst, covers[1] / covers[0]);
    assert_less(worst, 0.15);
    assert_near(covers[1] / covers[0], 1, 0.06);
    free(sharp);
    free(blurred);
}

/* Snow at rest and slow snow: the bits of a closed shutter; any threads: the same bits. */
static void slow_snow_is_crisp(void **state)
{
    (void)state;
    const float speeds[] = {0, 0.4f * SPACING / (float)STEP};
    for (int k = 0; k < 2; k++) {
        PathCase c = snow_case(2, (SlVec3){0, speeds[k], 0});
        path_set(&c, "shutter", 0);
        float *sharp = path_draw(&c, 1, "color");
        path_set(&c, "shutter", 1);
        float *open = path_draw(&c, 2, "color");
        assert_memory_equal(sharp, open, 3 * WIDTH * HEIGHT * sizeof(float));
        free(sharp);
        free(open);
    }
    PathCase c = snow_case(2, (SlVec3){20, 5, 0});
    float *one = path_draw(&c, 1, "color");
    const uint32_t threads[] = {2, 5};
    for (int k = 0; k < 2; k++) {
        float *other = path_draw(&c, threads[k], "color");
        assert_memory_equal(one, other, 3 * WIDTH * HEIGHT * sizeof(float));
        free(other);
    }
    free(one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edges_of_a_plate_are_spread_over_its_way),
        cmocka_unit_test(a_ball_is_spread_too),
        cmocka_unit_test(a_plate_that_spins_is_blurred),
        cmocka_unit_test(vertices_of_a_mesh_that_deforms_move),
        cmocka_unit_test(velocities_of_solids),
        cmocka_unit_test(planes_of_snow),
        cmocka_unit_test(snow_in_motion_has_soft_edges),
        cmocka_unit_test(slow_snow_is_crisp),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
