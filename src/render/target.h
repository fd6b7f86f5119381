/* A target: named planes of floats that a renderer fills (sleet/render.h). */
#ifndef RENDER_TARGET_H
#define RENDER_TARGET_H

#include "sleet/render.h"

/* The description of a plane; NULL: there is none of that name. */
const SlPlaneInfo *sl_plane_info(const char *name);
/* The planes of a target in their order; NULL at the end. */
const SlPlaneInfo *sl_target_plane_info(const SlTarget *target, size_t index);

/* That it was made with. */
SlContext *sl_target_context(const SlTarget *target);

#endif
