/* Rays against triangles and spheres that move linearly while the shutter is open. Two
   implementations: our own tree (intersect_bvh.c, always present) and Embree (intersect_embree.c,
   where it was found). A primitive is a triangle k, or a sphere: triangle_count + k. Of two hits at
   the same distance both report the smaller primitive, so that pictures do not depend on the tree. */
#ifndef RENDER_PATH_INTERSECT_H
#define RENDER_PATH_INTERSECT_H

#include "core/context.h"
#include "math/vec3.h"

/* Classes of primitives, and masks of those that a ray meets. */
enum { SL_RAY_OPAQUE = 1, SL_RAY_CLEAR = 2, SL_RAY_ALL = 3 };
#define SL_NO_PRIMITIVE UINT32_MAX

/* Arrays belong to the caller and must outlive the intersector. */
typedef struct SlGeometry {
    const float *positions; /* m, 3 per vertex, when the shutter opens */
    const float *motion;    /* m, 3 per vertex: the way until it closes; NULL: nothing moves */
    size_t vertex_count;
    const uint32_t *triangles; /* 3 vertices each */
    const uint8_t *triangle_class;
    size_t triangle_count;
    const float *spheres;       /* m, 4 per sphere: centre and radius */
    const float *sphere_motion; /* 3 per sphere; NULL: nothing moves */
    const uint8_t *sphere_class;
    size_t sphere_count;
} SlGeometry;

typedef struct SlRay {
    SlVec3 origin, direction; /* of unit length */
    float t_max;
    float time; /* [0, 1]: from the shutter's opening to its closing */
} SlRay;

typedef struct SlHit {
    float t;
    float u, v; /* of a triangle: the point is (1 - u - v) v0 + u v1 + v v2 */
    uint32_t primitive;
} SlHit;

typedef struct SlIntersector SlIntersector;

typedef struct SlIntersectorKind {
    const char *(*label)(void); /* "Embree 3.13" */
    size_t state_bytes; /* zeroed before `build` */
    /* Also after a failure `destroy` is called. */
    SlStatus (*build)(void *state, SlContext *context, const SlGeometry *geometry, SlError *error);
    void (*destroy)(void *state);
    /* The nearest hit within (0, t_max] of a class in `mask`; false: there is none. */
    bool (*closest)(const void *state, const SlRay *ray, uint32_t mask, SlHit *hit);
    bool (*occluded)(const void *state, const SlRay *ray, uint32_t mask);
} SlIntersectorKind;

struct SlIntersector {
    const SlIntersectorKind *kind;
    SlContext *context;
    void *state;
};

extern const SlIntersectorKind sl_intersector_bvh;
/* NULL where the library was built without Embree. */
const SlIntersectorKind *sl_intersector_embree(void);

/* Destroy it in any case. */
SlStatus sl_intersector_create(SlContext *context, const SlIntersectorKind *kind,
                               const SlGeometry *geometry, SlIntersector *out, SlError *error);
void sl_intersector_destroy(SlIntersector *intersector);

static inline bool sl_intersect(const SlIntersector *in, const SlRay *ray, uint32_t mask, SlHit *hit)
{
    return in->kind->closest(in->state, ray, mask, hit);
}

static inline bool sl_occluded(const SlIntersector *in, const SlRay *ray, uint32_t mask)
{
    return in->kind->occluded(in->state, ray, mask);
}

#endif
