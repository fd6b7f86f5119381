/* The parameters of projective fluids beyond those of every fluid. */
#ifndef SOLVERS_PROJECTIVE_PARAMETER_ROWS_H
#define SOLVERS_PROJECTIVE_PARAMETER_ROWS_H

#include "solvers/fluid/fluid.h"

enum {
    P_STIFFNESS = SL_FLUID_PARAM_COUNT,
    P_CONSTRAINT,
    P_ROWS,
    P_COUNT_RELAXATION,
    P_PROJECTIONS,
    P_PROJECTION_TOLERANCE,
    P_DAMPING,
    P_ATTACH,
    P_ATTACH_BELOW,
    P_GLOBAL_SOLVER,
    P_GLOBAL_ITERATIONS,
    P_GLOBAL_TOLERANCE,
    P_PRECONDITIONER,
    P_DIVISOR,
    P_ACCELERATION,
    P_RHO,
    P_DELAY,
    P_RELAXATION,
    P_OMEGA_START,
    P_SAFEGUARD,
    P_RESTART_FRACTION,
    P_HISTORY,
    P_MAX_ITERATIONS,
    P_MIN_ITERATIONS,
    P_STOP_MOVE,
    P_STOP_MEAN,
    P_STOP_MAX,
    P_STEP_CONTROL,
    P_CFL,
    P_MIN_TIME_STEP,
    P_MAX_TIME_STEP,
    P_COUNT
};

/* Order of the choices "selector|differences". */
typedef enum SlRows { SL_ROWS_SELECTOR, SL_ROWS_DIFFERENCES } SlRows;

/* Order of the choices "common|own". */
typedef enum SlDivisor { SL_DIVISOR_COMMON, SL_DIVISOR_OWN } SlDivisor;

#endif
