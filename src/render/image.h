/* Image memory of a context. */
#ifndef RENDER_IMAGE_H
#define RENDER_IMAGE_H

#include "core/memory.h"
#include "sleet/render.h"

SlStatus sl_image_init(SlMemory *memory, uint32_t width, uint32_t height, SlImage *image,
                       SlError *error);
void sl_image_free(SlMemory *memory, SlImage *image);

#endif
