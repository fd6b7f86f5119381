/* A column of water that collapses, as Martin & Moyce measured it. */
#ifndef TESTS_SUPPORT_MARTIN_MOYCE_H
#define TESTS_SUPPORT_MARTIN_MOYCE_H

#include <math.h>

#include "support/test.h"

/* Front of a collapsing column, n² = 2 (Martin & Moyce 1952, table 2). */
static const double front_T[] = {0.41, 0.84, 1.19, 1.43, 1.63, 1.83, 1.98, 2.20,
                                 2.32, 2.51, 2.65, 2.83, 2.98, 3.11, 3.33};
static const double front_Z[] = {1.11, 1.22, 1.44, 1.67, 1.89, 2.11, 2.33, 2.56,
                                 2.78, 3.00, 3.22, 3.44, 3.67, 3.89, 4.11};
enum { FRONT_POINTS = sizeof front_T / sizeof front_T[0] };

/* Farthest particle with at least 8 neighbours within the support: spray does not count. */
static inline double front_of(SlWorld *world, double d)
{
    SlFieldView x = sl_system_field(world, first_system(world), "position");
    const char *data = x.data;
    double front = 0;
    for (size_t i = 0; i < x.count; i++) {
        const float *a = (const float *)(data + i * x.stride);
        if ((double)a[0] + d / 2 <= front)
            continue;
        int neighbours = 0;
        for (size_t j = 0; j < x.count && neighbours < 8; j++) {
            const float *b = (const float *)(data + j * x.stride);
            double r2 = pow((double)(a[0] - b[0]), 2) + pow((double)(a[1] - b[1]), 2) +
                        pow((double)(a[2] - b[2]), 2);
            neighbours += j != i && r2 < 4 * d * d;
        }
        if (neighbours == 8)
            front = (double)a[0] + d / 2;
    }
    return front;
}

#endif
