/* Analytic shapes. A shape is one file in geometry/shapes/ that ends in a const SlShapeType, and one
   line in geometry/shapes.c; no other file asks for the kind. Its 8-wide distance may have a row in
   geometry/shape_lanes.h; without one, kernels use the scalar distance lane by lane. */
#ifndef GEOMETRY_SHAPE_H
#define GEOMETRY_SHAPE_H

#include "geometry/mesh/mesh.h"
#include "math/vec3.h"
#include "sleet/shape.h"

/* A key of the shape in scenes, stored in a member of SlShape. */
typedef enum SlShapeKeyType {
    SL_SHAPE_KEY_POINT,     /* SlVec3, m; required */
    SL_SHAPE_KEY_DIRECTION, /* SlVec3; required */
    SL_SHAPE_KEY_AXIS,      /* SlVec3; default (0, 1, 0) */
    SL_SHAPE_KEY_LENGTH,    /* float, m, above 0; required */
    SL_SHAPE_KEY_COUNT,     /* uint32_t; required */
    SL_SHAPE_KEY_HEIGHTS    /* const float *: an array of numbers, m; required */
} SlShapeKeyType;

typedef struct SlShapeKey {
    const char *name;
    SlShapeKeyType type;
    size_t offset; /* in SlShape */
} SlShapeKey;

enum { SL_MAX_SHAPE_KEYS = 8 };

typedef struct SlShapeType {
    SlShapeKind kind;
    const char *name;     /* "sphere": in scenes, messages and files */
    const char *article;  /* "a sphere" */
    const SlShapeKey *keys;
    size_t key_count; /* at most SL_MAX_SHAPE_KEYS */
    /* Converts what the keys stored, where a member means something else; NULL: nothing to convert.
       Returns what is wrong, or NULL. */
    const char *(*from_keys)(SlShape *shape);
    bool endless; /* it has no closed surface: no volume, infinite bounds */
    bool arrays;  /* it refers to memory of the caller: a collider copies it, others refuse it */
    bool as_mesh; /* drawn by its triangles: renderers have no ray intersection of their own */
    /* Checks the sizes and fills in members that follow from others; what is wrong, or NULL. */
    const char *(*prepare)(SlShape *shape);
    /* Signed distance at a point in world space and the unit normal there. Exact where it is at most
       `reach`; beyond, it may be smaller than the true distance but is above `reach`. */
    float (*distance)(const SlShape *shape, SlVec3 point, float reach, SlVec3 *normal);
    SlBox (*bounds)(const SlShape *shape); /* in world space */
    double (*volume)(const SlShape *shape); /* m³; NULL if endless */
    double (*area)(const SlShape *shape, SlBox domain); /* m², about; of an endless shape in the domain */
    /* A sphere around it; NULL if endless. */
    void (*ball)(const SlShape *shape, SlVec3 *center, float *radius);
    /* A closed mesh in the shape's own frame, centre at the origin, counter-clockwise from outside;
       round parts have edges of about `edge` m. Of an endless shape: the part inside `clip`. */
    SlStatus (*mesh)(SlContext *context, const SlShape *shape, float edge, SlBox clip, SlMesh *mesh,
                     SlError *error);
} SlShapeType;

/* All shapes (geometry/shapes.c), and one by kind or by name; NULL: there is none. */
extern const SlShapeType *const sl_shape_types[];
extern const size_t sl_shape_type_count;
const SlShapeType *sl_shape_type(SlShapeKind kind);
const SlShapeType *sl_shape_type_named(const char *name);

/* Checks sizes and makes `axis` and `side` orthonormal. False with a reason for an invalid shape. */
bool sl_shape_prepare(SlShape *shape, const char **reason);
/* The axis-aligned bounds; infinite for an endless shape. */
SlBox sl_shape_bounds(const SlShape *shape);
/* The directions of the shape's own x, y (its axis) and z; orthonormal, rotated as the shape is. */
void sl_shape_frame(const SlShape *shape, SlVec3 frame[3]);
SlStatus sl_shape_mesh(SlContext *context, const SlShape *shape, float edge, SlBox clip,
                       SlMesh *mesh, SlError *error);

#endif
