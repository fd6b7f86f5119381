/* Chebyshev's semi-iterative method [Golub 1961; Wang 2015, algorithm 1] as a schedule of factors
   omega, independent of the iteration G that it accelerates: a linear sweep, or the whole
   local/global loop of projective dynamics.

     x(k+1) = omega(k+1) (gamma (G(x(k)) - x(k)) + x(k) - x(k-1)) + x(k-1)

   rho bounds the eigenvalues of G. omega = 1 is G itself, under-relaxed by gamma. */
#ifndef MATH_LINEAR_CHEBYSHEV_H
#define MATH_LINEAR_CHEBYSHEV_H

#include <stdbool.h>
#include <stdint.h>

/* Order of the choices "wang|printed" of parameter tables. */
typedef enum SlOmegaStart { SL_OMEGA_WANG, SL_OMEGA_PRINTED } SlOmegaStart;

typedef struct SlChebyshev {
    double rho;     /* [0, 1) */
    uint32_t delay; /* iterations with omega = 1 at the start and after a restart */
    bool printed; /* second omega 4 / (4 - rho²) [Sommer eq. 8], not 2 / (2 - rho²) [Wang 2015] */
    bool safeguard; /* restart when the norm of G(x) - x rises */
    /* running */
    uint32_t since; /* iterations since the start or the last restart */
    uint32_t restarts;
    double omega, norm; /* of the last iteration */
} SlChebyshev;

/* Resets the running part, for a new system. */
void sl_chebyshev_begin(SlChebyshev *c);
/* omega of the next iteration. `norm` is |G(x) - x| of the iteration before, in any unit; 0 at the
   first call, or where it is not known and there is no safeguard. */
double sl_chebyshev_next(SlChebyshev *c, double norm);
/* Drops the momentum: the next omega is 1, and the delay begins again. */
void sl_chebyshev_restart(SlChebyshev *c);

/* The asymptotic factor of errors per iteration, if all eigenvalues are within rho. */
double sl_chebyshev_rate(double rho);

/* Search of the best rho while running, over a fixed grid of values: two neighbouring values are
   tried in alternation, and the one that took fewer iterations is one of the next two. A value that
   is best twice in a row is a local optimum: it is used alone for a cooldown before the search
   resumes. All of it is state. */
typedef struct SlRhoSearch {
    uint32_t grid_index;  /* the lower of the two values under trial */
    uint32_t phase;       /* position in the trial's fixed sequence of steps */
    uint32_t best_index;  /* result of the last trial; SL_RHO_GRID_SIZE: none */
    uint32_t cooldown;    /* steps left for which best_index is used alone */
    uint32_t slow_streak; /* consecutive steps that cost much more than best_cost */
    double best_cost;     /* iterations per step of best_index */
    double cost[2][4];    /* iterations of the steps that count, of the lower and the upper value */
} SlRhoSearch;

enum { SL_RHO_GRID_SIZE = 21 };
/* The grid: 1 - rho halves with every second index: 0.8, 0.8586, 0.9, … 0.9998. */
double sl_rho_grid_value(uint32_t grid_index);
SlRhoSearch sl_rho_search_begin(void);
/* The value to use in the next step. */
double sl_rho_search_value(const SlRhoSearch *search);
/* Records what the step with that value cost, in iterations. */
void sl_rho_search_record(SlRhoSearch *search, double cost);

#endif
