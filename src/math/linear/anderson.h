/* Anderson acceleration of an iteration x <- G(x) [Anderson 1965; Peng 2018]: from G(x) a
   combination of the last changes is subtracted, chosen so that f = G(x) - x becomes smallest.

     x(k+1) = G(x(k)) - sum_j theta_j (change of G in iteration j)

   Here are the small matrices and theta; the vectors belong to the caller. */
#ifndef MATH_LINEAR_ANDERSON_H
#define MATH_LINEAR_ANDERSON_H

#include <stdint.h>

enum { SL_ANDERSON_MAX = 20 };

typedef struct SlAnderson {
    uint32_t history; /* size of the ring of changes, 1 to SL_ANDERSON_MAX */
    uint32_t used;    /* changes in the ring so far */
    uint32_t newest;  /* slot of the newest change; valid if used > 0 */
    /* <df_i, df_j> and <df_i, f>, by slot */
    double gram[SL_ANDERSON_MAX][SL_ANDERSON_MAX], along[SL_ANDERSON_MAX];
    double theta[SL_ANDERSON_MAX];
} SlAnderson;

/* Empties the ring. */
void sl_anderson_begin(SlAnderson *a);
/* The slot for one more change; in a full ring that of the oldest. */
uint32_t sl_anderson_push(SlAnderson *a);
/* Sets theta, given products[i] = <df_newest, df_i> and along[i] = <df_i, f> of the `used` slots.
   Changes that depend linearly on newer ones get theta 0. */
void sl_anderson_solve(SlAnderson *a, const double *products, const double *along);

#endif
