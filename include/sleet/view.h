/* Sleet: the read-only frame view: everything at one time that is needed to draw or export, without a
   world. Filters, writers, exporters and renderers take only this, so they work the same from a live
   world and from a frame read back from disk.

   What a view points to belongs to the world (valid until its next step or change) or to the frame
   (valid until that is destroyed). */
#ifndef SLEET_VIEW_H
#define SLEET_VIEW_H

#include "sleet/camera.h"
#include "sleet/material.h"
#include "sleet/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum SlFieldType {
    SL_FIELD_U32 = 1,  /* one uint32_t */
    SL_FIELD_F32 = 2,  /* one float */
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
    float mass;    /* kg, of each particle; 0: it varies and is in the field "mass" */
    float volume;  /* m³, of each particle at rest; 0: it varies and is in the field "volume", where 0
                      is one that was not measured yet: spacing³ */
    SlMaterial material; /* absorption as in force, never below 0 */
    const SlFieldView *fields;
    size_t field_count;
} SlSystemView;

/* Triangles in the coordinates of their body. */
typedef struct SlMeshView {
    const float *positions; /* m, 3 per vertex; NULL where a frame was read without its meshes */
    size_t vertex_count;
    const uint32_t *triangles; /* 3 vertices each, counter-clockwise from outside */
    size_t triangle_count;
    uint64_t hash[2]; /* sl_mesh_hash of the above; both 0: not computed yet */
} SlMeshView;

typedef enum SlColliderKind {
    SL_COLLIDER_SHAPE, /* `shape`, where it is at this time */
    SL_COLLIDER_MESH   /* `mesh` at `pose`, deformed if there are `vertices` */
} SlColliderKind;

typedef struct SlColliderView {
    const char *name; /* "" where it has none */
    SlColliderKind kind;
    SlShape shape;
    SlMeshView mesh;       /* the same at all times, but for keys with other triangles */
    const float *vertices; /* of a deforming mesh: the positions of its vertices at this time, 3 each;
                              NULL: mesh.positions */
    SlPose pose;           /* of the mesh: a vertex v is at position + rotation v */
    SlMaterial material;   /* absorption as in force, never below 0 */
} SlColliderView;

/* The surface of a system as a closed mesh in world space, made by the filter "surface"
   (sleet/filter.h). Frames on disk hold none. */
typedef struct SlSurfaceView {
    const char *system;      /* name of the system it belongs to */
    const float *positions;  /* m, 3 per vertex */
    const float *normals;    /* 3 per vertex, of length 1, towards the air */
    const float *velocities; /* m/s, 3 per vertex */
    size_t vertex_count;
    const uint32_t *triangles; /* 3 vertices each, counter-clockwise from the air */
    size_t triangle_count;     /* 0: the system has no particles */
    SlMaterial material;       /* of the system */
} SlSurfaceView;

typedef struct SlFrameView {
    uint64_t frame;
    double time;       /* s */
    double frame_time; /* s between frames; 0: not known */
    SlBox domain;      /* m; an open side is infinite */
    SlVec3 gravity;    /* m/s² */
    SlMaterial domain_material; /* of the ground and walls */
    const SlSystemView *systems;
    size_t system_count;
    const SlColliderView *colliders;
    size_t collider_count;
    const SlCamera *cameras;
    size_t camera_count;
    const SlSurfaceView *surfaces; /* NULL unless a filter made some */
    size_t surface_count;
} SlFrameView;

/* The field of that name; its data is NULL if the system has none. */
SL_API SlFieldView sl_view_field(const SlSystemView *system, const char *name);
/* The system, collider or camera of that name; NULL if there is none. */
SL_API const SlSystemView *sl_view_system(const SlFrameView *view, const char *name);
SL_API const SlColliderView *sl_view_collider(const SlFrameView *view, const char *name);
SL_API const SlCamera *sl_view_camera(const SlFrameView *view, const char *name);
/* The surface of the system of that name; NULL if there is none. */
SL_API const SlSurfaceView *sl_view_surface(const SlFrameView *view, const char *system);
/* Mass (kg) and volume at rest (m³) of a particle, uniform or not. A mass that is not known is 0, a
   volume spacing³. */
SL_API float sl_view_mass(const SlSystemView *system, size_t particle);
SL_API float sl_view_volume(const SlSystemView *system, size_t particle);
/* Positions of a mesh collider's vertices in the coordinates of its body: `vertices`, or
   mesh.positions. NULL for shapes and where a frame was read without its meshes. */
SL_API const float *sl_view_vertices(const SlColliderView *collider);
/* Floats or integers in an element: 1 or 3. */
SL_API uint32_t sl_field_lanes(SlFieldType type);
/* Content hash of a mesh: XXH3 with 128 bits (low, high) of vertex count and triangle count (u64 each),
   positions and triangles. Never both 0. Run folders name mesh files by it. */
SL_API void sl_mesh_hash(const SlMeshView *mesh, uint64_t hash[2]);

#ifdef __cplusplus
}
#endif
#endif
