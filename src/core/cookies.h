/* The first two words of every definition: a cookie set by its default function, and its size. A
   definition that was not made by its default function, or by that of another version, is refused. */
#ifndef CORE_COOKIES_H
#define CORE_COOKIES_H

#include <string.h>

#include "sleet/base.h"

/* One of each: an enum cannot give two definitions the same cookie by mistake. */
enum {
    SL_COOKIE_CONTEXT = 0x51EE7001,
    SL_COOKIE_WORLD,
    SL_COOKIE_SYSTEM,
    SL_COOKIE_PBF,
    SL_COOKIE_PROJECTIVE,
    SL_COOKIE_SNOW,
    SL_COOKIE_FLUID,
    SL_COOKIE_EMITTER,
    SL_COOKIE_FILL,
    SL_COOKIE_MOTION,
    SL_COOKIE_MESH_COLLIDER,
    SL_COOKIE_FORCE_FIELD,
    SL_COOKIE_SCENE_OPTIONS,
    SL_COOKIE_WRITER,
    SL_COOKIE_FRAME_READER,
    SL_COOKIE_RUN,
    SL_COOKIE_MEASURE,
    SL_COOKIE_RENDER_JOB
};

/* The head of a definition in its default function. */
#define SL_DEF_HEAD(name, type) .cookie = SL_COOKIE_##name, .size = sizeof(type)

#define SL_DEF_VALID(def, name) sl_def_valid(def, SL_COOKIE_##name, sizeof *(def))
static inline bool sl_def_valid(const void *def, uint32_t cookie, size_t size)
{
    uint32_t head[2] = {0, 0};
    if (def != NULL)
        memcpy(head, def, sizeof head);
    return head[0] == cookie && head[1] == size;
}

#endif
