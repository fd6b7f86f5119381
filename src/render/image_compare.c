/* Peak signal-to-noise ratio, and structural similarity after Wang, Bovik, Sheikh and Simoncelli,
   IEEE Transactions on Image Processing 13(4), 2004: Gaussian window of 11 × 11 with sigma 1.5, K1
   0.01, K2 0.03, averaged where the whole window lies in the picture, as the authors' own program
   does. Written plainly; a picture of a screen's size takes under a second. */
#include "render/image_compare.h"

#include <math.h>
#include <stdlib.h>

#include "core/error.h"

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
