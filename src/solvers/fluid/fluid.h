/* What the water solvers have in common: the first rows of their parameter tables, the state kept
   between steps, and the stages of a step around the solve. A solver's own file has its own rows,
   its pass struct and the step itself. */
#ifndef SOLVERS_FLUID_FLUID_H
#define SOLVERS_FLUID_FLUID_H

#include "solvers/fluid/fluid_kernels.h"
#include "solvers/fluid/solids.h"
#include "solvers/solver.h"

/* The first rows of every water solver's parameter table (fluid/parameter_rows.h). */
enum {
    SL_FLUID_PARAM_SPACING,
    SL_FLUID_PARAM_REST_DENSITY,
    SL_FLUID_PARAM_SUPPORT,
    SL_FLUID_PARAM_KERNEL,
    SL_FLUID_PARAM_STEPS,
    SL_FLUID_PARAM_MAX_MOVE,
    SL_FLUID_PARAM_VISCOSITY,
    SL_FLUID_PARAM_KINEMATIC_VISCOSITY,
    SL_FLUID_PARAM_VISCOSITY_TOLERANCE,
    SL_FLUID_PARAM_VISCOSITY_ITERATIONS,
    SL_FLUID_PARAM_VORTICITY,
    SL_FLUID_PARAM_COHESION,
    SL_FLUID_PARAM_CURVATURE,
    SL_FLUID_PARAM_BOUNDARY,
    SL_FLUID_PARAM_BOUNDARY_SPACING,
    SL_FLUID_PARAM_FORCES,
    SL_FLUID_PARAM_WALL_DISTANCE,
    SL_FLUID_PARAM_WALL_JITTER,
    SL_FLUID_PARAM_SKIN,
    SL_FLUID_PARAM_MAX_STALE_FRACTION,
    SL_FLUID_PARAM_POST_SOLVE,
    SL_FLUID_PARAM_STABILISE,
    SL_FLUID_PARAM_CFL_LIMIT,
    SL_FLUID_PARAM_COUNT
};

/* clang-format off */
#define SL_FLUID_NUMBER(value) SL_PARAM_NUMBER, {{value}}
#define SL_FLUID_INTEGER(value) SL_PARAM_INTEGER, {{value}}
#define SL_FLUID_CHOICE(value) SL_PARAM_CHOICE, {{value}}
/* clang-format on */

/* Order of the choices "step|frame". */
typedef enum SlPostSolve { SL_POST_SOLVE_STEP, SL_POST_SOLVE_FRAME } SlPostSolve;

/* Constants that depend on the kernel alone and cost more than a step to compute. */
typedef struct SlFluidConstants {
    bool known;
    SlKernelKind kind;
    double support; /* spacings */
    SlLatticeSums lattice;
    double wall_scale;
} SlFluidConstants;

/* State kept between steps besides the fields; a solver's own state begins with it. */
typedef struct SlFluidState {
    SlCellGrid grid;
    SlNeighbourList list;
    SlSolids solids;
    SlFluidConstants constants;
    bool list_built;     /* in this process; a restored state builds it again from REFERENCE */
    uint64_t list_count; /* lists built so far in this process */
    bool warned_cfl, warned_viscosity;
} SlFluidState;

enum {
    SL_FLUID_FIELDS = SL_FIELD_BIT(ID) | SL_FIELD_BIT(POSITION) | SL_FIELD_BIT(VELOCITY) |
                      SL_FIELD_BIT(PREDICTED) | SL_FIELD_BIT(DENSITY)
};

/* --- The descriptor's functions (fluid.c) --- */
/* Fields that the common parameters ask for. */
uint32_t sl_fluid_more_fields(const SlSystem *system);
SlStatus sl_fluid_start(SlSystem *system, SlError *error);
void sl_fluid_state_replaced(SlSystem *system);
void sl_fluid_destroy(SlSystem *system);
uint64_t sl_fluid_memory_needed(const SlSystem *system, uint64_t count);
uint32_t sl_fluid_steps(const SlSystem *system);
float sl_fluid_spacing(const SlSystem *system);
float sl_fluid_mass(const SlSystem *system, size_t i);

/* --- Constants (fluid.c) --- */
/* The kernel the parameters choose, and its radius in metres. */
SlKernelKind sl_fluid_kernel(const SlSystem *system);
double sl_fluid_support(const SlSystem *system);
/* Sum of squared density gradients of the cubic lattice, S0, in 1/m². */
double sl_fluid_gradient_squared(const SlSystem *system);
/* Mass of a particle of the system's own fluid, kg. */
double sl_fluid_particle_mass(const SlSystem *system);

/* --- Stages of a step, in their order --- */
/* Constants and arrays of a step of dt s. Resets the system's arena, which all stages push on. */
SlStatus sl_fluid_prepare(SlSystem *system, double dt, SlFluidPass *pass, SlError *error);
/* The fields' arrays, which change places when particles are sorted. */
void sl_fluid_bind_fields(SlSystem *system, SlFluidPass *pass);
/* A float4 array of the system's arena for all particles, its padding far away, so that gathers of
   the sentinel meet finite numbers; NULL: no memory. */
float *sl_fluid_push_records(SlSystem *system);
/* Pre-stabilisation, as often as the parameter says, by that loop; and prediction. */
void sl_fluid_stabilise(const SlSystem *system, SlLoop loop, const void *data);
void sl_fluid_predict(const SlSystem *system, const SlFluidPass *pass);

/* Neighbours (lists.c). Positions a list is built from: the predicted ones, or the field REFERENCE,
   extrapolated to the middle of the time the list is to serve. */
typedef enum SlListSource { SL_LIST_FROM_PREDICTED, SL_LIST_FROM_REFERENCE } SlListSource;
typedef struct SlListChoice {
    bool rebuild; /* false: the list of an earlier step serves */
    SlListSource source;
} SlListChoice;
SlStatus sl_fluid_choose_list(SlSystem *system, const SlFluidPass *pass, double dt,
                              SlListChoice *choice, SlError *error);
/* Sorts by the cells of those positions; the pass's arrays follow the new order. */
SlStatus sl_fluid_sort(SlSystem *system, SlFluidPass *pass, SlListSource source, SlError *error);
SlStatus sl_fluid_list(SlSystem *system, const SlFluidPass *pass, SlListSource source,
                       SlError *error);
/* The boundary particles near each particle; sl_fluid_list lists them too. */
SlStatus sl_fluid_list_boundary(SlSystem *system, const SlFluidPass *pass, SlError *error);

/* Velocity update (velocities.c). */
/* Time the forces after the solve act for at the end of this step, s: dt, with post_solve "frame" the
   whole frame's in its last step, and 0 in the others. */
double sl_fluid_post_solve_time(const SlSystem *system, double dt);
SlStatus sl_velocity_prepare(SlSystem *system, const SlFluidPass *pass, double dt,
                             SlVelocityPass *velocities, SlError *error);
/* new_velocity = (x* - x) / dt. */
void sl_velocity_update(const SlSystem *system, const SlVelocityPass *velocities);
/* Positions, velocities and densities of the step's end, with XSPH viscosity; and without either
   viscosity or densities. */
void sl_fluid_advance_xsph(const SlSystem *system, const SlVelocityPass *velocities);
void sl_fluid_advance(const SlSystem *system, const SlVelocityPass *velocities);
/* Statistics of the step and forces on bodies; SL_ERROR_NUMBERS where a particle diverged. */
SlStatus sl_fluid_statistics(SlSystem *system, const SlVelocityPass *velocities, double dt,
                             SlError *error);

/* The error "… particle 7 at (x, y, z): what". */
SlStatus sl_fluid_report_divergence(const SlSystem *system, const SlFluidPass *pass,
                                    const char *stage, size_t i, const char *what, SlError *error);

#endif
