/* Image memory, and PNG files through libpng. A picture is encoded in memory and then written as
   one atomic file. Fast settings: galleries and frame folders write many, and zlib's higher levels
   take several times as long for a tenth of the size. */
#include "render/image.h"

#include <string.h>

#include "config.h"
#include "core/context.h"

#if SLEET_HAVE_PNG
#include <png.h>
#endif

SlStatus sl_image_init(SlMemory *memory, uint32_t width, uint32_t height, SlImage *image,
                       SlError *error)
{
    *image = (SlImage){.width = width, .height = height};
    size_t bytes = 3 * (size_t)width * height;
    image->pixels = sl_alloc(memory, bytes);
    if (image->pixels == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for an image of %u × %u pixels",
                            width, height);
    memset(image->pixels, 0, bytes);
    return SL_OK;
}

void sl_image_free(SlMemory *memory, SlImage *image)
{
    sl_free(memory, image->pixels, 3 * (size_t)image->width * image->height);
    image->pixels = NULL;
}

#if SLEET_HAVE_PNG

typedef struct Encoded {
    SlMemory *memory;
    unsigned char *bytes;
    size_t used, room;
} Encoded;

static void png_failed(png_structp png, png_const_charp text)
{
    (void)text;
    png_longjmp(png, 1);
}

static void png_warned(png_structp png, png_const_charp text)
{
    (void)png;
    (void)text;
}

static void png_append(png_structp png, png_bytep data, size_t bytes)
{
    Encoded *out = png_get_io_ptr(png);
    if (bytes > out->room - out->used) {
        size_t room = 2 * out->room + bytes;
        unsigned char *grown = sl_regrow(out->memory, out->bytes, out->room, room, out->used);
        if (grown == NULL)
            png_error(png, "memory");
        out->bytes = grown;
        out->room = room;
    }
    memcpy(out->bytes + out->used, data, bytes);
    out->used += bytes;
}

static void png_flushed(png_structp png)
{
    (void)png;
}

/* False when memory ran out. Apart from its caller because of setjmp: nothing local may change
   between the jump and its target. */
static bool encode(const SlImage *image, png_structp png, png_infop info, Encoded *out)
{
    if (setjmp(png_jmpbuf(png)))
        return false;
    png_set_write_fn(png, out, png_append, png_flushed);
    png_set_IHDR(png, info, image->width, image->height, 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
    png_set_compression_level(png, 2);
    png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_SUB);
    png_write_info(png, info);
    for (uint32_t y = 0; y < image->height; y++)
        png_write_row(png, image->pixels + 3 * (size_t)y * image->width);
    png_write_end(png, info);
    return true;
}

SlStatus sl_image_write_png(SlContext *context, const SlImage *image, const char *path,
                            SlError *error)
{
    if (image->width == 0 || image->height == 0 || image->pixels == NULL)
        return sl_error_set(error, SL_ERROR_ARGUMENT, "%.300s: the image has no pixels", path);
    Encoded out = {.memory = &context->memory};
    out.room = (size_t)image->width * image->height + 4096;
    out.bytes = sl_alloc(out.memory, out.room);
    png_structp png =
        png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, png_failed, png_warned);
    png_infop info = png != NULL ? png_create_info_struct(png) : NULL;
    bool encoded = out.bytes != NULL && info != NULL && encode(image, png, info, &out);
    png_destroy_write_struct(&png, &info);
    SlStatus status =
        encoded ? sl_file_write(&context->file_layer, path, out.bytes, out.used, error)
                : sl_error_set(error, SL_ERROR_MEMORY, "%.300s: no memory to encode the picture",
                               path);
    sl_free(out.memory, out.bytes, out.room);
    return status;
}

#else

SlStatus sl_image_write_png(SlContext *context, const SlImage *image, const char *path,
                            SlError *error)
{
    (void)context;
    (void)image;
    return sl_error_set(error, SL_ERROR_UNSUPPORTED,
                        "%.300s: this Sleet was built without libpng; install libpng-dev and "
                        "build again to write pictures",
                        path);
}

#endif
