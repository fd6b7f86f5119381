/* Conformance of every linear solver in the list (random systems against LDL', singular and
   indefinite systems, threads), and the schedules of Chebyshev's method and Anderson acceleration. */
#include "math/linear/linear.h"

#include "config.h"
#include "core/random.h"
#include "math/linear/anderson.h"
#include "support/test.h"

enum { MAX_ROWS = 200, MAX_ENTRIES = MAX_ROWS * MAX_ROWS };

typedef struct Random {
    uint64_t seed, counter;
} Random;

static double uniform(Random *random, double low, double high)
{
    return low + (high - low) * (double)sl_random_unit(sl_random(random->seed, random->counter++, 0).value[0]);
}

typedef struct Matrix {
    SlSparse sparse;
    uint32_t row_begin[MAX_ROWS + 1], column[MAX_ENTRIES];
    double value[MAX_ENTRIES], diagonal[MAX_ROWS];
    double dense[MAX_ROWS][MAX_ROWS];
} Matrix;

static void compress(Matrix *m, size_t rows)
{
    uint32_t used = 0;
    for (size_t i = 0; i < rows; i++) {
        m->row_begin[i] = used;
        for (size_t j = 0; j < rows; j++)
            if (m->dense[i][j] != 0 || i == j) {
                m->column[used] = (uint32_t)j;
                m->value[used++] = m->dense[i][j];
            }
    }
    m->row_begin[rows] = used;
    m->sparse = (SlSparse){rows, m->row_begin, m->column, m->value};
}

/* B'B of a sparse random B, plus enough of the diagonal for a condition of about 1e3. */
static void random_definite(Matrix *m, Random *random, size_t rows)
{
    static double b[MAX_ROWS][MAX_ROWS];
    memset(m->dense, 0, sizeof m->dense);
    memset(b, 0, sizeof b);
    for (size_t i = 0; i < rows; i++)
        for (int k = 0; k < 4; k++)
            b[i][(size_t)uniform(random, 0, (double)rows - 0.001)] = uniform(random, -1, 1);
    for (size_t r = 0; r < rows; r++)
        for (size_t i = 0; i < rows; i++)
            for (size_t j = 0; b[r][i] != 0 && j < rows; j++)
                m->dense[i][j] += b[r][i] * b[r][j];
    for (size_t i = 0; i < rows; i++)
        m->dense[i][i] += 0.01;
    compress(m, rows);
}

static void random_dominant(Matrix *m, Random *random, size_t rows)
{
    memset(m->dense, 0, sizeof m->dense);
    for (size_t i = 0; i < rows; i++)
        for (int k = 0; k < 5; k++) {
            size_t j = (size_t)uniform(random, 0, (double)rows - 0.001);
            if (j != i)
                m->dense[i][j] = m->dense[j][i] = uniform(random, -1, 1);
        }
    for (size_t i = 0; i < rows; i++) {
        double sum = 0;
        for (size_t j = 0; j < rows; j++)
            sum += fabs(m->dense[i][j]);
        m->dense[i][i] = sum * uniform(random, 1.02, 1.5) + 0.1;
    }
    compress(m, rows);
}

/* M x = b, with `columns` right sides. */
typedef struct Problem {
    Matrix *m;
    uint32_t columns;
    const double *b;
    double *x;
} Problem;

static SlStatus solve(SlContext *context, const SlLinearSolver *solver, Problem p,
                      const SlLinearSettings *settings, SlLinearOutcome *outcome)
{
    SlLinearJob job = {.pool = context->pool, .arena = &context->arena, .settings = *settings};
    job.system = sl_linear_from_sparse(&p.m->sparse, p.columns, p.m->diagonal);
    sl_arena_reset(&context->arena);
    SlStatus status = sl_linear_prepare(solver, &job, &test_error);
    return status == SL_OK ? sl_linear_solve(solver, &job, p.b, p.x, outcome, &test_error) : status;
}

/* 200 systems of 1 to 200 rows; each solver's residual must meet its tolerance, and its solution that
   of the direct solver within what the matrix's condition number allows. */
static void check_random(bool dominant, const SlLinearKind *kinds, size_t kind_count)
{
    static Matrix m;
    SlContext *context = test_context(2);
    Random random = {dominant ? 11 : 7, 0};
    double b[3 * MAX_ROWS], exact[3 * MAX_ROWS], x[3 * MAX_ROWS];
    SlLinearSettings settings = sl_default_linear_settings();
    settings.tolerance = 1e-9;
    settings.max_iterations = 20000;
    for (int run = 0; run < 200; run++) {
        size_t rows = 1 + (size_t)uniform(&random, 0, MAX_ROWS - 0.001);
        uint32_t columns = 1 + (uint32_t)run % 3;
        if (dominant)
            random_dominant(&m, &random, rows);
        else
            random_definite(&m, &random, rows);
        double right = 0, size = 0;
        for (size_t e = 0; e < rows * columns; e++) {
            b[e] = uniform(&random, -1, 1);
            right += b[e] * b[e];
        }
        SlLinearOutcome outcome;
        const SlLinearSolver *reference = SLEET_HAVE_LDL ? &sl_linear_ldlt : &sl_linear_cg;
        assert_ok(solve(context, reference, (Problem){&m, columns, b, exact}, &settings, &outcome));
        for (size_t e = 0; e < rows * columns; e++)
            size = fmax(size, fabs(exact[e]));
        for (size_t k = 0; k < kind_count; k++) {
            const SlLinearSolver *solver = sl_linear_solvers[kinds[k]];
            settings.preconditioner = run % 2 == 1;
            settings.history = kinds[k] == SL_LINEAR_ANDERSON ? 20 : 5;
            settings.relaxation = kinds[k] == SL_LINEAR_ANDERSON && !dominant ? 0.5 : 1;
            memset(x, 0, sizeof x);
            assert_ok(solve(context, solver, (Problem){&m, columns, b, x}, &settings, &outcome));
            double y[3 * MAX_ROWS], left = 0;
            sl_sparse_apply(&m.sparse, columns, x, y, 0, rows);
            for (size_t e = 0; e < rows * columns; e++)
                left += (y[e] - b[e]) * (y[e] - b[e]);
            assert_less(sqrt(left / right), 2e-9);
            for (size_t e = 0; e < rows * columns; e++)
                assert_near(x[e], exact[e], 1e-6 * size);
        }
    }
    sl_context_destroy(context);
}

static void definite_systems(void **state)
{
    (void)state;
    SlLinearKind kinds[] = {SL_LINEAR_CG, SL_LINEAR_CR, SL_LINEAR_ANDERSON, SL_LINEAR_LDLT};
    check_random(false, kinds, SLEET_HAVE_LDL ? 4 : 3);
}

static void dominant_systems(void **state)
{
    (void)state;
    SlLinearKind kinds[] = {SL_LINEAR_JACOBI, SL_LINEAR_CHEBYSHEV, SL_LINEAR_ANDERSON, SL_LINEAR_CG,
                            SL_LINEAR_CR};
    check_random(true, kinds, 5);
}

/* A solver's error message for a 2 × 2 system contains `word`. */
static void assert_refused(double a, double b, double c, SlLinearKind kind, const char *word)
{
    static Matrix m;
    SlContext *context = test_context(1);
    m.dense[0][0] = a;
    m.dense[0][1] = m.dense[1][0] = b;
    m.dense[1][1] = c;
    compress(&m, 2);
    SlLinearSettings settings = sl_default_linear_settings();
    double right[2] = {1, -0.3}, x[2] = {0, 0};
    SlLinearOutcome outcome;
    SlStatus status = solve(context, sl_linear_solvers[kind], (Problem){&m, 1, right, x}, &settings,
                            &outcome);
    if (status != SL_ERROR_NUMBERS || strstr(test_error.text, word) == NULL)
        fail_msg("%s on [%g %g; %g]: status %d, \"%s\"", sl_linear_solvers[kind]->name, a, b, c, status,
                 test_error.text);
    assert_true(isfinite(x[0]) && isfinite(x[1]));
    sl_context_destroy(context);
}

static void unsolvable_systems_are_refused(void **state)
{
    (void)state;
    SlLinearKind krylov[] = {SL_LINEAR_CG, SL_LINEAR_CR};
    for (int k = 0; k < 2; k++) {
        assert_refused(1, 1, 1, krylov[k], "not positive definite");   /* singular */
        assert_refused(1, 2, 1, krylov[k], "not positive definite");   /* indefinite */
        assert_refused(-1, 0, -1, krylov[k], "not positive definite"); /* negative */
        assert_refused(NAN, 0, 1, krylov[k], "not positive definite");
    }
    if (SLEET_HAVE_LDL) {
        assert_refused(1, 1, 1, SL_LINEAR_LDLT, "singular");
        assert_refused(0, 0, 1, SL_LINEAR_LDLT, "pivot is 0");
        assert_refused(1, 2, 1, SL_LINEAR_LDLT, "not positive definite");
        assert_refused(3, 1, 1.0 / 3, SL_LINEAR_LDLT, "singular");
    }
    SlLinearKind sweeps[] = {SL_LINEAR_JACOBI, SL_LINEAR_CHEBYSHEV};
    for (int k = 0; k < 2; k++) {
        assert_refused(1, 2, 1, sweeps[k], "diverges");
        assert_refused(1, 0, -1, sweeps[k], "row 1: the diagonal is -1");
        assert_refused(1, 0, NAN, sweeps[k], "diagonal");
    }
    assert_refused(1, 1, 1, SL_LINEAR_ANDERSON, "the residual is");
    assert_refused(1, 0, 0, SL_LINEAR_ANDERSON, "diagonal is 0");
}

/* A positive definite matrix on which Jacobi's method diverges; the error says so, and others
   solve it. */
static void divergence_of_jacobi_is_reported(void **state)
{
    (void)state;
    static Matrix m;
    SlContext *context = test_context(2);
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 3; j++)
            m.dense[i][j] = i == j ? 1 : 0.8; /* eigenvalues 0.2, 0.2, 2.6 */
    compress(&m, 3);
    SlLinearSettings settings = sl_default_linear_settings();
    double b[3] = {1, 2, 3}, x[3] = {0};
    SlLinearOutcome outcome;
    Problem problem = {&m, 1, b, x};
    assert_int_equal(solve(context, &sl_linear_jacobi, problem, &settings, &outcome), SL_ERROR_NUMBERS);
    assert_non_null(strstr(test_error.text, "jacobi: diverges: after"));
    memset(x, 0, sizeof x);
    assert_ok(solve(context, &sl_linear_cg, problem, &settings, &outcome));
    assert_near(x[0] + 0.8 * (x[1] + x[2]), 1, 1e-5);
    settings.relaxation = 0.6;
    assert_ok(solve(context, &sl_linear_jacobi, problem, &settings, &outcome));
    assert_near(x[0] + 0.8 * (x[1] + x[2]), 1, 1e-5);
    sl_context_destroy(context);
}

/* Laplacian of a grid plus a little mass, large enough for several chunks. */
typedef struct Grid {
    size_t side;
    double mass;
} Grid;

static void apply_grid(const SlLinearSystem *system, const double *x, double *y, size_t begin, size_t end)
{
    const Grid *g = system->user;
    size_t s = g->side;
    for (size_t i = begin; i < end; i++) {
        double sum = (4 + g->mass) * x[i];
        sum -= i % s > 0 ? x[i - 1] : 0;
        sum -= i % s + 1 < s ? x[i + 1] : 0;
        sum -= i >= s ? x[i - s] : 0;
        sum -= i + s < s * s ? x[i + s] : 0;
        y[i] = sum;
    }
}

enum { SIDE = 64 };

static uint32_t solve_grid(uint32_t threads, const SlLinearSolver *solver, const SlLinearSettings *settings,
                           double *x)
{
    static double diagonal[SIDE * SIDE], b[SIDE * SIDE];
    Grid grid = {SIDE, 0.01};
    SlContext *context = test_context(threads);
    for (size_t i = 0; i < SIDE * SIDE; i++) {
        diagonal[i] = 4 + grid.mass;
        b[i] = sin((double)(i * i % 97));
        x[i] = 0;
    }
    SlLinearJob job = {.pool = context->pool, .arena = &context->arena, .settings = *settings};
    job.system = (SlLinearSystem){.rows = SIDE * SIDE, .columns = 1, .apply = apply_grid, .user = &grid,
                                  .diagonal = diagonal};
    SlLinearOutcome outcome;
    assert_ok(sl_linear_prepare(solver, &job, &test_error));
    assert_ok(sl_linear_solve(solver, &job, b, x, &outcome, &test_error));
    sl_context_destroy(context);
    return outcome.iterations;
}

static void threads_do_not_matter(void **state)
{
    (void)state;
    static double one[SIDE * SIDE], many[SIDE * SIDE];
    SlLinearSettings settings = sl_default_linear_settings();
    settings.max_iterations = 5000;
    for (int k = 0; k < SL_LINEAR_COUNT; k++) {
        if (k == SL_LINEAR_LDLT)
            continue; /* one thread, and this grid has no matrix */
        solve_grid(1, sl_linear_solvers[k], &settings, one);
        for (uint32_t threads = 2; threads <= 5; threads += threads == 3 ? 2 : 1) {
            solve_grid(threads, sl_linear_solvers[k], &settings, many);
            assert_memory_equal(one, many, sizeof one);
        }
    }
}

/* The grid's Jacobi has rho = 4 cos(pi / 65) / 4.01, which predicts the number of iterations;
   both accelerations must need fewer. */
static void accelerations_need_fewer_iterations(void **state)
{
    (void)state;
    static double x[SIDE * SIDE];
    SlLinearSettings settings = sl_default_linear_settings();
    settings.max_iterations = 20000;
    double rho = 4 * cos(M_PI / (SIDE + 1)) / 4.01;
    uint32_t jacobi = solve_grid(2, &sl_linear_jacobi, &settings, x);
    uint32_t automatic = solve_grid(2, &sl_linear_chebyshev, &settings, x);
    settings.chebyshev.rho = rho;
    settings.chebyshev.delay = 0;
    settings.chebyshev.safeguard = false;
    uint32_t known = solve_grid(2, &sl_linear_chebyshev, &settings, x);
    settings.chebyshev.printed = true;
    uint32_t printed = solve_grid(2, &sl_linear_chebyshev, &settings, x);
    uint32_t anderson = solve_grid(2, &sl_linear_anderson, &settings, x);
    uint32_t gradient = solve_grid(2, &sl_linear_cg, &settings, x);
    assert_less(jacobi, log(1e-6) / log(rho) * 1.2);
    assert_less(known, log(2e-6) / log(sl_chebyshev_rate(rho)) * 1.1 + 5);
    assert_less(known * 5, jacobi);
    assert_less(automatic * 2, jacobi);
    assert_less(anderson * 3, jacobi);
    assert_less(gradient, known + 1);
    assert_less(known, printed + 20);
}

static void missing_parts_are_reported(void **state)
{
    (void)state;
    SlContext *context = test_context(1);
    Grid grid = {2, 1};
    SlLinearJob job = {.pool = context->pool, .arena = &context->arena,
                       .settings = sl_default_linear_settings()};
    job.system = (SlLinearSystem){.rows = 4, .columns = 1, .apply = apply_grid, .user = &grid};
    assert_int_equal(sl_linear_prepare(&sl_linear_jacobi, &job, &test_error), SL_ERROR_ARGUMENT);
    assert_non_null(strstr(test_error.text, "jacobi: needs the matrix's diagonal"));
    assert_int_equal(sl_linear_prepare(&sl_linear_ldlt, &job, &test_error), SL_ERROR_ARGUMENT);
    assert_non_null(strstr(test_error.text, "ldlt: needs the entries of the matrix"));
    /* A tolerance that is not reached is an error; without a tolerance there is none. */
    double b[4] = {1, 2, 3, 4}, x[4] = {0};
    SlLinearOutcome outcome;
    job.settings.max_iterations = 1;
    assert_ok(sl_linear_prepare(&sl_linear_cg, &job, &test_error));
    assert_int_equal(sl_linear_solve(&sl_linear_cg, &job, b, x, &outcome, &test_error),
                     SL_ERROR_NUMBERS);
    assert_non_null(strstr(test_error.text, "cg: did not converge: after 1 iterations the residual is"));
    job.settings.tolerance = 0;
    memset(x, 0, sizeof x);
    assert_ok(sl_linear_solve(&sl_linear_cg, &job, b, x, &outcome, &test_error));
    assert_int_equal(outcome.iterations, 1);
    /* No rows, no work. */
    job.system.rows = 0;
    for (int k = 0; k < SL_LINEAR_COUNT; k++)
        if (!sl_linear_solvers[k]->needs_diagonal && !sl_linear_solvers[k]->needs_matrix) {
            assert_ok(sl_linear_prepare(sl_linear_solvers[k], &job, &test_error));
            assert_ok(sl_linear_solve(sl_linear_solvers[k], &job, NULL, NULL, &outcome, &test_error));
        }
    sl_context_destroy(context);
}

/* Omegas for rho 0.925 by [Wang 2015] and by [Sommer eq. 8]; both converge to
   2 / (1 + sqrt(1 - rho²)). */
static void omegas_follow_the_papers(void **state)
{
    (void)state;
    double wang[] = {1, 1.7477, 1.5970, 1.5189, 1.4813, 1.4638};
    double paper[] = {1, 1.2721, 1.3738, 1.4162, 1.4346};
    SlChebyshev c = {.rho = 0.925};
    sl_chebyshev_begin(&c);
    for (int k = 0; k < 6; k++)
        assert_near(sl_chebyshev_next(&c, 0), wang[k], 6e-5);
    c.printed = true;
    sl_chebyshev_begin(&c);
    for (int k = 0; k < 5; k++)
        assert_near(sl_chebyshev_next(&c, 0), paper[k], 6e-5);
    for (int k = 0; k < 100; k++)
        sl_chebyshev_next(&c, 0);
    assert_near(c.omega, 2 / (1 + sqrt(1 - 0.925 * 0.925)), 1e-9);
    /* A delay of 3: three factors of 1, then the first omega. */
    c = (SlChebyshev){.rho = 0.9, .delay = 3, .safeguard = true};
    sl_chebyshev_begin(&c);
    for (int k = 0; k < 3; k++)
        assert_true(sl_chebyshev_next(&c, 1 - 0.1 * k) == 1);
    assert_near(sl_chebyshev_next(&c, 0.6), 2 / (2 - 0.81), 1e-12);
    assert_true(sl_chebyshev_next(&c, 0.5) > 1);
    /* The norm rises: three factors of 1 again. */
    for (int k = 0; k < 3; k++)
        assert_true(sl_chebyshev_next(&c, 0.9 - 0.1 * k) == 1);
    assert_int_equal(c.restarts, 1);
    assert_true(sl_chebyshev_next(&c, 0.5) > 1);
    /* The same after an explicit restart. */
    sl_chebyshev_restart(&c);
    for (int k = 0; k < 3; k++)
        assert_true(sl_chebyshev_next(&c, 0.4) == 1);
    assert_int_equal(c.restarts, 2);
    assert_true(sl_chebyshev_next(&c, 0.4) > 1);
}

/* Theta is the least-squares solution; a change that repeats a newer one gets 0. */
static void theta_is_the_least_squares_solution(void **state)
{
    (void)state;
    double df[3][4] = {{1, 2, 0, 1}, {0, 1, -1, 2}, {2, 4, 0, 2}}, f[4] = {1, -1, 2, 0.5};
    SlAnderson a = {.history = 3};
    sl_anderson_begin(&a);
    for (uint32_t n = 0; n < 3; n++) {
        uint32_t place = sl_anderson_push(&a);
        assert_int_equal(place, n);
        double products[3], along[3];
        for (uint32_t i = 0; i <= n; i++) {
            products[i] = along[i] = 0;
            for (int e = 0; e < 4; e++) {
                products[i] += df[n][e] * df[i][e];
                along[i] += df[i][e] * f[e];
            }
        }
        sl_anderson_solve(&a, products, along);
        for (uint32_t i = 0; i <= n; i++) { /* the remainder is orthogonal to every change */
            double left = 0;
            for (int e = 0; e < 4; e++) {
                double remainder = f[e];
                for (uint32_t j = 0; j <= n; j++)
                    remainder -= a.theta[j] * df[j][e];
                left += remainder * df[i][e];
            }
            assert_near(left, 0, 1e-12);
        }
    }
    assert_true(a.theta[0] == 0); /* older than the change it equals */
    assert_int_equal(sl_anderson_push(&a), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(definite_systems),
        cmocka_unit_test(dominant_systems),
        cmocka_unit_test(unsolvable_systems_are_refused),
        cmocka_unit_test(divergence_of_jacobi_is_reported),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(accelerations_need_fewer_iterations),
        cmocka_unit_test(missing_parts_are_reported),
        cmocka_unit_test(omegas_follow_the_papers),
        cmocka_unit_test(theta_is_the_least_squares_solution),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
