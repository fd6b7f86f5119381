/* The world's inside: systems, colliders, time. */
#ifndef WORLD_WORLD_H
#define WORLD_WORLD_H

#include "geometry/deform.h"
#include "geometry/motion.h"
#include "particles/emitter.h"
#include "particles/system.h"
#include "sleet/world.h"

enum { SL_MOST_SYSTEMS = 16, SL_MOST_BLOCKS = 256, SL_MOST_SHAPES = 256 };

enum { SL_MOST_MESHES = 64, SL_FIRST_MESH_ID = 0x10000 };

/* How a collider moves: by a path given before the start, or by targets. */
typedef struct SlMover {
    SlMotion *path; /* NULL: none */
    bool targeted;  /* then the path no longer counts */
    SlPose from, to; /* at the beginning and the end of the step under way; state */
} SlMover;

/* A collider made of triangles: one mesh, or the keys of a deforming body. */
typedef struct SlMeshBody {
    SlMeshColliderDef def;
    char cache_folder[512];
    SlMesh mesh; /* as placed at rest */
    SlBox bounds;
    SlSdf field;
    SlDeform *deform; /* then mesh, bounds and field are empty */
    bool has_field;
    SlMover mover;
} SlMeshBody;

typedef struct SlWorldSystem {
    SlSystem base;
    SlBlockDef blocks[SL_MOST_BLOCKS];
    uint32_t block_count;
    SlFlow flow;
} SlWorldSystem;

struct SlWorld {
    SlWorldDef def;
    SlContext *context;
    bool owns_context, started;
    SlWorldSystem *systems[SL_MOST_SYSTEMS];
    uint32_t system_count;
    SlShape shapes[SL_MOST_SHAPES]; /* colliders where they are now */
    uint32_t shape_count;
    SlShape rest_shapes[SL_MOST_SHAPES]; /* as they were added */
    SlMover movers[SL_MOST_SHAPES];
    SlBox bounds[SL_MOST_SHAPES];         /* of shapes */
    SlBodyMotion motions[SL_MOST_SHAPES]; /* of the step under way */
    bool moves;                           /* some shape has a path or a target */
    SlMeshBody *meshes[SL_MOST_MESHES];
    uint32_t mesh_count;
    SlFieldBody fields[SL_MOST_MESHES]; /* of the step under way */
    SlMeshView mesh_views[SL_MOST_MESHES];
    uint64_t frame;
    double time;
    double interval; /* s: length of the step under way, for targets */
    /* the view and what it points to */
    SlFrameView view;
    SlSystemView system_views[SL_MOST_SYSTEMS];
    SlFieldView field_views[SL_MOST_SYSTEMS][SL_F_COUNT];
};

/* Every solver there is. */
extern const SlSolver *const sl_solvers[];
extern const size_t sl_solver_count;
const SlSolver *sl_solver_find(const char *name);

/* Gives every system the solid surroundings as they are now. */
void sl_world_tell_surroundings(SlWorld *world);
/* Moves colliders from time to time + dt. */
void sl_world_move_bodies(SlWorld *world, double time, double dt);
/* A step is over: what had a target is there. */
void sl_world_reach_targets(SlWorld *world);
/* Targets are state: they go on to the hash. */
uint64_t sl_world_hash_targets(const SlWorld *world, uint64_t hash);
/* Where a mover is at a time; false where it stands as it was added. */
bool sl_mover_pose(const SlWorld *world, const SlMover *mover, double time, SlPose *pose);

/* The same for meshes; dt 0 only places them. */
void sl_world_move_meshes(SlWorld *world, double time, double dt);
/* About what their distance fields will hold, in bytes. */
uint64_t sl_world_mesh_bytes(const SlWorld *world);
/* Builds or loads the distance fields. */
SlStatus sl_world_start_meshes(SlWorld *world, SlError *error);
void sl_mesh_body_destroy(SlContext *context, SlMeshBody *body);

/* Exchange between systems after each interval: the one place that may see two. */
void sl_world_couple(SlWorld *world, double dt);

/* Particles of a block on its lattice, along each axis; as doubles, for they may be huge. */
void sl_block_lattice(const SlBlockDef *block, double spacing, double along[3]);

#endif
