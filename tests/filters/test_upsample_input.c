/* upsample: particles that come and go or move at random, bad input, and the matrices it is made of. */
#include "filters/upsample_snow.h"

/* --- Numbers of particles --- */

/* None, one, then all: new ones are at rest, the one that was there has not turned without neighbours. */
static void particles_come_and_go(void **state)
{
    (void)state;
    Snow *s = new_block(5, 5, 5, rigid);
    SlContext *context = test_context(2);
    SlFilter *filter = new_filter(context, POINTS, 0.65);
    const size_t counts[] = {0, 1, 1, 2, 125, 60, 125, 0, 125};
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        s->count = counts[k];
        const SlSystemView *points = &apply(filter, view_of(s, k))->systems[1];
        assert_int_equal(points->particle_count, counts[k] * POINTS);
        if (counts[k] == 0)
            continue;
        const float *x = data_of(points, "position"), *offset = data_of(points, "offset");
        const uint32_t *particle = data_of(points, "particle");
        for (size_t p = 0; p < points->particle_count; p++) {
            float rest[3];
            sl_upsample_rest(particle[p], (uint32_t)(p % POINTS), rest);
            for (size_t a = 0; a < 3; a++) {
                assert_true(isfinite(x[3 * p + a]));
                if (k <= 3 || k == 8) /* one or two have no rotation; all new after none */
                    assert_near((double)offset[3 * p + a], 0.65 * SPACING * (double)rest[a], 1e-6);
            }
        }
    }
    sl_filter_destroy(filter);
    sl_context_destroy(context);
    free(s);
}

/* Particles that move at random, without anything that holds them together: offsets stay within limits. */
static void scatter(const double rest[3], int half, double frame, double x[3])
{
    (void)half;
    uint64_t seed = (uint64_t)(rest[0] * 1e9) * 31 + (uint64_t)(rest[1] * 1e9) * 17 +
                    (uint64_t)(rest[2] * 1e9);
    for (int a = 0; a < 3; a++)
        x[a] = rest[a] + 1.5 * SPACING * (unit(seed + (uint64_t)(frame * 100), (uint64_t)a) - 0.5);
}

static void offsets_stay_within_limits(void **state)
{
    (void)state;
    Snow *s = new_block(8, 8, 8, scatter);
    for (size_t i = 0; i < s->count; i++)
        for (int a = 0; a < 3; a++)
            s->rest[i][a] += 1; /* above 0, for the seed */
    SlContext *context = test_context(2);
    SlFilter *filter = new_filter(context, POINTS, 0.65);
    double longest = 0, shortest = INFINITY;
    for (uint64_t frame = 0; frame < 60; frame++) {
        const SlSystemView *points = &apply(filter, view_of(s, frame))->systems[1];
        const float *offset = data_of(points, "offset");
        const uint32_t *particle = data_of(points, "particle");
        for (size_t p = 0; p < points->particle_count; p++) {
            float rest[3];
            const double zero[3] = {0, 0, 0};
            sl_upsample_rest(particle[p], (uint32_t)(p % POINTS), rest);
            double ratio = distance(offset + 3 * p, zero) / (0.65 * SPACING * distance(rest, zero));
            longest = fmax(longest, ratio);
            shortest = fmin(shortest, ratio);
        }
    }
    assert_less(longest, 1.501);
    assert_less(-shortest, -0.599);
    sl_filter_destroy(filter);
    sl_context_destroy(context);
    free(s);
}

/* --- Bad input --- */

static void assert_refused(SlFilter *filter, const SlFrameView *frame, const char *word)
{
    const SlFrameView *output;
    assert_int_equal(sl_filter_apply(filter, frame, &output, &test_error), SL_ERROR_ARGUMENT);
    assert_null(output);
    if (strstr(test_error.text, word) == NULL)
        fail_msg("\"%s\" does not contain \"%s\"", test_error.text, word);
}

static void bad_input_is_refused(void **state)
{
    (void)state;
    Snow *s = new_block(4, 4, 4, still);
    SlContext *context = test_context(2);
    SlFilter *filter = new_filter(context, POINTS, 0.65), *other = new_filter(context, 5, 0.65);
    const SlFrameView *frame = view_of(s, 0);
    SlSystemView *snow = &s->systems[1];
    s->fields[1].name = "number";
    assert_refused(filter, frame, "no field \"id\"");
    frame = view_of(s, 0);
    s->fields[0].name = "place";
    assert_refused(filter, frame, "no positions");
    frame = view_of(s, 0);
    snow->spacing = 0;
    assert_refused(filter, frame, "spacing");
    frame = view_of(s, 0);
    s->id[7] = s->id[40];
    assert_refused(filter, frame, "unique");
    frame = view_of(s, 0);
    s->x[9][1] = NAN;
    assert_refused(filter, frame, "finite");
    frame = view_of(s, 0);
    s->id[3] = UINT32_MAX / 2;
    assert_refused(filter, frame, "too large");
    /* an output of other settings, and frames that are no outputs */
    sl_filter_continue(filter, apply(other, view_of(s, 0)));
    assert_refused(filter, view_of(s, 1), "8 points");
    sl_filter_reset(filter);
    Snow *raw = new_block(4, 4, 4, still);
    sl_filter_continue(filter, view_of(raw, 0));
    assert_refused(filter, view_of(s, 1), "not as an output");
    sl_filter_reset(filter);
    apply(filter, view_of(s, 2)); /* and it still works */
    /* a frame that is earlier begins anew */
    const SlSystemView *points = &apply(filter, view_of(s, 1))->systems[1];
    assert_int_equal(points->particle_count, 64 * POINTS);
    sl_filter_destroy(filter);
    sl_filter_destroy(other);
    sl_context_destroy(context);
    free(raw);
    free(s);
}

/* Points are not multiplied again, and a frame without snow is left as it is. */
static void others_pass(void **state)
{
    (void)state;
    Snow *s = new_block(4, 4, 4, still);
    SlContext *context = test_context(1);
    SlFilter *filter = new_filter(context, POINTS, 0.65), *second = new_filter(context, 4, 0.65);
    const SlFrameView *output = apply(filter, view_of(s, 0)), *again = apply(second, output);
    assert_ptr_equal(again->systems[1].fields, output->systems[1].fields);
    SlFrameView water = *view_of(s, 1);
    water.system_count = 1;
    for (int k = 0; k < 2; k++) {
        water.time += 0.02;
        again = apply(second, &water);
        assert_ptr_equal(again->systems[0].fields, water.systems[0].fields);
    }
    sl_filter_destroy(filter);
    sl_filter_destroy(second);
    sl_context_destroy(context);
    free(s);
}

/* --- Matrices --- */

static void singular_values(void **state)
{
    (void)state;
    for (uint64_t n = 0; n < 200; n++) {
        double m[9], u[9], v[9], s[3], worst = 0;
        for (uint64_t k = 0; k < 9; k++)
            m[k] = unit(n, k) - 0.5;
        for (int k = 0; n % 4 == 1 && k < 3; k++) /* singular */
            m[6 + k] = n % 8 == 1 ? m[k] - 2 * m[3 + k] : 0;
        for (int k = 0; n % 4 == 2 && k < 9; k++) /* of rank 1, or 0 */
            m[k] = n % 8 == 2 ? m[k % 3] * (k / 3 - 0.5) : 0;
        upsample_svd(m, u, s, v);
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++) {
                double sum = 0, uu = 0, vv = 0;
                for (int k = 0; k < 3; k++) {
                    sum += u[3 * r + k] * s[k] * v[3 * c + k];
                    uu += u[3 * k + r] * u[3 * k + c];
                    vv += v[3 * k + r] * v[3 * k + c];
                }
                worst = fmax(worst, fabs(sum - m[3 * r + c]));
                worst = fmax(worst, fmax(fabs(uu - (r == c)), fabs(vv - (r == c))));
            }
        assert_less(worst, 1e-12);
        assert_true(s[0] >= s[1] && s[1] >= fabs(s[2]));
        const double *const both[2] = {u, v};
        for (int k = 0; k < 2; k++) {
            const double *a = both[k];
            assert_near(a[0] * (a[4] * a[8] - a[5] * a[7]) - a[1] * (a[3] * a[8] - a[5] * a[6]) +
                            a[2] * (a[3] * a[7] - a[4] * a[6]), 1, 1e-12);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(singular_values),
        cmocka_unit_test(particles_come_and_go),
        cmocka_unit_test(offsets_stay_within_limits),
        cmocka_unit_test(bad_input_is_refused),
        cmocka_unit_test(others_pass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
