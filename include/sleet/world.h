/* Sleet: a world of particle systems and colliders, and the calls that advance it.

   Create a world, add systems, set their parameters, add blocks and colliders, step. The first step
   (or sl_world_start) fixes the set-up: counts, memory and densities are checked there.

   Errors: calls that can fail return a status. Until the world has started the first error, also one
   of sl_world_start itself, is kept in the world: later set-up calls then do nothing and return it,
   and so do sl_world_start and the steps, until sl_world_clear_error. A program may check every call
   or only the steps. SL_ERROR_CANCELLED is not kept: the call may be made again. After the start a
   refused change is returned but not stored.

   The world may be NULL in every call, as after a sl_world_create that failed: calls with a status
   return SL_ERROR_ARGUMENT and leave `error` as it is, the others return 0, NULL or a null handle. */
#ifndef SLEET_WORLD_H
#define SLEET_WORLD_H

#include "sleet/collider.h"
#include "sleet/emitter.h"
#include "sleet/fill.h"
#include "sleet/force_field.h"
#include "sleet/grid.h"
#include "sleet/params.h"
#include "sleet/state.h"
#include "sleet/stats.h"
#include "sleet/view.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct SlWorld SlWorld;

typedef struct SlWorldDef {
    uint32_t cookie, size; /* set by sl_default_world_def */
    SlContext *context;    /* memory, threads, path and hooks; it must outlive the world. NULL
                              (default): the world creates and owns a default one */
    bool own_context;      /* sl_world_destroy destroys the context too; default false */
    uint64_t seed;
    SlVec3 gravity;        /* m/s²; default (0, -9.81, 0) */
    SlBox domain;          /* m; a wall on each finite side;
                              default 4 × 4 × 4 from the origin. sl_world_start rejects a finite
                              side farther than 2^18 spacings from the origin, where float precision
                              is too low */
    float domain_friction; /* Coulomb, [0, 10]; default 0 */
    bool domain_sticky;    /* snow that touches a wall sticks to it; default false */
    float domain_limit;    /* m: with an open side, particles farther than this from the origin
                              along any axis are removed as by a drain; above 0. 0 (default):
                              no limit; a particle beyond 2^18 spacings, where precision is too low,
                              ends the step with SL_ERROR_NUMBERS */
    SlGridKind grid;       /* default SL_GRID_AUTO */
    double frame_time;     /* s; default 1/60 */
    /* A step fails with SL_ERROR_NUMBERS when the energy exceeds this factor times the energy that
       initial state, emitters and moving solids account for; [0, 1e6], 0: no check; default 1.5. */
    double energy_limit;
    /* Called after every step of every system, on the calling thread. May be NULL. Return false
       to stop: the call then returns SL_ERROR_CANCELLED with the world valid, to be viewed,
       checkpointed or continued (sl_world_finish_step, or the next step). */
    bool (*on_step)(void *user, SlSystemId system, const SlStepStats *stats);
    void *on_step_user;
} SlWorldDef;

typedef struct SlSystemDef {
    uint32_t cookie, size; /* set by sl_default_system_def */
    const char *name;   /* default: the solver's name */
    const char *solver; /* see sl_solver_tables */
} SlSystemDef;

/* A box of particles on a cubic lattice, one spacing apart, the first half a spacing inside. */
typedef struct SlBlock {
    SlVec3 min, max; /* m */
    SlVec3 velocity; /* m/s */
    uint32_t fluid;  /* index: 0, the system's own fluid, or one from sl_system_add_fluid */
} SlBlock;

/* One of several fluids in a system of a water solver. */
typedef struct SlFluidDef {
    uint32_t cookie, size;    /* set by sl_default_fluid_def */
    const char *name;         /* at most 31 bytes, copied */
    double density;           /* kg/m³, (0, 1e5]; default 1000 */
    double kinematic_viscosity; /* m²/s, [0, 1e4]; default 0 */
} SlFluidDef;

SL_API SlWorldDef sl_default_world_def(void);
SL_API SlSystemDef sl_default_system_def(const char *solver);
SL_API SlFluidDef sl_default_fluid_def(void);

SL_API SlStatus sl_world_create(const SlWorldDef *def, SlWorld **world, SlError *error);
SL_API void sl_world_destroy(SlWorld *world);
/* The stored error; its message begins with the call that failed. Status SL_OK: no error so far. */
SL_API const SlError *sl_world_error(const SlWorld *world);
/* Forgets it, for programs that let a user correct a value and try again, the start too. */
SL_API void sl_world_clear_error(SlWorld *world);

SL_API SlStatus sl_world_add_system(SlWorld *world, const SlSystemDef *def, SlSystemId *id,
                                    SlError *error);
/* Systems in the order added; a null handle for an index or a name that no system has. */
SL_API uint32_t sl_world_system_count(const SlWorld *world);
SL_API SlSystemId sl_world_system(const SlWorld *world, uint32_t index);
SL_API SlSystemId sl_world_find_system(const SlWorld *world, const char *name);
/* Name and index of a system; NULL and UINT32_MAX for an invalid handle. */
SL_API const char *sl_system_name(const SlWorld *world, SlSystemId id);
SL_API uint32_t sl_system_index(const SlWorld *world, SlSystemId id);
/* Particles that it has now; 0 before the start and for a bad handle. */
SL_API size_t sl_system_particle_count(const SlWorld *world, SlSystemId id);
SL_API SlStatus sl_system_set_number(SlWorld *world, SlSystemId id, const char *name, double value,
                                     SlError *error);
SL_API SlStatus sl_system_set_text(SlWorld *world, SlSystemId id, const char *name,
                                   const char *value, SlError *error);
SL_API SlStatus sl_system_set_vec3(SlWorld *world, SlSystemId id, const char *name,
                                   SlVec3 value, SlError *error);
/* The current value; SL_ERROR_ARGUMENT for an unknown name. */
SL_API SlStatus sl_system_get(const SlWorld *world, SlSystemId id, const char *name,
                              SlParamValue *value, SlError *error);
/* Adds a fluid, at most 16; *fluid is its index for blocks, fills and emitters. Its density
   should be within a factor of ten of the system's rest_density. For water solvers only. */
SL_API SlStatus sl_system_add_fluid(SlWorld *world, SlSystemId id, const SlFluidDef *def,
                                    uint32_t *fluid, SlError *error);
SL_API SlStatus sl_system_add_block(SlWorld *world, SlSystemId id, const SlBlock *block,
                                    SlError *error);
/* Reads and checks the mesh, if the fill has one; particles are placed at the start. */
SL_API SlStatus sl_system_add_fill(SlWorld *world, SlSystemId id, const SlFillDef *fill,
                                   SlError *error);
/* Fills of a system, numbered in the order they were added; 0 for a bad handle. */
SL_API uint32_t sl_system_fill_count(const SlWorld *world, SlSystemId id);
/* Volume and particles of one fill. Before the start this counts the particles of all fills, which
   builds the distance fields of meshes: call it when the set-up is complete. */
SL_API SlStatus sl_system_fill_report(SlWorld *world, SlSystemId id, uint32_t fill,
                                      SlFillReport *report, SlError *error);
/* Emitters may be added, changed and removed at any time; *emitter may be NULL. An emitter added
   or changed while the world runs emits nothing that was due before. */
SL_API SlStatus sl_system_add_emitter(SlWorld *world, SlSystemId id, const SlEmitterDef *def,
                                      SlEmitterId *emitter, SlError *error);
/* The definition replaces the emitter's; particles emitted so far count towards its limit. */
SL_API SlStatus sl_emitter_set(SlWorld *world, SlEmitterId id, const SlEmitterDef *def,
                               SlError *error);
SL_API SlStatus sl_emitter_remove(SlWorld *world, SlEmitterId id, SlError *error);
/* Particles that end a step inside the shape are removed. */
SL_API SlStatus sl_system_add_drain(SlWorld *world, SlSystemId id, const SlShape *shape,
                                    SlError *error);
/* Colliders may be added, moved and removed at any time, at most 320 at once. `id` may be NULL. A
   mesh added after the start has its distance field built in the call. Where particles are inside a
   new collider they are pushed out in the next step. */
SL_API SlStatus sl_world_add_collider(SlWorld *world, const SlShape *shape, SlColliderId *id,
                                      SlError *error);
SL_API SlStatus sl_world_add_mesh_collider(SlWorld *world, const SlMeshColliderDef *def,
                                           SlColliderId *id, SlError *error);
/* The handle is then invalid; its entry in SlStepStats.bodies stays, without a name, until
   another collider takes its place. */
SL_API SlStatus sl_world_remove_collider(SlWorld *world, SlColliderId id, SlError *error);
/* The collider's name in stats; at most 31 characters, copied. Default: "shape1", "mesh1" and so on,
   in the order added. */
SL_API SlStatus sl_collider_set_name(SlWorld *world, SlColliderId id, const char *name,
                                     SlError *error);
/* The collider follows the motion from now on; time 0 is the world's start. A motion is part of the
   set-up, not of the state: a checkpoint does not hold it, and the program that restores one sets the
   motions itself. */
SL_API SlStatus sl_collider_set_motion(SlWorld *world, SlColliderId id, const SlMotionDef *motion,
                                       SlError *error);

/* Moves the collider: during the next step or frame (sl_world_step, sl_world_advance_frame) it goes to
   a pose in world space, at constant velocity and spin along the shorter arc, and pushes particles
   with that velocity; then it rests until it gets another target. A motion that it was given before no
   longer counts. */
SL_API SlStatus sl_collider_set_target(SlWorld *world, SlColliderId id, SlPose pose, SlError *error);
/* Teleports the collider: it is at the pose at once, without a velocity, and rests there. Particles
   inside it are pushed out, but not along with it; to move it use sl_collider_set_target. */
SL_API SlStatus sl_collider_set_pose(SlWorld *world, SlColliderId id, SlPose pose, SlError *error);
/* The current pose. Of a shape: its centre, and the rotation that maps x, y, z to its
   side, its axis and side × axis. Of a mesh: where the origin of the mesh is, and its rotation. */
SL_API SlStatus sl_collider_pose(const SlWorld *world, SlColliderId id, SlPose *pose,
                                 SlError *error);
/* The force (N) and torque (N m) that the particles of all systems exert on the collider: the mean over
   the last sl_world_step or sl_world_advance_frame, or over what is done of one that on_step stopped.
   The torque is about the collider's centre (SlBodyForce.center), which moves with it. Zero before the
   first step, after a checkpoint was restored, and of systems whose parameter "forces" is "none".
   `force` and `torque` may be NULL. */
SL_API SlStatus sl_collider_force(const SlWorld *world, SlColliderId id, double force[3],
                                  double torque[3], SlError *error);
/* The gravity in force, m/s². */
SL_API SlVec3 sl_world_gravity(const SlWorld *world);
/* From the next step on; m/s², finite, at most 1e4. */
SL_API SlStatus sl_world_set_gravity(SlWorld *world, SlVec3 gravity, SlError *error);
/* Sets the material for renderers and exporters; copied. By default a system has the material of
   its solver (water or snow), colliders are solid and the domain is ground. May change at any time. */
SL_API SlStatus sl_system_set_material(SlWorld *world, SlSystemId id, const SlMaterial *material,
                                       SlError *error);
SL_API SlStatus sl_collider_set_material(SlWorld *world, SlColliderId id,
                                         const SlMaterial *material, SlError *error);
/* The kind of material that a solver's particles have unless another is set; water if unknown. */
SL_API SlMaterialKind sl_solver_material(const char *solver);
/* As set, also absorption below 0; sl_world_view has it resolved. A handle that names no system
   gives a solid. */
SL_API SlMaterial sl_system_material(const SlWorld *world, SlSystemId id);
SL_API SlStatus sl_world_set_domain_material(SlWorld *world, const SlMaterial *material,
                                             SlError *error);
/* Cameras for drawing and for level of detail; copied. May change between steps. At most
   SL_MAX_VIEW_CAMERAS; SL_MAX_CAMERAS of them may have a weight above 0 and count for level of detail.
   Level of detail without cameras is an error of the first step. */
SL_API SlStatus sl_world_set_cameras(SlWorld *world, const SlCamera *cameras, size_t count,
                                     SlError *error);
/* Moves a camera (its index among those set) along a path, copied: frame views and level of detail have
   it where it is at their time. NULL: it stays where it was set. Setting cameras removes their paths. */
SL_API SlStatus sl_world_set_camera_path(SlWorld *world, size_t camera, const SlCameraPath *path,
                                         SlError *error);
/* A depth image of the host's renderer for the camera with that index (among those with a
   weight), instead of one that Sleet draws; view->camera replaces the camera. The pixels stay the
   caller's and must be valid until the image is replaced, removed (view NULL) or the cameras are
   set. Results then depend on the pixels, which are in no snapshot or checkpoint. */
SL_API SlStatus sl_world_set_depth_image(SlWorld *world, size_t camera, const SlDepthView *view,
                                         SlError *error);

/* Force fields (sleet/force_field.h), at most 32, at any time; *id may be NULL. Their parameters are
   those of the kind's table, with its defaults, and may change at any time. They are in the hash, in
   snapshots and in checkpoints (sl_world_restore); of a kind "function" the program that restores a
   checkpoint adds the field again. */
SL_API SlStatus sl_world_add_force_field(SlWorld *world, const SlForceFieldDef *def,
                                         SlForceFieldId *id, SlError *error);
SL_API SlStatus sl_force_field_set_number(SlWorld *world, SlForceFieldId id, const char *name,
                                          double value, SlError *error);
SL_API SlStatus sl_force_field_set_vec3(SlWorld *world, SlForceFieldId id, const char *name,
                                        SlVec3 value, SlError *error);
/* The value in force; SL_ERROR_ARGUMENT for an unknown name. */
SL_API SlStatus sl_force_field_get(const SlWorld *world, SlForceFieldId id, const char *name,
                                   SlParamValue *value, SlError *error);
SL_API SlStatus sl_force_field_remove(SlWorld *world, SlForceFieldId id, SlError *error);

/* Estimated memory use of a run of this set-up, in bytes; 0 before any block. Works before
   the start and allocates nothing. */
SL_API uint64_t sl_world_memory_needed(const SlWorld *world);
/* Particles of the blocks, of emitters with a limit, and of fills: by volume before the start,
   exact after it. */
SL_API uint64_t sl_world_particle_count(const SlWorld *world);

/* Ends the set-up: checks its consistency and the memory available, places the particles,
   computes densities. Called by the first step if the program does not. */
SL_API SlStatus sl_world_start(SlWorld *world, SlError *error);
/* Advances the world by dt seconds, (0, 10]. Each system takes its own sub-steps; the one with the
   earliest time goes next, and colliders move with it. A step that on_step stopped is
   completed first; the call then advances by all of dt. */
SL_API SlStatus sl_world_step(SlWorld *world, double dt, SlError *error);
/* Advances by the definition's frame_time and counts a frame. Where on_step stopped a frame, the
   call completes that frame; where it stopped a sl_world_step, that step and then a frame. */
SL_API SlStatus sl_world_advance_frame(SlWorld *world, SlError *error);
/* Completes a step or frame that on_step stopped; otherwise does nothing. */
SL_API SlStatus sl_world_finish_step(SlWorld *world, SlError *error);

/* Statistics of the system's last sub-step; zeros before the first. Valid until the next step; NULL
   for an invalid handle. */
SL_API const SlStepStats *sl_system_stats(const SlWorld *world, SlSystemId id);

/* Views are valid until the next step. */
SL_API const SlFrameView *sl_world_view(SlWorld *world);
SL_API SlFieldView sl_system_field(SlWorld *world, SlSystemId id, const char *name);
/* Seconds since the start, and frames that sl_world_advance_frame ended. */
SL_API double sl_world_time(const SlWorld *world);
SL_API uint64_t sl_world_frame(const SlWorld *world);
/* 64-bit hash of the whole state: all state fields in array order, time, counters. */
SL_API uint64_t sl_world_hash(SlWorld *world);
SL_API SlContext *sl_world_context(SlWorld *world);

/* The whole state, for a checkpoint; starts the world if needed. Valid at any step boundary until
   the next step. */
SL_API SlStatus sl_world_state(SlWorld *world, const SlStateView **state, SlError *error);
/* Restores the state in a world with the same set-up that has not been stepped; it then continues
   bitwise identically. Systems must have the same names and solvers; any other value of the
   set-up may differ. Live parameters, gravity and force fields that were changed while the old world
   ran continue as they were then, where this set-up has what the old one had at its start; where it
   has something else, that stays. The state is validated. After a failure the world can only be
   destroyed. */
SL_API SlStatus sl_world_restore(SlWorld *world, const SlStateView *state, SlError *error);

#ifdef __cplusplus
}
#endif
#endif
