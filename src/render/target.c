/* Targets: memory for named planes of floats, and the plane "color" as an 8-bit image. */
#include "render/target.h"

#include <math.h>
#include <string.h>

#include "core/context.h"
#include "render/color.h"

enum { MAX_SIDE = 32768, MAX_PLANES = 8 };

/* The list of planes: a new one is a line here. Renderers name those they fill. */
static const SlPlaneInfo infos[] = {
    {"color", 3, "", "linear light, Rec. 709 primaries, before tone mapping"},
    {"depth", 1, "m", "along the view direction; infinite where nothing is"},
    {"normal", 3, "", "unit, world space, towards the camera; zero where nothing is"},
    {"albedo", 3, "", "diffuse reflectance, linear; zero where nothing is"},
    {"velocity", 3, "m/s", "world space; zero where nothing is"},
};

enum { INFO_COUNT = sizeof infos / sizeof infos[0] };
_Static_assert((int)INFO_COUNT <= (int)MAX_PLANES, "a target has room for every plane");

struct SlTarget {
    SlContext *context;
    uint32_t width, height;
    size_t plane_count;
    struct {
        const SlPlaneInfo *info;
        float *data;
    } planes[MAX_PLANES];
};

const SlPlaneInfo *sl_plane_infos(size_t *count)
{
    *count = INFO_COUNT;
    return infos;
}

const SlPlaneInfo *sl_plane_info(const char *name)
{
    for (size_t k = 0; k < INFO_COUNT; k++)
        if (strcmp(infos[k].name, name) == 0)
            return &infos[k];
    return NULL;
}

const SlPlaneInfo *sl_target_plane_info(const SlTarget *target, size_t index)
{
    return index < target->plane_count ? target->planes[index].info : NULL;
}

SlContext *sl_target_context(const SlTarget *target)
{
    return target->context;
}

static size_t plane_floats(const SlTarget *target, const SlPlaneInfo *info)
{
    return (size_t)target->width * target->height * info->channels;
}

static SlStatus unknown_plane(const char *name, SlError *error)
{
    const char *names[INFO_COUNT];
    for (size_t k = 0; k < INFO_COUNT; k++)
        names[k] = infos[k].name;
    const char *near = sl_nearest_name(name, names, INFO_COUNT);
    return sl_error_set(error, SL_ERROR_ARGUMENT,
                        "unknown plane \"%.40s\"; %s \"%s\"%s", name,
                        near != NULL ? "did you mean" : "the first is",
                        near != NULL ? near : names[0], near != NULL ? "?" : "");
}

static SlStatus add_plane(SlTarget *target, const char *name, SlError *error)
{
    const SlPlaneInfo *info = sl_plane_info(name);
    if (info == NULL)
        return unknown_plane(name, error);
    if (sl_target_plane(target, name) != NULL)
        return sl_error_set(error, SL_ERROR_ARGUMENT, "the plane \"%s\" is named twice", name);
    size_t count = plane_floats(target, info);
    float *data = sl_alloc_zero(&target->context->memory, count, sizeof *data);
    if (data == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for the plane \"%s\" of %u × %u pixels",
                            name, target->width, target->height);
    target->planes[target->plane_count].info = info;
    target->planes[target->plane_count++].data = data;
    return SL_OK;
}

SlStatus sl_target_create(SlContext *context, uint32_t width, uint32_t height,
                          const char *const *planes, size_t plane_count, SlTarget **result,
                          SlError *error)
{
    *result = NULL;
    if (width == 0 || height == 0 || width > MAX_SIDE || height > MAX_SIDE)
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "a target of %u × %u pixels; each side may be from 1 to %d", width,
                            height, MAX_SIDE);
    SlTarget *target = sl_alloc_zero(&context->memory, 1, sizeof *target);
    if (target == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for a target");
    *target = (SlTarget){.context = context, .width = width, .height = height};
    SlStatus status = SL_OK;
    for (size_t k = 0; status == SL_OK && k < plane_count; k++)
        status = add_plane(target, planes[k], error);
    if (status != SL_OK) {
        sl_target_destroy(target);
        return status;
    }
    *result = target;
    return SL_OK;
}

void sl_target_destroy(SlTarget *target)
{
    if (target == NULL)
        return;
    SlMemory *memory = &target->context->memory;
    for (size_t k = 0; k < target->plane_count; k++)
        sl_free(memory, target->planes[k].data,
                plane_floats(target, target->planes[k].info) * sizeof(float));
    sl_free(memory, target, sizeof *target);
}

uint32_t sl_target_width(const SlTarget *target)
{
    return target->width;
}

uint32_t sl_target_height(const SlTarget *target)
{
    return target->height;
}

float *sl_target_plane(const SlTarget *target, const char *name)
{
    for (size_t k = 0; k < target->plane_count; k++)
        if (strcmp(target->planes[k].info->name, name) == 0)
            return target->planes[k].data;
    return NULL;
}

typedef struct ToneMap {
    const float *color;
    uint32_t width, x, y; /* x, y: of the first pixel in the picture */
    uint8_t *pixels;
    float table[SL_TONE_SIZE];
} ToneMap;

/* The kernel `pixels` of the splat renderer does the same eight pixels at a time. */
static void tone_map_rows(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const ToneMap *map = argument;
    for (size_t y = begin; y < end; y++)
        for (uint32_t x = 0; x < map->width; x++) {
            float noise = sl_dither(map->x + x, map->y + (uint32_t)y);
            for (size_t k = 0; k < 3; k++) {
                size_t at = 3 * (y * map->width + x) + k;
                float light = map->color[at] > 0 ? map->color[at] : 0; /* NaN becomes 0 */
                float entry = sqrtf(light) * ((SL_TONE_SIZE - 1) / SL_TONE_ROOT);
                entry = entry < SL_TONE_SIZE - 1 ? entry : SL_TONE_SIZE - 1;
                map->pixels[at] = (uint8_t)(map->table[(int)entry] + noise);
            }
        }
}

SlStatus sl_target_image(const SlTarget *target, SlImage *image, SlError *error)
{
    return sl_target_image_with(target, SL_TONE_SOFT, image, error);
}

SlStatus sl_target_image_with(const SlTarget *target, SlTone tone, SlImage *image, SlError *error)
{
    return sl_target_image_at(target, tone, 0, 0, image, error);
}

SlStatus sl_target_image_at(const SlTarget *target, SlTone tone, uint32_t x, uint32_t y, SlImage *image,
                            SlError *error)
{
    ToneMap map = {.color = sl_target_plane(target, "color"),
                   .width = target->width,
                   .x = x,
                   .y = y,
                   .pixels = image->pixels};
    if (map.color == NULL)
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "the target has no plane \"color\"; an image is made from it");
    if (image->width != target->width || image->height != target->height)
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "an image of %u × %u pixels for a target of %u × %u", image->width,
                            image->height, target->width, target->height);
    sl_tone_table_of(tone, map.table);
    sl_parallel_for(target->context->pool, target->height, 16, tone_map_rows, &map);
    return SL_OK;
}
