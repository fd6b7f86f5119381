/* Sleet: filters, which make a frame view from a frame view: fewer particles, surfaces,
   whitewater. They work on live worlds and on frames read back alike. */
#ifndef SLEET_FILTER_H
#define SLEET_FILTER_H

#include "sleet/params.h"
#include "sleet/view.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct SlFilter SlFilter;

/* All filters by name, with their parameters. */
SL_API const SlTable *const *sl_filter_tables(size_t *count);
/* `values`: one per row of the filter's table, copied; NULL: the defaults. The context must outlive the
   filter. */
SL_API SlStatus sl_filter_create(SlContext *context, const char *name, const SlParamValue *values,
                                 SlFilter **filter, SlError *error);
/* Applies it to the frame. *output is the filter's and may point into `frame`; it is valid as long as
   `frame` is and until the call after the next. Frames should come in order of time: a filter may read
   its own last output, which is all it keeps. After a failure that is the one before. */
SL_API SlStatus sl_filter_apply(SlFilter *filter, const SlFrameView *frame,
                                const SlFrameView **output, SlError *error);
/* The next frame is filtered as if `output` had been the last output: one of a filter of the same kind,
   read back from a file. It must be valid until a frame was applied. */
SL_API void sl_filter_continue(SlFilter *filter, const SlFrameView *output);
/* Forgets the last output: the next frame is as the first. */
SL_API void sl_filter_reset(SlFilter *filter);
/* NULL is allowed. */
SL_API void sl_filter_destroy(SlFilter *filter);

#ifdef __cplusplus
}
#endif
#endif
