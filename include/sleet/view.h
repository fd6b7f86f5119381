/* Sleet: the read-only frame view. Writers, exporters and renderers take only this, so they work
   the same from a live world and from a frame read back from disk. */
#ifndef SLEET_VIEW_H
#define SLEET_VIEW_H

#include "sleet/camera.h"
#include "sleet/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum SlFieldType {
    SL_FIELD_U32 = 1, /* one uint32_t */
    SL_FIELD_F32 = 2, /* one float */
    SL_FIELD_F32X3 = 3 /* three floats */
} SlFieldType;

/* One array of one system. Element i starts at (const char *)data + i * stride. */
typedef struct SlFieldView {
    const char *name, *unit, *meaning;
    SlFieldType type;
    const void *data; /* NULL: no such field */
    size_t count;
    size_t stride; /* bytes; at least 4 × lanes */
} SlFieldView;

typedef struct SlSystemView {
    const char *name;   /* the scene's name for it, e.g. "water" */
    const char *solver; /* "pbf", … */
    size_t particle_count;
    float spacing; /* m: distance between particles at rest; a particle is drawn with half of it */
    const SlFieldView *fields;
    size_t field_count;
} SlSystemView;

/* A solid's triangles, and where they are: a vertex (x, y, z) stands at
   origin + x side_x + y side_y + z side_z. */
typedef struct SlMeshView {
    const float *positions; /* 3 per vertex */
    size_t vertex_count;
    const uint32_t *triangles; /* 3 vertices each, counter-clockwise from outside */
    size_t triangle_count;
    SlVec3 origin, side_x, side_y, side_z;
} SlMeshView;

typedef struct SlFrameView {
    uint64_t frame;
    double time; /* s */
    SlBox domain; /* m; an open side is infinite */
    const SlSystemView *systems;
    size_t system_count;
    const SlShape *shapes; /* colliders at this time */
    size_t shape_count;
    const SlMeshView *meshes; /* colliders made of triangles, at this time; not in frame files */
    size_t mesh_count;
} SlFrameView;

/* The field of that name; its data is NULL if the system has none. */
SL_API SlFieldView sl_view_field(const SlSystemView *system, const char *name);
/* Floats or integers in an element: 1 or 3. */
SL_API uint32_t sl_field_lanes(SlFieldType type);

#ifdef __cplusplus
}
#endif
#endif
