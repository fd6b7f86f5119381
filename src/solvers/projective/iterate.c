/* The loop over local and global steps of projective fluids [Sommer, algorithm 1]: the method,
   arrays, and one iteration. */
#include <math.h>
#include <string.h>

#include "math/vec3.h"

#include "solvers/projective/projective.h"

static double fold_sum(const SlProjectiveRun *run, size_t lane)
{
    size_t chunks = sl_chunk_count(run->pass.fluid.particles.count, SL_REDUCE_CHUNK);
    return sl_fold_sum(run->pass.partials, chunks, SL_PROJECTIVE_PARTIALS, lane);
}

static double fold_max(const SlProjectiveRun *run, size_t lane)
{
    size_t chunks = sl_chunk_count(run->pass.fluid.particles.count, SL_REDUCE_CHUNK);
    return chunks > 0 ? sl_fold_max(run->pass.partials, chunks, SL_PROJECTIVE_PARTIALS, lane) : 0;
}

/* --- The method --- */

static const SlConstraint *constraint_of(const SlSystem *system, int kind)
{
    return sl_constraint(system->context->isa, (SlConstraintKind)kind);
}

static bool is_used(const SlProjectiveMethod *method, int kind)
{
    return (method->constraints >> kind & 1) != 0;
}

SlProjectiveMethod sl_projective_method(const SlSystem *system)
{
    SlProjectiveMethod m = {
        .divisor = (SlDivisor)sl_param(system, SL_PROJECTIVE_PARAM_DIVISOR),
        .acceleration = (SlAcceleration)sl_param(system, SL_PROJECTIVE_PARAM_ACCELERATION),
        .solver = sl_linear_solvers[(int)sl_param(system, SL_PROJECTIVE_PARAM_GLOBAL_SOLVER)]};
    int used = 0;
    bool fused = m.acceleration != SL_ACCELERATION_ANDERSON;
    for (int k = 0; k < SL_CONSTRAINT_COUNT; k++) {
        const SlConstraint *constraint = constraint_of(system, k);
        if (constraint->kappa(system, 1) <= 0)
            continue;
        m.constraints |= 1u << k;
        used++;
        fused = fused && constraint->fused[0] != NULL;
        if (constraint->common_diagonal == NULL)
            m.divisor = SL_DIVISOR_OWN;
    }
    bool sweep = m.solver == &sl_linear_jacobi &&
                 sl_param(system, SL_PROJECTIVE_PARAM_GLOBAL_ITERATIONS) == 1;
    if (!sweep) {
        m.global = SL_GLOBAL_LINEAR_SOLVER;
        m.divisor = SL_DIVISOR_OWN;
    } else
        m.global = fused && used == 1 ? SL_GLOBAL_FUSED_SWEEP : SL_GLOBAL_SWEEP;
    m.body_forces = m.global == SL_GLOBAL_FUSED_SWEEP && m.divisor == SL_DIVISOR_COMMON;
    m.has_pressure = m.body_forces && sl_param(system, SL_PROJECTIVE_PARAM_MEMORY) > 0;
    m.memory = m.has_pressure && /* a live parameter */
               sl_param(system, SL_PROJECTIVE_PARAM_CONSTRAINT) == SL_DENSITY_UNILATERAL;
    return m;
}

/* --- Constants and arrays of a step --- */

static float *push_records(SlSystem *system)
{
    float *records = SL_PUSH(&system->arena, float, 4 * (system->particles.capacity + 8));
    if (records != NULL) { /* reductions also read the padding, masked */
        size_t n = system->particles.count;
        memset(records + 4 * n, 0, (4 * (system->particles.capacity + 8 - n)) * sizeof *records);
    }
    return records;
}

static SlStatus no_memory(SlError *error)
{
    return sl_error_set(error, SL_ERROR_MEMORY, "projective: no memory for temporary arrays");
}

/* kappa of a constraint that is used, else 0. */
static double kappa_of(const SlSystem *system, SlConstraintKind kind, double dt)
{
    return constraint_of(system, (int)kind)->kappa(system, dt);
}

static bool begin_density(SlSystem *system, double dt, SlProjectivePass *pass)
{
    bool differences = sl_param(system, SL_PROJECTIVE_PARAM_ROWS) == SL_ROWS_DIFFERENCES;
    bool unilateral = sl_param(system, SL_PROJECTIVE_PARAM_CONSTRAINT) == SL_DENSITY_UNILATERAL;
    SlDensityPass *c = &pass->density;
    *c = (SlDensityPass){
        .kappa = (float)(kappa_of(system, SL_CONSTRAINT_DENSITY, dt) +
                         kappa_of(system, SL_CONSTRAINT_DENSITY_DIFFERENCES, dt)),
        .min_constraint = unilateral ? 0 : -1e9f,
        .epsilon = (float)(sl_param(system, SL_PROJECTIVE_PARAM_DAMPING) *
                           sl_fluid_gradient_squared(system)),
        /* With differences every particle takes part in every row of a constraint already. */
        .count_fraction =
            differences ? 0 : (float)sl_param(system, SL_PROJECTIVE_PARAM_COUNT_RELAXATION),
        .projections = (uint32_t)sl_param(system, SL_PROJECTIVE_PARAM_PROJECTIONS),
        .projection_tolerance = (float)sl_param(system, SL_PROJECTIVE_PARAM_PROJECTION_TOLERANCE),
        .counts = SL_PUSH(&system->arena, float, system->particles.capacity + 8),
        .solid_gradient = push_records(system)};
    if (differences)
        c->push = push_records(system);
    return c->counts != NULL && c->solid_gradient != NULL && (!differences || c->push != NULL);
}

/* With memory pressure needs no compression, and a kappa of several makes the noise of densities a
   noise of pressures: shallow fine water boils (docs/projective-memory.md). */
static const float max_kappa = 0.3f;
/* From here on the whole `memory`: an iteration gains in proportion to kappa, which falls with dt². */
static const double full_memory_kappa = 0.15;

/* Memory: signed constraints, whose total with what is remembered is at least 0. */
static bool begin_memory(SlSystem *system, double dt, SlProjectivePass *pass)
{
    SlDensityPass *c = &pass->density;
    size_t room = system->particles.capacity + 8;
    c->min_constraint = -1e9f;
    c->kappa = fminf(c->kappa, max_kappa);
    c->mid = 0.5f;
    c->total = SL_PUSH(&system->arena, float, room);
    c->previous_total = SL_PUSH(&system->arena, float, room);
    sl_fluid_solid_pushes(system, dt, &pass->fluid.solids);
    return c->total != NULL && c->previous_total != NULL;
}

static bool begin_arrays(SlSystem *system, SlProjectivePass *pass)
{
    size_t chunks = sl_chunk_count(system->particles.count, SL_REDUCE_CHUNK);
    pass->shift = sl_fluid_push_records(system);
    pass->projected = sl_fluid_push_records(system);
    pass->previous_shift = push_records(system);
    pass->partials = SL_PUSH(&system->arena, double, chunks * (size_t)SL_PROJECTIVE_PARTIALS);
    return pass->shift != NULL && pass->projected != NULL && pass->previous_shift != NULL &&
           pass->partials != NULL;
}

static void begin_chebyshev(const SlSystem *system, SlProjectiveRun *run)
{
    const SlProjectiveState *state = system->state;
    double rho = sl_param(system, SL_PROJECTIVE_PARAM_RHO);
    run->chebyshev = (SlChebyshev){
        .rho = rho > 0 ? rho : sl_rho_search_value(&state->search),
        .delay = (uint32_t)sl_param(system, SL_PROJECTIVE_PARAM_DELAY),
        .printed = sl_param(system, SL_PROJECTIVE_PARAM_OMEGA_START) == SL_OMEGA_PRINTED,
        .safeguard = sl_param(system, SL_PROJECTIVE_PARAM_SAFEGUARD) != 0};
    sl_chebyshev_begin(&run->chebyshev);
    run->restart_count =
        sl_param(system, SL_PROJECTIVE_PARAM_RESTART_FRACTION) * (double)system->particles.count;
    run->restarts_near_end = run->pass.stop_move > 0 && run->restart_count > 0;
}

/* Anderson acceleration relaxes the fixed-point step, not the accelerated result. */
static bool begin_anderson(SlSystem *system, SlProjectiveRun *run)
{
    SlAndersonPass *h = &run->pass.history;
    run->anderson.history = (uint32_t)sl_param(system, SL_PROJECTIVE_PARAM_HISTORY);
    sl_anderson_begin(&run->anderson);
    h->anderson = &run->anderson;
    h->relaxation = run->pass.relaxation;
    run->pass.relaxation = 1;
    h->last_step = push_records(system);
    bool ok = h->last_step != NULL;
    for (uint32_t k = 0; ok && k < run->anderson.history; k++) {
        h->step_changes[k] = push_records(system);
        h->position_changes[k] = push_records(system);
        ok = h->step_changes[k] != NULL && h->position_changes[k] != NULL;
    }
    return ok;
}

SlStatus sl_projective_begin(SlSystem *system, double dt, SlProjectiveRun *run, SlError *error)
{
    memset(run, 0, sizeof *run);
    SlProjectivePass *pass = &run->pass;
    double spacing = sl_param(system, SL_FLUID_PARAM_SPACING);
    SlStatus status = sl_fluid_prepare(system, dt, &pass->fluid, error);
    if (status != SL_OK)
        return status;
    run->method = sl_projective_method(system);
    pass->dt = dt;
    pass->relaxation = (float)sl_param(system, SL_PROJECTIVE_PARAM_RELAXATION);
    pass->omega = 1;
    pass->max_move = (float)(sl_param(system, SL_FLUID_PARAM_MAX_MOVE) * spacing);
    pass->stop_move = (float)(sl_param(system, SL_PROJECTIVE_PARAM_STOP_MOVE) * spacing);
    if (!begin_density(system, dt, pass) || !begin_arrays(system, pass) ||
        (run->method.memory && !begin_memory(system, dt, pass)))
        return no_memory(error);
    if (run->method.divisor == SL_DIVISOR_COMMON)
        pass->common_divisor = (float)constraint_of(system, SL_CONSTRAINT_DENSITY)
                                   ->common_diagonal(system, (double)pass->density.kappa);
    begin_chebyshev(system, run);
    bool ok = sl_body_shifts_begin(system, run);
    if (ok && run->method.global != SL_GLOBAL_FUSED_SWEEP)
        ok = (pass->residual = push_records(system)) != NULL;
    if (ok && run->method.global == SL_GLOBAL_LINEAR_SOLVER)
        ok = sl_global_system_push(system, run);
    if (ok && run->method.acceleration == SL_ACCELERATION_ANDERSON)
        ok = begin_anderson(system, run);
    return ok ? SL_OK : no_memory(error);
}

/* The loop begins with the shift that the remembered pressure gives. */
static void recall(SlSystem *system, SlProjectiveRun *run)
{
    const SlConstraint *density = constraint_of(system, SL_CONSTRAINT_DENSITY);
    SlKernelKind kind = sl_fluid_kernel(system);
    run->pass.density.pressure = system->particles.data[SL_F_PRESSURE]; /* sorted by now */
    sl_particle_loop(system, density->recall[kind], &run->pass);
    sl_particle_loop(system, density->displace[kind], &run->pass);
}

SlStatus sl_projective_prepare(SlSystem *system, SlProjectiveRun *run, SlError *error)
{
    const SlProjectiveKernels *kernels = SL_KERNELS(system->context->isa, sl_projective_kernels);
    sl_particle_loop(system, kernels->initialise, &run->pass);
    if (run->method.memory)
        recall(system, run);
    sl_body_shifts_start(run);
    for (int k = 0; k < SL_CONSTRAINT_COUNT; k++) {
        const SlConstraint *constraint = constraint_of(system, k);
        if (is_used(&run->method, k) && constraint->prepare != NULL &&
            !constraint->prepare(system, &run->pass))
            return no_memory(error);
    }
    return run->method.global == SL_GLOBAL_LINEAR_SOLVER
               ? sl_global_system_prepare(system, run, error)
               : SL_OK;
}

/* --- One iteration --- */

void sl_projective_local(const SlSystem *system, SlProjectiveRun *run)
{
    SlKernelKind kind = sl_fluid_kernel(system);
    for (int k = 0; k < SL_CONSTRAINT_COUNT; k++) {
        SlLoop project = constraint_of(system, k)->project[kind];
        if (is_used(&run->method, k) && project != NULL)
            sl_particle_loop(system, project, &run->pass);
    }
    size_t n = run->pass.fluid.particles.count;
    run->mean_compression = fold_sum(run, SL_PROJECTIVE_COMPRESSION) / (double)(n + (n == 0));
    run->max_compression = fold_max(run, SL_PROJECTIVE_MAX_COMPRESSION);
}

void sl_projective_residual(const SlSystem *system, SlProjectiveRun *run)
{
    const SlProjectiveKernels *kernels = SL_KERNELS(system->context->isa, sl_projective_kernels);
    SlKernelKind kind = sl_fluid_kernel(system);
    sl_particle_loop(system, kernels->inertia, &run->pass);
    for (int k = 0; k < SL_CONSTRAINT_COUNT; k++)
        if (is_used(&run->method, k))
            sl_particle_loop(system, constraint_of(system, k)->right_side[kind], &run->pass);
}

/* Near convergence momentum delays the stop. Either no particle's own step was longer than
   stop_move, and an iteration without momentum is likely to be the last. Or few particles still
   move: mostly ones that momentum has carried away from their neighbours, which only inertia brings
   back, by thousandths of the distance per iteration. So the method restarts; the next time when
   half as many move. */
static void restart_near_end(SlProjectiveRun *run)
{
    if (!run->restarts_near_end || run->pass.omega == 1)
        return;
    bool few_move = run->moving_count <= run->restart_count;
    if (few_move || run->max_step < (double)run->pass.stop_move)
        sl_chebyshev_restart(&run->chebyshev);
    if (few_move)
        run->restart_count = run->moving_count / 2;
}

/* Chebyshev's method: the factor omega of the displacement [Sommer eq. 8]. */
static void choose_omega(SlProjectiveRun *run)
{
    if (run->method.acceleration != SL_ACCELERATION_CHEBYSHEV)
        return;
    restart_near_end(run);
    run->pass.omega = (float)sl_chebyshev_next(&run->chebyshev, run->step_norm);
}

/* Anderson acceleration acts on the step: residual -= a combination of the last changes. */
static void combine_history(const SlSystem *system, SlProjectiveRun *run)
{
    const SlProjectiveKernels *kernels = SL_KERNELS(system->context->isa, sl_projective_kernels);
    double products[SL_ANDERSON_MAX], along[SL_ANDERSON_MAX];
    if (run->method.acceleration != SL_ACCELERATION_ANDERSON)
        return;
    if (run->iterations > 0)
        sl_anderson_push(&run->anderson);
    sl_particle_loop(system, kernels->record_changes, &run->pass);
    for (uint32_t k = 0; k < run->anderson.used; k++) {
        products[k] = fold_sum(run, SL_PROJECTIVE_PRODUCTS + k);
        along[k] = fold_sum(run, SL_PROJECTIVE_ALONG + k);
    }
    if (run->anderson.used > 0)
        sl_anderson_solve(&run->anderson, products, along);
    sl_particle_loop(system, kernels->combine_changes, &run->pass);
}

static void measure_movement(SlProjectiveRun *run)
{
    run->iterations++;
    run->max_move = sqrt(fold_max(run, SL_PROJECTIVE_MAX_MOVE2));
    run->step_norm = sqrt(fold_sum(run, SL_PROJECTIVE_STEP2));
    run->moving_count = fold_sum(run, SL_PROJECTIVE_MOVING);
    run->max_step = sqrt(fold_max(run, SL_PROJECTIVE_MAX_STEP2));
}

/* Loop of the only constraint of SL_GLOBAL_FUSED_SWEEP. */
static SlLoop fused_loop(const SlSystem *system, const SlProjectiveMethod *method)
{
    int kind = 0;
    while (!is_used(method, kind))
        kind++;
    return constraint_of(system, kind)->fused[sl_fluid_kernel(system)];
}

SlStatus sl_projective_global(SlSystem *system, SlProjectiveRun *run, SlError *error)
{
    const SlProjectiveKernels *kernels = SL_KERNELS(system->context->isa, sl_projective_kernels);
    SlStatus status = SL_OK;
    choose_omega(run);
    switch (run->method.global) {
    case SL_GLOBAL_FUSED_SWEEP:
        sl_particle_loop(system, fused_loop(system, &run->method), &run->pass);
        sl_body_shifts_add(run);
        break;
    case SL_GLOBAL_SWEEP:
        sl_projective_residual(system, run);
        sl_particle_loop(system, kernels->divide, &run->pass);
        combine_history(system, run);
        sl_particle_loop(system, kernels->move, &run->pass);
        break;
    case SL_GLOBAL_LINEAR_SOLVER:
        sl_projective_residual(system, run);
        if ((status = sl_global_system_solve(system, run, error)) != SL_OK)
            return status;
        combine_history(system, run);
        sl_particle_loop(system, kernels->move, &run->pass);
        break;
    }
    measure_movement(run);
    return SL_OK;
}

void sl_projective_friction(const SlSystem *system, SlProjectiveRun *run)
{
    const SlProjectiveKernels *kernels = SL_KERNELS(system->context->isa, sl_projective_kernels);
    const SlSolidsPass *solids = &run->pass.fluid.solids;
    if (solids->boundary != NULL && solids->boundary_rubs) {
        sl_projective_local(system, run);
        sl_particle_loop(system, kernels->boundary_friction[sl_fluid_kernel(system)], &run->pass);
    }
    sl_body_shifts_end(run);
}

/* A mode whose multiplier follows its error by the gain a per step is stable if less than a is
   remembered; the slowest, of a column N particles deep, has a ~ kappa (m / N)² after m iterations. */
void sl_projective_remember(const SlSystem *system, SlProjectiveRun *run)
{
    if (!run->method.memory)
        return;
    const SlStepControl *control = &((const SlFluidState *)system->state)->control;
    double d = sl_param(system, SL_FLUID_PARAM_SPACING);
    double g = (double)sl_length(system->surroundings.gravity);
    double depth = g > 0 ? fmax(1, control->pressure / (g * d)) : 1;
    double ratio = run->iterations / depth;
    double memory = fmin(sl_param(system, SL_PROJECTIVE_PARAM_MEMORY), 0.6 * ratio * ratio);
    double kappa = (double)run->pass.density.kappa;
    run->pass.density.memory = g > 0 ? (float)(memory * fmin(1, kappa / full_memory_kappa)) : 0;
    sl_particle_loop(system, constraint_of(system, SL_CONSTRAINT_DENSITY)->remember, &run->pass);
}

uint64_t sl_projective_bytes(const SlSystem *system, uint64_t count)
{
    SlProjectiveMethod method = sl_projective_method(system);
    uint64_t bytes = count * (sizeof(float) + 2 * 16); /* counts, x(k-1), solid gradients */
    for (int k = 0; k < SL_CONSTRAINT_COUNT; k++) {
        const SlConstraint *constraint = constraint_of(system, k);
        if (is_used(&method, k) && constraint->bytes != NULL)
            bytes += constraint->bytes(system, count);
    }
    if (method.memory) /* two multipliers */
        bytes += 8 * count;
    if (method.global != SL_GLOBAL_FUSED_SWEEP) /* residual, push */
        bytes += count * 16 *
                 (sl_param(system, SL_PROJECTIVE_PARAM_ROWS) == SL_ROWS_DIFFERENCES ? 2 : 1);
    if (method.acceleration == SL_ACCELERATION_ANDERSON)
        bytes += count * 16 * (1 + 2 * (uint64_t)sl_param(system, SL_PROJECTIVE_PARAM_HISTORY));
    if (method.global == SL_GLOBAL_LINEAR_SOLVER)
        bytes += sl_global_system_bytes(system, count);
    return bytes;
}
