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

#endif
