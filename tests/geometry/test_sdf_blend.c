/* Blends of analytic solids. */
#include "geometry/blend.h"
#include "geometry/test_sdf_meshes.h"

static SlShape ball(float x, float radius)
{
    SlShape s = sl_default_shape(SL_SHAPE_SPHERE);
    s.center = sl_vec3(x, 0, 0);
    s.radius = radius;
    return s;
}

static SlBlend two_balls(SlBlendKind kind, float radius)
{
    SlBlend b;
    const char *reason;
    sl_blend_init(&b);
    assert_true(sl_blend_shape(&b, ball(-0.2f, 0.3f), &reason));
    assert_true(sl_blend_shape(&b, ball(0.2f, 0.25f), &reason));
    assert_true(sl_blend_join(&b, kind, radius, &reason));
    return b;
}

/* Radius 0 is the plain set operation; any radius leaves what is far from the seam alone, adds to
   a union and takes from the others. */
static void test_operations(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < 2000; k++) {
        SlVec3 x = random_point(k, 0.8f);
        SlShape s = ball(-0.2f, 0.3f), t = ball(0.2f, 0.25f);
        float a = sl_shape_distance(&s, x, NULL), b = sl_shape_distance(&t, x, NULL);
        float plain[4] = {0, fminf(a, b), fmaxf(a, -b), fmaxf(a, b)};
        float apart[4] = {0, fabsf(a - b), fabsf(a + b), fabsf(a - b)};
        for (int kind = SL_BLEND_UNION; kind <= SL_BLEND_INTERSECT; kind++) {
            SlBlend hard = two_balls((SlBlendKind)kind, 0);
            SlBlend soft = two_balls((SlBlendKind)kind, 0.1f);
            float smooth = sl_blend_distance(&soft, x, NULL);
            float change = kind == SL_BLEND_UNION ? plain[kind] - smooth : smooth - plain[kind];
            assert_near(sl_blend_distance(&hard, x, NULL), plain[kind], 1e-6);
            assert_true(change >= -1e-6f && change <= 0.025f + 1e-6f);
            assert_true(apart[kind] < 0.1f || fabsf(change) < 1e-6f);
        }
    }
}

static void test_gradient(void **state)
{
    (void)state;
    SlBlend b = two_balls(SL_BLEND_UNION, 0.2f);
    const char *reason;
    SlShape box = sl_default_shape(SL_SHAPE_BOX);
    box.center = sl_vec3(0, 0.3f, 0);
    box.half = sl_vec3(0.1f, 0.2f, 0.15f);
    assert_true(sl_blend_stretched(&b, ball(0.1f, 0.2f), sl_vec3(1, 2, 0.5f), &reason));
    assert_true(sl_blend_join(&b, SL_BLEND_UNION, 0.1f, &reason));
    assert_true(sl_blend_shape(&b, box, &reason));
    assert_true(sl_blend_join(&b, SL_BLEND_SUBTRACT, 0.05f, &reason));
    assert_true(sl_blend_join(&b, SL_BLEND_ROUND, 0.02f, &reason));
    SlBox bounds = sl_blend_bounds(&b);
    const float e = 1e-3f;
    size_t agree = 0;
    for (uint64_t k = 0; k < 2000; k++) {
        SlVec3 x = random_point(k, 1.2f), g;
        float value = sl_blend_distance(&b, x, &g);
        if (value <= 0)
            assert_true(x.x >= bounds.min.x && x.y >= bounds.min.y && x.z >= bounds.min.z &&
                        x.x <= bounds.max.x && x.y <= bounds.max.y && x.z <= bounds.max.z);
        SlVec3 slope = {sl_blend_distance(&b, sl_add(x, sl_vec3(e, 0, 0)), NULL) -
                            sl_blend_distance(&b, sl_sub(x, sl_vec3(e, 0, 0)), NULL),
                        sl_blend_distance(&b, sl_add(x, sl_vec3(0, e, 0)), NULL) -
                            sl_blend_distance(&b, sl_sub(x, sl_vec3(0, e, 0)), NULL),
                        sl_blend_distance(&b, sl_add(x, sl_vec3(0, 0, e)), NULL) -
                            sl_blend_distance(&b, sl_sub(x, sl_vec3(0, 0, e)), NULL)};
        agree += sl_length(sl_sub(sl_scale(slope, 0.5f / e), g)) < 0.02f;
        assert_true(sl_length(g) < 1.001f);
    }
    assert_true(agree > 1960); /* the rest straddle the box's own creases */
}

static void test_refused(void **state)
{
    (void)state;
    SlBlend b;
    const char *reason;
    sl_blend_init(&b);
    assert_false(sl_blend_shape(&b, ball(0, -1), &reason));
    assert_string_equal(reason, "radius must be above 0");
    assert_false(sl_blend_stretched(&b, ball(0, 1), sl_vec3(1, 0, 1), &reason));
    assert_true(sl_blend_shape(&b, ball(0, 1), &reason));
    assert_false(sl_blend_join(&b, SL_BLEND_UNION, 0, &reason));
    assert_string_equal(reason, "a blend needs parts before it");
    assert_false(sl_blend_join(&b, SL_BLEND_ROUND, -1, &reason));
    for (int k = 1; k < SL_BLEND_DEPTH; k++)
        assert_true(sl_blend_shape(&b, ball(0, 1), &reason));
    assert_false(sl_blend_shape(&b, ball(0, 1), &reason));
    assert_int_equal(b.depth, SL_BLEND_DEPTH);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_operations),
        cmocka_unit_test(test_gradient),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
