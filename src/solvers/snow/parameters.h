/* Parameters of snow: rows, presets, and the constants of a step derived from them. */
#ifndef SOLVERS_SNOW_PARAMETERS_H
#define SOLVERS_SNOW_PARAMETERS_H

#include "solvers/snow/snow_kernels.h"

enum {
    SL_SNOW_PARAM_PRESET,
    SL_SNOW_PARAM_SPACING,
    SL_SNOW_PARAM_CELL,
    SL_SNOW_PARAM_TRANSFER,
    SL_SNOW_PARAM_REST_DENSITY,
    SL_SNOW_PARAM_STIFFNESS,
    SL_SNOW_PARAM_POISSON,
    SL_SNOW_PARAM_HARDENING,
    SL_SNOW_PARAM_CRITICAL_COMPRESSION,
    SL_SNOW_PARAM_CRITICAL_STRETCH,
    SL_SNOW_PARAM_MAX_PLASTIC_VOLUME,
    SL_SNOW_PARAM_VARY_STIFFNESS,
    SL_SNOW_PARAM_VARY_HARDENING,
    SL_SNOW_PARAM_VARY_YIELD,
    SL_SNOW_PARAM_VARY_STRETCH,
    SL_SNOW_PARAM_VARY_DENSITY,
    SL_SNOW_PARAM_FORCES,
    SL_SNOW_PARAM_FLIP,
    SL_SNOW_PARAM_INTEGRATION,
    SL_SNOW_PARAM_BETA,
    SL_SNOW_PARAM_TOLERANCE,
    SL_SNOW_PARAM_MAX_ITERATIONS,
    SL_SNOW_PARAM_TIME_STEP,
    SL_SNOW_PARAM_SOUND_LIMIT,
    SL_SNOW_PARAM_SPEED_LIMIT,
    SL_SNOW_PARAM_COUNT
};

extern const SlParamRow sl_snow_rows[SL_SNOW_PARAM_COUNT];
enum { SL_SNOW_PRESETS = 11 };
extern const SlPreset sl_snow_presets[SL_SNOW_PRESETS];

/* The semi-implicit time step of [Stomakhin 2013], s; "flip" is given for steps of this length. */
static const double sl_snow_implicit_step = 5e-4;

/* Order of the choices "none|bodies|all". */
typedef enum SlSnowForces {
    SL_SNOW_FORCES_NONE,
    SL_SNOW_FORCES_BODIES,
    SL_SNOW_FORCES_ALL
} SlSnowForces;

/* m */
double sl_snow_cell_width(const SlSystem *system);
/* m/s: upper bound of the speed of sound before any hardening. */
double sl_snow_initial_sound_speed(const SlSystem *system);
bool sl_snow_is_implicit(const SlSystem *system);
bool sl_snow_is_flip(const SlSystem *system);

/* Fills the constants of a step of dt seconds from the parameters and the surroundings. */
void sl_snow_set_constants(const SlSystem *system, double dt, SlSnowPass *pass);

#endif
