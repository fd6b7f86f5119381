/* What can be set of snow: the rows of its table, its presets, and a step's constants from them. */
#ifndef SOLVERS_SNOW_PARAMETERS_H
#define SOLVERS_SNOW_PARAMETERS_H

#include "solvers/snow/snow_kernels.h"

enum {
    SL_SNOW_P_PRESET,
    SL_SNOW_P_SPACING,
    SL_SNOW_P_CELL,
    SL_SNOW_P_TRANSFER,
    SL_SNOW_P_REST_DENSITY,
    SL_SNOW_P_STIFFNESS,
    SL_SNOW_P_POISSON,
    SL_SNOW_P_HARDENING,
    SL_SNOW_P_CRITICAL_COMPRESSION,
    SL_SNOW_P_CRITICAL_STRETCH,
    SL_SNOW_P_TORN_LIMIT,
    SL_SNOW_P_VARY_STIFFNESS,
    SL_SNOW_P_VARY_HARDENING,
    SL_SNOW_P_VARY_YIELD,
    SL_SNOW_P_VARY_STRETCH,
    SL_SNOW_P_VARY_DENSITY,
    SL_SNOW_P_FORCES,
    SL_SNOW_P_FLIP,
    SL_SNOW_P_INTEGRATION,
    SL_SNOW_P_BETA,
    SL_SNOW_P_TOLERANCE,
    SL_SNOW_P_MAX_ITERATIONS,
    SL_SNOW_P_TIME_STEP,
    SL_SNOW_P_SOUND_LIMIT,
    SL_SNOW_P_SPEED_LIMIT,
    SL_SNOW_P_COUNT
};

extern const SlParamRow sl_snow_rows[SL_SNOW_P_COUNT];
enum { SL_SNOW_PRESETS = 11 };
extern const SlPreset sl_snow_presets[SL_SNOW_PRESETS];

/* The paper's semi-implicit step, s; FLIP's share is given for steps of this length. */
static const double sl_snow_long_step = 5e-4;

typedef enum SlSnowForces { SL_SNOW_FORCES_NONE, SL_SNOW_FORCES_BODIES, SL_SNOW_FORCES_ALL } SlSnowForces;

/* m */
double sl_snow_cell_width(const SlSystem *system);
/* m/s: the fastest that sound can be before any hardening. */
double sl_snow_sound_at_start(const SlSystem *system);
bool sl_snow_is_implicit(const SlSystem *system);
bool sl_snow_is_flip(const SlSystem *system);

/* All that a step of dt seconds needs of the parameters and the surroundings. */
void sl_snow_set_constants(const SlSystem *system, double dt, SlSnowPass *pass);

#endif
