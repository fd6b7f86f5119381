/* Sums of samples, their noise, and the planes of a target (film.h). */
#include "render/path/film.h"

#include <math.h>
#include <string.h>

#include "render/renderer.h"

void sl_film_init(SlFilm *film, SlContext *context)
{
    *film = (SlFilm){.context = context};
    sl_arena_init(&film->arena, &context->memory);
}

void sl_film_free(SlFilm *film)
{
    if (film->context != NULL)
        sl_arena_free(&film->arena);
}

/* --- The sums. --- */

static size_t pixels(const SlFilm *film)
{
    return (size_t)film->width * film->height;
}

static float *plane(SlFilm *film, bool wanted, size_t channels, bool *ready)
{
    size_t count = channels * pixels(film);
    float *p = wanted && *ready ? SL_PUSH(&film->arena, float, count) : NULL;
    if (p != NULL)
        memset(p, 0, count * sizeof *p);
    *ready = *ready && (!wanted || p != NULL);
    return p;
}

SlStatus sl_film_begin(SlFilm *film, const SlPixelRegion *region, const SlRenderJob *job, bool denoised,
                       SlError *error)
{
    bool ready = true;
    sl_arena_reset(&film->arena);
    film->samples = 0;
    film->width = region->width;
    film->height = region->height;
    film->color = plane(film, true, 3, &ready);
    film->squares = plane(film, true, 1, &ready);
    film->albedo = plane(film, denoised || sl_job_names(job, "albedo"), 3, &ready);
    film->normal = plane(film, denoised || sl_job_names(job, "normal"), 3, &ready);
    film->depth = plane(film, sl_job_names(job, "depth"), 1, &ready);
    film->velocity = plane(film, sl_job_names(job, "velocity"), 3, &ready);
    return ready ? SL_OK
                 : sl_error_set(error, SL_ERROR_MEMORY, "no memory for pictures of %u × %u pixels",
                                film->width, film->height);
}

static void add3(float *at, SlVec3 v)
{
    at[0] += v.x;
    at[1] += v.y;
    at[2] += v.z;
}

void sl_film_add(SlFilm *film, size_t k, const SlPathResult *sample, float depth)
{
    float luminance = sl_luminance(sample->light);
    add3(film->color + 3 * k, sample->light);
    film->squares[k] += luminance * luminance;
    if (film->albedo != NULL)
        add3(film->albedo + 3 * k, sample->albedo);
    if (film->normal != NULL)
        add3(film->normal + 3 * k, sample->normal);
    if (film->samples > 0)
        return;
    if (film->depth != NULL)
        film->depth[k] = depth;
    if (film->velocity != NULL)
        memcpy(film->velocity + 3 * k, &sample->velocity, sizeof sample->velocity);
}

double sl_film_noise(const SlFilm *film)
{
    size_t count = pixels(film);
    double n = film->samples, sum = 0, variance = 0;
    if (film->samples < 2)
        return (double)NAN;
    for (size_t k = 0; k < count; k++) {
        const float *c = film->color + 3 * k;
        double mean = (double)sl_luminance(sl_vec3(c[0], c[1], c[2])) / n;
        sum += mean;
        variance += fmax((double)film->squares[k] / n - mean * mean, 0) / (n - 1);
    }
    return sum > 0 ? sqrt(variance / (double)count) / (sum / (double)count) : 0;
}

/* --- The planes. --- */

static void scale_plane(float *to, const float *from, size_t count, float scale)
{
    for (size_t k = 0; to != NULL && k < count; k++)
        to[k] = from[k] * scale;
}

static SlStatus denoise(SlFilm *film, const SlDenoiseSettings *settings, float *color, char *used,
                        SlError *error)
{
    size_t count = pixels(film);
    float scale = 1 / (float)(film->samples > 0 ? film->samples : 1);
    float over = film->samples > 1 ? 1 / (float)(film->samples - 1) : 1;
    float *albedo = SL_PUSH(&film->arena, float, 3 * count);
    float *normal = SL_PUSH(&film->arena, float, 3 * count);
    float *variance = SL_PUSH(&film->arena, float, count);
    if (albedo == NULL || normal == NULL || variance == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory to denoise %u × %u pixels", film->width,
                            film->height);
    scale_plane(albedo, film->albedo, 3 * count, scale);
    scale_plane(normal, film->normal, 3 * count, scale);
    for (size_t k = 0; k < count; k++) {
        float mean = sl_luminance(sl_vec3(color[3 * k], color[3 * k + 1], color[3 * k + 2]));
        variance[k] = fmaxf(film->squares[k] * scale - mean * mean, 0) * over;
    }
    SlDenoiseJob job = {.width = film->width, .height = film->height, .color = color,
                        .albedo = albedo, .normal = normal,
                        .variance = film->samples > 1 ? variance : NULL,
                        .output = color, .used = used};
    return sl_denoise(film->context, &job, settings, error);
}

/* The means of the samples, denoised, into `color`. */
static SlStatus resolve_color(SlFilm *film, const SlDenoiseSettings *settings, float *color, char *used,
                              SlError *error)
{
    float scale = 1 / (float)(film->samples > 0 ? film->samples : 1);
    scale_plane(color, film->color, 3 * pixels(film), scale);
    if (settings->method == SL_DENOISE_NONE)
        return SL_OK;
    SlArenaMark mark = sl_arena_mark(&film->arena);
    SlStatus status = denoise(film, settings, color, used, error);
    sl_arena_release(&film->arena, mark);
    return status;
}

SlStatus sl_film_resolve(SlFilm *film, const SlDenoiseSettings *settings, SlTarget *target, char *used,
                         SlError *error)
{
    size_t count = pixels(film);
    float scale = 1 / (float)(film->samples > 0 ? film->samples : 1);
    float *color = sl_target_plane(target, "color"), *normal = sl_target_plane(target, "normal");
    scale_plane(sl_target_plane(target, "albedo"), film->albedo, 3 * count, scale);
    scale_plane(sl_target_plane(target, "depth"), film->depth, count, 1);
    scale_plane(sl_target_plane(target, "velocity"), film->velocity, 3 * count, 1);
    for (size_t k = 0; normal != NULL && k < count; k++) {
        SlVec3 n = {film->normal[3 * k], film->normal[3 * k + 1], film->normal[3 * k + 2]};
        n = sl_dot(n, n) > 1e-12f ? sl_unit(n) : sl_vec3(0, 0, 0);
        memcpy(normal + 3 * k, &n, sizeof n);
    }
    return color != NULL ? resolve_color(film, settings, color, used, error) : SL_OK;
}
