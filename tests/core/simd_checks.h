/* The 8-wide type against plain floats, lane by lane. Included by one test per path, which sets
   the instruction set before anything else. */
#pragma GCC diagnostic ignored "-Wpsabi" /* as for *_kernels.c: no vector leaves this file */

#include "core/random.h"
#include "core/simd.h"
#include "support/test.h"

enum { ROUNDS = 400 };

/* Mostly ordinary numbers, with the odd ones among them. */
static float number(uint64_t round, int lane, uint64_t stream)
{
    static const float odd[] = {0.0f, -0.0f, 1.0f, -1.0f, INFINITY, -INFINITY, NAN, 1e-40f, 3e38f};
    SlRandom4 random = sl_random(stream, round * 8 + (uint64_t)lane, 9);
    if (random.value[0] % 5 == 0)
        return odd[random.value[1] % (sizeof odd / sizeof odd[0])];
    return ldexpf((float)random.value[2] / 0x1p32f - 0.5f, (int)(random.value[3] % 20) - 5);
}

static void fill(float *values, uint64_t round, uint64_t stream)
{
    for (int k = 0; k < 8; k++)
        values[k] = number(round, k, stream);
}

/* The same bits, any NaN being as good as another. */
static void assert_same(float got, float expected)
{
    if (isnan(got) && isnan(expected))
        return;
    if (memcmp(&got, &expected, sizeof got) != 0)
        fail_msg("got %a, not %a", (double)got, (double)expected);
}

static void arithmetic(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        float a[8], b[8], c[8], least[8], most[8], root[8], sum[8], size[8];
        fill(a, round, 1);
        fill(b, round, 2);
        fill(c, round, 3);
        F8 va = f8_load(a), vb = f8_load(b), vc = f8_load(c);
        f8_store(least, f8_min(va, vb));
        f8_store(most, f8_max(va, vb));
        f8_store(root, f8_sqrt(va));
        f8_store(sum, f8_fma(va, vb, vc));
        f8_store(size, f8_abs(va));
        for (int k = 0; k < 8; k++) {
            assert_same(least[k], a[k] < b[k] ? a[k] : b[k]);
            assert_same(most[k], a[k] > b[k] ? a[k] : b[k]);
            assert_same(root[k], sqrtf(a[k]));
            assert_same(size[k], fabsf(a[k]));
#ifdef __FMA__
            assert_same(sum[k], fmaf(a[k], b[k], c[k]));
#else
            float product = a[k] * b[k];
            assert_same(sum[k], product + c[k]);
#endif
        }
    }
}

static void masks(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        float a[8], b[8], picked[8], kept[8];
        fill(a, round, 4);
        fill(b, round, 5);
        F8 va = f8_load(a), vb = f8_load(b);
        I8 below = va < vb;
        f8_store(picked, f8_select(below, va, vb));
        f8_store(kept, f8_keep(below, va));
        uint32_t bits = i8_bits(below);
        assert_true(bits < 256);
        for (int k = 0; k < 8; k++) {
            assert_same(picked[k], a[k] < b[k] ? a[k] : b[k]);
            assert_same(kept[k], a[k] < b[k] ? a[k] : 0.0f);
            assert_int_equal(bits >> k & 1, a[k] < b[k]);
        }
    }
}

static void whole_numbers(void **state)
{
    (void)state;
    float a[8] = {0, 0.9f, -0.9f, 1, -7.5f, 123456.7f, -8e6f, 2e9f}, back[8];
    I8 whole = i8_from_f8(f8_load(a));
    f8_store(back, f8_from_i8(whole));
    for (int k = 0; k < 8; k++) {
        /* volatile: gcc 12 with -fno-trapping-math makes (float)(int)-0.9f a truncation, -0. */
        volatile int32_t plain = (int32_t)a[k];
        assert_int_equal(whole[k], plain);
        assert_same(back[k], (float)plain);
    }
    uint32_t same[8], ramp[8] = {1, 2, 3, 4, 5, 6, 7, UINT32_MAX};
    u8_store(same, u8_load(ramp) + u8(1));
    for (int k = 0; k < 8; k++)
        assert_int_equal(same[k], ramp[k] + 1);
}

static void across_lanes(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        float a[8];
        for (int k = 0; k < 8; k++) /* finite: the order of NaNs is not specified */
            a[k] = ldexpf((float)sl_random(6, round, (uint64_t)k).value[0] - 2e9f, k - 20);
        float most = a[0];
        for (int k = 1; k < 8; k++)
            most = fmaxf(most, a[k]);
        assert_same(f8_horizontal_max(f8_load(a)), most);
        /* The tree of simd.h, rounding for rounding. */
        float s04 = a[0] + a[4], s26 = a[2] + a[6], s15 = a[1] + a[5], s37 = a[3] + a[7];
        assert_same(f8_sum(f8_load(a)), (s04 + s26) + (s15 + s37));
    }
}

static void records(void **state)
{
    (void)state;
    enum { RECORDS = 50 };
    float table[4 * RECORDS + 1], out[33];
    for (int k = 0; k < 4 * RECORDS; k++)
        table[k] = (float)k;
    static const uint32_t index[8] = {49, 0, 7, 7, 31, 2, 48, 1};
    F8x4 t = f8x4_gather(table, index);
    for (int k = 0; k < 8; k++) {
        assert_same(t.x[k], (float)(4 * index[k]));
        assert_same(t.y[k], (float)(4 * index[k] + 1));
        assert_same(t.z[k], (float)(4 * index[k] + 2));
        assert_same(t.w[k], (float)(4 * index[k] + 3));
    }
    /* Any place in memory will do, and exactly 32 floats are written. */
    for (int shift = 0; shift < 2; shift++) {
        t = f8x4_load(table + 4 + shift);
        for (int k = 0; k < 8; k++)
            assert_same(t.z[k], (float)(4 + shift + 4 * k + 2));
        memset(out, 0, sizeof out);
        f8x4_store(out + shift, t);
        for (int k = 0; k < 32; k++)
            assert_same(out[shift + k], table[4 + shift + k]);
        assert_same(out[shift == 0 ? 32 : 0], 0.0f);
    }
}

static void dots(void **state)
{
    (void)state;
    F8x3 a = {f8(1), f8(2), f8(3)}, b = {f8(4), f8(-5), f8(6)};
    F8 dot = f8x3_dot(a, b);
    for (int k = 0; k < 8; k++)
        assert_same(dot[k], 12.0f);
}

static int run_simd_checks(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arithmetic), cmocka_unit_test(masks),   cmocka_unit_test(whole_numbers),
        cmocka_unit_test(across_lanes), cmocka_unit_test(records), cmocka_unit_test(dots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
