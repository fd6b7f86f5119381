/* Jacobi's method and Chebyshev's acceleration of it [Saad 2003, section 4.1; Golub 1961;
   Wang 2015, algorithm 1]. One pass an iteration: r = b - A x, then
   x(k+1) = omega (gamma D^-1 r + x(k) - x(k-1)) + x(k-1), which overwrites x(k-1). No inner product
   enters a step; norms serve only the stop test. */
#include <math.h>
#include <string.h>

#include "math/linear/linear.h"

/* A residual larger than this times the smallest one so far means divergence. */
static const double max_growth = 1e4;

typedef struct Sweep {
    const SlLinearJob *job;
    const double *b;
    double *x, *next, *r; /* x(k); x(k-1), and then x(k+1) */
    double omega;
} Sweep;

enum { SQUARE, RIGHT };

static void sweep_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    Sweep *s = argument;
    const SlLinearSystem *system = &s->job->system;
    size_t c = system->columns;
    double gamma = s->job->settings.relaxation, square = 0, right = 0;
    system->apply(system, s->x, s->r, begin, end);
    for (size_t i = begin; i < end; i++)
        for (size_t e = c * i; e < c * (i + 1); e++) {
            double r = s->b[e] - s->r[e], before = s->next[e];
            double step = gamma * r / system->diagonal[i];
            s->next[e] =
                s->omega == 1 ? s->x[e] + step : s->omega * (step + s->x[e] - before) + before;
            square += r * r;
            right += s->b[e] * s->b[e];
        }
    double *partials = sl_linear_partials(s->job, chunk);
    partials[SQUARE] = square;
    partials[RIGHT] = right;
}

static SlStatus prepare(SlLinearJob *job, SlError *error)
{
    Sweep *s = SL_PUSH(job->arena, Sweep, 1);
    if (s == NULL)
        return sl_linear_no_memory("jacobi", job, error);
    *s = (Sweep){.job = job};
    double **vectors[2] = {&s->next, &s->r};
    if (!sl_linear_push(job, vectors, 2))
        return sl_linear_no_memory("jacobi", job, error);
    job->scratch = s;
    return SL_OK;
}

/* A sweep computes the residual of the x that it starts from. With a tolerance the solve returns
   the x whose residual met it; with a fixed number of sweeps, the last x. */
static SlStatus solve(const char *name, SlLinearJob *job, SlChebyshev *chebyshev, const double *b,
                      double *x, SlLinearOutcome *outcome, SlError *error)
{
    Sweep *s = job->scratch;
    const SlLinearSettings *settings = &job->settings;
    size_t bytes = job->system.rows * job->system.columns * sizeof(double);
    double *spare = s->next, smallest = INFINITY, norm = 0, before = 0;
    bool estimate = chebyshev != NULL && chebyshev->rho == 0;
    memcpy(spare, x, bytes);
    s->b = b;
    s->x = x;
    for (;;) {
        s->omega = chebyshev == NULL ? 1 : sl_chebyshev_next(chebyshev, norm);
        sl_linear_run(job, sweep_chunk, s);
        before = norm;
        norm = sqrt(sl_linear_sum(job, SQUARE));
        double right = sqrt(sl_linear_sum(job, RIGHT));
        outcome->residual = right > 0 ? norm / right : norm;
        smallest = fmin(norm, smallest);
        if (norm <= settings->tolerance * right)
            break;
        if (!isfinite(norm) || norm > max_growth * smallest) {
            memset(x, 0, bytes);
            return sl_error_set(
                error, SL_ERROR_NUMBERS,
                "%s: diverges: after %u sweeps the residual is "
                "%.3g of the right-hand side; the matrix must be diagonally dominant or "
                "the relaxation smaller; cg and ldlt need neither",
                name, outcome->iterations, outcome->residual);
        }
        if (estimate && chebyshev->since == chebyshev->delay && before > 0) {
            double rho = norm / before;
            chebyshev->rho = rho < 0.9999 ? rho : 0.9999;
        }
        double *old = s->x;
        s->x = s->next;
        s->next = old;
        outcome->iterations++;
        if (outcome->iterations >= settings->max_iterations)
            break;
    }
    if (s->x != x)
        memcpy(x, s->x, bytes);
    s->next = spare;
    bool converged = outcome->iterations < settings->max_iterations;
    return converged ? SL_OK : sl_linear_at_limit(name, job, outcome, error);
}

static SlStatus solve_jacobi(SlLinearJob *job, const double *b, double *x, SlLinearOutcome *outcome,
                             SlError *error)
{
    return solve("jacobi", job, NULL, b, x, outcome, error);
}

static SlStatus solve_chebyshev(SlLinearJob *job, const double *b, double *x,
                                SlLinearOutcome *outcome, SlError *error)
{
    SlChebyshev chebyshev = job->settings.chebyshev;
    if (chebyshev.rho == 0 && chebyshev.delay < 2)
        chebyshev.delay = 2; /* a ratio needs two norms */
    sl_chebyshev_begin(&chebyshev);
    return solve("chebyshev", job, &chebyshev, b, x, outcome, error);
}

static uint64_t bytes(const SlLinearSettings *settings, uint64_t rows, uint32_t columns)
{
    (void)settings;
    return sl_linear_vector_bytes(rows, columns, 2);
}

const SlLinearSolver sl_linear_jacobi = {
    .name = "jacobi",
    .summary = "Jacobi's method; one sweep solves a diagonal matrix",
    .citation = "[Saad 2003], section 4.1",
    .needs_diagonal = true,
    .prepare = prepare,
    .solve = solve_jacobi,
    .bytes = bytes,
};

const SlLinearSolver sl_linear_chebyshev = {
    .name = "chebyshev",
    .summary = "Jacobi's method accelerated by Chebyshev's semi-iterative method",
    .citation = "[Golub 1961]; [Wang 2015], algorithm 1; [Sommer], eq. 8",
    .needs_diagonal = true,
    .prepare = prepare,
    .solve = solve_chebyshev,
    .bytes = bytes,
};
