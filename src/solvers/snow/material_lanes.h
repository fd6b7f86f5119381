/* The material of [Stomakhin 2013, sections 5 and 7] for eight particles at once; only for
   *_kernels.c.

   Snow is isotropic, so the state is the left strain e = F_E F_E^T - I instead of F_E, and only the
   determinant J_P of F_P. This is the same mathematics without singular vectors, and floats keep
   their digits because nothing is subtracted from 1. Principal stretches are s = sqrt(1 + e). */
#ifndef SOLVERS_SNOW_MATERIAL_LANES_H
#define SOLVERS_SNOW_MATERIAL_LANES_H

#include <stdbool.h>

#include "core/simd.h"
#include "math/exp_lanes.h"

/* A symmetric matrix. */
typedef struct Sym {
    F8 xx, yy, zz, yz, zx, xy;
} Sym;

/* By rows: [row][column]. */
typedef struct Mat {
    F8 m[3][3];
} Mat;

/* Per particle: Lamé's parameters before hardening, and the elastic range. */
typedef struct Material {
    F8 mu, lambda; /* Pa */
    F8 hardening;  /* xi */
    F8 min, max;   /* of s - 1: -theta_c, theta_s */
    bool isochoric; /* plastic flow keeps the volume */
} Material;

/* The factor e^(xi (1 - J_P)) of mu and lambda. */
SL_INLINE F8 hardened(const Material *material, F8 plastic)
{
    return f8_exp(material->hardening * (f8(1) - plastic));
}

/* F' = (I + L) F:  e' = e + B + B^T + B L^T with B = L + L e. */
SL_INLINE Sym strain_after(Sym e, const Mat *L)
{
    Mat B;
    for (int i = 0; i < 3; i++) {
        const F8 *l = L->m[i];
        B.m[i][0] = l[0] + f8_fma(l[0], e.xx, f8_fma(l[1], e.xy, l[2] * e.zx));
        B.m[i][1] = l[1] + f8_fma(l[0], e.xy, f8_fma(l[1], e.yy, l[2] * e.yz));
        B.m[i][2] = l[2] + f8_fma(l[0], e.zx, f8_fma(l[1], e.yz, l[2] * e.zz));
    }
#define ENTRY_(i, j)                                                                               \
    (B.m[i][j] + B.m[j][i] +                                                                       \
     f8_fma(B.m[i][0], L->m[j][0], f8_fma(B.m[i][1], L->m[j][1], B.m[i][2] * L->m[j][2])))
    e.xx += ENTRY_(0, 0);
    e.yy += ENTRY_(1, 1);
    e.zz += ENTRY_(2, 2);
    e.yz += ENTRY_(1, 2);
    e.zx += ENTRY_(2, 0);
    e.xy += ENTRY_(0, 1);
#undef ENTRY_
    return e;
}

/* Gershgorin: all eigenvalues lie in [low, high]. */
SL_INLINE void strain_bounds(Sym e, F8 *low, F8 *high)
{
    F8 yz = f8_abs(e.yz), zx = f8_abs(e.zx), xy = f8_abs(e.xy);
    *low = f8_min(e.xx - (xy + zx), f8_min(e.yy - (xy + yz), e.zz - (zx + yz)));
    *high = f8_max(e.xx + (xy + zx), f8_max(e.yy + (xy + yz), e.zz + (zx + yz)));
}

/* The entries of a symmetric matrix as a Jacobi rotation of indices p and q sees them; r is the
   third index. */
typedef struct Entries {
    F8 *pp, *qq, *pq, *rp, *rq;
} Entries;

/* One Jacobi rotation: makes the entry pq zero. */
SL_INLINE void rotate(Entries e, Mat *U, int p, int q)
{
    F8 d = *e.qq - *e.pp, twice = *e.pq + *e.pq;
    F8 root = f8_sqrt(f8_fma(d, d, twice * twice));
    F8 sign = (F8)(((I8)d & (int32_t)0x80000000) | (I8)f8(1));
    F8 t = sign * twice / (f8_abs(d) + root + f8(1e-30f));
    F8 c = f8(1) / f8_sqrt(f8_fma(t, t, f8(1))), s = t * c;
    *e.pp = f8_fnma(t, *e.pq, *e.pp);
    *e.qq = f8_fma(t, *e.pq, *e.qq);
    *e.pq = f8(0);
    F8 old = *e.rp;
    *e.rp = f8_fnma(s, *e.rq, c * old);
    *e.rq = f8_fma(s, old, c * *e.rq);
    for (int i = 0; i < 3; i++) {
        F8 up = U->m[i][p];
        U->m[i][p] = f8_fnma(s, U->m[i][q], c * up);
        U->m[i][q] = f8_fma(s, up, c * U->m[i][q]);
    }
}

/* Are all off-diagonal entries below the rounding of a strain? */
SL_INLINE bool is_diagonal(const Sym *e, int groups)
{
    F8 largest = f8(0);
    for (int g = 0; g < groups; g++)
        largest =
            f8_max(largest, f8_max(f8_abs(e[g].xy), f8_max(f8_abs(e[g].zx), f8_abs(e[g].yz))));
    return i8_bits(largest > f8(1e-8f)) == 0;
}

/* e = U diag(values) U^T of one or two groups of eight, by cyclic Jacobi rotations; three sweeps
   suffice for floats. The time of a rotation is mostly latency of roots and quotients, so two
   groups are interleaved. */
SL_INLINE void eigen(const Sym *from, int groups, F8 values[][3], Mat *U)
{
    Sym e[2];
    for (int g = 0; g < groups; g++) {
        e[g] = from[g];
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                U[g].m[i][j] = f8(i == j ? 1.0f : 0.0f);
    }
    for (int sweep = 0; sweep < 3; sweep++) {
        if (sweep == 2 && is_diagonal(e, groups))
            break;
        for (int g = 0; g < groups; g++)
            rotate((Entries){&e[g].xx, &e[g].yy, &e[g].xy, &e[g].zx, &e[g].yz}, &U[g], 0, 1);
        for (int g = 0; g < groups; g++)
            rotate((Entries){&e[g].xx, &e[g].zz, &e[g].zx, &e[g].xy, &e[g].yz}, &U[g], 0, 2);
        for (int g = 0; g < groups; g++)
            rotate((Entries){&e[g].yy, &e[g].zz, &e[g].yz, &e[g].xy, &e[g].zx}, &U[g], 1, 2);
    }
    for (int g = 0; g < groups; g++) {
        values[g][0] = e[g].xx;
        values[g][1] = e[g].yy;
        values[g][2] = e[g].zz;
    }
}

/* U diag(d) U^T. */
SL_INLINE Sym from_principal(const Mat *U, const F8 d[3])
{
    Mat s;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            s.m[i][k] = U->m[i][k] * d[k];
#define ENTRY_(i, j)                                                                               \
    f8_fma(s.m[i][0], U->m[j][0], f8_fma(s.m[i][1], U->m[j][1], s.m[i][2] * U->m[j][2]))
    return (Sym){ENTRY_(0, 0), ENTRY_(1, 1), ENTRY_(2, 2),
                 ENTRY_(1, 2), ENTRY_(2, 0), ENTRY_(0, 1)};
#undef ENTRY_
}

/* s - 1 of an eigenvalue of the strain. */
SL_INLINE F8 stretch_less_one(F8 e)
{
    return e / (f8(1) + f8_sqrt(f8_max(f8(1) + e, f8(0))));
}

/* May a lane be outside its elastic range, by the bounds of its eigenvalues? */
SL_INLINE bool may_yield(const Material *material, Sym e)
{
    F8 low, high;
    strain_bounds(e, &low, &high);
    F8 min = material->min * (f8(2) + material->min);
    F8 max = material->max * (f8(2) + material->max);
    return i8_bits((low < min) | (high > max)) != 0;
}

/* The cube root of a number near 1, less 1: two steps of Newton from the tangent. */
SL_INLINE F8 cube_root_less_one(F8 a)
{
    F8 y = f8_max(f8_fma(a - f8(1), f8(1.0f / 3), f8(1)), f8(0.1f));
    for (int k = 0; k < 2; k++)
        y = f8(1.0f / 3) * (y + y + a / (y * y));
    return y - f8(1);
}

/* Clamps a strain given in its principal axes to the elastic range and multiplies J_P by the
   excess; lanes within the range keep their bits. Isochoric: the stretches take up the excess in
   equal parts, so that shape flows and volume stays elastic. */
SL_INLINE void clamp_strain(const Material *material, const F8 values[3], const Mat *U, Sym *e,
                            F8 *plastic)
{
    F8 clamped[3], inside[3], ratio = f8(1);
    I8 any = (I8)f8(0);
    for (int k = 0; k < 3; k++) {
        F8 s = stretch_less_one(values[k]);
        F8 in = f8_max(f8_min(s, material->max), material->min);
        any |= s != in;
        ratio *= (f8(1) + s) / (f8(1) + in);
        inside[k] = in;
    }
    if (i8_bits(any) == 0)
        return;
    F8 grow = material->isochoric ? cube_root_less_one(ratio) : f8(0);
    for (int k = 0; k < 3; k++) {
        F8 in = f8_fma(grow, f8(1) + inside[k], inside[k]);
        clamped[k] = in * (f8(2) + in);
    }
    if (material->isochoric)
        ratio = f8(1);
    Sym elastic = from_principal(U, clamped);
    *plastic = f8_select(any, *plastic * ratio, *plastic);
    e->xx = f8_select(any, elastic.xx, e->xx);
    e->yy = f8_select(any, elastic.yy, e->yy);
    e->zz = f8_select(any, elastic.zz, e->zz);
    e->yz = f8_select(any, elastic.yz, e->yz);
    e->zx = f8_select(any, elastic.zx, e->zx);
    e->xy = f8_select(any, elastic.xy, e->xy);
}

/* [Stomakhin 2013, section 7]: stretches outside the elastic range move from F_E to F_P, of one or
   two groups of eight. */
SL_INLINE void yield(const Material *material, int groups, Sym *e, F8 *plastic)
{
    bool any = false;
    for (int g = 0; g < groups; g++)
        any |= may_yield(&material[g], e[g]);
    if (!any)
        return;
    F8 values[2][3];
    Mat U[2];
    eigen(e, groups, values, U);
    for (int g = 0; g < groups; g++)
        clamp_strain(&material[g], values[g], &U[g], &e[g], &plastic[g]);
}

/* a e, for an `a` that commutes with e. */
SL_INLINE Sym times(Sym a, Sym e)
{
    return (Sym){f8_fma(a.xx, e.xx, f8_fma(a.xy, e.xy, a.zx * e.zx)),
                 f8_fma(a.xy, e.xy, f8_fma(a.yy, e.yy, a.yz * e.yz)),
                 f8_fma(a.zx, e.zx, f8_fma(a.yz, e.yz, a.zz * e.zz)),
                 f8_fma(a.xy, e.zx, f8_fma(a.yy, e.yz, a.yz * e.zz)),
                 f8_fma(a.zx, e.xx, f8_fma(a.yz, e.xy, a.zz * e.zx)),
                 f8_fma(a.xx, e.xy, f8_fma(a.xy, e.yy, a.zx * e.yz))};
}

/* s (s - 1) = 1 + e - sqrt(1 + e) as a function of the matrix; by its series where |e| is small. */
SL_INLINE Sym shear_part(Sym e)
{
    static const float series[6] = {0.5f, 0.125f, -0.0625f, 5.0f / 128, -7.0f / 256, 21.0f / 1024};
    F8 low, high;
    strain_bounds(e, &low, &high);
    if (i8_bits(f8_max(high, f8(0) - low) > f8(0.2f)) != 0) {
        F8 values[1][3];
        Mat U;
        eigen(&e, 1, values, &U);
        for (int k = 0; k < 3; k++) {
            F8 s = stretch_less_one(values[0][k]);
            values[0][k] = s * (f8(1) + s);
        }
        return from_principal(&U, values[0]);
    }
    Sym a = {f8(series[5]), f8(series[5]), f8(series[5]), f8(0), f8(0), f8(0)};
    for (int k = 4; k >= 0; k--) {
        a = times(a, e);
        a.xx += f8(series[k]);
        a.yy += f8(series[k]);
        a.zz += f8(series[k]);
    }
    return times(a, e);
}

/* J - 1 of the elastic part, from the invariants of e: det(I + e) - 1 = I1 + I2 + I3. */
SL_INLINE F8 volume_less_one(Sym e)
{
    F8 first = e.xx + e.yy + e.zz;
    F8 x = f8_fnma(e.yz, e.yz, e.yy * e.zz), y = f8_fnma(e.zx, e.zx, e.zz * e.xx);
    F8 z = f8_fnma(e.xy, e.xy, e.xx * e.yy);
    F8 third = f8_fma(
        e.xx, x,
        f8_fma(e.xy, f8_fnma(e.xy, e.zz, e.zx * e.yz), e.zx * f8_fnma(e.zx, e.yy, e.xy * e.yz)));
    F8 less = first + ((x + y + z) + third);
    return less / (f8(1) + f8_sqrt(f8_max(f8(1) + less, f8(0))));
}

/* Kirchhoff stress (dPsi/dF_E) F_E^T [Stomakhin 2013 eq. 1, 2 and 6]:
   2 mu s (s - 1) + lambda (J - 1) J in principal axes. */
SL_INLINE Sym kirchhoff(const Material *material, Sym e, F8 plastic)
{
    F8 hard = hardened(material, plastic), less = volume_less_one(e);
    F8 mu2 = (material->mu + material->mu) * hard;
    F8 pressure = material->lambda * hard * less * (f8(1) + less);
    Sym a = shear_part(e);
    return (Sym){f8_fma(mu2, a.xx, pressure),
                 f8_fma(mu2, a.yy, pressure),
                 f8_fma(mu2, a.zz, pressure),
                 mu2 * a.yz,
                 mu2 * a.zx,
                 mu2 * a.xy};
}

#endif
