/* PSNR and SSIM against an implementation that is not ours, identities, and PNG files read back. */
#include "support/test.h"

#include "config.h"

enum { WIDTH = 61, HEIGHT = 37, BYTES = 3 * WIDTH * HEIGHT };

/* Slanted ramps with `noise` grey values of noise on them. */
static SlImage pattern(uint8_t *pixels, uint32_t seed, uint32_t noise)
{
    uint32_t state = seed;
    for (uint32_t k = 0; k < BYTES; k++) {
        state = state * 1664525u + 1013904223u;
        uint32_t x = k / 3 % WIDTH, y = k / 3 / WIDTH, channel = k % 3;
        pixels[k] = (uint8_t)((x * 3 + y * (channel + 2)) % 200 + (state >> 24) % noise);
    }
    return (SlImage){WIDTH, HEIGHT, pixels};
}

/* The wanted values are scikit-image 0.26.0's for the same bytes: peak_signal_noise_ratio(a, b,
   data_range=255) of RGB, and structural_similarity(a, b, data_range=255, gaussian_weights=True,
   sigma=1.5, use_sample_covariance=False) of 0.2126 R + 0.7152 G + 0.0722 B in double. */
static void values_are_those_of_scikit_image(void **state)
{
    (void)state;
    static const struct {
        uint32_t seed_a, noise_a, seed_b, noise_b, max_difference;
        double psnr, ssim;
    } cases[] = {
        {1, 1, 1, 8, 7, 35.694141909, 0.981848991},
        {1, 8, 2, 50, 49, 20.063568368, 0.598221625},
        {3, 50, 4, 1, 49, 19.116006330, 0.593718373},
    };
    static uint8_t pixels[2][BYTES];
    SlContext *context = test_context(1);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        SlImage a = pattern(pixels[0], cases[k].seed_a, cases[k].noise_a);
        SlImage b = pattern(pixels[1], cases[k].seed_b, cases[k].noise_b);
        SlImageDistance there, back;
        assert_ok(sl_image_compare(context, &a, &b, &there, &test_error));
        assert_near(there.psnr, cases[k].psnr, 1e-8);
        assert_near(there.ssim, cases[k].ssim, 1e-8);
        assert_int_equal(cases[k].max_difference, there.max_difference);
        assert_ok(sl_image_compare(context, &b, &a, &back, &test_error));
        assert_true(back.psnr == there.psnr && back.ssim == there.ssim && back.max_difference == there.max_difference);
    }
    sl_context_destroy(context);
}

static void equal_pictures_have_no_distance(void **state)
{
    (void)state;
    static uint8_t pixels[2][BYTES];
    SlImage a = pattern(pixels[0], 5, 40), b = pattern(pixels[1], 5, 40);
    SlImageDistance distance;
    SlContext *context = test_context(1);
    uint64_t held = sl_context_bytes_held(context);
    assert_ok(sl_image_compare(context, &a, &b, &distance, &test_error));
    assert_true(isinf(distance.psnr) && distance.psnr > 0);
    assert_true(distance.ssim == 1);
    assert_int_equal(0, distance.max_difference);
    assert_int_equal(held, sl_context_bytes_held(context));
    /* One channel of one pixel by one: the least that differs. */
    pixels[1][300]++;
    assert_ok(sl_image_compare(context, &a, &b, &distance, &test_error));
    assert_near(distance.psnr, 10 * log10(255.0 * 255 * BYTES), 1e-9);
    assert_true(distance.ssim < 1);
    assert_int_equal(1, distance.max_difference);
    sl_context_destroy(context);
}

static void other_sizes_are_refused(void **state)
{
    (void)state;
    static uint8_t pixels[BYTES];
    SlImage a = pattern(pixels, 1, 8), b = a, small = {10, 40, pixels};
    SlImageDistance distance;
    SlContext *context = test_context(1);
    b.height--;
    assert_int_equal(SL_ERROR_ARGUMENT,
                     sl_image_compare(context, &a, &b, &distance, &test_error));
    assert_non_null(strstr(test_error.text, "61 × 37 and 61 × 36"));
    assert_int_equal(SL_ERROR_ARGUMENT,
                     sl_image_compare(context, &small, &small, &distance, &test_error));
    assert_non_null(strstr(test_error.text, "at least 11"));
    sl_context_destroy(context);
}

static void differences_are_drawn_with_their_gain(void **state)
{
    (void)state;
    static uint8_t first[BYTES], second[BYTES], drawn[BYTES];
    SlImage a = {WIDTH, HEIGHT, first}, b = {WIDTH, HEIGHT, second}, out = {WIDTH, HEIGHT, drawn};
    memset(first, 100, BYTES);
    memset(second, 100, BYTES);
    second[0] = 103;
    second[1] = 97;
    second[2] = 200;
    sl_image_difference(&a, &b, 4, &out);
    assert_int_equal(12, drawn[0]);
    assert_int_equal(12, drawn[1]);
    assert_int_equal(255, drawn[2]);
    for (int k = 3; k < BYTES; k++)
        assert_int_equal(0, drawn[k]);
}

#if SLEET_HAVE_PNG
static void a_written_picture_reads_back(void **state)
{
    (void)state;
    static uint8_t pixels[BYTES];
    SlImage image = pattern(pixels, 9, 50), back;
    char folder[512], path[600];
    test_folder(folder, sizeof folder, "png-back");
    snprintf(path, sizeof path, "%s/a.png", folder);
    SlContext *context = test_context(1);
    uint64_t held = sl_context_bytes_held(context);
    assert_ok(sl_image_write_png(context, &image, path, &test_error));
    assert_ok(sl_image_read_png(context, path, &back, &test_error));
    assert_int_equal(WIDTH, back.width);
    assert_int_equal(HEIGHT, back.height);
    assert_memory_equal(pixels, back.pixels, BYTES);
    sl_image_destroy(context, &back);

    /* Cut anywhere it is refused, or was whole before: its end is only a mark. */
    char *data;
    size_t bytes;
    assert_ok(sl_file_read(&context->memory, path, 1 << 20, &data, &bytes, &test_error));
    for (size_t cut = 0; cut < bytes - 16; cut += 97) {
        assert_ok(sl_file_write(&context->file_layer, path, data, cut, &test_error));
        assert_int_equal(SL_ERROR_PARSE, sl_image_read_png(context, path, &back, &test_error));
        assert_non_null(strstr(test_error.text, path));
        assert_null(back.pixels);
    }
    sl_free(&context->memory, data, bytes + 1);
    assert_int_equal(SL_ERROR_IO, sl_image_read_png(context, folder, &back, &test_error));
    assert_int_equal(held, sl_context_bytes_held(context));
    sl_context_destroy(context);
}
#else
static void a_written_picture_reads_back(void **state)
{
    (void)state;
    SlImage image;
    SlContext *context = test_context(1);
    assert_int_equal(SL_ERROR_UNSUPPORTED,
                     sl_image_read_png(context, "a.png", &image, &test_error));
    sl_context_destroy(context);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_those_of_scikit_image),
        cmocka_unit_test(equal_pictures_have_no_distance),
        cmocka_unit_test(other_sizes_are_refused),
        cmocka_unit_test(differences_are_drawn_with_their_gain),
        cmocka_unit_test(a_written_picture_reads_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
