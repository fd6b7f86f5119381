/* Smoothing kernels with support radius H = 1 in these formulas, q = r / H (plain, in double).
   The 8-wide ones in the solvers' loops are in math/kernel_lanes.h; tests hold the two together. */
#ifndef MATH_KERNEL_H
#define MATH_KERNEL_H

/* Order of the choices "cubic|wendland|poly6". */
typedef enum SlKernelKind {
    SL_KERNEL_CUBIC,    /* Monaghan's cubic spline, the papers' */
    SL_KERNEL_WENDLAND, /* Wendland C2: no 1/r in its gradient */
    SL_KERNEL_POLY6,    /* poly6 for density, spiky for gradients [Macklin 2013] */
    SL_KERNEL_COUNT
} SlKernelKind;

/* W(r; H) in 1/m³, and (dW/dr)/r in 1/m⁵ (of the spiky kernel for POLY6), so that
   grad W = kernel_slope * (x_i - x_j). */
double sl_kernel_value(SlKernelKind kind, double r, double support);
double sl_kernel_slope(SlKernelKind kind, double r, double support);

/* Sums over the infinite cubic lattice of spacing 1 with that support, V = 1, self included:
   the density, and sum of |grad_k C|² over k (self term is zero by symmetry) with densities
   divided by that lattice density. */
typedef struct SlLatticeSums {
    double density;
    double gradient_squared;
} SlLatticeSums;
SlLatticeSums sl_lattice_sums(SlKernelKind kind, double support);
/* The largest eigenvalue of JJᵀ over its diagonal on that lattice, J the derivatives of the densities
   by the positions: what Jacobi iterations on density constraints must be relaxed by. */
double sl_lattice_max_eigenvalue(SlKernelKind kind, double support);

/* The constant factors that kernel_lanes.h leaves out. */
double sl_kernel_value_scale(SlKernelKind kind, double support);
double sl_kernel_slope_scale(SlKernelKind kind, double support);

#endif
