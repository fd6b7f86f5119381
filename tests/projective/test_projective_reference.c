/* Local and global step of projective fluids against a twin in double, one fluid and two. */
#include "solvers/projective/parameter_rows.h"
#include "projective/projective_worlds.h"

#include "config.h"

static const char *const kernel_names[SL_KERNEL_COUNT] = {"cubic", "wendland", "poly6"};

/* The twin: double, every pair, straight from the equations. Solids are far away. */
typedef struct Twin {
    SlKernelKind kind;
    double d, support, volume, epsilon, kappa, share,
        common; /* common: 0, or what all are divided by */
    double x[PF_COUNT][3], s[PF_COUNT][3], mass[PF_COUNT];
    double lambda[PF_COUNT], count[PF_COUNT], gradient[PF_COUNT][3];
    double step[PF_COUNT][3];
} Twin;

static Twin twin;

static double reference_pair(size_t i, size_t j, double u[3])
{
    double r2 = 0;
    for (int a = 0; a < 3; a++) {
        u[a] = twin.x[i][a] - twin.x[j][a];
        r2 += u[a] * u[a];
    }
    return sqrt(r2);
}

static void reference_local(void)
{
    for (size_t i = 0; i < PF_COUNT; i++) {
        double density = twin.volume * sl_kernel_value(twin.kind, 0, twin.support), squares = 0;
        double g[3] = {0, 0, 0};
        twin.count[i] = 1;
        for (size_t j = 0; j < PF_COUNT; j++) {
            double u[3], r = reference_pair(i, j, u);
            if (j == i || r >= twin.support)
                continue;
            twin.count[i]++;
            density += twin.volume * sl_kernel_value(twin.kind, r, twin.support);
            double slope = twin.volume * sl_kernel_slope(twin.kind, r, twin.support);
            squares += slope * slope * r * r / twin.mass[j];
            for (int a = 0; a < 3; a++)
                g[a] += slope * u[a];
        }
        squares += (g[0] * g[0] + g[1] * g[1] + g[2] * g[2]) / twin.mass[i];
        memcpy(twin.gradient[i], g, sizeof g);
        twin.lambda[i] = -fmax(density - 1, 0) / (squares + twin.epsilon / twin.mass[i]) *
                         fmax(1, twin.share * twin.count[i]);
    }
}

/* Selector rows, equation 3 with p_k = x_k + lambda g_k / m_k written out; weights of constraints
   are in proportion to mass, which rows are divided by. */
static void reference_global(void)
{
    for (size_t i = 0; i < PF_COUNT; i++) {
        double right[3];
        for (int a = 0; a < 3; a++)
            right[a] =
                twin.s[i][a] +
                twin.kappa * (twin.x[i][a] + twin.lambda[i] * twin.gradient[i][a] / twin.mass[i]);
        for (size_t j = 0; j < PF_COUNT; j++) {
            double u[3], r = reference_pair(i, j, u);
            if (j == i || r >= twin.support)
                continue;
            double slope = twin.volume * sl_kernel_slope(twin.kind, r, twin.support);
            for (int a = 0; a < 3; a++) /* the copy of i that constraint j holds */
                right[a] +=
                    twin.kappa * (twin.x[i][a] + twin.lambda[j] * slope * u[a] / twin.mass[i]);
        }
        double diagonal = 1 + twin.kappa * twin.count[i];
        for (int a = 0; a < 3; a++)
            twin.step[i][a] =
                (right[a] - diagonal * twin.x[i][a]) / (twin.common > 0 ? twin.common : diagonal);
    }
}

static const double other_density = 300; /* kg/m³ */

static void reference_take(const SlSystem *system, const SlProjectiveRun *run)
{
    const SlFluidParticles *pass = &run->pass.fluid.particles;
    twin.kind = sl_fluid_kernel(system);
    twin.d = 0.05;
    twin.support = sl_fluid_support(system);
    twin.volume = twin.d * twin.d * twin.d / sl_lattice_sums(twin.kind, 2).density;
    twin.epsilon = (double)run->pass.epsilon;
    twin.kappa = (double)run->pass.kappa;
    twin.share = (double)run->pass.count_share;
    twin.common = sl_param(system, P_DIVISOR) == SL_DIVISOR_COMMON
                      ? 1 + twin.kappa * 4.0 / 3 * acos(-1) * 8 /* a ball of two spacings */
                      : 0;
    assert_int_equal(pass->count, PF_COUNT);
    for (size_t i = 0; i < PF_COUNT; i++) {
        twin.mass[i] = pass->fluid != NULL && pass->fluid[i] == 1 ? other_density / 1000 : 1;
        for (size_t a = 0; a < 3; a++) {
            twin.x[i][a] = (double)pass->predicted[4 * i + a];
            twin.s[i][a] = (double)pass->position[4 * i + a] +
                           (double)run->pass.fluid.dt * (double)pass->velocity[4 * i + a];
        }
    }
}

/* A squeezed and shaken block after the local step, here and in the twin. */
static SlWorld *both_local(const PfWorld *w, float squeeze, float jitter, SlProjectiveRun *run)
{
    SlWorld *world = pf_create(w);
    assert_ok(sl_world_start(world, &test_error));
    pf_disturb(world, 1.2f, squeeze, jitter);
    if (w->other_density > 0)
        pf_mix(world);
    pf_begin(world, 0.005, run);
    reference_take(pf_system(world), run);
    reference_local();
    sl_projective_local(pf_system(world), run);
    return world;
}

static void reference_agrees(void **state)
{
    (void)state;
    for (int isa = SL_ISA_BASE; isa <= (SLEET_HAVE_AVX2_PATH ? SL_ISA_AVX2 : SL_ISA_BASE); isa++)
        for (int kind = 0; kind < SL_KERNEL_COUNT; kind++)
            for (int way = 0; way < 8; way++) {
                int share = way % 2, mixed = way / 4;
                PfWorld w = pf_free_block();
                pf_set(&w, "divisor", 0, way / 2 % 2 == 0 ? "own" : "common");
                w.other_density = mixed ? other_density : 0;
                w.isa = (SlIsa)isa;
                w.velocity = (SlVec3){0.3f, -0.2f, 0.1f};
                pf_set(&w, "kernel", 0, kernel_names[kind]);
                pf_set(&w, "count_relaxation", share, NULL);
                SlProjectiveRun run;
                SlWorld *world = both_local(&w, 0.97f, 0.002f, &run);
                reference_global();
                const float *projected = run.pass.projected;
                double scale = 0, step = 0;
                for (size_t i = 0; i < PF_COUNT; i++)
                    scale = fmax(scale, fabs(twin.lambda[i]));
                assert_true(scale > 0);
                for (size_t i = 0; i < PF_COUNT; i++) {
                    assert_near((double)projected[4 * i + 3], twin.lambda[i], 2e-5 * scale);
                    assert_true((double)run.pass.counts[i] == twin.count[i]);
                }
                assert_ok(sl_projective_global(pf_system(world), &run, &test_error));
                for (size_t i = 0; i < PF_COUNT; i++)
                    for (size_t a = 0; a < 3; a++)
                        step = fmax(step, fabs(twin.step[i][a]));
                for (size_t i = 0; i < PF_COUNT; i++)
                    for (size_t a = 0; a < 3; a++)
                        assert_near(
                            (double)(run.pass.fluid.particles.predicted[4 * i + a] - projected[4 * i + a]),
                            twin.step[i][a], 2e-5 * step + 3e-7);
                sl_world_destroy(world);
            }
}

/* More Newton steps end where the constraint vanishes, all of its particles moved along its
 * gradients. */
static void reach_the_manifold(bool mixed)
{
    PfWorld w = pf_free_block();
    w.other_density = mixed ? other_density : 0;
    pf_set(&w, "projections", 8, NULL);
    pf_set(&w, "count_relaxation", 0, NULL);
    pf_set(&w, "damping", 1e-6, NULL);
    SlProjectiveRun run;
    SlWorld *world = both_local(&w, 0.96f, 0.004f, &run);
    size_t active = 0;
    double worst = 0, first = 0;
    for (size_t i = 0; i < PF_COUNT; i++) {
        double lambda = (double)run.pass.projected[4 * i + 3];
        if (twin.lambda[i] == 0) {
            assert_true(lambda == 0);
            continue;
        }
        active++;
        for (int which = 0; which < 2; which++) {
            double by = which == 0 ? lambda : twin.lambda[i];
            double density = twin.volume * sl_kernel_value(twin.kind, 0, twin.support);
            for (size_t j = 0; j < PF_COUNT; j++) {
                double u[3], r = reference_pair(i, j, u), after = 0;
                if (j == i || r >= twin.support)
                    continue;
                double slope = twin.volume * sl_kernel_slope(twin.kind, r, twin.support);
                for (int a = 0; a < 3; a++)
                    after += pow(u[a] + by * (twin.gradient[i][a] / twin.mass[i] +
                                              slope * u[a] / twin.mass[j]),
                                 2);
                density += twin.volume * sl_kernel_value(twin.kind, sqrt(after), twin.support);
            }
            if (which == 0)
                worst = fmax(worst, fabs(density - 1));
            else
                first = fmax(first, fabs(density - 1));
        }
    }
    print_message("%zu projections: error %.2g after one step, %.2g after up to eight\n", active,
                  first, worst);
    assert_true(active > PF_COUNT / 4);
    assert_less(worst, 5e-6); /* what a float's density sum can tell */
    assert_less(10 * worst, first);
    sl_world_destroy(world);
}

static void projections_reach_the_manifold(void **state)
{
    (void)state;
    reach_the_manifold(false);
    reach_the_manifold(true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reference_agrees),
        cmocka_unit_test(projections_reach_the_manifold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
