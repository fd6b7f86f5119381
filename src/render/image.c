/* Image memory, and PNG files through libpng. A picture is encoded in memory and then written as
   one atomic file. Fast settings: galleries and frame folders write many, and zlib's higher levels
   take several times as long for a tenth of the size. */
#include "render/image.h"

#include <math.h>
#include <png.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "core/context.h"
#include "core/error.h"

#if SLEET_HAVE_PNG
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

/* --- PNG files read back through libpng's simple interface, which reports errors as text instead of by
   long jumps. --- */

#if SLEET_HAVE_PNG


/* More than any picture a screen or a paper shows; a broken head must not ask for all memory. */
enum { MAX_SIDE = 32768 };
static const uint64_t max_bytes = (uint64_t)1 << 30;

static SlStatus decode(SlContext *context, const char *path, png_image *reader, SlImage *image,
                       SlError *error)
{
    if (reader->width > MAX_SIDE || reader->height > MAX_SIDE)
        return sl_error_set(error, SL_ERROR_PARSE,
                            "%.300s: the picture has %u × %u pixels; at most %d a side are read",
                            path, reader->width, reader->height, MAX_SIDE);
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
    SlStatus status = sl_file_read(&context->memory, path, max_bytes, &data, &bytes, error);
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

/* --- Peak signal-to-noise ratio, and structural similarity after Wang, Bovik, Sheikh and Simoncelli,
   IEEE Transactions on Image Processing 13(4), 2004: Gaussian window of 11 × 11 with sigma 1.5, K1
   0.01, K2 0.03, averaged where the whole window lies in the picture, as the authors' own program
   does. Written plainly; a picture of a screen's size takes under a second. --- */

enum { WINDOW = SL_SSIM_WINDOW };
static const double peak = 255;

/* Of the sRGB bytes, by Rec. 709, whose primaries are sRGB's. */
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

/* Wang et al. eq. 13 for the window whose first pixel a and b point at. */
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

SlStatus sl_image_compare(SlMemory *memory, const SlImage *a, const SlImage *b,
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
    double *luma = sl_alloc(memory, 2 * count * sizeof *luma);
    if (luma == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory to compare %u × %u pixels",
                            a->width, a->height);
    take_luma(a, luma);
    take_luma(b, luma + count);
    distance->ssim = mean_similarity(luma, luma + count, a->width, a->height);
    sl_free(memory, luma, 2 * count * sizeof *luma);
    uint64_t squares = 0;
    distance->most = 0;
    for (size_t k = 0; k < 3 * count; k++) {
        uint32_t off = (uint32_t)abs(a->pixels[k] - b->pixels[k]);
        distance->most = off > distance->most ? off : distance->most;
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
