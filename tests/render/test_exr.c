/* EXR files: the bytes of what is written, by hand from the format's description; what is read back;
   damaged files. The full tier reads them by an independent program (render_peer_exr_full). */
#include "support/test.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "config.h"
#include "core/context.h"

enum { WIDTH = 37, HEIGHT = 41 };
static const char *const all_planes[] = {"color", "depth", "normal", "albedo", "velocity"};

/* Values that 16 bits hold exactly. */
static SlTarget *make_target(SlContext *context, size_t planes)
{
    SlTarget *target;
    assert_ok(sl_target_create(context, WIDTH, HEIGHT, all_planes, planes, &target, &test_error));
    for (size_t p = 0; p < planes; p++) {
        size_t channels = strcmp(all_planes[p], "depth") == 0 ? 1 : 3;
        float *plane = sl_target_plane(target, all_planes[p]);
        for (size_t k = 0; k < channels * WIDTH * HEIGHT; k++)
            plane[k] = (float)(k * 7 % 1000) / 64 + (float)p;
    }
    return target;
}

#if SLEET_HAVE_EXR

typedef struct Bytes {
    unsigned char *data;
    size_t count;
} Bytes;

static Bytes read_bytes(const char *path)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    Bytes bytes = {malloc(1 << 20), 0};
    bytes.count = fread(bytes.data, 1, 1 << 20, file);
    fclose(file);
    return bytes;
}

static void write_bytes(const char *path, const unsigned char *data, size_t count)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(count, fwrite(data, 1, count, file));
    fclose(file);
}

static uint32_t little(const unsigned char *at)
{
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* The value of an attribute: name, 0, type, 0, size, value; an empty name ends the header. */
static const unsigned char *attribute(const Bytes *file, const char *name, const char *type,
                                      uint32_t *size)
{
    const unsigned char *at = file->data + 8, *end = file->data + file->count;
    while (at < end && *at != 0) {
        const char *its_name = (const char *)at, *its_type = its_name + strlen(its_name) + 1;
        at = (const unsigned char *)its_type + strlen(its_type) + 1;
        *size = little(at);
        if (strcmp(its_name, name) == 0) {
            assert_string_equal(type, its_type);
            return at + 4;
        }
        at += 4 + *size;
    }
    fail_msg("the header has no attribute %s", name);
    return NULL;
}

static void the_header_names_the_layers(void **state)
{
    (void)state;
    /* Sorted by name, as the format asks; 1: half, 2: float. */
    static const struct {
        const char *name;
        uint32_t half, full;
    } channels[] = {{"B", 1, 2}, {"G", 1, 2}, {"R", 1, 2}, {"Z", 2, 2},
                    {"albedo.B", 1, 2}, {"albedo.G", 1, 2}, {"albedo.R", 1, 2},
                    {"normal.X", 1, 2}, {"normal.Y", 1, 2}, {"normal.Z", 1, 2},
                    {"velocity.X", 2, 2}, {"velocity.Y", 2, 2}, {"velocity.Z", 2, 2}};
    SlContext *context = test_context(1);
    char folder[512], path[600];
    test_folder(folder, sizeof folder, "exr");
    snprintf(path, sizeof path, "%s/a.exr", folder);
    SlTarget *target = make_target(context, 5);
    for (int type = 0; type < 2; type++) {
        uint64_t held = sl_context_bytes_held(context);
        assert_ok(sl_target_write_exr(target, path, type == 0 ? SL_EXR_HALF : SL_EXR_FLOAT,
                                      &test_error));
        assert_int_equal(held, sl_context_bytes_held(context));
        Bytes file = read_bytes(path);
        uint32_t size;
        assert_int_equal(20000630, little(file.data)); /* the magic number */
        assert_int_equal(2, little(file.data + 4));    /* version 2, no flags: one scanline part */
        const unsigned char *at = attribute(&file, "channels", "chlist", &size);
        for (size_t k = 0; k < sizeof channels / sizeof channels[0]; k++) {
            assert_string_equal(channels[k].name, (const char *)at);
            at += strlen(channels[k].name) + 1;
            assert_int_equal(type == 0 ? channels[k].half : channels[k].full, little(at));
            assert_int_equal(1, little(at + 8));  /* every pixel */
            assert_int_equal(1, little(at + 12)); /* of every row */
            at += 16;
        }
        assert_int_equal(0, *at); /* no more */
        assert_int_equal(3, *attribute(&file, "compression", "compression", &size)); /* zip */
        assert_int_equal(0, *attribute(&file, "lineOrder", "lineOrder", &size));
        at = attribute(&file, "dataWindow", "box2i", &size);
        assert_int_equal(WIDTH - 1, little(at + 8));
        assert_int_equal(HEIGHT - 1, little(at + 12));
        free(file.data);
    }
    sl_target_destroy(target);
    sl_context_destroy(context);
}

static void light_comes_back(void **state)
{
    (void)state;
    SlContext *context = test_context(2);
    char folder[512], path[600];
    test_folder(folder, sizeof folder, "exr-back");
    snprintf(path, sizeof path, "%s/a.exr", folder);
    SlTarget *target = make_target(context, 5);
    float *color = sl_target_plane(target, "color");
    for (int type = 0; type < 2; type++) {
        SlFloatImage image;
        assert_ok(sl_target_write_exr(target, path, (SlExrType)type, &test_error));
        uint64_t held = sl_context_bytes_held(context);
        assert_ok(sl_float_image_read(context, path, &image, &test_error));
        assert_int_equal(WIDTH, image.width);
        assert_int_equal(HEIGHT, image.height);
        assert_memory_equal(color, image.pixels, 3 * WIDTH * HEIGHT * sizeof(float));
        sl_float_image_destroy(context, &image);
        assert_int_equal(held, sl_context_bytes_held(context));
    }
    /* Light has no negative values, and the largest is that of 16 bits. */
    color[0] = NAN;
    color[1] = INFINITY;
    color[2] = -3;
    color[3] = 1e9f;
    for (int type = 0; type < 2; type++) {
        SlFloatImage image;
        assert_ok(sl_target_write_exr(target, path, (SlExrType)type, &test_error));
        assert_ok(sl_float_image_read(context, path, &image, &test_error));
        const float limited[4] = {0, 65504, 0, 65504};
        assert_memory_equal(limited, image.pixels, sizeof limited);
        sl_float_image_destroy(context, &image);
    }
    sl_target_destroy(target);
    sl_context_destroy(context);
}

/* Cut anywhere, or with any byte changed: an image or a message, and no memory lost. */
static void damaged_files_are_refused(void **state)
{
    (void)state;
    SlContext *context = test_context(1);
    char folder[512], path[600];
    test_folder(folder, sizeof folder, "exr-damaged");
    snprintf(path, sizeof path, "%s/a.exr", folder);
    SlTarget *target = make_target(context, 1);
    assert_ok(sl_target_write_exr(target, path, SL_EXR_HALF, &test_error));
    Bytes file = read_bytes(path);
    uint64_t held = sl_context_bytes_held(context);
    SlFloatImage image;
    int refused = 0, tried = 0;
    for (size_t cut = 0; cut < file.count; cut += cut < 400 ? 1 : 97) {
        write_bytes(path, file.data, cut);
        assert_int_equal(SL_ERROR_PARSE, sl_float_image_read(context, path, &image, &test_error));
        assert_non_null(strstr(test_error.text, path));
        assert_null(image.pixels);
    }
    for (size_t at = 0; at < file.count; at += at < 600 ? 1 : 61) {
        for (int k = 0; k < 2; k++, tried++) {
            unsigned char old = file.data[at];
            file.data[at] = k == 0 ? (unsigned char)~old : (unsigned char)(old ^ 0x40);
            write_bytes(path, file.data, file.count);
            file.data[at] = old;
            test_error.text[0] = '\0';
            SlStatus status = sl_float_image_read(context, path, &image, &test_error);
            if (status != SL_OK) {
                assert_true(test_error.text[0] != '\0');
                assert_null(image.pixels);
                refused++;
            }
            sl_float_image_destroy(context, &image);
        }
    }
    assert_true(refused > tried / 4);
    assert_int_equal(held, sl_context_bytes_held(context));
    free(file.data);
    sl_target_destroy(target);
    sl_context_destroy(context);
}

/* A few bytes that announce a large picture get no memory for it; what compresses best is read. */
static void short_files_are_refused_before_memory(void **state)
{
    (void)state;
    enum { SIDE = 2048 };
    SlContext *context = test_context(1);
    char folder[512], path[600];
    test_folder(folder, sizeof folder, "exr-short");
    snprintf(path, sizeof path, "%s/a.exr", folder);
    SlTarget *target;
    SlFloatImage image;
    assert_ok(sl_target_create(context, SIDE, SIDE, all_planes, 1, &target, &test_error));
    assert_ok(sl_target_write_exr(target, path, SL_EXR_HALF, &test_error));
    assert_ok(sl_float_image_read(context, path, &image, &test_error));
    assert_int_equal(SIDE, image.height);
    sl_float_image_destroy(context, &image);
    sl_target_destroy(target);
    target = make_target(context, 1);
    assert_ok(sl_target_write_exr(target, path, SL_EXR_HALF, &test_error));
    Bytes file = read_bytes(path);
    uint32_t size;
    const unsigned char *window = attribute(&file, "dataWindow", "box2i", &size);
    file.data[window - file.data + 9] = file.data[window - file.data + 13] = 0x70;
    write_bytes(path, file.data, file.count);
    assert_int_equal(SL_ERROR_PARSE, sl_float_image_read(context, path, &image, &test_error));
    assert_non_null(strstr(test_error.text, "too short for its 28709 × 28713 pixels"));
    free(file.data);
    sl_target_destroy(target);
    sl_context_destroy(context);
}

/* The three channels B, G, R by the names X, Y, Z: all three colors are what G was. */
static void luminance_is_read_beside_other_channels(void **state)
{
    (void)state;
    SlContext *context = test_context(1);
    char folder[512], path[600];
    test_folder(folder, sizeof folder, "exr-grey");
    snprintf(path, sizeof path, "%s/a.exr", folder);
    SlTarget *target = make_target(context, 1);
    const float *color = sl_target_plane(target, "color");
    for (int type = 0; type < 2; type++) {
        SlFloatImage image;
        uint32_t size;
        assert_ok(sl_target_write_exr(target, path, (SlExrType)type, &test_error));
        Bytes file = read_bytes(path);
        const unsigned char *channels = attribute(&file, "channels", "chlist", &size);
        for (int k = 0; k < 3; k++)
            file.data[channels - file.data + 18 * k] = (unsigned char)('X' + k);
        write_bytes(path, file.data, file.count);
        free(file.data);
        assert_ok(sl_float_image_read(context, path, &image, &test_error));
        for (int k = 0; k < 3 * WIDTH * HEIGHT; k++)
            assert_true(image.pixels[k] == color[k / 3 * 3 + 1]);
        sl_float_image_destroy(context, &image);
    }
    sl_target_destroy(target);
    sl_context_destroy(context);
}

static void files_without_color_are_refused(void **state)
{
    (void)state;
    SlContext *context = test_context(1);
    char folder[512], path[600];
    test_folder(folder, sizeof folder, "exr-depth");
    snprintf(path, sizeof path, "%s/a.exr", folder);
    static const char *const depth[] = {"depth", "normal"};
    SlTarget *target;
    SlFloatImage image;
    assert_ok(sl_target_create(context, 1, 1, depth, 2, &target, &test_error));
    assert_ok(sl_target_write_exr(target, path, SL_EXR_HALF, &test_error));
    assert_int_equal(SL_ERROR_PARSE, sl_float_image_read(context, path, &image, &test_error));
    assert_non_null(strstr(test_error.text, "R, G, B"));
    write_bytes(path, (const unsigned char *)"GIF89a", 6);
    assert_int_equal(SL_ERROR_PARSE, sl_float_image_read(context, path, &image, &test_error));
    assert_non_null(strstr(test_error.text, "neither"));
    assert_int_equal(SL_ERROR_IO,
                     sl_float_image_read(context, "/nonexistent.exr", &image, &test_error));
    sl_target_destroy(target);
    assert_ok(sl_target_create(context, 1, 1, depth, 0, &target, &test_error));
    assert_int_equal(SL_ERROR_ARGUMENT,
                     sl_target_write_exr(target, path, SL_EXR_HALF, &test_error));
    sl_target_destroy(target);
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

static void failures_leave_nothing(void **state)
{
    (void)state;
    SlContext *context = test_context(1);
    char folder[512], path[600];
    test_folder(folder, sizeof folder, "exr-fails");
    SlTarget *target = make_target(context, 5);
    snprintf(path, sizeof path, "%s/no/such/folder/a.exr", folder);
    assert_int_equal(SL_ERROR_IO, sl_target_write_exr(target, path, SL_EXR_HALF, &test_error));
    assert_non_null(strstr(test_error.text, path));
    snprintf(path, sizeof path, "%s/full.exr", folder);
    context->file_layer.write = full_disk;
    uint64_t held = sl_context_bytes_held(context);
    assert_int_equal(SL_ERROR_IO, sl_target_write_exr(target, path, SL_EXR_HALF, &test_error));
    assert_non_null(strstr(test_error.text, "No space"));
    assert_int_not_equal(0, access(path, F_OK));
    assert_int_equal(held, sl_context_bytes_held(context));
    sl_target_destroy(target);
    sl_context_destroy(context);
}

#else

static void exr_is_unsupported(void **state)
{
    (void)state;
    SlContext *context = test_context(1);
    SlTarget *target = make_target(context, 1);
    SlFloatImage image;
    char folder[512], path[600];
    test_folder(folder, sizeof folder, "exr-none");
    snprintf(path, sizeof path, "%s/a.exr", folder);
    assert_int_equal(SL_ERROR_UNSUPPORTED,
                     sl_target_write_exr(target, path, SL_EXR_HALF, &test_error));
    assert_non_null(strstr(test_error.text, "libopenexr-dev"));
    assert_int_not_equal(0, access(path, F_OK));
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fwrite("\x76\x2f\x31\x01", 1, 4, file);
    fclose(file);
    assert_int_equal(SL_ERROR_UNSUPPORTED, sl_float_image_read(context, path, &image, &test_error));
    assert_non_null(strstr(test_error.text, "libopenexr-dev"));
    assert_false(sl_has_feature("exr"));
    sl_target_destroy(target);
    sl_context_destroy(context);
}

#endif

static void png_files_become_linear(void **state)
{
    (void)state;
    if (!sl_has_feature("png"))
        test_skip("built without libpng");
    SlContext *context = test_context(1);
    char folder[512], path[600];
    test_folder(folder, sizeof folder, "exr-png");
    snprintf(path, sizeof path, "%s/a.png", folder);
    uint8_t pixels[6] = {0, 255, 188, 10, 128, 64};
    SlImage image = {2, 1, pixels};
    SlFloatImage light;
    assert_ok(sl_image_write_png(context, &image, path, &test_error));
    assert_ok(sl_float_image_read(context, path, &light, &test_error));
    assert_int_equal(2, light.width);
    const double linear[6] = {0, 1, 0.502886, 0.003035, 0.215861, 0.051269};
    for (int k = 0; k < 6; k++)
        assert_near(light.pixels[k], linear[k], 1e-5);
    sl_float_image_destroy(context, &light);
    sl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#if SLEET_HAVE_EXR
        cmocka_unit_test(the_header_names_the_layers),
        cmocka_unit_test(light_comes_back),
        cmocka_unit_test(damaged_files_are_refused),
        cmocka_unit_test(short_files_are_refused_before_memory),
        cmocka_unit_test(luminance_is_read_beside_other_channels),
        cmocka_unit_test(files_without_color_are_refused),
        cmocka_unit_test(failures_leave_nothing),
#else
        cmocka_unit_test(exr_is_unsupported),
#endif
        cmocka_unit_test(png_files_become_linear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
