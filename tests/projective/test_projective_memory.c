/* The memory of pressure of projective fluids (docs/projective-memory.md) against a reference
   implementation in double, from the equations, all pairs: the first shift, the local and the global
   step, the multiplier that acted, and what is remembered. And that a column of water, whose floor
   carried anything from nothing to twice its weight in single steps without memory, is carried evenly. */
#include "projective/projective_worlds.h"

#include "config.h"

static const char *const kernel_names[SL_KERNEL_COUNT] = {"cubic", "wendland", "poly6"};
static const double other_density = 300; /* kg/m³ */
static const double dt = 0.005, relaxation = 0.6, theta = 0.5;

typedef struct Reference {
    SlKernelKind kind;
    double support, volume, epsilon, kappa, divisor;
    double before[PF_COUNT][3], s[PF_COUNT][3], x[PF_COUNT][3], y[PF_COUNT][3]; /* x^n, s, x, eq. 3 */
    double mass[PF_COUNT], pressure[PF_COUNT], total[PF_COUNT], lambda[PF_COUNT];
    double count[PF_COUNT];             /* 1 + n_i, at s */
    bool listed[PF_COUNT][PF_COUNT]; /* neighbours, at s */
    double pull[PF_COUNT][3], shift[PF_COUNT][3];
} Reference;

static Reference reference;

static double distance_of(double (*at)[3], size_t i, size_t j, double u[3])
{
    double r2 = 0;
    for (int a = 0; a < 3; a++) {
        u[a] = at[i][a] - at[j][a];
        r2 += u[a] * u[a];
    }
    return sqrt(r2);
}

/* y = x + theta (x^n - x), and sum_j (lambda_i + lambda_j) grad W(y_i - y_j) / m_i there. */
static void reference_pull(void)
{
    for (size_t i = 0; i < PF_COUNT; i++)
        for (int a = 0; a < 3; a++)
            reference.y[i][a] =
                reference.x[i][a] + theta * (reference.before[i][a] - reference.x[i][a]);
    memset(reference.pull, 0, sizeof reference.pull);
    for (size_t i = 0; i < PF_COUNT; i++)
        for (size_t j = 0; j < PF_COUNT; j++) {
            double u[3], r = distance_of(reference.y, i, j, u);
            if (!reference.listed[i][j] || r >= reference.support)
                continue;
            double slope =
                reference.volume * sl_kernel_slope(reference.kind, r, reference.support);
            for (int a = 0; a < 3; a++)
                reference.pull[i][a] += (reference.lambda[i] + reference.lambda[j]) * slope * u[a] /
                                        reference.mass[i];
        }
}

/* Equation 4 at x. */
static void reference_local(void)
{
    for (size_t i = 0; i < PF_COUNT; i++) {
        double density = reference.volume * sl_kernel_value(reference.kind, 0, reference.support);
        double squares = 0, g[3] = {0, 0, 0};
        for (size_t j = 0; j < PF_COUNT; j++) {
            double u[3], r = distance_of(reference.x, i, j, u);
            if (!reference.listed[i][j] || r >= reference.support)
                continue;
            density += reference.volume * sl_kernel_value(reference.kind, r, reference.support);
            double slope =
                reference.volume * sl_kernel_slope(reference.kind, r, reference.support);
            squares += slope * slope * r * r / reference.mass[j];
            for (int a = 0; a < 3; a++)
                g[a] += slope * u[a];
        }
        squares += (g[0] * g[0] + g[1] * g[1] + g[2] * g[2]) / reference.mass[i];
        double found = -(density - 1) / (squares + reference.epsilon / reference.mass[i]) *
                       reference.count[i];
        reference.lambda[i] =
            fmin(0, found - dt * dt * reference.pressure[i] / reference.kappa);
    }
}

static void take(const SlSystem *system, const SlProjectiveRun *run)
{
    const SlFluidParticles *pass = &run->pass.fluid.particles;
    const float *pressure = system->particles.data[SL_F_PRESSURE];
    reference.kind = sl_fluid_kernel(system);
    reference.support = sl_fluid_support(system);
    reference.volume = 0.05 * 0.05 * 0.05 / sl_lattice_sums(reference.kind, 2).density;
    reference.epsilon = (double)run->pass.density.epsilon;
    reference.kappa = (double)run->pass.density.kappa;
    reference.divisor = 1 + reference.kappa * 4.0 / 3 * acos(-1) * 8;
    assert_int_equal(pass->count, PF_COUNT);
    for (size_t i = 0; i < PF_COUNT; i++) {
        reference.mass[i] = pass->fluid != NULL && pass->fluid[i] == 1 ? other_density / 1000 : 1;
        reference.pressure[i] = (double)pressure[i];
        reference.total[i] = dt * dt * reference.pressure[i];
        reference.lambda[i] = -reference.total[i] / reference.kappa;
        for (size_t a = 0; a < 3; a++) {
            reference.before[i][a] = (double)pass->position[4 * i + a];
            reference.s[i][a] = reference.before[i][a] + dt * (double)pass->velocity[4 * i + a];
            reference.x[i][a] = reference.s[i][a];
        }
    }
}

static double largest(const double *values, size_t count)
{
    double most = 0;
    for (size_t k = 0; k < count; k++)
        most = fmax(most, fabs(values[k]));
    assert_true(most > 0);
    return most;
}

static void shifts_agree(const SlProjectiveRun *run, double tolerance)
{
    double scale = largest(reference.shift[0], (size_t)3 * PF_COUNT);
    for (size_t i = 0; i < PF_COUNT; i++)
        for (size_t a = 0; a < 3; a++)
            assert_near((double)run->pass.shift[4 * i + a], reference.shift[i][a],
                        tolerance * scale);
}

static void first_shift(const SlProjectiveRun *run)
{
    for (size_t i = 0; i < PF_COUNT; i++) {
        double u[3];
        reference.count[i] = 1;
        for (size_t j = 0; j < PF_COUNT; j++) {
            reference.listed[i][j] =
                j != i && distance_of(reference.s, i, j, u) < reference.support;
            reference.count[i] += reference.listed[i][j];
        }
    }
    reference_pull();
    for (size_t i = 0; i < PF_COUNT; i++)
        for (int a = 0; a < 3; a++)
            reference.shift[i][a] = reference.kappa * reference.pull[i][a];
    shifts_agree(run, 1e-4);
}

static void one_iteration(SlWorld *world, SlProjectiveRun *run)
{
    const SlDensityPass *density = &run->pass.density;
    for (size_t i = 0; i < PF_COUNT; i++)
        for (int a = 0; a < 3; a++)
            reference.x[i][a] = reference.s[i][a] + reference.shift[i][a];
    reference_local();
    reference_pull();
    sl_projective_local(pf_system(world), run);
    double scale = largest(reference.lambda, PF_COUNT);
    size_t active = 0;
    for (size_t i = 0; i < PF_COUNT; i++) {
        assert_near((double)run->pass.projected[4 * i + 3], reference.lambda[i], 1e-4 * scale);
        active += reference.lambda[i] < 0;
        double part = relaxation / reference.divisor;
        reference.total[i] += part * (-reference.kappa * reference.lambda[i] - reference.total[i]);
        for (int a = 0; a < 3; a++)
            reference.shift[i][a] +=
                part * (reference.kappa * reference.pull[i][a] - reference.shift[i][a]);
    }
    print_message("%zu multipliers are positive\n", active);
    assert_true(active > PF_COUNT / 20 && active < PF_COUNT); /* and some are cut at 0 */
    assert_ok(sl_projective_global(pf_system(world), run, &test_error));
    shifts_agree(run, 2e-4);
    scale = largest(reference.total, PF_COUNT);
    for (size_t i = 0; i < PF_COUNT; i++)
        assert_near((double)density->total[i], reference.total[i], 1e-4 * scale);
    sl_projective_remember(pf_system(world), run);
    double memory = 0.02 * fmin(1, reference.kappa / 0.15);
    assert_near((double)density->memory, memory, 1e-9);
    for (size_t i = 0; i < PF_COUNT; i++) {
        double expected = reference.pressure[i] +
                          memory * (reference.total[i] / (dt * dt) - reference.pressure[i]);
        assert_near((double)density->pressure[i], fmax(expected, 0), 1e-5 * scale / (dt * dt));
    }
}

static void reference_agrees(void **state)
{
    (void)state;
    for (int isa = SL_ISA_BASE; isa <= (SLEET_HAVE_AVX2_PATH ? SL_ISA_AVX2 : SL_ISA_BASE); isa++)
        for (int way = 0; way < 2 * SL_KERNEL_COUNT; way++) {
            PfWorld w = pf_free_block();
            w.isa = (SlIsa)isa;
            w.no_gravity = false;
            w.velocity = (SlVec3){0.3f, -0.2f, 0.1f};
            w.other_density = way % 2 == 1 ? other_density : 0;
            pf_set(&w, "kernel", 0, kernel_names[way / 2]);
            pf_set(&w, "divisor", 0, "common");
            pf_set(&w, "relaxation", relaxation, NULL);
            pf_set(&w, "memory", 0.02, NULL);
            SlWorld *world = pf_create(&w);
            assert_ok(sl_world_start(world, &test_error));
            pf_disturb(world, 1.2f, 0.995f, 0.01f);
            if (way % 2 == 1)
                pf_mix(world);
            SlParticles *particles = &pf_system(world)->particles;
            const uint32_t *id = particles->data[SL_F_ID];
            for (size_t i = 0; i < particles->count; i++)
                ((float *)particles->data[SL_F_PRESSURE])[i] =
                    5 * sl_random_unit(sl_random(7, id[i], 0).value[0]);
            SlProjectiveRun run;
            pf_begin(world, dt, &run);
            take(pf_system(world), &run);
            first_shift(&run);
            one_iteration(world, &run);
            sl_world_destroy(world);
        }
}

/* --- A column at rest --- */

typedef struct Floor {
    double weight, sum, squares;
    uint32_t steps;
} Floor;

static bool add_floor_force(void *user, SlSystemId system, const SlStepStats *stats)
{
    (void)system;
    Floor *floor = user;
    if (stats->time < 0.5)
        return true;
    double force = -stats->bodies[0].force[1] / floor->weight;
    floor->sum += force;
    floor->squares += force * force;
    floor->steps++;
    return true;
}

static double scatter_of(double memory, double *mean)
{
    enum { BASE = 8, DEPTH = 16 };
    double d = 0.1;
    Floor floor = {.weight = 1000 * d * d * d * BASE * BASE * DEPTH * 9.81};
    PfWorld w = {.threads = 2,
                 .spacing = d,
                 .domain = {(float)(BASE * d), 4, (float)(BASE * d)},
                 .nx = BASE,
                 .ny = DEPTH,
                 .nz = BASE,
                 .on_step = add_floor_force,
                 .user = &floor,
                 .settings = {{"preset", 0, memory > 0 ? "none" : "sommer"},
                              {"packing", 0, "relaxed"},
                              {"memory", memory, NULL},
                              {"forces", 0, "all"},
                              {"steps", 4, NULL}}};
    SlWorld *world = pf_create(&w);
    assert_ok(sl_world_start(world, &test_error));
    pf_advance(world, 60);
    sl_world_destroy(world);
    *mean = floor.sum / floor.steps;
    return sqrt(fmax(floor.squares / floor.steps - *mean * *mean, 0));
}

static void the_floor_is_loaded_evenly(void **state)
{
    (void)state;
    double mean_without, mean_with;
    double without = scatter_of(0, &mean_without), with = scatter_of(0.02, &mean_with);
    print_message("floor force over weight: %.4f, scatter %.3g without memory; %.4f, %.3g with\n",
                  mean_without, without, mean_with, with);
    assert_near(mean_with, 1, 0.01);
    assert_less(with, 0.05);
    assert_less(10 * with, without);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reference_agrees),
        cmocka_unit_test(the_floor_is_loaded_evenly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
