/* The parameters of projective fluids beyond those of every fluid. */
#ifndef FLUID_PROJECTIVE_ROWS_H
#define FLUID_PROJECTIVE_ROWS_H

#include "fluid/fluid.h"

enum {
    P_STIFFNESS = SL_FLUID_P_COUNT,
    P_CONSTRAINT,
    P_ROWS,
    P_COUNT_RELAXATION,
    P_PROJECTIONS,
    P_PROJECTION_TOLERANCE,
    P_DAMPING,
    P_ATTACH,
    P_ATTACH_BELOW,
    P_GLOBAL,
    P_GLOBAL_ITERATIONS,
    P_GLOBAL_TOLERANCE,
    P_PRECONDITION,
    P_DIVISOR,
    P_ACCELERATE,
    P_RHO,
    P_DELAY,
    P_UNDER_RELAXATION,
    P_OMEGA_START,
    P_SAFEGUARD,
    P_CALM_SHARE,
    P_HISTORY,
    P_ITERATIONS,
    P_LEAST_ITERATIONS,
    P_STOP_MOVE,
    P_STOP_MEAN,
    P_STOP_MOST,
    P_TIME_STEP,
    P_CFL,
    P_LEAST_STEP,
    P_MOST_STEP,
    P_COUNT
};

/* Order of the choices "selector|differences". */
typedef enum SlRows { SL_ROWS_SELECTOR, SL_ROWS_DIFFERENCES } SlRows;

/* Order of the choices "common|own". */
typedef enum SlDivisor { SL_DIVISOR_COMMON, SL_DIVISOR_OWN } SlDivisor;

#endif
