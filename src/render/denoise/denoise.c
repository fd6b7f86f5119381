/* Which denoiser a picture gets, and planes without values that would spoil it (denoise.h). */
#include "render/denoise/denoise.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "render/denoise/filter.h"
#include "render/denoise/oidn.h"

typedef struct Clean {
    const float *from;
    float *to;
    float low, high;
} Clean;

static void clean_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Clean *c = argument;
    for (size_t k = begin; k < end; k++) {
        float value = isfinite(c->from[k]) ? c->from[k] : 0;
        c->to[k] = value < c->low ? c->low : value > c->high ? c->high : value;
    }
}

/* A copy of a plane on the arena with finite values in a range, also as *own; NULL of NULL. */
static SlStatus clean(SlContext *context, const SlDenoiseJob *job, const float **plane, const float range[2],
                      float **own, SlError *error)
{
    *own = NULL;
    if (*plane == NULL)
        return SL_OK;
    size_t count = 3 * (size_t)job->width * job->height;
    Clean c = {*plane, SL_PUSH(&context->arena, float, count), range[0], range[1]};
    if (c.to == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY,
                            "no memory to denoise a picture of %u × %u pixels", job->width,
                            job->height);
    sl_parallel_for(context->pool, count, 65536, clean_chunk, &c);
    *plane = *own = c.to;
    return SL_OK;
}

static void say(const SlDenoiseJob *job, const char *text)
{
    if (job->used != NULL)
        snprintf(job->used, SL_DENOISE_TEXT, "%s", text);
}

/* The method that AUTO stands for here; `oidn` is loaded where it is used. */
static SlStatus choose(const SlDenoiseSettings *settings, SlOidn *oidn, SlDenoiseMethod *method,
                       SlError *error)
{
    *method = settings->method;
    if (*method != SL_DENOISE_AUTO && *method != SL_DENOISE_OIDN)
        return SL_OK;
    bool given;
    SlStatus status = sl_oidn_load(settings->path, oidn, &given, error);
    bool fall_back = status != SL_OK && *method == SL_DENOISE_AUTO && !given;
    *method = fall_back ? SL_DENOISE_FILTER : SL_DENOISE_OIDN;
    return fall_back ? SL_OK : status;
}

SlStatus sl_denoise_check(const SlDenoiseSettings *settings, SlError *error)
{
    SlOidn oidn;
    SlDenoiseMethod method;
    return choose(settings, &oidn, &method, error);
}

SlStatus sl_denoise(SlContext *context, const SlDenoiseJob *given, const SlDenoiseSettings *settings,
                    SlError *error)
{
    SlDenoiseJob job = *given;
    SlDenoiseMethod method;
    SlOidn oidn;
    size_t bytes = 3 * (size_t)job.width * job.height * sizeof(float);
    SlStatus status = choose(settings, &oidn, &method, error);
    if (status != SL_OK)
        return status;
    if (method == SL_DENOISE_NONE) {
        memmove(job.output, job.color, bytes);
        say(&job, "none");
        return SL_OK;
    }
    SlArenaMark mark = sl_arena_mark(&context->arena);
    static const float light[2] = {0, 1e12f}, reflectance[2] = {0, 1}, direction[2] = {-1, 1};
    float *color, *guides[2];
    status = clean(context, &job, &job.color, light, &color, error);
    if (status == SL_OK)
        status = clean(context, &job, &job.albedo, reflectance, &guides[0], error);
    if (status == SL_OK)
        status = clean(context, &job, &job.normal, direction, &guides[1], error);
    if (status == SL_OK && method == SL_DENOISE_OIDN) {
        status = sl_oidn_run(context, &oidn, &job, guides, error);
    } else if (status == SL_OK) {
        status = sl_denoise_filter(context, &job, error);
        say(&job, "own filter");
    }
    sl_arena_release(&context->arena, mark);
    return status;
}
