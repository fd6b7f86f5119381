/* Inside of the boundary particles: how a body's own frame stands in the world, and the samples
   that are fixed in it. */
#ifndef BODIES_BOUNDARY_SAMPLE_H
#define BODIES_BOUNDARY_SAMPLE_H

#include <string.h>

#include "geometry/shape_mesh.h"
#include "bodies/boundary.h"

/* Where a body's own frame is: a point l stands at origin + l.x sides[0] + ... */
typedef struct SlBodyPlace {
    SlVec3 origin, sides[3];
    const SlBodyMotion *motion; /* NULL: rests */
    float friction;
    bool moves; /* ever */
} SlBodyPlace;

static inline SlBodyPlace sl_body_place(const SlSurroundings *around, size_t body)
{
    SlBodyPlace place = {.sides = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, .friction = around->domain_friction};
    if (body == 0)
        return place;
    size_t k = body - 1;
    if (k < around->shape_count) {
        place.origin = around->shapes[k].center;
        sl_shape_frame(&around->shapes[k], place.sides);
        place.motion = around->motions != NULL ? &around->motions[k] : NULL;
        place.friction = around->shapes[k].friction;
        place.moves = around->shape_moves != NULL && around->shape_moves[k];
        return place;
    }
    const SlFieldBody *field = &around->fields[k - around->shape_count];
    place.origin = field->origin;
    memcpy(place.sides, field->sides, sizeof place.sides);
    place.motion = &field->motion;
    place.friction = field->friction;
    place.moves = field->moves;
    return place;
}

static inline SlVec3 sl_body_point(const SlBodyPlace *p, SlVec3 l)
{
    return sl_add(p->origin, sl_add(sl_scale(p->sides[0], l.x),
                                    sl_add(sl_scale(p->sides[1], l.y), sl_scale(p->sides[2], l.z))));
}

/* Samples in their bodies' frames, body after body. */
typedef struct SlBodySamples {
    float *rest; /* 4 per sample */
    uint32_t *body;
    size_t count, room;
} SlBodySamples;

SlStatus sl_body_samples_create(SlContext *context, const SlSurroundings *around,
                                const uint8_t *marks, const SlBoundarySettings *settings,
                                SlBodySamples *samples, SlError *error);
void sl_body_samples_destroy(SlContext *context, SlBodySamples *samples);

#endif
