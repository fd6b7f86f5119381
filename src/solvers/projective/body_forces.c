/* Forces of projective fluids on bodies. The loop over local and global steps does not add up
   pushes: each iteration scales the shift x - s and adds to it [Sommer eq. 8]. With one divisor D
   for all particles both are the same for all of them, so the sum of the shifts that a body gave to
   all particles follows the recursion of each shift,

     A(k+1) = omega ((1 - gamma / D) A(k) - A(k-1)) + A(k-1) + T

   with T its part of this iteration: omega gamma kappa / D lambda_i times its part of grad_i C_i,
   and contacts. At every iterate the sum over bodies is the sum of all shifts, converged or not. */
#include <string.h>

#include "solvers/projective/projective.h"

static size_t lane_count(const SlProjectiveRun *run)
{
    return run->pass.fluid.solids.body_count * SL_FORCE_LANES;
}

/* Sums the chunks' partials by body and zeroes them. */
static void collect(const SlProjectiveRun *run, double *sums)
{
    const SlFluidPass *pass = &run->pass.fluid;
    size_t lanes = lane_count(run), chunks = sl_chunk_count(pass->particles.count, SL_REDUCE_CHUNK);
    for (size_t lane = 0; lane < lanes; lane++)
        sums[lane] = chunks > 0 ? sl_fold_sum(pass->solids.forces, chunks, lanes, lane) : 0;
    memset(pass->solids.forces, 0, chunks * lanes * sizeof *pass->solids.forces);
}

bool sl_body_shifts_begin(SlSystem *system, SlProjectiveRun *run)
{
    SlFluidPass *pass = &run->pass.fluid;
    if (!run->method.body_forces)
        pass->solids.forces = NULL;
    if (pass->solids.forces == NULL)
        return true;
    SlBodyShifts *b = &run->bodies;
    b->total = SL_PUSH(&system->arena, double, lane_count(run));
    b->previous = SL_PUSH(&system->arena, double, lane_count(run));
    b->iteration = SL_PUSH(&system->arena, double, lane_count(run));
    return b->total != NULL && b->previous != NULL && b->iteration != NULL;
}

/* The contacts of the prediction. */
void sl_body_shifts_start(SlProjectiveRun *run)
{
    if (run->bodies.total == NULL)
        return;
    collect(run, run->bodies.total);
    memcpy(run->bodies.previous, run->bodies.total, lane_count(run) * sizeof(double));
}

void sl_body_shifts_add(SlProjectiveRun *run)
{
    SlBodyShifts *b = &run->bodies;
    if (b->total == NULL)
        return;
    collect(run, b->iteration);
    double omega = (double)run->pass.omega;
    double scale = 1 - (double)run->pass.relaxation / (double)run->pass.common_divisor;
    for (size_t k = 0; k < lane_count(run); k++) {
        double previous = b->previous[k], now = b->total[k];
        b->previous[k] = now;
        b->total[k] = omega * (scale * now - previous) + previous + b->iteration[k];
    }
}

/* Adds the friction after the loop; all goes into the partials of the first chunk, where the sum
   over chunks finds it. */
void sl_body_shifts_end(SlProjectiveRun *run)
{
    SlBodyShifts *b = &run->bodies;
    if (b->total == NULL || run->pass.fluid.particles.count == 0)
        return;
    collect(run, b->iteration);
    for (size_t k = 0; k < lane_count(run); k++)
        run->pass.fluid.solids.forces[k] = b->total[k] + b->iteration[k];
}
