/* What a frame and a checkpoint put into a container. */
#ifndef IO_SOURCES_H
#define IO_SOURCES_H

#include "io/container.h"
#include "frame/view.h"

typedef struct SlFrameSystem {
    char solver[32];
    float spacing;
    uint32_t reserved;
    uint64_t particle_count;
} SlFrameSystem;

typedef struct SlFrameShape {
    uint32_t kind;
    float center[3], axis[3], side[3], half[3], radius, height, friction;
} SlFrameShape;

/* The sections of a view, and the head of its file; records and sources lie on the context's
   arena, which is reset. */
SlStatus sl_frame_sources(SlContext *context, const SlFrameView *view, bool quantise,
                          SlContainerHeader *head, SlSource **sources, size_t *count,
                          SlError *error);
SlStatus sl_checkpoint_sources(SlContext *context, const SlStateView *state,
                               SlContainerHeader *head, SlSource **sources, size_t *count,
                               SlError *error);

#endif
