/* Thresholds of water that are not reached yet, with what was seen instead and why. A figure outside of
   its threshold but within its row here is printed as OPEN and does not fail its test: the row keeps it
   from becoming worse unseen. A row whose threshold is met is named in the output, to be removed.

   Bounds are what was measured, rounded outwards. Requests are patterns of fnmatch. */
#ifndef TESTS_WATER_OPEN_THRESHOLDS_H
#define TESTS_WATER_OPEN_THRESHOLDS_H

#include <fnmatch.h>
#include <stddef.h>

typedef struct OpenThreshold {
    const char *request, *figure;
    double low, high;
    const char *reason;
} OpenThreshold;

static const char samples_low[] = "boundary particles: 3.4 % too light with the Wendland kernel, so 0.1 to 0.2 d low (docs/notes/water-defaults.md)";
static const char deep_noise[] = "a packing that begins to flow settles by 0.05 %, energy in proportion to the depth";
static const char not_measured[] = "not measured since projective remembers pressure; bounds from before";
static const char creep[] = "a packing at rest seems to carry shear: sideways forces differ by run; "
                            "walls of meshes count as planes";
static const char not_settled[] = "half a second: the water still moves; the distance to a mesh finer than the "
                                  "spacing costs 10 us a particle and iteration";
static const char start[] = "the packing of a free surface relaxes in the first 0.1 s; below 0.05 m g d";
static const char lattice[] = "the papers' scenes begin with a lattice, whose first step has up to 0.13 m g d";
static const char coarse[] = "positions at 10 km are multiples of 0.01 d";
static const char shear[] = "a packing under pressure is a soft solid, G = 0.1 p: the wave is stiffer (notes)";
static const char two_liquids[] = "two liquids sink by 0.04 d and rise again within 0.5 s";
static const char plain_iterations[] = "iterations without acceleration converge slowly";
static const char dissipation[] = "cause not known";

static const OpenThreshold open_thresholds[] = {
    {"tank solver=pbf boundary=particles*", "level", -0.012, 0.004, samples_low},
    {"tank solver=pbf boundary=particles*", "surface", -0.012, 0.004, samples_low},
    {"tank solver=pbf*depth=150*", "rms", 0, 0.06, deep_noise},
    {"tank solver=pbf*depth=150*", "level", -0.006, 0.004, deep_noise},
    {"tank solver=pbf*depth=150*", "surface", -0.006, 0.004, deep_noise},
    {"tank solver=pbf*depth=150*", "scatter", 0, 0.07, deep_noise},
    {"tank solver=projective boundary=particles*", "level", -0.012, 0.004, samples_low},
    {"tank solver=projective boundary=particles*", "surface", -0.012, 0.004, samples_low},
    {"tank solver=projective*depth=40*", "rms", 0, 0.022, deep_noise},
    {"tank solver=projective*depth=150*", "level", -0.016, 0.004, not_measured},
    {"tank solver=projective*depth=150*", "surface", -0.016, 0.004, not_measured},
    {"tank solver=projective*depth=150*", "scatter", 0, 2, not_measured},
    {"tank solver=projective*depth=150*", "rms", 0, 0.7, not_measured},
    {"sphere*solver=pbf*", "force", 0.98, 1.055, creep},
    {"sphere*boundary=particles*", "force", 0.98, 1.05, creep},
    {"sphere*solver=projective*", "force", 0.98, 1.045, creep},
    {"sphere*solver=projective*acceleration=none", "scatter", 0, 0.057, plain_iterations},
    {"oblique*solver=projective*acceleration=none", "impulse", 0.97, 1.035, plain_iterations},
    {"mesh*solver=pbf*", "force", 0.98, 1.085, creep},
    {"mesh*solver=pbf*", "scatter", 0, 0.09, creep},
    {"mesh*solver=projective*", "force", 0.98, 1.24, creep},
    {"mesh*solver=projective*", "scatter", 0, 0.46, not_settled},
    {"mesh*solver=projective*", "floor", 0.97, 1.02, not_settled},
    {"mesh*solver=projective*", "floor_scatter", 0, 0.36, not_settled},
    {"energy scene=scenes/oil_and_water.json *", "excess", 0, 430, two_liquids},
    {"energy scene=scenes/papers/chebyshev/*.json solver=projective*", "excess", 0, 1350, lattice},
    {"energy scene=scenes/*.json solver=projective*", "excess", 0, 50, start},
    {"energy scene=scenes/squirrel_drop.json solver=pbf*", "excess", 0, 170, start},
    {"energy scene=*/dam_88k.json solver=pbf*", "excess", 0, 17, start},
    {"energy scene=*/double_dam_128k.json solver=pbf*", "excess", 0, 4, start},
    {"dam small curve solver=projective*offset=10000", "front_*", 0.965, 1.006, coarse},
    {"dam small curve solver=projective*offset=10000", "energy", 0.985, 1.01, coarse},
    {"slosh solver=pbf*", "period_error", -0.1, 0.02, shear},
    {"slosh solver=pbf*", "kept_per_period", 0.67, 1.01, shear},
    {"slosh solver=projective*", "period_error", -0.1, 0.02, shear},
    {"slosh solver=projective*", "kept_per_period", 0.7, 1.01, shear},
    {"drop solver=pbf*", "energy", 0.945, 1.001, dissipation},
    {"drop solver=pbf*", "gain", 0, 0.0012, dissipation},
    {"drop solver=projective*", "energy", 0.94, 1.001, dissipation},
    {"drop solver=projective*", "gain", 0, 0.0015, dissipation},
};
enum { OPEN_THRESHOLDS = sizeof open_thresholds / sizeof open_thresholds[0] };

/* The row of a figure; NULL: its threshold must hold. */
static inline const OpenThreshold *open_threshold_of(const char *request, const char *figure)
{
    for (int k = 0; k < OPEN_THRESHOLDS; k++)
        if (fnmatch(open_thresholds[k].request, request, 0) == 0 &&
            fnmatch(open_thresholds[k].figure, figure, 0) == 0)
            return &open_thresholds[k];
    return NULL;
}

#endif
