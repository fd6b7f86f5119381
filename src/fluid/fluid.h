/* What every water solver shares: the first rows of its parameter table, its state, and the stages
   of a step around the solve. A solver's own file has the rest of the rows and the step itself. */
#ifndef FLUID_FLUID_H
#define FLUID_FLUID_H

#include "fluid/solids.h"
#include "particles/system.h"

/* The first rows of every water solver's parameter table. */
enum {
    SL_FLUID_P_SPACING,
    SL_FLUID_P_REST_DENSITY,
    SL_FLUID_P_SUPPORT,
    SL_FLUID_P_KERNEL,
    SL_FLUID_P_STEPS,
    SL_FLUID_P_MAX_MOVE,
    SL_FLUID_P_VISCOSITY,
    SL_FLUID_P_BOUNDARY,
    SL_FLUID_P_BOUNDARY_SPACING,
    SL_FLUID_P_FORCES,
    SL_FLUID_P_WALL_DISTANCE,
    SL_FLUID_P_WALL_JITTER,
    SL_FLUID_P_STABILISE,
    SL_FLUID_P_CFL_LIMIT,
    SL_FLUID_P_COUNT
};

#define SL_FLUID_NUMBER(value)                                                                     \
    SL_PARAM_NUMBER,                                                                               \
    {                                                                                              \
        {                                                                                          \
            value                                                                                  \
        }                                                                                          \
    }
#define SL_FLUID_WHOLE(value)                                                                      \
    SL_PARAM_INTEGER,                                                                              \
    {                                                                                              \
        {                                                                                          \
            value                                                                                  \
        }                                                                                          \
    }
#define SL_FLUID_CHOICE(value)                                                                     \
    SL_PARAM_CHOICE,                                                                               \
    {                                                                                              \
        {                                                                                          \
            value                                                                                  \
        }                                                                                          \
    }
#define SL_FLUID_ROWS                                                                              \
    [SL_FLUID_P_SPACING] = {"spacing",                                                             \
                            SL_FLUID_NUMBER(0.1),                                                  \
                            1e-5,                                                                  \
                            1e3,                                                                   \
                            "m",                                                                   \
                            NULL,                                                                  \
                            "distance between particles at rest"},                                 \
    [SL_FLUID_P_REST_DENSITY] =                                                                    \
        {"rest_density",                                                                           \
         SL_FLUID_NUMBER(1000),                                                                    \
         1e-3,                                                                                     \
         1e5,                                                                                      \
         "kg/m^3",                                                                                 \
         NULL,                                                                                     \
         "mass per volume at rest; scales energies only, motion does not depend on it"},           \
    [SL_FLUID_P_SUPPORT] = {"support",                                                             \
                            SL_FLUID_NUMBER(2),                                                    \
                            1.5,                                                                   \
                            4,                                                                     \
                            "spacings",                                                            \
                            NULL,                                                                  \
                            "radius of the smoothing kernel"},                                     \
    [SL_FLUID_P_KERNEL] =                                                                          \
        {"kernel",                                                                                 \
         SL_FLUID_CHOICE(SL_KERNEL_CUBIC),                                                         \
         0,                                                                                        \
         2,                                                                                        \
         "",                                                                                       \
         "cubic|wendland|poly6",                                                                   \
         "smoothing kernel: cubic spline, Wendland C2, or poly6 with spiky gradient"},             \
    [SL_FLUID_P_STEPS] =                                                                           \
        {"steps", SL_FLUID_WHOLE(2), 1, 1000, "per frame", NULL, "sub-steps a frame is cut into"}, \
    [SL_FLUID_P_MAX_MOVE] = {"max_move",                                                           \
                             SL_FLUID_NUMBER(0.1),                                                 \
                             1e-3,                                                                 \
                             1,                                                                    \
                             "spacings",                                                           \
                             NULL,                                                                 \
                             "longest displacement of one iteration"},                             \
    [SL_FLUID_P_VISCOSITY] = {"viscosity",                                                         \
                              SL_FLUID_NUMBER(0.01),                                               \
                              0,                                                                   \
                              0.5,                                                                 \
                              "",                                                                  \
                              NULL,                                                                \
                              "XSPH: share of the neighbours' mean velocity taken on per step"},   \
    [SL_FLUID_P_BOUNDARY] =                                                                        \
        {"boundary",                                                                               \
         SL_FLUID_CHOICE(SL_BY_WALLS),                                                             \
         0,                                                                                        \
         3,                                                                                        \
         "",                                                                                       \
         "contact|walls|particles|both",                                                           \
         "what surfaces do besides contact: nothing; count as half spaces of fluid in "            \
         "the density (analytic walls); as sampled particles; or the flat ones (domain, "          \
         "planes) as walls and all others as particles"},                                          \
    [SL_FLUID_P_BOUNDARY_SPACING] = {"boundary_spacing",                                           \
                                     SL_FLUID_NUMBER(0.5),                                         \
                                     0.2,                                                          \
                                     1,                                                            \
                                     "spacings",                                                   \
                                     NULL,                                                         \
                                     "least distance between boundary particles"},                 \
    [SL_FLUID_P_FORCES] =                                                                          \
        {"forces",                                                                                 \
         SL_FLUID_CHOICE(SL_FORCES_BODIES),                                                        \
         0,                                                                                        \
         2,                                                                                        \
         "",                                                                                       \
         "none|bodies|all",                                                                        \
         "whose force and torque are summed into the stats: nobody's, the colliders', or "         \
         "the domain's too"},                                                                      \
    [SL_FLUID_P_WALL_DISTANCE] = {"wall_distance",                                                 \
                                  SL_FLUID_NUMBER(0.5),                                            \
                                  0,                                                               \
                                  2,                                                               \
                                  "spacings",                                                      \
                                  NULL,                                                            \
                                  "nearest a particle's centre comes to a surface"},               \
    [SL_FLUID_P_WALL_JITTER] =                                                                     \
        {"wall_jitter",                                                                            \
         SL_FLUID_NUMBER(0.05),                                                                    \
         0,                                                                                        \
         0.5,                                                                                      \
         "spacings",                                                                               \
         NULL,                                                                                     \
         "plus up to this by particle, so that corners do not stack; 0 explodes"},                 \
    [SL_FLUID_P_STABILISE] =                                                                       \
        {"stabilise",                                                                              \
         SL_FLUID_WHOLE(0),                                                                        \
         0,                                                                                        \
         100,                                                                                      \
         "per step",                                                                               \
         NULL,                                                                                     \
         "pre-stabilisation: iterations that move particles out of solids before the "             \
         "step, without giving them speed"},                                                       \
    [SL_FLUID_P_CFL_LIMIT] = {"cfl_limit",                                                         \
                              SL_FLUID_NUMBER(2),                                                  \
                              0.1,                                                                 \
                              100,                                                                 \
                              "spacings",                                                          \
                              NULL,                                                                \
                              "a particle moving farther than this in one step gives a warning"},

/* What a solver keeps between steps besides the fields; its own state begins with this. */
typedef struct SlFluidState {
    SlCellGrid grid;
    SlNeighbourList list;
    SlSolids solids;
    bool warned_cfl;
} SlFluidState;

enum {
    SL_FLUID_FIELDS = SL_FIELD_BIT(ID) | SL_FIELD_BIT(POSITION) | SL_FIELD_BIT(VELOCITY) |
                      SL_FIELD_BIT(PREDICTED) | SL_FIELD_BIT(DENSITY)
};

/* --- The descriptor's functions --- */
SlStatus sl_fluid_start(SlSystem *system, SlError *error);
void sl_fluid_finish(SlSystem *system);
uint64_t sl_fluid_memory_needed(const SlSystem *system, uint64_t count);
uint32_t sl_fluid_steps(const SlSystem *system);
float sl_fluid_spacing(const SlSystem *system);

/* --- Stages of a step --- */
/* Constants and arrays of a step of dt; arrays come from the context's arena, which is reset. What
   only one solver reads is zero. */
SlStatus sl_fluid_begin(SlSystem *system, double dt, SlFluidPass *pass, SlError *error);
/* One loop of the step over all blocks. */
void sl_fluid_run(const SlSystem *system, const SlFluidPass *pass, SlFluidLoop loop);
/* Stabilises as often as the parameter says, and predicts. */
void sl_fluid_predict(const SlSystem *system, const SlFluidPass *pass);
/* Sorts by pass->predicted and lists the neighbours; pass's arrays follow the new order. */
SlStatus sl_fluid_sort(SlSystem *system, SlFluidPass *pass, SlError *error);
SlStatus sl_fluid_list(SlSystem *system, SlFluidPass *pass, SlError *error);
/* Velocities, positions and densities from pass->predicted; the step's statistics; finds numbers
   that went wrong. */
SlStatus sl_fluid_conclude(SlSystem *system, const SlFluidPass *pass, double dt, SlError *error);

/* The kernel the parameters choose, and its radius in metres. */
SlKernelKind sl_fluid_kernel(const SlSystem *system);
double sl_fluid_support(const SlSystem *system);
/* The lattice's own sum of squared gradients of the density, S0, in 1/m². */
double sl_fluid_gradient_squared(const SlSystem *system);

#endif
