/* A particle system and the descriptor of what solves it. A solver is one file that ends in a
   const SlSolver and has one line in the list of solvers (world/solvers.c). */
#ifndef SOLVERS_SOLVER_H
#define SOLVERS_SOLVER_H

#include "bodies/deform.h"
#include "math/vec3.h"
#include "particles/particles.h"
#include "sleet/camera.h"
#include "sleet/grid.h"
#include "sleet/material.h"
#include "sleet/params.h"
#include "sleet/shape.h"
#include "sleet/stats.h"

typedef struct SlSystem SlSystem;

/* A value a solver carries from step to step besides the fields: hashed and checkpointed. */
typedef struct SlStateRow {
    const char *name;
    size_t offset, bytes; /* within the solver's state */
    const char *meaning;
} SlStateRow;

/* The values of a preset, in its table. */
#define SL_PRESET(...) (const SlPresetValue[]){__VA_ARGS__, {NULL, 0}}

typedef struct SlSolver {
    SlTable table; /* name, summary, citation, parameter rows */
    uint32_t fields;
    bool several_fluids; /* may its particles be of several fluids? */
    /* Fields that the parameters ask for besides; NULL: none. */
    uint32_t (*more_fields)(const SlSystem *system);
    size_t state_size; /* zeroed at creation */
    const SlStateRow *state_rows;
    size_t state_row_count;
    /* What the solver holds besides the fields for so many particles, scratch included. */
    uint64_t (*memory_needed)(const SlSystem *system, uint64_t count);
    /* Particles are placed: take memory, measure densities. */
    SlStatus (*start)(SlSystem *system, SlError *error);
    /* Fields and state rows were replaced, and perhaps parameters: drop what was made from the old
       ones (lists, sets). NULL: nothing is kept from step to step. */
    void (*state_replaced)(SlSystem *system);
    /* One sub-step of dt seconds; fills system->stats. */
    SlStatus (*step)(SlSystem *system, double dt, SlError *error);
    void (*destroy)(SlSystem *system);
    /* Sub-steps to cover a call of sl_world_step: their number, or, where a solver chooses as it
       goes, the length of the next with `left` seconds to go, (0, left]. One of the two may be NULL;
       a length of 0 leaves it to `steps`. */
    uint32_t (*steps)(const SlSystem *system);
    double (*step_length)(const SlSystem *system, double left);
    /* Distance between particles at rest. */
    float (*spacing)(const SlSystem *system);
    /* kg: mass of particle i; the same for all unless the system has the field MASS. */
    float (*mass)(const SlSystem *system, size_t i);
    SlMaterialKind material; /* of its particles, unless another is set */
    /* A program wrote the position or velocity of a particle between steps; added ones count as a
       velocity written. NULL: nothing depends on it. */
    void (*written)(SlSystem *system, size_t particle, SlFieldId field);
} SlSolver;

/* All solvers (solvers/solvers.c), and the one of that name; NULL: there is none. */
extern const SlSolver *const sl_solvers[];
extern const size_t sl_solver_count;
const SlSolver *sl_solver_find(const char *name);

/* How a body moves during a step: about `pivot`, which moves with `velocity`. */
typedef struct SlBodyMotion {
    SlVec3 velocity; /* m/s */
    SlVec3 spin;     /* rad/s */
    SlVec3 pivot;    /* m, at the beginning of the step */
} SlBodyMotion;

/* A solid given by a distance field, where it is at the end of the step: field point (x, y, z)
   stands at origin + x sides[0] + y sides[1] + z sides[2]. */
typedef struct SlFieldBody {
    const SlSdf *field; /* NULL until the world starts */
    const SlDeform *deform; /* then it counts and not `field`, at the end of the step; may be NULL */
    SlVec3 origin, sides[3];
    SlBox bounds; /* of the surface, in the field's own coordinates */
    bool hollow;  /* solid everywhere outside */
    float friction;
    bool sticky; /* for snow */
    SlBodyMotion motion;
    const SlMesh *mesh; /* its surface, in the field's own coordinates */
    bool moves;         /* ever */
} SlFieldBody;

/* The domain, shapes and fields of any world. */
enum { SL_MAX_BODIES = 1 + 256 + 64 };

/* The solid surroundings of a step, given by the world. */
typedef struct SlSurroundings {
    SlVec3 gravity;
    SlBox domain; /* an open side is infinite: no wall there */
    float domain_friction;
    bool domain_sticky;
    SlGridKind grid;
    const SlShape *shapes; /* where they are at the end of the step */
    const SlBox *bounds;         /* one per shape: a quick test before the exact one */
    const SlBodyMotion *motions; /* one per shape; NULL: nothing moves */
    const bool *shape_moves;     /* one per shape: ever */
    size_t shape_count;
    const SlFieldBody *fields;
    size_t field_count;
    uint64_t seed; /* of the world */
    const SlCamera *cameras; /* of level of detail */
    size_t camera_count;
    const SlDepthView *depth_views; /* one per camera; depth NULL: none was handed in */
    bool interval_begins; /* the first sub-step of an interval: a frame, for most */
    double interval_left; /* s: from the beginning of this sub-step to the interval's end */
    double interval_length; /* s: of the whole interval */
    bool population_changes; /* particles may come and go between sub-steps */
} SlSurroundings;

/* One of several fluids in a system; number 0 is the system's own. */
enum { SL_MAX_FLUIDS = 16 };
typedef struct SlFluidKind {
    char name[32];
    double density;   /* kg/m³ */
    double viscosity; /* m²/s */
} SlFluidKind;

/* What a body's torque is about (SlBodyForce.center), counted as forces are: 0 is the domain. A
   shape's own centre; the middle of a mesh's bounds. */
static inline SlVec3 sl_body_center(const SlSurroundings *around, size_t body)
{
    if (body == 0)
        return (SlVec3){0, 0, 0};
    if (body <= around->shape_count)
        return around->shapes[body - 1].center;
    const SlFieldBody *field = &around->fields[body - 1 - around->shape_count];
    SlVec3 m = sl_scale(sl_add(field->bounds.min, field->bounds.max), 0.5f), at = field->origin;
    for (int k = 0; k < 3; k++)
        at = sl_add(at, sl_scale(field->sides[k], (&m.x)[k]));
    return at;
}

struct SlSystem {
    SlContext *context;
    SlArena arena; /* scratch of a step; reset by the solver at its head */
    const SlSolver *solver;
    char name[32];
    uint32_t index; /* in the world */
    SlParamValue *values; /* one per parameter row */
    bool *given;          /* one per row: its value was set by itself, no preset changes it */
    SlParticles particles;
    SlSurroundings surroundings;
    void *state; /* the solver's */
    uint64_t step; /* steps done */
    double time;
    SlStepStats stats;
    SlFluidKind fluids[SL_MAX_FLUIDS]; /* besides its own: fluid k + 1 */
    uint32_t fluid_count;
    SlBodyForce *forces; /* what a step found; one per body, NULL without any */
    size_t force_count;
};

/* The value of a parameter by its row number. */
static inline double sl_param(const SlSystem *system, uint32_t row)
{
    return system->values[row].number[0];
}

#endif
