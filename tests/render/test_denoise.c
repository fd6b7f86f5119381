/* Denoising: the filter of our own on a picture with known noise, and the choice of a denoiser. */
#include "support/test.h"

#include <stdlib.h>

#include "core/random.h"
#include "render/denoise/denoise.h"

enum { WIDTH = 150, HEIGHT = 100, PIXELS = WIDTH * HEIGHT };

typedef struct Picture {
    float truth[3 * PIXELS], color[3 * PIXELS], albedo[3 * PIXELS], normal[3 * PIXELS];
    float variance[PIXELS], output[3 * PIXELS];
} Picture;

/* Noise in [-1, 1] with variance 1/3, the same in every run. */
static float noise_at(uint32_t k)
{
    uint64_t x = (k + 1) * 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return (float)(x >> 40) / 8388608.0f - 1;
}

/* Left: a lit wall with a checkered albedo; right: a shaded one; a bright disc without features. */
static Picture *make_picture(float noise)
{
    Picture *p = calloc(1, sizeof *p);
    assert_non_null(p);
    for (uint32_t y = 0; y < HEIGHT; y++)
        for (uint32_t x = 0; x < WIDTH; x++) {
            size_t at = y * WIDTH + x;
            bool right = x >= WIDTH / 2, odd = (x / 10 + y / 10) % 2 == 1;
            float light = right ? 0.4f : 0.9f + 0.3f * (float)y / HEIGHT;
            float dx = (float)x - 110, dy = (float)y - 50, n = noise_at((uint32_t)at);
            if (dx * dx + dy * dy < 400)
                light = 2.5f;
            for (size_t k = 0; k < 3; k++) {
                p->albedo[3 * at + k] = odd ? 0.2f + 0.2f * (float)k : 0.8f;
                p->truth[3 * at + k] = light * p->albedo[3 * at + k];
                p->color[3 * at + k] = p->truth[3 * at + k] * (1 + noise * n);
            }
            p->normal[3 * at + (right ? 0 : 2)] = 1;
            float *t = p->truth + 3 * at;
            float lum = 0.2126f * t[0] + 0.7152f * t[1] + 0.0722f * t[2];
            p->variance[at] = noise * noise * lum * lum / 3;
        }
    return p;
}

static SlDenoiseJob job_of(Picture *p)
{
    return (SlDenoiseJob){.width = WIDTH, .height = HEIGHT, .color = p->color, .albedo = p->albedo,
                          .normal = p->normal, .variance = p->variance, .output = p->output};
}

static double mean_square(const float *a, const float *b)
{
    double sum = 0;
    for (size_t k = 0; k < 3 * PIXELS; k++)
        sum += ((double)a[k] - b[k]) * ((double)a[k] - b[k]);
    return sum / (3 * PIXELS);
}

static const SlDenoiseSettings filter = {SL_DENOISE_FILTER, NULL};

static void the_filter_removes_noise_and_keeps_edges(void **state)
{
    (void)state;
    SlContext *context = test_context(2);
    Picture *p = make_picture(0.5f);
    char used[SL_DENOISE_TEXT];
    SlDenoiseJob job = job_of(p);
    job.used = used;
    assert_ok(sl_denoise(context, &job, &filter, &test_error));
    assert_string_equal("own filter", used);
    double before = mean_square(p->color, p->truth), after = mean_square(p->output, p->truth);
    assert_less(after, before / 14); /* Open Image Denoise: 11 */
    /* Also where the variance has to be found from the picture. */
    job.variance = NULL;
    assert_ok(sl_denoise(context, &job, &filter, &test_error));
    assert_less(mean_square(p->output, p->truth), before / 12);
    /* Textures and edges stay: neighbours across them differ as they did. */
    for (uint32_t y = 5; y < HEIGHT; y += 10) {
        size_t at = 3 * (y * WIDTH + WIDTH / 2);
        assert_near(p->output[at] - p->output[at - 3], p->truth[at] - p->truth[at - 3], 0.15);
    }
    free(p);
    sl_context_destroy(context);
}

static void the_filter_leaves_a_picture_without_noise(void **state)
{
    (void)state;
    SlContext *context = test_context(2);
    Picture *p = make_picture(0);
    SlDenoiseJob job = job_of(p);
    assert_ok(sl_denoise(context, &job, &filter, &test_error));
    assert_less(sqrt(mean_square(p->output, p->truth)), 0.004);
    free(p);
    sl_context_destroy(context);
}

static void the_filter_gives_the_same_bits_for_any_threads(void **state)
{
    (void)state;
    Picture *p = make_picture(0.5f);
    float *first = malloc(sizeof p->output);
    for (uint32_t threads = 1; threads <= 5; threads += 2) {
        SlContext *context = test_context(threads);
        SlDenoiseJob job = job_of(p);
        assert_ok(sl_denoise(context, &job, &filter, &test_error));
        if (threads == 1)
            memcpy(first, p->output, sizeof p->output);
        assert_memory_equal(first, p->output, sizeof p->output);
        sl_context_destroy(context);
    }
    /* Into its own input, too. */
    SlContext *context = test_context(2);
    SlDenoiseJob job = job_of(p);
    job.output = p->color;
    assert_ok(sl_denoise(context, &job, &filter, &test_error));
    assert_memory_equal(first, p->color, sizeof p->output);
    sl_context_destroy(context);
    free(first);
    free(p);
}

static void bad_values_do_not_spread(void **state)
{
    (void)state;
    SlContext *context = test_context(2);
    Picture *p = make_picture(0.5f);
    for (size_t k = 0; k < 3 * PIXELS; k += 997) {
        p->color[k] = k % 2 ? NAN : INFINITY;
        p->albedo[k + 1] = -NAN;
        p->normal[k + 2] = -INFINITY;
        p->variance[k / 3] = k % 2 ? NAN : INFINITY;
    }
    SlDenoiseJob job = job_of(p);
    assert_ok(sl_denoise(context, &job, &filter, &test_error));
    for (size_t k = 0; k < 3 * PIXELS; k++)
        assert_true(p->output[k] >= 0 && p->output[k] < 100);
    assert_less(mean_square(p->output, p->truth), 0.006);
    /* No features at all, and pictures smaller than a patch. */
    job.albedo = job.normal = job.variance = NULL;
    const uint32_t sizes[][2] = {{WIDTH, HEIGHT}, {1, 1}, {65, 1}, {2, 97}};
    for (int k = 0; k < 4; k++) {
        job.width = sizes[k][0];
        job.height = sizes[k][1];
        assert_ok(sl_denoise(context, &job, &filter, &test_error));
    }
    assert_true(isfinite(p->output[0]));
    free(p);
    sl_context_destroy(context);
}

static void the_method_is_chosen_by_what_is_there(void **state)
{
    (void)state;
    SlContext *context = test_context(1);
    Picture *p = make_picture(0.5f);
    char used[SL_DENOISE_TEXT];
    SlDenoiseJob job = job_of(p);
    job.used = used;
    SlDenoiseSettings none = {SL_DENOISE_NONE, NULL}, automatic = {SL_DENOISE_AUTO, NULL};
    SlDenoiseSettings oidn = {SL_DENOISE_OIDN, NULL};
    assert_ok(sl_denoise(context, &job, &none, &test_error));
    assert_memory_equal(p->color, p->output, sizeof p->output);
    assert_string_equal("none", used);
    assert_int_equal(0, setenv("SLEET_OIDN", "none", 1));
    assert_ok(sl_denoise_check(&automatic, &test_error));
    assert_ok(sl_denoise(context, &job, &automatic, &test_error));
    assert_string_equal("own filter", used);
    assert_int_equal(SL_ERROR_UNSUPPORTED, sl_denoise_check(&oidn, &test_error));
    assert_non_null(strstr(test_error.text, "pyoidn"));
    assert_int_equal(SL_ERROR_UNSUPPORTED, sl_denoise(context, &job, &oidn, &test_error));
    /* A path that was given is not passed over: neither as a parameter nor in the environment. */
    automatic.path = "/nonexistent/lib";
    assert_int_equal(SL_ERROR_UNSUPPORTED, sl_denoise_check(&automatic, &test_error));
    assert_non_null(strstr(test_error.text, "/nonexistent/lib"));
    automatic.path = "/dev/null";
    assert_int_equal(SL_ERROR_UNSUPPORTED, sl_denoise_check(&automatic, &test_error));
    automatic.path = NULL;
    assert_int_equal(0, setenv("SLEET_OIDN", "/nonexistent/other", 1));
    assert_int_equal(SL_ERROR_UNSUPPORTED, sl_denoise_check(&automatic, &test_error));
    assert_non_null(strstr(test_error.text, "/nonexistent/other"));
    unsetenv("SLEET_OIDN");
    free(p);
    sl_context_destroy(context);
}

/* SLEET_OIDN_TEST names a library: render_peer_exr_full installs one and runs this. */
static void open_image_denoise_is_loaded_and_used(void **state)
{
    (void)state;
    const char *path = getenv("SLEET_OIDN_TEST");
    if (path == NULL)
        test_skip("no Open Image Denoise here; the test render_peer_exr_full installs it");
    Picture *p = make_picture(0.5f);
    float *first = malloc(sizeof p->output);
    double before = mean_square(p->color, p->truth);
    for (uint32_t threads = 1; threads <= 3; threads++) {
        SlContext *context = test_context(threads);
        char used[SL_DENOISE_TEXT];
        SlDenoiseJob job = job_of(p);
        SlDenoiseSettings oidn = {SL_DENOISE_OIDN, path};
        job.used = used;
        assert_ok(sl_denoise(context, &job, &oidn, &test_error));
        assert_non_null(strstr(used, "Open Image Denoise "));
        if (threads == 1)
            memcpy(first, p->output, sizeof p->output);
        assert_memory_equal(first, p->output, sizeof p->output);
        sl_context_destroy(context);
    }
    double after = mean_square(p->output, p->truth);
    print_message("Open Image Denoise: mean square error %.2e of %.2e\n", after, before);
    assert_less(after, before / 9);
    free(first);
    free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_filter_removes_noise_and_keeps_edges),
        cmocka_unit_test(the_filter_leaves_a_picture_without_noise),
        cmocka_unit_test(the_filter_gives_the_same_bits_for_any_threads),
        cmocka_unit_test(bad_values_do_not_spread),
        cmocka_unit_test(the_method_is_chosen_by_what_is_there),
        cmocka_unit_test(open_image_denoise_is_loaded_and_used),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
