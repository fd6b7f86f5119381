/* The calls that make a picture, step by step: order, cancel, shutter, planes; with the splat renderer
   and with a progressive renderer of the test's own. */
#include "support/test.h"

#include "render/renderer.h"

enum { SIDE = 64 };

typedef struct Scene {
    SlFrameView view;
    SlSystemView system;
    SlFieldView field;
} Scene;

static void point_scene(Scene *scene)
{
    static const float position[3] = {0, 0, 0};
    memset(scene, 0, sizeof *scene);
    scene->field = (SlFieldView){"position", "m", "", SL_FIELD_F32X3, position, 1, 12};
    scene->system = (SlSystemView){
        .name = "water", .solver = "pbf", .particle_count = 1, .spacing = 0.8f,
        .fields = &scene->field, .field_count = 1};
    scene->view = (SlFrameView){
        .domain = {{-1, -1, -1}, {1, 1, 1}}, .systems = &scene->system, .system_count = 1};
}

typedef struct Watch {
    int calls, stop_at; /* stop_at 0: never */
    double last;
} Watch;

static bool watch_progress(void *user, double fraction, const char *what)
{
    Watch *watch = user;
    assert_string_equal("drawing", what);
    assert_true(fraction > watch->last && fraction <= 1);
    watch->last = fraction < 1 ? fraction : 0;
    return ++watch->calls != watch->stop_at;
}

static SlContext *watched_context(Watch *watch)
{
    SlContext *context;
    SlContextDef def = sl_default_context_def();
    def.threads = 2;
    def.hooks = (SlHooks){.progress = watch_progress, .user = watch};
    assert_ok(sl_context_create(&def, &context, &test_error));
    return context;
}

static SlRenderer *splats(SlContext *context)
{
    size_t tables;
    const SlTable *table = sl_renderer_tables(&tables)[0];
    SlParamValue values[64];
    for (size_t k = 0; k < table->row_count; k++)
        values[k] = table->rows[k].value;
    values[sl_table_find(table, "width") - table->rows].number[0] = SIDE;
    values[sl_table_find(table, "height") - table->rows].number[0] = SIDE;
    SlRenderer *renderer;
    assert_ok(sl_renderer_create(context, "splats", values, &renderer, &test_error));
    return renderer;
}

/* Cancelled after every pass in turn, the renderer draws the same picture afterwards. */
static void cancelled_pictures_leave_the_renderer_usable(void **state)
{
    (void)state;
    Watch watch = {0};
    SlContext *context = watched_context(&watch);
    SlRenderer *renderer = splats(context);
    Scene scene;
    point_scene(&scene);
    const SlImage *image;
    uint8_t first[3 * SIDE * SIDE];
    assert_ok(sl_renderer_draw(renderer, &scene.view, NULL, &image, &test_error));
    memcpy(first, image->pixels, sizeof first);
    int passes = watch.calls;
    assert_true(passes >= 3);
    for (int stop = 1; stop <= passes; stop++) {
        watch = (Watch){.stop_at = stop};
        assert_int_equal(SL_ERROR_CANCELLED,
                         sl_renderer_draw(renderer, &scene.view, NULL, &image, &test_error));
        assert_int_equal(stop, watch.calls);
        assert_int_equal(SL_ERROR_ARGUMENT, sl_render_accumulate(renderer, NULL, &test_error));
        assert_int_equal(SL_ERROR_ARGUMENT, sl_render_image(renderer, &image, &test_error));
        watch = (Watch){0};
        assert_ok(sl_renderer_draw(renderer, &scene.view, NULL, &image, &test_error));
        assert_memory_equal(first, image->pixels, sizeof first);
    }
    sl_renderer_destroy(renderer);
    sl_context_destroy(context);
}

static void calls_out_of_order_are_refused(void **state)
{
    (void)state;
    SlContext *context = test_context(1);
    SlRenderer *renderer = splats(context);
    Scene scene;
    point_scene(&scene);
    const SlImage *image;
    SlTarget *target;
    const char *const planes[] = {"depth", "color"}, *const none[] = {"velocity"};
    assert_ok(sl_target_create(context, SIDE, SIDE, planes, 1, &target, &test_error));
    assert_int_equal(SL_ERROR_ARGUMENT, sl_render_accumulate(renderer, NULL, &test_error));
    assert_int_equal(SL_ERROR_ARGUMENT, sl_render_resolve(renderer, target, &test_error));
    SlRenderJob job = sl_default_render_job(&scene.view);
    assert_ok(sl_render_begin(renderer, &job, &test_error));
    assert_int_equal(SL_ERROR_ARGUMENT, sl_render_image(renderer, &image, &test_error));
    uint32_t remaining = 1;
    while (remaining > 0)
        assert_ok(sl_render_accumulate(renderer, &remaining, &test_error));
    assert_ok(sl_render_accumulate(renderer, &remaining, &test_error)); /* does nothing */
    assert_int_equal(0, remaining);
    assert_ok(sl_render_image(renderer, &image, &test_error));
    assert_int_equal(SL_ERROR_ARGUMENT, sl_render_resolve(renderer, target, &test_error));
    assert_non_null(strstr(test_error.text, "depth")); /* not named in the job */
    assert_true(sl_render_noise(renderer) == 0);
    sl_target_destroy(target);
    assert_ok(sl_target_create(context, SIDE, SIDE + 1, planes, 0, &target, &test_error));
    assert_int_equal(SL_ERROR_ARGUMENT, sl_render_resolve(renderer, target, &test_error));
    sl_target_destroy(target);
    job.planes = none;
    job.plane_count = 1;
    assert_false(sl_renderer_fills(renderer, "velocity"));
    assert_int_equal(SL_ERROR_ARGUMENT, sl_render_begin(renderer, &job, &test_error));
    assert_non_null(strstr(test_error.text, "velocity"));
    SlRenderJob zero = {.view = &scene.view};
    assert_int_equal(SL_ERROR_ARGUMENT, sl_render_begin(renderer, &zero, &test_error));
    job = sl_default_render_job(NULL);
    assert_int_equal(SL_ERROR_ARGUMENT, sl_render_begin(renderer, &job, &test_error));
    sl_renderer_destroy(renderer);
    sl_context_destroy(context);
}

/* Renderers that draw everything are cut; a picture without a region is complete again. */
static void regions_are_parts_of_the_picture(void **state)
{
    (void)state;
    SlContext *context = test_context(2);
    SlRenderer *renderer = splats(context);
    Scene scene;
    point_scene(&scene);
    const char *const planes[] = {"depth", "normal"};
    const SlImage *image;
    SlTarget *all, *part;
    uint8_t first[3 * SIDE * SIDE];
    SlRenderJob job = sl_default_render_job(&scene.view);
    job.planes = planes;
    job.plane_count = 2;
    assert_ok(sl_target_create(context, SIDE, SIDE, planes, 2, &all, &test_error));
    assert_ok(sl_target_create(context, 20, 9, planes, 2, &part, &test_error));
    for (int round = 0; round < 3; round++) {
        SlPixelRegion r = round == 1 ? (SlPixelRegion){21, 28, 20, 9} : (SlPixelRegion){0};
        job.region = r;
        assert_ok(sl_render_begin(renderer, &job, &test_error));
        for (uint32_t remaining = 1; remaining > 0;)
            assert_ok(sl_render_accumulate(renderer, &remaining, &test_error));
        assert_int_equal(round == 1 ? SL_ERROR_ARGUMENT : SL_OK, sl_render_resolve(renderer, all, &test_error));
        assert_ok(sl_render_image(renderer, &image, &test_error));
        if (round == 0)
            memcpy(first, image->pixels, sizeof first);
        if (round != 1) {
            assert_memory_equal(first, image->pixels, sizeof first);
            continue;
        }
        assert_ok(sl_render_resolve(renderer, part, &test_error));
        assert_int_equal(20, image->width);
        assert_int_equal(9, image->height);
        for (size_t y = 0; y < r.height; y++) {
            size_t from = (r.y + y) * SIDE + r.x, to = y * r.width;
            assert_memory_equal(image->pixels + 3 * to, first + 3 * from, 3 * r.width);
            assert_memory_equal(sl_target_plane(part, "depth") + to, sl_target_plane(all, "depth") + from,
                                r.width * sizeof(float));
            assert_memory_equal(sl_target_plane(part, "normal") + 3 * to,
                                sl_target_plane(all, "normal") + 3 * from, 3 * r.width * sizeof(float));
        }
        assert_true(isfinite(sl_target_plane(part, "depth")[4 * 20 + 10])); /* the particle is in it */
    }
    const SlPixelRegion bad[] = {{0, 0, 0, 5}, {0, 0, SIDE + 1, 1}, {SIDE, 0, 1, 1}, {5, 60, 3, 5},
                                 {UINT32_MAX, 0, 2, 1}, {3, 3, 0, 0}};
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        job.region = bad[k];
        assert_int_equal(SL_ERROR_ARGUMENT, sl_render_begin(renderer, &job, &test_error));
        assert_non_null(strstr(test_error.text, "region"));
    }
    sl_target_destroy(all);
    sl_target_destroy(part);
    sl_renderer_destroy(renderer);
    sl_context_destroy(context);
}

static void shutter_times_are_checked(void **state)
{
    (void)state;
    SlContext *context = test_context(1);
    SlRenderer *renderer = splats(context);
    Scene scene;
    point_scene(&scene);
    const double good[][2] = {{0, 0}, {-0.01, 0.01}, {0.005, 0.02}};
    const double bad[][2] = {{0.02, 0.01}, {0, (double)NAN}, {-(double)INFINITY, 0}};
    for (int k = 0; k < 3; k++) {
        SlRenderJob job = sl_default_render_job(&scene.view);
        job.shutter_open = good[k][0];
        job.shutter_close = good[k][1];
        assert_ok(sl_render_begin(renderer, &job, &test_error));
        job.shutter_open = bad[k][0];
        job.shutter_close = bad[k][1];
        assert_int_equal(SL_ERROR_ARGUMENT, sl_render_begin(renderer, &job, &test_error));
        assert_non_null(strstr(test_error.text, "shutter"));
    }
    sl_renderer_destroy(renderer);
    sl_context_destroy(context);
}

/* --- A renderer that samples: pass k adds k to every channel; its picture is the mean. --- */

enum { SAMPLES = 5, MAX_SAMPLES = 1000 };

static const SlParamRow sampler_rows[] = {
    {"width", SL_PARAM_INTEGER, {{SIDE}}, 1, 100, "pixel", NULL, "picture width"},
    {"height", SL_PARAM_INTEGER, {{SIDE}}, 1, 100, "pixel", NULL, "picture height"},
    {"tone", SL_PARAM_CHOICE, {{1}}, 0, 2, "", "filmic|soft|linear", "tone curve"},
    {"noise", SL_PARAM_NUMBER, {{0}}, 0, 1, "", NULL, "noise at which a picture is done"},
    {"time_limit", SL_PARAM_NUMBER, {{0}}, 0, 1e6, "s", NULL, "time after which it is done"},
};
static const SlTable sampler_table = {
    .name = "sampler", .kind = "renderer", .rows = sampler_rows, .row_count = 5};

typedef struct Sampler {
    uint32_t pass;
    double sum, close;
} Sampler;

static SlStatus sampler_init(void *state, SlContext *context, const SlParamValue *values,
                             SlError *error)
{
    (void)state;
    (void)context;
    (void)values;
    (void)error;
    return SL_OK;
}

static SlStatus sampler_begin(void *state, const SlRenderJob *job, uint32_t *passes,
                              SlError *error)
{
    (void)error;
    *(Sampler *)state = (Sampler){.close = job->shutter_close};
    *passes = job->shutter_close == 8 ? MAX_SAMPLES : SAMPLES;
    return SL_OK;
}

static SlStatus sampler_accumulate(void *state, SlError *error)
{
    Sampler *sampler = state;
    if (sampler->close == 9 && sampler->pass == 2)
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for a sample");
    sampler->sum += ++sampler->pass;
    return SL_OK;
}

static SlStatus sampler_resolve(void *state, SlTarget *target, SlError *error)
{
    (void)error;
    const Sampler *sampler = state;
    float *color = sl_target_plane(target, "color");
    for (int k = 0; color != NULL && k < 3 * SIDE * SIDE; k++)
        color[k] = (float)(sampler->sum / sampler->pass);
    return SL_OK;
}

static double sampler_noise(const void *state)
{
    return 1 / sqrt((double)((const Sampler *)state)->pass);
}

static void sampler_report(const void *state, SlRenderReport *report)
{
    report->samples = ((const Sampler *)state)->pass;
    snprintf(report->denoiser, sizeof report->denoiser, "own filter");
}

static void sampler_destroy(void *state)
{
    (void)state;
}

static const char *const sampler_planes[] = {"color"};

static const SlRendererKind sampler = {
    .table = &sampler_table,
    .planes = sampler_planes,
    .plane_count = 1,
    .progressive = true,
    .state_bytes = sizeof(Sampler),
    .init = sampler_init,
    .begin = sampler_begin,
    .accumulate = sampler_accumulate,
    .resolve = sampler_resolve,
    .noise = sampler_noise,
    .report = sampler_report,
    .destroy = sampler_destroy,
};

static void progressive_renderers_resolve_after_each_pass(void **state)
{
    (void)state;
    SlContext *context = test_context(1);
    SlRenderer *renderer;
    SlTarget *target;
    Scene scene;
    point_scene(&scene);
    assert_ok(sl_renderer_create_kind(context, &sampler, NULL, &renderer, &test_error));
    assert_ok(sl_target_create(context, SIDE, SIDE, sampler_planes, 1, &target, &test_error));
    SlRenderJob job = sl_default_render_job(&scene.view);
    job.planes = sampler_planes;
    job.plane_count = 1;
    assert_ok(sl_render_begin(renderer, &job, &test_error));
    assert_true(isnan(sl_render_noise(renderer)));
    assert_int_equal(SL_ERROR_ARGUMENT, sl_render_resolve(renderer, target, &test_error));
    for (uint32_t pass = 1; pass <= SAMPLES; pass++) {
        uint32_t remaining;
        assert_ok(sl_render_accumulate(renderer, &remaining, &test_error));
        assert_int_equal(SAMPLES - pass, remaining);
        assert_ok(sl_render_resolve(renderer, target, &test_error));
        assert_near(sl_target_plane(target, "color")[7], 0.5 * (pass + 1), 1e-6);
        assert_near(sl_render_noise(renderer), 1 / sqrt(pass), 1e-12);
    }
    /* Without an image of its own it gets that of the plane "color". */
    const SlImage *image;
    SlImage made;
    assert_ok(sl_render_image(renderer, &image, &test_error));
    assert_ok(sl_image_create(context, SIDE, SIDE, &made, &test_error));
    assert_ok(sl_target_image(target, &made, &test_error));
    assert_memory_equal(made.pixels, image->pixels, 3 * SIDE * SIDE);
    /* A pass that fails drops the picture; the next begin starts afresh. */
    job.shutter_close = 9;
    assert_ok(sl_render_begin(renderer, &job, &test_error));
    assert_ok(sl_render_accumulate(renderer, NULL, &test_error));
    assert_ok(sl_render_accumulate(renderer, NULL, &test_error));
    assert_int_equal(SL_ERROR_MEMORY, sl_render_accumulate(renderer, NULL, &test_error));
    assert_int_equal(SL_ERROR_ARGUMENT, sl_render_accumulate(renderer, NULL, &test_error));
    assert_ok(sl_renderer_draw(renderer, &scene.view, NULL, &image, &test_error));
    assert_memory_equal(made.pixels, image->pixels, 3 * SIDE * SIDE);
    sl_image_destroy(context, &made);
    sl_target_destroy(target);
    sl_renderer_destroy(renderer);
    sl_context_destroy(context);
}

/* Noise falls as 1/sqrt(passes): 0.1 is reached at 100 of 1000; a time limit of no time after one. */
static void limits_end_a_picture_early(void **state)
{
    (void)state;
    Watch watch = {0};
    SlContext *context = watched_context(&watch);
    Scene scene;
    point_scene(&scene);
    SlParamValue values[5];
    SlRenderReport report;
    const struct {
        double noise, time_limit;
        uint32_t samples;
    } cases[] = {{0.1, 0, 100}, {0, 1e-9, 1}, {0.9, 0, 8}, {0, 0, MAX_SAMPLES}};
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        SlRenderer *renderer;
        sl_table_defaults(&sampler_table, values);
        values[3].number[0] = cases[c].noise;
        values[4].number[0] = cases[c].time_limit;
        assert_ok(sl_renderer_create_kind(context, &sampler, values, &renderer, &test_error));
        SlRenderJob job = sl_default_render_job(&scene.view);
        job.shutter_close = 8;
        assert_ok(sl_render_begin(renderer, &job, &test_error));
        uint32_t remaining = 1;
        watch = (Watch){0};
        while (remaining > 0)
            assert_ok(sl_render_accumulate(renderer, &remaining, &test_error));
        sl_render_report(renderer, &report);
        assert_int_equal(cases[c].samples, report.samples);
        assert_int_equal(cases[c].samples, watch.calls);
        assert_true(watch.last == 0); /* the last report was 1 */
        assert_near(report.noise, 1 / sqrt(cases[c].samples), 1e-9);
        assert_true(report.seconds > 0 && report.seconds < 60);
        assert_string_equal("own filter", report.denoiser);
        const SlImage *image;
        assert_ok(sl_render_image(renderer, &image, &test_error));
        sl_renderer_destroy(renderer);
    }
    sl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cancelled_pictures_leave_the_renderer_usable),
        cmocka_unit_test(calls_out_of_order_are_refused),
        cmocka_unit_test(regions_are_parts_of_the_picture),
        cmocka_unit_test(shutter_times_are_checked),
        cmocka_unit_test(progressive_renderers_resolve_after_each_pass),
        cmocka_unit_test(limits_end_a_picture_early),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
