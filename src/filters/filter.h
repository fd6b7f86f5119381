/* What a filter is. A filter is one file that ends in a const SlFilterKind and has one line in the list
   of filters.c; the test filters_conformance loops over the list. */
#ifndef FILTERS_FILTER_H
#define FILTERS_FILTER_H

#include "core/context.h"
#include "frame/view.h"
#include "sleet/filter.h"

typedef struct SlFilterInput {
    SlContext *context;
    const SlParamValue *values;  /* one per row of the table, checked */
    const SlFrameView *frame;
    const SlFrameView *previous; /* the filter's last output; NULL: none, or not asked for. Only what the
                                    filter made itself is valid: the frame it came from may be gone */
    bool previous_is_given; /* by sl_filter_continue: all of `previous` is valid */
} SlFilterInput;

typedef struct SlFilterKind {
    SlTable table; /* name, summary, parameter rows */
    uint32_t version; /* raised with every change of what it makes: stored results of another are made
                         anew */
    bool reads_previous;
    /* Makes the output from input->frame. It may point into that; what is new lies on the arena, which
       stays until this output is no longer the last one. Output and arena depend on nothing else, so
       that a run can be stopped, continued and filtered again. */
    SlStatus (*apply)(const SlFilterInput *input, SlArena *arena, SlFrameView *output,
                      SlError *error);
} SlFilterKind;

extern const SlFilterKind *const sl_filter_kinds[];
extern const size_t sl_filter_kind_count;

const SlFilterKind *sl_filter_kind(const SlFilter *filter);
/* Of the filter's name, version and values. */
uint64_t sl_filter_settings_hash(const SlFilter *filter);

#endif
