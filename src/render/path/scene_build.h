/* A scene under construction: what scene.c and scene_pieces.c share. */
#ifndef RENDER_PATH_SCENE_BUILD_H
#define RENDER_PATH_SCENE_BUILD_H

#include "geometry/mesh/mesh.h"
#include "render/path/scene.h"

/* A mesh that becomes part of the geometry. */
typedef struct SlPiece {
    const float *positions, *normals; /* normals NULL: smoothed within a crease angle */
    const float *velocities;          /* m/s; NULL: from the motion of its body */
    const float *other;               /* positions in the builder's other frame; NULL: the same */
    size_t vertex_count, triangle_count;
    const uint32_t *triangles;
    SlVec3 origin, axes[3];
    SlVec3 velocity, spin; /* m/s of the origin, rad/s about it */
    uint16_t material;
    size_t first_vertex, first_triangle;
} SlPiece;

typedef struct SlSceneBuilder {
    SlContext *context;
    SlArena *arena;
    const SlSceneInput *input;
    SlPathScene *scene;
    SlPiece *pieces;
    size_t piece_count; /* colliders come first */
    size_t hidden; /* colliders that are not drawn */
    SlMesh *meshes; /* of shapes; released at the end */
    size_t mesh_count;
    float *positions, *normals, *motion, *spheres, *sphere_motion;
    uint32_t *triangles;
    uint16_t *triangle_material, *sphere_material;
    size_t vertex_count, triangle_count, sphere_count, sphere_room;
    double open, close;
    double motion_time; /* s: that `motion` is the way of */
    const SlFrameView *other; /* where colliders are `step` s later, or earlier where it is negative; NULL: not known */
    double step;
} SlSceneBuilder;

/* Where a vertex of the piece is at the frame's time. */
SlVec3 sl_piece_place(const SlPiece *piece, const float *vertex);
/* All pieces as arrays of the builder. */
SlStatus sl_scene_fill_pieces(SlSceneBuilder *b, SlError *error);

#endif
