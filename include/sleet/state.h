/* Sleet: the complete state of a world as a list of arrays: what a checkpoint holds. It is made from the
   field table, the solvers' state rows and the world's own counters. */
#ifndef SLEET_STATE_H
#define SLEET_STATE_H

#include "sleet/view.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One array of state. Element k is the element_bytes bytes at (const char *)data + k * stride. */
typedef struct SlStateItem {
    const char *name; /* at most 31 bytes; unique within its system */
    const char *unit, *meaning;
    uint32_t system; /* index of its system; of the world's own: system_count */
    uint32_t type;   /* SlFieldType of a field, an element per particle; 0: bytes */
    uint32_t element_bytes;
    size_t stride, count;
    const void *data;
} SlStateItem;

typedef struct SlStateView {
    uint64_t frame;
    double time; /* s */
    SlBox domain;
    uint32_t system_count;
    const SlStateItem *items;
    size_t item_count;
} SlStateView;

/* The item of that name and system; NULL: there is none. */
SL_API const SlStateItem *sl_state_find(const SlStateView *state, uint32_t system,
                                        const char *name);

#ifdef __cplusplus
}
#endif
#endif
