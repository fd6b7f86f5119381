/* How far two pictures of one size are apart. */
#ifndef RENDER_IMAGE_COMPARE_H
#define RENDER_IMAGE_COMPARE_H

#include "core/memory.h"
#include "sleet/render.h"

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
