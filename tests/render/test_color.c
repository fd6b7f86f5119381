/* Colour maps, the tone curve and packed colours. */
#include "support/test.h"

#include "render/color.h"

static double luminance(SlVec3 c)
{
    return 0.2126 * c.x + 0.7152 * c.y + 0.0722 * c.z;
}

static void water_goes_from_deep_blue_to_white(void **state)
{
    (void)state;
    SlVec3 slow = sl_color_map(0, 0), fast = sl_color_map(0, 1);
    assert_near(slow.x, sl_srgb_to_linear(4 / 255.0f), 1e-6);
    assert_near(slow.z, sl_srgb_to_linear(112 / 255.0f), 1e-6);
    assert_true(slow.z > 3 * slow.x && slow.z > 3 * slow.y);
    assert_true(fast.x > 0.9 && fast.y > 0.9 && fast.z > 0.9);
    double before = -1;
    for (int k = 0; k <= 1000; k++) {
        double now = luminance(sl_color_map(0, (float)k / 1000));
        assert_true(now > before);
        before = now;
    }
}

static void every_map_is_a_color_everywhere(void **state)
{
    (void)state;
    for (uint32_t map = 0; map < SL_COLOR_MAP_COUNT; map++)
        for (int k = -5; k <= 25; k++) {
            SlVec3 c = sl_color_map(map, (float)k / 20);
            assert_true(c.x >= 0 && c.y >= 0 && c.z >= 0 && c.x <= 1 && c.y <= 1 && c.z <= 1);
        }
    SlVec3 low = sl_color_map(1, -3), nan = sl_color_map(1, NAN), start = sl_color_map(1, 0);
    assert_memory_equal(&start, &low, sizeof low);
    assert_memory_equal(&start, &nan, sizeof nan);
}

static void tone_curve_is_straight_then_soft(void **state)
{
    (void)state;
    float before = -1;
    assert_near(sl_tone_map(0.4f), 0.4f, 0);
    for (int k = 0; k < 2000; k++) {
        float light = (float)k * 0.01f, out = sl_tone_map(light);
        assert_true(out > before && out < 1);
        before = out;
    }
    for (int k = 0; k < 256; k++) {
        float value = (float)k / 255;
        assert_near(sl_linear_to_srgb(sl_srgb_to_linear(value)), value, 1e-5);
    }
    static float table[SL_TONE_SIZE];
    sl_tone_table(table);
    assert_near(table[0], 0, 0);
    for (int k = 1; k < SL_TONE_SIZE; k++)
        assert_true(table[k] > table[k - 1] && table[k] < 255);
}

static void every_tone_curve_rises_from_black_to_white(void **state)
{
    (void)state;
    static float table[SL_TONE_SIZE];
    for (int tone = 0; tone < SL_TONE_COUNT; tone++) {
        float before = -1;
        for (int k = 0; k < 3000; k++) {
            float out = sl_tone_curve((SlTone)tone, (float)k * 0.01f);
            assert_true(out >= before && out <= 1);
            before = out;
        }
        assert_true(sl_tone_curve((SlTone)tone, 0) == 0);
        assert_true(sl_tone_curve((SlTone)tone, -1) == 0);
        assert_true(sl_tone_curve((SlTone)tone, NAN) == 0);
        assert_true(sl_tone_curve((SlTone)tone, INFINITY) == 1);
        sl_tone_table_of((SlTone)tone, table);
        assert_near(table[0], 0, 0);
        assert_true(table[SL_TONE_SIZE - 1] > 250 && table[SL_TONE_SIZE - 1] <= 255.001f);
    }
    /* Filmic: middle grey kept, shadows below it darker, white far above 1. */
    assert_near(sl_tone_curve(SL_TONE_FILMIC, 0.18f), 0.18, 1e-4);
    assert_true(sl_tone_curve(SL_TONE_FILMIC, 0.02f) < 0.015f);
    assert_true(sl_tone_curve(SL_TONE_FILMIC, 1) > 0.6f && sl_tone_curve(SL_TONE_FILMIC, 1) < 0.8f);
    assert_true(sl_tone_curve(SL_TONE_FILMIC, 5) < 1 && sl_tone_curve(SL_TONE_FILMIC, 11) == 1);
    assert_near(sl_tone_curve(SL_TONE_LINEAR, 0.77f), 0.77f, 0);
    assert_near(sl_tone_curve(SL_TONE_SOFT, 0.9f), sl_tone_map(0.9f), 0);
}

static void packed_colors_keep_their_value(void **state)
{
    (void)state;
    uint32_t packed = sl_color_pack(sl_vec3(1, 0.25f, 0));
    assert_int_equal(255, packed & 255);
    assert_int_equal(128, packed >> 8 & 255);
    assert_int_equal(0, packed >> 16);
    assert_int_equal(0, sl_color_pack(sl_vec3(NAN, -1, 0)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(water_goes_from_deep_blue_to_white),
        cmocka_unit_test(every_map_is_a_color_everywhere),
        cmocka_unit_test(tone_curve_is_straight_then_soft),
        cmocka_unit_test(every_tone_curve_rises_from_black_to_white),
        cmocka_unit_test(packed_colors_keep_their_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
