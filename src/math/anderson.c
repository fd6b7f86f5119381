#include "math/anderson.h"

#include <math.h>
#include <string.h>

/* A change with less than this share of its square not explained by newer ones is rounding. */
static const double least_share = 1e-10;

void sl_anderson_begin(SlAnderson *a)
{
    a->used = a->newest = 0;
}

uint32_t sl_anderson_push(SlAnderson *a)
{
    a->newest = a->used == 0 ? 0 : (a->newest + 1) % a->history;
    if (a->used < a->history)
        a->used++;
    return a->newest;
}

/* Least squares by Cholesky's method, newest first, so that an old change never displaces a new one. */
void sl_anderson_solve(SlAnderson *a, const double *products, const double *along)
{
    uint32_t m = a->used, order[SL_ANDERSON_MOST];
    for (uint32_t i = 0; i < m; i++) {
        a->gram[a->newest][i] = a->gram[i][a->newest] = products[i];
        a->along[i] = along[i];
        order[i] = (a->newest + a->history - i) % a->history;
    }
    double l[SL_ANDERSON_MOST][SL_ANDERSON_MOST], y[SL_ANDERSON_MOST];
    memset(l, 0, sizeof l);
    for (uint32_t i = 0; i < m; i++) {
        for (uint32_t j = 0; j <= i; j++) {
            double sum = a->gram[order[i]][order[j]];
            for (uint32_t k = 0; k < j; k++)
                sum -= l[i][k] * l[j][k];
            if (j < i)
                l[i][j] = l[j][j] > 0 ? sum / l[j][j] : 0;
            else
                l[i][i] = sum > least_share * a->gram[order[i]][order[i]] ? sqrt(sum) : 0;
        }
        double sum = a->along[order[i]];
        for (uint32_t k = 0; k < i; k++)
            sum -= l[i][k] * y[k];
        y[i] = l[i][i] > 0 ? sum / l[i][i] : 0;
    }
    for (uint32_t i = m; i-- > 0;) {
        double sum = y[i];
        for (uint32_t k = i + 1; k < m; k++)
            sum -= l[k][i] * a->theta[order[k]];
        a->theta[order[i]] = l[i][i] > 0 ? sum / l[i][i] : 0;
    }
}
