/* A = P'LDL'P with an approximate minimum degree ordering, by SuiteSparse's AMD and LDL
   [Amestoy 2004; Davis 2005]: the algorithm behind Eigen's SimplicialLDLT, which [Sommer] used.
   The matrix is factored once; each right-hand side then takes two triangular solves, on one
   thread. */
#include "math/linear/linear.h"

#include "config.h"

#if SLEET_HAVE_LDL
#include <limits.h>
#include <math.h>
#include <string.h>

#include <amd.h>
#include <ldl.h>

/* A pivot below this fraction of its diagonal entry is 0 up to rounding. */
static const double min_pivot = 1e-13;

typedef struct Factor {
    int n;
    int *row_begin, *column; /* the matrix's own arrays */
    int *order, *place;      /* P and its inverse */
    int *l_begin, *l_row;
    double *l_value, *d;
    double *right; /* one permuted column */
} Factor;

/* AMD wants the pattern without the diagonal, and destroys it. */
static bool order_rows(SlLinearJob *job, Factor *f)
{
    const SlSparse *a = job->system.matrix;
    size_t n = a->rows, entries = a->row_begin[n], room = entries + entries / 5 + n + 1;
    int *pattern = SL_PUSH(job->arena, int, room), *work = SL_PUSH(job->arena, int, 7 * n);
    if (pattern == NULL || work == NULL)
        return false;
    int *start = work, *length = work + n, *rest = work + 2 * n, used = 0;
    for (size_t i = 0; i < n; i++) {
        start[i] = used;
        for (uint32_t e = a->row_begin[i]; e < a->row_begin[i + 1]; e++)
            if (a->column[e] != i)
                pattern[used++] = (int)a->column[e];
        length[i] = used - start[i];
    }
    double control[AMD_CONTROL], info[AMD_INFO];
    memset(info, 0, sizeof info);
    amd_defaults(control);
    amd_2(f->n, start, pattern, length, (int)room, used, rest, f->place, f->order, rest + n,
          rest + 2 * n, rest + 3 * n, rest + 4 * n, control, info);
    return true;
}

static SlStatus check_pivots(const SlLinearSystem *system, const Factor *f, SlError *error)
{
    for (int k = 0; k < f->n; k++) {
        size_t row = (size_t)f->order[k];
        double own = fabs(sl_sparse_at(system->matrix, row, row));
        if (!(f->d[k] > min_pivot * own) || !isfinite(f->d[k]))
            return sl_error_set(error, SL_ERROR_NUMBERS,
                                "ldlt: row %zu: its pivot is %.3g, for a diagonal "
                                "entry of %.3g; the matrix is not positive definite (singular or "
                                "indefinite)",
                                row, f->d[k], own);
    }
    return SL_OK;
}

static SlStatus prepare(SlLinearJob *job, SlError *error)
{
    const SlSparse *a = job->system.matrix;
    size_t n = a->rows;
    if (n > INT_MAX / 8 || a->row_begin[n] > INT_MAX / 2)
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "ldlt: %zu rows with %u entries; at most %d rows and %d entries", n,
                            a->row_begin[n], INT_MAX / 8, INT_MAX / 2);
    size_t before = job->arena->in_use;
    Factor *f = SL_PUSH(job->arena, Factor, 1);
    int *integers = SL_PUSH(job->arena, int, 7 * n + 1);
    double *doubles = SL_PUSH(job->arena, double, 3 * n);
    if (f == NULL || integers == NULL || doubles == NULL)
        return sl_linear_no_memory("ldlt", job, error);
    int *parent = integers, *counts = integers + n, *flag = integers + 2 * n;
    int *pattern = integers + 3 * n;
    /* SuiteSparse does not write to the matrix; its prototypes only omit the const.
       NOLINTBEGIN(performance-no-int-to-ptr) */
    *f = (Factor){
        .n = (int)n,
        .row_begin = (int *)(void *)(uintptr_t)a->row_begin,
        .column = (int *)(void *)(uintptr_t)a->column, /* NOLINTEND(performance-no-int-to-ptr) */
        .order = integers + 4 * n,
        .place = integers + 5 * n,
        .l_begin = integers + 6 * n,
        .d = doubles,
        .right = doubles + n};
    job->scratch = f;
    if (n == 0)
        return SL_OK;
    if (!order_rows(job, f))
        return sl_linear_no_memory("ldlt", job, error);
    ldl_symbolic(f->n, f->row_begin, f->column, f->l_begin, parent, counts, flag, f->order,
                 f->place);
    if (f->l_begin[n] < 0)
        return sl_error_set(error, SL_ERROR_MEMORY, "ldlt: the factor has more than %d entries",
                            INT_MAX);
    f->l_row = SL_PUSH(job->arena, int, f->l_begin[n]);
    f->l_value = SL_PUSH(job->arena, double, f->l_begin[n]);
    if (f->l_row == NULL || f->l_value == NULL)
        return sl_linear_no_memory("ldlt", job, error);
    double *value = (double *)(uintptr_t)a->value; /* NOLINT(performance-no-int-to-ptr) */
    int done =
        ldl_numeric(f->n, f->row_begin, f->column, value, f->l_begin, parent, counts, f->l_row,
                    f->l_value, f->d, doubles + 2 * n, pattern, flag, f->order, f->place);
    job->factor_bytes = job->arena->in_use - before;
    if (done < f->n)
        return sl_error_set(error, SL_ERROR_NUMBERS,
                            "ldlt: row %d: its pivot is 0; the matrix is singular", f->order[done]);
    return check_pivots(&job->system, f, error);
}

static SlStatus solve(SlLinearJob *job, const double *b, double *x, SlLinearOutcome *outcome,
                      SlError *error)
{
    (void)error;
    Factor *f = job->scratch;
    size_t columns = job->system.columns;
    for (size_t c = 0; c < columns; c++) {
        for (int k = 0; k < f->n; k++)
            f->right[k] = b[columns * (size_t)f->order[k] + c];
        ldl_lsolve(f->n, f->right, f->l_begin, f->l_row, f->l_value);
        ldl_dsolve(f->n, f->right, f->d);
        ldl_ltsolve(f->n, f->right, f->l_begin, f->l_row, f->l_value);
        for (int k = 0; k < f->n; k++)
            x[columns * (size_t)f->order[k] + c] = f->right[k];
    }
    outcome->iterations = 1;
    return SL_OK;
}

#else

static SlStatus prepare(SlLinearJob *job, SlError *error)
{
    (void)job;
    return sl_error_set(error, SL_ERROR_UNSUPPORTED,
                        "ldlt: this build of Sleet lacks SuiteSparse "
                        "(apt-get install libsuitesparse-dev); cg solves the same systems");
}

static SlStatus solve(SlLinearJob *job, const double *b, double *x, SlLinearOutcome *outcome,
                      SlError *error)
{
    (void)b, (void)x, (void)outcome;
    return prepare(job, error);
}

#endif

static uint64_t bytes(const SlLinearSettings *settings, uint64_t rows, uint32_t columns)
{
    (void)settings, (void)columns;
    return sl_linear_vector_bytes(rows, 1, 3) + rows * 14 * sizeof(int);
}

const SlLinearSolver sl_linear_ldlt = {
    .name = "ldlt",
    .summary = "direct: LDL' with an approximate minimum degree ordering (SuiteSparse)",
    .citation = "[Davis 2005]; [Amestoy 2004]",
    .needs_matrix = true,
    .prepare = prepare,
    .solve = solve,
    .bytes = bytes,
};
