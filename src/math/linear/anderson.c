/* Anderson acceleration: the least-squares problem for theta, and the linear solver that
   accelerates Jacobi's sweeps with it [Anderson 1965; Peng 2018]. With f = gamma D^-1 (b - A x)
   linear in x the solver is close to GMRES on the scaled system, restricted to the last `history`
   directions. */
#include "math/linear/anderson.h"

#include <math.h>
#include <string.h>

#include "math/linear/linear.h"

/* A residual larger than this times the smallest one so far means divergence. */
static const double max_growth = 1e4;

typedef struct Mix {
    const SlLinearJob *job;
    const double *b;
    double *x, *f;
    double *dx[SL_ANDERSON_MAX], *df[SL_ANDERSON_MAX];
    SlAnderson anderson;
    bool first;
} Mix;

enum { SQUARE, RIGHT, PRODUCTS, ALONG = PRODUCTS + SL_ANDERSON_MAX };
_Static_assert(ALONG + SL_ANDERSON_MAX <= SL_LINEAR_LANES, "partials hold all sums");

/* df = f(x) - (the f before) into the newest slot, then the sums. */
static void measure_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    Mix *m = argument;
    const SlLinearSystem *system = &m->job->system;
    size_t c = system->columns;
    uint32_t used = m->first ? 0 : m->anderson.used;
    double *df = m->df[m->anderson.newest], *partials = sl_linear_partials(m->job, chunk);
    double gamma = m->job->settings.relaxation, square = 0, right = 0;
    system->apply(system, m->x, df, begin, end);
    for (size_t i = begin; i < end; i++)
        for (size_t e = c * i; e < c * (i + 1); e++) {
            double r = m->b[e] - df[e], f = gamma * r / system->diagonal[i];
            square += r * r;
            right += m->b[e] * m->b[e];
            df[e] = f - m->f[e];
            m->f[e] = f;
        }
    partials[SQUARE] = square;
    partials[RIGHT] = right;
    for (uint32_t k = 0; k < used; k++) {
        double product = 0, along = 0;
        for (size_t e = c * begin; e < c * end; e++) {
            product += df[e] * m->df[k][e];
            along += m->df[k][e] * m->f[e];
        }
        partials[PRODUCTS + k] = product;
        partials[ALONG + k] = along;
    }
}

/* x(k+1) = x + f - sum theta (dx + df); dx into slot `next`. */
typedef struct Move {
    Mix *mix;
    uint32_t next;
} Move;

static void move_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Move *move = argument;
    Mix *m = move->mix;
    size_t c = m->job->system.columns;
    uint32_t used = m->first ? 0 : m->anderson.used;
    for (size_t e = c * begin; e < c * end; e++) {
        double step = m->f[e];
        for (uint32_t k = 0; k < used; k++)
            step -= m->anderson.theta[k] * (m->dx[k][e] + m->df[k][e]);
        m->dx[move->next][e] = step;
        m->x[e] += step;
    }
}

static SlStatus prepare(SlLinearJob *job, SlError *error)
{
    Mix *m = SL_PUSH(job->arena, Mix, 1);
    if (m == NULL)
        return sl_linear_no_memory("anderson", job, error);
    *m = (Mix){.job = job};
    m->anderson.history = job->settings.history;
    SL_ASSERT(job->settings.history >= 1 && job->settings.history <= SL_ANDERSON_MAX);
    double **vectors[1 + 2 * SL_ANDERSON_MAX] = {&m->f};
    for (uint32_t k = 0; k < job->settings.history; k++) {
        vectors[1 + 2 * k] = &m->dx[k];
        vectors[2 + 2 * k] = &m->df[k];
    }
    if (!sl_linear_push(job, vectors, 1 + 2 * (size_t)job->settings.history))
        return sl_linear_no_memory("anderson", job, error);
    job->scratch = m;
    return SL_OK;
}

static SlStatus solve(SlLinearJob *job, const double *b, double *x, SlLinearOutcome *outcome,
                      SlError *error)
{
    Mix *m = job->scratch;
    const SlLinearSettings *settings = &job->settings;
    size_t bytes = job->system.rows * job->system.columns * sizeof(double);
    double smallest = INFINITY, products[SL_ANDERSON_MAX], along[SL_ANDERSON_MAX];
    memset(m->f, 0, bytes);
    m->b = b;
    m->x = x;
    m->first = true;
    sl_anderson_begin(&m->anderson);
    for (;;) {
        sl_linear_run(job, measure_chunk, m);
        double norm = sqrt(sl_linear_sum(job, SQUARE)), right = sqrt(sl_linear_sum(job, RIGHT));
        outcome->residual = right > 0 ? norm / right : norm;
        smallest = fmin(norm, smallest);
        if (norm <= settings->tolerance * right)
            return SL_OK;
        if (!isfinite(norm) || norm > max_growth * smallest) {
            memset(x, 0, bytes);
            return sl_error_set(
                error, SL_ERROR_NUMBERS,
                "anderson: diverges: after %u sweeps the residual "
                "is %.3g of the right-hand side: the matrix is singular or indefinite, or "
                "a history of %u is too short for it",
                outcome->iterations, outcome->residual, settings->history);
        }
        if (outcome->iterations >= settings->max_iterations)
            return sl_linear_at_limit("anderson", job, outcome, error);
        if (!m->first) {
            for (uint32_t k = 0; k < m->anderson.used; k++) {
                products[k] = sl_linear_sum(job, PRODUCTS + k);
                along[k] = sl_linear_sum(job, ALONG + k);
            }
            sl_anderson_solve(&m->anderson, products, along);
        }
        /* The new change overwrites the oldest in the pass that reads it, entry by entry. */
        SlAnderson after = m->anderson;
        Move move = {m, sl_anderson_push(&after)};
        sl_linear_run(job, move_chunk, &move);
        m->anderson = after;
        m->first = false;
        outcome->iterations++;
    }
}

static uint64_t bytes(const SlLinearSettings *settings, uint64_t rows, uint32_t columns)
{
    return sl_linear_vector_bytes(rows, columns, 1 + 2 * (uint64_t)settings->history);
}

const SlLinearSolver sl_linear_anderson = {
    .name = "anderson",
    .summary = "Jacobi's method with Anderson acceleration; needs no eigenvalue",
    .citation = "[Anderson 1965]; [Peng 2018]",
    .needs_diagonal = true,
    .prepare = prepare,
    .solve = solve,
    .bytes = bytes,
};

/* A change is rounding if its part orthogonal to newer ones has less than this of its square. */
static const double min_fraction = 1e-10;

void sl_anderson_begin(SlAnderson *a)
{
    a->used = a->newest = 0;
}

uint32_t sl_anderson_push(SlAnderson *a)
{
    a->newest = a->used == 0 ? 0 : (a->newest + 1) % a->history;
    if (a->used < a->history)
        a->used++;
    return a->newest;
}

/* Least squares by Cholesky decomposition, newest change first, so that linearly dependent old
   changes are the ones left out. */
void sl_anderson_solve(SlAnderson *a, const double *products, const double *along)
{
    uint32_t m = a->used, order[SL_ANDERSON_MAX];
    for (uint32_t i = 0; i < m; i++) {
        a->gram[a->newest][i] = a->gram[i][a->newest] = products[i];
        a->along[i] = along[i];
        order[i] = (a->newest + a->history - i) % a->history;
    }
    double l[SL_ANDERSON_MAX][SL_ANDERSON_MAX], y[SL_ANDERSON_MAX];
    memset(l, 0, sizeof l);
    for (uint32_t i = 0; i < m; i++) {
        for (uint32_t j = 0; j <= i; j++) {
            double sum = a->gram[order[i]][order[j]];
            for (uint32_t k = 0; k < j; k++)
                sum -= l[i][k] * l[j][k];
            if (j < i)
                l[i][j] = l[j][j] > 0 ? sum / l[j][j] : 0;
            else
                l[i][i] = sum > min_fraction * a->gram[order[i]][order[i]] ? sqrt(sum) : 0;
        }
        double sum = a->along[order[i]];
        for (uint32_t k = 0; k < i; k++)
            sum -= l[i][k] * y[k];
        y[i] = l[i][i] > 0 ? sum / l[i][i] : 0;
    }
    for (uint32_t i = m; i-- > 0;) {
        double sum = y[i];
        for (uint32_t k = i + 1; k < m; k++)
            sum -= l[k][i] * a->theta[order[k]];
        a->theta[order[i]] = l[i][i] > 0 ? sum / l[i][i] : 0;
    }
}
