/* Images of floats, as environment lights need them (sleet/render.h). */
#ifndef RENDER_FLOAT_IMAGE_H
#define RENDER_FLOAT_IMAGE_H

#include "sleet/render.h"

/* A black one. Sides from 1 to 32768. */
SlStatus sl_float_image_create(SlContext *context, uint32_t width, uint32_t height,
                               SlFloatImage *image, SlError *error);
/* The bytes of an EXR file, which are only read; `path` is for messages. Values are as stored, also
   those that are not finite. SL_ERROR_UNSUPPORTED where the library was built without OpenEXR. */
SlStatus sl_exr_decode(SlContext *context, const char *path, char *data, size_t bytes,
                       SlFloatImage *image, SlError *error);

#endif
