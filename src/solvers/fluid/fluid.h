/* What every water solver shares: the first rows of its parameter table, its state, and the stages
   of a step around the solve. A solver's own file has the rest of the rows and the step itself. */
#ifndef SOLVERS_FLUID_FLUID_H
#define SOLVERS_FLUID_FLUID_H

#include "solvers/pbf/lod/active.h"
#include "solvers/fluid/solids.h"
#include "solvers/solver.h"

/* The first rows of every water solver's parameter table; fluid/fluid_rows.h is included there. */
enum {
    SL_FLUID_P_SPACING,
    SL_FLUID_P_REST_DENSITY,
    SL_FLUID_P_SUPPORT,
    SL_FLUID_P_KERNEL,
    SL_FLUID_P_STEPS,
    SL_FLUID_P_MAX_MOVE,
    SL_FLUID_P_VISCOSITY,
    SL_FLUID_P_KINEMATIC_VISCOSITY,
    SL_FLUID_P_VISCOSITY_TOLERANCE,
    SL_FLUID_P_VISCOSITY_ITERATIONS,
    SL_FLUID_P_VORTICITY,
    SL_FLUID_P_COHESION,
    SL_FLUID_P_CURVATURE,
    SL_FLUID_P_BOUNDARY,
    SL_FLUID_P_BOUNDARY_SPACING,
    SL_FLUID_P_FORCES,
    SL_FLUID_P_WALL_DISTANCE,
    SL_FLUID_P_WALL_JITTER,
    SL_FLUID_P_SKIN,
    SL_FLUID_P_MAX_STALE_FRACTION,
    SL_FLUID_P_POST_SOLVE,
    SL_FLUID_P_STABILISE,
    SL_FLUID_P_CFL_LIMIT,
    SL_FLUID_P_COUNT
};

/* clang-format off */
#define SL_FLUID_NUMBER(value) SL_PARAM_NUMBER, {{value}}
#define SL_FLUID_INTEGER(value) SL_PARAM_INTEGER, {{value}}
#define SL_FLUID_CHOICE(value) SL_PARAM_CHOICE, {{value}}
/* clang-format on */

/* Order of the choices "step|frame". */
typedef enum SlPostSolve { SL_POST_SOLVE_STEP, SL_POST_SOLVE_FRAME } SlPostSolve;

/* What depends on the kernel alone and costs more than a step to find. */
typedef struct SlFluidConstants {
    bool known;
    SlKernelKind kind;
    double support; /* spacings */
    SlLatticeSums lattice;
    double wall_scale;
} SlFluidConstants;

/* What a solver keeps between steps besides the fields; its own state begins with this. */
typedef struct SlFluidState {
    SlCellGrid grid;
    SlNeighbourList list;
    SlSolids solids;
    SlFluidConstants constants;
    bool list_made; /* in this process; a restored state has to make it again at REFERENCE */
    uint64_t lists; /* made so far in this process */
    /* Active sets serve as long as the list and the levels they were made from. */
    SlArena sets;
    SlActive active;
    uint64_t active_list;        /* the list, by its number; 0: none are made */
    uint32_t viscous_iterations; /* of the last step */
    bool warned_cfl, warned_viscous;
} SlFluidState;

enum {
    SL_FLUID_FIELDS = SL_FIELD_BIT(ID) | SL_FIELD_BIT(POSITION) | SL_FIELD_BIT(VELOCITY) |
                      SL_FIELD_BIT(PREDICTED) | SL_FIELD_BIT(DENSITY)
};

/* Fields that the shared parameters ask for. */
uint32_t sl_fluid_more_fields(const SlSystem *system);

/* --- The descriptor's functions --- */
SlStatus sl_fluid_start(SlSystem *system, SlError *error);
void sl_fluid_finish(SlSystem *system);
void sl_fluid_state_replaced(SlSystem *system);
uint64_t sl_fluid_memory_needed(const SlSystem *system, uint64_t count);
uint32_t sl_fluid_steps(const SlSystem *system);
float sl_fluid_spacing(const SlSystem *system);
float sl_fluid_mass(const SlSystem *system, size_t i);

/* --- Stages of a step --- */
/* Constants and arrays of a step of dt; arrays come from the context's arena, which is reset. What
   only one solver reads is zero. */
SlStatus sl_fluid_begin(SlSystem *system, double dt, SlFluidPass *pass, SlError *error);
/* One loop of the step over all blocks. */
void sl_fluid_run(const SlSystem *system, const SlFluidPass *pass, SlFluidLoop loop);
/* The same for loops that leave a chunk's sums in pass->partials. */
void sl_fluid_sum(const SlSystem *system, const SlFluidPass *pass, SlFluidSum sum);
/* Stabilises as often as the parameter says, and predicts. */
void sl_fluid_predict(const SlSystem *system, const SlFluidPass *pass);
/* Sorts by pass->predicted and lists the neighbours; pass's arrays follow the new order. */
SlStatus sl_fluid_sort(SlSystem *system, SlFluidPass *pass, SlError *error);
SlStatus sl_fluid_list(SlSystem *system, SlFluidPass *pass, SlError *error);
/* Both, or neither where an earlier list of the frame still serves; stages timed from *mark. */
SlStatus sl_fluid_neighbours(SlSystem *system, SlFluidPass *pass, double *mark, SlError *error);
/* Is this the step in which what follows a solve is done? */
bool sl_fluid_settles(const SlSystem *system, double dt);
/* Velocities, positions and densities from pass->predicted; the step's statistics; finds numbers
   that went wrong. */
SlStatus sl_fluid_conclude(SlSystem *system, SlFluidPass *pass, double dt, SlError *error);

/* The kernel the parameters choose, and its radius in metres. */
SlKernelKind sl_fluid_kernel(const SlSystem *system);
double sl_fluid_support(const SlSystem *system);
/* The lattice's own sum of squared gradients of the density, S0, in 1/m². */
double sl_fluid_gradient_squared(const SlSystem *system);

#endif
