/* Sums and maxima in an order that does not depend on threads: a loop writes one partial per
   fixed-size chunk, then one thread folds the partials from first to last. Stop tests use it too;
   the fold is the one place where a sum over many machines would join. */
#ifndef CORE_REDUCE_H
#define CORE_REDUCE_H

#include <stddef.h>

/* Items per chunk of every reduced particle loop: fixed, so that partials never change. */
enum { SL_REDUCE_CHUNK = 512 };

/* partials[chunk * stride + lane]; the sum over chunks of one lane. */
static inline double sl_fold_sum(const double *partials, size_t chunks, size_t stride, size_t lane)
{
    double sum = 0;
    for (size_t c = 0; c < chunks; c++)
        sum += partials[c * stride + lane];
    return sum;
}

/* At least one chunk. */
static inline double sl_fold_max(const double *partials, size_t chunks, size_t stride, size_t lane)
{
    double most = partials[lane];
    for (size_t c = 1; c < chunks; c++)
        if (partials[c * stride + lane] > most)
            most = partials[c * stride + lane];
    return most;
}

#endif
