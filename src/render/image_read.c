/* PNG files read back through libpng's simple interface, which reports errors as text instead of by
   long jumps. */
#include "config.h"
#include "core/context.h"
#include "render/image.h"

#if SLEET_HAVE_PNG

#include <png.h>

/* More than any picture a screen or a paper shows; a broken head must not ask for all memory. */
enum { MOST_SIDE = 32768 };
static const uint64_t most_bytes = (uint64_t)1 << 30;

static SlStatus decode(SlContext *context, const char *path, png_image *reader, SlImage *image,
                       SlError *error)
{
    if (reader->width > MOST_SIDE || reader->height > MOST_SIDE)
        return sl_error_set(error, SL_ERROR_PARSE,
                            "%.300s: the picture has %u × %u pixels; at most %d a side are read",
                            path, reader->width, reader->height, MOST_SIDE);
    SlStatus status = sl_image_init(&context->memory, reader->width, reader->height, image, error);
    if (status != SL_OK)
        return status;
    reader->format = PNG_FORMAT_RGB;
    /* No background is given: libpng lays the picture over the black that is there. */
    if (!png_image_finish_read(reader, NULL, image->pixels, 0, NULL)) {
        sl_image_free(&context->memory, image);
        return sl_error_set(error, SL_ERROR_PARSE, "%.300s: not a whole PNG file (%s)", path,
                            reader->message);
    }
    return SL_OK;
}

SlStatus sl_image_read_png(SlContext *context, const char *path, SlImage *image, SlError *error)
{
    *image = (SlImage){0};
    char *data;
    size_t bytes;
    SlStatus status = sl_file_read(&context->memory, path, most_bytes, &data, &bytes, error);
    if (status != SL_OK)
        return status;
    png_image reader = {.version = PNG_IMAGE_VERSION};
    if (png_image_begin_read_from_memory(&reader, data, bytes))
        status = decode(context, path, &reader, image, error);
    else
        status = sl_error_set(error, SL_ERROR_PARSE, "%.300s: not a PNG file (%s)", path,
                              reader.message);
    png_image_free(&reader);
    sl_free(&context->memory, data, bytes + 1);
    return status;
}

#else

SlStatus sl_image_read_png(SlContext *context, const char *path, SlImage *image, SlError *error)
{
    (void)context;
    *image = (SlImage){0};
    return sl_error_set(error, SL_ERROR_UNSUPPORTED,
                        "%.300s: this Sleet was built without libpng; install libpng-dev and "
                        "build again to read pictures",
                        path);
}

#endif
