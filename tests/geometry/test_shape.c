/* Every shape of the list: distance against brute force over its triangles, gradient against finite
   differences, sign against the winding number, bounds, closed mesh, volume and area. */
#include "core/random.h"
#include "geometry/mesh/check.h"
#include "geometry/mesh/triangle.h"
#include "math/camera.h"
#include "support/test.h"
#include "support/shapes.h"

static SlContext *context;

static SlVec3 random_point(uint64_t counter)
{
    SlRandom4 r = sl_random(7, counter, 0);
    return (SlVec3){4 * sl_random_unit(r.value[0]) - 2, 4 * sl_random_unit(r.value[1]) - 2,
                    4 * sl_random_unit(r.value[2]) - 2};
}

/* The shape's mesh in world space. */
static SlMesh mesh_of(const SlShape *shape, float edge)
{
    SlMesh mesh;
    SlVec3 frame[3];
    SlBox clip = {{-3, -3, -3}, {3, 3, 3}};
    assert_ok(sl_shape_mesh(context, shape, edge, clip, &mesh, &test_error));
    sl_shape_frame(shape, frame);
    for (size_t v = 0; v < mesh.vertex_count; v++) {
        SlVec3 l = sl_mesh_vertex(&mesh, (uint32_t)v);
        SlVec3 p = sl_add(shape->center,
                          sl_add(sl_scale(frame[0], l.x),
                                 sl_add(sl_scale(frame[1], l.y), sl_scale(frame[2], l.z))));
        memcpy(mesh.positions + 3 * v, &p, sizeof p);
    }
    return mesh;
}

static void list_is_consistent(void **state)
{
    (void)state;
    for (size_t k = 0; k < sl_shape_type_count; k++) {
        const SlShapeType *type = sl_shape_types[k];
        assert_ptr_equal(sl_shape_type(type->kind), type);
        assert_ptr_equal(sl_shape_type_named(type->name), type);
        assert_string_equal(sl_shape_kind_name(type->kind), type->name);
        assert_in_range(type->key_count, 1, SL_MAX_SHAPE_KEYS);
        assert_true(type->distance != NULL && type->bounds != NULL && type->area != NULL &&
                    type->mesh != NULL);
        assert_true(type->endless || (type->volume != NULL && type->ball != NULL));
    }
    assert_null(sl_shape_type((SlShapeKind)999));
    assert_null(sl_shape_type_named("torus"));
}

static void gradient_is_unit_and_right(void **state)
{
    (void)state;
    for (size_t s = 0; s < sl_shape_type_count; s++) {
        SlShape shape = test_shape(sl_shape_types[s]);
        int kinks = 0;
        for (uint64_t k = 0; k < 2000; k++) {
            SlVec3 p = random_point(k), n;
            float e = 1e-3f, d = sl_shape_distance(&shape, p, &n);
            assert_near(sl_length(n), 1, 1e-5);
            /* Along the normal the distance grows by as much: exact but at edges' kinks. */
            float ahead = sl_shape_distance(&shape, sl_add(p, sl_scale(n, e)), NULL);
            float behind = sl_shape_distance(&shape, sl_sub(p, sl_scale(n, e)), NULL);
            kinks += fabsf(ahead - behind - 2 * e) > 0.02f * e;
            /* Walking back by the distance ends on the surface. */
            SlVec3 foot = sl_sub(p, sl_scale(n, d));
            assert_near(sl_shape_distance(&shape, foot, NULL), 0, 2e-5);
        }
        assert_true(kinks < 20);
    }
}

/* Distance and sign by looking at every triangle. */
static float brute_distance(const SlMesh *mesh, SlVec3 p)
{
    double square = INFINITY, angle = 0;
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        SlTriangle triangle = {sl_d3_from(sl_mesh_corner(mesh, t, 0)),
                               sl_d3_from(sl_mesh_corner(mesh, t, 1)),
                               sl_d3_from(sl_mesh_corner(mesh, t, 2))};
        SlD3 away = sl_d3_sub(sl_d3_from(p), sl_triangle_nearest(&triangle, sl_d3_from(p)));
        square = fmin(square, sl_d3_dot(away, away));
        angle += sl_triangle_solid_angle(&triangle, sl_d3_from(p));
    }
    return (float)(angle > 6.28 ? -sqrt(square) : sqrt(square));
}

static void distance_is_that_of_brute_force(void **state)
{
    (void)state;
    for (size_t s = 0; s < sl_shape_type_count; s++) {
        SlShape shape = test_shape(sl_shape_types[s]);
        if (sl_shape_types[s]->endless)
            continue;
        SlMesh mesh = mesh_of(&shape, 0.1f);
        double worst = 0;
        for (uint64_t k = 0; k < 150; k++) {
            SlVec3 p = random_point(500 + k);
            double d = (double)sl_shape_distance(&shape, p, NULL);
            worst = fmax(worst, fabs(d - (double)brute_distance(&mesh, p)));
        }
        print_message("%s: %zu triangles, off by %.2g m\n", sl_shape_types[s]->name,
                      mesh.triangle_count, worst);
        assert_less(worst, 2 * 0.1 * 0.1 / (8 * 0.8)); /* chords of 0.1 m both ways, radius 0.8 m */
        sl_mesh_destroy(&mesh);
    }
}

/* With a reach: the same bits within it, else more than the reach and not more than the distance. */
static void reach_is_kept(void **state)
{
    (void)state;
    const float reaches[3] = {0, 0.1f, 0.5f};
    for (size_t s = 0; s < sl_shape_type_count; s++) {
        const SlShapeType *type = sl_shape_types[s];
        SlShape shape = test_shape(type);
        for (uint64_t k = 0; k < 1500; k++) {
            SlVec3 p = random_point(k), n, m;
            float whole = type->distance(&shape, p, INFINITY, &n);
            float reach = reaches[k % 3], d = type->distance(&shape, p, reach, &m);
            assert_near(sl_length(m), 1, 1e-5);
            if (whole <= reach)
                assert_true(d == whole && m.x == n.x && m.y == n.y && m.z == n.z);
            else
                assert_true(d > reach && d <= whole + 1e-5f);
        }
    }
}

static void meshes_are_closed_and_bounds_tight(void **state)
{
    (void)state;
    for (size_t s = 0; s < sl_shape_type_count; s++) {
        const SlShapeType *type = sl_shape_types[s];
        SlShape shape = test_shape(type);
        SlMesh mesh = mesh_of(&shape, 0.05f);
        SlMeshReport report;
        SlBox box = sl_shape_bounds(&shape);
        assert_ok(sl_mesh_check(&mesh, &report, &test_error));
        if (type->endless) {
            assert_true(isinf(box.min.x) && isinf(box.max.z) && mesh.triangle_count > 0);
            sl_mesh_destroy(&mesh);
            continue;
        }
        assert_true(report.closed && report.degenerate_faces == 0);
        assert_near(report.volume / type->volume(&shape), 1, 0.01);
        assert_near(report.area / type->area(&shape, box), 1, 0.2);
        SlVec3 center;
        float radius;
        type->ball(&shape, &center, &radius);
        /* A tilted height field is bounded as if it was as high everywhere. */
        double slack = type->arrays ? 0.2 : 0.01;
        for (int k = 0; k < 3; k++) {
            assert_near((&report.bounds.min.x)[k], (&box.min.x)[k], slack);
            assert_near((&report.bounds.max.x)[k], (&box.max.x)[k], slack);
            assert_true((&report.bounds.min.x)[k] > (&box.min.x)[k] - 1e-5f);
            assert_true((&report.bounds.max.x)[k] < (&box.max.x)[k] + 1e-5f);
        }
        for (size_t v = 0; v < mesh.vertex_count; v++)
            assert_true(sl_length(sl_sub(sl_mesh_vertex(&mesh, (uint32_t)v), center)) <
                        radius + 1e-5f);
        sl_mesh_destroy(&mesh);
    }
}

static void signs(void **state)
{
    (void)state;
    SlShape cone = sl_default_shape(SL_SHAPE_CONE); /* base 0.5, height 1, apex up */
    assert_true(sl_shape_distance(&cone, sl_vec3(0, 0.5f, 0), NULL) < 0);
    assert_true(sl_shape_distance(&cone, sl_vec3(0, 1.1f, 0), NULL) > 0);
    assert_true(sl_shape_distance(&cone, sl_vec3(0.4f, 0.5f, 0), NULL) > 0);
    assert_near(sl_shape_distance(&cone, sl_vec3(0, -0.25f, 0), NULL), 0.25, 1e-6);
    SlShape plane = sl_default_shape(SL_SHAPE_PLANE);
    assert_near(sl_shape_distance(&plane, sl_vec3(3, -0.5f, 9), NULL), -0.5, 1e-6);
    SlShape capsule = sl_default_shape(SL_SHAPE_CAPSULE); /* from y = 0 to 1, radius 0.5 */
    assert_near(sl_shape_distance(&capsule, sl_vec3(0, 1.75f, 0), NULL), 0.25, 1e-6);
    assert_near(sl_shape_distance(&capsule, sl_vec3(0.2f, 0.5f, 0), NULL), -0.3, 1e-6);
}

static void bad_shapes_are_refused(void **state)
{
    (void)state;
    const char *reason;
    SlShape shape = sl_default_shape(SL_SHAPE_SPHERE);
    shape.radius = -1;
    assert_false(sl_shape_prepare(&shape, &reason));
    shape = sl_default_shape(SL_SHAPE_CONE);
    shape.height = NAN;
    assert_false(sl_shape_prepare(&shape, &reason));
    shape = sl_default_shape(SL_SHAPE_PLANE);
    shape.axis = (SlVec3){0, 0, 0};
    assert_false(sl_shape_prepare(&shape, &reason));
    assert_non_null(reason);
    shape = sl_default_shape(SL_SHAPE_HEIGHT_FIELD);
    assert_false(sl_shape_prepare(&shape, &reason));
    float low[4] = {0, 0, 0, -0.5f}; /* on the bottom */
    shape.heights = low;
    shape.columns = shape.rows = 2;
    assert_false(sl_shape_prepare(&shape, &reason));
    low[3] = -0.4f;
    assert_true(sl_shape_prepare(&shape, &reason));
    shape.kind = (SlShapeKind)77;
    assert_false(sl_shape_prepare(&shape, &reason));
}

static void camera_projects(void **state)
{
    (void)state;
    SlCamera camera = sl_default_camera();
    camera.eye = (SlVec3){0, 0, 10};
    camera.target = (SlVec3){0, 0, 0};
    camera.fov = 90;
    SlCameraFrame frame = sl_camera_frame(&camera, 200, 100);
    SlVec3 v = sl_camera_to_view(&frame, sl_vec3(1, 2, 4));
    assert_near(v.x, 1, 1e-6);
    assert_near(v.y, 2, 1e-6);
    assert_near(v.z, 6, 1e-6);
    assert_near(frame.focal, 50, 1e-3);
    const char *reason;
    camera.up = (SlVec3){0, 0, 1};
    assert_false(sl_camera_valid(&camera, &reason));
}

static int set_up(void **state)
{
    (void)state;
    context = test_context(1);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    sl_context_destroy(context);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(list_is_consistent),
        cmocka_unit_test(gradient_is_unit_and_right),
        cmocka_unit_test(distance_is_that_of_brute_force),
        cmocka_unit_test(reach_is_kept),
        cmocka_unit_test(meshes_are_closed_and_bounds_tight),
        cmocka_unit_test(signs),
        cmocka_unit_test(bad_shapes_are_refused),
        cmocka_unit_test(camera_projects),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
