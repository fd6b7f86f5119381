/* The linear system of the global step, for methods that need more than one sweep: A (x~ - x) =
   right side - A x(k) with A = I + sum of kappa C'C. It is solved for the change, since positions
   are floats and the change keeps its digits. Vectors are [n][3] double; the iterate stays in
   float. */
#include "solvers/projective/projective.h"

static SlStatus no_memory(SlError *error)
{
    return sl_error_set(error, SL_ERROR_MEMORY, "projective: no memory for the global system");
}

static SlLinearSettings linear_settings(const SlSystem *system)
{
    SlLinearSettings settings = sl_default_linear_settings();
    uint32_t iterations = (uint32_t)sl_param(system, SL_PROJECTIVE_PARAM_GLOBAL_ITERATIONS);
    settings.tolerance =
        iterations == 0 ? sl_param(system, SL_PROJECTIVE_PARAM_GLOBAL_TOLERANCE) : 0;
    settings.max_iterations = iterations == 0 ? 10000 : iterations;
    settings.preconditioner = sl_param(system, SL_PROJECTIVE_PARAM_PRECONDITIONER) != 0;
    settings.history = (uint32_t)sl_param(system, SL_PROJECTIVE_PARAM_HISTORY);
    settings.chebyshev = (SlChebyshev){.delay = 8, .safeguard = true};
    return settings;
}

/* What the product with A needs. */
typedef struct Operator {
    const SlProjectiveRun *run;
    SlIsa isa;
} Operator;

/* The constraints in use whose C'C is not diagonal. */
static const SlConstraint *coupling(const SlProjectiveRun *run, SlIsa isa, int kind)
{
    const SlConstraint *constraint = sl_constraint(isa, (SlConstraintKind)kind);
    bool used = (run->method.constraints >> kind & 1) != 0;
    return used && constraint->apply != NULL ? constraint : NULL;
}

/* Rows of A x: the diagonal, then what constraints couple. */
static void apply_system(const SlLinearSystem *system, const double *x, double *y, size_t begin,
                         size_t end)
{
    const Operator *operator= system->user;
    for (size_t i = begin; i < end; i++)
        for (size_t a = 0; a < 3; a++)
            y[3 * i + a] = system->diagonal[i] * x[3 * i + a];
    for (int k = 0; k < SL_CONSTRAINT_COUNT; k++) {
        const SlConstraint *constraint = coupling(operator->run, operator->isa, k);
        if (constraint != NULL)
            constraint->apply(&operator->run->pass, x, y, begin, end);
    }
}

/* All entries of A, for a factorisation. Of several constraints in one row entries are appended:
   they must not couple the same pair. */
static SlStatus write_matrix(SlSystem *system, SlProjectiveRun *run, SlError *error)
{
    const SlProjectivePass *pass = &run->pass;
    SlIsa isa = system->context->isa;
    size_t n = pass->fluid.particles.count, entries = n;
    for (int k = 0; k < SL_CONSTRAINT_COUNT; k++) {
        const SlConstraint *constraint = coupling(run, isa, k);
        for (size_t i = 0; constraint != NULL && i < n; i++)
            entries += constraint->row(pass, i, NULL, NULL);
    }
    uint32_t *begin = SL_PUSH(&system->arena, uint32_t, n + 1);
    uint32_t *column = SL_PUSH(&system->arena, uint32_t, entries);
    double *value = SL_PUSH(&system->arena, double, entries);
    if (begin == NULL || column == NULL || value == NULL)
        return no_memory(error);
    if (entries > UINT32_MAX)
        return sl_error_set(error, SL_ERROR_MEMORY,
                            "projective: a matrix of %zu entries; at most %u", entries, UINT32_MAX);
    size_t used = 0;
    for (size_t i = 0; i < n; i++) {
        begin[i] = (uint32_t)used;
        column[used] = (uint32_t)i;
        value[used++] = run->diagonal[i];
        for (int k = 0; k < SL_CONSTRAINT_COUNT; k++) {
            const SlConstraint *constraint = coupling(run, isa, k);
            if (constraint != NULL)
                used += constraint->row(pass, i, column + used, value + used);
        }
    }
    begin[n] = (uint32_t)used;
    run->matrix = (SlSparse){n, begin, column, value};
    return SL_OK;
}

bool sl_global_system_push(SlSystem *system, SlProjectiveRun *run)
{
    size_t n = system->particles.count;
    run->right_side = SL_PUSH(&system->arena, double, 3 * n);
    run->solution = SL_PUSH(&system->arena, double, 3 * n);
    run->diagonal = SL_PUSH(&system->arena, double, n);
    return run->right_side != NULL && run->solution != NULL && run->diagonal != NULL;
}

SlStatus sl_global_system_prepare(SlSystem *system, SlProjectiveRun *run, SlError *error)
{
    SlProjectivePass *pass = &run->pass;
    Operator *operator= SL_PUSH(&system->arena, Operator, 1);
    if (operator== NULL)
        return no_memory(error);
    *operator=(Operator){run, system->context->isa};
    /* The diagonal is the same in every iteration; a local step gives it. */
    sl_projective_local(system, run);
    sl_projective_residual(system, run);
    for (size_t i = 0; i < pass->fluid.particles.count; i++)
        run->diagonal[i] = (double)pass->residual[4 * i + 3];
    run->job = (SlLinearJob){.pool = system->context->pool,
                             .arena = &system->arena,
                             .settings = linear_settings(system),
                             .system = {.rows = pass->fluid.particles.count,
                                        .columns = 3,
                                        .apply = apply_system,
                                        .user = operator,
                                        .diagonal = run->diagonal } };
    if (run->method.solver->needs_matrix) {
        SlStatus status = write_matrix(system, run, error);
        if (status != SL_OK)
            return status;
        run->job.system.matrix = &run->matrix;
    }
    return sl_linear_prepare(run->method.solver, &run->job, error);
}

/* The residual as the right side in double, with 0 as the first guess. */
static void widen(const void *data, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const SlProjectiveRun *run = data;
    for (size_t i = begin; i < end; i++)
        for (size_t a = 0; a < 3; a++) {
            run->right_side[3 * i + a] = (double)run->pass.residual[4 * i + a];
            run->solution[3 * i + a] = 0;
        }
}

/* The solution, G(x) - x, into the residual's place. */
static void narrow(const void *data, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const SlProjectiveRun *run = data;
    for (size_t i = begin; i < end; i++) {
        for (size_t a = 0; a < 3; a++)
            run->pass.residual[4 * i + a] = (float)run->solution[3 * i + a];
        run->pass.residual[4 * i + 3] = 0;
    }
}

SlStatus sl_global_system_solve(SlSystem *system, SlProjectiveRun *run, SlError *error)
{
    SlPool *pool = system->context->pool;
    size_t n = run->pass.fluid.particles.count;
    SlLinearOutcome outcome;
    sl_loop_run(pool, n, SL_REDUCE_CHUNK, widen, run);
    SlStatus status = sl_linear_solve(run->method.solver, &run->job, run->right_side, run->solution,
                                      &outcome, error);
    run->linear_iterations += outcome.iterations;
    if (status == SL_OK)
        sl_loop_run(pool, n, SL_REDUCE_CHUNK, narrow, run);
    return status;
}

uint64_t sl_global_system_bytes(const SlSystem *system, uint64_t count)
{
    SlLinearSettings settings = linear_settings(system);
    const SlLinearSolver *solver = sl_projective_method(system).solver;
    return count * 7 * sizeof(double) + solver->bytes(&settings, count, 3);
}
