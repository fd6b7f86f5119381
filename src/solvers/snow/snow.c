/* Snow by the material point method (document 001: Stomakhin, Schroeder, Chai, Teran, Selle 2013).

   Particles carry mass, velocity, strain and what plastic flow left of their volume; a sparse grid
   carries momentum while forces and collisions act. Two transfers: the paper's cubic B-splines with
   FLIP/PIC, and quadratic MLS with APIC, which is faster and keeps angular momentum. */
#include "solvers/snow/snow.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/parallel.h"
#include "core/timer.h"
#include "math/vec3.h"
#include "solvers/snow/body_forces.h"
#include "solvers/snow/grid.h"
#include "solvers/snow/implicit.h"
#include "solvers/snow/parameters.h"

/* A step below this does not end a run in reasonable time, and nothing sane asks for it. */
static const double min_time_step = 1e-9;
/* So often is a step halved for a solve that does not end. */
enum { MAX_HALVINGS = 10 };
/* A change of J_P in one step that tells of a step too large. */
static const double max_flow = 0.2;

/* Putting fields in order moves all there is of a particle, while blocks only need a list of theirs. So
   it waits until some have gone so far, cells: until then nearly all of a block's lie in a row. */
static const double max_drift = 0.25;

/* What the nodes must hold. */
static uint32_t layers_of(const SlSystem *system)
{
    bool implicit = sl_snow_is_implicit(system);
    uint32_t layers = 1u << SL_NODES | (implicit || sl_snow_is_flip(system) ? 1u << SL_CHANGE : 0);
    for (int k = SL_HELD; k < SL_LAYER_COUNT && implicit; k++)
        layers |= 1u << k;
    return layers;
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

/* The place within the cell of the position. */
static void set_fraction(const float *position, float *fraction, const SlSnowLattice *lattice)
{
    for (size_t k = 0; k < 3; k++) {
        int32_t cell = sl_snow_cell(position[k], lattice->inverse_cell);
        fraction[k] = (float)((double)position[k] / (double)lattice->cell - cell);
    }
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
        set_fraction(p->position + 4 * i, p->fraction + 4 * i, &p->lattice);
    }
}

SlStatus sl_snow_begin(SlSystem *system, double dt, SlSnowPass *pass, SlError *error)
{
    SlSnowState *state = system->state;
    size_t count = system->particles.count;
    memset(pass, 0, sizeof *pass);
    sl_arena_reset(&system->context->arena);
    sl_snow_set_constants(system, dt, pass);
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
    bool reorder = state->drift > max_drift;
    SlStatus status =
        sl_snow_blocks_sort(&state->blocks, &system->particles, &pass->lattice, reorder, error);
    if (status != SL_OK)
        return status;
    if (reorder)
        state->drift = 0;
    bind_fields(system, pass);
    pass->partials = SL_PUSH(&system->context->arena, double,
                             (size_t)state->blocks.capacity *SL_SNOW_PARTIALS);
    if (sl_snow_is_implicit(system))
        pass->solve_partials = SL_PUSH(&system->context->arena, double,
                                       2 * (size_t)state->blocks.capacity);
    if (pass->partials == NULL || (sl_snow_is_implicit(system) && pass->solve_partials == NULL) ||
        !sl_snow_forces_begin(system, pass))
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
    return &kernels->transfer[(int)sl_param(system, SL_SNOW_P_TRANSFER)];
}

void sl_snow_to_grid(const SlSystem *system, const SlSnowPass *pass)
{
    const SlSnowBlocks *blocks = pass->blocks;
    for (int colour = 0; colour < SL_SNOW_COLOURS; colour++) {
        uint32_t first = blocks->colour_start[colour];
        uint32_t count = blocks->colour_start[colour + 1] - first;
        if (count == 0) /* there may be no blocks at all */
            continue;
        Run run = {pass, transfer_of(system)->to_grid, blocks->by_colour + first};
        sl_parallel_for(system->context->pool, count, 2, run_chunk, &run);
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
    sl_parallel_for(system->context->pool, pass->blocks->occupied, SL_SNOW_PARTICLE_CHUNK,
                    run_chunk, &run);
}

/* "… particle 7 at (x, y, z): …": who it was when the numbers went wrong. */
static SlStatus report_divergence(const SlSystem *system, const SlSnowPass *pass, SlError *error)
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
        sl_fold_max(partials, blocks, SL_SNOW_PARTIALS, SL_SNOW_MAX_COMPRESSION);
    state->fastest = sqrt(sl_fold_max(partials, blocks, SL_SNOW_PARTIALS, SL_SNOW_MAX_SPEED2));
    state->stiffest = sqrt(sl_fold_max(partials, blocks, SL_SNOW_PARTIALS, SL_SNOW_MAX_SOUND2));
    state->drift += state->fastest * dt / sl_snow_cell_width(system);
    stats->max_speed = state->fastest;
    if (sl_fold_sum(partials, blocks, SL_SNOW_PARTIALS, SL_SNOW_BAD) > 0)
        return report_divergence(system, pass, error);
    if (state->stiffest * min_time_step > sl_snow_cell_width(system))
        return sl_error_set(error, SL_ERROR_NUMBERS,
                            "snow: hardening: sound runs at %.3g m/s, which needs steps below %g s",
                            state->stiffest, min_time_step);
    double flow = sl_fold_max(partials, blocks, SL_SNOW_PARTIALS, SL_SNOW_MAX_FLOW);
    if (!state->warned && flow > max_flow) {
        state->warned = true;
        sl_log(system->context, SL_LOG_WARNING,
               "%s: at %.4f s plastic flow changed a particle's volume by %.0f %% in one step of "
               "%.3g s; steps this large make snow packed or torn that should not be: lower "
               "\"time_step\" or \"sound_limit\"",
               system->name, system->time + dt, 100 * flow, dt);
    }
    return SL_OK;
}

/* Step 6 of §4.1; false if the solve did not end. Then this step and those to come are half as long,
   until ten in a row have ended. */
static bool solve(SlSystem *system, const SlSnowPass *pass)
{
    SlSnowState *state = system->state;
    SlSnowSolve s = {.pass = pass,
                     .tolerance = sl_param(system, SL_SNOW_P_TOLERANCE),
                     .max_iterations = (uint32_t)sl_param(system, SL_SNOW_P_MAX_ITERATIONS)};
    bool ended = sl_snow_solve(&s);
    system->stats.iterations += s.iterations;
    state->ended = ended ? state->ended + 1 : 0;
    if (!ended) {
        bool again = state->halvings < MAX_HALVINGS;
        sl_log(system->context, SL_LOG_WARNING,
               "%s: at %.4f s the solve of a step of %.3g s did not end: %.2g of its residual is "
               "left after %u iterations; %s",
               system->name, system->time, (double)pass->dt, s.left, s.iterations,
               again ? "the step is made again, half as long" : "it is used as far as it came");
        state->halvings += again;
        return !again;
    }
    if (state->halvings > 0 && state->ended >= 10) {
        state->halvings--;
        state->ended = 0;
    }
    return true;
}

/* Steps 4 to 6. Until a solve has ended, everything a step changed is on the nodes, so it can be
   begun again from what particles gave to them: *dt becomes shorter. */
static void move_nodes(SlSystem *system, double *dt, SlSnowPass *pass)
{
    bool implicit = sl_snow_is_implicit(system);
    double whole = *dt;
    if (implicit)
        sl_snow_keep_nodes(pass);
    sl_snow_update_nodes(pass); /* 4 velocities, 5 collisions */
    while (implicit && !solve(system, pass)) { /* 6; explicit: v' = v* */
        *dt /= 2;
        sl_snow_set_constants(system, *dt, pass);
        pass->impulse_fraction = (float)(*dt / whole);
        sl_snow_restore_nodes(pass);
        sl_snow_update_nodes(pass);
    }
}

/* Document 001 §4.1, its numbers at the right: `part` seconds of a step of dt, or fewer. */
static SlStatus make_part(SlSystem *system, double dt, double *part, SlError *error)
{
    double *ms = system->stats.stage_ms, mark = sl_seconds();
    SlSnowPass pass;
    SlStatus status = sl_snow_begin(system, *part, &pass, error);
    if (status == SL_OK)
        status = sl_snow_sort(system, &pass, error);
    if (status != SL_OK)
        return status;
    sl_lap(&mark, &ms[SL_STAGE_SORT]);

    sl_snow_to_grid(system, &pass);         /* 1 rasterise, 3 forces */
    sl_snow_measure_volumes(system, &pass); /* 2, where particles are new: no force is theirs yet */
    sl_lap(&mark, &ms[SL_STAGE_PREDICT]);

    move_nodes(system, part, &pass); /* 4 velocities, 5 collisions, 6 the solve */
    sl_lap(&mark, &ms[SL_STAGE_SOLVE]);

    sl_snow_to_particles(system, &pass); /* 7 deformation, 8 velocities, 9 collisions, 10 places */
    sl_snow_forces_end(system, &pass, dt);
    status = conclude(system, &pass, *part, error);
    sl_lap(&mark, &ms[SL_STAGE_FINISH]);
    return status;
}

/* All of dt; in parts only where a solve did not end. */
static SlStatus step(SlSystem *system, double dt, SlError *error)
{
    SlStatus status = SL_OK;
    double done = 0, part = dt;
    sl_snow_forces_clear(system);
    while (status == SL_OK && done < dt) {
        part = fmin(part, dt - done);
        status = make_part(system, dt, &part, error);
        /* A hair: halves of halves need not add up to dt. */
        done = done + part > dt * (1 - 1e-9) ? dt : done + part;
    }
    return status;
}

static SlStatus start(SlSystem *system, SlError *error)
{
    SlSnowState *state = system->state;
    SlSnowPass pass;
    sl_snow_blocks_create(system->context, layers_of(system), &state->blocks);
    state->drift = INFINITY; /* in no order yet */
    SlStatus status = sl_snow_begin(system, 1, &pass, error);
    if (status == SL_OK)
        status = sl_snow_sort(system, &pass, error);
    for (size_t i = 0; i < system->particles.count; i++) {
        const float *v = pass.velocity + 4 * i;
        double speed = sqrt((double)v[0] * v[0] + (double)v[1] * v[1] + (double)v[2] * v[2]);
        state->fastest = fmax(state->fastest, speed);
    }
    state->stiffest = sl_snow_sound_at_start(system);
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

/* Equal steps that are short enough by what the last one found. */
static double step_length(const SlSystem *system, double left)
{
    const SlSnowState *state = system->state;
    double h = sl_snow_cell_width(system), given = sl_param(system, SL_SNOW_P_TIME_STEP);
    double speed = fmax(state->fastest, sl_snow_fastest_surface(&system->surroundings));
    double most = sl_snow_is_implicit(system) ? sl_snow_long_step
                                      : sl_param(system, SL_SNOW_P_SOUND_LIMIT) * h / state->stiffest;
    most = fmin(most, sl_param(system, SL_SNOW_P_SPEED_LIMIT) * h / fmax(speed, 1e-9));
    if (given > 0)
        most = given;
    most = ldexp(most, -(int)state->halvings);
    return left / ceil(left / fmax(most, min_time_step));
}

static float spacing(const SlSystem *system)
{
    return (float)sl_param(system, SL_SNOW_P_SPACING);
}

/* A written position is a new place within a cell; a written velocity may shorten the next step. */
static void written(SlSystem *system, size_t i, SlFieldId field)
{
    SlSnowState *state = system->state;
    SlParticles *particles = &system->particles;
    const float *v = sl_f32x4(particles, SL_F_VELOCITY) + 4 * i;
    if (field == SL_F_VELOCITY)
        state->fastest = fmax(state->fastest, (double)sl_length(sl_vec3(v[0], v[1], v[2])));
    if (field != SL_F_POSITION)
        return;
    double h = sl_snow_cell_width(system);
    SlSnowLattice lattice = {.cell = (float)h, .inverse_cell = (float)(1 / h)};
    set_fraction(sl_f32x4(particles, SL_F_POSITION) + 4 * i,
                 sl_f32x4(particles, SL_F_FRACTION) + 4 * i, &lattice);
}

static float mass(const SlSystem *system, size_t i)
{
    const float *variation = system->particles.data[SL_F_VARIATION];
    double d = sl_param(system, SL_SNOW_P_SPACING);
    double vary = variation != NULL
                      ? sl_param(system, SL_SNOW_P_VARY_DENSITY) * (double)variation[i]
                      : 0;
    return (float)(sl_param(system, SL_SNOW_P_REST_DENSITY) * d * d * d * (1 + vary));
}

static const SlStateRow state_rows[] = {
    {"fastest", offsetof(SlSnowState, fastest), sizeof(double), "m/s, of any particle"},
    {"stiffest", offsetof(SlSnowState, stiffest), sizeof(double), "m/s, fastest sound anywhere"},
    {"drift", offsetof(SlSnowState, drift), sizeof(double), "cells, since fields were in order"},
    {"halvings", offsetof(SlSnowState, halvings), sizeof(uint32_t), "of the step, by solves"},
    {"ended", offsetof(SlSnowState, ended), sizeof(uint32_t), "solves that ended, in a row"},
};

const SlSolver sl_snow_solver = {
    .table = {.name = "snow",
              .kind = "solver",
              .summary = "snow by the material point method: elastic, plastic, hardening",
              .citation = "Stomakhin, Schroeder, Chai, Teran, Selle 2013 (ACM TOG 32(4)); "
                          "MLS: Hu et al. 2018",
              .rows = sl_snow_rows,
              .row_count = SL_SNOW_P_COUNT,
              .presets = sl_snow_presets,
              .preset_count = SL_SNOW_PRESETS},
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
    .written = written,
    .mass = mass,
    .material = SL_MATERIAL_SNOW,
};
