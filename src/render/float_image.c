/* Images of floats: memory, and EXR and PNG files as linear light. */
#include "render/float_image.h"

#include <math.h>
#include <string.h>

#include "core/context.h"
#include "render/color.h"

enum { MAX_SIDE = 32768 };
static const uint64_t max_bytes = (uint64_t)2 << 30; /* of a file */
static const float max_light = 65504;                /* the largest half */

SlStatus sl_float_image_create(SlContext *context, uint32_t width, uint32_t height,
                               SlFloatImage *image, SlError *error)
{
    *image = (SlFloatImage){0};
    if (width == 0 || height == 0 || width > MAX_SIDE || height > MAX_SIDE)
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "an image of %u × %u pixels; each side may be from 1 to %d", width,
                            height, MAX_SIDE);
    float *pixels = sl_alloc_zero(&context->memory, 3 * (size_t)width * height, sizeof *pixels);
    if (pixels == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for an image of %u × %u pixels",
                            width, height);
    *image = (SlFloatImage){width, height, pixels};
    return SL_OK;
}

void sl_float_image_destroy(SlContext *context, SlFloatImage *image)
{
    if (image->pixels != NULL)
        sl_free(&context->memory, image->pixels,
                3 * (size_t)image->width * image->height * sizeof(float));
    *image = (SlFloatImage){0};
}

/* Light in [0, max_light]; what is not a number is 0. */
static void limit(SlFloatImage *image)
{
    size_t count = 3 * (size_t)image->width * image->height;
    for (size_t k = 0; k < count; k++) {
        float value = image->pixels[k];
        image->pixels[k] = value > 0 ? (value < max_light ? value : max_light) : 0;
    }
}

static SlStatus from_png(SlContext *context, const char *path, SlFloatImage *image, SlError *error)
{
    SlImage bytes;
    SlStatus status = sl_image_read_png(context, path, &bytes, error);
    if (status != SL_OK)
        return status;
    status = sl_float_image_create(context, bytes.width, bytes.height, image, error);
    if (status == SL_OK) {
        float linear[256];
        for (int k = 0; k < 256; k++)
            linear[k] = sl_srgb_to_linear((float)k / 255);
        size_t count = 3 * (size_t)bytes.width * bytes.height;
        for (size_t k = 0; k < count; k++)
            image->pixels[k] = linear[bytes.pixels[k]];
    }
    sl_image_destroy(context, &bytes);
    return status;
}

SlStatus sl_float_image_read(SlContext *context, const char *path, SlFloatImage *image,
                             SlError *error)
{
    static const unsigned char exr[4] = {0x76, 0x2f, 0x31, 0x01}, png[4] = {0x89, 'P', 'N', 'G'};
    *image = (SlFloatImage){0};
    char *data;
    size_t bytes;
    SlStatus status = sl_file_read(&context->memory, path, max_bytes, &data, &bytes, error);
    if (status != SL_OK)
        return status;
    bool is_exr = bytes >= 4 && memcmp(data, exr, 4) == 0;
    bool is_png = bytes >= 4 && memcmp(data, png, 4) == 0;
    if (is_exr) {
        status = sl_exr_decode(context, path, data, bytes, image, error);
        if (status == SL_OK)
            limit(image);
    } else if (!is_png)
        status = sl_error_set(error, SL_ERROR_PARSE,
                              "%.300s: neither an EXR nor a PNG file by its first bytes", path);
    sl_free(&context->memory, data, bytes + 1);
    return is_png ? from_png(context, path, image, error) : status;
}
