/* The material of eight lanes against the formulas of [Stomakhin 2013] in double, and against a table
   of stresses. */
#pragma GCC diagnostic ignored "-Wpsabi" /* as for *_kernels.c: no vector leaves this file */
#include "snow/snow_reference.h"
#include "solvers/snow/material_lanes.h"
#include "support/test.h"

static double uniform(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / 0x1p24;
}

/* I plus up to `size` in each entry. */
static M3 near_identity(unsigned *seed, double size)
{
    M3 F = m3_identity();
    for (int k = 0; k < 9; k++)
        F.m[k / 3][k % 3] += size * (2 * uniform(seed) - 1);
    return F;
}

static M3 rotation(unsigned *seed)
{
    M3 U, V, F = near_identity(seed, 3);
    double s[3];
    m3_svd(F, &U, s, &V);
    return U;
}

static Material default_material(void)
{
    ReferenceMaterial a = reference_default_material();
    return (Material){f8((float)a.mu), f8((float)a.lambda), f8((float)a.hardening),
                      f8(-(float)a.critical_compression), f8((float)a.critical_stretch)};
}

/* F F^T - I in every lane. */
static Sym strain_of(M3 F)
{
    M3 e = m3_sum(m3_mul(F, m3_transpose(F)), -1, m3_identity());
    return (Sym){f8((float)e.m[0][0]), f8((float)e.m[1][1]), f8((float)e.m[2][2]),
                 f8((float)e.m[1][2]), f8((float)e.m[2][0]), f8((float)e.m[0][1])};
}

static M3 matrix_of(Sym e)
{
    double xx = (double)e.xx[3], yy = (double)e.yy[3], zz = (double)e.zz[3];
    double yz = (double)e.yz[3], zx = (double)e.zx[3], xy = (double)e.xy[3];
    return (M3){{{xx, xy, zx}, {xy, yy, yz}, {zx, yz, zz}}};
}

static double largest_difference(M3 a, M3 b)
{
    double most = 0;
    for (int k = 0; k < 9; k++)
        most = fmax(most, fabs(a.m[k / 3][k % 3] - b.m[k / 3][k % 3]));
    return most;
}

static void stress_is_the_derivative_of_energy(void **state)
{
    (void)state;
    unsigned seed = 1;
    ReferenceMaterial reference = reference_default_material();
    Material material = default_material();
    double worst_double = 0, worst_float = 0;
    for (int round = 0; round < 200; round++) {
        /* the series up to 0.2, and the eigenvectors beyond it */
        M3 F = near_identity(&seed, round % 2 == 0 ? 0.02 : 0.15);
        double JP = 0.9 + 0.2 * uniform(&seed), step = 1e-6;
        M3 P = reference_stress(&reference, F, JP), numeric;
        for (int k = 0; k < 9; k++) {
            M3 up = F, down = F;
            up.m[k / 3][k % 3] += step;
            down.m[k / 3][k % 3] -= step;
            numeric.m[k / 3][k % 3] =
                (reference_energy(&reference, up, JP) - reference_energy(&reference, down, JP)) /
                (2 * step);
        }
        M3 tau = matrix_of(kirchhoff(&material, strain_of(F), f8((float)JP)));
        M3 wanted = m3_mul(P, m3_transpose(F));
        worst_double = fmax(worst_double, largest_difference(P, numeric) / reference.mu);
        worst_float = fmax(worst_float, largest_difference(tau, wanted) / reference.mu);
    }
    print_message("P against differences of psi, per mu: reference %.1e; lanes against reference %.1e\n",
                  worst_double, worst_float);
    assert_less(worst_double, 1e-8);
    assert_less(worst_float, 2e-6);
}

static void stress_rotates_with_the_body(void **state)
{
    (void)state;
    unsigned seed = 2;
    Material material = default_material();
    double worst = 0;
    for (int round = 0; round < 100; round++) {
        M3 F = near_identity(&seed, 0.05), Q = rotation(&seed);
        M3 here = matrix_of(kirchhoff(&material, strain_of(F), f8(1)));
        M3 there = matrix_of(kirchhoff(&material, strain_of(m3_mul(Q, F)), f8(1)));
        M3 turned = m3_mul(Q, m3_mul(here, m3_transpose(Q)));
        worst = fmax(worst, largest_difference(there, turned) / (double)material.mu[0]);
    }
    print_message("rotation: %.1e per mu\n", worst);
    assert_less(worst, 2e-6);
}

static void yield_equals_the_reference(void **state)
{
    (void)state;
    unsigned seed = 3;
    ReferenceMaterial reference = reference_default_material();
    Material material = default_material();
    double worst = 0, worst_plastic = 0;
    for (int round = 0; round < 300; round++) {
        M3 FE = near_identity(&seed, round % 3 == 0 ? 0.004 : 0.1), FP = m3_identity();
        Sym e = strain_of(FE), untouched = e;
        F8 plastic = f8(1);
        yield(&material, 1, &e, &plastic);
        reference_yield(&reference, &FE, &FP);
        M3 wanted = m3_sum(m3_mul(FE, m3_transpose(FE)), -1, m3_identity());
        worst = fmax(worst, largest_difference(matrix_of(e), wanted));
        worst_plastic = fmax(worst_plastic, fabs((double)plastic[5] - m3_det(FP)));
        if (fabs(m3_det(FP) - 1) < 1e-12)
            assert_memory_equal(&e, &untouched, sizeof e);
    }
    print_message("yield: strain %.1e, J_P %.1e\n", worst, worst_plastic);
    assert_less(worst, 1e-6);
    assert_less(worst_plastic, 1e-6);
}

static void strain_follows_the_deformation(void **state)
{
    (void)state;
    unsigned seed = 4;
    double worst = 0;
    for (int round = 0; round < 100; round++) {
        M3 F = near_identity(&seed, 0.03);
        M3 step = near_identity(&seed, 0.01), grow = m3_sum(step, -1, m3_identity());
        Mat L;
        for (int k = 0; k < 9; k++)
            L.m[k / 3][k % 3] = f8((float)grow.m[k / 3][k % 3]);
        M3 after = m3_mul(step, F);
        M3 wanted = m3_sum(m3_mul(after, m3_transpose(after)), -1, m3_identity());
        worst = fmax(worst, largest_difference(matrix_of(strain_after(strain_of(F), &L)), wanted));
    }
    print_message("strain: %.1e\n", worst);
    assert_less(worst, 1e-7);
}

/* Uniaxial compression and tension, F = diag(J, 1, 1), computed by hand from eq. 1 and 2. */
static void the_stress_table(void **state)
{
    (void)state;
    static const double table[][4] = {
        {0.99, 1, -1555.6, -388.9},         {0.975, 1, -3888.9, -972.2},
        {0.95, 0.9744, -5157.8, -1289.4},   {0.90, 0.9231, -9092.0, -2273.0},
        {0.80, 0.8205, -28526, -7131.5},    {0.70, 0.7179, -90921, -22730},
        {1.005, 1, 777.8, 194.4},           {1.0075, 1, 1166.7, 291.7},
        {1.02, 1.0124, 1017.9, 254.5},      {1.05, 1.0422, 734.2, 183.5},
        {1.10, 1.0918, 426.6, 106.7},
    };
    Material material = default_material();
    double worst = 0;
    for (size_t k = 0; k < sizeof table / sizeof table[0]; k++) {
        double J = table[k][0];
        M3 F = m3_diagonal((double[3]){J, 1, 1});
        Sym e = strain_of(F);
        F8 plastic = f8(1);
        yield(&material, 1, &e, &plastic);
        M3 tau = matrix_of(kirchhoff(&material, e, plastic));
        assert_near((double)plastic[0], table[k][1], 6e-5);
        for (int axis = 0; axis < 2; axis++) { /* half a unit of the table's last figure, and floats */
            double wanted = table[k][2 + axis], unit = fabs(wanted) < 1e4 ? 0.1 : 1;
            double off = fabs(tau.m[axis][axis] / J - wanted);
            worst = fmax(worst, off / unit);
            assert_less(off, 0.5 * unit + 2e-6 * fabs(wanted) + 1e-3);
        }
    }
    print_message("stress table: %.2f of its last figure apart\n", worst);
}

static void exponentials(void **state)
{
    (void)state;
    double worst = 0;
    for (double x = -80; x <= 80; x += 0.0137) {
        double value = (double)f8_exp(f8((float)x))[2];
        worst = fmax(worst, fabs(value / exp((double)(float)x) - 1));
    }
    print_message("e^x: relative %.1e\n", worst);
    assert_less(worst, 2e-7);
    assert_true(f8_exp(f8(0))[0] == 1);
    assert_true(f8_exp(f8(-1e4f))[0] > 0 && isfinite(f8_exp(f8(1e4f))[0]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stress_is_the_derivative_of_energy),
        cmocka_unit_test(stress_rotates_with_the_body),
        cmocka_unit_test(yield_equals_the_reference),
        cmocka_unit_test(strain_follows_the_deformation),
        cmocka_unit_test(the_stress_table),
        cmocka_unit_test(exponentials),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
