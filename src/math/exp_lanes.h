/* e^x for eight values, the same bits everywhere: 2^n times a polynomial. Relative error below
   2e-7 for |x| <= 87; beyond, as at 87. Only for *_kernels.c. */
#ifndef MATH_EXP_LANES_H
#define MATH_EXP_LANES_H

#include "core/simd.h"

SL_INLINE F8 f8_exp(F8 x)
{
    x = f8_min(f8_max(x, f8(-87)), f8(87));
    /* Adding and taking away 1.5 × 2^23 rounds to a whole number. */
    F8 n = f8_fma(x, f8(1.44269504f), f8(12582912.0f)) - f8(12582912.0f);
    F8 r = f8_fnma(n, f8(0.693359375f), x); /* ln 2 in two parts */
    r = f8_fnma(n, f8(-2.12194440e-4f), r);
    F8 p = f8_fma(r, f8(1.9875691500e-4f), f8(1.3981999507e-3f));
    p = f8_fma(p, r, f8(8.3334519073e-3f));
    p = f8_fma(p, r, f8(4.1665795894e-2f));
    p = f8_fma(p, r, f8(1.6666665459e-1f));
    p = f8_fma(p, r, f8(0.5f));
    p = f8_fma(p, r * r, r) + f8(1);
    return p * (F8)((i8_from_f8(n) + 127) << 23);
}

#endif
