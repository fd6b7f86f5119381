/* The list of renderers, and the public calls: they check their arguments, keep the state of the
   picture (begun, passes left), report progress and measure time for all renderers. */
#include "render/renderer.h"

#include <math.h>
#include <string.h>

#include "core/cookies.h"
#include "core/timer.h"
#include "math/camera.h"
#include "render/target.h"

/* The list: a renderer `name` is sl_renderer_name with its table sl_name_table. */
#define RENDERERS(ENTRY) ENTRY(splats) ENTRY(water) ENTRY(path)

#define KIND_OF(name) &sl_renderer_##name,
#define TABLE_OF(name) &sl_##name##_table,
static const SlRendererKind *const kinds[] = {RENDERERS(KIND_OF)};

enum { KIND_COUNT = sizeof kinds / sizeof kinds[0] };

struct SlRenderer {
    const SlRendererKind *kind;
    SlContext *context;
    void *state;
    uint32_t width, height;
    SlRenderJob job; /* of the picture that was begun */
    SlPixelRegion region; /* of it; the whole where the job has none */
    SlCamera framing; /* its camera, where the job has none */
    bool begun;
    uint32_t passes, remaining;
    uint32_t planes; /* that the job names: bit k is the kind's plane k */
    SlTarget *color; /* of kinds without an image of their own; made when first needed */
    SlImage image;
    double last_ms;
    SlTone tone;
    double noise_target, time_limit; /* 0: none */
    double began, ended; /* sl_seconds() of begin and of the last pass */
};

const SlTable *const *sl_renderer_tables(size_t *count)
{
    static const SlTable *const tables[KIND_COUNT] = {RENDERERS(TABLE_OF)};
    *count = KIND_COUNT;
    return tables;
}

static SlStatus find_kind(const char *name, const SlRendererKind **kind, SlError *error)
{
    const char *names[KIND_COUNT];
    for (size_t k = 0; k < KIND_COUNT; k++) {
        names[k] = kinds[k]->table->name;
        if (strcmp(names[k], name) == 0) {
            *kind = kinds[k];
            return SL_OK;
        }
    }
    const char *near = sl_nearest_name(name, names, KIND_COUNT);
    return sl_error_set(error, SL_ERROR_ARGUMENT, "unknown renderer \"%.60s\"; %s \"%s\"%s", name,
                        near != NULL ? "did you mean" : "there is", near != NULL ? near : names[0],
                        near != NULL ? "?" : "");
}

/* The number of a row that not every table has. */
static double row_value(const SlTable *table, const SlParamValue *values, const char *name,
                        double otherwise)
{
    const SlParamRow *row = sl_table_find(table, name);
    return row != NULL ? values[row - table->rows].number[0] : otherwise;
}

static SlStatus init_checked(SlRenderer *renderer, const SlParamValue *values, SlError *error)
{
    const SlTable *table = renderer->kind->table;
    SlStatus status = sl_table_check(table, values, error);
    if (status != SL_OK)
        return status;
    renderer->width = (uint32_t)values[sl_table_find(table, "width") - table->rows].number[0];
    renderer->height = (uint32_t)values[sl_table_find(table, "height") - table->rows].number[0];
    renderer->tone = (SlTone)row_value(table, values, "tone", SL_TONE_SOFT);
    renderer->noise_target = row_value(table, values, "noise", 0);
    renderer->time_limit = row_value(table, values, "time_limit", 0);
    return renderer->kind->init(renderer->state, renderer->context, values, error);
}

static SlStatus init_state(SlRenderer *renderer, const SlParamValue *values, SlError *error)
{
    const SlTable *table = renderer->kind->table;
    SlMemory *memory = &renderer->context->memory;
    if (values != NULL)
        return init_checked(renderer, values, error);
    SlParamValue *defaults = sl_alloc_zero(memory, table->row_count, sizeof *defaults);
    if (defaults == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for a renderer");
    sl_table_defaults(table, defaults);
    SlStatus status = init_checked(renderer, defaults, error);
    sl_free(memory, defaults, table->row_count * sizeof *defaults);
    return status;
}

SlStatus sl_renderer_create(SlContext *context, const char *name, const SlParamValue *values,
                            SlRenderer **renderer, SlError *error)
{
    *renderer = NULL;
    const SlRendererKind *kind = NULL;
    SlStatus status = find_kind(name, &kind, error);
    return status == SL_OK ? sl_renderer_create_kind(context, kind, values, renderer, error)
                           : status;
}

SlStatus sl_renderer_create_kind(SlContext *context, const SlRendererKind *kind,
                                 const SlParamValue *values, SlRenderer **result, SlError *error)
{
    *result = NULL;
    SlRenderer *renderer = sl_alloc_zero(&context->memory, 1, sizeof *renderer);
    if (renderer == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for a renderer");
    *renderer = (SlRenderer){.kind = kind, .context = context};
    renderer->state = sl_alloc_zero(&context->memory, 1, kind->state_bytes);
    SlStatus status;
    if (renderer->state == NULL)
        status = sl_error_set(error, SL_ERROR_MEMORY, "no memory for a renderer");
    else
        status = init_state(renderer, values, error);
    if (status != SL_OK) {
        sl_renderer_destroy(renderer);
        return status;
    }
    *result = renderer;
    return SL_OK;
}

void sl_renderer_destroy(SlRenderer *renderer)
{
    if (renderer == NULL)
        return;
    SlMemory *memory = &renderer->context->memory;
    if (renderer->state != NULL) {
        renderer->kind->destroy(renderer->state);
        sl_free(memory, renderer->state, renderer->kind->state_bytes);
    }
    sl_target_destroy(renderer->color);
    sl_image_destroy(renderer->context, &renderer->image);
    sl_free(memory, renderer, sizeof *renderer);
}

uint32_t sl_renderer_width(const SlRenderer *renderer)
{
    return renderer->width;
}

uint32_t sl_renderer_height(const SlRenderer *renderer)
{
    return renderer->height;
}

/* The index of a plane in the kind's list; plane_count: it does not fill it. */
static size_t find_plane(const SlRendererKind *kind, const char *name)
{
    size_t k = 0;
    while (k < kind->plane_count && strcmp(kind->planes[k], name) != 0)
        k++;
    return k;
}

bool sl_renderer_fills(const SlRenderer *renderer, const char *plane)
{
    return find_plane(renderer->kind, plane) < renderer->kind->plane_count;
}

bool sl_job_names(const SlRenderJob *job, const char *plane)
{
    for (size_t k = 0; k < job->plane_count; k++)
        if (strcmp(job->planes[k], plane) == 0)
            return true;
    return false;
}

SlRenderJob sl_default_render_job(const SlFrameView *view)
{
    return (SlRenderJob){SL_DEF_HEAD(RENDER_JOB, SlRenderJob), .view = view};
}

/* Checks a job; *planes becomes the set of planes it names. */
static SlStatus check_job(const SlRendererKind *kind, const SlRenderJob *job, uint32_t *planes,
                          SlError *error)
{
    const char *reason;
    if (!SL_DEF_VALID(job, RENDER_JOB))
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "SlRenderJob: not initialised; start from sl_default_render_job()");
    if (job->view == NULL)
        return sl_error_set(error, SL_ERROR_ARGUMENT, "SlRenderJob: no view to draw");
    const SlCamera *camera = job->camera;
    if (camera == NULL && job->view->camera_count > 0)
        camera = &job->view->cameras[0];
    if (camera != NULL && !sl_camera_valid(camera, &reason))
        return sl_error_set(error, SL_ERROR_ARGUMENT, "camera \"%.31s\": %s", camera->name, reason);
    if (!isfinite(job->shutter_open) || !isfinite(job->shutter_close) ||
        job->shutter_open > job->shutter_close)
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "the shutter opens at %g s and closes at %g s; both must be finite, and "
                            "it cannot close before it opens",
                            job->shutter_open, job->shutter_close);
    *planes = 0;
    for (size_t k = 0; k < job->plane_count; k++) {
        size_t plane = find_plane(kind, job->planes[k]);
        if (plane == kind->plane_count)
            return sl_error_set(error, SL_ERROR_ARGUMENT,
                                "the renderer %s does not fill a plane \"%.40s\"",
                                kind->table->name, job->planes[k]);
        *planes |= (uint32_t)1 << plane;
    }
    return SL_OK;
}

/* Sets the region of the picture. */
static SlStatus set_region(SlRenderer *renderer, const SlRenderJob *job, SlError *error)
{
    SlPixelRegion r = job->region;
    if (r.x == 0 && r.y == 0 && r.width == 0 && r.height == 0)
        r = (SlPixelRegion){0, 0, renderer->width, renderer->height};
    renderer->region = r;
    if (r.width > 0 && r.height > 0 && r.x < renderer->width && r.y < renderer->height &&
        r.width <= renderer->width - r.x && r.height <= renderer->height - r.y)
        return SL_OK;
    return sl_error_set(error, SL_ERROR_ARGUMENT,
                        "a region of %u × %u pixels at (%u, %u) of a picture of %u × %u; it must lie within "
                        "the picture and have at least one pixel",
                        r.width, r.height, r.x, r.y, renderer->width, renderer->height);
}

/* A failed or cancelled picture is dropped; the next begin starts afresh. */
static SlStatus drop_unless_ok(SlRenderer *renderer, SlStatus status)
{
    if (status != SL_OK)
        renderer->begun = false;
    return status;
}

/* How far the picture is: the maximum of passes, time and noise over what was asked for. Noise falls
   with the square root of the samples. Ends the picture where a limit is reached. */
static double measure(SlRenderer *renderer)
{
    enum { MIN_PASSES = 8 }; /* before an estimate of the noise is trusted */
    uint32_t done = renderer->passes - renderer->remaining;
    double fraction = renderer->passes > 0 ? (double)done / renderer->passes : 1;
    renderer->ended = sl_seconds();
    if (renderer->time_limit > 0)
        fraction = fmax(fraction, (renderer->ended - renderer->began) / renderer->time_limit);
    if (renderer->noise_target > 0 && renderer->kind->noise != NULL && done >= MIN_PASSES) {
        double noise = renderer->kind->noise(renderer->state);
        double ratio = noise > 0 ? renderer->noise_target / noise : noise == 0;
        fraction = fmax(fraction, ratio * ratio);
    }
    if (fraction >= 1)
        renderer->remaining = 0;
    return fmin(fraction, 1);
}

static SlStatus report(SlRenderer *renderer, SlError *error)
{
    double fraction = measure(renderer);
    return sl_progress(renderer->context, fraction, "drawing")
               ? SL_OK
               : sl_error_set(error, SL_ERROR_CANCELLED, "drawing was cancelled");
}

SlStatus sl_render_begin(SlRenderer *renderer, const SlRenderJob *job, SlError *error)
{
    double mark = sl_seconds();
    renderer->begun = false;
    renderer->last_ms = 0;
    SlStatus status = check_job(renderer->kind, job, &renderer->planes, error);
    if (status == SL_OK)
        status = set_region(renderer, job, error);
    if (status != SL_OK)
        return status;
    renderer->job = *job;
    renderer->job.region = renderer->region;
    if (job->camera == NULL) {
        bool given = job->view->camera_count > 0;
        renderer->framing =
            given ? job->view->cameras[0]
                  : sl_view_framing(job->view, renderer->width, renderer->height);
        renderer->job.camera = &renderer->framing;
    }
    status = renderer->kind->begin(renderer->state, &renderer->job, &renderer->passes, error);
    renderer->remaining = renderer->passes;
    renderer->begun = status == SL_OK;
    renderer->began = renderer->ended = mark;
    sl_lap(&mark, &renderer->last_ms);
    return status;
}

SlStatus sl_render_accumulate(SlRenderer *renderer, uint32_t *remaining, SlError *error)
{
    double mark = sl_seconds();
    if (!renderer->begun)
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "no picture was begun; call sl_render_begin first");
    SlStatus status = SL_OK;
    if (renderer->remaining > 0) {
        status = renderer->kind->accumulate(renderer->state, error);
        renderer->remaining -= status == SL_OK;
        if (status == SL_OK)
            status = report(renderer, error);
    }
    if (remaining != NULL)
        *remaining = renderer->remaining;
    sl_lap(&mark, &renderer->last_ms);
    return drop_unless_ok(renderer, status);
}

/* Whether there is a picture to be resolved. */
static SlStatus check_resolvable(const SlRenderer *renderer, SlError *error)
{
    uint32_t done = renderer->passes - renderer->remaining;
    if (!renderer->begun)
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "no picture was begun; call sl_render_begin first");
    if (renderer->remaining > 0 && (done == 0 || !renderer->kind->progressive))
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "%s: %u of %u passes remain; call sl_render_accumulate first",
                            renderer->kind->table->name, renderer->remaining, renderer->passes);
    return SL_OK;
}

/* --- Results. --- */

/* Whether the kind draws more than what was asked for. */
static bool needs_cut(const SlRenderer *renderer)
{
    const SlPixelRegion *r = &renderer->region;
    return !renderer->kind->regions && (r->width < renderer->width || r->height < renderer->height);
}

/* The region's rows out of all of the picture, in units of `bytes` a pixel. */
static void cut_rows(const SlRenderer *renderer, const void *all, size_t bytes, void *part)
{
    const SlPixelRegion *r = &renderer->region;
    for (size_t y = 0; y < r->height; y++)
        memcpy((char *)part + y * r->width * bytes,
               (const char *)all + ((r->y + y) * renderer->width + r->x) * bytes, r->width * bytes);
}

/* Fills a target of the region's size. */
static SlStatus resolve_region(SlRenderer *renderer, SlTarget *target, SlError *error)
{
    enum { MAX_PLANES = 16 };
    const char *names[MAX_PLANES];
    const SlPlaneInfo *info;
    size_t count = 0;
    SlTarget *all = NULL;
    if (!needs_cut(renderer))
        return renderer->kind->resolve(renderer->state, target, error);
    while (count < MAX_PLANES && (info = sl_target_plane_info(target, count)) != NULL)
        names[count++] = info->name;
    SlStatus status = sl_target_create(renderer->context, renderer->width, renderer->height, names, count,
                                       &all, error);
    if (status == SL_OK)
        status = renderer->kind->resolve(renderer->state, all, error);
    for (size_t k = 0; status == SL_OK && k < count; k++)
        cut_rows(renderer, sl_target_plane(all, names[k]),
                 sl_plane_info(names[k])->channels * sizeof(float), sl_target_plane(target, names[k]));
    sl_target_destroy(all);
    return status;
}

SlStatus sl_render_resolve(SlRenderer *renderer, SlTarget *target, SlError *error)
{
    SlStatus status = check_resolvable(renderer, error);
    if (status != SL_OK)
        return status;
    const SlPixelRegion *r = &renderer->region;
    if (sl_target_width(target) != r->width || sl_target_height(target) != r->height)
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "a target of %u × %u pixels for pictures of %u × %u",
                            sl_target_width(target), sl_target_height(target), r->width, r->height);
    const SlPlaneInfo *info;
    for (size_t k = 0; (info = sl_target_plane_info(target, k)) != NULL; k++) {
        size_t plane = find_plane(renderer->kind, info->name);
        if (plane == renderer->kind->plane_count || !(renderer->planes >> plane & 1))
            return sl_error_set(error, SL_ERROR_ARGUMENT,
                                "the target's plane \"%s\" was not named in the job", info->name);
    }
    return resolve_region(renderer, target, error);
}

/* The renderer's own image, of the region's size. */
static SlStatus make_image(SlRenderer *renderer, SlError *error)
{
    const SlPixelRegion *r = &renderer->region;
    if (renderer->image.pixels != NULL &&
        (renderer->image.width != r->width || renderer->image.height != r->height))
        sl_image_destroy(renderer->context, &renderer->image);
    return renderer->image.pixels != NULL
               ? SL_OK
               : sl_image_create(renderer->context, r->width, r->height, &renderer->image, error);
}

/* The plane "color", tone mapped. */
static SlStatus image_of_color(SlRenderer *renderer, const SlImage **image, SlError *error)
{
    static const char *const planes[] = {"color"};
    const SlPixelRegion *r = &renderer->region;
    if (renderer->color != NULL &&
        (sl_target_width(renderer->color) != r->width || sl_target_height(renderer->color) != r->height)) {
        sl_target_destroy(renderer->color);
        renderer->color = NULL;
    }
    SlStatus status = make_image(renderer, error);
    if (status == SL_OK && renderer->color == NULL)
        status = sl_target_create(renderer->context, r->width, r->height, planes, 1, &renderer->color,
                                  error);
    if (status == SL_OK)
        status = resolve_region(renderer, renderer->color, error);
    if (status == SL_OK)
        status = sl_target_image_at(renderer->color, renderer->tone, r->x, r->y, &renderer->image, error);
    *image = &renderer->image;
    return status;
}

/* The kind's image, or its part. */
static SlStatus image_of_kind(SlRenderer *renderer, const SlImage **image, SlError *error)
{
    SlStatus status = renderer->kind->image(renderer->state, image, error);
    if (status != SL_OK || !needs_cut(renderer))
        return status;
    status = make_image(renderer, error);
    if (status != SL_OK)
        return status;
    cut_rows(renderer, (*image)->pixels, 3, renderer->image.pixels);
    *image = &renderer->image;
    return SL_OK;
}

SlStatus sl_render_image(SlRenderer *renderer, const SlImage **image, SlError *error)
{
    double mark = sl_seconds();
    SlStatus status = check_resolvable(renderer, error);
    if (status == SL_OK)
        status = renderer->kind->image != NULL
                     ? image_of_kind(renderer, image, error)
                     : image_of_color(renderer, image, error);
    sl_lap(&mark, &renderer->last_ms);
    return status;
}

double sl_render_noise(const SlRenderer *renderer)
{
    if (renderer->kind->noise == NULL)
        return 0;
    bool sampled = renderer->begun && renderer->remaining < renderer->passes;
    return sampled ? renderer->kind->noise(renderer->state) : (double)NAN;
}

void sl_render_report(const SlRenderer *renderer, SlRenderReport *result)
{
    *result = (SlRenderReport){0};
    if (renderer->begun && renderer->kind->report != NULL)
        renderer->kind->report(renderer->state, result);
    result->noise = sl_render_noise(renderer);
    result->seconds = renderer->ended - renderer->began;
}

SlStatus sl_renderer_draw(SlRenderer *renderer, const SlFrameView *view, const SlCamera *camera,
                          const SlImage **image, SlError *error)
{
    SlRenderJob job = sl_default_render_job(view);
    job.camera = camera;
    SlStatus status = sl_render_begin(renderer, &job, error);
    uint32_t remaining = 1;
    while (status == SL_OK && remaining > 0)
        status = sl_render_accumulate(renderer, &remaining, error);
    return status == SL_OK ? sl_render_image(renderer, image, error) : status;
}

double sl_renderer_last_ms(const SlRenderer *renderer)
{
    return renderer->last_ms;
}
