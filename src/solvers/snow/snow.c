/* Snow by the material point method [Stomakhin 2013].

   Particles carry mass, velocity, elastic strain and J_P (plastic); a sparse grid carries momentum
   while forces and collisions act. There are two transfers: the paper's cubic B-splines with
   FLIP/PIC, and quadratic MLS [Hu 2018] with APIC [Jiang 2015], which is faster and preserves
   angular momentum. */
#include "solvers/snow/snow.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/timer.h"
#include "math/vec3.h"
#include "solvers/snow/body_forces.h"
#include "solvers/snow/implicit.h"
#include "solvers/snow/nodes.h"
#include "solvers/snow/parameters.h"

/* s: a hardened material that needs shorter time steps than this ends the run with an error. */
static const double min_time_step = 1e-9;
/* Limit of halvings of a step that does not converge; converged solves until one is undone. */
enum { MAX_HALVINGS = 10, CONVERGED_STREAK = 10 };
/* A larger relative change of J_P in one step gives a warning: the time step is too large. */
static const double max_flow = 0.2;

/* Reordering moves all fields of all particles, while kernels need only the list of a block's
   particles. So fields are reordered once a particle may have moved by this many cells; until then
   nearly all particles of a block are contiguous. */
static const double max_drift = 0.25;

/* --- Stages --- */

/* Bit mask of the node arrays (layers) that the chosen transfer and integration need. */
static uint32_t layers_of(const SlSystem *system)
{
    bool implicit = sl_snow_is_implicit(system);
    uint32_t layers = 1u << SL_NODES | (implicit || sl_snow_is_flip(system) ? 1u << SL_IMPULSE : 0);
    if (!sl_snow_contact_is_printed(system))
        layers |= 1u << SL_NEAREST;
    for (int k = SL_CONTACT; k < SL_LAYER_COUNT && implicit; k++)
        layers |= 1u << k;
    return layers;
}

/* Fetches the field pointers; again after a reorder, which swaps the arrays. */
static void bind_fields(SlSystem *system, SlSnowPass *pass)
{
    SlParticles *particles = &system->particles;
    SlSnowFields *fields = &pass->fields;
    fields->position = sl_f32x4(particles, SL_F_POSITION);
    fields->velocity = sl_f32x4(particles, SL_F_VELOCITY);
    fields->fraction = sl_f32x4(particles, SL_F_FRACTION);
    fields->stretch = sl_f32x4(particles, SL_F_STRETCH);
    fields->shear = sl_f32x4(particles, SL_F_SHEAR);
    for (int k = 0; k < 3; k++)
        fields->slope[k] = sl_f32x4(particles, (SlFieldId)(SL_F_SLOPE_X + k));
    fields->plastic = particles->data[SL_F_PLASTIC];
    fields->volume = particles->data[SL_F_VOLUME];
    fields->density = particles->data[SL_F_DENSITY];
    fields->variation = particles->data[SL_F_VARIATION];
    for (int k = 0; k < SL_SNOW_VARIED_COUNT; k++)
        fields->vary[k] = sl_snow_attribute(particles, (SlSnowVaried)k);
}

/* Sets the position within the cell, in units of the cell width. */
static void set_fraction(const float *position, float *fraction, const SlSnowLattice *lattice)
{
    for (size_t k = 0; k < 3; k++) {
        int32_t cell = sl_snow_cell(position[k], lattice->inverse_cell);
        fraction[k] = (float)((double)position[k] / (double)lattice->cell - cell);
    }
}

/* A particle with J_P = 0 is new: it was placed or emitted with a position and a velocity only. */
static void initialise_new(const void *data, size_t begin, size_t end, size_t chunk)
{
    const SlSnowPass *p = data;
    const SlSnowFields *f = &p->fields;
    p->has_new[chunk] = 0;
    for (size_t i = begin; i < end; i++) {
        p->has_new[chunk] |= f->volume[i] == 0;
        if (f->plastic[i] != 0)
            continue;
        f->plastic[i] = 1;
        f->density[i] = 1;
        set_fraction(f->position + 4 * i, f->fraction + 4 * i, &p->lattice);
    }
}

static SlStatus no_memory(SlError *error)
{
    return sl_error_set(error, SL_ERROR_MEMORY, "snow: no memory for temporary arrays");
}

SlStatus sl_snow_begin(SlSystem *system, double dt, SlSnowPass *pass, SlError *error)
{
    SlSnowState *state = system->state;
    size_t count = system->particles.count;
    memset(pass, 0, sizeof *pass);
    sl_arena_reset(&system->arena);
    sl_snow_set_constants(system, dt, pass);
    bind_fields(system, pass);
    pass->blocks = &state->blocks;
    pass->has_new = SL_PUSH(&system->arena, uint8_t, sl_chunk_count(count, SL_SNOW_CHUNK));
    if (pass->has_new == NULL)
        return no_memory(error);
    sl_loop_run(system->context->pool, count, SL_SNOW_CHUNK, initialise_new, pass);
    return SL_OK;
}

SlStatus sl_snow_sort(SlSystem *system, SlSnowPass *pass, SlError *error)
{
    SlSnowState *state = system->state;
    SlArena *arena = &system->arena;
    bool reorder = state->drift > max_drift, implicit = sl_snow_is_implicit(system);
    SlStatus status = sl_snow_blocks_sort(&state->blocks, arena, &system->particles, &pass->lattice,
                                          reorder, error);
    if (status != SL_OK)
        return status;
    if (reorder)
        state->drift = 0;
    bind_fields(system, pass);
    size_t capacity = state->blocks.capacity;
    pass->partials = SL_PUSH(arena, double, capacity * (size_t)SL_SNOW_PARTIALS);
    pass->slots = SL_PUSH(arena, SlSnowSlots, capacity);
    size_t groups = sl_snow_max_groups(&state->blocks, system->particles.count);
    if (!pass->contacts.printed)
        pass->close = SL_PUSH(arena, uint8_t, groups);
    if (implicit)
        pass->solve_partials = SL_PUSH(arena, double, 2 * capacity);
    if (pass->partials == NULL || pass->slots == NULL ||
        (!pass->contacts.printed && pass->close == NULL) ||
        (implicit && pass->solve_partials == NULL) || !sl_snow_forces_begin(system, pass))
        return no_memory(error);
    return SL_OK;
}

static const SlSnowTransfer *transfer_of(const SlSystem *system)
{
    const SlSnowKernels *kernels = SL_KERNELS(system->context->isa, sl_snow_kernels);
    return &kernels->transfer[(int)sl_param(system, SL_SNOW_PARAM_TRANSFER)];
}

void sl_snow_particles_to_grid(const SlSystem *system, const SlSnowPass *pass)
{
    SlSnowBlockLoop loop = {.pass = pass};
    sl_snow_find_surfaces(pass);
    sl_snow_for_colours(&loop, transfer_of(system)->particles_to_grid);
}

void sl_snow_measure_volumes(const SlSystem *system, const SlSnowPass *pass)
{
    SlSnowBlockLoop loop = {.pass = pass};
    for (size_t c = 0; c < sl_chunk_count(system->particles.count, SL_SNOW_CHUNK); c++)
        if (pass->has_new[c] != 0) {
            sl_loop_run(system->context->pool, pass->blocks->occupied, SL_SNOW_BLOCK_CHUNK,
                        transfer_of(system)->measure_volumes, &loop);
            return;
        }
}

void sl_snow_grid_to_particles(const SlSystem *system, const SlSnowPass *pass)
{
    SlSnowBlockLoop loop = {.pass = pass};
    sl_loop_run(system->context->pool, pass->blocks->occupied, SL_SNOW_PARTICLE_CHUNK,
                transfer_of(system)->grid_to_particles, &loop);
}

/* --- Statistics --- */

/* Reports the first particle whose speed or J_P is out of bounds. */
static SlStatus report_divergence(const SlSystem *system, const SlSnowPass *pass, SlError *error)
{
    const uint32_t *id = system->particles.data[SL_F_ID];
    for (size_t i = 0; i < system->particles.count; i++) {
        const float *x = pass->fields.position + 4 * i, *v = pass->fields.velocity + 4 * i;
        double speed = sqrt((double)v[0] * v[0] + (double)v[1] * v[1] + (double)v[2] * v[2]);
        double plastic = (double)pass->fields.plastic[i];
        if (speed <= (double)pass->runaway_speed && plastic > 0 && plastic < 1e30)
            continue;
        return sl_error_set(error, SL_ERROR_NUMBERS,
                            "snow: grid to particles: particle %u at (%g, %g, %g): speed %.3g m/s, "
                            "J_P %.3g; lower \"time_step\" or \"sound_limit\"",
                            id[i], (double)x[0], (double)x[1], (double)x[2], speed, plastic);
    }
    return sl_error_set(error, SL_ERROR_NUMBERS, "snow: grid to particles: a particle diverged");
}

static void warn_of_flow(SlSystem *system, double flow, double dt)
{
    SlSnowState *state = system->state;
    if (state->warned_flow || flow <= max_flow)
        return;
    state->warned_flow = true;
    sl_log(system->context, SL_LOG_WARNING,
           "%s: at %.4f s plastic flow changed a particle's volume by %.0f %% in one step of "
           "%.3g s; steps this large cause false compaction or fracture: lower "
           "\"time_step\" or \"sound_limit\"",
           system->name, system->time + dt, 100 * flow, dt);
}

/* Reduces the partial sums to the step's statistics; an error if a particle diverged. */
static SlStatus update_statistics(SlSystem *system, const SlSnowPass *pass, double dt,
                                  SlError *error)
{
    SlSnowState *state = system->state;
    SlStepStats *stats = &system->stats;
    size_t blocks = state->blocks.occupied, n = system->particles.count;
    if (n == 0)
        return SL_OK;
    const double *partials = pass->partials;
    stats->kinetic_energy = sl_fold_sum(partials, blocks, SL_SNOW_PARTIALS, SL_SNOW_KINETIC);
    stats->total_energy =
        stats->kinetic_energy + sl_fold_sum(partials, blocks, SL_SNOW_PARTIALS, SL_SNOW_POTENTIAL);
    stats->mean_compression =
        sl_fold_sum(partials, blocks, SL_SNOW_PARTIALS, SL_SNOW_COMPRESSION) / (double)n;
    stats->max_compression =
        sl_fold_max(partials, blocks, SL_SNOW_PARTIALS, SL_SNOW_MAX_COMPRESSION);
    state->max_speed = sqrt(sl_fold_max(partials, blocks, SL_SNOW_PARTIALS, SL_SNOW_MAX_SPEED2));
    state->max_sound_speed =
        sqrt(sl_fold_max(partials, blocks, SL_SNOW_PARTIALS, SL_SNOW_MAX_SOUND2));
    state->drift += state->max_speed * dt / sl_snow_cell_width(system);
    stats->max_speed = state->max_speed;
    if (sl_fold_sum(partials, blocks, SL_SNOW_PARTIALS, SL_SNOW_DIVERGED) > 0)
        return report_divergence(system, pass, error);
    if (state->max_sound_speed * min_time_step > sl_snow_cell_width(system))
        return sl_error_set(error, SL_ERROR_NUMBERS,
                            "snow: hardening: the speed of sound is %.3g m/s, which needs steps "
                            "below %g s",
                            state->max_sound_speed, min_time_step);
    warn_of_flow(system, sl_fold_max(partials, blocks, SL_SNOW_PARTIALS, SL_SNOW_MAX_FLOW), dt);
    return SL_OK;
}

/* --- The step --- */

/* Step 6. False: the solve did not converge; the step is repeated with half its length, and later
   steps stay that short until ten solves in a row have converged. */
static bool solve_velocities(SlSystem *system, const SlSnowPass *pass)
{
    SlSnowState *state = system->state;
    SlSnowSolve s = {.pass = pass,
                     .tolerance = sl_param(system, SL_SNOW_PARAM_TOLERANCE),
                     .max_iterations = (uint32_t)sl_param(system, SL_SNOW_PARAM_MAX_ITERATIONS)};
    bool converged = sl_snow_solve(&s);
    system->stats.iterations += s.iterations;
    state->converged_streak = converged ? state->converged_streak + 1 : 0;
    if (!converged) {
        bool repeat = state->step_halvings < MAX_HALVINGS;
        sl_log(system->context, SL_LOG_WARNING,
               "%s: at %.4f s the solve of a step of %.3g s did not converge: the residual is %.2g "
               "of the initial one after %u iterations; %s",
               system->name, system->time, (double)pass->dt, s.residual, s.iterations,
               repeat ? "the step is repeated with half its length"
                      : "the result is used as it is");
        state->step_halvings += repeat;
        return !repeat;
    }
    if (state->step_halvings > 0 && state->converged_streak >= CONVERGED_STREAK) {
        state->step_halvings--;
        state->converged_streak = 0;
    }
    return true;
}

/* Steps 4 to 6, semi-implicit. Until the solve has converged a step has changed only grid nodes,
   so it can be repeated from the saved nodes with a shorter *dt. */
static void update_nodes_implicitly(SlSystem *system, double *dt, SlSnowPass *pass)
{
    double full = *dt;
    sl_snow_save_nodes(pass);
    sl_snow_update_nodes(pass);               /* 4, 5 */
    while (!solve_velocities(system, pass)) { /* 6 */
        *dt /= 2;
        sl_snow_set_constants(system, *dt, pass);
        pass->impulse_fraction = (float)(*dt / full);
        sl_snow_restore_nodes(pass);
        sl_snow_update_nodes(pass);
    }
}

/* Advances by *part seconds or less, in the steps of [Stomakhin 2013, section 4.1]: numbers on the
   right. */
static SlStatus step_part(SlSystem *system, double dt, double *part, SlError *error)
{
    double *ms = system->stats.stage_ms, mark = sl_seconds();
    SlSnowPass pass;
    SlStatus status = sl_snow_begin(system, *part, &pass, error);
    if (status == SL_OK)
        status = sl_snow_sort(system, &pass, error);
    if (status != SL_OK)
        return status;
    sl_lap(&mark, &ms[SL_STAGE_SORT]);

    sl_snow_particles_to_grid(system, &pass); /* 1 rasterise particle data, 3 grid forces */
    sl_snow_measure_volumes(system, &pass);   /* 2 volumes of new particles; no force yet */
    sl_lap(&mark, &ms[SL_STAGE_PREDICT]);

    if (sl_snow_is_implicit(system))
        update_nodes_implicitly(system, part, &pass); /* 4, 5, and 6 the linear solve */
    else
        sl_snow_update_nodes(
            &pass); /* 4 grid velocities v*, 5 grid-based body collisions; v' = v* */
    sl_lap(&mark, &ms[SL_STAGE_SOLVE]);

    sl_snow_grid_to_particles(system, &pass); /* 7 deformation gradient, 8 particle velocities, */
                                              /* 9 particle-based body collisions, 10 positions */
    sl_snow_forces_end(system, &pass, dt);
    status = update_statistics(system, &pass, *part, error);
    sl_lap(&mark, &ms[SL_STAGE_VELOCITIES]);
    return status;
}

/* Advances by dt: in one part, or in several if a solve did not converge. */
static SlStatus step(SlSystem *system, double dt, SlError *error)
{
    SlStatus status = SL_OK;
    double done = 0, part = dt;
    sl_snow_forces_clear(system);
    while (status == SL_OK && done < dt) {
        part = fmin(part, dt - done);
        status = step_part(system, dt, &part, error);
        /* The sum of the parts may differ from dt by rounding. */
        done = done + part > dt * (1 - 1e-9) ? dt : done + part;
    }
    return status;
}

/* --- The descriptor --- */

static SlStatus start(SlSystem *system, SlError *error)
{
    SlSnowState *state = system->state;
    SlSnowPass pass;
    sl_snow_blocks_create(system->context, layers_of(system), &state->blocks);
    state->drift = INFINITY; /* fields are not sorted yet */
    SlStatus status = sl_snow_begin(system, 1, &pass, error);
    if (status == SL_OK)
        status = sl_snow_sort(system, &pass, error);
    const float *stiff = pass.fields.vary[SL_SNOW_VARIED_STIFFNESS];
    const float *dense = pass.fields.vary[SL_SNOW_VARIED_DENSITY];
    double stiffest = 1, lightest = 1;
    for (size_t i = 0; i < system->particles.count; i++) {
        const float *v = pass.fields.velocity + 4 * i;
        double speed = sqrt((double)v[0] * v[0] + (double)v[1] * v[1] + (double)v[2] * v[2]);
        state->max_speed = fmax(state->max_speed, speed);
        stiffest = fmax(stiffest, stiff != NULL ? 1 + (double)stiff[i] : 1);
        lightest = fmin(lightest, dense != NULL ? fmax(1 + (double)dense[i], 0.05) : 1);
    }
    state->max_sound_speed = sl_snow_initial_sound_speed(system) * sqrt(stiffest / lightest);
    return status;
}

static void destroy(SlSystem *system)
{
    SlSnowState *state = system->state;
    sl_snow_blocks_destroy(&state->blocks);
}

static uint64_t memory_needed(const SlSystem *system, uint64_t count)
{
    return sl_snow_blocks_bytes(layers_of(system), count);
}

/* Equal steps within the CFL limits for the speeds after the last step. */
static double step_length(const SlSystem *system, double left)
{
    const SlSnowState *state = system->state;
    double h = sl_snow_cell_width(system), given = sl_param(system, SL_SNOW_PARAM_TIME_STEP);
    double speed = fmax(state->max_speed, sl_snow_fastest_surface(system->surroundings.bodies));
    double longest = sl_snow_is_implicit(system)
                         ? sl_snow_implicit_step
                         : sl_param(system, SL_SNOW_PARAM_SOUND_LIMIT) * h / state->max_sound_speed;
    longest = fmin(longest, sl_param(system, SL_SNOW_PARAM_SPEED_LIMIT) * h / fmax(speed, 1e-9));
    if (given > 0)
        longest = given;
    longest = ldexp(longest, -(int)state->step_halvings);
    return left / ceil(left / fmax(longest, min_time_step));
}

static float spacing(const SlSystem *system)
{
    return (float)sl_param(system, SL_SNOW_PARAM_SPACING);
}

/* A position set by the program changes the fraction; a velocity may shorten the next step. */
static void written(SlSystem *system, size_t i, SlFieldId field)
{
    SlSnowState *state = system->state;
    SlParticles *particles = &system->particles;
    const float *v = sl_f32x4(particles, SL_F_VELOCITY) + 4 * i;
    if (field == SL_F_VELOCITY)
        state->max_speed = fmax(state->max_speed, (double)sl_length(sl_vec3(v[0], v[1], v[2])));
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
    const float *own = sl_snow_attribute(&system->particles, SL_SNOW_VARIED_DENSITY);
    double d = sl_param(system, SL_SNOW_PARAM_SPACING), factor = 1;
    if (variation != NULL)
        factor += sl_param(system, SL_SNOW_PARAM_VARY_DENSITY) * (double)variation[i];
    if (own != NULL)
        factor *= fmax(1 + (double)own[i], 0.05);
    return (float)(sl_param(system, SL_SNOW_PARAM_REST_DENSITY) * d * d * d * factor);
}

static const SlStateRow state_rows[] = {
    {"max_speed", offsetof(SlSnowState, max_speed), sizeof(double), "m/s, of the fastest particle"},
    {"max_sound_speed", offsetof(SlSnowState, max_sound_speed), sizeof(double),
     "m/s, highest of all particles"},
    {"drift", offsetof(SlSnowState, drift), sizeof(double),
     "cells: upper bound of displacements since fields were reordered"},
    {"step_halvings", offsetof(SlSnowState, step_halvings), sizeof(uint32_t),
     "halvings of the time step, after solves that did not converge"},
    {"converged_streak", offsetof(SlSnowState, converged_streak), sizeof(uint32_t),
     "consecutive solves that converged"},
};

const SlSolver sl_snow_solver = {
    .table = {.name = "snow",
              .kind = "solver",
              .summary = "snow by the material point method: elastic, plastic, hardening",
              .citation = "[Stomakhin 2013]; MLS: [Hu 2018]; APIC: [Jiang 2015]",
              .rows = sl_snow_rows,
              .row_count = SL_SNOW_PARAM_COUNT,
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
    .destroy = destroy,
    .step_length = step_length,
    .spacing = spacing,
    .written = written,
    .mass = mass,
    .material = SL_MATERIAL_SNOW,
};
