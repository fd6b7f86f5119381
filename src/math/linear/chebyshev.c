/* The schedule of Chebyshev's method, and the search of its rho while running. */
#include "math/linear/chebyshev.h"

#include <math.h>

/* A norm may rise by this factor between iterations of a converging run. */
static const double max_rise = 1.1;

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
    bool rises = norm > max_rise * c->norm;
    c->norm = norm;
    if (c->safeguard && rises && c->omega > 1)
        sl_chebyshev_restart(c);
    double rho2 = c->rho * c->rho;
    if (c->since < c->delay || (c->since == 0 && c->delay == 0))
        c->omega = 1; /* omega_1 of [Sommer eq. 8] */
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

/* --- Search of rho --- */

/* A trial is a fixed sequence of steps; its position is the phase. The error that a step leaves is
   paid for by the next one, so each value is used for several steps in a row and the first step
   after a change does not count. The steps of the upper value lie between two runs of the lower, so
   that a flow that becomes harder to solve favours neither. */
static const bool is_upper[] = {false, false, false, true,  true, true,
                                true,  true,  false, false, false};
enum { NOT_COUNTED = -1 };
static const int cost_slot[] = {NOT_COUNTED, 0, 1, NOT_COUNTED, 0, 1, 2, 3, NOT_COUNTED, 2, 3};
enum {
    PHASES = sizeof is_upper / sizeof is_upper[0],
    EARLY_PHASE = 5, /* after two counted steps of each value a clear difference decides */
    FIRST_INDEX = 15,
    COOLDOWN = PHASES
};

double sl_rho_grid_value(uint32_t grid_index)
{
    static const double between[2] = {1, 0.70710678118654752};
    return 1 - ldexp(0.2 * between[grid_index % 2], -(int)(grid_index / 2));
}

SlRhoSearch sl_rho_search_begin(void)
{
    return (SlRhoSearch){.grid_index = FIRST_INDEX, .best_index = SL_RHO_GRID_SIZE};
}

double sl_rho_search_value(const SlRhoSearch *search)
{
    uint32_t trial = search->grid_index + is_upper[search->phase];
    return sl_rho_grid_value(search->cooldown > 0 ? search->best_index : trial);
}

/* The mean of the middle two of four: a single step in which particles collide takes two or three
   times as many iterations, whatever rho is. */
static double trimmed_mean(const double cost[4])
{
    double low = cost[0], high = cost[0], sum = cost[0];
    for (int k = 1; k < 4; k++) {
        low = fmin(low, cost[k]);
        high = fmax(high, cost[k]);
        sum += cost[k];
    }
    return (sum - low - high) / 2;
}

/* True in the second consecutive step that costs a third more than expected. */
static bool is_too_expensive(SlRhoSearch *search, double cost, double expected)
{
    search->slow_streak = cost > 1.3 * expected ? search->slow_streak + 1 : 0;
    return search->slow_streak == 2;
}

/* A cooldown ends early when steps become expensive. Afterwards both neighbours are tried again,
   since the flow may have changed. */
static void cool_down(SlRhoSearch *search, double cost)
{
    search->cooldown--;
    if (is_too_expensive(search, cost, search->best_cost))
        search->cooldown = 0;
    if (search->cooldown == 0)
        search->best_index = SL_RHO_GRID_SIZE;
}

/* Ends a trial: the upper or the lower value was cheaper. */
static void end_trial(SlRhoSearch *search, bool upper, double cost)
{
    uint32_t best = search->grid_index + upper;
    if (best == search->best_index) {
        search->cooldown = COOLDOWN;
        search->best_cost = cost;
    }
    search->best_index = best;
    if (upper)
        search->grid_index += search->grid_index + 2 < SL_RHO_GRID_SIZE;
    else
        search->grid_index -= search->grid_index > 0;
    search->phase = search->slow_streak = 0;
}

void sl_rho_search_record(SlRhoSearch *search, double cost)
{
    if (search->cooldown > 0) {
        cool_down(search, cost);
        return;
    }
    double lower_cost = fmax(search->cost[0][0], search->cost[0][1]);
    if (is_upper[search->phase] && is_too_expensive(search, cost, lower_cost)) {
        end_trial(search, false, lower_cost);
        return;
    }
    if (cost_slot[search->phase] != NOT_COUNTED)
        search->cost[is_upper[search->phase]][cost_slot[search->phase]] = cost;
    const double(*c)[4] = (const double(*)[4])search->cost;
    if (search->phase == EARLY_PHASE && fmax(c[1][0], c[1][1]) < 0.9 * fmin(c[0][0], c[0][1])) {
        end_trial(search, true, fmax(c[1][0], c[1][1]));
        return;
    }
    if (++search->phase < PHASES)
        return;
    double costs[2] = {trimmed_mean(c[0]), trimmed_mean(c[1])};
    bool upper = costs[1] < costs[0];
    end_trial(search, upper, costs[upper]);
}
