/* Images: memory, PNG files through libpng, and how different two images are.

   An image is encoded in memory and written as one atomic file, with fast settings: frame folders hold
   many, and the higher levels of zlib take several times as long for a tenth of the size. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "core/context.h"
#include "sleet/render.h"

#if SLEET_HAVE_PNG
#include <png.h>
#endif

enum { MAX_SIDE = 32768 };

SlStatus sl_image_create(SlContext *context, uint32_t width, uint32_t height, SlImage *image,
                         SlError *error)
{
    *image = (SlImage){0};
    if (width == 0 || height == 0 || width > MAX_SIDE || height > MAX_SIDE)
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "an image of %u × %u pixels; each side may be from 1 to %d", width,
                            height, MAX_SIDE);
    uint8_t *pixels = sl_alloc_zero(&context->memory, 3 * (size_t)width * height, 1);
    if (pixels == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for an image of %u × %u pixels",
                            width, height);
    *image = (SlImage){width, height, pixels};
    return SL_OK;
}

void sl_image_destroy(SlContext *context, SlImage *image)
{
    if (image->pixels != NULL)
        sl_free(&context->memory, image->pixels, 3 * (size_t)image->width * image->height);
    *image = (SlImage){0};
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

/* --- Reading, by libpng's simple interface: it reports errors as text instead of long jumps. --- */

#if SLEET_HAVE_PNG

static const uint64_t max_bytes = (uint64_t)1 << 30; /* of a file */
/* Deflate makes at most 1032 bytes from one, of 8 pixels each. */
static const uint64_t max_pixels_per_byte = 8 * 1040;

static SlStatus decode(SlContext *context, const char *path, size_t bytes, png_image *reader,
                       SlImage *image, SlError *error)
{
    if (reader->width > MAX_SIDE || reader->height > MAX_SIDE)
        return sl_error_set(error, SL_ERROR_PARSE,
                            "%.300s: the picture has %u × %u pixels; at most %d a side are read",
                            path, reader->width, reader->height, MAX_SIDE);
    if ((uint64_t)reader->width * reader->height > max_pixels_per_byte * bytes)
        return sl_error_set(error, SL_ERROR_PARSE,
                            "%.300s: the PNG file is not complete: too short for its %u × %u pixels",
                            path, reader->width, reader->height);
    SlStatus status = sl_image_create(context, reader->width, reader->height, image, error);
    if (status != SL_OK)
        return status;
    reader->format = PNG_FORMAT_RGB;
    /* Without a background libpng composites over what the memory holds: black. */
    if (!png_image_finish_read(reader, NULL, image->pixels, 0, NULL)) {
        sl_image_destroy(context, image);
        return sl_error_set(error, SL_ERROR_PARSE, "%.300s: the PNG file is not complete (%s)", path,
                            reader->message);
    }
    return SL_OK;
}

SlStatus sl_image_read_png(SlContext *context, const char *path, SlImage *image, SlError *error)
{
    *image = (SlImage){0};
    char *data;
    size_t bytes;
    SlStatus status = sl_file_read(&context->memory, path, max_bytes, &data, &bytes, error);
    if (status != SL_OK)
        return status;
    png_image reader = {.version = PNG_IMAGE_VERSION};
    if (png_image_begin_read_from_memory(&reader, data, bytes))
        status = decode(context, path, bytes, &reader, image, error);
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

/* --- Comparison: peak signal-to-noise ratio, and structural similarity [Wang 2004] with the window of
   the paper: Gaussian, 11 × 11 pixels, sigma 1.5; K1 = 0.01, K2 = 0.03. The mean is over all windows
   that lie within the image, as in the authors' program. --- */

enum { WINDOW = SL_SSIM_WINDOW };
static const double peak = 255;

/* Rec. 709 luma of the sRGB bytes. */
static void take_luma(const SlImage *image, double *luma)
{
    size_t count = (size_t)image->width * image->height;
    for (size_t k = 0; k < count; k++) {
        const uint8_t *p = image->pixels + 3 * k;
        luma[k] = 0.2126 * p[0] + 0.7152 * p[1] + 0.0722 * p[2];
    }
}

static void make_window(double window[WINDOW][WINDOW])
{
    const double sigma = 1.5;
    double sum = 0;
    for (int y = 0; y < WINDOW; y++)
        for (int x = 0; x < WINDOW; x++) {
            int u = x - WINDOW / 2, v = y - WINDOW / 2;
            window[y][x] = exp(-(u * u + v * v) / (2 * sigma * sigma));
            sum += window[y][x];
        }
    for (int y = 0; y < WINDOW; y++)
        for (int x = 0; x < WINDOW; x++)
            window[y][x] /= sum;
}

/* [Wang 2004 eq. 13] for the window whose first pixel a and b point at. */
static double similarity(double window[WINDOW][WINDOW], const double *a, const double *b,
                         size_t stride)
{
    const double c1 = (0.01 * peak) * (0.01 * peak), c2 = (0.03 * peak) * (0.03 * peak);
    double mean_a = 0, mean_b = 0, aa = 0, bb = 0, ab = 0;
    for (size_t y = 0; y < WINDOW; y++)
        for (size_t x = 0; x < WINDOW; x++) {
            double w = window[y][x], p = a[y * stride + x], q = b[y * stride + x];
            mean_a += w * p;
            mean_b += w * q;
            aa += w * (p * p);
            bb += w * (q * q);
            ab += w * (p * q);
        }
    aa -= mean_a * mean_a;
    bb -= mean_b * mean_b;
    ab -= mean_a * mean_b;
    return (2 * (mean_a * mean_b) + c1) * (2 * ab + c2) /
           ((mean_a * mean_a + mean_b * mean_b + c1) * (aa + bb + c2));
}

static double mean_similarity(const double *a, const double *b, size_t width, size_t height)
{
    double window[WINDOW][WINDOW], sum = 0;
    size_t columns = width - WINDOW + 1, rows = height - WINDOW + 1;
    make_window(window);
    for (size_t y = 0; y < rows; y++)
        for (size_t x = 0; x < columns; x++)
            sum += similarity(window, a + y * width + x, b + y * width + x, width);
    return sum / ((double)columns * (double)rows);
}

SlStatus sl_image_compare(SlContext *context, const SlImage *a, const SlImage *b,
                          SlImageDistance *distance, SlError *error)
{
    if (a->width != b->width || a->height != b->height)
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "the pictures have %u × %u and %u × %u pixels; they must be of one size",
                            a->width, a->height, b->width, b->height);
    if (a->width < WINDOW || a->height < WINDOW)
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "the pictures have %u × %u pixels; at least %d a side are compared",
                            a->width, a->height, WINDOW);
    size_t count = (size_t)a->width * a->height;
    SlMemory *memory = &context->memory;
    double *luma = sl_alloc(memory, 2 * count * sizeof *luma);
    if (luma == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory to compare %u × %u pixels",
                            a->width, a->height);
    take_luma(a, luma);
    take_luma(b, luma + count);
    distance->ssim = mean_similarity(luma, luma + count, a->width, a->height);
    sl_free(memory, luma, 2 * count * sizeof *luma);
    uint64_t squares = 0;
    distance->max_difference = 0;
    for (size_t k = 0; k < 3 * count; k++) {
        uint32_t off = (uint32_t)abs(a->pixels[k] - b->pixels[k]);
        if (off > distance->max_difference)
            distance->max_difference = off;
        squares += (uint64_t)off * off;
    }
    double mean = (double)squares / (double)(3 * count);
    distance->psnr = squares == 0 ? INFINITY : 10 * log10(peak * peak / mean);
    return SL_OK;
}

void sl_image_difference(const SlImage *a, const SlImage *b, uint32_t gain, SlImage *out)
{
    size_t count = 3 * (size_t)a->width * a->height;
    for (size_t k = 0; k < count; k++) {
        uint32_t off = gain * (uint32_t)abs(a->pixels[k] - b->pixels[k]);
        out->pixels[k] = (uint8_t)(off < 255 ? off : 255);
    }
}
