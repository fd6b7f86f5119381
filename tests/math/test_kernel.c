/* Smoothing kernels: unit integral, slope against a finite difference, lattice sums. */
#include "math/kernel.h"
#include "support/test.h"

static void integral_is_one(void **state)
{
    (void)state;
    for (int kind = 0; kind < SL_KERNEL_COUNT; kind++) {
        double h = 0.3, sum = 0;
        int steps = 20000;
        for (int k = 0; k < steps; k++) {
            double r = (k + 0.5) * h / steps;
            sum += 4 * M_PI * r * r * sl_kernel_value((SlKernelKind)kind, r, h) * h / steps;
        }
        assert_near(sum, 1, 1e-12);
    }
}

static void slope_is_the_derivative(void **state)
{
    (void)state;
    /* poly6 is for densities only; its partner in gradients is the spiky kernel. */
    SlKernelKind kinds[2] = {SL_KERNEL_CUBIC, SL_KERNEL_WENDLAND};
    for (int k = 0; k < 2; k++)
        for (double q = 0.05; q < 1; q += 0.0501) {
            double h = 0.7, r = q * h, e = 1e-6;
            double difference =
                (sl_kernel_value(kinds[k], r + e, h) - sl_kernel_value(kinds[k], r - e, h)) /
                (2 * e);
            assert_near(sl_kernel_slope(kinds[k], r, h) * r, difference,
                        1e-6 * fabs(sl_kernel_value(kinds[k], 0, h) / h));
        }
    /* Spiky: W = 15 / (pi h^6) (h - r)^3. */
    double h = 0.7, r = 0.3, e = 1e-6;
    double spiky = 15 / (M_PI * pow(h, 6)) * (pow(h - r - e, 3) - pow(h - r + e, 3)) / (2 * e);
    assert_near(sl_kernel_slope(SL_KERNEL_POLY6, r, h) * r, spiky, 1e-6 * fabs(spiky));
}

static void zero_from_the_support_on(void **state)
{
    (void)state;
    for (int kind = 0; kind < SL_KERNEL_COUNT; kind++) {
        assert_true(sl_kernel_value((SlKernelKind)kind, 0.5, 0.5) == 0);
        assert_true(sl_kernel_slope((SlKernelKind)kind, 0.51, 0.5) == 0);
    }
}

/* Values known for support 2 spacings: see docs/notes/pbf.md. */
static void lattice_sums_are_known(void **state)
{
    (void)state;
    assert_near(sl_lattice_sums(SL_KERNEL_CUBIC, 2).density, 1.0000, 5e-5);
    assert_near(sl_lattice_sums(SL_KERNEL_POLY6, 2).density, 1.0097, 1e-4);
    assert_near(sl_lattice_sums(SL_KERNEL_WENDLAND, 2).density, 1.0338, 5e-5);
    assert_near(sl_lattice_sums(SL_KERNEL_CUBIC, 2).gradient_squared, 0.42, 0.01);
}

/* Against other waves than those that are searched: those of a periodic lattice of 40 sites. */
static void eigenvalues_bound_the_quotient(void **state)
{
    (void)state;
    enum { SIDE = 40 };
    for (int kind = 0; kind < SL_KERNEL_COUNT; kind++)
        for (double support = 1.5; support <= 4; support += 0.5) {
            double found = sl_lattice_max_eigenvalue((SlKernelKind)kind, support), most = 0;
            SlLatticeSums sums = sl_lattice_sums((SlKernelKind)kind, support);
            for (int wave = 1; wave < SIDE / 2; wave++)
                for (int axes = 1; axes <= 3; axes++) {
                    double k = 2 * M_PI * wave / SIDE, u[3] = {0, 0, 0};
                    int reach = (int)ceil(support);
                    for (int z = -reach; z <= reach; z++)
                        for (int y = -reach; y <= reach; y++)
                            for (int x = -reach; x <= reach; x++) {
                                double r = sqrt((double)(x * x + y * y + z * z));
                                double along = k * (x + (axes > 1 ? y : 0) + (axes > 2 ? z : 0));
                                double slope = r > 0 ? sl_kernel_slope((SlKernelKind)kind, r, support) : 0;
                                u[0] += slope * x * sin(along);
                                u[1] += slope * y * sin(along);
                                u[2] += slope * z * sin(along);
                            }
                    most = fmax(most, (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]) /
                                          (sums.density * sums.density * sums.gradient_squared));
                }
            assert_true(most <= 1.01 * found);
            assert_true(most >= 0.97 * found);
        }
    /* of Wendland's kernel, computed by other means */
    assert_true(fabs(sl_lattice_max_eigenvalue(SL_KERNEL_WENDLAND, 2) - 2.61) < 0.02);
    assert_true(fabs(sl_lattice_max_eigenvalue(SL_KERNEL_WENDLAND, 3) - 6.25) < 0.05);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integral_is_one),
        cmocka_unit_test(slope_is_the_derivative),
        cmocka_unit_test(zero_from_the_support_on),
        cmocka_unit_test(lattice_sums_are_known),
        cmocka_unit_test(eigenvalues_bound_the_quotient),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
