/* Deforming bodies against what is known: balls that move and grow, given as meshes of each key. */
#include "bodies/deform.h"
#include "geometry/test_sdf_meshes.h"

static SlVec3 ball_point(double u, double v)
{
    double theta = 3.14159265358979 * v, phi = 6.28318530717959 * u;
    return sl_vec3((float)(sin(theta) * cos(phi)), (float)cos(theta), (float)(-sin(theta) * sin(phi)));
}

static SlMesh make_key(SlContext *context, SlVec3 center, float radius, uint32_t around)
{
    SlMesh mesh = make_ball(context, around, around / 2, ball_point);
    assert_ok(sl_mesh_transform(&mesh, radius, NULL, center, &test_error));
    return mesh;
}

enum { KEYS = 4 };
static const double rate = 10, cell = 0.1;

typedef struct Course {
    SlVec3 center[KEYS];
    float radius[KEYS];
    uint32_t around[KEYS]; /* different: other triangles in each key */
} Course;

static SlDeform *make_body(SlContext *context, const Course *course, bool loop)
{
    SlMesh meshes[KEYS];
    SlDeform *body;
    for (int k = 0; k < KEYS; k++)
        meshes[k] = make_key(context, course->center[k], course->radius[k], course->around[k]);
    assert_ok(sl_deform_create(context, meshes, KEYS, rate, loop, &body, &test_error));
    SlSdfSettings settings = sl_default_sdf_settings(cell);
    assert_ok(sl_deform_build(body, &settings, NULL, &test_error));
    return body;
}

/* The ball at a time: centre and radius go straight from key to key. */
static void ball_at(const Course *course, double time, SlVec3 *center, double *radius)
{
    double at = fmin(time * rate, KEYS - 1.000001);
    int k = (int)at;
    float s = (float)(at - k);
    *center = sl_add(sl_scale(course->center[k], 1 - s), sl_scale(course->center[k + 1], s));
    *radius = (double)((1 - s) * course->radius[k] + s * course->radius[k + 1]);
}

/* Worst distance from the analytic one among random points within `reach` of the surface. */
static double worst_error(SlDeform *body, const Course *course, double time, double reach,
                          double *worst_normal)
{
    SlVec3 center;
    double radius, worst = 0;
    ball_at(course, time, &center, &radius);
    sl_deform_seek(body, time);
    *worst_normal = 0;
    for (uint64_t k = 0; k < 4000; k++) {
        SlVec3 r = random_point(k, 1), g, v;
        SlVec3 x = sl_add(center, sl_scale(r, (float)(1.5 * radius)));
        double truth = (double)sl_length(sl_sub(x, center)) - radius;
        if (fabs(truth) > reach)
            continue;
        worst = fmax(worst, fabs((double)sl_deform_distance(body, x, INFINITY, &g, &v) - truth));
        SlVec3 n = sl_unit(sl_sub(x, center));
        *worst_normal = fmax(*worst_normal, 1 - (double)sl_dot(n, sl_unit(g)));
    }
    return worst;
}

static void blend_is_the_ball_between(void **state)
{
    Course course = {{{0, 0, 0}, {0.3f, 0.1f, 0}, {0.5f, 0.3f, 0.1f}, {0.6f, 0.3f, 0.4f}},
                     {1, 1.2f, 1.1f, 0.9f}, {64, 64, 64, 64}};
    SlDeform *body = make_body(*state, &course, false);
    assert_true(body->same);
    double worst = 0, normal, worst_normal = 0;
    for (int k = 0; k <= 30; k++) {
        worst = fmax(worst, worst_error(body, &course, 0.01 * k, 2 * cell, &normal));
        worst_normal = fmax(worst_normal, normal);
    }
    print_message("same triangles: worst error %.3f cells, normals off by %.4f\n", worst / cell,
                  worst_normal);
    assert_less(worst, 0.1 * cell);
    assert_less(worst_normal, 0.01);
    sl_deform_destroy(body);
}

/* The printed blend takes the velocity at the point itself: right for a body that only moves, worse for
   one that grows too. */
static void the_printed_blend(void **state)
{
    Course moving = {{{0, 0, 0}, {0.1f, 0.05f, 0}, {0.2f, 0.1f, 0}, {0.3f, 0.15f, 0}}, {1, 1, 1, 1},
                     {64, 64, 64, 64}};
    Course growing = {{{0, 0, 0}, {0.3f, 0.1f, 0}, {0.5f, 0.3f, 0.1f}, {0.6f, 0.3f, 0.4f}},
                      {1, 1.4f, 1.1f, 0.9f}, {64, 64, 64, 64}};
    double worst[2] = {0, 0}, ours = 0, normal;
    for (int c = 0; c < 2; c++) {
        const Course *course = c == 0 ? &moving : &growing;
        SlDeform *body = make_body(*state, course, false);
        for (int k = 0; k <= 30; k++) {
            body->printed = false;
            double own = worst_error(body, course, 0.01 * k, 2 * cell, &normal);
            ours = c == 1 ? fmax(ours, own) : ours;
            body->printed = true;
            worst[c] = fmax(worst[c], worst_error(body, course, 0.01 * k, 2 * cell, &normal));
        }
        sl_deform_destroy(body);
    }
    print_message("printed blend: worst error %.3f cells of a moving ball, %.3f of a growing one, ours %.3f\n",
                  worst[0] / cell, worst[1] / cell, ours / cell);
    assert_less(worst[0], 0.1 * cell);
    assert_less(ours, worst[1]);
}

/* Other triangles in every key: points go to the nearest point of the next surface. */
static void other_triangles_blend_too(void **state)
{
    Course course = {{{0, 0, 0}, {0.1f, 0, 0}, {0.2f, 0, 0}, {0.3f, 0, 0}},
                     {1, 1.1f, 1.2f, 1.3f}, {64, 60, 68, 64}};
    SlDeform *body = make_body(*state, &course, false);
    assert_false(body->same);
    double worst = 0, normal;
    for (int k = 0; k <= 30; k++)
        worst = fmax(worst, worst_error(body, &course, 0.01 * k, 2 * cell, &normal));
    print_message("other triangles: worst error %.3f cells\n", worst / cell);
    assert_less(worst, 0.15 * cell);
    sl_deform_destroy(body);
}

static void velocity_is_the_surface_s(void **state)
{
    Course moving = {{{0, 0, 0}, {0.2f, 0.1f, 0}, {0.4f, 0.2f, 0}, {0.6f, 0.3f, 0}}, {1, 1, 1, 1},
                     {48, 48, 48, 48}};
    Course growing = {{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}}, {1, 1.1f, 1.2f, 1.3f},
                      {64, 64, 64, 64}};
    SlDeform *body = make_body(*state, &moving, false);
    for (uint64_t k = 0; k < 1000; k++) {
        SlVec3 g, v;
        if (k % 25 == 0)
            sl_deform_seek(body, 0.0003 * (double)k);
        sl_deform_distance(body, random_point(k, 2), INFINITY, &g, &v);
        assert_less((double)sl_length(sl_sub(v, sl_vec3(2, 1, 0))), 1e-4);
    }
    sl_deform_destroy(body);
    body = make_body(*state, &growing, false);
    double worst = 0;
    for (uint64_t k = 0; k < 2000; k++) {
        SlVec3 g, v, x = random_point(k, 1.6f);
        double time = 0.0149 * (double)(k / 100), radius;
        SlVec3 center;
        ball_at(&growing, time, &center, &radius);
        if (fabs((double)sl_length(x) - radius) > 2 * cell)
            continue;
        sl_deform_seek(body, time);
        sl_deform_distance(body, x, INFINITY, &g, &v);
        worst = fmax(worst, (double)sl_length(sl_sub(v, sl_unit(x))));
    }
    print_message("growing: velocity off by at most %.3f of it\n", worst);
    assert_less(worst, 0.05);
    sl_deform_destroy(body);
}

enum { POINTS = 400 };
typedef struct Answers {
    float distance[POINTS];
    SlVec3 velocity[POINTS];
} Answers;

static void ask(SlDeform *body, double time, Answers *answers)
{
    SlVec3 g;
    sl_deform_seek(body, time);
    for (uint64_t k = 0; k < POINTS; k++)
        answers->distance[k] =
            sl_deform_distance(body, random_point(k, 1.3f), INFINITY, &g, &answers->velocity[k]);
}

/* Distance and velocity have no jump at a key, nor where a loop begins again. */
static void time_is_continuous(void **state)
{
    Course course = {{{0, 0, 0}, {0.2f, 0, 0}, {0.2f, 0.2f, 0}, {0, 0.2f, 0}}, {1, 1.1f, 1, 1.1f},
                     {48, 48, 48, 48}};
    SlDeform *body = make_body(*state, &course, true);
    static Answers before, after;
    double jump = 0, rotation = 0;
    for (int key = 1; key <= KEYS; key++) {
        ask(body, key / rate - 1e-6, &before);
        ask(body, key / rate + 1e-6, &after);
        for (int k = 0; k < POINTS; k++) {
            if (fabs((double)before.distance[k]) > 2 * cell)
                continue;
            jump = fmax(jump, fabs((double)(after.distance[k] - before.distance[k])));
            rotation = fmax(rotation, (double)sl_length(sl_sub(after.velocity[k], before.velocity[k])));
        }
    }
    print_message("jumps: %.2g m, %.2g m/s\n", jump, rotation);
    assert_less(jump, 1e-4);
    assert_less(rotation, 1e-3);
    ask(body, 0.123, &before);
    ask(body, 0.123 + 3 * KEYS / rate, &after);
    for (int k = 0; k < POINTS; k++)
        assert_near((double)before.distance[k], (double)after.distance[k], 1e-5);
    sl_deform_destroy(body);
}

/* Before the first key and after the last one the body is that key, at rest. */
static void ends_hold(void **state)
{
    Course course = {{{0, 0, 0}, {0.1f, 0, 0}, {0.2f, 0, 0}, {0.3f, 0, 0}}, {1, 1, 1, 1},
                     {32, 32, 32, 32}};
    SlDeform *body = make_body(*state, &course, false);
    SlVec3 g, v;
    sl_deform_seek(body, -1);
    for (uint64_t k = 0; k < 200; k++)
        assert_true(sl_deform_distance(body, random_point(k, 1.5f), INFINITY, &g, &v) ==
                    sl_sdf_distance(&body->keys[0].field, random_point(k, 1.5f), &g));
    sl_deform_seek(body, 0.3);
    for (uint64_t k = 0; k < 200; k++) {
        assert_true(sl_deform_distance(body, random_point(k, 1.5f), INFINITY, &g, &v) ==
                    sl_sdf_distance(&body->keys[3].field, random_point(k, 1.5f), &g));
        assert_true(sl_length(v) == 0);
    }
    float first = sl_mesh_bounds(&body->keys[0].mesh).max.x;
    assert_near((double)sl_mesh_bounds(sl_deform_mesh_at(body, 0.15)).max.x,
                (double)first + 0.15, 1e-5);
    sl_deform_destroy(body);
}

static void the_same_bits(void **state)
{
    (void)state;
    static const uint32_t threads[3] = {1, 2, 5};
    Course course = {{{0, 0, 0}, {0.3f, 0.1f, 0}, {0.5f, 0.3f, 0.1f}, {0.6f, 0.3f, 0.4f}},
                     {1, 1.2f, 1.1f, 0.9f}, {40, 40, 40, 40}};
    static float first[2000][7];
    for (int round = 0; round < 3; round++) {
        SlContext *context = test_context(threads[round]);
        SlDeform *body = make_body(context, &course, false);
        for (uint64_t k = 0; k < 2000; k++) {
            SlVec3 g, v;
            if (k % 100 == 0)
                sl_deform_seek(body, 0.00016 * (double)k);
            float got[7] = {sl_deform_distance(body, random_point(k, 1.6f), INFINITY, &g, &v)};
            memcpy(got + 1, &g, sizeof g);
            memcpy(got + 4, &v, sizeof v);
            if (round == 0)
                memcpy(first[k], got, sizeof got);
            assert_memory_equal(first[k], got, sizeof got);
        }
        sl_deform_destroy(body);
        sl_context_destroy(context);
    }
}

/* The short way out gives the same bits within reach, and is right about the rest. */
static void reach_changes_nothing_within(void **state)
{
    Course course = {{{0, 0, 0}, {0.3f, 0.1f, 0}, {0.5f, 0.3f, 0.1f}, {0.6f, 0.3f, 0.4f}},
                     {1, 1.2f, 1.1f, 0.9f}, {64, 64, 64, 64}};
    SlDeform *body = make_body(*state, &course, false);
    sl_deform_seek(body, 0.13);
    const float reach = 0.07f;
    size_t within = 0, beyond = 0;
    for (uint64_t k = 0; k < 5000; k++) {
        SlVec3 x = random_point(k, 1.5f), g, h, v, w;
        float full = sl_deform_distance(body, x, INFINITY, &g, &v);
        float some = sl_deform_distance(body, x, reach, &h, &w);
        if (full <= reach) {
            assert_true(some == full);
            assert_memory_equal(&g, &h, sizeof g);
            assert_memory_equal(&v, &w, sizeof v);
            within++;
        } else {
            assert_true(some > reach && some <= full + 0.1f * (float)cell);
            beyond++;
        }
    }
    assert_true(within > 500 && beyond > 500);
    sl_deform_destroy(body);
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
        cmocka_unit_test(blend_is_the_ball_between), cmocka_unit_test(other_triangles_blend_too),
        cmocka_unit_test(the_printed_blend), cmocka_unit_test(other_triangles_blend_too),
        cmocka_unit_test(velocity_is_the_surface_s), cmocka_unit_test(time_is_continuous),
        cmocka_unit_test(ends_hold),                 cmocka_unit_test(the_same_bits),
        cmocka_unit_test(reach_changes_nothing_within),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
