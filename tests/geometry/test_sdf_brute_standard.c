/* The bars of issue 3: fields against brute force at 10,000 points. */
#include "core/timer.h"
#include "geometry/sdf.h"
#include "geometry/test_sdf_meshes.h"

enum { POINTS = 10000 };

typedef struct Errors {
    double worst_band, worst_slope;
    size_t in_band, wrong_sign, too_far;
} Errors;

/* Points in the band and all over the box, half of each. */
static Errors compare(const SlSdf *sdf, const SlMesh *mesh)
{
    Errors e = {0};
    double h = (double)sdf->cell;
    for (uint64_t k = 0; k < POINTS; k++) {
        SlVec3 x = k % 2 == 0 ? point_near(mesh, k, 2.5f * sdf->cell) : random_point(k, 0.7f), g;
        SlD3 p = sl_d3_from(x);
        double distance = plain_distance(mesh, p);
        double truth = plain_winding(mesh, p) > 0.5 ? -distance : distance;
        double got = (double)sl_sdf_distance(sdf, x, &g);
        if (distance < (double)sdf->band * h) {
            e.in_band++;
            e.worst_band = fmax(e.worst_band, fabs(got - truth) / h);
            e.worst_slope = fmax(e.worst_slope, fabs((double)sl_length(g) - 1));
        } else {
            e.too_far += fabs(got) > distance * 1.0001 + 0.1 * h;
        }
        e.wrong_sign += distance > 0.1 * h && (got < 0) != (truth < 0);
    }
    return e;
}

static void hold_to_bars(SlContext *context, const SlMesh *mesh, double cells, const char *name)
{
    SlBox box = sl_mesh_bounds(mesh);
    double extent = fmax(fmax((double)(box.max.x - box.min.x), (double)(box.max.y - box.min.y)),
                         (double)(box.max.z - box.min.z));
    SlSdfSettings s = sl_default_sdf_settings(extent / cells);
    SlSdf sdf;
    double start = sl_seconds();
    assert_ok(sl_sdf_create(context, mesh, &s, &sdf, &test_error));
    double seconds = sl_seconds() - start;
    Errors e = compare(&sdf, mesh);
    print_message("%s, %zu triangles, %.0f cells: built in %.2f s; %u blocks, %u sharp cells with "
                  "%.1f triangles each, %u crowded; %zu points in the band, worst error %.4f "
                  "cells, length of gradient off by %.3f; wrong signs %zu; too far %zu\n",
                  name, mesh->triangle_count, cells, seconds, sdf.grid.count, sdf.sharp_count,
                  sdf.sharp_start[sdf.sharp_count] / fmax(sdf.sharp_count, 1), sdf.crowded_count,
                  e.in_band, e.worst_band, e.worst_slope, e.wrong_sign, e.too_far);
    sl_sdf_destroy(&sdf);
    assert_true(e.in_band > POINTS / 3);
    assert_less(e.worst_band, 0.1);
    assert_int_equal(e.wrong_sign, 0);
    assert_int_equal(e.too_far, 0);
}

static void test_bumpy_ball(void **state)
{
    (void)state;
    SlContext *context = test_context(2);
    SlMesh mesh = make_ball(context, 144, 72, bumpy_point);
    hold_to_bars(context, &mesh, 120, "bumpy ball");
    sl_mesh_destroy(&mesh);
    sl_context_destroy(context);
}

static void test_torus(void **state)
{
    (void)state;
    SlContext *context = test_context(2);
    SlMesh mesh = make_torus(context, 100, 40);
    hold_to_bars(context, &mesh, 120, "torus");
    sl_mesh_destroy(&mesh);
    sl_context_destroy(context);
}

static void test_cube(void **state)
{
    (void)state;
    SlContext *context = test_context(2);
    SlMesh mesh = make_cube(context, 0.4f);
    hold_to_bars(context, &mesh, 50, "cube");
    sl_mesh_destroy(&mesh);
    sl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bumpy_ball),
        cmocka_unit_test(test_torus),
        cmocka_unit_test(test_cube),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
