/* Analytic solids: sign, unit gradient, gradient against finite differences, surface distance. */
#include "core/random.h"
#include "math/camera.h"
#include "geometry/shape.h"
#include "support/test.h"

static SlShape some_shape(int kind)
{
    SlShape shape = sl_default_shape((SlShapeKind)kind);
    shape.center = (SlVec3){0.3f, -0.2f, 0.5f};
    shape.radius = 0.8f;
    shape.height = 1.3f;
    shape.half = (SlVec3){0.5f, 0.9f, 0.4f};
    shape.axis = (SlVec3){0.3f, 2, -0.4f};
    const char *reason;
    assert_true(sl_shape_prepare(&shape, &reason));
    return shape;
}

static SlVec3 random_point(uint64_t counter)
{
    SlRandom4 r = sl_random(7, counter, 0);
    return (SlVec3){4 * sl_random_unit(r.value[0]) - 2, 4 * sl_random_unit(r.value[1]) - 2,
                    4 * sl_random_unit(r.value[2]) - 2};
}

static void gradient_is_unit_and_right(void **state)
{
    (void)state;
    for (int kind = 0; kind <= SL_SHAPE_CONE; kind++) {
        SlShape shape = some_shape(kind);
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

/* No sampled surface point is nearer than the distance says (exact distance, not a bound). */
static void distance_is_the_nearest(void **state)
{
    (void)state;
    for (int kind = SL_SHAPE_SPHERE; kind <= SL_SHAPE_CONE; kind++) {
        SlShape shape = some_shape(kind);
        SlVec3 surface[4000];
        for (uint64_t k = 0; k < 4000; k++) {
            SlVec3 p = random_point(100000 + k), n;
            float d = sl_shape_distance(&shape, p, &n);
            surface[k] = sl_sub(p, sl_scale(n, d));
        }
        for (uint64_t k = 0; k < 200; k++) {
            SlVec3 p = random_point(k);
            float d = fabsf(sl_shape_distance(&shape, p, NULL)), nearest = 100;
            for (int j = 0; j < 4000; j++)
                nearest = fminf(nearest, sl_length(sl_sub(p, surface[j])));
            assert_true(nearest >= d - 1e-4f);
            assert_true(nearest <= d + 0.3f);
        }
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradient_is_unit_and_right), cmocka_unit_test(distance_is_the_nearest),
        cmocka_unit_test(signs),                      cmocka_unit_test(bad_shapes_are_refused),
        cmocka_unit_test(camera_projects),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
