/* The loop over local and global steps of projective fluids: arrays, the global system, and one
   iteration. Vectors of the linear system are [n][3] double; the iterate stays in float. */
#include <math.h>
#include <string.h>

#include "solvers/projective/projective.h"
#include "solvers/projective/parameter_rows.h"

static double fold(const SlProjectiveRun *run, size_t lane, bool most)
{
    const SlProjectivePass *pass = &run->pass;
    size_t chunks = sl_chunk_count(pass->fluid.particles.count, SL_REDUCE_CHUNK);
    if (chunks == 0)
        return 0;
    return most ? sl_fold_max(pass->partials, chunks, SL_PROJECTIVE_PARTIALS, lane)
                : sl_fold_sum(pass->partials, chunks, SL_PROJECTIVE_PARTIALS, lane);
}

/* One sweep of Jacobi on a diagonal matrix is its solution: then residual, division and movement
   are one loop. */
static bool is_one_loop(const SlSystem *system)
{
    return sl_param(system, P_GLOBAL_SOLVER) == SL_LINEAR_JACOBI &&
           sl_param(system, P_GLOBAL_ITERATIONS) == 1 &&
           sl_param(system, P_ROWS) == SL_ROWS_SELECTOR && sl_param(system, P_ATTACH) == 0 &&
           sl_param(system, P_ACCELERATION) != SL_ACCELERATE_ANDERSON;
}

/* One sweep by the loop `divide`, without double vectors. */
static bool is_one_sweep(const SlSystem *system)
{
    return sl_param(system, P_GLOBAL_SOLVER) == SL_LINEAR_JACOBI &&
           sl_param(system, P_GLOBAL_ITERATIONS) == 1;
}

/* May one sweep divide all particles by the same? Not where attachments or differences tell them
 * apart. */
static bool has_common_diagonal(const SlSystem *system)
{
    return sl_param(system, P_DIVISOR) == SL_DIVISOR_COMMON && is_one_sweep(system) &&
           sl_param(system, P_ROWS) == SL_ROWS_SELECTOR && sl_param(system, P_ATTACH) == 0;
}

bool sl_projective_has_body_forces(const SlSystem *system)
{
    return has_common_diagonal(system) && is_one_loop(system);
}

/* That of a particle with as many neighbours as the kernel's ball has room for. */
static double common_diagonal(const SlSystem *system, double kappa)
{
    return 1 + kappa * 4 / 3 * 3.14159265358979 * pow(sl_param(system, SL_FLUID_PARAM_SUPPORT), 3);
}

static SlLinearSettings linear_settings(const SlSystem *system)
{
    SlLinearSettings settings = sl_default_linear_settings();
    uint32_t iterations = (uint32_t)sl_param(system, P_GLOBAL_ITERATIONS);
    settings.tolerance = iterations == 0 ? sl_param(system, P_GLOBAL_TOLERANCE) : 0;
    settings.max_iterations = iterations == 0 ? 10000 : iterations;
    settings.preconditioner = sl_param(system, P_PRECONDITIONER) != 0;
    settings.history = (uint32_t)sl_param(system, P_HISTORY);
    settings.chebyshev = (SlChebyshev){.delay = 8, .safeguard = true};
    return settings;
}

static float *push_records(SlSystem *system)
{
    float *records = SL_PUSH(&system->arena, float, 4 * (system->particles.capacity + 8));
    if (records != NULL) { /* padding is summed over, and masked */
        size_t n = system->particles.count;
        memset(records + 4 * n, 0, (4 * (system->particles.capacity + 8 - n)) * sizeof *records);
    }
    return records;
}

static SlStatus no_memory(SlError *error)
{
    return sl_error_set(error, SL_ERROR_MEMORY, "projective: no memory for the scratch of a step");
}

static SlStatus push_history(SlSystem *system, SlProjectiveRun *run, SlError *error)
{
    SlProjectivePass *pass = &run->pass;
    run->anderson.history = (uint32_t)sl_param(system, P_HISTORY);
    sl_anderson_begin(&run->anderson);
    pass->mixing = pass->gamma;
    pass->gamma = 1;
    pass->last_step = push_records(system);
    bool there = pass->last_step != NULL;
    for (uint32_t k = 0; there && k < run->anderson.history; k++) {
        pass->step_changes[k] = push_records(system);
        pass->place_changes[k] = push_records(system);
        there = pass->step_changes[k] != NULL && pass->place_changes[k] != NULL;
    }
    return there ? SL_OK : no_memory(error);
}

SlStatus sl_projective_begin(SlSystem *system, double dt, SlProjectiveRun *run, SlError *error)
{
    memset(run, 0, sizeof *run);
    SlProjectivePass *pass = &run->pass;
    SlStatus status = sl_fluid_prepare(system, dt, &pass->fluid, error);
    if (status != SL_OK)
        return status;
    const SlProjectiveState *state = system->state;
    SlArena *arena = &system->arena;
    size_t n = system->particles.count, room = system->particles.capacity + 8;
    pass->min_constraint = sl_param(system, P_CONSTRAINT) == 0 ? 0 : -1e9f;
    pass->epsilon = (float)(sl_param(system, P_DAMPING) * sl_fluid_gradient_squared(system));
    pass->kappa =
        (float)(sl_constraints[0]->kappa(system, dt) + sl_constraints[1]->kappa(system, dt));
    pass->hold = (float)sl_constraints[2]->kappa(system, dt);
    pass->differences = sl_param(system, P_ROWS) == SL_ROWS_DIFFERENCES;
    /* In differences every particle of a constraint already takes part in each of its rows. */
    pass->count_share = pass->differences ? 0 : (float)sl_param(system, P_COUNT_RELAXATION);
    pass->projections = (uint32_t)sl_param(system, P_PROJECTIONS);
    pass->projected_error = (float)sl_param(system, P_PROJECTION_TOLERANCE);
    pass->gamma = (float)sl_param(system, P_RELAXATION);
    pass->omega = 1;
    pass->still_move =
        (float)(sl_param(system, P_STOP_MOVE) * sl_param(system, SL_FLUID_PARAM_SPACING));
    run->few = sl_param(system, P_RESTART_FRACTION) * (double)n;
    run->restarts = pass->still_move > 0 && run->few > 0;
    if (has_common_diagonal(system))
        pass->common_diagonal = (float)common_diagonal(system, (double)pass->kappa);
    pass->placed = state->placed;
    pass->anchor = NULL;
    pass->anderson = &run->anderson;
    pass->counts = SL_PUSH(arena, float, room);
    pass->shift = sl_fluid_push_records(system);
    pass->projected = sl_fluid_push_records(system);
    pass->max_move = (float)(sl_param(system, SL_FLUID_PARAM_MAX_MOVE) *
                             sl_param(system, SL_FLUID_PARAM_SPACING));
    pass->previous = push_records(system);
    pass->solid = push_records(system);
    pass->partials =
        SL_PUSH(arena, double, sl_chunk_count(n, SL_REDUCE_CHUNK) * SL_PROJECTIVE_PARTIALS);
    if (pass->counts == NULL || pass->shift == NULL || pass->projected == NULL || pass->previous == NULL || pass->solid == NULL ||
        pass->partials == NULL)
        return no_memory(error);
    double rho = sl_param(system, P_RHO);
    run->chebyshev = (SlChebyshev){.rho = rho > 0 ? rho : sl_rho_search_value(&state->search),
                                   .delay = (uint32_t)sl_param(system, P_DELAY),
                                   .printed = sl_param(system, P_OMEGA_START) == SL_OMEGA_PRINTED,
                                   .safeguard = sl_param(system, P_SAFEGUARD) != 0};
    sl_chebyshev_begin(&run->chebyshev);
    if (!sl_projective_forces_begin(system, run))
        return no_memory(error);
    if (is_one_loop(system))
        return SL_OK;
    pass->residual = push_records(system);
    if (pass->residual == NULL ||
        (pass->differences && (pass->push = push_records(system)) == NULL))
        return no_memory(error);
    if (!is_one_sweep(system)) {
        run->right = SL_PUSH(arena, double, 3 * n);
        run->solution = SL_PUSH(arena, double, 3 * n);
        run->diagonal = SL_PUSH(arena, double, n);
        if (run->right == NULL || run->solution == NULL || run->diagonal == NULL)
            return no_memory(error);
    }
    if (sl_param(system, P_ACCELERATION) == SL_ACCELERATE_ANDERSON)
        return push_history(system, run, error);
    return SL_OK;
}

/* --- The global system, for solvers that want more than its diagonal --- */

/* Rows of A x with A = diagonal - 2 kappa (the neighbours), in the order of the list. */
static void apply_system(const SlLinearSystem *system, const double *x, double *y, size_t begin,
                         size_t end)
{
    const SlProjectivePass *pass = system->user;
    const SlNeighbourList *list = pass->fluid.list;
    for (size_t i = begin; i < end; i++) {
        double sum[3] = {0, 0, 0};
        if (pass->differences) {
            const uint32_t(*row)[8] = (const uint32_t(*)[8])list->rows + list->row_begin[i / 8];
            for (uint32_t k = list->row_count[i / 8]; k > 0; k--, row++) {
                size_t j = (*row)[i % 8];
                for (size_t a = 0; j != list->sentinel && a < 3; a++)
                    sum[a] += x[3 * j + a];
            }
        }
        for (size_t a = 0; a < 3; a++)
            y[3 * i + a] = system->diagonal[i] * x[3 * i + a] - 2 * (double)pass->kappa * sum[a];
    }
}

/* All of A, for a factor of it. */
static SlStatus write_matrix(SlSystem *system, SlProjectiveRun *run, SlSparse *matrix,
                             SlError *error)
{
    const SlProjectivePass *pass = &run->pass;
    const SlNeighbourList *list = pass->fluid.list;
    SlArena *arena = &system->arena;
    size_t n = pass->fluid.particles.count, entries = n;
    for (size_t i = 0; pass->differences && i < n; i++)
        entries += (size_t)pass->counts[i] - 1;
    uint32_t *begin = SL_PUSH(arena, uint32_t, n + 1), *column = SL_PUSH(arena, uint32_t, entries);
    double *value = SL_PUSH(arena, double, entries);
    if (begin == NULL || column == NULL || value == NULL)
        return no_memory(error);
    if (entries > UINT32_MAX)
        return sl_error_set(error, SL_ERROR_MEMORY,
                            "projective: a matrix of %zu entries; at most %u", entries, UINT32_MAX);
    uint32_t used = 0;
    for (size_t i = 0; i < n; i++) {
        begin[i] = used;
        column[used] = (uint32_t)i;
        value[used++] = run->diagonal[i];
        const uint32_t(*row)[8] = (const uint32_t(*)[8])list->rows + list->row_begin[i / 8];
        for (uint32_t k = pass->differences ? list->row_count[i / 8] : 0; k > 0; k--, row++)
            if ((*row)[i % 8] != list->sentinel) {
                column[used] = (*row)[i % 8];
                value[used++] = -2 * (double)pass->kappa;
            }
    }
    begin[n] = used;
    *matrix = (SlSparse){n, begin, column, value};
    return SL_OK;
}

/* The residual and the diagonal at the iterate in `projected`. */
static void pull_all(const SlSystem *system, SlProjectiveRun *run)
{
    const SlProjectiveKernels *kernels = SL_KERNELS(system->context->isa, sl_projective_kernels);
    SlKernelKind kind = sl_fluid_kernel(system);
    sl_particle_loop(system, kernels->inertia, &run->pass);
    for (int c = 0; c < SL_CONSTRAINT_COUNT; c++)
        if (sl_constraints[c]->kappa(system, (double)run->pass.fluid.dt) > 0)
            sl_particle_loop(system, sl_constraints[c]->pull(kernels, kind), &run->pass);
}

SlStatus sl_projective_prepare(SlSystem *system, SlProjectiveRun *run, SlError *error)
{
    const SlProjectiveKernels *kernels = SL_KERNELS(system->context->isa, sl_projective_kernels);
    SlProjectivePass *pass = &run->pass;
    sl_particle_loop(system, kernels->count, pass);
    sl_projective_forces_start(run);
    if (pass->hold > 0)
        pass->anchor = sl_f32x4(&system->particles, SL_F_ANCHOR);
    if (run->right == NULL)
        return SL_OK;
    /* The diagonal is the same in every iteration; the first local step gives it. */
    sl_projective_local(system, run);
    pull_all(system, run);
    for (size_t i = 0; i < pass->fluid.particles.count; i++)
        run->diagonal[i] = (double)pass->residual[4 * i + 3];
    run->job = (SlLinearJob){.pool = system->context->pool,
                             .arena = &system->arena,
                             .settings = linear_settings(system),
                             .system = {.rows = pass->fluid.particles.count,
                                        .columns = 3,
                                        .apply = apply_system,
                                        .user = pass,
                                        .diagonal = run->diagonal}};
    const SlLinearSolver *solver = sl_linear_solvers[(int)sl_param(system, P_GLOBAL_SOLVER)];
    SlSparse *matrix = SL_PUSH(&system->arena, SlSparse, 1);
    if (matrix == NULL)
        return no_memory(error);
    if (solver->needs_matrix) {
        SlStatus status = write_matrix(system, run, matrix, error);
        if (status != SL_OK)
            return status;
        run->job.system.matrix = matrix;
    }
    return sl_linear_prepare(solver, &run->job, error);
}

void sl_projective_local(const SlSystem *system, SlProjectiveRun *run)
{
    const SlProjectiveKernels *kernels = SL_KERNELS(system->context->isa, sl_projective_kernels);
    for (int c = 0; c < SL_CONSTRAINT_COUNT; c++)
        if (sl_constraints[c]->project != NULL &&
            sl_constraints[c]->kappa(system, (double)run->pass.fluid.dt) > 0)
            sl_particle_loop(system, sl_constraints[c]->project(kernels, sl_fluid_kernel(system)),
                             &run->pass);
    size_t n = run->pass.fluid.particles.count;
    run->mean = fold(run, SL_PROJECTIVE_COMPRESSION, false) / (double)(n + (n == 0));
    run->most = fold(run, SL_PROJECTIVE_MAX_COMPRESSION, true);
}

/* The linear system's vectors from the residual, and the step back into it. */
static void widen_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    SlProjectiveRun *run = argument;
    for (size_t i = begin; i < end; i++)
        for (size_t a = 0; a < 3; a++) {
            run->right[3 * i + a] = (double)run->pass.residual[4 * i + a];
            run->solution[3 * i + a] = 0;
        }
}

static void round_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    SlProjectiveRun *run = argument;
    for (size_t i = begin; i < end; i++) {
        for (size_t a = 0; a < 3; a++)
            run->pass.residual[4 * i + a] = (float)run->solution[3 * i + a];
        run->pass.residual[4 * i + 3] = 0;
    }
}

static SlStatus solve_system(SlSystem *system, SlProjectiveRun *run, SlError *error)
{
    const SlLinearSolver *solver = sl_linear_solvers[(int)sl_param(system, P_GLOBAL_SOLVER)];
    SlPool *pool = system->context->pool;
    SlLinearOutcome outcome;
    sl_parallel_for(pool, run->pass.fluid.particles.count, SL_REDUCE_CHUNK, widen_chunk, run);
    SlStatus status =
        sl_linear_solve(solver, &run->job, run->right, run->solution, &outcome, error);
    run->inner += outcome.iterations;
    if (status == SL_OK)
        sl_parallel_for(pool, run->pass.fluid.particles.count, SL_REDUCE_CHUNK, round_chunk, run);
    return status;
}

/* What changed since the last iteration, and the combination of changes that serves best. */
static void mix_history(const SlSystem *system, SlProjectiveRun *run)
{
    const SlProjectiveKernels *kernels = SL_KERNELS(system->context->isa, sl_projective_kernels);
    double products[SL_ANDERSON_MAX], along[SL_ANDERSON_MAX];
    if (run->iterations > 0)
        sl_anderson_push(&run->anderson);
    sl_particle_loop(system, kernels->look, &run->pass);
    for (uint32_t k = 0; k < run->anderson.used; k++) {
        products[k] = fold(run, SL_PROJECTIVE_PRODUCTS + k, false);
        along[k] = fold(run, SL_PROJECTIVE_ALONG + k, false);
    }
    if (run->anderson.used > 0)
        sl_anderson_solve(&run->anderson, products, along);
    sl_particle_loop(system, kernels->mix, &run->pass);
}

/* The end of a step, where momentum does harm. Either no particle's own step was longer than
   stop_move, and a plain iteration is likely to end it. Or only a few still move: mostly ones that
   momentum has carried away from their neighbours, which nothing but inertia draws back, by some
   thousandths of the way in each iteration. So the method begins again; next time for half as few.
 */
static void restart_momentum(SlProjectiveRun *run)
{
    if (!run->restarts || run->pass.omega == 1)
        return;
    bool few_move = run->moving <= run->few;
    if (few_move || run->step < (double)run->pass.still_move)
        sl_chebyshev_restart(&run->chebyshev);
    if (few_move)
        run->few = run->moving / 2;
}

SlStatus sl_projective_global(SlSystem *system, SlProjectiveRun *run, SlError *error)
{
    const SlProjectiveKernels *kernels = SL_KERNELS(system->context->isa, sl_projective_kernels);
    SlProjectivePass *pass = &run->pass;
    SlAccelerate acceleration = (SlAccelerate)sl_param(system, P_ACCELERATION);
    if (acceleration == SL_ACCELERATE_CHEBYSHEV) {
        restart_momentum(run);
        pass->omega = (float)sl_chebyshev_next(&run->chebyshev, run->norm);
    }
    if (pass->residual == NULL) {
        sl_particle_loop(system, kernels->solve[sl_fluid_kernel(system)], pass);
        sl_projective_forces_add(run);
    } else {
        pull_all(system, run);
        SlStatus status = SL_OK;
        if (run->right != NULL)
            status = solve_system(system, run, error);
        else
            sl_particle_loop(system, kernels->divide, pass);
        if (status != SL_OK)
            return status;
        if (acceleration == SL_ACCELERATE_ANDERSON)
            mix_history(system, run);
        sl_particle_loop(system, kernels->move, pass);
    }
    run->iterations++;
    run->move = sqrt(fold(run, SL_PROJECTIVE_MAX_MOVE2, true));
    run->norm = sqrt(fold(run, SL_PROJECTIVE_STEP2, false));
    run->moving = fold(run, SL_PROJECTIVE_MOVING, false);
    run->step = sqrt(fold(run, SL_PROJECTIVE_MAX_STEP2, true));
    return SL_OK;
}

void sl_projective_settle(const SlSystem *system, SlProjectiveRun *run)
{
    const SlProjectiveKernels *kernels = SL_KERNELS(system->context->isa, sl_projective_kernels);
    if (run->pass.fluid.solids.boundary != NULL && run->pass.fluid.solids.boundary_rubs) {
        sl_projective_local(system, run);
        sl_particle_loop(system, kernels->settle[sl_fluid_kernel(system)], &run->pass);
    }
    sl_projective_forces_end(run);
}

uint64_t sl_projective_bytes(const SlSystem *system, uint64_t count)
{
    uint64_t bytes = count * (sizeof(float) + 3 * 16); /* counts, shift, x(k-1), solid */
    if (is_one_loop(system))
        return bytes;
    bytes += count * 16 * (sl_param(system, P_ROWS) == SL_ROWS_DIFFERENCES ? 2 : 1);
    if (sl_param(system, P_ACCELERATION) == SL_ACCELERATE_ANDERSON)
        bytes += count * 16 * (1 + 2 * (uint64_t)sl_param(system, P_HISTORY));
    if (is_one_sweep(system))
        return bytes;
    SlLinearSettings settings = linear_settings(system);
    return bytes + count * 7 * sizeof(double) +
           sl_linear_solvers[(int)sl_param(system, P_GLOBAL_SOLVER)]->bytes(&settings, count, 3);
}
