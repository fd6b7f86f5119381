/* Accumulated multipliers against a reference in double, written from docs/pbf-formulation.md; the
   packing and the pressure that water starts with; level of detail with equal levels. */
#include "core/random.h"
#include "math/kernel.h"
#include "solvers/pbf/multipliers.h"
#include "solvers/pbf/pbf.h"
#include "support/dam.h"
#include "world/world.h"

enum { SIDE = 9, COUNT = SIDE * SIDE * SIDE, ITERATIONS = 4 };
static const char *const kernel_names[SL_KERNEL_COUNT] = {"cubic", "wendland", "poly6"};
static const double d = 0.1, dt = 1.0 / 240;

/* --- The reference --- */

typedef struct Reference {
    SlKernelKind kind;
    double x[COUNT][3], v[COUNT][3], memory[COUNT]; /* at the beginning; v with gravity */
    double at[COUNT][3], y[COUNT][3];               /* x*, and where gradients are taken */
    double total[COUNT], previous[COUNT], change[COUNT];
    double volume, squares; /* V over the lattice density; S0 */
    bool listed[COUNT][COUNT]; /* within the support of each other when lists are built */
} Reference;

static double minus(const double *a, const double *b, double *u)
{
    double r2 = 0;
    for (int k = 0; k < 3; k++) {
        u[k] = a[k] - b[k];
        r2 += u[k] * u[k];
    }
    return sqrt(r2);
}

/* Equation 6, with g the magnitude of gravity. */
static void mid_positions(Reference *r, double g)
{
    for (int i = 0; i < COUNT; i++) {
        double s2 = 0;
        for (int k = 0; k < 3; k++)
            s2 += pow(r->at[i][k] - r->x[i][k] - dt * r->v[i][k], 2);
        double s = sqrt(s2), excess = s / fmax(g * dt * dt, 0.001 * d);
        double theta = 0.5 + 0.5 * fmin(fmax((excess - 2) / 4, 0), 1) *
                                 fmin(fmax(2 - 2 * s / (0.05 * d), 0), 1);
        for (int k = 0; k < 3; k++)
            r->y[i][k] = r->at[i][k] + theta * (r->x[i][k] - r->at[i][k]);
    }
}

/* Equation 5, with the repulsion of near pairs. */
static void displace(Reference *r, bool repulsion)
{
    double support = 2 * d, scale = sl_kernel_value_scale(r->kind, support);
    double end = sl_kernel_value(r->kind, 0.75 * d, support) / scale;
    for (int i = 0; i < COUNT; i++)
        for (int j = 0; j < COUNT; j++) {
            double u[3], length = minus(r->y[i], r->y[j], u);
            if (!r->listed[i][j] || length >= support)
                continue;
            double push = r->change[i] + r->change[j];
            if (repulsion)
                push += fmax(sl_kernel_value(r->kind, length, support) / scale - end, 0) / r->squares;
            for (int k = 0; k < 3; k++)
                r->at[i][k] -= push * r->volume * sl_kernel_slope(r->kind, length, support) * u[k];
        }
}

/* Equations 3 and 4. */
static void update(Reference *r, double alpha, double beta)
{
    double support = 2 * d;
    for (int i = 0; i < COUNT; i++) {
        double density = r->volume * sl_kernel_value(r->kind, 0, support), squares = 0, own[3] = {0};
        for (int j = 0; j < COUNT; j++) {
            double u[3], length = minus(r->at[i], r->at[j], u);
            if (!r->listed[i][j] || length >= support)
                continue;
            double slope = r->volume * sl_kernel_slope(r->kind, length, support);
            density += r->volume * sl_kernel_value(r->kind, length, support);
            squares += slope * slope * length * length;
            for (int k = 0; k < 3; k++)
                own[k] += slope * u[k];
        }
        squares += own[0] * own[0] + own[1] * own[1] + own[2] * own[2];
        double error = density - 1;
        error -= fmax(fmin(error, 4e-5), -4e-5);
        double z = fmax(fmin(error, 0.1), -0.1) / (squares + 0.2 * r->squares);
        double next = fmax(r->total[i] + alpha * z + beta * (r->total[i] - r->previous[i]), 0);
        r->change[i] = next - r->total[i];
        r->previous[i] = r->total[i];
        r->total[i] = next;
    }
}

static void reference_step(Reference *r)
{
    /* the worlds have a support of 2; the margin is that of multipliers.c */
    double mu = 1.073 * sl_lattice_max_eigenvalue(r->kind, 2), w0 = cosh(acosh(4) / ITERATIONS);
    for (int i = 0; i < COUNT; i++) {
        for (int k = 0; k < 3; k++)
            r->at[i][k] = r->x[i][k] + dt * r->v[i][k];
        r->change[i] = r->total[i] = r->previous[i] = dt * dt * r->memory[i];
    }
    for (int i = 0; i < COUNT; i++)
        for (int j = 0; j < COUNT; j++) {
            double u[3];
            r->listed[i][j] = i != j && minus(r->at[i], r->at[j], u) < 2 * d;
        }
    mid_positions(r, 9.81);
    displace(r, false);
    for (int k = 0; k < ITERATIONS; k++) {
        /* T_k by its definition, cosh(k acosh(w0)) */
        double w1 = (1 + w0) / mu, ratio = cosh((k + 1) * acosh(w0));
        double alpha = k == 0 ? w1 / w0 : 2 * w1 * cosh(k * acosh(w0)) / ratio;
        double beta = k == 0 ? 0 : cosh((k - 1) * acosh(w0)) / ratio;
        update(r, alpha, beta);
        mid_positions(r, 9.81);
        displace(r, k == 0);
    }
}

/* --- Against the kernels --- */

static SlWorld *disturbed_block(SlIsa isa, const char *kernel)
{
    DamSetting setting = {.threads = 2, .isa = isa, .kernel = kernel, .nx = SIDE, .ny = SIDE, .nz = SIDE,
                          .domain = {6, 6, 6}, .offset = {2, 2, 2}, .defaults = true};
    SlWorld *world = dam_create(&setting);
    assert_ok(sl_system_set_text(world, first_system(world), "packing", "lattice", &test_error));
    assert_ok(sl_world_start(world, &test_error));
    SlParticles *particles = &world->systems[0]->base.particles;
    for (size_t i = 0; i < COUNT; i++) {
        uint32_t id = ((uint32_t *)particles->data[SL_F_ID])[i];
        SlRandom4 r = sl_random(7, id, 0);
        for (size_t k = 0; k < 3; k++) {
            float part = sl_random_unit(r.value[k]) - 0.5f;
            sl_f32x4(particles, SL_F_POSITION)[4 * i + k] += 0.04f * part;
            sl_f32x4(particles, SL_F_VELOCITY)[4 * i + k] = part * part * 4;
        }
        ((float *)particles->data[SL_F_PRESSURE])[i] = 3 * sl_random_unit(r.value[3]);
    }
    return world;
}

static void kernels_equal_reference(void **state)
{
    (void)state;
    static Reference r;
    for (int kind = 0; kind < SL_KERNEL_COUNT; kind++)
        for (int path = 0; path < 2; path++) {
            SlWorld *world = disturbed_block(path == 0 ? SL_ISA_BASE : SL_ISA_AUTO, kernel_names[kind]);
            SlSystem *system = &world->systems[0]->base;
            SlMultiplierSettings settings = {ITERATIONS, 0.2, 1, 0.75, 0.02};
            SlPbfPass pass;
            assert_ok(sl_pbf_prepare(system, dt, &pass, &test_error));
            sl_fluid_predict(system, &pass.fluid);
            assert_ok(sl_fluid_sort(system, &pass.fluid, SL_LIST_FROM_PREDICTED, &test_error));
            assert_ok(sl_fluid_list(system, &pass.fluid, SL_LIST_FROM_PREDICTED, &test_error));
            pass.multipliers.pressure = system->particles.data[SL_F_PRESSURE];
            SlLatticeSums lattice = sl_lattice_sums((SlKernelKind)kind, 2);
            r.kind = (SlKernelKind)kind;
            r.volume = d * d * d / lattice.density;
            r.squares = lattice.gradient_squared / (d * d);
            for (size_t i = 0; i < COUNT; i++) {
                r.memory[i] = (double)pass.multipliers.pressure[i];
                for (size_t k = 0; k < 3; k++) {
                    r.x[i][k] = (double)pass.fluid.particles.position[4 * i + k];
                    r.v[i][k] = (double)pass.fluid.particles.velocity[4 * i + k];
                }
            }
            sl_multipliers_iterate(system, &settings, &pass.multipliers);
            reference_step(&r);
            double worst = 0, worst_total = 0, most = 0;
            for (size_t i = 0; i < COUNT; i++) {
                worst_total = fmax(worst_total, fabs((double)pass.multipliers.total[i] - r.total[i]));
                most = fmax(most, r.total[i]);
                for (size_t k = 0; k < 3; k++)
                    worst = fmax(worst, fabs((double)pass.fluid.particles.shift[4 * i + k] -
                                             (r.at[i][k] - r.x[i][k] - dt * r.v[i][k])));
            }
            print_message("%s, path %d: shift %.2g d, multiplier %.2g of %.2g\n", kernel_names[kind], path,
                          worst / d, worst_total, most);
            assert_less(worst / d, 1e-5);
            assert_less(worst_total / most, 1e-4);
            sl_world_destroy(world);
        }
}

/* --- The start --- */

static void packing_has_one_density(void **state)
{
    (void)state;
    DamSetting setting = {.threads = 2, .nx = 14, .ny = 20, .nz = 14, .domain = {1.4f, 4, 1.4f},
                          .defaults = true};
    SlWorld *world = dam_create(&setting);
    assert_ok(sl_world_start(world, &test_error));
    SlParticles *particles = &world->systems[0]->base.particles;
    const float *density = particles->data[SL_F_DENSITY], *x = particles->data[SL_F_POSITION];
    const float *pressure = particles->data[SL_F_PRESSURE];
    double worst = 0, off = 0, mean = 0, near = 1;
    size_t deep = 0;
    for (size_t i = 0; i < particles->count; i++) {
        if (x[4 * i + 1] > 1.8f) /* above, the surface */
            continue;
        worst = fmax(worst, fabs((double)density[i] - 1));
        double expected = 9.81 * (1.95 - (double)x[4 * i + 1]);
        off += pow((double)pressure[i] - expected, 2);
        mean += ((double)pressure[i] - expected) / (9.81 * 2);
        deep++;
    }
    for (size_t i = 0; i < particles->count; i++)
        for (size_t j = 0; j < i; j++) {
            SlVec3 u = {x[4 * i] - x[4 * j], x[4 * i + 1] - x[4 * j + 1], x[4 * i + 2] - x[4 * j + 2]};
            near = fmin(near, sqrt((double)(u.x * u.x + u.y * u.y + u.z * u.z)) / d);
        }
    print_message("packing: density within %.2g, pressure off by %.3f in the mean, %.3f rms; nearest pair %.3f d\n",
                  worst, mean / (double)deep, sqrt(off / (double)deep) / (9.81 * 2), near);
    assert_less(worst, 1e-4);
    assert_less(fabs(mean) / (double)deep, 0.05);
    assert_less(sqrt(off / (double)deep) / (9.81 * 2), 0.1);
    assert_true(near > 0.7);
    assert_true(near < 0.95); /* not the lattice */
    sl_world_destroy(world);
}

static void falling_water_has_no_pressure(void **state)
{
    (void)state;
    DamSetting setting = {.threads = 2, .nx = 12, .ny = 12, .nz = 12, .domain = {4, 4, 4},
                          .offset = {1.4f, 1.4f, 1.4f}, .defaults = true};
    SlWorld *world = dam_create(&setting);
    assert_ok(sl_world_start(world, &test_error));
    SlParticles *particles = &world->systems[0]->base.particles;
    const float *pressure = particles->data[SL_F_PRESSURE];
    double most = 0;
    for (size_t i = 0; i < particles->count; i++)
        most = fmax(most, (double)pressure[i]);
    assert_less(most, 0.01 * 9.81 * 1.2);
    sl_world_destroy(world);
}

static uint64_t hash_with_levels(bool levels)
{
    DamSetting setting = {.threads = 2, .nx = 10, .ny = 10, .nz = 10, .defaults = true};
    SlWorld *world = dam_create(&setting);
    SlCamera camera = sl_default_camera();
    camera.eye = (SlVec3){5, 3, 5};
    assert_ok(sl_world_set_cameras(world, &camera, 1, &test_error));
    if (levels) {
        assert_ok(sl_system_set_text(world, first_system(world), "lod", "dtc", &test_error));
        assert_ok(sl_system_set_number(world, first_system(world), "lod_min", 4, &test_error));
    }
    dam_advance(world, 5);
    SlFieldView x = sl_system_field(world, first_system(world), "position");
    uint64_t sum = 0;
    for (size_t i = 0; i < x.count; i++) {
        uint32_t bits[3];
        memcpy(bits, (const char *)x.data + i * x.stride, sizeof bits);
        for (int k = 0; k < 3; k++)
            sum = sum * 31 + bits[k];
    }
    sl_world_destroy(world);
    return sum;
}

static void equal_levels_are_plain(void **state)
{
    (void)state;
    assert_true(hash_with_levels(false) == hash_with_levels(true));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_equal_reference),
        cmocka_unit_test(packing_has_one_density),
        cmocka_unit_test(falling_water_has_no_pressure),
        cmocka_unit_test(equal_levels_are_plain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
