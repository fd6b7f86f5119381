/* The report on meshes whose faults are known, measures of an icosphere, and transforms. */
#include "support/test.h"

#include "geometry/mesh/check.h"

/* Bit k of a corner's number is its place along axis k. Counter-clockwise from outside. */
static const uint32_t cube_triangles[36] = {0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5, 0, 1, 5, 0, 5, 4,
                                            2, 6, 7, 2, 7, 3, 0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6};

static SlMesh make_cubes(SlContext *context, size_t count)
{
    SlMesh mesh;
    assert_ok(sl_mesh_create(context, 8 * count, 12 * count, &mesh, &test_error));
    for (size_t c = 0; c < count; c++) {
        for (size_t v = 0; v < 8; v++)
            for (size_t axis = 0; axis < 3; axis++)
                mesh.positions[3 * (8 * c + v) + axis] = (float)((v >> axis & 1) + 2 * c);
        for (size_t k = 0; k < 36; k++)
            mesh.triangles[36 * c + k] = cube_triangles[k] + (uint32_t)(8 * c);
    }
    return mesh;
}

static SlMesh make_mesh(SlContext *context, size_t vertices, const float *positions,
                        size_t triangles, const uint32_t *corners)
{
    SlMesh mesh;
    assert_ok(sl_mesh_create(context, vertices, triangles, &mesh, &test_error));
    memcpy(mesh.positions, positions, 3 * vertices * sizeof *positions);
    memcpy(mesh.triangles, corners, 3 * triangles * sizeof *corners);
    return mesh;
}

/* Checks and destroys. */
static SlMeshReport report_on(SlMesh mesh)
{
    SlMeshReport report;
    assert_ok(sl_mesh_check(&mesh, &report, &test_error));
    sl_mesh_destroy(&mesh);
    return report;
}

static void assert_faults(const SlMeshReport *r, size_t open, size_t many, size_t flipped,
                          size_t degenerate, size_t duplicate, size_t components)
{
    assert_int_equal(r->open_edges, open);
    assert_int_equal(r->non_manifold_edges, many);
    assert_int_equal(r->flipped_edges, flipped);
    assert_int_equal(r->degenerate_faces, degenerate);
    assert_int_equal(r->duplicate_faces, duplicate);
    assert_int_equal(r->components, components);
    assert_int_equal(r->closed, open + many + flipped == 0);
}

static void test_cubes(void **state)
{
    (void)state;
    SlContext *context = test_context(2);
    SlMeshReport r = report_on(make_cubes(context, 1));
    assert_faults(&r, 0, 0, 0, 0, 0, 1);
    assert_near(r.area, 6, 1e-12);
    assert_near(r.volume, 1, 1e-12);

    r = report_on(make_cubes(context, 2));
    assert_faults(&r, 0, 0, 0, 0, 0, 2);
    assert_near(r.volume, 2, 1e-12);
    assert_near((double)r.bounds.max.y, 3, 0);

    SlMesh open = make_cubes(context, 1), shorter;
    shorter = make_mesh(context, 8, open.positions, 10, cube_triangles);
    sl_mesh_destroy(&open);
    r = report_on(shorter);
    assert_faults(&r, 4, 0, 0, 0, 0, 1);
    assert_near(r.area, 5, 1e-12);

    SlMesh flipped = make_cubes(context, 1);
    flipped.triangles[1] = 6;
    flipped.triangles[2] = 4;
    r = report_on(flipped);
    assert_faults(&r, 0, 0, 3, 0, 0, 1);
    sl_context_destroy(context);
}

static void test_bad_faces(void **state)
{
    (void)state;
    SlContext *context = test_context(1);
    /* Three sheets on one edge; a sliver; a face with one vertex twice; one face three times. */
    const float points[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, -1, 0, 2, 0, 0};
    const uint32_t fan[] = {0, 1, 2, 0, 1, 3, 1, 0, 4};
    SlMeshReport r = report_on(make_mesh(context, 6, points, 3, fan));
    assert_faults(&r, 6, 1, 0, 0, 0, 1);
    const uint32_t sliver[] = {0, 1, 5, 3, 3, 4};
    r = report_on(make_mesh(context, 6, points, 2, sliver));
    assert_faults(&r, 3, 0, 0, 2, 0, 2);
    const uint32_t thrice[] = {0, 1, 2, 1, 2, 0, 2, 1, 0};
    r = report_on(make_mesh(context, 6, points, 3, thrice));
    assert_faults(&r, 0, 3, 0, 0, 2, 1);
    SlMesh only = make_mesh(context, 6, points, 1, (const uint32_t[]){2, 2, 2});
    r = report_on(only);
    assert_int_equal(r.degenerate_faces, 1);
    assert_false(r.closed);
    sl_context_destroy(context);
}

/* A Möbius strip of n quads: one rim, and no way to rotation all faces alike. */
static void test_moebius(void **state)
{
    (void)state;
    enum { N = 12 };
    SlContext *context = test_context(1);
    SlMesh mesh;
    assert_ok(sl_mesh_create(context, 2 * N, 2 * N, &mesh, &test_error));
    for (uint32_t k = 0; k < N; k++) {
        double rotation = 2 * 3.14159265358979 * k / N;
        for (uint32_t side = 0; side < 2; side++) {
            double r = 1 + (side ? 0.3 : -0.3) * cos(rotation / 2);
            float *p = mesh.positions + 3 * (2 * k + side);
            p[0] = (float)(r * cos(rotation));
            p[1] = (float)((side ? 0.3 : -0.3) * sin(rotation / 2));
            p[2] = (float)(r * sin(rotation));
        }
        uint32_t a = 2 * k, b = 2 * k + 1;
        uint32_t c = k + 1 < N ? a + 2 : 1, d = k + 1 < N ? b + 2 : 0;
        memcpy(mesh.triangles + 6 * k, (const uint32_t[]){a, c, b, b, c, d}, 6 * sizeof(uint32_t));
    }
    SlMeshReport r = report_on(mesh);
    assert_faults(&r, 2 * N, 0, 1, 0, 0, 1);
    sl_context_destroy(context);
}

/* An icosahedron whose faces are cut in n^2; corners pushed out to the unit sphere, not shared. */
static double sphere_error(SlContext *context, int n, double *area_error)
{
    const float g = 1.618034f;
    const SlVec3 v[12] = {{-1, g, 0},  {1, g, 0},  {-1, -g, 0}, {1, -g, 0},
                            {0, -1, g},  {0, 1, g},  {0, -1, -g}, {0, 1, -g},
                            {g, 0, -1},  {g, 0, 1},  {-g, 0, -1}, {-g, 0, 1}};
    static const uint8_t f[20][3] = {{0, 11, 5}, {0, 5, 1},  {0, 1, 7},   {0, 7, 10}, {0, 10, 11},
                                     {1, 5, 9},  {5, 11, 4}, {11, 10, 2}, {10, 7, 6}, {7, 1, 8},
                                     {3, 9, 4},  {3, 4, 2},  {3, 2, 6},   {3, 6, 8},  {3, 8, 9},
                                     {4, 9, 5},  {2, 4, 11}, {6, 2, 10},  {8, 6, 7},  {9, 8, 1}};
    SlMesh mesh;
    size_t count = 20 * (size_t)n * (size_t)n, t = 0;
    assert_ok(sl_mesh_create(context, 3 * count, count, &mesh, &test_error));
    for (int face = 0; face < 20; face++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < 2 * (n - i) - 1; j++, t++) {
                /* Row i has upright triangles at even j, hanging ones at odd j. */
                int up = j % 2 == 0, q = j / 2;
                int at[3][2] = {{i + !up, q}, {i, q + 1}, {i + 1, q + !up}};
                for (int k = 0; k < 3; k++) {
                    int s[3] = {n - at[k][0] - at[k][1], at[k][1], at[k][0]};
                    SlVec3 p = sl_vec3(0, 0, 0);
                    for (int c = 0; c < 3; c++)
                        p = sl_add(p, sl_scale(v[f[face][c]], (float)s[c]));
                    p = sl_unit(p);
                    memcpy(mesh.positions + 3 * (3 * t + (size_t)k), &p, sizeof p);
                    mesh.triangles[3 * t + (size_t)k] = (uint32_t)(3 * t + (size_t)k);
                }
            }
    assert_int_equal(t, count);
    SlMeshReport r = report_on(mesh);
    assert_int_equal(r.components, count);
    *area_error = 4 * 3.14159265358979 - r.area;
    return 4.0 / 3 * 3.14159265358979 - r.volume;
}

/* Inscribed, so below; the error falls as the square of the edge. */
static void test_icosphere_converges(void **state)
{
    (void)state;
    SlContext *context = test_context(1);
    double area, volume, last_area = 0, last_volume = 0;
    for (int n = 4; n <= 64; n *= 2) {
        volume = sphere_error(context, n, &area);
        assert_true(area > 0 && volume > 0);
        if (n > 4) {
            assert_near(last_volume / volume, 4, 0.3);
            assert_near(last_area / area, 4, 0.3);
        }
        last_area = area;
        last_volume = volume;
    }
    assert_less(last_volume, 2e-3);
    sl_context_destroy(context);
}

static void test_transform(void **state)
{
    (void)state;
    SlContext *context = test_context(1);
    const float rotation[9] = {0, 0, 1, 0, 1, 0, -1, 0, 0}; /* a quarter about y */
    for (int mirror = 0; mirror < 2; mirror++) {
        SlMesh mesh = make_cubes(context, 1);
        assert_ok(sl_mesh_transform(&mesh, mirror ? -2 : 2, rotation, sl_vec3(100, 0, 0), &test_error));
        float x = mesh.positions[3 * 4], z = mesh.positions[3 * 1 + 2];
        assert_near((double)x, mirror ? 98 : 102, 1e-5);
        assert_near((double)z, mirror ? 2 : -2, 1e-5);
        SlMeshReport r = report_on(mesh);
        assert_true(r.closed);
        assert_near(r.volume, 8, 1e-9);
    }
    SlMesh mesh = make_cubes(context, 1);
    assert_int_equal(sl_mesh_transform(&mesh, 3e38f, NULL, sl_vec3(3e38f, 0, 0), &test_error),
                     SL_ERROR_ARGUMENT);
    assert_non_null(strstr(test_error.text, "is not at a finite place"));
    assert_near((double)mesh.positions[3], 1, 0);
    sl_mesh_destroy(&mesh);
    sl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cubes),
        cmocka_unit_test(test_bad_faces),
        cmocka_unit_test(test_moebius),
        cmocka_unit_test(test_icosphere_converges),
        cmocka_unit_test(test_transform),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
