/* The even dimensions of a path: pairs that fill the square evenly, each in its own order. */
#include "support/test.h"

#include "render/path/sampler.h"

enum { POWER = 8, COUNT = 1 << POWER };

/* Values of a pair of dimensions for the first samples of a pixel. */
static void take_pair(uint64_t pixel, uint32_t seed, uint32_t dimension, float out[COUNT][2])
{
    for (uint32_t n = 0; n < COUNT; n++) {
        SlPathSampler s = sl_path_sampler_even(pixel, n, seed);
        s.dimension = dimension;
        out[n][0] = sl_path_even(&s);
        out[n][1] = sl_path_even(&s);
        assert_int_equal(dimension + 2, s.dimension);
    }
}

/* Sobol's second dimension by its definition: column j of the matrix is row j of Pascal's triangle. */
static void pascal_by_binomials(void **state)
{
    (void)state;
    uint32_t column[32] = {1};
    for (int j = 1; j < 32; j++) /* C(j, i) = C(j - 1, i - 1) + C(j - 1, i) */
        column[j] = column[j - 1] ^ column[j - 1] << 1;
    for (uint32_t n = 0; n < 100000; n += 7) {
        uint32_t number = n * 2654435761u, direct = 0;
        for (int j = 0; j < 32; j++)
            direct ^= number >> j & 1 ? column[j] : 0;
        assert_int_equal(direct, sl_path_pascal(number));
        assert_int_equal(number, sl_path_reverse(sl_path_reverse(number)));
    }
    assert_int_equal(0x80000000u, sl_path_reverse(1));
}

/* The first 2^k samples, for every k: one in each of the 2^k boxes of any shape 2^-a × 2^-b. */
static void pairs_are_nets(void **state)
{
    (void)state;
    static float pair[COUNT][2];
    for (uint32_t c = 0; c < 12; c++) {
        take_pair(977 * c, c, 2 * (c % 5) + (c > 6 ? SL_EVEN_VERTICES : 0), pair);
        for (int k = 0; k <= POWER; k++)
            for (int a = 0; a <= k; a++) {
                uint8_t used[COUNT] = {0};
                for (int n = 0; n < 1 << k; n++) {
                    int x = (int)(pair[n][0] * (float)(1 << a)), y = (int)(pair[n][1] * (float)(1 << (k - a)));
                    assert_in_range(x, 0, (1 << a) - 1);
                    assert_int_equal(0, used[x << (k - a) | y]++);
                }
            }
    }
}

static double correlation(float (*a)[2], int i, float (*b)[2], int j)
{
    double sum = 0;
    for (int n = 0; n < COUNT; n++)
        sum += ((double)a[n][i] - 0.5) * ((double)b[n][j] - 0.5) * 12 / COUNT;
    return sum;
}

/* Other dimensions, pixels and seeds are other orders of the same points. */
static void pairs_do_not_follow_each_other(void **state)
{
    (void)state;
    static float pair[COUNT][2], other[COUNT][2];
    double squares = 0;
    int count = 0;
    for (uint32_t c = 0; c < 60; c++) {
        take_pair(c, 1, 4, pair);
        take_pair(c + (c % 3 == 0), 1 + (c % 3 == 1), c % 3 == 2 ? 6 : 4, other);
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 2; j++, count++) {
                double r = correlation(pair, i, other, j);
                assert_true(fabs(r) < 0.4);
                squares += r * r;
            }
    }
    /* Independent numbers have 1 / COUNT. */
    assert_true(squares / count < 2.0 / COUNT);
}

/* After the last even dimension, and without any, numbers are those of the stream. */
static void further_dimensions_are_uniform(void **state)
{
    (void)state;
    SlPathSampler a = sl_path_sampler_even(5, 3, 2), b = sl_path_sampler(5, 3, 2);
    a.dimension = SL_EVEN_COUNT;
    for (int n = 0; n < 100; n++) {
        float value = sl_path_uniform(&b);
        assert_true(sl_path_even(&a) == value);
        assert_true(value >= 0 && value < 1);
    }
    assert_int_equal(SL_EVEN_COUNT, a.dimension);
    assert_true(sl_path_even(&a) == sl_path_even(&b));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pascal_by_binomials), cmocka_unit_test(pairs_are_nets),
        cmocka_unit_test(pairs_do_not_follow_each_other),
        cmocka_unit_test(further_dimensions_are_uniform)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
