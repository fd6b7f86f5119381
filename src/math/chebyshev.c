#include "math/chebyshev.h"

#include <math.h>

/* A norm that rises by less than this is the method's own unevenness. */
static const double rise = 1.1;

void sl_chebyshev_begin(SlChebyshev *c)
{
    c->since = c->restarts = 0;
    c->omega = 1;
    c->norm = INFINITY;
}

double sl_chebyshev_next(SlChebyshev *c, double norm)
{
    bool rises = norm > rise * c->norm;
    c->norm = norm;
    if (c->safeguard && rises && c->omega > 1) {
        c->since = 0;
        c->restarts++;
    }
    double rho2 = c->rho * c->rho;
    if (c->since < c->delay || (c->since == 0 && c->delay == 0))
        c->omega = 1; /* eq. 8's omega_1 */
    else if (c->since == (c->delay > 0 ? c->delay : 1) && !c->printed)
        c->omega = 2 / (2 - rho2);
    else
        c->omega = 4 / (4 - rho2 * c->omega);
    c->since++;
    return c->omega;
}

double sl_chebyshev_rate(double rho)
{
    return rho > 0 ? rho / (1 + sqrt(1 - rho * rho)) : 0;
}

/* Turns before a decision. What a step leaves undone the next one pays for, so a value keeps its
   turn for a while and the first step after a change does not count; and the upper one stands
   between two turns of the lower, so that a flow that gets harder favours neither. */
static const bool upper[] = {false, false, true, true, true, true, false, false};
static const double share[] = {0, 0.5, 0, 1.0 / 3, 1.0 / 3, 1.0 / 3, 0, 0.5};
enum { TURNS = sizeof upper / sizeof upper[0], FIRST_RUNG = 4, REST = 2 * TURNS };

double sl_rho_of_rung(uint32_t rung)
{
    static const double between[2] = {1, 0.70710678118654752};
    return 1 - ldexp(0.2 * between[rung % 2], -(int)(rung / 2));
}

SlRhoSearch sl_rho_search(void)
{
    return (SlRhoSearch){.rung = FIRST_RUNG, .winner = SL_RHO_RUNGS};
}

double sl_rho_now(const SlRhoSearch *search)
{
    return sl_rho_of_rung(search->rest > 0 ? search->winner : search->rung + upper[search->turn]);
}

void sl_rho_learn(SlRhoSearch *search, double cost)
{
    if (search->rest > 0) {
        search->rest--;
        return;
    }
    search->cost[upper[search->turn]] += share[search->turn] * cost;
    if (++search->turn < TURNS)
        return;
    bool up = search->cost[1] < search->cost[0];
    uint32_t winner = search->rung + up;
    if (winner == search->winner)
        search->rest = REST;
    search->winner = winner;
    if (up)
        search->rung += search->rung + 2 < SL_RHO_RUNGS;
    else
        search->rung -= search->rung > 0;
    search->turn = 0;
    search->cost[0] = search->cost[1] = 0;
}
