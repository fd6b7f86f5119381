/* Samples of bodies' surfaces, fixed in the bodies' own frames. */
#ifndef BODIES_BOUNDARY_SAMPLE_H
#define BODIES_BOUNDARY_SAMPLE_H

#include "bodies/boundary.h"

/* Samples in their bodies' frames, body after body. */
typedef struct SlBodySamples {
    float *rest; /* 4 per sample */
    uint32_t *body;
    size_t count, room;
} SlBodySamples;

SlStatus sl_body_samples_create(SlContext *context, const SlBodies *bodies,
                                const uint8_t *marks, const SlBoundarySettings *settings,
                                SlBodySamples *samples, SlError *error);
void sl_body_samples_destroy(SlContext *context, SlBodySamples *samples);

#endif
