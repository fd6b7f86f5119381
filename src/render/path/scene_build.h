/* A scene under construction: what scene.c and scene_pieces.c share. */
#ifndef RENDER_PATH_SCENE_BUILD_H
#define RENDER_PATH_SCENE_BUILD_H

#include "geometry/mesh/mesh.h"
#include "render/path/scene.h"

/* A mesh that becomes part of the geometry. */
typedef struct SlPiece {
    const float *positions, *normals; /* normals NULL: smoothed within a crease angle */
    const float *velocities;          /* NULL: `velocity` for all, or from `next` */
    const float *next;                /* positions of the next frame in its axes; NULL: none */
    size_t vertex_count, triangle_count;
    const uint32_t *triangles;
    SlVec3 origin, axes[3], next_origin, next_axes[3];
    SlVec3 velocity;
    uint16_t material;
    size_t first_vertex, first_triangle;
} SlPiece;

typedef struct SlSceneBuilder {
    SlContext *context;
    SlArena *arena;
    const SlSceneInput *input;
    SlPathScene *scene;
    SlPiece *pieces;
    size_t piece_count, collider_pieces; /* colliders come first */
    size_t hidden; /* colliders that are not drawn */
    SlMesh *meshes; /* of shapes; released at the end */
    size_t mesh_count;
    float *positions, *normals, *motion, *spheres, *sphere_motion;
    uint32_t *triangles;
    uint16_t *triangle_material, *sphere_material;
    size_t vertex_count, triangle_count, sphere_count, sphere_room;
    double open, close;
} SlSceneBuilder;

/* Where a vertex of the piece is, or will be in the next frame. */
SlVec3 sl_piece_place(const SlPiece *piece, const float *vertex, bool next);
/* s: from the frame to the next one. */
double sl_scene_step_time(const SlSceneBuilder *b);
/* All pieces as arrays of the builder. */
SlStatus sl_scene_fill_pieces(SlSceneBuilder *b, SlError *error);

#endif
