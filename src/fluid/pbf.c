/* Position based fluids (Macklin & Müller 2013; document 002 §3, equations cleaned in its table).

   Densities are in units of the rest density; a cubic lattice of the spacing has density 1 for
   every kernel. Jacobi must be relaxed (the largest eigenvalue of the preconditioned system is
   2.9 on the lattice), and epsilon is a multiple of the lattice's own sum of squared gradients, so
   no parameter depends on the units or the resolution. */
#include "fluid/pbf.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/reduce.h"
#include "core/timer.h"
#include "fluid/lod.h"
#include "math/vec3.h"

enum {
    P_SPACING,
    P_REST_DENSITY,
    P_SUPPORT,
    P_KERNEL,
    P_CONSTRAINT,
    P_STEPS,
    P_ITERATIONS,
    P_RELAXATION,
    P_DAMPING,
    P_MAX_MOVE,
    P_VISCOSITY,
    P_TENSILE,
    P_TENSILE_DISTANCE,
    P_BOUNDARY,
    P_BOUNDARY_SPACING,
    P_FORCES,
    P_WALL_DISTANCE,
    P_WALL_JITTER,
    P_STABILISE,
    P_STABILISE_LEVEL,
    P_LOD,
    P_LOD_LEAST,
    P_LOD_NEAR,
    P_LOD_FAR,
    P_LOD_MAP,
    P_LOD_POWER,
    P_LOD_BLEND,
    P_LOD_FINISHED,
    P_CFL_LIMIT,
    P_COUNT
};

#define NUMBER(value) SL_PARAM_NUMBER, {{value}}
#define WHOLE(value) SL_PARAM_INTEGER, {{value}}
#define CHOICE(value) SL_PARAM_CHOICE, {{value}}
static const SlParamRow rows[P_COUNT] = {
    [P_SPACING] = {"spacing", NUMBER(0.1), 1e-5, 1e3, "m", NULL,
                   "distance between particles at rest"},
    [P_REST_DENSITY] = {"rest_density", NUMBER(1000), 1e-3, 1e5, "kg/m^3", NULL,
                        "mass per volume at rest; scales energies only, motion does not depend on it"},
    [P_SUPPORT] = {"support", NUMBER(2), 1.5, 4, "spacings", NULL,
                   "radius of the smoothing kernel"},
    [P_KERNEL] = {"kernel", CHOICE(SL_KERNEL_CUBIC), 0, 2, "", "cubic|wendland|poly6",
                  "smoothing kernel: cubic spline, Wendland C2, or poly6 with spiky gradient"},
    [P_CONSTRAINT] = {"constraint", CHOICE(0), 0, 1, "", "unilateral|equality",
                      "unilateral resists compression only; equality (the paper's) also tension"},
    [P_STEPS] = {"steps", WHOLE(2), 1, 1000, "per frame", NULL, "sub-steps a frame is cut into"},
    [P_ITERATIONS] = {"iterations", WHOLE(4), 1, 1000, "per step", NULL,
                      "density iterations; fewer than 3 at 2 steps a frame may blow up"},
    [P_RELAXATION] = {"relaxation", NUMBER(0.7), 0.01, 1.5, "", NULL,
                      "factor on every Jacobi displacement; 1 is unstable without damping >= 0.75"},
    [P_DAMPING] = {"damping", NUMBER(0.2), 1e-6, 1e3, "", NULL,
                   "epsilon of lambda, as a multiple of the lattice's sum of squared gradients"},
    [P_MAX_MOVE] = {"max_move", NUMBER(0.1), 1e-3, 1, "spacings", NULL,
                    "longest displacement of one iteration"},
    [P_VISCOSITY] = {"viscosity", NUMBER(0.01), 0, 0.5, "", NULL,
                     "XSPH: share of the neighbours' mean velocity taken on per step"},
    [P_TENSILE] = {"tensile", NUMBER(0.1), 0, 1, "", NULL,
                   "s_corr, once a step, keeps particles from clumping in pairs: strength as the "
                   "density error it equals; 0: none"},
    [P_TENSILE_DISTANCE] = {"tensile_distance", NUMBER(0.2), 0.01, 0.9, "supports", NULL,
                            "distance at which s_corr has its full strength"},
    [P_BOUNDARY] = {"boundary", CHOICE(SL_BY_WALLS), 0, 3, "", "contact|walls|particles|both",
                    "what surfaces do besides contact: nothing; count as half spaces of fluid in "
                    "the density (analytic walls); as sampled particles; or the flat ones (domain, "
                    "planes) as walls and all others as particles"},
    [P_BOUNDARY_SPACING] = {"boundary_spacing", NUMBER(0.5), 0.2, 1, "spacings", NULL,
                            "least distance between boundary particles"},
    [P_FORCES] = {"forces", CHOICE(SL_FORCES_BODIES), 0, 2, "", "none|bodies|all",
                  "whose force and torque are summed into the stats: nobody's, the colliders', or "
                  "the domain's too"},
    [P_WALL_DISTANCE] = {"wall_distance", NUMBER(0.5), 0, 2, "spacings", NULL,
                         "nearest a particle's centre comes to a surface"},
    [P_WALL_JITTER] = {"wall_jitter", NUMBER(0.05), 0, 0.5, "spacings", NULL,
                       "plus up to this by particle, so that corners do not stack; 0 explodes"},
    [P_STABILISE] = {"stabilise", WHOLE(0), 0, 100, "per step", NULL,
                     "pre-stabilisation: iterations that move particles out of solids before the "
                     "step, without giving them speed"},
    [P_STABILISE_LEVEL] = {"stabilise_level", WHOLE(1000), 1, 1000, "iterations", NULL,
                           "pre-stabilisation is for particles up to this level (the paper's q)"},
    [P_LOD] = {"lod", CHOICE(SL_LOD_NONE), 0, 2, "", "none|dtc|dtvs",
               "level of detail: all particles get all iterations; fewer with the distance to the "
               "camera; fewer with the depth behind what the camera sees"},
    [P_LOD_LEAST] = {"lod_least", WHOLE(3), 1, 1000, "iterations", NULL,
                     "the lowest level; the highest is `iterations`"},
    [P_LOD_NEAR] = {"lod_near", NUMBER(0), 0, 1e6, "m", NULL,
                    "distance up to which the level is the highest"},
    [P_LOD_FAR] = {"lod_far", NUMBER(0), 0, 1e6, "m", NULL,
                   "distance from which it is the lowest; 0: both automatic"},
    [P_LOD_MAP] = {"lod_map", CHOICE(SL_LOD_LINEAR), 0, 2, "", "linear|smoothstep|power",
                   "how the level falls between the two"},
    [P_LOD_POWER] = {"lod_power", NUMBER(2), 0.1, 10, "", NULL, "exponent of the map \"power\""},
    [P_LOD_BLEND] = {"lod_blend", CHOICE(SL_LOD_MAX), 0, 2, "", "max|mean|weighted",
                     "levels of several cameras: the highest, their mean, or by the cameras' weights"},
    [P_LOD_FINISHED] = {"lod_finished", CHOICE(SL_LOD_ZERO), 0, 2, "", "zero|halo|stale",
                        "lambda of neighbours that are finished: none, measured again around active "
                        "particles, or the last one kept (as printed; adds energy)"},
    [P_CFL_LIMIT] = {"cfl_limit", NUMBER(2), 0.1, 100, "spacings", NULL,
                     "a particle moving farther than this in one step gives a warning"},
};

SlKernelKind sl_pbf_kernel(const SlSystem *system)
{
    return (SlKernelKind)sl_param(system, P_KERNEL);
}

SlPbfLoop sl_pbf_displace(const SlSystem *system, const SlPbfPass *pass, uint32_t iteration)
{
    const SlPbfKernels *kernels = SL_KERNELS(system->context->isa, sl_pbf_kernels);
    SlKernelKind kind = sl_pbf_kernel(system);
    return pass->tensile > 0 && iteration == 0 ? kernels->displace_tensile[kind] : kernels->displace[kind];
}

static double support_of(const SlSystem *system)
{
    return sl_param(system, P_SUPPORT) * sl_param(system, P_SPACING);
}

/* Scale of analytic walls: a lattice that begins half a spacing from a wall has density 1 there.
   The plane integral of 2 pi × value scale is the continuum's; the lattice lacks a little less
   beyond the wall than a continuum would hold. */
static double wall_scale_of(SlKernelKind kind, double support)
{
    double lacking = 0, lattice = 0;
    int reach = (int)ceil(support);
    for (int z = -reach; z <= reach; z++)
        for (int y = -reach; y <= reach; y++)
            for (int x = -reach; x <= reach; x++) {
                double w = sl_kernel_value(kind, sqrt((double)(x * x + y * y + z * z)), support);
                lattice += w;
                lacking += x < 0 ? w : 0;
            }
    /* F(1/2 spacing) without its factor, by Simpson's rule on A(s) = integral of W r dr. */
    enum { STEPS = 200 };
    double filled = 0, from = 0.5 / support, width = (1 - from) / STEPS;
    for (int k = 0; k <= STEPS; k++) {
        double s = from + k * width, area = 0, ring = (1 - s) / STEPS;
        for (int j = 0; j <= STEPS; j++) {
            double r = s + j * ring, weight = j == 0 || j == STEPS ? 1 : j % 2 == 1 ? 4 : 2;
            area += weight * r * sl_kernel_value(kind, r, 1) / sl_kernel_value_scale(kind, 1);
        }
        filled += (k == 0 || k == STEPS ? 1 : k % 2 == 1 ? 4 : 2) * area * ring / 3;
    }
    return lacking / lattice / (filled * width / 3);
}

static void set_constants(const SlSystem *system, double dt, SlPbfPass *pass)
{
    double d = sl_param(system, P_SPACING), support = support_of(system), volume = d * d * d;
    SlKernelKind kind = sl_pbf_kernel(system);
    SlLatticeSums lattice = sl_lattice_sums(kind, sl_param(system, P_SUPPORT));
    double gradient_squared = lattice.gradient_squared / (d * d); /* S0, 1/m² */
    double per_volume = volume / lattice.density;

    pass->dt = (float)dt;
    pass->inverse_support = (float)(1 / support);
    pass->value_scale = (float)(per_volume * sl_kernel_value_scale(kind, support));
    pass->slope_scale = (float)(per_volume * sl_kernel_slope_scale(kind, support));
    pass->lack = (float)((per_volume * sl_kernel_value(kind, 0, support) - 1) /
                         (per_volume * sl_kernel_value_scale(kind, support)));
    pass->wall_scale = sl_param(system, P_BOUNDARY) != SL_BY_CONTACT
                           ? (float)wall_scale_of(kind, sl_param(system, P_SUPPORT))
                           : 0;
    pass->least_constraint = sl_param(system, P_CONSTRAINT) == 0 ? 0 : -1e9f;
    pass->epsilon = (float)(sl_param(system, P_DAMPING) * gradient_squared);
    pass->relaxation = (float)sl_param(system, P_RELAXATION);
    pass->most_move = (float)(sl_param(system, P_MAX_MOVE) * d);
    double full = sl_kernel_value(kind, sl_param(system, P_TENSILE_DISTANCE) * support, support) /
                  sl_kernel_value_scale(kind, support);
    pass->tensile = (float)(sl_param(system, P_TENSILE) / gradient_squared / pow(full, 4));
    pass->viscosity = (float)sl_param(system, P_VISCOSITY);
    pass->stabilise_level = (uint32_t)sl_param(system, P_STABILISE_LEVEL);
    pass->runaway_speed = (float)(100 * d / dt);
    const SlPbfState *state = system->state;
    pass->contacts = (SlContacts){.around = system->surroundings,
                                  .centers = state->solids.centers,
                                  .tally_domain = sl_param(system, P_FORCES) == SL_FORCES_ALL,
                                  .dt = (float)dt,
                                  .distance = (float)(sl_param(system, P_WALL_DISTANCE) * d),
                                  .jitter = (float)(sl_param(system, P_WALL_JITTER) * d)};
}

/* The fields' arrays change places when particles are sorted. */
static void bind_fields(SlSystem *system, SlPbfPass *pass)
{
    SlParticles *particles = &system->particles;
    pass->id = particles->data[SL_F_ID];
    pass->position = sl_f32x4(particles, SL_F_POSITION);
    pass->velocity = sl_f32x4(particles, SL_F_VELOCITY);
    pass->predicted = sl_f32x4(particles, SL_F_PREDICTED);
    pass->density = particles->data[SL_F_DENSITY];
    pass->level = particles->data[SL_F_LEVEL];
}

static SlSolidSettings solid_settings(const SlSystem *system)
{
    double d = sl_param(system, P_SPACING);
    SlKernelKind kind = sl_pbf_kernel(system);
    return (SlSolidSettings){
        .kind = (SlBoundaryKind)sl_param(system, P_BOUNDARY),
        .forces = (SlForces)sl_param(system, P_FORCES),
        .samples = {.kernel = kind,
                    .spacing = d,
                    .support = support_of(system),
                    .radius = sl_param(system, P_BOUNDARY_SPACING) * d,
                    .inset = d * sl_boundary_inset(kind, sl_param(system, P_SUPPORT)),
                    .seed = system->surroundings.seed}};
}

static double particle_mass(const SlSystem *system)
{
    double d = sl_param(system, P_SPACING);
    return sl_param(system, P_REST_DENSITY) * d * d * d;
}

SlStatus sl_pbf_begin(SlSystem *system, double dt, SlPbfPass *pass, SlError *error)
{
    SlPbfState *state = system->state;
    SlArena *arena = &system->context->arena;
    SlParticles *particles = &system->particles;
    size_t chunks = sl_chunk_count(particles->count, SL_REDUCE_CHUNK);
    SlStatus status = sl_neighbours_fit(&state->list, particles, error);
    if (status != SL_OK)
        return status;
    memset(pass, 0, sizeof *pass);
    set_constants(system, dt, pass);
    bind_fields(system, pass);
    sl_arena_reset(arena);
    pass->count = particles->count;
    pass->list = &state->list;
    pass->projected = SL_PUSH(arena, float, 4 * (particles->capacity + 8));
    pass->new_velocity = SL_PUSH(arena, float, 4 * (particles->capacity + 8));
    pass->partials = SL_PUSH(arena, double, chunks *SL_PBF_PARTIALS);
    if (pass->projected == NULL || pass->new_velocity == NULL || pass->partials == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "pbf: no memory for the scratch of a step");
    sl_particles_pad(particles, pass->projected);
    sl_particles_pad(particles, pass->new_velocity);
    return sl_solids_place(&state->solids, system, pass, error);
}

typedef struct Run {
    const SlPbfPass *pass;
    SlPbfLoop loop;
    void (*finish)(const SlPbfPass *pass, size_t begin, size_t end, size_t chunk);
} Run;

static void run_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    const Run *run = argument;
    if (run->loop != NULL)
        run->loop(run->pass, begin, end);
    else
        run->finish(run->pass, begin, end, chunk);
}

void sl_pbf_run(const SlSystem *system, const SlPbfPass *pass, SlPbfLoop loop)
{
    Run run = {pass, loop, NULL};
    sl_parallel_for(system->context->pool, sl_particle_blocks(&system->particles), SL_PBF_CHUNK_BLOCKS,
                    run_chunk, &run);
}

SlStatus sl_pbf_sort(SlSystem *system, SlPbfPass *pass, SlError *error)
{
    SlPbfState *state = system->state;
    if (!sl_grid_sort(&state->grid, &system->particles, pass->predicted))
        return sl_error_set(error, SL_ERROR_MEMORY, "pbf: no memory to sort particles");
    bind_fields(system, pass);
    return SL_OK;
}

/* "… particle 7 at (x, y, z)": who it was when the numbers went wrong. */
static SlStatus blame(const SlPbfPass *pass, const char *stage, size_t i, const char *what,
                      SlError *error)
{
    const float *x = pass->position + 4 * i;
    return sl_error_set(error, SL_ERROR_NUMBERS, "pbf: %s: particle %u at (%g, %g, %g): %s", stage,
                        pass->id[i], (double)x[0], (double)x[1], (double)x[2], what);
}

SlStatus sl_pbf_list(SlSystem *system, SlPbfPass *pass, SlError *error)
{
    SlPbfState *state = system->state;
    size_t worst;
    float support = (float)support_of(system);
    SlStatus status = sl_neighbours_build(&state->list, &state->grid, &system->particles,
                                          pass->predicted, support, &worst, error);
    if (status == SL_OK)
        status = sl_solids_list(&state->solids, system, pass->predicted, &worst, error);
    if (status == SL_ERROR_NUMBERS && worst != SIZE_MAX) {
        char what[128];
        snprintf(what, sizeof what, "more than %d neighbours within %g m", SL_MOST_NEIGHBOURS,
                 support_of(system));
        return blame(pass, "neighbours", worst, what, error);
    }
    return status;
}

/* Folds the partials of `finish` into the step's statistics and finds numbers that went wrong. */
static SlStatus conclude(SlSystem *system, const SlPbfPass *pass, double dt, SlError *error)
{
    SlPbfState *state = system->state;
    SlStepStats *stats = &system->stats;
    size_t n = pass->count, chunks = sl_chunk_count(n, SL_REDUCE_CHUNK);
    sl_solids_sum_forces(&state->solids, system, pass, particle_mass(system), dt);
    if (n == 0)
        return SL_OK;
    double d = sl_param(system, P_SPACING), mass = particle_mass(system);
    const double *partials = pass->partials;
    stats->kinetic_energy = mass * sl_fold_sum(partials, chunks, SL_PBF_PARTIALS, SL_PBF_KINETIC);
    stats->total_energy =
        stats->kinetic_energy +
        mass * sl_fold_sum(partials, chunks, SL_PBF_PARTIALS, SL_PBF_POTENTIAL);
    stats->mean_compression =
        sl_fold_sum(partials, chunks, SL_PBF_PARTIALS, SL_PBF_COMPRESSION) / (double)n;
    stats->max_compression =
        sl_fold_max(partials, chunks, SL_PBF_PARTIALS, SL_PBF_MOST_COMPRESSION);
    stats->max_speed =
        sqrt(sl_fold_max(partials, chunks, SL_PBF_PARTIALS, SL_PBF_MOST_SPEED2));

    if (sl_fold_sum(partials, chunks, SL_PBF_PARTIALS, SL_PBF_BAD) > 0)
        for (size_t i = 0; i < n; i++) {
            const float *v = pass->velocity + 4 * i;
            double speed = sqrt((double)v[0] * v[0] + (double)v[1] * v[1] + (double)v[2] * v[2]);
            char what[64];
            snprintf(what, sizeof what, "speed %.3g m/s", speed);
            if (!(speed <= (double)pass->runaway_speed))
                return blame(pass, "velocities", i, what, error);
        }
    if (!state->warned_cfl && stats->max_speed * dt > sl_param(system, P_CFL_LIMIT) * d) {
        state->warned_cfl = true;
        sl_log(system->context, SL_LOG_WARNING,
               "%s: at %.3f s the fastest particle (%.3g m/s) moves %.2g spacings in one step; "
               "above %g results suffer: raise \"steps\" to %d",
               system->name, system->time + dt, stats->max_speed, stats->max_speed * dt / d,
               sl_param(system, P_CFL_LIMIT),
               (int)ceil(sl_param(system, P_STEPS) * stats->max_speed * dt /
                         (sl_param(system, P_CFL_LIMIT) * d)));
    }
    return SL_OK;
}

/* --- Level of detail --- */

/* Per block, for eq. 10: the highest level in it, and the highest around it. */
typedef struct Levels {
    uint32_t least;
    const uint32_t *active, *refreshed;
} Levels;

static uint32_t highest_of(const uint32_t *level, size_t b)
{
    uint32_t most = 0;
    for (size_t k = 8 * b; k < 8 * b + 8; k++)
        most = level[k] > most ? level[k] : most;
    return most;
}

static SlLodSettings lod_settings(const SlSystem *system)
{
    return (SlLodSettings){.kind = (SlLodKind)sl_param(system, P_LOD),
                           .least = (uint32_t)sl_param(system, P_LOD_LEAST),
                           .most = (uint32_t)sl_param(system, P_ITERATIONS),
                           .near = sl_param(system, P_LOD_NEAR),
                           .far = sl_param(system, P_LOD_FAR),
                           .map = (SlLodMap)sl_param(system, P_LOD_MAP),
                           .power = sl_param(system, P_LOD_POWER),
                           .blend = (SlLodBlend)sl_param(system, P_LOD_BLEND),
                           .spacing = sl_param(system, P_SPACING)};
}

/* Levels of this interval, and by block. Without level of detail everybody gets everything. */
static SlStatus assign_levels(SlSystem *system, SlPbfPass *pass, Levels *levels, SlError *error)
{
    SlParticles *particles = &system->particles;
    SlLodSettings settings = lod_settings(system);
    uint32_t *level = particles->data[SL_F_LEVEL];
    *levels = (Levels){.least = settings.most};
    system->stats.mean_iterations = settings.most;
    if (level == NULL || settings.least >= settings.most)
        return SL_OK;
    levels->least = settings.least;
    if (system->surroundings.interval_begins) {
        SlStatus status = sl_lod_assign(system, &settings, pass->predicted, level, error);
        if (status != SL_OK)
            return status;
    }
    /* Padding and sentinel have no level. */
    size_t blocks = sl_particle_blocks(particles);
    memset(level + particles->count, 0, (8 * blocks - particles->count) * sizeof *level);
    memset(level + particles->capacity, 0, 8 * sizeof *level);
    int finished = (int)sl_param(system, P_LOD_FINISHED);
    SlArena *arena = &system->context->arena;
    uint32_t *active = SL_PUSH(arena, uint32_t, blocks), *refreshed = active;
    if (finished == SL_LOD_HALO) {
        refreshed = SL_PUSH(arena, uint32_t, blocks);
        pass->halo = SL_PUSH(arena, uint32_t, 8 * blocks);
    }
    if (active == NULL || refreshed == NULL || (finished == SL_LOD_HALO && pass->halo == NULL))
        return sl_error_set(error, SL_ERROR_MEMORY, "pbf: no memory for levels of detail");
    pass->level = level;
    pass->stale = finished == SL_LOD_STALE;
    if (pass->halo != NULL)
        sl_pbf_run(system, pass, SL_KERNELS(system->context->isa, sl_pbf_kernels)->halo);
    uint64_t sum = 0;
    for (size_t b = 0; b < blocks; b++) {
        active[b] = highest_of(level, b);
        if (pass->halo != NULL)
            refreshed[b] = highest_of(pass->halo, b);
    }
    for (size_t i = 0; i < particles->count; i++)
        sum += level[i] > settings.least ? level[i] : settings.least;
    system->stats.mean_iterations = (double)sum / (double)(particles->count + (particles->count == 0));
    levels->active = active;
    levels->refreshed = refreshed;
    return SL_OK;
}

typedef struct ActiveRun {
    const SlPbfPass *pass;
    SlPbfLoop loop, retire;  /* retire may be NULL */
    const uint32_t *highest; /* per block */
} ActiveRun;

/* Runs of blocks with somebody active, in ascending order; those that have just gone are retired. */
static void active_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const ActiveRun *run = argument;
    uint32_t l = run->pass->iteration;
    for (size_t b = begin; b < end;) {
        size_t first = b;
        while (b < end && run->highest[b] >= l)
            b++;
        if (b > first)
            run->loop(run->pass, first, b);
        for (; b < end && run->highest[b] < l; b++)
            if (run->retire != NULL && run->highest[b] == l - 1)
                run->retire(run->pass, b, b + 1);
    }
}

static void run_active(const SlSystem *system, const SlPbfPass *pass, SlPbfLoop loop,
                       SlPbfLoop retire, const uint32_t *highest)
{
    ActiveRun run = {pass, loop, retire, highest};
    sl_parallel_for(system->context->pool, sl_particle_blocks(&system->particles),
                    SL_PBF_CHUNK_BLOCKS, active_chunk, &run);
}

static SlStatus step(SlSystem *system, double dt, SlError *error)
{
    const SlPbfKernels *kernels = SL_KERNELS(system->context->isa, sl_pbf_kernels);
    SlKernelKind kind = sl_pbf_kernel(system);
    double *ms = system->stats.stage_ms, mark = sl_seconds();
    SlPbfPass pass;
    SlStatus status = sl_pbf_begin(system, dt, &pass, error);
    if (status != SL_OK)
        return status;

    for (uint32_t k = 0; k < (uint32_t)sl_param(system, P_STABILISE); k++)
        sl_pbf_run(system, &pass, kernels->stabilise);
    sl_pbf_run(system, &pass, kernels->predict);
    sl_lap(&mark, &ms[SL_STAGE_PREDICT]);

    if ((status = sl_pbf_sort(system, &pass, error)) != SL_OK)
        return status;
    sl_lap(&mark, &ms[SL_STAGE_SORT]);

    if ((status = sl_pbf_list(system, &pass, error)) != SL_OK)
        return status;
    sl_lap(&mark, &ms[SL_STAGE_NEIGHBOURS]);

    Levels levels;
    if ((status = assign_levels(system, &pass, &levels, error)) != SL_OK)
        return status;
    sl_lap(&mark, &ms[SL_STAGE_LEVELS]);

    uint32_t iterations = (uint32_t)sl_param(system, P_ITERATIONS);
    for (uint32_t l = 1; l <= iterations; l++) {
        pass.iteration = l;
        if (l <= levels.least) { /* A_l is everybody */
            sl_pbf_run(system, &pass, kernels->lambda[kind]);
            sl_pbf_run(system, &pass, sl_pbf_displace(system, &pass, l - 1));
        } else {
            run_active(system, &pass, kernels->lambda_active[kind], kernels->retire,
                       levels.refreshed);
            run_active(system, &pass, kernels->displace_active[kind], NULL, levels.active);
        }
    }
    system->stats.iterations = iterations;
    sl_lap(&mark, &ms[SL_STAGE_SOLVE]);

    sl_pbf_run(system, &pass, kernels->velocity);
    Run finish = {&pass, NULL, kernels->finish[kind]};
    sl_parallel_for(system->context->pool, sl_particle_blocks(&system->particles), SL_PBF_CHUNK_BLOCKS,
                    run_chunk, &finish);
    status = conclude(system, &pass, dt, error);
    sl_lap(&mark, &ms[SL_STAGE_FINISH]);
    return status;
}

/* Sorts and measures the particles as placed, so that frame 0 has densities. */
static SlStatus measure_start(SlSystem *system, SlError *error)
{
    const SlPbfKernels *kernels = SL_KERNELS(system->context->isa, sl_pbf_kernels);
    SlParticles *particles = &system->particles;
    SlPbfPass pass;
    memcpy(particles->data[SL_F_PREDICTED], particles->data[SL_F_POSITION],
           particles->count * 4 * sizeof(float));
    SlStatus status = sl_pbf_begin(system, 1, &pass, error);
    if (status == SL_OK)
        status = sl_pbf_sort(system, &pass, error);
    if (status == SL_OK)
        status = sl_pbf_list(system, &pass, error);
    if (status != SL_OK)
        return status;
    sl_pbf_run(system, &pass, kernels->density[sl_pbf_kernel(system)]);
    float densest = 0;
    for (size_t i = 0; i < particles->count; i++)
        densest = pass.density[i] > densest ? pass.density[i] : densest;
    if (densest > 1.05f)
        sl_log(system->context, SL_LOG_WARNING,
               "%s: the densest particle starts at %.3g of the rest density; blocks that come "
               "closer than a spacing burst apart",
               system->name, (double)densest);
    return SL_OK;
}

static SlStatus start(SlSystem *system, SlError *error)
{
    SlPbfState *state = system->state;
    SlStatus status = sl_grid_create(system->context, system->surroundings.domain,
                                     (float)support_of(system), system->surroundings.grid,
                                     &state->grid, error);
    if (status == SL_OK)
        status = sl_neighbours_create(system->context, &system->particles, &state->list, error);
    SlSolidSettings solids = solid_settings(system);
    if (status == SL_OK)
        status = sl_solids_create(system, &solids, &state->solids, error);
    return status == SL_OK ? measure_start(system, error) : status;
}

static void finish(SlSystem *system)
{
    SlPbfState *state = system->state;
    sl_solids_destroy(&state->solids);
    sl_neighbours_destroy(&state->list);
    sl_grid_destroy(&state->grid);
}

static uint64_t memory_needed(const SlSystem *system, uint64_t count)
{
    SlSolidSettings solids = solid_settings(system);
    /* Scratch: two float4 arrays, channels of the list build. */
    uint64_t scratch = count * (2 * 16 + 3 * 4);
    return scratch + sl_neighbours_bytes(count) + sl_solids_bytes(system, &solids, count) +
           sl_grid_bytes(system->surroundings.domain, support_of(system),
                         system->surroundings.grid, count);
}

static uint32_t steps(const SlSystem *system)
{
    return (uint32_t)sl_param(system, P_STEPS);
}

static float spacing(const SlSystem *system)
{
    return (float)sl_param(system, P_SPACING);
}

static uint32_t more_fields(const SlSystem *system)
{
    return sl_param(system, P_LOD) != SL_LOD_NONE ? SL_FIELD_BIT(LEVEL) : 0;
}

const SlSolver sl_pbf_solver = {
    .table = {.name = "pbf",
              .kind = "solver",
              .summary = "water by position based fluids: density constraints, relaxed Jacobi",
              .citation = "Macklin & Müller 2013; Köster & Krüger 2016 (IJCGA 6(3)), section 3",
              .rows = rows,
              .row_count = P_COUNT},
    .fields = SL_FIELD_BIT(ID) | SL_FIELD_BIT(POSITION) | SL_FIELD_BIT(VELOCITY) |
              SL_FIELD_BIT(PREDICTED) | SL_FIELD_BIT(DENSITY),
    .more_fields = more_fields,
    .state_size = sizeof(SlPbfState),
    .memory_needed = memory_needed,
    .start = start,
    .step = step,
    .finish = finish,
    .steps = steps,
    .spacing = spacing,
};
