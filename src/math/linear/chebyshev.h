/* Chebyshev's semi-iterative method (Golub & Varga 1961; Wang 2015, algorithm 1) as a schedule of
   factors omega, apart from what it accelerates: a linear sweep, or the whole local/global loop of
   projective dynamics.

     x(k+1) = omega(k+1) (gamma (G(x(k)) - x(k)) + x(k) - x(k-1)) + x(k-1)

   where G is the iteration and rho bounds its eigenvalues. omega = 1 is G itself, under-relaxed. */
#ifndef MATH_LINEAR_CHEBYSHEV_H
#define MATH_LINEAR_CHEBYSHEV_H

#include <stdbool.h>
#include <stdint.h>

/* Order of the choices "wang|printed" of parameter tables. */
typedef enum SlOmegaStart { SL_OMEGA_WANG, SL_OMEGA_PRINTED } SlOmegaStart;

typedef struct SlChebyshev {
    double rho; /* [0, 1) */
    uint32_t
        delay;    /* iterations with omega = 1 before it begins, at the start and after a restart */
    bool printed; /* begin as document 000 prints it, 4 / (4 - rho²), not 2 / (2 - rho²) */
    bool safeguard; /* restart when the norm of G(x) - x rises */
    /* running */
    uint32_t since; /* iterations since the start or the last restart */
    uint32_t restarts;
    double omega, norm; /* the last of each */
} SlChebyshev;

/* Sets the running part back: a new system. */
void sl_chebyshev_begin(SlChebyshev *c);
/* The factor of the iteration that now follows. `norm` is |G(x) - x| at the iterate before it, in
   any unit; 0 at the first call, or where it is not known and there is no safeguard. */
double sl_chebyshev_next(SlChebyshev *c, double norm);
/* It begins again, with the plain iterations of its start. */
void sl_chebyshev_restart(SlChebyshev *c);

/* The factor that errors fall by per iteration in the long run, if all eigenvalues are within rho.
 */
double sl_chebyshev_rate(double rho);

/* Finding rho while running: two neighbouring values of a ladder take turns, and whichever cost
   less over a few turns is one of the next two. One that won twice has none better beside it and is
   kept for a while before the search goes on. All of it is state. */
typedef struct SlRhoSearch {
    uint32_t grid_index, turn;
    uint32_t winner, rest; /* the last grid_index that cost less; steps for which it is kept */
    uint32_t late;         /* steps in a row that cost much more than `won_at` */
    double won_at;         /* what the winner cost */
    double cost[2][4];     /* steps that count, of the grid_index and of the one above it */
} SlRhoSearch;

enum { SL_RHO_RUNGS = 21 };
/* Rungs halve 1 - rho every second time: 0.8, 0.8586, 0.9, … 0.9998. */
double sl_rho_of_grid_index(uint32_t grid_index);
SlRhoSearch sl_rho_search(void);
/* The value whose turn it is. */
double sl_rho_now(const SlRhoSearch *search);
/* What it cost, in iterations. */
void sl_rho_learn(SlRhoSearch *search, double cost);

#endif
