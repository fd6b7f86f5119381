/* The tree's queries against sums over all triangles, on good meshes and bad ones. */
#include "geometry/test_sdf_meshes.h"

static void compare(const SlMesh *mesh, uint64_t points, double winding_tolerance)
{
    SlBvh bvh;
    assert_ok(sl_bvh_create(mesh->context, mesh, &bvh, &test_error));
    for (uint64_t k = 0; k < points; k++) {
        SlVec3 x = k % 2 == 0 ? point_near(mesh, k, 0.02f) : random_point(k, 0.8f);
        SlD3 p = sl_d3_from(x);
        SlBvhHit hit;
        double distance = reference_distance(mesh, p);
        assert_true(sl_bvh_closest(&bvh, p, INFINITY, &hit));
        assert_near(sqrt(hit.distance2), distance, 1e-9);
        assert_near(sl_d3_length(sl_d3_sub(p, hit.point)), distance, 1e-9);
        SlTriangle t = mesh_triangle(mesh, bvh.order[hit.place]);
        assert_near(reference_triangle_distance(&t, p), distance, 1e-9);
        /* The radius bounds the search from both sides. */
        assert_true(sl_bvh_closest(&bvh, p, distance * 1.01 + 1e-9, &hit));
        assert_false(sl_bvh_closest(&bvh, p, distance * 0.99 - 1e-9, &hit) && distance > 1e-6);
        assert_near(sl_bvh_winding(&bvh, p), reference_winding(mesh, p), winding_tolerance);
    }
    sl_bvh_destroy(&bvh);
}

static void test_closed(void **state)
{
    SlMesh mesh = make_ball(*state, 40, 20, bumpy_point);
    compare(&mesh, 600, 0.1);
    sl_mesh_destroy(&mesh);
    mesh = make_torus(*state, 30, 12);
    compare(&mesh, 600, 0.1);
    sl_mesh_destroy(&mesh);
}

static void test_open(void **state)
{
    SlMesh mesh = make_torus(*state, 30, 12);
    size_t all = mesh.triangle_count;
    mesh.triangle_count = all / 2; /* half a torus along v: open at two rims */
    compare(&mesh, 400, 0.1);
    mesh.triangle_count = all;
    sl_mesh_destroy(&mesh);
}

static void test_within(void **state)
{
    SlMesh mesh = make_ball(*state, 30, 16, bumpy_point);
    SlBvh bvh;
    static uint32_t places[2000];
    assert_ok(sl_bvh_create(*state, &mesh, &bvh, &test_error));
    for (uint64_t k = 0; k < 100; k++) {
        SlD3 p = sl_d3_from(random_point(k, 0.6f));
        size_t expected = 0, count = sl_bvh_within(&bvh, p, 0.2, places, 2000);
        for (size_t t = 0; t < mesh.triangle_count; t++) {
            SlTriangle triangle = mesh_triangle(&mesh, t);
            expected += reference_triangle_distance(&triangle, p) <= 0.2;
        }
        assert_int_equal(count, expected);
        for (size_t i = 1; i < count; i++)
            assert_true(places[i] > places[i - 1]);
        assert_int_equal(sl_bvh_within(&bvh, p, 0.2, places, 3), expected);
    }
    sl_bvh_destroy(&bvh);
    sl_mesh_destroy(&mesh);
}

/* Lines and points among triangles are still met; they have no solid angle. */
static void test_degenerate(void **state)
{
    static const float corners[] = {0, 0, 0,    0, 0, 0,       0, 0, 0,       /* a point */
                                    0, 0, 0,    1, 0, 0,       0.5f, 0, 0,    /* a line */
                                    0, 0.5f, 0, 0, 0.5f, 0,    0, 0.5f, 0.7f, /* two alike */
                                    0.2f, 0, 0, 0.2f, 0.3f, 0, 0.2f, 0, 0.3f,
                                    0.1f, 0.1f, 0.1f, 0.3f, 0.3f, 0.3f, 0.7f, 0.7f, 0.7f};
    SlMesh mesh = make_soup(*state, corners, 5);
    compare(&mesh, 400, 0.1);
    sl_mesh_destroy(&mesh);
    mesh = make_soup(*state, corners + 27, 1);
    compare(&mesh, 400, 0.1);
    sl_mesh_destroy(&mesh);
}

/* A thousand triangles in one place: no split helps, the tree must not grow deep for it. */
static void test_all_alike(void **state)
{
    static float corners[9 * 1000];
    for (int k = 0; k < 9000; k++)
        corners[k] = (float)(k % 9 == 3 || k % 9 == 7) * 0.5f;
    SlMesh mesh = make_soup(*state, corners, 1000);
    compare(&mesh, 50, 20);
    sl_mesh_destroy(&mesh);
}

static void test_empty_and_wrong(void **state)
{
    SlContext *context = *state;
    SlMesh mesh = make_cube(context, 0.5f);
    SlBvh bvh;
    SlBvhHit hit;
    mesh.triangle_count = 0;
    assert_ok(sl_bvh_create(context, &mesh, &bvh, &test_error));
    assert_false(sl_bvh_closest(&bvh, sl_d3(0, 0, 0), INFINITY, &hit));
    assert_true(sl_bvh_winding(&bvh, sl_d3(0, 0, 0)) == 0);
    sl_bvh_destroy(&bvh);
    mesh.triangle_count = 12;
    mesh.triangles[4] = 8;
    assert_int_equal(sl_bvh_create(context, &mesh, &bvh, &test_error), SL_ERROR_ARGUMENT);
    assert_non_null(strstr(test_error.text, "triangle 1 names vertex 8"));
    mesh.triangles[4] = 3;
    mesh.positions[7] = NAN;
    assert_int_equal(sl_bvh_create(context, &mesh, &bvh, &test_error), SL_ERROR_ARGUMENT);
    assert_non_null(strstr(test_error.text, "not finite"));
    sl_mesh_destroy(&mesh);
}

static uint64_t bytes_before;

static int make_context(void **state)
{
    *state = test_context(1);
    bytes_before = sl_context_bytes_held(*state);
    return 0;
}

static int drop_context(void **state)
{
    assert_int_equal(sl_context_bytes_held(*state), bytes_before);
    sl_context_destroy(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_closed),     cmocka_unit_test(test_open),
        cmocka_unit_test(test_within),     cmocka_unit_test(test_degenerate),
        cmocka_unit_test(test_all_alike),  cmocka_unit_test(test_empty_and_wrong),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
