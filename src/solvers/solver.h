/* A particle system and the descriptor of what solves it. A solver is one file that ends in a
   const SlSolver and has one line in the list of solvers (world/solvers.c). */
#ifndef SOLVERS_SOLVER_H
#define SOLVERS_SOLVER_H

#include "bodies/body.h"
#include "geometry/sampling/fill.h"
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
    /* Parameters that contradict each other are SL_ERROR_ARGUMENT with a message. Called before the
       start and when a parameter changes while the world runs. NULL: none can. */
    SlStatus (*check)(const SlSystem *system, SlError *error);
    /* Whether `start` relaxes the particles of each region into a packing. Blocks and lattice fills
       then get as many particles as their volume holds, at approximate places. NULL: never. */
    bool (*packs)(const SlSystem *system);
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

/* What a step finds around its particles, given by the world. */
typedef struct SlSurroundings {
    SlVec3 gravity;
    SlBox domain; /* an open side is infinite: no wall there */
    SlGridKind grid;
    const SlBodies *bodies; /* the domain's walls and all colliders, at the end of the step */
    uint64_t seed; /* of the world */
    const SlCamera *cameras; /* of level of detail */
    size_t camera_count;
    const SlDepthView *depth_views; /* one per camera; depth NULL: none was handed in */
    bool interval_begins; /* the first sub-step of an interval: a frame, for most */
    double interval_left; /* s: from the beginning of this sub-step to the interval's end */
    double interval_length; /* s: of the whole interval */
    bool population_changes; /* particles or bodies may come and go between sub-steps */
} SlSurroundings;

/* One of several fluids in a system; number 0 is the system's own. */
enum { SL_MAX_FLUIDS = 16 };
typedef struct SlFluidKind {
    char name[32];
    double density;   /* kg/m³ */
    double viscosity; /* m²/s */
} SlFluidKind;

/* Particles [first, first + count) were placed in this region at the start; their ids are their
   places. A region without blend and field is the box of its bounds. Away from the surface the
   places are the cell centres of a lattice with a corner at `lattice`. */
typedef struct SlFilledRegion {
    size_t first, count;
    SlRegion region;
    SlVec3 lattice;
} SlFilledRegion;

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
    const SlFilledRegion *regions; /* during the start only */
    size_t region_count;
};

/* The value of a parameter by its row number. */
static inline double sl_param(const SlSystem *system, uint32_t row)
{
    return system->values[row].number[0];
}

#endif
