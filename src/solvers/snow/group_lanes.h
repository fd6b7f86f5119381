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

SL_INLINE F8 mass_at(const SlSnowPass *p, F8 variation)
{
    return f8(p->material.mass) * f8_fma(f8(p->material.vary_density), variation, f8(1));
}

SL_INLINE Material material_at(const SlSnowPass *p, F8 variation)
{
    F8 stiff = f8_fma(f8(p->material.vary_stiffness), variation, f8(1));
    F8 tough = f8_fma(f8(p->material.vary_yield), variation, f8(1));
    F8 tensile = f8_fma(f8(p->material.vary_stretch), variation, f8(1));
    return (Material){f8(p->material.mu) * stiff, f8(p->material.lambda) * stiff,
                      f8(p->material.hardening) *
                          f8_fma(f8(p->material.vary_hardening), variation, f8(1)),
                      f8(-p->material.critical_compression) * tough,
                      f8(p->material.critical_stretch) * tough * tensile};
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
SL_INLINE void scatter_record(float *tile, float *second, Stencil at, F8 value,
                              const Records slope[3], bool separate)
{
    F8 slopes[3] = {f8_twice(slope[0].at[at.j]), f8_twice(slope[1].at[at.j]),
                    f8_twice(slope[2].at[at.j])};
    scatter(tile, second, at, value, slopes, separate);
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
