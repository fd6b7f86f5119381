/* What a renderer is: a table of parameters and three functions. A new one is a file that ends in a
   const SlRendererKind and one line in the list in renderer.c. */
#ifndef RENDER_RENDERER_H
#define RENDER_RENDERER_H

#include "core/context.h"
#include "sleet/render.h"
#include "frame/view.h"

typedef struct SlRendererKind {
    const SlTable *table;
    size_t state_bytes; /* zeroed before `init`, handed to all three */
    /* `values`: one per row, within their ranges, valid only during the call. */
    SlStatus (*init)(void *state, SlContext *context, const SlParamValue *values, SlError *error);
    SlStatus (*draw)(void *state, const SlFrameView *view, const SlCamera *camera,
                     const SlImage **image, SlError *error);
    /* Also after a failed init. */
    void (*free)(void *state);
} SlRendererKind;

extern const SlRendererKind sl_renderer_splats;
extern const SlTable sl_splats_table;

#endif
