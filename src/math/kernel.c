#include "math/kernel.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

double sl_kernel_value(SlKernelKind kind, double r, double support)
{
    double q = r / support, volume = support * support * support;
    if (q >= 1)
        return 0;
    switch (kind) {
    case SL_KERNEL_WENDLAND: return 21 / (2 * pi * volume) * pow(1 - q, 4) * (4 * q + 1);
    case SL_KERNEL_POLY6: return 315 / (64 * pi * volume) * pow(1 - q * q, 3);
    default:
        return 8 / (pi * volume) *
               (q <= 0.5 ? 6 * (q * q * q - q * q) + 1 : 2 * (1 - q) * (1 - q) * (1 - q));
    }
}

double sl_kernel_slope(SlKernelKind kind, double r, double support)
{
    double q = r / support, fifth = pow(support, 5);
    if (q >= 1)
        return 0;
    switch (kind) {
    case SL_KERNEL_WENDLAND: return -20 * 21 / (2 * pi * fifth) * pow(1 - q, 3);
    case SL_KERNEL_POLY6: return q > 0 ? -45 / (pi * fifth) * (1 - q) * (1 - q) / q : 0;
    default:
        return 48 / (pi * fifth) * (q <= 0.5 ? 3 * q - 2 : -(1 - q) * (1 - q) / q);
    }
}

SlLatticeSums sl_lattice_sums(SlKernelKind kind, double support)
{
    SlLatticeSums sums = {0, 0};
    int reach = (int)ceil(support);
    for (int z = -reach; z <= reach; z++)
        for (int y = -reach; y <= reach; y++)
            for (int x = -reach; x <= reach; x++) {
                double r = sqrt((double)(x * x + y * y + z * z));
                sums.density += sl_kernel_value(kind, r, support);
                if (r > 0)
                    sums.gradient_squared += pow(sl_kernel_slope(kind, r, support) * r, 2);
            }
    sums.gradient_squared /= sums.density * sums.density;
    return sums;
}

/* |sum_j grad W_j sin(k·r_j)|², for the multiplier field sin(k·r) is an eigenvector. */
static double eigenvalue_at(SlKernelKind kind, double support, const double k[3])
{
    double sum[3] = {0, 0, 0};
    int reach = (int)ceil(support);
    for (int z = -reach; z <= reach; z++)
        for (int y = -reach; y <= reach; y++)
            for (int x = -reach; x <= reach; x++) {
                double r = sqrt((double)(x * x + y * y + z * z));
                double wave = r > 0 ? sl_kernel_slope(kind, r, support) *
                                          sin(k[0] * x + k[1] * y + k[2] * z)
                                    : 0;
                sum[0] += wave * x;
                sum[1] += wave * y;
                sum[2] += wave * z;
            }
    return sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2];
}

double sl_lattice_max_eigenvalue(SlKernelKind kind, double support)
{
    enum { LENGTHS = 48 };
    static const double directions[3][3] = {
        {1, 0, 0}, {0.70710678, 0.70710678, 0}, {0.57735027, 0.57735027, 0.57735027}};
    SlLatticeSums sums = sl_lattice_sums(kind, support);
    double most = 0;
    for (int n = 0; n < 3; n++)
        for (int m = 1; m <= LENGTHS; m++) {
            double k[3];
            for (int axis = 0; axis < 3; axis++)
                k[axis] = 1.2 * pi * m / LENGTHS * directions[n][axis];
            most = fmax(most, eigenvalue_at(kind, support, k));
        }
    return most / (sums.density * sums.density * sums.gradient_squared);
}

double sl_kernel_value_scale(SlKernelKind kind, double support)
{
    double volume = support * support * support;
    switch (kind) {
    case SL_KERNEL_WENDLAND: return 21 / (2 * pi * volume);
    case SL_KERNEL_POLY6: return 315 / (64 * pi * volume);
    default: return 16 / (pi * volume);
    }
}

double sl_kernel_slope_scale(SlKernelKind kind, double support)
{
    double fifth = pow(support, 5);
    switch (kind) {
    case SL_KERNEL_WENDLAND: return -210 / (pi * fifth);
    case SL_KERNEL_POLY6: return -45 / (pi * fifth);
    default: return -48 / (pi * fifth);
    }
}
