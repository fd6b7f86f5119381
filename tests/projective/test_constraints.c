/* Conformance of every constraint in the list of projective fluids: descriptor, gradient, descent,
   momentum, matrix; and the elastic body that distances make. */
#include "projective/projective_worlds.h"

enum { SAMPLES = 6 };

/* A squeezed and shaken block in which the constraint is in use, after a local step. */
typedef struct Fixture {
    SlWorld *world;
    SlSystem *system;
    SlProjectiveRun run;
    const SlConstraint *constraint;
    SlConstraintKind kind;
    double x[3 * PF_COUNT]; /* the iterate that was projected */
} Fixture;

static PfWorld block_with(const SlConstraint *constraint)
{
    PfWorld w = pf_free_block();
    pf_set(&w, "global_solver", 0, "cg"); /* so that residuals exist */
    pf_set(&w, "global_iterations", 0, NULL);
    for (const SlConstraintSetting *s = constraint->example; s->name != NULL; s++)
        pf_set(&w, s->name, s->number, s->text);
    return w;
}

static void open_fixture(Fixture *f, SlConstraintKind kind, double other_density)
{
    f->kind = kind;
    f->constraint = sl_constraint(SL_ISA_BASE, kind);
    PfWorld w = block_with(f->constraint);
    w.isa = SL_ISA_BASE;
    w.other_density = other_density;
    f->world = pf_create(&w);
    f->system = pf_system(f->world);
    assert_ok(sl_world_start(f->world, &test_error));
    if (other_density > 0)
        pf_mix(f->world);
    pf_disturb(f->world, 1.2f, 0.97f, 0.004f);
    pf_begin(f->world, 0.005, &f->run);
    assert_true((f->run.method.constraints >> kind & 1) != 0);
    sl_projective_local(f->system, &f->run);
    assert_int_equal(f->run.pass.fluid.particles.count, PF_COUNT);
    for (size_t i = 0; i < PF_COUNT; i++)
        for (size_t a = 0; a < 3; a++)
            f->x[3 * i + a] = (double)f->run.pass.projected[4 * i + a];
    /* The constraint's own right side and diagonal. */
    memset(f->run.pass.residual, 0, 4 * PF_COUNT * sizeof(float));
    sl_particle_loop(f->system, f->constraint->right_side[sl_fluid_kernel(f->system)],
                     &f->run.pass);
}

static double mass_of(const Fixture *f, size_t i)
{
    const SlFluidParticles *p = &f->run.pass.fluid.particles;
    return p->fluid != NULL ? 1 / (double)p->inverse_mass_ratio[p->fluid[i]] : 1;
}

static double energy_of(const Fixture *f, const double *x)
{
    return f->constraint->energy(f->system, &f->run.pass, x);
}

static void descriptors_are_complete(void **state)
{
    (void)state;
    const SlTable *table = &sl_projective_solver.table;
    for (int k = 0; k < SL_CONSTRAINT_COUNT; k++) {
        const SlConstraint *c = sl_constraint(SL_ISA_BASE, (SlConstraintKind)k);
        assert_true(c->name[0] != '\0' && c->summary[0] != '\0' && c->citation[0] == '[');
        assert_non_null(c->kappa);
        assert_non_null(c->energy);
        assert_true((c->apply == NULL) == (c->row == NULL));
        assert_true((c->start != NULL) || (c->destroy == NULL));
        for (int kernel = 0; kernel < SL_KERNEL_COUNT; kernel++)
            assert_non_null(c->right_side[kernel]);
        assert_non_null(c->example[0].name);
        for (const SlConstraintSetting *s = c->example; s->name != NULL; s++)
            assert_non_null(sl_table_find(table, s->name));
        for (int other = 0; other < k; other++)
            assert_string_not_equal(c->name, sl_constraint(SL_ISA_BASE, (SlConstraintKind)other)->name);
    }
}

/* m_i times the right side is -dE/dx_i, by central differences. */
static void check_gradient(const Fixture *f, const char *label)
{
    static double x[3 * PF_COUNT];
    double largest = 0, worst = 0, h = 1e-6;
    size_t samples[SAMPLES];
    for (size_t i = 0; i < PF_COUNT; i++)
        for (size_t a = 0; a < 3; a++)
            largest = fmax(largest, mass_of(f, i) * fabs((double)f->run.pass.residual[4 * i + a]));
    assert_true(largest > 0);
    for (size_t n = 0, i = 0; n < SAMPLES; i = (i + 61) % PF_COUNT) /* of those that it acts on */
        if (f->run.pass.residual[4 * i + 3] > 0)
            samples[n++] = i;
    memcpy(x, f->x, sizeof x);
    for (size_t n = 0; n < SAMPLES; n++)
        for (size_t a = 0; a < 3; a++) {
            size_t e = 3 * samples[n] + a;
            x[e] = f->x[e] + h;
            double up = energy_of(f, x);
            x[e] = f->x[e] - h;
            double slope = (up - energy_of(f, x)) / (2 * h);
            x[e] = f->x[e];
            double right = (double)f->run.pass.residual[4 * samples[n] + a];
            worst = fmax(worst, fabs(mass_of(f, samples[n]) * right + slope) / largest);
        }
    print_message("%s, %s: gradient within %.1e of the largest\n", f->constraint->name, label, worst);
    assert_less(worst, 5e-6); /* floats */
}

static void check_descent(const Fixture *f)
{
    static double x[3 * PF_COUNT];
    double before = energy_of(f, f->x);
    for (size_t i = 0; i < PF_COUNT; i++) {
        const float *r = f->run.pass.residual + 4 * i;
        assert_true(r[3] >= 0);
        for (size_t a = 0; a < 3; a++)
            x[3 * i + a] = f->x[3 * i + a] + (r[3] > 0 ? 0.1 * (double)(r[a] / r[3]) : 0);
    }
    assert_true(before > 0);
    assert_less(energy_of(f, x), 0.99 * before);
}

/* The momentum that constraints between particles add sums to zero; that of others does not. */
static void check_momentum(const Fixture *f)
{
    double sum[3] = {0, 0, 0}, all = 0;
    for (size_t i = 0; i < PF_COUNT; i++)
        for (size_t a = 0; a < 3; a++) {
            double impulse = mass_of(f, i) * (double)f->run.pass.residual[4 * i + a];
            sum[a] += impulse;
            all += fabs(impulse);
        }
    double largest = fmax(fabs(sum[0]), fmax(fabs(sum[1]), fabs(sum[2])));
    if (f->constraint->conserves_momentum)
        assert_less(largest, 2e-6 * all);
    else
        assert_less(1e-3 * all, largest);
}

/* Rows are symmetric, and the product with a vector is that of the rows. */
static void check_matrix(const Fixture *f)
{
    static double x[3 * PF_COUNT], y[3 * PF_COUNT];
    static uint32_t column[PF_COUNT], other_column[PF_COUNT];
    static double value[PF_COUNT], other_value[PF_COUNT];
    const SlConstraint *c = f->constraint;
    const SlProjectivePass *pass = &f->run.pass;
    if (c->apply == NULL)
        return;
    for (size_t e = 0; e < 3 * PF_COUNT; e++)
        x[e] = sin((double)e);
    c->apply(pass, x, y, 0, PF_COUNT);
    for (size_t i = 0; i < PF_COUNT; i += 7) {
        size_t count = c->row(pass, i, column, value);
        assert_int_equal(count, c->row(pass, i, NULL, NULL));
        double sum[3] = {0, 0, 0};
        for (size_t k = 0; k < count; k++) {
            for (size_t a = 0; a < 3; a++)
                sum[a] += value[k] * x[3 * (size_t)column[k] + a];
            size_t others = c->row(pass, column[k], other_column, other_value), found = 0;
            for (size_t n = 0; n < others; n++)
                found += other_column[n] == i && other_value[n] == value[k];
            assert_int_equal(found, 1);
        }
        for (size_t a = 0; a < 3; a++)
            assert_near(y[3 * i + a], sum[a], 1e-9 * (double)count);
    }
}

static void constraints_conform(void **state)
{
    (void)state;
    for (int k = 0; k < SL_CONSTRAINT_COUNT; k++) {
        static Fixture f;
        memset(&f, 0, sizeof f);
        open_fixture(&f, (SlConstraintKind)k, 0);
        check_gradient(&f, "one fluid");
        check_descent(&f);
        check_momentum(&f);
        check_matrix(&f);
        sl_world_destroy(f.world);
        if (k == SL_CONSTRAINT_DENSITY_DIFFERENCES)
            continue; /* one fluid only */
        memset(&f, 0, sizeof f);
        open_fixture(&f, (SlConstraintKind)k, 300);
        check_gradient(&f, "two fluids");
        check_momentum(&f);
        sl_world_destroy(f.world);
    }
}

/* A block that falls on the floor from a height of 4 spacings; `stiffness` of its distances. */
static SlWorld *falling_block(double stiffness, uint32_t threads, uint32_t frames)
{
    PfWorld w = {.threads = threads,
                 .spacing = 0.05,
                 .domain = {4, 2, 4},
                 .from = {1.8f, 0.2f, 1.8f},
                 .nx = 6,
                 .ny = 6,
                 .nz = 6,
                 .settings = {{"distance_stiffness", stiffness, NULL},
                              {"distance_reach", 1.8, NULL},
                              {"max_iterations", 30, NULL}}};
    SlWorld *world = pf_create(&w);
    pf_advance(world, frames);
    return world;
}

/* Its largest width along x and z, m. */
static double width_of(SlWorld *world)
{
    const SlParticles *particles = &pf_system(world)->particles;
    const float *x = sl_f32x4(particles, SL_F_POSITION);
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < particles->count; i++)
        for (size_t a = 0; a < 3; a++) {
            low[a] = fmin(low[a], (double)x[4 * i + a]);
            high[a] = fmax(high[a], (double)x[4 * i + a]);
        }
    return fmax(high[0] - low[0], high[2] - low[2]);
}

static void distances_make_an_elastic_body(void **state)
{
    (void)state;
    SlWorld *elastic = falling_block(3e5, 2, 40), *fluid = falling_block(0, 2, 40);
    double width[2] = {width_of(elastic), width_of(fluid)};
    print_message("width after 0.67 s: %.3f m elastic, %.3f m fluid; 0.250 m at the start\n",
                  width[0], width[1]);
    assert_less(width[0], 0.32);
    assert_less(0.6, width[1]);
    sl_world_destroy(elastic);
    sl_world_destroy(fluid);
}

static void distances_do_not_depend_on_threads(void **state)
{
    (void)state;
    SlWorld *one = falling_block(3e5, 1, 25), *three = falling_block(3e5, 3, 25);
    assert_true(sl_world_hash(one) == sl_world_hash(three));
    sl_world_destroy(one);
    sl_world_destroy(three);
}

/* Pairs are not saved: a world that is restored from the state of another finds the same ones. */
static void restored_distances_are_the_same(void **state)
{
    (void)state;
    SlWorld *world = falling_block(3e5, 2, 15), *other = falling_block(3e5, 2, 0);
    const SlStateView *view;
    assert_ok(sl_world_state(world, &view, &test_error));
    assert_ok(sl_world_restore(other, view, &test_error));
    pf_advance(world, 10);
    pf_advance(other, 10);
    assert_true(sl_world_hash(world) == sl_world_hash(other));
    sl_world_destroy(world);
    sl_world_destroy(other);
}

static void too_long_a_reach_is_refused(void **state)
{
    (void)state;
    PfWorld w = pf_free_block();
    pf_set(&w, "distance_stiffness", 1e6, NULL);
    pf_set(&w, "distance_reach", 2.5, NULL);
    SlWorld *world = pf_create(&w);
    assert_int_equal(sl_world_start(world, &test_error), SL_ERROR_ARGUMENT);
    assert_non_null(strstr(test_error.text, "\"distance_reach\" is 2.5 spacings; at most"));
    sl_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(descriptors_are_complete),
        cmocka_unit_test(constraints_conform),
        cmocka_unit_test(distances_make_an_elastic_body),
        cmocka_unit_test(distances_do_not_depend_on_threads),
        cmocka_unit_test(restored_distances_are_the_same),
        cmocka_unit_test(too_long_a_reach_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
