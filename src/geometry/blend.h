/* Smooth blends of analytic solids: a small expression tree, written leaf by leaf in postfix order.

       sl_blend_shape(&b, body); sl_blend_shape(&b, head); sl_blend_join(&b, SL_BLEND_UNION, 0.1f);

   Values are distances near the surface of each leaf and bounds elsewhere: a blend is good to be
   meshed, or to start a walk, not a measure of depth. */
#ifndef GEOMETRY_BLEND_H
#define GEOMETRY_BLEND_H

#include "geometry/shape.h"

enum { SL_BLEND_MAX = 256, SL_BLEND_DEPTH = 16 };

typedef enum SlBlendKind {
    SL_BLEND_LEAF,
    SL_BLEND_UNION,     /* the two before, joined */
    SL_BLEND_SUBTRACT,  /* the first of the two before, without the second */
    SL_BLEND_INTERSECT, /* what the two before share */
    SL_BLEND_ROUND      /* the one before, grown by `radius` */
} SlBlendKind;

typedef struct SlBlendNode {
    SlBlendKind kind;
    float radius; /* m, >= 0: width over which two surfaces flow into one; 0: a sharp seam */
    SlShape shape; /* of a leaf */
    SlVec3 stretch; /* of a leaf: scale about the shape's centre along x, y, z, each > 0 */
} SlBlendNode;

typedef struct SlBlend {
    uint32_t count, depth; /* depth: how many values wait to be joined; 1 when it is whole */
    SlBlendNode nodes[SL_BLEND_MAX];
} SlBlend;

void sl_blend_init(SlBlend *blend);
/* False with a reason: a shape that is none, no room, nothing to join. The blend stays as it
   was. */
bool sl_blend_shape(SlBlend *blend, SlShape shape, const char **reason);
/* A stretched leaf, an ellipsoid from a sphere say; its distance is a lower bound. */
bool sl_blend_stretched(SlBlend *blend, SlShape shape, SlVec3 stretch, const char **reason);
bool sl_blend_join(SlBlend *blend, SlBlendKind kind, float radius, const char **reason);
/* The blend must be whole (depth 1). gradient may be NULL; it is not always of length 1. */
float sl_blend_distance(const SlBlend *blend, SlVec3 point, SlVec3 *gradient);
/* Bounds of the surface; of a subtraction, those of what it is taken from. */
SlBox sl_blend_bounds(const SlBlend *blend);

#endif
