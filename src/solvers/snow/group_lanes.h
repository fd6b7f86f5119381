/* What the particles of a group carry, and the loop over blocks; only for *_kernels.c of snow. */
#ifndef SOLVERS_SNOW_GROUP_LANES_H
#define SOLVERS_SNOW_GROUP_LANES_H

#include "solvers/snow/material_lanes.h"
#include "solvers/snow/snow_kernels.h"
#include "solvers/snow/transfer_lanes.h"

SL_INLINE F8 variation_at(const SlSnowPass *p, Group g)
{
    return p->fields.variation != NULL ? get_floats(p->fields.variation, g) : f8(0);
}

/* The factor of a particle's own value: by the field "variation" and by an attribute. */
SL_INLINE F8 factor_at(const SlSnowPass *p, Group g, SlSnowVaried which, float vary, F8 variation)
{
    F8 factor = f8_fma(f8(vary), variation, f8(1));
    if (p->fields.vary[which] != NULL)
        factor *= f8_max(f8(1) + get_floats(p->fields.vary[which], g), f8(0.05f));
    return factor;
}

SL_INLINE F8 density_factor_at(const SlSnowPass *p, Group g, F8 variation)
{
    return factor_at(p, g, SL_SNOW_VARIED_DENSITY, p->material.vary_density, variation);
}

SL_INLINE F8 mass_at(const SlSnowPass *p, Group g, F8 variation)
{
    return f8(p->material.mass) * density_factor_at(p, g, variation);
}

SL_INLINE Material material_at(const SlSnowPass *p, Group g, F8 variation)
{
    const SlSnowMaterial *m = &p->material;
    F8 stiff = factor_at(p, g, SL_SNOW_VARIED_STIFFNESS, m->vary_stiffness, variation);
    F8 tough = factor_at(p, g, SL_SNOW_VARIED_YIELD, m->vary_yield, variation);
    F8 tensile = factor_at(p, g, SL_SNOW_VARIED_STRETCH, m->vary_stretch, variation);
    F8 hard = factor_at(p, g, SL_SNOW_VARIED_HARDENING, m->vary_hardening, variation);
    Material out = {.mu = f8(m->mu) * stiff,
                    .lambda = f8(m->lambda) * stiff,
                    .hardening = f8(m->hardening) * hard,
                    .min = f8(-m->critical_compression) * tough,
                    .max = f8(m->critical_stretch) * tough * tensile,
                    .isochoric = m->isochoric};
    if (m->vary_poisson != 0 || p->fields.vary[SL_SNOW_VARIED_POISSON] != NULL) {
        F8 nu = f8(m->poisson) *
                factor_at(p, g, SL_SNOW_VARIED_POISSON, m->vary_poisson, variation);
        nu = f8_min(nu, f8(0.49f));
        F8 twice_mu = f8(m->stiffness) * stiff / (f8(1) + nu);
        out.mu = f8(0.5f) * twice_mu;
        out.lambda = twice_mu * nu / f8_fnma(f8(2), nu, f8(1));
    }
    return out;
}

SL_INLINE Sym strain_at(const SlSnowPass *p, Group g)
{
    F8x4 d = get_records(p->fields.stretch, g), o = get_records(p->fields.shear, g);
    return (Sym){d.x, d.y, d.z, o.x, o.y, o.z};
}

/* Lanes that are particles of the block: sums and maxima leave out the others. */
SL_INLINE I8 first_lanes(size_t count)
{
    const I8 lane = {0, 1, 2, 3, 4, 5, 6, 7};
    return lane < (int32_t)count;
}

/* Row k of a symmetric matrix. */
SL_INLINE F8x3 row_of(Sym e, int k)
{
    return k == 0   ? (F8x3){e.xx, e.xy, e.zx}
           : k == 1 ? (F8x3){e.xy, e.yy, e.yz}
                    : (F8x3){e.zx, e.yz, e.zz};
}

/* scatter() with the slopes of lane at.j of a group's records. */
SL_INLINE void scatter_record(float *tile, Stencil at, F8 value, const Records slope[3])
{
    F8 slopes[3] = {f8_twice(slope[0].at[at.j]), f8_twice(slope[1].at[at.j]),
                    f8_twice(slope[2].at[at.j])};
    scatter(tile, at, value, slopes);
}

/* A kernel over blocks: `call` sees p, the pass, d, the loop's data, and block. */
#define BLOCK_LOOP_(name, call)                                                                    \
    static void name(const void *data, size_t begin, size_t end, size_t chunk)                     \
    {                                                                                              \
        (void)chunk;                                                                               \
        const SlSnowBlockLoop *d = data;                                                           \
        const SlSnowPass *p = d->pass;                                                             \
        for (size_t k = begin; k < end; k++) {                                                     \
            uint32_t block = d->blocks != NULL ? d->blocks[k] : (uint32_t)k;                       \
            call;                                                                                  \
        }                                                                                          \
    }

#endif
