/* What was drawn: the picture as an image, and the planes of a target. */
#include <math.h>
#include <string.h>

#include "core/context.h"
#include "render/water/water.h"

enum { ROWS = 8 };

/* --- The image. --- */

/* Linear light to display-linear: the filmic curve of the Academy's reference transform, as fitted by
   Narkowicz 2015. */
static float filmic(float x)
{
    float y = x * (2.51f * x + 0.03f) / (x * (2.43f * x + 0.59f) + 0.14f);
    return fminf(fmaxf(y, 0), 1);
}

void sl_water_tone(float table[SL_TONE_SIZE])
{
    for (int k = 0; k < SL_TONE_SIZE; k++) {
        float root = (float)k / (SL_TONE_SIZE - 1) * SL_TONE_ROOT;
        table[k] = 255 * sl_linear_to_srgb(filmic(root * root));
    }
}

typedef struct Tone {
    const SlWaterFrame *frame;
    const float *table;
    const SlImage *image;
} Tone;

static void tone_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Tone *tone = argument;
    const SlWaterFrame *f = tone->frame;
    uint32_t width = f->width;
    for (size_t y = begin; y < end; y++)
        for (size_t x = 0; x < width; x++)
            for (size_t k = 0; k < 3; k++) {
                size_t at = 3 * (y * width + x) + k;
                float root = sqrtf(fmaxf(f->light[at], 0)) / SL_TONE_ROOT;
                size_t entry = (size_t)(fminf(root, 1) * (SL_TONE_SIZE - 1) + 0.5f);
                float value = tone->table[entry] + sl_dither((uint32_t)x, (uint32_t)y);
                tone->image->pixels[at] = (uint8_t)fminf(value, 255);
            }
}

void sl_water_image(SlContext *context, const SlWaterFrame *frame, const float *tone,
                    const SlImage *image)
{
    Tone job = {frame, tone, image};
    sl_parallel_for(context->pool, frame->height, ROWS, tone_chunk, &job);
}

/* --- Planes. --- */

typedef struct Resolve {
    const SlWaterFrame *frame;
    float *color, *depth, *normal; /* NULL: not in the target */
} Resolve;

static void resolve_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Resolve *r = argument;
    const SlWaterFrame *f = r->frame;
    const SlCameraFrame *c = &f->back->camera;
    for (size_t y = begin; y < end; y++)
        for (size_t x = 0; x < f->width; x++) {
            size_t at = sl_water_at(f, x, y), out = y * f->width + x;
            float solid = f->back->depth[(y + SL_MARGIN) * f->back->stride + x + SL_MARGIN];
            bool wet = f->near.coverage[at] >= 0.5f;
            float z = wet ? f->near.depth[at] : solid;
            if (r->color != NULL)
                memcpy(r->color + 3 * out, f->light + 3 * out, 3 * sizeof(float));
            if (r->depth != NULL)
                r->depth[out] = z < SL_DEPTH_NONE ? z : INFINITY;
            if (r->normal != NULL) {
                SlVec3 n = sl_add(sl_add(sl_scale(c->right, f->near.normal[0][at]),
                                         sl_scale(c->up, f->near.normal[1][at])),
                                  sl_scale(c->forward, f->near.normal[2][at]));
                n = wet ? n : sl_vec3(0, 0, 0);
                memcpy(r->normal + 3 * out, &n, 3 * sizeof(float));
            }
        }
}

void sl_water_resolve(SlContext *context, const SlWaterFrame *frame, SlTarget *target)
{
    Resolve job = {frame, sl_target_plane(target, "color"), sl_target_plane(target, "depth"),
                   sl_target_plane(target, "normal")};
    sl_parallel_for(context->pool, frame->height, ROWS, resolve_chunk, &job);
}
