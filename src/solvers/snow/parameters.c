#include "solvers/snow/parameters.h"

#include <math.h>

#define NUMBER(value) SL_PARAM_NUMBER, {{value}}
#define WHOLE(value) SL_PARAM_INTEGER, {{value}}
#define CHOICE(value) SL_PARAM_CHOICE, {{value}}
const SlParamRow sl_snow_rows[SL_SNOW_P_COUNT] = {
    [SL_SNOW_P_PRESET] = {"preset", CHOICE(0), 0, 10, "",
                          "reference|lower_hardening|lower_stiffness|lower_compression|"
                          "lower_stretch|lower_both|powder|packed|wet|icy|muddy",
                          "a material by name; keys that are given beside it count"},
    [SL_SNOW_P_SPACING] = {"spacing", NUMBER(0.02), 1e-5, 1e3, "m", NULL,
                   "distance between particles at rest"},
    [SL_SNOW_P_CELL] = {"cell", NUMBER(2), 1, 4, "spacings", NULL,
                "width of a cell of the grid; 2 puts 8 particles into one"},
    [SL_SNOW_P_TRANSFER] = {"transfer", CHOICE(SL_SNOW_MLS), 0, 1, "", "mls|flip",
                    "quadratic MLS with APIC (fast, keeps spin), or the paper's cubic FLIP/PIC"},
    [SL_SNOW_P_REST_DENSITY] = {"rest_density", NUMBER(400), 1e-3, 1e5, "kg/m^3", NULL,
                        "mass per volume before any deformation"},
    [SL_SNOW_P_STIFFNESS] = {"stiffness", NUMBER(1.4e5), 1, 1e12, "Pa", NULL,
                     "Young's modulus before hardening; high for icy, low for muddy snow"},
    [SL_SNOW_P_POISSON] = {"poisson", NUMBER(0.2), 0, 0.49, "", NULL, "Poisson's ratio"},
    [SL_SNOW_P_HARDENING] = {"hardening", NUMBER(10), 0, 50, "", NULL,
                     "stiffness grows as e^(hardening (1 - J_P)) where snow is packed; high for "
                     "brittle, low for ductile snow"},
    [SL_SNOW_P_CRITICAL_COMPRESSION] = {"critical_compression", NUMBER(0.025), 0, 0.5, "", NULL,
                                "compression at which snow packs for good; low for powder, high "
                                "for wet snow"},
    [SL_SNOW_P_CRITICAL_STRETCH] = {"critical_stretch", NUMBER(0.0075), 0, 0.5, "", NULL,
                            "stretch at which snow tears; low for powder, high for wet snow"},
    [SL_SNOW_P_TORN_LIMIT] = {"torn_limit", NUMBER(20), 1, 1e6, "", NULL,
                      "most that J_P, the plastic volume, grows to where snow has come apart"},
    [SL_SNOW_P_VARY_STIFFNESS] = {"vary_stiffness", NUMBER(0), -0.95, 0.95, "", NULL,
                          "share by which the field \"variation\" changes stiffness; below 0 the other way"},
    [SL_SNOW_P_VARY_HARDENING] = {"vary_hardening", NUMBER(0), -0.95, 0.95, "", NULL,
                          "share by which it changes hardening"},
    [SL_SNOW_P_VARY_YIELD] = {"vary_yield", NUMBER(0), -0.95, 0.95, "", NULL,
                      "share by which it changes both critical values"},
    [SL_SNOW_P_VARY_STRETCH] = {"vary_stretch", NUMBER(0), -0.95, 0.95, "", NULL,
                        "share by which it changes the critical stretch besides: seams that tear and "
                        "yet do not pack"},
    [SL_SNOW_P_VARY_DENSITY] = {"vary_density", NUMBER(0), -0.95, 0.95, "", NULL,
                        "share by which it changes a particle's mass"},
    [SL_SNOW_P_FORCES] = {"forces", CHOICE(SL_SNOW_FORCES_BODIES), 0, 2, "", "none|bodies|all",
                          "whose force and torque are summed into the stats: nobody's, the "
                          "colliders', or the domain's too"},
    [SL_SNOW_P_FLIP] = {"flip", NUMBER(0.95), 0, 1, "", NULL,
                "transfer flip: share of FLIP, the rest is PIC, per 0.5 ms"},
    [SL_SNOW_P_INTEGRATION] = {"integration", CHOICE(0), 0, 1, "", "explicit|implicit",
                       "explicit: many short steps; implicit: the paper's semi-implicit update, "
                       "few long ones"},
    [SL_SNOW_P_BETA] = {"beta", NUMBER(1), 0, 1, "", NULL,
                "implicit: 0 explicit, 0.5 trapezoidal, 1 backward Euler"},
    [SL_SNOW_P_TOLERANCE] = {"tolerance", NUMBER(1e-3), 1e-6, 0.5, "", NULL,
                     "implicit: residual at which the solve ends, over the first one"},
    [SL_SNOW_P_MAX_ITERATIONS] = {"max_iterations", WHOLE(200), 1, 10000, "", NULL,
                           "implicit: a step whose solve takes more is made in two halves"},
    [SL_SNOW_P_TIME_STEP] = {"time_step", NUMBER(0), 0, 1, "s", NULL,
                     "longest step; 0: by speed_limit and, explicit, sound_limit or, implicit, 0.5 ms"},
    [SL_SNOW_P_SOUND_LIMIT] = {"sound_limit", NUMBER(0.5), 0.01, 1, "cells", NULL,
                       "explicit: how far sound goes in a step, where snow is stiffest"},
    [SL_SNOW_P_SPEED_LIMIT] = {"speed_limit", NUMBER(0.4), 0.01, 1, "cells", NULL,
                       "how far the fastest particle or body goes in a step"},
};

double sl_snow_cell_width(const SlSystem *system)
{
    return sl_param(system, SL_SNOW_P_CELL) * sl_param(system, SL_SNOW_P_SPACING);
}

/* Figure 8 of document 001, then kinds of snow by §5 and by eye (scenes/papers/snow/presets.json): a high
   critical compression lets a blow break snow, a low one pack it; a low critical stretch makes it come
   apart, one above the critical compression keep together; a low torn_limit leaves torn snow its hold. */
const SlPreset sl_snow_presets[SL_SNOW_PRESETS] = {
    {"reference", "the defaults, Table 2 of the paper", SL_PRESET({NULL, 0})},
    {"lower_hardening", "Figure 8", SL_PRESET({"hardening", 5})},
    {"lower_stiffness", "Figure 8", SL_PRESET({"stiffness", 4.8e4})},
    {"lower_compression", "Figure 8", SL_PRESET({"critical_compression", 0.019})},
    {"lower_stretch", "Figure 8", SL_PRESET({"critical_stretch", 0.005})},
    {"lower_both", "Figure 8", SL_PRESET({"critical_compression", 0.019}, {"critical_stretch", 0.005})},
    {"powder", "dry and loose, comes apart at once and flies as spray",
     SL_PRESET({"critical_compression", 0.01}, {"critical_stretch", 0.0005}, {"rest_density", 200},
      {"stiffness", 1e5}, {"hardening", 15}, {"torn_limit", 1.5})},
    {"packed", "trodden, firm; breaks into chunks and crumbs",
     SL_PRESET({"critical_compression", 0.12}, {"critical_stretch", 0.01}, {"rest_density", 400},
      {"stiffness", 1e6}, {"hardening", 15}, {"torn_limit", 1.5})},
    {"wet", "packs under a blow, stays as it was pressed and does not tear",
     SL_PRESET({"critical_compression", 0.01}, {"critical_stretch", 0.02}, {"rest_density", 450},
      {"torn_limit", 1.3})},
    {"icy", "stiff and brittle, sharp pieces",
     SL_PRESET({"critical_compression", 0.1}, {"critical_stretch", 0.004}, {"rest_density", 550},
      {"stiffness", 3e6}, {"hardening", 25}, {"torn_limit", 1.2})},
    {"muddy", "soft; flows apart and splashes",
     SL_PRESET({"critical_compression", 0.06}, {"critical_stretch", 0.015}, {"rest_density", 600},
      {"stiffness", 5e4}, {"poisson", 0.4}, {"torn_limit", 1.1})},
};

static double lambda_of(const SlSystem *system)
{
    double e = sl_param(system, SL_SNOW_P_STIFFNESS), nu = sl_param(system, SL_SNOW_P_POISSON);
    return e * nu / ((1 + nu) * (1 - 2 * nu));
}

static double mu_of(const SlSystem *system)
{
    return sl_param(system, SL_SNOW_P_STIFFNESS) / (2 * (1 + sl_param(system, SL_SNOW_P_POISSON)));
}

bool sl_snow_is_implicit(const SlSystem *system)
{
    return sl_param(system, SL_SNOW_P_INTEGRATION) == 1;
}

bool sl_snow_is_flip(const SlSystem *system)
{
    return sl_param(system, SL_SNOW_P_TRANSFER) == SL_SNOW_FLIP;
}

double sl_snow_sound_at_start(const SlSystem *system)
{
    double stiff = (lambda_of(system) + 2 * mu_of(system)) *
                   (1 + fabs(sl_param(system, SL_SNOW_P_VARY_STIFFNESS)));
    double dense = sl_param(system, SL_SNOW_P_REST_DENSITY) *
                   (1 - fabs(sl_param(system, SL_SNOW_P_VARY_DENSITY)));
    return sqrt(stiff / dense);
}

void sl_snow_set_constants(const SlSystem *system, double dt, SlSnowPass *pass)
{
    double d = sl_param(system, SL_SNOW_P_SPACING), h = sl_snow_cell_width(system);
    pass->lattice = (SlSnowLattice){(float)h, (float)(1 / h), sl_snow_is_flip(system)};
    pass->contacts.around = &system->surroundings;
    pass->contacts.dt = (float)dt;
    pass->gravity = system->surroundings.gravity;
    pass->dt = (float)dt;
    pass->rest_density = (float)sl_param(system, SL_SNOW_P_REST_DENSITY);
    pass->mass = (float)(sl_param(system, SL_SNOW_P_REST_DENSITY) * d * d * d);
    pass->keep = sl_snow_is_flip(system) ? (float)pow(sl_param(system, SL_SNOW_P_FLIP), dt / sl_snow_long_step) : 0;
    pass->split = sl_snow_is_flip(system) || sl_snow_is_implicit(system);
    pass->impulse_fraction = 1;
    pass->affine = sl_snow_is_flip(system) ? 0 : (float)(h * h / 4);
    pass->implicit = (float)(sl_param(system, SL_SNOW_P_BETA) * dt * dt);
    pass->runaway_speed = (float)(10 * h / dt);
    pass->mu = (float)mu_of(system);
    pass->lambda = (float)lambda_of(system);
    pass->hardening = (float)sl_param(system, SL_SNOW_P_HARDENING);
    pass->critical_compression = (float)sl_param(system, SL_SNOW_P_CRITICAL_COMPRESSION);
    pass->critical_stretch = (float)sl_param(system, SL_SNOW_P_CRITICAL_STRETCH);
    pass->torn_limit = (float)sl_param(system, SL_SNOW_P_TORN_LIMIT);
    pass->vary_stiffness = (float)sl_param(system, SL_SNOW_P_VARY_STIFFNESS);
    pass->vary_hardening = (float)sl_param(system, SL_SNOW_P_VARY_HARDENING);
    pass->vary_yield = (float)sl_param(system, SL_SNOW_P_VARY_YIELD);
    pass->vary_stretch = (float)sl_param(system, SL_SNOW_P_VARY_STRETCH);
    pass->vary_density = (float)sl_param(system, SL_SNOW_P_VARY_DENSITY);
}

