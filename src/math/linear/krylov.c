/* Conjugate gradients and conjugate residuals [Hestenes 1952; Saad 2003, algorithms 6.18, 9.1 and
   6.20], three passes an iteration. Symbols: r residual, z preconditioned residual, p direction,
   q = A p. */
#include <math.h>

#include "math/linear/linear.h"

/* A is singular if p'Ap is below this fraction of |p|² times the largest |A p| / |p| seen. */
static const double min_curvature = 1e-14;

typedef struct Krylov {
    const SlLinearJob *job;
    const double *b;
    double *x, *r, *p, *q, *s; /* s = A r, conjugate residuals only */
    double alpha, beta;
    double largest_stretch; /* of |A p| / |p|, so far */
} Krylov;

enum { SQUARE, WEIGHTED, OTHER };

/* An entry of z, in row i. */
static double preconditioned(const Krylov *k, size_t i, double r)
{
    return k->job->settings.preconditioner ? r / k->job->system.diagonal[i] : r;
}

/* r = b - A x; |b|². */
static void begin_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    Krylov *k = argument;
    size_t c = k->job->system.columns;
    double square = 0, weighted = 0, right = 0;
    k->job->system.apply(&k->job->system, k->x, k->r, begin, end);
    for (size_t i = begin; i < end; i++)
        for (size_t e = c * i; e < c * (i + 1); e++) {
            k->r[e] = k->b[e] - k->r[e];
            square += k->r[e] * k->r[e];
            weighted += k->r[e] * preconditioned(k, i, k->r[e]);
            right += k->b[e] * k->b[e];
        }
    double *partials = sl_linear_partials(k->job, chunk);
    partials[SQUARE] = square;
    partials[WEIGHTED] = weighted;
    partials[OTHER] = right;
}

/* p = z + beta p. */
static void direct_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    Krylov *k = argument;
    size_t c = k->job->system.columns;
    for (size_t i = begin; i < end; i++)
        for (size_t e = c * i; e < c * (i + 1); e++) {
            double z = preconditioned(k, i, k->r[e]);
            k->p[e] = k->beta == 0 ? z : z + k->beta * k->p[e];
        }
}

/* product = A v; |v|², v'Av, |Av|². */
static void multiply(const Krylov *k, const double *v, double *product, size_t begin, size_t end,
                     size_t chunk)
{
    size_t c = k->job->system.columns;
    double square = 0, weighted = 0, other = 0;
    k->job->system.apply(&k->job->system, v, product, begin, end);
    for (size_t e = c * begin; e < c * end; e++) {
        square += v[e] * v[e];
        weighted += v[e] * product[e];
        other += product[e] * product[e];
    }
    double *partials = sl_linear_partials(k->job, chunk);
    partials[SQUARE] = square;
    partials[WEIGHTED] = weighted;
    partials[OTHER] = other;
}

/* q = A p. */
static void apply_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    const Krylov *k = argument;
    multiply(k, k->p, k->q, begin, end, chunk);
}

/* s = A r. */
static void residual_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    const Krylov *k = argument;
    multiply(k, k->r, k->s, begin, end, chunk);
}

/* x += alpha p, r -= alpha q; |r|², r'z. */
static void advance_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    Krylov *k = argument;
    size_t c = k->job->system.columns;
    double square = 0, weighted = 0;
    for (size_t i = begin; i < end; i++)
        for (size_t e = c * i; e < c * (i + 1); e++) {
            k->x[e] += k->alpha * k->p[e];
            k->r[e] -= k->alpha * k->q[e];
            square += k->r[e] * k->r[e];
            weighted += k->r[e] * preconditioned(k, i, k->r[e]);
        }
    double *partials = sl_linear_partials(k->job, chunk);
    partials[SQUARE] = square;
    partials[WEIGHTED] = weighted;
}

/* p = r + beta p, q = s + beta q; |q|². */
static void both_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    Krylov *k = argument;
    size_t c = k->job->system.columns;
    double square = 0;
    for (size_t e = c * begin; e < c * end; e++) {
        k->p[e] = k->beta == 0 ? k->r[e] : k->r[e] + k->beta * k->p[e];
        k->q[e] = k->beta == 0 ? k->s[e] : k->s[e] + k->beta * k->q[e];
        square += k->q[e] * k->q[e];
    }
    sl_linear_partials(k->job, chunk)[SQUARE] = square;
}

static double run(Krylov *k, SlChunkFunction function, size_t lane)
{
    sl_linear_run(k->job, function, k);
    return sl_linear_sum(k->job, lane);
}

static SlStatus prepare_vectors(const char *name, SlLinearJob *job, bool residuals, SlError *error)
{
    Krylov *k = SL_PUSH(job->arena, Krylov, 1);
    if (k == NULL)
        return sl_linear_no_memory(name, job, error);
    *k = (Krylov){.job = job};
    double **vectors[4] = {&k->r, &k->p, &k->q, &k->s};
    if (!sl_linear_push(job, vectors, residuals ? 4 : 3))
        return sl_linear_no_memory(name, job, error);
    job->scratch = k;
    return SL_OK;
}

/* Checks v'Av, after a loop that summed |v|², v'Av and |A v|²; `product` names it in messages. */
static SlStatus check_curvature(const char *name, Krylov *k, const char *product,
                                uint32_t iterations, SlError *error)
{
    double curvature = sl_linear_sum(k->job, WEIGHTED), square = sl_linear_sum(k->job, SQUARE);
    k->largest_stretch = fmax(k->largest_stretch, sqrt(sl_linear_sum(k->job, OTHER) / square));
    double bound = k->largest_stretch * square;
    if (curvature > min_curvature * bound && isfinite(curvature))
        return SL_OK;
    return sl_error_set(error, SL_ERROR_NUMBERS,
                        "%s: iteration %u: %s is %.3g of its bound; the matrix is not positive "
                        "definite (singular, indefinite or not finite)",
                        name, iterations + 1, product, curvature / bound);
}

static SlStatus solve_cg(SlLinearJob *job, const double *b, double *x, SlLinearOutcome *outcome,
                         SlError *error)
{
    Krylov *k = job->scratch;
    const SlLinearSettings *settings = &job->settings;
    k->b = b;
    k->x = x;
    double norm = run(k, begin_chunk, SQUARE), rho = sl_linear_sum(job, WEIGHTED);
    double right = sl_linear_sum(job, OTHER), unit = right > 0 ? right : 1;
    double target = settings->tolerance * settings->tolerance * right;
    k->beta = k->largest_stretch = 0;
    outcome->residual = sqrt(norm / unit);
    while (!(norm <= target) && outcome->iterations < settings->max_iterations) {
        sl_linear_run(job, direct_chunk, k);
        double curvature = run(k, apply_chunk, WEIGHTED);
        SlStatus status = check_curvature("cg", k, "p'Ap", outcome->iterations, error);
        if (status != SL_OK)
            return status;
        k->alpha = rho / curvature;
        double before = rho;
        norm = run(k, advance_chunk, SQUARE);
        rho = sl_linear_sum(job, WEIGHTED);
        k->beta = rho / before;
        outcome->iterations++;
        outcome->residual = sqrt(norm / unit);
    }
    return norm <= target ? SL_OK : sl_linear_at_limit("cg", job, outcome, error);
}

static SlStatus solve_cr(SlLinearJob *job, const double *b, double *x, SlLinearOutcome *outcome,
                         SlError *error)
{
    Krylov *k = job->scratch;
    const SlLinearSettings *settings = &job->settings;
    k->b = b;
    k->x = x;
    double norm = run(k, begin_chunk, SQUARE), rho = 0;
    double right = sl_linear_sum(job, OTHER), unit = right > 0 ? right : 1;
    double target = settings->tolerance * settings->tolerance * right;
    k->largest_stretch = 0;
    outcome->residual = sqrt(norm / unit);
    while (!(norm <= target) && outcome->iterations < settings->max_iterations) {
        double before = rho;
        rho = run(k, residual_chunk, WEIGHTED);
        SlStatus status = check_curvature("cr", k, "r'Ar", outcome->iterations, error);
        if (status != SL_OK)
            return status;
        k->beta = outcome->iterations == 0 ? 0 : rho / before;
        k->alpha = rho / run(k, both_chunk, SQUARE);
        norm = run(k, advance_chunk, SQUARE);
        outcome->iterations++;
        outcome->residual = sqrt(norm / unit);
    }
    return norm <= target ? SL_OK : sl_linear_at_limit("cr", job, outcome, error);
}

static SlStatus prepare_cg(SlLinearJob *job, SlError *error)
{
    return prepare_vectors("cg", job, false, error);
}

static SlStatus prepare_cr(SlLinearJob *job, SlError *error)
{
    job->settings.preconditioner = false;
    return prepare_vectors("cr", job, true, error);
}

static uint64_t cg_bytes(const SlLinearSettings *settings, uint64_t rows, uint32_t columns)
{
    (void)settings;
    return sl_linear_vector_bytes(rows, columns, 3);
}

static uint64_t cr_bytes(const SlLinearSettings *settings, uint64_t rows, uint32_t columns)
{
    (void)settings;
    return sl_linear_vector_bytes(rows, columns, 4);
}

const SlLinearSolver sl_linear_cg = {
    .name = "cg",
    .summary = "conjugate gradients, matrix-free, optionally preconditioned by the diagonal",
    .citation = "[Hestenes 1952]; [Saad 2003], algorithm 9.1",
    .prepare = prepare_cg,
    .solve = solve_cg,
    .bytes = cg_bytes,
};

const SlLinearSolver sl_linear_cr = {
    .name = "cr",
    .summary = "conjugate residuals, matrix-free: the residual falls in every iteration",
    .citation = "[Stiefel 1955]; [Saad 2003], algorithm 6.20",
    .prepare = prepare_cr,
    .solve = solve_cr,
    .bytes = cr_bytes,
};
