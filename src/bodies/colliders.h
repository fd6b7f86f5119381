/* Colliders: the bodies that a program or a scene adds to a world, moves and removes. This module
   owns their definitions, meshes and fields and keeps the index of bodies (bodies/body.h) that
   solvers read.

   A collider moves by a motion (a path over time, part of the set-up) or by targets (state): from
   the first target on the path no longer counts. */
#ifndef BODIES_COLLIDERS_H
#define BODIES_COLLIDERS_H

#include "bodies/body.h"
#include "bodies/motion.h"
#include "sleet/material.h"

/* Displacements at the beginning and the end of the interval under way: state. */
typedef struct SlTarget {
    SlDisplacement from, to;
    uint64_t set; /* 1: the path no longer counts */
} SlTarget;

/* The interval under way: targets are reached at its end. */
typedef struct SlInterpolation {
    double begin, length; /* s */
} SlInterpolation;

typedef struct SlCollider {
    SlShape rest_shape; /* as added */
    float *heights;     /* of a height field: the shape's, copied */
    SlMotion *path;     /* NULL: none */
    SlPose rest_pose;   /* as added */
    double rest_rotation[4];
    /* made of triangles: one mesh, or the keys of a deforming body */
    SlMeshColliderDef def; /* paths are the caller's and gone */
    char cache_folder[512];
    SlMesh mesh; /* as placed at rest; of a shape that is drawn by triangles, those */
    SlBox mesh_bounds;
    SlSdf field;
    SlDeform *deform; /* then mesh, bounds and field are empty */
    bool has_field;
    SlMaterial material; /* for views */
} SlCollider;

typedef struct SlColliders {
    SlContext *context;
    SlBodies bodies;
    /* by slot: body index - 1 */
    SlCollider *items[SL_MAX_COLLIDERS];       /* NULL: unused */
    uint16_t generations[SL_MAX_COLLIDERS];    /* of handles; 0: never used */
    SlTarget targets[SL_MAX_COLLIDERS];        /* state */
    uint32_t shapes_added, meshes_added;       /* for default names */
    bool started;
    double spacing; /* m: the smallest of all systems, from the start on; default cell of fields */
} SlColliders;

void sl_colliders_init(SlColliders *colliders, SlContext *context, SlBox domain, float friction,
                       bool sticky);
void sl_colliders_destroy(SlColliders *colliders);

/* Add and remove, at any time. *slot is the body's index - 1. After the start a mesh's field is
   built here. */
SlStatus sl_colliders_add_shape(SlColliders *colliders, const SlShape *shape, uint32_t *slot,
                                SlError *error);
SlStatus sl_colliders_add_mesh(SlColliders *colliders, const SlMeshColliderDef *def, uint32_t *slot,
                               SlError *error);
void sl_colliders_remove(SlColliders *colliders, uint32_t slot);
void sl_colliders_set_name(SlColliders *colliders, uint32_t slot, const char *name);

/* `now` is the world's time. */
SlStatus sl_colliders_set_motion(SlColliders *colliders, uint32_t slot, const SlMotionDef *def,
                                 double now, SlError *error);
/* For snapshots: a reference to the path of each slot, NULL without one; and paths of the same colliders
   taken again, before sl_colliders_restored. */
void sl_colliders_retain_paths(const SlColliders *colliders, SlMotion *paths[SL_MAX_COLLIDERS]);
void sl_colliders_take_paths(SlColliders *colliders, SlMotion *const paths[SL_MAX_COLLIDERS]);
/* World poses. A target is reached at the end of the next interval; `teleport` takes it at once,
   without a velocity. */
SlStatus sl_colliders_set_pose(SlColliders *colliders, uint32_t slot, const SlPose *pose, double now,
                               bool teleport, SlError *error);
SlPose sl_colliders_pose(const SlColliders *colliders, uint32_t slot);

/* Builds or loads the distance fields; spacing (m) is the smallest of all systems, 0: no system. */
SlStatus sl_colliders_start(SlColliders *colliders, double spacing, SlError *error);
/* About what the distance fields will hold, in bytes. */
uint64_t sl_colliders_bytes(const SlColliders *colliders, double spacing);

/* Moves bodies to where they are at time + dt; dt = 0 only places them. */
void sl_colliders_move(SlColliders *colliders, SlInterpolation interval, double time, double dt);
/* Where a collider is relative to where it was added; false: it stands as it was added. */
bool sl_colliders_displacement(const SlColliders *colliders, uint32_t slot,
                               SlInterpolation interval, double time, SlDisplacement *at);
/* An interval is over: each body with a target has reached it. */
void sl_colliders_reach_targets(SlColliders *colliders);

/* Targets are state. After a restore `restored` updates what follows from them. */
bool sl_colliders_targets_valid(const SlColliders *colliders);
void sl_colliders_restored(SlColliders *colliders);
uint64_t sl_colliders_hash(const SlColliders *colliders, uint64_t hash);
/* Which colliders there are, with their generations. */
uint64_t sl_colliders_set_hash(const SlColliders *colliders);

/* --- Between colliders.c and meshes.c --- */
SlStatus sl_collider_take_mesh(SlContext *context, SlCollider *collider,
                               const SlMeshColliderDef *def, SlError *error);
SlStatus sl_collider_build_field(SlContext *context, SlCollider *collider, double spacing,
                                 SlError *error);
void sl_collider_free_mesh(SlCollider *collider);
/* The form of a mesh at a time, for queries. */
void sl_collider_take_form(SlCollider *collider, double time, SlBody *body);
uint64_t sl_collider_field_bytes(const SlCollider *collider, double spacing);

#endif
