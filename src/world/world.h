/* The world's inside: systems, colliders, time. */
#ifndef WORLD_WORLD_H
#define WORLD_WORLD_H

#include "bodies/colliders.h"
#include "particles/emitter.h"
#include "particles/fills.h"
#include "particles/force_field.h"
#include "solvers/solver.h"
#include "sleet/world.h"
#include "frame/view.h"

enum { SL_MAX_SYSTEMS = 16, SL_MAX_BLOCKS = 256 };

/* What world/monitor.c carries from step to step of a system. State. */
typedef struct SlMonitor {
    double energy;     /* per unit of mass, summed over particles: the minimum so far, and inputs */
    double body_speed; /* m/s: the fastest a solid has moved */
    uint64_t steps;    /* seen so far */
    double longest_step; /* s: of the sub-steps so far */
} SlMonitor;

/* How far a system is in the interval under way. State. */
typedef struct SlProgress {
    double done;   /* s of it */
    uint64_t step; /* sub-steps of it */
} SlProgress;

/* What the system's particles did to each body since the interval began: for sl_collider_force.
   In snapshots, but no state of checkpoints or the hash. */
typedef struct SlLoad {
    double seconds; /* of the interval so far */
    double impulse[SL_MAX_BODIES][3]; /* N s */
    double angular[SL_MAX_BODIES][3]; /* N m s, about the body's centre */
} SlLoad;

/* A block of a system whose solver relaxes it, at the start. */
typedef struct SlPackedBlock {
    uint64_t count; /* particles, once counted */
    bool counted;
    SlPack pack; /* where colliders take a part of the block; else empty */
} SlPackedBlock;

/* A live parameter as it was at the start and as it is: state (world/changes.c). */
typedef struct SlLiveValue {
    char name[32];
    double start[3], now[3];
} SlLiveValue;

/* A force field: state. The kind "": its slot is free. */
typedef struct SlForceFieldState {
    char kind[24];
    uint64_t system1; /* SlForceField.system1 */
    double values[SL_MAX_FORCE_ROWS][3];
} SlForceFieldState;

/* What a program may change while the world runs, of the world: state. */
typedef struct SlChanges {
    SlVec3 gravity[2];     /* at the start, and now */
    uint64_t start_forces; /* hash of the force fields at the start */
    SlForceFieldState force_fields[SL_MAX_FORCE_FIELDS]; /* now */
} SlChanges;

typedef struct SlWorldSystem {
    SlSystem base;
    SlProgress progress;
    SlBodyForce forces[SL_MAX_BODIES];
    SlLoad load;
    SlMonitor monitor;
    SlBlock blocks[SL_MAX_BLOCKS];
    SlPackedBlock packed_blocks[SL_MAX_BLOCKS];
    uint32_t block_count;
    SlFillBody *fills[SL_MAX_FILLS];
    uint32_t fill_count;
    SlFlow flow;
    SlAttributes attributes;
    SlMaterial material;
    double depth; /* m: vertical extent of its particles at the start */
    uint64_t bodies_revision; /* of the bodies at the last sub-step */
    SlLiveValue *live;        /* NULL before the start */
    size_t live_count;
} SlWorldSystem;

/* An interval under way: what a call of sl_world_step covers. It stays open where on_step stopped
   it. State. */
typedef struct SlInterval {
    double dt;
    double began, length; /* of the last sub-step of any system: s since the world's start, s */
    uint64_t open;        /* 1: under way */
    uint64_t is_frame;    /* 1: its end is the end of a frame */
} SlInterval;

/* Frames are counted from here: at frame `frame` it was `time`. */
typedef struct SlClock {
    double time, frame_time;
    uint64_t frame;
} SlClock;

/* The path of a camera, which does not change once it is set: a world and its snapshots refer to one. */
typedef struct SlSharedCameraPath {
    uint32_t references;
    SlCameraPath path; /* its keys are allocated with it */
} SlSharedCameraPath;

struct SlWorld {
    SlWorldDef def;
    SlError error; /* of the first set-up call that failed; its status is SL_OK without one */
    SlContext *context;
    bool owns_context, started;
    uint16_t number; /* in handles, to tell those of other worlds */
    SlWorldSystem *systems[SL_MAX_SYSTEMS];
    uint32_t system_count;
    SlColliders colliders;
    SlMaterial domain_material;
    double depth; /* m, of clear colliders and the domain: SlMaterial.absorption */
    SlCamera cameras[SL_MAX_CAMERAS]; /* those that count */
    size_t camera_count;
    SlDepthView depth_views[SL_MAX_CAMERAS]; /* of those cameras; depth NULL: none */
    SlForceField force_fields[SL_MAX_FORCE_FIELDS];
    uint32_t force_field_count;
    SlChanges changes;
    uint64_t frame;
    double time;
    SlInterval interval;
    SlClock clock;
    /* the view and what it points to */
    SlFrameView view;
    SlSystemView system_views[SL_MAX_SYSTEMS];
    SlColliderView collider_views[SL_MAX_COLLIDERS];
    SlCamera view_cameras[SL_MAX_VIEW_CAMERAS]; /* all that were set, where they are */
    SlCamera set_cameras[SL_MAX_VIEW_CAMERAS];  /* as they were set */
    SlSharedCameraPath *camera_paths[SL_MAX_VIEW_CAMERAS]; /* NULL: it does not move */
    size_t view_camera_count;
    SlFieldView field_views[SL_MAX_SYSTEMS][SL_MAX_FIELDS];
    /* the state as a list; made when first asked for */
    SlStateItem *state_items;
    size_t state_item_count;
    SlStateView state;
};

/* Puts cameras with a path where they are at the world's time. */
void sl_world_move_cameras(SlWorld *world);
/* The world's paths become those of `paths` or, if it is NULL, none. */
void sl_world_take_camera_paths(SlWorld *world, SlSharedCameraPath *const *paths);
/* One reference more, less; NULL is no path. */
SlSharedCameraPath *sl_camera_path_retain(SlSharedCameraPath *path);
void sl_camera_path_release(SlContext *context, SlSharedCameraPath *path);

/* --- Set-up calls (world/setup.c) --- */
/* The kept error, copied to `error` (may be NULL); SL_ERROR_ARGUMENT without a world. */
SlStatus sl_setup_status(const SlWorld *world, SlError *error);
/* Keeps what a call found before the start, and hands it on. What a hook stopped is not kept: the
   call may be made again. */
SlStatus sl_setup_end(SlWorld *world, const char *call, SlStatus status, const SlError *found,
                      SlError *error);
/* The body of a public set-up call: `call` is the work, whose errors go to &found. */
#define SL_SETUP_CALL(world, error, call)                                                          \
    do {                                                                                           \
        SlError found;                                                                             \
        SlStatus kept = sl_setup_status(world, error);                                             \
        return kept != SL_OK ? kept : sl_setup_end(world, __func__, call, &found, error);          \
    } while (0)
/* The work of set-up calls, for others that do the same under another name. */
SlStatus sl_world_make_system(SlWorld *world, const SlSystemDef *def, SlSystemId *id,
                              SlError *error);
/* Takes back the system that was made last. */
void sl_world_unmake_system(SlWorld *world);
SlStatus sl_parameters_set_number(SlWorld *world, SlSystemId id, const char *name, double value,
                                  SlError *error);
SlStatus sl_parameters_set_text(SlWorld *world, SlSystemId id, const char *name, const char *value,
                                SlError *error);
SlStatus sl_require_not_started(const SlWorld *world, SlError *error);
bool sl_gravity_valid(SlVec3 gravity);
/* min below max on each axis, within 1e6 m. */
bool sl_box_valid(SlBox box);

/* --- Handles (world/handles.c) --- */
/* The world's number in its handles: never 0. */
uint16_t sl_world_number(const SlWorld *world);
SlSystemId sl_system_id(const SlWorld *world, const SlSystem *system);
/* What the message about a bad handle ends with; `removed`: its slot was used before. */
const char *sl_handle_reason(const SlWorld *world, uint32_t index1, uint16_t number, bool removed);
/* NULL with the error set for a handle that names no system of this world; without a world the error
   stays as it is. */
SlWorldSystem *sl_world_resolve_system(const SlWorld *world, SlSystemId id, SlError *error);
/* Colliders by slot (bodies/colliders.h). */
SlColliderId sl_collider_id(const SlWorld *world, uint32_t slot);
SlStatus sl_world_resolve_collider(const SlWorld *world, SlColliderId id, uint32_t *slot,
                                   SlError *error);

/* --- View and materials (world/view.c) --- */
void sl_world_init_materials(SlWorld *world);
/* After the system's first particles are placed. */
void sl_world_measure_depth(const SlWorld *world, SlWorldSystem *system);

/* Gives every system its surroundings as they are now. */
void sl_world_update_surroundings(SlWorld *world);
/* Gives the system one entry of forces per body, with the bodies' names. */
void sl_world_name_body_forces(SlWorld *world, SlWorldSystem *system);
/* Adds the last sub-step's forces on bodies, of dt seconds, to the load of its interval. */
void sl_world_add_load(SlWorldSystem *system, double dt);
/* A copy of a shape that particles may be removed in, prepared; an error names it by `what`. */
SlStatus sl_world_take_drain(const SlShape *shape, const char *what, SlShape *prepared,
                             SlError *error);
/* The smallest spacing of all systems, m; 0 without any. */
double sl_world_finest_spacing(const SlWorld *world);
/* The interval under way, for targets of colliders. */
static inline SlInterpolation sl_world_interpolation(const SlWorld *world)
{
    return (SlInterpolation){world->time, world->interval.dt};
}

/* Fields of the particles beyond the solver's. */
uint32_t sl_fill_fields(const SlWorldSystem *system);
/* Whether the solver relaxes blocks and lattice fills at the start. */
static inline bool sl_system_packs(const SlSystem *system)
{
    return system->solver->packs != NULL && system->solver->packs(system);
}
/* Builds the regions' fields and counts the places of blocks that are relaxed and of all fills. */
SlStatus sl_world_start_fills(SlWorld *world, SlError *error);
/* Writes the particles of the system's fills from place *next on. */
void sl_world_place_fills(SlWorld *world, SlWorldSystem *system, size_t *next);
/* Particles of block k; a double, for they may be huge before they are counted. */
double sl_block_particles(const SlWorldSystem *system, uint32_t k);
/* Writes the positions of a block that is relaxed, float4 records. */
void sl_world_place_packed_block(const SlWorld *world, const SlWorldSystem *system, uint32_t k,
                                 float *records);
/* Frees what counting the blocks kept for placing them. */
void sl_world_release_blocks(SlWorld *world);
/* The regions that the solver relaxes, at most SL_MAX_BLOCKS + SL_MAX_FILLS; their number. */
size_t sl_world_list_regions(const SlWorldSystem *system, SlFilledRegion *regions);
/* Around a sub-step: `begin` before particles enter, `entered` after, `end` after the solver.
   `end` finds particles outside the world and energy from nowhere. */
SlStatus sl_monitor_begin(SlWorld *world, SlWorldSystem *system, SlError *error);
void sl_monitor_entered(const SlWorld *world, SlWorldSystem *system, size_t before);
SlStatus sl_monitor_end(SlWorld *world, SlWorldSystem *system, double dt, SlError *error);
void sl_world_free_state(SlWorld *world);

/* --- Changes while running, as state (world/changes.c) --- */
#define SL_STATE_PARAMETERS "parameters"
#define SL_STATE_GRAVITY "gravity"
#define SL_STATE_FIELDS "force_fields"
#define SL_STATE_FIELDS_START "force_fields.start"
/* At the start: what later changes are compared with. */
SlStatus sl_changes_start(SlWorld *world, SlError *error);
/* Before the state is listed: the values as they are now. */
void sl_changes_note(SlWorld *world);
/* After all other state was restored. */
SlStatus sl_changes_restore(SlWorld *world, const SlStateView *state, SlError *error);
void sl_changes_free(SlContext *context, SlWorldSystem *system);

/* State came from a checkpoint or a snapshot: bodies and solvers follow it. */
void sl_world_state_replaced(SlWorld *world);

/* Force fields on the velocities, before a sub-step (world/force_fields.c). */
SlStatus sl_world_apply_forces(SlWorld *world, SlWorldSystem *system, double time, double dt,
                               SlError *error);
uint64_t sl_world_hash_forces(const SlWorld *world, uint64_t hash);

/* Exchange between systems after each interval: the one place that may see two. */
void sl_world_couple(SlWorld *world, double dt);

/* Particles of a block on its lattice, along each axis; as doubles, for they may be huge. */
void sl_block_lattice(const SlBlock *block, double spacing, double along[3]);
static inline SlBox sl_block_box(const SlBlock *block)
{
    return (SlBox){block->min, block->max};
}

#endif
