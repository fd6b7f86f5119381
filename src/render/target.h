/* A target: named planes of floats that a renderer fills (sleet/render.h). */
#ifndef RENDER_TARGET_H
#define RENDER_TARGET_H

#include "sleet/render.h"

/* The description of a plane; NULL: there is none of that name. */
const SlPlaneInfo *sl_plane_info(const char *name);
/* The planes of a target in their order; NULL at the end. */
const SlPlaneInfo *sl_target_plane_info(const SlTarget *target, size_t index);

/* sl_target_image_with of a target whose first pixel is (x, y) of the picture: the dither is that of
   the picture. */
SlStatus sl_target_image_at(const SlTarget *target, SlTone tone, uint32_t x, uint32_t y, SlImage *image,
                            SlError *error);

/* That it was made with. */
SlContext *sl_target_context(const SlTarget *target);

#endif
