/* Parameters of snow [Stomakhin 2013, Tables 1 and 2]. */
#include "solvers/snow/parameters.h"

#include <math.h>

#include "solvers/snow/snow.h"

/* Cells: adhesive and sticky contacts hold up to this gap. */
static const double hold_gap = 0.25;
/* Cells: nodes up to this distance from a surface collide; a little more than the row of nodes one
   cell above a floor that lies on nodes. */
static const double node_reach = 1.01;
/* Of viscosity dt / h²: stable beside elastic steps of sound_limit 0.5; 0.1 is not. */
static const double max_viscous = 0.04;

#define NUMBER(value) SL_PARAM_NUMBER, {{value}}
#define INTEGER(value) SL_PARAM_INTEGER, {{value}}
#define CHOICE(value) SL_PARAM_CHOICE, {{value}}
#define LIVE .live = true
const SlParamRow sl_snow_rows[SL_SNOW_PARAM_COUNT] = {
    [SL_SNOW_PARAM_PRESET] = {"preset", CHOICE(0), 0, 11, "",
                          "reference|lower_hardening|lower_stiffness|lower_compression|"
                          "lower_stretch|lower_both|powder|packed|wet|icy|muddy|stomakhin2013",
                          "a material by name; parameters that are set explicitly override it"},
    [SL_SNOW_PARAM_SPACING] = {"spacing", NUMBER(0.02), 1e-5, 1e3, "m", NULL,
                           "distance between particles at rest"},
    [SL_SNOW_PARAM_CELL] = {"cell", NUMBER(2), 1, 4, "spacings", NULL,
                        "width of a grid cell; 2 gives 8 particles per cell"},
    [SL_SNOW_PARAM_TRANSFER] = {"transfer", CHOICE(SL_SNOW_MLS), 0, 1, "", "mls|flip",
                            "mls: quadratic MLS [Hu 2018] with APIC [Jiang 2015], faster, preserves "
                            "angular momentum; flip: cubic FLIP/PIC [Stomakhin 2013]"},
    [SL_SNOW_PARAM_REST_DENSITY] = {"rest_density", NUMBER(400), 1e-3, 1e5, "kg/m^3", NULL,
                                "mass per volume before any deformation"},
    [SL_SNOW_PARAM_STIFFNESS] = {"stiffness", NUMBER(1.4e5), 1, 1e12, "Pa", NULL,
                             "Young's modulus E0 before hardening; high for icy, low for muddy snow"},
    [SL_SNOW_PARAM_POISSON] = {"poisson", NUMBER(0.2), 0, 0.49, "", NULL, "Poisson's ratio nu"},
    [SL_SNOW_PARAM_HARDENING] = {"hardening", NUMBER(10), 0, 50, "", NULL,
                             "xi: stiffness is multiplied by e^(xi (1 - J_P)); high for brittle, low "
                             "for ductile snow"},
    [SL_SNOW_PARAM_CRITICAL_COMPRESSION] = {"critical_compression", NUMBER(0.025), 0, 0.5, "", NULL,
                                        "theta_c: compression at which deformation becomes plastic; "
                                        "low for powder, high for wet snow", LIVE},
    [SL_SNOW_PARAM_CRITICAL_STRETCH] = {"critical_stretch", NUMBER(0.0075), 0, 0.5, "", NULL,
                                    "theta_s: stretch at which deformation becomes plastic; low for "
                                    "powder, high for wet snow", LIVE},
    [SL_SNOW_PARAM_MAX_PLASTIC_VOLUME] = {"max_plastic_volume", NUMBER(20), 1, 1e6, "", NULL,
                                      "upper limit of J_P, the plastic volume ratio, which grows "
                                      "where snow is torn; a low limit leaves torn snow some "
                                      "stiffness", LIVE},
    [SL_SNOW_PARAM_VARY_STIFFNESS] = {"vary_stiffness", NUMBER(0), -0.95, 0.95, "", NULL,
                                  "stiffness is multiplied by 1 + this × the field \"variation\""},
    [SL_SNOW_PARAM_VARY_HARDENING] = {"vary_hardening", NUMBER(0), -0.95, 0.95, "", NULL,
                                  "the same for hardening"},
    [SL_SNOW_PARAM_VARY_YIELD] = {"vary_yield", NUMBER(0), -0.95, 0.95, "", NULL,
                              "the same for both critical values"},
    [SL_SNOW_PARAM_VARY_STRETCH] = {"vary_stretch", NUMBER(0), -0.95, 0.95, "", NULL,
                                "the same for critical_stretch alone: seams that tear but do not pack"},
    [SL_SNOW_PARAM_VARY_DENSITY] = {"vary_density", NUMBER(0), -0.95, 0.95, "", NULL,
                                "the same for a particle's mass"},
    [SL_SNOW_PARAM_VARY_POISSON] = {"vary_poisson", NUMBER(0), -0.95, 0.95, "", NULL,
                                "the same for Poisson's ratio, which stays below 0.49"},
    [SL_SNOW_PARAM_YIELD] = {"yield", CHOICE(SL_SNOW_YIELD_CLAMP), 0, 1, "", "clamp|isochoric",
                         "clamp: plastic flow changes the volume, snow packs and tears "
                         "[Stomakhin 2013, section 7]; isochoric: it keeps the volume, snow smears"},
    [SL_SNOW_PARAM_ADHESION] = {"adhesion", NUMBER(0), 0, 1e7, "Pa", NULL,
                            "tension that a contact with a body bears before it opens; friction counts "
                            "it as pressure", LIVE},
    [SL_SNOW_PARAM_DAMPING] = {"damping", NUMBER(0.2), 0, 100, "m^2/s", NULL,
                           "kinematic viscosity of slow deformation where snow is not torn: bodies stop "
                           "ringing; fracture is too fast for it", LIVE},
    [SL_SNOW_PARAM_DAMPING_RATE] = {"damping_rate", NUMBER(2), 1e-3, 1e6, "1/s", NULL,
                                "rate of deformation at which half of the damping is left", LIVE},
    [SL_SNOW_PARAM_CONTACT] = {"contact", CHOICE(SL_SNOW_CONTACT_PARTICLES), 0, 1, "",
                           "particles|nodes",
                           "what touches bodies: particles, half a spacing from the surface, or nodes "
                           "inside a body [Stomakhin 2013, section 8], which lets snow hover"},
    [SL_SNOW_PARAM_MAX_VOLUME] = {"max_volume", NUMBER(2), 1, 1e6, "", NULL,
                              "upper limit of a particle's measured volume V0, relative to that at "
                              "rest_density; single particles would get 38 times their volume"},
    [SL_SNOW_PARAM_FORCES] = {"forces", CHOICE(SL_SNOW_FORCES_BODIES), 0, 2, "", "none|bodies|all",
                          "bodies whose force and torque are in the statistics: none, the "
                          "colliders, or the domain too"},
    [SL_SNOW_PARAM_FLIP] = {"flip", NUMBER(0.95), 0, 1, "", NULL,
                        "transfer flip: fraction of FLIP in the velocity, the rest is PIC", LIVE},
    [SL_SNOW_PARAM_FLIP_BLEND] = {"flip_blend", CHOICE(SL_SNOW_BLEND_TIME), 0, 1, "", "time|step",
                              "transfer flip: \"flip\" is the fraction per 0.5 ms, or per step as in "
                              "[Stomakhin 2013], where results depend on the number of steps"},
    [SL_SNOW_PARAM_FLIP_VELOCITY] = {"flip_velocity", CHOICE(SL_SNOW_VELOCITY_AFFINE), 0, 1, "",
                                 "affine|constant",
                                 "transfer flip: a particle's velocity has a gradient, so that spin is "
                                 "preserved, or is constant over its kernel [Stomakhin 2013]"},
    [SL_SNOW_PARAM_ADVECTION] = {"advection", CHOICE(SL_SNOW_ADVECTION_GRID), 0, 1, "", "grid|particle",
                             "transfer flip: positions move by the velocity of the grid, or by the "
                             "particle's own [Stomakhin 2013]"},
    [SL_SNOW_PARAM_INTEGRATION] = {"integration", CHOICE(0), 0, 1, "", "explicit|implicit",
                               "explicit: many short steps; implicit: few long steps with a "
                               "semi-implicit solve [Stomakhin 2013, section 6.1]"},
    [SL_SNOW_PARAM_BETA] = {"beta", NUMBER(1), 0, 1, "", NULL,
                        "implicit: 0 explicit, 0.5 trapezoidal, 1 backward Euler", LIVE},
    [SL_SNOW_PARAM_TOLERANCE] = {"tolerance", NUMBER(1e-3), 1e-6, 0.5, "", NULL,
                             "implicit: residual of the solve relative to the first one", LIVE},
    [SL_SNOW_PARAM_MAX_ITERATIONS] = {"max_iterations", INTEGER(200), 1, 10000, "per step", NULL,
                                  "implicit: a step whose solve needs more is repeated with half its "
                                  "length", LIVE},
    [SL_SNOW_PARAM_TIME_STEP] = {"time_step", NUMBER(0), 0, 1, "s", NULL,
                             "longest step; 0: by speed_limit and by sound_limit (explicit) or 0.5 ms "
                             "(implicit)", LIVE},
    [SL_SNOW_PARAM_SOUND_LIMIT] = {"sound_limit", NUMBER(0.5), 0.01, 1, "cells", NULL,
                               "explicit: longest way of sound in a step, where snow is stiffest",
                               LIVE},
    [SL_SNOW_PARAM_SPEED_LIMIT] = {"speed_limit", NUMBER(0.4), 0.01, 1, "cells", NULL,
                               "longest way of the fastest particle or body in a step", LIVE},
};

double sl_snow_cell_width(const SlSystem *system)
{
    return sl_param(system, SL_SNOW_PARAM_CELL) * sl_param(system, SL_SNOW_PARAM_SPACING);
}

/* [Stomakhin 2013, Figure 8], then kinds of snow by its section 5 and by appearance
   (scenes/papers/snow/presets.json): with a high critical compression snow breaks under an impact,
   with a low one it packs; with a low critical stretch it falls apart, with one above the critical
   compression it stays together; a low max_plastic_volume leaves torn snow some stiffness. */
const SlPreset sl_snow_presets[SL_SNOW_PRESETS] = {
    {"reference", "the defaults [Stomakhin 2013, Table 2]", SL_PRESET({NULL, 0})},
    {"lower_hardening", "[Stomakhin 2013, Figure 8]", SL_PRESET({"hardening", 5})},
    {"lower_stiffness", "[Stomakhin 2013, Figure 8]", SL_PRESET({"stiffness", 4.8e4})},
    {"lower_compression", "[Stomakhin 2013, Figure 8]", SL_PRESET({"critical_compression", 0.019})},
    {"lower_stretch", "[Stomakhin 2013, Figure 8]", SL_PRESET({"critical_stretch", 0.005})},
    {"lower_both", "[Stomakhin 2013, Figure 8]",
     SL_PRESET({"critical_compression", 0.019}, {"critical_stretch", 0.005})},
    {"powder", "dry and loose, falls apart at once and flies as spray",
     SL_PRESET({"critical_compression", 0.01}, {"critical_stretch", 0.0005}, {"rest_density", 200},
               {"stiffness", 1e5}, {"hardening", 15}, {"max_plastic_volume", 1.5})},
    {"packed", "trodden, firm; breaks into chunks and crumbs",
     SL_PRESET({"critical_compression", 0.12}, {"critical_stretch", 0.01}, {"rest_density", 400},
               {"stiffness", 1e6}, {"hardening", 15}, {"max_plastic_volume", 1.5})},
    {"wet", "packs under an impact, clings, does not tear and does not bounce",
     SL_PRESET({"critical_compression", 0.015}, {"critical_stretch", 0.03}, {"rest_density", 450},
               {"stiffness", 8e4}, {"hardening", 2}, {"max_plastic_volume", 1.2}, {"damping", 0.5},
               {"damping_rate", 100}, {"adhesion", 2e3})},
    {"icy", "stiff and brittle, sharp pieces",
     SL_PRESET({"critical_compression", 0.1}, {"critical_stretch", 0.004}, {"rest_density", 550},
               {"stiffness", 3e6}, {"hardening", 25}, {"max_plastic_volume", 1.2})},
    {"muddy", "slush: flows and smears, keeps its volume",
     SL_PRESET({"critical_compression", 0.01}, {"critical_stretch", 0.01}, {"rest_density", 600},
               {"stiffness", 2e5}, {"poisson", 0.45}, {"yield", SL_SNOW_YIELD_ISOCHORIC},
               {"damping", 0.5}, {"damping_rate", 100}, {"adhesion", 500})},
    {"stomakhin2013", "the printed method [Stomakhin 2013]: its material, transfer, steps and contacts",
     SL_PRESET({"transfer", SL_SNOW_FLIP}, {"integration", 1}, {"time_step", 5e-4}, {"cell", 2},
               {"beta", 1}, {"flip", 0.95}, {"flip_blend", SL_SNOW_BLEND_STEP},
               {"flip_velocity", SL_SNOW_VELOCITY_CONSTANT},
               {"advection", SL_SNOW_ADVECTION_PARTICLE}, {"contact", SL_SNOW_CONTACT_NODES},
               {"damping", 0}, {"adhesion", 0}, {"max_volume", 1e6}, {"max_plastic_volume", 1e6})},
};

const float *sl_snow_attribute(const SlParticles *particles, SlSnowVaried which)
{
    static const int rows[SL_SNOW_VARIED_COUNT] = {
        [SL_SNOW_VARIED_STIFFNESS] = SL_SNOW_PARAM_VARY_STIFFNESS,
        [SL_SNOW_VARIED_HARDENING] = SL_SNOW_PARAM_VARY_HARDENING,
        [SL_SNOW_VARIED_YIELD] = SL_SNOW_PARAM_VARY_YIELD,
        [SL_SNOW_VARIED_STRETCH] = SL_SNOW_PARAM_VARY_STRETCH,
        [SL_SNOW_VARIED_DENSITY] = SL_SNOW_PARAM_VARY_DENSITY,
        [SL_SNOW_VARIED_POISSON] = SL_SNOW_PARAM_VARY_POISSON};
    int field = sl_particles_find(particles, sl_snow_rows[rows[which]].name);
    if (field >= SL_F_COUNT && sl_field_row(particles, field)->storage == SL_STORE_F32)
        return particles->data[field];
    return NULL;
}

static double lambda_of(const SlSystem *system)
{
    double e = sl_param(system, SL_SNOW_PARAM_STIFFNESS), nu = sl_param(system, SL_SNOW_PARAM_POISSON);
    return e * nu / ((1 + nu) * (1 - 2 * nu));
}

static double mu_of(const SlSystem *system)
{
    return sl_param(system, SL_SNOW_PARAM_STIFFNESS) / (2 * (1 + sl_param(system, SL_SNOW_PARAM_POISSON)));
}

bool sl_snow_is_implicit(const SlSystem *system)
{
    return sl_param(system, SL_SNOW_PARAM_INTEGRATION) == 1;
}

bool sl_snow_is_flip(const SlSystem *system)
{
    return sl_param(system, SL_SNOW_PARAM_TRANSFER) == SL_SNOW_FLIP;
}

bool sl_snow_contact_is_printed(const SlSystem *system)
{
    return sl_param(system, SL_SNOW_PARAM_CONTACT) == SL_SNOW_CONTACT_NODES;
}

double sl_snow_initial_sound_speed(const SlSystem *system)
{
    double stiff = (lambda_of(system) + 2 * mu_of(system)) *
                   (1 + fabs(sl_param(system, SL_SNOW_PARAM_VARY_STIFFNESS)));
    double dense = sl_param(system, SL_SNOW_PARAM_REST_DENSITY) *
                   (1 - fabs(sl_param(system, SL_SNOW_PARAM_VARY_DENSITY)));
    return sqrt(stiff / dense);
}

static SlSnowMaterial material_of(const SlSystem *system, double dt)
{
    double h = sl_snow_cell_width(system), damping = sl_param(system, SL_SNOW_PARAM_DAMPING);
    double stable = fmin(damping, max_viscous * h * h / dt);
    double d = sl_param(system, SL_SNOW_PARAM_SPACING), density = sl_param(system, SL_SNOW_PARAM_REST_DENSITY);
    return (SlSnowMaterial){
        .mass = (float)(density * d * d * d),
        .rest_density = (float)density,
        .mu = (float)mu_of(system),
        .lambda = (float)lambda_of(system),
        .hardening = (float)sl_param(system, SL_SNOW_PARAM_HARDENING),
        .critical_compression = (float)sl_param(system, SL_SNOW_PARAM_CRITICAL_COMPRESSION),
        .critical_stretch = (float)sl_param(system, SL_SNOW_PARAM_CRITICAL_STRETCH),
        .max_plastic_volume = (float)sl_param(system, SL_SNOW_PARAM_MAX_PLASTIC_VOLUME),
        .vary_stiffness = (float)sl_param(system, SL_SNOW_PARAM_VARY_STIFFNESS),
        .vary_hardening = (float)sl_param(system, SL_SNOW_PARAM_VARY_HARDENING),
        .vary_yield = (float)sl_param(system, SL_SNOW_PARAM_VARY_YIELD),
        .vary_stretch = (float)sl_param(system, SL_SNOW_PARAM_VARY_STRETCH),
        .vary_density = (float)sl_param(system, SL_SNOW_PARAM_VARY_DENSITY),
        .vary_poisson = (float)sl_param(system, SL_SNOW_PARAM_VARY_POISSON),
        .stiffness = (float)sl_param(system, SL_SNOW_PARAM_STIFFNESS),
        .poisson = (float)sl_param(system, SL_SNOW_PARAM_POISSON),
        .max_volume = (float)sl_param(system, SL_SNOW_PARAM_MAX_VOLUME),
        .viscosity = (float)(stable * density),
        .relaxation = (float)fmin(4 * (damping - stable) * dt / (h * h), 1),
        .damping_rate = (float)sl_param(system, SL_SNOW_PARAM_DAMPING_RATE),
        .isochoric = sl_param(system, SL_SNOW_PARAM_YIELD) == SL_SNOW_YIELD_ISOCHORIC};
}

/* A tenth of the widest cell (body.h), m. */
static float field_error(const SlBodies *bodies)
{
    float widest = 0;
    for (size_t k = 0; k < bodies->count; k++)
        if (bodies->body[k].kind == SL_BODY_FIELD && bodies->body[k].field != NULL)
            widest = fmaxf(widest, bodies->body[k].field->cell);
    return 0.1f * widest;
}

/* Particles whose gap cannot close in a step are left out: those farther away than the fastest
   particle and surface move, and half as much again since forces act too. */
static void set_contacts(const SlSystem *system, double dt, SlSnowContacts *c)
{
    const SlSnowState *state = system->state;
    double h = sl_snow_cell_width(system), d = sl_param(system, SL_SNOW_PARAM_SPACING);
    double density = sl_param(system, SL_SNOW_PARAM_REST_DENSITY);
    double fastest = state->max_speed + sl_snow_fastest_surface(system->surroundings.bodies);
    double adhesion = sl_param(system, SL_SNOW_PARAM_ADHESION), margin = 1.5 * fastest * dt;
    bool printed = sl_snow_contact_is_printed(system);
    c->around = &system->surroundings;
    c->dt = (float)dt;
    c->printed = printed;
    c->touch = printed ? 0 : (float)(0.5 * d);
    c->node_reach = printed ? 0 : (float)(node_reach * h);
    c->hold = (float)(hold_gap * h);
    c->margin = (float)fmin(fmax(margin, hold_gap * h), h);
    c->field_error = field_error(system->surroundings.bodies);
    c->adhesion = (float)(adhesion * dt / (density * h));
}

void sl_snow_set_constants(const SlSystem *system, double dt, SlSnowPass *pass)
{
    double h = sl_snow_cell_width(system);
    bool flip = sl_snow_is_flip(system);
    pass->lattice = (SlSnowLattice){(float)h, (float)(1 / h), flip};
    set_contacts(system, dt, &pass->contacts);
    pass->material = material_of(system, dt);
    pass->gravity = system->surroundings.gravity;
    pass->dt = (float)dt;
    bool per_step = sl_param(system, SL_SNOW_PARAM_FLIP_BLEND) == SL_SNOW_BLEND_STEP;
    double blends = per_step ? 1 : dt / sl_snow_implicit_step;
    pass->flip_fraction = flip ? (float)pow(sl_param(system, SL_SNOW_PARAM_FLIP), blends) : 0;
    pass->advect_by_particle =
        flip && sl_param(system, SL_SNOW_PARAM_ADVECTION) == SL_SNOW_ADVECTION_PARTICLE;
    pass->separate_impulse = flip || sl_snow_is_implicit(system);
    pass->impulse_fraction = 1;
    bool constant =
        flip && sl_param(system, SL_SNOW_PARAM_FLIP_VELOCITY) == SL_SNOW_VELOCITY_CONSTANT;
    pass->affine = constant ? 0 : (float)(h * h / (flip ? 3 : 4));
    pass->implicit = (float)(sl_param(system, SL_SNOW_PARAM_BETA) * dt * dt);
    pass->runaway_speed = (float)(10 * h / dt);
}
