/* Analytic walls: the half-space integrals against quadrature, the gradient against a finite
   difference, and the calibration: a lattice flush with a wall has density 1 there. */
#include "solvers/pbf/pbf.h"
#include "support/dam.h"
#include "world/world.h"

static const char *const kernel_names[SL_KERNEL_COUNT] = {"cubic", "wendland", "poly6"};

/* The particle's density, and its move over its lambda (= gradient of the wall's density), with
   the particle at x in a 4 m box, by the chosen path. */
typedef struct Probe {
    double density, gradient[3];
} Probe;

static Probe probe(SlIsa isa, const char *kernel, SlVec3 x, const SlShape *shape)
{
    DamSetting setting = {.threads = 1, .isa = isa, .kernel = kernel, .constraint = "equality",
                          .nx = 1, .ny = 1, .nz = 1, .no_gravity = true, .domain = {4, 4, 4},
                          .offset = {2, 2, 2}};
    SlWorld *world = dam_create(&setting);
    if (shape != NULL)
        assert_ok(sl_world_add_collider(world, shape, NULL, &test_error));
    assert_ok(sl_system_set_number(world, first_system(world), "relaxation", 1, &test_error));
    assert_ok(sl_system_set_number(world, first_system(world), "max_move", 1, &test_error));
    /* Small moves: none may reach the wall. */
    assert_ok(sl_system_set_number(world, first_system(world), "damping", 20, &test_error));
    assert_ok(sl_system_set_number(world, first_system(world), "tensile", 0, &test_error));
    assert_ok(sl_system_set_number(world, first_system(world), "wall_distance", 0, &test_error));
    assert_ok(sl_system_set_number(world, first_system(world), "wall_jitter", 0, &test_error));
    assert_ok(sl_world_start(world, &test_error));
    SlSystem *system = &world->systems[0]->base;
    const SlPbfKernels *kernels = SL_KERNELS(system->context->isa, sl_pbf_kernels);
    SlKernelKind kind = sl_fluid_kernel(system);
    memcpy(system->particles.data[SL_F_POSITION], &x, sizeof x);
    SlPbfPass pass;
    assert_ok(sl_pbf_prepare(system, 0.01, &pass, &test_error));
    sl_fluid_predict(system, &pass.fluid);
    assert_ok(sl_fluid_sort(system, &pass.fluid, SL_LIST_FROM_PREDICTED, &test_error));
    assert_ok(sl_fluid_list(system, &pass.fluid, SL_LIST_FROM_PREDICTED, &test_error));
    sl_particle_loop(system, SL_KERNELS(system->context->isa, sl_fluid_kernels)->density[kind],
                     &pass.fluid);
    sl_particle_loop(system, kernels->lambda[kind], &pass);
    double lambda = (double)pass.projected[3];
    Probe p = {.density = (double)pass.fluid.particles.density[0]};
    sl_particle_loop(system, kernels->displace[kind], &pass);
    for (int k = 0; k < 3; k++)
        p.gradient[k] = ((double)pass.fluid.particles.predicted[k] - (double)(&x.x)[k]) / lambda;
    sl_world_destroy(world);
    return p;
}

/* Integral of the kernel over the half space beyond distance s, by midpoints. */
static double half_space(SlKernelKind kind, double s, double support)
{
    enum { STEPS = 400 };
    double sum = 0;
    for (int k = 0; k < STEPS; k++) {
        double z = s + (k + 0.5) * (support - s) / STEPS;
        for (int j = 0; j < STEPS; j++) {
            double r = z + (j + 0.5) * (support - z) / STEPS;
            sum += 2 * M_PI * r * sl_kernel_value(kind, r, support) * (support - z) / STEPS *
                   (support - s) / STEPS;
        }
    }
    return sum;
}

static void filled_half_space(void **state)
{
    (void)state;
    SlIsa paths[2] = {SL_ISA_BASE, SL_ISA_AVX2};
    for (int p = 0; p < 2; p++)
        for (int kind = 0; kind < SL_KERNEL_COUNT; kind++) {
            SlKernelKind k = (SlKernelKind)kind;
            double far = probe(paths[p], kernel_names[kind], (SlVec3){2, 2, 2}, NULL).density;
            double near = probe(paths[p], kernel_names[kind], (SlVec3){2, 0.05f, 2}, NULL).density;
            double scale = (near - far) / half_space(k, 0.05, 0.2);
            /* One scale makes all distances right. */
            for (double s = 0.01; s < 0.2; s += 0.021) {
                SlVec3 x = {2, (float)s, 2};
                double wall = probe(paths[p], kernel_names[kind], x, NULL).density - far;
                assert_near(wall, scale * half_space(k, s, 0.2), 2e-5);
            }
            assert_true(scale > 0.7 && scale < 1.1);
        }
}

/* Integral of the kernel over a ball of that radius, s away: over shells of radius q around the
   particle, of which 2 pi q^2 (1 - c) lies in the ball, c = (q^2 + D^2 - R^2) / (2 q D), D = R + s. */
static double ball_integral(SlKernelKind kind, double s, double radius, double support)
{
    enum { STEPS = 4000 };
    double sum = 0, apart = radius + s, width = (support - s) / STEPS;
    for (int k = 0; k < STEPS; k++) {
        double q = s + (k + 0.5) * width;
        double c = (q * q + apart * apart - radius * radius) / (2 * q * apart);
        sum += 2 * M_PI * q * q * (1 - c) * sl_kernel_value(kind, q, support) * width;
    }
    return sum;
}

/* A round wall counts as the ball that it is, to first order in the curvature; a plane has 1.2 times
   its density. */
static void a_ball_counts_as_a_ball(void **state)
{
    (void)state;
    SlShape ball = sl_default_shape(SL_SHAPE_SPHERE);
    ball.center = (SlVec3){2, 2, 2};
    ball.radius = 0.4f;
    for (int kind = 0; kind < SL_KERNEL_COUNT; kind++) {
        SlKernelKind k = (SlKernelKind)kind;
        double far = probe(SL_ISA_AUTO, kernel_names[kind], (SlVec3){2, 1, 2}, NULL).density;
        double plane = probe(SL_ISA_AUTO, kernel_names[kind], (SlVec3){2, 0.05f, 2}, NULL).density;
        double round = probe(SL_ISA_AUTO, kernel_names[kind], (SlVec3){2, 2.45f, 2}, &ball).density;
        double expected = ball_integral(k, 0.05, 0.4, 0.2) / half_space(k, 0.05, 0.2);
        print_message("%s: %.4f of a plane's density, %.4f by quadrature\n", kernel_names[kind],
                      (round - far) / (plane - far), expected);
        assert_near((round - far) / (plane - far), expected, 0.03);
    }
}

static void gradient_is_the_derivative(void **state)
{
    (void)state;
    SlShape ball = sl_default_shape(SL_SHAPE_SPHERE);
    ball.center = (SlVec3){2, 2, 2};
    ball.radius = 1;
    SlVec3 places[4] = {{2, 0.07f, 2}, {3.93f, 0.05f, 2}, {0.06f, 3.9f, 0.11f}, {2.7f, 2.8f, 2.1f}};
    for (int kind = 0; kind < SL_KERNEL_COUNT; kind++)
        for (int n = 0; n < 4; n++) {
            Probe p = probe(SL_ISA_AUTO, kernel_names[kind], places[n], &ball);
            for (int k = 0; k < 3; k++) {
                float e = 2e-3f;
                SlVec3 a = places[n], b = places[n];
                (&a.x)[k] -= e;
                (&b.x)[k] += e;
                double width = (double)(&b.x)[k] - (double)(&a.x)[k];
                double slope = (probe(SL_ISA_AUTO, kernel_names[kind], b, &ball).density -
                                probe(SL_ISA_AUTO, kernel_names[kind], a, &ball).density) /
                               width;
                assert_near(p.gradient[k], slope, 0.03 + 0.01 * fabs(slope));
            }
        }
}

static void flush_lattice_has_density_one(void **state)
{
    (void)state;
    for (int kind = 0; kind < SL_KERNEL_COUNT; kind++) {
        DamSetting setting = {.threads = 2, .kernel = kernel_names[kind], .nx = 12, .ny = 12,
                              .nz = 12, .domain = {2.4f, 2.4f, 1.2f}};
        SlWorld *world = dam_create(&setting);
        assert_ok(sl_world_start(world, &test_error));
        SlFieldView x = sl_system_field(world, first_system(world), "position");
        SlFieldView density = sl_system_field(world, first_system(world), "density_ratio");
        double wall = 0, most = 0;
        for (size_t i = 0; i < x.count; i++) {
            const float *a = (const float *)((const char *)x.data + i * x.stride);
            double here = (double)((const float *)density.data)[i];
            most = fmax(most, here);
            if (a[1] < 0.06f && a[0] > 0.5f && a[0] < 0.7f && a[2] > 0.5f && a[2] < 0.7f)
                wall = here;
        }
        print_message("%s: density %.5f at a wall, %.4f at most (corner)\n", kernel_names[kind],
                      wall, most);
        assert_near(wall, 1, 1e-4);
        assert_less(most, 1.05);
        sl_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(filled_half_space),
        cmocka_unit_test(a_ball_counts_as_a_ball),
        cmocka_unit_test(gradient_is_the_derivative),
        cmocka_unit_test(flush_lattice_has_density_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
