/* The semi-implicit update of document 001 §6.1. */
#ifndef SOLVERS_SNOW_IMPLICIT_H
#define SOLVERS_SNOW_IMPLICIT_H

#include "solvers/snow/snow_kernels.h"

typedef struct SlSnowSolve {
    const SlSnowPass *pass;
    double tolerance; /* of the residual, over the first one */
    uint32_t max_iterations;
    uint32_t iterations; /* out */
    double left;         /* out: the residual over the first one */
} SlSnowSolve;

/* Solves (I + beta dt² M^-1 H) v' = v* (equation (9)) on the nodes, from v* as the first guess, in
   what collisions left free. True if it ended within tolerance; if not, velocities are those of the
   least residual found. Slopes of particles are overwritten. */
bool sl_snow_solve(SlSnowSolve *solve);

/* Its parts, for tests and benchmarks: principal axes into the particles' slopes, once a step; then
   `to` = beta dt² H `from`, colour by colour. */
void sl_snow_principal_frames(const SlSnowPass *pass);
void sl_snow_apply_hessian(const SlSnowPass *pass, SlSnowLayer from, SlSnowLayer to);

#endif
