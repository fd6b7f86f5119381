/* Limits of distance: fields against brute force at 10,000 points. With SLEET_BUNNY set
   to index.js of npm's bunny or to a mesh file of it, only the bunny (test_sdf_bunny_standard.sh
   does that). */
#include "core/timer.h"
#include "geometry/sdf/sdf.h"
#include "geometry/test_sdf_meshes.h"

/* Brute force takes its time, and under a sanitizer ten times that. */
#ifndef __has_feature
#define __has_feature(x) 0
#endif
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
enum { POINTS = 1000 };
#else
enum { POINTS = 10000 };
#endif

typedef struct Compare {
    const SlSdf *sdf;
    const SlMesh *mesh, *holes; /* holes: the faces taken out, or NULL */
    SlBox box;
    size_t points;
    struct {
        double got, truth, slope, to_hole;
    } at[POINTS];
} Compare;

/* Half of the points near the surface, half all over the box and beyond. */
static void compare_points(void *argument, size_t begin, size_t end, size_t chunk)
{
    Compare *c = argument;
    (void)chunk;
    SlVec3 middle = sl_scale(sl_add(c->box.min, c->box.max), 0.5f),
           half = sl_scale(sl_sub(c->box.max, c->box.min), 0.7f);
    for (size_t k = begin; k < end; k++) {
        SlVec3 r = random_point(k, 1), g;
        SlVec3 x = k % 2 == 0 ? point_near(c->mesh, k, 2.5f * c->sdf->cell)
                              : sl_add(middle, sl_vec3(half.x * r.x, half.y * r.y, half.z * r.z));
        SlD3 p = sl_d3_from(x);
        double distance = reference_distance(c->mesh, p), winding = reference_winding(c->mesh, p);
        c->at[k].to_hole = INFINITY;
        if (c->holes != NULL) { /* the truth is the whole mesh's */
            winding += reference_winding(c->holes, p);
            c->at[k].to_hole = reference_distance(c->holes, p);
        }
        c->at[k].truth = winding > 0.5 ? -distance : distance;
        c->at[k].got = (double)sl_sdf_distance(c->sdf, x, &g);
        c->at[k].slope = (double)sl_length(g);
    }
}

static void judge(const Compare *c)
{
    double h = (double)c->sdf->cell, worst = 0, worst_slope = 0;
    size_t in_band = 0, wrong_sign = 0, judged = 0, too_far = 0;
    for (size_t k = 0; k < c->points; k++) {
        double truth = c->at[k].truth, got = c->at[k].got, distance = fabs(truth);
        if (c->at[k].to_hole < 4 * h)
            continue;
        judged++;
        wrong_sign += distance > 0.1 * h && (got < 0) != (truth < 0);
        if (distance > (double)c->sdf->band * h) {
            too_far += fabs(got) > distance + 0.1 * h;
            continue;
        }
        in_band++;
        worst = fmax(worst, fabs(got - truth) / h);
        worst_slope = fmax(worst_slope, fabs(c->at[k].slope - 1));
    }
    print_message("  %zu points, %zu in the band: worst error %.4f cells, gradient's length off "
                  "by %.3f; %zu wrong signs, %zu too far\n",
                  judged, in_band, worst, worst_slope, wrong_sign, too_far);
    assert_true(in_band > c->points / 5);
    assert_less(worst, 0.1);
    assert_less(worst_slope, 0.3);
    assert_int_equal(wrong_sign, 0);
    assert_int_equal(too_far, 0);
}

static void check_thresholds(SlContext *context, const SlMesh *mesh, const SlMesh *holes, double cells,
                         size_t points, const char *name)
{
    SlBox box = sl_mesh_bounds(mesh);
    SlSdfSettings s = sl_default_sdf_settings(longest_side(box) / cells);
    SlSdf sdf;
    double start = sl_seconds(), held = (double)sl_context_bytes_held(context);
    assert_ok(sl_sdf_create(context, mesh, &s, &sdf, &test_error));
    print_message("%s: %zu triangles, %.0f cells long, %.2f s; %u blocks, %u fine ones, %u sharp "
                  "cells of %.1f triangles\n",
                  name, mesh->triangle_count, cells, sl_seconds() - start, sdf.grid.count,
                  sdf.fine_count, sdf.sharp_count,
                  sdf.sharp_start[sdf.sharp_count] / fmax(sdf.sharp_count, 1));
    double bytes = (double)sl_context_bytes_held(context) - held;
    double guess = (double)sl_sdf_guess_bytes(mesh, &s);
    print_message("  %.2f MB, guessed %.2f MB\n", bytes / 1e6, guess / 1e6);
    assert_true(guess > 0.7 * bytes && guess < 5 * bytes);
    static Compare c;
    c.sdf = &sdf;
    c.mesh = mesh;
    c.holes = holes;
    c.box = box;
    c.points = points;
    sl_parallel_for(context->pool, points, 64, compare_points, &c);
    judge(&c);
    sl_sdf_destroy(&sdf);
}

static void test_bumpy_ball(void **state)
{
    SlMesh mesh = make_ball(*state, 144, 72, bumpy_point);
    check_thresholds(*state, &mesh, NULL, 120, POINTS, "bumpy ball");
    sl_mesh_destroy(&mesh);
}

static void test_torus(void **state)
{
    SlMesh mesh = make_torus(*state, 100, 40);
    check_thresholds(*state, &mesh, NULL, 120, POINTS, "torus");
    sl_mesh_destroy(&mesh);
}

/* Every crease is a right angle: interpolation alone would err by a third of a cell. */
static void test_cube(void **state)
{
    SlMesh mesh = make_cube(*state, 0.4f);
    check_thresholds(*state, &mesh, NULL, 50, POINTS, "cube");
    sl_mesh_destroy(&mesh);
}

static void test_holes(void **state)
{
    SlMesh mesh = make_torus(*state, 64, 24), holes;
    size_t kept = 0, out = 0;
    assert_ok(sl_mesh_create(*state, mesh.vertex_count, mesh.triangle_count, &holes, &test_error));
    memcpy(holes.positions, mesh.positions, mesh.vertex_count * 3 * sizeof(float));
    for (size_t t = 0; t < mesh.triangle_count; t++) {
        bool remove = sl_random_unit(sl_random(3, t, 0).value[0]) < 0.05f;
        uint32_t *to = remove ? holes.triangles + 3 * out++ : mesh.triangles + 3 * kept++;
        memmove(to, mesh.triangles + 3 * t, 3 * sizeof(uint32_t));
    }
    size_t all = mesh.triangle_count;
    mesh.triangle_count = kept;
    holes.triangle_count = out;
    check_thresholds(*state, &mesh, &holes, 120, POINTS, "torus without 5 % of its faces");
    mesh.triangle_count = holes.triangle_count = all;
    sl_mesh_destroy(&mesh);
    sl_mesh_destroy(&holes);
}

/* Whatever the cells are: at 40 and 64 the mesh is finer than they are. */
static void test_squirrel(void **state)
{
    static const double lengths[] = {64, 40, 128};
    SlMesh mesh = read_asset(*state, "squirrel.obj");
    for (size_t k = 0; k < sizeof lengths / sizeof lengths[0]; k++)
        check_thresholds(*state, &mesh, NULL, lengths[k], k == 0 ? POINTS : POINTS / 5, "squirrel");
    sl_mesh_destroy(&mesh);
}

/* Numbers of a JavaScript array of arrays after `name`; returns how many. */
static size_t read_numbers(const char *text, const char *name, double *to, size_t room)
{
    const char *at = strstr(text, name);
    size_t count = 0;
    assert_non_null(at);
    for (at += strlen(name); *at != '\0' && strncmp(at, "]]", 2) != 0; at++) {
        char *end = (char *)(uintptr_t)at;
        double x = strchr("[], \n", *at) == NULL ? strtod(at, &end) : 0;
        if (end == at)
            continue;
        assert_true(count < room);
        to[count++] = x;
        at = end - 1;
    }
    return count;
}

static SlMesh read_javascript(SlContext *context, const char *path)
{
    char *text;
    size_t bytes, most = 100000;
    assert_ok(sl_file_read(&context->memory, path, 1 << 24, &text, &bytes, &test_error));
    double *positions = calloc(most, sizeof *positions), *cells = calloc(most, sizeof *cells);
    size_t numbers = read_numbers(text, "exports.positions=", positions, most);
    size_t corners = read_numbers(text, "exports.cells=", cells, most);
    SlMesh mesh;
    assert_ok(sl_mesh_create(context, numbers / 3, corners / 3, &mesh, &test_error));
    for (size_t k = 0; k < numbers; k++)
        mesh.positions[k] = (float)positions[k];
    for (size_t k = 0; k < corners; k++)
        mesh.triangles[k] = (uint32_t)cells[k];
    free(positions);
    free(cells);
    sl_free(&context->memory, text, bytes + 1);
    return mesh;
}

static void test_bunny(void **state)
{
    static const double lengths[] = {20, 40, 120}; /* at 20 the mesh is finer than the cells */
    const char *path = getenv("SLEET_BUNNY");
    if (path == NULL) {
        print_message("the bunny is tested by test_sdf_bunny_standard.sh\n");
        return;
    }
    SlMesh mesh;
    if (strstr(path, ".js") != NULL)
        mesh = read_javascript(*state, path);
    else
        assert_ok(sl_mesh_read(*state, path, &mesh, &test_error));
    print_message("the bunny of %s\n", path);
    for (size_t k = 0; k < sizeof lengths / sizeof lengths[0]; k++)
        check_thresholds(*state, &mesh, NULL, lengths[k], POINTS, "bunny");
    sl_mesh_destroy(&mesh);
}

static int make_context(void **state)
{
    *state = test_context(2);
    return 0;
}

static int drop_context(void **state)
{
    sl_context_destroy(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bumpy_ball), cmocka_unit_test(test_torus),
        cmocka_unit_test(test_cube),       cmocka_unit_test(test_holes),
        cmocka_unit_test(test_squirrel),   cmocka_unit_test(test_bunny),
    };
    if (getenv("SLEET_BUNNY") != NULL)
        cmocka_set_test_filter("test_bunny");
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
