/* The semi-implicit velocity update of [Stomakhin 2013, section 6.1]: step 6. */
#ifndef SOLVERS_SNOW_IMPLICIT_H
#define SOLVERS_SNOW_IMPLICIT_H

#include "solvers/snow/snow_kernels.h"

typedef struct SlSnowSolve {
    const SlSnowPass *pass;
    double tolerance; /* of the residual, relative to the first one */
    uint32_t max_iterations;
    uint32_t iterations; /* out */
    double residual;     /* out: relative to the first one */
} SlSnowSolve;

/* Solves (I + beta dt² M^-1 H) v' = v* [Stomakhin 2013 eq. 9] on the nodes, with v* as the first
   guess, in the subspace that contacts leave free. False: it did not converge; velocities are those
   of the smallest residual found. The slopes of particles are overwritten. */
bool sl_snow_solve(SlSnowSolve *solve);

/* Its parts, for tests and benchmarks: principal axes into the particles' slopes, once a step; then
   `to` = beta dt² H `from`, colour by colour. */
void sl_snow_principal_frames(const SlSnowPass *pass);
void sl_snow_apply_hessian(const SlSnowPass *pass, SlSnowLayer from, SlSnowLayer to);

#endif
