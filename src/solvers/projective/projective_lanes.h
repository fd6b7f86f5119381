/* Lane functions of several loops of projective fluids; only for *_kernels.c. Symbols as in
   [Sommer]: i self, j neighbour, u = x_i - x_j, x the iterate, s the inertial position.

   The unknown is the shift x - s, not x: the steps of an iteration are a thousandth of a spacing
   and less, many metres from the origin, so rounded positions would lose momentum. */
#ifndef SOLVERS_PROJECTIVE_PROJECTIVE_LANES_H
#define SOLVERS_PROJECTIVE_PROJECTIVE_LANES_H

#include "solvers/fluid/pass_lanes.h"
#include "solvers/projective/projective_kernels.h"

SL_INLINE F8x3 scaled(F8 a, F8x3 v)
{
    return (F8x3){a * v.x, a * v.y, a * v.z};
}

SL_INLINE F8x3 minus(F8x3 a, F8x3 b)
{
    return (F8x3){a.x - b.x, a.y - b.y, a.z - b.z};
}

SL_INLINE F8x3 plus(F8x3 a, F8x3 b)
{
    return (F8x3){a.x + b.x, a.y + b.y, a.z + b.z};
}

/* s = x^n + dt v. */
SL_INLINE F8x3 inertial_position(const SlFluidPass *s, size_t b)
{
    F8x4 x = f8x4_load(s->particles.position + 32 * b);
    F8x4 v = f8x4_load(s->particles.velocity + 32 * b);
    return f8x3_fma(f8(s->dt), xyz(v), xyz(x));
}

/* s - x. */
SL_INLINE F8x3 inertia_residual(const SlProjectivePass *p, size_t b)
{
    F8x4 shift = f8x4_load(p->shift + 32 * b);
    return (F8x3){f8(0) - shift.x, f8(0) - shift.y, f8(0) - shift.z};
}

/* The divisor of a particle's right side in a sweep: its own diagonal solves its row; with a common
   one the steps of an iteration sum to zero, as the pushes do, before the loop has converged. */
SL_INLINE F8 divisor(const SlProjectivePass *p, F8 diagonal)
{
    return p->common_divisor > 0 ? f8(p->common_divisor) : diagonal;
}

/* What an iteration moved, over the blocks of a chunk. */
typedef struct Movement {
    F8 max_move2, moving, step2, max_step2;
} Movement;

/* [Sommer eq. 8] with the under-relaxation of [Wang 2015], then contacts. `step` is G(x) - x. */
SL_INLINE void move_block(const SlProjectivePass *p, size_t b, F8x3 step, Movement *movement)
{
    const SlFluidPass *s = &p->fluid;
    step = scaled(f8(p->relaxation), step);
    F8 length2 = f8x3_dot(step, step), length = f8_sqrt(length2), max = f8(p->max_move);
    F8x4 before = f8x4_load(p->shift + 32 * b);
    F8x3 shift = f8x3_fma(max / f8_max(length, max), step, xyz(before));
    if (p->omega != 1) {
        F8x3 back = xyz(f8x4_load(p->previous_shift + 32 * b));
        shift = f8x3_fma(f8(p->omega), minus(shift, back), back);
    }
    F8 inverse_mass_ratio = inverse_mass_ratio_of(&s->particles, b);
    Tally tally = tally_of(s, b, inverse_mass_ratio);
    F8x3 free = plus(inertial_position(s, b), shift);
    F8x3 at = meet_surfaces(&s->solids.contacts, &tally, u8_load(s->particles.id + 8 * b), free,
                            xyz(f8x4_load(s->particles.position + 32 * b)));
    shift = plus(shift, minus(at, free)); /* unchanged where there was no contact */
    f8x4_store(p->previous_shift + 32 * b, before);
    f8x4_store(p->shift + 32 * b, (F8x4){shift.x, shift.y, shift.z, f8(0)});
    f8x4_store(s->particles.predicted + 32 * b, (F8x4){at.x, at.y, at.z, inverse_mass_ratio});
    F8x3 moved = minus(shift, xyz(before));
    F8 moved2 = f8_keep(tally.owned, f8x3_dot(moved, moved));
    length2 = f8_keep(tally.owned, length2);
    movement->max_move2 = f8_max(movement->max_move2, moved2);
    movement->moving += f8_keep(moved2 > f8(p->stop_move * p->stop_move), f8(1));
    movement->step2 += length2;
    movement->max_step2 = f8_max(movement->max_step2, length2);
}

SL_INLINE void put_movement(const SlProjectivePass *p, size_t chunk, const Movement *movement)
{
    double *partials = p->partials + chunk * SL_PROJECTIVE_PARTIALS;
    partials[SL_PROJECTIVE_MAX_MOVE2] = (double)f8_horizontal_max(movement->max_move2);
    partials[SL_PROJECTIVE_STEP2] = (double)f8_sum(movement->step2);
    partials[SL_PROJECTIVE_MOVING] = (double)f8_sum(movement->moving);
    partials[SL_PROJECTIVE_MAX_STEP2] = (double)f8_horizontal_max(movement->max_step2);
}

#endif
