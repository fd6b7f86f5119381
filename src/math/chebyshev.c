#include "math/chebyshev.h"

#include <math.h>

/* A norm that rises by less than this is the method's own unevenness. */
static const double rise = 1.1;

void sl_chebyshev_begin(SlChebyshev *c)
{
    c->since = c->restarts = 0;
    c->omega = 1;
    c->norm = c->least = INFINITY;
}

double sl_chebyshev_next(SlChebyshev *c, double norm)
{
    bool rises = norm > rise * c->norm;
    c->norm = norm;
    if (norm > 0 && norm < c->least)
        c->least = norm;
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

double sl_chebyshev_eigenvalue(double rho, double rate)
{
    double best = sl_chebyshev_rate(rho);
    if (!(rate > best) || best == 0)
        return best == 0 ? rate : rho;
    double t = rate / best;
    return 0.5 * rho * (t + 1 / t);
}
