/* Lane functions that the loops of several water solvers use. Only for *_kernels.c. Symbols: i self,
   j neighbour, u = x_i - x_j; W and its gradient as in math/kernel_lanes.h. */
#ifndef SOLVERS_FLUID_PASS_LANES_H
#define SOLVERS_FLUID_PASS_LANES_H

#include "solvers/fluid/boundary_lanes.h"
#include "math/kernel_lanes.h"

enum { FETCH_ROWS = 96 };

SL_INLINE F8x3 xyz(F8x4 a)
{
    return (F8x3){a.x, a.y, a.z};
}

/* The list is the one stream too large for the caches: 135 bytes per particle and pass. A line
   holds two rows; it is prefetched a few blocks ahead. */
SL_INLINE void fetch_ahead(const uint32_t (*row)[8])
{
    __builtin_prefetch(row + FETCH_ROWS, 0, 3);
}

static const uint32_t lanes_in_order[8] = {0, 1, 2, 3, 4, 5, 6, 7};

/* Lanes of block b that are particles. */
SL_INLINE I8 owned_lanes(const SlFluidParticles *p, size_t b)
{
    return (I8)(u8_load(lanes_in_order) + (uint32_t)(8 * b)) < (int32_t)p->count;
}

/* The value of each particle's fluid in a table by fluid. Padding may hold any number. */
SL_INLINE F8 by_fluid(const SlFluidParticles *p, size_t b, const float *table)
{
    uint32_t fluid[8];
    u8_store(fluid, u8_load(p->fluid + 8 * b) & (U8)owned_lanes(p, b));
    return f8_gather(table, fluid);
}

/* Inverse mass, over that of the system's own fluid. */
SL_INLINE F8 inverse_mass_ratio_of(const SlFluidParticles *p, size_t b)
{
    return p->fluid != NULL ? by_fluid(p, b, p->inverse_mass_ratio) : f8(1);
}

SL_INLINE Tally tally_of(const SlFluidPass *s, size_t b, F8 inverse_mass_ratio)
{
    size_t chunk = b / SL_CHUNK_BLOCKS * s->solids.body_count * SL_FORCE_LANES;
    return (Tally){s->solids.forces != NULL ? s->solids.forces + chunk : NULL,
                   owned_lanes(&s->particles, b),
                   s->particles.fluid != NULL ? f8(1) / inverse_mass_ratio : f8(1)};
}

/* Rows of neighbours of block b. */
SL_INLINE const uint32_t (*rows_of(const SlNeighbourList *list, size_t b))[8]
{
    return (const uint32_t(*)[8])list->rows + list->row_begin[b];
}

SL_INLINE void add_solid(WallDensity solid, F8 *error, F8x3 *gradient)
{
    *error += solid.density;
    gradient->x += solid.gradient.x;
    gradient->y += solid.gradient.y;
    gradient->z += solid.gradient.z;
}

/* Moves the particles of block b that are in `lanes` out of solids, before the step: contacts then
   do not turn their penetration into velocity (pre-stabilisation, [Macklin 2014]). */
SL_INLINE void stabilise_block(const SlFluidPass *s, size_t b, I8 lanes)
{
    const SlFluidParticles *p = &s->particles;
    F8x4 x = f8x4_load(p->position + 32 * b);
    F8x3 out = leave_solids(&s->solids.contacts, u8_load(p->id + 8 * b), xyz(x));
    f8x4_store(p->position + 32 * b,
               (F8x4){f8_select(lanes, out.x, x.x), f8_select(lanes, out.y, x.y),
                      f8_select(lanes, out.z, x.z), x.w});
}

/* Contributions of the neighbours to C_i = rho_i / rho_0 - 1 and to its gradients
   [Macklin 2013 eq. 1 and 8]. */
typedef struct DensitySums {
    F8 error;
    F8 squares;    /* sum_j |grad_j C_i|² / m_j, without slope_scale² */
    F8x3 gradient; /* grad_i C_i */
} DensitySums;

SL_INLINE DensitySums density_sums(SlKernelKind kind, const SlFluidPass *s, size_t b, F8x4 xi)
{
    const SlNeighbourList *list = s->list;
    const float *predicted = s->particles.predicted;
    F8 inverse_support = f8(s->kernel.inverse_support), slope_scale = f8(s->kernel.slope_scale);
    F8 shapes = f8(s->kernel.self_density_offset), squares = f8(0);
    F8x3 gradient = {f8(0), f8(0), f8(0)};
    const uint32_t(*row)[8] = rows_of(list, b);
    F8 odd_shapes = f8(0); /* two sums: half the roundings, half the latency of each add */
    for (uint32_t k = list->row_count[b]; k > 0; k -= 2, row += 2) {
        fetch_ahead(row);
        for (int half = 0; half < 2; half++) {
            F8x4 xj = f8x4_gather(predicted, row[half]); /* xj.w: 1/m_j */
            F8x3 u = {xi.x - xj.x, xi.y - xj.y, xi.z - xj.z};
            F8 r2 = f8x3_dot(u, u);
            ShapePair w = shape_both(kind, r2, inverse_support);
            if (half == 0)
                shapes += w.value;
            else
                odd_shapes += w.value;
            squares = f8_fma(w.slope * w.slope, r2 * xj.w, squares);
            gradient = f8x3_fma(w.slope, u, gradient);
        }
    }
    shapes += odd_shapes;
    return (DensitySums){
        shapes * f8(s->kernel.value_scale),
        squares,
        {gradient.x * slope_scale, gradient.y * slope_scale, gradient.z * slope_scale}};
}

/* [Macklin 2013 eq. 12 and 14]: sum_j (lambda_i + lambda_j + s_corr) grad W without slope_scale.
   `projected` holds positions and lambda; s_corr = -strength × (shape value)^4 where `tensile`. */
SL_INLINE F8x3 pair_pushes(SlKernelKind kind, bool tensile, const SlFluidPass *s,
                           const float *projected, float strength, size_t b, F8x4 xi)
{
    const SlNeighbourList *list = s->list;
    F8 inverse_support = f8(s->kernel.inverse_support), s_corr = f8(-strength);
    F8x3 sum = {f8(0), f8(0), f8(0)};
    const uint32_t(*row)[8] = rows_of(list, b);
    for (uint32_t k = list->row_count[b]; k > 0; k -= 2, row += 2) {
        fetch_ahead(row);
        for (int half = 0; half < 2; half++) {
            F8x4 xj = f8x4_gather(projected, row[half]);
            F8x3 u = {xi.x - xj.x, xi.y - xj.y, xi.z - xj.z};
            ShapePair w = shape_both(kind, f8x3_dot(u, u), inverse_support);
            F8 both = xi.w + xj.w;
            if (tensile) {
                /* Exactly 0 for far pairs, where the fourth power would be a denormal number
                   and cost 100 cycles; 1e-4 is (W / W(0))² at 0.9 of the support. */
                F8 value2 = f8_max(f8_fma(w.value, w.value, f8(-1e-4f)), f8(0));
                both = f8_fma(value2 * s_corr, value2, both);
            }
            sum = f8x3_fma(both * w.slope, u, sum);
        }
    }
    return sum;
}

#endif
