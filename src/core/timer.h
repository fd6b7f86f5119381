/* Monotonic seconds. */
#ifndef CORE_TIMER_H
#define CORE_TIMER_H

#include <time.h>

static inline double sl_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Adds the time since *mark to *total_ms and moves the mark on: one line between two stages. */
static inline void sl_lap(double *mark, double *total_ms)
{
    double now = sl_seconds();
    *total_ms += 1e3 * (now - *mark);
    *mark = now;
}

#endif
