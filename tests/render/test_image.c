/* PNG files: what is written is read back by libpng itself; failures leave nothing behind. */
#include "support/test.h"

#include <errno.h>
#include <unistd.h>

#include "config.h"

#if SLEET_HAVE_PNG
#include <png.h>
#endif

enum { WIDTH = 61, HEIGHT = 37 };

static SlImage noise_image(uint8_t *pixels)
{
    uint32_t state = 1;
    for (int k = 0; k < 3 * WIDTH * HEIGHT; k++) {
        state = state * 1664525u + 1013904223u;
        pixels[k] = k % 7 == 0 ? (uint8_t)(state >> 24) : (uint8_t)(k / 3);
    }
    return (SlImage){WIDTH, HEIGHT, pixels};
}

#if SLEET_HAVE_PNG
static void png_comes_back_equal(void **state)
{
    (void)state;
    static uint8_t pixels[3 * WIDTH * HEIGHT], back[3 * WIDTH * HEIGHT];
    SlImage image = noise_image(pixels);
    char folder[512], path[600];
    test_folder(folder, sizeof folder, "png");
    snprintf(path, sizeof path, "%s/a.png", folder);
    SlContext *context = test_context(1);
    uint64_t held = sl_context_bytes_held(context);
    assert_ok(sl_image_write_png(context, &image, path, &test_error));
    assert_int_equal(held, sl_context_bytes_held(context));

    png_image reader = {.version = PNG_IMAGE_VERSION};
    assert_true(png_image_begin_read_from_file(&reader, path));
    assert_int_equal(WIDTH, reader.width);
    assert_int_equal(HEIGHT, reader.height);
    reader.format = PNG_FORMAT_RGB;
    assert_true(png_image_finish_read(&reader, NULL, back, 0, NULL));
    assert_memory_equal(pixels, back, sizeof pixels);
    sl_context_destroy(context);
}

/* 68 bytes that announce 30000 × 30000 pixels get no memory for them. */
static void short_files_are_refused_before_memory(void **state)
{
    (void)state;
    static const unsigned char bytes[] = {
        0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44,
        0x52, 0x00, 0x00, 0x75, 0x30, 0x00, 0x00, 0x75, 0x30, 0x08, 0x02, 0x00, 0x00, 0x00, 0xe9,
        0x45, 0x6f, 0xed, 0x00, 0x00, 0x00, 0x0b, 0x49, 0x44, 0x41, 0x54, 0x78, 0x9c, 0x63, 0x60,
        0x80, 0x00, 0x00, 0x00, 0x08, 0x00, 0x01, 0xb7, 0x58, 0x73, 0x95, 0x00, 0x00, 0x00, 0x00,
        0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82};
    char folder[512], path[600];
    test_folder(folder, sizeof folder, "png-short");
    snprintf(path, sizeof path, "%s/a.png", folder);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(sizeof bytes, fwrite(bytes, 1, sizeof bytes, file));
    fclose(file);
    SlContext *context = test_context(1);
    SlImage image;
    assert_int_equal(SL_ERROR_PARSE, sl_image_read_png(context, path, &image, &test_error));
    assert_non_null(strstr(test_error.text, "too short for its 30000 × 30000 pixels"));
    sl_context_destroy(context);
}

static ssize_t full_disk(void *user, int descriptor, const void *data, size_t bytes)
{
    (void)user;
    (void)descriptor;
    (void)data;
    (void)bytes;
    errno = ENOSPC;
    return -1;
}

static void failures_have_messages(void **state)
{
    (void)state;
    static uint8_t pixels[3 * WIDTH * HEIGHT];
    SlImage image = noise_image(pixels), none = {0, 0, NULL};
    SlContext *context = test_context(1);
    char folder[512], path[600];
    test_folder(folder, sizeof folder, "png-fails");
    snprintf(path, sizeof path, "%s/no/such/folder/a.png", folder);
    assert_int_equal(SL_ERROR_IO, sl_image_write_png(context, &image, path, &test_error));
    assert_non_null(strstr(test_error.text, path));
    assert_int_equal(SL_ERROR_ARGUMENT, sl_image_write_png(context, &none, path, &test_error));

    snprintf(path, sizeof path, "%s/full.png", folder);
    context->file_layer.write = full_disk;
    assert_int_equal(SL_ERROR_IO, sl_image_write_png(context, &image, path, &test_error));
    assert_non_null(strstr(test_error.text, "No space"));
    assert_int_not_equal(0, access(path, F_OK));
    sl_context_destroy(context);
}
#else
static void png_is_unsupported(void **state)
{
    (void)state;
    static uint8_t pixels[3 * WIDTH * HEIGHT];
    SlImage image = noise_image(pixels);
    SlContext *context = test_context(1);
    assert_int_equal(SL_ERROR_UNSUPPORTED,
                     sl_image_write_png(context, &image, "a.png", &test_error));
    assert_non_null(strstr(test_error.text, "libpng-dev"));
    sl_context_destroy(context);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
#if SLEET_HAVE_PNG
        cmocka_unit_test(png_comes_back_equal),
        cmocka_unit_test(short_files_are_refused_before_memory),
        cmocka_unit_test(failures_have_messages),
#else
        cmocka_unit_test(png_is_unsupported),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
