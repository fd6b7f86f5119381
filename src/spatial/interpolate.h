/* Kernel interpolation of particle data at arbitrary points, on plain arrays (the SPH interpolant,
   [Monaghan 1992]):

       rho(x) = sum_j m_j W(x - x_j; H)          v(x) = sum_j m_j v_j W(x - x_j; H) / rho(x)

   with the cubic spline W of support radius H. */
#ifndef SPATIAL_INTERPOLATE_H
#define SPATIAL_INTERPOLATE_H

#include "spatial/grid.h"

/* The particles that are interpolated; arrays in the same order. */
typedef struct SlSamples {
    SlPoints points;
    const float *velocities; /* float4 */
    const float *masses;     /* kg, one each; NULL: all have `mass` */
    float mass;
} SlSamples;

/* Where to interpolate, and the results; each may be NULL. */
typedef struct SlProbes {
    const float *points; /* 3 floats each */
    size_t count;
    float *density;  /* kg/m³, 1 float each */
    float *velocity; /* m/s, 3 floats each; 0 where no particle is within the support */
} SlProbes;

/* Sums run in the order of the grid's cells, so results do not depend on threads. Scratch comes from
   the arena and is released. */
SlStatus sl_interpolate(SlContext *context, SlArena *arena, const SlSamples *samples, float support,
                        const SlProbes *probes, SlError *error);

#endif
