#include "math/linear/chebyshev.h"

#include <math.h>

/* A norm that rises by less than this is the method's own unevenness. */
static const double rise = 1.1;

void sl_chebyshev_begin(SlChebyshev *c)
{
    c->since = c->restarts = 0;
    c->omega = 1;
    c->norm = INFINITY;
}

void sl_chebyshev_restart(SlChebyshev *c)
{
    c->since = 0;
    c->omega = 1;
    c->restarts++;
}

double sl_chebyshev_next(SlChebyshev *c, double norm)
{
    bool rises = norm > rise * c->norm;
    c->norm = norm;
    if (c->safeguard && rises && c->omega > 1)
        sl_chebyshev_restart(c);
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
static const bool upper[] = {false, false, false, true,  true, true,
                             true,  true,  false, false, false};
enum { NOT_COUNTED = -1 };
static const int place[] = {NOT_COUNTED, 0, 1, NOT_COUNTED, 0, 1, 2, 3, NOT_COUNTED, 2, 3};
enum { TURNS = sizeof upper / sizeof upper[0], CLEAR_AT = 5, FIRST_RUNG = 15, REST = TURNS };

double sl_rho_of_grid_index(uint32_t grid_index)
{
    static const double between[2] = {1, 0.70710678118654752};
    return 1 - ldexp(0.2 * between[grid_index % 2], -(int)(grid_index / 2));
}

SlRhoSearch sl_rho_search(void)
{
    return (SlRhoSearch){.grid_index = FIRST_RUNG, .winner = SL_RHO_RUNGS};
}

double sl_rho_now(const SlRhoSearch *search)
{
    return sl_rho_of_grid_index(search->rest > 0 ? search->winner : search->grid_index + upper[search->turn]);
}

/* The mean of the middle two: a single step in which particles collide takes two or three times as
   many iterations, whatever rho is. */
static double usual(const double cost[4])
{
    double least = cost[0], most = cost[0], sum = cost[0];
    for (int k = 1; k < 4; k++) {
        least = fmin(least, cost[k]);
        most = fmax(most, cost[k]);
        sum += cost[k];
    }
    return (sum - least - most) / 2;
}

/* Counts steps in a row that cost a third more than is usual. */
static bool too_expensive(SlRhoSearch *search, double cost, double usual_cost)
{
    search->late = cost > 1.3 * usual_cost ? search->late + 1 : 0;
    return search->late == 2;
}

/* A rest ends early when it gets dear. After it both neighbours are tried again: the flow may have
   changed. */
static void rest(SlRhoSearch *search, double cost)
{
    search->rest--;
    if (too_expensive(search, cost, search->won_at))
        search->rest = 0;
    if (search->rest == 0)
        search->winner = SL_RHO_RUNGS;
}

static void decide(SlRhoSearch *search, bool up, double cost)
{
    uint32_t winner = search->grid_index + up;
    if (winner == search->winner) {
        search->rest = REST;
        search->won_at = cost;
    }
    search->winner = winner;
    if (up)
        search->grid_index += search->grid_index + 2 < SL_RHO_RUNGS;
    else
        search->grid_index -= search->grid_index > 0;
    search->turn = search->late = 0;
}

void sl_rho_learn(SlRhoSearch *search, double cost)
{
    if (search->rest > 0) {
        rest(search, cost);
        return;
    }
    double before = fmax(search->cost[0][0], search->cost[0][1]);
    if (upper[search->turn] && too_expensive(search, cost, before)) { /* seen enough */
        decide(search, false, before);
        return;
    }
    if (place[search->turn] != NOT_COUNTED)
        search->cost[upper[search->turn]][place[search->turn]] = cost;
    const double(*c)[4] = (const double(*)[4])search->cost;
    if (search->turn == CLEAR_AT && fmax(c[1][0], c[1][1]) < 0.9 * fmin(c[0][0], c[0][1])) {
        decide(search, true, fmax(c[1][0], c[1][1])); /* so too */
        return;
    }
    if (++search->turn < TURNS)
        return;
    double costs[2] = {usual(c[0]), usual(c[1])};
    bool up = costs[1] < costs[0];
    decide(search, up, costs[up]);
}
