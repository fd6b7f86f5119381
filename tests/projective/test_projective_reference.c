/* Local and global step of projective fluids against a reference implementation in double, with one
   fluid and with two. */
#include "projective/projective_worlds.h"

#include "config.h"

static const char *const kernel_names[SL_KERNEL_COUNT] = {"cubic", "wendland", "poly6"};

/* The reference implementation: double, all pairs, from the equations. Solids are far away. */
typedef struct Reference {
    SlKernelKind kind;
    double d, support, volume, epsilon, kappa, count_fraction;
    double common; /* divisor of all; 0: each its own */
    double x[PF_COUNT][3], s[PF_COUNT][3], mass[PF_COUNT];
    double lambda[PF_COUNT], count[PF_COUNT], gradient[PF_COUNT][3];
    double step[PF_COUNT][3];
} Reference;

static Reference reference;

static double reference_pair(size_t i, size_t j, double u[3])
{
    double r2 = 0;
    for (int a = 0; a < 3; a++) {
        u[a] = reference.x[i][a] - reference.x[j][a];
        r2 += u[a] * u[a];
    }
    return sqrt(r2);
}

static void reference_local(void)
{
    for (size_t i = 0; i < PF_COUNT; i++) {
        double density = reference.volume * sl_kernel_value(reference.kind, 0, reference.support), squares = 0;
        double g[3] = {0, 0, 0};
        reference.count[i] = 1;
        for (size_t j = 0; j < PF_COUNT; j++) {
            double u[3], r = reference_pair(i, j, u);
            if (j == i || r >= reference.support)
                continue;
            reference.count[i]++;
            density += reference.volume * sl_kernel_value(reference.kind, r, reference.support);
            double slope = reference.volume * sl_kernel_slope(reference.kind, r, reference.support);
            squares += slope * slope * r * r / reference.mass[j];
            for (int a = 0; a < 3; a++)
                g[a] += slope * u[a];
        }
        squares += (g[0] * g[0] + g[1] * g[1] + g[2] * g[2]) / reference.mass[i];
        memcpy(reference.gradient[i], g, sizeof g);
        reference.lambda[i] = -fmax(density - 1, 0) / (squares + reference.epsilon / reference.mass[i]) *
                         fmax(1, reference.count_fraction * reference.count[i]);
    }
}

/* Selector rows, equation 3 with p_k = x_k + lambda g_k / m_k written out; weights of constraints
   are proportional to mass, which rows are divided by. */
static void reference_global(void)
{
    for (size_t i = 0; i < PF_COUNT; i++) {
        double right[3];
        for (int a = 0; a < 3; a++)
            right[a] =
                reference.s[i][a] +
                reference.kappa * (reference.x[i][a] + reference.lambda[i] * reference.gradient[i][a] / reference.mass[i]);
        for (size_t j = 0; j < PF_COUNT; j++) {
            double u[3], r = reference_pair(i, j, u);
            if (j == i || r >= reference.support)
                continue;
            double slope = reference.volume * sl_kernel_slope(reference.kind, r, reference.support);
            for (int a = 0; a < 3; a++) /* the projection of i in constraint j */
                right[a] +=
                    reference.kappa * (reference.x[i][a] + reference.lambda[j] * slope * u[a] / reference.mass[i]);
        }
        double diagonal = 1 + reference.kappa * reference.count[i];
        for (int a = 0; a < 3; a++)
            reference.step[i][a] =
                (right[a] - diagonal * reference.x[i][a]) / (reference.common > 0 ? reference.common : diagonal);
    }
}

static const double other_density = 300; /* kg/m³ */

static void reference_take(const SlSystem *system, const SlProjectiveRun *run)
{
    const SlFluidParticles *pass = &run->pass.fluid.particles;
    reference.kind = sl_fluid_kernel(system);
    reference.d = 0.05;
    reference.support = sl_fluid_support(system);
    reference.volume = reference.d * reference.d * reference.d / sl_lattice_sums(reference.kind, 2).density;
    reference.epsilon = (double)run->pass.density.epsilon;
    reference.kappa = (double)run->pass.density.kappa;
    reference.count_fraction = (double)run->pass.density.count_fraction;
    reference.common = sl_param(system, SL_PROJECTIVE_PARAM_DIVISOR) == SL_DIVISOR_COMMON
                      ? 1 + reference.kappa * 4.0 / 3 * acos(-1) * 8 /* a ball of two spacings */
                      : 0;
    assert_int_equal(pass->count, PF_COUNT);
    for (size_t i = 0; i < PF_COUNT; i++) {
        reference.mass[i] = pass->fluid != NULL && pass->fluid[i] == 1 ? other_density / 1000 : 1;
        for (size_t a = 0; a < 3; a++) {
            reference.x[i][a] = (double)pass->predicted[4 * i + a];
            reference.s[i][a] = (double)pass->position[4 * i + a] +
                           (double)run->pass.fluid.dt * (double)pass->velocity[4 * i + a];
        }
    }
}

/* A squeezed and shaken block after the local step of both. */
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
                int counted = way % 2, mixed = way / 4;
                PfWorld w = pf_free_block();
                pf_set(&w, "divisor", 0, way / 2 % 2 == 0 ? "own" : "common");
                w.other_density = mixed ? other_density : 0;
                w.isa = (SlIsa)isa;
                w.velocity = (SlVec3){0.3f, -0.2f, 0.1f};
                pf_set(&w, "kernel", 0, kernel_names[kind]);
                pf_set(&w, "count_relaxation", counted, NULL);
                SlProjectiveRun run;
                SlWorld *world = both_local(&w, 0.97f, 0.002f, &run);
                reference_global();
                const float *projected = run.pass.projected;
                double scale = 0, step = 0;
                for (size_t i = 0; i < PF_COUNT; i++)
                    scale = fmax(scale, fabs(reference.lambda[i]));
                assert_true(scale > 0);
                for (size_t i = 0; i < PF_COUNT; i++) {
                    assert_near((double)projected[4 * i + 3], reference.lambda[i], 2e-5 * scale);
                    assert_true((double)run.pass.density.counts[i] == reference.count[i]);
                }
                assert_ok(sl_projective_global(pf_system(world), &run, &test_error));
                for (size_t i = 0; i < PF_COUNT; i++)
                    for (size_t a = 0; a < 3; a++)
                        step = fmax(step, fabs(reference.step[i][a]));
                for (size_t i = 0; i < PF_COUNT; i++)
                    for (size_t a = 0; a < 3; a++)
                        assert_near(
                            (double)(run.pass.fluid.particles.predicted[4 * i + a] - projected[4 * i + a]),
                            reference.step[i][a], 2e-5 * step + 3e-7);
                sl_world_destroy(world);
            }
}

/* Further Newton steps end where the constraint vanishes, its particles moved along its gradients. */
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
        if (reference.lambda[i] == 0) {
            assert_true(lambda == 0);
            continue;
        }
        active++;
        for (int which = 0; which < 2; which++) {
            double by = which == 0 ? lambda : reference.lambda[i];
            double density = reference.volume * sl_kernel_value(reference.kind, 0, reference.support);
            for (size_t j = 0; j < PF_COUNT; j++) {
                double u[3], r = reference_pair(i, j, u), after = 0;
                if (j == i || r >= reference.support)
                    continue;
                double slope = reference.volume * sl_kernel_slope(reference.kind, r, reference.support);
                for (int a = 0; a < 3; a++)
                    after += pow(u[a] + by * (reference.gradient[i][a] / reference.mass[i] +
                                              slope * u[a] / reference.mass[j]),
                                 2);
                density += reference.volume * sl_kernel_value(reference.kind, sqrt(after), reference.support);
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
    assert_less(worst, 5e-6); /* rounding of a density sum in float */
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
