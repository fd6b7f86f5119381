/* What all linear solvers share: the list, checks before a solve, loops and sums over rows, and the
   sparse matrix. */
#include "math/linear/linear.h"

const SlLinearSolver *const sl_linear_solvers[SL_LINEAR_COUNT] = {
#define ENTRY_(constant, name) [SL_LINEAR_##constant] = &sl_linear_##name,
    SL_LINEAR_SOLVERS(ENTRY_)
#undef ENTRY_
};

SlLinearSettings sl_default_linear_settings(void)
{
    return (SlLinearSettings){.tolerance = 1e-6,
                              .max_iterations = 1000,
                              .relaxation = 1,
                              .chebyshev = {.delay = 8, .safeguard = true},
                              .history = 5};
}

static void apply_sparse(const SlLinearSystem *system, const double *x, double *y, size_t begin,
                         size_t end)
{
    sl_sparse_apply(system->matrix, system->columns, x, y, begin, end);
}

SlLinearSystem sl_linear_from_sparse(const SlSparse *matrix, uint32_t columns, double *diagonal)
{
    for (size_t i = 0; i < matrix->rows; i++)
        diagonal[i] = sl_sparse_at(matrix, i, i);
    return (SlLinearSystem){.rows = matrix->rows,
                            .columns = columns,
                            .apply = apply_sparse,
                            .diagonal = diagonal,
                            .matrix = matrix};
}

SlStatus sl_linear_prepare(const SlLinearSolver *solver, SlLinearJob *job, SlError *error)
{
    const SlLinearSystem *system = &job->system;
    SL_ASSERT(system->columns >= 1 && system->columns <= SL_LINEAR_COLUMNS);
    job->factor_bytes = 0;
    if (solver->needs_matrix && system->matrix == NULL)
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "%s: needs the entries of the matrix; only its "
                            "product with a vector is known",
                            solver->name);
    if (solver->needs_diagonal || (job->settings.preconditioner && !solver->needs_matrix)) {
        if (system->diagonal == NULL)
            return sl_error_set(error, SL_ERROR_ARGUMENT, "%s: needs the matrix's diagonal",
                                solver->name);
        for (size_t i = 0; i < system->rows; i++)
            if (!(system->diagonal[i] > 0))
                return sl_error_set(error, SL_ERROR_NUMBERS,
                                    "%s: row %zu: the diagonal is %g; a "
                                    "positive definite matrix has only positive ones",
                                    solver->name, i, system->diagonal[i]);
    }
    job->partials = SL_PUSH(job->arena, double,
                            sl_chunk_count(system->rows, SL_REDUCE_CHUNK) * SL_LINEAR_LANES);
    if (job->partials == NULL)
        return sl_linear_no_memory(solver->name, job, error);
    return solver->prepare(job, error);
}

SlStatus sl_linear_solve(const SlLinearSolver *solver, SlLinearJob *job, const double *b, double *x,
                         SlLinearOutcome *outcome, SlError *error)
{
    *outcome = (SlLinearOutcome){0};
    return job->system.rows == 0 ? SL_OK : solver->solve(job, b, x, outcome, error);
}

void sl_linear_run(const SlLinearJob *job, SlChunkFunction function, void *argument)
{
    sl_parallel_for(job->pool, job->system.rows, SL_REDUCE_CHUNK, function, argument);
}

double sl_linear_sum(const SlLinearJob *job, size_t lane)
{
    return sl_fold_sum(job->partials, sl_chunk_count(job->system.rows, SL_REDUCE_CHUNK),
                       SL_LINEAR_LANES, lane);
}

bool sl_linear_push(SlLinearJob *job, double **vectors[], size_t count)
{
    for (size_t k = 0; k < count; k++) {
        *vectors[k] = SL_PUSH(job->arena, double, job->system.rows * job->system.columns);
        if (*vectors[k] == NULL)
            return false;
    }
    return true;
}

uint64_t sl_linear_vector_bytes(uint64_t rows, uint32_t columns, uint64_t vectors)
{
    return rows * columns * sizeof(double) * vectors +
           (rows / SL_REDUCE_CHUNK + 1) * SL_LINEAR_LANES * sizeof(double);
}

SlStatus sl_linear_no_memory(const char *name, const SlLinearJob *job, SlError *error)
{
    return sl_error_set(error, SL_ERROR_MEMORY, "%s: no memory for a system of %zu rows", name,
                        job->system.rows);
}

SlStatus sl_linear_at_limit(const char *name, const SlLinearJob *job,
                            const SlLinearOutcome *outcome, SlError *error)
{
    if (job->settings.tolerance == 0)
        return SL_OK;
    return sl_error_set(error, SL_ERROR_NUMBERS,
                        "%s: did not converge: after %u iterations the "
                        "residual is %.3g of the right-hand side; the tolerance is %g",
                        name, outcome->iterations, outcome->residual, job->settings.tolerance);
}

void sl_sparse_apply(const SlSparse *matrix, uint32_t columns, const double *x, double *y,
                     size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i++) {
        double *sum = y + columns * i;
        for (uint32_t a = 0; a < columns; a++)
            sum[a] = 0;
        for (uint32_t e = matrix->row_begin[i]; e < matrix->row_begin[i + 1]; e++) {
            const double *at = x + (size_t)columns * matrix->column[e];
            for (uint32_t a = 0; a < columns; a++)
                sum[a] += matrix->value[e] * at[a];
        }
    }
}

double sl_sparse_at(const SlSparse *matrix, size_t i, size_t j)
{
    for (uint32_t e = matrix->row_begin[i]; e < matrix->row_begin[i + 1]; e++)
        if (matrix->column[e] == j)
            return matrix->value[e];
    return 0;
}
