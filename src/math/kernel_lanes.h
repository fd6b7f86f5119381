/* The smoothing kernels for eight pairs at once, without their constant factors:
     W = value_scale * shape_value(q),  grad W = slope_scale * shape_slope(q) * (x_i - x_j).
   Both are 0 for q >= 1, so a list may hold pairs beyond the support, and its padding points at a
   far sentinel. Only for *_kernels.c. */
#ifndef MATH_KERNEL_LANES_H
#define MATH_KERNEL_LANES_H

#include "core/simd.h"
#include "math/kernel.h"

/* q below this is a coincident pair: its direction is lost, its slope must stay finite. */
#define SL_MIN_Q 1e-6f

typedef struct ShapePair {
    F8 value, slope;
} ShapePair;

/* `kind` is a constant at every call, so each loop is compiled for one kernel. */
SL_INLINE ShapePair shape_both(SlKernelKind kind, F8 r2, F8 inverse_support)
{
    F8 r = f8_sqrt(r2);
    ShapePair s;
    if (kind == SL_KERNEL_CUBIC) { /* 2 (1-q)^3 - 8 (1/2-q)^3, each term where positive */
        F8 q = r * inverse_support;
        F8 t = f8_max(f8(1) - q, f8(0)), h = f8_max(f8(0.5f) - q, f8(0));
        F8 t2 = t * t, h2 = h * h;
        s.value = f8_fma(h2 * h, f8(-4), t2 * t);
        s.slope = f8_fma(h2, f8(-4), t2) / f8_max(q, f8(SL_MIN_Q));
        return s;
    }
    if (kind == SL_KERNEL_WENDLAND) { /* t^4 (4 q + 1) with t = 1 - q */
        F8 t = f8_max(f8_fnma(r, inverse_support, f8(1)), f8(0));
        F8 t2 = t * t;
        s.slope = t2 * t;
        s.value = (t2 * t2) * f8_fma(t, f8(-4), f8(5));
        return s;
    }
    F8 q = r * inverse_support;
    F8 t = f8_max(f8(1) - q, f8(0)), u = f8_max(f8(1) - q * q, f8(0));
    s.value = u * u * u;
    s.slope = t * t / f8_max(q, f8(SL_MIN_Q));
    return s;
}

SL_INLINE F8 shape_slope(SlKernelKind kind, F8 r2, F8 inverse_support)
{
    return shape_both(kind, r2, inverse_support).slope;
}

SL_INLINE F8 shape_value(SlKernelKind kind, F8 r2, F8 inverse_support)
{
    return shape_both(kind, r2, inverse_support).value;
}

/* shape_value(0). */
#define SL_SHAPE_SELF(kind) ((kind) == SL_KERNEL_CUBIC ? 0.5f : 1.0f)

#endif
