/* What bodies feel of projective fluids. The loop over local and global steps does not add up
   pushes: each iteration forgets a little of the shift x - s and adds to it (eq. 8). With one
   divisor D for all particles both are the same for everybody, so what a body has given to the
   shifts of all particles follows the recursion that each shift follows,

     A(k+1) = omega ((1 - gamma / D) A(k) - A(k-1)) + A(k-1) + T

   with T what it gave in this iteration: omega gamma kappa / D lambda_i × its part of grad_i C_i,
   and contacts. At every iterate the sum over bodies is the sum of all shifts, converged or not. */
#include <string.h>

#include "solvers/projective/projective.h"

/* Takes what was added up since the last call, body by body. */
static void take(const SlProjectiveRun *run, double *given)
{
    const SlFluidPass *pass = &run->pass.fluid;
    size_t lanes = pass->solids.body_count * SL_FORCE_LANES;
    size_t chunks = sl_chunk_count(pass->particles.count, SL_REDUCE_CHUNK);
    for (size_t lane = 0; lane < lanes; lane++)
        given[lane] = chunks > 0 ? sl_fold_sum(pass->solids.forces, chunks, lanes, lane) : 0;
    memset(pass->solids.forces, 0, chunks * lanes * sizeof *pass->solids.forces);
}

bool sl_projective_forces_begin(SlSystem *system, SlProjectiveRun *run)
{
    SlFluidPass *pass = &run->pass.fluid;
    if (!sl_projective_has_body_forces(system))
        pass->solids.forces = NULL;
    if (pass->solids.forces == NULL)
        return true;
    size_t lanes = pass->solids.body_count * SL_FORCE_LANES;
    SlArena *arena = &system->arena;
    run->given = SL_PUSH(arena, double, lanes);
    run->given_before = SL_PUSH(arena, double, lanes);
    run->giving = SL_PUSH(arena, double, lanes);
    return run->given != NULL && run->given_before != NULL && run->giving != NULL;
}

void sl_projective_forces_start(SlProjectiveRun *run)
{
    if (run->given == NULL)
        return;
    take(run, run->given); /* the prediction's contacts */
    memcpy(run->given_before, run->given,
           run->pass.fluid.solids.body_count * SL_FORCE_LANES * sizeof(double));
}

void sl_projective_forces_add(SlProjectiveRun *run)
{
    if (run->given == NULL)
        return;
    take(run, run->giving);
    double omega = (double)run->pass.omega;
    double kept = 1 - (double)run->pass.gamma / (double)run->pass.common_diagonal;
    for (size_t k = 0; k < run->pass.fluid.solids.body_count * SL_FORCE_LANES; k++) {
        double before = run->given_before[k], now = run->given[k];
        run->given_before[k] = now;
        run->given[k] = omega * (kept * now - before) + before + run->giving[k];
    }
}

/* Friction has been added since; all of it goes where the sum over chunks finds it. */
void sl_projective_forces_end(SlProjectiveRun *run)
{
    if (run->given == NULL || run->pass.fluid.particles.count == 0)
        return;
    take(run, run->giving);
    for (size_t k = 0; k < run->pass.fluid.solids.body_count * SL_FORCE_LANES; k++)
        run->pass.fluid.solids.forces[k] = run->given[k] + run->giving[k];
}
