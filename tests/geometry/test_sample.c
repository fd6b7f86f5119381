/* Surface samples: apart, without holes, the same bits for any threads; odd meshes and errors. */
#include "sample_checks.h"

static SlMesh make_mesh(SlContext *context, const float (*vertices)[3], size_t vertex_count,
                        const uint32_t (*triangles)[3], size_t triangle_count)
{
    SlMesh mesh;
    assert_ok(sl_mesh_create(context, vertex_count, triangle_count, &mesh, &test_error));
    memcpy(mesh.positions, vertices, vertex_count * sizeof *vertices);
    memcpy(mesh.triangles, triangles, triangle_count * sizeof *triangles);
    return mesh;
}

static double check_bars(SlContext *context, const SlMesh *mesh, float radius, double area)
{
    SlSurfaceSamples samples;
    assert_ok(sl_surface_sample(context, mesh, radius, 7, &samples, &test_error));
    double apart = nearest_pair(&samples), hole = largest_hole(mesh, &samples, 0.3f * radius);
    double density = (double)samples.count * pi * (double)radius * (double)radius / area;
    print_message("%zu samples: nearest %.6f r, largest hole %.3f r, samples x pi r2 / area %.3f\n",
                  samples.count, apart / (double)radius, hole / (double)radius, density);
    assert_true(apart >= (double)radius);
    assert_true(hole <= 2 * (double)radius);
    sl_surface_samples_destroy(&samples);
    return density;
}

/* The assets, from radii far above a triangle's size to far below. */
static void test_assets_keep_the_bars(void **state)
{
    (void)state;
    SlContext *context = test_context(2);
    static const struct {
        const char *name;
        double area;
        float radius;
    } cases[] = {{"squirrel.obj", 1.9348, 0.1f},   {"squirrel.obj", 1.9348, 0.01f},
                 {"cone.obj", 1.8546, 0.02f},      {"container.obj", 4.7328, 0.03f},
                 {"container.obj", 4.7328, 0.06f}, {"plough.obj", 5.4311, 0.03f},
                 {"axe.obj", 0.1665, 0.004f}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        SlMesh mesh = load_asset(context, cases[k].name);
        check_bars(context, &mesh, cases[k].radius, cases[k].area);
        sl_mesh_destroy(&mesh);
    }
    sl_context_destroy(context);
}

/* The densest packing has samples x pi r2 / area = 2 pi / sqrt 3 = 3.628. Random packing that never
   gave up would cover 0.547 of the plane with disks of r / 2: 2.19, a relative radius of 0.777. */
static void test_a_plane_is_packed_to_the_theory(void **state)
{
    (void)state;
    static const float v[4][3] = {{0, 0, 0}, {0, 0, 1}, {1, 0, 1}, {1, 0, 0}};
    static const uint32_t t[2][3] = {{0, 1, 2}, {0, 2, 3}};
    SlContext *context = test_context(2);
    SlMesh mesh = make_mesh(context, v, 4, t, 2);
    double density = check_bars(context, &mesh, 0.01f, 1);
    double relative_radius = sqrt(density / 3.6276);
    assert_true(relative_radius > 0.70 && relative_radius < 0.78);
    sl_mesh_destroy(&mesh);
    sl_context_destroy(context);
}

static void test_same_bits_for_any_threads_and_other_ones_by_seed(void **state)
{
    (void)state;
    static const uint32_t threads[] = {1, 2, 5};
    SlSurfaceSamples first = {0};
    SlContext *first_context = NULL;
    for (size_t k = 0; k < 3; k++) {
        SlContext *context = test_context(threads[k]);
        SlMesh mesh = load_asset(context, "squirrel.obj");
        SlSurfaceSamples samples;
        assert_ok(sl_surface_sample(context, &mesh, 0.008f, 1, &samples, &test_error));
        if (k == 0) {
            first = samples;
            first_context = context;
            assert_ok(sl_surface_sample(context, &mesh, 0.008f, 2, &samples, &test_error));
            assert_true(samples.count != first.count ||
                        memcmp(samples.positions, first.positions,
                               first.count * sizeof *first.positions) != 0);
            sl_surface_samples_destroy(&samples);
            sl_mesh_destroy(&mesh);
            continue;
        }
        assert_int_equal(samples.count, first.count);
        assert_memory_equal(samples.positions, first.positions, first.count * sizeof(SlVec3));
        assert_memory_equal(samples.normals, first.normals, first.count * sizeof(SlVec3));
        assert_memory_equal(samples.triangles, first.triangles, first.count * sizeof(uint32_t));
        sl_surface_samples_destroy(&samples);
        sl_mesh_destroy(&mesh);
        sl_context_destroy(context);
    }
    sl_surface_samples_destroy(&first);
    sl_context_destroy(first_context);
}

/* Each sample lies on the triangle it names, with that triangle's normal. */
static void test_samples_lie_on_their_triangles(void **state)
{
    (void)state;
    SlContext *context = test_context(2);
    SlMesh mesh = load_asset(context, "squirrel.obj");
    SlSurfaceSamples samples;
    assert_ok(sl_surface_sample(context, &mesh, 0.02f, 3, &samples, &test_error));
    for (size_t k = 0; k < samples.count; k++) {
        size_t t = samples.triangles[k];
        SlVec3 a = sl_mesh_corner(&mesh, t, 0), b = sl_mesh_corner(&mesh, t, 1);
        SlVec3 c = sl_mesh_corner(&mesh, t, 2), p = samples.positions[k];
        SlVec3 n = sl_unit(sl_cross(sl_sub(b, a), sl_sub(c, a)));
        assert_near(sl_dot(n, samples.normals[k]), 1, 1e-5);
        assert_near(sl_dot(samples.normals[k], sl_sub(p, a)), 0, 1e-6);
        const SlVec3 corner[4] = {a, b, c, a};
        for (int e = 0; e < 3; e++) {
            SlVec3 side = sl_sub(corner[e + 1], corner[e]);
            assert_true(sl_dot(n, sl_cross(side, sl_sub(p, corner[e]))) >
                        -1e-6f * sl_length(side));
        }
    }
    sl_surface_samples_destroy(&samples);
    sl_mesh_destroy(&mesh);
    sl_context_destroy(context);
}

/* A needle, a spike, crumbs far away, triangles that are none: no hole on any that has area. */
static void test_odd_triangles(void **state)
{
    (void)state;
    static const float v[][3] = {{0, 0, 0},        {10, 0, 0},      {10, 1e-4f, 0},
                                 {0, 3, 0},        {10, 3, -0.05f}, {10, 3, 0.05f},
                                 {20, 0, 0},       {20.001f, 0, 0}, {20, 0.001f, 0},
                                 {30, 0, 0},       {31, 0, 0},      {32, 0, 0},
                                 {40, 40, 40},     {1e30f, NAN, 1e30f}};
    static const uint32_t good[][3] = {{0, 1, 2}, {3, 4, 5}, {6, 7, 8}};
    static const uint32_t all[][3] = {{9, 10, 11}, {0, 1, 2}, {12, 12, 12},
                                      {3, 4, 5},   {6, 7, 8}, {9, 10, 10}};
    SlContext *context = test_context(2);
    SlMesh mesh = make_mesh(context, v, 14, all, 6);
    SlMesh proper = make_mesh(context, v, 14, good, 3);
    SlSurfaceSamples samples;
    for (uint64_t seed = 0; seed < 20; seed++) {
        assert_ok(sl_surface_sample(context, &mesh, 0.1f, seed, &samples, &test_error));
        assert_true(nearest_pair(&samples) >= (double)0.1f);
        assert_true(largest_hole(&proper, &samples, 0.02f) <= (double)0.2f);
        for (size_t k = 0; k < samples.count; k++)
            assert_true(samples.triangles[k] == 1 || samples.triangles[k] == 3 ||
                        samples.triangles[k] == 4);
        sl_surface_samples_destroy(&samples);
    }
    sl_mesh_destroy(&proper);
    sl_mesh_destroy(&mesh);
    sl_context_destroy(context);
}

static void test_nothing_and_next_to_nothing(void **state)
{
    (void)state;
    static const float v[3][3] = {{5, 0, 0}, {5.001f, 0, 0}, {5, 0.001f, 0}};
    static const uint32_t t[1][3] = {{0, 1, 2}}, none[1][3] = {{0, 0, 0}};
    SlContext *context = test_context(1);
    SlMesh tiny = make_mesh(context, v, 3, t, 1), point = make_mesh(context, v, 3, none, 1);
    SlMesh empty;
    assert_ok(sl_mesh_create(context, 0, 0, &empty, &test_error));
    SlSurfaceSamples samples;
    assert_ok(sl_surface_sample(context, &tiny, 1, 1, &samples, &test_error));
    assert_int_equal(samples.count, 1);
    sl_surface_samples_destroy(&samples);
    assert_ok(sl_surface_sample(context, &point, 1, 1, &samples, &test_error));
    assert_int_equal(samples.count, 0);
    sl_surface_samples_destroy(&samples);
    assert_ok(sl_surface_sample(context, &empty, 1, 1, &samples, &test_error));
    assert_int_equal(samples.count, 0);
    sl_surface_samples_destroy(&samples);
    sl_mesh_destroy(&tiny);
    sl_mesh_destroy(&point);
    sl_mesh_destroy(&empty);
    sl_context_destroy(context);
}

static void check_refused(SlContext *context, const SlMesh *mesh, float radius, SlStatus status,
                          const char *words)
{
    SlSurfaceSamples samples;
    SlError error;
    assert_int_equal(sl_surface_sample(context, mesh, radius, 1, &samples, &error), status);
    if (strstr(error.text, words) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", error.text, words);
    assert_int_equal(samples.count, 0);
    assert_null(samples.positions);
}

static void test_refusals(void **state)
{
    (void)state;
    static const float v[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {INFINITY, 0, 0}};
    static const uint32_t t[1][3] = {{0, 1, 2}}, far[1][3] = {{0, 1, 3}};
    static const uint32_t beyond[1][3] = {{0, 1, 4}};
    SlContext *context = test_context(1);
    SlMesh mesh = make_mesh(context, v, 4, t, 1), infinite = make_mesh(context, v, 4, far, 1);
    SlMesh wild = make_mesh(context, v, 4, beyond, 1);
    check_refused(context, &mesh, 0, SL_ERROR_ARGUMENT, "must be above 0");
    check_refused(context, &mesh, -1, SL_ERROR_ARGUMENT, "must be above 0");
    check_refused(context, &mesh, NAN, SL_ERROR_ARGUMENT, "must be above 0");
    check_refused(context, &mesh, INFINITY, SL_ERROR_ARGUMENT, "must be above 0");
    check_refused(context, &mesh, 1e-5f, SL_ERROR_MEMORY, "candidates; at most");
    check_refused(context, &mesh, 1e-7f, SL_ERROR_ARGUMENT, "is allowed");
    check_refused(context, &mesh, 1e-30f, SL_ERROR_ARGUMENT, "is allowed");
    check_refused(context, &infinite, 0.1f, SL_ERROR_ARGUMENT, "triangle 0");
    check_refused(context, &wild, 0.1f, SL_ERROR_ARGUMENT, "triangle 0");
    sl_mesh_destroy(&mesh);
    sl_mesh_destroy(&infinite);
    sl_mesh_destroy(&wild);
    sl_context_destroy(context);
}

typedef struct Budget {
    int allocations; /* that still succeed */
} Budget;

static void *alloc_within_budget(void *user, size_t bytes, size_t alignment)
{
    Budget *budget = user;
    return budget->allocations-- > 0
               ? aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment)
               : NULL;
}

static void release(void *user, void *memory, size_t bytes)
{
    (void)user;
    (void)bytes;
    free(memory);
}

/* Whichever allocation fails: a sentence, nothing kept. */
static void test_memory_runs_out(void **state)
{
    (void)state;
    static const float v[3][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    static const uint32_t t[1][3] = {{0, 1, 2}};
    Budget budget = {1000};
    SlContextDef def = sl_default_context_def();
    def.threads = 1;
    def.allocator = (SlAllocator){alloc_within_budget, release, &budget};
    SlContext *context;
    assert_ok(sl_context_create(&def, &context, &test_error));
    SlMesh mesh = make_mesh(context, v, 3, t, 1);
    uint64_t held = sl_context_bytes_held(context);
    SlStatus status = SL_ERROR_MEMORY;
    int tries = 0;
    for (; tries < 1000 && status != SL_OK; tries++) {
        SlSurfaceSamples samples;
        budget.allocations = tries;
        status = sl_surface_sample(context, &mesh, 0.05f, 1, &samples, &test_error);
        assert_true(status == SL_OK || status == SL_ERROR_MEMORY);
        sl_surface_samples_destroy(&samples);
        assert_int_equal(sl_context_bytes_held(context), held);
    }
    assert_int_equal(status, SL_OK);
    assert_true(tries > 5);
    sl_mesh_destroy(&mesh);
    sl_context_destroy(context);
}

/* On a sphere the way along the surface is known. */
static void test_geodesic_on_a_sphere(void **state)
{
    (void)state;
    for (int k = 1; k < 30; k++) {
        float angle = 0.1f * (float)k;
        SlVec3 p = sl_vec3(1, 0, 0), q = sl_vec3(cosf(angle), sinf(angle), 0);
        assert_near(sl_sample_geodesic(p, p, q, q), angle, 1e-4);
    }
    SlVec3 up = sl_vec3(0, 1, 0), a = sl_vec3(0, 0, 0), b = sl_vec3(3, 0, 4);
    assert_near(sl_sample_geodesic(a, up, b, up), 5, 1e-5);
    assert_near(sl_sample_geodesic(a, up, a, up), 0, 0);
}

/* By the way along the surface, a thin wall's two sides stand in each other's way less. */
static void test_geodesic_samples(void **state)
{
    (void)state;
    const float radius = 0.06f; /* the walls are 0.04 */
    SlContext *context = test_context(2);
    SlMesh mesh = load_asset(context, "container.obj");
    SlSurfaceSamples straight, curved;
    assert_ok(sl_surface_sample(context, &mesh, radius, 1, &straight, &test_error));
    assert_ok(sl_surface_sample_by(context, &mesh, SL_SAMPLE_GEODESIC, radius, 1, &curved,
                                   &test_error));
    assert_true(curved.count > straight.count);
    assert_true(largest_hole(&mesh, &curved, 0.3f * radius) <= 2 * (double)radius);
    for (size_t i = 0; i < curved.count; i++)
        for (size_t j = i + 1; j < curved.count; j++)
            if (curved.triangles[i] == curved.triangles[j])
                assert_true(distance_between(curved.positions[i], curved.positions[j]) >=
                            (double)radius);
            else
                assert_true(sl_sample_geodesic(curved.positions[i], curved.normals[i],
                                               curved.positions[j], curved.normals[j]) >=
                            radius * (1 - 1e-6f));
    sl_surface_samples_destroy(&straight);
    sl_surface_samples_destroy(&curved);
    sl_mesh_destroy(&mesh);
    sl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_assets_keep_the_bars),
        cmocka_unit_test(test_a_plane_is_packed_to_the_theory),
        cmocka_unit_test(test_same_bits_for_any_threads_and_other_ones_by_seed),
        cmocka_unit_test(test_samples_lie_on_their_triangles),
        cmocka_unit_test(test_odd_triangles),
        cmocka_unit_test(test_nothing_and_next_to_nothing),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_memory_runs_out),
        cmocka_unit_test(test_geodesic_on_a_sphere),
        cmocka_unit_test(test_geodesic_samples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
