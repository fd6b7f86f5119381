/* Snow by the material point method (document 001: Stomakhin, Schroeder, Chai, Teran, Selle 2013).

   Particles carry mass, velocity, strain and what plastic flow left of their volume; a sparse grid
   carries momentum while forces and collisions act. Two transfers: the paper's cubic B-splines with
   FLIP/PIC, and quadratic MLS with APIC, which is faster and keeps angular momentum. */
#include "snow/snow.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/reduce.h"
#include "core/timer.h"
#include "math/vec3.h"
#include "snow/grid.h"
#include "snow/implicit.h"

enum {
    P_SPACING,
    P_CELL,
    P_TRANSFER,
    P_REST_DENSITY,
    P_STIFFNESS,
    P_POISSON,
    P_HARDENING,
    P_CRITICAL_COMPRESSION,
    P_CRITICAL_STRETCH,
    P_TORN_LIMIT,
    P_VARY_STIFFNESS,
    P_VARY_HARDENING,
    P_VARY_YIELD,
    P_VARY_DENSITY,
    P_STICKY,
    P_FLIP,
    P_INTEGRATION,
    P_BETA,
    P_TOLERANCE,
    P_MOST_ITERATIONS,
    P_TIME_STEP,
    P_SOUND_LIMIT,
    P_SPEED_LIMIT,
    P_COUNT
};

#define NUMBER(value) SL_PARAM_NUMBER, {{value}}
#define WHOLE(value) SL_PARAM_INTEGER, {{value}}
#define CHOICE(value) SL_PARAM_CHOICE, {{value}}
static const SlParamRow rows[P_COUNT] = {
    [P_SPACING] = {"spacing", NUMBER(0.02), 1e-5, 1e3, "m", NULL,
                   "distance between particles at rest"},
    [P_CELL] = {"cell", NUMBER(2), 1, 4, "spacings", NULL,
                "width of a cell of the grid; 2 puts 8 particles into one"},
    [P_TRANSFER] = {"transfer", CHOICE(SL_SNOW_MLS), 0, 1, "", "mls|flip",
                    "quadratic MLS with APIC (fast, keeps spin), or the paper's cubic FLIP/PIC"},
    [P_REST_DENSITY] = {"rest_density", NUMBER(400), 1e-3, 1e5, "kg/m^3", NULL,
                        "mass per volume before any deformation"},
    [P_STIFFNESS] = {"stiffness", NUMBER(1.4e5), 1, 1e12, "Pa", NULL,
                     "Young's modulus before hardening; high for icy, low for muddy snow"},
    [P_POISSON] = {"poisson", NUMBER(0.2), 0, 0.49, "", NULL, "Poisson's ratio"},
    [P_HARDENING] = {"hardening", NUMBER(10), 0, 50, "", NULL,
                     "stiffness grows as e^(hardening (1 - J_P)) where snow is packed; high for "
                     "brittle, low for ductile snow"},
    [P_CRITICAL_COMPRESSION] = {"critical_compression", NUMBER(0.025), 0, 0.5, "", NULL,
                                "compression at which snow packs for good; low for powder, high "
                                "for wet snow"},
    [P_CRITICAL_STRETCH] = {"critical_stretch", NUMBER(0.0075), 0, 0.5, "", NULL,
                            "stretch at which snow tears; low for powder, high for wet snow"},
    [P_TORN_LIMIT] = {"torn_limit", NUMBER(20), 1, 1e6, "", NULL,
                      "most that J_P, the plastic volume, grows to where snow has come apart"},
    [P_VARY_STIFFNESS] = {"vary_stiffness", NUMBER(0), 0, 0.95, "", NULL,
                          "share by which the field \"variation\" changes stiffness"},
    [P_VARY_HARDENING] = {"vary_hardening", NUMBER(0), 0, 0.95, "", NULL,
                          "share by which it changes hardening"},
    [P_VARY_YIELD] = {"vary_yield", NUMBER(0), 0, 0.95, "", NULL,
                      "share by which it changes both critical values"},
    [P_VARY_DENSITY] = {"vary_density", NUMBER(0), 0, 0.95, "", NULL,
                        "share by which it changes a particle's mass"},
    [P_STICKY] = {"sticky", CHOICE(SL_STICKY_NONE), 0, 2, "", "none|bodies|all",
                  "who holds snow that touches it, even overhead: nobody, colliders, or the "
                  "domain's walls too; others have friction only"},
    [P_FLIP] = {"flip", NUMBER(0.95), 0, 1, "", NULL,
                "transfer flip: share of FLIP, the rest is PIC, per 0.5 ms"},
    [P_INTEGRATION] = {"integration", CHOICE(0), 0, 1, "", "explicit|implicit",
                       "explicit: many short steps; implicit: the paper's semi-implicit update, "
                       "few long ones"},
    [P_BETA] = {"beta", NUMBER(1), 0, 1, "", NULL,
                "implicit: 0 explicit, 0.5 trapezoidal, 1 backward Euler"},
    [P_TOLERANCE] = {"tolerance", NUMBER(1e-3), 1e-6, 0.5, "", NULL,
                     "implicit: residual at which the solve ends, over the first one"},
    [P_MOST_ITERATIONS] = {"most_iterations", WHOLE(200), 1, 10000, "", NULL,
                           "implicit: a solve that takes more ends unfinished, and steps become "
                           "half as long"},
    [P_TIME_STEP] = {"time_step", NUMBER(0), 0, 1, "s", NULL,
                     "longest step; 0: by speed_limit and, explicit, sound_limit or, implicit, 0.5 ms"},
    [P_SOUND_LIMIT] = {"sound_limit", NUMBER(0.5), 0.01, 1, "cells", NULL,
                       "explicit: how far sound goes in a step, where snow is stiffest"},
    [P_SPEED_LIMIT] = {"speed_limit", NUMBER(0.4), 0.01, 1, "cells", NULL,
                       "how far the fastest particle or body goes in a step"},
};

/* A step below this does not end a run in reasonable time, and nothing sane asks for it. */
static const double least_step = 1e-9;
/* The paper's semi-implicit step; FLIP's share is given for steps of this length. */
static const double long_step = 5e-4;
/* A change of J_P in one step that tells of a step too large. */
static const double most_flow = 0.2;

static double cell_of(const SlSystem *system)
{
    return sl_param(system, P_CELL) * sl_param(system, P_SPACING);
}

static double lambda_of(const SlSystem *system)
{
    double e = sl_param(system, P_STIFFNESS), nu = sl_param(system, P_POISSON);
    return e * nu / ((1 + nu) * (1 - 2 * nu));
}

static double mu_of(const SlSystem *system)
{
    return sl_param(system, P_STIFFNESS) / (2 * (1 + sl_param(system, P_POISSON)));
}

static bool is_implicit(const SlSystem *system)
{
    return sl_param(system, P_INTEGRATION) == 1;
}

static bool is_flip(const SlSystem *system)
{
    return sl_param(system, P_TRANSFER) == SL_SNOW_FLIP;
}

/* What the nodes must hold. */
static uint32_t layers_of(const SlSystem *system)
{
    uint32_t layers = 1u << SL_NODES | (is_flip(system) ? 1u << SL_CHANGE : 0);
    for (int k = SL_HELD; k < SL_LAYER_COUNT && is_implicit(system); k++)
        layers |= 1u << k;
    return layers;
}

static void set_constants(const SlSystem *system, double dt, SlSnowPass *pass)
{
    double d = sl_param(system, P_SPACING), h = cell_of(system);
    pass->lattice = (SlSnowLattice){(float)h, (float)(1 / h), is_flip(system)};
    pass->contacts = (SlSnowContacts){&system->surroundings,
                                      (SlSnowSticky)sl_param(system, P_STICKY), (float)dt};
    pass->gravity = system->surroundings.gravity;
    pass->dt = (float)dt;
    pass->rest_density = (float)sl_param(system, P_REST_DENSITY);
    pass->mass = (float)(sl_param(system, P_REST_DENSITY) * d * d * d);
    pass->keep = is_flip(system) ? (float)pow(sl_param(system, P_FLIP), dt / long_step) : 0;
    pass->affine = is_flip(system) ? 0 : (float)(h * h / 4);
    pass->implicit = (float)(sl_param(system, P_BETA) * dt * dt);
    pass->runaway_speed = (float)(10 * h / dt);
    pass->mu = (float)mu_of(system);
    pass->lambda = (float)lambda_of(system);
    pass->hardening = (float)sl_param(system, P_HARDENING);
    pass->critical_compression = (float)sl_param(system, P_CRITICAL_COMPRESSION);
    pass->critical_stretch = (float)sl_param(system, P_CRITICAL_STRETCH);
    pass->torn_limit = (float)sl_param(system, P_TORN_LIMIT);
    pass->vary_stiffness = (float)sl_param(system, P_VARY_STIFFNESS);
    pass->vary_hardening = (float)sl_param(system, P_VARY_HARDENING);
    pass->vary_yield = (float)sl_param(system, P_VARY_YIELD);
    pass->vary_density = (float)sl_param(system, P_VARY_DENSITY);
}

/* The fields' arrays change places when particles are sorted. */
static void bind_fields(SlSystem *system, SlSnowPass *pass)
{
    SlParticles *particles = &system->particles;
    pass->position = sl_f32x4(particles, SL_F_POSITION);
    pass->velocity = sl_f32x4(particles, SL_F_VELOCITY);
    pass->fraction = sl_f32x4(particles, SL_F_FRACTION);
    pass->stretch = sl_f32x4(particles, SL_F_STRETCH);
    pass->shear = sl_f32x4(particles, SL_F_SHEAR);
    for (int k = 0; k < 3; k++)
        pass->slope[k] = sl_f32x4(particles, (SlFieldId)(SL_F_SLOPE_X + k));
    pass->plastic = particles->data[SL_F_PLASTIC];
    pass->volume = particles->data[SL_F_VOLUME];
    pass->density = particles->data[SL_F_DENSITY];
    pass->variation = particles->data[SL_F_VARIATION];
}

/* A particle whose J_P is 0 is new: placed or emitted, with a position and a velocity only. */
static void begin_lives(void *argument, size_t begin, size_t end, size_t chunk)
{
    const SlSnowPass *p = argument;
    p->fresh[chunk] = 0;
    for (size_t i = begin; i < end; i++) {
        p->fresh[chunk] |= p->volume[i] == 0;
        if (p->plastic[i] != 0)
            continue;
        p->plastic[i] = 1;
        p->density[i] = 1;
        for (size_t k = 4 * i; k < 4 * i + 3; k++) {
            int32_t cell = sl_snow_cell(p->position[k], p->lattice.inverse_cell);
            p->fraction[k] = (float)((double)p->position[k] / (double)p->lattice.cell - cell);
        }
    }
}

SlStatus sl_snow_begin(SlSystem *system, double dt, SlSnowPass *pass, SlError *error)
{
    SlSnowState *state = system->state;
    size_t count = system->particles.count;
    memset(pass, 0, sizeof *pass);
    sl_arena_reset(&system->context->arena);
    set_constants(system, dt, pass);
    bind_fields(system, pass);
    pass->blocks = &state->blocks;
    pass->fresh = SL_PUSH(&system->context->arena, uint8_t, sl_chunk_count(count, SL_SNOW_CHUNK));
    if (pass->fresh == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "snow: no memory for the scratch of a step");
    sl_parallel_for(system->context->pool, count, SL_SNOW_CHUNK, begin_lives, pass);
    return SL_OK;
}

SlStatus sl_snow_sort(SlSystem *system, SlSnowPass *pass, SlError *error)
{
    SlSnowState *state = system->state;
    SlStatus status =
        sl_snow_blocks_sort(&state->blocks, &system->particles, &pass->lattice, error);
    if (status != SL_OK)
        return status;
    bind_fields(system, pass);
    pass->partials = SL_PUSH(&system->context->arena, double,
                             (size_t)state->blocks.capacity *SL_SNOW_PARTIALS);
    if (is_implicit(system))
        pass->solve_partials = SL_PUSH(&system->context->arena, double,
                                       2 * (size_t)state->blocks.capacity);
    if (pass->partials == NULL || (is_implicit(system) && pass->solve_partials == NULL))
        return sl_error_set(error, SL_ERROR_MEMORY, "snow: no memory for the scratch of a step");
    return SL_OK;
}

typedef struct Run {
    const SlSnowPass *pass;
    SlSnowLoop loop;
    const uint32_t *blocks; /* NULL: all, in their order */
} Run;

static void run_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Run *run = argument;
    for (size_t k = begin; k < end; k++)
        run->loop(run->pass, run->blocks != NULL ? run->blocks[k] : (uint32_t)k);
}

static const SlSnowTransfer *transfer_of(const SlSystem *system)
{
    const SlSnowKernels *kernels = SL_KERNELS(system->context->isa, sl_snow_kernels);
    return &kernels->transfer[(int)sl_param(system, P_TRANSFER)];
}

void sl_snow_to_grid(const SlSystem *system, const SlSnowPass *pass)
{
    const SlSnowBlocks *blocks = pass->blocks;
    for (int colour = 0; colour < SL_SNOW_COLOURS; colour++) {
        uint32_t first = blocks->colour_start[colour];
        Run run = {pass, transfer_of(system)->to_grid, blocks->by_colour + first};
        sl_parallel_for(system->context->pool, blocks->colour_start[colour + 1] - first, 2,
                        run_chunk, &run);
    }
}

void sl_snow_measure_volumes(const SlSystem *system, const SlSnowPass *pass)
{
    Run run = {pass, transfer_of(system)->volumes, NULL};
    for (size_t c = 0; c < sl_chunk_count(system->particles.count, SL_SNOW_CHUNK); c++)
        if (pass->fresh[c] != 0) {
            sl_parallel_for(system->context->pool, pass->blocks->occupied, 2, run_chunk, &run);
            return;
        }
}

void sl_snow_to_particles(const SlSystem *system, const SlSnowPass *pass)
{
    Run run = {pass, transfer_of(system)->to_particles, NULL};
    sl_parallel_for(system->context->pool, pass->blocks->occupied, 2, run_chunk, &run);
}

/* "… particle 7 at (x, y, z): …": who it was when the numbers went wrong. */
static SlStatus blame(const SlSystem *system, const SlSnowPass *pass, SlError *error)
{
    const uint32_t *id = system->particles.data[SL_F_ID];
    for (size_t i = 0; i < system->particles.count; i++) {
        const float *x = pass->position + 4 * i, *v = pass->velocity + 4 * i;
        double speed = sqrt((double)v[0] * v[0] + (double)v[1] * v[1] + (double)v[2] * v[2]);
        double plastic = (double)pass->plastic[i];
        if (speed <= (double)pass->runaway_speed && plastic > 0 && plastic < 1e30)
            continue;
        return sl_error_set(error, SL_ERROR_NUMBERS,
                            "snow: grid to particles: particle %u at (%g, %g, %g): speed %.3g m/s, "
                            "J_P %.3g",
                            id[i], (double)x[0], (double)x[1], (double)x[2], speed, plastic);
    }
    return sl_error_set(error, SL_ERROR_NUMBERS, "snow: grid to particles: a number went wrong");
}

/* Folds the partials into the step's statistics and finds numbers that went wrong. */
static SlStatus conclude(SlSystem *system, const SlSnowPass *pass, double dt, SlError *error)
{
    SlSnowState *state = system->state;
    SlStepStats *stats = &system->stats;
    size_t blocks = state->blocks.occupied, n = system->particles.count;
    if (n == 0)
        return SL_OK;
    const double *partials = pass->partials;
    stats->kinetic_energy = sl_fold_sum(partials, blocks, SL_SNOW_PARTIALS, SL_SNOW_KINETIC);
    stats->total_energy = stats->kinetic_energy +
                          sl_fold_sum(partials, blocks, SL_SNOW_PARTIALS, SL_SNOW_POTENTIAL);
    stats->mean_compression =
        sl_fold_sum(partials, blocks, SL_SNOW_PARTIALS, SL_SNOW_COMPRESSION) / (double)n;
    stats->max_compression =
        sl_fold_max(partials, blocks, SL_SNOW_PARTIALS, SL_SNOW_MOST_COMPRESSION);
    state->fastest = sqrt(sl_fold_max(partials, blocks, SL_SNOW_PARTIALS, SL_SNOW_MOST_SPEED2));
    state->stiffest = sqrt(sl_fold_max(partials, blocks, SL_SNOW_PARTIALS, SL_SNOW_MOST_SOUND2));
    stats->max_speed = state->fastest;
    if (sl_fold_sum(partials, blocks, SL_SNOW_PARTIALS, SL_SNOW_BAD) > 0)
        return blame(system, pass, error);
    if (state->stiffest * least_step > cell_of(system))
        return sl_error_set(error, SL_ERROR_NUMBERS,
                            "snow: hardening: sound runs at %.3g m/s, which needs steps below %g s",
                            state->stiffest, least_step);
    double flow = sl_fold_max(partials, blocks, SL_SNOW_PARTIALS, SL_SNOW_MOST_FLOW);
    if (!state->warned && flow > most_flow) {
        state->warned = true;
        sl_log(system->context, SL_LOG_WARNING,
               "%s: at %.4f s plastic flow changed a particle's volume by %.0f %% in one step of "
               "%.3g s; steps this large make snow packed or torn that should not be: lower "
               "\"time_step\" or \"sound_limit\"",
               system->name, system->time + dt, 100 * flow, dt);
    }
    return SL_OK;
}

/* Step 6 of §4.1. A solve that does not end makes the steps to come half as long, until ten in a
   row have ended; what it found so far is used, for its residual only ever falls. */
static void solve(SlSystem *system, SlSnowPass *pass)
{
    SlSnowState *state = system->state;
    SlSnowSolve s = {.pass = pass,
                     .tolerance = sl_param(system, P_TOLERANCE),
                     .most_iterations = (uint32_t)sl_param(system, P_MOST_ITERATIONS)};
    bool converged = sl_snow_solve(&s);
    system->stats.iterations = s.iterations;
    state->ended = converged ? state->ended + 1 : 0;
    if (!converged) {
        state->halvings += state->halvings < 10;
        sl_log(system->context, SL_LOG_WARNING,
               "%s: at %.4f s the solve ended after %u iterations with %.2g of its residual left; "
               "steps are halved",
               system->name, system->time, s.iterations, s.left);
    } else if (state->halvings > 0 && state->ended >= 10) {
        state->halvings--;
        state->ended = 0;
    }
}

/* Document 001 §4.1, its numbers at the right. */
static SlStatus step(SlSystem *system, double dt, SlError *error)
{
    double *ms = system->stats.stage_ms, mark = sl_seconds();
    SlSnowPass pass;
    SlStatus status = sl_snow_begin(system, dt, &pass, error);
    if (status == SL_OK)
        status = sl_snow_sort(system, &pass, error);
    if (status != SL_OK)
        return status;
    sl_lap(&mark, &ms[SL_STAGE_SORT]);

    sl_snow_to_grid(system, &pass);         /* 1 rasterise, 3 forces */
    sl_snow_measure_volumes(system, &pass); /* 2, where particles are new: no force is theirs yet */
    sl_lap(&mark, &ms[SL_STAGE_PREDICT]);

    sl_snow_update_nodes(&pass); /* 4 velocities, 5 collisions */
    if (is_implicit(system))
        solve(system, &pass); /* 6; explicit: v' = v* */
    sl_lap(&mark, &ms[SL_STAGE_SOLVE]);

    sl_snow_to_particles(system, &pass); /* 7 deformation, 8 velocities, 9 collisions, 10 places */
    status = conclude(system, &pass, dt, error);
    sl_lap(&mark, &ms[SL_STAGE_FINISH]);
    return status;
}

static SlStatus start(SlSystem *system, SlError *error)
{
    SlSnowState *state = system->state;
    SlSnowPass pass;
    sl_snow_blocks_create(system->context, layers_of(system), &state->blocks);
    SlStatus status = sl_snow_begin(system, 1, &pass, error);
    if (status == SL_OK)
        status = sl_snow_sort(system, &pass, error);
    for (size_t i = 0; i < system->particles.count; i++) {
        const float *v = pass.velocity + 4 * i;
        double speed = sqrt((double)v[0] * v[0] + (double)v[1] * v[1] + (double)v[2] * v[2]);
        state->fastest = fmax(state->fastest, speed);
    }
    state->stiffest = sqrt((lambda_of(system) + 2 * mu_of(system)) *
                           (1 + sl_param(system, P_VARY_STIFFNESS)) /
                           (sl_param(system, P_REST_DENSITY) *
                            (1 - sl_param(system, P_VARY_DENSITY))));
    return status;
}

static void finish(SlSystem *system)
{
    SlSnowState *state = system->state;
    sl_snow_blocks_destroy(&state->blocks);
}

static uint64_t memory_needed(const SlSystem *system, uint64_t count)
{
    return sl_snow_blocks_bytes(layers_of(system), count);
}

/* Of any body during the last step. */
static double fastest_body(const SlSurroundings *around)
{
    double most = 0;
    for (size_t k = 0; around->motions != NULL && k < around->shape_count; k++)
        most = fmax(most, (double)sl_length(around->motions[k].velocity));
    for (size_t k = 0; k < around->field_count; k++)
        most = fmax(most, (double)sl_length(around->fields[k].motion.velocity));
    return most;
}

/* Equal steps that are short enough by what the last one found. */
static double step_length(const SlSystem *system, double left)
{
    const SlSnowState *state = system->state;
    double h = cell_of(system), given = sl_param(system, P_TIME_STEP);
    double speed = fmax(state->fastest, fastest_body(&system->surroundings));
    double most = is_implicit(system) ? long_step
                                      : sl_param(system, P_SOUND_LIMIT) * h / state->stiffest;
    most = fmin(most, sl_param(system, P_SPEED_LIMIT) * h / fmax(speed, 1e-9));
    if (given > 0)
        most = given;
    most = ldexp(most, -(int)state->halvings);
    return left / ceil(left / fmax(most, least_step));
}

static float spacing(const SlSystem *system)
{
    return (float)sl_param(system, P_SPACING);
}

static const SlStateRow state_rows[] = {
    {"fastest", offsetof(SlSnowState, fastest), sizeof(double), "m/s, of any particle"},
    {"stiffest", offsetof(SlSnowState, stiffest), sizeof(double), "m/s, fastest sound anywhere"},
    {"halvings", offsetof(SlSnowState, halvings), sizeof(uint32_t), "of the step, by solves"},
    {"ended", offsetof(SlSnowState, ended), sizeof(uint32_t), "solves that ended, in a row"},
};

const SlSolver sl_snow_solver = {
    .table = {.name = "snow",
              .kind = "solver",
              .summary = "snow by the material point method: elastic, plastic, hardening",
              .citation = "Stomakhin, Schroeder, Chai, Teran, Selle 2013 (ACM TOG 32(4)); "
                          "MLS: Hu et al. 2018",
              .rows = rows,
              .row_count = P_COUNT},
    .fields = SL_FIELD_BIT(ID) | SL_FIELD_BIT(POSITION) | SL_FIELD_BIT(VELOCITY) |
              SL_FIELD_BIT(DENSITY) | SL_FIELD_BIT(FRACTION) | SL_FIELD_BIT(STRETCH) |
              SL_FIELD_BIT(SHEAR) | SL_FIELD_BIT(SLOPE_X) | SL_FIELD_BIT(SLOPE_Y) |
              SL_FIELD_BIT(SLOPE_Z) | SL_FIELD_BIT(PLASTIC) | SL_FIELD_BIT(VOLUME),
    .state_size = sizeof(SlSnowState),
    .state_rows = state_rows,
    .state_row_count = sizeof state_rows / sizeof state_rows[0],
    .memory_needed = memory_needed,
    .start = start,
    .step = step,
    .finish = finish,
    .step_length = step_length,
    .spacing = spacing,
};
