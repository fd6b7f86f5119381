/* Sleet: figures of one system of a frame: pieces, compaction, run-out, energies, and what is in a box.
   They are computed from a frame view alone, live or read back, and depend only on it. */
#ifndef SLEET_MEASURE_H
#define SLEET_MEASURE_H

#include "sleet/view.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct SlMeasureDef {
    uint32_t cookie, size; /* set by sl_default_measure_def */
    /* Two particles closer than so many spacings belong to the same piece; above 0, at most 10.
       Default 1.5. */
    double link;
    /* A component of at least this fraction of the particles is a piece; 0 to 1. Default 0.001. */
    double min_piece;
    /* m: run-out is the distance from here; y is not used. Default the origin. */
    SlVec3 center;
    /* The fraction of the mass that lies within the run-out; above 0, at most 1. Default 0.9. */
    double run_out_fraction;
    /* m: the part of space that SlMeasurement.box reports on, borders included. Default all. */
    SlBox box;
    /* The same system in an earlier frame, for SlMeasurement.low_on_top; particles are recognised by
       their ids. Default NULL: not measured. */
    const SlSystemView *first;
} SlMeasureDef;

SL_API SlMeasureDef sl_default_measure_def(void);

/* Means and fractions are weighted by mass; by number where masses are not known. A figure that does
   not exist (of no particles, of a field that the system does not have) is NaN. */
typedef struct SlMeasurement {
    size_t particles;
    double mass; /* kg; 0: not known */

    /* Pieces: connected components of particles closer than `link` spacings. */
    size_t pieces;          /* of at least min_piece of the particles */
    double largest, second; /* fractions of the mass in the two largest components */
    double crumbs;          /* fraction of the mass in components that are no pieces */

    double density_ratio; /* mean of the field: density over rest density */
    double plastic;       /* mean of the field: below 1 packed, above 1 torn */

    double center[3];        /* m, centre of mass */
    double min[3], max[3];   /* m, bounds of the particles' positions */
    double run_out;          /* m, horizontal */
    double kinetic_energy;   /* J */
    double potential_energy; /* J, 0 at the origin */
    double max_speed;        /* m/s */

    /* The particles in the box. */
    struct {
        size_t particles;
        double mass;   /* kg */
        double height; /* m: 95 % of the mass is below */
        double top;    /* m: highest particle */
    } box;
    /* How far snow was turned over, from 0 (undisturbed) through 1/3 (mixed) to 1 (upside down). "Low"
       are the particles that were in the lowest third of the mass in `first`, "top" those that are in
       the highest third of the mass in the box now. */
    double low_on_top;   /* of the low particles in the box, the fraction that is in its top */
    double top_from_low; /* of the box's top, the fraction that is low */
} SlMeasurement;

/* `system` is one of the view's. SL_ERROR_ARGUMENT: a value of the definition is out of its range, or
   a field that is needed is missing. */
SL_API SlStatus sl_measure_system(SlContext *context, const SlFrameView *view,
                                  const SlSystemView *system, const SlMeasureDef *def,
                                  SlMeasurement *measurement, SlError *error);

#ifdef __cplusplus
}
#endif
#endif
