/* Anderson acceleration of an iteration x <- G(x) (Anderson 1965; Peng et al. 2018): the next iterate
   is G(x) less the combination of the last changes that makes f = G(x) - x least.

     x(k+1) = G(x(k)) - sum_j theta_j (change of G in iteration j)

   This file holds the small part, sums and theta; who owns the vectors keeps the history. */
#ifndef MATH_LINEAR_ANDERSON_H
#define MATH_LINEAR_ANDERSON_H

#include <stdint.h>

enum { SL_ANDERSON_MAX = 20 };

typedef struct SlAnderson {
    uint32_t history; /* 1 to SL_ANDERSON_MAX changes are kept */
    uint32_t used;    /* of them, so far */
    uint32_t newest;  /* place of the newest in the ring; valid if used > 0 */
    /* <df_i, df_j> and <df_i, f>, by place in the ring */
    double gram[SL_ANDERSON_MAX][SL_ANDERSON_MAX], along[SL_ANDERSON_MAX];
    double theta[SL_ANDERSON_MAX];
} SlAnderson;

/* Forgets all changes. */
void sl_anderson_begin(SlAnderson *a);
/* The place in the ring for one more change; the oldest goes. */
uint32_t sl_anderson_push(SlAnderson *a);
/* Puts in the sums for the newest: products[i] = <df_newest, df_i>, along[i] = <df_i, f>, for the
   `used` places; and finds theta. Changes that the others explain get theta 0. */
void sl_anderson_solve(SlAnderson *a, const double *products, const double *along);

#endif
