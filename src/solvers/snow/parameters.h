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
    SL_SNOW_PARAM_VARY_POISSON,
    SL_SNOW_PARAM_YIELD,
    SL_SNOW_PARAM_ADHESION,
    SL_SNOW_PARAM_DAMPING,
    SL_SNOW_PARAM_DAMPING_RATE,
    SL_SNOW_PARAM_CONTACT,
    SL_SNOW_PARAM_MAX_VOLUME,
    SL_SNOW_PARAM_FORCES,
    SL_SNOW_PARAM_FLIP,
    SL_SNOW_PARAM_FLIP_BLEND,
    SL_SNOW_PARAM_FLIP_VELOCITY,
    SL_SNOW_PARAM_ADVECTION,
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
enum { SL_SNOW_PRESETS = 12 };
extern const SlPreset sl_snow_presets[SL_SNOW_PRESETS];

/* The semi-implicit time step of [Stomakhin 2013], s; "flip" is given for steps of this length. */
static const double sl_snow_implicit_step = 5e-4;

/* Order of the choices "none|bodies|all". */
typedef enum SlSnowForces {
    SL_SNOW_FORCES_NONE,
    SL_SNOW_FORCES_BODIES,
    SL_SNOW_FORCES_ALL
} SlSnowForces;

/* Order of the choices of "yield", "contact", "flip_blend", "flip_velocity" and "advection". */
enum { SL_SNOW_YIELD_CLAMP, SL_SNOW_YIELD_ISOCHORIC };
enum { SL_SNOW_CONTACT_PARTICLES, SL_SNOW_CONTACT_NODES };
enum { SL_SNOW_BLEND_TIME, SL_SNOW_BLEND_STEP };
enum { SL_SNOW_VELOCITY_AFFINE, SL_SNOW_VELOCITY_CONSTANT };
enum { SL_SNOW_ADVECTION_GRID, SL_SNOW_ADVECTION_PARTICLE };

/* m */
double sl_snow_cell_width(const SlSystem *system);
/* m/s: upper bound of the speed of sound before any hardening. */
double sl_snow_initial_sound_speed(const SlSystem *system);
bool sl_snow_is_implicit(const SlSystem *system);
bool sl_snow_is_flip(const SlSystem *system);
bool sl_snow_contact_is_printed(const SlSystem *system);

/* A program's attribute that varies a parameter per particle: "vary_stiffness", …; NULL: none. */
const float *sl_snow_attribute(const SlParticles *particles, SlSnowVaried which);

/* Fills the constants of a step of dt seconds from the parameters and the surroundings. */
void sl_snow_set_constants(const SlSystem *system, double dt, SlSnowPass *pass);

#endif
