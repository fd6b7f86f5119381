/* Boxes of particles: when they touch and when they overlap. */
#ifndef GEOMETRY_BOX_H
#define GEOMETRY_BOX_H

#include "sleet/base.h"

/* Decimals do not meet exactly: so much of a spacing may blocks overlap each other or reach out of
   the domain. */
#define SL_BLOCK_SLACK 1e-3

static inline bool sl_boxes_overlap(const SlBox *one, const SlBox *other, double spacing)
{
    const float *a = &one->min.x, *b = &one->max.x, *c = &other->min.x, *d = &other->max.x;
    double slack = SL_BLOCK_SLACK * spacing;
    for (int k = 0; k < 3; k++)
        if ((double)b[k] - (double)c[k] <= slack || (double)d[k] - (double)a[k] <= slack)
            return false;
    return true;
}

static inline bool sl_box_contains(const SlBox *outer, const SlBox *inner, double spacing)
{
    const float *low = &outer->min.x, *high = &outer->max.x;
    const float *a = &inner->min.x, *b = &inner->max.x;
    double slack = SL_BLOCK_SLACK * spacing;
    for (int k = 0; k < 3; k++)
        if ((double)low[k] - (double)a[k] > slack || (double)b[k] - (double)high[k] > slack)
            return false;
    return true;
}

#endif
