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
    SL_FLUID_PARAM_PACKING,
    SL_FLUID_PARAM_STEP_CONTROL,
    SL_FLUID_PARAM_STEPS,
    SL_FLUID_PARAM_CFL,
    SL_FLUID_PARAM_MIN_TIME_STEP,
    SL_FLUID_PARAM_MAX_TIME_STEP,
    SL_FLUID_PARAM_MAX_MOVE,
    SL_FLUID_PARAM_VISCOSITY,
    SL_FLUID_PARAM_XSPH,
    SL_FLUID_PARAM_CALMING,
    SL_FLUID_PARAM_SHIFTING,
    SL_FLUID_PARAM_KINEMATIC_VISCOSITY,
    SL_FLUID_PARAM_VISCOSITY_TOLERANCE,
    SL_FLUID_PARAM_VISCOSITY_ITERATIONS,
    SL_FLUID_PARAM_VORTICITY,
    SL_FLUID_PARAM_COHESION,
    SL_FLUID_PARAM_CURVATURE,
    SL_FLUID_PARAM_BOUNDARY,
    SL_FLUID_PARAM_BOUNDARY_SPACING,
    SL_FLUID_PARAM_FORCES,
    SL_FLUID_PARAM_WALL_PROFILE,
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

/* Order of the choices "relaxed|lattice", "auto|fixed" and "half_space|steep". */
typedef enum SlPacking { SL_PACKING_RELAXED, SL_PACKING_LATTICE } SlPacking;
typedef enum SlStepControlKind { SL_STEP_AUTO, SL_STEP_FIXED } SlStepControlKind;
typedef enum SlWallProfile { SL_WALL_HALF_SPACE, SL_WALL_STEEP } SlWallProfile;
/* Order of the choices "step|frame". */
typedef enum SlPostSolve { SL_POST_SOLVE_STEP, SL_POST_SOLVE_FRAME } SlPostSolve;

/* Constants that depend on the kernel alone and cost more than a step to compute. */
typedef struct SlFluidConstants {
    bool known;
    SlKernelKind kind;
    double support; /* spacings */
    SlLatticeSums lattice;
    double wall_scale;
    /* Of the lattice flush with a wall: F0, the density of the missing half space at half a spacing;
       the slopes there of the analytic wall (half space) and of a plane of boundary particles; and
       the sum of the slopes of the lattice's planes on one side of a particle. In 1/spacing. */
    double wall_density, wall_slope, sample_slope, plane_slopes;
    /* Half the mean square distance from the foot of a particle's plumb line, weighted with W over the
       plane at half a spacing: how much farther a round wall counts (wall_lanes.h). In spacing². */
    double round_moment;
    /* sum_j V (f_j - f_i) grad W over the gradient of f, on the lattice. */
    double gradient_factor;
    /* Of the constraints' matrix JJᵀ over its diagonal, at a support of at least 2: with fewer
       neighbours disorder raises it by more than the lattice has less. */
    double max_eigenvalue;
} SlFluidConstants;

/* What automatic steps are chosen from (step_control.c): state, for it decides the next step. */
typedef struct SlStepControl {
    double speed, max_speed; /* m/s: 99.9 % quantile, maximum */
    double pressure;         /* m²/s²: high quantile of the remembered pressure over density */
    double push;             /* m²/s²: running mean of the 99 % quantile of a step's pressure */
    double length;           /* s: that the next step may have, before it is fitted to the frame */
} SlStepControl;

/* State kept between steps besides the fields; a solver's own state begins with it. */
typedef struct SlFluidState {
    SlCellGrid grid;
    SlNeighbourList list;
    SlSolids solids;
    SlFluidConstants constants;
    SlStepControl control;
    double packing_density; /* of the initial packing over the lattice's: the rest density; 0: 1 */
    double cfl_factor; /* of `cfl`, by what the solver's iterations can stop; 0: 1 */
    double packing_gradient; /* gradient_factor of the initial packing; 0: the lattice's */
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
float sl_fluid_spacing(const SlSystem *system);
float sl_fluid_mass(const SlSystem *system, size_t i);

/* --- The start's pressure (initial_pressure.c) --- */
/* Field PRESSURE of the initial particles under gravity; after sl_fluid_start. */
SlStatus sl_initial_pressure(SlSystem *system, SlError *error);

/* --- Sub-steps (step_control.c) --- */
uint32_t sl_fluid_steps(const SlSystem *system);
/* The length of the next with `left` s to go; 0: fixed steps. */
double sl_fluid_step_length(const SlSystem *system, double left);
/* At the start, and at the end of each step of dt s. `pressure` and `push` are p / rho of each
   particle, as remembered and, times dt², as this step found it; NULL: not known. */
void sl_step_control_start(SlSystem *system);
void sl_step_control_start_pressure(SlSystem *system, const float *pressure);
SlStatus sl_step_control_measure(SlSystem *system, double dt, const float *pressure,
                                 const float *push, SlError *error);
/* SlSolver.written. */
void sl_fluid_written(SlSystem *system, size_t particle, SlFieldId field);
/* State rows for a solver whose state begins with an SlFluidState. */
#define SL_FLUID_STATE_ROWS                                                                       \
    {"step_control", offsetof(SlFluidState, control), sizeof(SlStepControl),                       \
     "speeds and pressures that the next step's length is chosen from"},                           \
    {"packing_density", offsetof(SlFluidState, packing_density), sizeof(double),                   \
     "density of the initial packing over the lattice's"}

/* --- Constants (fluid.c) --- */
const SlFluidConstants *sl_fluid_constants(const SlSystem *system);
SlKernelConstants sl_fluid_kernel_constants(const SlSystem *system);
/* Factors of the displacements by solids in a step of dt (docs/pbf-formulation.md, "Walls"), and the
   depth below which they do not grow, m. */
void sl_fluid_solid_pushes(const SlSystem *system, double dt, SlSolidsPass *solids);
double sl_fluid_mirror_depth(const SlSystem *system);
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
/* Positions, velocities and densities of the step's end, with XSPH viscosity; without `xsph` neither
   viscosity nor densities, from x* alone. */
void sl_fluid_advance(const SlSystem *system, const SlVelocityPass *velocities, bool xsph);
/* Statistics of the step and forces on bodies; SL_ERROR_NUMBERS where a particle diverged. */
SlStatus sl_fluid_statistics(SlSystem *system, const SlVelocityPass *velocities, double dt,
                             SlError *error);

/* The error "… particle 7 at (x, y, z): what". */
SlStatus sl_fluid_report_divergence(const SlSystem *system, const SlFluidPass *pass,
                                    const char *stage, size_t i, const char *what, SlError *error);

#endif
