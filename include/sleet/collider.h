/* Sleet: mesh colliders, and the motion of colliders. Analytic shapes are in sleet/shape.h,
   the calls that add, move and remove them in sleet/world.h. */
#ifndef SLEET_COLLIDER_H
#define SLEET_COLLIDER_H

#include "sleet/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Definitions give a rotation as a vector, unit axis × angle in rad, because keyframes may turn by more
   than half a circle; poses (SlPose) have a unit quaternion. These take one to the other; the vector's
   angle is at most pi. A quaternion of length 0 is no rotation. */
SL_API SlQuat sl_quat_from_rotation_vector(SlVec3 rotation);
SL_API SlVec3 sl_quat_to_rotation_vector(SlQuat rotation);

/* A keyframe: the collider is rotated by the vector `rotation` (axis × angle) about the motion's
   pivot, then translated by `position`, relative to where the collider was added. */
typedef struct SlKeyframe {
    double time;     /* s since the world's start, increasing from key to key */
    SlVec3 position; /* m */
    SlVec3 rotation; /* rad */
} SlKeyframe;

/* Keys are interpolated smoothly (Hermite between neighbours, at rest before the first and after
   the last key). Without keys: constant velocity and spin. */
typedef struct SlMotionDef {
    uint32_t cookie, size;  /* set by sl_default_motion_def */
    const SlKeyframe *keys; /* copied; default NULL */
    size_t key_count;       /* 0 (default), or 2 to 100,000 */
    SlVec3 velocity;        /* m/s; without keys; default 0 */
    SlVec3 spin;            /* rad/s; without keys; default 0 */
    SlVec3 pivot;           /* m: centre of rotation in world space, when added; default 0 */
} SlMotionDef;

/* A triangle mesh, open or closed, becomes a signed distance field and collides like any other
   solid. Several files are the keys of a deforming body: the fields of two keys are blended along
   the motion of the surface between them. Where all files have the same triangles (a mesh with
   moving vertices) every point keeps its place on the surface; else a point moves to the nearest one
   of the next key. Use enough keys that the surface moves by at most a few cells from one to the
   next. */
typedef struct SlMeshColliderDef {
    uint32_t cookie, size; /* set by sl_default_mesh_collider_def */
    /* The triangles: exactly one of a file (OBJ, PLY or STL) … */
    const char *path; /* default NULL */
    /* … several files, the keys in order of time … */
    const char *const *paths; /* default NULL */
    size_t path_count;        /* 0 (default), or 1 to 10,000 */
    /* … or arrays, which are copied. */
    const float *vertices; /* x, y, z each; default NULL */
    size_t vertex_count;
    const uint32_t *triangles; /* three vertices each, counter-clockwise from outside */
    size_t triangle_count;
    double rate; /* keys per second, (0, 1e6]; the first is at the world's start; default 25 */
    bool loop;   /* repeat after the last key; else the last key is held; default false */
    /* The mesh as given is scaled, then rotated about its origin, then moved. */
    float scale;     /* metres per unit; default 1 */
    SlVec3 rotation; /* rad: axis × angle; default 0 */
    SlVec3 position; /* m: where the origin of the mesh is; default 0 */
    double cell;     /* m, of its distance field; 0 (default): the smallest spacing of all systems */
    bool hollow;     /* a container: the fluid is inside, all outside of the mesh is solid; default false */
    float friction;  /* Coulomb, [0, 10]; default 0 */
    bool sticky;     /* snow that touches it sticks to it; default false */
    const char *cache_folder; /* cache of distance fields; NULL (default): none */
    bool printed_blend; /* keys are blended as printed [Stomakhin 2013, section 8], which fails for a limb
                           that moves by more than its thickness; default false */
} SlMeshColliderDef;

SL_API SlMotionDef sl_default_motion_def(void);
SL_API SlMeshColliderDef sl_default_mesh_collider_def(void);

#ifdef __cplusplus
}
#endif
#endif
