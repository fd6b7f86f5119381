/* Image memory of a context, and PNG files read back. */
#ifndef RENDER_IMAGE_H
#define RENDER_IMAGE_H

#include "core/memory.h"
#include "sleet/render.h"

SlStatus sl_image_init(SlMemory *memory, uint32_t width, uint32_t height, SlImage *image,
                       SlError *error);
void sl_image_free(SlMemory *memory, SlImage *image);

/* Any PNG as 8-bit sRGB; what is transparent lies on black. *image is the context's memory:
   sl_image_free. After a failure there is nothing to free. SL_ERROR_UNSUPPORTED without libpng. */
SlStatus sl_image_read_png(SlContext *context, const char *path, SlImage *image, SlError *error);

/* --- How far two pictures of one size are apart. --- */

typedef struct SlImageDistance {
    double psnr;   /* dB, over all channels; infinite for equal pictures */
    double ssim;   /* -1 to 1, of luma; 1 for equal pictures */
    uint32_t most; /* largest difference of a channel, of 255 */
} SlImageDistance;

enum { SL_SSIM_WINDOW = 11 }; /* pixels a side; pictures must have as many */

/* Different sizes, or a side below the window: SL_ERROR_ARGUMENT. */
SlStatus sl_image_compare(SlMemory *memory, const SlImage *a, const SlImage *b,
                          SlImageDistance *distance, SlError *error);

/* |a - b| times gain, cut at 255, into `out`; all three of one size. */
void sl_image_difference(const SlImage *a, const SlImage *b, uint32_t gain, SlImage *out);

#endif
