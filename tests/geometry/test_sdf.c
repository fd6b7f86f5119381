/* Distance fields: the same bits for any threads, gradients, far values, odd meshes, cache. */
#include "geometry/sdf/sdf.h"

#include "geometry/test_sdf_meshes.h"

static SlSdf field_of(SlContext *context, const SlMesh *mesh, double cell, bool hollow)
{
    SlSdf sdf;
    SlSdfSettings s = sl_default_sdf_settings(cell);
    s.hollow = hollow;
    assert_ok(sl_sdf_create(context, mesh, &s, &sdf, &test_error));
    return sdf;
}

static void test_threads(void **state)
{
    static const uint32_t threads[3] = {1, 2, 5};
    uint64_t hash[3], open_hash[3];
    (void)state;
    for (int k = 0; k < 3; k++) {
        SlContext *context = test_context(threads[k]);
        uint64_t held = sl_context_bytes_held(context);
        SlMesh mesh = make_ball(context, 40, 20, bumpy_point);
        SlSdf sdf = field_of(context, &mesh, 0.03, false);
        assert_true(sdf.sharp_count > 100);
        hash[k] = sl_sdf_hash(&sdf);
        sl_sdf_destroy(&sdf);
        mesh.triangle_count -= 100;
        sdf = field_of(context, &mesh, 0.03, false);
        open_hash[k] = sl_sdf_hash(&sdf);
        sl_sdf_destroy(&sdf);
        mesh.triangle_count += 100;
        sl_mesh_destroy(&mesh);
        assert_int_equal(sl_context_bytes_held(context), held);
        sl_context_destroy(context);
    }
    assert_true(hash[0] == hash[1] && hash[1] == hash[2]);
    assert_true(open_hash[0] == open_hash[1] && open_hash[1] == open_hash[2]);
    assert_true(hash[0] != open_hash[0]);
}

/* Against differences of the field itself, where both ends lie in one cell of its grid. */
static void test_gradient(void **state)
{
    SlMesh mesh = make_torus(*state, 80, 30);
    SlSdf sdf = field_of(*state, &mesh, 0.02, false);
    const float e = 2e-4f;
    size_t agree = 0, on_crease = 0;
    for (uint64_t k = 0; k < 4000; k++) {
        SlVec3 x = point_near(&mesh, k, 0.02f), g;
        float value = sl_sdf_distance(&sdf, x, &g);
        assert_near(sl_length(g), 1, 0.15);
        assert_true(sl_sdf_distance(&sdf, x, NULL) == value);
        SlVec3 q = sl_scale(sl_sub(x, sdf.origin), 1 / sdf.cell);
        float f[3] = {q.x - floorf(q.x), q.y - floorf(q.y), q.z - floorf(q.z)};
        bool inside = true;
        for (int a = 0; a < 3; a++)
            inside = inside && f[a] > 0.02f && f[a] < 0.98f;
        if (!inside || fabsf(value) < 2 * e)
            continue;
        float dx = sl_sdf_distance(&sdf, sl_add(x, sl_vec3(e, 0, 0)), NULL) -
                   sl_sdf_distance(&sdf, sl_sub(x, sl_vec3(e, 0, 0)), NULL);
        float dy = sl_sdf_distance(&sdf, sl_add(x, sl_vec3(0, e, 0)), NULL) -
                   sl_sdf_distance(&sdf, sl_sub(x, sl_vec3(0, e, 0)), NULL);
        float dz = sl_sdf_distance(&sdf, sl_add(x, sl_vec3(0, 0, e)), NULL) -
                   sl_sdf_distance(&sdf, sl_sub(x, sl_vec3(0, 0, e)), NULL);
        SlVec3 slope = sl_scale(sl_vec3(dx, dy, dz), 0.5f / e);
        /* A crease between the two ends bends the difference, not the gradient: few may be off. */
        bool close = sl_length(sl_sub(slope, g)) < 0.01f;
        agree += close;
        on_crease += !close;
    }
    print_message("gradients: %zu agree, %zu on a crease\n", agree, on_crease);
    assert_true(agree > 3000 && on_crease < 100);
    sl_sdf_destroy(&sdf);
    sl_mesh_destroy(&mesh);
}

/* Known everywhere: sign, and a distance that is not too large; a gradient of length 1. */
static void test_far(void **state)
{
    SlMesh mesh = make_cube(*state, 0.5f);
    SlSdf sdf = field_of(*state, &mesh, 0.02, false);
    for (uint64_t k = 0; k < 2000; k++) {
        SlVec3 x = random_point(k, k % 4 == 0 ? 20.0f : 0.9f), g, n;
        SlShape box = sl_default_shape(SL_SHAPE_BOX);
        float truth = sl_shape_distance(&box, x, &n), got = sl_sdf_distance(&sdf, x, &g);
        assert_true(fabsf(truth) < 0.001f || (truth < 0) == (got < 0));
        assert_less(fabsf(got), fabsf(truth) * 1.0001f + 0.1f * sdf.cell);
        assert_near(sl_length(g), 1, 0.1);
        if (truth > 0.2f) {
            assert_true(sl_dot(g, n) > 0.8f);
            assert_true(got > truth - 16 * sdf.cell); /* two blocks and the padding */
        }
    }
    sl_sdf_destroy(&sdf);
    sl_mesh_destroy(&mesh);
}

static void test_hollow(void **state)
{
    SlMesh mesh = make_torus(*state, 30, 12);
    SlSdf solid = field_of(*state, &mesh, 0.03, false);
    SlSdf hollow = field_of(*state, &mesh, 0.03, true);
    static float points[3000], a[1000], b[1000], ga[3000], gb[3000];
    for (uint64_t k = 0; k < 1000; k++) {
        SlVec3 x = random_point(k, 0.6f);
        memcpy(points + 3 * k, &x, sizeof x);
    }
    sl_sdf_distances(*state, &solid, points, 1000, a, ga);
    sl_sdf_distances(*state, &hollow, points, 1000, b, gb);
    for (int k = 0; k < 1000; k++)
        assert_true(a[k] == -b[k]);
    for (int k = 0; k < 3000; k++)
        assert_true(ga[k] == -gb[k]);
    sl_sdf_destroy(&solid);
    sl_sdf_destroy(&hollow);
    sl_mesh_destroy(&mesh);
}

/* A sheet has no inside: + on both sides, and its distance is right on both. */
static void test_sheet(void **state)
{
    static const float corners[] = {-0.5f, 0, -0.5f, 0.5f, 0, 0.5f,  0.5f,  0, -0.5f,
                                    -0.5f, 0, -0.5f, -0.5f, 0, 0.5f, 0.5f, 0, 0.5f};
    for (size_t triangles = 1; triangles <= 2; triangles++) {
        SlMesh mesh = make_soup(*state, corners, triangles);
        SlSdf sdf = field_of(*state, &mesh, 0.033, false);
        for (uint64_t k = 0; k < 2000; k++) {
            SlVec3 x = point_near(&mesh, k, 0.09f), g;
            double truth = reference_distance(&mesh, sl_d3_from(x));
            float got = sl_sdf_distance(&sdf, x, &g);
            assert_near(got, truth, 0.1 * 0.033);
            assert_near(sl_length(g), 1, 0.2);
        }
        sl_sdf_destroy(&sdf);
        sl_mesh_destroy(&mesh);
    }
}

static void test_degenerate(void **state)
{
    SlMesh cube = make_cube(*state, 0.4f), mesh;
    assert_ok(sl_mesh_create(*state, 8, 15, &mesh, &test_error));
    memcpy(mesh.positions, cube.positions, 24 * sizeof(float));
    memcpy(mesh.triangles, cube.triangles, 36 * sizeof(uint32_t));
    static const uint32_t flat[9] = {0, 0, 0, 1, 1, 3, 2, 6, 2};
    memcpy(mesh.triangles + 36, flat, sizeof flat);
    SlSdf a = field_of(*state, &cube, 0.05, false), b = field_of(*state, &mesh, 0.05, false);
    for (uint64_t k = 0; k < 1000; k++) {
        SlVec3 x = random_point(k, 0.6f);
        assert_near(sl_sdf_distance(&a, x, NULL), sl_sdf_distance(&b, x, NULL), 1e-5);
    }
    sl_sdf_destroy(&a);
    sl_sdf_destroy(&b);
    sl_mesh_destroy(&mesh);
    sl_mesh_destroy(&cube);
    /* A single point, as a triangle. */
    static const float point[9] = {0};
    mesh = make_soup(*state, point, 1);
    a = field_of(*state, &mesh, 0.1, false);
    for (uint64_t k = 0; k < 200; k++) {
        SlVec3 x = random_point(k, 0.2f);
        assert_near(sl_sdf_distance(&a, x, NULL), sl_length(x), 1e-5);
    }
    sl_sdf_destroy(&a);
    sl_mesh_destroy(&mesh);
}

static void test_refused(void **state)
{
    SlMesh mesh = make_cube(*state, 0.5f);
    SlSdf sdf;
    static const double wrong[][2] = {{0, 3}, {-1, 3}, {NAN, 3}, {0.1, 0}, {0.1, 100}, {1e-6, 3}};
    for (int k = 0; k < 6; k++) {
        SlSdfSettings s = {.cell = wrong[k][0], .band = wrong[k][1]};
        assert_int_equal(sl_sdf_create(*state, &mesh, &s, &sdf, &test_error), SL_ERROR_ARGUMENT);
    }
    SlSdfSettings s = sl_default_sdf_settings(0.1);
    mesh.triangle_count = 0;
    assert_int_equal(sl_sdf_create(*state, &mesh, &s, &sdf, &test_error), SL_ERROR_ARGUMENT);
    assert_non_null(strstr(test_error.text, "no triangles"));
    mesh.triangle_count = 12;
    sl_mesh_destroy(&mesh);
}

static uint64_t bytes_before;

static int make_context(void **state)
{
    *state = test_context(2);
    bytes_before = sl_context_bytes_held(*state);
    return 0;
}

static int drop_context(void **state)
{
    assert_int_equal(sl_context_bytes_held(*state), bytes_before);
    sl_context_destroy(*state);
    return 0;
}

/* The short way out, for both signs, against the whole query. */
static void test_within(void **state)
{
    SlContext *context = *state;
    SlMesh mesh = make_torus(context, 96, 40);
    for (int hollow = 0; hollow < 2; hollow++) {
        SlSdf sdf;
        SlSdfSettings s = sl_default_sdf_settings(0.05);
        s.hollow = hollow == 1;
        size_t within = 0, beyond = 0;
        assert_ok(sl_sdf_create(context, &mesh, &s, &sdf, &test_error));
        assert_true(sdf.fine_count > 0 && sdf.tree_count > 0);
        for (uint64_t k = 0; k < 20000; k++) {
            SlVec3 x = random_point(k, 0.6f), g, h;
            float reach = 0.02f * (float)(k % 8), full = sl_sdf_distance(&sdf, x, &g);
            float some = sl_sdf_distance_within(&sdf, x, reach, &h);
            if (full <= reach) {
                assert_true(some == full);
                assert_memory_equal(&g, &h, sizeof g);
                within++;
            } else {
                assert_true(some > reach && some <= full + 0.1f * sdf.cell);
                beyond++;
            }
        }
        assert_true(within > 300 && beyond > 300);
        sl_sdf_destroy(&sdf);
    }
    sl_mesh_destroy(&mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads), cmocka_unit_test(test_gradient),
        cmocka_unit_test(test_far),     cmocka_unit_test(test_hollow),
        cmocka_unit_test(test_sheet),   cmocka_unit_test(test_degenerate),
        cmocka_unit_test(test_refused), cmocka_unit_test(test_within),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
